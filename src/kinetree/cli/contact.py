"""`kinetree contact`: which links touch each other, which are nearest, and which pairs are not tested."""

import sys
from typing import Literal

import numpy as np

from kinetree.cli._help import kinetree_command, option
from kinetree.cli._joints import with_joints
from kinetree.cli._model import configuration, geometry_option, joint_values, json_option, robot_argument
from kinetree.cli._output import print_json
from kinetree.cli._page import print_page
from kinetree.cli._say import remark
from kinetree.contact.collisions import Collisions
from kinetree.contact.make import collisions
from kinetree.display import counted
from kinetree.errors import fail
from kinetree.model.robot import Robot
from kinetree.spatial import Array
from kinetree.viewing.section import Section

SCHEMA = 1
"""Version of the JSON, as that of `kinetree inspect`."""
MOST_SAMPLES = 1_000_000


@kinetree_command("Compute", "kinetree contact arm.urdf --q elbow=90 --deg", hides=("inertias",))
@robot_argument
@with_joints()
@joint_values()
@geometry_option
@option("--touch LINK", "A link that may touch others so named, such as a held part. Repeatable.")
@option("--skip LINK", "Leave this link out if its shapes cannot be used. Repeatable.")
@option("--samples N", "Also count contacts in so many random configurations.", type=int, default=0)
@option("--deg", "Read angles in --q in degrees.", "in_degrees")
@json_option
def command(
    robot: Robot,
    values: dict[str, str],
    geometry: Literal["mesh", "hull"],
    touch: tuple[str, ...],
    skip: tuple[str, ...],
    samples: int,
    in_degrees: bool,
    as_json: bool,
) -> None:
    """Print which links touch each other, and how far apart they are.

    Tested are all pairs of links that move against each other, without those that are listed with the reason. Exit
    status 0 if no links are in contact at --q, 1 if some are, 2 if something is wrong."""
    if not 0 <= samples <= MOST_SAMPLES:
        raise fail("samples", f"--samples is {samples}; expected a whole number from 0 to {MOST_SAMPLES}")
    q = configuration(robot, values, in_degrees)
    found = collisions(robot, geometry=geometry, touch=touch, without=skip)
    touching = [pair for pair, touches in zip(found.pairs, found.where(q), strict=True) if touches]
    nearest = found.witness(q)
    shares = found.where(robot.limits.sample(samples)).mean(axis=0) if samples else np.zeros(len(found.pairs))
    if as_json:
        print_json(
            {
                "schema": SCHEMA,
                "robot": robot.name,
                "q": dict(zip(robot.coordinate_names, q.tolist(), strict=True)),
                "geometry": geometry,
                "contact": touching,
                "nearest": {
                    "links": found.pairs[nearest.pair],
                    "distance": nearest.distance,
                    "points": None if touching else nearest.points,
                },
                "pairs": found.pairs,
                "left_out": [pair._asdict() for pair in found.left_out],
                "notes": found.notes,
                **({"samples": samples, "shares": shares} if samples else {}),
            }
        )
    else:
        print_page(_page(found, touching, nearest.pair, nearest.distance, shares, samples))
        for note in found.notes:
            remark(f"note: {note}")
    sys.exit(int(bool(touching)))


def _page(
    found: Collisions, touching: list[tuple[str, str]], pair: int, distance: float, shares: Array, samples: int
) -> list[Section]:
    tested = counted(len(found.pairs), "pair")
    if touching:
        sections = [Section(f"{counted(len(touching), 'pair')} of {tested} in contact", ("", ""), touching)]
    else:
        nearest = [(*found.pairs[pair], f"{1e3 * distance:.3f} mm")]
        sections = [Section(f"No contact in {tested}", ("link", "link", ">distance"), nearest, "the nearest pair")]
    if samples:
        order = np.argsort(-shares, kind="stable")
        rows = [(*found.pairs[i], f"{100 * shares[i]:.3g} %") for i in order if shares[i] > 0]
        title = f"In contact in {samples} random configurations"
        sections.append(Section(title, ("link", "link", ">share"), rows or [("none", "", "")]))
    if found.left_out:
        sections.append(Section("Not tested", ("link", "link", "because"), [tuple(one) for one in found.left_out]))
    return sections
