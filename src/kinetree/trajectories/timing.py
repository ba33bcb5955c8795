"""Times of points on a path, and the motion that they make."""

from typing import NamedTuple

import numpy as np

from kinetree.errors import fail
from kinetree.spatial.se3 import Array
from kinetree.trajectories.along import Grid
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
    """The square x (n + 1,) of the speed at the ends of the intervals of a path, between which it is linear in s."""

    path: Path
    grid: Grid
    x: Array

    def motion(self, period: float | None = None) -> Motion:
        """Return the motion with samples at the ends of all intervals, or every `period` s, of which it is then a
        multiple."""
        speed = np.sqrt(self.x)
        times = np.concatenate([[0.0], np.cumsum(2.0 * self.grid.step / (speed[:-1] + speed[1:]))])
        n = len(self.grid.step)
        if period is None:
            kept = np.append(np.diff(times) > SHORT * times[-1], True)  # a path that stands takes no time
            return self._sampled(times[kept], np.minimum(np.arange(n + 1), n - 1)[kept], 1.0, times)
        count = max(1, samples(times[-1], period))
        slower = times[-1] / (count * period)
        own = np.linspace(0.0, times[-1], count + 1)
        interval = np.clip(np.searchsorted(times, own, side="right") - 1, 0, n - 1)
        return self._sampled(own, interval, slower, times)

    def _sampled(self, own: Array, interval: Array, slower: float, times: Array) -> Motion:
        """Return the motion at times of its own (k,), in given intervals, played at `slower` of the speed."""
        speed, step = np.sqrt(self.x), self.grid.step[interval]
        since = own - times[interval]
        u = np.diff(self.x)[interval] / (2.0 * step)
        way = np.clip((speed[interval] + 0.5 * u * since) * since, 0.0, step)
        rate = np.maximum(speed[interval] + u * since, 0.0) * slower
        piece, s = self.grid.piece[interval], self.grid.since[interval] + way
        q, q1, q2 = (self.path.on_piece(piece, s, order) for order in range(3))
        qdd = q1 * (u * slower**2)[:, None] + q2 * (rate**2)[:, None]
        return Motion(self.path.names, own / slower, q, (), self.path.robot, q1 * rate[:, None], qdd)
