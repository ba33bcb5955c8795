"""What a user may give for a pose."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import kinetree as kt
from each import each
from kinetree.spatial.numbers import poses


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
    with pytest.raises(kt.KinetreeError, match=r"R R\.T off by at most 1e-09"):
        poses(GOOD.astype(np.float32), tolerance=1e-9)


@each(
    "bad, said",
    [
        (np.eye(3), r"this one has shape \(3, 3\)"),
        ("abc", "a pose is no array of numbers"),
        (np.eye(4) * 1j, "a pose is no array of numbers"),
        ([[1, 2], [3]], "a pose is no array of numbers"),
        (pose(np.eye(3), (np.nan, 0, 0)), "a pose is finite"),
        (pose(np.eye(3), (1e200, 0, 0)), "a pose is finite"),
        (np.full((4, 4), np.inf), "a pose is finite"),
        (pose(np.diag([1.0, 1, -1])), "R right-handed"),
        (pose(np.eye(3) * (1 + 1e-6)), "off by at most 1e-06"),
        (GOOD.T, "this one is not"),
    ],
)
def test_what_is_no_pose(bad, said):
    with pytest.raises(kt.KinetreeError, match=said):
        poses(bad)


def test_of_many_the_bad_one_is_shown():
    many = np.tile(np.eye(4), (500, 1, 1))
    many[321, 0, 0] = 7.0
    with pytest.raises(kt.KinetreeError, match=r"\[\[7\. 0\. 0\. 0\.\]") as caught:
        poses(many)
    assert len(str(caught.value)) < 300
