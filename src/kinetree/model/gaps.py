"""How far a pose T (4, 4) of a joint's frame after its motion is from those that the joint's type can reach: (distance
in m, angle in rad), from its axes (k, 3), pitch in metres per radian and T."""

from typing import Any

import numpy as np

from kinetree.spatial import se3
from kinetree.spatial.se3 import Array


def length(v: Any) -> Any:
    """Return the length of a vector (3,)."""
    return np.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])


def turned(R: Any) -> Any:
    """Return the angle of a rotation, exact near 0 and near a half turn."""
    sine = length((R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]))
    return np.arctan2(sine, R[0, 0] + R[1, 1] + R[2, 2] - 1.0)


def cross(u: Any, v: Any) -> tuple[Any, Any, Any]:
    """Return u x v."""
    return u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]


def between(u: Any, v: Any) -> Any:
    """Return the angle between two unit vectors, exact near 0 and near a half turn."""
    return np.arctan2(length(cross(u, v)), u[0] * v[0] + u[1] * v[1] + u[2] * v[2])


def hinge_gap(axes: Array, pitch: float, T: Array) -> tuple[Any, Any]:
    """Return the distance of the centres, and the angle between the axes."""
    return length(T[:3, 3]), between(axes[0], T[:3, :3] @ axes[0])


def slide_gap(axes: Array, pitch: float, T: Array) -> tuple[Any, Any]:
    """Return the distance across the axis, and the angle of the turn."""
    p = T[:3, 3]
    return length(p - axes[0] * (axes[0] @ p)), turned(T[:3, :3])


def screw_gap(axes: Array, pitch: float, T: Array) -> tuple[Any, Any]:
    """Return the distance across the axis and along it, from the nearest turn of the thread."""
    if not pitch:
        return hinge_gap(axes, pitch, T)
    p, R = T[:3, 3], T[:3, :3]
    along = axes[0] @ p
    x = se3.rotation_between((0.0, 0.0, 1.0), axes[0])[:, 0]
    turned, y = R @ x, np.cross(axes[0], x)
    angle = along / pitch - np.arctan2(y @ turned, x @ turned)
    behind = pitch * np.arctan2(np.sin(angle), np.cos(angle))
    across = p - axes[0] * along
    return np.sqrt(across @ across + behind * behind), between(axes[0], R @ axes[0])


def planar_gap(axes: Array, pitch: float, T: Array) -> tuple[Any, Any]:
    """Return the distance from the plane, and the angle between the normals."""
    return np.abs(axes[0] @ T[:3, 3]), between(axes[0], T[:3, :3] @ axes[0])


def universal_gap(axes: Array, pitch: float, T: Array) -> tuple[Any, Any]:
    """Return the distance of the centres, and the change of the angle between the two axes."""
    now, drawn = between(axes[0], T[:3, :3] @ axes[1]), between(axes[0], axes[1])
    return length(T[:3, 3]), np.abs(now - drawn)
