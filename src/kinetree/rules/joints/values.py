"""What is wrong with given values of joints, such as those of a state or a keyframe."""

from collections.abc import Mapping
from math import inf, radians

from kinetree.model.mimic import mimic_polynomial
from kinetree.rules.quality import unit
from kinetree.rules.rule import Joint, Robot, Threshold, numbers

ROUNDED = Threshold(1e-3, "", "largest excess over the limits, as a part of the range, of which at most 1 counts")
TURN = Threshold(7.0, "rad", "largest value that cannot be in degrees, and largest that values in degrees give")
FOLLOWS = Threshold(
    0.02, "", "largest distance from where a leader puts a joint, as a part of its range, of which at most 1 counts"
)


def value_fault(robot: Robot, name: str, values: Mapping[str, float]) -> str:
    """Return a message about the value of a joint of one coordinate that is outside of its limits, or away from where
    the value of the joint that it follows puts it; "" without fault. values: by joint."""
    joint = robot.joints.get(name)
    return (joint and joint.kind.single and (_outside(joint, values[name]) or off_leader(robot, joint, values))) or ""


def _outside(joint: Joint, value: float) -> str:
    lower, upper = joint.limit.lower, joint.limit.upper
    slack = ROUNDED * min(upper - lower, 1.0)
    if lower - slack <= value <= upper + slack or lower > upper:
        return ""
    degrees = "; is it in degrees?" if unit(joint) == "rad" and abs(value) > TURN > radians(abs(value)) else ""
    there, low, high = numbers((value, lower, upper))
    at = f"the joint {joint.name!r} is at {there} {unit(joint)}"
    return f"{at}; its limits are {low} to {high} {unit(joint)}{degrees}"


def off_leader(robot: Robot, joint: Joint, values: Mapping[str, float]) -> str:
    """Return a message about a value that is away from where that of the leader puts the joint, "" without fault."""
    leader, coefficients = mimic_polynomial(robot, joint.name)
    if joint.mimic is None or leader not in values:
        return ""
    place = sum(c * values[leader] ** i for i, c in enumerate(coefficients))
    span = joint.limit.upper - joint.limit.lower
    if abs(values[joint.name] - place) <= FOLLOWS * (min(span, 1.0) if 0 < span < inf else 1.0):
        return ""
    there, expected = numbers((values[joint.name], place))
    return f"the joint {joint.name!r} is at {there} {unit(joint)}; it follows {leader!r}, which puts it at {expected}"
