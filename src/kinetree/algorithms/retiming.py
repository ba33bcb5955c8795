"""Limits of velocities, accelerations and torques along a path q(s), on any scalar (Pham & Pham, A New Approach to
Time-Optimal Path Parameterization Based on Reachability Analysis, 2018).

x is the square of the path's speed and u its acceleration: qd = q'(s) √x, qdd = q'(s) u + q''(s) x, and torques are
rest + inertia u + square x + damping √x.
"""

from math import perm
from typing import Any, NamedTuple

import numpy as np

from kinetree.algorithms.reachability import FREE

FLAT = 1e-10
"""Part of what x can contribute to a row below which what u can contribute is zero: points of zero inertia."""
TINY = 1e-290
"""What u can contribute to a row where x contributes nothing, below which it is zero, too."""
ERROR = 0.02
"""Part of the bend of a parabola through three points that it may be off."""


class Counted(NamedTuple):
    """Name the limits that count: indices of velocities and accelerations, by coordinate, and of torques. is_even:
    whether speeding up and slowing down have the same limits. is_damped: whether torques depend on √x."""

    velocity: tuple[int, ...]
    acceleration: tuple[int, ...]
    torque: tuple[int, ...]
    is_even: bool
    is_damped: bool


def derivative(coefficients: Any, since: Any, order: int) -> Any:
    """Return a derivative, by Horner's rule, of the polynomials with these coefficients, the highest power first."""
    k = len(coefficients) - 1
    found = perm(k, order) * coefficients[0] + 0.0 * since
    for power, coefficient in zip(range(k - 1, order - 1, -1), coefficients[1:], strict=False):
        found = found * since + perm(power, order) * coefficient
    return found


def point(coefficients: Any, since: Any) -> tuple[Any, Any, Any]:
    """Return q, q' and q'' (n,) of a piece with coefficients (k + 1, n), `since` after its beginning."""
    return derivative(coefficients, since, 0), derivative(coefficients, since, 1), derivative(coefficients, since, 2)


def rows(
    counted: Counted, first: Any, second: Any, later: Any, length: Any, ease: Any, up: Any, down: Any, *torques: Any
) -> tuple[Any, Any]:
    """Return B, U, L (r, 3) of each limit, L - B x <= u <= U - B x, and the least and the largest x of rows without u.

    first, second: q' and q'', of followers, too. later: 2 D at the end of an interval of length D, where x has become
    x + 2 D u, and 0 at its beginning. length: of s; it compares what u and x contribute. ease: part of the room for u
    and x that is used. up, down: limits of acceleration and deceleration. torques: none, or their limits (nv,), and
    those of `_torque`; with dampers two more, which bound their part safely: a square root of x about which √x is
    replaced by its tangent, and the largest one, to which √x is above its chord.
    """
    limits = []
    for i in counted.acceleration:
        low, high = _range(counted, first[i], up[i], down[i])
        limits.append((first[i], second[i], low, high))
    for j in counted.torque:
        most, (rest, inertia, square, damping) = torques[0][j], _torque(*(x[j] for x in torques[1:5]))
        if not counted.is_damped:
            limits.append((inertia, square, -most - rest, most - rest))
            continue
        speed, top = torques[5:]
        tangent, chord = 0.5 / speed, np.where(top > 0.0, 1.0 / np.maximum(top, 1e-300), 0.0)
        more, less = np.maximum(damping, 0.0), np.minimum(damping, 0.0)
        b, c = square + more * tangent + less * chord, square + more * chord + less * tangent
        limits.append((inertia, b, -FREE, most - rest - more * (0.5 * speed)))
        limits.append((inertia, c, -most - rest - less * (0.5 * speed), FREE))
    found, least, largest = [], 0.0, FREE
    for a, b, low, high in limits:
        low, high = np.where(low < 0.0, ease * low, low), np.where(high > 0.0, ease * high, high)
        row, lower, upper = _solved(a + later * b, b, low, high, length)
        found.append(row)
        least, largest = np.maximum(least, lower), np.minimum(largest, upper)
    return np.array(found), np.array([least, largest])


def _range(counted: Counted, first: Any, up: Any, down: Any) -> tuple[Any, Any]:
    """Return the least and the largest acceleration of a coordinate that moves with q' = first."""
    if counted.is_even:
        return -up, up
    both = np.minimum(up, down)
    low, high = np.where(first > 0.0, -down, -up), np.where(first < 0.0, down, up)
    moves = abs(first) > 0.0
    return np.where(moves, low, -both), np.where(moves, high, both)


def _torque(rest: Any, pulled: Any, forward: Any, backward: Any = None) -> tuple[Any, Any, Any, Any]:
    """Return rest, inertia, square and damping from the torques at rest, with qdd = q', and with qdd = q'' and qd = q',
    and qd = -q' if there are dampers."""
    if backward is None:
        return rest, pulled - rest, forward - rest, 0.0
    return rest, pulled - rest, (forward + backward) / 2.0 - rest, (forward - backward) / 2.0


def _solved(a: Any, b: Any, low: Any, high: Any, length: Any) -> tuple[tuple[Any, Any, Any], Any, Any]:
    """Return B, U, L of a limit low <= a u + b x <= high, and the least and the largest x if it does not limit u."""
    is_flat, has_x = abs(a) <= FLAT * abs(b) * length + TINY, abs(b) > TINY
    inverse, other = 1.0 / np.where(is_flat, 1.0, a), 1.0 / np.where(has_x, b, 1.0)
    B, U, L = b * inverse, np.maximum(low * inverse, high * inverse), np.minimum(low * inverse, high * inverse)
    row = np.where(is_flat, 0.0, B), np.where(is_flat, FREE, np.minimum(U, FREE))
    is_never = np.where(low > 0.0, 1.0, 0.0) + np.where(high < 0.0, 1.0, 0.0) > 0.0
    lower = np.where(has_x, np.minimum(low * other, high * other), 0.0)
    upper = np.where(has_x, np.maximum(low * other, high * other), np.where(is_never, -1.0, FREE))
    return (
        (*row, np.where(is_flat, -FREE, np.maximum(L, -FREE))),
        np.where(is_flat, lower, 0.0),
        np.where(is_flat, upper, FREE),
    )


def slowing(counted: Counted, x: Any, u: Any, velocity: Any, up: Any, down: Any, *points: Any) -> Any:
    """Return the largest part, at most 1, of the speed at which all limits hold in an interval, or -1 if some torque
    has no room.

    x (3,), u (): of the motion at its beginning, middle and end, through which parabolas bound the values between. At r
    times the speed, velocities are r times as large, and accelerations r². points: q' and q'' at each of the three,
    then, if torques count, their limits, and rest, inertia, square and damping at each.
    """
    first, second, torques = points[:3], points[3:6], points[6:]
    share: Any = 1.0
    for i in counted.velocity:
        share = np.maximum(share, peak(*((first[k][i] / velocity[i]) ** 2 * x[k] for k in range(3))))
    for i in counted.acceleration:
        ends = [_range(counted, one[i], up[i], down[i]) for one in first]
        low = np.maximum(np.maximum(ends[0][0], ends[1][0]), ends[2][0])  # of both ways where a joint turns
        high = np.minimum(np.minimum(ends[0][1], ends[1][1]), ends[2][1])
        qdd = [first[k][i] * u + second[k][i] * x[k] for k in range(3)]
        share = np.maximum(share, peak(*(one / high for one in qdd)))
        share = np.maximum(share, peak(*(one / low for one in qdd)))
    held = []
    for j in counted.torque:
        most, given = torques[0][j], [[one[j] for one in torques[1 + k :: 3]] for k in range(3)]
        rest, inertia, square, damping = zip(*(_torque(*one) for one in given), strict=True)
        even = [inertia[k] * u + square[k] * x[k] for k in range(3)]
        odd = [damping[k] * np.sqrt(x[k]) if counted.is_damped else 0.0 for k in range(3)]
        for sign in (1.0, -1.0):
            tau = [sign * (rest[k] + even[k] + odd[k]) for k in range(3)]
            more = np.maximum(peak(*tau) - np.maximum(np.maximum(tau[0], tau[1]), tau[2]), 0.0)
            held += [(sign * even[k] + more, sign * odd[k], most - sign * rest[k]) for k in range(3)]
    for a, _, c in () if counted.is_damped else held:
        share = np.maximum(share, np.where(c > 0.0, a / c, np.where(a > c, np.inf, 1.0)))
    r = 1.0 / np.sqrt(share)
    for a, b, c in held if counted.is_damped else ():
        r = np.minimum(r, _root(a, b, c))
    for a, b, c in held:  # if c < 0, only momentum carries the robot through
        r = np.where(np.where(c < 0.0, (a * r + b) * r, c) <= c, r, -1.0)
    return r


def peak(first: Any, middle: Any, last: Any) -> Any:
    """Return the largest value, between three points, of the parabola through values at them."""
    bend, lean = first - 2.0 * middle + last, last - first
    is_arch = abs(lean) < -2.0 * bend
    top = middle - lean**2 / np.where(is_arch, 8.0 * bend, 1.0) - ERROR * bend
    return np.maximum(np.maximum(first, last), np.where(is_arch, np.maximum(top, middle), middle))


def _root(a: Any, b: Any, c: Any) -> Any:
    """Return the largest r from 0 to 1 with a r² + b r <= c. If c >= 0, it holds below r, too, unless a < 0 < b."""
    root = np.sqrt(np.maximum(b * b + 4.0 * a * c, 0.0))
    below = b + root
    r = np.where(below > 0.0, 2.0 * c / np.where(below > 0.0, below, 1.0), (root - b) / np.where(a > 0.0, 2.0 * a, 1.0))
    return np.where(a + b > c, np.where(c < 0.0, 0.0, r), 1.0)
