"""Rules about blocks of other tools: what stands where, and what is set or named once."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from kinetree.rules.quality import Quality, with_blocks
from kinetree.rules.rule import Element, Found, fact
from kinetree.rules.structure import BLOCK_TAGS, Block, Plugin

T = TypeVar("T")

_SETTINGS = (
    "mu mu1 mu2 fdir1 kp kd maxVel minDepth maxContacts material selfCollide self_collide gravity turnGravityOff "
    "dampingFactor laserRetro stopCfm stopErp cfmDamping fudgeFactor provideFeedback implicitSpringDamper "
    "springStiffness springReference initial_joint_position disableFixedJointLumping preserveFixedJoint"
)
SETTINGS = frozenset(_SETTINGS.split())
"""Elements of a <gazebo> block that a link or joint has once."""
TOPIC_TAGS = ("topicName", "topic_name", "imageTopicName", "bumperTopicName", "pointCloudTopicName", "remapping")
REMAPPED = ("remapping", "argument")
NAMESPACE_TAGS = ("robotNamespace", "namespace", "cameraName", "camera_name", "serviceName")
"""Elements of plug-ins that name a topic, and what stands before it."""


class OneTransmission(Quality):
    """Each transmission has a name of its own, and each joint one transmission.

    Of two transmissions of one name, or of one type for one joint, loaders take either, or refuse both.
    """

    code = "XML-005"
    clause = "a transmission describes the relation between an actuator and a joint"
    url = "http://wiki.ros.org/urdf/XML/Transmission"
    base = with_blocks(
        '  <transmission name="drive_1"><type>transmission_interface/SimpleTransmission</type>\n'
        '    <joint name="joint_1"/><actuator name="motor_1"/></transmission>\n'
        '  <transmission name="drive_2"><type>transmission_interface/SimpleTransmission</type>\n'
        '    <joint name="joint_2"/><actuator name="motor_2"/></transmission>'
    )
    good = """<transmission name="drive_2">"""
    bad = """<transmission name="drive_1">"""

    def check(self, blocks: tuple[Block, ...]) -> Found:
        """A name, or a joint, of an earlier transmission of the type; those in a ros2_control among themselves."""
        within = [element.find_all("transmission") for _, element in blocks if element.tag == "ros2_control"]
        for group in ([element for _, element in blocks if element.tag == "transmission"], *within):
            named = [element for element in group if element.get("name")]
            for first, later in repeated(named, lambda element: element.get("name")):
                yield self.finding(
                    f"the name is also that of the transmission{on_line(first, later)}; expected a name of its own",
                    later,
                )
            driven = [
                (joint.get("name"), _type(element), element) for element in group for joint in element.find_all("joint")
            ]
            for (name, _, first), (_, _, later) in repeated(driven, lambda row: row[:2]):
                if name and first is not later and first.get("name") != later.get("name"):
                    message = f"joint {name!r} already has a transmission, {first.get('name')!r}{on_line(first, later)}"
                    yield self.finding(message, later)


class SetOnce(Quality):
    """The gazebo elements of a link or joint set each property once.

    Which of two values is used depends on the order in which the simulator's converter comes across them.
    """

    code = "XML-006"
    clause = "an element contains the value of a property of the link or joint"
    url = "http://sdformat.org/tutorials?tut=sdformat_urdf_extensions"
    base = with_blocks(
        '  <gazebo reference="link_2"><mu1>0.9</mu1></gazebo>\n  <gazebo reference="link_3"><mu1>0.2</mu1></gazebo>'
    )
    good = """<gazebo reference="link_3"><mu1>0.2</mu1>"""
    bad = """<gazebo reference="link_2"><mu1>0.2</mu1>"""

    def check(self, blocks: tuple[Block, ...]) -> Found:
        """Another value of a property; the same value is a remark, once for a link or joint."""
        set_here: dict[tuple[str, str], Element] = {}
        remarked = set()
        for _, block in blocks:
            owner = block.get("reference") or ""
            for part in block.children if block.tag == "gazebo" else ():
                first = set_here.setdefault((owner, part.tag), part)
                if part.tag not in SETTINGS or part is first:
                    continue
                label = f"<gazebo reference={owner!r}>" if owner else "<gazebo>"
                if _written(part) != _written(first):
                    message = (
                        f"<{part.tag}> is {_written(part)!r} here and {_written(first)!r}{on_line(first, part)}; "
                        "set it once"
                    )
                    yield self.finding(message, label, source=part.source)
                elif owner not in remarked:
                    remarked.add(owner)
                    message = f"<{part.tag}> already has this value{on_line(first, part)}; set it once"
                    yield self.finding(message, label, source=part.source, severity="info")


class SensorNames(Quality):
    """The sensors of a link have different names.

    A simulator keeps one of two sensors of the same name on a link, or refuses the model.
    """

    code = "XML-007"
    clause = "a unique name for the sensor"
    url = "http://sdformat.org/spec?ver=1.11&elem=sensor"
    base = with_blocks(
        '  <gazebo reference="link_6"><sensor name="front" type="camera"/><sensor name="rear" type="camera"/></gazebo>'
    )
    good = """<sensor name="rear" """
    bad = """<sensor name="front" """

    def check(self, blocks: tuple[Block, ...]) -> Found:
        """The name of an earlier sensor of the link."""
        sensors = [
            (block.get("reference"), sensor)
            for _, block in blocks
            if block.tag == "gazebo" and block.get("reference")
            for sensor in block.find_all("sensor")
        ]
        for (link, first), (_, later) in repeated(sensors, lambda pair: (pair[0], pair[1].get("name"))):
            message = f"link {link!r} already has a sensor of this name{on_line(first, later)}; rename one"
            yield self.finding(message, later)


class BlockPlaces(Quality):
    """Blocks of Gazebo and of controllers are children of the robot.

    Programs look for them there, and leave them out elsewhere.
    """

    code = "XML-008"
    clause = "the gazebo element is an extension of the robot, whose reference names a link or joint"
    url = "http://sdformat.org/tutorials?tut=sdformat_urdf_extensions"
    base = with_blocks(
        '  <gazebo reference="link_2"><mu1>0.9</mu1></gazebo>\n  <gazebo reference="link_3"><mu1>0.2</mu1></gazebo>'
    )
    good = """</gazebo>\n  <gazebo reference="link_3"><mu1>0.2</mu1></gazebo>"""
    bad = """<gazebo reference="link_3"><mu1>0.2</mu1></gazebo></gazebo>"""

    def check(self, document: Element | None) -> Found:
        """A block in a link or joint, or a gazebo in a gazebo."""
        if document is None or not _has_inner_blocks(document):
            return
        for owner in document.children:
            wrong = BLOCK_TAGS if owner.tag in ("link", "joint") else ("gazebo",) if owner.tag == "gazebo" else ()
            for part in (part for part in owner.walk() if part is not owner and part.tag in wrong):
                message = f"<{part.tag}> is inside <{owner.tag}>, where programs ignore it; make it a child of <robot>"
                yield self.finding(message, owner, source=part.source)


class SensorTopics(Quality):
    """Each sensor and plug-in publishes to a topic of its own.

    A program that reads the topic gets the data of both, one after the other.
    """

    code = "XML-012"
    evidence = "heuristic"
    clause = "the topic to which the data are published"
    url = "https://github.com/ros-simulation/gazebo_ros_pkgs/wiki"
    base = with_blocks(
        '  <gazebo reference="link_5"><sensor name="a" type="imu"><topic>imu_5</topic></sensor></gazebo>\n'
        '  <gazebo reference="link_6"><sensor name="b" type="imu"><topic>imu_6</topic></sensor></gazebo>'
    )
    good = """<topic>imu_6</topic>"""
    bad = """<topic>imu_5</topic>"""

    def check(self, programs: tuple[Element, ...], sensors: tuple[Element, ...]) -> Found:
        """Equal topics of two sensors, or of two elements of a plug-in; equal topics, namespaces and names of two
        plug-ins of one file."""
        published: list[tuple[object, str, Element]] = [
            (topic.text.strip(), topic.text.strip(), sensor) for sensor in sensors for topic in sensor.find_all("topic")
        ]
        for plugin in programs:
            said = [(part.tag, part.text.strip()) for part in plugin.walk() if part.text.strip()]
            key = tuple((tag, text) for tag, text in said if tag in (*TOPIC_TAGS, *NAMESPACE_TAGS))
            if topics := [text for tag, text in said if tag in TOPIC_TAGS]:
                published.append(((plugin.get("filename") or "", *key), topics[0], plugin))
            for (_, first), (name, later) in repeated(_topics(plugin), lambda row: row[0]):
                if first.tag != later.tag or first.tag in REMAPPED:
                    message = f"topic {name!r} is also that of <{first.tag}>{on_line(first, later)}; "
                    yield self.finding(f"{message}expected a topic of its own", plugin, source=later.source)
        for (_, _, first), (_, topic, later) in repeated(published, lambda row: row[0]):
            message = f"topic {topic!r} is also that of {first.label}{on_line(first, later)}"
            if topic != "__default__":  # for which Gazebo makes a name
                yield self.finding(f"{message}; expected a topic of its own", later)


def _topics(plugin: Element) -> Iterator[tuple[str, Element]]:
    """Yield the topics of a plug-in, and those to which it remaps others."""
    for part in plugin.walk():
        text, word = part.text.strip(), part.tag.lower().replace("_", "")
        if part.tag in REMAPPED and ":=" in text:
            yield text.partition(":=")[2].strip(), part
        elif text and not part.children and word.endswith(("topic", "topicname")):
            yield text, part


@fact
def sensors(inside: tuple[Plugin, ...], sdf_document: Element | None) -> tuple[Element, ...]:
    """Return the sensors in the blocks of Gazebo of a URDF file, or in the model of an SDF file."""
    parts = sdf_document.walk() if sdf_document else (part for _, _, part in inside)
    return tuple(part for part in parts if part.tag == "sensor")


def repeated(things: Iterable[T], key: Callable[[T], object]) -> Iterator[tuple[T, T]]:
    """Yield each thing whose key an earlier one has, after that."""
    known: dict[object, T] = {}
    for thing in things:
        first = known.setdefault(key(thing), thing)
        if first is not thing:
            yield first, thing


def _has_inner_blocks(document: Element) -> bool:
    """Return whether there may be more blocks in a text than those at its top; to walk through all takes longer."""
    at_top = Counter(child.tag for child in document.children)
    return any(document.document.data.count(f"<{tag}".encode()) > at_top[tag] for tag in BLOCK_TAGS)


def _type(transmission: Element) -> str:
    found = transmission.find("type") or transmission.find("plugin")
    return found.text.strip() if found else transmission.get("type") or ""


def _written(element: Element) -> str:
    """Return the text of an element with single spaces; or its value."""
    return " ".join((element.text.strip() or element.get("value") or "").split())


def on_line(first: Element, later: Element) -> str:
    """Return " on line 12", with the file if it is another; " from the same line" if a macro has made both, and "" if
    the line is unknown."""
    line, file = first.source.line, first.source.file
    if line and first.source.place == later.source.place:
        return " from the same line"
    return (f" on line {line}" + (f" of {file}" if file != later.source.file else "")) if line else ""
