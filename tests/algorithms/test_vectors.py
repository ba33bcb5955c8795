"""Sums, margins, equations and steps of the algorithms on plain numbers."""

from types import SimpleNamespace

import numpy as np

from each import each
from kinetree.algorithms.guard import pulled
from kinetree.algorithms.inverse import _clipped, _direction, _may_move
from kinetree.algorithms.vectors import decimal, largest, margin, right_angle, solved_symmetric

INF = np.inf


@each(
    "values, expected",
    [([3.0], 3.0), ([1.0, 3.0, 2.0], 3.0), ([3.0, 1.0], 3.0), ([-2.0, -1.0], -1.0), ([1.0, np.nan, 3.0], np.nan)],
)
def test_the_largest(values, expected):
    np.testing.assert_equal(float(largest(values)), expected)


def test_margins():
    """Slack to the lower ends, the upper ends, and the rows, without those that are infinite."""
    lower, upper = np.array([-1.0, -INF, 0.5]), np.array([INF, 4.0, 2.0])
    G, h = np.array([[1.0, 0.0, -2.0], [0.0, 1.0, 1.0]]), np.array([3.0, INF])
    np.testing.assert_allclose(margin(np.array([0.5, 1.0, 1.5]), lower, upper, G, h), [1.5, 1.0, 3.0, 0.5, 5.5])
    assert margin(np.zeros(3), -np.full(3, INF), np.full(3, INF), G[:0], h[:0]).shape == (0,)


@each("n", [1, 2, 5])
def test_symmetric_equations(n):
    A = np.random.default_rng(n).normal(size=(n, n))
    A, x = A @ A.T + np.eye(n), np.arange(1.0, n + 1)
    lower_half = [list(A[i, : i + 1]) for i in range(n)]
    np.testing.assert_allclose(solved_symmetric(lower_half, list(A @ x)), x, rtol=1e-9)


@each(
    "number, expected",
    [(0.1 + 2e-15, 0.1), (0.1 + 2e-14, 0.1 + 2e-14), (-1e-15, 0.0), (1e-12, 1e-12), (1.5e-12, 1.5e-12)],
)
def test_picometres(number, expected):
    assert decimal(number) == expected
    assert not np.signbit(decimal(-0.0))


@each("turns", [-2, -1, 0, 1, 3])
def test_right_angles(turns):
    exact = turns * (np.pi / 2)
    assert right_angle(exact + 4e-15) == right_angle(exact - 4e-15) == exact
    for off in (2e-14, -2e-14):
        assert right_angle(exact + off) == exact + off


def test_a_step_reduces_the_errors_and_keeps_of_a_wish_what_does_not():
    J = [[1.0, 1.0, 0.0], [0.0, 1.0, 2.0]]
    free = np.array([2.0, -2.0, 1.0])  # moves neither
    for wish in (0 * free, 0.3 * free, free + J[0], free + J[1]):
        step = np.array(_direction(J, [0.5, -1.0], wish.tolist(), 0.0))
        np.testing.assert_allclose(np.array(J) @ step, [0.5, -1.0], atol=1e-11)
        np.testing.assert_allclose(step @ free, wish @ free, atol=1e-11)
    damped = np.array(_direction([[2.0]], [1.0], [0.0], 4.0))
    np.testing.assert_allclose(damped, [2.0 / (4.0 + 4.0)], atol=1e-12)


@each(
    "x, gradient, expected",
    [
        *((x, g, 1.0) for x in (-0.5, 0.5) for g in (-1.0, 0.0, 1.0)),
        *((-1.0, g, float(g > 0)) for g in (-1.0, 0.0, 1.0)),
        *((2.0, g, float(g < 0)) for g in (-1.0, 0.0, 1.0)),
    ],
)
def test_a_coordinate_at_its_end_moves_inwards_alone(x, gradient, expected):
    ends = SimpleNamespace(lower=np.array([-1.0, -INF]), upper=np.array([2.0, INF]))
    assert _may_move(ends, 0, x, gradient) == expected
    assert _may_move(ends, 1, x, gradient) == 1.0
    assert _clipped(ends, 0, 3 * x) == min(max(3 * x, -1.0), 2.0)
    assert _clipped(ends, 1, 3 * x) == 3 * x


def test_what_is_outside_is_pulled_inside_by_the_skin():
    """Towards the center, each block of joints for itself; what is inside stays."""
    fence = SimpleNamespace(
        A=np.array([[1.0, 0, 0], [-1, 0, 0], [0, 1, 1]]),
        b=np.array([1.0, 1.0, 2.0]),
        skin=np.array([0.1, 0.1, 0.2]),
        center=np.array([0.0, 0.5, 0.5]),
        blocks=[([0], [0, 1]), ([1, 2], [2])],
    )
    for x, expected in (
        ([0.5, 0.2, 0.1], [0.5, 0.2, 0.1]),
        ([0.9, 0.8, 1.0], [0.9, 0.8, 1.0]),
        ([1.5, 0.2, 0.1], [0.9, 0.2, 0.1]),
        ([0.95, 1.0, 1.0], [0.9, 0.9, 0.9]),
        ([-2.0, 2.5, 3.5], [-0.9, 0.82, 0.98]),
    ):
        found = pulled(fence, x)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
        assert (fence.A @ found <= fence.b - fence.skin + 1e-12).all()
