"""Exact answers about pairs of solids: convex ones by their compiled distance, meshes by their triangles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.compiler.cache import digest
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.lookup import column
from kinetree.compiler.port import Port
from kinetree.compiler.program import Program, trace
from kinetree.contact.convex import Convexes
from kinetree.contact.farthest import farthest
from kinetree.contact.poses import inverses, moved
from kinetree.contact.solids import ROUND, Solid, hull_of
from kinetree.errors import KinetreeError
from kinetree.spatial.se3 import Array


class Exact:
    """The solids of a robot, and what is exact about each two of them.

    links: the solids by link. `of_link` has their numbers. inner: the spheres (m, 4) that lie inside each solid.
    """

    def __init__(self, links: Mapping[str, Sequence[Solid]], inner: Sequence[Array]) -> None:
        self.inner = inner
        self.solids = [solid for solids in links.values() for solid in solids]
        self.of_link: dict[str, list[int]] = {}
        for number, solid in enumerate(self.solids):
            self.of_link.setdefault(solid.link, []).append(number)
        self.is_mesh = np.array([solid.kind == "mesh" for solid in self.solids])
        self._is_round = np.array([solid.kind in ROUND for solid in self.solids])
        self.is_plane = np.array([solid.kind == "plane" for solid in self.solids])
        self.T = np.array([solid.T for solid in self.solids]).reshape(-1, 4, 4)

    @cached_property
    def _relative(self) -> Kernel:
        ports = (Port("T1", (3, 4), (), "pose of the first link; m"), Port("T2", (3, 4), (), "of the second; m"))
        pair, T = (
            Port("pair", (2,), (), "numbers of the solids"),
            Port("T", (3, 4), (), "of the second solid in the first"),
        )
        return Kernel("relative", (*ports, pair), T, self._trace, digest("relative", self.T.tobytes()))

    def _trace(self) -> Program:
        return trace(self._place, (3, 4), (3, 4), (2,))

    def _place(self, first: Any, second: Any, pair: Any) -> Any:
        def of(link: Any, number: Any) -> Any:
            own = [[column(self.T[:, i, j], number) for j in range(4)] for i in range(3)]
            R = link[:, :3] @ np.array([row[:3] for row in own])
            return R, link[:, :3] @ np.array([row[3] for row in own]) + link[:, 3]

        (R, p), (S, r) = of(first, pair[0]), of(second, pair[1])
        return np.column_stack([R.T @ S, R.T @ (r - p)])

    def relative(self, first: Array, second: Array, pair: Array) -> Array:
        """Return the poses (n, 3, 4) of solids in others, for poses (n, 3, 4) of their links, and numbers (n, 2)."""
        return np.asarray(self._relative(first, second, pair.astype(float)))

    @cached_property
    def convexes(self) -> Convexes:
        """The solids, each as it is or as its convex hull; a plane as a point of it, which is not used."""
        return Convexes([_convex(solid) for solid in self.solids])

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
            given = (*pair[row], T[row], float(above[row]))
            lower[row], points[row] = self._triangles.distance(*given)
            if lower[row] <= above[row] and self._is_round[pair[row]].any():  # that was of polyhedra around them
                lower[row], points[row] = self._rounds.distance(*given, lower[row])
            upper[row] = lower[row]
        return lower, upper, points

    def _meet_inside(self, pair: Array, T: Array) -> NDArray[np.bool_]:
        """Return which pairs (n, 2) are in contact as spheres inside of them show."""
        found = np.zeros(len(pair), dtype=bool)
        for a, b in np.unique(pair, axis=0):
            one, other = self.inner[a], self.inner[b]
            rows = np.flatnonzero((pair == (a, b)).all(axis=1))
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
    def _triangles(self) -> Any:
        from kinetree.contact.triangles import Triangles

        return Triangles(self.solids)

    @cached_property
    def _rounds(self) -> Any:
        from kinetree.contact.rounds import Rounds

        return Rounds(self.solids)


def _convex(solid: Solid) -> Solid:
    if solid.kind == "mesh":
        return Solid(solid.link, "hull", (), solid.T, solid.name, _hull_or_points(solid))
    return Solid(solid.link, "sphere", (1.0,), solid.T, solid.name) if solid.kind == "plane" else solid


def _hull_or_points(solid: Solid) -> Any:
    """Return the convex hull of a mesh; a flat one as it is."""
    try:
        return hull_of(solid.surface.vertices, solid.name)
    except KinetreeError:
        return solid.surface
