"""Speeds along a path from which the rest of it can be followed inside all limits (Pham & Pham, A New Approach to
Time-Optimal Path Parameterization Based on Reachability Analysis, 2018), one step at a time on any scalar.

On a path q(s), x is the square of the path's speed and u its acceleration: qd = q'(s) √x, qdd = q'(s) u + q''(s) x.
Over an interval of length D, u is constant, and x at its end is x + 2 D u. All limits are linear in u and x. They leave
u the range max(L - B x) <= u <= min(U - B x); the x with such a u are an interval, because the gap between the two is
concave in x. Its ends are found by Newton's method from outside, which never passes them.
"""

from typing import Any

import numpy as np

FREE = 1e150
"""Where u has no limit."""
ROUNDING = 1e-12
"""Part of the terms of the gap that is rounding error."""


def step(state: Any, *parts: Any) -> Any:
    """Return the state after a step of Newton's method to both ends of the interval of x.

    parts (r, 3): B, U, L of limits. state (3,): above zero while it goes on; the least x, and the largest, which is
    below the least one if there is no x.
    """
    rows = np.concatenate(parts)
    rise, low = _moved(rows, state[1])
    fall, high = _moved(rows, state[2])
    low = np.where(rise < 0.0, FREE, low)
    high = np.where(fall > 0.0, -FREE, high)
    going = np.where(abs(rise) + abs(fall) > 0.0, 1.0, 0.0)
    return np.array([np.where(low <= high, going, 0.0), low, high])


def faster(state: Any, *parts: Any) -> Any:
    """Return the x at the end of an interval over which u is as large as limits allow.

    state (4,): x at its beginning, 1 / 2 D, and the least and the largest x from which the rest of the path can be
    followed. parts (r, 3): B, U, L of limits.
    """
    x, per, low, high = state
    B, U, _ = np.concatenate(parts).T
    return np.maximum(np.minimum(x + _least(B, U, x)[0] / per, high), low)


def _moved(rows: Any, x: Any) -> tuple[Any, Any]:
    """Return the way, 1 or -1, in which the gap grows where it is negative, else 0, and the x where its tangent is
    zero, or x. A gap that is negative and flat grows nowhere: the way is 1, and the x is FREE."""
    B, U, L = rows.T
    upper, b, u = _least(B, U, x)
    lower, c, v = _least(-B, -L, x)
    slope = -b - c
    rounding = ROUNDING * (abs(u) + abs(b * x) + abs(v) + abs(c * x))
    is_flat = abs(slope) <= ROUNDING * (abs(b) + abs(c))
    tangent = np.where(is_flat, FREE, (u + v) / np.where(is_flat, 1.0, -slope))
    way = np.where(is_flat, 1.0, np.where(slope < 0.0, -1.0, 1.0))
    is_closed = upper + lower < -rounding
    return np.where(is_closed, way, 0.0), np.where(is_closed, tangent, x)


def _least(B: Any, U: Any, x: Any) -> tuple[Any, Any, Any]:
    """Return the least of U - B x over the rows (r,), and its B and U."""
    slope, start = B[0], U[0]
    least = start - slope * x
    for b, u in zip(B[1:], U[1:], strict=True):
        value = u - b * x
        is_less = value < least
        least, slope, start = np.where(is_less, value, least), np.where(is_less, b, slope), np.where(is_less, u, start)
    return least, slope, start
