"""Three angles about any axes, against SciPy, and back, near the gimbal's lock and at it."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from each import each
from kinetree.spatial.euler import euler_from_rotation, rotation_from_euler

ORDERS = ["zyx", "xyz", "zyz", "xzy", "yzx", "yxz", "zxy", "xyx", "xzx", "yxy", "yzy", "zxz"]


def awkward(n: int) -> np.ndarray:
    """Angles (n, 3): at random, at quarters of a turn, and a little beside them."""
    rng = np.random.default_rng(0)
    a = rng.uniform(-np.pi, np.pi, (n, 3))
    quarters = np.round(a / (np.pi / 2)) * np.pi / 2
    beside = quarters + rng.choice([-1, 1], (n, 3)) * 10.0 ** rng.uniform(-17, -3, (n, 3))
    return np.concatenate([a, quarters, beside, np.stack([a[:, 0], beside[:, 1], a[:, 2]], axis=-1)])


@pytest.mark.slow
@each("axes", ORDERS)
def test_there_and_back(axes):
    a = awkward(2000)
    R = rotation_from_euler(a, axes)
    np.testing.assert_allclose(R, Rotation.from_euler(axes.upper(), a).as_matrix(), rtol=0, atol=2e-15)
    for zero in (0, 2) if axes[0] != axes[2] else (0,):
        back = euler_from_rotation(R, axes, zero)
        np.testing.assert_allclose(rotation_from_euler(back, axes), R, rtol=0, atol=2e-13)
        assert np.abs(back[:, [0, 2]]).max() <= np.pi
        middle = back[:, 1]
        assert (middle >= (-np.pi / 2 if axes[0] != axes[2] else 0) - 1e-15).all()
        assert (middle <= (np.pi / 2 if axes[0] != axes[2] else np.pi) + 1e-15).all()
    assert euler_from_rotation(R.reshape(4, 2000, 3, 3), axes).shape == (4, 2000, 3)


@each("axes", ORDERS)
def test_at_the_lock_one_angle_is_zero(axes):
    for locked in (np.pi / 2, -np.pi / 2) if axes[0] != axes[2] else (0.0, np.pi):
        R = rotation_from_euler([0.3, locked, 0.4], axes)
        for zero in (0, 2) if axes[0] != axes[2] else (0,):
            back = euler_from_rotation(R, axes, zero)
            assert back[zero] == 0
            np.testing.assert_allclose(rotation_from_euler(back, axes), R, rtol=0, atol=2e-15)
