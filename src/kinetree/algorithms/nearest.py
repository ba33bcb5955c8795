"""Choice among closed-form solutions: the one inside all limits that is nearest to the start of a search."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from kinetree.algorithms.closed_form import SixAxes, Turn, candidates
from kinetree.algorithms.inverse import HEAD, Problem, wound
from kinetree.spatial.se3 import Array

BEYOND = 1e-6
"""Largest relative distance out of reach for a closed form that is nearly the arm's; iteration decides the rest."""
EDGE = 1e-9
"""Largest distance, rad, beyond the end of a range from which a solution is brought back."""
ASIDE = 1e-8
"""Largest share of the way to the middle by which a solution may be moved to be inside the rows."""


class Form(NamedTuple):
    """A closed-form solution q (6,), inside the ranges and rows as far as that is a small change.

    turns (6,): from base to frame. away: squared distance from the start. off: how far it was outside the ranges, rad.
    share: of the way to the center by which it was outside the rows. beyond: how far, relatively, the target is out of
    reach. sine: see `Candidate`.
    """

    q: list[Any]
    turns: tuple[Turn, ...]
    away: Any
    off: Any
    share: Any
    beyond: Any
    sine: Any

    @property
    def distance(self) -> Any:
        """Squared distance from the start; infinity for a solution out of reach or outside the limits."""
        within = np.maximum(np.where(self.beyond <= BEYOND, 0.0, np.inf), np.where(self.share <= ASIDE, 0.0, np.inf))
        off = np.maximum(self.off, within)
        return np.where(off <= EDGE, self.away, np.inf)


def nearest_start(arm: SixAxes, problem: Problem, state: Any, h: Any, center: Any, target: Any) -> Array:
    """Return the state (HEAD + 12,) with q replaced by the nearest solution, if there is one.

    h (m,): bounds of the rows. center (6,): a point well inside them.
    """
    chosen = near = list(state[HEAD : HEAD + 6])
    least: Any = np.inf
    for form in closed_forms(arm, problem, near, h, center, target):
        is_nearer = form.distance < least
        chosen = [np.where(is_nearer, a, b) for a, b in zip(form.q, chosen, strict=True)]
        least = np.where(is_nearer, form.distance, least)
    return np.array([*state[:HEAD], *chosen, *state[HEAD + 6 :]])


def closed_forms(arm: SixAxes, problem: Problem, near: Sequence[Any], h: Any, center: Any, target: Any) -> list[Form]:
    """Return the closed-form solutions, each brought as near as whole turns allow."""
    found = []
    for turns, beyond, sine in candidates(arm, target, [near[j] for j in arm.order]):
        angles = [np.arctan2(turn.sin, turn.cos) for turn in turns]
        q, off = _brought_near(arm, problem, angles, near)
        share: Any = 0.0
        if len(problem.G):
            share = _beyond_rows(problem, q, h, center)
            # if the rows forbid the nearest turns, use those nearest to the center
            other, other_off = _brought_near(arm, problem, angles, center)
            q = [np.where(share <= ASIDE, x, y) for x, y in zip(q, other, strict=True)]
            off = np.where(share <= ASIDE, off, other_off)
            share = _beyond_rows(problem, q, h, center)
            q = [x + share * (c - x) for x, c in zip(q, center, strict=True)]
        away = sum((x - y) * (x - y) for x, y in zip(q, near, strict=True))
        found.append(Form(q, turns, away, off, share, beyond, sine))
    return found


def _brought_near(arm: SixAxes, problem: Problem, angles: Sequence[Any], near: Any) -> tuple[list[Any], Any]:
    """Return the angles as the nearest q (6,) inside the ranges by whole turns, and how far beyond they were."""
    q: list[Any] = [0.0] * 6
    off: Any = 0.0
    for j, angle in zip(arm.order, angles, strict=True):
        lower, upper = float(problem.lower[j]), float(problem.upper[j])
        x = wound(angle, near[j], lower - EDGE, upper + EDGE)
        q[j] = np.minimum(np.maximum(x, lower), upper)
        off = np.maximum(off, abs(x - q[j]))
    return q, off


def _beyond_rows(problem: Problem, q: Sequence[Any], h: Any, center: Any) -> Any:
    """Return the share of the way to the center (6,) after which q (6,) is inside all rows; 1 if the center is not."""
    share: Any = 0.0
    for row, bound, skin in zip(problem.G, h, problem.skin, strict=True):
        used = np.flatnonzero(row).tolist()
        excess = sum(float(row[j]) * q[j] for j in used) - (bound - 2.0 * skin)
        room = (bound - 2.0 * skin) - sum(float(row[j]) * center[j] for j in used)
        is_out = excess > 0.0
        has_room = np.where(is_out, room, 1.0) > 0.0
        needed = excess / np.where(is_out, np.where(has_room, excess + room, 1.0), 1.0)
        share = np.maximum(share, np.where(is_out, np.where(has_room, needed, 1.0), 0.0))
    return share


def all_forms(arm: SixAxes, problem: Problem, near: Any, h: Any, center: Any, target: Any) -> Array:
    """Return the rows (8, 7) of `closed_forms`, each with its distance."""
    return np.array([[*form.q, form.distance] for form in closed_forms(arm, problem, near, h, center, target)])
