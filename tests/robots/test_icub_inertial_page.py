"""The iCub's inertial sensor, against the numbers of the wiki's page ICubInertiaSensorKinematicsV2, typed from it."""

from math import cos, pi, radians, sin

import numpy as np
import pytest

import kinetree as kt
from each import each

T_RO0 = np.array([[0, -1, 0, 0], [0, 0, -1, 0], [1, 0, 0, 0], [0, 0, 0, 1]])
ROWS = [  # a (mm), d (mm), alpha (rad), offset of theta and its range (deg)
    ("torso_pitch", 32, 0, pi / 2, 0, -22, 84),
    ("torso_roll", 0, -5.5, pi / 2, -90, -39, 39),
    ("torso_yaw", 0, -223.3, -pi / 2, -90, -59, 59),
    ("neck_pitch", 9.5, 0, pi / 2, 90, -40, 30),
    ("neck_roll", 0, 0, -pi / 2, -90, -70, 60),
    ("neck_yaw", 18.5, 110.8, -pi / 2, 90, -55, 55),
]
T_NIS = np.array([[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 6.6], [0, 0, 0, 1]])
JOINTS = [row[0] for row in ROWS]
FRAMES = ["torso_dh_0", "torso_dh_1", "torso_dh_2", "head_dh_3", "head_dh_4", "head_dh_5", "head_dh_6"]


def row_matrix(a: float, d: float, alpha: float, theta: float) -> np.ndarray:
    """A row in one matrix, lengths in mm (Spong, Robot Modeling and Control, eq. 3.10)."""
    c, s, ca, sa = cos(theta), sin(theta), cos(alpha), sin(alpha)
    return np.array([[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0, sa, ca, d], [0, 0, 0, 1]])


def in_metres(T_mm: np.ndarray) -> np.ndarray:
    return T_mm / [[1, 1, 1, 1000], [1, 1, 1, 1000], [1, 1, 1, 1000], [1, 1, 1, 1]]


@pytest.fixture(scope="module")
def icub() -> kt.Robot:
    return kt.load("icub")


def random_q(icub: kt.Robot) -> list[np.ndarray]:
    rng = np.random.default_rng(7)
    return [icub.q(), *(icub.q(dict(zip(JOINTS, rng.uniform(-2, 2, 6), strict=True))) for _ in range(5))]


@pytest.mark.slow
def test_T_Ro0_is_a_pure_rotation_that_puts_z_on_the_first_axis_of_the_waist(icub):
    assert np.array_equal(T_RO0[:3, :3] @ T_RO0[:3, :3].T, np.eye(3))
    assert np.linalg.det(T_RO0) == 1
    assert not T_RO0[:3, 3].any()
    pitch = icub.joints["torso_pitch"]
    axis = kt.fk(icub, pitch.child)(icub.q())[:3, :3] @ pitch.axes[0]
    np.testing.assert_allclose(axis, T_RO0[:3, 2], atol=1e-15)
    np.testing.assert_allclose(kt.fk(icub, FRAMES[0])(icub.q()), T_RO0, atol=1e-15)


@each("i", range(6))
def test_each_row_of_the_table(icub, i):
    joint, a, d, alpha, offset, low, high = ROWS[i]
    limit = icub.joints[joint].limit
    assert np.rad2deg([limit.lower, limit.upper]) == pytest.approx([low, high], abs=1e-12)
    for q in random_q(icub):
        theta = radians(offset) + float(q[icub.q_slices[joint]][0])
        step = kt.fk(icub, FRAMES[i + 1], base=FRAMES[i])(q)
        np.testing.assert_allclose(step, in_metres(row_matrix(a, d, alpha, theta)), atol=1e-14)


def test_the_product_of_the_three_matrices_is_the_pose_of_the_sensor(icub):
    for q in random_q(icub):
        T = T_RO0
        for joint, a, d, alpha, offset, *_ in ROWS:
            T = T @ row_matrix(a, d, alpha, radians(offset) + float(q[icub.q_slices[joint]][0]))
        np.testing.assert_allclose(kt.fk(icub, "imu_frame")(q), in_metres(T @ T_NIS), atol=1e-14)


def test_T_nIs_is_also_a_virtual_link_whose_joint_stays_at_zero(icub):
    np.testing.assert_allclose(row_matrix(0, 6.6, pi / 2, 0), T_NIS, atol=1e-15)
    for frame in ("imu_page_frame", "imu_virtual_link_frame"):
        T = kt.fk(icub, frame, base=FRAMES[6])(icub.q())
        np.testing.assert_allclose(T, in_metres(T_NIS), atol=1e-15)


@pytest.mark.slow
def test_the_sensor_is_in_the_head_and_not_in_the_palm(icub):
    """The page says palm; its own six joints end at the head, and no joint of an arm moves the sensor."""
    assert icub.frames["imu_frame"].link == "head"
    moved = {name for i, name in enumerate(icub.velocity_names) if kt.jacobian(icub, "imu_frame")(icub.q())[:, i].any()}
    assert moved == set(JOINTS)
    at = kt.fk(icub, ["imu_frame", "l_hand_dh_frame", "r_hand_dh_frame"])(icub.q())[:, :3, 3]
    assert at[0, 2] > 0.37 > 0 > max(at[1:, 2])
