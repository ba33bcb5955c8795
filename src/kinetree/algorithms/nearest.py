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
        distance: Any = np.where(beyond <= BEYOND, 0.0, np.inf)
        q = list(near)
        for j, turn in zip(arm.order, turns, strict=True):
            lower, upper = float(job.lower[j]), float(job.upper[j])
            x = wound(np.arctan2(turn.sin, turn.cos), near[j], lower - EDGE, upper + EDGE)
            q[j] = np.minimum(np.maximum(x, lower), upper)
            distance = distance + np.where(abs(x - q[j]) <= EDGE, (x - near[j]) * (x - near[j]), np.inf)
        if len(job.G):
            share = _beyond_rows(job, q, h, center)
            distance = np.where(share <= ASIDE, distance, np.inf)
            q = [x + share * (c - x) for x, c in zip(q, center, strict=True)]
        found.append((q, distance))
    return found


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
