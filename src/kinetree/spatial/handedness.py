"""Left-handed coordinate systems: what they say, said in the right-handed one that is mirrored across an axis.

Polar vectors (positions, velocities, forces) are mirrored as arrows; axial ones (angular velocities, moments) besides
change their sign, since a turn seen in a mirror goes the other way. Mirroring twice is nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kinetree.spatial.se3 import Array


def mirrored_vector(v: Any, axis: str) -> Array:
    """A position, velocity or force (…, 3); axis: "x", "y" or "z", the one that points the other way."""
    return np.asarray(np.asarray(v, dtype=float) * _signs(axis))


def mirrored_axial(w: Any, axis: str) -> Array:
    """An angular velocity or moment (…, 3)."""
    return np.asarray(-np.asarray(w, dtype=float) * _signs(axis))


def mirrored_pose(T: Any, axis: str) -> Array:
    """T (…, 4, 4) of one frame in another, both of them mirrored."""
    M = np.diag([*_signs(axis), 1.0])
    return np.asarray(M @ np.asarray(T, dtype=float) @ M)


def mirrored_screw(screw: Any, axis: str) -> Array:
    """A twist or wrench (…, 6), linear first."""
    screw = np.asarray(screw, dtype=float)
    return np.concatenate([mirrored_vector(screw[..., :3], axis), mirrored_axial(screw[..., 3:], axis)], axis=-1)


def _signs(axis: str) -> Array:
    return np.array([-1.0 if name == axis else 1.0 for name in "xyz"])
