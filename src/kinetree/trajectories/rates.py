"""Checks of how fast a motion is: velocity, acceleration, jerk, torque and jumps, against the limits of joints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from kinetree.display import counted, listed, number
from kinetree.errors import Finding, Severity
from kinetree.model.robot import Robot
from kinetree.queries.dynamics import inverse_dynamics, mass_matrix
from kinetree.spatial.se3 import Array
from kinetree.trajectories.bounds import Bounds, Follower, bounds_of, followers_of
from kinetree.trajectories.differences import (
    JUMP,
    Rates,
    at_samples,
    extended,
    jumps_of,
    nearby,
    rates_between,
    rounding_of,
    steps_between,
    with_followers,
)
from kinetree.trajectories.samples import Samples

OVER = 1e-6
"""Part of a limit by which a rate may exceed it, as numbers are rounded."""
SURE = 0.01
"""Part of a limit that rounding may be, so that samples farther apart need not be tested."""
ROUGH = (0.02, 0.1)
"""Parts of the largest by which qd and qdd may differ from what q says, beside how much both change nearby."""
HOUR, SLOW = 3600.0, 1e-3
"""Time, s, from which on a motion in which all rates are below this part of their limits is hardly in s."""
UNITS = {"velocity": "/s", "acceleration": "/s²", "jerk": "/s³"}


class Columns(NamedTuple):
    """What has limits of rates: coordinates of qd, then followers. angular: whether each is an angle.
    bounds: the limit of each, by what it limits; inf without one. unknown: the names whose limit is 0, likewise."""

    names: tuple[str, ...]
    angular: tuple[bool, ...]
    bounds: Mapping[str, Array]
    unknown: Mapping[str, list[str]]


def columns_of(robot: Robot, followers: Sequence[Follower], options: Mapping[str, Bounds]) -> Columns:
    """Return what has limits of rates, and the limits by the options of `check`, where 0 counts as unknown."""
    names = (*robot.velocity_names, *(one.name for one in followers))
    angular = [turns for name in robot.joint_names for turns in robot.joints[name].kind.velocity_angular]
    angular += [robot.joints[one.name].kind.angular[0] for one in followers]
    bounds, unknown = {}, {}
    for field, option in (*((field, field) for field in UNITS), ("deceleration", "acceleration"), ("effort", "torque")):
        own = followers if field != "effort" else ()
        bound = bounds_of(robot, own, option, options.get(option, True), field)
        unknown[field] = [name for name, x in zip(names, bound, strict=False) if x == 0.0]
        bounds[field] = np.where(bound > 0.0, bound, np.inf)
    bounds["deceleration"] = np.where(np.isinf(bounds["deceleration"]), bounds["acceleration"], bounds["deceleration"])
    return Columns(names, tuple(angular), bounds, unknown)


def rate_findings(samples: Samples, options: Mapping[str, Bounds], loaded: Robot) -> Iterator[Finding]:
    """Yield findings about rates and torques. options: those of `check`, by their names. loaded: the robot with its
    payload."""
    robot, q, at = samples.robot, samples.q, samples.times
    followers = followers_of(robot)
    columns = columns_of(robot, followers, options)
    why = "a path has no times" if samples.is_path else "there is one sample" if len(q) < 2 else ""
    steps = steps_between(robot, followers, q) if not why else np.zeros((0, len(columns.names)))
    jumps = jumps_of(steps, at)
    quick = columns if options.get("velocity", True) is not False else columns_of(robot, followers, {})
    yield from _jump_findings(samples, quick, steps, jumps)
    if why or at is None:
        yield unchecked(f"velocities, accelerations and torques are not checked: {why or 'there are no times'}")
        return
    with np.errstate(invalid="ignore", over="ignore"):  # what is not a number exceeds no limit
        every = _rates(columns, np.where(jumps, np.nan, steps), at, rounding_of(robot, followers, q))
        given = [None if x is None else with_followers(robot, followers, q, x) for x in (samples.qd, samples.qdd)]
        yield from _slow(columns, every[0][0], float(np.ptp(at)))
        contradictions = list(_contradictions(samples, columns, every[0], given))
        yield from contradictions
        for k, field in enumerate(UNITS):
            yield from _unknown(columns, field, options.get(field, True))
            yield from _vague(columns, field, [rates[k] for rates in every])
            found, ways = [rates[k] for rates in every], [_ways(rates[0]) for rates in every]
            if k < 2 and (exact := given[k]) is not None:
                found.append(Rates(exact, np.zeros(exact.shape), np.arange(len(exact))))
                ways.append(np.zeros(exact.shape) if given[0] is None else np.sign(given[0]))
            rates, limit = Rates(*map(np.concatenate, zip(*found, strict=True))), columns.bounds[field]
            if field == "acceleration":
                limit = _limits_by_way(columns, np.sign(rates.values) * np.concatenate(ways))
            yield from _exceeded(samples, columns, field, "error", rates, limit)
        if options.get("torque", True) is not False:
            true = replace(samples, qd=None) if contradictions else samples
            yield from _torques(true, columns, options.get("torque", True), every[0], loaded)


def unchecked(message: str, fix: str | None = None) -> Finding:
    """Return the remark that something is not checked."""
    return Finding("motion-unchecked", "info", message, fix=fix)


def _slow(columns: Columns, velocities: Rates, span: float) -> Iterator[Finding]:
    """Yield a warning if times, of which there are `span` s, seem to be in ms or ns."""
    fastest, limits = np.nan_to_num(np.abs(velocities.values)).max(axis=0, initial=0.0), columns.bounds["velocity"]
    if span > HOUR and np.isfinite(limits[fastest > 0]).all() and 0.0 < (fastest / limits).max() < SLOW:
        message = f"the motion takes {number(span)} s, in which no joint is faster than {SLOW:.1%} of its limit"
        yield Finding("motion-rates", "warning", message, fix="times in s, if these are in ms or ns")


def _rates(columns: Columns, steps: Array, at: Array, rounding: Array) -> list[list[Rates]]:
    """Return rates of all samples, of every second, fourth and so on, until their rounding is small beside limits."""
    every, found = 1, list[list[Rates]]()
    while every == 1 or len(at) > 4 * every:
        found.append(rates_between(steps, at, rounding, every))
        sure = [
            (rates.slack.min(axis=0, initial=np.inf) <= SURE * columns.bounds[field]).all()
            for field, rates in zip(UNITS, found[-1], strict=True)
        ]
        if all(sure):
            break
        every *= 2
    return found


def _unknown(columns: Columns, field: str, option: Any) -> Iterator[Finding]:
    what = "torque" if field == "effort" else field
    if columns.unknown[field]:
        message = f"the {what} is not checked of joints whose limit is 0: {listed(columns.unknown[field])}"
        yield unchecked(message, f"pass {what}= with their limits")
    elif option is True and field == "acceleration" and np.isinf(columns.bounds[field]).all():
        yield unchecked("accelerations are not checked: no joint has a limit of it", "pass acceleration=")


def _vague(columns: Columns, field: str, found: Sequence[Rates]) -> Iterator[Finding]:
    """Yield a remark about coordinates whose rounding hides as much as their limit, however far samples are apart."""
    slack = np.min([rates.slack.min(axis=0, initial=np.inf) for rates in found], axis=0)
    if vague := np.flatnonzero((slack >= columns.bounds[field]) & np.isfinite(slack)).tolist():
        names = listed(columns.names[i] for i in vague)
        yield unchecked(f"the {field} is not checked of {names}: q is rounded so much that it says nothing")


def _ways(velocities: Rates) -> Array:
    """Return on which way a coordinate is, 1, -1, or 0 if that is not sure, around the middles of two steps each."""
    sign = np.where(np.abs(velocities.values) > velocities.slack, np.sign(velocities.values), 0.0)
    sign = np.pad(sign, ((1, 1), (0, 0)), mode="edge")
    same = (sign[:-3] == sign[1:-2]) & (sign[1:-2] == sign[2:-1]) & (sign[2:-1] == sign[3:])
    return np.where(same, sign[1:-2], 0.0)


def _limits_by_way(columns: Columns, way: Array) -> Array:
    """Return the limits of accelerations: way (m, c) is above 0 where they make faster, below 0 where they brake."""
    faster, slower = columns.bounds["acceleration"], columns.bounds["deceleration"]
    return np.where(way > 0, faster, np.where(way < 0, slower, np.maximum(faster, slower)))


def _contradictions(
    samples: Samples, columns: Columns, rates: Sequence[Rates], given: Sequence[Array | None]
) -> Iterator[Finding]:
    """Yield a finding where qd or qdd (n, c) is farther from what q says than both change nearby."""
    if len(samples.q) < 4 or samples.times is None:
        return
    estimates = at_samples(rates[0], rates[1], np.diff(samples.times))
    for k, (name, unit, own) in enumerate(zip(("qd", "qdd"), UNITS.values(), given, strict=False)):
        if own is None:
            continue
        change = np.abs(np.diff(rates[k].values, axis=0))
        allowed = nearby(np.pad(change, ((1, 1 + k), (0, 0)), mode="edge"))
        allowed += nearby(np.pad(np.abs(np.diff(own, axis=0)), ((0, 1), (0, 0)), mode="edge"))
        allowed += 4.0 * nearby(np.pad(rates[k].slack, ((k, 1), (0, 0)), mode="edge"))
        largest = np.nanmax(np.abs([own, estimates[k]]), axis=(0, 1), initial=0.0)
        off = np.abs(own - estimates[k]) - allowed - ROUGH[k] * largest
        off[[0, -1]] = np.nan  # estimates are rough there
        for column in np.flatnonzero((off > 0).any(axis=0)).tolist():
            worst, more = int(np.nanargmax(off[:, column])), int((off[:, column] > 0).sum()) - 1
            unit_of = ("rad" if columns.angular[column] else "m") + unit
            values = [number(float(x[worst, column]), 4) for x in (own, estimates[k])]
            message = f"{name} is {values[0]} {unit_of} at {samples.when(worst)}, where q changes by {values[1]}"
            message += f"; {counted(more, 'more time')}" if more else ""
            yield Finding("motion-rates", "warning", message, None, f"joint {columns.names[column]!r}")


def _exceeded(
    samples: Samples, columns: Columns, field: str, severity: Severity, rates: Rates, limits: Array
) -> Iterator[Finding]:
    """Yield a finding for each column of rates (m, c) that exceeds its limits (m, c) or (c,), by more than rounding."""
    limits = np.broadcast_to(limits, rates.values.shape)
    over = np.abs(rates.values) > limits * (1 + OVER) + rates.slack
    for column in np.flatnonzero(over.any(axis=0)).tolist():
        rows = np.flatnonzero(over[:, column])
        worst = rows[np.abs(rates.values[rows, column]).argmax()]
        unit = ("N m" if columns.angular[column] else "N") if field == "torque" else ""
        unit = unit or ("rad" if columns.angular[column] else "m") + UNITS[field]
        size, limit = number(abs(rates.values[worst, column]), 4), number(limits[worst, column], 4)
        first = samples.when(rates.places[rows].min())
        since = "" if len(rows) == 1 else f"; too large {len(rows)} times, first at {first}"
        at = samples.when(rates.places[worst])
        message = f"the {field} is {size} {unit} at {at}, above its limit {limit} {unit}{since}"
        yield Finding(f"motion-{field}", severity, message, None, f"joint {columns.names[column]!r}")


def _torques(
    samples: Samples, columns: Columns, option: Bounds, rates: Sequence[Rates], loaded: Robot
) -> Iterator[Finding]:
    """Yield findings about torques: of qd and qdd if these are given, else of what q says."""
    q, at, nv = samples.q, samples.times, samples.robot.nv
    limits = columns.bounds["effort"]
    if np.isinf(limits).all() and not columns.unknown["effort"]:
        return
    why = no_torques(samples.robot)
    known = [x for x in (samples.qd, samples.qdd) if x is not None and np.isfinite(x).all()]
    if not why:
        yield from _unknown(columns, "effort", option)
        why = "that takes four samples, or qd and qdd" if len(known) < 2 and len(q) < 4 else ""
    if why or at is None:
        yield unchecked(f"torques are not checked: {why}")
        return
    given = known if len(known) == 2 else [x[:, :nv] for x in at_samples(rates[0], rates[1], np.diff(at))]
    tau = inverse_dynamics(loaded)(q, *given)
    slack, rows = np.zeros(tau.shape), np.flatnonzero((np.abs(tau) > limits).any(axis=1))
    if len(known) < 2:
        off = extended(rates[1].slack[:, :nv], 1.0)
        slack[rows] = (np.abs(mass_matrix(loaded)(q[rows])) @ off[rows, :, None])[..., 0]
    severity: Severity = "error" if len(known) == 2 else "warning"
    yield from _exceeded(samples, columns, "torque", severity, Rates(tau, slack, np.arange(len(q))), limits)


def no_torques(robot: Robot) -> str:
    """Return why torques of a robot say nothing, "" if they do."""
    floats = [name for name in robot.joint_names if robot.joints[name].type == "floating"]
    why = "there are closed loops" if robot.loops else f"joint {floats[0]!r} floats" if floats else ""
    return why or ("" if any(link.inertial for link in robot.links.values()) else "no link has a mass")


def _jump_findings(samples: Samples, columns: Columns, steps: Array, jumps: Array) -> Iterator[Finding]:
    for column in np.flatnonzero(jumps.any(axis=0)).tolist():
        step, more = int(jumps[:, column].argmax()), int(jumps[:, column].sum()) - 1
        size, angular, at = float(steps[step, column]), columns.angular[column], samples.at
        limit = columns.bounds["velocity"][column]
        is_quick = at is not None and abs(size) > limit * float(at[step + 1] - at[step])
        message = f"jumps by {number(size, 4)} {'rad' if angular else 'm'} from {samples.when(step)} to the next sample"
        message += f"; {counted(more, 'more jump')}" if more else ""
        is_turn = angular and abs(abs(size) - 2 * np.pi) < JUMP
        fix = "the angle is wrapped by a turn; unwrap it, as numpy.unwrap does" if is_turn else None
        joint = f"joint {columns.names[column]!r}"
        yield Finding("motion-jump", "error" if is_quick else "warning", message, None, joint, fix)
