"""The choice of joints: a robot in which only some joints move, and the others stand."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from kinetree.arguments import as_names
from kinetree.errors import fail, unknown_name
from kinetree.model.coordinates import not_a_coordinate
from kinetree.model.edit.motion import lock
from kinetree.model.limits import checked_q
from kinetree.model.robot import Robot
from kinetree.queries.query import FixedInput, coordinates, fixed_input, memoise
from kinetree.spatial.se3 import Array

Joints = str | Iterable[str] | None
"""Names of joints, or of one group of a robot; None for all joints."""


def with_moving_joints(robot: Robot, joints: Joints, at: Any = None, *, unlocked: bool = False) -> Robot:
    """Return the robot in which only the named joints move, in this order; followers move with their leaders.

    joints: names, or the name of a group, of which all joints with coordinates count; None returns the robot itself.
    at: where the other joints stand: a full q (nq,); by default neutral; or "input", then
    kernels of the robot have an input more, the last one. Frames keep their names. Limits over both kinds of joints
    become limits of those that move; those of standing joints alone are dropped. unlocked: whether the trees of queries
    keep the standing joints, each with its own pose. Raises KinetreeError for unknown and repeated names, joints
    without coordinates, and an `at` of another kind.
    """
    if not isinstance(robot, Robot) or (joints is None and at is None):
        return robot
    if joints is None:
        raise fail("at", "at is where joints stand that do not move; name those that move with joints=")
    names = chosen_names(robot, joints)
    is_input = isinstance(at, str) and at == "input"
    q = None if at is None or is_input else _full(robot, at)
    key = ("chosen", names, is_input, None if q is None else q.tobytes(), unlocked)
    return memoise(robot, key, lambda: _made(robot, names, robot.q() if q is None else q, is_input, unlocked))


def chosen_names(robot: Robot, joints: str | Iterable[str], option: str = "joints") -> tuple[str, ...]:
    """Return the joints of a list or a group. Raises KinetreeError, which names the option, for others."""
    if isinstance(joints, str) and joints in robot.groups and joints not in robot.joints:
        names = tuple(name for name in robot.groups[joints] if name in robot.joint_names)
    else:
        names = as_names(joints)
    for name in names:
        if name not in robot.joint_names:
            if isinstance(joints, str) and name not in robot.joints and robot.groups:
                raise unknown_name("group or joint", name, [*robot.groups, *robot.joint_names])
            raise not_a_coordinate(robot, name)
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice or not names:
        why = f"names {', '.join(map(repr, twice))} twice" if twice else "names no joint with a coordinate"
        raise fail(option, f"{option}={joints!r} {why}; expected different names of robot.joint_names, or a group")
    return names


def _full(robot: Robot, at: Any) -> Array:
    if isinstance(at, str):
        raise fail("at", f"at is {at!r}; expected a full q ({robot.nq},) or 'input'")
    q = checked_q(robot.limits, at, "at")
    if q.ndim != 1 or not np.isfinite(q).all():
        raise fail("at", f"at has shape {q.shape}; expected {robot.nq} finite numbers, in the order of joint_names")
    return q


def _made(robot: Robot, names: tuple[str, ...], q: Array, is_input: bool, unlocked: bool) -> Robot:
    rest = [name for name in robot.joint_names if name not in names]
    slices = robot.q_slices
    made = lock(robot, {name: q[slices[name]] for name in rest}).order(names)
    if (is_input or unlocked) and rest:
        columns = np.concatenate([np.arange(robot.nq)[slices[name]] for name in rest])
        port = replace(coordinates(robot), name="at", about="where the other joints stand; m, rad")
        at, whole = None if is_input else q, robot.order([*names, *rest])
        memoise(made, fixed_input, lambda: FixedInput(whole, len(names), columns, port, at))
    return made
