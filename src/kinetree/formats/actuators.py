"""Actuators that <transmission> and <ros2_control>, kept elements of URDF files, describe: at most one for each joint.

    <transmission name="drive"> <type>transmission_interface/SimpleTransmission</type>
      <joint name="elbow"><hardwareInterface>hardware_interface/PositionJointInterface</hardwareInterface></joint>
      <actuator name="motor"><mechanicalReduction>50</mechanicalReduction></actuator> </transmission>
    <ros2_control name="arm" type="system"> <joint name="elbow">
      <command_interface name="position"><param name="min">-1</param><param name="max">1</param></command_interface>
    </joint> </ros2_control>

http://wiki.ros.org/urdf/XML/Transmission, https://control.ros.org/rolling/doc/ros2_control/hardware_interface/doc/
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import inf, isfinite

from kinetree.errors import Source
from kinetree.model.actuator import Actuator, Kind, Range
from kinetree.model.assemble import driving
from kinetree.model.magnitudes import LARGEST
from kinetree.model.reshape import free_name
from kinetree.model.robot import Extension, Joint, Robot
from kinetree.syntax.numbers import format_number, number
from kinetree.syntax.xml.reader import Element, Report, parse
from kinetree.syntax.xml.writer import XmlWriter

BLOCKS = ("transmission", "ros2_control")
INTERFACES: Mapping[str, Kind] = {"position": "position", "velocity": "velocity", "effort": "motor"}
"""Command interfaces of ros2_control to kinds of actuators; of several the first is taken."""
HARDWARE: Mapping[str, Kind] = {
    **dict.fromkeys(("PositionJointInterface", "PosVelJointInterface", "PosVelAccJointInterface"), "position"),
    "VelocityJointInterface": "velocity",
    "EffortJointInterface": "motor",
}
"""Hardware interfaces of ROS 1 to kinds of actuators."""
REDUCTIONS = ("mechanicalReduction", "mechanical_reduction")
OF_TWO = ("Differential", "FourBar")
"""Words in the types of transmissions that couple joints, so that no joint has a reduction of its own."""


@dataclass
class _Drive:
    """Gather what blocks say of a joint: kinds of its commands, each with its range of the joint, and its reduction."""

    source: Source | None
    commands: dict[Kind, Range | None]
    reduction: float = 1.0


def block_actuators(extensions: Iterable[Extension], joints: Mapping[str, Joint]) -> list[Actuator]:
    """Return the actuators of joints in kept blocks of URDF, in their order, each named after its joint.

    A joint of several commands is driven by position before velocity before effort. A transmission without a hardware
    interface that is known drives nothing by itself; it gives the gear of a joint in ros2_control.
    """
    drives: dict[str, _Drive] = {}
    for source, element in _blocks(extensions):
        found = _of_ros2(source, element) if element.tag == "ros2_control" else _of_transmission(source, element)
        for name, drive in found:
            if (known := drives.get(name)) is None:
                drives[name] = drive
                continue
            known.commands = {**drive.commands, **known.commands}
            known.reduction = drive.reduction if known.reduction == 1.0 else known.reduction
    made = driving([_actuator(name, drive) for name, drive in drives.items() if drive.commands], joints)
    return [one for one in made if joints[one.joint].mimic is None]  # a follower is driven by its leader


def with_block_actuators(
    actuators: Collection[Actuator], extensions: Iterable[Extension], joints: Iterable[Joint]
) -> list[Actuator]:
    """Return actuators, and those of kept blocks of URDF for the joints that none of them drives."""
    driven, names = {one.joint for one in actuators}, {one.name for one in actuators}
    more = block_actuators(extensions, {joint.name: joint for joint in joints})
    return [*actuators, *(one for one in more if one.joint not in driven and one.name not in names)]


def _blocks(extensions: Iterable[Extension]) -> Iterator[tuple[Source | None, Element]]:
    kept = [one for one in extensions if one.format == "urdf" and any(f"<{tag}" in one.text for tag in BLOCKS)]
    whole = parse(f"<all>{''.join(one.text for one in kept)}</all>", "<text>", Report(), strict=True)
    roots: list[Element | None] = [*whole.children] if whole else []  # in one go, which takes half the time
    if [root.tag for root in roots if root] != [one.tag for one in kept]:
        roots = [parse(one.text, "<text>", Report()) for one in kept]
    for one, root in zip(kept, roots, strict=True):
        if root is not None and root.tag in (*BLOCKS, "gazebo"):
            yield from ((one.source, element) for element in _outermost(root))


def _outermost(element: Element) -> list[Element]:
    """Return the blocks in an element; a transmission inside ros2_control is read with it."""
    return [element] if element.tag in BLOCKS else [e for child in element.children for e in _outermost(child)]


def _of_transmission(source: Source | None, element: Element) -> Iterator[tuple[str, _Drive]]:
    reductions, old = _reductions(element), element.get("type") and element.find("type") is None
    by_default: tuple[Kind, ...] = ("motor",) if old else ()  # those of pr2_mechanism carry efforts
    for joint in element.find_all("joint"):
        parts = [e for part in (joint, *element.find_all("actuator")) for e in part.children]
        interfaces = [e.text.strip() for e in parts if e.tag in ("hardwareInterface", "hardware_interface")]
        kinds = [HARDWARE[name] for text in interfaces if (name := text.rpartition("/")[2]) in HARDWARE]
        commands: dict[Kind, Range | None] = dict.fromkeys(kinds or by_default)
        yield joint.get("name") or "", _Drive(source, commands, reductions.get(joint.get("name"), 1.0))


def _reductions(element: Element) -> dict[str | None, float]:
    """Return {joint: reduction} of a transmission of one joint, or of several that each have their own."""
    joints, types = element.find_all("joint"), [element.get("type") or "", *(e.text for e in element.children)]
    if any(word in text for word in OF_TWO for text in types):
        return {}
    places = (*element.find_all("actuator"), element) if len(joints) == 1 else ()
    found: dict[str | None, float] = {}
    for joint in joints:
        texts = (e.text for part in (joint, *places) for e in part.children if e.tag in REDUCTIONS)
        found[joint.get("name")] = next((x for text in texts if (x := number(text)) and is_gear(x)), 1.0)
    return found


def is_gear(value: float) -> bool:
    """Return whether a number is a gear or a reduction whose inverse and square can be computed."""
    return 1 / LARGEST <= abs(value) <= LARGEST


def _of_ros2(source: Source | None, element: Element) -> Iterator[tuple[str, _Drive]]:
    for joint in element.find_all("joint"):
        commands = {e.get("name") or "": e for e in joint.find_all("command_interface")}
        known = {INTERFACES[name]: _range(e) for name, e in commands.items() if name in INTERFACES}
        if known:
            yield joint.get("name") or "", _Drive(source, known)
    for transmission in element.find_all("transmission"):
        for name, value in _reductions(transmission).items():
            yield name or "", _Drive(source, {}, value)


def _range(command: Element) -> Range | None:
    """Return the range of a command, of the joint, or None without one."""
    said = {param.get("name"): number(param.text) for param in command.find_all("param")}
    lower, upper = (none if (end := said.get(name)) is None else end for name, none in (("min", -inf), ("max", inf)))
    return (lower, upper) if lower < upper and (lower, upper) != (-inf, inf) else None


def _actuator(name: str, drive: _Drive) -> Actuator:
    kind = next(kind for kind in INTERFACES.values() if kind in drive.commands)
    own, gear = drive.commands[kind], drive.reduction
    return Actuator(name, name, kind, gear, own and _scaled(own, kind, gear), source=drive.source)


def _scaled(range: Range, kind: Kind, gear: float) -> Range:
    """Return a range of a joint as that of its drive; by 1 / gear, the other way round."""
    lower, upper = sorted(end / gear if kind == "motor" else end * gear for end in range)
    return lower, upper


def actuator_block(robot: Robot) -> tuple[list[Extension], dict[str, str]]:
    """Return a <ros2_control> with the actuators that no kept block describes, or nothing, and the names that the
    actuators of blocks have in a file, {actuator: joint}.

    Of several actuators of a joint the first is in a block, or the one of the joint's name, and none of a follower, nor
    of a joint whose name an actuator keeps that is in none. The hardware is that of ros2_control's own tests, which
    follows commands.
    """
    first: dict[str, Actuator] = {}
    for one in robot.actuators.values():
        if robot.joints[one.joint].mimic is None and (one.joint not in first or one.name == one.joint):
            first[one.joint] = one
    while kept := first.keys() & (robot.actuators.keys() - {one.name for one in first.values()}):
        first = {joint: one for joint, one in first.items() if joint not in kept}
    known = {one.joint for one in block_actuators(robot.extensions, robot.joints)}
    made = [one for one in first.values() if one.joint not in known]
    name = free_name(f"{robot.name}_actuators", {block.get("name") or "" for _, block in _blocks(robot.extensions)})
    xml = XmlWriter()
    with xml.open("ros2_control", name=name, type="system"):
        with xml.open("hardware"):
            xml.leaf("plugin", "mock_components/GenericSystem")
        for one in made:
            _write(xml, one)
    text = "\n  ".join(xml.text().splitlines()[1:])
    return [Extension("urdf", "ros2_control", text)] if made else [], {one.name: one.joint for one in first.values()}


def _write(xml: XmlWriter, one: Actuator) -> None:
    with xml.open("joint", name=one.joint):
        ends = zip(("min", "max"), _scaled(one.control or (-inf, inf), one.kind, 1 / one.gear), strict=True)
        params = [f'<param name="{name}">{format_number(end)}</param>' for name, end in ends if isfinite(end)]
        interface = next(name for name, kind in INTERFACES.items() if kind == one.kind)
        xml.around("command_interface", params, name=interface)
        for name in ("position", "velocity"):
            xml.leaf("state_interface", name=name)
    if one.gear != 1:
        with xml.open("transmission", name=f"{one.joint}_transmission"):
            xml.leaf("plugin", "transmission_interface/SimpleTransmission")
            with xml.open("joint", name=one.joint, role="joint1"):
                xml.leaf("mechanical_reduction", format_number(one.gear))
            xml.leaf("actuator", name=f"{one.joint}_motor", role="actuator1")
