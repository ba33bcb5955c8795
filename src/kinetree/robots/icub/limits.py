"""The limits that the control boards of each robot keep; they differ from robot to robot and from the models."""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files
from math import radians
from typing import Literal, get_args

from kinetree.errors import fail, nearest_names

Kind = Literal["software", "hardware"]


def robots() -> list[str]:
    """The robots whose limits are known."""
    return list(_table())


def board_limits(robot: str, kind: Kind = "software") -> dict[str, tuple[float, float]]:
    """Lowest and highest position in radians of every axis of a robot, such as "iCubGenova02", by name.

    kind: "software", what the boards keep to, or "hardware", what the mechanics allow. Axes are those of the boards:
    joints, and besides them eyes_version, eyes_vergence and the tendons of the hands. An axis of which the robot's
    files say nothing is left out. Source: limits.csv.
    """
    if robot not in _table():
        raise fail("unknown-name", f"no limits of robot {robot!r}; {nearest_names(robot, robots())}")
    if kind not in get_args(Kind):
        raise fail("kind", f"kind is {kind!r}; legal are {', '.join(map(repr, get_args(Kind)))}")
    rows = _table()[robot]
    said = {row["joint"]: (row[f"{kind}_min"], row[f"{kind}_max"]) for row in rows}
    return {joint: (radians(float(low)), radians(float(high))) for joint, (low, high) in said.items() if low and high}


@cache
def _table() -> dict[str, list[dict[str, str]]]:
    text = files(__package__).joinpath("limits.csv").read_text("utf-8")
    table: dict[str, list[dict[str, str]]] = {}
    for row in csv.DictReader(line for line in text.splitlines() if not line.startswith("#")):
        table.setdefault(row["robot"], []).append(row)
    return table
