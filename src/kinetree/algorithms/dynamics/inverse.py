"""Inverse dynamics: the recursive Newton-Euler algorithm (Featherstone, Rigid Body Dynamics Algorithms, table 5.1)."""

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from kinetree.algorithms.dynamics.joints import Joints, joints_at, passive_torques
from kinetree.algorithms.dynamics.vectors import ZERO, crf, crm, momentum, rigid, to_body, to_parent
from kinetree.model.tree import Tree
from kinetree.spatial.se3 import Array

External = Mapping[int, Any]
"""Wrench (6,), moment first, on a body from outside, in its own axes about its own origin; by the body's number."""


def rnea(tree: Tree, q: Any, qd: Any, qdd: Any, gravity: Any, external: External, *, friction: bool = False) -> Array:
    """Return tau (nv,), with armature, damping and springs. gravity (3,): in the root's axes. qd, qdd: None at rest."""
    joints = joints_at(tree, q, qd)
    v, a = motions(tree, joints, qd, qdd, gravity)
    f = forces(tree, joints, v, a, external)
    tau = np.full(tree.nv, 0.0, dtype=object)
    for i, where in enumerate(tree.v_slice):
        inertial = 0.0 if qdd is None else tree.passive[i].armature * tree.rate(i, q) ** 2 * qdd[where]
        tau[where] = tau[where] + joints.S[i].T @ f[i] + inertial + passive_torques(tree, i, q, qd, friction=friction)
    return tau


def motions(
    tree: Tree, joints: Joints, qd: Any, qdd: Any, gravity: Any, base: tuple[Any, Any] = (ZERO, ZERO)
) -> tuple[list[Array], list[Array]]:
    """Return velocities v and accelerations a (6,) of the bodies, with the base's last, at index -1. Accelerations are
    relative to free fall: that of the base is -gravity. base: its own velocity and acceleration."""
    v, a = [ZERO] * len(tree.parent) + [base[0]], [ZERO] * len(tree.parent) + [base[1]]
    a[-1] = a[-1] - np.array([0.0, 0.0, 0.0, *gravity])
    for i, parent in enumerate(tree.parent):
        v[i], a[i] = to_body(joints.way[i], v[parent]), to_body(joints.way[i], a[parent])
        if qdd is not None:
            a[i] = a[i] + joints.S[i] @ qdd[tree.v_slice[i]]
        if qd is not None:
            vJ = joints.S[i] @ qd[tree.v_slice[i]]
            v[i] = v[i] + vJ
            a[i] = a[i] + joints.bias[i] + crm(v[i], vJ)
    return v, a


def forces(
    tree: Tree, joints: Joints, v: list[Array], a: list[Array], external: External, ends: Collection[int] = ()
) -> list[Array]:
    """Return the forces f (6,) that act through every joint on its body, and last the one that the base needs.
    ends: bodies whose f the parent does not feel."""
    f = []
    for i, I in enumerate([*map(rigid, tree.inertia), rigid(tree.base_inertia)]):
        f.append(momentum(I, a[i]) + crf(v[i], momentum(I, v[i])) - external.get(i, ZERO))
    for i, parent in reversed(list(enumerate(tree.parent))):
        if i not in ends:
            f[parent] = f[parent] + to_parent(joints.way[i], f[i])
    return f
