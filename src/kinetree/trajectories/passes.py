"""The two passes of time-optimal parametrisation over many paths at once (`kinetree.algorithms.reachability`)."""

from functools import cache
from typing import NoReturn

import numpy as np

from kinetree.algorithms import reachability
from kinetree.algorithms.reachability import FREE
from kinetree.compiler.cache import digest
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port
from kinetree.compiler.program import trace
from kinetree.spatial.se3 import Array

REST = 1e-9
"""Part of the largest x that counts as rest."""


class StuckError(Exception):
    """No speed fulfils the limits. path: its number. interval: the number of the interval. x: a speed, squared, that is
    tried. rows (r, 3): of the interval, the last for the rest of the path."""

    def __init__(self, path: int, interval: int, x: float, rows: Array) -> None:
        super().__init__(path, interval, x)
        self.path, self.interval, self.x, self.rows = path, interval, x, rows


@cache
def interval_kernel(rows: int) -> Kernel:
    """Return the kernel of the interval of x for which some u fulfils all rows (…, rows, 3)."""
    state = Port("state", (3,), (), "whether it goes on, the least and the largest x")
    limits = Port("rows", (rows, 3), (), "B, U, L: L - B x <= u <= U - B x")
    shapes = state.shape, limits.shape
    return Kernel(
        "controllable",
        (state, limits),
        state,
        lambda: trace(reachability.step, *shapes, repeated=True),
        digest("controllable", str(rows)),
    )


def fastest(rows: Array, step: Array, least: Array, most: Array) -> Array:
    """Return the largest squares x (n + 1, …) of the speed that limits allow, from rest to rest.

    rows (n, …, r, 3): of every interval, of which the last row is free and overwritten. step (n, …): lengths of the
    intervals. least, most (n + 1, …): bounds of x. Raises StuckError.
    """
    solve, per = interval_kernel(rows.shape[-2]), 0.5 / step
    low, high = np.zeros(least.shape), np.zeros(least.shape)
    rows[..., -1, 0] = per
    states = np.stack([np.ones(step.shape), least[:-1], most[:-1]], axis=-1)
    for i in reversed(range(len(step))):
        own, near = rows[i], per[i]
        own[..., -1, 1], own[..., -1, 2] = high[i + 1] * near, low[i + 1] * near
        found = solve(states[i], own)
        low[i], high[i] = found[..., 1], found[..., 2]
        if np.any(low[i] > high[i]):
            _fail(i, low[i] > high[i], least[i], own)
    late = low[0] > REST * (1.0 + high.max(axis=0, where=high < FREE, initial=0.0))
    if late.any():
        _fail(0, late, np.zeros(late.shape), rows[0])
    x, (B, U) = np.zeros(least.shape), np.moveaxis(rows[..., :2], -1, 0)
    for i in range(len(step)):
        u = (U[i] - B[i] * x[i, ..., None]).min(axis=-1)
        x[i + 1] = np.maximum(np.minimum(x[i] + u / per[i], high[i + 1]), low[i + 1])
    return x


def _fail(interval: int, bad: Array, x: Array, rows: Array) -> NoReturn:
    path = int(np.argmax(bad))
    raise StuckError(path, interval, float(np.ravel(x)[path]), rows.reshape(-1, *rows.shape[-2:])[path])
