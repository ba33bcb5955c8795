"""Motions from one configuration to another, on a straight line in joint space, by a formula."""

from collections.abc import Callable
from typing import Any, Literal, Unpack

import numpy as np

from kinetree.errors import fail
from kinetree.model.limits import checked_q
from kinetree.model.robot import Robot
from kinetree.queries.options import JointOptions, robot_query
from kinetree.queries.query import one_of
from kinetree.spatial.se3 import Array
from kinetree.trajectories.along import rate_columns
from kinetree.trajectories.bounds import Bounds, bounds_of, check_moving, followers_of
from kinetree.trajectories.motion import Motion
from kinetree.trajectories.path import Path
from kinetree.trajectories.reasons import check_inside
from kinetree.trajectories.timing import samples

Profile = Literal["quintic", "trapezoid", "jerk"]


Phase = tuple[float, list[float]]
"""A part of a motion: its duration, s, and its coefficients of t⁰, t¹ … from its beginning."""


@robot_query
def point_to_point(
    robot: Robot,
    q0: Any,
    q1: Any,
    *,
    profile: Profile = "quintic",
    velocity: Bounds = True,
    acceleration: Bounds = True,
    jerk: Bounds = True,
    period: float = 0.01,
    **joints: Unpack[JointOptions],
) -> Motion:
    """Return the motion on the straight line from q0 (nq,) to q1 (nq,), from rest to rest, all joints together.

    profile: "quintic" is 10 x³ - 15 x⁴ + 6 x⁵ of the time, smooth and 1.875 times as fast in the middle as on average;
    "trapezoid" is the fastest motion for limits of velocity and acceleration, three phases; "jerk" that for limits of
    jerk, too, seven phases (Biagiotti & Melchiorri, Trajectory Planning for Automatic Machines and Robots, 2008,
    sections 2.1.7, 3.2 and 3.4). Each joint keeps its limits, and one of them reaches one.
    velocity, acceleration, jerk: limits, as in `retime`. The quintic needs one of the first two, the trapezoid
    acceleration, "jerk" all of jerk, which no other profile takes.
    period: s, from sample to sample, and to the last one at most as much. joints, at: see `kinetree.kinematics`.

    Raises KinetreeError for limits that are missing, and if the line leaves the limits on q.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.chain("Rz(q1) tx(1) Rz(q2) tx(1)")
        >>> motion = kt.motion.point_to_point(arm, [0, 0], [2, 1], profile="trapezoid", velocity=1.0, acceleration=2.0)
        >>> motion.times[-1].round(6)  # 2 rad at 1 rad/s, and half a second to start and to stop
        np.float64(2.5)
    """
    assert not joints, "the decorator applies these options"
    one_of("profile", profile, PROFILES)
    if jerk is not True and profile != "jerk":
        raise fail("path", f"profile {profile!r} has no limit of jerk; expected profile='jerk' with jerk=")
    ends = [checked_q(robot.limits, q, name) for q, name in ((q0, "q0"), (q1, "q1"))]
    for q, name in zip(ends, ("q0", "q1"), strict=True):
        if q.shape != (robot.nq,) or not np.isfinite(q).all():
            what = f"has shape {q.shape}" if q.shape != (robot.nq,) else f"is {q.tolist()}"
            raise fail("path", f"{name} {what}; expected {robot.nq} finite numbers")
    line = Path(robot, np.array([0.0, 1.0]), np.array([[ends[1] - ends[0]], [ends[0]]]))
    check_inside(line, fix="choose other ends")
    given = {"velocity": velocity, "acceleration": acceleration, "jerk": jerk}
    rates = _rates(line, given, profile)
    return _motion(line, PROFILES[profile](*rates) if line.coefficients[0].any() else [], period)


def _rates(line: Path, given: dict[str, Bounds], profile: str) -> list[float]:
    """Return the largest speed, acceleration and jerk of the part of the way, from 0 to 1. Raises KinetreeError if one
    that the profile needs is missing."""
    robot = line.robot
    followers = followers_of(robot)
    columns = rate_columns(robot)
    way = np.where(columns < 0, 0.0, line(0.0, 1)[columns])
    for follower in followers:
        if len(follower.coefficients) > 2 and way[follower.leader]:
            message = f"joint {follower.name!r} follows by a polynomial, and its speed changes on the way"
            raise fail("retime", message, fix="time it with retime(through(robot, [q0, q1]))")
    sizes = np.abs(np.append(way, [f.coefficients[1] * way[f.leader] for f in followers]))
    found = []
    for option, value in given.items():
        bound = bounds_of(robot, followers, option, value, option)
        if option == "acceleration":
            bound = np.minimum(bound, bounds_of(robot, followers, option, value, "deceleration"))
        check_moving(robot, option, bound, way != 0.0)
        found.append(float(np.min(np.where(sizes > 0.0, bound / np.where(sizes > 0.0, sizes, 1.0), np.inf))))
    needed = {"quintic": min(found[:2]), "trapezoid": found[1], "jerk": found[2]}[profile]
    if way.any() and np.isinf(needed):
        what = {"quintic": "velocity or acceleration", "trapezoid": "acceleration"}.get(profile, profile)
        fix = f"pass {what.split()[-1]}=, such as 5.0"
        raise fail("retime", f"no limit of {what} for the joints that move", fix=fix)
    return found


def _quintic(v: float, a: float, _: float) -> list[Phase]:
    """Return one phase, whose largest speed is 15 / (8 T), the largest acceleration 10 / (√3 T²)."""
    T = max(15.0 / (8.0 * v), np.sqrt(10.0 / (np.sqrt(3.0) * a)))
    return [(T, [0.0, 0.0, 0.0, 10.0 / T**3, -15.0 / T**4, 6.0 / T**5])]


def _trapezoid(v: float, a: float, _: float) -> list[Phase]:
    v = min(v, np.sqrt(a))
    return _phases([(v / a, a), (1.0 / v - v / a, 0.0), (v / a, -a)], 2)


def _jerk(v: float, a: float, j: float) -> list[Phase]:
    """Return seven phases; the fourth, the third and the second vanish in turn as the way gets shorter."""
    a = min(a, np.sqrt(v * j), np.cbrt(j * j / 2.0))  # that is reached at all
    v = min(v, a * (-a / j + np.sqrt((a / j) ** 2 + 4.0 / a)) / 2.0)
    first, second = a / j, v / a - a / j
    fourth = 1.0 / v - (v / a + a / j)
    return _phases([(first, j), (second, 0.0), (first, -j), (fourth, 0.0), (first, -j), (second, 0.0), (first, j)], 3)


PROFILES: dict[str, Callable[[float, float, float], list[Phase]]] = {
    "quintic": _quintic,
    "trapezoid": _trapezoid,
    "jerk": _jerk,
}


def _phases(parts: list[tuple[float, float]], order: int) -> list[Phase]:
    """Return phases of durations and constant derivatives of this order, from rest at 0."""
    state, found = np.zeros(order), []
    for duration, highest in parts:
        T = max(duration, 0.0)
        coefficients = np.append(state, highest) / np.cumprod([1.0, *range(1, order + 1)])
        found.append((T, coefficients.tolist()))
        value = np.polynomial.Polynomial(coefficients)
        state = np.array([value.deriv(k)(T) if k else value(T) for k in range(order)])
    return found


def _motion(line: Path, phases: list[Phase], period: float) -> Motion:
    """Return samples of s(t) on a line."""
    starts = np.cumsum([0.0, *(duration for duration, _ in phases)])
    count = samples(starts[-1], period)
    times = np.append(np.arange(count) * period, starts[-1]) if count else np.array([0.0])
    s: list[Array] = [np.zeros(len(times)) for _ in range(3)]
    which = np.clip(np.searchsorted(starts, times, side="right") - 1, 0, len(phases) - 1)
    for i, (_, coefficients) in enumerate(phases):
        value, own = np.polynomial.Polynomial(coefficients), which == i
        for order in range(3):
            s[order][own] = (value.deriv(order) if order else value)((times - starts[i])[own])
    way = line(0.0, 1)
    q = line(np.clip(s[0], 0.0, 1.0))
    return Motion(line.names, times, q, (), line.robot, s[1][:, None] * way, s[2][:, None] * way)
