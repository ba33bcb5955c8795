"""Coordinates of a robot by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.display import counted, number
from kinetree.errors import KinetreeError, fail, unknown_name, warn
from kinetree.labels import entries
from kinetree.spatial.numbers import numbers
from kinetree.spatial.se3 import Array, frozen

if TYPE_CHECKING:
    from kinetree.model.robot import Robot

SLACK = 1e-9
"""How far an angle may be outside of a limit because of rounding, rad."""


def neutral(robot: Robot) -> Array:
    """Return the neutral q (nq,), read-only; see `Robot.q`. It is zero if nothing is inside the limits."""
    limits = robot.limits
    lower, upper = limits.lower, limits.upper
    q = np.clip(robot.zero, lower, upper)
    beyond = np.flatnonzero((q != robot.zero) & np.isfinite(lower) & np.isfinite(upper))
    q[beyond] = lower[beyond] / 2 + upper[beyond] / 2
    if not limits.contains(q):
        try:
            q = limits.project(q)
        except KinetreeError:
            return robot.zero
    return frozen(q)


def q_of(
    robot: Robot,
    values: Mapping[str, Any] | None,
    named: Mapping[str, Any],
    unit: str,
    at: Any = None,
    *,
    warns: bool = True,
) -> Array:
    """Return a full q (nq,) from joint names; see `Robot.q`. warns: whether large angles in rad give a warning."""
    if unit not in ("rad", "deg"):
        raise fail("unit", f"unit is {unit!r}; expected 'rad' or 'deg'")
    given = {} if values is None else entries(values, "q")
    q = robot._neutral.copy()
    if at is not None:
        full = numbers(at, "q", "at is", robot.coordinate_names)
        if full.shape != q.shape or not np.isfinite(full).all():
            raise fail("q", f"at has shape {full.shape}; expected the {q.size} finite numbers of a full q")
        q = full.copy()
    slices = robot.q_slices if given or named else {}
    for name, value in {**given, **named}.items():
        if name not in slices:
            raise not_a_coordinate(robot, name)
        kind = robot.joints[name].kind
        try:
            entered = np.atleast_1d(np.asarray(value, dtype=float))
        except (TypeError, ValueError):
            raise fail("number", f"{value!r} is no number", element=f"joint {name!r}") from None
        if entered.shape != (kind.nq,):
            message = f"takes {counted(kind.nq, 'number')}, got shape {entered.shape}"
            raise fail("count", message, element=f"joint {name!r}")
        if not np.isfinite(entered).all():
            raise fail("number", f"{value} is not finite", element=f"joint {name!r}")
        q[slices[name]] = np.where(kind.angular, np.deg2rad(entered), entered) if unit == "deg" else entered
    if warns and unit == "rad":
        _warn_of_degrees(robot, q, {**given, **named})
    return q


def large_angles(robot: Robot, q: Array, names: Iterable[str], *, free: bool = True) -> list[str]:
    """Return a message for each angle of q (nq,), rad, of these joints that is outside of its limits.

    Degrees may be meant, so a message has both. free: also for angles beyond a turn of joints without limits.
    """
    found = []
    for name in names:
        for i, turns in enumerate(robot.joints[name].kind.angular, robot.q_slices[name].start):
            lower, upper = robot.limits.lower[i], robot.limits.upper[i]
            inside = lower - SLACK <= q[i] <= upper + SLACK
            beyond = free and abs(q[i]) > 2 * np.pi and not np.isfinite([lower, upper]).all()
            if turns and (beyond or not inside):
                ends = "more than a turn" if inside else f"outside its limits, {number(lower)} to {number(upper)} rad"
                found.append(f"{name} = {number(q[i])} rad is {number(np.rad2deg(q[i]))} deg, {ends}")
    return found


def _warn_of_degrees(robot: Robot, q: Array, names: Iterable[str]) -> None:
    """Warn if one of these joints has an angle of q (nq,) that is more than a turn and outside of its limits."""
    far = [name for name in names if (np.abs(q[robot.q_slices[name]]) > 2 * np.pi).any()]
    if found := large_angles(robot, q, far, free=False):
        others = f" (and {len(found) - 1} more)" if found[1:] else ""
        warn(f'{found[0]}{others}; robot.q takes degrees with unit="deg"', UserWarning)


def not_a_coordinate(robot: Robot, name: str) -> Exception:
    """Return the error of a name that is no joint with coordinates."""
    joint = robot.joints.get(name)
    if joint is not None and joint.mimic:
        return fail(
            "mimic", f"follows {joint.mimic.joint!r} and has no coordinate of its own", element=f"joint {name!r}"
        )
    if joint is not None:
        return fail("fixed", "is fixed and has no coordinate", element=f"joint {name!r}")
    return unknown_name("joint", name, robot.joint_names)
