"""Parts of a robot that a format cannot represent; a writer refuses them unless the caller leaves them out."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from math import inf
from operator import attrgetter
from types import MappingProxyType
from typing import Any

import numpy as np

from kinetree.errors import Finding, KinetreeError, Source
from kinetree.formats.force_torque import without_reading
from kinetree.formats.losses.balls import without_balls
from kinetree.formats.losses.capabilities import CAPABILITIES, DEPENDS, TITLES, Case, elements_of
from kinetree.formats.losses.parts import PARTS, check_parts, unread
from kinetree.model.assemble import Parts, build, order_of_file, parts_of
from kinetree.model.edit.extensions import change_extensions
from kinetree.model.loops import open_loops
from kinetree.model.names import kind_of
from kinetree.model.robot import Frame, Geometry, Joint, Link, Robot, Sensor, Shape
from kinetree.spatial.se3 import frozen, homogeneous, rotation_between

WIDE, THICK = 100.0, 0.01
"""Sides, m, of a box in place of a plane: of a plane without end, and its thickness."""


def leave_out(parts: Parts, without: Collection[str]) -> Parts:
    """Return the parts of a robot without some of PARTS; a sensor on a frame that goes stands on its link."""
    parts = without_balls(parts) if "ball" in without else parts
    made = replace(parts, **{EMPTY[part][0]: EMPTY[part][1] for part in without if part in EMPTY})
    if "extension" in without:
        made.actuators = []
    made.joints = [_joint_without(joint, without) for joint in parts.joints]
    made.loops = [_joint_without(joint, without) for joint in made.loops]
    if "mimic" in without and made.joint_order is not None:
        freed = [joint.name for joint in parts.joints if joint.mimic and joint.kind.nq]
        made.joint_order = (*made.joint_order, *freed)
    made.links = [_link_without(link, without) for link in parts.links]
    frames = {frame.name: frame for frame in parts.frames} if "frame" in without else {}
    made.sensors = [_sensor_without(sensor, frames, without) for sensor in made.sensors]
    # elements of URDF and SDF that belong to `without`, which a reader has left out but kept as they stand
    unread_ones = {
        (format, place.rpartition("/")[2]) for format in ("urdf", "sdf") for place in unread(format, without)
    }
    every = "extension" in without
    change_extensions(made, lambda one: None if every or (one.format, one.tag) in unread_ones else one)
    return made


def elements_with(robot: Robot, part: str) -> list[str]:
    """Return the elements of a robot that have a part, as they are called in messages."""
    if part == "order":
        return [f"robot {robot.name!r}"] if robot.joint_names != order_of_file(robot) else []
    if part == "extension":
        parts: tuple[Any, ...] = (robot, *robot.links.values(), *robot.joints.values(), *robot.sensors.values())
        tags = [extension.tag.rpartition("::") for one in parts for extension in one.extensions]
        return [f"<{tag}> of model {scope!r}" if scope else f"<{tag}>" for scope, _, tag in tags]
    if part in HAVING:
        kind, has = HAVING[part]
        things: Iterable[Any] = filter(has, getattr(robot, kind).values())
    else:
        things = getattr(parts_of(robot), EMPTY[part][0])
    if part == "material":
        things = (*things, *(link for link in robot.links.values() if any(g.material for g in _shapes(link))))
    return [f"{part} {thing!r}" if isinstance(thing, str) else f"{kind_of(thing)} {thing.name!r}" for thing in things]


def _shapes(link: Link) -> tuple[Geometry, ...]:
    return (*link.visuals, *link.collisions)


EMPTY: Mapping[str, tuple[str, Any]] = {
    "material": ("materials", ()),
    "sensor": ("sensors", ()),
    "coupled_limit": ("coupled_limits", ()),
    "actuator": ("actuators", ()),
    "loop": ("loops", ()),
    "frame": ("frames", ()),
    "group": ("groups", MappingProxyType({})),
    "order": ("joint_order", None),
}
"""Parts that are a field of the whole robot, and the field without them."""
OF_JOINTS: Mapping[str, tuple[str, Any]] = {
    "limit": ("limits", ()),
    "dynamics": ("dynamics", ()),
    "safety": ("safety", None),
    "calibration": ("calibration", None),
    "mimic": ("mimic", None),
}
"""Parts that are a field of joints, likewise."""
HAVING: Mapping[str, tuple[str, Callable[[Any], object]]] = {
    "inertial": ("links", attrgetter("inertial")),
    "geometry": ("links", _shapes),
    "plane": ("links", lambda link: any(shape.shape.kind == "plane" for shape in _shapes(link))),
    "unknown_mass": ("links", attrgetter("unweighed")),
    "ball": ("joints", lambda joint: joint.type == "ball"),
    "velocity_limit": ("joints", lambda joint: any(limit.velocity < inf for limit in joint.limits)),
    **{part: ("joints", attrgetter(field)) for part, (field, _) in OF_JOINTS.items()},
    "force_torque": ("sensors", attrgetter("force_torque")),
    "loop": ("loops", lambda loop: True),
}
"""Parts of links, joints, sensors and loops: the elements, and whether one of them has the part."""


def _joint_without(joint: Joint, without: Collection[str]) -> Joint:
    if "velocity_limit" in without:
        joint = replace(joint, limits=tuple(replace(limit, velocity=inf) for limit in joint.limits))
    return replace(joint, **{OF_JOINTS[part][0]: OF_JOINTS[part][1] for part in without if part in OF_JOINTS})


def _link_without(link: Link, without: Collection[str]) -> Link:
    changes: dict[str, Any] = {"inertial": None} if "inertial" in without else {}
    if {"inertial", "unknown_mass"} & {*without}:
        changes["unweighed"] = ""
    for name in ("visuals", "collisions"):
        shapes: tuple[Geometry, ...] = getattr(link, name) if "geometry" not in without else ()
        if "plane" in without:
            shapes = tuple(map(_boxed, shapes))
        if "extension" in without:
            shapes = tuple(replace(shape, surface=None) for shape in shapes)
        if "material" in without:
            shapes = tuple(replace(shape, material=None) for shape in shapes)
        changes[name] = shapes
    return replace(link, **changes)


def _boxed(geometry: Geometry) -> Geometry:
    """Return a geometry with a thin box in place of a plane, whose upper face is in the plane."""
    if geometry.shape.kind != "plane":
        return geometry
    sizes: Any = geometry.shape.parameters
    R = rotation_between((0.0, 0.0, 1.0), np.divide(sizes["normal"], np.linalg.norm(sizes["normal"])))
    box = Shape("box", {"size": (*(side or WIDE for side in sizes["size"]), THICK)})
    return replace(geometry, shape=box, origin=frozen(geometry.origin @ homogeneous(R, -THICK / 2 * R[:, 2])))


def _sensor_without(sensor: Sensor, frames: Mapping[str, Frame], without: Collection[str]) -> Sensor:
    if frame := frames.get(sensor.frame):
        sensor = replace(sensor, frame=frame.link, origin=frozen(frame.origin @ sensor.origin))
    return without_reading(sensor) if "force_torque" in without else sensor


class Losses:
    """What a format cannot represent of a robot. format: its row in CAPABILITIES. without: parts that are left out."""

    def __init__(self, format: str, without: Collection[str]) -> None:
        check_parts(without)
        self.format = format
        self.without = frozenset(without) | ({"actuator"} if "extension" in without else set())
        self.findings: list[Finding] = []
        self._lost: set[tuple[str, str, str, Source | None]] = set()

    def without_parts(self, robot: Robot) -> Robot:
        """Return the robot without the parts that are left out; a format of one chain leaves out frames itself."""
        without = self.without - {"frame"} if self.format in ("dh-csv", "ets") else self.without
        return build(leave_out(parts_of(robot), without)) if without else robot

    def find(self, robot: Robot, cases: Mapping[str, Case] = MappingProxyType({}), row: str | None = None) -> None:
        """Note what is lost by the table of capabilities and the writer's cases. row: of another format, if given."""
        for link in robot.links.values():
            is_kept = any(e.format == self.format and e.tag == "inertial" for e in link.extensions)
            if link.unweighed and not is_kept and "inertial" not in self.without:
                what = f"an unknown mass. {link.unweighed}"
                self.note_loss("unknown_mass", f"link {link.name!r}", what, link.source)
        cannot = CAPABILITIES[row or self.format]
        assert all(cannot[part] is DEPENDS for part in cases)
        for part, cell in cannot.items():
            case = cases.get(part, DEPENDS) if cell is DEPENDS else cell
            if case is None:
                continue
            for element, thing, source in elements_of(robot, part, self.without):
                for what in [case.format(thing)] if isinstance(case, str) else case(thing):
                    self.note_loss(part.rpartition(".")[2], element, what, source)

    def note_loss(self, part: str, element: str, what: str, source: Source | None = None) -> None:
        """Note that an element has a part that cannot be written. part: one of PARTS, or "joint" or "link"."""
        key = (part, element, what, source)
        if part in self.without or key in self._lost:  # as of a geom that is seen and felt
            return
        first = all(part != known for known, *_ in self._lost)
        self._lost.add(key)
        fix = f"pass without=({part!r},), or --without {part}, to leave such parts out" if part in PARTS else None
        message = f"{TITLES.get(self.format, self.format.upper())} cannot express {what}"
        self.findings.append(Finding(f"cannot-say-{part}", "error", message, source, element, fix if first else None))

    def note_open_loops(self, robot: Robot) -> None:
        """Note the loops that are open with all joints at zero, for formats in which loops are drawn closed."""
        for loop in open_loops(robot):
            what = "a loop that is open with all joints at zero"
            self.note_loss("loop", f"loop {loop.name!r}", what, loop.source)

    def check(self) -> None:
        """Raise KinetreeError if anything would be lost."""
        if self.findings:
            raise KinetreeError(self.findings)
