"""One table of what each format can represent; `Losses.find` walks over a robot with the row of a format.

A new format adds a row; its writer gives `find` the cases that depend on values.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

from kinetree.algorithms.serial import KINDS
from kinetree.errors import Source
from kinetree.formats.force_torque import written_sensors
from kinetree.model.assemble import order_of_file
from kinetree.model.robot import UNLIMITED, Dynamics, Geometry, Joint, Robot

Case = Callable[[Any], Iterable[str]]
"""Function from one element of a robot to descriptions of what a format cannot represent of it."""

DEPENDS = None
"""Mark of parts that depend on values: the writer has a case, or notes what is lost while it lays out the file."""
Row = dict[str, str | Case | None]
"""Losses of a format by part of a robot: a text, in which "{0.name}" is an attribute of the element, a case, or
DEPENDS. A part is one of `without`, as "material", perhaps of some elements alone, as "geometry.material". Parts that a
format can represent in full have no entry."""
TITLES = {"dh": "a DH table", "dh-csv": "a DH table in CSV"}
"""Names of formats in messages, where that is not the format in capitals."""


def where(condition: Callable[[Any], object], what: str) -> Case:
    """Return a case that describes an element as lost if a condition is true of it; what: as in `Row`."""
    return lambda thing: [what.format(thing)] if condition(thing) else []


def elements_of(robot: Robot, part: str, without: Collection[str]) -> Iterator[tuple[str, Any, Source | None]]:
    """Yield each element of a part of a robot: its name for messages, the element, its place in the file.

    A part of a joint or link yields the joint or link. without: the parts that are left out.
    """
    owner, _, name = part.rpartition(".")
    if name == "extension":
        for kind in (owner,) if owner else ("robot", "link", "joint", "loop"):
            for element, thing in _all_of(kind, robot, without):
                yield from ((element, extension, extension.source) for extension in thing.extensions)
        return
    for element, thing in _all_of(owner or name, robot, without):
        if not owner or _has(thing, name):
            yield element, thing, getattr(thing, "source", None)


def _has(thing: Any, name: str) -> bool:
    """Return whether a thing has a part; a case finds out where that is no attribute of it, as "velocity_limit"."""
    return bool(thing.visuals or thing.collisions) if name == "geometry" else bool(getattr(thing, name, True))


def _all_of(kind: str, robot: Robot, without: Collection[str]) -> Iterator[tuple[str, Any]]:
    if kind in ("robot", "order"):
        yield f"robot {robot.name!r}", robot if kind == "robot" else (robot.joint_names, order_of_file(robot))
    elif kind == "geometry":
        for link in robot.links.values():
            yield from ((f"link {link.name!r}", geometry) for geometry in (*link.visuals, *link.collisions))
    elif kind == "frame":
        yield from ((f"{'link' if name in robot.links else kind} {name!r}", f) for name, f in robot.frames.items())
    else:
        things: Any = written_sensors(robot, without) if kind == "sensor" else getattr(robot, f"{kind}s")
        named = things.items() if isinstance(things, Mapping) else ((thing.name, thing) for thing in things)
        yield from ((f"{kind.replace('_', ' ')} {name!r}", thing) for name, thing in named)


def lost_shape(shapes: Collection[str], geometry: Geometry) -> list[str]:
    """Return the description of a shape that is not one of `shapes`, or is a part of a mesh."""
    shape = geometry.shape
    if shape.kind in shapes and "submesh" in shape.parameters:
        return [f"submesh {shape.parameters['submesh']!r} of the mesh {shape.parameters['filename']!r}"]
    boxes = "; without=('plane',), or --without plane, writes thin boxes" if shape.kind == "plane" else ""
    return [] if shape.kind in shapes else [f"the shape {shape.kind!r}{boxes}"]


def _depends(*parts: str) -> Row:
    return dict.fromkeys(parts, DEPENDS)


def _is_lost_in_sdf(joint: Joint) -> bool:
    """Return whether SDF has no such joint. A floating joint from the world is one by not being in the file."""
    return not joint.kind.sdf and not (joint.type == "floating" and joint.parent == "world")


def lost_joint(condition: Callable[[Joint], object]) -> Case:
    """Return a case that describes a joint as lost if a condition is true of it."""
    three = "; without=('ball',), or --without ball, writes three revolute joints"
    return lambda joint: [f"a {joint.type} joint{three if joint.type == 'ball' else ''}"] if condition(joint) else []


POLYNOMIAL = where(lambda joint: joint.mimic.higher, "a joint that follows another by a polynomial")
LOOP = "a joint that closes a loop"
GROUPS = "groups of joints"

SINGLE_JOINTS = lost_joint(lambda joint: joint.type not in (*KINDS, "fixed"))

KINEMATICS_ALONE: Row = {
    "loop": LOOP,
    "actuator": "actuators",
    "extension": "<{0.tag}>",
    "material": "materials",
    "link.geometry": "the shapes of a link",
    "joint.safety": "safety limits",
    "joint.calibration": "calibration",
}
"""Losses of formats of kinematics and masses."""

UNRELATED: Row = {
    "sensor": "sensors",
    "order": where(lambda orders: orders[0] != orders[1], "another order of q than that of the chain"),
    "coupled_limit": "limits over several joints",
    "group": GROUPS,
    "joint.mimic": "joints that follow others",
}
"""Losses of formats that have joints without relations between them."""

CAPABILITIES: dict[str, Row] = {
    "urdf": {
        "geometry": DEPENDS,
        "joint": lost_joint(lambda joint: not joint.kind.urdf),
        "joint.mimic": POLYNOMIAL,
        "loop": where(lambda joint: not joint.kind.sdf or joint.kind.has_pitch, f"a {{0.type}} {LOOP[2:]}"),
        "loop.mimic": "a joint that closes a loop and follows another",
        **_depends("sensor", "sensor.force_torque"),
    },
    "sdf": {
        "joint": lost_joint(_is_lost_in_sdf),
        "joint.mimic": POLYNOMIAL,
        "loop": where(lambda joint: not joint.kind.sdf, "a {0.type} joint"),
        **_depends("geometry", "joint.limit", "sensor", "sensor.force_torque"),
    },
    "mjcf": {
        **_depends("link.inertial", "geometry", "joint", "loop", "joint.limit"),
        "loop.mimic": "a joint that closes a loop and follows another",
        "joint.dynamics": where(
            lambda joint: len({*joint.dynamics}) > 1, "dynamics that differ between the axes of a joint"
        ),
        **_depends("sensor", "sensor.force_torque", "coupled_limit"),
    },
    "dh": {
        **KINEMATICS_ALONE,
        "joint": SINGLE_JOINTS,
        "joint.mimic": POLYNOMIAL,
        **_depends("link.geometry", "sensor", "sensor.force_torque", "group"),
    },
    "dh-csv": {
        **KINEMATICS_ALONE,
        "link.inertial": "the inertia of a link",
        "joint": DEPENDS,
        **UNRELATED,
        "frame": DEPENDS,
    },
    "ets": {
        **KINEMATICS_ALONE,
        "joint.dynamics": where(lambda joint: {*joint.dynamics} - {Dynamics()}, "the dynamics of a joint"),
        "joint": SINGLE_JOINTS,
        "link": DEPENDS,
        **UNRELATED,
        "joint.limit": where(lambda joint: joint.limit != UNLIMITED, "limits"),
    },
    "usd": {
        "actuator": "actuators",
        "loop.mimic": "a joint that closes a loop and follows another",
        **dict.fromkeys(("joint.safety", "loop.safety"), "safety limits"),
        **dict.fromkeys(("joint.calibration", "loop.calibration"), "calibration"),
        "material": where(lambda material: material.texture, "textures"),
        "geometry.material": where(lambda geometry: geometry.material.texture, "textures"),
        **{part: what for part, what in UNRELATED.items() if part != "joint.mimic"},
        **_depends("geometry", "extension", "joint", "loop", "joint.limit", "loop.limit", "joint.mimic"),
        **_depends("joint.dynamics"),
    },
}
