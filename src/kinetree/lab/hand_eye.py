"""Robot-world and hand-eye calibration: two fixed transforms X and Y with P_i = X T_i Y for many poses.

Rotations in closed form, from axes (Park & Martin, Robot sensor calibration, 1994; with sin(angle) axis instead of
logarithms, which is safe near half a turn); then positions, which are linear (Shah, Solving the robot-world/hand-eye
calibration problem using the Kronecker product, 2013); then everything by least squares.
"""

import numpy as np

from kinetree.spatial.se3 import Array, nearest_rotation, poses_from, rotation_vectors, rotations_from_quaternions

PAIRS = 25
"""Number of poses up to which all pairs are compared."""


def pairs(k: int) -> tuple[Array, Array]:
    """Return different pairs (i, j) of k poses, all or some of each pose."""
    if k <= PAIRS:
        return np.triu_indices(k, 1)
    i = np.arange(k)
    apart = np.unique(np.linspace(k // 3, 1, max(PAIRS**2 // (2 * k), 2)).round().astype(int))
    return np.tile(i, len(apart)), ((i + apart[:, None]) % k).ravel()


def angles(R: Array) -> Array:
    """Return the angles (…, p), rad, of the rotations between pairs of R (…, k, 3, 3); the same for X R Y as for R."""
    return np.asarray(2 * np.arcsin(np.minimum(chords(R), 1.0)))


def chords(R: Array) -> Array:
    """Return sin(angle / 2) of the rotations between pairs, (…, p)."""
    i, j = pairs(R.shape[-3])
    return np.asarray(np.linalg.norm(R[..., i, :, :] - R[..., j, :, :], axis=(-2, -1)) / np.sqrt(8.0))


def turns(R: Array) -> Array:
    """Return sin(angle) axis (…, p, 3) of the rotations between pairs of poses R (…, k, 3, 3)."""
    i, j = pairs(R.shape[-3])
    W = R[..., i, :, :] @ R[..., j, :, :].mT
    W = (W - W.mT) / 2
    return np.stack([W[..., 2, 1], W[..., 0, 2], W[..., 1, 0]], axis=-1)


def spread(R: Array) -> tuple[float, float]:
    """Return how much the poses turn about the axis of most rotation, and about the next: root mean squares, rad."""
    v = turns(R)
    sizes = np.linalg.svd(v, compute_uv=False) / np.sqrt(len(v))
    return float(sizes[0]), float(sizes[1])


def residuals(P: Array, model: Array) -> Array:
    """Return the distances (…, k, 2), m and rad, between poses (…, k, 4, 4)."""
    gone = np.linalg.norm(P[..., :3, 3] - model[..., :3, 3], axis=-1)
    return np.stack([gone, _angle(P[..., :3, :3] - model[..., :3, :3])], axis=-1)


def closed_form(P: Array, T: Array, X: Array | None, Y: Array | None) -> tuple[Array, Array]:
    """Return X and Y (…, 4, 4) of P and T (…, k, 4, 4), with rotations found without regard to positions."""
    R_P, R_T = P[..., :3, :3], T[..., :3, :3]
    if X is not None:
        R_X = np.broadcast_to(X[:3, :3], (*np.broadcast_shapes(P.shape, T.shape)[:-3], 3, 3))
    elif Y is not None:
        R_X = nearest_rotation((R_P @ (R_T @ Y[:3, :3]).mT).sum(axis=-3))
    else:
        R_X = nearest_rotation(turns(R_P).mT @ turns(R_T))
    A_y = R_X[..., None, :, :] @ R_T  # p_P = x + R_X p_T + A_y y
    R_Y = np.broadcast_to(Y[:3, :3], R_X.shape) if Y is not None else nearest_rotation((A_y.mT @ R_P).sum(axis=-3))
    right = P[..., :3, 3] - T[..., :3, 3] @ R_X.mT
    right = right - (X[:3, 3] if X is not None else 0.0) - (A_y @ Y[:3, 3] if Y is not None else 0.0)
    A_x = np.broadcast_to(np.eye(3), A_y.shape)
    unknown = [A for A, known in ((A_x, X), (A_y, Y)) if known is None]
    x, y = (np.broadcast_to(known[:3, 3] if known is not None else 0.0, R_X.shape[:-1]) for known in (X, Y))
    if unknown:
        A = np.concatenate(unknown, axis=-1)
        parts = np.linalg.pinv(A.reshape(*A.shape[:-3], -1, A.shape[-1])) @ right.reshape(*right.shape[:-2], -1, 1)
        x = parts[..., :3, 0] if X is None else x
        y = parts[..., -3:, 0] if Y is None else y
    return poses_from(R_X, x), poses_from(R_Y, y)


def displacements(steps: Array) -> Array:
    """Return T (…, 4, 4) of translations and rotation vectors, steps (…, 6), m and rad."""
    v = steps[..., 3:]
    half = np.linalg.norm(v, axis=-1, keepdims=True) / 2
    quat_xyzw = np.concatenate([v * np.sinc(half / np.pi) / 2, np.cos(half)], axis=-1)
    return poses_from(rotations_from_quaternions(quat_xyzw), steps[..., :3])


def displacement(T: Array, P: Array) -> Array:
    """Return the displacements (…, 6), m and rad, of P from T (…, 4, 4), in the axes of T."""
    R = T[..., :3, :3].mT
    gone = (R @ (P[..., :3, 3] - T[..., :3, 3])[..., None])[..., 0]
    return np.concatenate([gone, rotation_vectors(R @ P[..., :3, :3])], axis=-1)


def _angle(difference: Array) -> Array:
    """Return the angle of R_a' R_b for the difference R_a - R_b (…, 3, 3), whose norm is sqrt(8) sin(angle / 2)."""
    chord = np.linalg.norm(difference, axis=(-2, -1)) / np.sqrt(8.0)
    return np.asarray(2 * np.arcsin(np.minimum(chord, 1.0)))
