"""Tips of tools and frames from touched points, against the ones that the points were made with."""

import re

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import kinetree as kt
from each import each
from kinetree.spatial import se3

P = np.array([0.03, -0.012, 0.215])
POINT = np.array([0.6, -0.2, 0.35])


def touching(rotvecs, noise=0.0, seed=0):
    """Poses in which the tip P touches POINT, off by a noise in m."""
    rng = np.random.default_rng(seed)
    T = np.tile(np.eye(4), (len(rotvecs), 1, 1))
    T[:, :3, :3] = Rotation.from_rotvec(np.asarray(rotvecs, dtype=float)).as_matrix()
    T[:, :3, 3] = POINT - T[:, :3, :3] @ P + noise * rng.normal(size=(len(rotvecs), 3))
    return T


FOUR = np.array([[0, 0, 0], [0.6, 0, 0], [0, 0.6, 0], [-0.4, 0.2, 0.8]])


def test_four_poses_give_the_tip():
    fit = kt.tcp_from_points(touching(FOUR))
    assert fit.p == pytest.approx(P, abs=1e-12)
    assert fit.point == pytest.approx(POINT, abs=1e-12)
    assert fit.residuals == pytest.approx(np.zeros(4), abs=1e-12)
    assert fit.notes == ()


def test_three_poses_give_the_tip():
    """A three-point calibration: three rotations about different axes have full rank."""
    for three in (FOUR[:3], FOUR[1:], FOUR[[0, 1, 3]]):
        fit = kt.tcp_from_points(touching(three))
        assert fit.p == pytest.approx(P, abs=1e-12)
        assert fit.point == pytest.approx(POINT, abs=1e-12)
        assert fit.notes == ()
        assert (fit.error < 5).all()
    with pytest.raises(kt.KinetreeError, match="do not tell where the tip is along z"):
        kt.tcp_from_points(touching([[0, 0, a] for a in (0, 0.5, 1.0)]))


def test_of_three_poses_none_is_named_as_wrong():
    T = touching(FOUR[:3])
    T[1, :3, 3] += [0.02, 0.01, 0.02]
    (note,) = kt.tcp_from_points(T).notes
    assert note.element == "poses"
    residuals = kt.tcp_from_points(T).residuals
    (said,) = re.findall(r"misses the point by up to ([\d.]+) mm", note.message)
    assert float(said) == pytest.approx(residuals.max() * 1e3, rel=0.01)


def test_a_wrong_pose_is_named_with_its_millimetres():
    """Five touches that agree to 0.1 mm, and one that is 50 mm beside the point."""
    T = touching(np.random.default_rng(4).normal(size=(6, 3)) * 0.5, 1e-4)
    T[3, :3, 3] += [0.05, 0, 0]
    (note,) = kt.tcp_from_points(T).notes
    off, left = map(float, re.findall(r"([\d.]+) mm", note.message))
    assert note.element == "pose 4"
    assert off == pytest.approx(50, abs=2)
    assert 0.01 < left < 0.5


def test_poses_of_a_controller_of_a_real_arm():
    """An iiwa of KUKA's numbers: XYZ in mm and ABC in degrees, rounded as the pendant shows them."""
    shown = kt.controllers["kuka"].from_pose(touching(FOUR)).round(3)
    fit = kt.tcp_from_points(kt.controllers["kuka"].to_pose(shown))
    assert fit.p == pytest.approx(P, abs=2e-5)


@pytest.mark.slow
@pytest.mark.nightly
def test_the_error_is_what_noise_shows():
    """Over 2,000 draws of touches off by 1 mm, the spread of p along each direction is `error` mm."""
    vectors = np.random.default_rng(1).normal(size=(6, 3)) * 0.3
    fits = [kt.tcp_from_points(touching(vectors, 1e-3, seed)) for seed in range(2000)]
    clean = kt.tcp_from_points(touching(vectors))
    spread = np.std([clean.directions @ fit.p for fit in fits], axis=0)
    assert spread == pytest.approx(clean.error * 1e-3, rel=0.1)
    assert (np.diff(clean.error) <= 0).all()


def test_small_turns_are_a_warning_and_turns_about_one_axis_an_error():
    fit = kt.tcp_from_points(touching(FOUR * 0.1))
    (note,) = fit.notes
    assert note.code == "tcp-poses"
    assert "times the error of one touch" in note.message
    assert fit.p == pytest.approx(P, abs=1e-10)
    with pytest.raises(kt.KinetreeError, match="do not tell where the tip is along z"):
        kt.tcp_from_points(touching([[0, 0, a] for a in (0, 0.5, 1.0, -0.7)]))


def test_a_pose_that_touched_another_point_is_named():
    T = touching(np.random.default_rng(2).normal(size=(8, 3)) * 0.5, 1e-4)
    T[5, :3, 3] += [0.004, 0, 0.01]
    (note,) = kt.tcp_from_points(T).notes
    assert note.element == "pose 6"  # as in the list of a pendant, which begins with 1
    assert "misses the point by" in note.message


@each("wrong", range(4))
def test_one_of_four_poses_is_named(wrong):
    T = touching(FOUR, 1e-4)
    assert kt.tcp_from_points(T).notes == ()
    T[wrong, :3, 3] += [0.02, 0, 0]
    assert [note.element for note in kt.tcp_from_points(T).notes] == [f"pose {wrong + 1}"]


@pytest.mark.slow
def test_four_poses_with_noise_alone_name_none():
    """Of 300 draws of touches off by 0.2 mm."""
    assert all(kt.tcp_from_points(touching(FOUR, 2e-4, seed)).notes == () for seed in range(300))


def test_several_bad_touches_are_a_warning_and_millimetres_an_error():
    T = touching(np.random.default_rng(4).normal(size=(20, 3)) * 0.5, 1e-4)
    T[3, :3, 3] += [0.05, 0, 0]
    T[11, :3, 3] -= [0, 0.05, 0]
    assert any("misses the point by" in note.message for note in kt.tcp_from_points(T).notes)
    T = touching(np.random.default_rng(2).normal(size=(5, 3)) * 0.5)
    T[2, :3, 3] += [0, 0.05, 0]
    assert kt.tcp_from_points(T).notes
    T = touching(FOUR)
    T[:, :3, 3] *= 1000
    with pytest.raises(kt.KinetreeError, match="expected poses in metres"):
        kt.tcp_from_points(T)


@each("poses", [np.eye(4), touching(FOUR[:2]), np.zeros((5, 4, 4)), "poses"])
def test_what_is_no_list_of_poses(poses):
    with pytest.raises(kt.KinetreeError):
        kt.tcp_from_points(poses)


def test_three_points_give_a_frame():
    T = se3.pose_from_xyz_rpy([0.3, -0.5, 0.8], [0.4, -1.0, 2.0])
    origin, on_x, in_xy = (T[:3, :3] @ p + T[:3, 3] for p in ([0, 0, 0], [0.4, 0, 0], [-0.1, 0.3, 0]))
    fit = kt.frame_from_points(origin, on_x, in_xy)
    assert np.allclose(fit.T, T, rtol=0, atol=1e-12)
    assert fit.residuals == pytest.approx([0, 0], abs=1e-12)
    assert fit.notes == ()


def test_several_points_are_averaged_and_their_residuals_said():
    x = [[0.4, 0.001, 0], [0.4, -0.001, 0]]
    fit = kt.frame_from_points([0, 0, 0], x, [[0, 0.3, 0.002], [0.1, 0.3, -0.002]])
    assert np.allclose(fit.T, np.eye(4), rtol=0, atol=1e-3)
    assert fit.residuals == pytest.approx([0.001, 0.001, 0.002, 0.002], abs=1e-4)


def test_points_that_make_no_good_frame():
    (note,) = kt.frame_from_points([0, 0, 0], [0.5, 0, 0], [0.2, 0.01, 0]).notes
    assert note.element == "in_xy"
    assert "an error of 1 mm turns the frame by 5.7 degrees" in note.message
    for points in (
        ([0, 0, 0], [1, 0, 0], [2, 0, 0]),
        ([0, 0, 0], [0, 0, 0], [0, 1, 0]),
        ([0, 0], [1, 0, 0], [0, 1, 0]),
        ([0, 0, np.nan], [1, 0, 0], [0, 1, 0]),
        ([0, 0, 0], [1, 0, 0], [[0, 1, 0], [0, -1, 0]]),
        ([0, 0, 0], [[1, 0, 0], [-1, 0, 0]], [0, 1, 0]),
        ([[0, 0, 0], [1, 1, 1]], [1, 0, 0], [0, 1, 0]),
    ):
        with pytest.raises(kt.KinetreeError) as error:
            kt.frame_from_points(*points)
        assert error.value.findings[0].code == "frame-points"


def test_points_in_millimetres_are_an_error():
    with pytest.raises(kt.KinetreeError, match="on_x is 906 m from the origin; expected points in metres"):
        kt.frame_from_points([0.85, -0.32, 0.11], [850, -313, 0], [1.0, 0, 0])
