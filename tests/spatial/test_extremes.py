"""Linear programmes and convex hulls: known answers, and what is said where there is none."""

import numpy as np
import pytest
import scipy.optimize
import scipy.spatial
from scipy.optimize import OptimizeResult
from scipy.spatial import ConvexHull, QhullError

import kinetree as kt
from each import each
from kinetree.spatial.extremes import empty, hull_volume, linear_programme, too_thin, unbounded

SQUARE = np.concatenate([np.eye(2), -np.eye(2)])
ONES = np.ones(4)


@each(
    "c, b, expected",
    [
        ([1.0, 2.0], ONES, [-1, -1]),
        ([-1.0, 2.0], ONES, [1, -1]),
        ([-1.0, -2.0], [3.0, np.inf, 1.0, 1.0], None),
        ([-1.0, 2.0], [3.0, np.inf, 1.0, 0.5], [3, -0.5]),
        ([1.0, 1.0], [np.inf, 0.0, 0.0, 0.0], [0, 0]),
    ],
)
def test_the_least_of_a_square(c, b, expected):
    found = linear_programme(np.array(c), SQUARE, np.array(b))
    assert (found is None) == (expected is None)
    if expected is not None:
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


LARGE = "some limits are too large or too small to compute with"
NONE = "no configuration fulfils all these limits at once, or none with some room around it"


@each(
    "c, A, b, code, message",
    [
        ([1.0, 0.0], SQUARE, [-1.0, 1.0, -1.0, 1.0], "empty", NONE),
        ([1.0, 0.0], SQUARE, [-np.inf, 1.0, 1.0, 1.0], "empty", NONE),
        ([1.0, 0.0], SQUARE, [np.nan, 1.0, 1.0, 1.0], "no-solution", LARGE),
        ([np.inf, 0.0], SQUARE, ONES, "no-solution", LARGE),
        ([1.0, 0.0], SQUARE + np.inf, ONES, "no-solution", LARGE),
    ],
)
def test_programmes_without_an_answer(c, A, b, code, message):
    with pytest.raises(kt.KinetreeError) as caught:
        linear_programme(np.array(c), A, np.array(b))
    assert [(f.code, f.message) for f in caught.value.findings] == [(code, message)]


def test_a_programme_that_the_solver_gives_up(monkeypatch):
    given_up = OptimizeResult(status=4, success=False, message="numbers are bad", x=np.zeros(2))
    monkeypatch.setattr(scipy.optimize, "linprog", lambda *_, **__: given_up)
    with pytest.raises(kt.KinetreeError, match="the linear programme was not solved: numbers are bad") as caught:
        linear_programme(np.ones(2), SQUARE, ONES)
    assert caught.value.findings[0].code == "no-solution"


def test_volumes_of_hulls():
    cube = np.array(np.meshgrid([0.0, 2.0], [0.0, 3.0], [1.0, 1.5])).reshape(3, -1).T
    assert hull_volume(cube) == pytest.approx(3.0)
    assert hull_volume(np.concatenate([cube, cube.mean(axis=0, keepdims=True)])) == pytest.approx(3.0)
    assert hull_volume(cube[:, :2]) == pytest.approx(6.0)
    assert hull_volume(cube[:, :1]) == 2.0
    assert hull_volume(cube * (1, 1, 0)) == 0.0
    assert hull_volume(cube * (1, 1, 1e-10)) == 0.0
    assert hull_volume(cube * (1, 1, 1e-8)) == pytest.approx(3e-8, rel=1e-3)


def test_what_is_said_of_odd_sets():
    assert [(error.findings[0].code, error.findings[0].message) for error in (empty(), unbounded(), too_thin())] == [
        ("empty", NONE),
        ("unbounded", "the limits leave some direction open, or are too far off; this wants them bounded"),
        (
            "no-solution",
            "the corners of what the limits leave cannot be told apart; expected limits that leave more room",
        ),
    ]


@each("option, volume", [("QJ", 3.0), ("", None)])
def test_hulls_of_corners_too_close_together(monkeypatch, option, volume):
    """They are moved apart a little; where that does not help either, it is said."""
    cube, tried = np.array(np.meshgrid([0.0, 2.0], [0.0, 3.0], [1.0, 1.5])).reshape(3, -1).T, []

    def hull(points, qhull_options=None):
        tried.append(qhull_options)
        if qhull_options != option:
            raise QhullError("QH6154 initial simplex is flat")
        return ConvexHull(points, qhull_options=qhull_options)

    monkeypatch.setattr(scipy.spatial, "ConvexHull", hull)
    if volume:
        assert hull_volume(cube) == pytest.approx(volume, rel=1e-6)
    else:
        with pytest.raises(kt.KinetreeError, match="cannot be told apart"):
            hull_volume(cube)
    assert tried == [None, "QJ"]
