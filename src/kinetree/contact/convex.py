"""Distances of convex solids, compiled: many pairs at once, one in each lane (`kinetree.algorithms.convex`)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.algorithms import convex
from kinetree.compiler.cache import digest
from kinetree.compiler.expr import Graph
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.lookup import Farthest, column
from kinetree.compiler.port import Port
from kinetree.compiler.program import trace
from kinetree.contact.cells import candidates, cell_of
from kinetree.contact.depth import depth
from kinetree.contact.solids import Solid
from kinetree.spatial.se3 import Array

ACROSS = {16: 1, 40: 4, 100: 8, np.inf: 16}
"""Cells along an edge of the cube of directions, for up to so many corners."""
START = np.eye(1, convex.DECISION)[0]
"""The state before the first step."""


class Convexes:
    """Convex solids in a table, and the kernel of their distances."""

    def __init__(self, solids: Sequence[Solid]) -> None:
        """Prepare the solids, whose numbers in this list are those of a call."""
        names = ("cells", "first", "disc", "radius", "rx", "ry", "rz")
        self.solids = solids
        self.columns: dict[str, list[float]] = {name: [] for name in names}
        self._cut: dict[str, tuple[Array, int, int]] = {}  # of each shape its corners, cells and the first of these
        cells = 0
        for solid in solids:
            corners, disc, radius, radii = _parts(solid)
            if solid.key not in self._cut:
                across = next(n for few, n in ACROSS.items() if len(corners) <= few)
                self._cut[solid.key] = corners, across, cells
                cells += 6 * across**2
            _, across, first = self._cut[solid.key]
            for name, value in zip(self.columns, (across, first, disc, radius, *radii), strict=True):
                self.columns[name].append(float(value))
        self.radius = np.array(self.columns["radius"])
        pair = Port("pair", (2,), (), "numbers of the solids")
        above = Port("above", (), (), "distance beyond which it need not be known; m")
        T = Port("T", (3, 4), (), "pose of the second in the first; m")
        poses = Port("first", (12,), (), "pose of the first; m"), Port("second", (12,), (), "pose of the second; m")
        self.kernel = self._kernel("convex_distance", convex.STATE, self._measure, T, pair, above)
        self.decision = self._kernel("convex_contact", convex.DECISION, self._decide, *poses, pair, above)

    @cached_property
    def _table(self) -> tuple[Array, Array]:
        """The corners (n, 3) of all cells, and where those of each begin."""
        own = [corners[some] for corners, across, _ in self._cut.values() for some in candidates(corners, across)]
        return np.concatenate(own), np.cumsum([0, *map(len, own)]).astype(float)

    def _kernel(self, name: str, size: int, step: Any, *ports: Port) -> Kernel:
        state = Port("state", (size,), (), "see `kinetree.algorithms.convex`")
        key = digest(name, repr(self.columns), *self._cut)
        shapes = [port.shape for port in (state, *ports)]
        return Kernel(name, (state, *ports), state, lambda: trace(step, *shapes, repeated=True), key)

    def _decide(self, state: Any, first: Any, second: Any, pair: Any, above: Any) -> Any:
        reach = sum(column(self.radius, number) for number in pair)
        return self._step(state, relative(first, second), pair, above[()] + reach)

    def _measure(self, state: Any, T: Any, pair: Any, above: Any) -> Any:
        return self._step(state, T, pair, above[()])

    def _step(self, state: Any, T: Any, pair: Any, above: Any) -> Any:
        graph: Graph = pair[0].graph
        corners, starts = self._table
        rows = Farthest(corners)
        R, p = T[:, :3], T[:, 3]

        def vertex(solid: Any, d: Any) -> Any:
            own = {name: column(values, solid) for name, values in self.columns.items()}
            cell = own["first"] + cell_of(d, own["cells"])
            row = graph.apply(rows, column(starts, cell), column(starts, cell + 1.0), *d)
            corner = np.array([column(corners[:, axis], row) for axis in range(3)])
            flat = own["disc"] / np.maximum(np.sqrt(d[0] * d[0] + d[1] * d[1]), 1e-150)
            scaled = np.array([own[name] * own[name] * x for name, x in zip(("rx", "ry", "rz"), d, strict=True)])
            size = np.sqrt(np.maximum((scaled * d).sum(), 1e-300))
            return corner + np.array([flat * d[0], flat * d[1], 0.0]) + scaled / size

        def vertices(d: Any) -> tuple[Any, Any]:
            own = vertex(pair[0], d)
            return own - (R @ vertex(pair[1], -(R.T @ d)) + p), own

        return convex.step(state, vertices, 1e-9 - p, above)

    def touching(self, first: Array, second: Array, pair: Array, above: Any) -> NDArray[np.bool_]:
        """Return which pairs (n, 2) of solids with these poses (n, 12) are at most some distance apart, m; `above` is
        one or one of each (n,)."""
        start = np.broadcast_to(START, (len(pair), convex.DECISION))
        found = self.decision(start, first, second, pair, np.broadcast_to(above, len(pair)))
        return np.asarray(found[:, 0] < 0.0)

    def distances(self, pair: Any, T: Any, above: Any = np.inf) -> tuple[Array, Array, Array]:
        """Return a lower and an upper bound (n,) of the distances of solids, m, both 0 in contact, and the nearest
        points (n, 2, 3) of both in the frame of the first, which mean something where they are apart.

        pair (n, 2): numbers of solids. T (n, 3, 4): pose of the second in the first. above: a distance beyond which the
        bounds need not be close.
        """
        pair = np.asarray(pair)
        reach, radii = self.radius[pair].sum(axis=1), self.radius[pair]
        lower, v, first = self._searched(pair, T, np.minimum(above, 1e200) + reach)
        far = np.linalg.norm(v, axis=1)
        upper = np.where(far <= convex.TOUCHING, 0.0, far)
        lower = np.minimum(np.maximum(lower, 0.0), upper)
        out = (v / np.maximum(far, 1e-300)[:, None])[:, None] * radii[..., None] * np.array([[-1.0], [1.0]])
        points = np.stack([first, first - v], axis=1) + out
        return np.maximum(lower - reach, 0.0), np.maximum(upper - reach, 0.0), points

    def depths(self, pair: Array, T: Array) -> Array:
        """Return how deep solids are in each other (n,), m, for pair and T as of `distances`."""
        reach = self.radius[pair].sum(axis=1)
        far = np.linalg.norm(self._searched(pair, T, reach)[1], axis=1)
        found = np.maximum(reach - far, 0.0)
        for row in np.flatnonzero(far <= convex.TOUCHING):
            one, other = (self.solids[i] for i in pair[row])
            found[row] = reach[row] + depth(one, other, T[row])
        return np.asarray(found)

    def _searched(self, pair: Array, T: Array, above: Any) -> tuple[Array, Array, Array]:
        """Return lower bounds of the distances of the solids without their balls (n,), how far the nearest points of
        the first are from the second (n, 3), and these points in the frame of the first."""
        start = np.broadcast_to(np.eye(1, convex.STATE), (len(pair), convex.STATE))
        given = np.ascontiguousarray(np.broadcast_to(above, len(pair)))
        found = self.kernel(start, np.ascontiguousarray(T), pair.astype(float), given)
        return found[:, convex.LOWER], found[:, convex.NEAREST], found[:, convex.WITNESS]


def relative(first: Any, second: Any) -> Any:
    """Return the pose (…, 3, 4) of the second in the first, for poses (…, 12) of both."""
    one, other = (pose.reshape(*pose.shape[:-1], 3, 4) for pose in (first, second))
    back = one[..., :3].swapaxes(-1, -2)
    return np.concatenate([back @ other[..., :3], back @ (other[..., 3:] - one[..., 3:])], axis=-1)


def _parts(solid: Solid) -> tuple[Array, float, float, tuple[float, float, float]]:
    """Return what a solid is the sum of: corners (n, 3), the radius of a disc about z, that of a ball, and the radii of
    an ellipsoid. The ball is not part of the solid that is searched; it is subtracted from distances."""
    none, middle = (0.0, 0.0, 0.0), np.zeros((1, 3))
    if solid.kind in ("hull", "box"):
        return solid.surface.vertices, 0.0, 0.0, none
    if solid.kind == "sphere":
        return middle, 0.0, solid.sizes[0], none
    if solid.kind == "ellipsoid":
        a, b, c = solid.sizes
        return middle, 0.0, 0.0, (a, b, c)
    axis = np.array([[0.0, 0.0, -0.5], [0.0, 0.0, 0.5]]) * solid.sizes[1]
    return (axis, solid.sizes[0], 0.0, none) if solid.kind == "cylinder" else (axis, 0.0, solid.sizes[0], none)
