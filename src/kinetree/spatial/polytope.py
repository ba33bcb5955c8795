"""Convex polytopes {x : A x <= b} in a few dimensions: what they hold, how large they are, what is nearest.

A (m, n) and b (m,) are plain arrays; rows need not have length one. Linear programmes, hulls and least squares are
SciPy's. Boyd & Vandenberghe, Convex Optimization, is cited as BV.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kinetree.errors import fail
from kinetree.spatial.se3 import Array

FLAT = 1e-9
"""A polytope is taken to have no inside where the largest ball in it is smaller, in units of its largest offset."""


class Ball(NamedTuple):
    """The largest ball inside: center (n,), which is not always unique, and radius: negative where the polytope is
    empty, by how far the rows would have to be moved out, and infinite where it is large without bound."""

    center: Array
    radius: float


def chebyshev_ball(A: Array, b: Array) -> Ball:
    """The largest ball inside (BV, section 8.5.1)."""
    n = A.shape[1]
    solution = _linprog(np.r_[np.zeros(n), -1.0], np.c_[A, np.linalg.norm(A, axis=1)], b)
    return Ball(np.full(n, np.nan), np.inf) if solution is None else Ball(solution[:n], float(solution[n]))


def is_empty(A: Array, b: Array) -> bool:
    """Whether no point fulfils all rows."""
    return chebyshev_ball(A, b).radius < 0


def is_bounded(A: Array) -> bool:
    """Whether rows A leave no direction open, whatever their bounds: they span all directions, and some combination of
    them, each with a share above zero, vanishes (Stiemke's theorem; BV, section 5.8)."""
    from scipy.optimize import linprog

    m, n = A.shape
    if np.linalg.matrix_rank(A) < n:
        return False
    shares = linprog(
        np.r_[np.zeros(m), -1.0],
        np.c_[-np.eye(m), np.ones(m)],
        np.zeros(m),
        np.vstack([np.c_[A.T / np.abs(A).max(), np.zeros(n)], np.r_[np.ones(m), 0.0]]),
        np.r_[np.zeros(n), 1.0],
        bounds=(None, None),
        method="highs",
    )
    return bool(shares.success and -shares.fun > 1e-9)


def redundant_rows(A: Array, b: Array) -> list[int]:
    """The rows that all the others together imply, from 0. Of equal rows the first is kept."""
    kept = list(range(len(A)))
    for i in range(len(A) - 1, -1, -1):
        others = [k for k in kept if k != i]
        farthest = _linprog(-A[i], np.vstack([A[others], A[i]]), np.r_[b[others], b[i] + 1.0])
        if farthest is not None and A[i] @ farthest <= b[i] + _slack(b):
            kept = others
    return [i for i in range(len(A)) if i not in kept]


def rows_that_matter(A: Array, b: Array, box_A: Array, box_b: Array) -> list[int]:
    """The rows that cut something off another polytope, from 0: those that are not implied by that and the others."""
    implied = redundant_rows(np.vstack([box_A, A]), np.r_[box_b, b])
    return [i for i in range(len(A)) if len(box_A) + i not in implied]


def vertices(A: Array, b: Array) -> Array:
    """The corners (k, n) of a bounded polytope that has an inside."""
    if A.shape[1] == 1:
        return np.array([[x] for x in _ends(A, b)])
    from scipy.spatial import HalfspaceIntersection

    center, scale = _inside(A, b).center, _scale(b)
    corners = HalfspaceIntersection(np.c_[A, -b], center).intersections
    _, first = np.unique(np.round(corners / scale, 9), axis=0, return_index=True)
    return np.asarray(corners[np.sort(first)])


def volume(A: Array, b: Array) -> float:
    """Of a bounded polytope; zero where there is no inside."""
    if chebyshev_ball(A, b).radius <= FLAT * _scale(b):
        return 0.0
    return _hull_volume(vertices(A, b))


def facet_areas(A: Array, b: Array) -> Array:
    """The area (m,) of the face of each row, of dimension n - 1; zero for a row that touches nothing more than an edge.

    Moving row i out by db[i] changes the volume by area[i] / |A[i]| db[i], to first order.
    """
    corners, scale = vertices(A, b), _scale(b)
    areas = np.zeros(len(A))
    for i, (row, bound) in enumerate(zip(A, b, strict=True)):
        length = float(np.linalg.norm(row))
        face = corners[np.abs(corners @ row - bound) <= 1e-9 * scale * length]
        if len(face) >= A.shape[1]:
            basis = np.linalg.svd(row[None] / length)[2][1:]  # (n - 1, n), the directions of the face
            areas[i] = _hull_volume(face @ basis.T) if len(basis) else 1.0
    return areas


class Box(NamedTuple):
    """lower, upper (n,)."""

    lower: Array
    upper: Array


def largest_box(A: Array, b: Array) -> Box:
    """The axis-aligned box of the largest volume inside (BV, section 8.5.2); it is unique."""
    from scipy.optimize import minimize

    n, ball = A.shape[1], _inside(A, b)
    rows = np.c_[np.minimum(A, 0.0), np.maximum(A, 0.0)]  # of lower, of upper
    half = ball.radius / np.sqrt(n) / 2
    start = np.r_[ball.center - half, ball.center + half]
    found = minimize(
        lambda x: -float(np.sum(np.log(x[n:] - x[:n]))),
        start,
        jac=lambda x: np.r_[1.0 / (x[n:] - x[:n]), -1.0 / (x[n:] - x[:n])],
        constraints={"type": "ineq", "fun": lambda x: b - rows @ x, "jac": lambda x: -rows},
        method="SLSQP",
        options={"maxiter": 1000, "ftol": 1e-14},
    )
    out = float(np.max(rows @ found.x - b, initial=0.0))
    if not np.all(found.x[n:] > found.x[:n]) or out > 1e-6 * _scale(b):
        raise fail("no-solution", f"the largest box was not found: {found.message}")
    return Box(found.x[:n], found.x[n:])


def project(A: Array, b: Array, point: Array) -> Array:
    """The nearest point (n,) of the polytope to a point (n,), by least squares with signs (Lawson & Hanson, Solving
    Least Squares Problems, chapter 23). The point itself if it is inside."""
    from scipy.optimize import nnls

    gap = A @ point - b
    if np.all(gap <= 0):
        return np.array(point, dtype=float)
    # least distance: the smallest y with -A y >= gap is -r[:n] / r[n], r what is left of [-A.T; gap] u = [0; 1], u >= 0
    scale = float(np.max(np.abs(gap)))
    E = np.vstack([-A.T, gap / scale])
    target = np.r_[np.zeros(A.shape[1]), 1.0]
    u, rest = nnls(E, target, maxiter=50 * E.shape[1])
    r = E @ u - target
    if rest <= 1e-12 or r[-1] >= 0:
        raise _empty()
    return np.asarray(point - scale * r[:-1] / r[-1])


def sample(A: Array, b: Array, n: int, rng: np.random.Generator) -> Array:
    """n points (n, dimension), independent and uniform: a simplex of a triangulation by its volume, then a point."""
    corners = vertices(A, b)
    if A.shape[1] == 1:
        return np.asarray(rng.uniform(corners.min(), corners.max(), (n, 1)))
    from scipy.spatial import Delaunay

    simplices = corners[Delaunay(corners).simplices]  # (k, dimension + 1, dimension)
    weights = np.abs(np.linalg.det(simplices[:, 1:] - simplices[:, :1]))
    chosen = rng.choice(len(simplices), n, p=weights / weights.sum())
    shares = rng.dirichlet(np.ones(A.shape[1] + 1), n)
    return np.asarray(np.einsum("ki,kij->kj", shares, simplices[chosen]))


def _inside(A: Array, b: Array) -> Ball:
    """The largest ball of a bounded polytope with an inside."""
    ball = chebyshev_ball(A, b)
    if ball.radius <= FLAT * _scale(b):
        raise _empty()
    if not is_bounded(A):
        raise fail("unbounded", "the limits leave some direction open; this wants them bounded")
    return ball


def _empty() -> Exception:
    return fail("empty", "no configuration fulfils all these limits at once, or none with some room around it")


def _scale(b: Array) -> float:
    return float(np.max(np.abs(b), initial=1e-300))


def _slack(b: Array) -> float:
    return 1e-9 * _scale(b)


def _ends(A: Array, b: Array) -> tuple[float, float]:
    """Lowest and highest x of a polytope in one dimension."""
    _inside(A, b)
    ends = b / A[:, 0]
    return float(ends[A[:, 0] < 0].max()), float(ends[A[:, 0] > 0].min())


def _hull_volume(points: Array) -> float:
    """The volume of the convex hull of points (k, n); in one dimension the length."""
    if points.shape[1] == 1:
        return float(np.ptp(points))
    from scipy.spatial import ConvexHull

    return float(ConvexHull(points).volume)


def _linprog(c: Array, A: Array, b: Array) -> Any:
    """The x of least c x with A x <= b, or None where there is no least one."""
    from scipy.optimize import linprog

    found = linprog(c, A, b, bounds=(None, None), method="highs")
    if found.status == 3:
        return None
    if not found.success:
        raise fail("no-solution", f"the linear programme was not solved: {found.message}")
    return found.x
