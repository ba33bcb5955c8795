"""Completion of parts that do not make a tree: the result makes one, and its doubts say what is unknown of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from math import hypot
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from kinetree.errors import Doubt, Finding
from kinetree.model.joints import JOINT_TYPES
from kinetree.model.magnitudes import too_large
from kinetree.model.robot import CoupledLimit, Frame, Joint, Link, Material, Sensor
from kinetree.spatial.se3 import frozen

if TYPE_CHECKING:
    from kinetree.model.assemble import Parts

HIDDEN = "\N{REPLACEMENT CHARACTER}"
"""Beginning of the names of links and joints that stand in for unknown ones."""
Z = (0.0, 0.0, 1.0)
T = TypeVar("T", Link, Joint, Frame, Sensor, Material, CoupledLimit)


def complete(parts: Parts) -> None:
    """Change parts so that they make a tree, and add to their doubts what is then unknown.

    Of doubles the first stands. A link that a joint names and that is missing is made, a second joint to one link moves
    a link of its own, a circle is cut at its first joint, and what nothing carries hangs on the first link. Followers
    without a leader move by themselves; what else refers to a missing part is left out.
    """
    _Completion(parts).run()


def circles_of(leaders: Mapping[str, str]) -> list[list[str]]:
    """Return all circles of names that lead to each other."""
    circles: list[list[str]] = []
    done: set[str] = set()
    for start in leaders:
        path: dict[str, None] = {}  # ordered, and quick to look in
        name = start
        while name in leaders and name not in done and name not in path:
            path[name] = None
            name = leaders[name]
        if name in path:
            names = list(path)
            circles.append(names[names.index(name) :])
        done.update(path)
    return circles


def stands_in(text: str) -> bool:
    """Return whether a text has the name of a link or joint that stands in for an unknown one."""
    return HIDDEN in text


def without_stand_ins(text: str) -> str:
    """Return a text without the names of such links and joints in its lists."""
    return re.sub(rf", '{HIDDEN}\d+'|'{HIDDEN}\d+', ", "", text) if HIDDEN in text else text


class _Completion:
    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.hidden = 0
        self.made: set[str] = set()  # links that the file does not have
        self.cut: set[str] = set()  # links of circles that nothing carries any more

    def doubt(self, kind: str, name: str, part: str = "") -> None:
        doubt = Doubt(kind, name, part)
        if doubt not in self.parts.doubts:
            self.parts.doubts.append(doubt)

    def new_name(self) -> str:
        self.hidden += 1
        return f"{HIDDEN}{self.hidden}"

    def run(self) -> None:
        parts = self.parts
        parts.links = self.named("link", parts.links)
        if not all(joint.name for joint in parts.joints):
            self.doubt("robot", parts.name, "names")
        parts.joints = self.named("joint", [replace(j, name=j.name or self.new_name()) for j in parts.joints])
        parts.joints = [self.sound(joint) for joint in parts.joints]
        self.ends()
        self.circles()
        self.roots()
        self.mimics()
        self.others()
        for fault in too_large(parts):
            self.small(fault)

    def named(self, kind: str, things: list[T], taken: Mapping[str, object] | None = None) -> list[T]:
        """Return things with names of their own."""
        first: dict[str, T] = {}
        for thing in things:
            if not thing.name:
                self.doubt("robot", self.parts.name, "names")
            elif thing.name in first or (taken and thing.name in taken):
                self.doubt(kind, thing.name)
            else:
                first[thing.name] = thing
                if thing.name.startswith(HIDDEN):
                    self.doubt(kind, thing.name, "name")
        return list(first.values())

    def sound(self, joint: Joint) -> Joint:
        """Return a joint with a known type, and axes and limits that fit it."""
        if joint.type not in JOINT_TYPES:
            self.doubt("joint", joint.name, "type")
            joint = replace(joint, type="fixed")
        count = joint.kind.axes
        fits = joint.axes.shape == (count, 3) and all(abs(hypot(*a) - 1.0) < 1e-9 for a in joint.axes.tolist())
        if not fits:
            joint = replace(joint, axes=frozen(np.reshape([Z, (1.0, 0.0, 0.0)][:count], (count, 3))))
            self.doubt("joint", joint.name, "axes") if count else None
        if len(joint.limits) not in (0, joint.kind.nv):
            joint = replace(joint, limits=())
            self.doubt("joint", joint.name, "limits")
        return joint

    def ends(self) -> None:
        """Give every joint links that exist, and every link one joint."""
        links = {link.name: link for link in self.parts.links}
        moved: dict[str, str] = {}  # the link to the joint that moves it
        for i, joint in enumerate(self.parts.joints):
            parent, child = joint.parent or self.new_name(), joint.child or self.new_name()
            if child in moved or child == parent:
                self.doubt("joint", joint.name)
                if child in moved:
                    self.doubt("joint", moved[child], "origin")
                child = self.new_name()
            moved[child] = joint.name
            for name in (parent, child):
                if name not in links:
                    self.made.add(name)
                    self.doubt("link", name)
                    links[name] = Link(name)
            self.parts.joints[i] = replace(joint, parent=parent, child=child)
        self.parts.links = list(links.values())

    def circles(self) -> None:
        """Cut each circle at its first joint, which moves a link of its own instead."""
        joints = self.parts.joints
        number = {joint.child: i for i, joint in enumerate(joints)}
        for circle in circles_of({joint.child: joint.parent for joint in joints}):
            i = min(number[link] for link in circle)
            child = self.new_name()
            self.doubt("joint", joints[i].name)
            self.doubt("link", child)
            self.cut.add(joints[i].child)
            self.parts.links.append(Link(child, source=joints[i].source))
            joints[i] = replace(joints[i], child=child)

    def roots(self) -> None:
        """Hang the links that no joint moves on the first that may be the root.

        A joint whose child is unknown moves one of them, in another tree than its own; so the root's tree has such a
        joint, if any has.
        """
        carrier = {joint.child: joint.parent for joint in self.parts.joints}
        tops = [link.name for link in self.parts.links if link.name not in carrier]
        roots = [name for name in tops if name not in self.made]
        roots.sort(key=lambda name: name in self.cut)  # keeps the order otherwise
        may_be = []
        for name in (name for name in self.made if name in carrier):
            while name in carrier:
                name = carrier[name]
            may_be += [name] if name in roots and name not in may_be else []
        first = next((name for name in roots if name in may_be), (roots or tops)[0])
        for link in [name for name in tops if name != first]:
            joint = Joint(self.new_name(), "fixed", first, link, source=self.parts.source)
            self.parts.joints.append(joint)
            self.doubt("joint", joint.name, "root" if link in may_be else "hung")

    def mimics(self) -> None:
        """Make followers free that have no leader of one coordinate, or follow themselves."""
        joints = {joint.name: joint for joint in self.parts.joints}
        leaders = {joint.name: joint.mimic.joint for joint in self.parts.joints if joint.mimic}
        free = {name for circle in circles_of(leaders) for name in circle}
        for name, leader in leaders.items():
            if leader not in joints or not (joints[name].kind.single and joints[leader].kind.single):
                free.add(name)
        for i, joint in enumerate(self.parts.joints):
            if joint.name in free:
                self.parts.joints[i] = replace(joint, mimic=None)
                self.doubt("joint", joint.name, "mimic")

    def others(self) -> None:
        """Leave out what refers to a missing part."""
        parts = self.parts
        links, joints = {link.name for link in parts.links}, {joint.name: joint for joint in parts.joints}
        loops = [self.sound(joint) for joint in self.named("joint", parts.loops, joints)]
        parts.loops = self.known("joint", loops, lambda joint: joint.parent in links and joint.child in links)
        closing = {None, *(joint.name for joint in parts.loops)}
        taken = dict.fromkeys(links)
        parts.frames = self.known("frame", self.named("frame", parts.frames, taken), lambda f: f.link in links)
        frames = links | {frame.name for frame in parts.frames}
        sensors = self.named("sensor", parts.sensors)
        parts.sensors = self.known(
            "sensor", sensors, lambda one: one.frame in frames and (one.joint in closing or one.joint in joints)
        )
        parts.materials = self.named("material", parts.materials)
        parts.coupled_limits = self.known(
            "coupled limit",
            self.named("coupled limit", parts.coupled_limits),
            lambda limit: (
                bool(limit.coefficients)
                and all(name in joints and joints[name].kind.single for name in limit.coefficients)
            ),
        )
        if any(name not in joints for names in parts.groups.values() for name in names):
            self.doubt("robot", parts.name, "groups")
            parts.groups = {key: tuple(n for n in names if n in joints) for key, names in parts.groups.items()}

    def known(self, kind: str, things: list[T], fits: Callable[[T], bool]) -> list[T]:
        kept = [thing for thing in things if fits(thing)]
        left_out = {thing.name for thing in things} - {thing.name for thing in kept}
        for name in sorted(left_out):
            self.doubt(kind, name)
        if left_out and kind == "frame":
            self.doubt("robot", self.parts.name, "names")
        return kept

    def small(self, fault: Finding) -> None:
        """Replace an element that has a number too large to compute with."""
        parts = self.parts
        for i, link in enumerate(parts.links):
            if fault.element == f"link {link.name!r}":
                parts.links[i] = Link(link.name, extensions=link.extensions, source=link.source)
                self.doubt("link", link.name, "body")
        for j, joint in enumerate(parts.joints):
            if fault.element == f"joint {joint.name!r}":
                parts.joints[j] = Joint(joint.name, "fixed", joint.parent, joint.child, source=joint.source)
                self.doubt("joint", joint.name)
        for kind, things in (("frame", parts.frames), ("sensor", parts.sensors)):
            for thing in [thing for thing in things if fault.element == f"{kind} {thing.name!r}"]:
                things.remove(thing)  # type: ignore[arg-type]
                self.doubt(kind, thing.name)
