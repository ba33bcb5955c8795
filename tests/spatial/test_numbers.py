"""What a user may give for a pose."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import kinetree as kt
from each import each
from kinetree.spatial.numbers import ROUNDED, judged, pose_fault, poses, quaternion_fault


def pose(R: np.ndarray, p: tuple[float, ...] = (0.1, -2, 3)) -> np.ndarray:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, p
    return T


GOOD = pose(Rotation.from_euler("xyz", [0.3, -0.8, 2]).as_matrix())


def test_poses_of_any_batch_and_of_single_precision():
    np.testing.assert_array_equal(poses(GOOD), GOOD)
    np.testing.assert_array_equal(poses(GOOD.tolist()), GOOD)
    assert poses(np.tile(GOOD, (2, 3, 1, 1))).shape == (2, 3, 4, 4)
    assert poses(np.zeros((0, 4, 4))).shape == (0, 4, 4)
    assert poses(GOOD.astype(np.float32)).dtype == float


def sheared(size: float) -> np.ndarray:
    """Return a matrix at this distance from GOOD's rotation, which is its nearest rotation."""
    E = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0.0]])
    return GOOD[:3, :3] @ (np.eye(3) + size / np.abs(GOOD[:3, :3] @ E).max() * E)


def test_the_distance_is_the_largest_entry_off_the_nearest_rotation():
    """Up to 1e-6 a rotation is taken as it is, up to 1e-3 the nearest one, in batches of any mixture too."""
    T = np.array([pose(sheared(size)) for size in (0, 0.9e-6, 1.1e-6, 0.99e-3, 1.01e-3)])
    used, off = judged(T)
    np.testing.assert_allclose(off, [0, 0.9e-6, 1.1e-6, 0.99e-3, 1.01e-3], rtol=1e-3)
    np.testing.assert_array_equal(used[[0, 1, 4]], T[[0, 1, 4]])
    np.testing.assert_allclose(used[2:4, :3, :3], np.tile(GOOD[:3, :3], (2, 1, 1)), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(used[..., 3], T[..., 3])
    notes: list[kt.Finding] = []
    np.testing.assert_array_equal(poses(T[:4], notes), used[:4])
    assert [(note.code, note.severity) for note in notes] == [("rounded-rotation", "warning")]
    notes.clear()
    poses(T[:2], notes)
    assert not notes
    with pytest.raises(kt.KinetreeError, match=r"at index \[4\] .*0\.00101 off the nearest rotation") as caught:
        poses(T)
    assert "nearest_rotation" in str(caught.value)


@each("digits", [3, 4, 5, 6])
def test_printed_digits_are_enough(digits):
    R = Rotation.random(2000, random_state=0).as_matrix()
    used, off = judged(R.round(digits))
    assert (off <= ROUNDED).all()
    assert np.abs(used - R).max() < 2 * 10.0**-digits
    if digits < 6:
        assert np.abs(used @ used.mT - np.eye(3)).max() < 3e-6


@each(
    "bad, said",
    [
        (np.eye(3), r"this one has shape \(3, 3\)"),
        ("abc", "a pose is no array of numbers"),
        (np.eye(4) * 1j, "a pose is no array of numbers"),
        ([[1, 2], [3]], "a pose is no array of numbers"),
        (pose(np.eye(3), (np.nan, 0, 0)), r"nan in entry \[0, 3\]; expected finite"),
        (pose(np.eye(3), (1e200, 0, 0)), "expected finite numbers up to 1e"),
        (np.full((4, 4), np.inf), "expected finite"),
        (pose(np.diag([1.0, 1, -1])), r"left-handed \(its determinant is -1\)"),
        (pose(np.eye(3) * 1.002), r"scaled by 1\.002: entry \[0, 0\] is 1\.002, 0\.002 off"),
        (pose(GOOD[:3, :3] * 1000), r"scaled by 1000, as by a conversion from m to mm"),
        (pose(GOOD[:3, :3] / 1000), r"scaled by 0\.001, as by a conversion from mm to m"),
        (pose(GOOD[:3, :3] * 0.0254), "from inches to m"),
        (pose(np.zeros((3, 3))), "scaled by 0:"),
        (2 * GOOD, "has the last row 0 0 0 2; expected 0 0 0 1"),
        (GOOD.T, r"has the last row 0\.1 -2 3 1; expected 0 0 0 1 \[pose\]\n    fix: transpose it"),
    ],
)
def test_what_is_no_pose(bad, said):
    with pytest.raises(kt.KinetreeError, match=said):
        poses(bad)


def test_the_last_row_is_judged_by_itself():
    almost = GOOD.copy()
    almost[3] += 1e-9  # as after a numerical inverse
    assert judged(almost)[1] == 0.0
    almost[3, 0] = 1e-5
    assert judged(almost)[1] == np.inf


def test_of_many_the_bad_one_is_shown():
    many = np.tile(np.eye(4), (500, 1, 1))
    many[321, 0, 0] = 7.0
    with pytest.raises(
        kt.KinetreeError, match=r"at index \[321\] is not a rotation: entry \[0, 0\] is 7, 6 off"
    ) as caught:
        poses(many)
    assert len(str(caught.value)) < 300


def test_quaternions_are_judged_by_their_length():
    unit = Rotation.random(1000, random_state=0).as_quat()
    for digits in (3, 4, 5):
        assert quaternion_fault(unit.round(digits)) == ""
    for bad in (0.9985, 1.0015, 0.0, np.nan, np.inf):
        assert "the quaternion's length is" in quaternion_fault(np.array([[0, 0, 0, 1.0], [0, 0, 0, bad]]))


@each("bad", [np.inf, np.nan, 1e200])
def test_of_several_entries_that_are_no_positions_the_first_is_named(bad):
    T = np.eye(4)
    T[0, 3] = T[1, 3] = bad
    message, fix = pose_fault(T)
    assert message.startswith(f"has {bad:g} in entry [0, 3]; expected finite numbers")
    assert fix is None
