"""One step of a guard: a safe command that keeps joints in a convex set. Runs on any scalar, without a branch."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetree.algorithms.vectors import largest
from kinetree.spatial.se3 import Array

FAR = 1e6
"""Absolute position, rad or m, from which on it counts as a fault."""

FREE, NEAR, CHANGED, OUTSIDE, REFUSED, BRAKING = range(6)
"""States of a step: the command passes; it passes, near a limit; it was changed; the joints are outside and return; the
command or the position is NaN or beyond FAR, and the joints stop; no velocity near the command could be stopped inside,
and the joints slow down as fast as they may."""


@dataclass(frozen=True, slots=True, eq=False)
class Fence:
    """The set {x : A x <= b} of n joints and m limits, and how a guard keeps it.

    A (m, n): rows of length one, the ends of each joint's range included. b (m,): their bounds.
    blocks: coupled joints with their rows; blocks are independent of each other.
    center (n,): a point deep inside.
    skin (m,): how far inside each row targets lie. pad (m,): allowance for rounding there, less than skin.
    turns: rows in the order of projection.
    reach: the furthest that a joint's command is followed in one step.
    speed (n,): of the way back inside.
    warn: the distance below which a limit is near.
    """

    A: Array
    b: Array
    blocks: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]
    center: Array
    skin: Array
    pad: Array
    turns: tuple[int, ...]
    reach: float
    speed: Array
    warn: float


def guard_step(fence: Fence, q: Any, command: Any, dt: Any) -> Array:
    """Return the safe command (n), its distance to the nearest limit, that limit's number, and the state: (n + 3,).

    q (n): positions of the joints. command (n): their targets. dt: seconds of this step. From inside, the joints go
    straight to the point of the set nearest to the command; from outside, straight to the point nearest to them, by at
    most speed * dt. `clipped` alone guarantees that no limit is crossed, whatever the projection returns.
    """
    farthest = largest([abs(x) for x in (*q, *command)])
    slack = slacks(fence, q)
    inside = least(slack)[0]
    near = [np.maximum(np.minimum(x, at + fence.reach), at - fence.reach) for at, x in zip(q, command, strict=True)]
    wish = [np.where(inside < 0.0, here, x) for here, x in zip(q, near, strict=True)]
    target = pulled(fence, swept(fence, wish))
    step = [x - here for here, x in zip(q, target, strict=True)]
    shares = clipped(fence, slack, step, np.where(inside < 0.0, at_speed(fence, step, dt), 1.0))
    part = [np.where(s < 1.0, here + s * d, x) for s, here, d, x in zip(shares, q, step, target, strict=True)]
    safe = [np.where(farthest < FAR, x, here) for here, x in zip(q, part, strict=True)]
    distance, nearest, state = judged(fence, safe, command)
    state = np.where(inside < 0.0, float(OUTSIDE), state)
    return np.array([*safe, distance, nearest, np.where(farthest < FAR, state, float(REFUSED))])


def judged(fence: Fence, safe: Any, command: Any) -> tuple[Any, Any, Any]:
    """Return the distance of a safe command to the nearest limit, the limit's number, and the state: FREE, NEAR, or
    CHANGED if it is not the command."""
    distance, nearest = least(slacks(fence, safe))
    off = largest([abs(x - y) for x, y in zip(safe, command, strict=True)])
    state = np.where(distance < fence.warn, float(NEAR), float(FREE))
    return distance, nearest, np.where(off <= 2.0 * float(fence.skin.max()), state, float(CHANGED))


def slacks(fence: Fence, x: Any) -> list[Any]:
    """Return the distances (m,) of x (n) to the limits, negative outside."""
    return [bound - value for bound, value in zip(fence.b, times(fence.A, x), strict=True)]


def swept(fence: Fence, wish: Any) -> list[Any]:
    """Return nearly the point nearest to `wish` in the set moved in by its skin, by Dykstra's projections on one row
    after the other (Boyle & Dykstra, in: Advances in Order Restricted Statistical Inference, 1986, pages 28 to 47)."""
    x: list[Any] = list(wish)
    taken: dict[int, Any] = dict.fromkeys(fence.turns, 0.0)
    for i in fence.turns:
        used = np.flatnonzero(fence.A[i])
        beyond = sum(fence.A[i, j] * x[j] for j in used) - (fence.b[i] - fence.skin[i])
        more = np.where(-taken[i] < beyond, beyond, -taken[i])
        taken[i] = taken[i] + more
        for j in used:
            x[j] = x[j] - more * fence.A[i, j]
    return x


def pulled(fence: Fence, x: Any) -> list[Any]:
    """Return x with the joints of each block pulled towards the center until they are inside its rows, by the skin."""
    bounds = fence.b - fence.skin
    depth, values, found = bounds - fence.A @ fence.center, times(fence.A, x), list(x)
    for joints, rows in fence.blocks:
        share: Any = 0.0
        for i in rows:
            beyond = np.where(bounds[i] < values[i], values[i] - bounds[i], 0.0)
            needed = beyond / (beyond + depth[i])
            share = np.where(share < needed, needed, share)
        for j in joints:
            found[j] = found[j] + share * (fence.center[j] - found[j])
    return found


def clipped(fence: Fence, slack: Any, step: Any, most: Any) -> list[Any]:
    """Return, for each joint, the largest fraction of its block's step, up to `most`, that crosses no limit. A limit
    that is already crossed is not crossed further. This is safe against rounding."""
    rates, shares = times(fence.A, step), [most] * len(fence.center)
    for joints, rows in fence.blocks:
        share = most
        for i in rows:
            room = np.where(fence.pad[i] < slack[i], slack[i] - fence.pad[i], 0.0)
            share = np.where(room < share * rates[i], room / rates[i], share)
        for j in joints:
            shares[j] = share
    return shares


def at_speed(fence: Fence, step: Any, dt: Any) -> Any:
    """Return the fraction of a step at which no joint exceeds its speed."""
    share: Any = 1.0
    for x, speed in zip(step, fence.speed, strict=True):
        allowed = np.where(dt > 0.0, speed * dt, 0.0)
        share = np.where(allowed < share * abs(x), allowed / abs(x), share)
    return share


def times(A: Array, x: Any) -> list[Any]:
    """Return A x (m,), without the products with zero."""
    return [sum(row[j] * x[j] for j in np.flatnonzero(row)) for row in A]


def least(values: Any) -> tuple[Any, Any]:
    """Return the least value and its number; the first of equal ones."""
    least, number = values[0], np.asarray(0.0)
    for i, value in enumerate(values[1:], 1):
        number = np.where(value < least, float(i), number)
        least = np.where(value < least, value, least)
    return least, number
