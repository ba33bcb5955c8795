"""Tests of one pair of links each in many configurations: what a search for contact asks `Collisions`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.contact.convex import relative
from kinetree.contact.exact import Exact
from kinetree.contact.pairs import Pair
from kinetree.spatial.se3 import Array


class OfRows:
    """Questions about rows of configurations; `Collisions` has all that they need."""

    pairs: tuple[Pair, ...]
    margin: float
    _exact: Exact
    _near: Any
    _solids: Array
    _first: Array
    _shifted: Any
    _posed: Any
    _touch: Any

    def placed(self, q: Array) -> Array:
        """Return rows of configurations q (n, nq) for `maybe`, `gaps` and `meeting`."""
        return np.asarray(self._near(q))

    def maybe(self, rows: Array) -> NDArray[np.bool_]:
        """Return which pairs may be in contact by their covers (n, k)."""
        lower = self._shifted(rows)[:, : len(self._solids)]
        return np.asarray(np.logical_or.reduceat(~(lower >= self.margin), self._first, axis=1))

    def gaps(self, rows: Array, row: Array, pair: Array) -> Array:
        """Return the distances (m,) of the convex hulls of the links of one of `pairs` each, by its number (m,), m, in
        the row of a number (m,): no more than those of the links."""
        of, solids = self._solids_of(pair)
        poses = self._posed(rows, row[of], solids)
        far = self._exact.convexes.distances(self._solids[solids], relative(*poses))[1]
        return np.asarray(np.minimum.reduceat(far, np.flatnonzero(np.diff(of, prepend=-1)))) if len(pair) else far

    def meeting(self, rows: Array, row: Array, pair: Array) -> NDArray[np.bool_]:
        """Return likewise whether the links are in contact."""
        of, solids = self._solids_of(pair)
        near = self._shifted(rows)[row[of], solids] < self.margin
        of, solids, found = of[near], solids[near], np.zeros(len(pair), dtype=bool)
        found[of[self._touch(rows, row[of], solids)]] = True
        return found

    def triangles(self) -> Array:
        """Return how many triangles the links of each of `pairs` have together (k,)."""
        own = {
            name: sum(len(self._exact.solids[i].surface.triangles) for i in some)
            for name, some in self._exact.of_link.items()
        }
        return np.array([own[a] + own[b] for a, b in self.pairs])

    def _solids_of(self, pair: Array) -> tuple[Array, Array]:
        """Return the places (n,) of the pairs of solids (n,) in a list of pairs of links (m,)."""
        counts = np.diff(self._first, append=len(self._solids))[pair]
        of = np.repeat(np.arange(len(pair)), counts)
        return of, np.arange(len(of)) + (self._first[pair] - np.cumsum(counts) + counts)[of]
