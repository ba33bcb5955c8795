"""Kernels of the covers of a robot: the least clearance of all pairs, and bounds pair by pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kinetree.algorithms.kinematics import forward_kinematics
from kinetree.compiler.cache import digest
from kinetree.compiler.expr import Graph
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.lookup import Chosen, Leasts, Nearest, Pairs, Part, column
from kinetree.compiler.port import Port
from kinetree.contact.pairs import Pair
from kinetree.contact.solids import Solid
from kinetree.contact.table import FAR, Body, Layout, Table, box_pairs, points, sphere_pairs
from kinetree.model.robot import Robot
from kinetree.model.tree import Tree
from kinetree.queries.query import query

ROW = 12
"""Numbers of a pose."""


class Covers:
    """The covers of pairs of bodies, links or solids of these, and the kernels of their distances.

    moving: links whose poses (m, 4, 4) in the root are a second input of the kernels.
    """

    def __init__(
        self, robot: Robot, bodies: Mapping[str, Body], pairs: Sequence[Pair], moving: Sequence[str] = ()
    ) -> None:
        used = {name for pair in pairs for name in pair}
        self.robot, self.pairs, self.moving, self.bodies = robot, tuple(pairs), tuple(moving), bodies
        self.layout = Layout.of({name: body for name, body in bodies.items() if name in used})
        tables = (sphere_pairs(self.layout, pairs), box_pairs(self.layout, pairs))
        self.tables = [table for table in tables if len(table.pairs.first)]

    def least(self) -> Kernel:
        """Return the kernel from q to a lower bound of the least distance of all pairs (…,), m."""
        tables = self.tables

        def algorithm(search: _Search) -> Any:
            least = [search.least(table) for table in tables]
            return np.asarray(np.minimum(*least) if len(least) == 2 else [*least, np.inf][0])

        return self._kernel("clearance", Port("clearance", (), (), "no more than the least distance; m"), algorithm)

    def each(self) -> Kernel:
        """Return the kernel from q to a lower bound of the distance of each pair (…, k), m."""
        tables, count = self.tables, len(self.pairs)

        def algorithm(search: _Search) -> Any:
            found: list[Any] = [np.inf] * count
            for table in tables:
                for i, d in search.each(table):
                    found[i] = d if found[i] == np.inf else np.minimum(found[i], d)
            return np.array(found)

        return self._kernel("clearances", self._port(), algorithm)

    def near(self, most: float, solids: Sequence[Solid]) -> Kernel:
        """Return the kernel from q to rows of 12 numbers: the poses (3, 4) of solids in the root, then the lesser of
        `most` and a lower bound of the distance of each pair, m, padded with `most`. It has no derivative, and is
        quicker than `each` the less `most` is."""
        tables, count = self.tables, len(self.pairs)
        rows = len(solids) + -(-count // ROW)

        def algorithm(search: _Search) -> Any:
            found = [search.below(table, most) for table in tables]
            if len(found) == 2:
                return np.array([np.minimum(a, b) for a, b in zip(*found, strict=True)])
            return np.array([*found, [most] * count][0])

        def whole(T: Mapping[str, Any], found: Any) -> Any:
            poses = [(T[solid.link][:3] @ solid.T).ravel() for solid in solids]
            padding = [most] * (ROW * (rows - len(solids)) - len(found))
            return np.concatenate([*poses, found, padding]).reshape(rows, ROW)

        name = f"poses, and clearances below {most}, {digest(*(solid.T.tobytes() for solid in solids))}"
        return self._kernel(name, Port("near", (rows, ROW), (), "m"), algorithm, whole)

    def _port(self) -> Port:
        labels = tuple(f"{a} {b}" for a, b in self.pairs)
        return Port("clearance", (len(self.pairs),), labels, "no more than the distance; m")

    def _kernel(self, name: str, output: Port, algorithm: Any, whole: Any = lambda T, found: found) -> Kernel:
        names = [*dict.fromkeys(b.link for b in self.layout.bodies.values() if b.link not in self.moving)]
        more = [Port("moving", (len(self.moving), 4, 4), self.moving, "poses in the root; m")] if self.moving else []

        layout, alone = self.layout, self.moving  # not `self`: what is kept for a robot must not keep it

        def traced(model: Tree, q: Any, *poses: Any) -> Any:
            T = dict(zip(names, forward_kinematics(model, q, names), strict=True))
            T |= dict(zip(alone, poses[0], strict=True)) if poses else {}
            own = points(layout, T)
            size = sum(abs(x) for name in layout.bodies for x in own[layout.ball(name)])
            found = algorithm(_Search(own, q[0].graph))
            return whole(T, np.array([np.where(size < FAR, x, np.nan) for x in found.ravel()]).reshape(found.shape))

        key = (name, self.moving, self.pairs, self.layout.key, *(table.key for table in self.tables))
        return query(self.robot, key, names, output, traced, more)


class _Search:
    """The search among the points of a configuration."""

    def __init__(self, own: Any, graph: Graph) -> None:
        self.entries, self.count, self.graph = list(np.ravel(own)), len(own), graph

    def least(self, table: Table) -> Any:
        """Return the least distance in a table."""
        return self._distance(table.pairs, self.graph.apply(Nearest(table.pairs, self.count), *self.entries))

    def each(self, table: Table) -> list[tuple[int, Any]]:
        """Return the numbers of the pairs of bodies that a table has, and their distances."""
        every, m = self._leasts(table, np.inf), len(table.ends) - 1
        own = [i for i in range(m) if table.ends[i] < table.ends[i + 1]]
        return [(i, self._distance(table.pairs, self.graph.apply(Part(m + i), every))) for i in own]

    def below(self, table: Table, most: float) -> list[Any]:
        """Return the least distance of each pair of bodies, or `most`."""
        every = self._leasts(table, most)
        return [self.graph.apply(Part(i), every) for i in range(len(table.ends) - 1)]

    def _leasts(self, table: Table, most: float) -> Any:
        return self.graph.apply(Leasts(table.pairs, table.ends, np.array([most]), self.count), *self.entries)

    def _distance(self, pairs: Pairs, number: Any) -> Any:
        """Return the distance less its reach of a pair, in a straight line, so that it has a derivative."""
        first, second = (column(values, number) for values in (pairs.first, pairs.second))
        d = self._point(first) - self._point(second)
        if pairs.boxes is not None:
            beyond = []
            for axis in range(3):
                along = d @ self._point(second + float(1 + axis))
                low, high = (column(pairs.boxes[:, end, axis], number) for end in (0, 1))
                beyond.append(np.maximum(np.maximum(low - along, along - high), 0.0))
            d = np.array(beyond)
        return np.sqrt(d @ d) - column(pairs.reach, number)

    def _point(self, number: Any) -> Any:
        return np.array([self.graph.apply(Chosen(self.count, axis), number, *self.entries) for axis in range(3)])
