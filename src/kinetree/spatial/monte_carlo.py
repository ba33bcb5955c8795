"""Volumes and samples of polytopes in many dimensions, where a hull would have too many corners.

Subset simulation (Au & Beck, Estimation of small failure probabilities in high dimensions by subset simulation,
Probabilistic Engineering Mechanics 16, 2001): start from uniform points in a box, keep those that violate the rows
least, move them by random walks within that level, and repeat until enough points are inside. The walks are hit-and-run
(Smith, Efficient Monte Carlo procedures, Operations Research 32, 1984).
"""

from typing import NamedTuple

import numpy as np

from kinetree.errors import fail
from kinetree.spatial.se3 import Array

KEPT = 0.2
"""Share of the points that each level keeps for the next."""
FIRST, LATER = 2**14, 2**12
"""Number of points drawn in the box, and number of points that walk at later levels."""
RUNS = 12
MOST_LEVELS = 200


class Estimate(float):
    """A number with its standard error; an error of 0 means that the number is exact."""

    error: float

    def __new__(cls, value: float, error: float = 0.0) -> "Estimate":
        """Create the number `value` with its standard error."""
        made = super().__new__(cls, value)
        made.error = float(error)
        return made

    def __repr__(self) -> str:
        return f"{float(self)!r}" + (f" ± {self.error:.2g}" if self.error else "")


def estimated_share(A: Array, b: Array, lower: Array, upper: Array, rng: "np.random.Generator") -> Estimate:
    """Return the share of the box lower (n,) to upper (n,) that fulfils A x <= b, with its standard error over
    independent runs."""
    shares = np.array([_population(A, b, lower, upper, rng).share for _ in range(RUNS)])
    return Estimate(float(shares.mean()), float(shares.std(ddof=1)) / np.sqrt(RUNS))


def scattered(A: Array, b: Array, lower: Array, upper: Array, n: int, rng: "np.random.Generator") -> Array:
    """Return n uniform points (n, dimension) of the box that fulfil A x <= b. They are independent if at least a fifth
    of the box fulfils the rows; otherwise they are the ends of long random walks."""
    points = np.zeros((0, len(lower)))
    while len(points) < n:
        found = _population(A, b, lower, upper, rng)
        more = found.points if found.independent else _walk(*_with_box(A, b, lower, upper), found.points, rng)
        points = np.vstack([points, more])
    return np.asarray(points[:n])


class _Population(NamedTuple):
    points: Array
    share: float
    independent: bool


def _population(A: Array, b: Array, lower: Array, upper: Array, rng: "np.random.Generator") -> _Population:
    """Return points that fulfil the rows, and the share of the box that does."""
    points, share = rng.uniform(lower, upper, (FIRST, len(lower))), 1.0
    for level in range(MOST_LEVELS):
        worst = np.max(points @ A.T - b, axis=1, initial=-np.inf)
        bound = max(0.0, float(np.quantile(worst, KEPT)))
        points, share = points[worst <= bound], share * float(np.mean(worst <= bound))
        if bound == 0.0:
            return _Population(points, share, independent=level == 0)
        points = points[rng.integers(len(points), size=LATER)]
        points = _walk(*_with_box(A, b + bound, lower, upper), points, rng)
    raise fail("no-solution", f"nothing inside was found in {MOST_LEVELS} levels; the limits leave next to nothing")


def _with_box(A: Array, b: Array, lower: Array, upper: Array) -> tuple[Array, Array]:
    eye = np.eye(len(lower))
    return np.vstack([A, -eye, eye]), np.r_[b, -lower, upper]


def _walk(A: Array, b: Array, points: Array, rng: "np.random.Generator") -> Array:
    """Return the points (k, n) after hit-and-run steps, each to a uniform point on a chord in a random direction."""
    k, n = points.shape
    for _ in range(3 * n):  # the points start uniform; the steps separate copies of one point
        direction = rng.normal(size=(k, n))
        rate, slack = direction @ A.T, b - points @ A.T
        with np.errstate(divide="ignore", invalid="ignore"):
            reach = slack / rate
        ahead = np.min(np.where(rate > 0, reach, np.inf), axis=1)
        behind = np.max(np.where(rate < 0, reach, -np.inf), axis=1)
        points = points + rng.uniform(np.minimum(behind, 0), np.maximum(ahead, 0))[:, None] * direction
    return np.asarray(points)
