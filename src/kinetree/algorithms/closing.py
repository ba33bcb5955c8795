"""Closed loops: what closing joints demand of q, its Jacobian, and steps along the branch of a start.

The coordinates of q are split into those that are driven, x, and those that follow, p. With the demands e(q) of the
loops (`JointType.rows`) and J = de/dq, the rates of p are -J_p⁺ J_x times those of x. More demands than p are usual:
the pin of a planar four-bar also keeps it in its plane; so J_p⁺ is by least squares, J_p = Q R (modified Gram-Schmidt).

A step goes from e(q0) = e0 at share s = 0 of the way of x to e = 0 at s = 1: e(x(s), p) = (1 - s) e0, first along the
tangent, then by Newton's method. A first correction that is not small, or one that is not far smaller than the last,
makes the step shorter (Deuflhard, Newton Methods for Nonlinear Problems, section 5.1). So does a J_p of the other
orientation, because there may be a bend between, and another branch behind it, unless the step is very short: then two
branches cross, at a change point.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from kinetree.algorithms.differential import difference, integrate
from kinetree.algorithms.factors import FLAT, Factors
from kinetree.algorithms.kinematics import loop_error
from kinetree.algorithms.loops import Roles, demands, loop_jacobian, spread
from kinetree.algorithms.vectors import dot, largest
from kinetree.model.tree import Tree
from kinetree.spatial import Array

GOING, SHARE, STRIDE, ROUND, LAST, LEFT, HEAD = range(7)
"""Indices in a state: above zero while running, zero when closed, below when given up; share of the way that is done;
that of the step; corrections in this step; size of the last one; how many are left. Then follow q at that share, the
tangent there, q of this step, and the entries of Q there."""
MOST, ROUNDS = 2000.0, 8.0
"""Most corrections in all, and in a step."""
FARTHEST, FIRST, FALL = 0.3, 0.05, 0.3
"""Largest change of a coordinate in a step, and in its first correction, rad or m; largest ratio of two corrections."""
DONE, PASSING = 1e-9, 1e-6
"""Size of a correction after which q is closed: at the end of the way, and on it."""
CROSSING = 1e-5
"""Largest change of a coordinate in a step that may change the orientation, rad or m."""
LEAST = 1e-13
"""Share of the way below which a step is not shortened again."""


def following_rates(tree: Tree, roles: Roles, q: Any) -> Array:
    """Return K (nv, n), which maps rates of the driven coordinates to those of all. NaN at a dead centre, where the
    driven coordinates do not determine the others."""
    J = loop_jacobian(tree, q, roles.loops)
    return Factors(J[:, list(roles.following)], strict=True).rates(tree, roles, J)


def begun(
    tree: Tree, roles: Roles, places: Sequence[tuple[int, int]], q: Any, x: Any
) -> tuple[list[Any], Array, list[Any]]:
    """Return the first state, v and e0 of `closing_step` for a way from q (nq,) to x (n,) of the driven coordinates."""
    to = np.array(q)
    to[list(roles.columns)] = x
    head = [1.0, 0.0, 0.0, 0.0, 0.0, MOST]
    return (
        [*head, *q, *[0.0] * tree.nv, *q, *[0.0] * len(places)],
        difference(tree, q, to),
        demands(tree, q, roles.loops),
    )


def ended(tree: Tree, roles: Roles, q: Any, x: Any) -> tuple[Array, Array, Array, Array]:
    """Return q (nq,) with x (n,) of the driven coordinates, how far its loops are open, the least part, squared, of a
    column of J_p outside of the others, which is 0 at a dead centre, and J (m, nv)."""
    q = np.array(q)
    q[list(roles.columns)] = x
    J = loop_jacobian(tree, q, roles.loops)
    return q, loop_error(tree, q, roles.loops), np.asarray(Factors(J[:, list(roles.following)]).left), J


def closing_step(tree: Tree, roles: Roles, places: Sequence[tuple[int, int]], state: Any, v: Any, e0: Any) -> Array:
    """Return the next state (`GOING` …) on the way of the driven coordinates along v (nv,).

    e0 (m,): `demands` at the start. places: of the entries of Q that are not always zero, by column and row.
    """
    nq, nv = tree.nq, tree.nv
    done, tangent, q, entries = np.split(state[HEAD:], [nq, nq + nv, 2 * nq + nv])
    going, share, stride, turn, last, left = state[:HEAD]
    there, following = share + stride, list(roles.following)
    J = loop_jacobian(tree, q, roles.loops)
    factors = Factors(J[:, following])
    error = [a - (1.0 - there) * b for a, b in zip(demands(tree, q, roles.loops), e0, strict=True)]
    correction = [-x for x in factors.solve(error)]
    size = largest([0.0 * stride, *map(abs, correction)])
    corrected = integrate(tree, q, spread(nv, following, correction))
    rates = [-x for x in factors.solve([dot(row, v) + e for row, e in zip(J, e0, strict=True)])]
    ahead = v + spread(nv, following, rates)

    Q = [[0.0] * len(e0) for _ in following]
    for (column, row), entry in zip(places, entries, strict=True):
        Q[column][row] = entry
    crosses = stride * largest([0.0 * stride, *map(abs, tangent)]) < CROSSING
    upright = np.where(factors.turned(Q) > 0.0, np.where(crosses, 1.0, 0.0), 1.0)

    is_end = np.where(there > 1.0 - 1e-15, 1.0, 0.0)
    sure = upright * np.where(factors.left > FLAT * FLAT, 1.0, 0.0)
    small = np.where(size < np.where(is_end > 0.0, DONE, PASSING), sure, 0.0)  # a size that is NaN is not
    near = np.where(size < np.where(turn > 0.0, FALL * last, FIRST), np.where(turn < ROUNDS, 1.0, 0.0), 0.0)
    good = np.maximum(small, near)
    repeats = good - small  # corrects the same step again

    most = FARTHEST / largest([1e-30, *map(abs, ahead)])
    longer = np.where(stride > 0.0, np.minimum(2.0 * stride, most), most)
    now = [factors.Q[column][row] for column, row in places]
    new = _chosen(small, [there, longer, *corrected, *ahead, *now], [share, stride / 4.0, *done, *tangent, *entries])
    share, step, base, along = new[0], new[1], np.array(new[2 : 2 + nq]), np.array(new[2 + nq : 2 + nq + nv])
    step = np.where(repeats > 0.0, stride, np.where(step > 0.9 * (1.0 - share), 1.0 - share, step))
    trial = _chosen(repeats, corrected, integrate(tree, base, step * along))
    fails = np.where(left > 0.0, np.where(step < LEAST, 1.0 - good, 0.0), 1.0)
    going = np.where(small * is_end > 0.0, 0.0, np.where(fails > 0.0, -1.0, going))
    head = [going, share, step, repeats * (turn + 1.0), size, left - 1.0]
    return np.array([*head, *base, *along, *trial, *new[2 + nq + nv :]])


def _chosen(which: Any, these: Any, others: Any) -> list[Any]:
    """Return these numbers where `which` is above zero, else the others."""
    return [np.where(which > 0.0, a, b) for a, b in zip(these, others, strict=True)]
