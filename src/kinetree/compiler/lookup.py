"""Operations with a constant table: the nearest pair of many points, an entry of a column, one of several points.

They stand in a program beside the rows of `kinetree.compiler.ops`, and are applied as those are:
`points[0].graph.apply(Nearest(pairs), *points)`. A program that compared all pairs in straight lines would take minutes
to compile (Larsen et al., Fast Proximity Queries with Swept Sphere Volumes, 1999, skip whole bodies likewise).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.compiler.cache import digest
from kinetree.compiler.ops import OPS, Op

Numbers = NDArray[np.float64]
Indices = NDArray[np.int64]


class Table:
    """Base of the constant tables: equal if their numbers are."""

    @cached_property
    def key(self) -> str:
        """A digest of the contents."""
        arrays = (np.ascontiguousarray(value) for value in vars(self).copy().values() if isinstance(value, np.ndarray))
        return digest(type(self).__name__, *(repr(a.shape) + a.dtype.str + a.tobytes().hex() for a in arrays))

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.key == self.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.key[:24]})"


@dataclass(frozen=True, eq=False, repr=False)
class Pairs(Table):
    """Pairs of points whose distances are compared, in groups that are skipped together.

    first, second (k,): numbers of two points. reach (k,): what is subtracted from the distance, the sum of two radii.
    boxes (k, 2, 3) or None: the second is a box, of whose ends along its three axes these are the coordinates; point
    `second` is its origin, and the three points after it are the directions of its axes.

    Groups follow each other. group_first, group_second, group_reach (g,): a pair of points whose distance less the
    reach is below that of every pair in the group and in those up to `skip` (g,), the group that is next if none of
    them can be the nearest. start (g + 1,): the group's pairs are start[i] to start[i + 1].
    """

    first: Indices
    second: Indices
    reach: Numbers
    group_first: Indices
    group_second: Indices
    group_reach: Numbers
    skip: Indices
    start: Indices
    boxes: Numbers | None = None

    def distances(self, points: Any) -> Any:
        """Return the distance of each pair less its reach (k, …), for points (n, 3, …)."""
        a, b = points[self.first], points[self.second]
        d = a - b
        if self.boxes is not None:
            axes = np.stack([points[self.second + 1 + axis] for axis in range(3)], axis=1)  # (k, 3, 3, …)
            along = (d[:, None] * axes).sum(axis=2)
            low, high = (self.boxes[:, end].reshape(-1, 3, *[1] * (along.ndim - 2)) for end in (0, 1))
            d = np.maximum(np.maximum(low - along, along - high), 0.0)
        reach = self.reach.reshape(-1, *[1] * (d.ndim - 2))
        return np.sqrt((d * d).sum(axis=1)) - reach


@dataclass(frozen=True)
class Nearest:
    """The number of the pair whose distance less its reach is least, of points x0, y0, z0, x1, …; its rate is zero."""

    pairs: Pairs
    count: int
    logical = commutative = False
    name = "nearest"

    def meaning(self, *entries: Any) -> Any:
        """Return the number for arrays of a shape, or for floats."""
        points = np.stack(np.broadcast_arrays(*entries))
        return _least(self.pairs, points.reshape(self.count, 3, *points.shape[1:]))

    def rate(self, y: Any, x: Any, dx: Any) -> float:
        """Return 0: it is constant but where it jumps."""
        return 0.0


@dataclass(frozen=True, eq=False, repr=False)
class Leasts(Table):
    """In each of several parts of a table of pairs, the least distance less its reach, or `most` where none is below
    it, and the number of that pair, or 0; of points x0, y0, z0, x1, …. The value of a step is all of them, first the
    distances (m,), then the numbers (m,); `Part` takes one.

    ends (m + 1,): part i are the groups from ends[i] to ends[i + 1]. The rate is not known: it has none.
    """

    pairs: Pairs
    ends: Indices
    most: Numbers
    count: int
    logical = commutative = False
    name = "leasts"

    @property
    def key(self) -> str:
        """A digest of the contents."""
        return digest(self.pairs.key, self.ends.tobytes(), self.most.tobytes(), str(self.count))

    def meaning(self, *entries: Any) -> Any:
        """Return all of them in front of the axes of the arrays."""
        points = np.stack(np.broadcast_arrays(*entries))
        d = self.pairs.distances(points.reshape(self.count, 3, *points.shape[1:]))
        starts, most = self.pairs.start[self.ends], float(self.most[0])
        least, found = np.full((2, len(self.ends) - 1, *d.shape[1:]), 0.0, points.dtype)
        for i, (a, b) in enumerate(itertools.pairwise(starts)):
            least[i] = d[a:b].min(axis=0, initial=most)
            if a < b:
                found[i] = np.where(least[i] < most, a + d[a:b].argmin(axis=0), 0)
        return np.concatenate([least, found])

    def rate(self, y: Any, x: Any, dx: Any) -> Any:
        """Raise TypeError."""
        raise TypeError("bounds have no derivative; that of the least is kt.clearance's")


@dataclass(frozen=True)
class Part:
    """One of the numbers of a step `Leasts`."""

    number: int
    logical = commutative = False
    name = "part"

    def meaning(self, all_of_them: Any) -> Any:
        """Return it."""
        return all_of_them[self.number]

    def rate(self, y: Any, x: Any, dx: Any) -> Any:
        """Return the rate, which there is none of."""
        return dx[0]


AT_ONCE = 2_000_000
"""Most distances that the reference keeps in memory."""


def _least(pairs: Pairs, points: Any) -> Any:
    many = max(1, AT_ONCE // max(len(pairs.first), 1))
    flat = points.reshape(*points.shape[:2], -1)
    parts = [flat[..., i : i + many] for i in range(0, flat.shape[-1], many)]
    found = [np.where(np.isfinite(d := pairs.distances(part)), d, np.inf).argmin(axis=0) for part in parts]
    result = np.concatenate(found).astype(points.dtype) if found else np.zeros(0, points.dtype)
    return result.reshape(points.shape[2:])[()]


@dataclass(frozen=True, eq=False, repr=False)
class Column(Table):
    """Constants, of which one is chosen by its number."""

    values: Numbers
    logical = commutative = False
    name = "entry"

    def meaning(self, k: Any) -> Any:
        """Return the entries of these numbers."""
        return self.values[np.asarray(k).astype(int)].astype(np.asarray(k).dtype)[()]

    def rate(self, y: Any, x: Any, dx: Any) -> float:
        """Return 0: it is constant but where it jumps."""
        return 0.0


@dataclass(frozen=True)
class Chosen:
    """Coordinate `axis` of the point whose number is the first argument, of the points behind it."""

    count: int
    axis: int
    logical = commutative = False
    name = "chosen"

    def meaning(self, k: Any, *entries: Any) -> Any:
        """Return the coordinate for arrays of a shape, or for floats."""
        k, *own = np.broadcast_arrays(k, *entries[self.axis :: 3])
        return np.take_along_axis(np.stack(own), k.astype(int)[None], axis=0)[0][()]

    def rate(self, y: Any, x: Any, dx: Any) -> Any:
        """Return the rate of the chosen one."""
        total: Any = 0.0
        for i, rate in enumerate(dx[1 + self.axis :: 3]):
            if not (isinstance(rate, float) and rate == 0.0):
                total = total + np.where(np.less(abs(x[0] - float(i)), 0.5), rate, 0.0)
        return total


@dataclass(frozen=True, eq=False, repr=False)
class Farthest(Table):
    """The number of the row, of those from `first` up to `last`, that lies farthest in a direction: its arguments are
    first, last, and x, y, z of the direction. rows (n, 3)."""

    rows: Numbers
    logical = commutative = False
    name = "farthest"

    def meaning(self, first: Any, last: Any, *direction: Any) -> Any:
        """Return the numbers for arrays of a shape, or for floats; the first of several that are equally far."""
        first, last, *d = np.broadcast_arrays(first, last, *direction)
        found, best = first.copy(), np.full(first.shape, -np.inf)
        for step in range(int(np.max(last - first, initial=0))):
            row = np.minimum(first + step, last - 1)
            far = sum(self.rows[row.astype(int), axis] * d[axis] for axis in range(3))
            found, best = np.where(far > best, row, found), np.maximum(far, best)
        return found.astype(first.dtype)[()]

    def rate(self, y: Any, x: Any, dx: Any) -> float:
        """Return 0: it is constant but where it jumps."""
        return 0.0


Lookup = Nearest | Leasts | Part | Column | Chosen | Farthest


def operation(op: str | Lookup) -> Op | Lookup:
    """Return the operation that a step names."""
    return OPS[op] if isinstance(op, str) else op


def column(values: Any, number: Any) -> Any:
    """Return the entry of constants (n,) that has a number; a plain number if all are equal."""
    values = np.asarray(values, dtype=float)
    return float(values[0]) if (values == values[0]).all() else number.graph.apply(Column(values), number)
