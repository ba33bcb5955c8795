"""Rotations and poses: group axioms, and round trips where they are hardest."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given as examples, settings, strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.transform import Rotation

from kinetree.spatial import se3


def given(*strategies, **named):
    """Hypothesis, without a clock."""
    return lambda test: settings(deadline=None, max_examples=15)(examples(*strategies, **named)(test))


finite = st.floats(-10, 10)
angle = st.floats(-math.pi, math.pi)
vector = arrays(float, 3, elements=finite)
direction = vector.filter(lambda v: np.linalg.norm(v) > 1e-3).map(lambda v: v / np.linalg.norm(v))
quaternion = arrays(float, 4, elements=st.floats(-1, 1)).filter(lambda q: np.linalg.norm(q) > 1e-3)
rotation = quaternion.map(se3.rotation_from_quaternion)
pose = st.builds(se3.homogeneous, rotation, vector)

NEAR = (0.0, 1e-16, 1e-12, 1e-9, 1e-7, 1e-5, 1e-3)
"""Distances from a singularity at which round trips are tried."""


def close(a, b, atol=1e-12):
    np.testing.assert_allclose(a, b, rtol=0, atol=atol)


def test_what_is_frozen_is_a_copy_that_nobody_can_write():
    given = np.eye(4)
    made = se3.frozen(given)
    given[0, 3] = 1.0
    assert np.array_equal(made, np.eye(4))
    for array in (made, se3.IDENTITY):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 3] = 1.0


class TestGroup:
    @given(pose, pose, pose)
    def test_product(self, A, B, C):
        close((A @ B) @ C, A @ (B @ C))
        assert se3.is_rotation((A @ B)[:3, :3])

    @given(pose)
    def test_inverse(self, T):
        close(T @ se3.inverse(T), np.eye(4))
        close(se3.inverse(T) @ T, np.eye(4))
        close(se3.without(T, T), np.eye(4))
        assert np.array_equal(se3.inverse(T)[3], (0, 0, 0, 1))

    def test_poses_of_arrays_are_those_of_each(self):
        rng = np.random.default_rng(0)
        R, p = Rotation.random(6, random_state=1).as_matrix().reshape(2, 3, 3, 3), rng.normal(size=(3, 3))
        T = se3.poses_from(R, p)
        assert T.shape == (2, 3, 4, 4)
        for at in np.ndindex(2, 3):
            assert np.array_equal(T[at], se3.homogeneous(R[at], p[at[1]]))
        assert np.array_equal(se3.poses_from(np.eye(3), p)[1], se3.translation(p[1]))

    @given(pose, pose)
    def test_inverse_of_a_product(self, A, B):
        close(se3.inverse(A @ B), se3.inverse(B) @ se3.inverse(A))
        close(se3.without(A @ B, B), A)


class TestAxisAngle:
    @given(direction, angle)
    def test_agrees_with_scipy(self, axis, a):
        close(se3.rotation(axis, a), Rotation.from_rotvec(a * axis).as_matrix(), 1e-14)

    @given(direction, angle, angle)
    def test_angles_add(self, axis, a, b):
        close(se3.rotation(axis, a) @ se3.rotation(axis, b), se3.rotation(axis, a + b), 1e-14)

    @given(direction, angle)
    def test_the_axis_stays(self, axis, a):
        close(se3.rotation(axis, a) @ axis, axis, 1e-14)

    def test_no_turn_is_exactly_the_identity(self):
        assert np.array_equal(se3.rotation((0.6, 0.0, 0.8), 0.0), np.eye(3))


class TestRollPitchYaw:
    @given(vector, angle, angle, angle)
    def test_is_scipys_fixed_axes(self, xyz, roll, pitch, yaw):
        T = se3.pose_from_xyz_rpy(xyz, (roll, pitch, yaw))
        close(T[:3, :3], Rotation.from_euler("xyz", (roll, pitch, yaw)).as_matrix(), 1e-14)
        assert np.array_equal(T[:3, 3], xyz)
        assert not T.flags.writeable

    @given(rotation)
    def test_round_trip(self, R):
        rpy = se3.rpy_from_rotation(R)
        close(se3.pose_from_xyz_rpy((0, 0, 0), rpy)[:3, :3], R)
        assert abs(rpy[1]) <= math.pi / 2

    @pytest.mark.slow
    @pytest.mark.parametrize("near", NEAR)
    @given(side=st.sampled_from([-1, 1]), below=st.sampled_from([-1, 1]), roll=angle, yaw=angle)
    def test_round_trip_near_the_gimbals_lock(self, near, side, below, roll, yaw):
        R = se3.pose_from_xyz_rpy((0, 0, 0), (roll, side * (math.pi / 2 - below * near), yaw))[:3, :3]
        close(se3.pose_from_xyz_rpy((0, 0, 0), se3.rpy_from_rotation(R))[:3, :3], R)

    @given(angle, st.floats(-1.5, 1.5), angle)
    def test_away_from_the_lock_the_angles_themselves_come_back(self, roll, pitch, yaw):
        R = se3.pose_from_xyz_rpy((0, 0, 0), (roll, pitch, yaw))[:3, :3]
        for got, put in zip(se3.rpy_from_rotation(R), (roll, pitch, yaw), strict=True):
            assert math.remainder(got - put, 2 * math.pi) == pytest.approx(0, abs=1e-12)


class TestQuaternion:
    @given(quaternion)
    def test_agrees_with_scipy(self, quat):
        close(se3.rotation_from_quaternion(quat), Rotation.from_quat(quat).as_matrix(), 1e-13)

    @pytest.mark.slow
    @pytest.mark.parametrize("size", [5e-324, 1e-310, 1e-200, 1e-160, 1e160, 1.7e308])
    @given(quaternion)
    def test_any_length(self, size, quat):
        quat = quat / np.abs(quat).max() * size
        quat = quat if size > 1e-300 else np.round(quat / 5e-324) * 5e-324  # few digits, but those are exact
        close(se3.rotation_from_quaternion(quat), se3.rotation_from_quaternion(quat / size), 1e-15)

    @pytest.mark.filterwarnings("ignore:invalid value")
    @pytest.mark.parametrize("bad", [0.0, np.nan, np.inf, -np.inf])
    def test_no_direction_is_nan(self, bad):
        assert np.isnan(se3.rotation_from_quaternion(np.array([0.0, bad, 0.0, 0.0]))).all()

    @given(rotation)
    def test_round_trip(self, R):
        quat = se3.quaternion_from_rotation(R)
        assert np.linalg.norm(quat) == pytest.approx(1.0, abs=1e-15)
        assert quat[3] >= 0
        close(se3.rotation_from_quaternion(quat), R)

    @pytest.mark.slow
    @pytest.mark.parametrize("near", NEAR)
    @given(axis=direction, side=st.sampled_from([-1.0, 1.0]))
    def test_round_trip_near_half_a_turn(self, near, axis, side):
        R = se3.rotation(axis, math.pi + side * near)
        quat = se3.quaternion_from_rotation(R)
        close(se3.rotation_from_quaternion(quat), R)
        # half a turn is where square roots of the trace lose half the digits
        assert abs(abs(quat[:3] @ axis) - math.cos(near / 2)) < 1e-14

    @pytest.mark.slow
    @pytest.mark.parametrize("near", NEAR)
    @given(axis=direction)
    def test_small_turns_keep_their_digits(self, near, axis):
        quat = se3.quaternion_from_rotation(se3.rotation(axis, near))
        close(quat[:3], math.sin(near / 2) * axis, 1e-15)

    def test_exact_half_turns(self):
        """Of two signs, the one whose first largest component is above zero."""
        for axis in product([-2.0, -1.0, 0.0, 1.0, 2.0], repeat=3):
            if length := math.hypot(*axis):
                u = np.array(axis) / length
                first = u[np.argmax(np.abs(u).round(12))]
                R = 2 * np.outer(axis, axis) / np.square(axis).sum() - np.eye(3)
                close(se3.quaternion_from_rotation(R), [*np.sign(first) * u, 0.0], 1e-15)


class TestBetween:
    @given(direction, direction)
    def test_takes_one_to_the_other(self, a, b):
        R = se3.rotation_between(a, b)
        assert se3.is_rotation(R)
        close(R @ a, b)

    @given(direction)
    def test_opposite_and_equal(self, a):
        close(se3.rotation_between(a, -a) @ a, -a)
        assert np.array_equal(se3.rotation_between(a, a), np.eye(3))

    @pytest.mark.slow
    @pytest.mark.parametrize("near", NEAR)
    @given(a=direction, side=direction, sign=st.sampled_from([-1.0, 1.0]))
    def test_near_opposite_and_near_equal(self, near, a, side, sign):
        b = sign * a + near * side
        b /= np.linalg.norm(b)
        R = se3.rotation_between(a, b)
        close(R @ a, b, 5e-15)
        assert se3.is_rotation(R, 1e-14)
        # the shortest: its angle is the one between the vectors
        half = np.linalg.norm(a - b) / 2
        assert (3 - np.trace(R)) / 4 == pytest.approx(half**2, abs=1e-9)


class TestNearest:
    @given(rotation, arrays(float, (3, 3), elements=st.floats(-1e-3, 1e-3)))
    def test_is_a_rotation_close_by(self, R, noise):
        near = se3.nearest_rotation(R + noise)
        assert se3.is_rotation(near)
        # no other rotation is closer: R itself is at the distance of the noise
        assert np.linalg.norm(near - (R + noise)) <= np.linalg.norm(noise) + 1e-12

    @given(rotation)
    def test_a_rotation_is_its_own(self, R):
        close(se3.nearest_rotation(R), R)

    def test_is_rotation(self):
        assert se3.is_rotation(np.eye(3))
        assert not se3.is_rotation(np.diag([1.0, 1.0, -1.0]))
        assert not se3.is_rotation(np.eye(3) * (1 + 1e-8))
        assert se3.is_rotation(np.eye(3) * (1 + 1e-8), tolerance=1e-7)


def test_the_length_of_a_vector_is_one_to_three_decimals():
    for vector in ((0, 0, 1), (0.577, 0.577, 0.577), (0, -1.0009, 0), (0, 0, 0.9991)):
        assert se3.is_unit(vector)
    for vector in ((0, 0, 0), (1, 1, 0), (0, 1.0011, 0), (0, 0, 0.9989), (math.inf, 0, 0), (math.nan, 0, 0)):
        assert not se3.is_unit(vector)


class TestManyQuaternions:
    Q = np.random.default_rng(4).normal(size=(5, 2, 4)) * 10.0 ** np.random.default_rng(5).integers(
        -200, 200, (5, 2, 1)
    )

    def test_rotations_are_those_of_scipy(self):
        units = self.Q / np.abs(self.Q).max(-1, keepdims=True)  # SciPy overflows
        expected = Rotation.from_quat(units.reshape(-1, 4)).as_matrix().reshape(5, 2, 3, 3)
        close(se3.rotations_from_quaternions(self.Q), expected)
        with np.errstate(invalid="ignore"):
            assert np.isnan(se3.rotations_from_quaternions(np.zeros((1, 4)))).all()

    def test_quaternions_are_those_of_scipy(self):
        R = Rotation.random(20, random_state=6)
        found = se3.quaternions_from_rotations(R.as_matrix())
        close(found, R.as_quat(canonical=True))
        poses = np.broadcast_to(np.eye(4), (20, 4, 4)).copy()
        poses[:, :3, :3] = R.as_matrix()
        close(se3.quaternions_from_rotations(poses), found)

    def test_a_scaled_quaternion_keeps_its_ratios(self):
        found = np.array(se3.scaled_quaternion((-3e300, 1e300, 0.0, 1.5e300)))
        close(found, [-1.0, 1.0 / 3.0, 0.0, 0.5])
        with np.errstate(invalid="ignore"):
            assert np.isnan(se3.scaled_quaternion((0.0, 0.0, 0.0, 0.0))).all()
