"""A world seen in a mirror: what is computed there from mirrored things is the mirrored result."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from kinetree.spatial.handedness import mirrored_axial, mirrored_pose, mirrored_screw, mirrored_vector

AXES = pytest.mark.parametrize("axis", ["x", "y", "z"])


def pose(rng):
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = Rotation.random(random_state=rng).as_matrix(), rng.normal(size=3)
    return T


@AXES
def test_positions_and_orientations(axis):
    rng = np.random.default_rng(0)
    A, B, p = pose(rng), pose(rng), rng.normal(size=3)
    seen = mirrored_pose(A, axis)
    assert np.linalg.det(seen[:3, :3]) == pytest.approx(1)
    np.testing.assert_allclose(mirrored_pose(A @ B, axis), seen @ mirrored_pose(B, axis), atol=1e-15)
    np.testing.assert_allclose((seen @ [*mirrored_vector(p, axis), 1])[:3], mirrored_vector((A @ [*p, 1])[:3], axis))
    np.testing.assert_array_equal(mirrored_pose(seen, axis), A)
    # a turn about the axis that points the other way turns the same way, one about another axis the other way
    for about in "xyz":
        turn = np.eye(4)
        turn[:3, :3] = Rotation.from_euler(about, 0.3).as_matrix()
        expected = Rotation.from_euler(about, 0.3 if about == axis else -0.3).as_matrix()
        np.testing.assert_allclose(mirrored_pose(turn, axis)[:3, :3], expected, atol=1e-15)


@AXES
def test_twists_and_wrenches(axis):
    """The velocity of a point of a turning body, the power of a wrench, the moment of a force."""
    rng = np.random.default_rng(1)
    v, w, f, n, r = rng.normal(size=(5, 3))
    twist, wrench = mirrored_screw([*v, *w], axis), mirrored_screw([*f, *n], axis)
    lever = mirrored_vector(r, axis)
    np.testing.assert_allclose(twist[:3] + np.cross(twist[3:], lever), mirrored_vector(v + np.cross(w, r), axis))
    assert twist @ wrench == pytest.approx(np.dot([*v, *w], [*f, *n]))
    np.testing.assert_allclose(np.cross(lever, wrench[:3]), mirrored_axial(np.cross(r, f), axis))
    # the twist is the rate of the pose
    T, dt = pose(rng), 1e-7
    later = T.copy()
    later[:3, :3] = Rotation.from_rotvec(w * dt).as_matrix() @ T[:3, :3]
    later[:3, 3] += v * dt
    a, b = mirrored_pose(T, axis), mirrored_pose(later, axis)
    np.testing.assert_allclose((b[:3, 3] - a[:3, 3]) / dt, twist[:3], atol=1e-6)
    rate = Rotation.from_matrix(b[:3, :3] @ a[:3, :3].T).as_rotvec() / dt
    np.testing.assert_allclose(rate, twist[3:], atol=1e-6)
