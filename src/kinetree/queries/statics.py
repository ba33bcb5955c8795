"""Points, wrenches, joint torques, sensor readings and masses."""

from collections.abc import Callable
from typing import Any

import numpy as np

from kinetree.algorithms import statics
from kinetree.arguments import explained
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port, checked
from kinetree.errors import Finding, KinetreeError, fail
from kinetree.model.force_torque import MEASURES, reading_place
from kinetree.model.robot import Robot, Sensor
from kinetree.model.tree import Tree
from kinetree.queries.query import frames_of, one_of, query, velocities
from kinetree.robots.icub.naming import sensor as sensor_named
from kinetree.spatial.plucker import moved_wrench
from kinetree.spatial.se3 import Array, homogeneous, inverse


@explained
def point(robot: Robot, frame: str, base: str | None = None) -> Kernel:
    """Return the position of a point on a frame, such as a taxel: a kernel from q (…, nq) and p (…, 3) to (…, 3).

    p is in `frame`, the result in `base`, the root link by default; metres. Raises KinetreeError for a name that is not
    a frame.
    """
    frame, base = frames_of(robot, (frame, base))
    output = Port("p_base", (3,), ("x", "y", "z"), f"point of {frame} in {base}; m")
    more = Port("p", (3,), ("x", "y", "z"), f"in {frame}; m")
    return _static("point", robot, frame, base, statics.point, more, output)


@explained
def wrench(robot: Robot, frame: str, base: str | None = None) -> Kernel:
    """Return the same wrench in another frame: a kernel from q (…, nq) and w (…, 6) in `frame` to (…, 6) in `base`.

    A wrench is a force in N, then its moment in N m about the origin of the frame in whose axes both are given. base is
    the root link by default. A frame relative to itself gives w unchanged. Lynch & Park, Modern Robotics, eq. 3.98, the
    dual of the adjoint. Raises KinetreeError for a name that is not a frame.
    """
    frame, base = frames_of(robot, (frame, base))
    output = Port("w_base", (6,), _WRENCH, f"in {base}; N, N m")
    return _static("wrench", robot, frame, base, statics.wrench, _wrench_in(frame), output)


@explained
def joint_torques(robot: Robot, frame: str, base: str | None = None) -> Kernel:
    """Return the joint torques of a wrench, tau = Jᵀ w: a kernel from q (…, nq) and w (…, 6) in `frame` to (…, nv).

    w acts from outside on the link that carries the frame: force in N, then moment in N m about the frame's origin, in
    its axes. tau, in N or N m per coordinate of `robot.velocity_names`, is the effect of w on the joints: tau · qd = w
    · V for every qd, where V is the twist `velocity(robot, frame, base, "frame")`. Actuators balance w with -tau. A
    mimic follower counts in its leader's entry.

    With a `base` other than the root link only the joints between the two count, as if -w acted on the base. Lynch &
    Park, Modern Robotics, eq. 5.26. Raises KinetreeError for a name that is not a frame.
    """
    frame, base = frames_of(robot, (frame, base))
    qd = velocities(robot)
    output = Port("tau", qd.shape, qd.labels, f"exerted by a wrench on {frame}, relative to {base}; N, N m")
    return _static("joint_torques", robot, frame, base, statics.joint_torques, _wrench_in(frame), output)


_WRENCH = ("fx", "fy", "fz", "mx", "my", "mz")


def _wrench_in(frame: str) -> Port:
    return Port("w", (6,), _WRENCH, f"in {frame}; N, N m")


def _static(
    name: str, robot: Robot, frame: str, base: str, algorithm: Callable[..., Any], more: Port, output: Port
) -> Kernel:
    """Return the kernel of an algorithm on (tree, q, x, frame, base)."""

    def along(model: Tree, q: Any, x: Any) -> Any:
        return algorithm(model, q, x, frame, base)

    return query(robot, (name, frame, base), [base, frame], output, along, [more])


@explained
def sensor_reading(robot: Robot, sensor: str, frame: str, measures: str | None = None) -> Kernel:
    """Return the reading of a force/torque sensor under an external wrench: kernel from q (…, nq) and w (…, 6) to (…,
    6).

    w is in `frame`, which is on the far side of the sensor's joint with the links that it carries. These have no weight
    here and are at rest; w acts on them from outside. measures: "parent_on_child", the wrench that the joint's parent
    link exerts on its child link, -w; or "child_on_parent", w. By default the model's value, and so are the axes and
    the point of the moment (`ForceTorque`); without them these are the sensor's own. N and N m, force first. sensor: a
    name of the model, or of the iCub's convention (`kt.icub.sensor`).

    Raises KinetreeError if `sensor` is not a force/torque sensor of a joint, for a frame on the near side, if neither
    the model nor the caller gives `measures`, and if the place of the sensor is unknown (`Frame.unplaced`).
    """
    (frame,) = frames_of(robot, (frame,))
    it = sensor_named(robot, sensor)
    joint = _joint_of(robot, it)
    if measures is None and it.force_torque is not None:
        measures = it.force_torque.measures
    if measures is None:
        legal = " or ".join(f"measures={word!r}" for word in MEASURES)
        raise fail("measures", f"the model does not say what it measures; pass {legal}", element=f"sensor {sensor!r}")
    one_of("measures", measures, MEASURES)
    _check_far_side(robot, joint, frame)
    place, sign = reading_place(robot, it), -1.0 if measures == "parent_on_child" else 1.0
    for name in (place.frame, place.on):
        if why := robot.frames[name].unplaced:
            fix = f"give frame {name!r} its place with kt.edit.move_frame"
            message = f"has no known place, so its reading is not known: {why}"
            raise fail("unplaced", message, element=f"sensor {it.name!r}", fix=fix)

    def algorithm(model: Tree, q: Any, w: Any) -> Any:
        p = statics.point(model, q, place.p, place.on, place.frame)
        T_reading_frame = inverse(homogeneous(place.R_frame_reading, p))
        return sign * moved_wrench(T_reading_frame, statics.wrench(model, q, w, frame, place.frame))

    numbers = (*place.R_frame_reading.ravel().tolist(), *place.p.tolist())
    key = ("sensor_reading", it.name, frame, measures, place.frame, place.on, *numbers)
    output = Port("reading", (6,), _WRENCH, f"of {it.name}, {measures}; N, N m")
    return query(robot, key, [place.frame, frame, place.on], output, algorithm, [_wrench_in(frame)])


def _joint_of(robot: Robot, sensor: Sensor) -> str:
    """Return the joint that a force/torque sensor measures; raise KinetreeError for other sensors."""
    if sensor.type == "force_torque" and sensor.joint is not None:
        return sensor.joint
    legal = [s.name for s in robot.sensors.values() if s.type == "force_torque" and s.joint is not None]
    what = f"is of type {sensor.type!r}" if sensor.type != "force_torque" else "is of no joint"
    there = ", ".join(map(repr, legal)) or "there are none"
    message = f"{what}; legal are force_torque sensors of joints: {there}"
    raise KinetreeError(Finding("sensor", "error", message, sensor.source, f"sensor {sensor.name!r}"))


def _check_far_side(robot: Robot, joint: str, frame: str) -> None:
    if robot.joints[joint] not in robot.joints_to(robot.frames[frame].link):
        child = robot.joints[joint].child
        message = f"frame {frame!r} is not on its far side; legal are frames on {child!r} and what it carries"
        raise fail("near-side", message, element=f"joint {joint!r}")


@explained
def contact_wrench(p: Any, f: Any) -> Array:
    """Return the wrench (…, 6) of a force f (…, 3) in N at a point p (…, 3) in m, both in one frame: f, then p × f, its
    moment about the frame's origin in N m."""
    ports = [Port("p", (3,), ("x", "y", "z")), Port("f", (3,), ("fx", "fy", "fz"))]
    (p, f), batch = checked("contact_wrench", ports, [p, f], {}, float)
    return np.concatenate([np.broadcast_to(f, (*batch, 3)), np.cross(p, f)], axis=-1)
