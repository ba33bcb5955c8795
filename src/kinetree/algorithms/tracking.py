"""Steps of a control loop: towards targets, or towards a configuration, as fast as the joints may move."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from kinetree.algorithms.inverse import Aim, Problem, aim, damping_at, is_solved, stepped
from kinetree.algorithms.tangent import differences, integrated
from kinetree.algorithms.vectors import largest
from kinetree.model.tree import Tree
from kinetree.spatial.se3 import Array

SOLVED, STUCK, LINEAR, ANGULAR = range(4)
"""Indices in the report of a step: whether all goals are reached after it; whether they are not, and no speed limit
slows the step, which hardly reduces the errors; the largest squared errors of a goal after it, m² and rad². q follows.
"""
REPORT = 4
PARTS = (1.0, 0.25, 0.0625)
"""Parts of a step of which the first is taken that reduces the errors; if none does, there is no step."""
OF_A_PLACE = ("cost", "linear", "angular", "off")
"""Fields of `Aim` that need no Jacobian."""
HARDLY = 1e-3
"""Relative fall of the squared error below which a step is stuck."""


def tracking_step(tree: Tree, problem: Problem, q: Any, h: Any, strides: Any, *targets: Any) -> Array:
    """Return the report of a step towards the targets, and q after it (REPORT + k,).

    q (k,): before the step. No coordinate moves more than its stride (n,), rad or m.
    """
    before = list(q)
    here = aim(tree, problem, before, targets, weighted=True)
    new = stepped(problem, before, here, damping_at(problem, here.cost), h, list(strides))
    flat = len(problem.lower)
    near = [np.maximum(a - s, np.minimum(b, a + s)) for a, b, s in zip(before, new, list(strides), strict=False)]
    way = way_between(problem, before, [*near[:flat], *new[flat:]])
    share = largest([abs(x) / s for x, s in zip(way, strides, strict=True)])
    slowed: Any = 0.0
    there, after = here, before
    for part in reversed(PARTS):  # the longest that reduces the errors
        short = between(problem, before, [part * x for x in way])
        ahead = aim(tree, problem, short, targets, weighted=True)
        falls = ahead.cost < here.cost
        after = [np.where(falls, x, y) for x, y in zip(short, after, strict=True)]
        there = here._replace(**{one: np.where(falls, getattr(ahead, one), getattr(there, one)) for one in OF_A_PLACE})
        slowed = np.where(falls, np.where(share * part < 1.0 - 1e-9, 0.0, 1.0), slowed)
    stuck = np.where(there.cost > (1.0 - HARDLY) * here.cost, 1.0 - slowed, 0.0)
    return _report(problem, there, stuck, after)


def returning_step(tree: Tree, problem: Problem, q: Any, strides: Any, to: Any, *targets: Any) -> Array:
    """Return the report of a step straight towards a configuration (k,), and q after it (REPORT + k,), as
    `tracking_step` does; it is never stuck, and closed loops do not count."""
    way = way_between(problem, list(q), list(to))
    longest = largest([abs(x) / s for x, s in zip(way, strides, strict=True)])
    share = np.where(longest > 1.0, 1.0 / longest, 1.0)
    new = between(problem, list(q), [share * x for x in way])
    for j in range(len(problem.lower)):
        new[j] = np.where(longest > 1.0, new[j], to[j])  # exactly there in the last step
    return _report(problem, aim(tree, problem, new, targets, weighted=True, closing=False), 0.0, new)


def between(problem: Problem, q: Sequence[Any], step: Sequence[Any]) -> list[Any]:
    """Return q ⊕ step (k,), on the way to a configuration."""
    flat = len(problem.lower)
    return [*(a + x for a, x in zip(q[:flat], step[:flat], strict=True)), *integrated(problem.loose, list(q), step)]


def way_between(problem: Problem, q: Sequence[Any], to: Sequence[Any]) -> list[Any]:
    """Return the velocity coordinates (n,) that take q (k,) to `to` (k,)."""
    flat = len(problem.lower)
    return [*(b - a for a, b in zip(q[:flat], to[:flat], strict=True)), *differences(problem.loose, q, to)]


def _report(problem: Problem, there: Aim, stuck: Any, new: list[Any]) -> Array:
    solved = is_solved(problem, there)
    reached, no_way = np.where(solved, 1.0, 0.0), np.where(solved, 0.0, stuck)
    return np.array([reached, no_way, there.linear, there.angular, *new])
