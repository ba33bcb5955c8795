"""Rules about the texts of MJCF files: units, ranges and numbers that MuJoCo reads without a word."""

from collections.abc import Iterator, Sequence
from math import pi
from typing import ClassVar, Literal

from kinetree.confine import Confinement
from kinetree.display import numbers
from kinetree.errors import Finding
from kinetree.files.opener import Files
from kinetree.model.robot import Robot
from kinetree.repairs.fixes import EXACT, FRACTIONS, exact
from kinetree.rules.facts import fact
from kinetree.rules.joints.values import FOLLOWS, TURN, value_fault
from kinetree.rules.rule import Rule
from kinetree.rules.threshold import Threshold
from kinetree.syntax.numbers import numbers as numbers_in
from kinetree.syntax.xml.reader import DerivedText, Element, Report, parse

URL = "https://mujoco.readthedocs.io/en/stable/XMLreference.html"
EXAMPLE = (
    '<mujoco><worldbody><body name="arm" euler="0 90 0"><joint name="j" range="-90 90"/><geom size="0.1"/></body>'
    '</worldbody><actuator><motor joint="j" ctrlrange="-1 1"/></actuator>'
    '<keyframe><key name="home" qpos="0.5"/></keyframe></mujoco>'
)
ORDERED = ("ctrlrange", "forcerange", "actrange", "lengthrange", "actuatorfrcrange", "range")
OF_ACTUATORS = ("actuator", "tendon", "default", "worldbody")
"""Sections whose elements have ranges."""
POSITIVE = ("timestep", "impratio")
NOT_NEGATIVE = {
    "option": ("density", "viscosity", "tolerance", "iterations"),
    "geom": ("friction", "mass", "density"),
    **dict.fromkeys(("spatial", "fixed", "tendon"), ("damping", "stiffness", "frictionloss")),
    **dict.fromkeys(("position", "intvelocity"), ("kp", "kv")),
    **dict.fromkeys(("velocity", "damper"), ("kv",)),
    "cylinder": ("timeconst", "area", "diameter"),
    "muscle": ("scale", "lmin", "lmax", "vmax", "fpmax", "fvmax"),
}
"""Tags to attributes whose numbers are 0 or more."""


SETTLED = Threshold(0.02, "", "largest excess over a range, as a part of it, where a limit gives way to a load")


@fact
def mjcf_document(robot: Robot, confined: Confinement | Literal[False]) -> Element | None:
    """Return the root element of the MJCF file from which the robot was read, with the files that it includes."""
    if robot.text is None or robot.text.format != "mjcf" or robot.source is None:
        return None
    from kinetree.formats.mjcf.include import expand  # of few files

    report = Report()
    root = parse(DerivedText(robot.text.text, robot.text.origins), robot.source.file, report)
    if root is not None:
        expand(report, root, Files({}, confined or None))
    return root


class MjcfRule(Rule):
    """A rule about an MJCF file."""

    base: ClassVar[str | None] = EXAMPLE
    base_format: ClassVar[str] = "mjcf"
    url: ClassVar[str] = URL


class AngleUnits(MjcfRule):
    """Angles are in the unit of the compiler.

    MuJoCo reads degrees unless the file has <compiler angle="radian"/>: 1.57 is then not a quarter of a turn.
    """

    code = "MJC-001"
    evidence = "heuristic"
    clause = "angle: radian or degree; the default is degree"
    good = 'euler="0 90 0"'
    bad = 'euler="0 1.57 0"'

    def check(self, mjcf_document: Element) -> Iterator[Finding]:
        """A rounded fraction of π in a file in degrees, of euler, axisangle, and the range and ref of a hinge; one
        finding for each kind of attribute. An axisangle of more than a turn in a file in radians."""
        degree, seen = in_degrees(mjcf_document), set()
        for element in mjcf_document.walk():
            for name, texts in _angles(element):
                turns = not degree and name == "axisangle" and any(abs(value) > 2 * pi + 1e-3 for value in _read(texts))
                if not turns and not (degree and any(map(_is_fraction, texts))):
                    continue
                unit = "a whole turn; is it in degrees?" if turns else "a fraction of π; is it in radians?"
                if (name, element.tag) not in seen:
                    seen.add((name, element.tag))
                    message = f"{name} {' '.join(texts)} is {'more than ' if turns else ''}{unit}"
                    fix = None if turns else '<compiler angle="radian"/>, or write degrees'
                    yield self.finding(message, element.label, source=element.place(name), fix=fix)


class OrderedRanges(MjcfRule):
    """The first number of a range is below the second.

    MuJoCo ignores such a range without a word, or refuses it where the element says that it is limited.
    """

    code = "MJC-002"
    clause = "ctrlrange, forcerange, actrange, lengthrange: two numbers, the lower one first"
    good = 'ctrlrange="-1 1"'
    bad = 'ctrlrange="1 -1"'

    def check(self, mjcf_document: Element) -> Iterator[Finding]:
        """Two numbers in the other order, of actuators, tendons and classes of both; the reader reports those of
        joints. Equal ones mean none."""
        for section in mjcf_document.children:
            for element in section.walk() if section.tag in OF_ACTUATORS else ():
                for name in ORDERED:
                    span = _read((element.get(name) or "").split())
                    ours = element.tag != "joint" or section.tag == "default"
                    if ours and len(span) == 2 and span[0] > span[1]:
                        low, high = numbers(span)
                        message = f"the {name} is {low} to {high}; expected the lower number first"
                        yield self.finding(message, element.label, source=element.place(name))


class NotNegative(MjcfRule):
    """Gains, damping, friction and steps of time are not negative.

    MuJoCo reads them, and the simulation gains energy until it fails.
    """

    code = "MJC-003"
    clause = "kp, kv, damping, stiffness, frictionloss, friction, timestep"
    good = '<motor joint="j"'
    bad = '<position kp="-10" joint="j"'

    def check(self, mjcf_document: Element) -> Iterator[Finding]:
        """A negative number, or a timestep of 0; those of joints are JNT-004's."""
        for element in mjcf_document.walk():
            names = (*NOT_NEGATIVE.get(element.tag, ()), *(POSITIVE if element.tag == "option" else ()))
            for name in names if element.attributes else ():
                values = _read((element.get(name) or "").split())
                if values and (min(values) < 0 or (name in POSITIVE and min(values) == 0)):
                    expected = "more than 0" if name in POSITIVE else "0 or more"
                    message = f"{name} is {element.attributes[name]!r}; expected {expected}"
                    yield self.finding(message, element.label, source=element.place(name))


class Keyframes(MjcfRule):
    """The joints of a keyframe are within their ranges, and where their equality puts them.

    The simulation starts with a blow: the constraint of the limit or equality throws the joint back.
    """

    code = "MJC-004"
    thresholds = (SETTLED, TURN, FOLLOWS)
    clause = "qpos: values of all joints, in radians and metres"
    good = 'qpos="0.5"'
    bad = 'qpos="30"'

    def check(self, robot: Robot) -> Iterator[Finding]:
        """A value of a joint of one coordinate outside of its range, or of a follower away from that of its leader;
        one finding for each keyframe."""
        from kinetree.formats.mjcf.order import take_order  # of few files

        for extension in robot.extensions:
            root = parse(extension.text, "", Report()) if extension.tag == "keyframe" else None
            order = take_order(root) if root is not None else {}
            for key in root.children if root is not None else ():
                at, values, given = 0, {}, _read((key.get("qpos") or "").split())
                for name, (count, _) in order.items():
                    values |= {name: given[at]} if count == 1 and at < len(given) else {}
                    at += count
                faults = (value_fault(robot, name, values, SETTLED) for name in values)
                if fault := next(filter(None, faults), ""):
                    label = f"key {key.get('name') or ''!r}"
                    yield self.finding(fault, label, source=extension.source)


def in_degrees(root: Element) -> bool:
    """Return whether the angles of an MJCF file are in degrees."""
    said = [angle for compiler in root.find_all("compiler") if (angle := compiler.get("angle"))]
    return not said or said[-1] == "degree"


def _angles(element: Element) -> Iterator[tuple[str, list[str]]]:
    """Yield the attributes of an element that are angles, with the texts of their numbers."""
    if "euler" in element.attributes:
        yield "euler", element.attributes["euler"].split()
    if "axisangle" in element.attributes:
        yield "axisangle", element.attributes["axisangle"].split()[3:]
    if element.tag == "joint" and element.get("type", "hinge") == "hinge":
        for name in ("range", "ref"):
            if name in element.attributes:
                yield name, element.attributes[name].split()


def _is_fraction(text: str) -> bool:
    """Return whether a number is a fraction of π, exact or rounded."""
    value, decimals = (_read([text]) or (0.0,))[0], len(text.partition(".")[2])
    near = min(abs(value * n / pi - round(value * n / pi)) * pi / n for n in FRACTIONS)
    return exact(text) is not None or (decimals > 3 and 0.1 < abs(value) <= 2 * pi + EXACT and near <= EXACT)


def _read(texts: Sequence[str]) -> Sequence[float]:
    return numbers_in(" ".join(texts)) or ()
