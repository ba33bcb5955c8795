"""Quaternions as a group, and exponential and logarithm of SO(3) with their Jacobians, which give those of SE(3) too
(Solà, Deray and Atchuthan, A micro Lie theory, 2018, appendices B and D).

Rotation vectors are axis times angle, rad; quaternions are xyzw. All is exact to rounding at any angle: the direction
of a vector is divided by at least TINY, and what multiplies it goes to zero with the angle. Runs on symbolic scalars.
"""

from typing import Any

import numpy as np

from kinetree.spatial.plucker import skew
from kinetree.spatial.se3 import TINY, Array, scaled_quaternion


def product(p: Any, q: Any) -> Array:
    """Return p q (4,), the rotation by q and then by p."""
    (a, b, c, d), (x, y, z, w) = p, q
    return np.array(
        [
            d * x + a * w + b * z - c * y,
            d * y + b * w + c * x - a * z,
            d * z + c * w + a * y - b * x,
            d * w - a * x - b * y - c * z,
        ]
    )


def conjugate(quat: Any) -> Array:
    """Return the quaternion (4,) of the inverse rotation."""
    x, y, z, w = quat
    return np.array([-x, -y, -z, w])


def unit(quat: Any) -> Array:
    """Return a quaternion (4,) with length 1; NaN if it is zero or not finite."""
    scaled = np.array(scaled_quaternion(quat))
    return np.asarray(scaled / np.sqrt(scaled @ scaled))


def exp(vector: Any) -> Array:
    """Return the unit quaternion (4,) of a rotation vector (3,)."""
    v, angle = _with_length(vector)
    return np.array([*(v * (np.sin(0.5 * angle) / angle)), np.cos(0.5 * angle)])


def log(quat: Any) -> Array:
    """Return the rotation vector (3,) of a unit quaternion, with length at most pi."""
    v, sine, cosine = _shortest(quat)
    return np.asarray(v * (2.0 * np.arctan2(sine, cosine) / sine))


def jacobian(vector: Any) -> Array:
    """Return V (3, 3): motion at the constant velocity (v, w) in moving axes for unit time leads to V(w) v (eq. 174),
    and V(w) is the left Jacobian of SO(3) (eq. 145)."""
    v, angle = _with_length(vector)
    half, A = 0.5 * angle, skew(v / angle)
    return np.asarray(np.eye(3) + (np.sin(half) * np.sin(half) / half) * A + (1.0 - np.sin(angle) / angle) * (A @ A))


def inverse_jacobian(quat: Any) -> Array:
    """Return the inverse (3, 3) of `jacobian` of log(quat), quat of length 1 (eq. 146), by half the angle."""
    v, sine, cosine = _shortest(quat)
    half, A = np.arctan2(sine, cosine), skew(v / sine)
    return np.asarray(np.eye(3) - half * A + (1.0 - half * cosine / sine) * (A @ A))


def _with_length(vector: Any) -> tuple[Array, Any]:
    v = np.array([*vector])
    return v, np.maximum(np.sqrt(v @ v), TINY)


def _shortest(quat: Any) -> tuple[Array, Any, Any]:
    """Return the vector (3,) of a unit quaternion, its length and the scalar, which is at least 0."""
    sign = np.where(quat[3] < 0.0, -1.0, 1.0)
    v, sine = _with_length([sign * x for x in quat[:3]])
    return v, sine, sign * quat[3]
