"""Featherstone's 6-D vectors and inertias (Rigid Body Dynamics Algorithms, ch. 2).

Motion vectors (6,) are the angular velocity, then the velocity of the point at the frame's origin; inertias (6, 6) have
the same order. Only this module and `kinetree.algorithms.dynamics` have the angular part first. All other vectors of
Kinetree are linear first, and so are the wrenches of `moved_wrench`. m, rad, kg, N.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from kinetree.spatial.se3 import Array, inverse


def skew(v: Any) -> Array:
    """Return the matrix (3, 3) of the cross product with v (3,): skew(v) w = v x w.

    Examples:
        >>> from kinetree.spatial import plucker
        >>> plucker.skew([1, 2, 3]) @ [4, 5, 6]  # (1, 2, 3) x (4, 5, 6)
        array([-3.,  6., -3.])
    """
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def motion_transform(T_BA: Array) -> Array:
    """Return X_BA (…, 6, 6), which maps motion vectors in A coordinates to B coordinates, angular first, from T_BA
    (…, 4, 4).

    Featherstone, eq. 2.24. If A is the parent and B the child, it is his X from parent to child, opposite in direction
    to the pose T_AB of the child.

    Examples:
        >>> from kinetree.spatial import plucker, se3
        >>> X_BA = plucker.motion_transform(se3.translation([0.5, 0, 0]))  # A is 0.5 m along the x of B
        >>> X_BA @ [0, 0, 1, 0, 0, 0] + 0.0  # 1 rad/s about the z of A: what is at the origin of B moves along -y
        array([ 0. ,  0. ,  1. ,  0. , -0.5,  0. ])
    """
    R, p = T_BA[..., :3, :3], T_BA[..., :3, 3]
    return np.block([[R, np.zeros(R.shape)], [np.cross(p[..., None], R, axis=-2), R]])


def rigid_body_inertia(mass: float, com: Array, inertia: Array) -> Array:
    """Return the inertia I (6, 6) of a body about the origin of a frame, angular first; kg, kg m, kg m².

    mass: kg. com (3,): centre of mass in the frame, m. inertia (3, 3): about the centre of mass, in the frame's axes,
    kg m². Featherstone, eq. 2.63.

    Examples:
        >>> import numpy as np
        >>> from kinetree.spatial import plucker
        >>> I = plucker.rigid_body_inertia(2, [0.5, 0, 0], 0.1 * np.eye(3))
        >>> I.diagonal().round(6)  # 0.1 kg m², and m r² = 0.5 kg m² about y and z; then the mass
        array([0.1, 0.6, 0.6, 2. , 2. , 2. ])
    """
    C = skew(com)
    return np.block([[inertia + mass * C @ C.T, mass * C], [mass * C.T, mass * np.eye(3)]])


def moved_inertia(I_B: Array, T_AB: Array) -> Array:
    """Return I_A (6, 6), the inertia in frame A of a body whose inertia in frame B is I_B (Featherstone, eq. 2.66).

    Examples:
        >>> import numpy as np
        >>> from kinetree.spatial import plucker, se3
        >>> I_B = plucker.rigid_body_inertia(2, [0, 0, 0], 0.1 * np.eye(3))
        >>> I_A = plucker.moved_inertia(I_B, se3.translation([0.5, 0, 0]))
        >>> I_A.diagonal().round(6)  # 0.1 kg m², and m r² = 0.5 kg m² about y and z; then the mass
        array([0.1, 0.6, 0.6, 2. , 2. , 2. ])
    """
    X_BA = motion_transform(inverse(T_AB))
    return np.asarray(X_BA.T @ I_B @ X_BA)


def about_com(I: Array) -> tuple[float, Array, Array]:
    """Return mass, centre of mass (3,) and inertia (3, 3) about it of I (6, 6): the inverse of `rigid_body_inertia`.

    For zero mass the centre is the origin.

    Examples:
        >>> import numpy as np
        >>> from kinetree.spatial import plucker
        >>> I = plucker.rigid_body_inertia(2, [0.5, 0, 0], 0.1 * np.eye(3))
        >>> mass, com, inertia = plucker.about_com(I)
        >>> mass, com, inertia.diagonal().round(6)
        (2.0, array([0.5, 0. , 0. ]), array([0.1, 0.1, 0.1]))
    """
    mass, H = float(I[5, 5]), I[:3, 3:]
    com = np.array([H[2, 1], H[0, 2], H[1, 0]]) / (mass or 1.0)
    return mass, com, I[:3, :3] - (H @ H.T / mass if mass else 0.0)


def combined(bodies: Sequence[tuple[float, Array, Array]]) -> tuple[float, Array, Array]:
    """Return mass, centre of mass (3,) and inertia (3, 3) about it of several bodies together, in one frame.

    bodies: mass, centre of mass (3,) and inertia (3, 3) about it of each. The result is `about_com` of the sum of their
    `rigid_body_inertia`, but keeps the digits which that sum loses if the common centre is far from the origin. For a
    total mass of zero the centre is the origin.

    Examples:
        >>> import numpy as np
        >>> from kinetree.spatial import plucker
        >>> point = np.zeros((3, 3))
        >>> two = [(1.0, np.array([0, 0, 0]), point), (1.0, np.array([1, 0, 0]), point)]
        >>> mass, com, inertia = plucker.combined(two)
        >>> mass, com, inertia.diagonal()  # two points of 1 kg, each 0.5 m from the common centre
        (2.0, array([0.5, 0. , 0. ]), array([0. , 0.5, 0.5]))
    """
    mass = sum(m for m, _, _ in bodies)
    com = sum((m * c for m, c, _ in bodies), np.zeros(3)) / (mass or 1.0)
    inertia = sum((J + m * skew(c - com) @ skew(c - com).T for m, c, J in bodies), np.zeros((3, 3)))
    return mass, np.asarray(com), np.asarray(inertia)


def moved_wrench(T_AB: Array, w_B: Any) -> Array:
    """Return the wrench w_A (6,) in A that is w_B (6,) in B, both force first, then the moment about the origin.

    The dual of the adjoint (Lynch & Park, Modern Robotics, eq. 3.98), with force and moment exchanged.

    Examples:
        >>> from kinetree.spatial import plucker, se3
        >>> T_AB = se3.translation([0.5, 0, 0])
        >>> plucker.moved_wrench(T_AB, [0, 10, 0, 0, 0, 0]) + 0.0  # 10 N along y at 0.5 m: 5 N m about the z of A
        array([ 0., 10.,  0.,  0.,  0.,  5.])
    """
    R, p = T_AB[:3, :3], T_AB[:3, 3]
    f = R @ w_B[:3]
    return np.array([*f, *(R @ w_B[3:] + skew(p) @ f)])
