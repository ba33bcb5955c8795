"""Dynamics of robots with closed loops, in the coordinates x of their driven joints.

With the rates qd = K xd of all joints, their accelerations are qdd = K xdd + k, and the forces of the loops do no work:
Kᵀ (H qdd + C - tau) = 0 (Featherstone, Rigid Body Dynamics Algorithms, section 8.3). Those forces are Jᵀ y.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from kinetree.algorithms.dynamics.mass_matrix import crba, solve
from kinetree.algorithms.factors import Factors
from kinetree.algorithms.kinematics import loop_poses
from kinetree.algorithms.loops import Roles, changed, loop_jacobian, spread
from kinetree.model.tree import Tree
from kinetree.spatial.plucker import skew
from kinetree.spatial.se3 import Array


class Motion(NamedTuple):
    """Motion of all joints at a closed q for rates of the driven ones: qdd = K xdd + k. factors: of the loops'
    Jacobian. torques: function from qdd to H qdd + C."""

    tree: Tree
    roles: Roles
    q: Any
    factors: Factors
    K: Array
    qd: Array
    k: Array
    torques: Callable[[Any], Array]


def closed_motion(tree: Tree, roles: Roles, q: Any, xd: Any, rate: Any, torques: Any) -> Motion:
    """Return the motion at a closed q (nq,) for the rates xd (n,); NaN at a dead centre.

    rate: function from J and qd to dJ/dt. torques: function from qd and qdd to H qdd + C.
    """
    J, following = loop_jacobian(tree, q, roles.loops), list(roles.following)
    factors = Factors(J[:, following], strict=True)
    K = factors.rates(tree, roles, J)
    qd = K @ xd
    k = spread(tree.nv, following, [-x for x in factors.solve(rate(J, qd) @ qd)])
    return Motion(tree, roles, q, factors, K, qd, k, lambda qdd: torques(qd, qdd))


def closed_inverse(motion: Motion, xdd: Any) -> Array:
    """Return the torques (n,) of the driven joints."""
    return np.asarray(motion.K.T @ motion.torques(motion.K @ xdd + motion.k))


def closed_forward(motion: Motion, tau: Any) -> Array:
    """Return the accelerations xdd (n,) that torques tau (n,) of the driven joints cause."""
    K, H = motion.K, crba(motion.tree, motion.q)
    return solve(K.T @ (H @ K), tau - K.T @ motion.torques(motion.k))


def loop_wrenches(motion: Motion, xdd: Any) -> Array:
    """Return the wrench (k, 6) of each loop, force first: of its parent on its child, in the axes of the joint's frame
    in the parent, about its origin. Where the loops restrict some motion twice, y is the shortest of all that fit."""
    tau = motion.torques(motion.K @ xdd + motion.k)
    y = motion.factors.solve_transposed([tau[j] for j in motion.roles.following])
    found = []
    for loop in motion.roles.loops:
        T = loop_poses(motion.tree, motion.q, loop)[1]
        assert loop.kind.rows
        units = [changed(np.zeros((3, 3)), axis) for axis in np.eye(3)]
        units += [changed(skew(axis) @ T[:3, :3], skew(axis) @ T[:3, 3]) for axis in np.eye(3)]
        rows = [loop.kind.rows(loop.axes, unit) for unit in units]
        own, y = y[: len(rows[0])], y[len(rows[0]) :]
        found.append([sum((a * b for a, b in zip(row, own, strict=True)), 0.0) for row in rows])
    return np.array(found)
