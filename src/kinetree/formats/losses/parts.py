"""Parts of robots that can be left out by `without=…`: of what is read, and of what is written."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from kinetree.display import listed
from kinetree.errors import Finding, Source, fail
from kinetree.syntax.xml.reader import Element, Report

MAX_NAMES = 20
"""Most names in a note."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part that can be left out.

    title: what it is. effect: what the robot is like without it. silent: codes of warnings that only say that it is
    missing.
    """

    title: str
    effect: str
    silent: tuple[str, ...] = ()


PARTS: Mapping[str, Part] = {
    "extension": Part("elements for other programs", "other programs do not find their settings"),
    "geometry": Part("shapes", "these are not seen and touch nothing"),
    "plane": Part("planes", "boxes of 1 cm, as wide as the planes or 100 m, stand in for them"),
    "ball": Part("ball joints", "three revolute joints about x, y and z, without limits, stand in for each"),
    "material": Part("materials", "its shapes have no look"),
    "inertial": Part("masses and inertias", "these have no mass", ("no-inertial",)),
    "unknown_mass": Part(
        "masses that are unknown, such as of a mesh that is missing", "these have no mass", ("unknown-inertia",)
    ),
    "sensor": Part("sensors", "these are gone"),
    "actuator": Part("actuators", "nothing drives these"),
    "force_torque": Part("what force-torque sensors measure", "in which frame and direction these measure is unknown"),
    "limit": Part("limits of position, velocity, effort, acceleration and jerk", "these have none", ("no-limit",)),
    "velocity_limit": Part("limits of velocity", "these have none"),
    "coupled_limit": Part("limits over several joints", "these are gone"),
    "dynamics": Part("damping, friction, stiffness and armature", "these move freely"),
    "safety": Part("safety controllers", "these have none"),
    "calibration": Part("calibrations", "these have none"),
    "frame": Part("frames besides those of links", "these are gone, and sensors on them stand on their links"),
    "group": Part("groups of joints", "these are gone"),
    "order": Part("an order of q of its own", "q is in the order of the joints"),
    "mimic": Part("followers", "these move by themselves, and q has a number for each"),
    "loop": Part("joints that close a loop", "these are gone"),
}
"""All parts. Joints and links are never left out."""
UNREAD: Mapping[str, Mapping[str, str]] = {
    "urdf": {
        "actuator": "robot/transmission robot/ros2_control",
        "extension": "robot/gazebo robot/transmission robot/ros2_control",
        "geometry": "link/visual link/collision",
        "material": "robot/material visual/material",
        "inertial": "link/inertial",
        "sensor": "robot/sensor",
        "force_torque": "sensor/force_torque",
        "limit": "joint/limit",
        "coupled_limit": "robot/kinetree_coupled_limit",
        "dynamics": "joint/dynamics",
        "safety": "joint/safety_controller",
        "calibration": "joint/calibration",
        "mimic": "joint/mimic",
    },
    "sdf": {
        "geometry": "link/visual link/collision",
        "material": "visual/material",
        "inertial": "link/inertial",
        "sensor": "link/sensor joint/sensor",
        "force_torque": "sensor/force_torque",
        "limit": "axis/limit axis2/limit",
        "coupled_limit": "model/kinetree:coupled_limit",
        "dynamics": "axis/dynamics axis2/dynamics",
        "mimic": "axis/mimic axis2/mimic",
    },
    "mjcf": {
        "actuator": "mujoco/actuator",
        "extension": "mujoco/actuator mujoco/contact mujoco/keyframe",
        "sensor": "mujoco/sensor body/camera",
        "limit": "joint/@range joint/@limited joint/@actuatorfrcrange joint/@actuatorfrclimited",
        "coupled_limit": "mujoco/tendon",
        "dynamics": "joint/@damping joint/@stiffness joint/@springref joint/@armature joint/@frictionloss",
        "mimic": "equality/joint",
    },
}
"""By format and part, the elements "outer/tag" and attributes "outer/@name" that are not read without the part, so that
errors in them do not count. What other elements depend on is read, and then taken out of the robot."""


def unread(format: str, without: Collection[str]) -> dict[str, str]:
    """Return {element or attribute: part} of what is not read of a format without these parts."""
    return {place: part for part in without for place in UNREAD.get(format, {}).get(part, "").split()}


def check_parts(without: Collection[str]) -> None:
    """Raise KinetreeError for names that are no parts."""
    if unknown := [part for part in without if part not in PARTS]:
        raise fail("without", f"without={unknown!r}; expected {', '.join(PARTS)}")


def cutter(format: str, without: Collection[str]) -> Callable[[Element, Report], None] | None:
    """Return a function that takes the parts of `without` out of a document of a format and notes them, or None."""
    parts = unread(format, without)
    return (lambda root, report: _cut(root, report, parts)) if parts else None


def _cut(root: Element, report: Report, parts: Mapping[str, str]) -> None:
    found: dict[str, list[tuple[str, Source]]] = {}
    stack = [(root, root.label)]
    while stack:
        outer, label = stack.pop()
        kept = []
        for child in outer.children:
            part = parts.get(f"{outer.tag}/{child.tag}")
            if part:
                named = _label(child) if outer is root else label
                found.setdefault(part, []).append((named, child.source))
            else:
                kept.append(child)
        if len(kept) < len(outer.children):
            outer.children = kept
        for name in [name for name in outer.attributes if f"{outer.tag}/@{name}" in parts]:
            found.setdefault(parts[f"{outer.tag}/@{name}"], []).append((label, outer.source))
            del outer.attributes[name]
        stack += [(child, child.label if child.get("name") else label) for child in reversed(kept)]
    report.findings += [note(part, [name for name, _ in places], places[0][1]) for part, places in found.items()]


def _label(element: Element) -> str:
    """Return the name of an element of the whole robot in messages, without the mark of those of Kinetree."""
    name = element.get("name")
    kind = element.tag.replace("kinetree_", "").replace("kinetree:", "").replace("_", " ")
    return f"{kind} {name!r}" if name else element.label


def note(part: str, names: Collection[str], source: Source | None) -> Finding:
    """Return the note on a part that is left out of what is read. names: the elements that had it."""
    title, effect = PARTS[part].title, PARTS[part].effect
    message = f"without={part!r} leaves out {title}: {listed(names, MAX_NAMES)}; {effect}"
    return Finding("without", "info", message, source)
