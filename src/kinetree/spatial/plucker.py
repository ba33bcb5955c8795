"""Featherstone's 6-D vectors, angular part first (Rigid Body Dynamics Algorithms, ch. 2).

Only this package and `algorithms/dynamics.py` use this order; everything public is linear first.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kinetree.spatial.se3 import Array


def skew(v: Any) -> Array:
    """The matrix (3, 3) of the cross product: skew(v) w = v x w."""
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def motion_transform(T_BA: Array) -> Array:
    """X_BA (6, 6), which maps motion vectors in A coordinates to B coordinates (Featherstone, eq. 2.24).

    For T_BA = inverse(T_AB) it is his `X` from parent A to child B, the inverse sense of the pose T_AB.
    """
    R, p = T_BA[:3, :3], T_BA[:3, 3]
    return np.block([[R, np.zeros((3, 3))], [skew(p) @ R, R]])


def rigid_body_inertia(mass: float, com: Array, inertia: Array) -> Array:
    """I (6, 6) about the origin of the frame in which com (3,) and inertia (3, 3) about the com are given.

    Featherstone, eq. 2.63. Units kg, m, kg m².
    """
    C = skew(com)
    return np.block([[inertia + mass * C @ C.T, mass * C], [mass * C.T, mass * np.eye(3)]])
