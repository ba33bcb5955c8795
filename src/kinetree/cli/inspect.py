"""`kinetree inspect`: the contents of a robot description."""

from dataclasses import fields

import click
import numpy as np

from kinetree.cli._model import json_option, robot_argument
from kinetree.model.robot import Robot


@click.command()
@robot_argument
@click.option("--all", "everything", is_flag=True, help="Every link, frame, sensor and note, however many.")
@click.option("--joint-table", is_flag=True, help="Type, axis in the root's axes at zero, range and links of joints.")
@json_option
def command(robot: Robot, everything: bool, joint_table: bool, as_json: bool) -> None:
    """Print the contents of MODEL: its tree, joints, frames, sensors, masses, and notes on what was read."""
    if as_json:
        from kinetree.cli._json import print_json

        print_json(joint_table_json(robot) if joint_table else robot_json(robot))
    else:
        from kinetree.cli._page import print_page
        from kinetree.cli._robot.page import joint_table_page, robot_page

        page = joint_table_page if joint_table else robot_page
        print_page(page(robot, everything=everything))


SCHEMA = 1
"""Version, which increases when a field changes its meaning or is removed; new ones may come at any time."""


def robot_json(robot: Robot) -> dict[str, object]:
    """Return every field of the robot but its text, places and doubts, and values computed from it, in SI units.

    docs/command-line.md describes them.
    """
    from kinetree.queries import statics

    inner = ("text", "places", "doubts")
    described = {field.name: getattr(robot, field.name) for field in fields(robot) if field.name not in inner}
    q_slices = robot.q_slices
    mass = statics.mass(robot)
    return {
        "schema": SCHEMA,
        "format": robot.text.format if robot.text else None,
        **described,
        "nq": robot.nq,
        "nv": robot.nv,
        "coordinate_names": robot.coordinate_names,
        "q_slices": {name: [where.start, where.stop] for name, where in q_slices.items()},
        "neutral": robot.q(),
        "mass": mass,
        "center_of_mass": statics.center_of_mass(robot, robot.q()) if mass > 0 and np.isfinite(mass) else None,
    }


def joint_table_json(robot: Robot) -> dict[str, object]:
    """Return the rows of `joint_table`, of all joints; docs/command-line.md describes them."""
    from kinetree.queries.joint_table import joint_table

    rows = [row._asdict() for row in joint_table(robot)]
    return {"schema": SCHEMA, "robot": robot.name, "root": robot.root, "joints": rows}
