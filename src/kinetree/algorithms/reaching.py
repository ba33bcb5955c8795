"""Search for the verdict whether a target can be reached; it leaves a descent that no longer gets nearer."""

from typing import Any

import numpy as np

from kinetree.algorithms.inverse import COST, STEPS, Problem, aim, inverse_step
from kinetree.model.tree import Tree
from kinetree.spatial.se3 import Array

PATIENCE = 4.0
"""Steps that every descent may take."""
PROGRESS = 0.7
"""Share of the squared error before a step above which the step makes too little progress."""


def reaching_step(tree: Tree, problem: Problem, state: Any, h: Any, center: Any, *targets: Any) -> Array:
    """Return the state (HEAD + 2 n + 1,) of `inverse_step` after a step; its last number is the squared error before.

    A descent whose error falls too slowly is at a local minimum, or nearly so, and ends: the next begins.
    """
    n = len(problem.columns)
    q, before = list(state[COST + 3 : COST + 3 + n]), state[-1]
    here = aim(tree, problem, q, targets)
    is_slow = np.where(state[STEPS] >= PATIENCE, here.cost, 0.0) > PROGRESS * before
    inner = list(state[:-1])
    inner[STEPS] = np.where(is_slow, float(problem.steps), state[STEPS])
    after = inverse_step(tree, problem, np.array(inner), h, center, *targets)
    return np.array([*after, np.where(after[STEPS] > 0.0, here.cost, np.inf)])
