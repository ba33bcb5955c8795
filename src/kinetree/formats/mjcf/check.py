"""What MJCF cannot say of a robot."""

from __future__ import annotations

from dataclasses import replace
from math import inf, isfinite

import numpy as np

from kinetree.formats.force_torque import check_reading, lose_reading, written_sensors
from kinetree.formats.losses import Losses
from kinetree.formats.mjcf.constraints import OPEN
from kinetree.formats.mjcf.context import FORMAT
from kinetree.formats.mjcf.order import reordered, take_order
from kinetree.formats.mjcf.sensors import AT_SITE
from kinetree.formats.mjcf.write_bodies import ROUNDING
from kinetree.formats.mjcf.write_geoms import half_sizes
from kinetree.formats.mjcf.writing import WORLD, Job, moments, site_looks
from kinetree.formats.xml import Report, parse
from kinetree.model.force_torque import reading_place
from kinetree.model.robot import Extension, Geometry, Joint, Link, Robot, Sensor
from kinetree.model.tree import build_tree
from kinetree.spatial import se3

SHAPES = ("box", "sphere", "cylinder", "capsule", "ellipsoid", "plane", "mesh", "inline_mesh", "hfield")
MESH_FILES = (".stl", ".obj", ".msh")
SENSORS = (*AT_SITE, "gyroscope", "imu", "force_torque", "camera")


def check(job: Job) -> None:
    """Note everything that cannot be written."""
    robot, losses = job.robot, job.losses
    _extensions(robot, losses)
    for name in site_looks(job):
        if name not in robot.frames or name in robot.links:
            losses.lose("extension", f"robot {robot.name!r}", f"how site {name!r} looks, which is no frame here")
    static = _static_links(robot)
    for link in robot.links.values():
        _link(link, robot, losses)
        for geometry in (*link.visuals, *link.collisions):
            _geometry(link, geometry, losses, link.name in static)
    for joint in robot.joints.values():
        _joint(joint, robot, losses)
    for sensor in robot.sensors.values():
        _sensor(sensor, robot, losses)
    _readings(robot, losses)
    for coupled in robot.coupled_limits:
        if not coupled.lower < coupled.upper:
            losses.lose("coupled_limit", f"coupled limit {coupled.name!r}", "an empty range", coupled.source)
        if any(OPEN <= abs(end) < inf for end in (coupled.lower, coupled.upper)):
            what = f"an end beyond {OPEN:g}, which stands for no limit there"
            losses.lose("coupled_limit", f"coupled limit {coupled.name!r}", what, coupled.source)
    _keyframes(job, losses)
    for group in robot.groups:
        losses.lose("group", f"group {group!r}", "groups of joints")
    for material in robot.materials.values():
        if material.texture and not material.texture.lower().endswith((".png", ".ktx")):
            losses.lose("material", f"material {material.name!r}", "a texture that is no .png file", material.source)


def _static_links(robot: Robot) -> set[str]:
    static = {robot.root}
    for name in robot.placed:
        joint = robot.joints[name]
        if joint.type == "fixed" and joint.parent in static:
            static.add(joint.child)
    return static


def _extensions(robot: Robot, losses: Losses) -> None:
    owners: list[tuple[str, tuple[Extension, ...]]] = [(f"robot {robot.name!r}", robot.extensions)]
    for things in (robot.links.values(), robot.joints.values(), written_sensors(robot, losses.without)):
        owners += [(f"{type(thing).__name__.lower()} {thing.name!r}", thing.extensions) for thing in things]
    for link in robot.links.values():
        owners += [(f"link {link.name!r}", g.extensions) for g in (*link.visuals, *link.collisions)]
    for owner, extensions in owners:
        for extension in extensions:
            if extension.format != FORMAT:
                losses.lose("extension", owner, f"<{extension.tag}> of {extension.format}", extension.source)


def _keyframes(job: Job, losses: Losses) -> None:
    """Keyframes list the numbers of all joints by position, so they are lost when joints come or go."""
    for extension in job.robot.extensions:
        root = parse(extension.text, "", Report()) if extension.tag == "keyframe" else None
        order = take_order(root) if root is not None else {}
        for key in root.children if root is not None else ():
            found = reordered(key, order, job.in_file())
            if isinstance(found, str):
                losses.lose("extension", f"robot {job.robot.name!r}", f"a {key.label} with {found}", extension.source)


def _link(link: Link, robot: Robot, losses: Losses) -> None:
    label = f"link {link.name!r}"
    if link.name == WORLD and robot.root != WORLD:
        losses.lose("link", label, "a link called 'world' that is not the root", link.source)
    if not link.inertial:
        return
    if link.name == WORLD:
        losses.lose("inertial", label, "a mass of the world", link.source)
        return
    a, b, c = moments(link.inertial)
    size = max(abs(a), abs(c))
    if link.inertial.mass < 0 or a < -ROUNDING * size or a + b < c - ROUNDING * size:
        what = "a mass or inertia that no body can have (negative, or one principal moment above the other two)"
        losses.lose("inertial", label, what, link.source)


def _geometry(link: Link, geometry: Geometry, losses: Losses, static: bool) -> None:
    shape, label = geometry.shape, f"link {link.name!r}"
    what = ""
    if shape.kind not in SHAPES:
        what = f"the shape {shape.kind!r}"
    elif shape.kind == "mesh":
        file = str(shape.parameters["filename"])
        if "://" in file or not file.lower().endswith(MESH_FILES):
            what = f"the mesh {file!r}; MuJoCo reads {', '.join(MESH_FILES)} files by path"
    elif shape.kind in ("inline_mesh", "hfield"):
        if "extension" in losses.without:
            what = f"a {shape.kind} without its asset"
    elif shape.kind == "plane":
        what = "" if static else "a plane on a link that moves"
    elif min(half_sizes(shape)) <= 0:
        what = f"a {shape.kind} without extent"
    if what:
        losses.lose("geometry", label, what, geometry.source)


def _joint(joint: Joint, robot: Robot, losses: Losses) -> None:
    label = f"joint {joint.name!r}"
    if joint.type != "fixed" and not joint.kind.mjcf:
        losses.lose("joint", label, f"a {joint.type} joint", joint.source)
    if joint.type == "floating":
        identity = np.array_equal(joint.origin, se3.IDENTITY) and np.array_equal(joint.child_origin, se3.IDENTITY)
        if joint.parent != robot.root or robot.root != WORLD or not identity:
            what = "a floating joint that does not start at the origin of a root link called 'world'"
            losses.lose("joint", label, what, joint.source)
    for limit in joint.limits:
        if limit.velocity < inf:
            losses.lose("velocity_limit", label, "a limit on velocity", joint.source)
        bounded = limit.lower > -inf or limit.upper < inf
        if bounded and not (isfinite(limit.lower) and isfinite(limit.upper)):
            losses.lose("limit", label, "a limit on one side alone", joint.source)
        elif bounded and not joint.kind.single:
            losses.lose("limit", label, f"position limits of a {joint.type} joint", joint.source)
        elif bounded and not limit.lower < limit.upper:
            what = f"the limits {limit.lower:g} to {limit.upper:g}; the first must be smaller than the second"
            losses.lose("limit", label, what, joint.source)
        if limit.effort < inf and not (limit.effort > 0 and joint.kind.single):
            losses.lose("limit", label, f"an effort limit of {limit.effort:g}", joint.source)
    if len(joint.dynamics) > 1:
        losses.lose("dynamics", label, "dynamics that differ between the axes of a joint", joint.source)
    if joint.safety:
        losses.lose("safety", label, "a safety controller", joint.source)
    if joint.calibration:
        losses.lose("calibration", label, "a calibration", joint.source)


def _sensor(sensor: Sensor, robot: Robot, losses: Losses) -> None:
    label = f"sensor {sensor.name!r}"
    if sensor.type not in SENSORS:
        losses.lose("sensor", label, f"a sensor of type {sensor.type!r}", sensor.source)
    if sensor.update_rate is not None:
        losses.lose("sensor", label, "an update rate", sensor.source)
    link = robot.frames[sensor.frame].link
    if sensor.joint is not None and robot.joints[sensor.joint].child != link:
        what = f"a sensor of joint {sensor.joint!r} on another link than the one that it moves"
        losses.lose("sensor", label, what, sensor.source)


def _readings(robot: Robot, losses: Losses) -> None:
    """MuJoCo's force sensors read what the child exerts on the parent, in the frame of their site and about it."""
    tree = build_tree(robot)
    for sensor in written_sensors(robot, losses.without):
        if sensor.force_torque and sensor.force_torque.measures != "child_on_parent":
            lose_reading(losses, sensor)
        else:
            own = replace(sensor, force_torque=None)
            check_reading(losses, sensor, tree, reading_place(robot, sensor), reading_place(robot, own))
