"""Search for the verdict whether targets can be reached, which gives up early where that cannot change the answer."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kinetree.algorithms.inverse import COST, DESCENT, GOING, HEAD, STEPS, Problem, aim, inverse_step
from kinetree.algorithms.vectors import dot
from kinetree.model.tree import Tree
from kinetree.spatial.se3 import Array

PATIENCE = 8.0
"""Steps that every descent may take, for `reaching_step`."""
PROGRESS = 0.9
"""Share of the squared error before a step above which the step makes too little progress."""
NEAR = 3e-4
"""Squared error, m² and rad², below which a descent is as long as in a full search, and more of them may follow."""
OFTEN = 4
"""Descents for each one of the full search where one came near, which makes up for those that ended early."""


@dataclass(frozen=True, slots=True, eq=False)
class Shell:
    """Bounds, m, of the distance from a center (3,), fixed in the base, to a point (3,), fixed in the frame."""

    center: Array
    point: Array
    least: float
    most: float


def reaching_step(
    tree: Tree,
    problem: Problem,
    shells: Sequence[Shell | None],
    patience: float,
    state: Any,
    h: Any,
    center: Any,
    *targets: Any,
) -> Array:
    """Return the state (HEAD + 2 n + 1,) of `inverse_step` after a step; its last number is the squared error before.

    A target outside of its shell (see `Shell`) is given up at once. After `patience` steps a descent that is not near
    the target and whose error falls too slowly is at a local minimum, or nearly so, and ends: the next begins. More
    follow if the best came near.
    """
    most = float(problem.descents)
    problem = replace(problem, descents=OFTEN * problem.descents)
    n = len(problem.columns)
    here = aim(tree, problem, list(state[HEAD : HEAD + n]), targets)
    late = np.where(state[STEPS] >= patience, here.cost, 0.0)
    is_stuck = np.where(here.cost > NEAR, late, 0.0) > PROGRESS * state[-1]
    inner = list(state[:-1])
    inner[STEPS] = np.where(is_stuck, float(problem.steps), state[STEPS])
    after = list(inverse_step(tree, problem, np.array(inner), h, center, *targets))
    far = np.where(after[COST] > NEAR, after[DESCENT], 0.0)
    after[GOING] = np.where(np.where(after[GOING] > 0.0, far, 0.0) >= most, -1.0, after[GOING])
    for shell, target in zip(shells, targets, strict=True):
        if shell:
            after[GOING] = np.where(_outside(shell, target) > 0.0, -1.0, after[GOING])
    return np.array([*after, np.where(after[STEPS] > 0.0, here.cost, np.inf)])


def _outside(shell: Shell, target: Any) -> Any:
    """Return a number above 0 if a target, (4, 4) or (3,), is outside of the shell."""
    there = target[:3, :3] @ shell.point + target[:3, 3] if target.ndim == 2 else target
    way = [a - b for a, b in zip(there, shell.center, strict=True)]
    square = dot(way, way)
    return np.maximum(square - shell.most**2, shell.least**2 - square)
