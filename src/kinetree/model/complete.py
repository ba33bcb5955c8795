"""Completion of the parts of a robot with errors: the result makes one tree, and its doubts name what is unknown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import hypot
from typing import TYPE_CHECKING, TypeVar

from kinetree.errors import Doubt
from kinetree.model.joints import JOINT_TYPES
from kinetree.model.magnitudes import too_large
from kinetree.model.names import kind_of
from kinetree.model.robot import CoupledLimit, Frame, Joint, Link, Material, Sensor

if TYPE_CHECKING:
    from kinetree.model.assemble import Parts

HIDDEN = "\N{REPLACEMENT CHARACTER}"
"""Beginning of the names of joints that the file does not have."""
T = TypeVar("T", Link, Joint, Frame, Sensor, Material, CoupledLimit)


def complete(parts: Parts) -> None:
    """Change parts so that they make one tree, and add to their doubts.

    Links in doubt keep only their names. Joints in doubt are fixed; if only their limits, followers and the like are
    unknown, they keep their type and place instead. A joint that cannot be in the tree is left out, and links without a
    joint above them are fixed to the first of these. What refers to a missing part is left out.
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


class _Completion:
    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.doubts = dict.fromkeys(parts.doubts)
        self.held = 0  # joints that are left out, whose parents are known

    def doubt(self, kind: str, name: str, part: str = "") -> None:
        self.doubts[Doubt(kind, name, part)] = None

    def run(self) -> None:
        parts = self.parts
        for fault in too_large(parts):
            things: list[Link | Joint | Frame | Sensor] = [*parts.links, *parts.joints, *parts.frames, *parts.sensors]
            for thing in things:
                if fault.element == f"{kind_of(thing)} {thing.name!r}":
                    self.doubt(kind_of(thing), thing.name)
        parts.links = self.named(parts.links)
        links = {link.name for link in parts.links}
        parts.joints = self.in_tree(parts.joints, links)
        self.hang()
        parts.links = [Link(one.name, source=one.source) if self.is_unknown(one) else one for one in parts.links]
        parts.joints = [self.bare(joint) for joint in parts.joints]
        self.free_followers()
        self.leave_out_loose(links)
        parts.doubts = [*self.doubts]

    def is_unknown(self, thing: Link | Joint | Frame | Sensor) -> bool:
        return Doubt(kind_of(thing), thing.name) in self.doubts

    def named(self, things: list[T]) -> list[T]:
        """Return the first thing of each name."""
        first: dict[str, T] = {}
        for thing in things:
            if not thing.name:
                self.doubt("robot", self.parts.name, "names")
            elif thing.name in first:
                self.doubt(kind_of(thing), thing.name)
            else:
                first[thing.name] = thing
        return list(first.values())

    def in_tree(self, joints: list[Joint], links: set[str]) -> list[Joint]:
        """Return the joints that move a link of their own from a link that exists, without circles."""
        kept: dict[str, Joint] = {}  # by the link that they move
        named = {id(joint) for joint in self.named(joints)}
        for joint in joints:
            fits = id(joint) in named and {joint.parent, joint.child} <= links
            if fits and joint.child not in kept:
                kept[joint.child] = joint
                continue
            if fits:  # either may be wrong
                self.doubt("joint", kept[joint.child].name)
            self.leave_out(joint, links)
        for circle in circles_of({joint.child: joint.parent for joint in kept.values()}):
            self.leave_out(kept.pop(next(link for link in kept if link in circle)), links)
        return list(kept.values())

    def leave_out(self, joint: Joint, links: set[str]) -> None:
        self.doubt("joint", joint.name)
        for name in filter(None, (joint.parent, joint.child)):
            self.doubt("link", name, "place" if name in links else "missing")
        self.held += joint.parent in links

    def hang(self) -> None:
        """Fix the links that no joint moves to the first of them. One is the root; as many as joints are left out
        may hang on their parents; others may be fixed to any link."""
        moved = {joint.child for joint in self.parts.joints}
        first, *others = [link.name for link in self.parts.links if link.name not in moved]
        if len(others) > self.held:
            self.doubt("robot", self.parts.name, "bodies")
        for link in others:
            self.parts.joints.append(Joint(f"{HIDDEN}{link}", "fixed", first, link, source=self.parts.source))
            self.doubt("link", first, "place")
            self.doubt("link", link, "place")

    def bare(self, joint: Joint) -> Joint:
        """Return a joint without what is unknown of it."""
        if not _is_sound(joint):
            self.doubt("joint", joint.name)
        if self.is_unknown(joint):
            return Joint(joint.name, "fixed", joint.parent, joint.child, source=joint.source)
        if Doubt("joint", joint.name, "inside") in self.doubts:
            return replace(joint, limits=(), mimic=None, dynamics=(), safety=None, calibration=None)
        return joint

    def free_followers(self) -> None:
        """Make followers free that have no leader of one coordinate, or follow themselves."""
        joints = {joint.name: joint for joint in self.parts.joints}
        leaders = {joint.name: joint.mimic.joint for joint in self.parts.joints if joint.mimic}
        single = {name for name, joint in joints.items() if joint.kind.single}
        free = {name for circle in circles_of(leaders) for name in circle}
        free |= {name for name, leader in leaders.items() if not {name, leader} <= single}
        for i, joint in enumerate(self.parts.joints):
            if joint.name in free:
                self.doubt("joint", joint.name, "inside")
                self.parts.joints[i] = self.bare(joint)

    def leave_out_loose(self, links: set[str]) -> None:
        """Leave out what refers to a missing part, and frames and sensors in doubt."""
        parts, joints = self.parts, {joint.name for joint in self.parts.joints}
        loops = [one for one in self.named(parts.loops) if one.name not in joints and _is_sound(one)]
        parts.loops = [one for one in loops if {one.parent, one.child} <= links]
        frames = {one.name: one for one in self.named(parts.frames) if one.link in links and not self.is_unknown(one)}
        for frame in parts.frames:
            if frame.name in links or frame.name not in frames:
                frames.pop(frame.name, None)
                self.doubt("frame", frame.name)
                self.doubt("robot", parts.name, "names")
        parts.frames = list(frames.values())
        measured = {None, *joints, *(loop.name for loop in parts.loops)}
        sensors = [one for one in self.named(parts.sensors) if one.joint in measured and not self.is_unknown(one)]
        parts.sensors = [one for one in sensors if one.frame in links or one.frame in frames]
        parts.materials = self.named(parts.materials)
        parts.coupled_limits = []  # which no rule reads
        groups = {name: members for name, members in parts.groups.items() if joints.issuperset(members)}
        if len(groups) < len(parts.groups):
            self.doubt("robot", parts.name, "groups")
        parts.groups = groups


def _is_sound(joint: Joint) -> bool:
    """Return whether a joint has a known type, and axes and limits that fit it."""
    if joint.type not in JOINT_TYPES or len(joint.limits) not in (0, joint.kind.nv):
        return False
    return joint.axes.shape == (joint.kind.axes, 3) and all(abs(hypot(*a) - 1.0) < 1e-9 for a in joint.axes.tolist())
