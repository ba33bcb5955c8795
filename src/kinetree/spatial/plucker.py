"""Featherstone's 6-D vectors, angular part first (Rigid Body Dynamics Algorithms, ch. 2). Only this package and
`algorithms/dynamics.py` use this order; all public vectors are linear first."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from kinetree.spatial.se3 import Array, inverse


def skew(v: Any) -> Array:
    """Return the matrix (3, 3) of the cross product: skew(v) w = v x w."""
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def motion_transform(T_BA: Array) -> Array:
    """Return X_BA (6, 6), which maps motion vectors in A coordinates to B coordinates (Featherstone, eq. 2.24). For
    T_BA = inverse(T_AB) it is Featherstone's `X` from parent A to child B, opposite in direction to the pose T_AB."""
    R, p = T_BA[:3, :3], T_BA[:3, 3]
    return np.block([[R, np.zeros((3, 3))], [skew(p) @ R, R]])


def rigid_body_inertia(mass: float, com: Array, inertia: Array) -> Array:
    """Return I (6, 6), kg, kg m, kg m², about the frame's origin, from com (3,) and inertia (3, 3) about the com, both
    in that frame (Featherstone, eq. 2.63)."""
    C = skew(com)
    I = np.empty((6, 6))
    I[:3, :3], I[:3, 3:] = inertia + mass * C @ C.T, mass * C
    I[3:, :3], I[3:, 3:] = mass * C.T, mass * np.eye(3)
    return I


def moved_inertia(I_B: Array, T_AB: Array) -> Array:
    """Return I_A (6, 6) in frame A of the body whose inertia in frame B is I_B (Featherstone, eq. 2.66)."""
    X_BA = motion_transform(inverse(T_AB))
    return np.asarray(X_BA.T @ I_B @ X_BA)


def about_com(I: Array) -> tuple[float, Array, Array]:
    """Return mass, centre of mass (3,) and inertia about it (3, 3) of I (6, 6): the inverse of Featherstone, eq. 2.63.
    For zero mass the centre is the origin."""
    mass, H = float(I[5, 5]), I[:3, 3:]
    com = np.array([H[2, 1], H[0, 2], H[1, 0]]) / (mass or 1.0)
    return mass, com, I[:3, :3] - (H @ H.T / mass if mass else 0.0)


def combined(bodies: Sequence[tuple[float, Array, Array]]) -> tuple[float, Array, Array]:
    """Return mass, centre of mass (3,) and inertia about it (3, 3) of several bodies, each given so, in one frame.

    Equal to `about_com` of the sum of their `rigid_body_inertia`, but keeps the digits which that sum loses if the
    common centre is far from the origin. For a total mass of zero the centre is the origin.
    """
    mass = sum(m for m, _, _ in bodies)
    com = sum((m * c for m, c, _ in bodies), np.zeros(3)) / (mass or 1.0)
    inertia = sum((J + m * skew(c - com) @ skew(c - com).T for m, c, J in bodies), np.zeros((3, 3)))
    return mass, np.asarray(com), np.asarray(inertia)


def moved_wrench(T_AB: Array, w_B: Any) -> Array:
    """Return in A the wrench w_B given in B: the dual of the adjoint (Lynch & Park, Modern Robotics, eq. 3.98)."""
    R, p = T_AB[:3, :3], T_AB[:3, 3]
    f = R @ w_B[:3]
    return np.array([*f, *(R @ w_B[3:] + skew(p) @ f)])
