"""The verdict whether targets can be reached."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.algorithms.inverse import COST, GOING
from kinetree.solvers.ik.problem import at_the_best
from kinetree.solvers.ik.several import flattened, prepared
from kinetree.spatial.se3 import Array

if TYPE_CHECKING:
    from kinetree.solvers.ik.solver import IK

NEAR = 0.1
"""Squared error, m² and rad², below which exact steps may end at the target."""


def reachable(ik: IK, targets: Sequence[Any], threads: int) -> Array | bool:
    """Return the result of `IK.reachable`."""
    kernels, options = ik._quick, {} if threads == 1 else {"threads": threads}
    if kernels.verdict and ik._is_plain(targets):
        alone = float(kernels.verdict(ik._inside.neutral, *ik._more, *targets))
        if alone >= 0.0:
            return alone > 0.0
    search, arrays, batch = prepared(ik, targets, None)
    if not kernels.verdict:
        return _reached(ik, search, arrays, **options)
    rows = search[1:3] if len(ik._problem.G) else []
    verdict = np.asarray(kernels.verdict(search[3], *rows, *arrays, **options))
    answer, doubtful = verdict > 0.0, verdict < 0.0
    if doubtful.any():
        flat, own = flattened(ik, search, arrays, batch, doubtful)
        answer[doubtful] = _reached(ik, flat, own, **options)
    return answer if batch else bool(answer)


def _reached(ik: IK, search: Sequence[Array], targets: Sequence[Array], **options: Any) -> Array | bool:
    """Return whether a search finds a solution, (…,) of bool."""
    states, h, center, rest = search
    more = [h, center] if len(ik._problem.G) else []
    if ik._nearest:  # the closed form is in doubt: the target is singular, where steps are small
        found = ik._kernel(ik._nearest(states, *more, *targets, **options), *more, *targets, **options)
    else:
        first = np.concatenate([states, np.full((*states.shape[:-1], 1), np.inf)], axis=-1)
        found = ik._quick.reach(first, *more, *targets, **options)[..., :-1]
    if ik._quick.end:
        found = _ended(ik, found, search, targets, **options)
    reached = np.asarray(ik._answer(found, rest)[..., ik._problem.nq + 2] == 0.0)
    return reached if reached.ndim else bool(reached)


def _ended(ik: IK, found: Array, search: Sequence[Array], targets: Sequence[Array], **options: Any) -> Array:
    """Return the last states after a few exact steps of those that came near without a solution."""
    found = found.copy()
    near = (found[..., GOING] != 0.0) & (found[..., COST] < NEAR)
    (_, h, *_), own = flattened(ik, search, targets, near.shape, near)
    assert ik._quick.end
    found[near] = ik._quick.end(
        at_the_best(ik._problem, found[near]), *([h] if len(ik._problem.G) else []), *own, **options
    )
    return found
