"""Differences between two reach maps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kinetree.display import Displayable, number
from kinetree.errors import fail
from kinetree.lab.reach.grid import Flags, Grid
from kinetree.spatial.se3 import Array, frozen

if TYPE_CHECKING:
    from kinetree.lab.reach.map import ReachMap

SAME = 1e-6
"""Largest distance between corners of the voxels of two maps, in voxels."""


@dataclass(frozen=True, eq=False, repr=False)
class ReachDifference(Displayable):
    """Difference between the reach of two maps, a - b, over the voxels of both.

    names: of both maps. grid: the voxels of both. before, after (nx, ny, nz): the shares of orientations that b and a
    reach; 0 outside of their own grids.
    """

    names: tuple[str, str]
    grid: Grid
    before: Array
    after: Array

    @property
    def change(self) -> Array:
        """Share of orientations (nx, ny, nz) that a reaches more than b, negative where b reaches more."""
        return self.after - self.before

    @property
    def gained(self) -> Flags:
        """Voxels (nx, ny, nz) that a reaches and b does not."""
        return np.asarray((self.after > 0) & (self.before == 0))

    @property
    def lost(self) -> Flags:
        """Voxels (nx, ny, nz) that b reaches and a does not."""
        return np.asarray((self.after == 0) & (self.before > 0))

    @property
    def gained_volume(self) -> float:
        """Volume of the voxels that are gained, m³ (m² or m in a flat grid)."""
        return float(self.gained.sum()) * self.grid.content

    @property
    def lost_volume(self) -> float:
        """Volume of the voxels that are lost, m³ (m² or m in a flat grid)."""
        return float(self.lost.sum()) * self.grid.content

    def __repr__(self) -> str:
        a, b = self.names
        better, worse = (float((sign * self.change > 0).sum()) * self.grid.content for sign in (1, -1))
        unit = self.grid.unit
        return (
            f"ReachDifference of {a} from {b}: {number(self.gained_volume)} {unit} gained, "
            f"{number(self.lost_volume)} {unit} lost; more orientations in {number(better)} {unit}, "
            f"fewer in {number(worse)} {unit}"
        )


def reach_difference(a: ReachMap, b: ReachMap) -> ReachDifference:
    """Return the difference between the reach of two maps, such as of two robots, or of one with two tools.

    The voxels of both must have the same size and a common lattice, as those of the default boxes have. Default boxes
    may differ, because nothing is reached outside of them. Raises KinetreeError for others, and for maps with other
    orientations.

    Examples:
        >>> import kinetree as kt
        >>> def reach(q1):
        ...     rows = [{"a": 0.4, "qlim": [-q1, q1]}, {"a": 0.3, "qlim": [0, 2]}]
        ...     return kt.reach_map(kt.chain(rows, convention="dh"), "tip", directions=0, voxel=0.05)
        >>> difference = kt.kinematics.reach_difference(reach(1.5), reach(1.0))  # or reach(1.5) - reach(1.0)
        >>> round(difference.gained_volume, 3), round(difference.lost_volume, 3)  # m²
        (0.17, 0.0)
    """
    one, two = a.grid, b.grid
    offset = (one.lower - two.lower) / one.voxel
    whole = np.rint(offset)
    if one.voxel != two.voxel or one.flat != two.flat or np.abs(offset - whole).max() > SAME:
        message = f"the voxels of the maps do not coincide: {one!r} and {two!r}"
        raise fail("reach", message, fix="compute both with the same voxel= and box=")
    if (len(one.directions), one.rolls) != (len(two.directions), two.rolls):
        message = f"the maps have {one.orientations} and {two.orientations} orientations"
        raise fail("reach", message, fix="compute both with the same directions= and rolls=")
    if a.grid.directions.size and not _same_axis(one.axis, two.axis):
        message = "the orientations of the maps differ: those of a symmetric map turn with its axis"
        raise fail("reach", message, fix="compute both with symmetry=False")
    if (whole != 0).any() or one.shape != two.shape:
        for each in (a, b):
            if each._arguments.get("boxed"):
                message = f"the map of {each.frame} of {each.robot} is of a box=, and the other one is of another box"
                raise fail("reach", message, fix="compute both with the same box=, or both without")
    starts = [np.maximum(sign * whole, 0).astype(int) for sign in (1, -1)]  # of a and b in the common grid
    shape = np.maximum(starts[0] + one.shape, starts[1] + two.shape)
    lower = np.minimum(one.lower, two.lower)
    x, y, z = shape.tolist()
    grid = Grid(frozen(lower), one.voxel, (x, y, z), one.flat, one.directions, one.rolls, one.axis)
    after, before = (_placed(m.share, start, shape) for m, start in zip((a, b), starts, strict=True))
    names = (f"{a.frame} of {a.robot}", f"{b.frame} of {b.robot}")
    return ReachDifference(names, grid, before, after)


def _same_axis(one: Array | None, two: Array | None) -> bool:
    if one is None or two is None:
        return one is two
    return bool(np.abs(one - two).max() <= SAME)


def _placed(values: Array, start: Array, shape: Array) -> Array:
    found = np.zeros(shape)
    found[tuple(slice(i, i + n) for i, n in zip(start, values.shape, strict=True))] = values
    return frozen(found)
