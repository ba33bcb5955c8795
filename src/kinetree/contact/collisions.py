"""Contact of a robot's links with each other and with what stands around them: what `kt.collisions` returns."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.compiler.cache import digest
from kinetree.contact.bounds import ROW, Covers
from kinetree.contact.convex import START, relative
from kinetree.contact.covers import SLACK
from kinetree.contact.exact import Exact
from kinetree.contact.nearest import Bounds, Witness
from kinetree.contact.pairs import LeftOut, Pair
from kinetree.contact.poses import PORTION, moved
from kinetree.contact.rows import Rows
from kinetree.contact.segments import Passage, along
from kinetree.contact.solids import Solid
from kinetree.contact.ways import columns_between
from kinetree.display import counted
from kinetree.errors import fail
from kinetree.model.limits import checked_q
from kinetree.model.robot import Robot
from kinetree.spatial.numbers import numbers, poses
from kinetree.spatial.se3 import Array

MOST_DRAWN = 1000
"""Configurations that are drawn at most for each that is returned by `sample`."""


def solid_pairs(exact: Exact, pairs: Sequence[Pair]) -> list[Pair]:
    """Return the pairs of solids of pairs of links, by the texts of their numbers."""
    of_link = exact.of_link
    return [(str(i), str(j)) for a, b in pairs for i in of_link[a] for j in of_link[b]]


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
        pairs: Sequence[Pair],
        covers: Covers,
        exact: Exact,
        left_out: Sequence[LeftOut],
        notes: Sequence[str],
        margin: float,
        margins: Array,
    ) -> None:
        self.pairs, self.left_out, self.moving, self.margin = tuple(pairs), tuple(left_out), covers.moving, margin
        self.robot, self.notes, self._shape = covers.robot, tuple(notes), (covers.robot.nq,)
        self._exact, self._covers = exact, covers
        used = [int(name) for name in covers.layout.bodies]
        self._used = [exact.solids[i] for i in used]
        self._near = covers.near(margin, self._used)
        self._solids = np.array(covers.pairs, dtype=np.int64).reshape(-1, 2)
        self._places = np.argsort(used)[np.searchsorted(np.sort(used), self._solids)]  # among those that are used
        places, numbers = self._places.tolist(), self._solids.astype(float)
        convex = (~exact.is_other[self._solids].any(axis=1)).tolist()
        counts = [len(exact.of_link[a]) * len(exact.of_link[b]) for a, b in self.pairs]
        self._first, self._pair_of = np.cumsum([0, *counts])[:-1], np.repeat(np.arange(len(counts)), counts)
        self._margins = margins
        self._own = margins[self._pair_of]  # of each pair of solids
        own = zip(places, numbers, convex, self._own, strict=True)
        self._pairs = [(*place, *more, np.array(above)) for place, *more, above in own]
        self._decision = exact.convexes.decision
        shift = margin - self._own
        self._shift = np.pad(shift, (0, -len(shift) % ROW)) if shift.any() else None  # to compare all with `margin`

    def __repr__(self) -> str:
        without = f", {len(self.left_out)} left out" if self.left_out else ""
        return f"<Collisions of {counted(len(self.pairs), 'pair')} of links of {self.robot.name!r}{without}>"

    def __call__(self, q: Any, moving: Any = None) -> Any:
        """Return whether any two links are in contact (…,), for q (…, nq)."""
        if moving is None and type(q) is np.ndarray and q.shape == self._shape and not self.moving:
            return self._one(self._near(q))
        return self._by_portions(self._any, q, moving)

    @property
    def always_near(self) -> int:
        """Return how many pairs are within the margin in any configuration, so that only contact counts."""
        return int(np.count_nonzero(self._margins < self.margin))

    @property
    def key(self) -> str:
        """A digest of the pairs and their shapes and margins."""
        pairs = zip(self.pairs, self._margins.tolist(), strict=True)
        return digest(repr(list(pairs)), self._covers.layout.key, *(solid.key for solid in self._exact.solids))

    def where(self, q: Any, moving: Any = None) -> Any:
        """Return which pairs are in contact (…, k), in the order of `pairs`."""
        return self._by_portions(self._where, q, moving)

    def along(self, q0: Any, q1: Any) -> Passage:
        """Return what is known of each pair (…, k) along segments from q0 to q1 (…, nq), and not only at samples.

        A segment is a line in q; quaternions turn the shorter way. `free` is true where a pair is proved farther apart
        than the margin everywhere; `share`, from 0 to 1, is where contact was found. A pair is neither if 3000 parts of
        a segment, as of links that slide along each other, do not decide it. Raises KinetreeError if links move by
        themselves, and for configurations that are not finite.
        """
        self._check_alone()
        return along(self, q0, q1)

    def bounds(self, q: Any, moving: Any = None) -> Bounds:
        """Return bounds of the least distance, m: that of the covers, and the distance itself."""
        near = self._covers.near(np.inf, self._used)
        least = self._by_portions(lambda *given: self._lower(near(*given)).min(axis=1), q, moving)
        return Bounds(np.maximum(least, 0.0), self.distance(q, moving))

    def distance(self, q: Any, moving: Any = None) -> Any:
        """Return the least distance of any two links (…,), m, 0 in contact."""
        return self.witness(q, moving).distance

    def witness(self, q: Any, moving: Any = None) -> Witness:
        """Return which pair is nearest, how far apart it is, and at which points."""
        found = self._by_portions(self._nearest, q, moving)
        points = found[..., 2:].reshape(*found.shape[:-1], 2, 3)
        return Witness(found[..., 0].astype(int)[()], found[..., 1][()], points)

    def depth(self, q: Any, moving: Any = None) -> Any:
        """Return how deep the links of each pair are in each other (…, k), m, 0 where they are apart.

        That is the length of the shortest translation that parts two shapes; of links with several, the most of them.
        It is found to 1e-7 of it, one by one, in about a millisecond.

        Raises KinetreeError for meshes and planes, whose depth is not known: take geometry="hull".
        """
        for pair, solids in zip(self._pair_of, self._solids, strict=True):
            if other := [self._exact.solids[i] for i in solids if self._exact.is_other[i]]:
                a, b = self.pairs[pair]
                message = f"links {a!r} and {b!r}: {other[0].name} is a {other[0].kind}; expected convex shapes"
                raise fail("depth", message, fix='choose geometry="hull", or pairs of other links')
        return self._by_portions(self._depths, q, moving)

    def sample(self, n: int, seed: int = 0) -> Array:
        """Return n configurations (n, nq) inside the limits and apart, uniform among these.

        Raises KinetreeError if fewer than one in a thousand is apart.
        """
        for name, value in (("n", n), ("seed", seed)):
            if not (isinstance(value, (int, np.integer)) and value >= 0) or isinstance(value, bool):
                raise fail("sample", f"{name} is {value!r}; expected a whole number from 0")
        rng, found = np.random.default_rng(seed), np.zeros((0, len(self.robot.limits.lower)))
        drawn = 0
        while len(found) < n:
            if drawn >= MOST_DRAWN * n and drawn >= 10 * MOST_DRAWN:
                raise fail("sample", f"of {drawn} configurations {len(found)} were apart; {n} were asked for")
            some = self.robot.limits.sample(max(2 * (n - len(found)), 100), rng)
            found, drawn = np.concatenate([found, some[~self(some)]]), drawn + len(some)
        return found[:n]

    def of(self, pairs: Sequence[Pair]) -> Collisions:
        """Return the same about other pairs of links, without a margin."""
        covers = Covers(self.robot, self._covers.bodies, solid_pairs(self._exact, pairs))
        return Collisions(pairs, covers, self._exact, (), self.notes, 0.0, np.zeros(len(pairs)))

    def semantic(self) -> Robot:
        """Return the robot with the pairs that need not be tested in its semantic description, for an SRDF file.

        Reasons are those of MoveIt: Adjacent, Always (in contact wherever the joints stand), Default (in contact in the
        neutral configuration, and either in nearly all, or only just, as closed fingers), and Never. That is proved
        where at most three coordinates lie between the links, by halving their ranges; else no contact was found in
        10,000 samples and by descent from the nearest of these. `evidence` of each pair says which.

        Pairs that the description disables already stay. Those that can be in contact although their reason is another
        than User or Adjacent are `notes` of the robot, with the configuration; so are pairs in contact in the neutral
        configuration that are not disabled.

        Raises KinetreeError if links move by themselves.
        """
        from kinetree.contact.semantic import described

        self._check_alone()
        return described(self)

    def _check_alone(self) -> None:
        if self.moving:
            raise fail(
                "moving", f"links {', '.join(self.moving)} move by themselves; expected links of the robot alone"
            )

    def touching(self) -> Robot:
        """Return the robot with the pairs that touch by how it is built in its semantic description, for `kt.save` as
        MJCF: neighbours, and those in contact always, in the neutral configuration, or at zero. MuJoCo takes convex
        hulls: `kt.collisions(robot, geometry="hull").touching()`. Raises KinetreeError if links move by themselves.
        """
        from kinetree.contact.touching import with_touching

        self._check_alone()
        return with_touching(self)

    def spheres(self, slack: float = SLACK) -> Robot:
        """Return the robot with spheres for its collision shapes in its semantic description, and the pairs of links
        whose spheres must not be tested, for `kt.save` as XRDF, for cuRobo or as SRDF, and `kt.edit.as_spheres`.

        The spheres contain the shapes, so that they miss no contact. They reach beyond them by about slack, m;
        `evidence` of the description says how far at most, and how often they overlap though no links touch. Ignored
        are, of the pairs that `semantic` finds, those that touch always or nearly so, and, if their spheres overlap in
        some samples, those proved never to touch, or in more than 1 of 20, those never found in contact. Pairs whose
        spheres overlap in all samples are ignored too; `notes` of the robot names them.

        Raises KinetreeError for a slack that is not above 0, and if links move by themselves.
        """
        from kinetree.contact.spheres import with_spheres

        if isinstance(slack, bool) or not (np.isfinite(slack) and slack > 0):
            raise fail("slack", f"slack is {slack!r}; expected a distance above 0, m")
        return with_spheres(self, float(slack))

    def links(self) -> list[str]:
        """Return the links with shapes."""
        return list(self._exact.of_link)

    def solids(self) -> list[Solid]:
        """Return the shapes of all links."""
        return self._exact.solids

    def radii(self) -> dict[str, float]:
        """Return how far the shapes of each link reach from its origin at most, m."""
        reach: dict[str, float] = {}
        for name, solids in self._exact.of_link.items():
            balls = [self._covers.bodies[str(i)].ball for i in solids]
            planes = any(self._exact.solids[i].kind == "plane" for i in solids)
            reach[name] = np.inf if planes else max(float(np.linalg.norm(b[:3])) + float(b[3]) for b in balls)
        return reach

    def lower(self, q: Array) -> Array:
        """Return lower bounds of the distances of all pairs (n, k), m, at q (n, nq)."""
        return Rows(self).lower(Rows(self).measured(q))

    def apart(self, q: Array, pair: int, above: Any = np.inf) -> Array:
        """Return the distances (n,) of the links of one of `pairs`, m, 0 in contact, or lower bounds beyond `above`.

        q (n, nq)."""
        near, least = self._near(q), np.full(len(q), np.inf)
        for solids in np.flatnonzero(self._pair_of == pair):
            every = np.arange(len(q))
            least = np.minimum(
                least, self._distances(near, every, np.full(len(q), solids), np.minimum(above, least))[0]
            )
        return least

    def moved_by(self, robot: Robot, columns: Array) -> Collisions:
        """Return the same for a robot with the same links, such as one in which some joints stand, about the pairs that
        the coordinates `columns` of its q move against each other.

        Raises KinetreeError for a robot whose links have other shapes, and if there are no such pairs.
        """
        bodies = self._covers.layout.bodies
        for name in dict.fromkeys(body.link for body in bodies.values()):
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
        covers = Covers(robot, bodies, solid_pairs(self._exact, kept))
        margins = self._margins[[self.pairs.index(pair) for pair in kept]]
        return Collisions(kept, covers, self._exact, [*self.left_out, *others], self.notes, self.margin, margins)

    def _by_portions(self, answer: Callable[..., Array], q: Any, moving: Any) -> Any:
        """Return the answers for a flat batch, in the shape of the batch."""
        given = [checked_q(self.robot.limits, q, "q")]
        if (moving is None) != (not self.moving):
            wanted = f"the poses of {', '.join(self.moving)} are missing; expected a second argument"
            raise fail("moving", wanted if self.moving else "no links were named as moving; expected q alone")
        cores = [self._shape, (len(self.moving), 4, 4)]
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
        if self.moving:
            finite = np.isfinite(given[1]).all(axis=(-1, -2), keepdims=True)
            given[1] = np.where(finite, poses(np.where(finite, given[1], np.eye(4))), np.nan)
        flat = [np.broadcast_to(a, batch + c).reshape(math.prod(batch), *c) for a, c in zip(given, cores, strict=False)]
        starts = range(0, max(len(flat[0]), 1), PORTION)
        found = np.concatenate([answer(*(a[i : i + PORTION] for a in flat)) for i in starts])
        return found.reshape(batch + found.shape[1:])[()]

    def _one(self, near: Array) -> np.bool_:
        """Return whether any two links are in contact, of one configuration: pair by pair, the likeliest first."""
        lower = near[len(self._used) :].reshape(-1)
        if self._shift is not None:
            lower = lower + self._shift
        while (least := lower[pair := lower.argmin()]) < self.margin:
            a, b, solids, is_convex, above = self._pairs[pair]
            if self._decision(START, near[a], near[b], solids, above)[0] < 0.0 and (
                is_convex or self._exact.others_touch(near[a][None], near[b][None], solids[None].astype(int), above)[0]
            ):
                return np.True_
            lower[pair] = self.margin
        return np.bool_(least != least)  # not a number counts as in contact

    def _any(self, *given: Array) -> NDArray[np.bool_]:
        near = self._near(*given)
        lower = self._shifted(near)
        pairs = lower.argmin(axis=1)  # the likeliest first, or one that is not a number
        least = lower[np.arange(len(lower)), pairs]
        found: NDArray[np.bool_] = ~np.isfinite(least)
        rows = np.flatnonzero(~found & (least < self.margin))
        found[rows] = self._touch(near, rows, pairs[rows])
        lower[rows, pairs[rows]] = self.margin
        rest = rows[~found[rows]]
        rows, pairs = np.nonzero(lower[rest] < self.margin)
        found[rest[rows[self._touch(near, rest[rows], pairs)]]] = True
        return found

    def _where(self, *given: Array) -> NDArray[np.bool_]:
        near = self._near(*given)
        lower = self._shifted(near)[:, : len(self._solids)]
        found: NDArray[np.bool_] = ~np.isfinite(lower)
        rows, pairs = np.nonzero(lower < self.margin)
        found[rows, pairs] = self._touch(near, rows, pairs)
        return np.asarray(np.logical_or.reduceat(found, self._first, axis=1))

    def _lower(self, near: Array) -> Array:
        """Return the bounds of all pairs of solids (n, …); the last are paddings."""
        return near[:, len(self._used) :].reshape(len(near), ROW * (near.shape[1] - len(self._used)))

    def _shifted(self, near: Array) -> Array:
        """Return the same, to be compared with `margin`: more by what the margin of a pair is less."""
        lower = self._lower(near)
        return lower if self._shift is None else lower + self._shift

    def _touch(self, near: Array, rows: Array, pairs: Array) -> NDArray[np.bool_]:
        """Return whether pairs of solids (n,) are in contact in configurations (n,)."""
        first, second = self._posed(near, rows, pairs)
        solids, own, found = self._solids[pairs], self._own[pairs], np.zeros(len(rows), dtype=bool)
        if self._shift is None:
            return self._exact.touching(first, second, solids, self.margin)
        for margin in (0.0, self.margin):
            some = own == margin
            found[some] = self._exact.touching(first[some], second[some], solids[some], margin)
        return found

    def _posed(self, near: Array, rows: Array, pairs: Array) -> Sequence[Array]:
        """Return the poses (n, 12) of the first and of the second solids of pairs (n,) in configurations (n,)."""
        flat, start = near.reshape(-1, ROW), rows * near.shape[1]
        return [flat[start + place] for place in self._places[pairs].T]

    def _nearest(self, *given: Array) -> Array:
        """Return the number of the nearest pair, the distance, and the points (…, 8)."""
        near = self._covers.near(np.inf, self._used)(*given)
        lower = self._lower(near)
        lower = np.where(np.isfinite(lower), np.maximum(lower, 0.0), np.inf)
        found = np.full((len(lower), 8), np.nan)
        found[:, 0], found[:, 1] = 0, np.inf
        while True:  # the pair that may be nearest, as long as it may be nearer than the nearest so far
            pairs = lower.argmin(axis=1)
            rows = np.flatnonzero(lower[np.arange(len(lower)), pairs] < found[:, 1])
            if not len(rows):
                break
            pairs = pairs[rows]
            far, points = self._distances(near, rows, pairs, found[rows, 1])
            lower[rows, pairs] = np.inf
            nearer = far < found[rows, 1]
            found[rows[nearer]] = np.column_stack([self._pair_of[pairs], far, points.reshape(-1, 6)])[nearer]
        found[np.isinf(found[:, 1]), 1] = np.nan
        found[found[:, 1] == 0, 2:] = np.nan
        return found

    def _depths(self, *given: Array) -> Array:
        near = self._near(*given)
        lower = self._lower(near)[:, : len(self._solids)]
        rows, pairs = np.nonzero(lower < self.margin)
        first, second = self._posed(near, rows, pairs)
        found = np.where(np.isfinite(lower), 0.0, np.nan)
        found[rows, pairs] = self._exact.convexes.depths(self._solids[pairs], relative(first, second))
        return np.asarray(np.maximum.reduceat(found, self._first, axis=1))

    def _distances(self, near: Array, rows: Array, pairs: Array, above: Array) -> tuple[Array, Array]:
        """Return the distances (n,) of pairs of solids in configurations (n,), or numbers beyond `above`, and the
        nearest points in the root (n, 2, 3)."""
        poses = self._posed(near, rows, pairs)
        _, far, points = self._exact.distances(self._solids[pairs], relative(*poses), above)
        return far, moved(poses[0].reshape(-1, 3, 4), points)
