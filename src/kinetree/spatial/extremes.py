"""Linear programmes and hulls, which are SciPy's, with errors that say what is wrong with the limits."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from kinetree.errors import fail
from kinetree.spatial.se3 import Array

FLAT = 1e-9
"""Radius of the largest ball, in those coordinates, below which a polytope is taken to have no inside."""


def empty() -> Exception:
    """Return the error of limits that leave nothing."""
    return fail("empty", "no configuration fulfils all these limits at once, or none with some room around it")


def unbounded() -> Exception:
    """Return the error of limits that leave a direction open."""
    return fail("unbounded", "the limits leave some direction open, or are too far off; this wants them bounded")


def too_thin() -> Exception:
    """Return the error of limits that leave next to nothing."""
    message = "the corners of what the limits leave cannot be told apart; legal are limits that leave more room"
    return fail("no-solution", message)


def hull_volume(points: Array) -> float:
    """Return the volume of the convex hull of points (k, n), zero where they lie in a plane; the length for n = 1."""
    if points.shape[1] == 1:
        return float(np.ptp(points))
    from scipy.spatial import ConvexHull, QhullError

    spread = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    if spread[-1] <= FLAT:
        return 0.0
    try:
        return float(ConvexHull(points).volume)
    except QhullError:  # corners too close together for its own caution: they are moved apart a little
        with suppress(QhullError):
            return float(ConvexHull(points, qhull_options="QJ").volume)
        raise too_thin() from None


def linear_programme(c: Array, A: Array, b: Array) -> Any:
    """Return the x of least c x with A x <= b, or None where there is no least one."""
    from scipy.optimize import linprog

    bounds = b < np.inf  # a row that is infinitely far off bounds nothing
    if np.isnan(b).any() or not np.all(np.isfinite(A)) or not np.all(np.isfinite(c)):
        raise fail("no-solution", "some limits are too large or too small to compute with")
    if np.any(b == -np.inf):
        raise empty()
    found = linprog(c, A[bounds], b[bounds], bounds=(None, None), method="highs")
    if found.status == 3:
        return None
    if found.status == 2:
        raise empty()
    if not found.success:
        raise fail("no-solution", f"the linear programme was not solved: {found.message}")
    return found.x
