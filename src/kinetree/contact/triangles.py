"""Distances of meshes by their triangles, with FCL (Pan, Chitta & Manocha, FCL: A General Purpose Library for Collision
and Proximity Queries, 2012)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from threading import Lock
from typing import Any

import numpy as np

from kinetree.contact.poses import inverses
from kinetree.contact.solids import Solid
from kinetree.contact.surfaces import turns
from kinetree.contact.table import FAR
from kinetree.spatial.se3 import Array

_PLACING = Lock()
"""Held while objects of FCL stand where a question puts them."""


class Triangles:
    """Solids as FCL has them, round ones as the polyhedra around them."""

    def __init__(self, solids: Sequence[Solid]) -> None:
        import fcl

        self._fcl, self._solids = fcl, solids
        self._still = fcl.Transform()
        self._known: dict[int, Any] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return Triangles, (self._solids,)

    def distance(self, a: int, b: int, T: Array, above: float) -> tuple[float, Array]:
        """Return the distance of two solids, m, 0 in contact, and their nearest points (2, 3) in the frame of the
        first. Where only contact matters, `above` is 0, and any number above that is returned.

        T (3, 4): pose of the second in the first.
        """
        with _PLACING:
            return self._distance(a, b, T, above)

    def _distance(self, a: int, b: int, T: Array, above: float) -> tuple[float, Array]:
        fcl = self._fcl
        first, second = self._object(a), self._object(b)
        first.setTransform(self._still)
        second.setTransform(fcl.Transform(np.ascontiguousarray(T[:3, :3]), np.ascontiguousarray(T[:3, 3])))
        if fcl.collide(first, second, fcl.CollisionRequest(), fcl.CollisionResult()):
            return 0.0, np.zeros((2, 3))
        if self._within(a, b, T) or self._within(b, a, inverses(T[None])[0]):
            return 0.0, np.zeros((2, 3))
        if above <= 0.0:
            return FAR, np.zeros((2, 3))
        result = fcl.DistanceResult()
        far = fcl.distance(first, second, fcl.DistanceRequest(enable_nearest_points=True), result)
        return max(float(far), 1e-300), np.array(result.nearest_points)

    def _within(self, a: int, b: int, T: Array) -> bool:
        """Return whether a point of each part of b lies inside a, where their surfaces do not meet."""
        if not self._solids[a].closed:
            return False
        points = a_point_of_each_part(self._solids[b]) @ T[:, :3].T + T[:, 3]
        return any(is_inside(self._solids[a], point) for point in points)

    def _object(self, number: int) -> Any:
        if number not in self._known:
            mesh, model = self._solids[number].surface, self._fcl.BVHModel()
            model.beginModel(len(mesh.vertices), len(mesh.triangles))
            model.addSubModel(mesh.vertices, mesh.triangles)
            model.endModel()
            self._known[number] = self._fcl.CollisionObject(model, self._fcl.Transform())
        return self._known[number]


@lru_cache(maxsize=1000)
def a_point_of_each_part(solid: Solid) -> Array:
    """Return a vertex of each connected part of a surface (n, 3)."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    mesh = solid.surface.merged
    a, b = np.concatenate([mesh.triangles[:, [0, 1]], mesh.triangles[:, [1, 2]]]).T
    n = len(mesh.vertices)
    part = connected_components(coo_array((np.ones(len(a)), (a, b)), shape=(n, n)))[1]
    return np.asarray(mesh.vertices[np.unique(part, return_index=True)[1]])


def is_inside(solid: Solid, point: Array) -> bool:
    """Return whether a point lies inside a closed mesh."""
    mesh = solid.surface
    low, high = mesh.bounds
    if (point < low).any() or (point > high).any():
        return False
    return bool(abs(turns(mesh.vertices[mesh.triangles], point[None])[0]) > 0.5)
