"""Slabs of a reach map: parts that are computed independently of each other, each always with the same result."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinetree.lab.reach.grid import Grid
from kinetree.lab.reach.search import Search, Targets
from kinetree.spatial.se3 import Array, poses_from

SLAB = 2**16
"""About the number of targets of a slab."""
AT_ONCE = 2**13
"""About the number of targets that are solved together, which fit into the caches."""


class Slab(NamedTuple):
    """Results of c cells: which orientations are reached (c, bytes), a bit each, the first in the highest bit of the
    first byte; the largest manipulability and margin (c,), -inf if there is no solution."""

    bits: NDArray[np.uint8]
    manipulability: NDArray[np.float32]
    margin: NDArray[np.float32]

    def put(self, where: slice, part: "Slab") -> None:
        """Replace the results of some cells."""
        self.bits[where], self.manipulability[where], self.margin[where] = part


def width(grid: Grid) -> int:
    """Return the number of bytes of the orientations of a voxel."""
    return (grid.orientations + 7) // 8


@dataclass(frozen=True, eq=False)
class Job:
    """What is to be computed: the centres (c, 3), m, of the cells of a grid."""

    grid: Grid
    search: Search
    centers: Array

    @property
    def cells(self) -> int:
        """Number of cells of a slab; the last may have fewer."""
        return max(SLAB // self.grid.orientations, 1)

    @property
    def slabs(self) -> int:
        """Number of slabs."""
        return -(-len(self.centers) // self.cells)

    def where(self, slab: int) -> slice:
        """Return the cells of a slab."""
        return slice(slab * self.cells, min((slab + 1) * self.cells, len(self.centers)))

    def computed(self, slab: int) -> Slab:
        """Return the result of a slab."""
        centers = self.centers[self.where(slab)]
        step = max(AT_ONCE // self.grid.orientations, 1)
        parts = [self._portion(centers[i : i + step]) for i in range(0, len(centers), step)]
        return Slab(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    def _portion(self, centers: Array) -> Slab:
        c, k = len(centers), self.grid.orientations
        bits = np.zeros((c, width(self.grid)), dtype=np.uint8)
        best = np.full((2, c), -np.inf, dtype=np.float32)
        near = np.flatnonzero(self.search.may_reach(centers))
        if len(near):
            reached = self.search(targets_at(self.grid, centers[near]))
            bits[near] = np.packbits(reached.success.reshape(-1, k), axis=1)
            best[:, near] = np.reshape(reached[1:], (2, -1, k)).max(axis=-1)
        return Slab(bits, *best)


def targets_at(grid: Grid, centers: Array) -> Targets:
    """Return the targets at centres (c, 3): poses (c k, 4, 4), or if rolls do not matter points (c k, 3) and points
    ahead of them at which the z-axis points, or if only positions count the centres."""
    if not len(grid.directions):
        return (centers,)
    R = grid.rotations(centers)
    if not grid.rolls:
        points = np.broadcast_to(centers[:, None], R.shape[:-1])
        return points.reshape(-1, 3), (points + R[..., 2]).reshape(-1, 3)
    return (poses_from(R, centers[:, None]).reshape(-1, 4, 4),)
