"""`kinetree contact`: which links touch each other, which are nearest, and which pairs are not tested."""

import sys
from pathlib import Path
from typing import Any, Literal

import numpy as np

from kinetree.cli._help import FILE, kinetree_command, option
from kinetree.cli._joints import with_joints
from kinetree.cli._model import configuration, geometry_option, joint_values, json_option, robot_argument
from kinetree.cli._motion import report_motion
from kinetree.cli._output import print_json
from kinetree.cli._page import print_page
from kinetree.cli._say import remark
from kinetree.contact.along import Nearest, nearest_along
from kinetree.contact.collisions import Collisions, Witness
from kinetree.contact.make import collisions
from kinetree.contact.pairs import Pair
from kinetree.display import counted
from kinetree.errors import fail
from kinetree.logs import filled, read_motion
from kinetree.model.robot import Robot
from kinetree.spatial import Array
from kinetree.viewing.section import Section

SCHEMA = 1
"""Version of the JSON, as that of `kinetree inspect`."""
MOST_SAMPLES = 1_000_000
MOST_ROWS = 20
"""Pairs of a motion that are printed, without those in contact; JSON has all."""


@kinetree_command("Compute", "kinetree contact arm.urdf --q elbow=90 --deg", hides=("inertias",))
@robot_argument
@with_joints()
@joint_values()
@option("--motion MOTION", "Motion to test: joint values (CSV), or a bag of ROS 2.", type=FILE)
@option("--margin M", "Count links as in contact up to this distance, m.", type=float, default=0.0)
@geometry_option
@option("--touch LINK", "A link that may touch others so named, such as a held part. Repeatable.")
@option("--skip LINK", "Leave this link out if its shapes cannot be used. Repeatable.")
@option("--samples N", "Also count contacts in so many random configurations.", type=int, default=0)
@option("--deg", "Read angles in --q and in a CSV in degrees.", "in_degrees")
@json_option
def command(
    robot: Robot,
    values: dict[str, str],
    motion: Path | None,
    margin: float,
    geometry: Literal["mesh", "hull"],
    touch: tuple[str, ...],
    skip: tuple[str, ...],
    samples: int,
    in_degrees: bool,
    as_json: bool,
) -> None:
    """Print which links touch each other, and how far apart they are.

    Tested are all pairs of links that move against each other, without those that are listed with the reason. Exit
    status 0 if no links are in contact, 1 if some are, 2 if something is wrong.

    With --motion, print for each pair the least distance at any sample, and which sample that is, counted from 0. What
    is between two samples is not tested. MOTION is a CSV, or a bag of ROS 2 (.mcap, .db3, or their folder) with joint
    states. A CSV has a row for each sample, under the names of joints; `time`, `t` or `stamp` is a column of times in
    s. Joints without a column stay as in --q."""
    if not 0 <= samples <= MOST_SAMPLES:
        raise fail("samples", f"--samples is {samples}; expected a whole number from 0 to {MOST_SAMPLES}")
    if not 0 <= margin < np.inf:
        raise fail("margin", f"--margin is {margin:g}; expected a distance from 0, m")
    q = configuration(robot, values, in_degrees)
    found = collisions(robot, geometry=geometry, margin=margin, touch=touch, without=skip)
    asked = {"schema": SCHEMA, "robot": robot.name, "q": dict(zip(robot.coordinate_names, q.tolist(), strict=True))}
    asked |= {"geometry": geometry, "margin": margin}
    if motion:
        touching, own, sections = _along(found, motion, q, in_degrees)
    else:
        touching, own, sections = _at(found, q)
    shares = found.where(robot.limits.sample(samples)).mean(axis=0) if samples else np.zeros(len(found.pairs))
    if as_json:
        rest = {"left_out": [pair._asdict() for pair in found.left_out], "notes": found.notes}
        counts = {"samples": samples, "shares": shares} if samples else {}
        print_json({**asked, "contact": touching, **own, "pairs": found.pairs, **rest, **counts})
    else:
        print_page([*sections, *_shares(found, shares, samples), *_left_out(found)])
        for note in found.notes:
            remark(f"note: {note}")
    sys.exit(int(bool(touching)))


Answer = tuple[list[Pair], dict[str, Any], list[Section]]
"""The pairs in contact, more for the JSON, and for the page."""


def _at(found: Collisions, q: Array) -> Answer:
    """Return the contact at q (nq,)."""
    touching = [pair for pair, touches in zip(found.pairs, found.where(q), strict=True) if touches]
    nearest: Witness = found.witness(q)
    links, distance = found.pairs[nearest.pair], float(nearest.distance)
    points = None if distance == 0 else nearest.points
    tested = counted(len(found.pairs), "pair")
    if touching:
        sections = [Section(f"{counted(len(touching), 'pair')} of {tested} {_in_contact(found)}", ("", ""), touching)]
    else:
        rows = [(*links, f"{1e3 * distance:.3f} mm")]
        title = f"No contact in {tested}" if not found.margin else f"None of {tested} {_in_contact(found)}"
        sections = [Section(title, ("link", "link", ">distance"), rows, "the nearest pair")]
    return touching, {"nearest": {"links": links, "distance": distance, "points": points}}, sections


def _in_contact(found: Collisions) -> str:
    return f"within {1e3 * found.margin:g} mm" if found.margin else "in contact"


def _along(found: Collisions, file: Path, start: Array, in_degrees: bool) -> Answer:
    """Return the contact along a motion. start (nq,): of the coordinates that it does not have."""
    motion = read_motion(found.robot, file, unit="deg" if in_degrees else "rad")
    report_motion(found.robot, motion, file, missing=True)
    q, times = filled(found.robot, motion, start), motion.times
    nearest = nearest_along(found, q)
    touching = [one.links for one in nearest if one.touching]
    when = [None if times is None else float(times[one.sample]) for one in nearest]
    each = [{**one._asdict(), "time": time} for one, time in zip(nearest, when, strict=True)]
    said = f"{counted(len(touching), 'pair') if touching else 'None'} of {counted(len(found.pairs), 'pair')}"
    title = f"{said} {_in_contact(found)} in {counted(len(q), 'sample')}"
    count = max(MOST_ROWS, sum(one.touching > 0 for one in nearest))
    rows = [_row(one, times) for one in nearest[:count]]
    more = len(nearest) - len(rows)
    remark = "the least distances, and when" + (f"; {counted(more, 'more pair')} with --json" if more > 0 else "")
    columns = ("link", "link", ">mm", ">sample", ">t", ">contact at")
    return touching, {"motion": {"samples": len(q), "pairs": each}}, [Section(title, columns, rows, remark)]


def _row(one: Nearest, times: Array | None) -> tuple[str, ...]:
    time = "" if times is None else f"{times[one.sample]:g}"
    stretch = "" if not one.touching else f"{one.first}" if one.touching == 1 else f"{one.first} to {one.last}"
    if one.first is not None and one.last is not None and one.touching <= one.last - one.first:
        stretch = f"{one.touching} of {stretch}"
    return (*one.links, f"{1e3 * one.distance:.3f}", str(one.sample), time, stretch)


def _shares(found: Collisions, shares: Array, samples: int) -> list[Section]:
    order = np.argsort(-shares, kind="stable")
    rows = [(*found.pairs[i], f"{100 * shares[i]:.3g} %") for i in order if shares[i] > 0]
    title = f"{_in_contact(found).capitalize()} in {samples} random configurations"
    return [Section(title, ("link", "link", ">share"), rows or [("none", "", "")])] if samples else []


def _left_out(found: Collisions) -> list[Section]:
    rows = [tuple(one) for one in found.left_out]
    return [Section("Not tested", ("link", "link", "because"), rows)] if rows else []
