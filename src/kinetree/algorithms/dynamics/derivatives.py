"""Derivatives of the dynamics, and the Coriolis matrix (Singh, Russell & Wensing, Efficient analytical derivatives of
rigid-body dynamics using spatial vector algebra, 2022), in the axes of the bodies.

A derivative by coordinate k of q is the one along q ⊕ h e_k: for joints with quaternions, along their velocity
coordinates.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from kinetree.algorithms.dynamics.inverse import External, forces, motions, rnea
from kinetree.algorithms.dynamics.joints import Joints, joints_at, passive_slopes
from kinetree.algorithms.dynamics.mass_matrix import composite_inertias, crba, solve
from kinetree.algorithms.dynamics.singles import single_joints
from kinetree.algorithms.dynamics.vectors import (
    Inertia,
    Way,
    crf,
    crm,
    momentum,
    rigid,
    to_body,
    to_parent,
    turned,
    vanishes,
)
from kinetree.algorithms.vectors import cross, dot
from kinetree.model.tree import Tree
from kinetree.spatial.plucker import skew
from kinetree.spatial.se3 import Array


class Coriolis(NamedTuple):
    """The Coriolis matrix [[B, 0], [-[l], 0]] of a body, in blocks (3, 3); l (3,) is its linear momentum. Sums, and the
    matrix in another frame, have the same form."""

    B: Array
    l: Array

    def __add__(self, other: Any) -> "Coriolis":
        return Coriolis(self.B + other.B, self.l + other.l)

    def times(self, m: Any) -> Array:
        """Return the product with motion vectors (6, k)."""
        return np.array([*(self.B @ m[:3]), *(-np.array(cross(self.l, m[:3])))])

    def transposed_times(self, m: Any) -> Array:
        """Return the product of the transposed matrix with motion vectors (6, k)."""
        return np.array([*(self.B.T @ m[:3] + cross(self.l, m[3:])), *np.zeros((3, m.shape[1]))])


class Rates(NamedTuple):
    """How the columns of S (6, nv_i) of a joint change, in its body's axes: with the motion of its parent, Ψ̇ and Ψ̈ of
    the paper, and with its own, dS/dt."""

    Pd: Array
    Pdd: Array
    Sd: Array


def inverse_dynamics_derivatives(
    tree: Tree, q: Any, qd: Any, qdd: Any, gravity: Any, external: External
) -> tuple[Array, Array]:
    """Return the derivatives (nv, nv) of the torques with respect to q and qd, with wrenches constant in the axes
    of their bodies."""
    tree, external = single_joints(tree, external)
    joints = joints_at(tree, q, qd)
    v, a = motions(tree, joints, qd, qdd, gravity)
    f = forces(tree, joints, v, a, external)
    rates, I, B = _rates(tree, joints, v, a), composite_inertias(tree, joints), _composite_coriolis(tree, joints, v)
    dq, dqd = passive_slopes(tree, q, qd)
    turned_forces = [crf(S, f[i]) for i, S in enumerate(joints.S)]
    dq = dq + _pairs(tree, joints, I, B, [2.0 * r.Pd for r in rates], [r.Pdd for r in rates], turned_forces)
    return dq, dqd + _pairs(tree, joints, I, B, [2.0 * S for S in joints.S], [r.Pd + r.Sd for r in rates])


def forward_dynamics_derivatives(
    tree: Tree, q: Any, qd: Any, tau: Any, gravity: Any, external: External
) -> tuple[Array, Array, Array]:
    """Return the derivatives (nv, nv) of qdd with respect to q, qd and tau: those of the torques at qdd, times -H⁻¹."""
    H = crba(tree, q)
    qdd = solve(H, tau - rnea(tree, q, qd, None, gravity, external))
    dq, dqd = inverse_dynamics_derivatives(tree, q, qd, qdd, gravity, external)
    answers = solve(H, np.hstack([-dq, -dqd, np.eye(tree.nv)]))
    by_q, by_qd, by_tau = np.split(answers, 3, axis=1)
    return by_q, by_qd, by_tau


def coriolis_matrix(tree: Tree, q: Any, qd: Any) -> Array:
    """Return C (nv, nv): C qd are the torques of velocities, and dH/dt - 2 C is skew-symmetric (Echeandia & Wensing,
    Numerical methods to compute the Coriolis matrix and Christoffel symbols for rigid-body systems, 2021)."""
    tree, _ = single_joints(tree, {})
    joints = joints_at(tree, q, qd)
    v, a = motions(tree, joints, qd, None, np.zeros(3))
    rates, I, B = _rates(tree, joints, v, a), composite_inertias(tree, joints), _composite_coriolis(tree, joints, v)
    C = _pairs(tree, joints, I, B, joints.S, [r.Sd for r in rates])
    for kind, passive, where in zip(tree.joint_type, tree.passive, tree.v_slice, strict=True):
        drift = np.array([kind.drift(qd[where], e) for e in np.eye(kind.nv)]).T
        C[where, where] = C[where, where] + passive.armature[:, None] * drift
    return C


def _rates(tree: Tree, joints: Joints, v: Sequence[Array], a: Sequence[Array]) -> list[Rates]:
    result = []
    for i, parent in enumerate(tree.parent):
        vp, ap, S = to_body(joints.way[i], v[parent]), to_body(joints.way[i], a[parent]), joints.S[i]
        Pd = crm(vp, S)
        # the body's velocity is its parent's and the joint's, which does not turn its own axis
        Sd = Pd if S.shape[1] == 1 else crm(v[i], S)
        result.append(Rates(Pd, crm(ap, S) + crm(vp, Pd), Sd))
    return result


def _pairs(
    tree: Tree,
    joints: Joints,
    inertia: Sequence[Inertia],
    coriolis: Sequence[Coriolis],
    x: Sequence[Array],
    y: Sequence[Array],
    more: Sequence[Array] | None = None,
) -> Array:
    """Return M (nv, nv) of which the block (i, j) is S_iᵀ (B x_j + I y_j), with B and I of all that the later of the
    two bodies carries. more: forces for each joint that are added for those before it."""
    M = np.full((tree.nv, tree.nv), 0.0, dtype=object)
    for i, here in enumerate(tree.v_slice):
        I, B, S = inertia[i], coriolis[i], joints.S[i]
        column = B.times(x[i]) + momentum(I, y[i])
        if more is not None:
            column = column + more[i]
        by_x, by_y = B.transposed_times(S), momentum(I, S)
        M[here, here] = M[here, here] + by_x.T @ x[i] + by_y.T @ y[i]
        j = i
        while tree.parent[j] >= 0:
            column, by_x, by_y = (to_parent(joints.way[j], f) for f in (column, by_x, by_y))
            j = tree.parent[j]
            there = tree.v_slice[j]
            M[there, here] = M[there, here] + joints.S[j].T @ column
            M[here, there] = M[here, there] + by_x.T @ x[j] + by_y.T @ y[j]
    return M


def _composite_coriolis(tree: Tree, joints: Joints, v: Sequence[Array]) -> list[Coriolis]:
    """Return the matrix of every body with all that it carries, in its own frame."""
    B = [_coriolis(rigid(I), v[i]) for i, I in enumerate(tree.inertia)]
    for i, parent in reversed(list(enumerate(tree.parent))):
        if parent >= 0:
            B[parent] = B[parent] + _coriolis_to_parent(joints.way[i], B[i])
    return B


def _coriolis(inertia: Inertia, v: Any) -> Coriolis:
    """Return the matrix of one body, half of (v x* I - I v x) m + m x* I v as a function of m. By the identity
    [w]I - I[w] - [I w] = 2 [w]I - tr(I) [w], its block is B = [w](I - ½ tr I) + u.h - u hᵀ, with v = (w, u)."""
    _, h, I = inertia
    w, u = v[:3], v[3:]
    turning = skew(w) @ (I - (0.5 * (I[0, 0] + I[1, 1] + I[2, 2])) * np.eye(3))
    return Coriolis(turning + dot(u, h) * np.eye(3) - np.outer(u, h), momentum(inertia, v)[3:])


def _coriolis_to_parent(way: Way, matrix: Coriolis) -> Coriolis:
    """Return Xupᵀ [[B, 0], [-[l], 0]] Xup."""
    B, l = matrix
    for R, p in reversed(way):
        B, l = turned(R, B, is_symmetric=False), R @ l
        if not vanishes(p):
            B = B - np.outer(l, p) + dot(p, l) * np.eye(3)
    return Coriolis(B, l)
