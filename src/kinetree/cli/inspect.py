"""`kinetree inspect`: the contents of a robot description."""

from dataclasses import fields

import click
import numpy as np

from kinetree.cli._model import json_option, robot_argument
from kinetree.model.robot import Robot


@click.command()
@robot_argument
@click.option("--all", "everything", is_flag=True, help="Every link, frame, sensor and note, however many.")
@json_option
def command(robot: Robot, everything: bool, as_json: bool) -> None:
    """Print the contents of MODEL: its tree, joints, frames, sensors, masses, and notes on what was read."""
    if as_json:
        from kinetree.cli._json import print_json

        print_json(robot_json(robot))
    else:
        from kinetree.cli._page import print_page
        from kinetree.cli._robot.page import robot_page

        print_page(robot_page(robot, everything=everything))


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
