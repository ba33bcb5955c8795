"""Exact answers about pairs of solids: convex ones by their compiled distance, meshes by their triangles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.contact.apart import Apart, alike
from kinetree.contact.convex import Convexes, relative
from kinetree.contact.covers import Cover
from kinetree.contact.farthest import farthest
from kinetree.contact.poses import inverses, moved
from kinetree.contact.solids import ROUND, Solid, hull_of
from kinetree.contact.table import FAR
from kinetree.errors import KinetreeError
from kinetree.spatial.se3 import Array

FEW = 2
"""Pairs of meshes that are decided by their triangles at once."""
FINE = 0.01
"""Distances below this are decided by triangles where convex parts are not enough, m."""


class Exact:
    """The solids of a robot, and what is exact about each two of them.

    links: the solids by link. `of_link` has their numbers. covers: of each solid.
    """

    def __init__(self, links: Mapping[str, Sequence[Solid]], covers: Sequence[Cover]) -> None:
        self._covers = covers
        self.solids = [solid for solids in links.values() for solid in solids]
        self.of_link: dict[str, list[int]] = {}
        for number, solid in enumerate(self.solids):
            self.of_link.setdefault(solid.link, []).append(number)
        self.is_mesh = np.array([solid.kind == "mesh" for solid in self.solids])
        self._is_round = np.array([solid.kind in ROUND for solid in self.solids])
        self.is_plane = np.array([solid.kind == "plane" for solid in self.solids])
        self._is_cut = np.array([len(cover.parts) > 1 for cover in covers])
        self.is_other = self.is_mesh | self.is_plane

    @cached_property
    def convexes(self) -> Convexes:
        """The solids, each as it is or as its convex hull; a plane as a sphere that everything touches."""
        return Convexes([convex_of(solid) for solid in self.solids])

    def touching(self, first: Array, second: Array, pair: Array, above: float) -> NDArray[np.bool_]:
        """Return which pairs (n, 2) of solids with these poses (n, 12) are at most a distance apart, m."""
        found = self.convexes.touching(first, second, pair.astype(float), above)
        rows = np.flatnonzero(found & self.is_other[pair].any(axis=1))
        if len(rows):
            found[rows] = self.others_touch(first[rows], second[rows], pair[rows], above)
        return found

    def others_touch(self, first: Array, second: Array, pair: Array, above: float) -> NDArray[np.bool_]:
        """Return the same for pairs with planes or meshes, whose convex hulls touch. Of meshes, spheres inside prove
        contact, convex parts that they are apart, and triangles decide what is left."""
        T, plane = relative(first, second), self.is_plane[pair].any(axis=1)
        found = self._meet_inside(pair, T)
        if plane.any():
            found[plane] = self.distances(pair[plane], T[plane], above)[1] <= above
        left = ~found & ~plane
        rows = np.flatnonzero(left & self._is_cut[pair].any(axis=1))
        if len(rows) > FEW:
            left[rows] = self._apart.possible(first[rows], second[rows], pair[rows], above)
        for row in np.flatnonzero(left):
            found[row] = self._from_mesh(pair[row], T[row], above)[0] <= above
        return found

    def may_be_near(self, first: Array, second: Array, pair: Array, above: Array) -> NDArray[np.bool_]:
        """Return which pairs (n, 2) of solids with these poses (n, 12) may be at most some distances (n,) apart, m; the
        others are not. Meshes are decided by their convex parts, and by their triangles where `above` is small."""
        found = self.convexes.touching(first, second, pair.astype(float), above)
        rows = np.flatnonzero(found & self.is_other[pair].any(axis=1))
        if not len(rows):
            return found
        found[rows] = self._apart.possible(first[rows], second[rows], pair[rows], above[rows])
        rows = rows[found[rows] & (above[rows] < FINE)]
        T = relative(first[rows], second[rows])
        found[rows] = self.distances(pair[rows], T, above[rows])[0] <= above[rows]
        return found

    def distances(self, pair: Array, T: Array, above: Any) -> tuple[Array, Array, Array]:
        """Return bounds (n,) of the distances of solids, which are close or beyond `above`, and both 0 in contact; and
        the nearest points (n, 2, 3) in the frame of the first, m.

        pair (n, 2): numbers of solids. T (n, 3, 4): pose of the second solid in the first.
        """
        above = np.broadcast_to(above, len(pair))
        lower, upper, points = np.zeros(len(pair)), np.zeros(len(pair)), np.zeros((len(pair), 2, 3))
        plane = self.is_plane[pair]
        for side in (0, 1):
            rows = np.flatnonzero(plane[:, side])
            if len(rows):
                own = T[rows] if side == 0 else inverses(T[rows])
                lower[rows], found = self._from_plane(pair[rows, 1 - side], own)
                upper[rows] = lower[rows]
                points[rows] = found if side == 0 else moved(T[rows], found[:, ::-1])
        rows = np.flatnonzero(~plane.any(axis=1))
        lower[rows], upper[rows], points[rows] = self.convexes.distances(pair[rows], T[rows], above[rows])
        close = rows[self.is_mesh[pair[rows]].any(axis=1) & (lower[rows] <= above[rows])]
        within = self._meet_inside(pair[close], T[close])
        lower[close[within]] = upper[close[within]] = 0.0
        close = close[~within]
        for row in close:
            lower[row], points[row] = self._from_mesh(pair[row], T[row], float(above[row]))
            upper[row] = lower[row]
        return lower, upper, points

    def _from_mesh(self, pair: Array, T: Array, above: float) -> tuple[float, Array]:
        """Return the distance of two solids (2,), one of them a mesh, and their nearest points (2, 3)."""
        found: tuple[float, Array] = self._triangles.distance(*pair, T, above)
        if found[0] <= above and self._is_round[pair].any():  # that was of polyhedra around them
            found = self._rounds.distance(*pair, T, above, found[0])
        return found

    def _meet_inside(self, pair: Array, T: Array) -> NDArray[np.bool_]:
        """Return which pairs (n, 2) are in contact as spheres inside of them show."""
        found = np.zeros(len(pair), dtype=bool)
        for (a, b), rows in alike(pair):
            one, other = self._covers[a].inner, self._covers[b].inner
            middles = moved(T[rows], np.broadcast_to(other[:, :3], (len(rows), len(other), 3)))
            far = np.linalg.norm(middles[:, :, None] - one[:, :3], axis=3)
            found[rows] = (far < other[:, 3:] + one[:, 3]).any(axis=(1, 2))
        return found

    def _from_plane(self, number: Array, T: Array) -> tuple[Array, Array]:
        """Return the distances of solids from planes, in whose frames they have these poses, and the nearest points of
        the plane and the solid in that frame."""
        lowest = np.zeros((len(number), 3))
        for one in np.unique(number):
            rows = np.flatnonzero(number == one)
            if not self.is_plane[one]:
                own = farthest(self.solids[one], -T[rows, 2, :3])
                lowest[rows] = (T[rows, :3, :3] @ own[..., None])[..., 0] + T[rows, :3, 3]
        foot = lowest * np.array([1.0, 1.0, 0.0])
        return np.maximum(lowest[:, 2], 0.0), np.stack([foot, lowest], axis=1)

    @cached_property
    def _apart(self) -> Apart:
        return Apart([convex_of(solid) for solid in self.solids], [cover.parts for cover in self._covers])

    @cached_property
    def _triangles(self) -> Any:
        from kinetree.contact.triangles import Triangles

        return Triangles(self.solids)

    @cached_property
    def _rounds(self) -> Any:
        from kinetree.contact.rounds import Rounds

        return Rounds(self.solids)


def convex_of(solid: Solid) -> Solid:
    """Return a solid as it is or as its convex hull; a plane as a sphere that everything touches."""
    if solid.kind == "mesh":
        return Solid(solid.link, "hull", (), solid.T, solid.name, _hull_or_points(solid))
    return Solid(solid.link, "sphere", (FAR,), solid.T, solid.name) if solid.kind == "plane" else solid


def _hull_or_points(solid: Solid) -> Any:
    """Return the convex hull of a mesh; a flat one as it is."""
    try:
        return hull_of(solid.surface.vertices, solid.name)
    except KinetreeError:
        return solid.surface
