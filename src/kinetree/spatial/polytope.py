"""Convex polytopes {x : A x <= b} in a few dimensions: emptiness, volume, corners, projection, samples.

A (m, n) and b (m,) are plain arrays; rows may have any length except zero. Linear programmes, hulls and least squares
are SciPy's, with absolute tolerances. So everything is computed in coordinates in which the box formed by
single-coordinate rows reaches from -1 to 1. BV is Boyd & Vandenberghe, Convex Optimization.
"""

from typing import NamedTuple

import numpy as np

from kinetree.errors import fail
from kinetree.spatial.extremes import FLAT, empty, hull_volume, linear_programme, too_thin, unbounded
from kinetree.spatial.monte_carlo import Estimate, estimated_share, scattered
from kinetree.spatial.se3 import Array

WIDE = 1e8
"""Bounds from here on limit as others do, but do not set the scale."""
EXACT = 6
"""Largest dimension in which volumes are exact; above it there are too many corners."""


class ScaledPolytope(NamedTuple):
    """A polytope A y <= b in scaled coordinates y with x = center + width y, (n,) each, and rows of length one.

    lengths (m,): the lengths of the rows before they were normalised.
    """

    A: Array
    b: Array
    center: Array
    width: Array
    lengths: Array


_quietly = np.errstate(over="ignore", invalid="ignore", divide="ignore")
"""Lets overflow become infinity without a warning; infinite values are refused where they matter."""


@_quietly
def _framed(A: Array, b: Array, *, uniform: bool = False) -> ScaledPolytope:
    """Return the polytope in scaled coordinates. uniform: one width for all, which keeps ratios of distances."""
    A, b = np.asarray(A, dtype=float), np.asarray(b, dtype=float)
    n = A.shape[1]
    lower, upper = np.full(n, -np.inf), np.full(n, np.inf)
    for row, bound in zip(A, b, strict=True):
        where = np.flatnonzero(row)
        if len(where) == 1:
            i, end = where[0], bound / row[where[0]]
            lower[i], upper[i] = (lower[i], min(upper[i], end)) if row[i] > 0 else (max(lower[i], end), upper[i])
    boxed = (np.abs(lower) < WIDE) & (np.abs(upper) < WIDE) & (lower < upper)
    center = np.where(boxed, (lower + upper) / 2, np.where(lower == upper, lower, 0.0))
    width = np.where(boxed, (upper - lower) / 2, 1.0)
    if uniform:
        width = np.full(n, width[boxed].max() if boxed.any() else 1.0)
    rows = A * width
    lengths = np.linalg.norm(rows, axis=1)
    if not np.all(lengths > 0):
        raise fail("zero-row", f"row {int(np.argmin(lengths)) + 1} of the limits is zero")
    return ScaledPolytope(rows / lengths[:, None], (b - A @ center) / lengths, center, width, lengths)


class Ball(NamedTuple):
    """The largest ball inside: center (n,), not always unique, and radius. The radius is negative if the polytope is
    empty (how far the rows must move out) and infinite if it is unbounded in size."""

    center: Array
    radius: float


@_quietly
def chebyshev_ball(A: Array, b: Array) -> Ball:
    """Return the largest ball inside (BV, section 8.5.1)."""
    framed = _framed(A, b, uniform=True)
    ball, scale = _ball(framed.A, framed.b), float(framed.width[0])
    return Ball(framed.center + scale * ball.center, scale * ball.radius)


def _ball(A: Array, b: Array) -> Ball:
    n = A.shape[1]
    solution = linear_programme(np.r_[np.zeros(n), -1.0], np.c_[A, np.linalg.norm(A, axis=1)], b)
    return Ball(np.full(n, np.nan), np.inf) if solution is None else Ball(solution[:n], float(solution[n]))


@_quietly
def is_empty(A: Array, b: Array) -> bool:
    """Return whether no point fulfils all rows, to 1e-9 of the size of the box that the rows form."""
    framed = _framed(A, b)
    return _ball(framed.A, framed.b).radius < -FLAT


@_quietly
def is_flat(A: Array, b: Array) -> bool:
    """Return whether the polytope has no interior: it is empty or lies in a plane."""
    framed = _framed(A, b)
    return _ball(framed.A, framed.b).radius <= FLAT


@_quietly
def is_bounded(A: Array) -> bool:
    """Return whether rows A bound every direction, for any b. The rows must span all directions, and some combination
    of them with positive shares must vanish (Stiemke's theorem; BV, section 5.8)."""
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


@_quietly
def redundant_rows(A: Array, b: Array) -> list[int]:
    """Return the indices of the rows that all others together imply; of equal rows the first is kept."""
    framed = _framed(A, b)
    A, b = framed.A, framed.b
    kept = list(range(len(A)))
    for i in range(len(A) - 1, -1, -1):
        others = [k for k in kept if k != i]
        farthest = linear_programme(-A[i], np.vstack([A[others], A[i]]), np.r_[b[others], b[i] + 1.0])
        if farthest is not None and A[i] @ farthest <= b[i] + FLAT:
            kept = others
    return [i for i in range(len(A)) if i not in kept]


def rows_that_matter(A: Array, b: Array, box_A: Array, box_b: Array) -> list[int]:
    """Return the indices of the rows that cut something off another polytope."""
    implied = redundant_rows(np.vstack([box_A, A]), np.r_[box_b, b])
    return [i for i in range(len(A)) if len(box_A) + i not in implied]


@_quietly
def vertices(A: Array, b: Array) -> Array:
    """Return the corners (k, n) of a bounded polytope with an interior."""
    framed = _framed(A, b)
    return np.asarray(framed.center + framed.width * _corners(framed.A, framed.b))


@_quietly
def volume(A: Array, b: Array) -> float:
    """Return the volume of a bounded polytope; zero if it has no interior."""
    if is_flat(A, b):
        return 0.0
    framed = _framed(A, b)
    return float(np.prod(framed.width)) * hull_volume(_corners(framed.A, framed.b))


@_quietly
def measure(A: Array, b: Array) -> Estimate:
    """Return the volume of a bounded polytope: exact up to 6 dimensions, then a repeatable estimate."""
    if A.shape[1] <= EXACT:
        return Estimate(volume(A, b))
    if is_flat(A, b):
        return Estimate(0.0)
    framed = _framed(A, b)
    lower, upper = _bounding_box(framed.A, framed.b)
    whole = float(np.prod(framed.width) * np.prod(upper - lower))
    share = estimated_share(framed.A, framed.b, lower, upper, np.random.default_rng(0))
    return Estimate(whole * share, whole * share.error)


@_quietly
def facet_areas(A: Array, b: Array) -> Array:
    """Return the area (m,) of the face of each row, of dimension n - 1.

    It is zero for a row that touches an edge at most, and for a row equal to an earlier one. If no row is its equal,
    moving row i out by db[i] changes the volume by area[i] / |A[i]| db[i], to first order.
    """
    framed = _framed(A, b)
    rows, bounds, n = framed.A, framed.b, A.shape[1]
    corners, areas = _corners(rows, bounds), np.zeros(len(A))
    for i, (row, bound) in enumerate(zip(rows, bounds, strict=True)):
        face = corners[np.abs(corners @ row - bound) <= FLAT]
        same = np.abs(np.c_[rows, bounds][:i] - np.r_[row, bound]).max(axis=1, initial=0.0) <= FLAT
        if len(face) >= n and not same.any():
            basis = np.linalg.svd(row[None])[2][1:]  # (n - 1, n), the directions of the face
            areas[i] = hull_volume(face @ basis.T) if len(basis) else 1.0
    stretched = float(np.prod(framed.width)) * np.linalg.norm(A, axis=1) / framed.lengths
    return np.asarray(areas * stretched)


@_quietly
def support(A: Array, b: Array, direction: Array) -> float:
    """Return the largest direction @ x in the polytope; infinite if there is none."""
    framed = _framed(A, b)
    scaled = direction * framed.width
    length = float(np.linalg.norm(scaled))
    farthest = linear_programme(-scaled / length, framed.A, framed.b)
    return np.inf if farthest is None else float(direction @ framed.center + scaled @ farthest)


class Box(NamedTuple):
    """An axis-aligned box: lower, upper (n,)."""

    lower: Array
    upper: Array


@_quietly
def largest_box(A: Array, b: Array) -> Box:
    """Return an axis-aligned box of the largest volume inside (BV, section 8.5.2); one of several if there is a tie."""
    from scipy.optimize import minimize

    framed = _framed(A, b)
    A, b = framed.A, framed.b
    n, ball = A.shape[1], _inside(A, b)
    rows = np.c_[np.minimum(A, 0.0), np.maximum(A, 0.0)]  # of lower, of upper
    half = ball.radius / np.sqrt(n) / 2
    start = np.r_[ball.center - half, ball.center + half]
    found = minimize(
        lambda x: -float(np.sum(np.log(np.maximum(x[n:] - x[:n], 1e-300)))),
        start,
        jac=lambda x: np.r_[1.0 / (x[n:] - x[:n]), -1.0 / (x[n:] - x[:n])],
        constraints={"type": "ineq", "fun": lambda x: b - rows @ x, "jac": lambda x: -rows},
        method="SLSQP",
        options={"maxiter": 1000, "ftol": 1e-14},
    )
    lower, upper = found.x[:n], found.x[n:]
    if not (found.success and np.all(upper > lower) and np.max(rows @ found.x - b) <= 1e-9):
        raise fail("no-solution", f"the largest box was not found: {found.message}")
    return Box(framed.center + framed.width * lower, framed.center + framed.width * upper)


@_quietly
def project(A: Array, b: Array, point: Array, *, deeper: float = 0.0) -> Array:
    """Return the point (n,) of the polytope nearest to a point (n,); the point itself if it is inside.

    Uses non-negative least squares (Lawson & Hanson, Solving Least Squares Problems, chapter 23). If rounding leaves
    the result outside, the rows are moved in by up to 1e-12 of the size of their box. They are always moved in by
    `deeper` of that size, for callers whose sums are rounded differently.
    """
    if not deeper and np.all(A @ point <= b):
        return np.array(point, dtype=float)
    framed = _framed(A, b, uniform=True)
    scale = float(framed.width[0])
    y = _nearest(framed.A, framed.b, (point - framed.center) / scale)
    if y is None:
        raise empty()
    found = y
    for inwards in (0.0, 1e-15, 1e-14, 1e-13, 1e-12):
        nearer = _nearest(framed.A, framed.b - inwards - deeper, y)  # starts close by, which keeps more digits
        if nearer is None:
            break
        found = nearer
        if np.all(A @ (framed.center + scale * found) <= b):
            break
    return np.asarray(framed.center + scale * found)


def _nearest(A: Array, b: Array, y: Array) -> Array | None:
    """Return the point of A x <= b nearest to y, or None if no point fulfils the rows."""
    from scipy.optimize import nnls

    gap = A @ y - b
    if np.all(gap <= 0):
        return y
    # least distance: the smallest d with -A d >= gap is -r[:n] / r[n], r what is left of [-A.T; gap] u = [0; 1], u >= 0
    scale = float(np.max(gap))
    E = np.vstack([-A.T, np.maximum(gap / scale, -1e6)])  # rows far from being violated do not count
    target = np.r_[np.zeros(A.shape[1]), 1.0]
    if not np.all(np.isfinite(E)):
        raise fail("no-solution", "the point or some limits are too far off to compute with")
    try:
        u, rest = nnls(E, target, maxiter=50 * E.shape[1])
    except RuntimeError as error:  # too many steps
        raise fail("no-solution", f"the nearest point was not found: {error}") from None
    r = E @ u - target
    if rest <= 1e-12 or r[-1] >= 0:
        return None
    return np.asarray(y - scale * r[:-1] / r[-1])


@_quietly
def sample(A: Array, b: Array, n: int, rng: "np.random.Generator") -> Array:
    """Return n independent uniform points (n, dimension): a simplex chosen by its volume, then a point in it.

    In more than 6 dimensions points are drawn in a box; if the polytope fills less than a fifth of the box, they are
    the ends of random walks, which are only nearly independent.
    """
    if A.shape[1] > EXACT:
        return _scattered(A, b, n, rng)
    corners = vertices(A, b)
    if A.shape[1] == 1:
        return np.asarray(rng.uniform(corners.min(), corners.max(), (n, 1)))
    from scipy.spatial import Delaunay, QhullError

    center, size = corners.mean(axis=0), np.ptp(corners, axis=0)
    try:
        simplices = corners[Delaunay((corners - center) / size).simplices]  # (k, dimension + 1, dimension)
    except QhullError:  # corners too close together
        return _scattered(A, b, n, rng)
    weights = np.abs(np.linalg.det((simplices[:, 1:] - simplices[:, :1]) / size))
    chosen = rng.choice(len(simplices), n, p=weights / weights.sum())
    shares = rng.dirichlet(np.ones(A.shape[1] + 1), n)
    return np.asarray(np.einsum("ki,kij->kj", shares, simplices[chosen]))


def _bounding_box(A: Array, b: Array) -> Box:
    """Return the smallest box around a bounded polytope with an interior."""
    _inside(A, b)
    eye = np.eye(A.shape[1])
    farthest = [linear_programme(-axis, A, b) for axis in (*eye, *-eye)]
    if any(point is None for point in farthest):
        raise unbounded()
    ends = [float(axis @ point) for axis, point in zip((*eye, *-eye), farthest, strict=True)]
    return Box(-np.array(ends[len(eye) :]), np.array(ends[: len(eye)]))


def _scattered(A: Array, b: Array, n: int, rng: "np.random.Generator") -> Array:
    framed = _framed(A, b)
    points = scattered(framed.A, framed.b, *_bounding_box(framed.A, framed.b), n, rng)
    return np.asarray(framed.center + framed.width * points)


def _corners(A: Array, b: Array) -> Array:
    """Return the corners (k, n); rows must have length one and coordinates be of the order of one."""
    ball = _inside(A, b)
    if A.shape[1] == 1:
        ends = b / A[:, 0]
        return np.array([[ends[A[:, 0] < 0].max()], [ends[A[:, 0] > 0].min()]])
    from scipy.spatial import HalfspaceIntersection, QhullError

    near = b - A @ ball.center < 1e6 * (1.0 + np.abs(ball.center).max() + ball.radius)  # other rows form no corner
    if not near.all() and not is_bounded(A[near]):
        raise unbounded()
    try:
        corners = HalfspaceIntersection(np.c_[A, -b][near], ball.center).intersections
    except QhullError:
        raise too_thin() from None
    if not np.all(np.isfinite(corners)):
        raise too_thin()
    _, first = np.unique(np.round(corners, 9), axis=0, return_index=True)
    return np.asarray(corners[np.sort(first)])


def _inside(A: Array, b: Array) -> Ball:
    """Return the largest ball inside; raise KinetreeError if the polytope is flat or unbounded."""
    ball = _ball(A, b)
    if ball.radius <= FLAT:
        raise empty()
    if not is_bounded(A):
        raise unbounded()
    return ball
