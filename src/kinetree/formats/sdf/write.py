"""A robot to SDF text."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from math import pi

from kinetree.errors import Finding
from kinetree.formats.coupled import coupled_limit_attributes
from kinetree.formats.defaults import DEFAULTS
from kinetree.formats.force_torque import TAG, words_of, written_sensors
from kinetree.formats.gazebo import SENSOR_TYPES, SURFACE
from kinetree.formats.losses.losses import Losses
from kinetree.formats.losses.sidecar import LegalNames, Record, written
from kinetree.formats.sdf.forest import FREE
from kinetree.formats.sdf.frames import MODEL, WORLD
from kinetree.formats.sdf.from_gazebo import with_gazebo
from kinetree.formats.sdf.layout import Layout, check_layout, reference, scope_of
from kinetree.formats.sdf.losses import check_parts, sensor_owner
from kinetree.formats.sdf.massless import with_masses
from kinetree.formats.sdf.names import local_name, names_for, sensor_names
from kinetree.formats.sdf.node import Node
from kinetree.formats.sdf.read import read
from kinetree.formats.sdf.shapes import AS_IT_STANDS, CARRIED, COUPLED, MATERIAL, MATERIAL_NAME, NAMESPACES
from kinetree.formats.sdf.values import CUSTOM_TYPE, NO_BOUND, Version
from kinetree.model.assemble import build, parts_of
from kinetree.model.reshape import free_name
from kinetree.model.robot import Dynamics, Extension, Geometry, Joint, Limit, Link, Material, Robot, Sensor
from kinetree.syntax.numbers import format_number
from kinetree.syntax.xml.writer import XmlWriter

SINCE = {"capsule": (1, 8), "ellipsoid": (1, 8), "cone": (1, 11)}
"""Versions that introduced the shapes."""
INERTIA = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}


def write(robot: Robot, without: Collection[str] = (), notes: list[Finding] | None = None) -> str:
    """Return the robot as SDF, in the lowest version from 1.7 on that has all of its parts, for the sake of simulators.

    1.7 has frames and relative poses, 1.8 nested names, 1.10 the pitch of a screw, 1.11 followers. A robot that was
    read from SDF and not edited gives the same text. What SDF lacks and simulators do not need is kept in elements of
    Kinetree. notes: a list that gets remarks on what other programs do not see. Raises KinetreeError for a part that
    SDF cannot represent and that `without` does not name.
    """
    losses = Losses("sdf", without)
    if robot.text and robot.text.format == "sdf" and not without:
        return robot.text.text
    robot = _by_axis(with_gazebo(losses.without_parts(robot), losses.without))
    renamed = LegalNames.of(robot, names_for(robot), "sdf")
    held = ("link", WORLD) in ((kind, own) for (kind, _), own in renamed.own.items()) and robot.root == WORLD
    made, known, remarks = with_masses(renamed.robot, {*losses.without, *(["frame"] if held else [])})
    sensors = LegalNames.of(made, sensor_names(made), "sdf")
    renamed = LegalNames(sensors.robot, {**renamed.own, **sensors.own})
    layout = Layout(_on_world(renamed.robot) if held else renamed.robot, losses.without)
    check_layout(layout, losses)
    check_parts(layout, losses)
    losses.check()
    if notes is not None:
        notes += remarks

    def render(robot: Robot, records: Sequence[Record]) -> str:
        return _Writer(layout, losses.without, records).text()

    return written(renamed, "sdf", render, read, notes, known)


def _by_axis(robot: Robot) -> Robot:
    """Return the robot with dynamics of each axis of a joint, where one row stands for all of them."""
    parts, several = parts_of(robot), {j.name for j in robot.joints.values() if len(j.dynamics) == 1 < j.kind.axes}
    parts.joints = [replace(j, dynamics=j.dynamics * j.kind.axes) if j.name in several else j for j in parts.joints]
    return build(parts) if several else robot


def _on_world(robot: Robot) -> Robot:
    """Return the robot with its root fixed to a link "world", which is SDF's world, from which alone joints float."""
    parts = parts_of(robot)
    parts.links.insert(0, Link(WORLD))
    floating = {joint.name for joint in parts.joints if joint.parent == robot.root and joint.type == "floating"}
    parts.joints = [replace(joint, parent=WORLD) if joint.name in floating else joint for joint in parts.joints]
    parts.joints.append(
        Joint(free_name(f"{robot.root}_joint", {*robot.joints, *robot.frames}), "fixed", WORLD, robot.root)
    )
    return build(parts)


class _Writer:
    def __init__(self, layout: Layout, without: frozenset[str], records: Sequence[Record]) -> None:
        self.layout = layout
        self.records = records
        self.robot = layout.robot
        self.without = without
        major, minor = self.version()
        self.root = Node("sdf", version=f"{major}.{minor}")
        self.models: dict[str, Node] = {}
        self.owners: dict[str, Node] = {}  # links and joints, which contain sensors
        self.sensors: dict[str, set[str]] = {}  # names of sensors by link or joint, as they are written
        self.of_sensors: dict[str, set[str | None]] = defaultdict(set)  # and before
        self.all_sensors = written_sensors(self.robot, self.without)
        for sensor in self.all_sensors:
            owner = sensor_owner(self.robot, sensor)
            self.of_sensors[owner].add(local_name(sensor.name, owner))

    def version(self) -> Version:
        joints = self.layout.joints
        shapes = [g.shape.kind for link in self.layout.links for g in (*link.visuals, *link.collisions)]
        return max(
            (1, 8) if self.layout.nested else (1, 7),
            (1, 10) if any(joint.type == "screw" for joint in joints) else (1, 7),
            (1, 11) if any(joint.mimic for joint in joints) else (1, 7),
            *((1, 7) if "geometry" in self.without else SINCE.get(kind, (1, 7)) for kind in shapes),
        )

    def text(self) -> str:
        self.model("")
        for thing in self.in_order():
            if isinstance(thing, Link):
                self.link(thing)
            else:
                self.joint(thing)
        for frame in self.layout.frames:
            scope = scope_of(frame.name)
            if reference(frame.name, scope) != MODEL:
                link = reference(frame.link, scope)
                node = self.model(scope).add("frame", name=reference(frame.name, scope), attached_to=link)
                node.pose(frame.origin)
        if "material" not in self.without:
            for material in self.robot.materials.values():
                self.material(self.model(""), material, MATERIAL)
        for sensor in self.all_sensors:
            self.sensor(sensor)
        for joint in self.layout.named_joints():
            self.model("").add(FREE, joint=joint.name, link=joint.child)
        for limit in self.robot.coupled_limits if "coupled_limit" not in self.without else ():
            node = self.model("").add(COUPLED, **coupled_limit_attributes(limit))
            for name, coefficient in limit.coefficients.items():
                node.add("joint", name=name, coefficient=format_number(coefficient))
        for record in self.records:
            self.model("").add(CARRIED, record.text, of=record.kind, **{MATERIAL_NAME: record.name or None})
        for extension in (e for e in self.robot.extensions if e.format == "sdf"):
            scope = scope_of(extension.tag)
            self.extensions(self.model(scope), [extension], scope)
        used = set(self.root.prefixes())
        own = {f"xmlns:{prefix}": uri for prefix, uri in NAMESPACES.items()}
        self.root.attributes |= {
            k: v for k, v in {**self.robot.header, **own}.items() if k.removeprefix("xmlns:") in used
        }
        xml = XmlWriter()
        self.root.write(xml)
        return xml.text()

    def in_order(self) -> list[Link | Joint]:
        """Return links, then joints; with nested models joints first, so that the models are in their order."""
        links, layout = self.layout.links, self.layout
        if not layout.nested:
            return [*links, *layout.joints]
        joints = [*self.robot.joints.values(), *layout.joints]  # each once, below
        first = [self.robot.links[j.child] if j.name in layout.implied else j for j in joints]
        return [*dict.fromkeys([*first, *links])]

    def model(self, scope: str) -> Node:
        """Return the <model> of a scope; it and those around it are made on first use."""
        if scope not in self.models:
            outer = self.model(scope_of(scope)) if scope else self.root
            is_world = not scope and self.layout.is_world
            node = outer.add(
                "world" if is_world else "model", name=scope.rpartition("::")[2] if scope else self.robot.name
            )
            canonical = self.layout.canonical(scope)
            node.attributes["canonical_link"] = reference(canonical, scope) if canonical else None
            node.pose(self.layout.model_pose(scope))
            self.models[scope] = node
        return self.models[scope]

    def extensions(self, node: Node, extensions: Collection[Extension], scope: str = "") -> None:
        """Add what was kept, each at the path in its tag."""
        for extension in extensions if "extension" not in self.without else ():
            if extension.format == "sdf":
                *path, _ = extension.tag.removeprefix(f"{scope}::").split("/")
                node.at(path).children.append(extension.text)

    # links

    def link(self, link: Link) -> None:
        scope = scope_of(link.name)
        node = self.model(scope).add("link", name=reference(link.name, scope))
        self.owners[link.name] = node
        node.pose(*self.layout.link_pose(link))
        self.inertial(node, link)
        if "geometry" not in self.without:
            taken = {shape.name for shape in (*link.visuals, *link.collisions)} | self.of_sensors[link.name]
            self.geometries(node, "visual", link.visuals, taken)
            self.geometries(node, "collision", link.collisions, taken)
        self.extensions(node, link.extensions)

    def inertial(self, link_node: Node, link: Link) -> None:
        if link.inertial is None:
            return
        node = link_node.add("inertial")
        node.pose(link.inertial.origin)
        node.number("mass", link.inertial.mass)
        inertia = node.add("inertia")
        for name, at in INERTIA.items():
            inertia.number(name, link.inertial.inertia[at])

    def geometries(
        self, link_node: Node, tag: str, geometries: tuple[Geometry, ...], taken: Collection[str | None]
    ) -> None:
        """Write the shapes; those without a name of their own, which SDF requires, get one that is not taken."""
        free = (name for i in range(1, 10**9) if (name := f"{tag}_{i}") not in taken)
        used: set[str] = set()
        for geometry in geometries:
            name = geometry.name if geometry.name and geometry.name not in used else next(free)
            used.add(name)
            node = link_node.add(tag, name=name)
            node.pose(geometry.origin)
            self.shape(node.add("geometry"), geometry)
            if geometry.material and "material" not in self.without:
                self.material(node, geometry.material, "material" if tag == "visual" else MATERIAL)
            if geometry.surface and tag == "collision":
                for place, field in SURFACE.items():
                    *path, name = place.split("/")
                    if (value := getattr(geometry.surface, field)) is not None:
                        node.at(path).number(name, value)
            self.extensions(node, geometry.extensions)

    def shape(self, node: Node, geometry: Geometry) -> None:
        kind = geometry.shape.kind
        if kind in AS_IT_STANDS:
            if kind == "empty" and not any(one.tag.startswith("geometry/") for one in geometry.extensions):
                node.add("empty")
            return  # its element is among the extensions
        shape = node.add(kind)
        for name, value in geometry.shape.parameters.items():
            if name == "filename":
                shape.add("uri", str(value))
            elif isinstance(value, str):
                shape.at(["submesh"]).add("name" if name == "submesh" else name, value)
            elif name != "scale" or value != (1.0, 1.0, 1.0):
                shape.numbers(name, value)

    def material(self, node: Node, material: Material, tag: str = "material") -> None:
        """Write a material; SDF has no names for them, nor any outside of visuals, so Kinetree's own prefix is used."""
        meant = material if material.rgba else self.robot.materials.get(material.name, material)
        name = {MATERIAL_NAME: material.name} if material.name else {}
        element = node.add(tag, **name)
        if meant.rgba:
            element.numbers("diffuse", meant.rgba)

    # joints

    def joint(self, joint: Joint) -> None:
        scope = scope_of(joint.name)
        bounded = any(abs(bound) < NO_BOUND for limit in joint.limits for bound in (limit.lower, limit.upper))
        kind = "revolute" if joint.type == "continuous" and bounded else joint.kind.sdf  # which has no bounds in SDF
        node = self.model(scope).add("joint", name=reference(joint.name, scope), type=kind)
        self.owners[f"joint {joint.name}"] = node
        node.pose(*self.layout.joint_pose(joint))
        node.add("parent", WORLD if joint.parent == WORLD else reference(joint.parent, scope))
        node.add("child", reference(joint.child, scope))
        if joint.type == "screw":
            node.number("screw_thread_pitch", joint.pitch * (2 * pi))
        for i, tag in enumerate(("axis", "axis2")[: joint.kind.axes]):
            self.axis(node.add(tag), joint, i, scope)
        if joint.type == "fixed" and joint.dynamics and "dynamics" not in self.without:
            axis = node.add("axis")
            axis.numbers("xyz", (0.0, 0.0, 1.0))
            _dynamics(axis, joint.dynamics[0])
        self.extensions(node, joint.extensions)

    def axis(self, node: Node, joint: Joint, i: int, scope: str) -> None:
        node.numbers("xyz", joint.axes[i])
        if len(joint.limits) > i and "limit" not in self.without:
            _limit(node, joint.limits[i])
        if joint.mimic:
            mimic = node.add("mimic", joint=reference(joint.mimic.joint, scope))
            mimic.number("multiplier", joint.mimic.multiplier)
            mimic.number("offset", joint.mimic.offset)
            mimic.number("reference", 0.0)
        if len(joint.dynamics) > i and "dynamics" not in self.without:
            _dynamics(node, joint.dynamics[i])

    # sensors

    def sensor(self, sensor: Sensor) -> None:
        frame = self.robot.frames[sensor.frame]
        owner = sensor_owner(self.robot, sensor)
        node = self.owners[f"joint {sensor.joint}" if sensor.joint else frame.link]
        own = sensor.type in SENSOR_TYPES
        local = local_name(sensor.name, owner)
        element = node.add(
            "sensor",
            name=free_name(local, self.sensors.setdefault(owner, set())),
            type=sensor.type if own else "custom",
            **{} if own else {CUSTOM_TYPE: sensor.type},
        )
        extra = sensor.frame not in self.robot.links
        scope = scope_of(owner)
        if extra and "frame" not in self.without:
            element.pose(sensor.origin, reference(sensor.frame, scope))
        else:
            T = frame.origin @ sensor.origin if extra else sensor.origin
            element.pose(T, reference(frame.link, scope) if sensor.joint else None)
        if sensor.update_rate is not None:
            element.number("update_rate", sensor.update_rate)
        if sensor.force_torque:
            said = element.add(TAG)
            for tag, word in words_of(sensor.force_torque).items():
                said.add(tag, word)
        self.extensions(element, sensor.extensions)


def _dynamics(node: Node, row: Dynamics) -> None:
    dynamics = node.add("dynamics")
    dynamics.number("damping", row.damping)
    dynamics.number("friction", row.friction)
    dynamics.number("spring_reference", row.reference)
    dynamics.number("spring_stiffness", row.stiffness)


def _limit(node: Node, limit: Limit) -> None:
    numbers = {"lower": limit.lower, "upper": limit.upper, "velocity": limit.velocity, "effort": limit.effort}
    given = {name: value for name, value in numbers.items() if value != getattr(DEFAULTS["sdf"], name)}
    if given:
        element = node.add("limit")
        for name, value in given.items():
            element.add(name, format_number(value))
