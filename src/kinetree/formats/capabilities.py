"""What each format can say of a robot: one table, by format and by part of a robot.

A part that is missing from the row of a format can be written in full. Otherwise its cell is a text, what the format
cannot say wherever there is such a part; or a function, which returns what it cannot say of one such part; or DEPENDS.
`Losses.find` walks over the robot with a row.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

from kinetree.errors import Source
from kinetree.formats.force_torque import written_sensors
from kinetree.model.assemble import order_of_file
from kinetree.model.robot import UNLIMITED, Joint, Robot

Case = Callable[[Any], Iterable[str]]
"""From one part of a robot to what the format cannot say of it."""

DEPENDS = ""
"""What can be said depends on values: the writer has a function for it, or notes it while it lays out the file."""


@dataclass(frozen=True, slots=True)
class Capability:
    """What a format can say.

    title: its name in messages. parts: by part, what it cannot say. A part is that of `without`, as "group", or one of
    its places, as "geometry.material" for "material"; `things_of` lists them.
    """

    title: str
    parts: Mapping[str, str | Case]


def things_of(robot: Robot, part: str, without: Collection[str]) -> Iterator[tuple[str, Any, Source | None]]:
    """Yield all things of a part in a robot: their element for messages, the thing, its place.

    Joints are the things of all their parts, and links of theirs. without: the parts that are left out.
    """
    if part.rpartition(".")[2] == "extension":
        for owner in ("robot", "link", "joint") if part == "extension" else (part.partition(".")[0],):
            for element, thing in _owners(robot, owner, without):
                yield from ((element, extension, extension.source) for extension in thing.extensions)
        return
    owner, _, attribute = part.partition(".")
    for element, thing in _owners(robot, owner, without):
        if _has(thing, attribute):
            yield element, thing, getattr(thing, "source", None)


def _has(thing: Any, attribute: str) -> bool:
    """Return whether a thing has a part; what is no attribute of it is left to the cells."""
    if attribute == "geometry":
        return bool(thing.visuals or thing.collisions)
    return not attribute or bool(getattr(thing, attribute, True))


def _owners(robot: Robot, kind: str, without: Collection[str]) -> Iterator[tuple[str, Any]]:
    """Yield the things of a kind that have parts, each with its element for messages."""
    if kind == "robot":
        yield f"robot {robot.name!r}", robot
    elif kind == "order":
        yield f"robot {robot.name!r}", (robot.joint_names, order_of_file(robot))
    elif kind == "geometry":
        for link in robot.links.values():
            yield from ((f"link {link.name!r}", geometry) for geometry in (*link.visuals, *link.collisions))
    elif kind == "sensor":
        yield from ((f"sensor {sensor.name!r}", sensor) for sensor in written_sensors(robot, without))
    elif kind == "frame":
        for name, frame in robot.frames.items():
            yield f"{'link' if name in robot.links else 'frame'} {name!r}", frame
    elif kind == "coupled_limit":
        yield from ((f"coupled limit {limit.name!r}", limit) for limit in robot.coupled_limits)
    else:
        things: Mapping[str, Any] = getattr(robot, f"{kind}s")
        yield from ((f"{kind} {name!r}", thing) for name, thing in things.items())


def _extensions_but(format: str) -> dict[str, str | Case]:
    """Return the cells of a format that keeps its own extensions alone."""

    def foreign(extension: Any) -> list[str]:
        return [f"<{extension.tag}> of {extension.format}"] if extension.format != format else []

    return dict.fromkeys(("extension", "geometry.extension", "sensor.extension"), foreign)


def type_without_name(format: str) -> Case:
    """Return the cell of joints for a format whose names of joint types are a column of JOINT_TYPES."""
    return lambda joint: [] if getattr(joint.kind, format) else [f"a {joint.type} joint"]


def _where_named(format: str, what: str) -> Case:
    """Return a cell about joints of the types that a format has."""
    return lambda joint: [what] if getattr(joint.kind, format) else []


def _texture(thing: Any) -> list[str]:
    material = thing if hasattr(thing, "rgba") else thing.material
    return ["a texture"] if material.texture else []


def _velocity_limits(joint: Joint) -> list[str]:
    return ["a limit on velocity" for limit in joint.limits if limit.velocity < inf]


def _stiffness(joint: Joint) -> list[str]:
    lost = any(row.stiffness or row.armature for row in joint.dynamics)
    return ["the stiffness or the armature of a joint"] if lost else []


def _limited_without_end(joint: Joint) -> list[str]:
    limited = joint.type == "continuous" and not (joint.limit.lower == -inf and joint.limit.upper == inf)
    return ["position limits of a continuous joint"] if limited else []


def _dynamics(joint: Joint) -> list[str]:
    lost = any(row.damping or row.friction or row.stiffness or row.armature for row in joint.dynamics)
    return ["the dynamics of a joint"] if lost else []


def _limits(joint: Joint) -> list[str]:
    return [] if joint.limit == UNLIMITED else ["limits"]


def _order(orders: tuple[Any, Any]) -> list[str]:
    return ["another order of q than that of the chain"] if orders[0] != orders[1] else []


GROUPS = "groups of joints"
KINEMATICS_ALONE: dict[str, str | Case] = {
    "extension": lambda extension: [f"<{extension.tag}>"],
    "material": "materials",
    "link.inertial": "the inertia of a link",
    "link.geometry": "the shapes of a link",
    "joint.dynamics": _dynamics,
    "joint.safety": "safety limits",
    "joint.calibration": "calibration",
}
"""The cells of formats without mass, shape and behaviour."""
ONE_CHAIN: dict[str, str | Case] = {
    "sensor": "sensors",
    "order": _order,
    "coupled_limit": "limits over several joints",
    "group": GROUPS,
    "frame": DEPENDS,
    "joint.mimic": "joints that follow others",
}
"""The cells of formats that have a single chain of joints."""

CAPABILITIES: dict[str, Capability] = {
    "urdf": Capability(
        "URDF",
        {
            "geometry": DEPENDS,
            **_extensions_but("urdf"),
            "joint": type_without_name("urdf"),
            "joint.dynamics": _stiffness,
            "joint.limit": _limited_without_end,
            "group": GROUPS,
            "sensor": DEPENDS,
            "sensor.force_torque": DEPENDS,
        },
    ),
    "sdf": Capability(
        "SDF",
        {
            **_extensions_but("sdf"),
            "link": DEPENDS,
            "geometry": DEPENDS,
            "geometry.material": _texture,
            "joint": type_without_name("sdf"),
            "joint.safety": _where_named("sdf", "a safety controller"),
            "joint.calibration": _where_named("sdf", "a calibration"),
            "joint.dynamics": DEPENDS,
            "joint.limit": DEPENDS,
            "joint.mimic": DEPENDS,
            "frame": DEPENDS,
            "sensor": DEPENDS,
            "sensor.force_torque": DEPENDS,
            "material": _texture,
            "group": GROUPS,
        },
    ),
    "mjcf": Capability(
        "MJCF",
        {
            **_extensions_but("mjcf"),
            "link": DEPENDS,
            "link.inertial": DEPENDS,
            "geometry": DEPENDS,
            "joint": DEPENDS,
            "joint.velocity_limit": _velocity_limits,
            "joint.limit": DEPENDS,
            "joint.dynamics": DEPENDS,
            "joint.safety": "a safety controller",
            "joint.calibration": "a calibration",
            "sensor": DEPENDS,
            "sensor.force_torque": DEPENDS,
            "coupled_limit": DEPENDS,
            "group": GROUPS,
            "material": DEPENDS,
        },
    ),
    "dh": Capability(
        "a DH table",
        {
            **KINEMATICS_ALONE,
            "joint": DEPENDS,
            "sensor": DEPENDS,
            "sensor.force_torque": DEPENDS,
            "group": DEPENDS,
        },
    ),
    "dh-csv": Capability("a DH table in CSV", {**KINEMATICS_ALONE, **ONE_CHAIN, "joint": DEPENDS}),
    "ets": Capability("ETS", {**KINEMATICS_ALONE, **ONE_CHAIN, "link": DEPENDS, "joint.limit": _limits}),
}
