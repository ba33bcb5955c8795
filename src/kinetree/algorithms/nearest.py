"""Of the solutions in closed form the one inside all limits that is nearest to where a search would begin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kinetree.algorithms.closed_form import SixAxes, candidates
from kinetree.algorithms.inverse import HEAD, Reach, wound
from kinetree.spatial.se3 import Array

BEYOND = 1e-6
"""How far, relatively, a target may be out of the reach of a closed form that is nearly the arm's: steps decide."""
EDGE = 1e-9
"""How far a solution may be beyond the end of a range, to which it is brought back, rad."""
ASIDE = 1e-8
"""How much of the way to the middle a solution may be moved to be inside the rows."""


def nearest_start(arm: SixAxes, job: Reach, state: Any, h: Any, center: Any, target: Any) -> Array:
    """The state (HEAD + 12,) whose q is the nearest solution, where there is one. h (m,): bounds of the rows. center
    (6,): well inside of them."""
    chosen = near = list(state[HEAD : HEAD + 6])
    least: Any = np.inf
    for q, distance in closed_forms(arm, job, near, h, center, target):
        is_nearer = distance < least
        chosen = [np.where(is_nearer, a, b) for a, b in zip(q, chosen, strict=True)]
        least = np.where(is_nearer, distance, least)
    return np.array([*state[:HEAD], *chosen, *state[HEAD + 6 :]])


def closed_forms(
    arm: SixAxes, job: Reach, near: Sequence[Any], h: Any, center: Any, target: Any
) -> list[tuple[list[Any], Any]]:
    """Of every solution q (6,), as near as whole turns bring it, and the square of its distance, or infinity where it
    is none inside the limits."""
    found = []
    for turns, beyond in candidates(arm, target, [near[j] for j in arm.order]):
        angles = [np.arctan2(turn.sin, turn.cos) for turn in turns]
        q, off = _brought_near(arm, job, angles, near)
        if len(job.G):
            share = _beyond_rows(job, q, h, center)
            # where rows forbid the nearest turns, those in their middle
            other, other_off = _brought_near(arm, job, angles, center)
            q = [np.where(share <= ASIDE, x, y) for x, y in zip(q, other, strict=True)]
            off = np.where(share <= ASIDE, off, other_off)
            share = _beyond_rows(job, q, h, center)
            q = [x + share * (c - x) for x, c in zip(q, center, strict=True)]
            off = np.maximum(off, np.where(share <= ASIDE, 0.0, np.inf))
        distance = sum((x - y) * (x - y) for x, y in zip(q, near, strict=True))
        found.append((q, np.where(np.maximum(off, np.where(beyond <= BEYOND, 0.0, np.inf)) <= EDGE, distance, np.inf)))
    return found


def _brought_near(arm: SixAxes, job: Reach, angles: Sequence[Any], near: Any) -> tuple[list[Any], Any]:
    """Angles in the order of the way as q (6,), as near as whole turns bring them, at most at the ends of their ranges;
    and how far beyond the ends the farthest of them is."""
    q: list[Any] = [0.0] * 6
    off: Any = 0.0
    for j, angle in zip(arm.order, angles, strict=True):
        lower, upper = float(job.lower[j]), float(job.upper[j])
        x = wound(angle, near[j], lower - EDGE, upper + EDGE)
        q[j] = np.minimum(np.maximum(x, lower), upper)
        off = np.maximum(off, abs(x - q[j]))
    return q, off


def _beyond_rows(job: Reach, q: Sequence[Any], h: Any, center: Any) -> Any:
    """The share of the way to the center (6,) after which q (6,) is inside all rows; 1 where the center is not."""
    share: Any = 0.0
    for row, bound, skin in zip(job.G, h, job.skin, strict=True):
        used = np.flatnonzero(row).tolist()
        excess = sum(float(row[j]) * q[j] for j in used) - (bound - 2.0 * skin)
        room = (bound - 2.0 * skin) - sum(float(row[j]) * center[j] for j in used)
        is_out = excess > 0.0
        has_room = np.where(is_out, room, 1.0) > 0.0
        needed = excess / np.where(is_out, np.where(has_room, excess + room, 1.0), 1.0)
        share = np.maximum(share, np.where(is_out, np.where(has_room, needed, 1.0), 0.0))
    return share


def all_forms(arm: SixAxes, job: Reach, near: Any, h: Any, center: Any, target: Any) -> Array:
    """The rows (8, 7) of `closed_forms`, each with its distance."""
    return np.array([[*q, distance] for q, distance in closed_forms(arm, job, near, h, center, target)])
