"""All closed-form solutions of a pose, verified, without repetitions, the nearest first; and whether there is one.

Straight-line code over all eight candidates, so that one compiled call answers for a target. What rounding makes
doubtful is marked as such and left to a search.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from kinetree.algorithms.closed_form import SixAxes
from kinetree.algorithms.inverse import Problem
from kinetree.algorithms.kinematics import forward_kinematics
from kinetree.algorithms.nearest import EDGE, Form, closed_forms
from kinetree.algorithms.vectors import dot, largest, margin
from kinetree.model.limits import Limits
from kinetree.model.tree import Tree
from kinetree.spatial.numbers import EXACT
from kinetree.spatial.se3 import Array

APART = 1e-3
"""Difference of a joint, rad, above which two solutions count as different."""
DOUBTFUL = 1e-4
"""Relative distance out of reach, distance outside a range, rad, and sine of an angle between an axis and what turns
about it, up to which a search decides."""
SHORT = 1e-3
"""Length, m, below which axes count as meeting."""
FARTHER = 16.0
"""How much larger the change of an angle may be than that of the pose, in rad and in shortest lengths of the arm."""
NETWORK = (
    *((0, 2), (1, 3), (4, 6), (5, 7), (0, 4), (1, 5), (2, 6), (3, 7), (0, 1), (2, 3)),
    *((4, 5), (6, 7), (2, 4), (3, 5), (1, 4), (3, 6), (1, 2), (3, 4), (5, 6)),
)
"""Comparisons that sort eight numbers (Knuth, The Art of Computer Programming, volume 3, section 5.3.4)."""


def ordered_forms(
    tree: Tree, arm: SixAxes, limits: Limits, problem: Problem, q0: Any, h: Any, center: Any, target: Any
) -> Array:
    """Return the solutions (8, nq + 1) with their squared distances from q0 (nq,), the nearest first.

    Rows without a solution are NaN, with distance infinity. The first distance is -1 if a search must decide.
    """
    forms = closed_forms(arm, problem, [q0[j] for j in problem.columns], h, center, target)
    verified = [_verified(tree, problem, limits, form, q0, target) for form in forms]
    doubtful: Any = 0.0  # whether a form inside the limits does not lead to the target
    for form, distance in zip(forms, verified, strict=True):
        lost = np.where(distance < np.inf, 0.0, 1.0)
        doubtful = np.maximum(doubtful, np.where(form.distance < np.inf, lost, 0.0))
    is_found = largest([-d for d in verified]) > -np.inf
    doubtful = np.maximum(doubtful, np.where(is_found, 0.0, _doubt(arm, problem, forms)))
    rows = [[d, *form.q] for form, d in zip(forms, _once(forms, verified), strict=True)]
    for i, k in NETWORK:
        is_later = rows[k][0] < rows[i][0]
        rows[i], rows[k] = (
            [np.where(is_later, b, a) for a, b in zip(rows[i], rows[k], strict=True)],
            [np.where(is_later, a, b) for a, b in zip(rows[i], rows[k], strict=True)],
        )
    result = []
    for distance, *q in rows:
        whole = _placed(problem, q0, q)
        result.append([*(np.where(distance < np.inf, x, np.nan) for x in whole), distance])
    result[0][-1] = np.where(doubtful > 0.0, -1.0, result[0][-1])
    return np.array(result)


def has_form(
    tree: Tree, arm: SixAxes, limits: Limits, problem: Problem, q0: Any, h: Any, center: Any, target: Any
) -> Array:
    """Return 1 if a closed-form solution reaches the target inside the limits, 0 if none does, -1 if a search must
    decide."""
    forms = closed_forms(arm, problem, [q0[j] for j in problem.columns], h, center, target)
    verified = [_verified(tree, problem, limits, form, q0, target) for form in forms]
    is_found = largest([-d for d in verified]) > -np.inf
    return np.asarray(np.where(is_found, 1.0, -_doubt(arm, problem, forms)))


def _placed(problem: Problem, q0: Any, q: Sequence[Any]) -> list[Any]:
    """Return q0 (nq,) with the coordinates that move replaced."""
    whole = list(q0)
    for j, x in zip(problem.columns, q, strict=True):
        whole[j] = x
    return whole


def _verified(tree: Tree, problem: Problem, limits: Limits, form: Form, q0: Any, target: Any) -> Any:
    """Return the squared distance of a form, infinity unless its pose is the target and it is inside all limits."""
    goal, whole = problem.goals[0], _placed(problem, q0, form.q)
    (here,) = forward_kinematics(tree, np.array(whole), [goal.frame], goal.base)
    linear = _square(here[:3, 3] - target[:3, 3])
    # the squared chord of a turn is half the sum of the squared differences of the rotation matrices
    angular = 0.5 * _square(np.ravel(here[:3, :3] - target[:3, :3]))
    miss = np.maximum(linear / problem.tolerances[0] ** 2, angular / problem.tolerances[1] ** 2)
    if len(problem.G):
        slack = largest([-x for x in margin(whole, limits.lower, limits.upper, limits.G, limits.h)])
        miss = np.where(slack > 0.0, np.inf, miss)
    return np.where(miss <= 1.0, form.distance, np.inf)


def _doubt(arm: SixAxes, problem: Problem, forms: Sequence[Form]) -> Any:
    """Return 1 if rounding or other whole turns may turn a form that is no solution into one, else 0.

    Axes that deviate by x move angles by about sqrt(x) where two solutions become one, and by x / sine near axes. So do
    poses that are within the tolerances.
    """
    lengths = np.linalg.norm(np.diff(arm.a, axis=0), axis=1)
    spare = problem.tolerances[0] / float(lengths[lengths > SHORT].min(initial=1.0)) + problem.tolerances[1]
    beyond = DOUBTFUL + 100.0 * arm.deviation + FARTHER * spare
    edge = EDGE + DOUBTFUL + 30.0 * float(np.sqrt(arm.deviation))
    sine = (
        DOUBTFUL + 1e4 * arm.deviation + FARTHER * spare
    ) ** 2 + FARTHER * EXACT  # of a rotation that is off by EXACT
    doubt: Any = 0.0
    for form in forms:
        ratio = form.beyond / beyond
        if not len(problem.G):  # rows may allow other turns
            near = np.maximum(np.minimum(form.sine, -form.beyond), spare)  # squared sine of the least angle
            off = edge + FARTHER * spare / np.sqrt(near)
            ratio = np.maximum(ratio, form.off / off)
        ratio = np.minimum(ratio, form.sine / sine)
        doubt = np.maximum(doubt, np.where(ratio <= 1.0, 1.0, 0.0))
    return doubt


def _once(forms: Sequence[Form], distances: Sequence[Any]) -> list[Any]:
    """Return the squared distances with infinity for a form that repeats one as near or nearer, but for whole turns."""
    kept = list(distances)
    least = float(np.cos(APART))
    for i, k in combinations(range(len(forms)), 2):
        alike: Any = 1.0
        for a, b in zip(forms[i].turns, forms[k].turns, strict=True):
            alike = np.minimum(alike, a.cos * b.cos + a.sin * b.sin)
        later = np.where(distances[k] < distances[i], 0.0, 1.0)  # of the two k
        repeats = np.where(alike >= least, 1.0, 0.0)
        kept[k] = np.where(repeats * later > 0.0, np.inf, kept[k])
        kept[i] = np.where(repeats * (1.0 - later) > 0.0, np.inf, kept[i])
    return kept


def _square(v: Any) -> Any:
    return dot(v, v)
