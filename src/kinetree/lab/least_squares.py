"""Damped least squares (Levenberg, Marquardt) from several starts at once, with Huber's loss (Robust estimation of a
location parameter, 1964)."""

from collections.abc import Callable

import numpy as np

from kinetree.spatial.se3 import Array

DAMPING = 1e-3, 1e-9, 1e6
"""Damping of the first step, the least, and the one from which on no step is tried."""
UNSEEN = 1e-9
"""Effect of a number relative to the largest below which it stays as it is."""

Parts = tuple[Array, ...]


def loss(r: Array, huber: float = np.inf) -> Array:
    """Return the sum (…) of Huber's loss of the lengths of blocks r (…, b, d), twice a negative log-likelihood.

    huber: the length of a block from which on the loss grows linearly.
    """
    length = np.sqrt((r**2).sum(axis=-1))
    near = np.minimum(length, huber)
    return np.asarray((near * (2 * length - near)).sum(axis=-1))


def weights(r: Array, huber: float = np.inf) -> Array:
    """Return the factors (…, 1) of blocks r (…, d) by which squares have the slope of the loss."""
    length = np.sqrt((r**2).sum(axis=-1, keepdims=True))
    return np.asarray(np.sqrt(np.minimum(1.0, huber / np.maximum(length, 1e-300))))


def least_squares(
    at: Parts,
    error: Callable[[Array, Parts], Array],
    jacobian: Callable[[Array, Parts], Array],
    moved: Callable[[Parts, Array], Parts],
    *,
    steps: int,
    gain: Callable[[Array], Array],
    huber: float = np.inf,
) -> tuple[Parts, Array]:
    """Return the numbers with the least loss near each of s starts, and the losses (s,).

    at: the starts, arrays (s, …). error, jacobian: of some of the starts (r,), errors (r, b, d) in blocks and their
    derivatives (r, b, d, w). moved: the numbers after steps (r, w). steps: the most. gain: the least gain of a step
    from losses after which another is tried.
    """
    s = len(at[0])
    left, damping, alive, fresh = error(np.arange(s), at), np.full(s, DAMPING[0]), np.full(s, True), np.full(s, True)
    best, normal = loss(left, huber), tuple[Array, ...]()
    for _ in range(steps):
        rows = np.flatnonzero(alive)
        if not len(rows):
            break
        new = np.flatnonzero(alive & fresh)
        if len(new):
            parts = _equations(jacobian(new, tuple(part[new] for part in at)), left[new], huber)
            normal = tuple(_with(old, new, part) for old, part in zip(normal or parts, parts, strict=True))
        here = tuple(part[rows] for part in at)
        H, g, size = (part[rows] for part in normal)
        step = np.linalg.solve(H + damping[rows, None, None] * np.eye(H.shape[-1]), g[..., None])[..., 0] / size
        there = moved(here, step)
        errors = error(rows, there)
        losses = loss(errors, huber)
        fresh = np.zeros(s, dtype=bool)
        better = losses < best[rows]
        fresh[rows] = better
        done = best[rows] - losses <= gain(best[rows])
        at = tuple(_with(part, rows[better], other[better]) for part, other in zip(at, there, strict=True))
        left[rows[better]], best[rows[better]] = errors[better], losses[better]
        damping[rows] = np.where(better, np.maximum(damping[rows] * 0.1, DAMPING[1]), damping[rows] * 10.0)
        alive[rows] = np.where(better, ~done, damping[rows] < DAMPING[2])
    return at, best


def _equations(J: Array, r: Array, huber: float) -> tuple[Array, Array, Array]:
    """Return H (s, w, w) and g (s, w) of the normal equations of numbers times their effects (s, w), and these."""
    w = weights(r, huber)
    A, b = (J * w[..., None]).reshape(len(J), -1, J.shape[-1]), -(r * w).reshape(len(J), -1)
    size = np.sqrt((A**2).sum(axis=1))
    size[size < UNSEEN * np.maximum(size.max(axis=1, keepdims=True), 1e-300)] = np.inf
    A = A / size[:, None]
    return A.mT @ A, np.asarray((b[:, None] @ A)[:, 0]), size


def _with(part: Array, rows: Array, values: Array) -> Array:
    part = part.copy()
    part[rows] = values
    return part
