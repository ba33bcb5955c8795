"""Parallel projection of points in space onto a picture.

A camera is a matrix (2, 4) that maps x, y, z, 1 in metres to pixels, right and down. It keeps lengths that are parallel
to the picture and never makes one longer. A view R (3, 3) has as rows the directions right, up and towards the viewer.
"""

from collections.abc import Iterable
from itertools import product
from math import cos, sin

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
