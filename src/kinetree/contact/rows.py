"""Tests of one pair of links each in many configurations, which a search for contact asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kinetree.contact.convex import relative
from kinetree.contact.poses import PORTION
from kinetree.spatial.se3 import Array

if TYPE_CHECKING:
    from kinetree.contact.collisions import Collisions


class Rows:
    """Questions about rows of configurations of a robot, and `contact.pairs` by their numbers."""

    def __init__(self, contact: Collisions) -> None:
        self.contact, self._solids, self._first = contact, contact._solids, contact._first
        self.margins = contact._margins

    def placed(self, q: Array) -> Array:
        """Return rows of configurations q (n, nq) for `maybe`, `gaps` and `meeting`."""
        return np.asarray(self.contact._near(q))

    def maybe(self, rows: Array) -> NDArray[np.bool_]:
        """Return which pairs may be in contact by their covers (n, k)."""
        lower = self.contact._shifted(rows)[:, : len(self._solids)]
        return np.asarray(np.logical_or.reduceat(~(lower >= self.contact.margin), self._first, axis=1))

    def gaps(self, rows: Array, row: Array, pair: Array) -> Array:
        """Return the distances (m,) of the convex hulls of the links of one pair each, by its number (m,), m, in
        the row of a number (m,): no more than those of the links."""
        of, solids = self._solids_of(pair)
        poses = self.contact._posed(rows, row[of], solids)
        far = self.contact._exact.convexes.distances(self._solids[solids], relative(*poses))[1]
        return np.asarray(np.minimum.reduceat(far, np.flatnonzero(np.diff(of, prepend=-1)))) if len(pair) else far

    def meeting(self, rows: Array, row: Array, pair: Array) -> NDArray[np.bool_]:
        """Return likewise whether the links are in contact."""
        of, solids = self._solids_of(pair)
        near = self.contact._shifted(rows)[row[of], solids] < self.contact.margin
        of, solids, found = of[near], solids[near], np.zeros(len(pair), dtype=bool)
        found[of[self.contact._touch(rows, row[of], solids)]] = True
        return found

    def measured(self, q: Array) -> Array:
        """Return rows of configurations q (n, nq), also for `near`: with bounds of all distances."""
        return np.asarray(self.contact._covers.near(np.inf, self.contact._used)(q))

    def lower(self, rows: Array) -> Array:
        """Return lower bounds of the distances of all pairs (n, k), m, in measured rows."""
        return np.asarray(np.minimum.reduceat(self.contact._lower(rows)[:, : len(self._solids)], self._first, axis=1))

    def near(self, rows: Array, row: Array, pair: Array, above: Array) -> NDArray[np.bool_]:
        """Return whether the links of pairs (m,) may be at most some distances (m,) apart, m, in measured rows."""
        of, solids = self._solids_of(pair)
        close = ~(self.contact._lower(rows)[row[of], solids] > above[of])
        of, solids, found = of[close], solids[close], np.zeros(len(pair), dtype=bool)
        first, second = self.contact._posed(rows, row[of], solids)
        found[of[self.contact._exact.may_be_near(first, second, self._solids[solids], above[of])]] = True
        return found

    def in_contact(self, q: Array) -> NDArray[np.bool_]:
        """Return which pairs are in contact (n, k) at q (n, nq), as `Collisions.where` does, but by measured rows."""
        found = np.zeros((len(q), len(self.contact.pairs)), dtype=bool)
        for i in range(0, len(q), PORTION):
            rows = self.measured(q[i : i + PORTION])
            row, pair = np.nonzero(self.lower(rows) < self.margins)
            found[i + row, pair] = self.meeting(rows, row, pair)
        return found

    def may_be_near(self, pair: int, q: Array, above: Array) -> NDArray[np.bool_]:
        """Return the same of one pair at q (n, nq)."""
        starts, found = range(0, len(q), PORTION), [np.zeros(0, dtype=bool)]
        for some, far in ((q[i : i + PORTION], above[i : i + PORTION]) for i in starts):
            found.append(self.near(self.measured(some), np.arange(len(some)), np.full(len(some), pair), far))
        return np.concatenate(found)

    def triangles(self) -> Array:
        """Return how many triangles the links of each of `pairs` have together (k,)."""
        own = {
            name: sum(len(self.contact._exact.solids[i].surface.triangles) for i in some)
            for name, some in self.contact._exact.of_link.items()
        }
        return np.array([own[a] + own[b] for a, b in self.contact.pairs])

    def _solids_of(self, pair: Array) -> tuple[Array, Array]:
        """Return the places (n,) of the pairs of solids (n,) in a list of pairs of links (m,)."""
        counts = np.diff(self._first, append=len(self._solids))[pair]
        of = np.repeat(np.arange(len(pair)), counts)
        return of, np.arange(len(of)) + (self._first[pair] - np.cumsum(counts) + counts)[of]
