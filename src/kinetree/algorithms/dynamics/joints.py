"""Joints of a tree at one configuration: what all algorithms of dynamics need of them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetree.algorithms.dynamics.vectors import Way
from kinetree.model.tree import Tree
from kinetree.spatial.se3 import Array


@dataclass(frozen=True, slots=True)
class Joints:
    """way[i]: the poses from the parent of body i to it. S[i] (6, nv_i): its motion subspace in its axes, for the rates
    of its coordinates in qd; bias[i] (6,), the book's cJ: (dS/dt) qd, or zeros."""

    way: list[Way]
    S: list[Array]
    bias: list[Array]


def joints_at(tree: Tree, q: Any, qd: Any = None) -> Joints:
    """Return the joints at q (nq,) and qd (nv,), or at rest."""
    way: list[Way] = []
    S, bias = [], []
    for i, kind in enumerate(tree.joint_type):
        poses = (tree.T_tree[i], tree.motion(i, q))
        way.append([(T[:3, :3], T[:3, 3]) for T in poses])
        S.append(tree.motion_subspace(i, q) * tree.rate(i, q))
        rates = None if qd is None else qd[tree.v_slice[i]] * tree.rate(i, q)
        at = tree.coordinates(i, q)
        bias.append(np.zeros(6) if rates is None else kind.bias(tree.axes[i], tree.pitch[i], at, rates))
        if tree.higher[i] and qd is not None:
            bias[i] = bias[i] + tree.motion_subspace(i, q) @ (tree.bend(i, q) * qd[tree.v_slice[i]] ** 2)
    return Joints(way, S, bias)


def passive_torques(tree: Tree, i: int, q: Any, qd: Any, *, friction: bool = False) -> Array:
    """Return the torques (nv_i,), along its coordinates in qd, that joint i needs without acceleration: against damping
    and springs, against Coulomb friction if `friction`, and for armature where the axes of velocities turn. qd: None at
    rest."""
    kind, m = tree.joint_type[i], tree.rate(i, q)
    d = tree.passive[i]
    tau = np.zeros(kind.nv)
    if d.stiffness.any():
        tau = tau + d.stiffness * kind.stretch(d.reference, tree.coordinates(i, q))
    if qd is not None:
        rate = qd[tree.v_slice[i]] * m
        tau = tau + d.damping * rate + d.armature * kind.drift(rate, rate)
        if tree.higher[i]:
            tau = tau + d.armature * tree.bend(i, q) * qd[tree.v_slice[i]] ** 2
        if friction:
            tau = tau + d.friction * np.array([np.where(x > 0.0, 1.0, np.where(x < 0.0, -1.0, 0.0 * x)) for x in rate])
    return np.asarray(tau * m)


def passive_slopes(tree: Tree, q: Any, qd: Any) -> tuple[Array, Array]:
    """Return the derivatives (nv, nv) of `passive_torques`, without friction, with respect to q and qd."""
    by_q, by_qd = np.full((2, tree.nv, tree.nv), 0.0, dtype=object)
    for i, where in enumerate(tree.v_slice):
        kind, d, m = tree.joint_type[i], tree.passive[i], tree.multiplier[i]
        rate = qd[where] * m
        drift = np.array([kind.drift(rate, e) + kind.drift(e, rate) for e in np.eye(kind.nv)]).T
        by_qd[where, where] = by_qd[where, where] + np.diag(d.damping * m**2) + d.armature[:, None] * drift
        if d.stiffness.any():
            slope = kind.slope(d.reference, tree.coordinates(i, q))
            by_q[where, where] = by_q[where, where] + (d.stiffness * m**2)[:, None] * slope
    return by_q, by_qd
