"""Wrenches (6,): force in N, then moment in N m about the origin of the frame in whose axes both are given. Written in
plain NumPy, so that it also runs on symbolic scalars."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinetree.spatial.plucker import skew
from kinetree.spatial.se3 import Array


def moved_wrench(T_AB: Array, w_B: Any) -> Array:
    """Return in A the wrench w_B given in B: the dual of the adjoint (Lynch & Park, Modern Robotics, eq. 3.98)."""
    R, p = T_AB[:3, :3], T_AB[:3, 3]
    f = R @ w_B[:3]
    return np.array([*f, *(R @ w_B[3:] + skew(p) @ f)])
