"""Contents of <gazebo> blocks of a URDF, placed in the elements of SDF where sdformat's own conversion puts them."""

import re
from collections import defaultdict
from collections.abc import Collection
from dataclasses import replace
from functools import partial
from html import escape
from math import nan

import numpy as np

from kinetree.formats import gazebo
from kinetree.formats.fields import optional, single_children
from kinetree.formats.force_torque import TAG, read_force_torque
from kinetree.formats.gazebo import SURFACE, Word, converted, leaves, surface_of
from kinetree.formats.sdf.frames import WORLD
from kinetree.formats.sdf.imu_noise import kept_of_sensor
from kinetree.formats.sdf.read import read
from kinetree.formats.sdf.values import number_of, pose_of
from kinetree.model.assemble import Parts, build, parts_of
from kinetree.model.edit.extensions import kept_elements
from kinetree.model.reshape import free_name
from kinetree.model.robot import Extension, Geometry, Joint, Link, Material, Robot, Sensor
from kinetree.model.tree import Tree, build_tree
from kinetree.spatial.se3 import frozen, inverse
from kinetree.syntax.numbers import numbers
from kinetree.syntax.xml.reader import Element, Report

VERSION = (1, 9)
"""Version of SDF of the elements in blocks, for their poses."""
OUTSIDE = ("link", "frame", "model", "include")
"""Elements of a model that would make another robot of it."""
ONCE = ("gravity", "self_collide", "kinematic", "enable_wind", "laser_retro", "max_contacts", "transparency")
"""Elements of a link, a visual or a collision that occur once."""
GIVEN_OFF = ("light", "projector", "plugin", "particle_emitter", "audio_source", "audio_sink", "battery")
"""Elements of a link that mean something without a body."""
BOTH = ("joint", "pose")
"""Elements of a model that Gazebo reads, and that have to stay in their block as well, for Kinetree has them nowhere
else: joints that close loops there, and the place of the model."""


def with_gazebo(robot: Robot, without: Collection[str] = ()) -> Robot:
    """Return the robot with what <gazebo> blocks of URDF contain as sensors, and as elements of SDF in their places.

    What belongs nowhere in SDF stays in its block, such as words about links that do not exist. without: parts that are
    not written.
    """
    if all((e.format, e.tag) != ("urdf", "gazebo") for e in robot.extensions):
        return robot
    placer = _Placer(robot, without)
    parts = placer.parts
    parts.extensions = [left for e in robot.extensions if (left := placer.block(e)) is not None]
    parts.extensions += placer.of(("", "model"))
    parts.links = [placer.link(link) for link in parts.links]
    parts.joints = [placer.joint(joint) for joint in parts.joints]
    return build(parts)


def has_body(link: Link) -> bool:
    """Return whether a link is more than a frame."""
    return bool(link.visuals or link.collisions or (link.inertial and link.inertial.mass))


class _Placer:
    def __init__(self, robot: Robot, without: Collection[str]) -> None:
        self.robot, self.without = robot, without
        self.parts: Parts = parts_of(robot)
        self.tree: Tree = build_tree(robot)
        self.made: dict[tuple[str, str], list[Extension]] = defaultdict(list)
        self.words: dict[tuple[str, str], dict[str, Extension]] = defaultdict(dict)
        self.left: dict[Element, str] = {}  # of elements that are placed but for this
        self.colours: dict[str, tuple[float, float, float, float]] = {}
        self.count = 0  # of sensors that are added
        joints = [e for _, block in kept_elements(robot.extensions, "urdf", "gazebo") for e in block.find_all("joint")]
        self.placed: set[str] = set()  # names of joints, or the tag
        self.is_held = robot.root == WORLD or any(map(self.holds, joints))  # so that a pose would move its base

    def block(self, extension: Extension) -> Extension | None:
        """Place the contents of a block, and return what is left of it; other extensions are returned unchanged."""
        found = next(iter(kept_elements([extension], "urdf", "gazebo")), None)
        if found is None:
            return extension
        block = found[1]
        inner_first = sorted(block.children, key=lambda child: child.tag not in ("collision", "visual"))
        left = {child: self.place(block.get("reference") or "", child) for child in inner_first}
        if all(left[child] == child.kept for child in block.children):
            return extension
        start = "".join(f' {name}="{escape(value)}"' for name, value in block.attributes.items())
        text = "".join(left[child] for child in block.children)
        return replace(extension, text=f"<gazebo{start}>{text}</gazebo>") if text else None

    def place(self, name: str, child: Element) -> str:
        """Place an element of a block, and return what is left of it."""
        if ":" in child.tag or child.tag in gazebo.LUMPING:
            return child.kept
        if not name:
            return "" if self.in_model(child) else child.kept
        placed = [self.in_joint(self.robot.joints[name], child)] if name in self.robot.joints else []
        if name in self.robot.links and name != WORLD:
            placed.append(self.in_link(self.robot.links[name], child))
        return self.left.pop(child, "") if any(placed) else child.kept

    def word(self, at: tuple[str, str], word: Word, child: Element) -> bool:
        text = converted(word, child)
        if text is None:
            return False
        source = child.source
        for place in [place for place in word.places if place not in SURFACE]:  # which the shape has
            tag = place.rpartition("/")[2]
            self.words[at][place] = Extension("sdf", place, f"<{tag}>{escape(text, quote=False)}</{tag}>", source)
        return True

    def as_it_stands(self, at: tuple[str, str], element: Element) -> bool:
        """Place an element; one of <surface>, <physics> and <material> beside what is there already."""
        inside = leaves(element) if element.tag in ("surface", "physics", "material") else None
        known = surface_of(inside or {})[1]
        for path, leaf in (inside or {}).items():
            if path in known:
                continue
            self.words[at][path] = Extension("sdf", path, leaf.kept, leaf.source)
        if element.tag in ONCE:  # of which the last counts
            self.words[at][element.tag] = Extension("sdf", element.tag, element.kept, element.source)
        elif inside is None:
            self.made[at].append(Extension("sdf", element.tag, element.kept, element.source))
        return True

    # the model

    def in_model(self, child: Element) -> bool:
        at = ("", "model")
        if child.tag in gazebo.MODEL:
            text = converted(gazebo.MODEL[child.tag], child)
            self.made[at].append(Extension("sdf", child.tag, f"<{child.tag}>{text}</{child.tag}>", child.source))
            return True
        if child.tag in OUTSIDE or any(child.tag in table for table in gazebo.WORDS.values()):
            return False
        if child.tag in BOTH and not self.fits(child):
            return False
        self.placed |= {child.get("name") or child.tag} if child.tag in BOTH else set()
        self.as_it_stands(at, child)
        return child.tag not in BOTH

    def fits(self, element: Element) -> bool:
        """Return whether a joint of SDF connects two links, or holds the robot in the world, or a pose moves no base;
        and whether SDF's reader takes it, so that a fault in a block does not stop the robot."""
        taken, links = {*self.robot.joints, *self.robot.frames, *self.placed}, self.robot.links
        ends = {end.text.strip() for tag in ("parent", "child") if (end := element.find(tag))}
        known = ends <= links.keys() or self.holds(element) if element.tag == "joint" else not self.is_held
        inside = "".join(f'<link name="{escape(name)}"/>' for name in ends - {WORLD} or {"base"}) + element.kept
        text = f'<sdf version="1.9"><model name="m">{inside}</model></sdf>'
        return known and (element.get("name") or element.tag) not in taken and read(text, "<text>")[0] is not None

    def holds(self, joint: Element) -> bool:
        """Return whether a joint fixes the root to the world, where it is."""
        found = {child.tag: child.text.strip() for child in joint.children}
        return joint.get("type") == "fixed" and found == {"parent": WORLD, "child": self.robot.root}

    # links

    def in_link(self, link: Link, child: Element) -> bool:
        at, tag = link.name, child.tag
        if tag == "sensor":
            return "sensor" not in self.without and self.sensor(child, link.name, None)
        for kind, shapes in (("collision", link.collisions), ("visual", link.visuals)):
            if tag in gazebo.WORDS[kind]:
                return bool(shapes) and self.word((at, kind), gazebo.WORDS[kind][tag], child)
            if tag == kind:
                for inner in child.children if shapes else ():
                    self.as_it_stands((at, kind), inner)
                self.colour(link, child)
                return bool(shapes)
        if not has_body(link) and tag not in GIVEN_OFF:  # which is a frame, or moves as if it were nothing
            return False
        if tag in gazebo.LINK:
            return self.word((at, "link"), gazebo.LINK[tag], child)
        return tag not in (*gazebo.JOINT, *gazebo.SPRINGS, *gazebo.MODEL) and self.as_it_stands((at, "link"), child)

    def colour(self, link: Link, visual: Element) -> None:
        """Give shapes without a colour that of a block; if they have another, which RViz shows, it stays there."""
        kept = self.words[link.name, "visual"].pop("material/diffuse", None)
        if kept is None:
            return
        inside = re.sub("<[^>]*>", "", kept.text)
        rgba, looks = tuple(numbers(inside) or ()), {self.looks(shape) for shape in link.visuals}
        if looks == {None} and len(rgba) == 4:
            self.colours[link.name] = rgba
        elif looks != {rgba}:
            self.left[visual] = f"<visual><material>{kept.text}</material></visual>"

    def looks(self, shape: Geometry) -> tuple[float, ...] | None:
        material = shape.material
        return (material.rgba or self.robot.materials.get(material.name, material).rgba) if material else None

    def link(self, link: Link) -> Link:
        """Return a link with what blocks say of it."""
        visuals = tuple(self.shape(link.name, "visual", shape) for shape in link.visuals)
        collisions = tuple(self.shape(link.name, "collision", shape) for shape in link.collisions)
        more = self.of((link.name, "link"))
        return replace(link, visuals=visuals, collisions=collisions, extensions=(*link.extensions, *more))

    def shape(self, name: str, kind: str, shape: Geometry) -> Geometry:
        more = self.of((name, kind))
        if any(one.tag == "material/script/name" for one in more):
            script = f"<uri>{gazebo.SCRIPTS}</uri>"
            more += [Extension("sdf", "material/script/uri", script)] * all(
                one.tag != "material/script/uri" for one in more
            )
        if kind == "visual" and name in self.colours:
            shape = replace(shape, material=Material(f"{name}_colour", self.colours[name]))
        return replace(shape, extensions=(*shape.extensions, *more)) if more else shape

    def of(self, at: tuple[str, str]) -> list[Extension]:
        return [*self.words[at].values(), *self.made[at]]

    # joints

    def in_joint(self, joint: Joint, child: Element) -> bool:
        at, tag = (joint.name, "joint"), child.tag
        if tag == "sensor":
            return "sensor" not in self.without and self.sensor(child, joint.child, joint.name)
        if joint.type == "fixed" and not all(has_body(self.robot.links[end]) for end in (joint.parent, joint.child)):
            return False  # which only holds a frame
        if tag in gazebo.SPRINGS:  # which the joint has
            return converted(Word(()), child) is not None and joint.kind.single and "dynamics" not in self.without
        if tag in gazebo.JOINT:
            return self.word(at, gazebo.JOINT[tag], child)
        others = (gazebo.LINK, gazebo.COLLISION, gazebo.VISUAL, gazebo.MODEL, ONCE)
        return all(tag not in table for table in others) and self.as_it_stands(at, child)

    def joint(self, joint: Joint) -> Joint:
        """Return a joint with what blocks say of it."""
        more = self.of((joint.name, "joint"))
        return replace(joint, extensions=(*joint.extensions, *more)) if more else joint

    # sensors

    def sensor(self, element: Element, link: str, joint: str | None) -> bool:
        """Add a sensor of a link or joint; return False if it cannot be read.

        That of a joint has its pose in the child link, whose frame is the joint's in URDF.
        """
        report = Report()
        made = optional(report, element, element, partial(self.read_sensor, report, element, link, joint))
        if made is None:
            return False
        sensors, full = self.parts.sensors, f"{joint or link}::{made.name}"
        twin = next((i for i, one in enumerate(sensors) if self.is_same(one, made)), None)
        if twin is not None:
            sensors[twin] = _merged(sensors[twin], made)
            return True
        taken = {sensor.name for sensor in sensors}
        name = free_name(full, taken) if made.name in taken else made.name
        sensors.insert(self.count, replace(made, name=name))  # before URDF's own, so that it keeps its name in the file
        self.count += 1
        return True

    def is_same(self, one: Sensor, other: Sensor) -> bool:
        """Return whether a <sensor> of URDF or a block is the sensor of a block: of this name and type, in this place,
        without other settings of SDF."""
        names = one.name.rpartition("::")[2], one.type, one.joint
        if names != (other.name, other.type, other.joint):
            return False
        known, more = _settings(one), _settings(other) - _settings(one)
        (body, T), (other_body, T_other) = self.tree.frames[one.frame], self.tree.frames[other.frame]
        is_there = body == other_body and np.allclose(T @ one.origin, T_other @ other.origin, rtol=0, atol=1e-9)
        return is_there and {tag for tag, _ in known}.isdisjoint(tag for tag, _ in more)

    def read_sensor(self, report: Report, element: Element, link: str, joint: str | None) -> Sensor | None:
        once, others = single_children(report, element, ("pose", "update_rate", TAG), (), tuple(element.attributes))
        name, kind = element.get("name") or "", element.get("type") or ""
        pose = pose_of(report, once.get("pose"), VERSION, element)
        T, at = pose.T, self.tree.frames.get(pose.relative_to or link)
        if not (name and kind) or at is None or at[0] != self.tree.frames[link][0]:
            return None
        if pose.relative_to:
            T = frozen(inverse(self.tree.frames[link][1]) @ at[1] @ T)
        rate = number_of(report, once.get("update_rate"), nan, element)
        said, rest = read_force_torque(report, "sdf", once[TAG], element, "joint") if TAG in once else (None, [])
        more = (*rest, *kept_of_sensor(others))
        return Sensor(name, kind, link, T, joint, None if np.isnan(rate) else rate, said, more, element.source)


def _settings(sensor: Sensor) -> set[tuple[str, str]]:
    """Return the tags and texts of what SDF has in a sensor."""
    return {(one.tag, one.text) for one in sensor.extensions if one.format == "sdf"}


def _merged(one: Sensor, block: Sensor) -> Sensor:
    """Return URDF's own sensor with the settings of a block."""
    rate = one.update_rate if block.update_rate is None else block.update_rate
    reading = one.force_torque if block.force_torque is None else block.force_torque
    more = (e for e in block.extensions if (e.tag, e.text) not in _settings(one))
    return replace(one, update_rate=rate, force_torque=reading, extensions=(*one.extensions, *more))
