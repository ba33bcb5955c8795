"""Points along a path, and how fast coordinates and followers change there."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinetree.algorithms.retiming import derivative, point
from kinetree.model.robot import Robot
from kinetree.spatial.se3 import Array
from kinetree.trajectories.bounds import Follower
from kinetree.trajectories.passes import compiled
from kinetree.trajectories.path import Path

PARTS = np.array([0.0, 0.5, 1.0])
"""Parts of an interval where limits are tested."""
CORNER = 1e-6
"""Part of the largest |q'| by which q' may differ where two pieces meet without a stop."""


class Pieces(NamedTuple):
    """Pieces of all paths, those of each path together. coefficients (k + 1, m, nq): as of a path; lower degrees have
    zeros in front. length, path (m,): in s, and the number of its path. start (p,): the first piece of each path."""

    coefficients: Array
    length: Array
    path: NDArray[np.int64]
    start: NDArray[np.int64]


class Grid(NamedTuple):
    """Intervals of paths. piece, since, step (n, p): the piece of each, where it begins there, and its length in s.
    stops (n + 1, p): the points at which a motion stops."""

    piece: NDArray[np.int64]
    since: Array
    step: Array
    stops: NDArray[np.bool_]


class Along(NamedTuple):
    """Paths at points (…): q, q1, q2 (…, nq), and their derivatives with respect to s. first, second (…, nv + f): those
    of the coordinates of qd, then of followers."""

    q: Array
    q1: Array
    q2: Array
    first: Array
    second: Array

    def of(self, paths: NDArray[np.int64]) -> "Along":
        """Return these points with the derivatives `first` and `second` of some of the paths (3, n, p, …) alone."""
        return self._replace(first=self.first[:, :, paths], second=self.second[:, :, paths])


def pieces_of(paths: Sequence[Path]) -> Pieces:
    """Return the pieces of paths of one robot."""
    k = max(len(path.coefficients) for path in paths)
    padded = [np.pad(c, ((k - len(c), 0), (0, 0), (0, 0))) for c in (x.coefficients for x in paths)]
    counts = np.array([len(path.s) - 1 for path in paths])
    length = np.concatenate([path.s[1:] - path.s[:-1] for path in paths])
    return Pieces(
        np.concatenate(padded, axis=1), length, np.repeat(np.arange(len(paths)), counts), np.cumsum(counts) - counts
    )


def grid_of(pieces: Pieces, count: int) -> Grid:
    """Return `count` intervals of each path, an even number in each piece and in all, and more in longer pieces."""
    _, length, path, start = pieces
    total = np.add.reduceat(length, start)[path]
    pairs = (count // 2 - np.add.reduceat(np.ones_like(path), start))[path]  # each piece has one
    wanted = pairs * length / total
    more = np.floor(wanted + 1e-9).astype(int)
    rank, order = np.arange(len(path)) - start[path], np.lexsort((more - wanted, path))
    more[order] += rank < pairs - np.add.reduceat(more, start)[path]
    counts = 2 * (1 + more)
    ends = np.cumsum(counts) - count * path
    piece = np.repeat(np.arange(len(path)), counts).reshape(-1, count).T
    step = (length / counts)[piece]
    stops = np.zeros((count + 1, len(start)), bool)
    stops[ends, path] = np.append(_is_stop(pieces), True)
    stops[0] = True
    return Grid(piece, (np.arange(count)[:, None] - (ends - counts)[piece]) * step, step, stops)


def _is_stop(pieces: Pieces) -> NDArray[np.bool_]:
    """Return whether a motion stops where each piece but the last meets the next (m - 1,): q' jumps, or q' and q'' are
    zero, or a path ends."""
    coefficients, length, path, start = pieces
    total = np.add.reduceat(length, start)[path, None]
    end, end_2 = (derivative(coefficients, length[:, None], order) for order in (1, 2))
    begin, begin_2 = (derivative(coefficients, 0.0 * length[:, None], order) for order in (1, 2))
    size = np.maximum(np.abs(begin), np.abs(end)).max(axis=-1)
    small = CORNER * np.maximum.reduceat(size, start)[path[:-1]]
    slow = [np.maximum(np.abs(one), total * np.abs(two)).max(axis=-1) for one, two in ((end, end_2), (begin, begin_2))]
    is_slow, is_jump = np.maximum(slow[0][:-1], slow[1][1:]) <= small, np.abs(end[:-1] - begin[1:]).max(axis=-1) > small
    return np.asarray(is_slow | is_jump | (np.diff(path) > 0))


def along(robot: Robot, followers: Sequence[Follower], pieces: Pieces, grid: Grid) -> Along:
    """Return paths at `PARTS` of each interval; arrays are (3, n, p, …)."""
    coefficients = np.ascontiguousarray(pieces.coefficients.swapaxes(0, 1))[grid.piece]
    k, nq = coefficients.shape[2:]
    since = grid.since + grid.step * PARTS[:, None, None]
    shape = (3, *coefficients.shape)
    q, q1, q2 = compiled(point, ((k, nq), ()), ((nq,),) * 3)(np.broadcast_to(coefficients, shape), since)
    columns = rate_columns(robot)
    first, second = q1, q2
    if (columns < 0).any():
        first, second = (np.where(columns < 0, 0.0, x[..., columns]) for x in (q1, q2))
    if not followers:
        return Along(q, q1, q2, first, second)
    more: tuple[list[Array], list[Array]] = [], []
    for follower in followers:
        value = np.polynomial.Polynomial(follower.coefficients)
        x = q[..., columns[follower.leader]]  # a leader has one coordinate
        slope, rate = value.deriv()(x), first[..., follower.leader]
        more[0].append(slope * rate)
        more[1].append(slope * second[..., follower.leader] + value.deriv(2)(x) * rate**2)
    first, second = (
        np.concatenate([x, np.stack(y, axis=-1)], axis=-1) for x, y in zip((first, second), more, strict=True)
    )
    return Along(q, q1, q2, first, second)


def rate_columns(robot: Robot) -> NDArray[np.int64]:
    """Return the index in q of each coordinate of qd (nv,), -1 for those of joints with quaternions, which stand."""
    found: list[int] = []
    for name, where in robot.q_slices.items():
        kind = robot.joints[name].kind
        found += [-1] * kind.nv if kind.quaternion else range(where.start, where.stop)
    return np.array(found, dtype=np.int64)
