"""Limits along a path as rows that are linear in the square x of its speed and in its acceleration u."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from kinetree.algorithms.reachability import FREE
from kinetree.spatial.se3 import Array
from kinetree.trajectories.along import Along

FLAT = 1e-10
"""Part of what x can contribute to a row below which what u can contribute is zero: points of zero inertia."""


class Limited(NamedTuple):
    """Limits: velocity, acceleration, deceleration (nv + f,) and torque (nv,), above 0, inf without one.

    dynamics: the kernel of inverse dynamics, or None if torques do not count. is_damped: whether they depend on the
    velocity itself, not on its square alone.
    """

    velocity: Array
    acceleration: Array
    deceleration: Array
    torque: Array
    dynamics: Callable[..., Any] | None
    is_damped: bool


class Rows(NamedTuple):
    """Two-sided limits low <= a u + b x <= high, each (…, r), for x at the beginning of an interval."""

    a: Array
    b: Array
    low: Array
    high: Array


class Torques(NamedTuple):
    """Torques rest + inertia u + square x + damping √x at points (…, nv)."""

    rest: Array
    inertia: Array
    square: Array
    damping: Array


def torques_of(limited: Limited, at: Along) -> Torques:
    """Return the torques along a path. The model counts dampers of joints, which are linear in the speed."""
    assert limited.dynamics is not None
    nv = len(limited.torque)
    first, second = np.ascontiguousarray(at.first[..., :nv]), np.ascontiguousarray(at.second[..., :nv])
    still = np.zeros_like(first)
    rest = limited.dynamics(at.q, still, still)
    forward = limited.dynamics(at.q, first, second)
    backward = limited.dynamics(at.q, -first, second) if limited.is_damped else forward
    square, damping = (forward + backward) / 2.0 - rest, (forward - backward) / 2.0
    return Torques(rest, limited.dynamics(at.q, still, first) - rest, square, damping)


def acceleration_ranges(limited: Limited, first: Array) -> tuple[Array, Array]:
    """Return the least and the largest acceleration (…, nv + f) of coordinates that move with first (…, nv + f)."""
    up, down = limited.acceleration, limited.deceleration
    if (up == down).all():
        return np.broadcast_to(-up, first.shape), np.broadcast_to(up, first.shape)
    low, high = np.where(first > 0.0, -down, -up), np.where(first > 0.0, up, down)
    both = np.minimum(up, down)
    return np.where(first == 0.0, -both, low), np.where(first == 0.0, both, high)


def rows_of(
    limited: Limited, at: Along, torques: Torques | None, later: Any, speed: Array, top: Array, ease: Array
) -> Rows:
    """Return the rows of accelerations and torques at points (…) of intervals.

    later (…, 1): 2 D at the end of an interval, where x has become x + 2 D u, and 0 at its beginning. speed, top
    (…, 1): what dampers need: a square root of x about which √x is replaced by its tangent, and the largest one, to
    which √x is above its chord. Both bound the part of a damper safely. ease (…, 1): part of the room for u and x that
    is used.
    """
    kept = np.isfinite(limited.acceleration)
    low, high = (x[..., kept] for x in acceleration_ranges(limited, at.first))
    second = at.second[..., kept]
    parts = [Rows(at.first[..., kept] + later * second, second, low, high)]
    if torques is not None:
        kept = np.isfinite(limited.torque)
        rest, inertia, square, damping = (x[..., kept] for x in torques)
        low, high = -limited.torque[kept] - rest, limited.torque[kept] - rest
        if limited.is_damped:
            none = np.full_like(low, np.inf)
            tangent, chord, constant = 0.5 / speed, np.where(top > 0.0, 1.0 / np.maximum(top, 1e-300), 0.0), 0.5 * speed
            more, less = np.maximum(damping, 0.0), np.minimum(damping, 0.0)
            b = square + more * tangent + less * chord
            parts.append(Rows(inertia + later * b, b, -none, high - more * constant))
            b = square + more * chord + less * tangent
            parts.append(Rows(inertia + later * b, b, low - less * constant, none))
        else:
            parts.append(Rows(inertia + later * square, square, low, high))
    a, b, low, high = (np.concatenate(x, axis=-1) for x in zip(*parts, strict=True))
    return Rows(a, b, np.where(low < 0.0, low * ease, low), np.where(high > 0.0, high * ease, high))


def solve_for_u(rows: Rows, length: Array, out: Array) -> tuple[Array, Array]:
    """Write rows into out (…, r, 3) as B, U, L of `kinetree.algorithms.reachability`; return the least and the largest
    x (…) that rows without u allow. length (…): of s; it compares what u and x contribute."""
    a, b, low, high = rows
    is_flat = np.abs(a) <= FLAT * np.abs(b) * length[..., None]
    least, most = np.zeros(a.shape[:-1]), np.full(a.shape[:-1], FREE)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        inverse = 1.0 / a
        out[..., 0] = b * inverse
        ends = low * inverse, high * inverse
        out[..., 1], out[..., 2] = np.minimum(np.maximum(*ends), FREE), np.maximum(np.minimum(*ends), -FREE)
        if is_flat.any():
            out[is_flat] = 0.0, FREE, -FREE
            ends = low / b, high / b
            ends = np.where(b == 0.0, -np.inf, np.minimum(*ends)), np.where(b == 0.0, np.inf, np.maximum(*ends))
            never = (b == 0.0) & ((low > 0.0) | (high < 0.0))
            least = np.where(is_flat, ends[0], 0.0).max(axis=-1, initial=0.0)
            most = np.where(is_flat, np.where(never, -1.0, ends[1]), FREE).min(axis=-1, initial=FREE)
    return least, most
