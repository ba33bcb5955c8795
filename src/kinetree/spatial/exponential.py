"""Products of quaternions; exponential and logarithm of SO(3), with their Jacobians, which also give those of SE(3).

Quaternions (4,) are x y z w. Rotation vectors (3,) are the unit vector of the axis times the angle, rad. Functions take
one at a time. Source: Solà, Deray and Atchuthan, A micro Lie theory, 2018, appendices B and D.

All is exact to rounding at any angle: the direction of a vector is divided by at least TINY, and what multiplies it
goes to zero with the angle. Runs on symbolic scalars.
"""

from typing import Any

import numpy as np

from kinetree.spatial.plucker import skew
from kinetree.spatial.se3 import TINY, Array, scaled_quaternion


def product(p: Any, q: Any) -> Array:
    """Return the product p q (4,) of two quaternions (4,): the rotation by q and then by p, about fixed axes.

    Examples:
        >>> from kinetree.spatial import exponential
        >>> about_x, about_z = [1, 0, 0, 1], [0, 0, 1, 1]  # quarter turns; a quaternion may have any length
        >>> exponential.unit(exponential.product(about_x, about_z))  # about z, then about x
        array([ 0.5, -0.5,  0.5,  0.5])
    """
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
    """Return the conjugate (4,) of a quaternion (4,): that of the inverse rotation.

    Examples:
        >>> from kinetree.spatial import exponential
        >>> exponential.conjugate([0.5, 0.5, 0.5, 0.5])
        array([-0.5, -0.5, -0.5,  0.5])
    """
    x, y, z, w = quat
    return np.array([-x, -y, -z, w])


def unit(quat: Any) -> Array:
    """Return a quaternion (4,) divided by its length; NaN if it is zero or not finite.

    Examples:
        >>> from kinetree.spatial import exponential
        >>> exponential.unit([0, 0, 3, 4])
        array([0. , 0. , 0.6, 0.8])
    """
    scaled = np.array(scaled_quaternion(quat))
    return np.asarray(scaled / np.sqrt(scaled @ scaled))


def exp(vector: Any) -> Array:
    """Return the unit quaternion (4,) of a rotation vector (3,), rad.

    Examples:
        >>> import numpy as np
        >>> from kinetree.spatial import exponential
        >>> exponential.exp([0, 0, np.pi / 2]).round(4)  # a quarter turn about z
        array([0.    , 0.    , 0.7071, 0.7071])
    """
    v, angle = _with_length(vector)
    return np.array([*(v * (np.sin(0.5 * angle) / angle)), np.cos(0.5 * angle)])


def log(quat: Any) -> Array:
    """Return the rotation vector (3,), rad, of a unit quaternion (4,), with length at most pi.

    Examples:
        >>> from kinetree.spatial import exponential
        >>> exponential.log([0, 0, 0.5**0.5, 0.5**0.5]).round(4)  # a quarter turn about z
        array([0.    , 0.    , 1.5708])
    """
    v, sine, cosine = _shortest(quat)
    return np.asarray(v * (2.0 * np.arctan2(sine, cosine) / sine))


def jacobian(vector: Any) -> Array:
    """Return V (3, 3), the left Jacobian of SO(3) at a rotation vector w (3,) (eq. 145).

    A frame that moves for unit time with the constant linear velocity v and angular velocity w, both in its own axes,
    ends at the position V v (eq. 174).

    Examples:
        >>> import numpy as np
        >>> from kinetree.spatial import exponential
        >>> V = exponential.jacobian([0, 0, np.pi / 2])
        >>> (V @ [1, 0, 0]).round(4) + 0.0  # 1 m along a quarter of a circle: 2/pi m ahead, 2/pi m to the left
        array([0.6366, 0.6366, 0.    ])
    """
    v, angle = _with_length(vector)
    half, A = 0.5 * angle, skew(v / angle)
    return np.asarray(np.eye(3) + (np.sin(half) * np.sin(half) / half) * A + (1.0 - np.sin(angle) / angle) * (A @ A))


def inverse_jacobian(quat: Any) -> Array:
    """Return the inverse (3, 3) of `jacobian(log(quat))` for a unit quaternion (4,) (eq. 146), by half the angle.

    Examples:
        >>> import numpy as np
        >>> from kinetree.spatial import exponential
        >>> V_inverse = exponential.inverse_jacobian(exponential.exp([0, 0, np.pi / 2]))
        >>> (V_inverse @ [2 / np.pi, 2 / np.pi, 0]).round(4) + 0.0  # the quarter of a circle that ends there
        array([1., 0., 0.])
    """
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
