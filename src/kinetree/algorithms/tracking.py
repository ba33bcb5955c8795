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
    ways = zip(before[:flat], new[:flat], list(strides)[:flat], strict=True)
    near = ((a - s, np.minimum(b, a + s)) for a, b, s in ways)
    new = [*(np.maximum(lowest, x) for lowest, x in near), *new[flat:]]
    there = aim(tree, problem, new, targets, weighted=True)
    share = largest([abs(x) / s for x, s in zip(way_between(problem, before, new), strides, strict=True)])
    is_whole = np.where(share < 1.0 - 1e-9, 1.0, 0.0)
    stuck = np.where(there.cost > (1.0 - HARDLY) * here.cost, is_whole, 0.0)
    return _report(problem, there, stuck, new)


def returning_step(tree: Tree, problem: Problem, q: Any, strides: Any, to: Any, *targets: Any) -> Array:
    """Return the report of a step straight towards a configuration (k,), and q after it (REPORT + k,), as
    `tracking_step` does; it is never stuck."""
    way = way_between(problem, list(q), list(to))
    longest = largest([abs(x) / s for x, s in zip(way, strides, strict=True)])
    share = np.where(longest > 1.0, 1.0 / longest, 1.0)
    flat, step = len(problem.lower), [share * x for x in way]
    # exactly there in the last step
    new = [np.where(longest > 1.0, a + x, b) for a, x, b in zip(q[:flat], step[:flat], to[:flat], strict=True)]
    new += integrated(problem.loose, list(q), step)
    return _report(problem, aim(tree, problem, new, targets, weighted=True), 0.0, new)


def way_between(problem: Problem, q: Sequence[Any], to: Sequence[Any]) -> list[Any]:
    """Return the velocity coordinates (n,) that take q (k,) to `to` (k,)."""
    flat = len(problem.lower)
    return [*(b - a for a, b in zip(q[:flat], to[:flat], strict=True)), *differences(problem.loose, q, to)]


def _report(problem: Problem, there: Aim, stuck: Any, new: list[Any]) -> Array:
    solved = is_solved(problem, there)
    reached, no_way = np.where(solved, 1.0, 0.0), np.where(solved, 0.0, stuck)
    return np.array([reached, no_way, there.linear, there.angular, *new])
