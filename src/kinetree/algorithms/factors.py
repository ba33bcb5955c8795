"""Factors J_p = Q R of the Jacobian of loops by the coordinates that follow, by modified Gram-Schmidt."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from kinetree.algorithms.loops import Roles, spread
from kinetree.algorithms.vectors import dot
from kinetree.model.tree import Tree
from kinetree.spatial import Array, se3

FLAT = 1e-10
"""Part of a column of J_p outside of the columns before it, below which it counts as none."""


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
