"""Forward dynamics: the articulated-body algorithm (Featherstone, Rigid Body Dynamics Algorithms, table 7.1)."""

from typing import Any

import numpy as np

from kinetree.algorithms.dynamics.inverse import External, rnea
from kinetree.algorithms.dynamics.joints import joints_at, passive_torques
from kinetree.algorithms.dynamics.mass_matrix import crba, solve
from kinetree.algorithms.dynamics.vectors import (
    ZERO,
    articulated,
    articulated_to_parent,
    crf,
    crm,
    force,
    free_axis,
    momentum,
    rigid,
    to_body,
    to_parent,
    without_joint,
)
from kinetree.model.tree import Tree
from kinetree.spatial.se3 import Array


def forward_dynamics(
    tree: Tree, q: Any, qd: Any, tau: Any, gravity: Any, external: External, *, friction: bool = False
) -> Array:
    """Return qdd (nv,). Followers tie joints of several bodies together, which the articulated-body algorithm cannot
    express; then H qdd = tau - C is solved (section 6.1)."""
    if not tree.has_followers:
        return aba(tree, q, qd, tau, gravity, external, friction=friction)
    return solve(crba(tree, q), tau - rnea(tree, q, qd, None, gravity, external, friction=friction))


def aba(tree: Tree, q: Any, qd: Any, tau: Any, gravity: Any, external: External, *, friction: bool = False) -> Array:
    """Return qdd (nv,) without followers. A joint of several coordinates is taken as a row of joints of one, between
    which there are bodies without mass."""
    n, nv = len(tree.parent), tree.nv
    joints = joints_at(tree, q, qd)
    v, c, pA = [ZERO] * (n + 1), [ZERO] * n, [ZERO] * (n + 1)
    IA = [articulated(rigid(I)) for I in tree.inertia]
    for i, parent in enumerate(tree.parent):
        vJ = joints.S[i] @ qd[tree.v_slice[i]]
        v[i] = to_body(joints.way[i], v[parent]) + vJ
        c[i] = joints.bias[i] + crm(v[i], vJ)
        pA[i] = crf(v[i], momentum(rigid(tree.inertia[i]), v[i])) - external.get(i, ZERO)
    U, D_inverse, u = [ZERO] * nv, [0.0] * nv, [0.0] * nv
    for i, parent in reversed(list(enumerate(tree.parent))):
        where, Ia, pa = tree.v_slice[i], IA[i], pA[i]
        opposed = passive_torques(tree, i, q, qd, friction=friction)
        for k in reversed(range(tree.joint_type[i].nv)):
            j, S = where.start + k, joints.S[i][:, k]
            U[j] = force(Ia, S)
            D_inverse[j] = 1.0 / (S @ U[j] + tree.passive[i].armature[k])
            u[j] = tau[j] - opposed[k] - S @ pa
            W = U[j] * D_inverse[j]
            Ia, pa = without_joint(Ia, U[j], W, free_axis(S, tree.passive[i].armature[k])), pa + W * u[j]
        if parent >= 0:
            IA[parent] = IA[parent] + articulated_to_parent(joints.way[i], Ia)
            pA[parent] = pA[parent] + to_parent(joints.way[i], pa + force(Ia, c[i]))
    a, qdd = [ZERO] * n + [-np.array([0.0, 0.0, 0.0, *gravity])], [0.0] * nv
    for i, parent in enumerate(tree.parent):
        a[i] = to_body(joints.way[i], a[parent]) + c[i]
        for k, S in enumerate(joints.S[i].T):
            j = tree.v_slice[i].start + k
            qdd[j] = (u[j] - U[j] @ a[i]) * D_inverse[j]
            a[i] = a[i] + S * qdd[j]
    return np.array(qdd)
