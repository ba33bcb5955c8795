"""Frames: new ones, and other places for existing ones."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np

from kinetree.arguments import explain_type_errors
from kinetree.errors import Finding, fail
from kinetree.model.assemble import Parts, build, parts_of
from kinetree.model.edit.extensions import stale, unmoved
from kinetree.model.force_torque import CLOSE, reading_place
from kinetree.model.link import with_shapes
from kinetree.model.placed import check_placed
from kinetree.model.robot import ForceTorque, Frame, Joint, Link, Robot, Sensor
from kinetree.spatial import se3
from kinetree.spatial.numbers import ROUNDED, judged, numbers, poses
from kinetree.spatial.se3 import Array, frozen

Wrench = Literal["parent_on_child", "child_on_parent"]


@explain_type_errors
def add_frame(robot: Robot, name: str, on: str, origin: Any = se3.IDENTITY) -> Robot:
    """Return the robot with a new frame that is fixed to the link of the frame `on`.

    origin: T_on_name (4, 4), its pose in `on`, in metres. Raises UnknownNameError for an unknown `on`, KinetreeError
    for a name that is taken or an origin that is no pose; a rounded rotation is replaced by the nearest, with a note.
    On a frame without a known place the new one has none (`Frame.unplaced`).

    Examples:
        >>> import kinetree as kt
        >>> from kinetree.spatial.se3 import translation
        >>> arm = kt.edit.add_frame(kt.chain("Rz(q1) tx(0.4)"), "camera", on="tip", origin=translation([0, 0, 0.05]))
        >>> kt.fk(arm, "camera")([0.0])[:3, 3].round(3)  # m
        array([0.4 , 0.  , 0.05])
    """
    anchor = robot.frames[on]
    parts = parts_of(robot)
    origin = frozen(anchor.origin @ pose(origin, parts))
    parts.frames.append(Frame(name, anchor.link, origin, unplaced=anchor.unplaced))
    return build(parts)


@explain_type_errors
def add_sensor(
    robot: Robot,
    name: str,
    type: str,
    on: str | None = None,
    origin: Any = se3.IDENTITY,
    *,
    joint: str | None = None,
    measures: Wrench | None = None,
    update_rate: float | None = None,
) -> Robot:
    """Return the robot with a new sensor on the frame `on`, by default the child link of `joint`.

    type: such as "imu", "camera" or "force_torque". origin: T_on_name (4, 4), its pose in `on`, m. joint: the joint
    whose wrench a force/torque sensor measures; measures: which wrench, in the sensor's own axes and about its origin.
    update_rate: Hz. Raises KinetreeError for unknown names, a name that is taken and an origin that is no pose.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.chain([{"axis": [0, 0, 1]}, {"type": "fixed", "joint": "wrist", "m": 2}])
        >>> arm = kt.edit.add_sensor(arm, "ft", "force_torque", joint="wrist", measures="parent_on_child")
        >>> kt.dynamics.sensor_reading(arm, "ft", at_rest=True)([0.0]).round(2) + 0.0  # of 2 kg, N
        array([ 0.  ,  0.  , 19.62,  0.  ,  0.  ,  0.  ])
    """
    carried = None if joint is None else robot.joints[joint].child
    if on is None and carried is None:
        raise fail("sensor", f"sensor {name!r} has no place; expected a frame on=… or a joint=…")
    if not type or not 0 <= (update_rate or 0) < np.inf:
        raise fail("sensor", f"type is {type!r} and update_rate {update_rate!r}; expected a word, and Hz from 0")
    if measures not in (None, *get_args(Wrench)) or (measures and joint is None):
        legal = f"one of {', '.join(get_args(Wrench))}, with joint=…"
        raise fail("sensor", f"measures is {measures!r}; expected {legal}")
    parts = parts_of(robot)
    frame = robot.frames[on if on is not None else str(carried)].name
    reading = ForceTorque(measures, "sensor", "frame") if measures else None
    T = frozen(pose(origin, parts))
    parts.sensors.append(Sensor(name, type, frame, T, joint, update_rate, force_torque=reading))
    return build(parts)


@explain_type_errors
def add_tool(robot: Robot, name: str, T: Any, *, tool0: str = "tool0") -> Robot:
    """Return the robot with the frame of a tool as a sibling of tool0, as REP-199 wants it.

    T: T_tool0_name (4, 4), m: the tool as the controller has it, such as `kt.controllers["kuka"].to_pose(values)`.
    tool0: the frame of a tool of zeros. Raises as `add_frame` does.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.chain("Rz(q1) tx(0.4)")
        >>> T = kt.controllers["kuka"].to_pose([0, 0, 120, 0, 0, 0])  # the tool as the pendant shows it, mm and deg
        >>> arm = kt.edit.add_tool(arm, "gripper", T, tool0="tip")
        >>> kt.fk(arm, "gripper")([0.0])[:3, 3].round(3)
        array([0.4 , 0.  , 0.12])
    """
    frame = robot.frames[tool0]
    joint = robot.parent_joint(tool0) if tool0 in robot.links else None
    link, origin = (joint.parent, joint.origin) if joint and joint.type == "fixed" else (frame.link, frame.origin)
    parts = parts_of(robot)
    parts.frames.append(Frame(name, link, frozen(origin @ pose(T, parts)), unplaced=frame.unplaced))
    return build(parts)


@explain_type_errors
def add_overlay(
    robot: Robot, name: str, on: str, axes: Any, position: Any = (0.0, 0.0, 0.0), *, mirror: str = "y"
) -> Robot:
    """Return the robot with a right-handed frame laid over a left-handed coordinate system, as REP-199 wants it.

    axes (3, 3): unit vectors x, y, z of the left-handed system as columns, and position (3,) of its origin, m, both in
    the frame `on`. mirror: the axis whose direction is reversed; with the same `mirror`, the functions of
    `kinetree.spatial.handedness` convert coordinates in the system to those in the frame. Raises KinetreeError for axes
    that are not left-handed unit vectors, and as `add_frame` does.

    Examples:
        >>> import kinetree as kt
        >>> left_handed = [[1, 0, 0], [0, -1, 0], [0, 0, 1]]  # columns x, y, z
        >>> arm = kt.edit.add_overlay(kt.chain("Rz(q1) tx(0.4)"), "cell", "base_link", left_handed, mirror="y")
        >>> kt.fk(arm, "cell")([0.0])[:3, :3]  # its y is the opposite of theirs
        array([[1., 0., 0.],
               [0., 1., 0.],
               [0., 0., 1.]])
    """
    if mirror not in ("x", "y", "z"):
        raise fail("overlay", f"mirror is {mirror!r}; expected 'x', 'y' or 'z'")
    columns, p = numbers(axes, "overlay", "axes is"), numbers(position, "overlay", "position is")
    if p.shape != (3,) or not np.isfinite(p).all():
        raise fail("overlay", f"position is {p.tolist()}; expected three finite numbers, m")
    if columns.shape == (3, 3) and judged(columns)[1] <= ROUNDED:
        raise fail("overlay", "axes are right-handed, which needs no overlay", fix="use add_frame")
    if columns.shape != (3, 3) or not judged(-columns)[1] <= ROUNDED:
        message = (
            f"axes are not three unit vectors (columns), perpendicular to {ROUNDED:g}, that make a left-handed system"
        )
        raise fail("overlay", message)
    R = np.where([axis == mirror for axis in "xyz"], -columns, columns)
    return add_frame(robot, name, on, se3.homogeneous(R, p))


@explain_type_errors
def move_frame(robot: Robot, name: str, origin: Any, *, relative_to: str | None = None) -> Robot:
    """Return the robot with the frame `name` elsewhere on its link; everything else keeps its place in space.

    origin: T_relative_name (4, 4), its new pose in the frame `relative_to`, which must be fixed to the same link and
    have a known place; by default in the frame itself as it was.

    A link's own frame moves without the link: its inertia, shapes, joints, frames and sensors stay where they are, so
    the same q means the same. If the link is the root, poses in the root frame change by one constant. Sensors stay
    in place when their frame moves, unless its place was unknown: then they move with it. Elements of other tools are
    not changed; those that concern the link are noted, and so are force/torque sensors whose reading changes with the
    axes or the origin of the link.

    Examples:
        >>> import kinetree as kt
        >>> from kinetree.spatial.se3 import translation
        >>> arm = kt.edit.add_frame(kt.chain("Rz(q1) tx(0.4)"), "camera", on="tip")
        >>> arm = kt.edit.move_frame(arm, "camera", translation([0, 0, 0.05]))
        >>> kt.fk(arm, "camera", base="tip")([0.0])[:3, 3]  # m
        array([0.  , 0.  , 0.05])
    """
    frame = robot.frames[name]
    anchor = frame if relative_to is None else robot.frames[relative_to]
    if anchor.link != frame.link:
        message = f"relative_to={anchor.name!r} is fixed to link {anchor.link!r}; expected frames of {frame.link!r}"
        raise fail("not-fixed", message, element=f"frame {name!r}")
    if anchor is not frame:
        check_placed(robot, anchor.name)
    parts = parts_of(robot)
    T_link_new = anchor.origin @ pose(origin, parts)
    T_new_old = frozen(se3.inverse(T_link_new) @ frame.origin)
    parts.sensors = [
        replace(s, origin=frozen(T_new_old @ s.origin)) if s.frame == name and not frame.unplaced else s
        for s in parts.sensors
    ]
    if name in robot.links:
        _move_link_frame(parts, robot.links[name], T_new_old)
        parts.notes += tuple(_moved_readings(robot, name, T_new_old))
    else:
        moved = replace(frame, origin=frozen(T_link_new), unplaced="")
        parts.frames = [moved if f.name == name else f for f in parts.frames]
    return build(parts)


def _moved_readings(robot: Robot, link: str, T: Array) -> Iterator[Finding]:
    """Yield warnings about sensors that read other numbers if the frame of a link moves by T (4, 4)."""
    turns, slides = (bool(np.abs(part).max() >= CLOSE) for part in (T[:3, :3] - np.eye(3), T[:3, 3]))
    for sensor in robot.sensors.values():
        said = sensor.force_torque
        if said is None or said.axes == "sensor" or reading_place(robot, sensor).frame != link:
            continue
        if turns or (slides and said.point == "frame"):
            message = f"reads in the axes of {link!r}, whose frame has moved; so it reads other numbers"
            yield Finding("moved-reading", "warning", message, sensor.source, f"sensor {sensor.name!r}")


def pose(T: Any, parts: Parts) -> Array:
    """Return T as a read-only array (4, 4), with a note in the parts if it is rounded; raise KinetreeError if bad."""
    notes: list[Finding] = []
    array = poses(T, notes)
    if array.ndim > 2:
        raise fail("pose", f"a pose is an array (4, 4); this one has shape {array.shape}")
    parts.notes += tuple(notes)
    return frozen(array)


def moved_link(link: Link, T: Array) -> Link:
    """Return the link with its inertia and shapes given in another frame; T (4, 4) is the old frame's pose there."""
    inertial = link.inertial and replace(link.inertial, origin=frozen(T @ link.inertial.origin))
    return with_shapes(replace(link, inertial=inertial), lambda one: replace(one, origin=frozen(T @ one.origin)))


def _move_link_frame(parts: Parts, link: Link, T_new_old: Array) -> None:
    T_old_new = se3.inverse(T_new_old)

    def joint(joint: Joint) -> Joint:
        if joint.parent == link.name:
            return replace(joint, origin=frozen(T_new_old @ joint.origin))
        if joint.child == link.name:
            return replace(joint, child_origin=frozen(joint.child_origin @ T_old_new))
        return joint

    parts.links = [moved_link(other, T_new_old) if other is link else other for other in parts.links]
    parts.joints = [joint(j) for j in parts.joints]
    parts.loops = [joint(j) for j in parts.loops]
    parts.frames = [replace(f, origin=frozen(T_new_old @ f.origin)) if f.link == link.name else f for f in parts.frames]
    parts.notes += (*stale(parts.extensions, {link.name}, "whose frame has moved"), *unmoved(link))
