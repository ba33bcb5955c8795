"""How deep convex solids are in each other (van den Bergen, Proximity Queries and Penetration Depth Computation on 3D
Game Objects, 2001): a polytope inside of their difference grows where its surface is nearest to the origin."""

from __future__ import annotations

import numpy as np

from kinetree.contact.farthest import farthest
from kinetree.contact.solids import Solid
from kinetree.spatial.se3 import Array

CLOSE = 1e-9, 1e-7
"""Difference of the bounds at which a depth is known: m, and part of it."""
MOST_ROUNDS = 300
"""Faces that are pushed outwards at most; so many are only reached by cylinders and ellipsoids about one axis."""
CORES = {"sphere": "point", "capsule": "segment"}
"""Solids that are a ball about each point of another."""


def depth(first: Solid, second: Solid, T: Array) -> float:
    """Return the length of the shortest translation that parts two convex solids, m; 0 if they are apart. Of spheres
    and capsules only their points and segments inside count.

    T (3, 4): pose of the second in the first. It is a little too large, by no more than CLOSE.
    """
    from scipy.spatial import ConvexHull

    if first.kind in CORES and second.kind in CORES:
        return 0.0  # the difference has no inside

    def support(d: Array) -> Array:
        """Return the points of the difference (n, 3) that are farthest in unit directions (n, 3)."""
        other: Array = _core(second, -d @ T[:, :3]) @ T[:, :3].T + T[:, 3]
        return _core(first, d) - other

    axes = np.array([(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if x or y or z], dtype=float)
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    points = support(axes)
    least = float(np.einsum("ij,ij->i", axes, points).min())  # no translation along an axis is shorter
    if least <= 0.0:
        return 0.0
    inner = ConvexHull(points, incremental=True)
    for _ in range(MOST_ROUNDS):
        faces = inner.equations  # unit normals, and minus the distance from the origin
        nearest = int((-faces[:, 3]).argmin())
        normal = faces[nearest : nearest + 1, :3]
        point = support(normal)
        least = min(least, float((normal @ point.T)[0, 0]))
        if least <= 0.0:
            return 0.0
        if least + faces[nearest, 3] <= CLOSE[0] + CLOSE[1] * least:
            break
        inner.add_points(point)
    return least


def _core(solid: Solid, d: Array) -> Array:
    """Return the farthest points of a solid (n, 3), of a sphere or capsule of its point or segment."""
    found = farthest(solid, d)
    return found - solid.sizes[0] * d if solid.kind in CORES else found
