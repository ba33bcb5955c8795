"""Two fixed transforms X and Y such that P_i = X T_i Y of many poses: robot-world and hand-eye calibration.

The rotations in closed form, from axes (Park & Martin, Robot sensor calibration, 1994; with sin(angle) axis instead of
logarithms, which needs no care near half a turn), then the positions, which are linear (Shah, Solving the
robot-world/hand-eye calibration problem using the Kronecker product, 2013), then all of it by least squares.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kinetree.spatial import se3
from kinetree.spatial.se3 import Array

PAIRS = 300
"""Pairs of poses that are compared, at most."""
REACH = 100.0
"""Tolerances by which the closed form may be off for the search to go on from there."""
STEPS = 50
"""Of least squares; where the poses fit, a few are enough."""


def pairs(k: int) -> tuple[Array, Array]:
    """Different pairs (i, j) of k poses, all or evenly many."""
    i, j = np.triu_indices(k, 1)
    step = -(-len(i) // PAIRS)
    return i[::step], j[::step]


def angles(R: Array) -> Array:
    """Of the rotations (…, k, 3, 3) between pairs of poses (…, p), rad: the same for X R Y as for R."""
    i, j = pairs(R.shape[-3])
    return _angle(R[..., i, :, :] - R[..., j, :, :])


def turns(R: Array) -> Array:
    """sin(angle) axis (p, 3) of the rotations between pairs of poses R (k, 3, 3)."""
    i, j = pairs(len(R))
    return _vector(R[i] @ np.swapaxes(R[j], -1, -2))


def spread(R: Array) -> tuple[float, float]:
    """How much the poses turn about the axis that they turn about most, and about the next: root mean squares, rad."""
    v = turns(R)
    sizes = np.linalg.svd(v, compute_uv=False) / np.sqrt(len(v))
    return float(sizes[0]), float(sizes[1])


def residuals(P: Array, model: Array) -> Array:
    """How far poses (k, 4, 4) are apart: (k, 2), m and rad."""
    return np.stack(
        [np.linalg.norm(P[:, :3, 3] - model[:, :3, 3], axis=-1), _angle(P[:, :3, :3] - model[:, :3, :3])], axis=-1
    )


def estimated(P: Array, T: Array, X: Array | None, Y: Array | None, tolerance: Array) -> tuple[Array, Array]:
    """X and Y (4, 4), of which those that are not given are found, for P_i = X T_i Y."""
    start = closed_form(P, T, X, Y)
    off = (residuals(P, start[0] @ T @ start[1]) / tolerance).max()
    if X is not None or off > REACH:  # where X is known the closed form is the best already
        return start
    found = refined(P, [T], list(start), [X is None, Y is None], tolerance)
    return found[0], found[1]


def closed_form(P: Array, T: Array, X: Array | None, Y: Array | None) -> tuple[Array, Array]:
    """X and Y, the rotations as if there were no positions."""
    R_P, R_T = P[:, :3, :3], T[:, :3, :3]
    if X is not None:
        R_X = X[:3, :3]
    elif Y is not None:
        R_X = se3.nearest_rotation((R_P @ np.swapaxes(R_T @ Y[:3, :3], -1, -2)).sum(axis=0))
    else:
        R_X = se3.nearest_rotation(turns(R_P).T @ turns(R_T))
    R_Y = Y[:3, :3] if Y is not None else se3.nearest_rotation((np.swapaxes(R_X @ R_T, -1, -2) @ R_P).sum(axis=0))
    # p_P = x + R_X p_T + R_X R_T y
    A_x, A_y = np.broadcast_to(np.eye(3), R_T.shape), R_X @ R_T
    right = P[:, :3, 3] - T[:, :3, 3] @ R_X.T
    right = right - (X[:3, 3] if X is not None else 0.0) - (A_y @ Y[:3, 3] if Y is not None else 0.0)
    unknown = [A for A, known in ((A_x, X), (A_y, Y)) if known is None]
    parts = np.zeros((0, 3))
    if unknown:
        parts = np.linalg.lstsq(np.concatenate(unknown, axis=-1).reshape(-1, 3 * len(unknown)), right.ravel())[0]
        parts = parts.reshape(-1, 3)
    x = X if X is not None else se3.homogeneous(R_X, parts[0])
    y = Y if Y is not None else se3.homogeneous(R_Y, parts[-1])
    return x, y


def refined(
    P: Array, moving: Sequence[Array], fixed: Sequence[Array], free: Sequence[bool], tolerance: Array
) -> list[Array]:
    """The fixed transforms (4, 4), of which some are free, that bring fixed_0 moving_0 fixed_1 moving_1 … closest to P.

    moving: each (k, 4, 4). The errors are weighed by the tolerance, m and rad.
    """
    from scipy.optimize import least_squares  # a tenth of a second, and not always wanted

    def error(steps: Any) -> Array:
        model = product(moving, _moved(fixed, free, steps))
        turned = _vector(np.swapaxes(P[:, :3, :3], -1, -2) @ model[:, :3, :3])
        gone = model[:, :3, 3] - P[:, :3, 3]
        return np.concatenate([gone / tolerance[0], turned / tolerance[1]], axis=-1).ravel()

    found = least_squares(error, np.zeros(6 * sum(free)), xtol=1e-12, ftol=1e-12, gtol=1e-12, max_nfev=STEPS)
    return _moved(fixed, free, found.x)


def product(moving: Sequence[Array], fixed: Sequence[Array]) -> Array:
    """fixed_0 moving_0 fixed_1 moving_1 … fixed_n, (k, 4, 4)."""
    model = fixed[0]
    for step, constant in zip(moving, fixed[1:], strict=True):
        model = model @ step @ constant
    return model


def _moved(fixed: Sequence[Array], free: Sequence[bool], steps: Array) -> list[Array]:
    """The transforms after steps (6 each of those that are free): a translation and a rotation vector."""
    left = iter(steps.reshape(-1, 6))
    return [T @ _small(next(left)) if is_free else T for T, is_free in zip(fixed, free, strict=True)]


def _small(step: Array) -> Array:
    angle = float(np.linalg.norm(step[3:]))
    axis = step[3:] / angle if angle > se3.TINY else np.array([0.0, 0.0, 1.0])
    return se3.homogeneous(se3.rotation(axis, angle), step[:3])


def _angle(difference: Array) -> Array:
    """Of the rotation R_a' R_b where R_a - R_b (…, 3, 3) is the difference: its norm is sqrt(8) sin(angle / 2)."""
    chord = np.linalg.norm(difference, axis=(-2, -1)) / np.sqrt(8.0)
    return np.asarray(2 * np.arcsin(np.minimum(chord, 1.0)))


def _vector(R: Array) -> Array:
    """sin(angle) axis (…, 3) of R (…, 3, 3)."""
    return (
        np.stack([R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]], axis=-1) / 2
    )
