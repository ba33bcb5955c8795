"""Proofs that two links are never in contact: the ranges of the joints between them are halved until bounds show it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from kinetree.contact.travel import distance_rates
from kinetree.contact.ways import columns_between
from kinetree.model.robot import Robot
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
    sum r w, where r is how fast the distance changes with a joint at most (`distance_rates`).
    """
    ends = _ranges(robot)
    columns = sorted(columns_between(robot, a, b))
    low, high = (end[columns] for end in ends)
    if len(columns) > MOST_JOINTS or not np.isfinite([low, high]).all():
        return 0
    r, q0 = distance_rates(robot, (a, b), radius, ends)[columns], robot.q()
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
