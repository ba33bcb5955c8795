"""Conversion between left-handed and right-handed coordinates, by mirroring one axis.

Polar vectors (position, velocity, force) are mirrored as arrows. Axial vectors (angular velocity, moment) change their
sign besides, because a mirror reverses rotations. Mirroring twice changes nothing.
"""

from typing import Any

import numpy as np

from kinetree.spatial.se3 import Array


def mirrored_vector(v: Any, axis: str) -> Array:
    """Return a position, velocity or force (…, 3) mirrored along axis "x", "y" or "z".

    Examples:
        >>> from kinetree.spatial import handedness
        >>> handedness.mirrored_vector([1, 2, 3], "y")
        array([ 1., -2.,  3.])
    """
    return np.asarray(np.asarray(v, dtype=float) * _signs(axis))


def mirrored_axial(w: Any, axis: str) -> Array:
    """Return an angular velocity or moment (…, 3) mirrored along axis "x", "y" or "z".

    Examples:
        >>> from kinetree.spatial import handedness
        >>> handedness.mirrored_axial([1, 2, 3], "y")  # a mirror reverses rotations
        array([-1.,  2., -3.])
    """
    return np.asarray(-np.asarray(w, dtype=float) * _signs(axis))


def mirrored_pose(T: Any, axis: str) -> Array:
    """Return T (…, 4, 4) of one frame in another, both mirrored along axis "x", "y" or "z".

    Examples:
        >>> import numpy as np
        >>> from kinetree.spatial import handedness, se3
        >>> T = handedness.mirrored_pose(se3.pose_from_xyz_rpy([1, 2, 3], [0, 0, 0.5]), "y")
        >>> T[:3, 3], np.round(se3.rpy_from_rotation(T[:3, :3]), 6) + 0.0
        (array([ 1., -2.,  3.]), array([ 0. ,  0. , -0.5]))
    """
    M = np.diag([*_signs(axis), 1.0])
    return np.asarray(M @ np.asarray(T, dtype=float) @ M)


def mirrored_screw(screw: Any, axis: str) -> Array:
    """Return a twist or wrench (…, 6), linear first, mirrored along axis "x", "y" or "z".

    Examples:
        >>> from kinetree.spatial import handedness
        >>> handedness.mirrored_screw([1, 2, 3, 4, 5, 6], "y")  # velocity, then angular velocity
        array([ 1., -2.,  3., -4.,  5., -6.])
    """
    screw = np.asarray(screw, dtype=float)
    return np.concatenate([mirrored_vector(screw[..., :3], axis), mirrored_axial(screw[..., 3:], axis)], axis=-1)


def _signs(axis: str) -> Array:
    return np.array([-1.0 if name == axis else 1.0 for name in "xyz"])
