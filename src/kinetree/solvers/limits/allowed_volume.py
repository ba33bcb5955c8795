"""Volume of the configurations that coupled limits allow, and its growth when rows are moved out."""

from dataclasses import replace

import numpy as np

from kinetree.errors import fail
from kinetree.model.limits import Block, Limits
from kinetree.spatial import Array, polytope

CLOSE = 1e-6
"""Relative gain of volume, still possible, at which the search ends."""
MOST_CUTS = 2000
BESIDE = 1e-6
"""Step of the derivatives, relative to the reach of a row over the joints' ranges."""


class AllowedVolume:
    """Volume of the blocks of some rows, as a function of amounts x (k,) by which the rows are moved out."""

    def __init__(self, limits: Limits, rows: Array) -> None:
        self._limits, self._rows = limits, rows
        ranges = limits.upper - limits.lower
        self._sizes = np.where(np.isfinite(ranges), ranges, 1.0)
        for block in self._blocks(np.zeros(len(rows))):
            if len(block.columns) > polytope.EXACT:
                joints = ", ".join(limits.coordinate_names[i] for i in block.columns)
                message = f"{joints} are coupled; the room of more than {polytope.EXACT} together is not worked out"
                raise fail("widen", message, fix="ask for what a frame reaches")

    def value(self, x: Array) -> float:
        """Return the volume, a product of powers of rad and m."""
        return float(np.prod([polytope.volume(block.A, block.b) for block in self._blocks(x)]))

    def gains(self, x: Array, most: Array) -> Array:
        """Return the derivative of the volume by each amount: inwards for a row that is moved, outwards for others. The
        two differ if rows lie upon each other."""
        gains = np.zeros(len(x))
        for i in np.flatnonzero((x > 0) | (self._log_gradient(x) > 0)):
            beside = x.copy()
            row = self._rows[i]
            step = BESIDE * float(np.abs(self._limits.G[row]) @ self._sizes)
            beside[i] += -min(step, x[i]) if x[i] > 0 else step
            gains[i] = self.value(beside) * self._log_gradient(beside)[i]
        return gains

    def best(self, most: Array, total: float) -> tuple[Array, float]:
        """Return the best amounts, and the relative gain that others could still bring.

        Kelley's cutting planes on the logarithm of the volume, which is concave (Brunn & Minkowski): each step takes
        the tangent at the best x of the tangents so far.
        """
        x = found = most * min(1.0, total / most.sum())
        slopes, heights, best = [], [], -np.inf
        for _ in range(MOST_CUTS):
            height, slope = np.log(self.value(x)), self._log_gradient(x)
            if height > best:
                found, best = x, height
            slopes.append(slope)
            heights.append(height - slope @ x)
            x, bound = _highest(np.array(slopes), np.array(heights), most, total)
            if bound - best < CLOSE:
                break
        return found, float(np.expm1(max(bound - best, 0.0)))

    def least(self, x: Array) -> Array:
        """Return x with each row moved out only as far as the other limits let configurations come."""
        spared = x.copy()
        for i in range(len(spared)):
            for block in self._blocks(spared):
                (at,) = np.nonzero(block.rows == self._rows[i])
                if at.size:
                    row, bound = block.A[at[0]], block.b[at[0]]
                    farthest = polytope.support(np.delete(block.A, at[0], 0), np.delete(block.b, at[0]), row)
                    spared[i] = min(x[i], max(0.0, x[i] - (bound - farthest)))
        return spared

    def _blocks(self, x: Array) -> list[Block]:
        """Return the blocks that contain the rows, with the rows moved out by x."""
        h = self._limits.h.copy()
        h[self._rows] += x
        return [block for block in replace(self._limits, h=h).blocks if np.isin(self._rows, block.rows).any()]

    def _log_gradient(self, x: Array) -> Array:
        slope = np.zeros(len(self._limits.h))
        for block in self._blocks(x):
            per_unit = polytope.facet_areas(block.A, block.b) / np.linalg.norm(block.A, axis=1)
            slope[block.rows] = per_unit[: len(block.rows)] / polytope.volume(block.A, block.b)
        return slope[self._rows]


def _highest(slopes: Array, heights: Array, most: Array, total: float) -> tuple[Array, float]:
    """Return the x that maximises the least of heights + slopes x, and that value."""
    from scipy.optimize import linprog

    k = len(most)
    rows = np.vstack([np.c_[-slopes, np.ones(len(slopes))], np.r_[np.ones(k), 0.0]])
    bounds = [*((0.0, end) for end in most), (None, None)]
    solution = linprog(np.r_[np.zeros(k), -1.0], rows, np.r_[heights, total], bounds=bounds, method="highs")
    if not solution.success:
        raise fail("no-solution", f"the linear programme was not solved: {solution.message}")
    return solution.x[:k], -float(solution.fun)
