"""Three angles (a, b, c), rad, about three axes such as "zyx", each of which the rotations before it have turned.

For axes i, j and k the rotation is R = R_i(a) R_j(b) R_k(c). So "zyx" has yaw, pitch and roll of `se3`, in this order.
Neighbouring axes must differ; the first and the last may be the same, as in "zyz".

The angles are extracted one after the other, each after the rotations before it are removed. So they rebuild R to
rounding error everywhere, also near gimbal lock (single formulas: Diebel, Representing Attitude, 2006).
"""

from typing import Any

import numpy as np

from kinetree.spatial.se3 import Array

LOCKED = 1e-13
"""Sine or cosine of the middle angle below which the outer two axes count as one line (gimbal lock)."""


def rotation_from_euler(angles: Any, axes: str) -> Array:
    """Return R (…, 3, 3) from angles (…, 3), rad, about axes such as "zyx".

    Examples:
        >>> import numpy as np
        >>> from kinetree.spatial.euler import rotation_from_euler
        >>> R = rotation_from_euler(np.radians([90, 0, 90]), "zyx")  # Rz(90°) Ry(0) Rx(90°)
        >>> (R @ [0, 0, 1]).round(6) + 0.0  # Rx takes z to -y, and Rz takes -y to x
        array([1., 0., 0.])
    """
    a = np.asarray(angles, dtype=float)
    first, second, third = (_about("xyz".index(axis), a[..., i]) for i, axis in enumerate(axes))
    return np.asarray(first @ second @ third)


def euler_from_rotation(R: Any, axes: str, zero: int = 0) -> Array:
    """Return the angles (…, 3), rad, of R (…, 3, 3) about axes such as "zyx".

    The middle angle is in [-pi/2, pi/2], or in [0, pi] if the first and the last axis are the same.
    zero: 0 or 2, the outer angle that is set to zero at gimbal lock; 0 if the first and the last axis are the same.

    Examples:
        >>> import numpy as np
        >>> from kinetree.spatial.euler import euler_from_rotation, rotation_from_euler
        >>> R = rotation_from_euler(np.radians([30, 20, 10]), "zyx")
        >>> np.degrees(euler_from_rotation(R, "zyx")).round(6)
        array([30., 20., 10.])
        >>> np.degrees(euler_from_rotation(R, "zyz")).round(2)  # the same rotation about other axes
        array([ 2.73, 22.27, 25.51])
    """
    R = np.asarray(R, dtype=float)
    if zero == 2:  # the inverse has the negative angles in the opposite order
        return _wrapped(-euler_from_rotation(np.swapaxes(R, -1, -2), axes[::-1])[..., ::-1]) + 0.0
    i, j = "xyz".index(axes[0]), "xyz".index(axes[1])
    k = 3 - i - j
    s = 1.0 if (j - i) % 3 == 1 else -1.0
    if axes[0] == axes[2]:
        sine, cosine, along = R[..., j, i], -s * R[..., k, i], R[..., i, i]
    else:
        sine, cosine, along = -s * R[..., j, k], R[..., k, k], s * R[..., i, k]
    a = np.where(np.hypot(sine, cosine) < LOCKED, 0.0, np.arctan2(sine, cosine))
    across = np.cos(a) * cosine + np.sin(a) * sine
    b = np.arctan2(np.maximum(across, 0.0), along) if axes[0] == axes[2] else np.arctan2(along, np.maximum(across, 0.0))
    row = np.cos(a)[..., None] * R[..., j, :] + s * np.sin(a)[..., None] * R[..., k, :]
    c = np.arctan2(-s * row[..., k], row[..., j]) if axes[0] == axes[2] else np.arctan2(s * row[..., i], row[..., j])
    return np.stack([_wrapped(a), b, _wrapped(c)], axis=-1) + 0.0


def _about(axis: int, angle: Array) -> Array:
    R = np.zeros((*angle.shape, 3, 3))
    i, j, k = axis, (axis + 1) % 3, (axis + 2) % 3
    c, s = np.cos(angle), np.sin(angle)
    R[..., i, i] = 1.0
    R[..., j, j] = R[..., k, k] = c
    R[..., k, j], R[..., j, k] = s, -s
    return R


def _wrapped(angle: Array) -> Array:
    """Return the angle in (-pi, pi]."""
    return np.asarray(np.where(angle <= -np.pi, angle + 2 * np.pi, np.where(angle > np.pi, angle - 2 * np.pi, angle)))
