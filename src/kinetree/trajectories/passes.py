"""The two passes of time-optimal parametrisation over many paths at once (`kinetree.algorithms.reachability`)."""

from collections.abc import Callable, Hashable
from functools import cache, partial
from typing import Any, NoReturn

import numpy as np

from kinetree.algorithms import reachability
from kinetree.algorithms.reachability import FREE
from kinetree.compiler.cache import digest
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port, flat_results
from kinetree.compiler.program import trace
from kinetree.spatial.se3 import Array

REST = 1e-9
"""Part of the largest x that counts as rest."""
Shapes = tuple[tuple[int, ...], ...]


class StuckError(Exception):
    """No speed fulfils the limits. path: its number. interval: the number of the interval. x: a speed, squared, that is
    tried. rows (r, 3): of the interval, the last for the rest of the path."""

    def __init__(self, path: int, interval: int, x: float, rows: Array) -> None:
        super().__init__(path, interval, x)
        self.path, self.interval, self.x, self.rows = path, interval, x, rows


@cache
def compiled(
    function: Callable[..., Any], inputs: Shapes, outputs: Shapes = ((),), *given: Hashable, repeated: bool = False
) -> Kernel:
    """Return the kernel of a function of `kinetree.algorithms` from arrays to arrays of these shapes.

    given: arguments before the arrays. If there are several outputs, the function returns a tuple.
    """
    into, out = ([Port(f"{x}{i}", shape) for i, shape in enumerate(s)] for x, s in (("x", inputs), ("y", outputs)))

    def called(*arrays: Any) -> Any:
        return function(*given, *(x[()] for x in arrays))  # scalars as such

    whole = called if len(out) == 1 else partial(flat_results, out, called)
    key = digest(function.__module__, function.__name__, repr((given, inputs, outputs)))
    return Kernel(function.__name__, tuple(into), tuple(out), lambda: trace(whole, *inputs, repeated=repeated), key)


def fastest(rows: Array, step: Array, least: Array, most: Array) -> Array:
    """Return the largest squares x (n + 1, …) of the speed that limits allow, from rest to rest.

    rows (2, n, …, r, 3): of the beginning and the end of every interval. step (n, …): lengths of the intervals. least,
    most (n + 1, …): bounds of x. Raises StuckError.
    """
    part, last = rows.shape[-2:], (1, 3)
    solve = compiled(reachability.step, ((3,), part, part, last), ((3,),), repeated=True)
    move = compiled(reachability.faster, ((4,), part, part))
    per, ends = 0.5 / step, np.zeros((*least.shape, 2))
    rest = np.empty((*step.shape, *last))
    rest[..., 0, 0] = per
    states = np.stack([np.ones(step.shape), least[:-1], most[:-1]], axis=-1)
    for i in reversed(range(len(step))):
        rest[i, ..., 0, :0:-1] = ends[i + 1] * per[i, ..., None]
        ends[i] = solve(states[i], rows[0, i], rows[1, i], rest[i])[..., 1:]
    if (bad := np.flatnonzero((ends[..., 0] > ends[..., 1]).any(axis=tuple(range(1, least.ndim))))).size:
        i = int(bad[-1])  # the first that was computed
        _fail(i, ends[i, ..., 0] > ends[i, ..., 1], least[i], [rows[0, i], rows[1, i], rest[i]])
    high = ends[..., 1]
    late = ends[0, ..., 0] > REST * (1.0 + high.max(axis=0, where=high < FREE, initial=0.0))
    if late.any():
        _fail(0, late, np.zeros(late.shape), [rows[0, 0], rows[1, 0], rest[0]])
    x, states = np.zeros(least.shape), np.stack([per, per, *np.moveaxis(ends[1:], -1, 0)], axis=-1)
    for i in range(len(step)):
        states[i, ..., 0] = x[i]
        x[i + 1] = move(states[i], rows[0, i], rows[1, i])
    return x


def _fail(interval: int, bad: Array, x: Array, rows: list[Array]) -> NoReturn:
    path, whole = int(np.argmax(bad)), np.concatenate(rows, axis=-2)
    raise StuckError(path, interval, float(np.ravel(x)[path]), whole.reshape(-1, *whole.shape[-2:])[path])
