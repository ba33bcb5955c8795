"""Coordinates of a robot by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.display import number as as_text
from kinetree.errors import fail, unknown_name, warn
from kinetree.labels import entries
from kinetree.spatial.numbers import numbers
from kinetree.spatial.se3 import Array

if TYPE_CHECKING:
    from kinetree.model.robot import Robot


def q_of(robot: Robot, values: Mapping[str, Any] | None, named: Mapping[str, Any], unit: str, at: Any = None) -> Array:
    """Return a full q (nq,) from joint names; see `Robot.q`."""
    if unit not in ("rad", "deg"):
        raise fail("unit", f"unit is {unit!r}; legal are 'rad' and 'deg'")
    given = {} if values is None else entries(values, "q")
    slices = robot.q_slices
    q = np.array([x for name in robot.joint_names for x in robot.joints[name].kind.neutral], dtype=float)
    if at is not None:
        full = numbers(at, "q", "at is", robot.coordinate_names)
        if full.shape != q.shape or not np.isfinite(full).all():
            raise fail("q", f"at has shape {full.shape}; legal are the {q.size} finite numbers of a full q")
        q = full.copy()
    for name, value in {**given, **named}.items():
        if name not in slices:
            raise not_a_coordinate(robot, name)
        kind = robot.joints[name].kind
        try:
            entered = np.atleast_1d(np.asarray(value, dtype=float))
        except (TypeError, ValueError):
            raise fail("number", f"{value!r} is no number", element=f"joint {name!r}") from None
        if entered.shape != (kind.nq,):
            raise fail("count", f"takes {kind.nq} numbers, got shape {entered.shape}", element=f"joint {name!r}")
        if not np.isfinite(entered).all():
            raise fail("number", f"{value} is not finite", element=f"joint {name!r}")
        q[slices[name]] = np.where(kind.angular, np.deg2rad(entered), entered) if unit == "deg" else entered
    return q


def warn_of_degrees(robot: Robot, q: Array) -> None:
    """Warn of the first joint that has an angle, rad, outside its limits and beyond a turn."""
    if not (np.abs(q) > 2 * np.pi).any():
        return
    for name, at in robot.q_slices.items():
        joint = robot.joints[name]
        if joint.kind.angular != (True,):
            continue
        x = float(q[at][0])
        if abs(x) > 2 * np.pi and not joint.limit.lower <= x <= joint.limit.upper:
            text = f"joint {name!r}: {as_text(x)} rad is {as_text(np.rad2deg(x))} deg, outside its limits"
            warn(f"{text}; for degrees pass unit='deg'", UserWarning)
            return


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
