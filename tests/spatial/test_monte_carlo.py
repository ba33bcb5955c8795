"""Volumes and samples where there are too many corners to count, against volumes that are known."""

from math import factorial

import numpy as np
import pytest

import kinetree as kt
from kinetree.spatial import monte_carlo, polytope
from kinetree.spatial.monte_carlo import Estimate, estimated_share, scattered
from support import at_length


def cube_below(n: int, bound: float):
    """The cube of side 1 with sum x <= bound."""
    eye = np.eye(n)
    return np.vstack([-eye, eye, np.ones((1, n))]), np.r_[np.zeros(n), np.ones(n), bound]


def irwin_hall(n: int, bound: float) -> float:
    """The volume of that (Hall, Biometrika 19, 1927)."""
    terms = (
        (-1) ** k * factorial(n) / factorial(k) / factorial(n - k) * (bound - k) ** n for k in range(int(bound) + 1)
    )
    return sum(terms) / factorial(n)


def test_up_to_six_dimensions_it_is_exact():
    found = polytope.measure(*cube_below(6, 2.5))
    assert found == pytest.approx(irwin_hall(6, 2.5), rel=1e-12)
    assert found.error == 0
    assert repr(found) == repr(float(found))


@pytest.mark.parametrize(
    ("n", "bound"),
    [
        pytest.param(7, 3.5, marks=pytest.mark.slow),
        pytest.param(7, 2.6, marks=pytest.mark.slow),
        pytest.param(8, 3.1, marks=pytest.mark.slow),
        *at_length([], [pytest.param(n, bound, marks=pytest.mark.slow) for n, bound in ((9, 2.0), (12, 3.0))]),
    ],
)
@pytest.mark.sampled(1)
def test_beyond_it_is_an_estimate_and_its_error_is_honest(n, bound):
    A, b = cube_below(n, bound)
    width = np.linspace(0.01, 10.0, n)  # as of metres and radians
    found = polytope.measure(A / width, b)
    expected = irwin_hall(n, bound) * float(np.prod(width))
    assert isinstance(found, Estimate)
    assert abs(found - expected) < 4 * found.error
    assert found.error < 0.04 * expected
    assert " ± " in repr(found)
    assert polytope.measure(A / width, b) == found  # the same in every call


@pytest.mark.slow
@pytest.mark.parametrize("bound", [3.6, 2.2])
def test_samples_are_uniform(bound):
    A, b = cube_below(7, bound)
    points = polytope.sample(A, b, 4000, np.random.default_rng(1))
    assert points.shape == (4000, 7)
    assert np.max(points @ A.T - b) <= 1e-12
    # each coordinate alike, and the share with a smaller sum as their volumes say
    assert np.ptp(points.mean(axis=0)) < 0.05
    share = irwin_hall(7, bound - 0.3) / irwin_hall(7, bound)
    assert np.mean(points.sum(axis=1) <= bound - 0.3) == pytest.approx(share, abs=0.03)


def test_nothing_inside():
    A, b = cube_below(7, -1.0)
    assert polytope.measure(A, b) == 0
    with pytest.raises(kt.KinetreeError, match="no configuration"):
        polytope.sample(A, b, 1, np.random.default_rng(0))


def test_few_points_already_show_share_and_place(monkeypatch):
    """With fewer points and runs, of a share above a fifth, and of one below it, where they walk."""
    for name, value in {"FIRST": 1024, "LATER": 512, "RUNS": 5}.items():
        monkeypatch.setattr(monte_carlo, name, value)
    A, box, rng = np.ones((1, 7)), (np.full(7, 2.0), np.full(7, 4.0)), np.random.default_rng(0)
    for bound in (3.5, 2.2):
        b, expected = np.array([14 + 2 * bound]), irwin_hall(7, bound)
        found = estimated_share(A, b, *box, rng)
        assert abs(found - expected) < 4 * found.error
        assert 0.001 < found.error / expected < 0.15
        shares = [monte_carlo._population(A, b, *box, rng) for _ in range(2)]
        assert [one.independent for one in shares] == [bound == 3.5] * 2
        assert all((one.points @ A.T <= b).all() for one in shares)
        points = scattered(A, b, *box, 1201, rng)
        assert points.shape == (1201, 7)
        assert len(np.unique(points, axis=0)) == 1201
        assert (points @ A.T <= b + 1e-9).all()
        assert points.min() >= 2
        assert points.max() <= 4
        share = irwin_hall(7, bound - 0.3) / irwin_hall(7, bound)
        assert np.mean(points.sum(axis=1) <= b - 0.6) == pytest.approx(share, abs=0.06)
        assert np.ptp(points.mean(axis=0)) < 0.12
    A, b = cube_below(7, 3.0)
    width = np.linspace(0.01, 10.0, 7)  # as of metres and radians
    found, expected = polytope.measure(A / width, b), irwin_hall(7, 3.0) * float(np.prod(width))
    assert isinstance(found, Estimate)
    assert abs(found - expected) < 4 * found.error < 0.4 * expected
    assert polytope.measure(A / width, b) == found  # the same in every call
    points = polytope.sample(A / width, b, 100, rng)
    assert np.max(points @ (A / width).T - b) <= 1e-12
    assert np.ptp(points, axis=0) == pytest.approx(width, rel=0.2)
    monkeypatch.setattr(monte_carlo, "MOST_LEVELS", 3)
    with pytest.raises(
        kt.KinetreeError, match="nothing inside was found in 3 levels; the limits leave next to nothing"
    ):
        estimated_share(np.ones((1, 7)), np.array([13.0]), *box, rng)


def test_an_estimate_says_its_error():
    assert repr(Estimate(0.5, 0.0123)) == "0.5 ± 0.012"
    assert repr(Estimate(0.5)) == "0.5"
    assert Estimate(0.5).error == 0.0


@pytest.mark.slow
def test_errors_are_as_large_as_they_say():
    """Over many runs the estimate is off by about its error: neither more nor less."""
    A, b = cube_below(7, 3.0)
    z = []
    for seed in range(24):
        found = estimated_share(A[-1:], b[-1:], np.zeros(7), np.ones(7), np.random.default_rng(seed))
        z.append((found - irwin_hall(7, 3.0)) / found.error)
    assert abs(np.mean(z)) < 4 / np.sqrt(len(z))
    assert 0.6 < np.std(z, ddof=1) < 1.7


@pytest.mark.slow
def test_points_of_a_thin_slab_are_apart():
    """They come of walks: means of many scatter little more than those of independent points."""
    A = np.vstack([np.ones((1, 7)), -np.ones((1, 7))])
    b = np.array([3.52, -3.48])
    rng = np.random.default_rng(0)
    points = np.stack([scattered(A, b, np.zeros(7), np.ones(7), 1000, rng) for _ in range(12)])
    assert len(np.unique(points.reshape(-1, 7), axis=0)) == 12_000
    independent = points.std() / np.sqrt(1000)
    assert points.mean(axis=1).std() < 4 * independent
    assert points.mean() == pytest.approx(0.5, abs=0.01)


def test_a_share_is_the_mean_of_independent_runs(monkeypatch):
    """And its error that of a mean of so many, estimated from them."""
    shares = iter([0.1, 0.2, 0.4, 0.3] * 20)
    given = []

    def population(*_):
        given.append(next(shares))
        return monte_carlo._Population(np.zeros((0, 1)), given[-1], True)

    monkeypatch.setattr(monte_carlo, "_population", population)
    found = estimated_share(*cube_below(2, 1.0), np.zeros(2), np.ones(2), np.random.default_rng(0))
    assert float(found) == pytest.approx(np.mean(given))
    assert found.error == pytest.approx(np.sqrt(np.var(given, ddof=1) / len(given)))
    assert len(given) == monte_carlo.RUNS
