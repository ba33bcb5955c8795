"""Times of points on a path, and the motion that they make."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kinetree.errors import fail
from kinetree.spatial.se3 import Array
from kinetree.trajectories.along import Along, Grid
from kinetree.trajectories.motion import Motion
from kinetree.trajectories.path import Path

SHORT = 1e-12
"""Part of the duration of a motion that two samples are apart at least."""
MOST = 10_000_000
"""Most samples of a motion."""


def samples(duration: float, period: float) -> int:
    """Return how many periods a duration takes. Raises KinetreeError for a period that is not above 0, or too short."""
    if not duration / MOST <= period < np.inf or not period > 0.0:
        least = f"of which the motion takes at most {MOST:,}"
        raise fail("period", f"period is {period!r}; expected a finite number of seconds above 0, {least}")
    return int(np.ceil(duration / period - 1e-9))


class Timing(NamedTuple):
    """Squares x (n + 1, p) of the speed at the ends of intervals, between which it is linear in s, of paths."""

    paths: Sequence[Path]
    grid: Grid
    at: Along
    x: Array

    def motions(self, period: float | None = None) -> list[Motion]:
        """Return the motion along each path with samples at the ends of all intervals, or every `period` s, of which it
        is then a multiple."""
        speed, u = np.sqrt(self.x), np.diff(self.x, axis=0) / (2.0 * self.grid.step)
        times = np.cumsum(2.0 * self.grid.step / (speed[:-1] + speed[1:]), axis=0)
        times = np.concatenate([np.zeros((1, len(self.paths))), times])
        if period is not None:
            return [self._sampled(k, period, times[:, k], speed[:, k], u[:, k]) for k in range(len(self.paths))]
        q, q1, q2 = (np.concatenate([one[0], one[2, -1:]]) for one in self.at[:3])
        qd, qdd = q1 * speed[..., None], q1 * np.concatenate([u, u[-1:]])[..., None] + q2 * self.x[..., None]
        moves = np.concatenate([np.diff(times, axis=0) > SHORT * times[-1], np.ones((1, len(self.paths)), bool)])
        is_whole, found = np.asarray(moves.all(axis=0)), []
        for k, path in enumerate(self.paths):
            kept = slice(None) if is_whole[k] else moves[:, k]  # a path that stands takes no time
            own = (x[kept, k] for x in (times, q, qd, qdd))
            found.append(Motion(path.names, next(own), next(own), (), path.robot, *own))
        return found

    def _sampled(self, k: int, period: float, times: Array, speed: Array, u: Array) -> Motion:
        """Return the motion along path k with times, speeds and accelerations at the ends of its intervals."""
        path, n = self.paths[k], len(u)
        count = max(1, samples(times[-1], period))
        slower = times[-1] / (count * period)
        own = np.linspace(0.0, times[-1], count + 1)
        interval = np.clip(np.searchsorted(times, own, side="right") - 1, 0, n - 1)
        piece, since, step = (x[interval, k] for x in self.grid[:3])
        u, speed, t = u[interval], speed[interval], own - times[interval]
        way = np.clip((speed + 0.5 * u * t) * t, 0.0, step)
        rate = np.maximum(speed + u * t, 0.0) * slower
        first = self.grid.piece[0, k]  # pieces are counted over all paths
        q, q1, q2 = (path.on_piece(piece - first, since + way, order) for order in range(3))
        qdd = q1 * (u * slower**2)[:, None] + q2 * (rate**2)[:, None]
        return Motion(path.names, own / slower, q, (), path.robot, q1 * rate[:, None], qdd)
