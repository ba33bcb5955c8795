"""Derivatives of results of inverse kinematics, also with soft goals, by the implicit function theorem.

At a minimum q the slope of the Lagrangian, of half the cost and of hard goals times their multipliers y, is zero along
all motions dq = P z that may be made, and the errors c of hard goals are zero. If targets, postures and weights x
change, both stay zero (Fiacco, Introduction to Sensitivity and Stability Analysis in Nonlinear Programming, 1983,
section 3.2): A z = -∂c/∂x dx, and Z (H z + P ∂²L/∂q∂x dx) = 0, where A = ∂c/∂q P, H = P ∂²L/∂q² P, and Z projects onto
motions that keep the hard goals and the limits that the cost pushes against. If the minimum is not unique, q moves no
farther than it must.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.algorithms.control import ANGLE, DISTANCE
from kinetree.algorithms.soft import scale_of
from kinetree.model.limits import limits_about
from kinetree.queries.gradients import jvp, vjp
from kinetree.solvers.ik.implicit import RANK, free_motions, implied, moving_coordinates, quaternions, turning
from kinetree.solvers.ik.step import ACTIVE
from kinetree.spatial.se3 import Array

if TYPE_CHECKING:
    from kinetree.solvers.ik.solver import IK

FLAT = 1e-11
"""Part of the largest second derivative below which the cost counts as flat along a motion."""
ROUNDS = 5
"""Evaluations; the first gives the multipliers, and Newton steps follow to the precision of the numbers."""
PUSH, OFF, WAY = 1e-9, 1e-7, 0.1
"""Least push against a limit that keeps it active; largest slope and error at a minimum; and how far it may be from q,
rad and m."""
MISSED = 1e-5
"""How far beyond its tolerance a result, which may be in single precision, may be from its target, m and rad."""
PORTION = 256
"""Number of results that are computed at once."""


def by_all(ik: IK, q: Array, success: Any, targets: Sequence[Array]) -> list[Array]:
    """Return the derivatives (…, nq, size) of results q (…, nq) by the target or posture of each goal, and then by the
    weights of soft goals (…, nq, k). They are NaN without success (…), and if the cost has no minimum near q."""
    goals, nq = ik.goals, ik._problem.nq
    shapes = [(nq,), (), *(goal.shape for goal in goals)]
    given = [np.asarray(x) for x in (q, success, *targets)]
    batch = np.broadcast_shapes(*(x.shape[: x.ndim - len(shape)] for x, shape in zip(given, shapes, strict=True)))
    rows = [np.broadcast_to(x, batch + s).reshape(prod(batch), *s) for x, s in zip(given, shapes, strict=True)]
    sizes = [prod(goal.shape) for goal in goals]
    weights = sum(goal.weight is not None for goal in goals)
    found = np.full((len(rows[0]), nq, sum(sizes) + weights), np.nan)
    solved = np.flatnonzero(rows[1])
    for start in range(0, len(solved), PORTION):
        here = solved[start : start + PORTION]
        found[here] = (_of_soft if weights else _of_hard)(ik, rows[0][here], [x[here] for x in rows[2:]])
    by_weights, *by_targets = np.split(
        found.reshape(*batch, *found.shape[1:]), np.cumsum([weights, *sizes])[:-1], axis=-1
    )
    return [*by_targets, by_weights / scale_of(goals) if weights else by_weights]


def _of_hard(ik: IK, q: Array, targets: Sequence[Array]) -> Array:
    by_q, *by_targets = ik._slopes(q, *targets)
    P = free_motions(ik._problem, ik.limits, q, np.ones(len(q), bool)) + turning(quaternions(ik._problem), q)
    found = np.concatenate([implied(np.linalg.pinv, P, by_q, by_target) for by_target in by_targets], axis=-1)
    off = np.asarray(ik._stepper.back(ik._stepper.speeds, q, q, *targets))[:, DISTANCE : ANGLE + 1]
    bounds = np.max([goal.tolerance or ik._problem.tolerances for goal in ik.goals], axis=0)
    return np.where((off <= bounds + MISSED).all(axis=1)[:, None, None], found, np.nan)


def _of_soft(ik: IK, q: Array, targets: Sequence[Array]) -> Array:
    problem, limits, begin = ik._problem, ik.limits, q
    n, nq = q.shape
    moving = moving_coordinates(problem)
    moving[problem.columns[: len(problem.lower)]] *= problem.upper - problem.lower > ACTIVE
    at = (limits.margin(q) <= ACTIVE) & limits_about(limits, problem.columns)
    used = np.flatnonzero(at.any(axis=0))
    ends = np.vstack([-np.eye(nq), np.eye(nq), limits.G])[used]
    y = np.zeros((n, *ik._lagrangian.inputs[1].shape))
    for i in range(ROUNDS):
        P = np.diag(moving) + turning(quaternions(problem), q) + np.zeros((n, 1, 1))
        slope, c = _first(ik, q, 0.0 * y, targets)
        H, A = _second(ik, q, y, targets, [0])
        H, slope = P @ H @ P, P @ slope[..., None]
        C, y = _multipliers(np.concatenate([A @ P, ends @ P], axis=1), slope, at[:, used])
        inverse = np.linalg.pinv(C, rtol=RANK)
        Z, to_goals = np.eye(nq) - inverse @ C, inverse[..., : c.shape[1]]
        soft, least = _inverted(Z @ H @ Z, np.linalg.norm(H, axis=(1, 2)))
        if i:  # y is known
            back = -to_goals @ c[..., None]
            q = q + (P @ (back - soft @ (slope + H @ back)))[..., 0]
    rest = np.maximum(np.abs(Z @ slope).max(axis=(1, 2)), np.abs(c).max(axis=1))
    found = (rest <= OFF) & (np.abs(q - begin).max(axis=1) <= WAY) & (least >= -OFF)
    slopes, errors = _second(ik, q, y, targets, range(2, 3 + len(targets)))
    back = -to_goals @ errors
    D = P @ (back - soft @ (P @ slopes + H @ back))
    return np.where(found[:, None, None], D, np.nan)


def _first(ik: IK, q: Array, y: Array, targets: Sequence[Array]) -> tuple[Array, Array]:
    """Return the slopes of the Lagrangian by q (n, nq) and by y (n, m)."""
    slope, c = vjp(ik._lagrangian, (0, 1))(q, y, _weights(ik), *targets, 1.0)
    return slope, c


def _second(ik: IK, q: Array, y: Array, targets: Sequence[Array], which: Sequence[int]) -> tuple[Array, Array]:
    """Return the derivatives of `_first`, (n, nq, k) and (n, m, k), by these inputs of the Lagrangian."""
    inputs = [ik._lagrangian.inputs[i] for i in which]
    sizes = [prod(port.shape) for port in inputs]
    parts = np.split(np.eye(sum(sizes)), np.cumsum(sizes)[:-1], axis=1)
    seeds = [part.reshape(-1, *port.shape) for part, port in zip(parts, inputs, strict=True)]
    at = [x[:, None] for x in (q, y, *targets)]
    slope, c = jvp(vjp(ik._lagrangian, (0, 1)), which)(*at[:2], _weights(ik), *at[2:], 1.0, *seeds)
    return slope.swapaxes(1, 2), c.swapaxes(1, 2)


def _weights(ik: IK) -> Array:
    return np.array([goal.weight / scale_of(ik.goals) for goal in ik.goals if goal.weight is not None])


def _multipliers(C: Array, slope: Array, held: Array) -> tuple[Array, Array]:
    """Return C (n, m + r, nq) without the rows of limits that the cost does not push against, and y (n, m). held (n,
    r): which limits q is at."""
    held, m = held.copy(), C.shape[1] - held.shape[1]
    while True:
        used = C * np.pad(held, [(0, 0), (m, 0)], constant_values=True)[..., None]
        x = -(np.linalg.pinv(used, rtol=RANK).swapaxes(1, 2) @ slope)[..., 0]
        push = np.where(held, x[:, m:], np.inf)
        out = push.min(axis=1, initial=np.inf) <= PUSH
        if not out.any():
            return used, x[:, :m]
        held[out, push[out].argmin(axis=1)] = False


def _inverted(H: Array, size: Array) -> tuple[Array, Array]:
    """Return pseudoinverses of symmetric matrices (n, nq, nq), and their least eigenvalues divided by `size` (n,)."""
    values, vectors = np.linalg.eigh((H + H.swapaxes(1, 2)) / 2)
    parts = values / size[:, None]
    inverse = np.where(parts > FLAT, 1.0 / np.where(parts > FLAT, values, 1.0), 0.0)
    return (vectors * inverse[:, None]) @ vectors.swapaxes(1, 2), parts.min(axis=1)
