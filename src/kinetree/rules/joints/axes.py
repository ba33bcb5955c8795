"""Rules about joints other than their limits: axes, passive behaviour."""

import re
from collections.abc import Sequence
from math import hypot, isinf, pi

from kinetree.repairs.fixes import unit_axes
from kinetree.rules.facts import document
from kinetree.rules.quality import JointQuality, span
from kinetree.rules.rule import Found, Joint, Robot, Threshold, number
from kinetree.spatial.se3 import is_unit
from kinetree.syntax.numbers import numbers

LEAST = Threshold(1e-8, "rad", "largest angle to x, y or z that is the rounding of zero")
NEARLY = Threshold(1e-4, "rad", "smallest angle to x, y or z that may be meant")
ENDLESS = Threshold(999.0, "rad", "smallest half of a range that means none")
TURNS = Threshold(2, "turns", "smallest number of whole turns each way that is remarked")
EVEN = Threshold(1e-3, "rad", "largest difference of limits that are the same on both sides")
WHOLE = Threshold(1e-3, "turns", "largest difference of limits from whole turns")
ADVICE = "if the joint turns without end, use type continuous"

_XYZ = re.compile(r"""\s[^>]*?\bxyz\s*=\s*(["'])(.*?)\1""", re.DOTALL)


class AxisLength(JointQuality):
    """The axis of a joint is a unit vector.

    Some readers normalise the axis. The others turn or slide the joint too far.
    """

    code = "JNT-001"
    evidence = "heuristic"
    clause = "the vector should be normalized"
    good = """<axis xyz="0 0 1"/>"""
    bad = """<axis xyz="1 9 0"/>"""
    repair = staticmethod(unit_axes)

    def check(self, robot: Robot) -> Found:
        """Another length in the text of a URDF file; a robot's own axes are unit vectors. A warning
        if it is along no diagonal either, as by a slip of the fingers."""
        text = robot.text.text if robot.text and robot.text.format == "urdf" else ""
        axes = {match[2] for part in text.split("<axis")[1:] if (match := _XYZ.match(part))}
        if all(_is_unit(axis) for axis in axes):
            return  # most files: then the text need not be parsed for places
        root = document(robot)
        for element in root.find_all("joint") if root else ():
            joint, axis = robot.joints.get(element.get("name") or ""), element.find("axis")
            written = (axis.get("xyz") if axis is not None else None) or "1 0 0"
            if joint is not None and len(joint.axes) and not _is_unit(written):
                place = axis.source if axis is not None else None
                message = f"the axis has length {number(hypot(*_vector(written)), 6)}; expected a unit vector"
                is_slip = len({abs(x) for x in _vector(written) if x}) > 1
                yield self.finding(message, joint, source=place, severity=None if is_slip else "info")


class NearlyPrincipal(JointQuality):
    """An axis that is nearly along x, y or z is exactly along it.

    Exports from CAD leave errors of a few 1e-6 rad, which put small meaningless numbers into poses and Jacobians.
    """

    code = "JNT-002"
    thresholds = (LEAST, NEARLY)
    level = "MAY"
    evidence = "heuristic"
    clause = "the axis of rotation in the joint frame"
    good = """<axis xyz="0 0 1"/>"""
    bad = """<axis xyz="0.000004 0 1"/>"""

    def check(self, robot: Robot) -> Found:
        """An axis at a tiny angle to x, y or z."""
        for joint in robot.joints.values():
            for axis in joint.axes.tolist():
                small, middle, _ = sorted(map(abs, axis))
                angle = hypot(small, middle)
                if LEAST < angle < NEARLY:
                    expected = " ".join(number(round(x)) for x in axis)
                    message = f"the axis is {number(angle, 1)} rad off {expected}; expected exactly {expected}"
                    yield self.finding(message, joint, attribute="axis")


class ShouldBeContinuous(JointQuality):
    """A joint that turns without end is of type continuous.

    The joint never reaches such wide limits, but planners sample between them and turn many times.
    """

    code = "JNT-003"
    thresholds = (ENDLESS, TURNS, EVEN, WHOLE)
    evidence = "heuristic"
    clause = "continuous: rotates around the axis and has no upper and lower limits"
    good = 'lower="-6.2" upper="6.2"'
    bad = 'lower="-1000" upper="1000"'

    def check(self, ranged: tuple[Joint, ...]) -> Found:
        """Limits of hundreds of turns; a remark where they are the same whole number of turns on both sides."""
        for joint in ranged:
            lower, upper = joint.limit.lower, joint.limit.upper
            if joint.type != "revolute" or isinf(lower) or isinf(upper):
                continue
            turns = upper / (2 * pi)
            if (upper - lower) / 2 >= ENDLESS:
                yield self.finding(f"the limits {span(joint)} are many turns; {ADVICE}", joint, attribute="range")
            elif abs(lower + upper) < EVEN and round(turns) >= TURNS and abs(turns - round(turns)) < WHOLE:
                message = f"the limits are {round(turns)} whole turns each way; {ADVICE}"
                yield self.finding(message, joint, severity="info", attribute="range")


class NegativeFriction(JointQuality):
    """Damping, friction, stiffness and armature are not negative, and friction lets the motor move the joint.

    Negative damping or friction drives the joint instead of braking it; a negative spring pushes it away from its rest,
    and a negative armature takes inertia from the links.
    """

    code = "JNT-004"
    level = "MUST"
    clause = "damping and friction take energy out of the joint"
    good = """<axis xyz="0 0 1"/>"""
    bad = """<axis xyz="0 0 1"/><dynamics damping="-0.1" friction="0.2"/>"""

    def check(self, robot: Robot) -> Found:
        """A negative number. A friction above the limit of effort, a warning."""
        for joint in robot.joints.values():
            for dynamics in joint.dynamics:
                for name in ("damping", "friction", "stiffness", "armature"):
                    if (value := getattr(dynamics, name)) < 0:
                        message = f"the {name} is {number(value)}; expected 0 or more"
                        yield self.finding(message, joint, attribute=name.replace("friction", "frictionloss"))
        stuck = [(j, d.friction) for j in robot.joints.values() for d in j.dynamics if d.friction > j.limit.effort > 0]
        for joint, friction in stuck[:1]:
            message = f"the friction {number(friction)} is more than the effort {number(joint.limit.effort)}: the motor"
            yield from self.shared(f"{message} cannot move the joint", [j for j, _ in stuck], severity="warning")


def _vector(text: str) -> Sequence[float]:
    """Return the vector in a text, or one of length one if the reader refuses it."""
    return numbers(text) or (1.0,)


def _is_unit(text: str) -> bool:
    """Return whether a vector has length one, or zero, which fixed joints may have."""
    return not any(_vector(text)) or is_unit(_vector(text))
