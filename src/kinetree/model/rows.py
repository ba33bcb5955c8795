"""What a closing joint demands of the pose T (4, 4) of its frame after the motion: numbers that are linear in T, and as
for the identity exactly where the joint's type can reach T, half turns aside. So their rates are those of T."""

from typing import Any

import numpy as np

from kinetree.spatial import se3
from kinetree.spatial.se3 import Array


def fixed_rows(axes: Array, T: Array) -> list[Any]:
    """Return the place and the turn, which are zero."""
    return [*T[:3, 3], *_turn(T)]


def hinge_rows(axes: Array, T: Array) -> list[Any]:
    """Return the place, and the axis across itself."""
    return [*T[:3, 3], *_tilt(axes[0], T)]


def slide_rows(axes: Array, T: Array) -> list[Any]:
    """Return the place across the axis, and the turn."""
    return [*(across @ T[:3, 3] for across in _across(axes[0])), *_turn(T)]


def planar_rows(axes: Array, T: Array) -> list[Any]:
    """Return the height over the plane, and the normal across itself."""
    return [axes[0] @ T[:3, 3], *_tilt(axes[0], T)]


def universal_rows(axes: Array, T: Array) -> list[Any]:
    """Return the place, and the cosine of the angle between the two axes."""
    return [*T[:3, 3], axes[0] @ (T[:3, :3] @ axes[1])]


def _turn(T: Array) -> list[Any]:
    """Return the axis of a rotation times the sine of its angle."""
    return [(T[2, 1] - T[1, 2]) / 2.0, (T[0, 2] - T[2, 0]) / 2.0, (T[1, 0] - T[0, 1]) / 2.0]


def _tilt(axis: Array, T: Array) -> list[Any]:
    return [across @ (T[:3, :3] @ axis) for across in _across(axis)]


def _across(axis: Array) -> list[Array]:
    """Return two unit vectors across an axis, and across each other."""
    R = se3.rotation_between((0.0, 0.0, 1.0), np.asarray(axis, dtype=float))
    return [R[:, 0], R[:, 1]]
