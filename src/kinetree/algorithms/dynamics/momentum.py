"""Mass, momentum and energy of the whole robot (Orin, Goswami & Lee, Centroidal dynamics of a humanoid robot, 2013)."""

from typing import Any

import numpy as np

from kinetree.algorithms.dynamics.inverse import motions
from kinetree.algorithms.dynamics.joints import joints_at
from kinetree.algorithms.dynamics.mass_matrix import composite_inertias
from kinetree.algorithms.dynamics.vectors import momentum, rigid, to_parent
from kinetree.algorithms.kinematics import body_poses, walk
from kinetree.algorithms.vectors import cross, dot
from kinetree.model.tree import Tree
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array


def center_of_mass(tree: Tree, q: Any) -> Array:
    """Return the centre of mass (3,) of all links, in the root link's frame."""
    whole = composite_inertias(tree, joints_at(tree, q))[-1]
    return np.asarray(whole.h / whole.mass)


def mass_center(tree: Tree, q: Any) -> tuple[Array, list[tuple[int, int, Array, Array]]]:
    """Return the centre of mass (3,) of all links in the root's axes; and each coordinate of qd with a body that it
    moves, the velocity of the centre, and the angular velocity. A body carries others as a point mass at their centre.
    """
    inertias = [rigid(I) for I in (*tree.inertia, tree.base_inertia)]
    T = {-1: se3.IDENTITY}
    walk(tree, q, [], [*range(len(tree.parent))], T)
    poses = [T[i] for i in (*range(len(tree.parent)), -1)]
    masses = [I.mass for I in inertias]
    h = [T[:3, :3] @ I.h + I.mass * T[:3, 3] for T, I in zip(poses, inertias, strict=True)]
    for i in reversed(range(len(tree.parent))):
        masses[tree.parent[i]] = masses[tree.parent[i]] + masses[i]
        h[tree.parent[i]] = h[tree.parent[i]] + h[i]
    whole = masses[-1]
    found = []
    for i, where in enumerate(tree.v_slice):
        R, p = poses[i][:3, :3], poses[i][:3, 3]
        lever, share = (h[i] - masses[i] * p) / whole, masses[i] / whole
        S = tree.motion_subspace(i, q) * tree.rate(i, q)
        for j, s in zip(range(where.start, where.stop), S.T, strict=True):
            w = R @ s[:3]
            found.append((j, i, np.array(cross(w, lever)) + share * (R @ s[3:]), w))
    return h[-1] / whole, found


def centroidal_momentum_matrix(tree: Tree, q: Any) -> Array:
    """Return A (6, nv): linear, then angular momentum about the centre of mass, in the root's axes, is A qd."""
    joints = joints_at(tree, q)
    Ic, poses = composite_inertias(tree, joints), body_poses(tree, q)
    c = Ic[-1].h / Ic[-1].mass
    columns = [np.zeros(6)] * tree.nv
    for i, where in enumerate(tree.v_slice):
        R, p = poses[i][:3, :3], poses[i][:3, 3] - c
        for j, S in zip(range(where.start, where.stop), joints.S[i].T, strict=True):
            h = to_parent([(R, p)], momentum(Ic[i], S))
            columns[j] = columns[j] + np.array([*h[3:], *h[:3]])
    return np.array(columns).reshape(tree.nv, 6).T


def center_of_mass_jacobian(tree: Tree, q: Any) -> Array:
    """Return J (3, nv): the velocity of the centre of mass, in the root's axes, is J qd."""
    columns = [np.zeros(3)] * tree.nv
    for j, _, v, _ in mass_center(tree, q)[1]:
        columns[j] = columns[j] + v
    return np.array(columns).reshape(tree.nv, 3).T


def energy(tree: Tree, q: Any, qd: Any, gravity: Any) -> Array:
    """Return kinetic and potential energy (2,). Armature is part of the first, springs are part of the second; weight
    has no potential energy at the root's origin."""
    joints = joints_at(tree, q, qd)
    v, _ = motions(tree, joints, qd, None, gravity)
    kinetic = sum((dot(v[i], momentum(rigid(I), v[i])) for i, I in enumerate(tree.inertia)), 0.0)
    potential = -dot(gravity, composite_inertias(tree, joints)[-1].h)
    for i, passive in enumerate(tree.passive):
        rates = qd[tree.v_slice[i]] * tree.rate(i, q)
        kinetic = kinetic + dot(passive.armature, rates * rates)
        if passive.stiffness.any():
            away = tree.joint_type[i].stretch(passive.reference, tree.coordinates(i, q))
            potential = potential + 0.5 * dot(passive.stiffness, np.array(away) * away)
    return np.array([0.5 * kinetic, potential])
