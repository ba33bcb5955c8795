"""One damped step of inverse kinematics for firmware: a configuration in, the next one out.

The step is that of `inverse.stepped`: damped least squares in the dual form, at most 6 x 6, with damping proportional
to the squared error; coordinates at the end of their range, and rows of limits that would be crossed, are removed.
Such steps may increase the error, which helps around limits, but never ends before a target that is out of reach. So
only a few of these are taken; from then on only steps that reduce the error.
"""

from typing import Any

import numpy as np

from kinetree.algorithms.control import CoupledRows
from kinetree.algorithms.inverse import Problem, added, aim, is_solved, stepped
from kinetree.algorithms.tracking import way_between
from kinetree.model.tree import Tree

STATES = ("going", "reached", "stuck")
"""States of a configuration, by number: the step leads on; the target is reached, and the step is zero; the step is
zero before the target is reached, because it is out of reach, limits are in the way, or an input is NaN."""
PATIENCE, REGAINED = 4.0, 0.125
"""How many steps may increase the error, and what a step that reduces it takes from their count."""
PART = 0.25
"""Share of a step that is taken if the whole step would increase the error."""
FAR = 1e12
"""Squared error, in m² and rad², from which on it counts as a fault."""


def damped_step(
    tree: Tree, problem: Problem, rows: CoupledRows, q: Any, uphill: Any, target: Any, stride: Any
) -> tuple[Any, Any, Any, Any]:
    """Return the next configuration (nq,), the next `uphill`, the error (2,) of q in m and rad, and the state of q, a
    number of STATES.

    q (nq,): inside the limits. uphill: the count of steps that increased the error; 0 at first, then the last result.
    target: of the only goal. stride (nv,): the largest change of each velocity coordinate, rad or m, above 0.

    The next configuration is inside the limits too; from outside each coordinate returns by at most its stride.
    """
    before, most = [q[j] for j in problem.columns], [stride[j] for j in problem.rates]
    here = aim(tree, problem, before, [target])
    solved = is_solved(problem, here)
    new = stepped(problem, before, here, problem.damping * here.cost, rows.at(q), most)
    flat = len(problem.lower)  # from outside of the limits a step goes back inside, however far
    near = [np.maximum(a - s, np.minimum(b, a + s)) for a, b, s in zip(before, new, most, strict=False)]
    new = [*near[:flat], *new[flat:]]
    way = [PART * x for x in way_between(problem, before, new)]
    short = [*(a + x for a, x in zip(before[:flat], way, strict=False)), *added(problem, before, way)[flat:]]
    cost, less = (aim(tree, problem, x, [target]).cost for x in (new, short))

    falls = np.where(cost < here.cost, 1.0, 0.0)
    whole = np.where(uphill < PATIENCE, np.where(cost < FAR, 1.0, 0.0), falls)  # a cost that is NaN is not below FAR
    whole, part = (np.where(solved, 0.0, x) for x in (whole, np.where(less < here.cost, 1.0, 0.0)))
    following = list(q)
    for j, a, b, c in zip(problem.columns, before, new, short, strict=True):
        following[j] = np.where(whole > 0.0, b, np.where(part > 0.0, c, a))
    count = np.where(falls > 0.0, np.maximum(uphill - REGAINED, 0.0), np.minimum(uphill + 1.0, PATIENCE + 1.0))

    angle = 2.0 * np.arcsin(np.minimum(np.sqrt(here.angular) / 2.0, 1.0))
    state = np.where(solved, 1.0, np.where(whole + part > 0.0, 0.0, 2.0))
    error = np.array([np.sqrt(here.linear), angle])
    return np.array(following), np.asarray(np.where(solved, 0.0, count)), error, np.asarray(state)
