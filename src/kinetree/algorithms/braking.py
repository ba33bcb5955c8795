"""One step of a guard that brakes: what it lets through can always be stopped inside. Runs on any scalar, no branch.

The certificate is a stop along a straight line. From position x and velocity v (n,) let T be the longest time that a
joint needs to stop, T = max |v_j| / a_j. If all joints slow down in proportion, linearly, over T seconds, they end at
x + v T / 2. The set is convex: if x and this end are inside, so is the whole way. One step of dt seconds at velocity v
from q is therefore safe if q + v (dt + T / 2) is inside. One step dt along that stop leaves its end where it was or
nearer, so a stop that exists once exists until the joints stand, whatever the lengths of the steps.

v -> u = v (dt + T / 2), from a velocity to the way up to its stop, can be inverted in closed form: the velocity nearest
to a command is found by projecting the end of its stop onto the set.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetree.algorithms.guard import (
    BRAKING,
    FAR,
    OUTSIDE,
    REFUSED,
    Fence,
    at_speed,
    judged,
    least,
    pulled,
    slacks,
    swept,
)
from kinetree.algorithms.vectors import largest
from kinetree.spatial.se3 import Array

RESERVE = 0.01
"""Part of the acceleration that the certificate leaves out; half of it is for rounding in the speeds themselves."""


@dataclass(frozen=True, slots=True, eq=False)
class Brakes:
    """Limits of joints: acceleration (n,), above 0, and velocity (n,), infinite where there is no limit."""

    acceleration: Array
    velocity: Array

    @property
    def driven(self) -> Array:
        """Return the acceleration (n,) that joints are driven with."""
        return self.acceleration * (1.0 - RESERVE / 2.0)

    @property
    def certain(self) -> Array:
        """Return the acceleration (n,) that stops are certified with."""
        return self.acceleration * (1.0 - RESERVE)


def braking_step(fence: Fence, brakes: Brakes, q: Any, qd: Any, command: Any, dt: Any) -> Array:
    """Return the safe command (n) and its velocity (n), its distance to the nearest limit, that limit's number, and the
    state: (2 n + 3,).

    q (n): positions. qd (n): velocity of the step before. command (n): targets at the end of this step of dt seconds.
    `_chosen` alone guarantees that a stop inside remains, whatever the projection returns.
    """
    state_size, size = largest([abs(x) for x in (*q, *qd)]), largest([abs(x) for x in command])
    h = np.where(dt > 0.0, np.where(dt < FAR, dt, FAR), 1.0)
    slack = slacks(fence, q)
    inside = least(slack)[0]
    wish = [np.where(size < FAR, (x - here) / h, 0.0) for here, x in zip(q, command, strict=True)]
    first = _limited(brakes, qd, h, wish)
    best = _limited(brakes, qd, h, _nearest(fence, brakes, inside, q, h, first))
    v, braking = _chosen(fence, brakes, slack, qd, h, first, best)
    safe = [
        np.where(abs(rate - asked) <= 0.0, x, here + rate * h)
        for rate, asked, x, here in zip(v, wish, command, q, strict=True)
    ]
    timed = np.where(dt > 0.0, np.where(dt < FAR, 0.0, FAR), FAR)
    moves = np.where(np.maximum(state_size, timed) < FAR, 1.0, 0.0)
    safe = [
        np.where(moves > 0.5, np.where(size < FAR, x, here + rate * h), here)
        for x, here, rate in zip(safe, q, v, strict=True)
    ]
    v = [np.where(moves > 0.5, x, np.where(state_size < FAR, rate, 0.0)) for x, rate in zip(v, qd, strict=True)]
    distance, nearest, state = judged(fence, safe, command)
    state = np.where(braking > 0.5, float(BRAKING), state)
    state = np.where(inside < 0.0, float(OUTSIDE), state)
    state = np.where(np.maximum(size, timed) < FAR, state, float(REFUSED))
    return np.array([*safe, *v, distance, nearest, np.where(state_size < FAR, state, float(REFUSED))])


def _limited(brakes: Brakes, qd: Any, h: Any, v: Any) -> list[Any]:
    """Return the velocity (n) nearest to v, joint by joint, that the joints can have h seconds after they had qd."""
    found = []
    for x, now, most, a in zip(v, qd, brakes.velocity, brakes.driven, strict=True):
        if np.isfinite(most):
            x = np.maximum(np.minimum(x, float(most)), -float(most))
        found.append(np.maximum(np.minimum(x, now + a * h), now - a * h))
    return found


def _stop_time(acceleration: Array, joints: Sequence[int], v: Any) -> Any:
    """Return the seconds that these joints need to stop together."""
    return largest([abs(v[j]) / float(acceleration[j]) for j in joints])


def _nearest(fence: Fence, brakes: Brakes, inside: Any, q: Any, h: Any, first: Any) -> list[Any]:
    """Return the velocity (n) whose stop ends nearly at the point nearest to the end of the stop of `first`."""
    end = list(q)
    for joints, _ in fence.blocks:
        reach = h + 0.5 * _stop_time(brakes.certain, joints, first)
        for j in joints:
            way = np.maximum(np.minimum(first[j] * reach, fence.reach), -fence.reach)
            end[j] = np.where(inside < 0.0, q[j], q[j] + way)
    way = [x - here for here, x in zip(q, pulled(fence, swept(fence, end)), strict=True)]
    back = at_speed(fence, way, h) / h
    v = list(way)
    for joints, _ in fence.blocks:
        rate = 2.0 / (h + np.sqrt(h * h + 2.0 * _stop_time(brakes.certain, joints, way)))
        for j in joints:
            v[j] = way[j] * np.where(inside < 0.0, back, rate)
    return v


def _chosen(fence: Fence, brakes: Brakes, slack: Any, qd: Any, h: Any, first: Any, best: Any) -> tuple[list[Any], Any]:
    """Return the velocity (n) of this step, and whether a block of joints is stopped (1 or 0).

    For each block: `first` if its stop is certified; or the part of the way from the stop that is driven now to `best`
    that is; or this stop.
    """
    inside, chosen, braking = least(slack)[0], list(qd), np.asarray(0.0)
    room = [np.where(pad < s, s - pad, 0.0) for s, pad in zip(slack, fence.pad, strict=True)]
    less = [np.where(pad < x, x - pad, 0.0) for x, pad in zip(room, fence.pad, strict=True)]
    for joints, rows in fence.blocks:
        time = _stop_time(brakes.driven, joints, qd)
        kept = np.where(h < time, 1.0 - h / time, 0.0)
        stop = [kept * x for x in qd]
        share = _share(fence, brakes, (joints, rows), less, h, stop, best)
        part = [s + share * (x - s) for s, x in zip(stop, best, strict=True)]
        over = _over(fence, brakes, (joints, rows), room, h, part)
        over_first = np.where(inside < 0.0, 1.0, _over(fence, brakes, (joints, rows), room, h, first))
        share = np.where(over <= 0.0, share, 0.0)
        for j in joints:
            chosen[j] = np.where(over_first <= 0.0, first[j], np.where(share > 0.0, part[j], stop[j]))
        held = np.where(share > 0.0, 0.0, np.where(kept > 0.0, 1.0, 0.0))
        braking = np.maximum(braking, np.where(over_first <= 0.0, 0.0, held))
    return chosen, braking


def _over(fence: Fence, brakes: Brakes, block: Any, room: Any, h: Any, v: Any) -> Any:
    """Return how far the stop after a step at v ends beyond the rows of a block; 0 or less is certified."""
    joints, rows = block
    reach = h + 0.5 * _stop_time(brakes.certain, joints, v)
    return largest([sum(fence.A[i, j] * v[j] for j in joints if fence.A[i, j]) * reach - room[i] for i in rows])


def _share(fence: Fence, brakes: Brakes, block: Any, room: Any, h: Any, start: Any, end: Any) -> Any:
    """Return the largest s up to 1 for which the stop after a step at start + s (end - start) is certified by every row
    of a block, as is that of each smaller s.

    The time to stop is convex in s, so its chord is never below it: with it, c0 + c1 s + c2 s² is at least how far
    the stop ends beyond the row. What is up to its first root is certified; all of it, if there is none.
    """
    joints, rows = block
    time = _stop_time(brakes.certain, joints, start)
    more = 0.5 * (_stop_time(brakes.certain, joints, end) - time)
    reach, share = h + 0.5 * time, np.asarray(1.0)
    for i in rows:
        used = [j for j in joints if fence.A[i, j]]
        rate = sum(fence.A[i, j] * start[j] for j in used)
        gain = sum(fence.A[i, j] * (end[j] - start[j]) for j in used)
        c0, c1, c2 = rate * reach - room[i], gain * reach + rate * more, gain * more
        under = c1 * c1 - 4.0 * c0 * c2
        slope = c1 + np.sqrt(np.where(under > 0.0, under, 0.0))
        root = np.where(slope > -2.0 * c0, -2.0 * c0 / slope, 1.0)
        root = np.where(under < 0.0, 1.0, np.where(c0 > 0.0, 0.0, root))
        share = np.where(root < share, root, share)
    return share
