"""Ranges near a configuration, as an input of the search of `inverse`."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from kinetree.algorithms.inverse import Problem, has_end
from kinetree.algorithms.vectors import largest

INWARDS = 1e-15
"""Share by which ranges are smaller, so that rounding leads to nothing beyond."""


def bounds_near(
    problem: Problem, q0: Sequence[Any], q: Sequence[Any], reach: Sequence[Any], h: Any, center: Any
) -> list[Any]:
    """Return the bounds (b,) of a search, see `Problem.opened`, and a point (k,) well inside them.

    q0 (k,): what results are near to, and q (k,), where the search begins, inside the limits. reach (k,): how far from
    q0 they may be. h (m,): bounds of the rows. center (k,): a point well inside these. If q is beyond the reach, so
    that limits are farther away, all ranges are q.
    """
    flat, low, high, out = len(problem.lower), [], [], [0.0]
    for j in range(flat):
        most = (1.0 - INWARDS) * reach[j] - INWARDS * abs(q0[j])
        first, last = q0[j] - most, q0[j] + most
        low.append(np.maximum(first, problem.lower[j]) if has_end(problem.lower[j]) else first)
        high.append(np.minimum(last, problem.upper[j]) if has_end(problem.upper[j]) else last)
        out += [low[j] - q[j], q[j] - high[j]]
    is_out = largest(out) > 0.0
    low, high = ([np.where(is_out, x, end) for x, end in zip(q, ends, strict=False)] for ends in (low, high))
    around: list[Any] = []
    for joint in problem.loose:
        around += [*q[joint.q : joint.q + joint.kind.nq], (1.0 - INWARDS) * reach[joint.q]]
    return [*h, *low, *high, *around, *_between(problem, q, low, high, center)]


def _between(problem: Problem, q: Sequence[Any], low: Sequence[Any], high: Any, center: Any) -> list[Any]:
    """Return a point (k,) on the way from q (k,) to a center (k,), at most half way to the end of a range."""
    if not len(problem.G):
        return list(q)
    flat = len(problem.lower)
    ways = [c - x for c, x in zip(center[:flat], q, strict=False)]
    share: Any = 1.0
    for x, a, b, way in zip(q, low, high, ways, strict=False):
        room, most = np.where(way > 0.0, b - x, x - a), share * 2.0 * abs(way)
        share = np.where(most > room, share * room / np.where(most > room, most, 1.0), share)
    return [*(x + share * way for x, way in zip(q, ways, strict=False)), *q[flat:]]
