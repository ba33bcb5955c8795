"""What sensors feel, and the contacts that their readings reveal (Featherstone, Rigid Body Dynamics Algorithms, ch. 5;
Fumagalli et al., Force feedback exploiting tactile and proximal force/torque sensing, 2012). 6-D vectors are
angular first here."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from kinetree.algorithms.dynamics.inverse import External, forces, motions
from kinetree.algorithms.dynamics.joints import joints_at, passive_torques
from kinetree.algorithms.dynamics.vectors import ZERO, to_body, to_parent
from kinetree.algorithms.vectors import cross
from kinetree.model.tree import Tree
from kinetree.spatial.se3 import Array

Base = tuple[Any, Any]
"""Velocity and acceleration (6,) of the root link, in its axes."""
AT_REST = (ZERO, ZERO)


def felt_motion(
    tree: Tree, q: Any, qd: Any, qdd: Any, gravity: Any, at: tuple[int, Array], base: Base = AT_REST
) -> Array:
    """Return angular velocity and proper acceleration (6,) of a place (body, pose on it), in its axes."""
    v, a = motions(tree, joints_at(tree, q, qd), qd, qdd, gravity, base)
    body, T = at
    way = [(T[:3, :3], T[:3, 3])]
    v_here, a_here = to_body(way, v[body]), to_body(way, a[body])
    omega = v_here[:3]
    return np.array([*omega, *(a_here[3:] + cross(omega, v_here[3:]))])  # spatial to classical (eq. 2.48)


def joint_wrench(tree: Tree, q: Any, qd: Any, qdd: Any, gravity: Any, external: External, i: int) -> Array:
    """Return the wrench (6,) on body i through its joint, in the axes of the body. qd, qdd: None at rest."""
    joints = joints_at(tree, q, qd)
    return forces(tree, joints, *motions(tree, joints, qd, qdd, gravity), external)[i]


def missing_wrenches(
    tree: Tree, q: Any, qd: Any, qdd: Any, gravity: Any, felt: Mapping[int, Array], base: Base = AT_REST
) -> list[Array]:
    """Return the wrench (6,) from outside on each submodel, at the index of its first body, in that body's axes.

    felt: wrench on a body through its joint, as a sensor felt it. Submodels begin at these bodies, at floating ones and
    at the base, whose index is -1.
    """
    joints, known = joints_at(tree, q, qd), dict(felt)
    for i, kind in enumerate(tree.joint_type):
        if kind.nv == 6 and i not in felt:  # damping, springs and armature; the columns of S are orthonormal
            tau = tree.passive[i].armature * qdd[tree.v_slice[i]] + passive_torques(tree, i, q, qd)
            known[i] = -joints.S[i] @ tau
    external = dict.fromkeys(range(len(tree.parent) + 1), ZERO)
    for i, f in known.items():
        parent = tree.parent[i] % (len(tree.parent) + 1)
        external[i] = external[i] + f
        external[parent] = external[parent] - to_parent(joints.way[i], f)
    return forces(tree, joints, *motions(tree, joints, qd, qdd, gravity, base), external, known)
