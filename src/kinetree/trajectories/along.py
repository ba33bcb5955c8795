"""Points along a path, and how fast coordinates and followers change there."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinetree.model.robot import Robot
from kinetree.spatial.se3 import Array
from kinetree.trajectories.bounds import Follower
from kinetree.trajectories.path import Path

PARTS = np.array([0.0, 0.5, 1.0])
"""Parts of an interval where limits are tested."""
CORNER = 1e-6
"""Part of the largest |q'| by which q' may differ where two pieces meet without a stop."""


class Grid(NamedTuple):
    """Intervals of a path. piece, since, step (n,): the piece of each, where it begins there, and its length in s.
    stops (n + 1,): the points at which a motion stops."""

    piece: NDArray[np.int64]
    since: Array
    step: Array
    stops: NDArray[np.bool_]


class Along(NamedTuple):
    """A path at points (…). q (…, nq). first, second (…, nv + f): derivatives with respect to s of the coordinates of
    qd, then of followers."""

    q: Array
    first: Array
    second: Array


def grid_of(path: Path, count: int) -> Grid:
    """Return `count` intervals of a path, an even number in each piece and in all, and more in longer pieces."""
    lengths = np.diff(path.s)
    pairs = count // 2 - len(lengths)  # each piece has one
    wanted = pairs * lengths / lengths.sum()
    more = np.floor(wanted + 1e-9).astype(int)
    more[np.argsort(more - wanted, kind="stable")[: pairs - more.sum()]] += 1
    counts = 2 * (1 + more)
    piece = np.repeat(np.arange(len(lengths)), counts)
    step = (lengths / counts)[piece]
    number = np.arange(len(piece)) - np.repeat(np.cumsum(counts) - counts, counts)
    stops = np.zeros(len(piece) + 1, bool)
    stops[[0, -1]] = True
    stops[np.cumsum(counts)[:-1]] = _is_stop(path)
    return Grid(piece, number * step, step, stops)


def _is_stop(path: Path) -> NDArray[np.bool_]:
    """Return whether a motion stops where two pieces meet (m - 1,): q' jumps, or q' and q'' are zero."""
    before, after = np.arange(len(path.s) - 2), np.arange(1, len(path.s) - 1)
    ends = np.diff(path.s)[:-1]
    q1, q1_after = path.on_piece(before, ends, 1), path.on_piece(after, 0.0 * ends, 1)
    q2, q2_after = path.on_piece(before, ends, 2), path.on_piece(after, 0.0 * ends, 2)
    small = CORNER * max(np.abs(q1).max(initial=0.0), np.abs(q1_after).max(initial=0.0))
    jumps = np.abs(q1 - q1_after).max(axis=-1) > small
    length = path.s[-1] - path.s[0]
    rests = [np.abs(x).max(axis=-1) <= small for x in (q1, q1_after, q2 * length, q2_after * length)]
    return np.asarray(jumps | np.logical_and.reduce(rests))


def along(paths: Sequence[Path], followers: Sequence[Follower], grids: Sequence[Grid]) -> Along:
    """Return paths at `PARTS` of each interval; arrays are (n, p, 3, …)."""
    places = [(grid.piece[:, None], grid.since[:, None] + grid.step[:, None] * PARTS) for grid in grids]
    q, q1, q2 = (
        np.stack([path.on_piece(*place, order) for path, place in zip(paths, places, strict=True)], axis=1)
        for order in range(3)
    )
    columns = rate_columns(paths[0].robot)
    if (columns < 0).any():
        first, second = (np.where(columns < 0, 0.0, x[..., columns]) for x in (q1, q2))
    else:
        first, second = q1, q2
    if not followers:
        return Along(q, first, second)
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
    return Along(q, first, second)


def rate_columns(robot: Robot) -> NDArray[np.int64]:
    """Return the index in q of each coordinate of qd (nv,), -1 for those of joints with quaternions, which stand."""
    found: list[int] = []
    for name, where in robot.q_slices.items():
        kind = robot.joints[name].kind
        found += [-1] * kind.nv if kind.quaternion else range(where.start, where.stop)
    return np.array(found, dtype=np.int64)
