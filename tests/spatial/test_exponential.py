"""Quaternions and rotation vectors against SciPy, and the Jacobian against its inverse and its series."""

import numpy as np
from scipy.spatial.transform import Rotation

from each import each
from kinetree.spatial import exponential
from kinetree.spatial.plucker import skew

RNG = np.random.default_rng(20261123)
ANGLES = [0.0, 1e-300, 1e-12, 1e-5, 0.3, 2.0, np.pi - 1e-7, np.pi]


@each("angle", ANGLES)
def test_exp_and_log(angle):
    axis = RNG.normal(size=3)
    v = angle * axis / np.linalg.norm(axis)
    quat = exponential.exp(v)
    np.testing.assert_allclose(quat, Rotation.from_rotvec(v).as_quat(), rtol=0, atol=1e-15)
    for sign in (1.0, -1.0):
        back = exponential.log(sign * quat)
        back = back * np.sign(back @ v) if angle == np.pi else back  # half a turn has two vectors
        np.testing.assert_allclose(back, v, rtol=1e-14, atol=0)


def test_products_are_those_of_rotations():
    p, q = exponential.unit(RNG.normal(size=4)), exponential.unit(1e300 * RNG.normal(size=4))
    expected = (Rotation.from_quat(p) * Rotation.from_quat(q)).as_quat()
    pq = exponential.product(p, q)
    np.testing.assert_allclose(pq * np.sign(pq @ expected), expected, rtol=0, atol=1e-15)
    np.testing.assert_allclose(exponential.product(p, exponential.conjugate(p)), (0, 0, 0, 1), rtol=0, atol=1e-15)


@each("angle", ANGLES)
def test_the_jacobian_is_its_series(angle):
    """V = 1 + [w] / 2! + [w]² / 3! + …, the integral of exp([w] t) from 0 to 1."""
    axis = RNG.normal(size=3)
    v = angle * axis / np.linalg.norm(axis)
    term = series = np.eye(3)
    for k in range(2, 30):
        term = term @ skew(v) / k
        series = series + term
    V = exponential.jacobian(v)
    np.testing.assert_allclose(V, series, rtol=0, atol=1e-15)
    np.testing.assert_allclose(V @ exponential.inverse_jacobian(exponential.exp(v)), np.eye(3), rtol=0, atol=2e-15)
