"""Distances of round solids from meshes: the least of those from the triangles near them, which the compiled distance
of convex solids decides."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from scipy.spatial import KDTree

from kinetree.contact.convex import Convexes
from kinetree.contact.poses import inverses, moved
from kinetree.contact.solids import ROUND, Solid
from kinetree.contact.triangles import is_inside
from kinetree.shapes.mesh import Mesh
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array

CORNERS = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])


class Rounds:
    """The round ones of a list of solids, and the kernel of their distances from a triangle."""

    def __init__(self, solids: Sequence[Solid]) -> None:
        self._solids = solids
        own = [number for number, solid in enumerate(solids) if solid.kind in ROUND]
        self._number = {number: i for i, number in enumerate(own)}
        unit = Solid("", "hull", (), se3.IDENTITY, "a triangle", Mesh(CORNERS, np.array([[0, 1, 2]])))
        self._convexes = Convexes([*(solids[number] for number in own), unit])

    def distance(self, a: int, b: int, T: Array, above: float, least: float) -> tuple[float, Array]:
        """Return the distance of two solids, m, one of them a mesh, 0 in contact, and their nearest points (2, 3) in
        the frame of the first. A distance beyond `above` may be any number above that.

        T (3, 4): pose of the second in the first. least: distance of the mesh from the polyhedron around the other.
        """
        if a in self._number:
            return self._from_mesh(a, b, T, above, least)
        far, points = self._from_mesh(b, a, inverses(T[None])[0], above, least)
        return far, moved(T[None], points[None, ::-1])[0]

    def _from_mesh(self, curved: int, mesh: int, T: Array, above: float, least: float) -> tuple[float, Array]:
        solid, other = self._solids[curved], self._solids[mesh]
        triangles, middles, radii = _parts(other)
        most, middle = min(least + solid.excess + 1e-9, above), inverses(T[None])[0, :, 3]
        some = np.array(middles.query_ball_point(middle, sum(solid.sizes) + most + radii.max()), dtype=int)
        some = some[_outside(solid, moved(T[None], middles.data[None, some])[0]) - radii[some] <= most]
        far, points = np.inf, np.zeros((2, 3))
        if len(some):
            p, b, c = np.moveaxis(moved(T[None], triangles[some].reshape(1, -1, 3)).reshape(-1, 3, 3), 1, 0)
            place = np.stack([b - p, c - p, np.zeros_like(p), p], axis=2)  # the unit triangle, stretched
            pair = np.tile((self._number[curved], len(self._number)), (len(some), 1))
            _, upper, found = self._convexes.distances(pair, place, most)
            far, points = float(upper.min()), found[upper.argmin()]
        return (0.0 if far > 0.0 and other.closed and is_inside(other, middle) else far), points


@lru_cache(maxsize=1000)
def _parts(solid: Solid) -> tuple[Array, KDTree, Array]:
    """Return the triangles (n, 3, 3) of a mesh, their middles, and how far they reach from these (n,), m."""
    triangles = solid.surface.vertices[solid.surface.triangles]
    middles = triangles.mean(axis=1)
    return triangles, KDTree(middles), np.linalg.norm(triangles - middles[:, None], axis=2).max(axis=1)


def _outside(solid: Solid, points: Array) -> Array:
    """Return no more than how far points (n, 3) lie outside of a round solid."""
    sizes = np.array(solid.sizes)
    if solid.kind in ("sphere", "ellipsoid"):
        return np.asarray((np.linalg.norm(points / sizes, axis=1) - 1.0).clip(min=0.0) * sizes.min())
    across, along = np.hypot(points[:, 0], points[:, 1]), (np.abs(points[:, 2]) - sizes[1] / 2).clip(min=0.0)
    if solid.kind == "capsule":
        return np.asarray((np.hypot(across, along) - sizes[0]).clip(min=0.0))
    return np.asarray(np.hypot((across - sizes[0]).clip(min=0.0), along))
