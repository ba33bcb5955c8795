"""Rules about the texts of MJCF files: units, ranges and numbers that MuJoCo reads without a word."""

from collections.abc import Iterator, Sequence
from math import pi
from typing import ClassVar, Literal

from kinetree.confine import Confinement
from kinetree.errors import Finding
from kinetree.files.opener import Files
from kinetree.model.robot import Robot
from kinetree.repairs.fixes import EXACT, FRACTIONS, exact
from kinetree.rules.facts import fact
from kinetree.rules.joints.values import FOLLOWS, TURN, value_fault
from kinetree.rules.rule import Rule
from kinetree.rules.threshold import Threshold
from kinetree.syntax.numbers import numbers
from kinetree.syntax.xml.reader import DerivedText, Element, Report, parse

RANGES = ("ctrlrange", "forcerange", "actrange", "lengthrange", "actuatorfrcrange", "range")
PULL = ("damping", "stiffness", "frictionloss")
NOT_NEGATIVE = {
    "option": ("timestep", "impratio", "density", "viscosity", "tolerance", "iterations"),
    "geom": ("friction", "mass", "density"),
    **dict.fromkeys(("spatial", "fixed", "tendon"), PULL),
    **dict.fromkeys(("position", "velocity", "intvelocity", "damper"), ("kp", "kv")),
    "cylinder": ("timeconst", "area", "diameter"),
}
"""Tags to attributes whose numbers are 0 or more."""
SETTLED = Threshold(0.02, "", "largest excess over a range, as a part of it, where a limit gives way to a load")


class MjcfRule(Rule):
    """A rule about an MJCF file."""

    base: ClassVar[str | None] = (
        '<mujoco><worldbody><body name="arm" euler="0 90 0"><joint name="j" range="-90 90"/><geom size="0.1"/></body>'
        '</worldbody><actuator><motor joint="j" ctrlrange="-1 1"/></actuator>'
        '<keyframe><key name="home" qpos="0.5"/></keyframe></mujoco>'
    )
    base_format: ClassVar[str] = "mjcf"
    url: ClassVar[str] = "https://mujoco.readthedocs.io/en/stable/XMLreference.html"


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
        """A fraction of π, exact or rounded, of euler, axisangle, and the range and ref of a hinge in a file in
        degrees; one finding for each kind of element and attribute."""
        seen = set()
        for element in mjcf_document.walk() if in_degrees(mjcf_document) else ():
            names = ("range", "ref") if element.tag == "joint" and element.get("type", "hinge") == "hinge" else ()
            for name in ("euler", "axisangle", *names):
                texts = (element.get(name) or "").split()[3 if name == "axisangle" else 0 :]
                if any(map(_is_fraction, texts)) and (element.tag, name) not in seen:
                    seen.add((element.tag, name))
                    message = f"{name} is {' '.join(texts)}° here, a fraction of π; is it in radians?"
                    fix = '<compiler angle="radian"/>, or write degrees'
                    yield self.finding(message, element.label, source=element.place(name), fix=fix)


class SilentNumbers(MjcfRule):
    """Ranges have the lower number first; gains, damping, friction and the timestep are not negative.

    MuJoCo ignores such a range, and simulates with such a gain, without a word.
    """

    code = "MJC-002"
    clause = "ctrlrange, forcerange: two numbers; kp, kv, damping, timestep"
    good = 'ctrlrange="-1 1"'
    bad = 'ctrlrange="1 -1"'

    def check(self, mjcf_document: Element) -> Iterator[Finding]:
        """A range in the other order, or a negative number, of actuators, tendons, geoms, options and their classes.
        The reader and JNT-004 report those of joints."""
        classes = {part for section in mjcf_document.find_all("default") for part in section.walk()}
        for element in mjcf_document.walk():
            for name in RANGES if element.tag != "joint" or element in classes else ():
                span = _numbers(element, name)
                if len(span) == 2 and span[0] > span[1]:
                    message = f"{name} is {element.attributes[name]!r}; expected the lower number first"
                    yield self.finding(message, element.label, source=element.place(name))
            for name in NOT_NEGATIVE.get(element.tag, ()):
                if min(_numbers(element, name), default=0) < 0:
                    message = f"{name} is {element.attributes[name]!r}; expected 0 or more"
                    yield self.finding(message, element.label, source=element.place(name))


class Keyframes(MjcfRule):
    """The joints of a keyframe are within their ranges, and where their equality puts them.

    A simulation from there starts with a blow.
    """

    code = "MJC-003"
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
                given = [*_numbers(key, "qpos")]
                own = {name: [given.pop(0) for _ in range(min(n, len(given)))] for name, (n, _) in order.items()}
                values = {name: some[0] for name, some in own.items() if order[name][0] == len(some) == 1}
                faults = (value_fault(robot, name, values, SETTLED) for name in values)
                if fault := next(filter(None, faults), ""):
                    yield self.finding(fault, f"key {key.get('name') or ''!r}", source=extension.source)


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


def in_degrees(root: Element) -> bool:
    """Return whether the angles of an MJCF file are in degrees."""
    said = [angle for compiler in root.find_all("compiler") if (angle := compiler.get("angle"))]
    return not said or said[-1] == "degree"


def _is_fraction(text: str) -> bool:
    """Return whether a number is a fraction of π, exact or rounded."""
    value, decimals = (numbers(text) or (0.0,))[0], len(text.partition(".")[2])
    near = min(abs(value * n / pi - round(value * n / pi)) * pi / n for n in FRACTIONS)
    return exact(text) is not None or (decimals > 3 and 0.1 < abs(value) <= 2 * pi + EXACT and near <= EXACT)


def _numbers(element: Element, name: str) -> Sequence[float]:
    return numbers(element.get(name) or "") or ()
