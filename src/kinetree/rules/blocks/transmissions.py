"""Rules about transmissions: their types, interfaces and reductions."""

from collections.abc import Iterable

from kinetree.rules.blocks.spelling import LETTERS, NEARLY, nearly, number_of
from kinetree.rules.quality import Quality, with_blocks
from kinetree.rules.rule import Element, Found, fact
from kinetree.rules.structure import Block

TRANSMISSIONS = "http://wiki.ros.org/urdf/XML/Transmission"
_ROS1 = ("Position", "Velocity", "Effort", "PosVel", "PosVelAcc")
HARDWARE_INTERFACES = ("JointStateInterface", "ActuatorStateInterface", *(f"{name}JointInterface" for name in _ROS1))
TRANSMISSION_TYPES = tuple(
    f"transmission_interface/{name}"
    for name in ("SimpleTransmission", "DifferentialTransmission", "FourBarLinkageTransmission")
)
KNOWN = {
    **dict.fromkeys(("hardwareInterface", "hardware_interface"), HARDWARE_INTERFACES),
    **dict.fromkeys(("type", "plugin"), TRANSMISSION_TYPES),
}
PARTS = ("type", "joint", "actuator")
TRANSMISSION = """\
  <transmission name="drive_1">
    <type>transmission_interface/SimpleTransmission</type>
    <joint name="joint_1"><hardwareInterface>hardware_interface/EffortJointInterface</hardwareInterface></joint>
    <actuator name="motor_1"><mechanicalReduction>101</mechanicalReduction></actuator>
  </transmission>"""


class HardwareInterfaces(Quality):
    """Transmissions have a type, a joint, an actuator and interfaces that their loaders know, and that agree.

    Loaders leave out any other transmission, and its joint cannot be controlled.
    """

    code = "CTL-009"
    thresholds = (NEARLY, LETTERS)
    evidence = "heuristic"
    clause = "the hardware interface of the joint, and the type of the transmission"
    url = TRANSMISSIONS
    base = with_blocks(TRANSMISSION)
    good = """EffortJointInterface"""
    bad = """EffortJoinInterface"""

    def check(self, transmissions: tuple[Element, ...], blocks: tuple[Block, ...]) -> Found:
        """A type or interface that differs from a known one by a letter or two; one of the actuator and another of
        the joint; none of the joint, once if no joint has one; no type, joint or actuator. Files with ros2_control need
        no interfaces. Transmissions that have their type as an attribute, as the PR2's, may have other parts."""
        usual = any(_interfaces(element.find_all("joint")) for element in transmissions)
        is_ros1 = not any(element.tag == "ros2_control" for _, element in blocks)
        for element in transmissions:
            parts = [*element.walk()]
            for part in (part for part in parts if part.tag in KNOWN):
                if near := nearly(part.text.strip().removeprefix("hardware_interface/"), KNOWN[part.tag]):
                    message = f"<{part.tag}> is {part.text.strip()!r}; did you mean {near!r}?"
                    yield self.finding(message, element, source=part.source)
            joint, actuator = _interfaces(element.find_all("joint")), _interfaces(element.find_all("actuator"))
            if joint and actuator and not joint & actuator:
                message = f"the joint has {', '.join(sorted(joint))}, the actuator {', '.join(sorted(actuator))}"
                yield self.finding(message, element)
            own = {part.tag for part in parts if part.get("name") or part.children or part.text.strip()}
            own |= {"type"} if "plugin" in own else set()
            is_old = "type" in element.attributes
            if lacks := [tag for tag in PARTS if tag not in own and not is_old]:
                yield self.finding(f"the transmission has no {' and no '.join(f'<{tag}>' for tag in lacks)}", element)
            is_wanted = not joint and (actuator or usual or is_ros1) and not is_old and element.find("plugin") is None
            for part in element.find_all("joint") if is_wanted else ():
                where = "stands in the <actuator>; put it into the <joint>" if actuator else "is missing"
                message = f"the <hardwareInterface> of joint {part.get('name')!r} {where}"
                yield self.finding(message, element, source=part.source)
                is_ros1 = False  # the first stands for all, if none has one


class Reductions(Quality):
    """The reduction of a transmission is a number other than zero.

    Positions are divided by it.
    """

    code = "CTL-010"
    level = "MUST"
    clause = "mechanicalReduction: the ratio between actuator and joint"
    url = TRANSMISSIONS
    base = with_blocks(TRANSMISSION)
    good = """>101<"""
    bad = """>0<"""

    def check(self, transmissions: tuple[Element, ...]) -> Found:
        """A reduction that is zero or no number."""
        for element in transmissions:
            for part in (one for one in element.walk() if one.tag in ("mechanicalReduction", "mechanical_reduction")):
                if not number_of(part.text):
                    message = f"<{part.tag}> is {part.text.strip()!r}; expected a number other than zero"
                    yield self.finding(message, element, source=part.source)


@fact
def transmissions(blocks: tuple[Block, ...]) -> tuple[Element, ...]:
    """Return the transmissions of a URDF file, those in components of ros2_control included."""
    alone = [element for _, element in blocks if element.tag == "transmission"]
    return (
        *alone,
        *(part for _, block in blocks if block.tag == "ros2_control" for part in block.find_all("transmission")),
    )


def _interfaces(parts: Iterable[Element]) -> set[str]:
    found = (child.text.strip() for part in parts for child in part.find_all("hardwareInterface"))
    return {text.removeprefix("hardware_interface/") for text in found if text}
