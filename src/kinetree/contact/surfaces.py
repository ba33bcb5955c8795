"""Surfaces in small pieces: how far points are from them, and how often they go round a point."""

from __future__ import annotations

import numpy as np
from scipy.spatial import KDTree

from kinetree.spatial.se3 import Array

MOST_PIECES = 4000
"""Pieces of a surface, about, into which it is cut at most."""


def pieces(triangles: Array, step: float) -> Array:
    """Return triangles cut along their longest edges until none is longer than a step, m."""
    done = [triangles[:0]]
    while len(triangles):
        edges = np.linalg.norm(triangles - np.roll(triangles, -1, axis=1), axis=2)
        long = edges.max(axis=1) > step
        done.append(triangles[~long])
        triangles, edges = triangles[long], edges[long]
        turned = (edges.argmax(axis=1)[:, None] + np.arange(3)) % 3
        a, b, c = np.moveaxis(np.take_along_axis(triangles, turned[..., None], axis=1), 1, 0)
        m = (a + b) / 2
        triangles = np.concatenate([np.stack([a, m, c], axis=1), np.stack([m, b, c], axis=1)])
    return np.concatenate(done)


def step_of(triangles: Array, step: float, most: int = MOST_PIECES) -> float:
    """Return a step, or a larger one that leaves few pieces."""
    return max(step, 2.0 * float(np.sqrt(area_of(triangles) / most)))


def area_of(triangles: Array) -> float:
    """Return the area of triangles (n, 3, 3) together, m²."""
    a, b, c = np.moveaxis(triangles, 1, 0)
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()) / 2


class Surface:
    """A surface in pieces, for distances that are too large by at most `error`, m."""

    def __init__(self, triangles: Array, step: float, most: int = MOST_PIECES) -> None:
        own = pieces(triangles, step_of(triangles, step, most))
        middles = own.mean(axis=1)
        self._tree = KDTree(middles)
        self.error = float(np.sqrt(((own - middles[:, None]) ** 2).sum(axis=2).max(initial=0.0)))

    def distance(self, points: Array) -> Array:
        """Return the distances of points (n, 3), m."""
        return np.asarray(self._tree.query(points)[0])


def turns(triangles: Array, points: Array) -> Array:
    """Return how often a closed surface (n, 3, 3) goes round each point (m,): 0 outside, 1 inside (van Oosterom &
    Strackee, The Solid Angle of a Plane Triangle, 1983)."""
    found = np.zeros(len(points))
    for i, point in enumerate(points):
        a, b, c = np.moveaxis(triangles - point, 1, 0)
        x, y, z = (np.linalg.norm(v, axis=1) for v in (a, b, c))
        above = np.einsum("ij,ij->i", a, np.cross(b, c))
        dots = (np.einsum("ij,ij->i", u, v) * w for u, v, w in ((a, b, z), (b, c, x), (c, a, y)))
        found[i] = np.arctan2(above, x * y * z + sum(dots)).sum() / (2 * np.pi)
    return found
