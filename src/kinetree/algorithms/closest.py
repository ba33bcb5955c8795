"""Steps from where the search of `inverse` ends: to the closest point, and from a solution to a posture."""

from typing import Any

import numpy as np

from kinetree.algorithms.inverse import COST, DESCENT, HEAD, STEPS, STILL, TOTAL, Problem, aim, is_solved, stepped
from kinetree.algorithms.near import opened
from kinetree.algorithms.tangent import differences
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
    problem, h = opened(problem, h)
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
    chords = aim(tree, problem, best, targets)[3:5]
    return np.array([going, state[TOTAL] + 1.0, damping, state[STEPS] + 1.0, here.cost, *chords, *new, *best])


def settled_step(tree: Tree, problem: Problem, state: Any, h: Any, posture: Any, *targets: Any) -> Array:
    """Return the state (HEAD + 2 k,) after a step from a solution towards a posture (k,) that keeps the targets.
    Indices are those of `inverse_step`; the best q is the last solution."""
    (problem, h), is_near = opened(problem, h), problem.is_near
    n = len(problem.columns)
    q, q_best = list(state[HEAD : HEAD + n]), state[HEAD + n :]
    here = aim(tree, problem, q, targets)
    solved = is_solved(problem, here)
    best = [np.where(solved, a, b) for a, b in zip(q, q_best, strict=True)]
    flat = len(problem.lower)
    way = [a - b for a, b in zip(list(posture)[:flat], q[:flat], strict=True)]
    share: Any = 0.5
    if is_near:  # steps far beyond the ranges would end where they cut them off
        room = [(b - a) / 4.0 for a, b in zip(problem.lower, problem.upper, strict=True)]
        share = 0.5 / largest([1.0, *(abs(x) / r for x, r in zip(way, room, strict=True))])
    wish = [share * x for x in (*way, *differences(problem.loose, q, posture))]
    new = stepped(problem, q, here, 0.0, h, wish=wish)
    moved = squared(new, q)
    ended = np.where(moved < 1e-16, float(problem.steps), state[STEPS] + 1.0) >= problem.steps
    errors = [np.where(solved, a, b) for a, b in zip(here[2:5], state[COST:HEAD], strict=True)]
    return np.array([np.where(ended, 0.0, 1.0), state[TOTAL] + 1.0, 0.0, state[STEPS] + 1.0, *errors, *new, *best])
