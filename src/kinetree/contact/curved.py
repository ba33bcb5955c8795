"""Distances of cylinders and ellipsoids from meshes: the least of those from the triangles near them, which the
compiled distance of convex solids decides."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.spatial import KDTree

from kinetree.contact.convex import Convexes
from kinetree.contact.poses import inverses, moved
from kinetree.contact.solids import CURVED, Solid
from kinetree.contact.triangles import is_inside
from kinetree.shapes.mesh import Mesh
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array

BLOCK = 32
"""Triangles that are left out together where they are far away."""


class Curved:
    """The cylinders and ellipsoids of a list of solids, and the kernel of their distances from a triangle."""

    def __init__(self, solids: Sequence[Solid]) -> None:
        self._solids = solids
        own = [number for number, solid in enumerate(solids) if solid.kind in CURVED]
        self._number = {number: i for i, number in enumerate(own)}
        corners = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
        unit = Solid("", "hull", (), se3.IDENTITY, "a triangle", Mesh(corners, np.array([[0, 1, 2]])))
        self._convexes = Convexes([*(solids[number] for number in own), unit])

    def distance(self, a: int, b: int, T: Array, above: float) -> tuple[float, Array]:
        """Return the distance of two solids, m, one of them a mesh, 0 in contact, and their nearest points (2, 3) in
        the frame of the first. A distance beyond `above` may be any number above that.

        T (3, 4): pose of the second in the first.
        """
        if a in self._number:
            return self._from_mesh(a, b, T, above)
        far, points = self._from_mesh(b, a, inverses(T[None])[0], above)
        return far, moved(T[None], points[None, ::-1])[0]

    def _from_mesh(self, curved: int, mesh: int, T: Array, above: float) -> tuple[float, Array]:
        solid, own = self._solids[curved], _pieces(self._solids[mesh])

        def at_least(spheres: Array) -> Array:
            return np.asarray(_outside(solid, moved(T[None], spheres[None, :, :3])[0]) - spheres[:, 3])

        def near(blocks: Array, most: float) -> Array:
            some = (blocks[:, None] * BLOCK + np.arange(BLOCK)).ravel()
            return some[at_least(own.spheres[some]) <= most]

        def least(some: Array, most: float) -> tuple[float, Array]:
            p, b, c = np.moveaxis(moved(T[None], own.triangles[some].reshape(1, -1, 3)).reshape(-1, 3, 3), 1, 0)
            place = np.stack([b - p, c - p, np.zeros_like(p), p], axis=2)  # the unit triangle there, stretched
            pair = np.tile((self._number[curved], len(self._number)), (len(some), 1))
            _, upper, points = self._convexes.distances(pair, place, most)
            return float(upper.min()), points[upper.argmin()]

        far = at_least(own.blocks)
        first = far.argmin() * BLOCK + np.arange(BLOCK)
        most, points = least(first[[at_least(own.spheres[first]).argmin()]], np.inf)
        if most > 0.0:
            some = near(np.flatnonzero(far <= min(most, above)), min(most, above))
            if len(some):
                most, points = min((most, points), least(some, min(most, above)), key=lambda found: found[0])
        middle = inverses(T[None])[0, :, 3]
        if most > 0.0 and self._solids[mesh].closed and is_inside(self._solids[mesh], middle):
            return 0.0, points
        return most, points


class _Pieces(NamedTuple):
    """Triangles (n, 3, 3) of a mesh in blocks, spheres (n, 4) around each, and blocks (m, 4) around those."""

    triangles: Array
    spheres: Array
    blocks: Array


@lru_cache(maxsize=1000)
def _pieces(solid: Solid) -> _Pieces:
    triangles = solid.surface.vertices[solid.surface.triangles]
    order = KDTree(triangles.mean(axis=1), leafsize=BLOCK).indices
    triangles = triangles[np.append(order, np.full(-len(order) % BLOCK, order[-1]))]
    middles = triangles.mean(axis=1)
    radii = np.linalg.norm(triangles - middles[:, None], axis=2).max(axis=1)
    own = middles.reshape(-1, BLOCK, 3)
    around = own.mean(axis=1)
    far = (np.linalg.norm(own - around[:, None], axis=2) + radii.reshape(-1, BLOCK)).max(axis=1)
    return _Pieces(triangles, np.column_stack([middles, radii]), np.column_stack([around, far]))


def _outside(solid: Solid, points: Array) -> Array:
    """Return no more than how far points (n, 3) lie outside of a cylinder or an ellipsoid."""
    sizes = np.array(solid.sizes)
    if solid.kind == "ellipsoid":
        return np.asarray((np.linalg.norm(points / sizes, axis=1) - 1.0).clip(min=0.0) * sizes.min())
    beyond = np.hypot(points[:, 0], points[:, 1]) - sizes[0], np.abs(points[:, 2]) - sizes[1] / 2
    return np.asarray(np.hypot(*(far.clip(min=0.0) for far in beyond)))
