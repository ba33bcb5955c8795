"""Search for contact of many pairs of links at once, with bounded work: among samples, then by descent of the distances
of convex hulls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinetree.contact.collisions import Collisions
from kinetree.contact.rows import Rows
from kinetree.contact.ways import columns_between
from kinetree.spatial.se3 import Array

HULLS, MESHES = 100, 24
"""Samples of a pair whose convex hulls are looked at, and those of which meshes are; then half of the work goes to more
samples of pairs without contact, and half to descents."""
STARTS, STEPS, MOVES, TRIES = 3, 24, 80_000, 30
"""Of a pair the starts of descents, and their steps; configurations in all, and of a step of a descent at most."""
FIRST = 40
"""Samples in which a pair has its starts if its covers meet in fewer."""
WIDEST, NARROWEST, SOME = 0.6, 0.02, 0.5
"""Standard deviations of the first and the last step, rad or m, and the part of the joints that a step moves."""
HOPELESS = {6: 0.2, 12: 0.06, 18: 0.02}
"""After so many steps descents end that are still so far from contact, m."""
WORK, EACH = 8e6, 1000
"""Work of all tests of meshes: that of a test is EACH, and without contact the triangles of both links too."""
SLACK = 1e-9
"""By how much a configuration may be outside of linear limits, more than the starts are."""


@dataclass
class Hit:
    """Contact of a pair: q (nq,) in contact, None if none was found; and its share of the samples, about, 0 if it was
    found by descent."""

    q: Array | None
    share: float


class Search:
    """Tests of `contact.pairs`, by their numbers. work: what may still be done; beyond it nothing is found."""

    def __init__(self, contact: Collisions) -> None:
        self.contact, self.rows, self.work = contact, Rows(contact), WORK
        self._triangles = self.rows.triangles()

    def in_all(self, q: Array, pairs: Sequence[int]) -> list[int]:
        """Return those of some pairs that are in contact in all configurations q (n, nq)."""
        left = [*pairs]
        for hulls in (True, False):
            for part in (q[:1], q[1:6], q[6:]):
                where: list[bool] = np.all(self.where(part, left, hulls), axis=0).tolist()
                left = [pair for pair, touches in zip(left, where, strict=True) if touches]
        return left

    def where(self, q: Array, pairs: Sequence[int], hulls: bool = False) -> NDArray[np.bool_]:
        """Return which of some pairs (k,) are in contact at q (n, nq), as an array (n, k); or their convex hulls."""
        which, found = np.array(pairs, dtype=int), np.zeros((len(q), len(pairs)), dtype=bool)
        if found.size:
            rows = self.rows.placed(q)
            row, place = np.nonzero(self.rows.maybe(rows)[:, which])
            meet = self.rows.gaps(rows, row, which[place]) <= 0
            row, place = row[meet], place[meet]
            found[row, place] = hulls or self.touching(rows, row, which[place])
        return found

    def touching(self, rows: Array, row: Array, pair: Array) -> NDArray[np.bool_]:
        """Return which pairs (n,) are in contact in rows; see `Rows.meeting`."""
        found, cost = np.zeros(len(pair), dtype=bool), EACH + self._triangles[pair]
        done = np.cumsum(cost) <= self.work
        found[done] = self.rows.meeting(rows, row[done], pair[done])
        self.work -= float(cost[done & ~found].sum()) + EACH * int(found.sum())
        return found

    def hits(self, pairs: Sequence[int], q: Array) -> dict[int, Hit]:
        """Return the contacts of pairs in samples (n, nq) and, where these have none, by descent."""
        rows, starts, found = self.rows.placed(q), {}, {}
        maybe = self.rows.maybe(rows)
        for pair in pairs:
            some = np.flatnonzero(maybe[:, pair])
            spread = _spread(some, HULLS) if len(some) > FIRST else np.unique([*some, *range(min(FIRST, len(q)))])
            far = self.rows.gaps(rows, spread, np.full(len(spread), pair))
            starts[pair] = q[np.resize(spread[far.argsort(kind="stable")[:STARTS]], STARTS)]
            found[pair] = Hit(None, len(some) / len(q) * float((far <= 0).sum()) / max(min(len(some), HULLS), 1))
            self._test(found[pair], pair, q, rows, _spread(spread[far <= 0], MESHES))
        left = [pair for pair, hit in found.items() if hit.q is None and hit.share]
        for pair, work in zip(left, np.full(len(left), self.work / max(2 * len(left), 1)), strict=True):
            some = np.flatnonzero(maybe[:, pair])
            some = some[self.rows.gaps(rows, some, np.full(len(some), pair)) <= 0]
            some = _spread(some, int(work / (EACH + self._triangles[pair])))
            self._test(found[pair], pair, q, rows, some)
        self._descend({pair: hit for pair, hit in found.items() if hit.q is None}, starts)
        return found

    def _test(self, hit: Hit, pair: int, q: Array, rows: Array, some: Array) -> None:
        """Test a pair in some samples."""
        where = self.touching(rows, some, np.full(len(some), pair))
        if where.any():
            hit.q, hit.share = q[some[where.argmax()]], hit.share * float(where.mean())

    def _descend(self, found: Mapping[int, Hit], starts: Mapping[int, Array]) -> None:
        """Search for contact of pairs by random steps that bring their convex hulls nearer."""
        tests, robot, rng = self.rows, self.contact.robot, np.random.default_rng(0)
        pair, limits = np.repeat([*found], STARTS).astype(int), robot.limits
        best = np.concatenate([np.zeros((0, robot.nq)), *(starts[one] for one in found)])
        far, moves = tests.gaps(tests.placed(best), np.arange(len(pair)), pair), np.zeros(best.shape)
        floor = np.minimum(limits.margin(best).min(axis=0, initial=0.0), 0.0) - SLACK
        for row, one in enumerate(pair.tolist()):
            moves[row, sorted(columns_between(robot, *self.contact.pairs[one]))] = 1.0
        for step, width in enumerate(np.geomspace(WIDEST, NARROWEST, STEPS)):
            left = (far < HOPELESS.get(step, np.inf)) & np.array([found[one].q is None for one in pair.tolist()], bool)
            best, far, pair, moves = best[left], far[left], pair[left], moves[left]
            if not len(pair):
                return
            shape = (len(pair), min(max(MOVES // (STEPS * len(pair)), 1), TRIES), robot.nq)
            steps = rng.normal(size=shape) * (rng.uniform(size=shape) < SOME) * (width * moves[:, None])
            new = np.clip(best[:, None] + steps, limits.lower, limits.upper)
            flat = new.reshape(-1, robot.nq)
            there = tests.gaps(tests.placed(flat), np.arange(len(flat)), np.repeat(pair, shape[1]))
            if limits.blocks:
                there[(limits.margin(flat) < floor).any(axis=-1)] = np.inf
            there = there.reshape(shape[:2])
            nearest = there.argmin(axis=1)
            better = np.flatnonzero(there.min(axis=1) <= far)
            best[better], far[better] = new[better, nearest[better]], there[better, nearest[better]]
            meet = np.flatnonzero(far <= 0)
            for row in meet[self.touching(tests.placed(best[meet]), np.arange(len(meet)), pair[meet])].tolist():
                found[int(pair[row])].q, found[int(pair[row])].share = best[row].copy(), 0.0


def _spread(some: Array, most: int) -> Array:
    """Return at most so many of some, evenly spread."""
    return np.asarray(some[np.linspace(0, len(some) - 1, min(most, len(some))).astype(int)])
