"""Rules about the tree, and about the blocks of other tools in a file that name its parts."""

import re
from collections.abc import Iterable, Iterator, Sequence

from kinetree.errors import Source, nearest_names
from kinetree.model.references import REFERENCES, TEXT
from kinetree.rules.quality import Quality, with_blocks
from kinetree.rules.rule import Found, Robot, Rule, Threshold, fact, number
from kinetree.syntax.xml.reader import Element, Report, parse

BLOCKS = """\
  <gazebo reference="link_2"><mu1>0.5</mu1></gazebo>
  <gazebo><plugin filename="joints.so" name="joints"><joint_name>joint_4</joint_name></plugin></gazebo>
  <transmission name="drive_1">
    <type>transmission_interface/SimpleTransmission</type>
    <joint name="joint_1"/>
    <actuator name="motor_1"/>
  </transmission>
  <ros2_control name="arm" type="system">
    <joint name="joint_3"><command_interface name="position"/></joint>
  </ros2_control>"""
"""Blocks of other tools in the arm of the examples."""

BLOCK_TAGS = ("gazebo", "transmission", "ros2_control")
GAZEBO = "<gazebo>"

Block = tuple[Source | None, Element]
"""A block of another tool, and its place."""
Plugin = tuple[str, Source | None, Element]
"""Name in messages of a block with plug-ins of Gazebo, its place, and the block."""


VIRTUAL = Threshold(0.01, "kg", "smallest mass of a body; a smaller one without moments of inertia can be removed")


class RootInertia(Quality):
    """The root link has no mass.

    KDL, which many controllers use, ignores the inertia of the root link. It keeps the inertia if an empty root link
    carries the first body by a fixed joint.
    """

    code = "TRE-001"
    thresholds = (VIRTUAL,)
    of_robot = True
    level = "MAY"
    clause = "KDL does not support a root link with an inertia"
    url = "https://github.com/ros/kdl_parser"
    good = """<link name="base_link">"""
    bad = (
        """<link name="base_link"><inertial><mass value="9"/>"""
        """<inertia ixx="0.2" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.3"/></inertial>"""
    )

    def check(self, robot: Robot) -> Found:
        """An inertial with a mass of the root of a URDF model; other formats let their roots move."""
        root = robot.links[robot.root]
        if root.inertial and root.inertial.mass and robot.text and robot.text.format == "urdf":
            message = f"the root link has a mass of {number(root.inertial.mass)} kg, which KDL ignores"
            fix = "add a root link without mass, and a fixed joint from it to this link"
            if root.inertial.mass < VIRTUAL and not root.inertial.inertia.any():
                fix = "remove its <inertial>"
            yield self.finding(message, root, fix=fix)


class BlockRule(Quality):
    """A rule about blocks of other tools."""

    base = with_blocks(BLOCKS)


class GazeboReference(BlockRule):
    """The reference of a <gazebo> element is a link or a joint of the robot.

    Otherwise Gazebo ignores the friction, colours and sensors in the element, without a message.
    """

    code = "XML-001"
    clause = "reference names the link or joint that the settings are for"
    url = "http://sdformat.org/tutorials?tut=sdformat_urdf_extensions"
    good = """<gazebo reference="link_2">"""
    bad = """<gazebo reference="link_7">"""

    def check(self, robot: Robot, blocks: tuple[Block, ...], inside: tuple[Plugin, ...]) -> Found:
        """A name that no link and no joint has. A name that a text of xacro makes in a branch that was not taken is
        right."""
        own = {*robot.links, *robot.joints}
        texts = robot.text.files.values() if robot.text else ()
        gazebo = [(source, element) for source, element in blocks if element.tag == "gazebo"]
        made = {one.get("name") or "" for label, _, one in inside if label == GAZEBO and one.tag in ("link", "joint")}
        named = [
            (f"the reference {name!r} is neither a link nor a joint", name, GAZEBO, source)
            for source, element in gazebo
            if (name := element.get("reference"))
        ]
        for _, name, about, source in named:
            if name in made and name not in own:
                message = f"{name!r} is made inside of <gazebo>, where settings by reference do not reach it"
                yield self.finding(message, about, source=source, fix="write the settings where it is made")
        missing = [one for one in named if one[1] not in own and not _is_optional(one[1], texts)]
        yield from _unknown(self, missing, [*robot.links, *robot.joints, *made])


class TransmissionJoint(BlockRule):
    """The joint of a transmission is a joint of the robot.

    Controllers find their joints through transmissions; they do not find this one.
    """

    code = "XML-002"
    level = "MUST"
    clause = "the name of the joint the transmission is connected to"
    url = "http://wiki.ros.org/urdf/XML/Transmission"
    good = """<joint name="joint_1"/>"""
    bad = """<joint name="joint_01"/>"""

    def check(self, robot: Robot, blocks: tuple[Block, ...]) -> Found:
        """A name that no joint has; not of transmissions inside of ros2_control."""
        yield from _unknown_joints(self, "transmission", robot, blocks)


class ControlJoint(BlockRule):
    """The joints of ros2_control are joints of the robot.

    The controller manager refuses the description otherwise.
    """

    code = "XML-003"
    level = "MUST"
    clause = "joints of the hardware are joints of the URDF"
    url = "https://control.ros.org/rolling/doc/ros2_control/hardware_interface/doc/hardware_components_userdoc.html"
    good = """<joint name="joint_3"><command"""
    bad = """<joint name="elbow"><command"""

    def check(self, robot: Robot, blocks: tuple[Block, ...]) -> Found:
        """A name that no joint has, of joints, of their transmissions, and of what they mimic."""
        yield from _unknown_joints(self, "ros2_control", robot, blocks)


FORCE_SENSOR = re.compile(r"_ft_sensor|force_?torque", re.IGNORECASE)
PRESERVED = ("preserveFixedJoint", "disableFixedJointLumping")


class PluginJoint(BlockRule):
    """The joints that plug-ins of Gazebo name are joints of the robot.

    A plug-in that does not find its joint stops, or does nothing.
    """

    code = "XML-004"
    evidence = "heuristic"
    clause = "a plug-in's joint is one of the model"
    url = "http://sdformat.org/tutorials?tut=sdformat_urdf_extensions"
    good = """<joint_name>joint_4</joint_name>"""
    bad = """<joint_name>joint_d</joint_name>"""

    def check(self, robot: Robot, plugins: tuple[Plugin, ...], inside: tuple[Plugin, ...]) -> Found:
        """A name that no joint and no loop has, without names of models before ::, as SDF may have them. A force
        sensor at a fixed joint of a URDF, which nothing preserves: Gazebo merges the links of such joints."""
        yield from self._merged(robot, plugins, inside)
        known = {_last(name) for name in (*robot.joints, *robot.loops)}
        named = [
            (f"the joint {name!r} in <{part.tag}> does not exist", name, label, source)
            for label, source, part in inside
            if REFERENCES["gazebo"].get((part.tag, TEXT)) == "joint"
            for name in part.text.split()
            if _last(name) not in known
        ]
        yield from _unknown(self, named, list(robot.joints))

    def _merged(self, robot: Robot, plugins: tuple[Plugin, ...], inside: tuple[Plugin, ...]) -> Found:
        blocks = [element for label, _, element in plugins if label == GAZEBO]
        kept = {block.get("reference") for block in blocks if any(part.tag in PRESERVED for part in block.children)}
        for part in (part for label, _, part in inside if label == GAZEBO and part.tag == "plugin"):
            for name in (one for one in part.children if FORCE_SENSOR.search(part.get("filename") or "")):
                joint = robot.joints.get(name.text.strip()) if REFERENCES["gazebo"].get((name.tag, TEXT)) else None
                if joint and joint.type == "fixed" and joint.name not in kept:
                    message = f"the joint {joint.name!r} is fixed, and Gazebo removes it; set preserveFixedJoint for it"
                    yield self.finding(message, part, source=name.source)


@fact
def blocks(robot: Robot, document: Element | None) -> tuple[Block, ...]:
    """Return the blocks of Gazebo and of controllers in a URDF file."""
    if document is not None:
        return tuple((element.source, element) for element in document.children if element.tag in BLOCK_TAGS)
    kept = [extension for extension in robot.extensions if extension.tag in BLOCK_TAGS]
    parsed = [(extension.source, parse(extension.text, "<block>", Report())) for extension in kept]
    return tuple((source, element) for source, element in parsed if element is not None)


@fact
def plugins(blocks: tuple[Block, ...], sdf_document: Element | None) -> tuple[Plugin, ...]:
    """Return the blocks of Gazebo in a URDF file, and the plug-ins in the models of an SDF file."""
    found = [(GAZEBO, source, element) for source, element in blocks if element.tag == "gazebo"]
    tops = (sdf_document, *sdf_document.find_all("world")) if sdf_document else ()
    parts = (part for top in tops for model in top.find_all("model") for part in model.walk())
    return (*found, *((part.label, part.source, part) for part in parts if part.tag == "plugin"))


@fact
def inside(plugins: tuple[Plugin, ...]) -> tuple[Plugin, ...]:
    """Return the elements of the blocks in `plugins`, each with the name and the place of its block."""
    return tuple((label, source, part) for label, source, block in plugins for part in block.walk())


@fact
def programs(inside: tuple[Plugin, ...]) -> tuple[Element, ...]:
    """Return the plug-ins in the blocks of Gazebo, or of the models of an SDF file."""
    return tuple(part for _, _, part in inside if part.tag == "plugin")


def _last(name: str) -> str:
    """Return a name without those of its models."""
    return name.rpartition("::")[2]


def _joints_in(block: Element) -> Iterator[str]:
    """Yield the names of joints in a block, by its dialect."""
    rows = REFERENCES[block.tag]
    for element in (part for child in block.children for part in child.walk()):
        if rows.get((element.tag, "name")) == "joint":
            yield element.get("name") or ""
        if element.tag == "param" and rows.get((element.get("name") or "", TEXT)) == "joint":
            yield element.text.strip()


def _unknown_joints(rule: Rule, tag: str, robot: Robot, blocks: tuple[Block, ...]) -> Found:
    named = [
        (f"the joint {name!r} does not exist", name, element.label, source)
        for source, element in blocks
        if element.tag == tag
        for name in _joints_in(element)
    ]
    yield from _unknown(rule, named, list(robot.joints))


def _is_optional(name: str, texts: Iterable[str]) -> bool:
    """Return whether texts of xacro define an unknown link or joint, in a branch that was not taken."""
    pattern = rf"""<(?:link|joint)\s[^>]*name\s*=\s*["']{re.escape(name)}["']"""
    return any(re.search(pattern, text) for text in texts if name in text)


def _unknown(rule: Rule, named: Sequence[tuple[str, str, str, Source | None]], known: Sequence[str]) -> Found:
    """Yield a finding for each (message, name, element, place) with an unknown name. Only the first lists similar
    names, because that search is slow."""
    names = frozenset(known)
    unknown = [entry for entry in named if entry[1] not in names]
    for i, (message, name, element, source) in enumerate(unknown):
        near = f"; {nearest_names(name, known)}" if i == 0 else ""
        yield rule.finding(message + near, element, source=source)
