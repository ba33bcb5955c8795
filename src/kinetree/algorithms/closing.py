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
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetree.algorithms.differential import difference, integrate, twists
from kinetree.algorithms.kinematics import loop_error, loop_poses
from kinetree.algorithms.vectors import dot, largest
from kinetree.model.robot import Joint
from kinetree.model.tree import Tree
from kinetree.spatial import Array, se3
from kinetree.spatial.plucker import skew

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
FLAT = 1e-10
"""Part of a column of J_p outside of the columns before it, below which it counts as none."""


@dataclass(frozen=True, slots=True, eq=False)
class Roles:
    """Which velocity coordinates do what.

    loops: the closing joints. joints: the driven ones. driven (n,): those that are given, in the order of the inputs.
    following (k,): those that the loops determine. held: those that the loops leave to turn freely, such as a rod about
    its own axis, and those of other joints; they stay. columns: the places in q of the driven joints. key: a digest of
    all that.
    """

    loops: tuple[Joint, ...]
    joints: tuple[str, ...]
    driven: tuple[int, ...]
    following: tuple[int, ...]
    held: tuple[int, ...]
    columns: tuple[int, ...]
    key: str

    @property
    def ends(self) -> tuple[str, ...]:
        """The links that the loops connect."""
        return tuple(dict.fromkeys(end for loop in self.loops for end in (loop.parent, loop.child)))


def demands(tree: Tree, q: Any, loops: Sequence[Joint]) -> list[Any]:
    """Return the numbers (m,) that are zero where all loops are closed."""
    found: list[Any] = []
    for loop in loops:
        assert loop.kind.rows
        now, closed = (loop.kind.rows(loop.axes, T) for T in (loop_poses(tree, q, loop)[1], se3.IDENTITY))
        found += [a - b for a, b in zip(now, closed, strict=True)]
    return found


def loop_jacobian(tree: Tree, q: Any, loops: Sequence[Joint]) -> Array:
    """Return the rates (m, nv) of `demands` for unit rates of the velocity coordinates."""
    blocks = []
    for loop in loops:
        assert loop.kind.rows
        T = loop_poses(tree, q, loop)[0]
        columns: list[Any] = [np.zeros(len(loop.kind.rows(loop.axes, se3.IDENTITY)))] * tree.nv
        for j, _, v, w in twists(tree, q, loop.child, loop.parent):
            change = changed(skew(w) @ T[:3, :3], v)
            change = changed(loop.origin[:3, :3].T @ change[:3, :3], loop.origin[:3, :3].T @ change[:3, 3])
            columns[j] = columns[j] + np.array(loop.kind.rows(loop.axes, change @ se3.inverse(loop.child_origin)))
        blocks.append(np.array(columns, dtype=object).reshape(tree.nv, -1).T)
    return np.concatenate([np.zeros((0, tree.nv)), *blocks])


def changed(turn: Array, v: Array) -> Array:
    """Return the rate (4, 4) of a pose, whose last row does not change."""
    return np.array([[*turn[i], v[i]] for i in range(3)] + [[0.0] * 4])


class Factors:
    """J_p = Q R, by columns; those that add nothing (`FLAT`) count as zero, or make all results NaN if `strict`.

    left: the least part, squared, that a column has outside of those before it; 0 at a dead centre.
    """

    def __init__(self, J: Array, *, strict: bool = False) -> None:
        self.J = J
        self.Q: list[list[Any]] = []
        self.R: list[list[Any]] = []
        self.inverse: list[Any] = []
        self.left: Any = 1.0
        for column in J.T:
            left, above = list(column), []
            for unit in self.Q:
                along = dot(unit, left)
                above.append(along)
                left = [a - along * u for a, u in zip(left, unit, strict=True)]
            size, whole = dot(left, left), dot(column, column)
            counts = size > FLAT**2 * whole
            inverse = np.where(counts, 1.0 / np.sqrt(np.where(counts, size, 1.0)), np.nan if strict else 0.0)
            self.Q.append([a * inverse for a in left])
            self.R.append(above)
            self.inverse.append(inverse)
            self.left = np.minimum(self.left, size / np.maximum(whole, se3.TINY))

    def turned(self, Q: Sequence[Sequence[Any]]) -> Any:
        """Return 1 if some minor of Qᵀ J_p is negative, which those of J_p = Q R are not, else 0."""
        A = [[dot(unit, column) for column in self.J.T] for unit in Q]
        found: Any = 0.0
        for i, row in enumerate(A):
            found = np.where(row[i] < 0.0, 1.0, found)
            inverse = np.where(row[i] > 0.0, 1.0 / np.where(row[i] > 0.0, row[i], 1.0), 0.0)
            for other in A[i + 1 :]:
                ratio = other[i] * inverse
                other[i + 1 :] = [a - ratio * b for a, b in zip(other[i + 1 :], row[i + 1 :], strict=True)]
        return found

    def solve(self, b: Any) -> list[Any]:
        """Return J_p⁺ b (k,)."""
        x = [dot(unit, b) for unit in self.Q]
        for j in reversed(range(len(x))):
            x[j] = x[j] * self.inverse[j]
            for i in range(j):
                x[i] = x[i] - self.R[j][i] * x[j]
        return x

    def rates(self, tree: Tree, roles: Roles, J: Array) -> Array:
        """Return K (nv, n), the rates of all coordinates for those of the driven ones."""
        columns = [spread(tree.nv, roles.following, [-x for x in self.solve(J[:, j])]) for j in roles.driven]
        K = np.array(columns, dtype=object).reshape(-1, tree.nv).T
        for i, j in enumerate(roles.driven):
            K[j, i] = 1.0
        return K

    def solve_transposed(self, r: Sequence[Any]) -> list[Any]:
        """Return the shortest y (m,) with J_pᵀ y = r."""
        z: list[Any] = []
        for j, above in enumerate(self.R):
            z.append((r[j] - dot(above, z)) * self.inverse[j])
        return [dot(column, z) for column in zip(*self.Q, strict=True)]


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


def spread(nv: int, columns: Sequence[int], values: Sequence[Any]) -> Array:
    """Return values in their places among zeros (nv,)."""
    whole = np.full(nv, 0.0, dtype=object)
    for j, x in zip(columns, values, strict=True):
        whole[j] = x
    return whole
