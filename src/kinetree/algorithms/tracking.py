"""Steps beside the search of `inverse`: to the closest point, to a posture, and of a control loop along targets."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from kinetree.algorithms.inverse import (
    COST,
    DESCENT,
    HEAD,
    STEPS,
    STILL,
    TOTAL,
    Aim,
    Problem,
    aim,
    damping_at,
    is_solved,
    stepped,
)
from kinetree.algorithms.tangent import differences, integrated
from kinetree.algorithms.vectors import largest, squared
from kinetree.model.tree import Tree
from kinetree.spatial.se3 import Array

FIRST_DAMPING = 1e-2
"""Damping of the first step of `closest_step`."""
ROUNDS = 1
"""Number of times that `closest_step` looks for ends of ranges and rows that its step would cross."""


def closest_step(tree: Tree, problem: Problem, state: Any, h: Any, *targets: Any) -> Array:
    """Return the state (HEAD + 2 k,) after a step that reduces the cost, for a target that is out of reach.

    Levenberg's method: the damping falls after a step that helps and rises after one that does not (Nocedal & Wright,
    Numerical Optimization, section 10.3). Indices are those of `inverse_step`, but DESCENT is damping, and q is on
    trial.
    """
    n = len(problem.columns)
    trial, q = list(state[HEAD : HEAD + n]), list(state[HEAD + n :])
    there = aim(tree, problem, trial, targets, exact=True, weighted=True)
    better = there.cost < state[COST]
    best = [np.where(better, a, b) for a, b in zip(trial, q, strict=True)]
    here = aim(tree, problem, best, targets, exact=True, weighted=True)
    damping = np.where(better, state[DESCENT] / 4.0, state[DESCENT] * 6.0)
    damping = np.maximum(damping, 1e-9)
    new = stepped(problem, best, here, damping, h, rounds=ROUNDS)
    moved = squared(new, best)
    # a step that a row stops may get another direction with more damping
    still = np.where(damping > 1e4, moved, 1.0) < STILL
    ended = np.where(still, float(problem.steps), state[STEPS] + 1.0) >= problem.steps
    going = np.where(is_solved(problem, here), 0.0, np.where(ended, -1.0, 1.0))
    chords = aim(tree, problem, best, targets)[3:]
    return np.array([going, state[TOTAL] + 1.0, damping, state[STEPS] + 1.0, here.cost, *chords, *new, *best])


def settled_step(tree: Tree, problem: Problem, state: Any, h: Any, posture: Any, *targets: Any) -> Array:
    """Return the state (HEAD + 2 k,) after a step from a solution towards a posture (k,) that keeps the targets.
    Indices are those of `inverse_step`; the best q is the last solution."""
    n = len(problem.columns)
    q, q_best = list(state[HEAD : HEAD + n]), state[HEAD + n :]
    here = aim(tree, problem, q, targets)
    solved = is_solved(problem, here)
    best = [np.where(solved, a, b) for a, b in zip(q, q_best, strict=True)]
    flat = len(problem.lower)
    way = [a - b for a, b in zip(list(posture)[:flat], q[:flat], strict=True)]
    wish = [0.5 * x for x in (*way, *differences(problem.loose, q, posture))]
    new = stepped(problem, q, here, 0.0, h, wish=wish)
    moved = squared(new, q)
    ended = np.where(moved < 1e-16, float(problem.steps), state[STEPS] + 1.0) >= problem.steps
    errors = [np.where(solved, a, b) for a, b in zip(here[2:], state[COST:HEAD], strict=True)]
    return np.array([np.where(ended, 0.0, 1.0), state[TOTAL] + 1.0, 0.0, state[STEPS] + 1.0, *errors, *new, *best])


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
