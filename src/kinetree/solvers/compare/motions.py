"""Comparison of the motions of two joints."""

import numpy as np

from kinetree.model.tree import Tree
from kinetree.spatial import Array, se3

Joint = tuple[Tree, int]
"""A tree and the number of one of its joints."""


def alike(a: Joint, b: Joint) -> bool:
    """Return whether two joints are of types that move in the same way."""
    return a[0].joint_type[a[1]].moves_like(b[0].joint_type[b[1]])


def motion_error(a: Joint, b: Joint, T_ab: Array, sign: float = 1.0, offset: float = 0.0) -> tuple[float, Array]:
    """Return how much two motions differ beyond a constant, in m or entries of a rotation, and that constant (4, 4).

    T_ab (4, 4) is between the bodies that carry the joints; q_b = sign * q_a + offset. The error is infinite for joints
    of types that do not move alike.
    """
    if not alike(a, b):
        return np.inf, se3.IDENTITY
    between = [
        se3.inverse(_moved(a, q)) @ T_ab @ _moved(b, sign * q + offset) for q in samples(a[0].joint_type[a[1]].neutral)
    ]
    return max(float(np.abs(T - between[0]).max()) for T in between), between[0]


def closest_motion(a: Joint, b: Joint, T_ab: Array, tolerance: float) -> tuple[float, Array, float]:
    """Return (error, constant, sign) for the sign with the smaller error; sign 1 if both are within tolerance."""
    signs = (1.0, -1.0) if a[0].joint_type[a[1]].single else (1.0,)
    tries = [(*motion_error(a, b, T_ab, sign), sign) for sign in signs]
    return min(tries, key=lambda found: found[0] if found[0] > tolerance else 0.0)


def moved_onto(a: Joint, b: Joint, T_ab: Array, sign: float) -> Array:
    """Return T_ab (4, 4) of the carried bodies, after moving joint b the shortest way onto joint a."""
    (tree_a, i), (tree_b, j) = a, b
    T = se3.inverse(tree_a.T_tree[i]) @ T_ab @ tree_b.T_tree[j]
    p, axes_a, axes_b = T[:3, 3], tree_a.axes[i], tree_b.axes[j]
    if not (len(axes_a) and len(axes_b)):
        return se3.homogeneous(T[:3, :3], np.zeros(3))
    R = se3.rotation_between(sign * T[:3, :3] @ axes_b[0], axes_a[0]) @ T[:3, :3]
    return se3.homogeneous(R, axes_a[0] * (axes_a[0] @ p) if tree_a.joint_type[i].turns else p)


def axes_apart(a: Joint, b: Joint, T_ab: Array, sign: float) -> float:
    """Return the distance of the axes of two joints, rad plus m, for T_ab (4, 4) between the bodies that they carry."""
    (tree_a, i), (tree_b, j) = a, b
    if not (len(tree_a.axes[i]) and len(tree_b.axes[j])):
        return 0.0
    u, v = tree_a.axes[i][0], sign * T_ab[:3, :3] @ tree_b.axes[j][0]
    tilt = float(np.arctan2(np.linalg.norm(np.cross(u, v)), u @ v))
    return tilt + (float(np.linalg.norm(np.cross(u, T_ab[:3, 3]))) if tree_a.joint_type[i].turns else 0.0)


def apart(T_a: Array, T_b: Array) -> tuple[float, float]:
    """Return the distance (m, rad) between two poses (4, 4)."""
    half = float(np.linalg.norm(T_a[:3, :3] - T_b[:3, :3])) / np.sqrt(8.0)  # sin(angle / 2)
    return float(np.linalg.norm(T_a[:3, 3] - T_b[:3, 3])), 2.0 * float(np.arcsin(min(half, 1.0)))


def _moved(joint: Joint, q: Array) -> Array:
    """Return T (4, 4) of the carried body in the body that carries the joint, for the joint's own numbers q."""
    tree, i = joint
    return np.asarray(tree.T_tree[i] @ tree.joint_type[i].transform(tree.axes[i], tree.pitch[i], q))


def samples(neutral: tuple[float, ...]) -> list[Array]:
    """Return the neutral configuration of a joint and two others; quaternions may have any length."""
    zero = np.array(neutral)
    waves = np.arange(1.0, len(neutral) + 1)
    return [zero, zero + 0.9 * np.sin(waves), zero - 0.7 * np.cos(2 * waves) - 0.9]
