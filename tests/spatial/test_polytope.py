"""Polytopes, against shapes whose numbers are known, and against each other."""

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.optimize
import scipy.spatial
from hypothesis import given, settings, strategies as st
from scipy.spatial import QhullError

import kinetree as kt
from each import each
from kinetree.spatial import polytope


def box(lower, upper):
    n = len(lower)
    return np.vstack([np.eye(n), -np.eye(n)]), np.r_[upper, -np.array(lower, dtype=float)]


def simplex(n):
    """x >= 0, sum x <= 1."""
    return np.vstack([-np.eye(n), np.ones((1, n))]), np.r_[np.zeros(n), 1.0]


def random_polytope(seed: int, n: int = 3):
    """A box cut by six planes that leave its middle inside."""
    rng = np.random.default_rng(seed)
    A, b = box([-1.0] * n, [2.0] * n)
    rows = rng.normal(size=(6, n))
    return np.vstack([A, rows]), np.r_[b, rng.uniform(0.5, 2.0, 6)]


@pytest.mark.slow
@each("n", range(1, 7))
def test_a_box_and_a_simplex(n):
    A, b = box([-0.5] * n, [1.5] * n)
    assert polytope.volume(A, b) == pytest.approx(2.0**n, rel=1e-12)
    assert len(polytope.vertices(A, b)) == 2**n
    assert polytope.chebyshev_ball(A, b).radius == pytest.approx(1.0)
    assert polytope.facet_areas(A, b) == pytest.approx(2.0 ** (n - 1))
    A, b = simplex(n)
    assert polytope.volume(A, b) == pytest.approx(1 / np.prod(np.arange(1, n + 1)), rel=1e-12)
    assert polytope.chebyshev_ball(A, b).radius == pytest.approx(1 / (n + np.sqrt(n)))
    largest = polytope.largest_box(A, b)  # of the boxes in a simplex, the cube of side 1/n
    assert np.abs(largest.lower).max() < 1e-6
    assert largest.upper == pytest.approx(np.full(n, 1 / n), abs=1e-6)


def test_redundant_rows_are_those_that_nobody_misses():
    A, b = box([0, 0], [1, 1])
    more = np.vstack([A, [[1, 0], [1, 1], [1, 1], [0, 1]]])
    bounds = np.r_[b, 2.0, 1.5, 1.5, 1.0]
    assert polytope.redundant_rows(more, bounds) == [4, 6, 7]  # of equal rows the first is kept
    assert polytope.rows_that_matter(more[4:], bounds[4:], A, b) == [1]


@given(st.integers(0, 10_000))
@settings(max_examples=12, deadline=None)
@pytest.mark.slow
def test_the_nearest_point_fulfils_its_conditions(seed):
    A, b = random_polytope(seed)
    rng = np.random.default_rng(seed)
    for point in rng.uniform(-4, 5, (5, 3)):
        nearest = polytope.project(A, b, point)
        assert np.max(A @ nearest - b) < 1e-9
        inside = polytope.sample(A, b, 200, rng)
        # the angle to every point inside is obtuse: that is what nearest means in a convex set
        assert np.max((inside - nearest) @ (point - nearest)) < 1e-9 * (1 + np.linalg.norm(point - nearest))
    at = polytope.sample(A, b, 1, rng)[0]
    assert np.array_equal(polytope.project(A, b, at), at)


@given(st.integers(0, 10_000))
@settings(max_examples=5, deadline=None)
@pytest.mark.slow
def test_the_volume_changes_by_the_faces(seed):
    A, b = random_polytope(seed)
    areas = polytope.facet_areas(A, b)
    for i in range(len(A)):
        step = np.zeros(len(b))
        step[i] = 1e-4
        rate = (polytope.volume(A, b + step) - polytope.volume(A, b - step)) / 2e-4
        assert rate == pytest.approx(areas[i] / np.linalg.norm(A[i]), abs=2e-3)


def test_samples_are_uniform():
    A, b = random_polytope(3)
    rng = np.random.default_rng(0)
    points = polytope.sample(A, b, 20_000, rng)
    assert np.all(points @ A.T <= b + 1e-12)
    half = np.vstack([A, [[1.0, 0.5, -0.3]]])
    share = np.mean(points @ half[-1] <= 0.2)
    assert share == pytest.approx(polytope.volume(half, np.r_[b, 0.2]) / polytope.volume(A, b), abs=0.012)


def test_what_has_no_inside_or_no_end_is_said():
    A, b = box([0, 0], [1, 1])
    empty = np.vstack([A, [[1.0, 1.0]]]), np.r_[b, -0.5]
    assert polytope.is_empty(*empty)
    assert not polytope.is_empty(A, b)
    assert polytope.volume(*empty) == 0
    for question in (polytope.vertices, polytope.largest_box):
        with pytest.raises(kt.KinetreeError, match="no configuration fulfils"):
            question(*empty)
        with pytest.raises(kt.KinetreeError, match="leave some direction open"):
            question(A[:3], b[:3])
    with pytest.raises(kt.KinetreeError, match="no configuration fulfils"):
        polytope.project(*empty, np.array([5.0, 5.0]))


@pytest.mark.slow
def test_numbers_large_and_small_are_no_trouble():
    A, b = box([-1, -1], [1, 1])
    half = np.vstack([A, [[1e10, 1e10]]]), np.r_[b, 5e9]
    assert polytope.volume(*half) == pytest.approx(4 - 1.5**2 / 2, rel=1e-12)
    far = np.vstack([A, [[1.0, 1.0]]]), np.r_[b, 1e9]
    assert polytope.volume(*far) == pytest.approx(4.0, rel=1e-12)
    tiny = np.array([[1e-12, 1e-12]]), np.array([1e-12])
    assert polytope.rows_that_matter(*tiny, A, b) == [0]
    for size in (1.0, 1e-3, 1e-6, 1e-9):
        A, b = box([0, 0], [size, size])
        cut = np.vstack([A, [[1.0, 1.0]]])
        assert polytope.largest_box(cut, np.r_[b, 1.5 * size]).upper / size == pytest.approx([0.75, 0.75], abs=1e-6)
        assert polytope.is_empty(cut, np.r_[b, -0.5 * size])
        assert not polytope.is_empty(cut, np.r_[b, 0.5 * size])
        nearest = polytope.project(cut, np.r_[b, 0.5 * size], np.array([size, size]))
        assert nearest / size == pytest.approx([0.25, 0.25], rel=1e-12)


def test_of_equal_rows_the_first_has_the_face():
    A, b = box([0, 0], [1, 1])
    assert polytope.facet_areas(np.vstack([A, A]), np.r_[b, b]).tolist() == pytest.approx([1, 1, 1, 1, 0, 0, 0, 0])


@pytest.mark.slow
@given(st.integers(0, 10_000))
@settings(max_examples=10, deadline=None)
def test_faces_and_volume_of_any_widths(seed):
    """The divergence theorem: the volume is a sum of pyramids over the faces, whatever the point of their tips."""
    A, b = random_polytope(seed)
    width = 10.0 ** np.random.default_rng(seed).uniform(-3, 3, 3)
    A = A / width
    areas, tip = polytope.facet_areas(A, b), np.random.default_rng(seed).normal(size=3) * width
    pyramids = areas * (b - A @ tip) / np.linalg.norm(A, axis=1)
    assert pyramids.sum() / 3 == pytest.approx(polytope.volume(A, b), rel=1e-6)


@pytest.mark.slow
def test_wide_ends_and_thin_slabs():
    strip = np.array([[1.0, -1], [-1, 1]])
    A, b = np.vstack([strip, *box([-1e16] * 2, [1e16] * 2)[:1]]), np.r_[1.0, 1.0, np.full(4, 1e16)]
    assert polytope.project(A, b, np.array([5.0, 0.0])) == pytest.approx([3.0, 2.0])
    with pytest.raises(kt.KinetreeError, match=r"too far off|not solved|cannot be told apart"):
        polytope.volume(A, b)
    for thin in (0.1, 1e-3):
        A, b = box([-1.0] * 6, [1.0] * 6)
        A, b = np.vstack([A, np.ones((1, 6)), -np.ones((1, 6))]), np.r_[b, thin, thin]
        points = polytope.sample(A, b, 50, np.random.default_rng(0))
        assert (points @ A.T <= b + 1e-9).all()
        assert len(np.unique(points, axis=0)) == 50
        assert np.isfinite(polytope.facet_areas(A, b)).all()
    empty = np.vstack([np.eye(2), -np.eye(2)]), np.array([0.0, 1, -1, 1])
    for question in (polytope.redundant_rows, lambda A, b: polytope.support(A, b, np.ones(2))):
        with pytest.raises(kt.KinetreeError, match="no configuration"):
            question(*empty)


def test_the_nearest_point_of_a_rectangle():
    """Moved in by a share of half of its larger side; where that leaves nothing, not at all."""
    A, b = box([0, 1], [4, 2])
    inside = np.array([3.5, 1.25])
    found = polytope.project(A, b, inside)
    assert found.tolist() == inside.tolist()
    assert found is not inside
    for point, deeper, nearest in (
        ([5.0, 1.5], 0.0, [4.0, 1.5]),
        ([5.0, 0.0], 0.0, [4.0, 1.0]),
        ([4.0, 1.5], 0.1, [3.8, 1.5]),
        ([5.0, 0.0], 0.1, [3.8, 1.2]),
        ([5.0, 0.0], 0.3, [4.0, 1.0]),  # 0.6 m from both sides of 1 m
        ([-3.0, 1.5], 0.25, [0.5, 1.5]),
    ):
        assert polytope.project(A, b, np.array(point), deeper=deeper) == pytest.approx(nearest, abs=1e-9)
    with pytest.raises(kt.KinetreeError, match="the point or some limits are too far off to compute with"):
        polytope.project(A, b, np.array([np.inf, 0.0]))


def test_samples_of_a_range():
    A, b = np.array([[2.0], [-4.0], [1.0]]), np.array([3.0, 2.0, 9.0])
    points = polytope.sample(A, b, 500, np.random.default_rng(0))
    assert points.shape == (500, 1)
    assert (points.min(), points.max()) == pytest.approx((-0.5, 1.5), abs=0.02)
    assert points.mean() == pytest.approx(0.5, abs=0.1)
    assert polytope.vertices(A, b).ravel() == pytest.approx([-0.5, 1.5])


def refused(*_, **__):
    raise QhullError("QH6154 initial simplex is flat")


def test_what_qhull_refuses(monkeypatch):
    """Samples are then drawn as in many dimensions; for corners it is an error, as are corners that are no numbers."""
    A, b = simplex(2)
    thin = "the corners of what the limits leave cannot be told apart"
    with monkeypatch.context() as patch:
        patch.setattr(scipy.spatial, "Delaunay", refused)
        points = polytope.sample(A, b, 300, np.random.default_rng(0))
        assert (points @ A.T <= b + 1e-12).all()
        assert points.mean(axis=0) == pytest.approx([1 / 3, 1 / 3], abs=0.05)
    nowhere = SimpleNamespace(intersections=np.array([[0.0, np.inf]]))
    for intersection in (refused, lambda *_: nowhere):
        monkeypatch.setattr(scipy.spatial, "HalfspaceIntersection", intersection)
        with pytest.raises(kt.KinetreeError, match=thin):
            polytope.vertices(A, b)


def test_a_nearest_point_that_is_not_found(monkeypatch):
    def nnls(*_, **given):
        raise RuntimeError(f"stopped after {given['maxiter']} steps")

    monkeypatch.setattr(scipy.optimize, "nnls", nnls)
    with pytest.raises(kt.KinetreeError, match="the nearest point was not found: stopped after 150 steps"):
        polytope.project(*simplex(2), np.array([2.0, 2.0]))
