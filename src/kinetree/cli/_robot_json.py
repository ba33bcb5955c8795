"""A robot as JSON: what `kinetree inspect --json` prints."""

from dataclasses import fields

import numpy as np

from kinetree.model.robot import Robot

SCHEMA = 1
"""Version, which increases when a field changes its meaning or is removed; new ones may come at any time."""


def robot_json(robot: Robot) -> dict[str, object]:
    """Return every field of the robot but its text, places and doubts, and values computed from it, in SI units.

    docs/reference/command-line.md describes them.
    """
    from kinetree.algorithms.dynamics.momentum import center_of_mass
    from kinetree.queries import momentum
    from kinetree.queries.query import tree
    from kinetree.rules.facts import kinds_of

    inner = ("text", "places", "doubts")
    described = {field.name: getattr(robot, field.name) for field in fields(robot) if field.name not in inner}
    q_slices = robot.q_slices
    mass = momentum.mass(robot)
    return {
        "schema": SCHEMA,
        "format": robot.text.format if robot.text else None,
        **described,
        "nq": robot.nq,
        "nv": robot.nv,
        "coordinate_names": robot.coordinate_names,
        "q_slices": {name: [where.start, where.stop] for name, where in q_slices.items()},
        "neutral": robot.q(),
        "zero": robot.zero,
        "kinds": kinds_of(robot),
        "mass": mass,
        "center_of_mass": center_of_mass(tree(robot), robot.zero) if mass > 0 and np.isfinite(mass) else None,
    }


def joint_table_json(robot: Robot) -> dict[str, object]:
    """Return the rows of `joint_table`, of all joints; docs/reference/command-line.md describes them."""
    from kinetree.queries.joint_table import joint_table

    rows = [row._asdict() for row in joint_table(robot)]
    return {"schema": SCHEMA, "robot": robot.name, "root": robot.root, "joints": rows}
