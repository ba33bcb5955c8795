"""Search for what SDF cannot represent of a robot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from math import inf

from kinetree.formats.capabilities import Case
from kinetree.formats.force_torque import check_readings, written_sensors
from kinetree.formats.losses import Losses
from kinetree.formats.sdf.frames import WORLD
from kinetree.formats.sdf.layout import Layout, reference, scope_of
from kinetree.formats.sdf.shapes import AS_IT_STANDS, SHAPES
from kinetree.formats.sdf.values import NO_BOUND
from kinetree.model.names import Named
from kinetree.model.robot import UNLIMITED, Dynamics, Geometry, Joint, Robot, Sensor

SENSOR_TYPES = (
    *("air_flow", "air_pressure", "air_speed", "altimeter", "boundingbox", "boundingbox_camera", "camera"),
    *("contact", "custom", "depth", "depth_camera", "force_torque", "gps", "gpu_lidar", "gpu_ray", "imu"),
    *("lidar", "logical_camera", "magnetometer", "multicamera", "navsat", "ray", "rfid", "rfidtag", "rgbd"),
    *("rgbd_camera", "segmentation", "segmentation_camera", "sonar", "thermal", "thermal_camera"),
    *("wideanglecamera", "wireless_receiver", "wireless_transmitter"),
)


def sensor_owner(robot: Robot, sensor: Sensor) -> str:
    """Return the name of the link or joint that contains a sensor."""
    return sensor.joint or robot.frames[sensor.frame].link


def check_parts(layout: Layout, losses: Losses) -> None:
    """Note parts that cannot be written."""
    robot = layout.robot
    cases: dict[str, Case] = {
        "geometry": partial(_shape, "extension" not in losses.without),
        "joint.dynamics": _dynamics,
        "joint.limit": _limits,
    }
    # a world that has a body is refused by the layout
    losses.find(replace(robot, links=Named("link", layout.links)), cases)
    _shape_names(layout, losses)
    counts = Counter(_read_name(robot, sensor) for sensor in robot.sensors.values())
    for sensor in written_sensors(robot, losses.without):
        _sensor(layout, sensor, counts[_read_name(robot, sensor)] > 1, losses)
    check_readings(losses, robot, _read_back)


def _shape(extensions: bool, geometry: Geometry) -> list[str]:
    kind = geometry.shape.kind
    kept = any(e.format == "sdf" and e.tag == f"geometry/{kind}" for e in geometry.extensions)
    as_it_stands = kind == "empty" or (kind in AS_IT_STANDS and kept and extensions)
    return [] if kind in SHAPES or as_it_stands else [f"the shape {kind!r}"]


def _shape_names(layout: Layout, losses: Losses) -> None:
    for link in layout.links:
        for geometries in (link.visuals, link.collisions):
            names = Counter(geometry.name for geometry in geometries if geometry.name)
            for geometry in geometries:
                if geometry.name and names[geometry.name] > 1:
                    what = f"two shapes of the name {geometry.name!r}"
                    losses.lose("geometry", f"link {link.name!r}", what, geometry.source)


def _dynamics(joint: Joint) -> list[str]:
    without_axis = joint.dynamics[max(joint.kind.axes, joint.type == "fixed") :]
    lost = any(row.armature for row in joint.dynamics) or any(row != Dynamics() for row in without_axis)
    written = joint.kind.sdf or joint.type == "floating"
    return ["the armature of a joint, or dynamics without an axis"] if lost and written else []


def _limits(joint: Joint) -> Iterator[str]:
    if not joint.kind.sdf and joint.type != "floating":
        return
    bounds = [bound for limit in joint.limits for bound in (limit.lower, limit.upper)]
    if joint.type == "continuous" and any(abs(bound) < NO_BOUND for bound in bounds):
        yield "position limits of a continuous joint"
    if any(limit != UNLIMITED for limit in joint.limits[joint.kind.axes :]):
        yield f"limits of a {joint.type} joint"
    if any(limit.velocity < 0 or limit.effort < 0 for limit in joint.limits):
        yield "a negative velocity or effort limit, which means none there"
    numbers = [*bounds, *(v for limit in joint.limits for v in (limit.velocity, limit.effort))]
    if any(NO_BOUND <= abs(number) < inf for number in numbers):
        yield "a limit of 1e16 or more, which means none there"


def _read_name(robot: Robot, sensor: Sensor) -> str:
    """Return the name of a sensor when it is read back, if no other sensor has it."""
    owner = sensor_owner(robot, sensor)
    scope = scope_of(owner)
    local = sensor.name.removeprefix(f"{owner}::").rpartition("::")[2]
    return f"{scope}::{local}" if scope else local


def _read_back(sensor: Sensor) -> Sensor:
    """Return a sensor as SDF has it: every moment is about the joint's origin."""
    assert sensor.force_torque
    return replace(sensor, force_torque=replace(sensor.force_torque, point="joint"))


def _sensor(layout: Layout, sensor: Sensor, shared: bool, losses: Losses) -> None:
    robot, label = layout.robot, f"sensor {sensor.name!r}"
    owner, frame = sensor_owner(robot, sensor), robot.frames[sensor.frame]
    name = _read_name(robot, sensor)
    if sensor.name != (f"{owner}::{name.rpartition('::')[2]}" if shared else name):
        losses.lose("sensor", label, f"a sensor of {owner!r} by this name; it would be {name!r}", sensor.source)
    if not sensor.type:
        losses.lose("sensor", label, "a sensor without a type", sensor.source)
    if frame.link == WORLD and layout.on_world:
        losses.lose("sensor", label, "a sensor that is fixed to the world", sensor.source)
    if sensor.joint and robot.joints[sensor.joint].child != frame.link:
        what = f"a sensor of joint {sensor.joint!r} that is not fixed to its child link"
        losses.lose("sensor", label, what, sensor.source)
    if reference(sensor.frame, scope_of(owner)) is None:
        losses.lose("sensor", label, f"a sensor on {sensor.frame!r}, outside its model", sensor.source)
