"""Volumes and samples of polytopes in many dimensions, where hulls have too many corners.

Subset simulation (Au & Beck, Estimation of small failure probabilities in high dimensions by subset simulation,
Probabilistic Engineering Mechanics 16, 2001): of uniform points in a box those stay that violate the rows the least;
they walk about in what is as little violated, and so on, until many are inside. Walks are hit-and-run (Smith, Efficient
Monte Carlo procedures, Operations Research 32, 1984).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinetree.errors import fail
from kinetree.spatial.se3 import Array

KEPT = 0.2
"""The share of points that goes on to the next level."""
FIRST, LATER = 2**14, 2**12
"""How many points are drawn in the box, and walk from then on."""
RUNS = 12
MOST_LEVELS = 200


class Estimate(float):
    """A number with its standard error; 0 says that the number is exact."""

    error: float

    def __new__(cls, value: float, error: float = 0.0) -> Estimate:
        """The number, and how far off it may well be."""
        made = super().__new__(cls, value)
        made.error = float(error)
        return made

    def __repr__(self) -> str:
        return f"{float(self)!r}" + (f" ± {self.error:.2g}" if self.error else "")


def estimated_share(A: Array, b: Array, lower: Array, upper: Array, rng: np.random.Generator) -> Estimate:
    """The share of the box lower (n,) to upper (n,) that fulfils A x <= b, with its error, which is that of the mean of
    independent runs."""
    shares = np.array([_population(A, b, lower, upper, rng).share for _ in range(RUNS)])
    return Estimate(float(shares.mean()), float(shares.std(ddof=1)) / np.sqrt(RUNS))


def scattered(A: Array, b: Array, lower: Array, upper: Array, n: int, rng: np.random.Generator) -> Array:
    """n points (n, dimension) of the box that fulfil A x <= b, uniform: independent where at least a fifth of the box
    does so, and otherwise as nearly as long walks make them."""
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


def _population(A: Array, b: Array, lower: Array, upper: Array, rng: np.random.Generator) -> _Population:
    """Points inside, and the share of the box that is."""
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


def _walk(A: Array, b: Array, points: Array, rng: np.random.Generator) -> Array:
    """Points (k, n) after steps of hit-and-run: each to a uniform point of the chord of a random direction."""
    k, n = points.shape
    for _ in range(3 * n):  # they begin uniform; this parts those that began at one point
        direction = rng.normal(size=(k, n))
        rate, slack = direction @ A.T, b - points @ A.T
        with np.errstate(divide="ignore", invalid="ignore"):
            reach = slack / rate
        ahead = np.min(np.where(rate > 0, reach, np.inf), axis=1)
        behind = np.max(np.where(rate < 0, reach, -np.inf), axis=1)
        points = points + rng.uniform(np.minimum(behind, 0), np.maximum(ahead, 0))[:, None] * direction
    return np.asarray(points)
