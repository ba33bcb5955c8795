"""Rules about the texts of MJCF files: units, ranges and numbers that MuJoCo reads without a word."""

from collections.abc import Iterator
from typing import ClassVar, Literal

from kinetree.confine import Confinement
from kinetree.errors import Finding
from kinetree.files.opener import Files
from kinetree.model.robot import Robot
from kinetree.repairs.fixes import exact
from kinetree.rules.facts import fact
from kinetree.rules.rule import Rule
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


class MjcfRule(Rule):
    """A rule about an MJCF file."""

    base: ClassVar[str | None] = (
        '<mujoco><worldbody><body name="arm" euler="0 90 0"><joint name="j" range="-90 90"/><geom size="0.1"/></body>'
        '</worldbody><actuator><motor joint="j" ctrlrange="-1 1"/></actuator></mujoco>'
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
            ranges = RANGES if element.tag != "joint" or element in classes else ()
            for name in (*ranges, *NOT_NEGATIVE.get(element.tag, ())):
                values = numbers(element.get(name) or "") or ()
                is_range = name in RANGES
                if (len(values) == 2 and values[0] > values[1]) if is_range else min(values, default=0) < 0:
                    expected = "the lower number first" if is_range else "0 or more"
                    message = f"{name} is {element.attributes[name]!r}; expected {expected}"
                    yield self.finding(message, element.label, source=element.place(name))


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
    value = (numbers(text) or (0.0,))[0]
    return any(exact(form) is not None for form in (text, f"{value:.3f}"))
