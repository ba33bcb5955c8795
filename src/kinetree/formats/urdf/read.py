"""URDF text to a robot."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial

from kinetree.formats import fields
from kinetree.formats.coupled import coupled_limit
from kinetree.formats.defaults import DEFAULTS
from kinetree.formats.finish import finish, without_doubts
from kinetree.formats.force_torque import TAG, read_force_torque
from kinetree.formats.gazebo import springs_of, surfaces_of
from kinetree.formats.losses.parts import cutter
from kinetree.formats.urdf.context import CARRIED, COUPLED, Context, keep_others, read_origin
from kinetree.formats.urdf.joints import read_joint
from kinetree.formats.urdf.links import check_references, read_link, read_material
from kinetree.formats.urdf.loops import read_loops
from kinetree.formats.urdf.materials import settle_materials
from kinetree.model.assemble import Parts, Reading
from kinetree.model.loops import take_loops
from kinetree.model.robot import Dynamics, Joint, Robot, Sensor, Text
from kinetree.syntax.xml.reader import DerivedText, Element, Report, parse, remember

NAME = "robot"
"""Name of a robot without one, which no frame depends on."""
VERSIONS = ("1.0", "1.1", "1.2")
FOREIGN = ("gazebo", "transmission", "ros2_control")  # elements of other tools that URDF files contain by custom


def read_certain(
    text: bytes | str | DerivedText, file: str, *, foreign: bool = False, without: Collection[str] = ()
) -> Reading:
    """Return the robot in a URDF text, after errors with doubts, or None, and all findings. Never raises on content.

    foreign: whether instructions of xacro are left out, with warnings, as urdfdom does; otherwise they are errors.
    without: parts that are not read.
    """
    report = Report(cutter("urdf", without))
    root = parse(text, file, report)
    if root is None:
        return None, report.findings
    if report.cut is None:
        remember(root)
    if root.tag != "robot":
        report.error("not-urdf", f"the root element is <{root.tag}>; expected <robot>", root)
        return None, report.findings
    context = Context(report, root.attributes.get("version", "").strip() or DEFAULTS["urdf"].version, foreign)
    return _read_robot(context, root, "loop" in without), report.findings


read = without_doubts(read_certain)


def _read_robot(context: Context, root: Element, opened: bool) -> Robot | None:
    """Return the robot. opened: whether joints that close a loop are taken out of the tree; else they are errors."""
    report = context.report
    if not root.attributes.get("version", "1.0").strip():
        message = "the version is empty; urdfdom, and so ROS, refuses the file; it is read as 1.0"
        report.warning("urdf-version", message, root, attribute="version", fix='write version="1.0"')
    fields.choice_of(report, root, "version", context.version, VERSIONS, "urdf-version")
    fields.check_outer(report, root, {"name", "version"})
    parts = Parts(_name(report, root), source=root.source)
    parts.text = Text("urdf", root.document.data.decode(), root.document.origins)
    parts.header = fields.header_of(root, "version")
    parts.links = fields.read_each(root.find_all("link"), partial(read_link, context))
    parts.joints = fields.read_each(root.find_all("joint"), partial(read_joint, context))
    if opened:
        tried = replace(parts, loops=[])
        _, turned = take_loops(tried, lambda link: False)
        parts = parts if turned else tried  # URDF has one root: joints between two trees stay errors
    blocks = root.find_all("gazebo")
    loops, own = read_loops(report, blocks, parts.joints)
    parts.loops += loops
    surfaces, springs = surfaces_of(blocks), springs_of(blocks)
    parts.joints = [_with_spring(joint, springs.get(joint.name)) for joint in parts.joints]
    for i, link in enumerate(parts.links):
        if surface := surfaces.get(link.name):
            parts.links[i] = replace(link, collisions=tuple(replace(one, surface=surface) for one in link.collisions))
    left = parts.extensions
    looks = root.find_all("material")
    parts.materials = fields.optional_each(report, "urdf", looks, None, partial(read_material, context), left)
    sensor = partial(_read_sensor, context, {joint.name: joint.child for joint in parts.joints})
    parts.sensors = fields.optional_each(report, "urdf", root.find_all("sensor"), None, sensor, left)
    for child in root.children:
        if child.tag in FOREIGN and child not in own:
            parts.extensions.append(fields.extension("urdf", child))
        elif child.tag not in (*FOREIGN, "link", "joint", "material", "sensor", COUPLED, CARRIED):
            parts.extensions += keep_others(context, [child])
    parts.coupled_limits = fields.read_each(root.find_all(COUPLED), partial(coupled_limit, report))
    settle_materials(report, parts, root.document)
    check_references(context, parts)
    records = root.find_all(CARRIED)
    for record in records:
        fields.check_text(report, record, ("of", "name"))
    carried = [(e, e.get("of") or "", e.get("name") or "", e.text, "") for e in records]
    return finish(report, parts, root, "urdf", carried)


def _with_spring(joint: Joint, spring: Mapping[str, float] | None) -> Joint:
    row = joint.dynamics[0] if joint.dynamics else Dynamics()
    return replace(joint, dynamics=(replace(row, **spring),)) if spring and joint.kind.single else joint


def _name(report: Report, root: Element) -> str:
    """Return the name of the robot, or NAME with a warning if it has none."""
    name = root.get("name") or ""
    if not name.strip():
        message = (
            "<robot> needs name=…, which is missing or empty; urdfdom, and so ROS, refuses the file; "
            f"it is called {NAME!r} here"
        )
        report.warning("no-name", message, root)
        return NAME
    return "" if fields.is_left_over(report, root, name, "name=", attribute="name") else name


def _read_sensor(context: Context, child_of: dict[str, str], element: Element) -> Sensor | None:
    """Return a sensor, in the form of iDynTree and of URDF's proposal: <parent link> or <parent joint>."""
    report = context.report
    known = ("name", "type", "update_rate")
    once, others = fields.single_children(report, element, {"parent", "origin", TAG}, attributes=known)
    parent = once.get("parent")
    if parent:
        fields.check_leaf(report, parent, {"link", "joint"})
    joint = parent.get("joint") if parent else None
    link = parent.get("link") if parent else None
    if (joint is None) == (link is None):
        report.error("missing-element", "a sensor needs <parent link=…> or <parent joint=…>", element)
        return None
    rate = element.get("update_rate")
    said, rest = read_force_torque(report, "urdf", once[TAG], element, "frame") if TAG in once else (None, [])
    of_type = [child.tag for child in element.children if child.tag not in ("parent", "origin")]
    return Sensor(
        fields.name_of(report, element),
        element.get("type") or (of_type[0] if of_type else ""),
        link if link is not None else child_of.get(joint or "", ""),
        read_origin(context, once.get("origin"), element),
        joint,
        fields.float_of(report, element, "update_rate", owner=element) if rate is not None else None,
        said,
        (*rest, *(fields.extension("urdf", e) for e in others)),
        element.source,
    )
