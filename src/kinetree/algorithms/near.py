"""Ranges near a configuration, as an input of the search of `inverse`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from kinetree.algorithms.inverse import Problem

INWARDS = 1e-15
"""Share by which ranges are smaller, so that rounding leads to nothing beyond."""


def opened(problem: Problem, bounds: Any) -> tuple[Problem, Any]:
    """Return the problem that a search solves, and h (m,) of its rows.

    bounds: h; if `problem.is_near` followed by what results are near to, q0 (k,), inside the limits, and by how far
    from there coordinates may be, reach (k,), which closes ranges and fills `problem.around`.
    """
    if not problem.is_near:
        return problem, bounds
    flat, k = len(problem.lower), len(problem.columns)
    h, q0, reach = np.split(bounds, [len(problem.G), len(problem.G) + k])
    low, high, first, last = [], [], [], []
    for j in range(flat):
        most = (1.0 - INWARDS) * reach[j] - INWARDS * abs(q0[j])
        a, b, begin, end = q0[j] - most, q0[j] + most, float(problem.first[j]), float(problem.last[j])
        low.append(np.maximum(a, problem.lower[j]) if has_end(problem.lower[j]) else a)
        high.append(np.minimum(b, problem.upper[j]) if has_end(problem.upper[j]) else b)
        is_small = high[j] - low[j] <= end - begin  # or starts are in the same window as usual
        first.append(np.where(is_small, low[j], np.minimum(np.maximum(begin, low[j]), high[j])))
        last.append(np.where(is_small, high[j], np.minimum(np.maximum(end, low[j]), high[j])))
    around = [x for i in problem.loose for x in (*q0[i.q : i.q + i.kind.nq], (1.0 - INWARDS) * reach[i.q])]
    ends: dict[str, Any] = {"lower": low, "upper": high, "first": first, "last": last, "around": around}
    return replace(problem, **ends, is_near=False), h


def has_end(end: Any) -> bool:
    """Return whether an end of a range counts: a finite number, or an input of the search."""
    return not isinstance(end, float) or bool(np.isfinite(end))
