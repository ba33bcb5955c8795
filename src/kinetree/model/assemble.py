"""Parts to a `Robot`: what every reader and every edit ends with. Checks that the parts make one tree."""

import heapq
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from math import hypot
from typing import TYPE_CHECKING

from kinetree.confine import Places
from kinetree.errors import Doubt, Finding, KinetreeError, Source, nearest_names
from kinetree.model.complete import circles_of, complete
from kinetree.model.joints import JOINT_TYPES
from kinetree.model.magnitudes import too_large
from kinetree.model.names import Lookup, NamedValues, kind_of
from kinetree.model.robot import Actuator, CoupledLimit, Extension, Frame, Joint, Link, Material, Robot, Sensor, Text

if TYPE_CHECKING:
    from kinetree.model.semantic import Semantic

MAX_FAULTS = 1000
"""Most errors of the structure; looking for the nearest names takes a while."""
MAX_NAMES = 50
"""Most names of a circle in a message."""
LEFT_OVER = ("left-over-xacro", "its name contains an expression that xacro has not replaced")
LOOP_FIX = "a tree has no loops; without=('loop',), or --without loop, loads the robot without this joint"


Thing = Link | Joint | Frame | Sensor | Material | CoupledLimit | Actuator
Reading = tuple[Robot | None, list[Finding]]
"""A robot, or None, and all findings."""


@dataclass
class Parts:
    """What a robot is made of, before it is known to be one. The only mutable thing here; readers fill it."""

    name: str
    links: list[Link] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)  # the extra ones; every link's own frame is added
    sensors: list[Sensor] = field(default_factory=list)
    materials: list[Material] = field(default_factory=list)
    coupled_limits: list[CoupledLimit] = field(default_factory=list)
    extensions: list[Extension] = field(default_factory=list)
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    joint_order: tuple[str, ...] | None = None  # of q, if it is not that of the file
    notes: tuple[Finding, ...] = ()
    text: Text | None = None
    source: Source | None = None
    places: Places = Places()
    loops: list[Joint] = field(default_factory=list)  # joints that close a loop, which the tree is without
    complete: bool = True  # False after errors of a reader: then what is missing is not reported again
    doubts: list[Doubt] = field(default_factory=list)  # what these errors leave unknown
    semantic: "Semantic | None" = None
    header: Mapping[str, str] = field(default_factory=dict)
    actuators: list[Actuator] = field(default_factory=list)  # those of joints that do not exist, or not any more, go


def parts_of(robot: Robot) -> Parts:
    """Return the parts of a robot, to edit and assemble again, without the text it came from, which would be stale."""
    return Parts(
        robot.name,
        list(robot.links.values()),
        list(robot.joints.values()),
        [f for f in robot.frames.values() if f.name not in robot.links],
        list(robot.sensors.values()),
        list(robot.materials.values()),
        list(robot.coupled_limits),
        list(robot.extensions),
        dict(robot.groups),
        robot.joint_names,
        robot.notes,
        None,
        robot.source,
        robot.places,
        list(robot.loops.values()),
        semantic=robot.semantic,
        header=robot.header,
        actuators=list(robot.actuators.values()),
    )


def build(parts: Parts) -> Robot:
    """Return the robot of these parts. Raises KinetreeError with all faults that keep them from being one."""
    robot, findings = assemble(parts)
    if robot is None:
        raise KinetreeError(findings)
    return robot


def assemble(parts: Parts) -> Reading:
    """Return the robot of these parts, or None, and every fault of their structure."""
    return whole(*assemble_certain(parts))


def whole(robot: Robot | None, findings: list[Finding]) -> Reading:
    """Return a robot, or None if errors leave anything of it unknown, and the findings."""
    return (None if robot is None or robot.doubts else robot), findings


def assemble_certain(parts: Parts) -> Reading:
    """Return the robot of these parts and every fault of their structure. After faults it is what can be made of the
    parts, with doubts; None if nothing can."""
    check = _Checker(parts)
    placed: tuple[str, ...] = ()
    with suppress(_EnoughError):
        placed = check.run()
    if check.findings or not parts.complete:
        if not any(link.name for link in parts.links) or len(check.findings) >= MAX_FAULTS:
            return None, check.findings
        parts = replace(parts, doubts=[*parts.doubts])
        complete(parts)
        again = _Checker(replace(parts, complete=True))
        placed, again.findings = again.place(), []
        check.roots = again.roots
        parts.doubts = parts.doubts or [Doubt("robot", parts.name)]
    joints = NamedValues("joint", parts.joints)
    moving = tuple(name for name in placed if joints[name].coordinated)
    own = [Frame(link.name, link.name, source=link.source) for link in parts.links]
    robot = Robot(
        name=parts.name,
        links=NamedValues("link", parts.links),
        joints=joints,
        frames=NamedValues("frame", [*own, *parts.frames]),
        root=check.roots[0],
        joint_names=_in_order(moving, parts.joint_order),
        placed=placed,
        sensors=NamedValues("sensor", parts.sensors),
        groups=Lookup("group", parts.groups),
        materials=NamedValues("material", parts.materials),
        loops=NamedValues("loop", parts.loops),
        coupled_limits=tuple(parts.coupled_limits),
        extensions=tuple(parts.extensions),
        notes=tuple(parts.notes),
        text=parts.text,
        source=parts.source,
        places=parts.places,
        doubts=tuple(parts.doubts),
        semantic=parts.semantic,
        header=parts.header,
        actuators=NamedValues("actuator", driving(parts.actuators, joints)),
    )
    return robot, check.findings


def driving(actuators: Iterable[Actuator], joints: Mapping[str, Joint]) -> list[Actuator]:
    """Return the actuators without those of joints that are not there, or have not one coordinate: an actuator goes
    with its joint, also if that becomes fixed."""
    return [one for one in actuators if one.joint in joints and joints[one.joint].kind.single]


def order_of_file(robot: Robot) -> tuple[str, ...]:
    """Return the order of q that follows from the order of the joints."""
    return tuple(name for name in robot.placed if robot.joints[name].coordinated)


def _in_order(moving: tuple[str, ...], wanted: tuple[str, ...] | None) -> tuple[str, ...]:
    """Return the moving joints in the order wanted; joints without a place in it come last."""
    if wanted is None:
        return moving
    known, kept = set(moving), dict.fromkeys(wanted)
    return (*(name for name in kept if name in known), *(name for name in moving if name not in kept))


class _EnoughError(Exception):
    """Signal that ends the search for faults."""


class _Checker:
    """Search for all faults that keep parts from being one tree."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.findings: list[Finding] = []
        self.roots: list[str] = []

    def error(self, code: str, message: str, thing: Thing | Parts, fix: str | None = None, element: str = "") -> None:
        """Add an error. thing: what it is about. element: what it is called, by default by its kind and its name."""
        kind = "robot" if isinstance(thing, Parts) else kind_of(thing)
        self.add(Finding(code, "error", message, thing.source, element or f"{kind} {thing.name!r}", fix))

    def add(self, fault: Finding) -> None:
        self.findings.append(fault)
        if len(self.findings) >= MAX_FAULTS:
            message = f"there are {MAX_FAULTS} faults already; the rest is left out"
            self.findings.append(Finding("too-many", "error", message, self.parts.source, f"robot {self.parts.name!r}"))
            raise _EnoughError

    def run(self) -> tuple[str, ...]:
        """Return every joint, parents first."""
        parts = self.parts
        if not parts.links and not parts.complete:
            return ()
        if not parts.links:
            self.error("no-links", "has no links", parts)
            return ()
        if _is_xacro(parts.name):
            self.error(*LEFT_OVER, parts)
        self.names("frame", [*parts.links, *parts.frames])
        for kind, things in (
            ("joint", [*parts.joints, *parts.loops]),
            ("sensor", parts.sensors),
            ("actuator", parts.actuators),
            ("material", parts.materials),
            ("coupled limit", parts.coupled_limits),
        ):
            self.names(kind, things)
        self.references()
        if self.joints():
            self.mimics()
        for fault in too_large(parts) if parts.complete else ():
            self.add(fault)
        return self.place()

    def joints(self) -> bool:
        """Note faults inside a joint, which callers may make and readers do not; return whether all types are known."""
        for joint in (*self.parts.joints, *self.parts.loops) if self.parts.complete else ():
            if joint.type not in JOINT_TYPES:
                near = nearest_names(joint.type, list(JOINT_TYPES))
                self.error("joint-type", f"has the type {joint.type!r}; {near}", joint)
                continue
            wanted = (joint.kind.axes, 3)
            if joint.axes.shape != wanted or not all(abs(hypot(*axis) - 1.0) < 1e-9 for axis in joint.axes.tolist()):
                message = f"has the axes {joint.axes.tolist()}; expected unit vectors of shape {wanted}"
                self.error("zero-axis", message, joint)
            if (n := len(joint.limits)) not in (0, joint.kind.nv):
                message = f"has {n} limits; expected none, or {joint.kind.nv}, one a velocity coordinate"
                self.error("limits", message, joint)
        for loop in (loop for loop in self.parts.loops if loop.parent == loop.child):
            self.error("cycle", f"connects link {loop.child!r} to itself; parent and child must differ", loop)
        return all(joint.type in JOINT_TYPES for joint in (*self.parts.joints, *self.parts.loops))

    def names(self, kind: str, things: Sequence[Thing]) -> None:
        first: dict[str, Thing] = {}
        for thing in things:
            if not thing.name:
                self.missing("has no name", thing, kind_of(thing))
            elif _is_xacro(thing.name):
                self.error(*LEFT_OVER, thing)
            elif thing.name in first:
                before = first[thing.name]
                place = f" at {before.source}" if before.source else ""
                message = f"there is already a {kind_of(before)} of this name{place}"
                if kind == "frame" and type(thing) is not type(before):
                    message += "; links and frames share one name space"
                self.error("duplicate-name", message, thing)
            else:
                first[thing.name] = thing

    def references(self) -> None:
        links = {link.name: link for link in self.parts.links}
        frames = {*links, *(frame.name for frame in self.parts.frames)}
        joints = {joint.name for joint in self.parts.joints}
        above = {joint.parent for joint in self.parts.joints} - {*links, ""}
        is_part = len(above) == 1 and links.keys() == {joint.child for joint in self.parts.joints}
        for joint in (*self.parts.joints, *self.parts.loops):
            for end, name in (("parent", joint.parent), ("child", joint.child)):
                if not name:
                    self.missing(f"its {end} link has no name", joint)
                elif name in above and is_part:
                    message = f"its parent link {name!r} does not exist, and all other links hang below it"
                    fix = f"add the link {name!r}, or load the robot to which these links are to be attached"
                    self.error("unknown-root", message, joint, fix)
                elif name not in links:
                    message = f"its {end} link {name!r} does not exist; {nearest_names(name, list(links))}"
                    self.error(f"unknown-{end}", message, joint)
        for frame in self.parts.frames:
            self.known("link", frame.link, links, frame)
        for sensor in self.parts.sensors:
            self.known("frame", sensor.frame, frames, sensor)
            if sensor.joint is not None and self.parts.complete:
                self.known("joint", sensor.joint, joints, sensor)
        for group, members in self.parts.groups.items():
            if not group:
                self.missing("has no name", self.parts, "group")
            for name in members:
                self.known("joint", name, joints, self.parts, f"group {group!r}")

    def missing(self, what: str, thing: Thing | Parts, element: str = "") -> None:
        """Note a name that is empty, unless a reader has reported it."""
        if self.parts.complete:
            self.error("no-name", what, thing, element=element)

    def known(self, kind: str, name: str, names: Collection[str], thing: Thing | Parts, element: str = "") -> None:
        if name not in names and (name or self.parts.complete):
            message = f"its {kind} {name!r} does not exist; {nearest_names(name, sorted(names))}"
            self.error(f"unknown-{kind}", message, thing, element=element)

    def mimics(self) -> None:
        joints = {joint.name: joint for joint in self.parts.joints}
        leaders = {joint.name: joint.mimic.joint for joint in self.parts.joints if joint.mimic}
        circles = {name: (circle, i) for circle in circles_of(leaders) for i, name in enumerate(circle)}
        for joint in self.parts.joints:
            if not joint.mimic:
                continue
            leader = joints.get(joint.mimic.joint)
            if leader is None and not all(joints):
                continue  # it may be the one without a name
            if leader is None:
                near = nearest_names(joint.mimic.joint, list(joints))
                self.error("mimic", f"mimics joint {joint.mimic.joint!r}, which does not exist; {near}", joint)
            elif not (joint.kind.single and leader.kind.single):
                message = f"a {joint.type} joint cannot mimic a {leader.type} joint; both need one coordinate"
                self.error("mimic", message, joint)
            elif joint.name in circles:
                message = f"mimics itself: {_in_words(*circles[joint.name])}"
                self.error("mimic", message, joint)
        for coupled in self.parts.coupled_limits:
            if not coupled.coefficients:
                message = "names no joint; expected one or more, each with its coefficient"
                self.error("coupled-limit", message, coupled)
            for name, coefficient in coupled.coefficients.items():
                if coefficient and not 1e-100 <= abs(coefficient) <= 1e100:
                    message = f"{name!r} has the coefficient {coefficient!r}; expected 0, and 1e-100 to 1e100 in size"
                    self.error("coupled-limit", message, coupled)
                if name not in joints or not joints[name].kind.single:
                    message = f"names {name!r}, which is not a joint of one coordinate"
                    self.error("coupled-limit", message, coupled)

    def place(self) -> tuple[str, ...]:
        """Put every link on the tree: repeatedly the first joint in the file whose parent link is placed."""
        parts = self.parts
        parent_joint: dict[str, Joint] = {}
        by_parent: dict[str, list[int]] = {}
        faulty = {finding.element for finding in self.findings} | {doubt.element for doubt in parts.doubts}
        for i, joint in enumerate(parts.joints):
            by_parent.setdefault(joint.parent, []).append(i)
            other = parent_joint.setdefault(joint.child, joint)
            twice = other is not joint and joint.child
            if twice and faulty.isdisjoint((f"joint {joint.name!r}", f"link {joint.child!r}")):
                message = (
                    f"its child link {joint.child!r} is already the child of joint {other.name!r} at {other.source}"
                )
                self.error("two-parents", message, joint, LOOP_FIX)
        names = dict.fromkeys(link.name for link in parts.links if link.name)
        self.roots = [name for name in names if name not in parent_joint]
        lost = sum(joint.child not in names or parent_joint[joint.child] is not joint for joint in parts.joints)
        known = {joint.name for joint in parts.joints if joint.name}
        lost += sum(doubt.kind == "joint" and doubt.name not in known for doubt in parts.doubts)
        if len(self.roots) > 1 + lost:  # else they may be what lost joints move
            second = next(link for link in parts.links if link.name == self.roots[1])
            message = f"several links have no parent: {', '.join(map(repr, self.roots[:8]))}"
            self.error("several-roots", message, second, "connect them by joints")
        above = {child: joint.parent for child, joint in parent_joint.items() if child and joint.parent}
        for circle in circles_of(above):
            joint = next(j for j in parts.joints if j.child in circle and parent_joint[j.child] is j)
            around = {f"joint {parent_joint[link].name!r}" for link in circle} | {f"link {link!r}" for link in circle}
            if not faulty.isdisjoint(around):
                continue
            down = circle[::-1]
            message = f"is part of a cycle: {_in_words(down, down.index(joint.child))}"
            self.error("cycle", message, joint, LOOP_FIX)
        return tuple(_reach(parts.joints, by_parent, self.roots[0])) if self.roots else ()


def _is_xacro(name: str) -> bool:
    return "${" in name or "$(" in name


def _in_words(circle: Sequence[str], at: int) -> str:
    """Return the names of a circle from one of them round to itself; of a large one the first."""
    names = [circle[(at + i) % len(circle)] for i in range(min(len(circle), MAX_NAMES))]
    return " -> ".join([*names, "…" if len(circle) > MAX_NAMES else names[0]])


def _reach(joints: Sequence[Joint], by_parent: Mapping[str, list[int]], root: str) -> list[str]:
    ready = list(by_parent.get(root, ()))
    heapq.heapify(ready)
    placed: dict[int, str] = {}
    while ready:
        i = heapq.heappop(ready)
        if i not in placed:  # two links of one name can make a circle
            placed[i] = joints[i].name
            for below in by_parent.get(joints[i].child, ()):
                heapq.heappush(ready, below)
    return [*placed.values()]
