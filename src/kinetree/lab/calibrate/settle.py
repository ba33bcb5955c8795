"""Fits of X, Y, zeros of joints and a displacement between two joints to poses, from many starts."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kinetree.lab.calibrate.data import Data, Explanation, Fit, fit_of
from kinetree.lab.hand_eye import displacement, displacements, residuals
from kinetree.lab.least_squares import Parts, least_squares
from kinetree.spatial.se3 import Array

STEPS = 25
DONE = 1e-3
"""Relative decrease of the error below which a step is the last."""
SMALL = 1e-2
"""Weight of a displacement relative to the residual of a pose, so that the smallest of several is found."""


class Unknowns(NamedTuple):
    """X (s, 4, 4), offsets (s, n), rad and m, Y and D (s, 4, 4) with P_i = X T(q_i + offsets) B_i⁻¹ D B_i Y."""

    X: Array
    offsets: Array
    Y: Array
    D: Array


def starts(X: Array, offsets: Array, Y: Array) -> Unknowns:
    """Return unknowns without a displacement."""
    return Unknowns(X, offsets, Y, np.broadcast_to(np.eye(4), X.shape))


def settled(
    data: Data, cases: Sequence[Explanation], start: Unknowns, joints: Sequence[Sequence[int]], B: Array | None = None
) -> tuple[Unknowns, Array]:
    """Return the best places for explanations (s), with zeros of some joints and unknown X, Y; and how far off these
    are (s,), in tolerances, by which errors are weighted.

    B (s, k, 4, 4): the poses of the tip in the link where a displacement D is found, the smallest if there are several.
    """
    arm, weight = data.arm, 1.0 / np.repeat(data.tolerance, 3)  # (6,)
    q, P = data.q[[e.joint for e in cases]], np.array([data.poses(e) for e in cases])
    free = np.zeros((len(cases), 12 + len(arm.joints)))
    for row, e, some in zip(free, cases, joints, strict=True):
        row[:6], row[-6:] = e.base is None, e.tool is None
        row[[6 + i for i in some]] = 1.0

    def behind(rows: Array, D: Array, Y: Array) -> Array:
        """Return the poses of the tool in the tip."""
        return Y[:, None] if B is None else np.linalg.solve(B[rows], D[:, None] @ B[rows] @ Y[:, None])

    def poses(rows: Array, X: Array, offsets: Array, Y: Array, D: Array) -> Array:
        return np.asarray(X[:, None] @ arm.poses(q[rows], offsets[:, None]) @ behind(rows, D, Y))

    def error(rows: Array, at: Parts) -> Array:
        r = displacement(poses(rows, *at), P[rows])
        if B is not None:
            r = np.concatenate([r, -SMALL * displacement(np.eye(4), at[3][:, None])], axis=1)
        return r * weight

    def jacobian(rows: Array, at: Parts) -> Array:
        _, offsets, Y, D = at
        tool = behind(rows, D, Y)
        parts = [_carried(arm.poses(q[rows], offsets[:, None]) @ tool)]
        parts.append(_carried(tool, arm.jacobians(q[rows], offsets[:, None])))
        parts.append(np.broadcast_to(np.eye(6), parts[0].shape))
        J = np.concatenate(parts, axis=-1) * free[rows, None, None]
        if B is not None:
            J = np.concatenate([J, _carried(B[rows] @ Y[:, None])], axis=-1)
            size = np.zeros((len(rows), 1, 6, J.shape[-1]))
            size[:, 0, :3, -6:-3], size[:, 0, 3:, -3:] = D[:, :3, :3], np.eye(3)
            J = np.concatenate([J, SMALL * size], axis=1)
        return -J * weight[:, None]

    def moved(at: Parts, step: Array) -> Parts:
        (X, offsets, Y, D), n = at, 6 + len(arm.joints)
        D = D if B is None else D @ displacements(step[:, n + 6 :])
        return X @ displacements(step[:, :6]), offsets + step[:, 6:n], Y @ displacements(step[:, n : n + 6]), D

    at, _ = least_squares(start, error, jacobian, moved, steps=STEPS, gain=lambda before: DONE * before)
    return Unknowns(*at), data.off(residuals(P, poses(np.arange(len(P)), *at)))


def refined(data: Data, fit: Fit) -> Fit:
    """Return the fit with its unknown numbers at their best."""
    e, start = fit.explanation, starts(fit.X[None], fit.offsets[None], fit.Y[None])
    found, _ = settled(data, [e], start, [e.zeros])
    return fit_of(data, e, found.X[0], found.Y[0], found.offsets[0])


def _carried(T_AB: Array, J: Array | None = None) -> Array:
    """Return twists J (…, 6, m) of A in its axes, by default the six unit twists, as twists of B in its axes."""
    J = np.broadcast_to(np.eye(6), (*T_AB.shape[:-2], 6, 6)) if J is None else J
    R, p = T_AB[..., :3, :3].mT, T_AB[..., :3, 3]
    v = J[..., :3, :] + np.cross(J[..., 3:, :], p[..., None], axis=-2)
    return np.concatenate([R @ v, R @ J[..., 3:, :]], axis=-2)
