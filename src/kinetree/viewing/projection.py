"""Projection of points in space onto a picture: parallel, and by the camera of the page, `Camera`.

A parallel camera is a matrix (2, 4) from x, y, z, 1 in metres to pixels, right and down. It keeps lengths parallel
to the picture and never makes one longer. A view R (3, 3) has as rows the directions right, up and towards the viewer.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from math import cos, radians, sin, tan

import numpy as np

from kinetree.errors import fail
from kinetree.spatial.se3 import Array

ELEVATIONS = np.deg2rad((25.0, 35.0, 15.0, 45.0))
AZIMUTHS = np.deg2rad(-60.0 + 15.0 * np.arange(24))
CLEAR = 0.35
"""Sine of an angle between an axis and the picture that is large enough."""
LARGEST = 1e100
TINY = 1e-12
"""Size in m below which points are one point."""


def view(azimuth: float, elevation: float) -> Array:
    """Return R (3, 3) of a viewer in the direction of an azimuth from x and an elevation above the xy plane, rad."""
    c, s = cos(azimuth), sin(azimuth)
    up = (-c * sin(elevation), -s * sin(elevation), cos(elevation))
    return np.array([(-s, c, 0.0), up, (c * cos(elevation), s * cos(elevation), sin(elevation))])


def clear_view(axes: Array, path: Array) -> Array:
    """Return the view R (3, 3) in which axes (n, 3) do not overlap, and a path of points (k, 3) is long.

    Two projected axes of a frame span the part of the third that points at the viewer. So the view is one of those
    whose smallest component along any axis is largest, or large enough, without an axis seen end on.
    """
    views = [view(azimuth, elevation) for elevation, azimuth in product(ELEVATIONS, AZIMUTHS)]
    steps = np.diff(path, axis=0)
    length = max(float(np.linalg.norm(steps, axis=1).sum()), TINY)

    def clear(R: Array) -> tuple[float, float]:
        towards = np.abs(axes @ R[2])
        least = float(min(towards.min(), np.sqrt(np.maximum(0.0, 1.0 - towards**2)).min()))
        seen = float(np.linalg.norm(steps @ R[:2].T, axis=1).sum())
        return round(min(least, CLEAR), 6), round(seen / length, 2)

    return max(views, key=clear)


def camera_matrix(R: Array, points: Array, box: tuple[float, float, float, float]) -> Array:
    """Return the camera (2, 4) that fits points (k, 3) into a box: left, top, right, bottom in pixels."""
    flat = points @ R[:2].T * (1.0, -1.0)
    low, high = flat.min(axis=0), flat.max(axis=0)
    corner, far = np.array(box[:2]), np.array(box[2:])
    extent = high - low
    scale = float(np.min((far - corner) / np.maximum(extent, TINY))) if extent.max() > TINY else 1000.0
    middle = (corner + far) / 2.0 - scale * (low + high) / 2.0
    return np.column_stack([scale * R[:2] * np.array([[1.0], [-1.0]]), middle])


def project(camera: Array, points: Array) -> Array:
    """Return points (…, 3) of space in the picture (…, 2), pixels."""
    return np.asarray(points @ camera[:, :3].T + camera[:, 3])


def scale_of(camera: Array) -> float:
    """Return the pixels of a metre parallel to the picture."""
    return float(np.linalg.norm(camera[0, :3]))


def check_finite(poses: Iterable[Array]) -> None:
    """Raise KinetreeError if poses are too large to be drawn, or not finite."""
    if not all(np.abs(T).max() < LARGEST for T in poses):
        raise fail("overflow", "the poses are not finite; expected coordinates that keep them so", element="--q")


FIELD = 40.0
"""Vertical field of view, degrees."""
DIRECTION = (1.0, -0.9, 0.6)
"""Direction from the middle of the bounds to the camera, in the root link."""
DISTANCE = 1.15
"""Least distance of the camera from the middle of the bounds, in their diagonals."""
FILLED = 0.9
"""Largest share of the picture, from its middle to its edges, that the points take."""


@dataclass(frozen=True, slots=True, eq=False)
class Camera:
    """A view R (3, 3) with the rows right, up and towards the camera, the place of the camera (3,), m, and the size of
    the picture (2,), pixels."""

    R: Array
    eye: Array
    size: tuple[int, int]

    def project(self, points: Array) -> Array:
        """Return points (…, 3) of space as (…, 3): right and down in the picture, pixels, and the distance along the
        view, m, which must be positive."""
        seen = (points - self.eye) @ self.R.T
        scale = self.size[1] / 2.0 / tan(radians(FIELD / 2.0)) / -seen[..., 2]
        right, down = self.size[0] / 2.0 + scale * seen[..., 0], self.size[1] / 2.0 - scale * seen[..., 1]
        return np.stack([right, down, -seen[..., 2]], axis=-1)


def camera_at(
    points: Array, size: tuple[int, int], direction: tuple[float, float, float] = DIRECTION, beside: Array | None = None
) -> Camera:
    """Return the camera that sees all points (n, 3), m, from DISTANCE or, if some would be outside, from farther away.

    size: of the picture, pixels. direction: from the middle of the bounds to the camera. beside (k, 3): further points
    to see, which are outside of the bounds. Raises KinetreeError if the direction is along z.
    """
    if not np.isfinite(direction).all() or not np.hypot(*direction[:2]) > TINY:
        raise fail("picture", f"the direction to the camera is {direction}; expected finite numbers, not along z")
    towards = np.array(direction) / np.linalg.norm(direction)
    right = np.cross((0.0, 0.0, 1.0), towards)
    right /= np.linalg.norm(right)
    R = np.array([right, np.cross(towards, right), towards])
    low, high = points.min(axis=0), points.max(axis=0)
    seen = (points if beside is None else np.concatenate([points, beside])) - (low + high) / 2.0
    seen = seen @ R.T
    sides = np.maximum(np.abs(seen[:, 0]) * size[1] / size[0], np.abs(seen[:, 1]))
    fits = float((seen[:, 2] + sides / (FILLED * tan(radians(FIELD / 2.0)))).max())
    distance = max(DISTANCE * float(np.linalg.norm(high - low)), fits, TINY)
    return Camera(R, (low + high) / 2.0 + distance * towards, size)
