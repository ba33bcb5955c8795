"""Edits of numbers of joints and links in URDF, SDF and MJCF, in the form in which a file has them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from pathlib import Path

import numpy as np

from kinetree.display import listed
from kinetree.errors import fail
from kinetree.fixer.pose_text import DIGITS, near, renumbered, set_mjcf_pose, set_sdf_pose
from kinetree.fixer.xacro_edits import path_to, root_of
from kinetree.formats.mjcf.compiler import Compiler, read_compiler
from kinetree.formats.mjcf.include import expand
from kinetree.formats.mjcf.poses import pose
from kinetree.model.robot import Dynamics, Frame, Inertial, Joint, Link, Robot
from kinetree.repairs.edit import Edit, Insertion, New, Repair, insert_inside, set_attribute, set_text
from kinetree.repairs.fixes import Elements, set_origin
from kinetree.spatial.se3 import Array, homogeneous, inverse
from kinetree.syntax.numbers import numbers
from kinetree.syntax.xml.reader import Element, Report

Slot = tuple[tuple[str, ...], str]
"""The way from the element of a joint or link to an element in it, and its attribute; "" for its text."""
MOMENTS = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}
SLOTS: dict[str, dict[str, Slot]] = {
    "urdf": {
        "axis": (("axis",), "xyz"),
        "mass": (("inertial", "mass"), "value"),
        "centre": (("inertial", "origin"), "xyz"),
        **{name: (("dynamics",), name) for name in ("damping", "friction")},
        **{name: (("inertial", "inertia"), name) for name in MOMENTS},
    },
    "sdf": {
        "axis": (("axis", "xyz"), ""),
        "mass": (("inertial", "mass"), ""),
        "centre": (("inertial", "pose"), ""),
        **{name: (("axis", "dynamics", name), "") for name in ("damping", "friction")},
        **{name: (("inertial", "inertia", name), "") for name in MOMENTS},
    },
    "mjcf": {
        "friction": ((), "frictionloss"),
        "centre": ((), "pos"),
        **{name: ((), name) for name in ("axis", "damping", "armature", "mass", "fullinertia", "diaginertia")},
    },
}
"""Where the formats have the numbers of joints and links."""


@dataclass(frozen=True, eq=False)
class Writer:
    """Edits of the texts of a robot. contents: of its files, by resolved path. elements: of URDF, the expanded text."""

    robot: Robot
    format: str
    contents: Mapping[Path, bytes]
    elements: Elements | None = None

    def repairs(self, wanted: Robot) -> Iterator[Repair]:
        """Yield the edits that bring the texts nearer to another robot."""
        for name, joint in self.robot.joints.items():
            if edits := _to_first_insertion(self.joint(joint, wanted.joints[name])):
                yield Repair(f"joint {name!r}", edits)
        for name, frame in self.robot.frames.items() if self.format == "sdf" else ():
            change = inverse(frame.origin) @ wanted.frames[name].origin
            if name not in self.robot.links and not near(change, np.eye(4)):
                yield Repair(f"frame {name!r}", tuple(set_sdf_pose(self.path(frame, "frame")[-1], change)))
        for name, link in self.robot.links.items():
            if edits := _to_first_insertion(self.link(link, wanted.links[name].inertial)):
                yield Repair(f"link {name!r}", edits)

    def path(self, thing: Joint | Link | Frame, *tags: str) -> list[Element]:
        """Return the elements from the root of a file to that of a thing. Raises KinetreeError if it is not there, or
        if others are made of it."""
        kind = type(thing).__name__.lower()
        known = getattr(self.elements, f"{kind}s", {})
        if thing.name in known:
            return [known[thing.name]]
        source, everything = thing.source, getattr(self.robot, f"{kind}s").values()
        file = Path(source.file).resolve() if source else Path()
        if source is None or source.made or source.line is None or file not in self.contents:
            raise fail("fix", f"{kind} {thing.name!r} is written in no file as it is; edit it by hand")
        alike = [one.name for one in everything if one.source and one.source.place == source.place]
        if len(alike) > 1:
            raise fail(
                "fix", f"{source} is the place of {listed(alike, 9)}, of which one is to change; edit it by hand"
            )
        found = path_to(root_of(self.contents[file], source.file), (source.file, source.line, source.column))
        if found[-1].tag not in tags:
            raise fail("fix", f"{source} has no element of {kind} {thing.name!r}, which follows from others")
        return found

    def set(self, owner: Element, name: str, values: Sequence[float] | Array) -> Edit:
        """Return the edit of a number or vector, or of the elements that it needs."""
        tags, attribute = SLOTS[self.format][name]
        at = owner
        for i, tag in enumerate(tags):
            if (child := at.find(tag)) is None:
                text = renumbered(None, values)
                if attribute:
                    return insert_inside(at, New(tag, {attribute: text}), first=True)
                text = f"{text} 0 0 0" if tags[-1] == "pose" else text
                start, stop = "".join(f"<{tag}>" for tag in tags[i:]), "".join(f"</{tag}>" for tag in tags[:i:-1])
                return insert_inside(at, f"{start}{text}{stop}</{tag}>")
            at = child
        if attribute:
            return set_attribute(at, attribute, renumbered(at.get(attribute), values))
        return set_text(at, renumbered(at.text.strip(), values))

    # joints

    def joint(self, joint: Joint, other: Joint) -> Iterator[Edit]:
        """Yield the edits that make a joint like another."""
        if not (near(joint.origin, other.origin) and near(joint.child_origin, other.child_origin)):
            yield from getattr(self, f"{self.format}_pose")(joint, other)
        elif not near(joint.axes, other.axes):
            yield self.axis(joint, other.axes)
        for name, value in changed_dynamics(joint, other).items():
            yield self.set(self.path(joint, "joint")[-1], name, [value])

    def axis(self, joint: Joint, axes: Array) -> Edit:
        """Return the edit that gives a joint another axis (1, 3)."""
        path = self.path(joint, "joint")
        tags, attribute = SLOTS[self.format]["axis"]
        element = path[-1]
        for tag in tags:
            element = element.find(tag) or element
        old = np.array(numbers((element.get(attribute) if attribute else element.text) or "") or [])
        if old.size and near(joint.axes, -axes):
            return self.set(path[-1], "axis", -old)
        ways = [np.eye(3)]
        if self.format == "sdf":  # in the joint's frame, or in that of the model
            way = (*(one.origin @ one.child_origin for one in self.robot.joints_to(joint.parent)), joint.origin)
            ways.append(np.linalg.multi_dot([np.eye(4), *way])[:3, :3])
        elif self.format == "mjcf":
            ways = [_in_body(path, self.compiler)[:3, :3].T]
        R = next((R for R in ways if not old.size or near(R @ joint.axes[0], old / np.linalg.norm(old))), None)
        if R is None:
            raise fail("fix", f"{element.source}: the axis is in the coordinates of another frame; edit it by hand")
        return self.set(path[-1], "axis", np.round(R @ axes[0], DIGITS))

    def urdf_pose(self, joint: Joint, other: Joint) -> Iterator[Edit]:
        """Yield the edits of an <origin>."""
        yield from set_origin(self.path(joint)[-1], other.origin)

    def sdf_pose(self, joint: Joint, other: Joint) -> Iterator[Edit]:
        """Yield the edit of the <pose> of a joint, or of its child where the joint is in the child's frame."""
        element = self.path(joint, "joint")[-1] if joint.source else None  # else it is made for a frame
        placed, named = (element.find(tag) if element else None for tag in ("pose", "child"))
        by = (placed and placed.get("relative_to")) or ""
        if element and by not in ("", named.text.strip() if named else "") and not near(joint.origin, other.origin):
            yield from set_sdf_pose(element, inverse(joint.origin) @ other.origin)
            return
        old, new = (one.origin @ one.child_origin for one in (joint, other))
        child = self.path(self.robot.links[joint.child], "link", "frame")[-1]
        yield from set_sdf_pose(child, inverse(old) @ new)

    def mjcf_pose(self, joint: Joint, other: Joint) -> Iterator[Edit]:
        """Yield the edits of the pose of a <body>."""
        path, compiler = self.path(joint, "joint", "body"), self.compiler
        at = max(i for i, one in enumerate(path) if one.tag == "body")
        if path[-1].tag == "joint" and path[-1] is not next(one for one in path[at].walk() if one.tag == "joint"):
            raise fail("fix", f"{path[-1].source}: only the first joint of a body has a pose in MJCF; edit it by hand")
        T = _in_body(path[:at], compiler)
        moved = inverse(T) @ other.origin @ inverse(joint.origin) @ T @ pose(Report(), path[at], compiler)
        yield from set_mjcf_pose(path[at], moved, compiler)

    @cached_property
    def compiler(self) -> Compiler:
        """Settings of an MJCF file and those that it includes."""
        file, report = self.robot.source.file if self.robot.source else "", Report()
        root = root_of(self.contents[Path(file).resolve()], file)

        def included(wanted: str, asked_from: str) -> tuple[bytes, str] | None:
            path = Path(asked_from).parent / wanted
            return (self.contents[path.resolve()], str(path)) if path.resolve() in self.contents else None

        expand(report, root, included)
        return read_compiler(report, root)

    # masses

    def link(self, link: Link, new: Inertial | None) -> Iterator[Edit]:
        """Yield the edits that give a link another inertial."""
        old = link.inertial
        if old is None or new is None:
            return
        centred, alike = near(old.origin[:3, 3], new.origin[:3, 3]), np.array_equal(old.inertia, new.inertia)
        if centred and alike and old.mass == new.mass:
            return
        owner = self.path(link, "link", "body")[-1]
        if self.format == "mjcf":
            body, owner = owner, next(_inertials(owner), owner)
            if owner is body:
                yield self.of_geoms(body, new)
                return
        elif (inertial := owner.find("inertial")) and (inertial.get("auto") or "").strip().lower() in ("1", "true"):
            raise fail("fix", f"{inertial.source}: the inertia follows from shapes; edit it by hand")
        if old.mass != new.mass:
            yield self.set(owner, "mass", [new.mass])
        if self.format == "mjcf":
            yield from () if alike else self.mjcf_moments(owner, new)
        if not centred:
            yield self.set(owner, "centre", new.origin[:3, 3])
        for name, at in {} if self.format == "mjcf" else MOMENTS.items():
            if old.inertia[at] != new.inertia[at]:
                yield self.set(owner, name, [float(new.inertia[at])])

    def of_geoms(self, body: Element, new: Inertial) -> Edit:
        """Return the edit that gives a body an <inertial> in place of that of its geoms."""
        if self.compiler.inertiafromgeom != "auto":
            raise fail("fix", f"{body.source}: its inertia follows from its geoms; edit them by hand")
        values = {"pos": new.origin[:3, 3], "mass": np.array([new.mass]), "fullinertia": _full(new)}
        return insert_inside(body, New("inertial", {k: renumbered(None, v) for k, v in values.items()}), first=True)

    def mjcf_moments(self, element: Element, new: Inertial) -> Iterator[Edit]:
        """Yield the edits of the moments of an <inertial>, and of its axes where it has principal moments."""
        if "fullinertia" in element.attributes:
            yield self.set(element, "fullinertia", _full(new))
            return
        moments = np.diag(new.inertia)
        if np.abs(new.inertia - np.diag(moments)).max() > 1e-12 * moments.max():
            values, axes = np.linalg.eigh(new.inertia)
            order = max(permutations(range(3)), key=lambda p: float(np.abs(axes[:, p].diagonal()).sum()))
            moments, V = values[[*order]], axes[:, order] * np.where(axes[:, order].diagonal() < 0, -1.0, 1.0)
            p = pose(Report(), element, self.compiler)[:3, 3]
            T = homogeneous(new.origin[:3, :3] @ V, p)  # a trace above 1 is that of a rotation
            yield from set_mjcf_pose(element, T, self.compiler)
        yield self.set(element, "diaginertia", moments)


def changed_dynamics(old: Joint, new: Joint) -> dict[str, float]:
    """Return the damping, friction and armature that another joint has and a joint has not."""
    a, b = ((one.dynamics or (Dynamics(),))[0] for one in (old, new))
    pairs = {name: (getattr(a, name), getattr(b, name)) for name in ("damping", "friction", "armature")}
    return {name: other for name, (one, other) in pairs.items() if one != other}


def _full(inertial: Inertial) -> Array:
    """Return the moments in the order of MJCF, in the axes of the link."""
    I = inertial.origin[:3, :3] @ inertial.inertia @ inertial.origin[:3, :3].T
    return np.array([I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]])


def _inertials(body: Element) -> Iterator[Element]:
    for child in body.children:
        if child.tag == "inertial":
            yield child
        elif child.tag == "frame":
            yield from _inertials(child)


def _in_body(path: list[Element], compiler: Compiler) -> Array:
    """Return the pose (4, 4), in the body around it, of the last <frame> of a path."""
    T = np.eye(4)
    for element in path:
        T = (
            np.eye(4)
            if element.tag == "body"
            else T @ pose(Report(), element, compiler)
            if element.tag == "frame"
            else T
        )
    return T


def _to_first_insertion(edits: Iterator[Edit]) -> tuple[Edit, ...]:
    """Return the edits up to the first that adds an element, in which numbers of the next ones may be."""
    found = list[Edit]()
    for edit in edits:
        found.append(edit)
        if isinstance(edit, Insertion):
            break
    return tuple(found)
