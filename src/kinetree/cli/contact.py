"""`kinetree contact`: which links touch each other, which are nearest, and which pairs are not tested."""

import sys
from pathlib import Path
from typing import Any, Literal

import numpy as np

from kinetree.cli._help import FILE, LENGTH, kinetree_command, option
from kinetree.cli._joints import with_joints
from kinetree.cli._model import configuration, geometry_option, joint_values, json_option, robot_argument
from kinetree.cli._motion import report_motion
from kinetree.cli._output import print_json
from kinetree.cli._page import print_page
from kinetree.cli._say import remark
from kinetree.contact.along import Nearest, nearest_along
from kinetree.contact.collisions import Collisions
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
@option("--margin LENGTH", "Count links as in contact up to here, m, or such as 5mm.", type=LENGTH, default=0.0)
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

    With --motion, print for each pair the least distance at any sample, and which sample that is, from 0. What is
    between two samples is not tested. MOTION is as for `kinetree show`. Joints without a column stay as in --q."""
    if not 0 <= samples <= MOST_SAMPLES:
        raise fail("samples", f"--samples is {samples}; expected a whole number from 0 to {MOST_SAMPLES}")
    q = configuration(robot, values, in_degrees)
    found = collisions(robot, geometry=geometry, margin=margin, touch=touch, without=skip)
    touching, answer, section = _along(found, motion, q, in_degrees) if motion else _at(found, q)
    shares = found.where(robot.limits.sample(samples)).mean(axis=0) if samples else np.zeros(len(found.pairs))
    if as_json:
        print_json(
            {
                "schema": SCHEMA,
                "robot": robot.name,
                "q": dict(zip(robot.coordinate_names, q.tolist(), strict=True)),
                "geometry": geometry,
                "margin": margin,
                "contact": touching,
                **answer,
                "pairs": found.pairs,
                "left_out": [pair._asdict() for pair in found.left_out],
                "notes": found.notes,
                **({"samples": samples, "shares": shares} if samples else {}),
            }
        )
    else:
        print_page([section, *_more(found, shares, samples)])
        for note in found.notes:
            remark(f"note: {note}")
    sys.exit(int(bool(touching)))


Answer = tuple[list[Pair], dict[str, Any], Section]
"""The pairs in contact, and more for the JSON and for the page."""


def _at(found: Collisions, q: Array) -> Answer:
    """Return the contact at q (nq,)."""
    touching = [pair for pair, touches in zip(found.pairs, found.where(q), strict=True) if touches]
    pair, distance, points = found.witness(q)
    nearest = {"links": found.pairs[pair], "distance": distance, "points": points if distance > 0 else None}
    tested = counted(len(found.pairs), "pair")
    if touching:
        section = Section(f"{counted(len(touching), 'pair')} of {tested} {_in_contact(found)}", ("", ""), touching)
    else:
        near = found.always_near
        tested = counted(len(found.pairs) - near, "pair") if near else tested
        title = f"None of {tested} {_in_contact(found)}" if found.margin else f"No contact in {tested}"
        title += f", and no contact of {near} that always are" if near else ""
        rows = [(*found.pairs[pair], f"{1e3 * distance:.3f} mm")]
        section = Section(title, ("link", "link", ">distance"), rows, "the nearest pair")
    return touching, {"nearest": nearest}, section


def _in_contact(found: Collisions) -> str:
    return f"within {1e3 * found.margin:g} mm" if found.margin else "in contact"


def _along(found: Collisions, file: Path, start: Array, in_degrees: bool) -> Answer:
    """Return the contact along a motion. start (nq,): of the coordinates that it does not have."""
    motion = read_motion(found.robot, file, unit="deg" if in_degrees else "rad")
    report_motion(found.robot, motion, file, missing=True)
    q = filled(found.robot, motion, start)
    nearest, times = nearest_along(found, q), motion.times
    touching = [one.links for one in nearest if one.touching]
    each = [{**one._asdict(), "time": None if times is None else times[one.sample]} for one in nearest]
    rows = [_row(one, times) for one in nearest[: max(MOST_ROWS, len(touching))]]
    said = counted(len(touching), "pair") if touching else "None"
    title = f"{said} of {counted(len(found.pairs), 'pair')} {_in_contact(found)} in {counted(len(q), 'sample')}"
    more = f"; {counted(len(nearest) - len(rows), 'more pair')} with --json" if len(nearest) > len(rows) else ""
    columns = ("link", "link", ">mm", ">sample", ">t", ">in contact")
    section = Section(title, columns, rows, f"the least distances, and when{more}")
    return touching, {"motion": {"samples": len(q), "pairs": each}}, section


def _row(one: Nearest, times: Array | None) -> tuple[str, ...]:
    time = "" if times is None else f"{times[one.sample]:g}"
    touching = counted(len(one.touching), "sample") if one.touching else ""
    return (*one.links, f"{1e3 * one.distance:.3f}", str(one.sample), time, touching)


def _more(found: Collisions, shares: Array, samples: int) -> list[Section]:
    sections = []
    if samples:
        order = np.argsort(-shares, kind="stable")
        rows = [(*found.pairs[i], f"{100 * shares[i]:.3g} %") for i in order if shares[i] > 0]
        title = f"{_in_contact(found).capitalize()} in {samples} random configurations"
        sections.append(Section(title, ("link", "link", ">share"), rows or [("none", "", "")]))
    if found.left_out:
        sections.append(Section("Not tested", ("link", "link", "because"), [tuple(one) for one in found.left_out]))
    return sections
