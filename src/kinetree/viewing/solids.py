"""Triangles of shapes: boxes, spheres, cylinders, capsules, ellipsoids."""

from collections.abc import Sequence
from functools import cache

import numpy as np

from kinetree.spatial.se3 import Array

AROUND = 40
"""Corners of a circle."""


def solid(kind: str, values: Sequence[float]) -> Array:
    """Return the triangles (n, 3, 3) of a shape in its own frame, m; none for a plane or an unknown kind.

    values: its sizes, as the page has them: box x, y, z; sphere radius; cylinder and capsule radius, length; ellipsoid
    radii.
    """
    sizes = np.array(values)
    match kind:
        case "box":
            return np.asarray(_cube() * sizes)
        case "sphere" | "ellipsoid":
            return np.asarray(_turned(*_arc(0.0, np.pi)) * sizes)
        case "cylinder":
            return np.asarray(_turned((0.0, 1.0, 1.0, 0.0), (0.5, 0.5, -0.5, -0.5)) * sizes[[0, 0, 1]])
        case "capsule":
            radius, half = float(sizes[0]), float(sizes[1]) / 2.0
            (upper, top), (lower, bottom) = _arc(0.0, np.pi / 2), _arc(np.pi / 2, np.pi)
            heights = (*(radius * z + half for z in top), *(radius * z - half for z in bottom))
            return _turned(tuple(radius * r for r in (*upper, *lower)), heights)
    return np.zeros((0, 3, 3))


def _arc(first: float, last: float) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return radii and heights of a unit circle between two angles from the top."""
    angles = np.linspace(first, last, round(AROUND / 2 * (last - first) / np.pi) + 1)
    return tuple(np.sin(angles)), tuple(np.cos(angles))


@cache
def _turned(radii: tuple[float, ...], heights: tuple[float, ...]) -> Array:
    """Return the triangles of an outline, from top to bottom, that is turned about z."""
    angle = 2 * np.pi * np.arange(AROUND + 1) / AROUND
    r, z = np.array(radii)[:, None], np.array(heights)[:, None]
    points = np.stack([r * np.cos(angle), r * np.sin(angle), np.broadcast_to(z, (len(r), AROUND + 1))], axis=-1)
    a, b, c, d = points[:-1, :-1], points[1:, :-1], points[1:, 1:], points[:-1, 1:]
    triangles = np.concatenate([np.stack([a, b, c], axis=2), np.stack([a, c, d], axis=2)]).reshape(-1, 3, 3)
    area = np.linalg.norm(np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]), axis=1)
    return np.asarray(triangles[area > 1e-12 * max(np.abs(points).max() ** 2, 1e-300)])


@cache
def _cube() -> Array:
    """Return the triangles of a cube with edges of 1 m."""
    square = np.array([(-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1)]) / 2.0
    top = square[[[0, 1, 2], [0, 2, 3]]]
    faces = [np.roll(sign * top, axis, axis=-1) for axis in range(3) for sign in (1.0, -1.0)]
    faces[1::2] = [face[:, ::-1] for face in faces[1::2]]  # a point reflection turns them inside out
    return np.concatenate(faces)
