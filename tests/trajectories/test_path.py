"""Paths: their values, derivatives and errors."""

import pickle
import re

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import kinetree as kt
from kinetree.motion import Motion, Path

ARM = kt.chain("Rz(q1) tx(1) Rz(q2) tx(1)")
KNOTS = np.array([0.0, 0.5, 2.0, 3.0])
SPLINE = CubicSpline(KNOTS, np.random.default_rng(0).normal(size=(4, 2)))
BALL = kt.load("<mujoco><worldbody><body><freejoint/><geom size='1'/></body></worldbody></mujoco>", format="mjcf")


@pytest.fixture
def path():
    return Path(ARM, SPLINE.x, SPLINE.c)


@pytest.mark.parametrize("order", range(6))
def test_values_and_derivatives_are_those_of_scipy(path, order):
    s = np.linspace(0, 3, 31).reshape(1, 31)
    assert path(s, order).shape == (1, 31, 2)
    assert path(s, order) == pytest.approx(SPLINE(s, order), abs=1e-12)
    assert path(1.2, order) == pytest.approx(SPLINE(1.2, order), abs=1e-12)


def test_a_derivative_may_have_two_values_where_pieces_meet():
    path = Path(ARM, [0, 1, 3], [[[1, 0], [0, 2]], [[0, 0], [1, 0]]])
    assert path(1.0, 1).tolist() == [0, 2]
    assert path.on_piece(0, 1.0, 1).tolist() == [1, 0]
    assert path([1.0, 3.0]).tolist() == [[1, 0], [1, 4]]


def test_a_path_is_frozen_and_travels(path):
    again = pickle.loads(pickle.dumps(path))
    assert again(1.2).tolist() == path(1.2).tolist()
    assert path.names == ("q1", "q2")
    assert repr(path) == "Path of robot 'robot', 2 coordinates: s from 0 to 3, 3 pieces of degree 3"
    with pytest.raises(ValueError, match="read-only"):
        path.s[0] = 1


@pytest.mark.parametrize(
    ("s", "coefficients", "message"),
    [
        ([0, 1], np.zeros((4, 2, 2)), "expected s (m + 1,) and coefficients (k + 1, m, 2)"),
        ([0, 1], np.zeros((4, 1, 3)), "expected s (m + 1,) and coefficients (k + 1, m, 2)"),
        ([0], np.zeros((4, 0, 2)), "the s of a path has shape (1,)"),
        ([0, 1], np.zeros((0, 1, 2)), "with m from 1 and k from 0"),
        ([[0, 1]], np.zeros((4, 1, 2)), "the s of a path has shape (1, 2)"),
        ([0, np.nan], np.zeros((4, 1, 2)), "numbers that are not finite"),
        ([0, 1], np.full((4, 1, 2), np.inf), "numbers that are not finite"),
        ([0, 1, 1], np.zeros((4, 2, 2)), "s is 1 after 1; expected an s that increases"),
        ([0, 1, 2], [[[0, 1], [0, 0]], [[0, 0], [0, 1.1]]], "'q2' jumps by 0.1 at s = 1"),
        ("ab", np.zeros((4, 1, 2)), "s of a path is no array of numbers"),
    ],
)
def test_what_is_no_path_is_refused(s, coefficients, message):
    with pytest.raises(kt.KinetreeError, match=re.escape(message)):
        Path(ARM, s, coefficients)


def test_joints_with_quaternions_stand_still():
    c = np.zeros((2, 1, 7))
    c[1, 0, 6] = 1
    assert Path(BALL, [0, 1], c)(0.5).tolist() == [0, 0, 0, 0, 0, 0, 1]
    c[0, 0, 4] = 0.1
    with pytest.raises(kt.KinetreeError, match="has a quaternion, which no polynomial keeps at length 1"):
        Path(BALL, [0, 1], c)
    with pytest.raises(kt.KinetreeError, match="a path is of a robot that"):
        Path("arm.urdf", [0, 1], c)


@pytest.mark.parametrize("s", [-0.1, 3.1, np.nan, [1.0, 4.0]])
def test_outside_of_a_path_there_is_no_point(path, s):
    with pytest.raises(kt.KinetreeError, match="expected numbers from 0 to 3"):
        path(s)
    with pytest.raises(kt.KinetreeError, match="order is -1"):
        path(1.0, -1)


def test_motions_have_a_robot_and_derivatives():
    motion = Motion(("q2",), [0, 1], [[0], [1]], robot=ARM, qd=[[0], [2]])
    assert repr(motion) == "Motion of 'q2': 2 samples, 0 to 1 s"
    assert (motion.qd.tolist(), motion.qdd, motion.robot) == ([[0], [2]], None, ARM)
    assert repr(Motion(("a", "b"), None, np.zeros((1, 2)))) == "Motion of 2 coordinates: 1 sample"
    with pytest.raises(kt.KinetreeError, match=r"qdd of the motion has shape \(1, 2\); expected \(n, 2\)"):
        Motion(("a", "b"), None, np.zeros((2, 2)), qdd=np.zeros((1, 2)))
    with pytest.raises(kt.KinetreeError, match=r"q of the motion has shape \(2, 1\); expected \(n, 2\)"):
        Motion(("a", "b"), None, np.zeros((2, 1)))
    with pytest.raises(kt.KinetreeError, match="times of the motion has shape"):
        Motion(("a",), [0.0], np.zeros((2, 1)))


@pytest.mark.parametrize(
    ("q", "options", "message"),
    [
        ([[0, 1]], {}, "the points of a path have shape (1, 2); expected (n, 2), with n from 2"),
        ([0, 1], {}, "the points of a path have shape (2,); expected (n, 2), with n from 2"),
        ([[0, 1], [2, np.inf], [np.nan, 0]], {}, "'q2' is inf at point 1; expected finite numbers"),
        (
            [[0, 1], [0, 1]],
            {},
            "points 0 and 1, from 0, are the same; expected neighbours that differ; in Python, or s=",
        ),
        (
            [[0, 1], [0, 2], [0, 2]],
            {},
            "points 1 and 2, from 0, are the same; expected neighbours that differ; in Python, or s=",
        ),
        ([[0, 1], [0, 2]], {"s": [0, 1, 2]}, "s has shape (3,); expected (2,), a number for each point"),
        ([[0, 1], [0, 2], [1, 1]], {"s": [0, 2, 2]}, "s is 2 after 2; expected finite numbers that increase"),
        ([[0, 1], [0, 2], [1, 1]], {"s": [0, -1, 2]}, "s is -1 after 0; expected finite numbers that increase"),
        ([[0, 1], [0, 2]], {"s": [0, np.inf]}, "expected finite numbers that increase"),
        ([[0, 1], [0, 2]], {"degree": 2}, "degree"),
    ],
)
def test_points_that_make_no_path_are_refused(q, options, message):
    with pytest.raises(kt.KinetreeError, match=re.escape(message)):
        kt.motion.through(ARM, q, **options)


@pytest.mark.parametrize("degree", [1, 3, 5])
def test_points_at_numbers_of_their_own(degree):
    q, s = np.array([[0, 1], [0.5, 0.2], [1, 1], [1, 1]]), [0.0, 0.5, 2.0, 3.0]
    found = kt.motion.through(ARM, q, degree=degree, s=s)
    assert found(s) == pytest.approx(q, abs=1e-12)
    assert (found.s[0], found.s[-1]) == (0.0, 3.0)
    apart = kt.motion.through(ARM, q[:3], degree=degree)
    assert apart.s[-1] == pytest.approx(np.linalg.norm(np.diff(q[:3], axis=0), axis=1).sum())
