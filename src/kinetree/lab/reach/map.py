"""Reach maps as a whole: what is reached where, and volumes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.display import Displayable, made_above, number
from kinetree.errors import fail
from kinetree.lab.reach.grid import Flags, Grid, sphere
from kinetree.lab.reach.store import BEST, Store, read_store
from kinetree.spatial.se3 import Array, frozen

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
    if one.rolls != two.rolls or not np.array_equal(one.directions, two.directions):
        message = f"the maps have other orientations, {one.tried} and {two.tried}"
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


AXES = ("x", "y", "z")
NAMES = {"bits": (*AXES, "byte"), "count": AXES, **dict.fromkeys(BEST, AXES)}
"""Arrays of a store, and the names of their axes."""


@dataclass(frozen=True, eq=False, repr=False)
class ReachMap(Displayable):
    """The poses that a frame reaches inside all limits: a capability map (Zacharias, Borst & Hirzinger, Capturing robot
    workspace structure: representing robot capabilities, IROS 2007).

    robot: its name. frame, base: the frame that moves, and the one in which the grid is. grid: voxels and orientations.
    bits (nx, ny, nz, bytes): reached orientations, a bit each, see `reached`. manipulability, margin (nx, ny, nz): the
    largest of all solutions found at a voxel, -inf where there is none. Manipulability is Yoshikawa's, of all rows of
    the Jacobian, or of the linear ones for a grid without rolls or directions. The margin is the distance to the
    nearest limit, rad or m, without those of a joint about the axis of the grid; inf without limits.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.chain([{"a": 0.4, "qlim": [-1, 1]}, {"a": 0.3, "qlim": [0, 2]}], convention="dh")
        >>> reach = kt.reach_map(arm, "tip", directions=0, voxel=0.05)
        >>> round(reach.volume, 4)  # of a flat grid, m²
        0.335
        >>> [int(reach.count[reach.voxel_at(point)]) for point in ([0.5, 0.3, 0.0], [0.1, 0.0, 0.0])]
        [1, 0]
    """

    robot: str
    frame: str
    base: str
    grid: Grid
    bits: NDArray[np.uint8]
    manipulability: Array
    margin: Array
    _arguments: dict[str, Any]

    def __repr__(self) -> str:
        grid = self.grid
        x, y, z = grid.shape
        found = f"{number(self.volume)} {grid.unit}"
        if self._arguments.get("boxed"):
            found += f", {100 * self.box_share():.3g} % of the box"
        if grid.orientations > 1:
            found += f", in all orientations {number(self.dexterous_volume)} {grid.unit}"
        return (
            f"ReachMap of {self.frame} of {self.robot} in {self.base}: reaches {found}; "
            f"{x} × {y} × {z} voxels of {number(grid.voxel)} m, {grid.tried}"
        )

    @property
    def reached(self) -> Flags:
        """Whether each orientation is reached, (nx, ny, nz, k), in the order of `orientations_at`."""
        return np.unpackbits(self.bits, axis=-1, count=self.grid.orientations).astype(bool)

    @cached_property
    def count(self) -> NDArray[np.uint16]:
        """Number of reached orientations (nx, ny, nz)."""
        return np.asarray(np.bitwise_count(self.bits).sum(axis=-1, dtype=np.uint16))

    @cached_property
    def share(self) -> Array:
        """Share of orientations that are reached (nx, ny, nz), from 0 to 1."""
        return frozen(self.count / self.grid.orientations)

    @cached_property
    def index(self) -> Array:
        """Share of directions that are reached with at least one roll (nx, ny, nz): Zacharias's reachability index."""
        rolls = max(self.grid.rolls, 1)
        lines = [
            np.unpackbits(line, axis=-1, count=self.grid.orientations).reshape(*line.shape[:-1], -1, rolls).any(axis=-1)
            for line in self.bits  # one layer after the other, as bits take much memory
        ]
        return frozen([line.mean(axis=-1) for line in lines])

    @property
    def volume(self) -> float:
        """Volume of the voxels reached in some orientation, m³ (m² or m in a flat grid)."""
        return self.volume_at(0.0)

    @property
    def dexterous_volume(self) -> float:
        """Volume of the voxels reached in all orientations, m³ (m² or m in a flat grid)."""
        return self.volume_at(1.0)

    def volume_at(self, share: float) -> float:
        """Return the volume of the voxels of which at least a share of orientations is reached, and at least one."""
        if not 0 <= share <= 1:
            raise fail("share", f"share is {share!r}; expected numbers from 0 to 1")
        least = max(share * self.grid.orientations - 1e-9, 1)
        return float((self.count >= least).sum()) * self.grid.content

    def box_share(self, share: float = 0.0) -> float:
        """Return which share of the box, the voxels of the grid, `volume_at` counts, from 0 to 1."""
        return self.volume_at(share) / (self.count.size * self.grid.content)

    def plot(self) -> Any:
        """Return a figure of the best share of orientations along each line of sight; `.save("reach.svg")` writes it,
        or .png or .pdf. Raises KinetreeError without matplotlib when it is written."""
        return made_above("plot", self)

    def voxel_at(self, point: Any) -> tuple[int, int, int]:
        """Return the voxel with a point (3,), m in the base. Raises KinetreeError for a point outside of the grid."""
        grid = self.grid
        half = np.where(grid.flat, 0.5, 0.0)
        x, y, z = np.floor((np.asarray(point, dtype=float) - grid.lower) / grid.voxel + half).astype(int).tolist()
        if not all(0 <= i < n for i, n in zip((x, y, z), grid.shape, strict=True)):
            raise fail("point", f"the point {point} is outside of the grid, {grid!r} from {grid.lower.tolist()}")
        return x, y, z

    def orientations_at(self, voxel: tuple[int, int, int]) -> Array:
        """Return the orientations (k, 3, 3) of the frame in the base that are tried at a voxel."""
        return self.grid.rotations(self.grid.centers[voxel])

    def __sub__(self, other: ReachMap) -> ReachDifference:
        """Return the difference to another map: see `reach_difference`."""
        return reach_difference(self, other) if isinstance(other, ReachMap) else NotImplemented

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the map to a new Zarr store, a folder. Raises KinetreeError without zarr, or for a folder with another
        map."""
        store = Store(Path(path), self._arguments)
        if not store.complete:
            finish(store, self)


def finish(store: Store, whole: ReachMap) -> None:
    """Write the arrays of a map to its store."""
    best = {name: np.asarray(getattr(whole, name), dtype=np.float32) for name in BEST}
    arrays: dict[str, NDArray[Any]] = {"bits": whole.bits, "count": whole.count, **best}
    store.finish(arrays, NAMES)


def map_of(arguments: dict[str, Any], bits: NDArray[np.uint8], best: tuple[Array, Array]) -> ReachMap:
    """Return the map with these arguments."""
    a = arguments
    x, y, z = a["shape"]
    axis = None if a["axis"] is None else frozen(a["axis"])
    flat_x, flat_y, flat_z = a["flat"]
    said = a["directions"]
    directions = frozen(sphere(said) if isinstance(said, int) else np.reshape(said, (-1, 3)))
    grid = Grid(frozen(a["lower"]), a["voxel"], (x, y, z), (flat_x, flat_y, flat_z), directions, a["rolls"], axis)
    bits = np.array(bits, dtype=np.uint8)
    bits.setflags(write=False)
    return ReachMap(a["robot"], a["frame"], a["base"], grid, bits, frozen(best[0]), frozen(best[1]), arguments)


def read_reach(path: str | os.PathLike[str]) -> ReachMap:
    """Return the map in a Zarr store, a folder that `reach_map` or `ReachMap.save` wrote.

    Raises KinetreeError without zarr, for another store, and for a map that is not complete.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.chain([{"a": 0.4, "qlim": [-1, 1]}, {"a": 0.3, "qlim": [0, 2]}], convention="dh")
        >>> kt.reach_map(arm, "tip", directions=0, voxel=0.05).save("map.zarr")
        >>> kt.kinematics.read_reach("map.zarr")
        ReachMap of tip of robot in base_link: reaches 0.335 m²; 17 × 25 × 1 voxels of 0.05 m, positions alone
    """
    arguments, arrays = read_store(Path(path))
    return map_of(arguments, arrays["bits"], (arrays["manipulability"], arrays["margin"]))
