"""Checks of how fast a motion is: velocity, acceleration, jerk, torque and jumps, against the limits of joints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from kinetree.display import counted, listed, number
from kinetree.errors import Finding, Severity
from kinetree.model.robot import Robot, slices
from kinetree.queries.dynamics import difference, inverse_dynamics, mass_matrix
from kinetree.queries.query import tree
from kinetree.spatial.se3 import Array
from kinetree.trajectories.bounds import Follower, bounds_of, followers_of
from kinetree.trajectories.samples import Samples

OVER = 1e-6
"""Part of a limit by which a rate may exceed it, as numbers are rounded."""
STANDS_OUT, JUMP, QUICK = 10.0, 0.1, 0.1
"""A jump is so many times the steps beside it, and so large, rad or m, in so many seconds at most."""
FEW = 20
"""Samples from which on the digits of numbers show how they are rounded."""
UNITS = {"velocity": "/s", "acceleration": "/s²", "jerk": "/s³"}


class Columns(NamedTuple):
    """What has limits of rates: velocity coordinates, then followers. names: of the joints. angular: whether it is an
    angle."""

    names: tuple[str, ...]
    angular: tuple[bool, ...]
    followers: tuple[Follower, ...]


def columns_of(robot: Robot) -> Columns:
    """Return the columns of rates of a robot."""
    followers = tuple(followers_of(robot))
    joints = [robot.joints[name] for name in robot.joint_names]
    rows = [(joint.name, angular) for joint in joints for angular in joint.kind.velocity_angular]
    rows += [(one.name, robot.joints[one.name].kind.angular[0]) for one in followers]
    names, angular = zip(*rows, strict=True) if rows else ((), ())
    return Columns(names, angular, followers)


def limits_of(robot: Robot, columns: Columns, given: Any, option: str, field: str) -> tuple[Array, list[str]]:
    """Return the limits (c,) that `bounds_of` returns, and the joints whose limit is 0, which counts as unknown."""
    own = bounds_of(robot, columns.followers, option, given, field)
    zero = [name for name, x in zip(columns.names, own, strict=True) if x <= 0]
    own[own <= 0] = np.inf
    return own, zero


def rate_findings(samples: Samples, options: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield findings about rates and torques. options: those of `check`, by their names."""
    robot, columns = samples.robot, columns_of(samples.robot)
    q, at, n = samples.q, samples.times, len(samples.q)
    if n < 2:
        return
    if samples.beside is not None:
        yield unchecked("velocities, accelerations and torques are not checked: a path has no times")
        return
    steps = _steps(robot, q)
    jumps = _jumps(steps, at)
    yield from _jump_findings(samples, columns, steps, jumps)
    if at is None:
        yield unchecked("velocities, accelerations and torques are not checked: there are no times")
        return
    dt = np.diff(at)[:, None]
    rounding = np.tile(_rounding(robot, q), (n, 1))
    rates, slack = [np.where(jumps, np.nan, steps / dt)], [(rounding[1:] + rounding[:-1]) / dt]
    slack[0] = slack[0] + _uncertain(at) * np.abs(rates[0]) / dt
    for k in (2, 3):  # k! times the divided difference is a k-th derivative somewhere in between
        span = (at[k:] - at[:-k])[:, None]
        rates.append(k * np.diff(rates[-1], axis=0) / span)
        slack.append(k * (slack[-1][1:] + slack[-1][:-1]) / span)
    known = [None if x is None else _with_followers(robot, q, x) for x in (samples.qd, samples.qdd)]
    for k, field in enumerate(UNITS, 1):
        limits, zero = limits_of(robot, columns, options.get(field, True), field, field)
        yield from _unknown(zero, limits, field, options.get(field, True))
        exact = known[k - 1] if k < 3 else None
        given = np.zeros((0, len(limits))) if exact is None else exact
        values, places = np.vstack([rates[k - 1], given]), np.r_[np.arange(n - k) + k / 2, np.arange(len(given))]
        extra = np.vstack([slack[k - 1], np.zeros(given.shape)])
        yield from _exceeded(samples, columns, field, "error", values, places, limits, extra)
    yield from _torques(samples, columns, options, rates, slack)


def unchecked(message: str, fix: str | None = None) -> Finding:
    """Return the remark that something is not checked."""
    return Finding("motion-unchecked", "info", message, fix=fix)


def _unknown(zero: list[str], limits: Array, field: str, option: Any) -> Iterator[Finding]:
    if zero:
        message = f"the {field} is not checked of joints whose limit is 0: {listed(zero)}"
        yield unchecked(message, f"pass {field}= with their limits")
    elif option is True and field == "acceleration" and np.isinf(limits).all():
        yield unchecked("accelerations are not checked: no joint has a limit of it", "pass acceleration=")


def _exceeded(
    samples: Samples,
    columns: Columns,
    field: str,
    severity: Severity,
    values: Array,
    places: Array,
    limits: Array,
    slack: Array,
) -> Iterator[Finding]:
    """Yield a finding for each column of values (m, c) that exceeds its limit (c,), by more than a slack (m, c).
    places (m,): the samples at which the values are."""
    over = np.abs(values) > limits * (1 + OVER) + slack
    for column in np.flatnonzero(over.any(axis=0)).tolist():
        rows = np.flatnonzero(over[:, column])
        worst = rows[np.abs(values[rows, column]).argmax()]
        unit = ("N m" if columns.angular[column] else "N") if field == "torque" else ""
        unit = unit or ("rad" if columns.angular[column] else "m") + UNITS[field]
        size, limit = number(abs(values[worst, column]), 4), number(limits[column], 4)
        first = samples.when(places[rows].min())
        since = "" if len(rows) == 1 else f"; too large {len(rows)} times, first at {first}"
        message = (
            f"the {field} is {size} {unit} at {samples.when(places[worst])}, above its limit {limit} {unit}{since}"
        )
        yield Finding(f"motion-{field}", severity, message, None, f"joint {columns.names[column]!r}")


def _torques(
    samples: Samples, columns: Columns, options: Mapping[str, Any], rates: list[Array], slack: list[Array]
) -> Iterator[Finding]:
    robot, q, at, n = samples.robot, samples.q, samples.times, len(samples.q)
    option = options.get("torque", True)
    limits, zero = limits_of(robot, columns, option, "torque", "effort")
    limits = limits[: robot.nv]
    if option is False or (np.isinf(limits).all() and not zero):
        return
    floats = [name for name in robot.joint_names if robot.joints[name].type == "floating"]
    why = "there are closed loops" if robot.loops else f"joint {floats[0]!r} floats" if floats else ""
    why = why or ("no link has a mass" if not any(x.inertial for x in robot.links.values()) else "")
    if why:
        yield unchecked(f"torques are not checked: {why}")
        return
    yield from _unknown(zero, limits, "torque", option)
    severity: Severity
    if samples.qd is not None and samples.qdd is not None:
        given, places, severity = (q, samples.qd, samples.qdd), np.arange(n), "error"
        tau = inverse_dynamics(robot)(*given)
        extra = np.zeros(tau.shape)
    elif n > 3 and at is not None:
        given = (q, *_derivatives(rates[0][:, : robot.nv], rates[1][:, : robot.nv], np.diff(at)[:, None]))
        places, severity, off = np.arange(n), "warning", slack[1][:, : robot.nv]
        off = np.vstack([2 * off[:1] + off[1:2], off, 2 * off[-1:] + off[-2:-1]])
        tau = inverse_dynamics(robot)(*given)
        extra, rows = np.zeros(tau.shape), np.flatnonzero((np.abs(tau) > limits).any(axis=1))
        extra[rows] = (np.abs(mass_matrix(robot)(q[rows])) @ off[rows, :, None])[..., 0]
    else:
        return
    yield from _exceeded(samples, columns, "torque", severity, tau, places, limits, extra)


def _derivatives(v: Array, a: Array, dt: Array) -> tuple[Array, Array]:
    """Return velocities and accelerations at all samples (n, nv), of parabolas through three; at the ends, of cubics.
    v (n - 1, nv): mean velocities of steps. a (n - 2, nv): accelerations in their middles. dt (n - 1, 1)."""
    a = np.vstack([2 * a[:1] - a[1:2], a, 2 * a[-1:] - a[-2:-1]])
    middle = (v[:-1] * dt[1:] + v[1:] * dt[:-1]) / (dt[1:] + dt[:-1])
    first, last = v[:1] - dt[:1] / 6 * (2 * a[:1] + a[1:2]), v[-1:] + dt[-1:] / 6 * (2 * a[-1:] + a[-2:-1])
    return np.vstack([first, middle, last]), a


def _steps(robot: Robot, q: Array) -> Array:
    """Return by how much each column of rates moves between samples (n - 1, c)."""
    own = difference(robot)(q[:-1], q[1:])
    model = tree(robot)
    places = [model.joints.index(joint.name) for joint in robot.joints.values() if joint.mimic]
    return np.column_stack([own, *(np.diff(model.coordinates(i, q.T)[0]) for i in places)])


def _with_followers(robot: Robot, q: Array, rates: Array) -> Array:
    """Return rates (n, nv) with those of followers whose rate is constant; others are not numbers."""
    model = tree(robot)
    places = [model.joints.index(joint.name) for joint in robot.joints.values() if joint.mimic]
    more = [
        np.full(len(q), np.nan) if model.higher[i] else model.multiplier[i] * rates[:, model.v_slice[i].start]
        for i in places
    ]
    return np.column_stack([rates, *more])


def _jumps(steps: Array, at: Array | None) -> Array:
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


def _jump_findings(samples: Samples, columns: Columns, steps: Array, jumps: Array) -> Iterator[Finding]:
    velocity, _ = limits_of(samples.robot, columns, True, "velocity", "velocity")
    for column in np.flatnonzero(jumps.any(axis=0)).tolist():
        step, more = int(jumps[:, column].argmax()), int(jumps[:, column].sum()) - 1
        size, angular, at = float(steps[step, column]), columns.angular[column], samples.at
        quick = at is not None and abs(size) > velocity[column] * float(at[step + 1] - at[step])
        message = f"jumps by {number(size, 4)} {'rad' if angular else 'm'} from {samples.when(step)} to the next sample"
        message += f"; {counted(more, 'more jump')}" if more else ""
        fix = "the angle is wrapped by a turn; unwrap it, as numpy.unwrap does" if angular and _is_turn(size) else None
        joint = f"joint {columns.names[column]!r}"
        yield Finding("motion-jump", "error" if quick else "warning", message, None, joint, fix)


def _is_turn(size: float) -> bool:
    return abs(abs(size) - 2 * np.pi) < JUMP


def _rounding(robot: Robot, q: Array) -> Array:
    """Return how much of each column of rates may be rounding (c,): half of the last digit of its numbers."""
    units, model = _resolution(q) / 2, tree(robot)
    rates = slices(robot, "nv")
    own = np.zeros(robot.nv)
    for name, where in robot.q_slices.items():
        own[rates[name]] = units[where].max(initial=0.0)
    places = [model.joints.index(joint.name) for joint in robot.joints.values() if joint.mimic]
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
