"""What lies between two links: bodies, joints, and the ends of their ranges."""

from __future__ import annotations

from itertools import product

import numpy as np

from kinetree.model.robot import Robot
from kinetree.model.tree import Tree
from kinetree.queries.query import tree
from kinetree.spatial.se3 import Array

MOST_CORNERS = 12
"""Coordinates between two links up to which all combinations of their limits are tried."""


def corners(robot: Robot, a: str, b: str) -> Array:
    """Return the configurations (n, nq) with the joints between two links at their limits in every combination, or the
    neutral one alone where there are more than MOST_CORNERS coordinates. Joints without limits stay neutral."""
    q, limits = robot.q(), robot.limits
    some = [
        i for i in sorted(columns_between(robot, a, b)) if np.isfinite(limits.lower[i]) and np.isfinite(limits.upper[i])
    ]
    if len(some) > MOST_CORNERS:
        return np.asarray(q[None])
    found = np.tile(q, (2 ** len(some), 1))
    found[:, some] = list(product(*((limits.lower[i], limits.upper[i]) for i in some)))
    return found


def columns_between(robot: Robot, a: str, b: str) -> set[int]:
    """Return the coordinates of q that move two links against each other."""
    model = tree(robot)
    joints = between(model, *(model.frame(name)[0] for name in (a, b)))[1]
    return {i for body in joints for i in range(robot.nq)[model.q_slice[body]]}


def _way(model: Tree, body: int) -> list[int]:
    """Return a body and those that carry it, without the base."""
    way = []
    while body >= 0:
        way.append(body)
        body = model.parent[body]
    return way


def between(model: Tree, a: int, b: int) -> tuple[set[int], set[int]]:
    """Return the bodies on the way from one to another, without both, and those whose joints are on it."""
    one, other = (_way(model, body) for body in (a, b))
    meeting = next((body for body in one if body in other), -1)
    joints = {*one} ^ {*other}
    return (joints | {meeting}) - {a, b}, joints
