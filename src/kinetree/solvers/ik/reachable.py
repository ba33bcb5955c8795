"""The verdict whether targets can be reached."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.solvers.ik.apart import searched
from kinetree.solvers.ik.search import flattened
from kinetree.solvers.ik.several import prepared
from kinetree.spatial.se3 import Array

if TYPE_CHECKING:
    from kinetree.solvers.ik.solver import IK


def reachable(ik: IK, targets: Sequence[Any], threads: int) -> Array | bool:
    """Return the result of `IK.reachable`."""
    kernels = ik._quick
    if kernels.verdict and ik._is_plain(targets):
        alone = float(kernels.verdict(ik._inside.neutral, *ik._more, *targets))
        if alone == 0.0 or (alone > 0.0 and ik.contact is None):
            return alone > 0.0
    answer, _ = judged(ik, targets, threads)
    return answer if answer.ndim else bool(answer)


def judged(ik: IK, targets: Sequence[Any], threads: int = 1) -> tuple[Array, Array]:
    """Return whether targets can be reached (…,), and the solutions (…, nq) of those that the search has solved, NaN
    for others, about which a closed form is certain."""
    kernels, (search, checked, batch) = ik._quick, prepared(ik, targets, None)
    q = np.full((*batch, ik._problem.nq), np.nan)
    answer, doubtful = np.zeros(batch, bool), ~checked.in_batch(batch)
    if kernels.verdict:
        rows = search[1:3] if len(ik._problem.G) else []
        verdict = np.asarray(kernels.verdict(search[3], *rows, *checked.arrays))
        if ik.contact is not None:
            verdict = np.where(verdict > 0.0, -1.0, verdict)  # a solution may be in contact
        answer, doubtful = np.asarray((verdict > 0.0) & doubtful), (verdict < 0.0) & doubtful
    for shell, target in zip(kernels.shells, checked.arrays, strict=False):
        if shell:
            doubtful = doubtful & ~shell.excludes(target)
    if doubtful.any():
        begin, own = flattened(ik, search, checked.arrays, batch, doubtful)
        found = searched(ik, begin, own, threads)
        result = np.asarray(ik._answer(found, begin[3]))
        answer[doubtful] = success = result[..., ik._problem.nq + 2] == 0.0
        q[doubtful] = np.where(success[..., None], result[..., : ik._problem.nq], np.nan)
    return answer, q
