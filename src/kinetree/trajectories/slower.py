"""How slow a motion must be: so that limits hold between the points where they were tested, and dampers take little."""

import numpy as np

from kinetree.spatial.se3 import Array
from kinetree.trajectories.along import Along
from kinetree.trajectories.rows import Limited, Torques, acceleration_ranges

ERROR = 0.02
"""Part of the bend of a parabola through three points that it may be off."""


def slowing(limited: Limited, at: Along, x: Array, u: Array) -> Array:
    """Return the largest part r (n, p), at most 1, of the speed of paths at which all limits hold in each interval.

    At r times the speed, velocities are r times as large, and accelerations r². at: points (n, p, 3) of the intervals
    n, at the ends and in the middle. x, u (n, p, 3 or 1, 1): of the motion there. It is negative if some torque has no
    room.
    """
    qdd = at.first * u + at.second * x
    low, high = acceleration_ranges(limited, at.first)
    low, high = low.max(axis=2, keepdims=True), high.min(axis=2, keepdims=True)  # of both ways where a joint turns
    shares = (at.first / limited.velocity) ** 2 * x, qdd / high, qdd / low
    r: Array = 1.0 / np.sqrt(np.max([_peaks(share).max(axis=2, initial=1.0) for share in shares], axis=0))
    if limited.dynamics is None:
        return r
    nv = len(limited.torque)
    qd, qdd = at.first[..., :nv] * np.sqrt(x), np.ascontiguousarray(qdd[..., :nv])
    still = np.zeros_like(qd)
    tau, rest = limited.dynamics(at.q, qd, qdd), limited.dynamics(at.q, still, still)
    more = [np.maximum(_peaks(one) - one.max(axis=2), 0.0)[:, :, None] for one in (tau, -tau)]
    some = (np.maximum(np.abs(tau) + np.maximum(*more), np.abs(rest)) > limited.torque).any(axis=(2, 3))
    own = at.q[some], qd[some], qdd[some]
    r[some] = _with_torques(limited, own, rest[some], [one[some] for one in more], r[some])
    return r


def _with_torques(limited: Limited, own: tuple[Array, Array, Array], rest: Array, more: list[Array], r: Array) -> Array:
    """Return the largest parts of the speed, at most r (m,), at which torques hold in intervals m, or -1."""
    q, qd, qdd = own
    assert limited.dynamics is not None
    forward = limited.dynamics(q, qd, qdd)
    backward = limited.dynamics(q, -qd, qdd) if limited.is_damped else forward
    even, odd = (forward + backward) / 2.0 - rest, (forward - backward) / 2.0
    a, b = np.concatenate([even + more[0], more[1] - even], axis=1), np.concatenate([odd, -odd], axis=1)
    c = np.concatenate([limited.torque - rest, limited.torque + rest], axis=1)
    r = np.minimum(r, _roots(a, b, c).min(axis=(1, 2)))
    part = r[:, None, None]
    is_held = (c >= 0.0) | (a * part**2 + b * part <= c)  # if c < 0, only momentum carries the robot through
    return np.where(is_held.all(axis=(1, 2)), r, -1.0)


def _peaks(values: Array) -> Array:
    """Return the largest value (…, j) of the parabolas through values (…, 3, j) at three points, between these."""
    first, middle, last = np.moveaxis(values, -2, 0)
    bend, lean = first - 2.0 * middle + last, last - first
    is_arch = np.abs(lean) < -2.0 * bend
    peak = middle - lean**2 / np.where(is_arch, 8.0 * bend, 1.0) - ERROR * bend
    return np.asarray(np.maximum(np.maximum(first, middle), np.maximum(last, np.where(is_arch, peak, -np.inf))))


def _roots(a: Array, b: Array, c: Array) -> Array:
    """Return the largest r from 0 to 1 with a r² + b r <= c, which holds for those below it, too, if c >= 0."""
    above = a + b > c
    root = np.sqrt(np.maximum(b * b + 4.0 * a * c, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):  # 2 c / (b + root) is exact for a = 0, too
        r = np.where(b + root > 0.0, 2.0 * c / (b + root), (root - b) / (2.0 * a))
    return np.where(above, np.where(c < 0.0, 0.0, np.nan_to_num(r)), 1.0)


def gentle_speed(limited: Limited, torques: Torques) -> Array:
    """Return square roots of x (…,) at which the parts of dampers are half of what the weight leaves of the limits."""
    rest, _, _, damping = torques
    room = np.maximum(limited.torque - np.abs(rest), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        speed = np.where(np.isfinite(room) & (damping != 0.0), room / np.abs(2.0 * damping), np.inf)
    least = speed.min(axis=-1, initial=np.inf)
    return np.clip(np.where(np.isfinite(least), least, 1.0), 1e-6, 1e6)
