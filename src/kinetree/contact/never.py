"""Proofs that two links are never in contact: the ranges of the joints between them are halved until bounds show it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from kinetree.algorithms.kinematics import path_between
from kinetree.model.robot import Robot
from kinetree.model.tree import Tree
from kinetree.queries.query import tree
from kinetree.spatial.se3 import Array

MOST_JOINTS = 3
"""Coordinates between two links up to which a proof is tried."""
MOST_PARTS = 30_000
"""Parts of the ranges that are looked at for a proof at most."""
CLOSE = 1e-6
"""Distance up to which links may count as in contact, m."""
TURN = np.pi
"""End of the range of an angle without limits, rad, on both sides."""

MayBeNear = Callable[[Array, Array], NDArray[np.bool_]]
"""Whether two links may be at most some distances (n,) apart, m, in configurations (n, nq)."""


def parts_of_proof(
    robot: Robot, a: str, b: str, radius: Mapping[str, float], may_be_near: MayBeNear, most: int = MOST_PARTS
) -> int:
    """Return into how many parts a proof that two links are never in contact divides the ranges of the joints between
    them; 0 if there is none with at most so many. radius: how far the shapes of each reach from the origin of the
    link, m.

    In a part of the ranges whose middle is m and whose half widths are w, the distance is at least that at m less
    sum r w, where r is how fast the distance changes with a joint at most: 1 for one that slides, and for one that
    turns the largest distance of a point that it moves from its axis.
    """
    rates = _rates(robot, a, b, radius)
    columns = [] if rates is None else sorted(rates)
    low, high = (ends[columns] for ends in _ranges(robot))
    if rates is None or len(columns) > MOST_JOINTS or not np.isfinite([low, high]).all():
        return 0
    r, q0 = np.array([rates[i] for i in columns]), robot.q()
    middles, halves, looked = ((low + high) / 2)[None], ((high - low) / 2)[None], 0
    while len(middles) and looked + len(middles) <= most:
        looked += len(middles)
        q = np.tile(q0, (len(middles), 1))
        q[:, columns] = middles
        left = may_be_near(q, halves @ r + CLOSE)
        middles, halves = _halved(middles[left], halves[left], r)
    return 0 if len(middles) else looked


def _halved(middles: Array, halves: Array, r: Array) -> tuple[Array, Array]:
    """Return the two halves of each part, cut where the distance changes the most."""
    rows, widest = np.arange(len(middles)), (halves * r).argmax(axis=1)
    step = np.zeros_like(halves)
    step[rows, widest] = halves[rows, widest] / 2
    return np.concatenate([middles - step, middles + step]), np.concatenate([halves - step, halves - step])


def _ranges(robot: Robot) -> tuple[Array, Array]:
    """Return the ends of all ranges; an angle without limits has a whole turn."""
    angular = np.array([x for joint in robot.q_slices for x in robot.joints[joint].kind.angular], dtype=bool)
    low, high = robot.limits.lower, robot.limits.upper
    free = angular & ~(np.isfinite(low) & np.isfinite(high))
    return np.where(free, -TURN, low), np.where(free, TURN, high)


def _rates(robot: Robot, a: str, b: str, radius: Mapping[str, float]) -> dict[int, float] | None:
    """Return by coordinate how fast the distance of two links changes with it at most; None if a joint between them is
    neither revolute nor prismatic."""
    model, ends = tree(robot), _ranges(robot)
    up, down = path_between(model, model.frame(a)[0], model.frame(b)[0])
    way = [*up, *down]
    kinds = [model.joint_type[i] for i in way]
    if any(len(k.angular) != 1 or k.has_pitch or model.higher[i] for k, i in zip(kinds, way, strict=True)):
        return None
    # from the origin of a body by the place of its joint to the origin of its parent, on the way up, then down
    parts = [(_most(model, i, ends), float(np.linalg.norm(model.T_tree[i][:3, 3]))) for i in way]
    steps = [part if k < len(up) else part[::-1] for k, part in enumerate(parts)]
    far = [radius[name] + float(np.linalg.norm(model.frame(name)[1][:3, 3])) for name in (a, b)]
    rates: dict[int, float] = {}
    for k, i in enumerate(way):
        before, behind = (float(np.sum(some)) for some in (steps[:k], steps[k + 1 :]))
        reach = min(far[0] + before + steps[k][0], far[1] + behind + steps[k][1])
        column = model.q_slice[i].start
        rates[column] = rates.get(column, 0.0) + abs(model.multiplier[i]) * (reach if kinds[k].angular[0] else 1.0)
    return rates


def _most(model: Tree, i: int, ends: tuple[Array, Array]) -> float:
    """Return the largest distance of the origin of a body from the place of its joint in its parent."""
    own = float(np.linalg.norm(model.T_zero[i][:3, 3]))
    if model.joint_type[i].angular[0]:
        return own
    column = model.q_slice[i].start
    return own + float(np.abs(model.multiplier[i] * np.array([end[column] for end in ends]) + model.offset[i]).max())
