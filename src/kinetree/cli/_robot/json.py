"""Output of `kinetree inspect --json`; docs/command-line.md describes it."""

from dataclasses import fields

import numpy as np

from kinetree.model.robot import Robot
from kinetree.queries import statics

SCHEMA = 1
"""Version, which increases when a field changes its meaning or is removed; new ones may come at any time."""


def robot_json(robot: Robot) -> dict[str, object]:
    """Return every field of the robot but its text, places and doubts, and values computed from it, in SI units."""
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
