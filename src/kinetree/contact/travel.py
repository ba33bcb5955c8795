"""How fast the distance of two links changes at most when joints move."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from kinetree.algorithms.kinematics import path_between
from kinetree.contact.pairs import Pair
from kinetree.model.robot import Robot
from kinetree.model.tree import Tree
from kinetree.queries.query import tree
from kinetree.spatial.se3 import Array


def distance_rates(robot: Robot, pair: Pair, radius: Mapping[str, float], ends: tuple[Array, Array]) -> Array:
    """Return how fast the distance of two links changes with each coordinate of q at most (nq,), m/rad and 1.

    That is 1 for a joint that slides, and for one that turns the largest distance of a point that it moves from its
    axis. The first number of a quaternion stands for the angle of its rotation, rad; its others have 0. radius: how far
    the shapes of each link reach from its origin, m. ends: the least and the largest coordinates (nq,), of which those
    that are lengths count.
    """
    model, rates = tree(robot), np.zeros(robot.nq)
    up, down = path_between(model, model.frame(pair[0])[0], model.frame(pair[1])[0])
    way = [*up, *down]
    # from the origin of a body by the place of its joint to the origin of its parent, on the way up, then down
    shifts = [_largest_shift(model, i, ends) for i in way]
    places = [float(np.linalg.norm(model.T_tree[i][:3, 3]) + np.linalg.norm(model.T_zero[i][:3, 3])) for i in way]
    parts = [*zip(shifts, places, strict=True)]
    steps = [part if k < len(up) else part[::-1] for k, part in enumerate(parts)]
    far = [radius[name] + float(np.linalg.norm(model.frame(name)[1][:3, 3])) for name in pair]
    for k, i in enumerate(way):
        before, behind = (float(np.sum(some)) for some in (steps[:k], steps[k + 1 :]))
        kind, size = model.joint_type[i], _largest_rate(model, i, ends)
        reach = min(far[0] + before + steps[k][0], far[1] + behind + steps[k][1]) + shifts[k] * (kind.nq > 1)
        own = np.where(kind.angular, reach + abs(model.pitch[i]) * kind.has_pitch, 1.0)
        if kind.quaternion:
            own[kind.quaternion] = [reach, 0.0, 0.0, 0.0]
        rates[model.q_slice[i]] += size * own
    return rates


def travels(robot: Robot, q: Array, other: Array) -> Array:
    """Return by how much each coordinate differs between configurations (n, nq), rad and m; in place of a quaternion
    the angle between the two rotations, then zeros."""
    found: Array = np.abs(other - q)
    for start in robot.limits.quaternions:
        a, b = (x[:, start : start + 4] for x in (q, other))
        a, b = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in (a, b))
        chord = np.minimum(np.linalg.norm(a - b, axis=1), np.linalg.norm(a + b, axis=1))
        found[:, start : start + 4] = 0.0
        found[:, start] = 4.0 * np.arcsin(np.minimum(chord / 2.0, 1.0))
    return np.asarray(found)


def _largest_rate(model: Tree, i: int, ends: tuple[Array, Array]) -> float:
    """Return how fast the coordinates of a joint change with those in q at most."""
    if not model.higher[i]:
        return abs(model.multiplier[i])
    x = float(np.abs([end[model.q_slice[i]] for end in ends]).max())
    return abs(model.multiplier[i]) + sum(k * abs(c) * x ** (k - 1) for k, c in enumerate(model.higher[i], 2))


def _largest_shift(model: Tree, i: int, ends: tuple[Array, Array]) -> float:
    """Return how far a joint shifts its child at most, m."""
    kind = model.joint_type[i]
    lengths = ~np.array(kind.angular, dtype=bool)
    lengths[kind.quaternion or slice(0)] = False
    x = np.abs([end[model.q_slice[i]] for end in ends]).max(axis=0, initial=0.0)
    most = sum(abs(c) * x**k for k, c in enumerate((model.offset[i], model.multiplier[i], *model.higher[i])))
    if kind.has_pitch:
        return abs(model.pitch[i]) * float(most[0])
    return float(np.linalg.norm(most[lengths]))
