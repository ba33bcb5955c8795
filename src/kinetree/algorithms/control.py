"""Steps of a control loop from a whole configuration, which also report whether their input needed no preparation."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from kinetree.algorithms.goals import fault_of
from kinetree.algorithms.inverse import Problem
from kinetree.algorithms.tracking import ANGULAR, LINEAR, REPORT, SOLVED, STUCK
from kinetree.algorithms.vectors import dot, largest, margin
from kinetree.model.limits import Limits
from kinetree.model.tree import Tree
from kinetree.spatial.numbers import SURELY
from kinetree.spatial.se3 import Array

PLAIN, SUCCESS, NO_WAY, DISTANCE, ANGLE = range(5)
"""Indices in the report of a step: whether the configurations are inside the limits and the targets rigid; whether all
goals are reached after it, and whether it is stuck, as in `tracking`; the largest distances, m and rad. q follows."""
HEAD = 5
USUAL = 1e6
"""Largest squared length of a quaternion, and inverse of the smallest one, that needs no preparation."""


class CoupledRows(NamedTuple):
    """Limits over several coordinates, bounds - others q: others (m, nq) has zeros for the coordinates that move."""

    bounds: Array
    others: Array

    def at(self, q: Any) -> list[Any]:
        """Return the bounds (m,) of the coordinates that move for the others in q (nq,)."""
        rows = zip(self.bounds, self.others, strict=True)
        return [bound - sum(float(row[j]) * q[j] for j in np.flatnonzero(row)) for bound, row in rows]


def entered(problem: Problem, limits: Limits, q: Any) -> tuple[Any, list[Any]]:
    """Return 1 if q (nq,) is finite, inside the limits, and has quaternions of usual length, else -1; and those of its
    coordinates that move (k,), with quaternions of length 1."""
    slack: Any = 0.0
    for x in margin(q, limits.lower, limits.upper, limits.G, limits.h):
        slack = np.minimum(slack, x)
    is_finite = largest([abs(x) for x in q]) < np.inf
    good = np.where(is_finite, np.where(slack >= 0.0, 1.0, -1.0), -1.0)
    own = [q[j] for j in problem.columns]
    moving = [[int(j) for j in problem.columns[joint.quaternion]] for joint in problem.loose]
    for where in [*moving, *(list(range(start, start + 4)) for start in limits.quaternions)]:
        square = dot(q[where], q[where])
        good = np.where(square > 1.0 / USUAL, np.where(square < USUAL, good, -1.0), -1.0)
    for joint, where in zip(problem.loose, moving, strict=True):
        scale = 1.0 / np.sqrt(np.where(good > 0.0, dot(q[where], q[where]), 1.0))
        own[joint.quaternion] = [scale * q[j] for j in where]
    return good, own


def controlled(
    step: Callable[..., Array],
    tree: Tree,
    limits: Limits,
    rows: CoupledRows | None,
    problem: Problem,
    strides: Any,
    q: Any,
    *arrays: Any,
) -> Array:
    """Return the report of a step from q (nq,), and q after it (HEAD + nq,).

    step: `tracking_step`, of which rows give the bounds and arrays are targets; or without rows `returning_step`, where
    arrays begin with a configuration (nq,) to return to. strides (n,): the largest changes, rad and m.
    """
    plain, own = entered(problem, limits, q)
    if rows is None:
        to, *targets = arrays
        is_inside, own_to = entered(problem, limits, to)
        report, plain = step(tree, problem, own, strides, own_to, *targets), np.minimum(plain, is_inside)
    else:
        targets = [*arrays]
        report = step(tree, problem, own, rows.at(q), strides, *targets)
    plain = np.where(fault_of(*targets, np.array(problem.standing))[()] <= SURELY, plain, -1.0)
    angle = 2.0 * np.arcsin(np.minimum(np.sqrt(report[ANGULAR]) / 2.0, 1.0))
    after = list(q)
    for j, x in zip(problem.columns, report[REPORT:], strict=True):
        after[j] = x
    return np.array([plain, report[SOLVED], report[STUCK], np.sqrt(report[LINEAR]), angle, *after])
