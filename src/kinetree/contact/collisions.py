"""Contact of a robot's links with each other and with what stands around them: what `kt.collisions` returns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinetree.compiler.cache import digest
from kinetree.compiler.kernel import Kernel
from kinetree.contact.bounds import Covers
from kinetree.contact.exact import Exact
from kinetree.contact.pairs import LeftOut
from kinetree.contact.poses import moved
from kinetree.contact.ways import columns_between
from kinetree.display import counted
from kinetree.errors import fail
from kinetree.model.limits import checked_q
from kinetree.model.robot import Robot
from kinetree.queries.motion import fk
from kinetree.spatial.numbers import numbers
from kinetree.spatial.se3 import Array

PORTION = 20_000
"""Configurations that are tested at once."""
MOST_DRAWN = 1000
"""Configurations that are drawn at most for each that is returned by `sample`."""


class Bounds(NamedTuple):
    """Bounds (…,) of the least distance, m: lower <= distance <= upper."""

    lower: Any
    upper: Any


class Witness(NamedTuple):
    """Where two links are nearest: `pair`, its number in `pairs` (…,); `distance` (…,), m, 0 in contact; and
    the nearest `points` (…, 2, 3) of both in the root frame, m, not numbers in contact."""

    pair: Any
    distance: Any
    points: Any


class Collisions:
    """Which links are in contact. Call it with q (…, nq) for a truth value of each configuration (…,).

    pairs: the pairs of links that are tested. left_out: those that are not, each with its reason. margin: links count
    as in contact up to this distance, m. moving: links whose poses (…, m, 4, 4) in the root are a second input. notes:
    what is known of the shapes that makes the answers say less, such as a link without any.

    The answers are exact for the shapes as `kt.collisions` defines them; within 1e-6 m of touching either answer may be
    given. A configuration that is not finite counts as in contact, and its distance is not a number.
    """

    def __init__(
        self,
        covers: Covers,
        exact: Exact,
        poses: Kernel,
        links: Sequence[str],
        robot: Robot,
        left_out: Sequence[LeftOut],
        notes: Sequence[str],
        margin: float,
        margins: Array,
    ) -> None:
        self.pairs, self.left_out, self.moving, self.margin = covers.pairs, tuple(left_out), covers.moving, margin
        self.robot, self.notes = robot, tuple(notes)
        self._exact, self._poses, self._names, self._covers = exact, poses, links, covers
        self._below, self._margins = covers.below(margin), margins
        number = {name: i for i, name in enumerate([*links, *covers.moving])}
        self._link_of = np.array([number.get(solid.link, -1) for solid in exact.solids])
        solids = [[(i, j) for i in exact.of_link[a] for j in exact.of_link[b]] for a, b in self.pairs]
        self._counts = np.array([len(own) for own in solids])
        self._first = np.cumsum(self._counts) - self._counts
        self._solids = np.array([both for own in solids for both in own]).reshape(-1, 2)

    def __repr__(self) -> str:
        without = f", {len(self.left_out)} left out" if self.left_out else ""
        return f"<Collisions of {counted(len(self.pairs), 'pair')} of links of {self.robot.name!r}{without}>"

    def __call__(self, q: Any, moving: Any = None) -> Any:
        """Return whether any two links are in contact (…,), for q (…, nq)."""
        is_one = moving is None and type(q) is np.ndarray and q.shape == self._poses.inputs[0].shape
        if is_one and not self.moving and (self._below(q) >= self._margins).all():
            return np.False_  # proved apart
        return self._by_portions(self._any, q, moving)

    @property
    def key(self) -> str:
        """A digest of the pairs and their shapes and margins."""
        pairs = zip(self.pairs, self._margins.tolist(), strict=True)
        return digest(repr(list(pairs)), self._covers.layout.key, *(solid.key for solid in self._exact.solids))

    def where(self, q: Any, moving: Any = None) -> Any:
        """Return which pairs are in contact (…, k), in the order of `pairs`."""
        return self._by_portions(self._where, q, moving)

    def bounds(self, q: Any, moving: Any = None) -> Bounds:
        """Return bounds of the least distance, m: that of the covers, and the distance itself."""
        least = self._by_portions(lambda *given: self._covers.least()(*given), q, moving)
        lower = np.maximum(least, 0.0)
        return Bounds(lower, self.distance(q, moving))

    def distance(self, q: Any, moving: Any = None) -> Any:
        """Return the least distance of any two links (…,), m, 0 in contact."""
        return self.witness(q, moving).distance

    def witness(self, q: Any, moving: Any = None) -> Witness:
        """Return which pair is nearest, how far apart it is, and at which points."""
        found = self._by_portions(self._nearest, q, moving)
        points = found[..., 2:].reshape(*found.shape[:-1], 2, 3)
        return Witness(found[..., 0].astype(int)[()], found[..., 1][()], points)

    def sample(self, n: int, seed: int = 0) -> Array:
        """Return n configurations (n, nq) inside the limits and apart, uniform among these.

        Raises KinetreeError if fewer than one in a thousand is apart.
        """
        rng, found = np.random.default_rng(seed), np.zeros((0, len(self.robot.limits.lower)))
        drawn = 0
        while len(found) < n:
            if drawn >= MOST_DRAWN * n and drawn >= 10 * MOST_DRAWN:
                raise fail("sample", f"of {drawn} configurations {len(found)} were apart; {n} were asked for")
            some = self.robot.limits.sample(max(2 * (n - len(found)), 100), rng)
            found, drawn = np.concatenate([found, some[~self(some)]]), drawn + len(some)
        return found[:n]

    def moved_by(self, robot: Robot, columns: Array) -> Collisions:
        """Return the same for a robot with the same links, such as one in which some joints stand, about the pairs that
        the coordinates `columns` of its q move against each other.

        Raises KinetreeError for a robot whose links have other shapes, and if there are no such pairs.
        """
        bodies = self._covers.layout.bodies
        for name in bodies:
            shapes = [one.links[name].collisions if name in one.links else () for one in (robot, self.robot)]
            if [id(shape) for shape in shapes[0]] != [id(shape) for shape in shapes[1]]:
                message = f"link {name!r} of {robot.name!r} is not the one whose contact is given"
                raise fail("clearance", message, fix="call kt.collisions with this robot")
        kept = [pair for pair in self.pairs if not columns_between(robot, *pair).isdisjoint(columns.tolist())]
        if not kept:
            raise fail("clearance", f"no two links of {robot.name!r} that are tested move against each other here")
        if robot is self.robot and len(kept) == len(self.pairs):
            return self
        others = [LeftOut(*pair, "not moved by inverse kinematics") for pair in self.pairs if pair not in kept]
        left_out, names = [*self.left_out, *others], self._names
        covers = Covers(robot, bodies, kept)
        margins = self._margins[[self.pairs.index(pair) for pair in kept]]
        more = left_out, self.notes, self.margin, margins
        return Collisions(covers, self._exact, fk(robot, names), names, robot, *more)

    def _by_portions(self, answer: Callable[..., Array], q: Any, moving: Any) -> Any:
        """Return the answers for a flat batch, in the shape of the batch."""
        given = [checked_q(self.robot.limits, q, "q")]
        if (moving is None) != (not self.moving):
            wanted = f"the poses of {', '.join(self.moving)} are missing; expected a second argument"
            raise fail("moving", wanted if self.moving else "no links were named as moving; expected q alone")
        cores = [self._poses.inputs[0].shape, (len(self.moving), 4, 4)]
        if self.moving:
            given.append(numbers(moving, "moving", "moving is"))
            if given[1].shape[-3:] != cores[1]:
                raise fail("moving", f"moving has the shape {given[1].shape}; expected (…, {len(self.moving)}, 4, 4)")
        shapes = [a.shape[: -len(c)] for a, c in zip(given, cores, strict=False)]
        try:
            batch = np.broadcast_shapes(*shapes)
        except ValueError:
            message = f"the batches of q and moving are {shapes[0]} and {shapes[1]}, which do not go together"
            raise fail("moving", message) from None
        flat = [np.broadcast_to(a, batch + c).reshape(-1, *c) for a, c in zip(given, cores, strict=False)]
        starts = range(0, max(len(flat[0]), 1), PORTION)
        found = np.concatenate([answer(*(a[i : i + PORTION] for a in flat)) for i in starts])
        return found.reshape(batch + found.shape[1:])[()]

    def _any(self, *given: Array) -> NDArray[np.bool_]:
        lower = self._below(*given)
        found: NDArray[np.bool_] = ~np.isfinite(lower).all(axis=1)
        lower -= self._margins
        pairs = lower.argmin(axis=1)  # the likeliest first
        rows = np.flatnonzero(~found & (lower[np.arange(len(lower)), pairs] < 0.0))
        found[rows] = self._touch(given, rows, pairs[rows])
        lower[rows, pairs[rows]] = 0.0
        rest = rows[~found[rows]]
        rows, pairs = np.nonzero(lower[rest] < 0.0)
        found[rest[rows[self._touch(given, rest[rows], pairs)]]] = True
        return found

    def _where(self, *given: Array) -> NDArray[np.bool_]:
        lower = self._below(*given)
        found: NDArray[np.bool_] = ~np.isfinite(lower)
        rows, pairs = np.nonzero(lower < self._margins)
        found[rows, pairs] = self._touch(given, rows, pairs)
        return found

    def _touch(self, given: Sequence[Array], rows: Array, pairs: Array) -> NDArray[np.bool_]:
        """Return whether pairs (n,) are in contact in configurations (n,)."""
        margins = self._margins[pairs]
        return np.asarray(self._distances(given, rows, pairs, margins)[0] <= margins)

    def _nearest(self, *given: Array) -> Array:
        """Return the number of the nearest pair, the distance, and the points (…, 8)."""
        lower = self._covers.each()(*given)
        lower = np.where(np.isfinite(lower), np.maximum(lower, 0.0), np.inf)
        found = np.full((len(lower), 8), np.nan)
        found[:, 0], found[:, 1] = 0, np.inf
        while True:  # the pair that may be nearest, as long as it may be nearer than the nearest so far
            pairs = lower.argmin(axis=1)
            rows = np.flatnonzero(lower[np.arange(len(lower)), pairs] < found[:, 1])
            if not len(rows):
                break
            pairs = pairs[rows]
            far, points = self._distances(given, rows, pairs, found[rows, 1])
            lower[rows, pairs] = np.inf
            nearer = far < found[rows, 1]
            found[rows[nearer]] = np.column_stack([pairs, far, points.reshape(-1, 6)])[nearer]
        found[np.isinf(found[:, 1]), 1] = np.nan
        found[found[:, 1] == 0, 2:] = np.nan
        return found

    def _distances(self, given: Sequence[Array], rows: Array, pairs: Array, above: Any) -> tuple[Array, Array]:
        """Return the distances (n,) of pairs of links in configurations (n,), or numbers beyond `above`, and
        the nearest points in the root (n, 2, 3)."""
        if not len(rows):
            return np.zeros(0), np.zeros((0, 2, 3))
        count = self._counts[pairs]
        starts = np.cumsum(count) - count
        row = np.repeat(np.arange(len(rows)), count)
        solids = self._solids[np.repeat(self._first[pairs] - starts, count) + np.arange(len(row))]
        poses, place = self._links(given, rows)
        first, second = (poses[place[row], self._link_of[side], :3] for side in solids.T)
        limit = np.broadcast_to(above, len(rows))[row]
        T = self._exact.relative(first, second, solids)
        _, far, points = self._exact.distances(solids, T, limit)
        least = np.minimum.reduceat(far, starts)
        nearest = starts if (count == 1).all() else _first(np.flatnonzero(far == least[row]), row)
        own = self._exact.T[solids[nearest, 0]]
        return least, moved(first[nearest], moved(own, points[nearest]))

    def _links(self, given: Sequence[Array], rows: Array) -> tuple[Array, Array]:
        """Return the poses of the links (m, l, 4, 4) in configurations of these numbers, each once, and which of the m
        each number is."""
        used = np.flatnonzero(np.bincount(rows))
        place = np.zeros(used[-1] + 1, dtype=np.intp)
        place[used] = np.arange(len(used))
        poses = self._poses(given[0][used])
        if len(given) > 1:
            poses = np.concatenate([poses, given[1][used]], axis=1)
        return np.asarray(poses), place[rows]


def _first(numbers: Array, row: Array) -> Array:
    """Return the first of the numbers of each row."""
    return np.asarray(numbers[np.diff(row[numbers], prepend=-1) > 0])
