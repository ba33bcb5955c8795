"""Rigid motions that bring joint axes of one robot onto those of another."""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2

import numpy as np

from kinetree.model.tree import Tree
from kinetree.spatial import plucker, se3
from kinetree.spatial.se3 import Array

Line = tuple[Array, Array | None]
"""A direction (3,), and a point (3,) for a joint that turns or None for one that slides."""


def line(tree: Tree, i: int, T: Array) -> Line:
    """Return the axis of joint i in a frame in which T (4, 4) is the pose of its body."""
    return T[:3, :3] @ tree.axes[i][0], T[:3, 3] if tree.joint_type[i].turns else None


def fit(lines_a: Sequence[Line], lines_b: Sequence[Line], points: Sequence[tuple[Array, Array]] = ()) -> Array:
    """Return T_ab (4, 4) that brings the lines b closest to the lines a, and points (in a, in b) close to each other.

    The rotation is Kabsch's, over the directions and the perpendiculars between the lines; the translation is the
    least-squares one. If the result is not unique, as for a single line, any solution is returned.
    """
    vectors_a, vectors_b = _vectors(lines_a), _vectors(lines_b)
    R = se3.nearest_rotation(vectors_a.T @ vectors_b)
    rows, right = [np.zeros((1, 3))], [np.zeros(1)]
    for (u, p_a), (_, p_b) in zip(lines_a, lines_b, strict=True):
        if p_a is not None and p_b is not None:
            rows.append(plucker.skew(u))  # u × (R p_b + t - p_a) = 0
            right.append(plucker.skew(u) @ (p_a - R @ p_b))
    for p_a, p_b in points:
        rows.append(np.eye(3))
        right.append(p_a - R @ p_b)
    t, *_ = np.linalg.lstsq(np.vstack(rows), np.concatenate(right))
    return se3.homogeneous(R, t)


def _vectors(lines: Sequence[Line]) -> Array:
    """Return the directions, and the perpendiculars from each line that turns to each later one."""
    vectors = [u for u, _ in lines]
    for i, (u, p) in enumerate(lines):
        for v, r in lines[i + 1 :]:
            if p is not None and r is not None:
                n = np.cross(u, v)
                parallel = np.linalg.norm(n) < 1e-9
                vectors.append(r - p - u * (u @ (r - p)) if parallel else n * (n @ (r - p)) / (n @ n))
    return np.array(vectors)


def turn_between(axis: Array, before: Array, after: Array) -> float:
    """Return the angle about `axis` that brings the vectors `before` (k, 3) closest to `after` (k, 3)."""
    sine = sum(float(axis @ np.cross(v, w)) for v, w in zip(before, after, strict=False))
    flat = [(v - axis * (axis @ v), w - axis * (axis @ w)) for v, w in zip(before, after, strict=False)]
    return atan2(sine, sum(float(v @ w) for v, w in flat))
