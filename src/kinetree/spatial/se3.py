"""Rotations, rigid transforms and quaternions as arrays: `R` (3, 3), `p` (3,), `T` (4, 4), quaternions (4,), x y z w.

`T_AB` maps coordinates in B to coordinates in A: p_A = T_AB p_B. It is the pose of B in A. Metres and radians.
Functions take one rotation or pose at a time; those with "…" in their shapes take batches.

The functions that algorithms call (`rotation`, `translation`, `rotation_from_quaternion`, `quaternion_from_rotation`,
`inverse`, `without`) use NumPy's functions only and build arrays from their entries, so that they also run on symbolic
scalars.
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
    """Return the values as a read-only array of doubles.

    Examples:
        >>> from kinetree.spatial import se3
        >>> se3.frozen([1, 2, 3]).flags.writeable
        False
    """
    array = np.array(values, dtype=float)
    array.setflags(write=False)
    return array


IDENTITY = frozen(np.eye(4))

TINY = 1e-30
"""Smallest length used as a divisor; single precision can represent it too."""


def homogeneous(R: Any, p: Any) -> Array:
    """Return T (4, 4) from a rotation (3, 3) and a position (3,).

    Examples:
        >>> from kinetree.spatial import se3
        >>> se3.homogeneous([[0, -1, 0], [1, 0, 0], [0, 0, 1]], [0.1, 0.2, 0.3])
        array([[ 0. , -1. ,  0. ,  0.1],
               [ 1. ,  0. ,  0. ,  0.2],
               [ 0. ,  0. ,  1. ,  0.3],
               [ 0. ,  0. ,  0. ,  1. ]])
    """
    return np.array(
        [
            [R[0][0], R[0][1], R[0][2], p[0]],
            [R[1][0], R[1][1], R[1][2], p[1]],
            [R[2][0], R[2][1], R[2][2], p[2]],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )


def poses_from(R: Array, p: Array) -> Array:
    """Return T (…, 4, 4) from rotations R (…, 3, 3) and positions p (…, 3).

    Examples:
        >>> import numpy as np
        >>> from kinetree.spatial import se3
        >>> se3.poses_from(np.eye(3), np.array([[0.1, 0, 0], [0.2, 0, 0]]))[:, 0, 3]  # x of two translations
        array([0.1, 0.2])
    """
    T = np.zeros((*np.broadcast_shapes(R.shape[:-2], p.shape[:-1]), 4, 4))
    T[..., :3, :3], T[..., :3, 3], T[..., 3, 3] = R, p, 1.0
    return T


def inverse(T: Array) -> Array:
    """Return T_BA (4, 4) from T_AB (4, 4), by transposing the rotation.

    Examples:
        >>> from kinetree.spatial import se3
        >>> T_AB = se3.translation([0.1, 0.2, 0.3])
        >>> se3.inverse(T_AB)[:3, 3]  # the origin of A in B
        array([-0.1, -0.2, -0.3])
    """
    R_BA = T[:3, :3].T
    return homogeneous(R_BA, -(R_BA @ T[:3, 3]))


def without(T_AC: Array, T_BC: Array) -> Array:
    """Return T_AB (4, 4) from T_AC (4, 4) and T_BC (4, 4): T_AC times the inverse of T_BC.

    Examples:
        >>> from kinetree.spatial import se3
        >>> T_base_tool, T_camera_tool = se3.translation([0.9, 0.4, 0.5]), se3.translation([0.2, 0.1, 0.3])
        >>> T_base_camera = se3.without(T_base_tool, T_camera_tool)
        >>> T_base_camera[:3, 3].round(6)
        array([0.7, 0.3, 0.2])
    """
    R_AB = T_AC[:3, :3] @ T_BC[:3, :3].T
    return homogeneous(R_AB, T_AC[:3, 3] - R_AB @ T_BC[:3, 3])


def rotation(axis: Any, angle: Any) -> Array:
    """Return R (3, 3), the rotation by `angle`, rad, about the unit vector `axis` (3,).

    Rodrigues' formula (Lynch & Park, Modern Robotics, eq. 3.51). The diagonal is written so that, for an axis along x,
    y or z, entries that do not depend on the angle are exact.

    Examples:
        >>> import numpy as np
        >>> from kinetree.spatial import se3
        >>> se3.rotation([0, 0, 1], np.pi / 2).round(6) + 0.0  # a quarter turn about z
        array([[ 0., -1.,  0.],
               [ 1.,  0.,  0.],
               [ 0.,  0.,  1.]])
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
    """Return T (4, 4), the rotation by `angle`, rad, about the unit vector `axis` (3,) through the origin.

    Examples:
        >>> import numpy as np
        >>> from kinetree.spatial import se3
        >>> T = se3.turn([0, 0, 1], np.pi / 2) @ se3.translation([0.5, 0, 0])  # turn, then move along the new x
        >>> T[:3, 3].round(6) + 0.0
        array([0. , 0.5, 0. ])
    """
    return homogeneous(rotation(axis, angle), (0.0, 0.0, 0.0))


def translation(p: Any) -> Array:
    """Return T (4, 4), the translation by p (3,), m.

    Examples:
        >>> from kinetree.spatial import se3
        >>> se3.translation([0.1, 0.2, 0.3]) @ [1, 0, 0, 1]  # the point (1, 0, 0) of B in A
        array([1.1, 0.2, 0.3, 1. ])
    """
    return homogeneous(np.eye(3), p)


def pose_from_xyz_rpy(xyz: Sequence[float], rpy: Sequence[float]) -> Array:
    """Return T (4, 4), read-only, from xyz (3,), m, and rpy (3,), rad: roll, pitch and yaw about fixed axes.

    R = Rz(yaw) Ry(pitch) Rx(roll), as in the `<origin>` of a URDF.

    Examples:
        >>> import numpy as np
        >>> from kinetree.spatial import se3
        >>> T_AB = se3.pose_from_xyz_rpy([0.1, 0.2, 0.3], [0, 0, np.pi / 2])
        >>> (T_AB @ [1, 0, 0, 1]).round(6)  # the point (1, 0, 0) of B in A
        array([0.1, 1.2, 0.3, 1. ])
    """
    x, y, z = xyz
    roll, pitch, yaw = rpy
    if roll == pitch == yaw == 0.0:
        T = np.array(((1.0, 0.0, 0.0, x), (0.0, 1.0, 0.0, y), (0.0, 0.0, 1.0, z), (0.0, 0.0, 0.0, 1.0)))
    else:
        cr, sr = math.cos(roll), math.sin(roll)
        cp, sp = math.cos(pitch), math.sin(pitch)
        cy, sy = math.cos(yaw), math.sin(yaw)
        R = (
            (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
            (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
            (-sp, cp * sr, cp * cr),
        )
        T = homogeneous(R, (x, y, z))
    T.setflags(write=False)
    return T


def rpy_from_rotation(R: Array) -> tuple[float, float, float]:
    """Return roll, pitch and yaw, rad, of R (3, 3): R = Rz(yaw) Ry(pitch) Rx(roll), with pitch in [-pi/2, pi/2].

    At gimbal lock, where pitch is ±pi/2 to rounding error, yaw is zero. Roll is extracted after yaw is removed, so that
    the three rebuild R to rounding error everywhere.

    Examples:
        >>> import numpy as np
        >>> from kinetree.spatial import se3
        >>> T = se3.pose_from_xyz_rpy([0, 0, 0], np.radians([10, 20, 30]))
        >>> np.degrees(se3.rpy_from_rotation(T[:3, :3])).round(6)
        array([10., 20., 30.])
    """
    locked = math.hypot(R[0, 0], R[1, 0]) < 4e-15
    yaw = 0.0 if locked else math.atan2(R[1, 0], R[0, 0])
    s, c = math.sin(yaw), math.cos(yaw)
    pitch = math.atan2(-R[2, 0], c * R[0, 0] + s * R[1, 0])
    roll = math.atan2(s * R[0, 2] - c * R[1, 2], c * R[1, 1] - s * R[0, 1])
    return roll, pitch, yaw


def rotation_from_quaternion(quat_xyzw: Any) -> Array:
    """Return R (3, 3) of a quaternion xyzw (4,) of any length; NaN if the quaternion is zero or not finite.

    Examples:
        >>> from kinetree.spatial import se3
        >>> R = se3.rotation_from_quaternion([0, 0, 1, 1])  # x y z w of any length: a quarter turn about z
        >>> R @ [1, 0, 0]
        array([0., 1., 0.])
    """
    x, y, z, w = scaled = scaled_quaternion(quat_xyzw)
    return _turned(scaled, 2.0 / (x * x + y * y + z * z + w * w))


def rotation_from_vector(vector: Any) -> Array:
    """Return R (3, 3) of a rotation vector (3,): the unit vector of the axis times the angle, rad.

    It has derivatives of every order at every vector, also at zero.

    Examples:
        >>> import numpy as np
        >>> from kinetree.spatial import se3
        >>> R = se3.rotation_from_vector([0, 0, np.pi / 2])  # a quarter turn about z
        >>> (R @ [1, 0, 0]).round(6) + 0.0
        array([0., 1., 0.])
    """
    v = np.array([*vector])
    angle = np.maximum(np.sqrt(v @ v), TINY)
    return _turned([*(v * (np.sin(0.5 * angle) / angle)), np.cos(0.5 * angle)], 2.0)


def _turned(quat_xyzw: Sequence[Any], s: Any) -> Array:
    """Return R (3, 3) of a quaternion (4,) of which s is 2 divided by the squared length."""
    x, y, z, w = quat_xyzw
    return np.array(
        [
            [1.0 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)],
            [s * (x * y + z * w), 1.0 - s * (x * x + z * z), s * (y * z - x * w)],
            [s * (x * z - y * w), s * (y * z + x * w), 1.0 - s * (x * x + y * y)],
        ]
    )


def rotations_from_quaternions(quat_xyzw: Array) -> Array:
    """Return R (…, 3, 3) of quaternions xyzw (…, 4) of any length; NaN for a quaternion that is zero or not finite.

    Examples:
        >>> import numpy as np
        >>> from kinetree.spatial import se3
        >>> R = se3.rotations_from_quaternions(np.array([[0, 0, 0, 1], [0, 0, 1, 1]]))  # none, a quarter turn about z
        >>> R @ [1, 0, 0]
        array([[1., 0., 0.],
               [0., 1., 0.]])
    """
    return np.moveaxis(rotation_from_quaternion(np.moveaxis(quat_xyzw, -1, 0)), (0, 1), (-2, -1))


def quaternions_from_rotations(R: Array) -> Array:
    """Return the unit quaternions xyzw (…, 4), with w >= 0, of R (…, 3, 3), or of poses (…, 4, 4).

    Examples:
        >>> import numpy as np
        >>> from kinetree.spatial import se3
        >>> R = np.array([np.eye(3), np.diag([-1, -1, 1])])  # none, half a turn about z
        >>> se3.quaternions_from_rotations(R) + 0.0  # x y z w
        array([[0., 0., 0., 1.],
               [0., 0., 1., 0.]])
    """
    return np.moveaxis(quaternion_from_rotation(np.moveaxis(R, (-2, -1), (0, 1))), 0, -1)


def rotation_vectors(R: Array) -> Array:
    """Return the rotation vectors (…, 3), rad, of R (…, 3, 3), with lengths at most pi.

    Examples:
        >>> import numpy as np
        >>> from kinetree.spatial import se3
        >>> se3.rotation_vectors(np.diag([-1.0, -1.0, 1.0])).round(4) + 0.0  # half a turn about z
        array([0.    , 0.    , 3.1416])
    """
    quat = quaternions_from_rotations(R)
    sine = np.linalg.norm(quat[..., :3], axis=-1, keepdims=True)
    return np.asarray(quat[..., :3] * (2.0 * np.arctan2(sine, quat[..., 3:]) / np.maximum(sine, TINY)))


def scaled_quaternion(quat_xyzw: Any) -> list[Any]:
    """Return a quaternion (4,) divided by its largest entry, so that its squares neither overflow nor underflow.

    Examples:
        >>> import numpy as np
        >>> from kinetree.spatial import se3
        >>> np.array(se3.scaled_quaternion([0, 0, 1e200, 2e200]))  # the squares of these would overflow
        array([0. , 0. , 0.5, 1. ])
    """
    x, y, z, w = quat_xyzw
    largest = np.maximum(np.maximum(np.absolute(x), np.absolute(y)), np.maximum(np.absolute(z), np.absolute(w)))
    return [x / largest, y / largest, z / largest, w / largest]


def quaternion_from_rotation(R: Array) -> Array:
    """Return the unit quaternion xyzw (4,) of R (3, 3), with w >= 0; if w = 0, its first largest entry is above 0.

    Shepperd's method: divide by the largest component.

    Examples:
        >>> import numpy as np
        >>> from kinetree.spatial import se3
        >>> R = se3.rotation([0, 0, 1], np.pi / 2)
        >>> se3.quaternion_from_rotation(R).round(4) + 0.0  # x y z w
        array([0.    , 0.    , 0.7071, 0.7071])
    """
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
    """Return the rotation R (3, 3) by the smallest angle with R a = b, for unit vectors a and b (3,).

    If b = -a, it is half a turn about a perpendicular. Close to b = -a the cross product loses the angle, so half a
    turn is made first and the rest is a small rotation.

    Examples:
        >>> from kinetree.spatial import se3
        >>> R = se3.rotation_between([0, 0, 1], [0, 0.6, 0.8])
        >>> (R @ [0, 0, 1]).round(6) + 0.0
        array([0. , 0.6, 0.8])
    """
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    (ax, ay, az), (bx, by, bz) = a.tolist(), b.tolist()
    cross = np.array([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])  # np.cross takes 20 times as long
    if a @ b < 0:
        near = cross if np.linalg.norm(cross) >= 1e-12 else np.eye(3)[int(np.argmin(np.abs(a)))]  # z to -z keeps x
        n = near - a * (a @ near)
        n /= np.linalg.norm(n)
        return rotation_between(-a, b) @ (2.0 * np.outer(n, n) - np.eye(3))
    sine = float(np.linalg.norm(cross))
    return rotation(cross / sine, math.atan2(sine, float(a @ b))) if sine else np.eye(3)


def is_unit(vector: Iterable[float]) -> bool:
    """Return whether a vector has length 1, to three decimals (`UNIT`).

    Examples:
        >>> from kinetree.spatial import se3
        >>> se3.is_unit([0.577, 0.577, 0.577]), se3.is_unit([1, 1, 0])
        (True, False)
    """
    return abs(math.hypot(*vector) - 1.0) <= UNIT


def is_rotation(R: Array, tolerance: float = 1e-9) -> Array:
    """Return whether each R (…, 3, 3) is orthonormal, to `tolerance` in each entry of R Rᵀ, and right-handed: (…).

    Examples:
        >>> import numpy as np
        >>> from kinetree.spatial import se3
        >>> se3.is_rotation(np.array([np.eye(3), np.diag([1, 1, -1])]))  # the second is a mirror
        array([ True, False])
    """
    off = np.abs(R @ np.swapaxes(R, -1, -2) - np.eye(3)).max(axis=(-1, -2))
    return np.asarray((off <= tolerance) & (np.linalg.det(R) > 0))


def nearest_rotation(R: Array) -> Array:
    """Return the rotations (…, 3, 3) closest to matrices R (…, 3, 3) in the Frobenius norm.

    Examples:
        >>> import numpy as np
        >>> from kinetree.spatial import se3
        >>> R = np.array([[0.98, -0.2, 0], [0.2, 0.98, 0], [0, 0, 1]])  # rounded, so that the rows have length 1.0002
        >>> se3.nearest_rotation(R).round(5) + 0.0
        array([[ 0.9798 , -0.19996,  0.     ],
               [ 0.19996,  0.9798 ,  0.     ],
               [ 0.     ,  0.     ,  1.     ]])
    """
    U, _, Vt = np.linalg.svd(R)
    U[..., -1] *= np.linalg.det(U @ Vt)[..., None]
    return np.asarray(U @ Vt)
