"""Rotations and rigid transforms as arrays: `R` is (3, 3), `p` is (3,), `T` is (4, 4).

`T_AB` maps coordinates in B to coordinates in A. Metres and radians. The functions that algorithms call (`rotation`,
`translation`, `rotation_from_quaternion`, `quaternion_from_rotation`, `inverse`, `without`) use NumPy's functions only
and build arrays from their entries, so that they also run on symbolic scalars.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
"""Array of floats, or of symbolic scalars while an algorithm is traced."""


UNIT = 1e-3
"""How far from 1 the length of a unit vector may be: three decimals of 0.577 or 0.707 are near enough."""
NO_DIRECTION = 1e-9
"""Length below which a vector has no direction."""


def frozen(values: Any) -> Array:
    """Return the values as a read-only array of doubles."""
    array = np.array(values, dtype=float)
    array.setflags(write=False)
    return array


IDENTITY = frozen(np.eye(4))

TINY = 1e-30
"""Smallest length used as a divisor; single precision can represent it too."""


def homogeneous(R: Any, p: Any) -> Array:
    """Return T (4, 4) from a rotation (3, 3) and a position (3,)."""
    return np.array(
        [
            [R[0][0], R[0][1], R[0][2], p[0]],
            [R[1][0], R[1][1], R[1][2], p[1]],
            [R[2][0], R[2][1], R[2][2], p[2]],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )


def inverse(T: Array) -> Array:
    """Return T_BA from T_AB, by transposing the rotation."""
    R_BA = T[:3, :3].T
    return homogeneous(R_BA, -(R_BA @ T[:3, 3]))


def without(T_AC: Array, T_BC: Array) -> Array:
    """Return T_AB from T_AC and T_BC."""
    R_AB = T_AC[:3, :3] @ T_BC[:3, :3].T
    return homogeneous(R_AB, T_AC[:3, 3] - R_AB @ T_BC[:3, 3])


def rotation(axis: Any, angle: Any) -> Array:
    """Return R (3, 3), the rotation by `angle` about the unit `axis` (Rodrigues; Lynch & Park, Modern Robotics, eq.
    3.51).

    The diagonal is written so that, for an axis along x, y or z, entries that do not depend on the angle are exact.
    """
    x, y, z = axis
    s, c = np.sin(angle), np.cos(angle)
    v = 1.0 - c
    return np.array(
        [
            [x * x + c * (1.0 - x * x), x * y * v - z * s, x * z * v + y * s],
            [x * y * v + z * s, y * y + c * (1.0 - y * y), y * z * v - x * s],
            [x * z * v - y * s, y * z * v + x * s, z * z + c * (1.0 - z * z)],
        ]
    )


def turn(axis: Any, angle: Any) -> Array:
    """Return T (4, 4), the rotation by `angle` about the unit vector `axis` through the origin."""
    return homogeneous(rotation(axis, angle), (0.0, 0.0, 0.0))


def translation(p: Any) -> Array:
    """Return T (4, 4), the translation by p (3,)."""
    return homogeneous(np.eye(3), p)


def pose_from_xyz_rpy(xyz: Sequence[float], rpy: Sequence[float]) -> Array:
    """Return T (4, 4), read-only, from a position and fixed-axis angles: R = Rz(yaw) Ry(pitch) Rx(roll)."""
    x, y, z = xyz
    roll, pitch, yaw = rpy
    if roll == pitch == yaw == 0.0:
        T = np.array(((1.0, 0.0, 0.0, x), (0.0, 1.0, 0.0, y), (0.0, 0.0, 1.0, z), (0.0, 0.0, 0.0, 1.0)))
    else:
        cr, sr = math.cos(roll), math.sin(roll)
        cp, sp = math.cos(pitch), math.sin(pitch)
        cy, sy = math.cos(yaw), math.sin(yaw)
        T = np.array(
            (
                (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, x),
                (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr, y),
                (-sp, cp * sr, cp * cr, z),
                (0.0, 0.0, 0.0, 1.0),
            )
        )
    T.setflags(write=False)
    return T


def rpy_from_rotation(R: Array) -> tuple[float, float, float]:
    """Return roll, pitch, yaw of R, with pitch in [-pi/2, pi/2]; at gimbal lock, to rounding error, yaw is zero. Roll
    is extracted after yaw is removed, so that the three rebuild R to rounding error everywhere."""
    locked = math.hypot(R[0, 0], R[1, 0]) < 4e-15
    yaw = 0.0 if locked else math.atan2(R[1, 0], R[0, 0])
    s, c = math.sin(yaw), math.cos(yaw)
    pitch = math.atan2(-R[2, 0], c * R[0, 0] + s * R[1, 0])
    roll = math.atan2(s * R[0, 2] - c * R[1, 2], c * R[1, 1] - s * R[0, 1])
    return roll, pitch, yaw


def rotation_from_quaternion(quat_xyzw: Any) -> Array:
    """Return R (3, 3) of a quaternion xyzw of any length; NaN if the quaternion is zero or not finite."""
    x, y, z, w = scaled_quaternion(quat_xyzw)
    s = 2.0 / (x * x + y * y + z * z + w * w)
    return np.array(
        [
            [1.0 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)],
            [s * (x * y + z * w), 1.0 - s * (x * x + z * z), s * (y * z - x * w)],
            [s * (x * z - y * w), s * (y * z + x * w), 1.0 - s * (x * x + y * y)],
        ]
    )


def rotations_from_quaternions(quat_xyzw: Array) -> Array:
    """Return R (…, 3, 3) of quaternions xyzw (…, 4)."""
    return np.moveaxis(rotation_from_quaternion(np.moveaxis(quat_xyzw, -1, 0)), (0, 1), (-2, -1))


def quaternions_from_rotations(R: Array) -> Array:
    """Return the unit quaternions xyzw (…, 4) of R (…, 3, 3), or of poses (…, 4, 4)."""
    return np.moveaxis(quaternion_from_rotation(np.moveaxis(R, (-2, -1), (0, 1))), 0, -1)


def scaled_quaternion(quat_xyzw: Any) -> list[Any]:
    """Return a quaternion divided by its largest entry, so that its squares neither overflow nor underflow."""
    x, y, z, w = quat_xyzw
    largest = np.maximum(np.maximum(np.absolute(x), np.absolute(y)), np.maximum(np.absolute(z), np.absolute(w)))
    return [x / largest, y / largest, z / largest, w / largest]


def quaternion_from_rotation(R: Array) -> Array:
    """Return the unit quaternion xyzw (4,) of R, with w >= 0 (Shepperd's method: divide by the largest component)."""
    trace = R[0, 0] + R[1, 1] + R[2, 2]
    x, y, z = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    xy, yz, zx = R[1, 0] + R[0, 1], R[2, 1] + R[1, 2], R[0, 2] + R[2, 0]
    rows = [  # each is the quaternion, times four of its own components
        (1.0 + R[0, 0] - R[1, 1] - R[2, 2], xy, zx, x),
        (xy, 1.0 + R[1, 1] - R[2, 2] - R[0, 0], yz, y),
        (zx, yz, 1.0 + R[2, 2] - R[0, 0] - R[1, 1], z),
        (x, y, z, 1.0 + trace),
    ]
    quat, largest = rows[3], rows[3][3]
    for i in range(3):
        better = rows[i][i] > largest
        quat = tuple(np.where(better, a, b) for a, b in zip(rows[i], quat, strict=True))
        largest = np.maximum(rows[i][i], largest)
    length = np.sqrt(quat[0] * quat[0] + quat[1] * quat[1] + quat[2] * quat[2] + quat[3] * quat[3])
    size = np.where(quat[3] < 0.0, -length, length)
    return np.array([component / size for component in quat])


def rotation_between(a: Any, b: Any) -> Array:
    """Return the shortest rotation R (3, 3) with R a = b for unit vectors; half a turn about a perpendicular if b = -a.
    Close to b = -a the cross product loses the angle, so half a turn is made first and the rest is a small rotation."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    (ax, ay, az), (bx, by, bz) = a.tolist(), b.tolist()
    cross = np.array([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])  # np.cross takes 20 times as long
    if a @ b < 0:
        n = _perpendicular(a, cross)
        return rotation_between(-a, b) @ (2.0 * np.outer(n, n) - np.eye(3))
    sine = float(np.linalg.norm(cross))
    return rotation(cross / sine, math.atan2(sine, float(a @ b))) if sine else np.eye(3)


def _perpendicular(a: Array, near: Array) -> Array:
    """Return the unit vector perpendicular to the unit vector a nearest to `near`; any if `near` is about zero."""
    if np.linalg.norm(near) < 1e-12:
        near = np.eye(3)[int(np.argmin(np.abs(a)))]  # so that z to -z keeps x, as in Drake
    n = near - a * (a @ near)
    return np.asarray(n / np.linalg.norm(n))


def is_unit(vector: Iterable[float]) -> bool:
    """Return whether a vector has length one, to UNIT."""
    return abs(math.hypot(*vector) - 1.0) <= UNIT


def is_rotation(R: Array, tolerance: float = 1e-9) -> Array:
    """Return whether each R (…, 3, 3) is orthonormal and right-handed to `tolerance`."""
    off = np.abs(R @ np.swapaxes(R, -1, -2) - np.eye(3)).max(axis=(-1, -2))
    return np.asarray((off <= tolerance) & (np.linalg.det(R) > 0))


def nearest_rotation(R: Array) -> Array:
    """Return the rotations closest to R (…, 3, 3) in the Frobenius norm."""
    U, _, Vt = np.linalg.svd(R)
    U[..., -1] *= np.linalg.det(U @ Vt)[..., None]
    return np.asarray(U @ Vt)
