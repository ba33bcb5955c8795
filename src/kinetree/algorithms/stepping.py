"""One damped step of inverse kinematics for firmware: a configuration in, the next one out, nothing kept in between.

The step is that of `inverse.stepped`: damped least squares in the dual form, at most 6 x 6, with damping proportional
to the squared error; coordinates at the end of their range, and rows of limits that would be crossed, are removed.
"""

from typing import Any, NamedTuple

import numpy as np

from kinetree.algorithms.inverse import STILL, Problem, aim, is_solved, stepped
from kinetree.model.tree import Tree
from kinetree.spatial.se3 import Array

FAR = 1e12
"""Squared step, rad² and m², from which on it counts as a fault."""
STATES = ("going", "reached", "stuck")
"""States of a configuration, by number: the step leads nearer to the target; the target is reached, and the step is
zero; the step is zero before the target is reached, because it is out of reach, limits or a singularity are in the way,
or an input is NaN."""


class Rows(NamedTuple):
    """Limits over several coordinates, bounds - others q: others (m, nq) has zeros for the coordinates that move."""

    bounds: Array
    others: Array


def damped_step(tree: Tree, problem: Problem, rows: Rows, q: Any, target: Any, stride: Any) -> tuple[Any, Any, Any]:
    """Return the next configuration (nq,), the error (2,) of q in m and rad, and the state of q, a number of STATES.

    q (nq,): inside the limits. target: of the only goal. stride (nq,): the largest change of each coordinate, rad or m.
    The next configuration is inside the limits too; from outside each coordinate returns by at most its stride.
    """
    before, most = [q[j] for j in problem.columns], [stride[j] for j in problem.columns]
    here = aim(tree, problem, before, [target])
    solved = is_solved(problem, here)
    h = [
        bound - sum(float(row[j]) * q[j] for j in np.flatnonzero(row))
        for bound, row in zip(rows.bounds, rows.others, strict=True)
    ]
    new = stepped(problem, before, here, problem.damping * here.cost, h, most)
    new = [np.maximum(a - s, np.minimum(b, a + s)) for a, b, s in zip(before, new, most, strict=True)]
    moved: Any = sum((b - a) * (b - a) for a, b in zip(before, new, strict=True))
    following = list(q)
    for j, a, b in zip(problem.columns, before, new, strict=True):
        following[j] = np.where(solved, a, np.where(moved < FAR, b, a))  # a step that is NaN is not taken
    angle = 2.0 * np.arcsin(np.minimum(np.sqrt(here.angular) / 2.0, 1.0))
    state = np.where(solved, 1.0, np.where(moved >= STILL, 0.0, 2.0))
    return np.array(following), np.array([np.sqrt(here.linear), angle]), np.asarray(state)
