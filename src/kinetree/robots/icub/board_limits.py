"""Limits of the control boards of each robot; they differ from robot to robot and from the models."""

import csv
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from math import radians
from typing import Literal, get_args

from kinetree.errors import Finding, fail, nearest_names
from kinetree.model.assemble import build, parts_of
from kinetree.model.robot import CoupledLimit, Joint, Robot
from kinetree.robots.icub.boards import boards, eye_pans, families, is_coordinate

Kind = Literal["software", "hardware"]
Interval = tuple[float, float]

_NOTE = "board-limits"
_PUBLISHED = "published-limits"
"""Codes of notes on limits that these replace."""


@cache
def robots() -> tuple[str, ...]:
    """Return the robots whose limits are known, at least those of some boards."""
    return tuple(robot for robot, rows in _table().items() if any(row["software_min"] for row in rows))


def board_limits(robot: str, kind: Kind = "software") -> dict[str, Interval]:
    """Return lowest and highest position in radians of every axis of a robot, such as "iCubGenova02", by name.

    kind: "software", the limits that the boards enforce, or "hardware", those of the mechanics. Axes are those of the
    boards: joints, eyes_version, eyes_vergence and the tendons of the hands. An axis without limits in the robot's
    files is left out. Source: limits.csv.

    Examples:
        >>> import numpy as np
        >>> import kinetree as kt
        >>> limits = kt.icub.board_limits("iCubGenova02")
        >>> np.rad2deg(limits["l_elbow"]).round(3)
        array([ 15., 106.])
    """
    if robot not in robots():
        raise fail("unknown-name", f"no limits of robot {robot!r}; {nearest_names(robot, robots())}")
    if kind not in get_args(Kind):
        raise fail("kind", f"kind is {kind!r}; expected one of {', '.join(map(repr, get_args(Kind)))}")
    rows = _table()[robot]
    said = {row["joint"]: (row[f"{kind}_min"], row[f"{kind}_max"]) for row in rows}
    return {joint: (radians(float(low)), radians(float(high))) for joint, (low, high) in said.items() if low and high}


def with_board_limits(robot: Robot, name: str, kind: Kind = "software") -> Robot:
    """Return the robot with the position limits of the control boards of the robot `name`, such as "iCubGenova02".

    kind: as in `board_limits`. Version and vergence of the eyes become limits on both pans together, beside those of
    each pan. Limits that the robot's files do not have stay as they are, and so do speeds and efforts; a note
    "board-limits" lists these joints. Raises KinetreeError for an unknown name or kind, for a robot of another family,
    such as an ergoCub's limits on an iCub, and if the files have no limits of any joint.

    Examples:
        >>> import numpy as np
        >>> import kinetree as kt
        >>> icub = kt.load("icub")
        >>> genova = kt.icub.with_board_limits(icub, "iCubGenova02")
        >>> np.rad2deg([robot.joints["l_elbow"].limit.lower for robot in (icub, genova)]).round(3)
        array([ 5.5, 15. ])
    """
    limits = {boards().other_names.get(axis, axis): interval for axis, interval in board_limits(name, kind).items()}
    own, theirs = families(robot), boards().robots[name]
    if theirs not in own:
        message = f"is of the family {' or '.join(own)}, and {name} is of {theirs}"
        raise fail("family", message, element=f"robot {robot.name!r}")
    coupled = _eye_limits(robot, limits)
    said = {joint for joint in robot.joint_names if joint in limits and is_coordinate(robot, joint)}
    if not said and not coupled:
        raise fail("no-limits", f"the files of {name} say no limits of any joint", element=f"robot {robot.name!r}")
    silent = [joint for joint in robot.joint_names if joint not in said and not (coupled and joint in eye_pans(robot))]
    parts = parts_of(robot)
    parts.joints = [_limited(joint, limits[joint.name]) if joint.name in said else joint for joint in parts.joints]
    replaced = {limit.name for limit in coupled}
    parts.coupled_limits = [limit for limit in parts.coupled_limits if limit.name not in replaced] + coupled
    kept = (note for note in parts.notes if note.code not in (_NOTE, _PUBLISHED))
    parts.notes = (*kept, _note(name, kind, silent))
    return build(parts)


def _eye_limits(robot: Robot, limits: Mapping[str, Interval]) -> list[CoupledLimit]:
    eyes, pans = boards().eyes, eye_pans(robot)
    rows = zip(eyes.axes, eyes.matrix.tolist(), strict=True) if pans else ()
    return [CoupledLimit(axis, dict(zip(pans, x, strict=True)), *limits[axis]) for axis, x in rows if axis in limits]


def _limited(joint: Joint, interval: Interval) -> Joint:
    return replace(joint, limits=(replace(joint.limit, lower=interval[0], upper=interval[1]),))


def _note(name: str, kind: Kind, silent: list[str]) -> Finding:
    keepers = "control boards" if kind == "software" else "mechanics"
    message = f"position limits are those of the {keepers} of {name}"
    if silent:
        message += f"; its files say nothing of {', '.join(silent)}, which keep their own"
    return Finding(_NOTE, "info", message)


@cache
def _table() -> dict[str, list[dict[str, str]]]:
    text = files(__package__).joinpath("limits.csv").read_text("utf-8")
    table: dict[str, list[dict[str, str]]] = {}
    for row in csv.DictReader(line for line in text.splitlines() if not line.startswith("#")):
        table.setdefault(row["robot"], []).append(row)
    return table
