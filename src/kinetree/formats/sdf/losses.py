"""What of a robot SDF has no words for."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from kinetree.formats.force_torque import check_reading, written_sensors
from kinetree.formats.losses import Losses
from kinetree.formats.sdf.frames import WORLD
from kinetree.formats.sdf.layout import Layout, reference, scope_of
from kinetree.formats.sdf.shapes import AS_IT_STANDS, SHAPES
from kinetree.formats.sdf.values import NO_BOUND
from kinetree.model.force_torque import reading_place
from kinetree.model.robot import UNLIMITED, Dynamics, Extension, Joint, Link, Robot, Sensor
from kinetree.model.tree import build_tree

SENSOR_TYPES = (
    "air_flow",
    "air_pressure",
    "air_speed",
    "altimeter",
    "boundingbox",
    "boundingbox_camera",
    "camera",
    "contact",
    "custom",
    "depth",
    "depth_camera",
    "force_torque",
    "gps",
    "gpu_lidar",
    "gpu_ray",
    "imu",
    "lidar",
    "logical_camera",
    "magnetometer",
    "multicamera",
    "navsat",
    "ray",
    "rfid",
    "rfidtag",
    "rgbd",
    "rgbd_camera",
    "segmentation",
    "segmentation_camera",
    "sonar",
    "thermal",
    "thermal_camera",
    "wideanglecamera",
    "wireless_receiver",
    "wireless_transmitter",
)


def sensor_owner(robot: Robot, sensor: Sensor) -> str:
    """The link or joint in which a sensor stands."""
    return sensor.joint or robot.frames[sensor.frame].link


def check_parts(layout: Layout, losses: Losses) -> None:
    """Note everything that cannot be said."""
    robot = layout.robot
    _extensions(f"robot {robot.name!r}", robot.extensions, losses)
    for link in layout.links:
        _link(robot, link, losses)
    for joint in robot.joints.values():
        _joint(joint, losses)
    counts = Counter(_read_name(robot, sensor) for sensor in robot.sensors.values())
    for sensor in written_sensors(robot, losses.without):
        _sensor(layout, sensor, counts[_read_name(robot, sensor)] > 1, losses)
    _readings(robot, losses)
    for material in robot.materials.values():
        if material.texture:
            losses.lose("material", f"material {material.name!r}", "a texture", material.source)
    for group in robot.groups:
        losses.lose("group", f"group {group!r}", "groups of joints")


def _extensions(owner: str, extensions: tuple[Extension, ...], losses: Losses) -> None:
    for extension in extensions:
        if extension.format != "sdf":
            losses.lose("extension", owner, f"<{extension.tag}> of {extension.format}", extension.source)


def _link(robot: Robot, link: Link, losses: Losses) -> None:
    label = f"link {link.name!r}"
    _extensions(label, link.extensions, losses)
    for geometries in (link.visuals, link.collisions):
        names = Counter(geometry.name for geometry in geometries if geometry.name)
        for geometry in geometries:
            _extensions(label, geometry.extensions, losses)
            kind = geometry.shape.kind
            kept = any(e.format == "sdf" and e.tag == f"geometry/{kind}" for e in geometry.extensions)
            as_it_stands = kind == "empty" or (kind in AS_IT_STANDS and kept and "extension" not in losses.without)
            if kind not in SHAPES and not as_it_stands:
                losses.lose("geometry", label, f"the shape {kind!r}", geometry.source)
            if geometry.name and names[geometry.name] > 1:
                losses.lose("geometry", label, f"two shapes of the name {geometry.name!r}", geometry.source)
            if geometry.material and geometry.material.texture:
                losses.lose("material", label, "a texture", geometry.source)


def _joint(joint: Joint, losses: Losses) -> None:
    label, source = f"joint {joint.name!r}", joint.source
    _extensions(label, joint.extensions, losses)
    if not joint.kind.sdf:
        losses.lose("joint", label, f"a {joint.type} joint", source)
        return
    axes = joint.kind.axes
    if joint.safety:
        losses.lose("safety", label, "a safety controller", source)
    if joint.calibration:
        losses.lose("calibration", label, "a calibration", source)
    if any(row.armature for row in joint.dynamics) or any(
        row != Dynamics() for row in joint.dynamics[max(axes, joint.type == "fixed") :]
    ):
        losses.lose("dynamics", label, "the armature of a joint, or dynamics without an axis", source)
    bounds = [bound for limit in joint.limits for bound in (limit.lower, limit.upper)]
    if joint.type == "continuous" and any(abs(bound) < NO_BOUND for bound in bounds):
        losses.lose("limit", label, "position limits of a continuous joint", source)
    if any(limit != UNLIMITED for limit in joint.limits[axes:]):
        losses.lose("limit", label, f"limits of a {joint.type} joint", source)
    if any(limit.velocity < 0 or limit.effort < 0 for limit in joint.limits):
        losses.lose("limit", label, "a negative velocity or effort limit, which means none there", source)
    numbers = [*bounds, *(v for limit in joint.limits for v in (limit.velocity, limit.effort))]
    if any(NO_BOUND <= abs(number) < float("inf") for number in numbers):
        losses.lose("limit", label, "a limit of 1e16 or more, which means none there", source)


def _read_name(robot: Robot, sensor: Sensor) -> str:
    """What a sensor would be called when it is read back, if no other is called the same."""
    owner = sensor_owner(robot, sensor)
    scope = scope_of(owner)
    local = sensor.name.removeprefix(f"{owner}::").rpartition("::")[2]
    return f"{scope}::{local}" if scope else local


def _readings(robot: Robot, losses: Losses) -> None:
    """In SDF every moment is about the joint's origin."""
    tree = build_tree(robot)
    for sensor in written_sensors(robot, losses.without):
        if sensor.force_torque:
            written = replace(sensor, force_torque=replace(sensor.force_torque, point="joint"))
            check_reading(losses, sensor, tree, reading_place(robot, sensor), reading_place(robot, written))


def _sensor(layout: Layout, sensor: Sensor, shared: bool, losses: Losses) -> None:
    robot, label = layout.robot, f"sensor {sensor.name!r}"
    _extensions(label, sensor.extensions, losses)
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
