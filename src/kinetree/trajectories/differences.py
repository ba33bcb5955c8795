"""Rates of a motion between its samples by divided differences, and how much of them the rounding of numbers may be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinetree.model.robot import Robot, slices
from kinetree.queries.dynamics import difference
from kinetree.queries.query import tree
from kinetree.spatial.se3 import Array
from kinetree.trajectories.bounds import Follower

FEW = 20
"""Samples from which on the digits of numbers show how they are rounded."""


class Rates(NamedTuple):
    """Derivatives of one order, each taken somewhere between the first and the last of the samples that it is of.

    values, slack (m, c): with the part of them that may be rounding. places (m,): the middles, in samples.
    """

    values: Array
    slack: Array
    places: Array


def rates_between(steps: Array, at: Array, rounding: Array, every: int = 1) -> list[Rates]:
    """Return velocities, accelerations and jerks of every so many samples.

    steps (n - 1, c): from sample to sample, NaN at jumps. at (n,): times. rounding (c,): of the numbers. k! times the
    divided difference is a k-th derivative somewhere between its k + 1 samples, however far these are apart.
    """
    places = np.arange(0, len(at), every)
    ways = np.add.reduceat(steps[: places[-1]], places[:-1], axis=0) if every > 1 else steps
    times = at[places]
    dt = np.diff(times)[:, None]
    values = ways / dt
    slack = 2.0 * rounding / dt + _uncertain(at) * np.abs(values) / dt
    found = [Rates(values, slack, (places[1:] + places[:-1]) / 2)]
    for k in (2, 3):
        span = (times[k:] - times[:-k])[:, None]
        values, slack = k * np.diff(values, axis=0) / span, k * (slack[1:] + slack[:-1]) / span
        found.append(Rates(values, slack, (places[k:] + places[:-k]) / 2))
    return found


def at_samples(velocities: Rates, accelerations: Rates, dt: Array) -> tuple[Array, Array]:
    """Return velocities and accelerations at all samples (n, c), of parabolas through three; at the ends, of cubics.
    dt (n - 1,): between samples, of which there are four or more."""
    v, dt, a = velocities.values, dt[:, None], extended(accelerations.values)
    middle = (v[:-1] * dt[1:] + v[1:] * dt[:-1]) / (dt[1:] + dt[:-1])
    first, last = v[:1] - dt[:1] / 6 * (2 * a[:1] + a[1:2]), v[-1:] + dt[-1:] / 6 * (2 * a[-1:] + a[-2:-1])
    return np.vstack([first, middle, last]), a


def extended(a: Array, sign: float = -1.0) -> Array:
    """Return values (n - 2, c) with one more at each end, on the line through the last two, or, with sign 1, with the
    sum of the slack that it may have."""
    return np.vstack([2 * a[:1] + sign * a[1:2], a, 2 * a[-1:] + sign * a[-2:-1]])


def nearby(x: Array) -> Array:
    """Return the largest of five neighbours (n, c), a value itself in the middle."""
    wide = np.pad(x, ((2, 2), (0, 0)), mode="edge")
    return np.asarray(np.lib.stride_tricks.sliding_window_view(wide, 5, axis=0).max(axis=-1))


def steps_between(robot: Robot, followers: Sequence[Follower], q: Array) -> Array:
    """Return by how much the coordinates of qd and followers move between samples (n - 1, nv + f)."""
    model = tree(robot)
    places = [model.joints.index(one.name) for one in followers]
    own = difference(robot)(q[:-1], q[1:])
    return np.column_stack([own, *(np.diff(model.coordinates(i, q.T)[0]) for i in places)])


def with_followers(robot: Robot, followers: Sequence[Follower], q: Array, rates: Array) -> Array:
    """Return rates (n, nv) with those of followers whose rate is constant; others are not numbers."""
    model = tree(robot)
    places = [model.joints.index(one.name) for one in followers]
    more = [
        np.full(len(q), np.nan) if model.higher[i] else model.multiplier[i] * rates[:, one.leader]
        for i, one in zip(places, followers, strict=True)
    ]
    return np.column_stack([rates, *more])


def rounding_of(robot: Robot, followers: Sequence[Follower], q: Array) -> Array:
    """Return how much of each coordinate of qd and follower may be rounding (c,): half of the last digit of its
    numbers."""
    units, model, rates = _resolution(q) / 2, tree(robot), slices(robot, "nv")
    own = np.zeros(robot.nv)
    for name, where in robot.q_slices.items():
        own[rates[name]] = units[where].max(initial=0.0)
    places = [model.joints.index(one.name) for one in followers]
    return np.asarray(np.r_[own, [abs(model.multiplier[i]) * units[model.q_slice[i].start] for i in places]])


def _resolution(x: Array) -> Array:
    """Return what the last digit of the numbers of each column (n, c) is worth: 1e-6 in a file with 6 digits."""
    largest = np.abs(x).max(axis=0)
    found = np.where((x == x.astype(np.float32)).all(axis=0), 1.2e-7 * largest, 4.4e-16 * largest)
    if len(x) < FEW:
        return np.asarray(found)
    for scale, least in ((1.0, 4), (np.pi / 180, 2)):
        for digits in range(8, least - 1, -1):
            units = x / (scale * 10.0**-digits)
            exact = np.abs(units - np.round(units)).max(axis=0) < 1e-6 * 10.0 ** max(digits - 6, 0)
            found = np.where(exact, np.maximum(found, scale * 10.0**-digits), found)
    return np.asarray(found)


def _uncertain(at: Array) -> float:
    """Return by how much the time between samples is uncertain, s: one unit of the last digit, if steps differ."""
    dt = np.diff(at)
    unit = float(_resolution(at[:, None] - at[0])[0])
    return 0.0 if np.ptp(dt) <= 1e-6 * dt.mean() or unit > 0.05 * dt.min() else unit


STANDS_OUT, JUMP, QUICK = 10.0, 0.1, 0.1
"""A jump is so many times the steps beside it, and so large, rad or m, in so many seconds at most."""


def jumps_of(steps: Array, at: Array | None) -> NDArray[np.bool_]:
    """Return which steps (n - 1, c) are jumps: those before and after are small, but for one that goes back."""
    if len(steps) < 3:
        return np.zeros(steps.shape, dtype=bool)
    dt = np.ones((len(steps), 1)) if at is None else np.diff(at)[:, None]
    speed = np.pad(steps / dt, ((2, 2), (0, 0)), mode="reflect")
    here = speed[2:-2]
    before = np.where(speed[1:-3] * here < 0, speed[:-4], speed[1:-3])
    after = np.where(speed[3:-1] * here < 0, speed[4:], speed[3:-1])
    stands_out = np.abs(here) > STANDS_OUT * np.maximum(np.abs(before), np.abs(after))
    return np.asarray(stands_out & (np.abs(steps) > JUMP) & ((dt <= QUICK) | (at is None)))
