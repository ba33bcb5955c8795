"""Links without mass, which SDF does not have: every link of its own programs has 1 kg if a file says nothing.

Those that no joint moves, and that are nothing but a frame, become frames; the others get an inertial as small as
solvers take. Records of what became of them let a reader of Kinetree put the links back.
"""

from collections.abc import Collection, Iterator
from dataclasses import replace

import numpy as np

from kinetree.display import some
from kinetree.errors import Finding
from kinetree.formats.losses.grains import MASS, MOMENT, inertial_leaves, with_grain
from kinetree.formats.losses.sidecar import Record
from kinetree.formats.losses.sidecar.differences import FIELDS
from kinetree.formats.losses.sidecar.values import leaves
from kinetree.formats.sdf.frames import MODEL, WORLD
from kinetree.formats.sdf.layout import scope_of
from kinetree.model.assemble import Parts, build, parts_of
from kinetree.model.edit.extensions import names_in
from kinetree.model.robot import Frame, Joint, Link, Robot
from kinetree.spatial.se3 import IDENTITY, Array, frozen, inverse


def with_masses(robot: Robot, without: Collection[str] = ()) -> tuple[Robot, list[Record], list[Finding]]:
    """Return a robot whose links all have mass, but for its world; how to put its links back; and remarks.

    without: parts that are not written.
    """
    parts, weighed = parts_of(robot), []
    frames = _Frames(robot, parts)
    records = [] if "frame" in without else frames.make()
    for i, link in enumerate(parts.links):
        if _is_massless(link) and not link.unweighed and not link.name == robot.root == WORLD:
            parts.links[i], record = with_grain(link, link.inertial)
            records.append(record)
            weighed.append(link.name)
    notes = []
    for names, how in (
        (frames.framed, "that no joint moves are written as frames"),
        (weighed, f"are written with {MASS:g} kg and {MOMENT:g} kg m²"),
    ):
        message = f"links without mass {how}: {some(names)}; without <inertial> SDF would give them 1 kg each"
        notes += [Finding("massless", "warning" if names is weighed else "info", message)] if names else []
    return build(parts) if notes else robot, records, notes


def _is_massless(link: Link) -> bool:
    return link.inertial is None or link.inertial.mass == 0


class _Frames:
    """Links that become frames, from the ends of the tree to its root, in parts that are changed in place."""

    def __init__(self, robot: Robot, parts: Parts) -> None:
        self.robot, self.parts = robot, parts
        self.framed: list[str] = []
        sensors, loops = robot.sensors.values(), robot.loops.values()
        self.kept_joints = {sensor.joint for sensor in sensors} | {j for group in robot.groups.values() for j in group}
        self.kept_links = {robot.frames[sensor.frame].link for sensor in sensors if sensor.joint} | {WORLD}
        self.kept_links |= {end for loop in loops for end in (loop.parent, loop.child)}
        plugins = [e for e in robot.extensions if (e.format, e.tag) == ("sdf", "plugin")]
        self.kept_links |= {name for plugin in plugins for name in names_in(plugin)}  # which look for links alone
        self.is_static = any(e.format == "sdf" and e.tag.endswith("static") for e in robot.extensions)

    def make(self) -> list[Record]:
        """Make the frames, and return how to put the links back."""
        robot, parts = self.robot, self.parts
        for name in [robot.root, *(robot.joints[j].child for j in robot.placed)][::-1]:  # children first
            if self.is_frame(robot.links[name]):
                self.take(name)
        self.framed.sort(key=[*robot.links].index)
        records = [*self.records()]
        root = next((frame for frame in parts.frames if frame.name == robot.root), None)
        is_moved = root is not None and not np.allclose(root.origin, IDENTITY, rtol=0, atol=1e-14)
        if root and is_moved and all(frame.name != MODEL for frame in parts.frames):
            parts.frames.append(Frame(MODEL, root.link, root.origin))  # the model stays where its root was
            records.append(Record("frame", MODEL, {"gone": True}))
        return records

    def is_frame(self, link: Link) -> bool:
        """Return whether a link is nothing but a frame."""
        has_body = not _is_massless(link) or (link.inertial is not None and link.inertial.inertia.any())
        own = any(extension.format == "sdf" for extension in link.extensions)
        return not (has_body or link.visuals or link.collisions or own or link.name in self.kept_links)

    def is_needless(self, joint: Joint) -> bool:
        """Return whether a joint only holds a frame in its place, in one model with it."""
        own = any(extension.format == "sdf" for extension in joint.extensions)
        scopes = {scope_of(name) for name in (joint.name, joint.parent, joint.child)}
        return joint.type == "fixed" and not own and len(scopes) == 1 and joint.name not in self.kept_joints

    def take(self, name: str) -> None:
        """Make a frame of a link: on the link to which it is fixed, or else on one that is fixed to it."""
        above = next((joint for joint in self.parts.joints if joint.child == name), None)
        if above and above.parent != WORLD and self.is_needless(above):
            self.move(name, above, above.parent, above.origin @ above.child_origin)
            return
        below = [joint for joint in self.parts.joints if joint.parent == name and self.is_needless(joint)]
        if below and not (above and (above.type == "floating" or (above.parent == WORLD and self.is_static))):
            self.move(name, below[0], below[0].child, inverse(below[0].origin @ below[0].child_origin))

    def move(self, name: str, gone: Joint, to: str, T: Array) -> None:
        """Take out a link, and its joint with the link `to`, which gets its joints and frames. T: T_to_link (4, 4)."""
        parts = self.parts
        parts.joints[:] = [_moved(joint, name, to, T) for joint in parts.joints if joint is not gone]
        on = [frame for frame in parts.frames if frame.link == name]
        parts.frames[:] = [replace(f, link=to, origin=frozen(T @ f.origin)) if f in on else f for f in parts.frames]
        parts.frames.append(Frame(name, to, frozen(T), self.robot.links[name].source))
        parts.links.remove(self.robot.links[name])
        self.framed.append(name)

    def records(self) -> Iterator[Record]:
        """Yield what a reader needs to make links of the frames again: at is their place among their kind."""
        left = {joint.name: joint for joint in self.parts.joints}
        links = sorted(self.robot.links.values(), key=lambda link: link.name != WORLD)  # which a reader puts first
        for i, link in enumerate(links):
            if link.name in self.framed:
                data = {**leaves(link, FIELDS["link"]), **inertial_leaves(link)}
                yield Record("link", link.name, {"new": True, "at": i, **data})
        for i, joint in enumerate(self.robot.joints.values()):
            now, ends = left.get(joint.name), {"parent": joint.parent, "child": joint.child}
            if now is None:
                yield Record("joint", joint.name, {"new": True, "at": i, **ends, **leaves(joint, FIELDS["joint"])})
            elif changed := {end: link for end, link in ends.items() if link != getattr(now, end)}:
                yield Record("joint", joint.name, changed)
        for frame in self.robot.frames.values():
            if frame.link in self.framed and frame.name != frame.link:
                yield Record("frame", frame.name, {"on": frame.link})


def _moved(joint: Joint, name: str, to: str, T: Array) -> Joint:
    """Return a joint with the link `to` as its parent or child in place of a link; T: T_to_link (4, 4)."""
    if joint.parent == name:
        return replace(joint, parent=to, origin=frozen(T @ joint.origin))
    if joint.child == name:
        return replace(joint, child=to, child_origin=frozen(joint.child_origin @ inverse(T)))
    return joint
