"""Search for what SDF cannot represent of a robot."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from math import inf

from kinetree.formats.force_torque import check_readings, written_sensors
from kinetree.formats.losses.capabilities import Case
from kinetree.formats.losses.losses import Losses
from kinetree.formats.sdf.layout import Layout, reference, scope_of
from kinetree.formats.sdf.shapes import AS_IT_STANDS, SHAPES
from kinetree.model.names import NamedValues
from kinetree.model.robot import Geometry, Joint, Robot, Sensor


def sensor_owner(robot: Robot, sensor: Sensor) -> str:
    """Return the name of the link or joint that contains a sensor."""
    return sensor.joint or robot.frames[sensor.frame].link


def check_parts(layout: Layout, losses: Losses) -> None:
    """Note parts that cannot be written."""
    robot = layout.robot
    cases: dict[str, Case] = {"geometry": partial(_shape, "extension" not in losses.without), "joint.limit": _limits}
    # a world that has a body is refused by the layout
    losses.find(replace(robot, links=NamedValues("link", layout.links)), cases)
    for sensor in written_sensors(robot, losses.without):
        _sensor(layout, sensor, losses)
    check_readings(losses, robot, _read_back)


def _shape(extensions: bool, geometry: Geometry) -> list[str]:
    kind = geometry.shape.kind
    kept = any(e.format == "sdf" and e.tag == f"geometry/{kind}" for e in geometry.extensions)
    as_it_stands = kind == "empty" or (kind in AS_IT_STANDS and kept and extensions)
    return [] if kind in SHAPES or as_it_stands else [f"the shape {kind!r}"]


def _limits(joint: Joint) -> Iterator[str]:
    for limit in joint.limits:
        if limit.lower > limit.upper:  # libsdformat refuses the file
            yield f"the limits {limit.lower:g} to {limit.upper:g}, which nothing is inside"
    for limit in joint.limits[joint.kind.axes :] if joint.kind.sdf or joint.type == "floating" else ():
        if limit.lower > -inf or limit.upper < inf or 0 < limit.effort < inf:
            yield f"limits of a {joint.type} joint"


def _read_back(sensor: Sensor) -> Sensor:
    """Return a sensor as SDF has it: every moment is about the joint's origin."""
    assert sensor.force_torque
    return replace(sensor, force_torque=replace(sensor.force_torque, point="joint"))


def _sensor(layout: Layout, sensor: Sensor, losses: Losses) -> None:
    robot, label = layout.robot, f"sensor {sensor.name!r}"
    owner, frame = sensor_owner(robot, sensor), robot.frames[sensor.frame]
    if sensor.joint and robot.joints[sensor.joint].child != frame.link:
        what = f"a sensor of joint {sensor.joint!r} that is not fixed to its child link"
        losses.note_loss("sensor", label, what, sensor.source)
    if reference(sensor.frame, scope_of(owner)) is None:
        losses.note_loss("sensor", label, f"a sensor on {sensor.frame!r}, outside its model", sensor.source)
