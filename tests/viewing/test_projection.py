"""Cameras: parallel, without distortion, with axes that do not overlap."""

import numpy as np
import pytest

from kinetree.spatial import se3
from kinetree.viewing.projection import camera_matrix, clear_view, project, view


def random_rotation(rng):
    return se3.rotation_from_quaternion(rng.normal(size=4))


def test_a_view_is_a_rotation_with_z_upwards():
    for azimuth, elevation in ((0.0, 0.0), (1.0, 0.5), (-2.0, 0.7)):
        R = view(azimuth, elevation)
        assert se3.is_rotation(R)
        right, up = R[:2] @ (0.0, 0.0, 1.0)
        assert abs(right) < 1e-15
        assert up > 0.0


def test_points_fill_the_box_and_keep_their_shape():
    rng = np.random.default_rng(1)
    points, R = rng.normal(size=(20, 3)), view(0.4, 0.6)
    flat = project(camera_matrix(R, points, (10.0, 20.0, 310.0, 120.0)), points)
    assert (flat.min(axis=0) >= (10.0 - 1e-9, 20.0 - 1e-9)).all()
    assert (flat.max(axis=0) <= (310.0 + 1e-9, 120.0 + 1e-9)).all()
    extent = np.ptp(flat, axis=0)
    assert np.isclose(extent[0], 300.0) or np.isclose(extent[1], 100.0)
    C = camera_matrix(R, points, (0.0, 0.0, 100.0, 100.0))[:, :3]
    assert np.allclose(C @ C.T, (C[0] @ C[0]) * np.eye(2), rtol=0, atol=1e-9 * (C[0] @ C[0]))
    assert np.cross(C[0], -C[1]) @ R[2] > 0  # right-handed: v points down


def test_one_point_stands_in_the_middle():
    camera = camera_matrix(view(0.4, 0.6), np.ones((2, 3)), (0.0, 0.0, 100.0, 60.0))
    assert np.allclose(project(camera, np.ones(3)), (50.0, 30.0))


@pytest.mark.slow
def test_no_two_axes_of_any_frame_overlap():
    rng = np.random.default_rng(2)
    for _ in range(300):
        R_frame = random_rotation(rng)
        R = clear_view(R_frame.T, np.array([[0.0, 0.0, 0.0], rng.normal(size=3)]))
        axes = R[:2] @ R_frame
        lengths = np.linalg.norm(axes, axis=0)
        sines = [abs(np.linalg.det(axes[:, pair])) / np.prod(lengths[pair]) for pair in ([0, 1], [1, 2], [2, 0])]
        assert lengths.min() > 0.4
        assert min(sines) > 0.3  # 17 degrees between any two
