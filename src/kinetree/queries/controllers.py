"""Poses and joints as a robot's controller shows them. The robot follows REP-199: its frame `base` is the controller's
base, and `tool0` is the frame of a tool of zeros."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.algorithms.kinematics import path_between
from kinetree.arguments import explain_type_errors
from kinetree.controllers import Controllers
from kinetree.controllers.controller import Active, Controller
from kinetree.errors import KinetreeError, fail
from kinetree.model.assemble import build, parts_of
from kinetree.model.edit import add_limits
from kinetree.model.edit.coupled_limits import nothing_inside
from kinetree.model.limits import LinearLimits, checked_q
from kinetree.model.robot import CoupledLimit, Robot
from kinetree.queries.configuration import configuration, has_configuration
from kinetree.queries.motion import fk
from kinetree.queries.pendant import check_frames, of, pendant
from kinetree.queries.query import tree
from kinetree.spatial import Array, se3
from kinetree.spatial.numbers import numbers, poses


@explain_type_errors
def pose(
    robot: Robot,
    controller: str | Controller,
    q: Any,
    *,
    tool: Any = None,
    user_frame: Any = None,
    base: str = "base",
    tool0: str = "tool0",
) -> Array:
    """Return the numbers (…, 6 or 7) that the pendant shows for q (…, nq).

    tool: the tool in `tool0`; user_frame: the user frame in `base`; each as the controller's numbers, a pose (4, 4) in
    m, or a frame of the robot; None means zeros. base, tool0: the robot's names of these frames of REP-199. Raises
    KinetreeError for frames that do not exist and for numbers that the controller would not accept.

    Examples:
        >>> import numpy as np
        >>> import kinetree as kt
        >>> arm = kt.chain("Rz(q1) tx(0.5)")
        >>> shown = kt.controllers.pose(arm, "kuka", [np.pi / 2], base="base_link", tool0="tip")
        >>> shown.round(3) + 0.0  # X Y Z in mm, A B C in deg
        array([  0., 500.,   0.,  90.,   0.,   0.])
    """
    who = of(controller)
    check_frames(robot, who, base=base, tool0=tool0)
    T_base_tool0 = fk(robot, tool0, base)(_checked(robot, q))
    return who.from_pose(active(robot, who, tool, user_frame, (base, tool0)).shown(T_base_tool0))


@explain_type_errors
def to_pose(
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
    """Return T_in_frame_frame (…, 4, 4), m, for the numbers (…, 6 or 7) of the tool that the controller shows.

    frame must be fixed to `tool0`, in_frame to `base`; the other arguments are those of `pose`. Raises
    KinetreeError as it does, and for frames that are not fixed so.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.chain("Rz(q1) tx(0.5)")
        >>> frames = {"base": "base_link", "tool0": "tip"}
        >>> T = kt.controllers.to_pose(arm, "kuka", [0, 500, 0, 90, 0, 0], "tip", "base_link", **frames)
        >>> T.round(3) + 0.0
        array([[ 0. , -1. ,  0. ,  0. ],
               [ 1. ,  0. ,  0. ,  0.5],
               [ 0. ,  0. ,  1. ,  0. ],
               [ 0. ,  0. ,  0. ,  1. ]])
    """
    who = of(controller)
    check_frames(robot, who, base=base, tool0=tool0)
    T_base_tool0 = active(robot, who, tool, user_frame, (base, tool0)).of_tool0(who.to_pose(values))
    return np.asarray(fixed(robot, base, in_frame) @ T_base_tool0 @ fixed(robot, frame, tool0))


@explain_type_errors
def joints(
    robot: Robot, controller: str | Controller, q: Any, model: str = "", *, base: str = "base", tool0: str = "tool0"
) -> Array:
    """Return the joints (…, n) that the pendant shows for q (…, nq), deg and mm, from base to tool0.

    model: name of the model whose joint coupling applies, by default the robot's name; `controller.couplings` lists the
    known ones and the one assumed for others. base, tool0: as in `pose`. Raises KinetreeError for an unknown model.
    Warns with UnverifiedWarning if no model is given and the coupling of the robot's name is not known.

    Examples:
        >>> import numpy as np
        >>> import kinetree as kt
        >>> arm = kt.chain("Rz(q1) Ry(q2) Ry(q3) Rx(q4) Ry(q5) Rx(q6)", name="m10ia")
        >>> q = np.radians([0, 30, 20, 0, 0, 0])
        >>> shown = kt.controllers.joints(arm, "fanuc", q, base="base_link", tool0="tip")
        >>> shown.round(3) + 0.0  # FANUC's J3 is q3 - q2
        array([  0.,  30., -10.,   0.,   0.,   0.])
    """
    return pendant(robot, of(controller), model, base, tool0).shown(_checked(robot, q))


@explain_type_errors
def to_q(
    robot: Robot,
    controller: str | Controller,
    joints: Any,
    model: str = "",
    *,
    q: Any = None,
    base: str = "base",
    tool0: str = "tool0",
) -> Array:
    """Return q (…, nq) for the joints (…, n) that the pendant shows, deg and mm.

    q (nq,): values of the other joints, by default neutral. model, base, tool0: as in `joints`. Raises KinetreeError
    for another number of joints. Warns as `joints` does.

    Examples:
        >>> import numpy as np
        >>> import kinetree as kt
        >>> arm = kt.chain("Rz(q1) Ry(q2) Ry(q3) Rx(q4) Ry(q5) Rx(q6)", name="m10ia")
        >>> q = kt.controllers.to_q(arm, "fanuc", [0, 30, -10, 0, 0, 0], base="base_link", tool0="tip")
        >>> np.degrees(q).round(3) + 0.0  # q3 is J2 + J3
        array([ 0., 30., 20.,  0.,  0.,  0.])
    """
    arm = pendant(robot, of(controller), model, base, tool0)
    shown, n = numbers(joints, "joints", "joints is", arm.joints), len(arm.joints)
    if shown.shape[-1:] != (n,) or not np.isfinite(shown).all():
        raise fail("joints", f"joints has shape {shown.shape}; expected (…, {n}) finite numbers, deg and mm")
    result = np.broadcast_to(_checked(robot, robot.q() if q is None else q), (*shown.shape[:-1], robot.nq)).copy()
    result[..., arm.columns] = shown @ arm.C.T * arm.unit
    return result


@explain_type_errors
def limit_joints(
    robot: Robot,
    controller: str | Controller,
    lower: Any,
    upper: Any,
    model: str = "",
    *,
    base: str = "base",
    tool0: str = "tool0",
) -> Robot:
    """Return the robot with limits on its controller's joints: lower and upper (n,), deg and mm.

    A coupled joint of the controller becomes a row in `robot.coupled_limits`, over several joints of the robot. model,
    base, tool0: as in `joints`. Raises KinetreeError for another number of limits, and if no q is inside. Warns as
    `joints` does.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.chain("Rz(q1) Ry(q2) Ry(q3) Rx(q4) Ry(q5) Rx(q6)", name="m10ia")
        >>> lower, upper = [-170, -60, -80, -180, -120, -180], [170, 90, 150, 180, 120, 180]
        >>> limited = kt.controllers.limit_joints(arm, "fanuc", lower, upper, base="base_link", tool0="tip")
        >>> (row,) = limited.coupled_limits  # J3 = q3 - q2
        >>> dict(row.coefficients), round(row.lower, 3), round(row.upper, 3)  # rad
        ({'q2': -1.0, 'q3': 1.0}, -1.396, 2.618)
    """
    who = of(controller)
    arm = pendant(robot, who, model, base, tool0)
    names, columns, unit, C = arm.joints, arm.columns, arm.unit, arm.C
    low, high = (numbers(end, what, f"{what} is", names) for what, end in (("lower", lower), ("upper", upper)))
    if low.shape != (len(columns),) or high.shape != low.shape:
        raise fail("limits", f"limits have shapes {low.shape} and {high.shape}; expected ({len(columns)},)")
    if not (low <= high).all():
        j = int(np.flatnonzero(~(low <= high))[0])
        raise fail("limits", f"of J{j + 1} the lower limit is above the upper one, or one of them is none")
    low, high, G = low * unit, high * unit, unit[:, None] * np.linalg.inv(C) / unit
    alone = np.count_nonzero(G, axis=1) == 1
    ends = [(-G[i], -low[i]) for i in np.flatnonzero(alone)] + [(G[i], high[i]) for i in np.flatnonzero(alone)]
    ends = [(row, end) for row, end in ends if np.isfinite(end)]
    box = LinearLimits(
        name=f"{who.key} ranges",
        joints=tuple(names),
        G=np.array([row for row, _ in ends]).reshape(-1, len(names)),
        h=np.array([end for _, end in ends]),
        row_names=tuple(f"{who.key} range {k}" for k in range(len(ends))),
        angular=False,
        box=True,
    )
    parts = parts_of(add_limits(robot, [box]) if ends else robot)
    for i in np.flatnonzero(~alone):
        if np.isfinite(low[i]) or np.isfinite(high[i]):
            terms = {name: float(x) for name, x in zip(names, G[i], strict=True) if x}
            parts.coupled_limits.append(CoupledLimit(f"{who.key} {names[i]}", terms, float(low[i]), float(high[i])))
    made = build(parts)
    if fault := nothing_inside(made):
        raise KinetreeError(fault)
    return made


if TYPE_CHECKING:

    class Registered(Controllers):
        """What `kinetree.controllers` is once these functions are registered there."""

        pose, to_pose = staticmethod(pose), staticmethod(to_pose)
        joints, to_q, limit_joints = staticmethod(joints), staticmethod(to_q), staticmethod(limit_joints)
        configuration, has_configuration = staticmethod(configuration), staticmethod(has_configuration)


def active(robot: Robot, who: Controller, tool: Any, user_frame: Any, frames: tuple[str, str]) -> Active:
    """Return a tool and a user frame as `pose` takes them. frames: the robot's base and tool0."""
    return Active(_pose(robot, who, tool, frames[1]), _pose(robot, who, user_frame, frames[0]))


def _pose(robot: Robot, who: Controller, given: Any, seen_from: str) -> Array:
    """Return a tool or a user frame, whichever way it is given."""
    if given is None:
        return se3.IDENTITY
    if isinstance(given, str):
        return fixed(robot, given, seen_from)
    array = numbers(given, "pose", "tool or user frame is", who.components)
    return poses(array) if array.shape[-2:] == (4, 4) else who.to_pose(array)


def fixed(robot: Robot, frame: str, seen_from: str) -> Array:
    """Return T_seen_from_frame (4, 4) of two frames; raise KinetreeError if a joint moves between them."""
    bodies = tree(robot)
    body_a, body_b = bodies.frame(seen_from)[0], bodies.frame(frame)[0]
    if body_a != body_b:
        between = [bodies.joints[i] for way in path_between(bodies, body_a, body_b) for i in way]
        raise fail(
            "controller-frame", f"{frame!r} moves as seen from {seen_from!r}: {', '.join(between)} are between them"
        )
    return np.asarray(fk(robot, frame, seen_from).interpret(robot.q()))


def _checked(robot: Robot, q: Any) -> Array:
    array = checked_q(robot.limits, q, "q")
    if not np.isfinite(array).all():
        raise fail("q", "q is not finite")
    return array
