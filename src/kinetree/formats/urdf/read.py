"""URDF text to a robot."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf, sqrt

import numpy as np

from kinetree.errors import Finding
from kinetree.formats.fields import (
    check_attributes,
    choice_of,
    extension,
    finish,
    float_of,
    ignore,
    keep,
    name_of,
    read_each,
    single_children,
    vector_of,
)
from kinetree.formats.xml import Element, Report, parse
from kinetree.model.assemble import Parts
from kinetree.model.joints import JOINT_TYPES
from kinetree.model.robot import (
    NO_AXES,
    Calibration,
    Dynamics,
    Extension,
    Geometry,
    Inertial,
    Joint,
    Limit,
    Link,
    Material,
    Mimic,
    Robot,
    Safety,
    Sensor,
    Shape,
    Text,
)
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array, frozen

TYPES = {row.urdf: row for row in JOINT_TYPES.values() if row.urdf}
VERSIONS = ("1.0", "1.1", "1.2")
FOREIGN = ("gazebo", "transmission", "ros2_control")  # blocks of other tools that URDF files carry by custom
PRODUCTS = ("ixy", "ixz", "iyz")
ZERO = (0.0, 0.0, 0.0)


def read(text: bytes | str, file: str) -> tuple[Robot | None, list[Finding]]:
    """The robot in a URDF text, or None, and all findings. Never raises on content."""
    report = Report()
    root = parse(text, file, report)
    if root is None:
        return None, report.findings
    if root.tag != "robot":
        report.error("not-urdf", f"the root element is <{root.tag}>; legal is <robot>", root)
        return None, report.findings
    return _Reader(report).robot(root), report.findings


class _Reader:
    def __init__(self, report: Report) -> None:
        self.report = report
        self.version = "1.0"

    def robot(self, root: Element) -> Robot | None:
        report = self.report
        self.version = root.get("version") or "1.0"
        choice_of(report, root, "version", self.version, VERSIONS, "urdf-version")
        check_attributes(report, root, ("name", "version"))
        parts = Parts(name_of(report, root), source=root.source)
        parts.text = Text("urdf", root.document.data.decode())
        parts.links = read_each(root.find_all("link"), self.link)
        parts.joints = read_each(root.find_all("joint"), self.joint)
        parts.materials = read_each(root.find_all("material"), self.material)
        child_of = {joint.name: joint.child for joint in parts.joints}
        parts.sensors = read_each(root.find_all("sensor"), lambda e: self.sensor(e, child_of))
        for child in root.children:
            if child.tag in FOREIGN:
                parts.extensions.append(extension("urdf", child))
            elif child.tag not in ("link", "joint", "material", "sensor"):
                parts.extensions += self.others([child])
        self.material_references(root, parts)
        return finish(report, parts, root)

    # links

    def link(self, element: Element) -> Link:
        report = self.report
        check_attributes(report, element, ("name", "type"))
        once, others = single_children(report, element, ("inertial", "visual", "collision"), ("visual", "collision"))
        inertial = once.get("inertial")
        return Link(
            name_of(report, element),
            self.inertial(inertial, element) if inertial else None,
            tuple(self.geometry(e, element) for e in others if e.tag == "visual"),
            tuple(self.geometry(e, element) for e in others if e.tag == "collision"),
            tuple(self.others((e for e in others if e.tag not in ("visual", "collision")), element)),
            element.source,
        )

    def inertial(self, element: Element, link: Element) -> Inertial:
        report = self.report
        once, others = single_children(report, element, ("origin", "mass", "inertia"))
        ignore(report, others, link)
        self.others((e for e in others if e.tag.startswith("xacro:")), link)
        for tag in ("mass", "inertia"):
            if tag not in once:
                report.error("missing-element", f"<inertial> needs <{tag}>, which is missing", element, owner=link)
        mass = float_of(report, once["mass"], "value", owner=link) if "mass" in once else 0.0
        xx = xy = xz = yy = yz = zz = 0.0
        if inertia := once.get("inertia"):
            xx, yy, zz = (float_of(report, inertia, name, owner=link) for name in ("ixx", "iyy", "izz"))
            xy, xz, yz = (float_of(report, inertia, name, 0.0, link) for name in PRODUCTS)
            if missing := [name for name in PRODUCTS if name not in inertia.attributes]:
                message = f"<inertia> without {', '.join(missing)}, which are taken as 0; URDF wants all six"
                report.warning("default-inertia", message, inertia, owner=link)
        tensor = frozen(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))
        return Inertial(mass, tensor, self.origin(once.get("origin"), link))

    def geometry(self, element: Element, link: Element) -> Geometry:
        report = self.report
        once, others = single_children(report, element, ("origin", "geometry"), ("material",))
        materials = [child for child in others if child.tag == "material"]
        shape = Shape("none", {})
        extensions = keep(report, "urdf", (child for child in others if child.tag != "material"), link)
        for child in materials[1:]:  # only a look: no reason to refuse a robot
            message = f"<{element.tag}> has a second <material>; the first is used, as urdfdom does"
            report.warning("duplicate-element", message, child, owner=link)
            extensions.append(extension("urdf", child))
        if "geometry" in once:
            shape, more = self.shape(once["geometry"], link)
            extensions += more
        else:
            report.error("missing-element", f"<{element.tag}> needs <geometry>, which is missing", element, owner=link)
        return Geometry(
            shape,
            self.origin(once.get("origin"), link),
            element.get("name"),
            self.material(materials[0], anonymous=True) if materials else None,
            tuple(extensions),
            element.source,
        )

    def shape(self, element: Element, link: Element) -> tuple[Shape, list[Extension]]:
        report = self.report
        known = [child for child in element.children if child.tag in SHAPES]
        others = keep(report, "urdf", (child for child in element.children if child.tag not in SHAPES), link)
        if len(known) != 1:
            legal = ", ".join(f"<{tag}>" for tag in SHAPES)
            report.error("geometry", f"<geometry> needs one of {legal}; it has {len(known)}", element, owner=link)
            return Shape("none", {}), others
        child = known[0]
        parameters: dict[str, float | str | tuple[float, ...]] = {}
        for name, count in SHAPES[child.tag].items():
            if count == 0:
                parameters[name] = name_of(report, child, name, link)
            elif count == 1:
                parameters[name] = float_of(report, child, name, owner=link)
            elif name == "scale":
                parameters[name] = tuple(vector_of(report, child, name, 3, (1.0, 1.0, 1.0), link))
            elif child.get(name) is None:
                report.error("missing-attribute", f"<{child.tag}> needs {name}=…", child, owner=link)
            else:
                parameters[name] = tuple(vector_of(report, child, name, count, ZERO, link))
        return Shape(child.tag, parameters), others

    def material(self, element: Element, anonymous: bool = False) -> Material:
        """A material; inside a visual it may go without a name."""
        report = self.report
        name = (element.get("name") or "") if anonymous else name_of(report, element)
        once, others = single_children(report, element, ("color", "texture"))
        ignore(report, others, element)
        rgba = None
        if color := once.get("color"):
            r, g, b, a = vector_of(report, color, "rgba", 4, (0.0, 0.0, 0.0, 1.0), element)
            rgba = (r, g, b, a)
        texture = once["texture"].get("filename") if "texture" in once else None
        if "texture" in once and not texture:
            report.warning("no-texture", "<texture> names no file and has no effect", once["texture"], owner=element)
        return Material(name, rgba, texture or None, element.source)

    def others(self, elements: Iterable[Element], owner: Element | None = None) -> list[Extension]:
        """Elements that are not understood: kept, except where xacro would have put something else in their place."""
        kept = []
        for element in elements:
            if element.tag.startswith("xacro:"):
                message = f"<{element.tag}> is an instruction that xacro has not carried out"
                fix = "load the .xacro file, or expand it first"
                self.report.error("left-over-xacro", message, element, owner=owner, fix=fix)
            else:
                kept += keep(self.report, "urdf", [element], owner)
        return kept

    def material_references(self, root: Element, parts: Parts) -> None:
        """Warn of visuals that name a material which nothing defines."""
        used = [v.material for link in parts.links for v in link.visuals if v.material and v.material.name]
        defined = {m.name for m in (*parts.materials, *used) if m.rgba or m.texture}
        for element in root.walk():
            if element.tag == "material" and not element.children and element.get("name") not in defined:
                message = f"material {element.get('name')!r} is defined nowhere; its look is left open"
                self.report.warning("unknown-material", message, element)

    # joints

    def joint(self, element: Element) -> Joint | None:
        report = self.report
        check_attributes(report, element, ("name", "type"))
        name = name_of(report, element)
        once, others = single_children(report, element, JOINT_CHILDREN)
        type_name = element.get("type")
        if type_name is None:
            name_of(report, element, "type")
            return None
        if not choice_of(report, element, "type", type_name, TYPES, "joint-type"):
            return None
        kind = TYPES[type_name]
        for end in ("parent", "child"):
            if end not in once:
                report.error("missing-element", f"a joint needs <{end} link=…>, which is missing", element)
        mimic = once.get("mimic")
        if mimic is not None and not kind.single:
            message = f"a {kind.name} joint has not one coordinate, so <mimic> has no effect"
            report.warning("mimic", message, mimic, owner=element)
            mimic = None
        return Joint(
            name,
            kind.name,
            name_of(report, once["parent"], "link", element) if "parent" in once else "",
            name_of(report, once["child"], "link", element) if "child" in once else "",
            self.origin(once.get("origin"), element),
            self.axes(once.get("axis"), element) if kind.axes else NO_AXES,
            limits=self.limits(once.get("limit"), element, kind.name),
            mimic=self.mimic(mimic, element) if mimic else None,
            dynamics=self.dynamics(once.get("dynamics"), element),
            safety=self.safety(once.get("safety_controller"), element),
            calibration=self.calibration(once.get("calibration"), element),
            extensions=tuple(self.others(others, element)),
            source=element.source,
        )

    def axes(self, element: Element | None, joint: Element) -> Array:
        if element is None:
            return X_AXIS
        x, y, z = vector_of(self.report, element, "xyz", 3, (1.0, 0.0, 0.0), joint)
        length = sqrt(x * x + y * y + z * z)
        if not length > 1e-9:
            message = f"<axis xyz={element.get('xyz')!r}> has no direction; legal is any vector but zero"
            self.report.error("zero-axis", message, element, attribute="xyz", owner=joint)
            return X_AXIS
        axes = np.array(((x / length, y / length, z / length),))
        axes.setflags(write=False)
        return axes

    def limits(self, element: Element | None, joint: Element, kind: str) -> tuple[Limit, ...]:
        report = self.report
        if kind not in ("revolute", "prismatic", "continuous"):
            if element is not None and kind != "fixed":
                message = f"<limit> on a {kind} joint has no defined meaning; it is not used"
                report.warning("not-understood", message, element, owner=joint)
            return ()
        if element is None:
            if kind != "continuous":
                message = f"a {kind} joint needs <limit>; it is taken as unlimited"
                report.warning("no-limit", message, joint)
            return ()
        check_attributes(report, element, ("lower", "upper", "velocity", "effort"))
        velocity = float_of(report, element, "velocity", inf, joint)
        effort = float_of(report, element, "effort", inf, joint)
        lower, upper = float_of(report, element, "lower", 0.0, joint), float_of(report, element, "upper", 0.0, joint)
        if kind == "continuous":
            return (Limit(velocity=velocity, effort=effort),)
        for attribute in ("lower", "upper"):
            if attribute not in element.attributes:
                message = f"<limit> without {attribute}=… means {attribute}='0' (URDF's default)"
                report.warning("default-limit", message, element, owner=joint)
        return (Limit(lower, upper, velocity, effort),)

    def mimic(self, element: Element, joint: Element) -> Mimic:
        report = self.report
        check_attributes(report, element, ("joint", "multiplier", "offset"))
        return Mimic(
            name_of(report, element, "joint", joint),
            float_of(report, element, "multiplier", 1.0, joint),
            float_of(report, element, "offset", 0.0, joint),
        )

    def dynamics(self, element: Element | None, joint: Element) -> tuple[Dynamics, ...]:
        if element is None:
            return ()
        check_attributes(self.report, element, ("damping", "friction"))
        damping = float_of(self.report, element, "damping", 0.0, joint)
        return (Dynamics(damping, float_of(self.report, element, "friction", 0.0, joint)),)

    def safety(self, element: Element | None, joint: Element) -> Safety | None:
        if element is None:
            return None
        report = self.report
        return Safety(
            float_of(report, element, "k_velocity", owner=joint),
            float_of(report, element, "k_position", 0.0, joint),
            float_of(report, element, "soft_lower_limit", 0.0, joint),
            float_of(report, element, "soft_upper_limit", 0.0, joint),
        )

    def calibration(self, element: Element | None, joint: Element) -> Calibration | None:
        if element is None:
            return None
        check_attributes(self.report, element, ("rising", "falling"))
        rising, falling = (
            float_of(self.report, element, name, owner=joint) if name in element.attributes else None
            for name in ("rising", "falling")
        )
        return Calibration(rising, falling)

    # sensors and poses

    def sensor(self, element: Element, child_of: dict[str, str]) -> Sensor | None:
        """A sensor of the robot, in the form of iDynTree and of URDF's proposal: <parent link> or <parent joint>."""
        report = self.report
        once, others = single_children(report, element, ("parent", "origin"))
        parent = once.get("parent")
        joint = parent.get("joint") if parent else None
        link = parent.get("link") if parent else None
        if (joint is None) == (link is None):
            report.error("missing-element", "a sensor needs <parent link=…> or <parent joint=…>", element)
            return None
        rate = element.get("update_rate")
        return Sensor(
            name_of(report, element),
            element.get("type") or (others[0].tag if others else ""),
            link if link is not None else child_of.get(joint or "", ""),
            self.origin(once.get("origin"), element),
            joint,
            float_of(report, element, "update_rate", owner=element) if rate is not None else None,
            tuple(extension("urdf", e) for e in others),
            element.source,
        )

    def origin(self, element: Element | None, owner: Element) -> Array:
        """T (4, 4) of an <origin>."""
        if element is None:
            return se3.IDENTITY
        report = self.report
        check_attributes(report, element, ("xyz", "rpy", "quat_xyzw"))
        xyz = vector_of(report, element, "xyz", 3, ZERO, owner)
        if "quat_xyzw" not in element.attributes:
            return se3.pose_from_xyz_rpy(xyz, vector_of(report, element, "rpy", 3, ZERO, owner))
        if "rpy" in element.attributes:
            message = "<origin> has both rpy and quat_xyzw; legal is one of them"
            report.error("two-rotations", message, element, attribute="quat_xyzw", owner=owner)
        elif self.version == "1.0":
            message = "quat_xyzw belongs to URDF 1.1; it is used, but other readers of a 1.0 file drop it"
            report.warning("urdf-version", message, element, attribute="quat_xyzw", owner=owner)
        quat = vector_of(report, element, "quat_xyzw", 4, (0.0, 0.0, 0.0, 1.0), owner)
        if not sqrt(sum(c * c for c in quat)) > 1e-9:
            message = "quat_xyzw has length zero; legal is a quaternion x y z w of length one"
            report.error("zero-quaternion", message, element, attribute="quat_xyzw", owner=owner)
            return se3.IDENTITY
        return frozen(se3.homogeneous(se3.rotation_from_quaternion(quat), xyz))


X_AXIS = frozen(((1.0, 0.0, 0.0),))
JOINT_CHILDREN = (
    "parent",
    "child",
    "origin",
    "axis",
    "limit",
    "mimic",
    "dynamics",
    "safety_controller",
    "calibration",
)
SHAPES: dict[str, dict[str, int]] = {  # shape: attribute: how many numbers, or 0 for a text
    "box": {"size": 3},
    "cylinder": {"radius": 1, "length": 1},
    "sphere": {"radius": 1},
    "capsule": {"radius": 1, "length": 1},
    "mesh": {"filename": 0, "scale": 3},
}
