"""Damped least squares (Levenberg, Marquardt) for X, Y, zeros of joints and a displacement, from many starts."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from kinetree.lab.calibrate import fit as fitting
from kinetree.lab.calibrate.arm import ArmChain
from kinetree.lab.calibrate.data import Data, Explanation, Fit, fit_of
from kinetree.spatial.se3 import Array

STEPS = 25
DONE = 1e-3
"""Relative decrease of the error below which a step is the last."""
SMALL = 1e-2
"""Weight of a displacement relative to the residual of a pose, so that the smallest of several is found."""


class Unknowns(NamedTuple):
    """X (s, 4, 4), offsets (s, n), rad and m, and Y (s, 4, 4) with P_i = X T(q_i + offsets) Y."""

    X: Array
    offsets: Array
    Y: Array


class Factors(NamedTuple):
    """X, D and Y (s, 4, 4) with P_i = X A_i D B_i Y."""

    X: Array
    D: Array
    Y: Array


Parts = TypeVar("Parts", Unknowns, Factors)


def settled(
    arm: ArmChain, q: Array, P: Array, start: Unknowns, free: Array, tolerance: Array
) -> tuple[Unknowns, Array]:
    """Return the place where the poses P (s, k, 4, 4) of q (s, k, nq) fit best, and the residuals (s, k, 2), m and rad.

    free (s, 12 + n): which numbers may change, 6 of X, n offsets, 6 of Y. Errors are weighted by the tolerance.
    """

    def poses(rows: Array, at: Unknowns) -> Array:
        return np.asarray(at.X[:, None] @ arm.poses(q[rows], at.offsets[:, None]) @ at.Y[:, None])

    def error(rows: Array, at: Unknowns) -> Array:
        return _error(P[rows], poses(rows, at), tolerance)

    def jacobian(rows: Array, at: Unknowns) -> Array:
        moving = arm.jacobians(q[rows], at.offsets[:, None])
        behind = arm.poses(q[rows], at.offsets[:, None]) @ at.Y[:, None]
        J = [_carried(behind), _carried(at.Y[:, None], moving), np.broadcast_to(np.eye(6), (*behind.shape[:2], 6, 6))]
        return _weighed(J, tolerance) * free[rows, None]

    def moved(at: Unknowns, step: Array) -> Unknowns:
        X, Y = at.X @ fitting.displacements(step[:, :6]), at.Y @ fitting.displacements(step[:, -6:])
        return Unknowns(X, at.offsets + step[:, 6:-6], Y)

    at = _least(start, error, jacobian, moved)
    return at, fitting.residuals(P, poses(np.arange(len(P)), at))


def displaced(A: Array, B: Array, P: Array, start: Factors, free: bool, tolerance: Array) -> tuple[Array, Array]:
    """Return the smallest D (s, 4, 4) that brings X A D B Y (s, k, 4, 4) closest to P, and the residuals (s, k, 2).

    free: also change X and Y.
    """
    weight = SMALL / np.repeat(tolerance, 3)[:, None]

    def poses(rows: Array, at: Factors) -> Array:
        return np.asarray(at.X[:, None] @ A[rows] @ at.D[:, None] @ B[rows] @ at.Y[:, None])

    def error(rows: Array, at: Factors) -> Array:
        size = np.concatenate([at.D[:, :3, 3], fitting.rotation_vector(at.D[:, :3, :3])], axis=-1)
        return np.concatenate([_error(P[rows], poses(rows, at), tolerance), -size * weight[:, 0]], axis=-1)

    def jacobian(rows: Array, at: Factors) -> Array:
        behind = B[rows] @ at.Y[:, None]
        of_X, of_D = _carried(A[rows] @ at.D[:, None] @ behind), _carried(behind)
        J = _weighed([of_X * free, of_D, free * np.broadcast_to(np.eye(6), of_X.shape)], tolerance)
        of_size = np.zeros((len(rows), 6, 18))
        of_size[:, :3, 6:9], of_size[:, 3:, 9:12] = at.D[:, :3, :3], np.eye(3)
        return np.concatenate([J, of_size * weight], axis=1)

    def moved(at: Factors, step: Array) -> Factors:
        return Factors(*(T @ fitting.displacements(step[:, 6 * i : 6 * i + 6]) for i, T in enumerate(at)))

    at = _least(start, error, jacobian, moved)
    return at.D, fitting.residuals(P, poses(np.arange(len(P)), at))


def settled_as(
    data: Data, cases: Sequence[Explanation], start: Unknowns, joints: Sequence[Sequence[int]]
) -> tuple[Unknowns, Array]:
    """Return the best places for explanations (s), with zeros of some joints and unknown X, Y; and which fit then."""
    free = np.zeros((len(cases), 12 + len(data.arm.joints)))
    for row, e, some in zip(free, cases, joints, strict=True):
        row[:6], row[-6:] = e.base is None, e.tool is None
        row[[6 + i for i in some]] = 1.0
    q, P = data.q[[e.joint for e in cases]], np.array([data.poses(e) for e in cases])
    found, residual = settled(data.arm, q, P, start, free, data.tolerance)
    return found, data.off(residual) <= 1


def refined(data: Data, fit: Fit) -> Fit:
    """Return the fit with its unknown numbers at their best."""
    e, start = fit.explanation, Unknowns(fit.X[None].copy(), fit.offsets[None].copy(), fit.Y[None].copy())
    found, _ = settled_as(data, [e], start, [e.zeros])
    return fit_of(data, e, found.X[0], found.Y[0], found.offsets[0])


def _least(
    at: Parts,
    error: Callable[[Array, Parts], Array],
    jacobian: Callable[[Array, Parts], Array],
    moved: Callable[[Parts, Array], Parts],
) -> Parts:
    """Return the minimum of the sum of squares of error (s, m), for each of s starts.

    error, jacobian: functions of some rows (r,) of the starts; the Jacobian (r, m, w) is the negative derivative of the
    error. moved: by steps (r, w).
    """
    s = len(at[0])
    damping, alive, left = np.full(s, 1e-3), np.ones(s, dtype=bool), error(np.arange(s), at)
    for _ in range(STEPS):
        rows = np.flatnonzero(alive)
        if not len(rows):
            break
        here = type(at)(*(part[rows] for part in at))
        J = jacobian(rows, here)
        H = J.mT @ J
        diagonal = np.einsum("sii->si", H)
        H = H + np.eye(J.shape[-1]) * np.where(diagonal > 0, damping[rows, None] * diagonal, 1.0)[..., None]
        step = np.linalg.solve(H, J.mT @ left[rows][..., None])[..., 0]
        there = moved(here, step)
        new = error(rows, there)
        before, after = (left[rows] ** 2).sum(axis=-1), (new**2).sum(axis=-1)
        better = after < before
        at = type(at)(*(_replaced(part, rows[better], other[better]) for part, other in zip(at, there, strict=True)))
        left[rows[better]] = new[better]
        damping[rows] *= np.where(better, 0.1, 10.0)
        alive[rows] = np.where(better, before - after > DONE * before, damping[rows] < 1e4)
    return at


def _replaced(part: Array, rows: Array, values: Array) -> Array:
    part = part.copy()
    part[rows] = values
    return part


def _error(P: Array, T: Array, tolerance: Array) -> Array:
    """Return the displacement of P from T, in the axes of T, (s, 6 k), in tolerances."""
    R = T[..., :3, :3].mT
    gone = (R @ (P[..., :3, 3] - T[..., :3, 3])[..., None])[..., 0]
    both = np.concatenate([gone / tolerance[0], fitting.rotation_vector(R @ P[..., :3, :3]) / tolerance[1]], axis=-1)
    return both.reshape(len(P), -1)


def _weighed(parts: Sequence[Array], tolerance: Array) -> Array:
    """Return the Jacobian (s, 6 k, w), in tolerances, of parts (s, k, 6, …) that move the poses in their own axes."""
    J = np.concatenate(parts, axis=-1) / np.repeat(tolerance, 3)[:, None]
    return np.asarray(J.reshape(len(J), -1, J.shape[-1]))


def _carried(T_AB: Array, J: Array | None = None) -> Array:
    """Return twists J (…, 6, m) of A in its axes, by default the six unit twists, as twists of B in its axes."""
    J = np.broadcast_to(np.eye(6), (*T_AB.shape[:-2], 6, 6)) if J is None else J
    R, p = T_AB[..., :3, :3].mT, T_AB[..., :3, 3]
    v = J[..., :3, :] + np.cross(J[..., 3:, :], p[..., None], axis=-2)
    return np.concatenate([R @ v, R @ J[..., 3:, :]], axis=-2)
