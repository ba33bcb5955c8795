"""Search for what MJCF cannot represent of a robot."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import partial
from math import inf

import numpy as np

from kinetree.errors import Finding
from kinetree.formats.force_torque import check_readings, written_sensors
from kinetree.formats.losses.capabilities import Case, lost_shape, where
from kinetree.formats.losses.losses import Losses
from kinetree.formats.mjcf.context import FORMAT, WORLD
from kinetree.formats.mjcf.order import reordered, take_controls, take_order
from kinetree.formats.mjcf.write_bodies import site_of
from kinetree.formats.mjcf.write_geoms import half_sizes
from kinetree.formats.mjcf.write_loops import TAGS
from kinetree.formats.mjcf.writing import Job, site_looks
from kinetree.model.edit.extensions import kept_elements
from kinetree.model.robot import Geometry, Joint, Robot, Sensor
from kinetree.spatial import se3

SHAPES = ("box", "sphere", "cylinder", "capsule", "ellipsoid", "plane", "mesh", "inline_mesh", "hfield")
MESH_FILES = (".stl", ".obj", ".msh")


def check(job: Job) -> None:
    """Note everything that cannot be written."""
    robot, losses = job.robot, job.losses
    cases: dict[str, Case] = {
        "link.inertial": where(lambda link: link.inertial.mass < 0, "a negative mass"),
        "geometry": partial(_geometry, "extension" not in losses.without),
        "joint": where(lambda joint: joint.type != "fixed" and not joint.kind.mjcf, "a {0.type} joint"),
        "loop": where(lambda loop: loop.type not in TAGS, "a {0.type} joint that closes a loop"),
        "joint.limit": _limits,
        "sensor": partial(_sensor, robot),
        "coupled_limit": where(
            lambda limit: limit.lower > limit.upper, "the limits {0.lower:g} to {0.upper:g}, which nothing is inside"
        ),
    }
    losses.find(robot, cases)
    for name in site_looks(job):
        if name not in robot.frames or name in robot.links:
            losses.note_loss(
                "extension", f"robot {robot.name!r}", f"how site {name!r} looks, which is not a frame here"
            )
    _keyframes(job, losses)
    _moving_planes(robot, losses)
    check_readings(losses, robot, partial(_read_back, robot))


def _moving_planes(robot: Robot, losses: Losses) -> None:
    static = {robot.root}
    for name in robot.placed:
        joint = robot.joints[name]
        if joint.type == "fixed" and joint.parent in static:
            static.add(joint.child)
    for link in robot.links.values():
        for geometry in (*link.visuals, *link.collisions) if link.name not in static else ():
            if geometry.shape.kind == "plane":
                losses.note_loss("geometry", f"link {link.name!r}", "a plane on a link that moves", geometry.source)


def _keyframes(job: Job, losses: Losses) -> None:
    """Note keyframes that do not fit: they list the numbers of all joints by position."""
    for extension, root in kept_elements(job.robot.extensions, FORMAT, "keyframe"):
        take_controls(root)
        order = take_order(root)
        for key in root.children:
            found = reordered(key, order, job.in_file())
            if isinstance(found, str):
                losses.note_loss(
                    "extension", f"robot {job.robot.name!r}", f"a {key.label} with {found}", extension.source
                )


def _geometry(assets: bool, geometry: Geometry) -> Iterator[str]:
    """Yield what MJCF cannot represent of a geometry. assets: whether the assets that were kept are written."""
    shape = geometry.shape
    if lost := lost_shape(SHAPES, geometry):
        yield from lost
    elif shape.kind == "mesh":
        file = str(shape.parameters["filename"])
        if "://" in file or not file.lower().endswith(MESH_FILES):
            yield f"the mesh {file!r}; MuJoCo reads {', '.join(MESH_FILES)} files by path"
    elif shape.kind in ("inline_mesh", "hfield"):
        if not assets:
            yield f"the shape {shape.kind!r} without its asset"
    elif shape.kind != "plane" and min(half_sizes(shape)) <= 0:
        yield f"a {shape.kind} without extent"


def is_several(robot: Robot, joint: Joint) -> bool:
    """Return whether a joint is written as slides, hinges and a ball in one body: MuJoCo has no such joint, or floating
    ones only from the world to the frame of a link."""
    free = joint.parent == robot.root == WORLD and np.array_equal(joint.child_origin, se3.IDENTITY)
    return bool(joint.kind.singles) or (joint.type == "floating" and not free)


def _limits(joint: Joint) -> Iterator[str]:
    for limit in joint.limits:
        bounded = limit.lower > -inf or limit.upper < inf
        if bounded and not joint.kind.single:
            yield f"position limits of a {joint.type} joint"
        elif limit.lower > limit.upper:
            yield f"the limits {limit.lower:g} to {limit.upper:g}, which nothing is inside"
        if 0 < limit.effort < inf and not joint.kind.single:
            yield f"an effort limit of a {joint.type} joint"


def _sensor(robot: Robot, sensor: Sensor) -> Iterator[str]:
    if sensor.joint is not None and robot.joints[sensor.joint].child != robot.frames[sensor.frame].link:
        yield f"a sensor of joint {sensor.joint!r} on another link than the one that it moves"


def _read_back(robot: Robot, sensor: Sensor) -> Sensor:
    """Return a sensor as MuJoCo has it: the force that the parent exerts on the child, in the frame of its site."""
    link, T = site_of(robot, sensor)
    return replace(sensor, frame=link, origin=T, force_torque=None)


def opposite_readings(robot: Robot, without: Collection[str]) -> Iterator[Finding]:
    """Yield a note on the sensors of which MuJoCo reads the opposite wrench."""
    said = [(sensor, sensor.force_torque) for sensor in written_sensors(robot, without)]
    if wrong := [sensor for sensor, reading in said if reading and reading.measures == "child_on_parent"]:
        more = f"; so do {', '.join(repr(sensor.name) for sensor in wrong[1:])}" if wrong[1:] else ""
        message = f"measures what the child link exerts on the parent link; in MuJoCo it measures the opposite{more}"
        yield Finding("opposite", "warning", message, wrong[0].source, f"sensor {wrong[0].name!r}")
