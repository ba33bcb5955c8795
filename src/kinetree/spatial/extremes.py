"""Linear programmes and convex hulls by SciPy, with errors that explain what is wrong with the limits."""

from contextlib import suppress
from typing import Any

import numpy as np

from kinetree.errors import fail
from kinetree.spatial.se3 import Array

FLAT = 1e-9
"""Radius of the largest inner ball, in scaled coordinates, up to which a polytope counts as flat."""


def empty() -> Exception:
    """Return the error for limits that no configuration fulfils."""
    return fail("empty", "no configuration fulfils all these limits at once, or none with some room around it")


def unbounded() -> Exception:
    """Return the error for limits that leave a direction unbounded."""
    return fail("unbounded", "the limits leave some direction open, or are too far off; this wants them bounded")


def too_thin() -> Exception:
    """Return the error for a polytope so thin that its corners coincide."""
    message = "the corners of what the limits leave cannot be told apart; expected limits that leave more room"
    return fail("no-solution", message)


def hull_volume(points: Array) -> float:
    """Return the volume of the convex hull of points (k, n): the length if n = 1, zero if the points lie in a plane."""
    if points.shape[1] == 1:
        return float(np.ptp(points))
    from scipy.spatial import ConvexHull, QhullError

    spread = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    if spread[-1] <= FLAT:
        return 0.0
    try:
        return float(ConvexHull(points).volume)
    except QhullError:  # corners too close together: QJ moves them apart a little
        with suppress(QhullError):
            return float(ConvexHull(points, qhull_options="QJ").volume)
        raise too_thin() from None


def linear_programme(c: Array, A: Array, b: Array) -> Any:
    """Return the x that minimises c x subject to A x <= b, or None if c x has no minimum. Raises KinetreeError if no x
    fulfils A x <= b or if the numbers are too large."""
    from scipy.optimize import linprog

    bounds = b < np.inf  # an infinite bound limits nothing
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
