"""Dynamics of robots with closed loops, in the coordinates x of their driven joints.

With the rates qd = K xd of all joints, their accelerations are qdd = K xdd + k, and the forces of the loops do no work:
Kᵀ (H qdd + C - tau) = 0 (Featherstone, Rigid Body Dynamics Algorithms, section 8.3). Those forces are Jᵀ y.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from kinetree.algorithms.closing import Factors, Roles, changed, loop_jacobian, spread
from kinetree.algorithms.dynamics.inverse import External, rnea
from kinetree.algorithms.dynamics.mass_matrix import crba, solve
from kinetree.algorithms.kinematics import loop_poses
from kinetree.model.tree import Tree
from kinetree.spatial.plucker import skew
from kinetree.spatial.se3 import Array

Rate = Callable[[Tree, Any, Any, Any], Any]
"""(tree, J (m, nv), q, qd) to the rate of J, which depends on q alone."""


class Motion(NamedTuple):
    """Motion of all joints for rates of the driven ones: qdd = K xdd + k. factors: of the loops' Jacobian."""

    factors: Factors
    K: Array
    qd: Array
    k: Array


def closed_motion(tree: Tree, roles: Roles, q: Any, xd: Any, rate: Rate) -> Motion:
    """Return the motion at a closed q (nq,) for the rates xd (n,); NaN at a dead centre."""
    J, following = loop_jacobian(tree, q, roles.loops), list(roles.following)
    factors = Factors(J[:, following], strict=True)
    K = factors.rates(tree, roles, J)
    qd = K @ xd
    gained = rate(tree, J, q, qd) @ qd
    return Motion(factors, K, qd, spread(tree.nv, following, [-x for x in factors.solve(gained)]))


def closed_inverse(
    tree: Tree, roles: Roles, q: Any, xd: Any, xdd: Any, gravity: Any, external: External, rate: Rate, friction: bool
) -> Array:
    """Return the torques (n,) of the driven joints."""
    moved = closed_motion(tree, roles, q, xd, rate)
    tau = rnea(tree, q, moved.qd, moved.K @ xdd + moved.k, gravity, external, friction=friction)
    return np.asarray(moved.K.T @ tau)


def closed_forward(
    tree: Tree, roles: Roles, q: Any, xd: Any, tau: Any, gravity: Any, external: External, rate: Rate, friction: bool
) -> Array:
    """Return the accelerations xdd (n,) that torques tau (n,) of the driven joints cause."""
    moved = closed_motion(tree, roles, q, xd, rate)
    K = moved.K
    others = K.T @ rnea(tree, q, moved.qd, moved.k, gravity, external, friction=friction)
    return solve(K.T @ (crba(tree, q) @ K), tau - others)


def loop_wrenches(
    tree: Tree, roles: Roles, q: Any, xd: Any, xdd: Any, gravity: Any, external: External, rate: Rate, friction: bool
) -> Array:
    """Return the wrench (k, 6) of each loop, force first: of its parent on its child, in the axes of the joint's frame
    in the parent, about its origin. Where the loops restrict some motion twice, y is the shortest of all that fit."""
    moved = closed_motion(tree, roles, q, xd, rate)
    tau = rnea(tree, q, moved.qd, moved.K @ xdd + moved.k, gravity, external, friction=friction)
    y = moved.factors.solve_transposed([tau[j] for j in roles.following])
    found = []
    for loop in roles.loops:
        T = loop_poses(tree, q, loop)[1]
        assert loop.kind.rows
        units = [changed(np.zeros((3, 3)), axis) for axis in np.eye(3)]
        units += [changed(skew(axis) @ T[:3, :3], skew(axis) @ T[:3, 3]) for axis in np.eye(3)]
        rows = [loop.kind.rows(loop.axes, unit) for unit in units]
        own, y = y[: len(rows[0])], y[len(rows[0]) :]
        found.append([sum((a * b for a, b in zip(row, own, strict=True)), 0.0) for row in rows])
    return np.array(found)
