"""Proofs that meshes are apart: their convex parts are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.contact.convex import Convexes
from kinetree.contact.poses import moved
from kinetree.contact.solids import Solid, hull_of
from kinetree.spatial.se3 import Array


class Apart:
    """Convex parts of solids, each with a ball around it."""

    def __init__(self, solids: Sequence[Solid], parts: Sequence[Sequence[Array]]) -> None:
        """Prepare convex solids, or parts that contain each: lists of the corners (n, 3) of convex ones."""
        own: list[Solid] = []
        middles: list[Array] = []
        self._numbers: list[Array] = []
        for solid, corners in zip(solids, parts, strict=True):
            self._numbers.append(len(own) + np.arange(max(len(corners), 1)))
            own += [] if corners else [solid]
            middles += [] if corners else [np.zeros(3)]
            for some in corners:
                middles.append((some.min(axis=0) + some.max(axis=0)) / 2)
                own.append(Solid(solid.link, "hull", (), solid.T, solid.name, hull_of(some - middles[-1], solid.name)))
        self._middles = np.array(middles)
        self._radii = np.array(
            [s.sizes[0] if s.kind == "sphere" else np.linalg.norm(s.surface.vertices, axis=1).max() for s in own]
        )
        self._convexes = Convexes(own)

    def possible(self, first: Array, second: Array, pair: Array, above: Any) -> NDArray[np.bool_]:
        """Return which pairs (n, 2) of solids with these poses (n, 12) may be at most a distance, or distances (n,),
        apart, m; the others are not."""
        above = np.broadcast_to(above, len(pair))
        found = np.zeros(len(pair), dtype=bool)
        rows, parts, places = [], [], []
        for solids, some in alike(pair):
            own = [self._numbers[i] for i in solids]
            a, b = (
                moved(poses[some].reshape(-1, 3, 4), np.broadcast_to(self._middles[i], (len(some), len(i), 3)))
                for poses, i in zip((first, second), own, strict=True)
            )
            far = np.linalg.norm(a[:, :, None] - b[:, None], axis=3) - above[some, None, None]
            n, i, j = np.nonzero(far <= self._radii[own[0]][:, None] + self._radii[own[1]])
            rows.append(some[n])
            parts.append(np.column_stack([own[0][i], own[1][j]]))
            places.append(np.stack([a[n, i], b[n, j]]))
        row, part, place = np.concatenate(rows), np.concatenate(parts), np.concatenate(places, axis=1)
        one, other = first[row], second[row]
        one[:, 3::4], other[:, 3::4] = place
        found[row[self._convexes.touching(one, other, part.astype(float), above[row])]] = True
        return found


def alike(pair: Array) -> Iterator[tuple[tuple[int, int], Array]]:
    """Yield each pair of numbers in pairs (n, 2), and where it is among these."""
    size = int(pair.max(initial=0)) + 1
    codes = pair[:, 0] * size + pair[:, 1]
    for code in np.unique(codes).tolist():
        yield divmod(code, size), np.flatnonzero(codes == code)
