"""The grid of a reach map: voxels, and the orientations that are tried at each."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kinetree.display import counted, number
from kinetree.spatial.se3 import Array, frozen

Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False, repr=False)
class Grid:
    """Voxels in axes of the base, and orientations of the frame.

    lower (3,): the lowest corner, m. voxel: the side of a voxel, m. shape (3,): voxels along x, y, z. flat (3,): along
    which axes the grid has no thickness; there all centres are at `lower`. directions (d, 3): unit vectors along which
    the z-axis of the frame points; empty if only positions count. rolls: turns of the frame about its z-axis, evenly
    spread; 0 if every roll is as good. axis (2,): x and y of an axis parallel to z, with which the orientations turn: a
    voxel beside it in a direction has the orientations turned by the angle of that direction about z. None if the
    orientations are the same everywhere.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.chain([{"a": 0.4, "qlim": [-1, 1]}, {"a": 0.3, "qlim": [0, 2]}], convention="dh")
        >>> grid = kt.reach_map(arm, "tip", directions=0, voxel=0.05).grid
        >>> grid.shape, grid.voxel, grid.lower.round(3)
        ((17, 25, 1), 0.05, array([-0.1, -0.6,  0. ]))
    """

    lower: Array
    voxel: float
    shape: tuple[int, int, int]
    flat: tuple[bool, bool, bool]
    directions: Array
    rolls: int
    axis: Array | None

    def __repr__(self) -> str:
        x, y, z = self.shape
        return f"Grid of {x} × {y} × {z} voxels of {number(self.voxel)} m, {self.tried}"

    @property
    def tried(self) -> str:
        """What is tried at a voxel, in words."""
        if not len(self.directions):
            return "positions alone"
        return f"{counted(len(self.directions), 'direction')} with " + (
            counted(self.rolls, "roll") if self.rolls else "any roll"
        )

    @property
    def orientations(self) -> int:
        """Number of orientations tried at a voxel; 1 if only positions count."""
        return max(len(self.directions), 1) * max(self.rolls, 1)

    @property
    def content(self) -> float:
        """Volume of a voxel, m³; its area, m², or length, m, if the grid is flat."""
        return float(self.voxel ** (3 - sum(self.flat)))

    @property
    def unit(self) -> str:
        """Unit of `content`."""
        return ("m³", "m²", "m", "points")[sum(self.flat)]

    @cached_property
    def centers(self) -> Array:
        """Centres of the voxels (nx, ny, nz, 3), m."""
        half = np.where(self.flat, 0.0, 0.5)
        lines = [self.lower[i] + self.voxel * (np.arange(n) + half[i]) for i, n in enumerate(self.shape)]
        return frozen(np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1))

    def turned(self, centers: Array) -> Array:
        """Return the angles (…,), rad, about z by which the orientations at centres (…, 3) are turned."""
        if self.axis is None:
            return np.zeros(centers.shape[:-1])
        return np.asarray(np.arctan2(centers[..., 1] - self.axis[1], centers[..., 0] - self.axis[0]))

    def rotations(self, centers: Array) -> Array:
        """Return the orientations (…, k, 3, 3) of the frame in the base at centres (…, 3), rolls fastest."""
        angle = self.turned(centers)
        turn = np.zeros((*angle.shape, 1, 3, 3))
        turn[..., 0, 0, 0] = turn[..., 0, 1, 1] = np.cos(angle)
        turn[..., 0, 1, 0] = np.sin(angle)
        turn[..., 0, 0, 1] = -turn[..., 0, 1, 0]
        turn[..., 0, 2, 2] = 1.0
        return np.asarray(turn @ self._untwisted)

    @cached_property
    def _untwisted(self) -> Array:
        if not len(self.directions):
            return np.eye(3)[None]
        x = np.cross(np.where(np.abs(self.directions[:, 2:]) < 0.9, (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)), self.directions)
        x /= np.linalg.norm(x, axis=1, keepdims=True)
        angles = 2 * np.pi * np.arange(max(self.rolls, 1)) / max(self.rolls, 1)
        c, s = np.cos(angles)[None, :, None], np.sin(angles)[None, :, None]
        y = np.cross(self.directions, x)
        rolled = c * x[:, None] + s * y[:, None]
        z = np.broadcast_to(self.directions[:, None], rolled.shape)
        return np.stack([rolled, np.cross(z, rolled), z], axis=-1).reshape(-1, 3, 3)

    @cached_property
    def cells(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Numbers (c,) of the voxels that are computed, and for each voxel (nx ny nz,) the place of its result among
        them. With an axis, voxels at the same height and distance from it have one result."""
        count = int(np.prod(self.shape))
        if self.axis is None:
            every = np.arange(count)
            return every, every
        centers = self.centers.reshape(-1, 3)
        away = np.hypot(*(centers[:, :2] - self.axis).T)
        keys = np.stack(
            [np.tile(np.arange(self.shape[2]), count // self.shape[2]), np.rint(away / (1e-9 * self.voxel))]
        )
        _, first, inverse = np.unique(keys.astype(np.int64), axis=1, return_index=True, return_inverse=True)
        order = np.argsort(first, kind="stable")  # in the order of the voxels
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        return first[order], rank[inverse.reshape(-1)]


def sphere(n: int) -> Array:
    """Return n directions (n, 3), evenly spread: a Fibonacci lattice (Gonzalez, Measurement of areas on a sphere using
    Fibonacci and latitude-longitude lattices, Mathematical Geosciences 42, 2010)."""
    i = np.arange(n) + 0.5
    z, angle = 1.0 - 2.0 * i / n, np.pi * (3.0 - np.sqrt(5.0)) * i
    across = np.sqrt(1.0 - z * z)
    return np.stack([across * np.cos(angle), across * np.sin(angle), z], axis=-1)
