"""Angles and distances between poses, against rotation vectors of SciPy."""

from itertools import combinations

import numpy as np
from scipy.spatial.transform import Rotation

from kinetree.lab import hand_eye as fit
from kinetree.spatial import se3

AXIS = np.array([2.0, -1.0, 2.0]) / 3.0
TURNS = np.array([0.0, 1e-9, 1e-4, 0.5, 1.0, 2.0, np.pi, -np.pi, np.pi + 1e-9, -3.0])


def test_angles_between_rotations():
    """Also of half turns, where rounding makes a chord longer than the circle is wide."""
    R = Rotation.from_rotvec(TURNS[:, None] * AXIS)
    matrices, pairs = R.as_matrix(), list(combinations(range(len(TURNS)), 2))
    i, j = np.array(pairs).T
    expected = np.array([(R[a].inv() * R[b]).magnitude() for a, b in pairs])
    assert np.array_equal(fit.pairs(len(TURNS)), (i, j))
    np.testing.assert_allclose(fit.angles(matrices), expected, atol=1e-7)
    np.testing.assert_allclose(fit.chords(matrices), np.sin(expected / 2), atol=1e-15)
    np.testing.assert_allclose(fit.angles(np.stack([matrices, matrices])), [expected] * 2, atol=1e-7)
    assert fit.angles(np.stack([np.eye(3), -np.eye(3) * (1 + 1e-9) + 2 * np.diag([1 + 1e-9, 0, 0])])) == np.pi
    T, moved = (np.array([se3.homogeneous(x, p) for x in matrices]) for p in ([1, 2, 3], [1, 5, 7]))
    found = fit.residuals(T[i], moved[j])
    np.testing.assert_allclose(found[:, 0], 5.0, rtol=1e-15)
    np.testing.assert_allclose(found[:, 1], expected, atol=1e-7)


def test_displacements():
    v, p = TURNS[:, None] * AXIS, np.arange(30.0).reshape(10, 3)
    T = fit.displacements(np.hstack([p, v]))
    np.testing.assert_allclose(T[:, :3, :3], Rotation.from_rotvec(v).as_matrix(), atol=1e-15)
    assert (T[:, :3, 3] == p).all()
    assert (T[:, 3] == [0, 0, 0, 1]).all()
    np.testing.assert_array_equal(fit.displacements(np.array([1.0, 2, 3, 0, 0, 0])), se3.translation([1, 2, 3]))


def test_pairs_of_many_poses_are_some_of_each():
    """Near ones and ones far apart, so that the axes of slow motions show."""
    assert len(fit.pairs(25)[0]) == 300
    for k in (26, 100, 5000):
        i, j = fit.pairs(k)
        assert len({tuple(sorted(pair)) for pair in zip(i.tolist(), j.tolist(), strict=True)}) == len(i) <= 8 * k
        assert (np.bincount(np.r_[i, j], minlength=k) >= 4).all()
        assert {1, k // 3} <= set(((j - i) % k).tolist())
