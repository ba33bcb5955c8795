"""Reach maps as coloured cubes: for the page, and as triangles for pictures."""

import zlib
from base64 import b64encode
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinetree.errors import fail
from kinetree.lab.reach.map import ReachMap
from kinetree.model.robot import Robot
from kinetree.spatial.se3 import Array
from kinetree.viewing.camera import DIRECTION

COLOURS = ((0.78, 0.18, 0.16), (0.95, 0.55, 0.16), (0.96, 0.85, 0.30), (0.36, 0.72, 0.42), (0.16, 0.42, 0.78))
"""Colours of shares of orientations, from none to all, with straight lines between them."""
CORNERS = np.array([(-1, -1), (1, -1), (1, 1), (-1, -1), (1, 1), (-1, 1)]) / 2.0
"""Two triangles of a face."""


class CutPlane(NamedTuple):
    """A plane across an axis of the base, through the middle of the grid, on whose one side cubes are left out.

    sides: for each axis, 1 if the cubes above a plane across it are kept, -1 if those below are.
    """

    axis: int
    sides: tuple[int, int, int]


def check_map(robot: Robot, reach: ReachMap) -> None:
    """Raise KinetreeError if a map is not of frames of the robot."""
    for name in (reach.frame, reach.base):
        if name not in robot.frames:
            message = f"the map is of {reach.frame!r} in {reach.base!r}; robot {robot.name!r} has no frame {name!r}"
            raise fail("reach", message)


def cut_of(T: Array, direction: tuple[float, float, float] = DIRECTION) -> CutPlane:
    """Return the cut that opens a map towards the camera. T (4, 4): the pose of the base. direction: to the camera."""
    towards = T[:3, :3].T @ direction
    axis = 1 if abs(towards[1]) > 0.8 * abs(towards[0]) else 0
    x, y, z = (-1 if along > 0 else 1 for along in towards)
    return CutPlane(axis, (x, y, z))


def described_reach(reach: ReachMap, T: Array) -> dict[str, Any]:
    """Return a map for the page. T (4, 4): the first pose of its base. data: a byte a voxel, x slowest: 0 if nothing is
    reached, else the share of orientations from 1 to 255."""
    grid, cut = reach.grid, cut_of(T)
    values = np.ceil(255.0 * reach.share).astype(np.uint8)
    first = grid.centers[0, 0, 0]
    return {
        "frame": reach.frame,
        "base": reach.base,
        "about": repr(reach),
        "first": first.tolist(),
        "voxel": grid.voxel,
        "shape": list(grid.shape),
        "flat": list(grid.flat),
        "several": grid.orientations > 1,
        "colours": [list(colour) for colour in COLOURS],
        "cut": {"axis": cut.axis, "sides": list(cut.sides)},
        "data": b64encode(zlib.compress(values.tobytes(), 9)).decode(),
    }


def coloured(share: Array) -> Array:
    """Return the colours (…, 3) of shares (…)."""
    at = np.linspace(0.0, 1.0, len(COLOURS))
    return np.stack([np.interp(share, at, line) for line in np.transpose(COLOURS)], axis=-1)


def drawn(reach: ReachMap, cut: CutPlane | None) -> NDArray[np.bool_]:
    """Return the voxels (nx, ny, nz) that are drawn: those that are reached and not cut away."""
    seen = reach.count > 0
    if cut is not None:
        n = reach.grid.shape[cut.axis]
        place: Any = [slice(None)] * 3
        place[cut.axis] = slice(0, n // 2) if cut.sides[cut.axis] > 0 else slice(-(-n // 2), n)
        seen[tuple(place)] = False
    return seen


def cubes(reach: ReachMap, T: Array, direction: tuple[float, float, float] = DIRECTION) -> tuple[Array, Array]:
    """Return the triangles (n, 3, 3), m, of a map that is open towards the camera, and their colours (n, 4).

    T (4, 4): the pose of its base. Only faces beside a voxel that is not drawn are seen.
    """
    grid, seen = reach.grid, drawn(reach, cut_of(T, direction))
    side = np.where(grid.flat, 0.02, 1.0) * grid.voxel
    triangles, colours = [np.zeros((0, 3, 3))], [np.zeros((0, 4))]
    padded = np.pad(seen, 1)
    for axis in range(3):
        for sign in (-1, 1):
            beside = np.roll(padded, -sign, axis)[1:-1, 1:-1, 1:-1]
            where = np.nonzero(seen & ~beside)
            face = np.insert(CORNERS, axis, sign / 2.0, axis=1) * side
            own = (grid.centers[where][:, None] + face).reshape(-1, 3, 3)
            triangles.append(own @ T[:3, :3].T + T[:3, 3])
            colour = np.append(coloured(reach.share[where]), np.ones((len(where[0]), 1)), axis=1)
            colours.append(np.repeat(colour, 2, axis=0))
    return np.concatenate(triangles), np.concatenate(colours)
