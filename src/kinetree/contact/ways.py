"""What lies between two links: bodies, joints, and the ends of their ranges."""

from __future__ import annotations

from itertools import product

import numpy as np

from kinetree.model.robot import Joint, Robot
from kinetree.model.tree import Tree
from kinetree.queries.query import tree
from kinetree.spatial.se3 import Array

MOST_CORNERS = 12
"""Coordinates between two links up to which all combinations of their limits are tried."""


def corners(robot: Robot, a: str, b: str) -> Array:
    """Return the configurations (n, nq) with the joints between two links at their limits in every combination, or the
    neutral one alone where there are more than MOST_CORNERS coordinates. Joints without limits stay neutral."""
    model, q = tree(robot), robot.q()
    ways = [set(_way(model, model.frame(name)[0])) for name in (a, b)]
    columns = {i for body in ways[0] ^ ways[1] for i in range(robot.nq)[model.q_slice[body]]}
    limits = robot.limits
    some = [i for i in sorted(columns) if np.isfinite(limits.lower[i]) and np.isfinite(limits.upper[i])]
    if len(some) > MOST_CORNERS:
        return np.asarray(q[None])
    found = np.tile(q, (2 ** len(some), 1))
    found[:, some] = list(product(*((limits.lower[i], limits.upper[i]) for i in some)))
    return found


def _way(model: Tree, body: int) -> list[int]:
    """Return a body and those that carry it, without the base."""
    way = []
    while body >= 0:
        way.append(body)
        body = model.parent[body]
    return way


def between(robot: Robot, a: str, b: str) -> tuple[set[str], list[Joint]]:
    """Return the links on the way from one link to another, without both, and the joints on it that move."""
    one, other = ({joint.name for joint in robot.joints_to(name)} for name in (a, b))
    joints = [robot.joints[name] for name in one ^ other]
    links = {link for joint in joints for link in (joint.parent, joint.child)}
    return links - {a, b}, [joint for joint in joints if joint.kind.nv]
