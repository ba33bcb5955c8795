"""Normal equations of tasks on a tree: factors in the order of its branches.

A task of a frame depends on the joints between the root and the frame alone, so that the normal equations have zeros
wherever two coordinates are on different branches. Elimination from the leaves to the base keeps all of them zero
(Featherstone, Rigid Body Dynamics Algorithms, section 6.5). Rows across branches, such as those of the centre of mass,
would fill them in: they stay outside (see `Equations`).
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from kinetree.algorithms.kinematics import path_between
from kinetree.algorithms.vectors import dot, is_zero
from kinetree.model.tree import Tree

Sparse = Mapping[int, Any]
"""Numbers of a row other than zero, by the place of their coordinate in the order of elimination."""
LEAST = 1e-14
"""Least size of a pivot."""


def bodies_of(tree: Tree) -> dict[int, int]:
    """Return the body that each coordinate of qd moves; the first one, if others follow it."""
    return {j: i for i, where in reversed([*enumerate(tree.v_slice)]) for j in range(tree.nv)[where]}


def elimination_order(tree: Tree, rates: Sequence[int]) -> list[int]:
    """Return the order of elimination of these coordinates of qd, as places in the list: leaves first, base last."""
    body = bodies_of(tree)
    return sorted(range(len(rates)), key=lambda k: (-body[rates[k]], -rates[k]))


def is_branch(tree: Tree, rates: Sequence[int]) -> bool:
    """Return whether these coordinates of qd are all between the root and one body."""
    bodies = {bodies_of(tree)[j] for j in rates}
    return bodies <= {*path_between(tree, -1, max(bodies, default=-1))[1]}


class Factor(NamedTuple):
    """The factors L D L.T of a matrix: the rows of L before its diagonal of ones, without zeros; 1 / D; and how many
    entries of D are negative."""

    rows: list[dict[int, Any]]
    inverse: list[Any]
    negative: Any

    def forward(self, b: Sparse) -> dict[int, Any]:
        """Return L⁻¹ b without zeros."""
        y: dict[int, Any] = {}
        for i, row in enumerate(self.rows):
            known = [row[k] * y[k] for k in row if k in y]
            if known or i in b:
                y[i] = b.get(i, 0.0) - sum(known)
        return y

    def backward(self, y: Sparse) -> list[Any]:
        """Return the solution x of D L.T x = y."""
        n = len(self.rows)
        x: list[Any] = [y[i] * self.inverse[i] if i in y else 0.0 for i in range(n)]
        for i in reversed(range(n)):
            for k, entry in self.rows[i].items():
                x[k] = x[k] - entry * x[i]
        return x


def factored(H: Sequence[Sparse]) -> Factor:
    """Return the factors of a symmetric matrix, given by the rows of its lower half (Golub & Van Loan, Matrix
    Computations, section 4.1)."""
    rows: list[dict[int, Any]] = []
    inverse: list[Any] = []
    negative: Any = 0.0
    for i, given in enumerate(H):
        row: dict[int, Any] = {}  # of L D
        for k in range(i):
            products = [row[p] * rows[k][p] for p in rows[k] if p in row]
            if k in given or products:
                row[k] = given.get(k, 0.0) - sum(products)
        scaled = {k: x * inverse[k] for k, x in row.items()}
        pivot = given[i] - sum(x * scaled[k] for k, x in row.items())
        rows.append(scaled)
        negative = negative + np.where(pivot < 0.0, 1.0, 0.0)
        inverse.append(1.0 / np.where(abs(pivot) < LEAST, LEAST, pivot))
    return Factor(rows, inverse, negative)


class Solution(NamedTuple):
    """A step d (n,), the forces (n,) of all rows along the coordinates after it, the multipliers of the rows that were
    added by `Equations.bind`, gain = d.T (H + sum of A_i.T A_i of soft rows) d, twice what the sum of squares falls by;
    and `wrong`, above zero if the step leads to a saddle and not to a minimum."""

    step: list[Any]
    forces: list[Any]
    y: list[Any]
    gain: Any
    wrong: Any


class Equations:
    """Equations of the step d (n,) that minimises d.T H d / 2 - g.T d + sum_i (c_i - A_i d)² / (2 slack_i), where H and
    g are sums over soft rows on one branch, and A has all other rows; a slack near zero makes a row a constraint.

    (A H⁻¹ A.T + diag(slack)) y = c - A H⁻¹ g, d = H⁻¹ (g + A.T y): the Schur complement (Nocedal & Wright, Numerical
    Optimization, section 16.2), which for soft rows is the Woodbury formula. H may have negative eigenvalues; d is a
    minimum if the Schur complement has as many (Haynsworth's inertia).

    free (n,): 0 for coordinates that stay, else 1. damping: is added to the diagonal of H.
    """

    def __init__(self, tree: Tree, rates: Sequence[int], free: Sequence[Any], damping: Any) -> None:
        """Make equations over these coordinates of qd without rows."""
        self.tree, self.rates, self.free = tree, rates, free
        self.place = {k: i for i, k in enumerate(elimination_order(tree, rates))}
        self.H: list[dict[int, Any]] = [{i: damping} for i in range(len(rates))]
        self.forces: list[Any] = [0.0] * len(rates)
        self.across: list[tuple[Sequence[Any], Any, Any]] = []
        self.bound: list[tuple[Sequence[Any], Any, Any]] = []

    def bend(self, a: int, b: int, x: Any) -> None:
        """Add x to the entries (a, b) and (b, a) of H."""
        row, column = max(self.place[a], self.place[b]), min(self.place[a], self.place[b])
        self.H[row][column] = self.H[row].get(column, 0.0) + x * (self.free[a] * self.free[b])

    def attract(self, J: Sequence[Any], error: Any, weight: Any) -> None:
        """Add a soft row, (weight (error - J d))² / 2."""
        own = [i for i, x in enumerate(J) if not is_zero(x)]
        if not is_branch(self.tree, [self.rates[i] for i in own]):
            self.across.append(([weight * x for x in J], weight * error, 1.0))
            return
        for i in own:
            self.forces[i] = self.forces[i] + weight**2 * error * J[i]
            for j in own:
                if self.place[j] <= self.place[i]:
                    self.bend(i, j, weight**2 * J[i] * J[j])

    def bind(self, J: Sequence[Any], error: Any, slack: Any) -> None:
        """Add a row (error - J d)² / (2 slack)."""
        self.bound.append((J, error, slack))

    def solve(self) -> Solution:
        """Return the solution."""
        rows = [*self.across, *self.bound]
        factor, z = factored(self.H), self._placed(self.forces)
        z, Y = factor.forward(z), [factor.forward(self._placed(J)) for J, _, _ in rows]
        scaled = [{k: x * factor.inverse[k] for k, x in row.items()} for row in Y]
        S = [
            {k: _dot(scaled[i], Y[k]) + (slack if i == k else 0.0) for k in range(i + 1)}
            for i, (_, _, slack) in enumerate(rows)
        ]
        outer = factored(S)
        right = {i: c - _dot(row, z) for i, ((_, c, _), row) in enumerate(zip(rows, scaled, strict=True))}
        y, forces = outer.backward(outer.forward(right)), self.forces
        count = len(self.across)  # bound rows once more, as if without slack
        more = outer.backward(outer.forward({i: self.bound[i - count][2] * y[i] for i in range(count, len(rows))}))
        y = [a + b for a, b in zip(y, more, strict=True)]
        for x, row, (J, _, _) in zip(y, Y, rows, strict=True):
            for k, entry in row.items():
                z[k] = z.get(k, 0.0) + x * entry
            forces = [f if is_zero(a) else f + x * a for f, a in zip(forces, J, strict=True)]
        found = factor.backward(z)
        step, wrong = [found[self.place[i]] for i in range(len(forces))], abs(factor.negative - outer.negative)
        gain = dot(step, forces) + sum((c - x) ** 2 for (_, c, _), x in zip(self.across, y, strict=False))
        return Solution(step, forces, y[count:], gain, wrong)

    def _placed(self, row: Sequence[Any]) -> dict[int, Any]:
        return {self.place[i]: x * f for i, (x, f) in enumerate(zip(row, self.free, strict=True)) if not is_zero(x)}


def _dot(a: Sparse, b: Sparse) -> Any:
    return sum((x * b[k] for k, x in a.items() if k in b), 0.0)
