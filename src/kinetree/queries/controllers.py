"""What a robot's controller shows and takes: poses of its tool, and numbers of its joints.

The robot follows REP-199: its frame `base` is the controller's, and `tool0` is where a tool of zeros is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kinetree.algorithms.kinematics import way_between
from kinetree.controllers import controllers
from kinetree.controllers.controller import Controller
from kinetree.errors import fail
from kinetree.model.edit import add_limits
from kinetree.model.limits import LinearLimits
from kinetree.model.robot import Robot
from kinetree.queries.ask import tree
from kinetree.queries.motion import fk
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array

UNITS = {True: np.pi / 180, False: 1e-3}
"""Of a controller's joints: degrees where they turn, mm where they slide."""


def controller_pose(
    robot: Robot,
    controller: str | Controller,
    q: Any,
    *,
    tool: Any = None,
    user_frame: Any = None,
    base: str = "base",
    tool0: str = "tool0",
) -> Array:
    """The numbers (…, 6 or 7) that the pendant shows for q (…, nq).

    tool: the tool in `tool0`; user_frame: the user frame in `base`; each the controller's own numbers, a pose (4, 4) in
    m, or a frame of the robot; nothing is zeros. base, tool0: what the robot calls these frames (REP-199, base, tool0).
    Raises KinetreeError for frames that there are not, and for numbers that the controller would not take.
    """
    who = of(controller)
    check_frames(robot, who, base, tool0)
    T_base_tool = fk(robot, tool0, base)(q) @ _pose(robot, who, tool, tool0)
    return who.from_pose(_inverse(_pose(robot, who, user_frame, base)) @ T_base_tool)


def pose_from_controller(
    robot: Robot,
    controller: str | Controller,
    values: Any,
    frame: str = "flange",
    in_frame: str = "base_link",
    *,
    tool: Any = None,
    user_frame: Any = None,
    base: str = "base",
    tool0: str = "tool0",
) -> Array:
    """T_in_frame_frame (…, 4, 4), m, where the controller shows the numbers (…, 6 or 7) of its tool.

    frame moves with `tool0`, in_frame with `base`; the others are as for `controller_pose`. Raises KinetreeError as it
    does, and for frames that move otherwise.
    """
    who = of(controller)
    check_frames(robot, who, base, tool0)
    T_base_tool = _pose(robot, who, user_frame, base) @ who.to_pose(values)
    T_base_tool0 = T_base_tool @ _inverse(_pose(robot, who, tool, tool0))
    return np.asarray(fixed(robot, base, in_frame) @ T_base_tool0 @ fixed(robot, frame, tool0))


def controller_joints(
    robot: Robot, controller: str | Controller, q: Any, model: str = "", *, base: str = "base", tool0: str = "tool0"
) -> Array:
    """The joints (…, n) that the pendant shows for q (…, nq), deg and mm, from base to tool0.

    model: whose coupling of joints holds, by default that of the robot's name.
    """
    columns, unit, C = _joints(robot, of(controller), model, base, tool0)
    return np.asarray(np.linalg.solve(C, (_checked(robot, q)[..., columns] / unit)[..., None])[..., 0])


def q_from_controller(
    robot: Robot,
    controller: str | Controller,
    joints: Any,
    model: str = "",
    *,
    q: Any = None,
    base: str = "base",
    tool0: str = "tool0",
) -> Array:
    """q (…, nq) of the joints (…, n) that the pendant shows, deg and mm.

    q (nq,): where the other joints are, by default neutral. Raises KinetreeError for another number of joints.
    """
    columns, unit, C = _joints(robot, of(controller), model, base, tool0)
    shown = np.asarray(joints, dtype=float)
    if shown.shape[-1:] != (len(columns),) or not np.isfinite(shown).all():
        raise fail(
            "joints", f"joints has shape {shown.shape}; legal are (…, {len(columns)}) finite numbers, deg and mm"
        )
    result = np.broadcast_to(_checked(robot, robot.q() if q is None else q), (*shown.shape[:-1], robot.nq)).copy()
    result[..., columns] = shown @ C.T * unit
    return result


def limit_controller_joints(
    robot: Robot,
    controller: str | Controller,
    lower: Any,
    upper: Any,
    model: str = "",
    *,
    base: str = "base",
    tool0: str = "tool0",
) -> Robot:
    """The robot with limits on its controller's joints, lower and upper (n,), deg and mm: rows over several joints of
    the model where the controller couples them."""
    who = of(controller)
    columns, unit, C = _joints(robot, who, model, base, tool0)
    low, high = (np.asarray(end, dtype=float) for end in (lower, upper))
    if low.shape != (len(columns),) or high.shape != low.shape or not (low <= high).all():
        raise fail(
            "limits", f"limits have shapes {low.shape}, {high.shape}; legal are ({len(columns)},), lower <= upper"
        )
    G = np.linalg.inv(C) / unit  # of controller's joints, in their own units
    names = tuple(_name(robot, j) for j in columns)
    rows = [
        LinearLimits(
            name=f"{who.key}_{'ranges' if box else 'joints'}",
            joints=names,
            G=np.vstack([-G[which], G[which]]),
            h=np.concatenate([-low[which], high[which]]),
            row_names=tuple(f"J{i + 1} {end}" for end in ("lower", "upper") for i in which),
            angular=False,
            box=box,
        )
        for box in (True, False)
        if len(which := np.flatnonzero((np.count_nonzero(G, axis=1) == 1) == box))
    ]
    return add_limits(robot, rows)


def of(controller: str | Controller) -> Controller:
    """A controller by its key, or itself."""
    return controller if isinstance(controller, Controller) else controllers[controller]


def check_frames(robot: Robot, who: Controller, *frames: str) -> None:
    """Refuse a robot without these frames."""
    for name in frames:
        if name not in robot.frames:
            called = who.frames.get(name, name)
            message = f"the robot has no frame {name!r}, which is {who.name}'s {called} (REP-199)"
            fix = f"add it with edit.add_frame, or say which frame it is: {'base' if name == 'base' else 'tool0'}="
            raise fail("controller-frame", message, fix=fix)


def _pose(robot: Robot, who: Controller, given: Any, seen_from: str) -> Array:
    """A tool or a user frame, however it was said."""
    if given is None:
        return se3.IDENTITY
    if isinstance(given, str):
        return fixed(robot, given, seen_from)
    array = np.asarray(given, dtype=float)
    if array.shape == (4, 4):
        who.from_pose(array)  # or it is no pose
        return array
    return who.to_pose(array)


def _inverse(T: Array) -> Array:
    """Of poses (…, 4, 4)."""
    result = np.array(T)
    result[..., :3, :3] = np.swapaxes(T[..., :3, :3], -1, -2)
    result[..., :3, 3] = -np.einsum("...ji,...j->...i", T[..., :3, :3], T[..., :3, 3])
    return result


def fixed(robot: Robot, frame: str, seen_from: str) -> Array:
    """T_seen_from_frame (4, 4) of two frames between which nothing moves."""
    bodies = tree(robot)
    body_a, body_b = bodies.frame(seen_from)[0], bodies.frame(frame)[0]
    if body_a != body_b:
        between = [bodies.joints[i] for way in way_between(bodies, body_a, body_b) for i in way]
        raise fail(
            "controller-frame", f"{frame!r} moves as seen from {seen_from!r}: {', '.join(between)} are between them"
        )
    return np.asarray(fk(robot, frame, seen_from).interpret(robot.q()))


def _joints(robot: Robot, who: Controller, model: str, base: str, tool0: str) -> tuple[list[int], Array, Array]:
    """Columns of q from base to tool0, the units of the controller's joints, and their coupling C."""
    check_frames(robot, who, base, tool0)
    bodies = tree(robot)
    up, down = way_between(bodies, bodies.frame(base)[0], bodies.frame(tool0)[0])
    names = [bodies.joints[i] for i in (*up, *down)]
    if any(robot.joints[name].kind.nq != 1 or robot.joints[name].mimic for name in names):
        raise fail("controller-joints", "a joint between base and tool0 has not one coordinate of its own")
    unit = np.array([UNITS[robot.joints[name].kind.angular[0]] for name in names])
    return [robot.q_slices[name].start for name in names], unit, who.coupling(model or robot.name, len(names))


def _name(robot: Robot, column: int) -> str:
    return next(name for name, where in robot.q_slices.items() if where.start == column)


def _checked(robot: Robot, q: Any) -> Array:
    return robot.limits.checked(q, "q")
