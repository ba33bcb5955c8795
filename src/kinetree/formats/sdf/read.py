"""SDF text to a robot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from functools import partial
from math import isnan, nan
from typing import TYPE_CHECKING

import numpy as np

from kinetree.errors import Finding
from kinetree.files.opener import MeshReader, Opener, no_mesh, nothing
from kinetree.formats.coupled import coupled_limit
from kinetree.formats.fields import (
    check_outer,
    check_text,
    header_of,
    ignore,
    name_of,
    optional_each,
    read_each,
    single_children,
)
from kinetree.formats.finish import finish, without_doubts
from kinetree.formats.force_torque import TAG, read_force_torque
from kinetree.formats.losses.parts import cutter
from kinetree.formats.sdf.choose import Choice, choose
from kinetree.formats.sdf.context import LINK_OTHERS, MODEL_OTHERS, WORLD_OTHERS, Context, is_world
from kinetree.formats.sdf.forest import FREE, hang
from kinetree.formats.sdf.frames import MODEL, Entry, static_scopes
from kinetree.formats.sdf.imu_noise import kept_of_sensor
from kinetree.formats.sdf.inertia import inertial_of
from kinetree.formats.sdf.joints import joint
from kinetree.formats.sdf.shapes import CARRIED, COUPLED, MATERIAL, MATERIAL_NAME, NAMESPACES, geometry, material_of
from kinetree.formats.sdf.values import CUSTOM_TYPE, TRUTH, attribute_of, number_of, version_of
from kinetree.model.assemble import Parts, Reading
from kinetree.model.edit.motion import passed_note, passed_sensor
from kinetree.model.robot import Extension, Frame, Geometry, Joint, Link, Sensor, Text
from kinetree.spatial.se3 import IDENTITY
from kinetree.syntax.xml.reader import DerivedText, Element, Report, parse, remember

if TYPE_CHECKING:
    from kinetree.formats.losses.sidecar.restore import Carried


OURS = (MATERIAL, COUPLED, FREE, CARRIED)
DEFINITIONS = ("element", "description")
"""Root elements of the files that define the format SDF."""


def read_certain(
    text: bytes | str | DerivedText,
    file: str,
    opener: Opener = nothing,
    model: str | None = None,
    mesh: MeshReader = no_mesh,
    *,
    without: Collection[str] = (),
) -> Reading:
    """Return the robot in an SDF text, after errors with doubts, or None, and all findings. Never raises on content.

    opener: finds what the file includes. model: the name of the model to take if there are several. mesh: for
    inertias that follow from meshes. without: parts that are not read.
    """
    report = Report(cutter("sdf", without))
    root = parse(text, file, report)
    if root is None:
        return None, report.findings
    if report.cut is None:
        remember(root)
    if root.tag in DEFINITIONS:
        report.error("no-model", f"<{root.tag}> is a part of the definition of SDF, not a model", root)
        return None, report.findings
    if root.tag != "sdf":
        report.error("not-sdf", f"the root element is <{root.tag}>; expected <sdf>", root)
        return None, report.findings
    check_outer(report, root, ("version",))
    version = version_of(report, root)
    choice = choose(report, root, version, opener, model)
    if choice is None:
        return None, report.findings
    reader = _Reader(report, choice, mesh, has_masses="inertial" not in without)
    parts = reader.parts()
    report.findings = [*dict.fromkeys(report.findings)]  # a world may include a model several times
    parts.header = {k: v for k, v in header_of(root).items() if v not in NAMESPACES.values()}
    if choice.alone:
        parts.text = Text("sdf", root.document.data.decode(), root.document.origins)
    return finish(report, parts, root, "sdf", reader.carried), report.findings


read = without_doubts(read_certain)


class _Reader:
    def __init__(self, report: Report, choice: Choice, mesh: MeshReader, has_masses: bool) -> None:
        self.report = report
        self.has_masses = has_masses
        self.choice = choice
        self.frames = choice.frames
        self.context = Context(report, choice.frames, choice.prefix, mesh)
        self.carried: list[Carried] = []
        self.jointed = {entry.prefix for entry in choice.frames.entries if entry.kind == "joint"}
        self.static = static_scopes(choice.frames)
        self.sensors: list[tuple[Sensor, str]] = []  # each with the name of its link or joint
        self.sensor_names: set[tuple[str, str]] = set()

    def parts(self) -> Parts:
        context, top = self.context, self.choice.top
        parts = Parts(self.choice.name, source=top.element.source)
        inside = [entry for entry in self.frames.entries if entry.name.startswith(context.prefix)]
        for entry in (*inside, *self.choice.joints):
            if entry.kind == "link":
                parts.links.append(self.link(entry))
            elif entry.kind == "joint":
                self.joint(entry, parts)
        for entry in inside:
            if entry.kind in ("frame", "model", "world"):
                parts.frames += self.frame(entry)
                parts.extensions += self.others(entry)
                self.ours(entry, parts)
        turned = hang(context, self.choice, parts, [e for e in top.others if e.tag == FREE])
        if parts.loops or turned:
            self.pass_sensors(parts, turned)
        parts.sensors = self.named_sensors()
        return parts

    def ours(self, entry: Entry, parts: Parts) -> None:
        """Add what is in elements of Kinetree, whose names are those of the model that has them."""
        scope = self.context.local(entry.name).removesuffix(MODEL) if entry.kind == "model" else ""
        for e in entry.others:
            if e.tag == CARRIED:
                check_text(self.report, e, ("of", MATERIAL_NAME))
                self.carried.append((e, e.get("of") or "", e.get(MATERIAL_NAME) or "", e.text, scope))
        known = {material.name for material in parts.materials}
        look = partial(material_of, self.context, entry.element)
        named = (e for e in entry.others if e.tag == MATERIAL)
        for material, _ in optional_each(self.report, "sdf", named, entry.element, look, parts.extensions):
            parts.materials += [material] if material.name not in known or not scope else []
        for limit in read_each((e for e in entry.others if e.tag == COUPLED), partial(coupled_limit, self.report)):
            terms = {scope + joint: coefficient for joint, coefficient in limit.coefficients.items()}
            parts.coupled_limits.append(replace(limit, name=scope + limit.name, coefficients=terms))

    def joint(self, entry: Entry, parts: Parts) -> None:
        made = joint(self.context, entry)
        if made is not None:
            left = self.joint_sensors(entry, made)
            parts.joints.append(replace(made, extensions=(*made.extensions, *left)) if left else made)

    def pass_sensors(self, parts: Parts, turned: Collection[str]) -> None:
        """Let sensors of joints that close a loop be sensors of their link, for no wrench passes through the tree, and
        those of reversed joints name their reading by the new parent and child."""
        loops, joints = {loop.name for loop in parts.loops}, {joint.name: joint for joint in parts.joints}
        for i, (sensor, owner) in enumerate(self.sensors):
            if sensor.joint in loops:
                message = f"measures joint {sensor.joint!r}, which closes a loop; it is a sensor of its link here"
                note = Finding("loop", "warning", message, sensor.source, f"sensor {sensor.name!r}")
                after = replace(sensor, joint=None, force_torque=None)
            elif sensor.joint and sensor.joint in turned:
                after = passed_sensor(sensor, joints[sensor.joint])
                note = passed_note(sensor, after)
            else:
                continue
            self.report.place([note], self.choice.top.element.document)
            self.sensors[i] = after, owner

    def frame(self, entry: Entry) -> list[Frame]:
        """Return an extra frame. The frame of a model is one only if it differs from that of its canonical link."""
        if entry.kind == "world" or entry.implied:
            check_outer(self.report, entry.element, ("name", "canonical_link", "placement_frame", "version"))
        else:
            _, others = single_children(self.report, entry.element, ("pose",), (), ("name", "attached_to"))
            ignore(self.report, others, entry.element)
        link = self.frames.link_of(entry)
        origin = self.frames.between(link, entry) if link else None
        if link is None or origin is None or (is_world(link) and (self.context.prefix or entry.kind != "frame")):
            return []
        if entry.implied and np.allclose(origin, IDENTITY, rtol=0, atol=1e-14):
            return []
        context = self.context
        return [Frame(context.local(entry.name), context.local(link.name), origin, entry.element.source)]

    def others(self, entry: Entry) -> list[Extension]:
        """Return the elements of a model that are not places; the scope is in the tag: "arm::plugin"."""
        scope = self.context.local(entry.name).rpartition("::")[0]
        others = [element for element in entry.others if element.tag not in OURS]
        start = self.context.prefix + (f"{scope}::" if scope else "")
        moves = any(prefix.startswith(start) for prefix in self.jointed)
        for element in others:
            if element.tag == "static" and TRUTH.get(element.text.strip().lower()) and moves:
                message = "the model is static, but its joints are read anyway"
                self.report.add("info", "static", message, element, owner=entry.element)
        known = WORLD_OTHERS if is_world(entry) else MODEL_OTHERS
        return self.context.keep(others, known, entry.element, f"{scope}::" if scope else "")

    # links

    def link(self, entry: Entry) -> Link:
        report, element = self.report, entry.element
        many = ("visual", "collision", "sensor")
        once, others = single_children(report, element, ("pose", "inertial", *many), many, ("name",))
        extensions = self.context.keep((e for e in others if e.tag not in many), LINK_OTHERS, element)
        sensors = [e for e in others if e.tag == "sensor"]
        extensions += self.all_sensors(sensors, entry, entry, None)
        shape = partial(geometry, self.context, entry)
        shapes = {}
        for tag in ("visual", "collision"):
            elements = [e for e in others if e.tag == tag]
            shapes[tag] = self.named_shapes(optional_each(report, "sdf", elements, element, shape, extensions), element)
        name, inertial, why = self.context.local(entry.name), None, ""
        if self.has_masses:
            felt = shapes["collision"] if sum(e.tag == "collision" for e in others) == len(shapes["collision"]) else ()
            is_static = entry.name.startswith(self.static)
            inertial, more, why = inertial_of(self.context, once.get("inertial"), entry, felt, is_static)
            extensions += more
        return Link(name, inertial, shapes["visual"], shapes["collision"], tuple(extensions), element.source, why)

    def named_shapes(self, shapes: list[Geometry], link: Element) -> tuple[Geometry, ...]:
        """Return the visuals, or the collisions, of a link; the name of another loses its name."""
        seen: set[str] = set()
        found = []
        for shape in shapes:
            if shape.name is None or shape.name in seen:
                what = f"the link has two shapes {shape.name!r}" if shape.name else "a shape of the link has no name"
                message = f"{what}; SDF requires names that differ, so it gets one when it is written"
                self.report.place([Finding("no-name", "warning", message, shape.source, link.label)], link.document)
                shape = replace(shape, name=None)
            seen.add(shape.name or "")
            found.append(shape)
        return tuple(found)

    # sensors

    def joint_sensors(self, entry: Entry, made: Joint) -> list[Extension]:
        child, elements = self.frames.link_of(entry), entry.element.find_all("sensor")
        return self.all_sensors(elements, entry, child, made.name) if child else []

    def all_sensors(self, elements: list[Element], at: Entry, link: Entry, of_joint: str | None) -> list[Extension]:
        """Add the sensors of a link or a joint; return those that cannot be read, as they stand."""
        left: list[Extension] = []
        read = partial(self.sensor, at, link, of_joint)
        self.sensors += optional_each(self.report, "sdf", elements, None, read, left)
        return left

    def sensor(self, at: Entry, link: Entry, of_joint: str | None, element: Element) -> tuple[Sensor, str]:
        """Return a sensor of a link, or of a joint, whose sensor sits on the joint's child link, and its owner."""
        report, context = self.report, self.context
        name, kind = name_of(report, element), name_of(report, element, "type")
        if kind == "custom":
            kind = attribute_of(report, element, CUSTOM_TYPE) or kind
        once, others = single_children(report, element, ("pose", "update_rate", TAG), (), ("name", "type", CUSTOM_TYPE))
        rate = number_of(report, once.get("update_rate"), nan, element)
        said, rest = read_force_torque(report, "sdf", once[TAG], element, "joint") if TAG in once else (None, [])
        base = self.base(once.get("pose"), at, link)
        made = Sensor(
            context.local(at.prefix + name) if name else "",
            kind,
            context.local(base.name),
            context.pose(once.get("pose"), at, base, element),
            of_joint,
            None if isnan(rate) else rate,
            said,
            (*rest, *kept_of_sensor(others)),
            element.source,
        )
        if (made.name, at.name) in self.sensor_names:
            report.error("duplicate-name", f"there is already a sensor {name!r} here", element)
        self.sensor_names.add((made.name, at.name))
        return made, at.name

    def base(self, pose: Element | None, at: Entry, link: Entry) -> Entry:
        """Return the frame to which a sensor's pose is relative, if it is fixed to the link, else the link."""
        reference = attribute_of(self.report, pose, "relative_to") if pose is not None else ""
        frame = self.frames.get(at.full(reference)) if reference else None
        if frame is None or frame.kind != "frame" or frame.implied or self.frames.link_of(frame) is not link:
            return link
        return frame

    def named_sensors(self) -> list[Sensor]:
        """Return the sensors; if two links have sensors of one name, the link's name goes before it."""
        counts = Counter(sensor.name for sensor, _ in self.sensors)
        return [
            replace(sensor, name=f"{self.context.local(owner)}::{sensor.name.rpartition('::')[2]}")
            if counts[sensor.name] > 1
            else sensor
            for sensor, owner in self.sensors
        ]
