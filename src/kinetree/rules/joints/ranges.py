"""Rules about limits of joints, and about joints that follow others."""

from math import inf

from kinetree.errors import Severity
from kinetree.model.mimic import mimic_polynomial
from kinetree.model.robot import RATES, Joint, Robot
from kinetree.rules.joints.units import ANY, MUCH_VELOCITY, in_other_units, looks_made_up
from kinetree.rules.quality import JointQuality, Noted, grouped, span, spans, unit
from kinetree.rules.rule import Found, Threshold, number, numbers
from kinetree.rules.structure import Block

MUCH_TORQUE = Threshold(1e4, "N m", "smallest round effort limit of a joint that turns which looks like a placeholder")
MUCH_FORCE = Threshold(1e5, "N", "the same of a joint that slides; a lifting screw of a real robot has 10 kN")
LEEWAY = Threshold(0.01, "", "largest excess over the limits of the follower, as a part of its range")


class LimitOrder(JointQuality):
    """The lower limit of a joint is not above its upper limit.

    No position is between such limits: planners fail, and simulators behave in undefined ways.
    """

    code = "LIM-001"
    level = "MUST"
    clause = "lower and upper joint limit"
    good = 'lower="-2.9" upper="2.9"'
    bad = 'lower="2.9" upper="-2.9"'

    def check(self, ranged: tuple[Joint, ...]) -> Found:
        """lower > upper."""
        for joint in ranged:
            lower, upper = joint.limit.lower, joint.limit.upper
            if lower > upper:
                low, high = numbers((lower, upper))
                message = f"the lower limit {low} is above the upper limit {high}; exchange or correct them"
                yield self.finding(message, joint)


class NoRange(JointQuality):
    """The lower and the upper limit of a joint differ.

    If they are equal the joint cannot move, but has a place in every vector of positions.
    """

    code = "LIM-002"
    clause = "revolute and prismatic joints have a range; a fixed joint cannot move"
    good = 'lower="-2.9" upper="2.9"'
    bad = 'lower="0" upper="0"'

    def check(self, robot: Robot, ranged: tuple[Joint, ...], noted: Noted, blocks: tuple[Block, ...]) -> Found:
        """Equal limits, unless the joint follows another. Of limits that the file does not have, the reader reports
        that. A remark in SDF, and with Gazebo's provideFeedback: a joint without a range keeps the link of a sensor
        apart."""
        felt = {block.get("reference") for _, block in blocks if block.find("provideFeedback") is not None}
        apart = robot.joints if robot.text and robot.text.format == "sdf" else felt
        for joint in ranged:
            lower, upper = joint.limit.lower, joint.limit.upper
            unsaid = lower == 0 and ("default-limit", f"joint {joint.name!r}") in noted
            advice = "give it a range, or use type fixed"
            if lower == upper and joint.coordinated and not unsaid:
                severity: Severity | None = "info" if joint.name in apart else None
                message = f"both limits are {number(lower)}, so the joint cannot move; {advice}"
                yield self.finding(message, joint, severity=severity)


class ZeroOutside(JointQuality):
    """Zero is inside the limits of a joint.

    Viewers, planners and simulators start with all joints at zero if nothing else is known. Some real joints cannot be
    at zero, such as the fourth of a Panda; then every program needs another start.
    """

    code = "LIM-003"
    level = "MAY"
    clause = "lower and upper joint limit"
    good = 'lower="-2.9" upper="2.9"'
    bad = 'lower="0.5" upper="2.9"'

    def check(self, ranged: tuple[Joint, ...]) -> Found:
        """Both limits on one side of zero, of a joint that follows no other."""
        for joint in ranged:
            lower, upper = joint.limit.lower, joint.limit.upper
            if joint.coordinated and (0 < lower < upper or lower < upper < 0):
                message = f"zero is outside the limits {span(joint)}; many programs start at zero"
                yield self.finding(message, joint, attribute="range")


class NoEffort(JointQuality):
    """The effort limit of a joint is greater than zero.

    Simulators cannot move a joint without effort. Models for planning often have zero because the effort is unknown.
    """

    code = "LIM-004"
    clause = "the maximum joint effort"
    good = 'effort="200"'
    bad = 'effort="0"'

    def check(self, ranged: tuple[Joint, ...]) -> Found:
        """Zero effort of joints that follow no other; one finding for all."""
        powerless = [joint for joint in ranged if joint.limit.effort == 0 and joint.coordinated]
        yield from self.shared("the effort limit is 0; expected more than 0", powerless)


class NoVelocity(JointQuality):
    """The velocity limit of a joint is greater than zero.

    A planner that obeys a limit of zero cannot move the joint, or divides by zero.
    """

    code = "LIM-005"
    clause = "the maximum joint velocity"
    good = 'velocity="8"'
    bad = 'velocity="0"'

    def check(self, ranged: tuple[Joint, ...]) -> Found:
        """Zero velocity of joints that follow no other and have a range; one finding for all."""
        moving = [joint for joint in ranged if joint.coordinated and joint.limit.lower != joint.limit.upper]
        still = [joint for joint in moving if joint.limit.velocity == 0]
        yield from self.shared("the velocity limit is 0; expected more than 0", still)


class NegativeMaximum(JointQuality):
    """The limits of effort, velocity, acceleration and jerk are not negative.

    Some authors write -1 for "unknown", but programs take it as a number.
    """

    code = "LIM-006"
    level = "MUST"
    clause = "the maximum joint effort, the maximum joint velocity"
    good = 'velocity="8"'
    bad = 'velocity="-1"'

    def check(self, ranged: tuple[Joint, ...]) -> Found:
        """A negative number; one finding for all joints that have the same."""
        for name in ("velocity", "effort", *RATES):
            wrong = [joint for joint in ranged if getattr(joint.limit, name) < 0]
            for same in grouped(wrong, lambda joint, name=name: getattr(joint.limit, name)):  # type: ignore[misc]
                value = number(getattr(same[0].limit, name))
                yield from self.shared(f"the {name} limit is {value}; expected more than 0", same)


class PlaceholderEffort(JointQuality):
    """The effort limit of a joint is realistic.

    Such a large number is rarely measured; controllers and simulators then have no bound.
    """

    code = "LIM-007"
    thresholds = (MUCH_TORQUE, MUCH_FORCE, ANY)
    level = "MAY"
    evidence = "heuristic"
    clause = "the maximum joint effort"
    good = 'effort="200"'
    bad = 'effort="100000"'

    def check(self, ranged: tuple[Joint, ...]) -> Found:
        """A large number with one digit and zeros, or any much larger one; one finding for all joints that have the
        same."""
        much = {"rad": MUCH_TORQUE, "m": MUCH_FORCE}
        wrong = [joint for joint in ranged if looks_made_up(joint.limit.effort, much[unit(joint)])]
        for same in grouped(wrong, lambda joint: joint.limit.effort):
            value = f"{number(same[0].limit.effort)} {'N m' if unit(same[0]) == 'rad' else 'N'}"
            message = f"the effort limit is {value}, which looks like a placeholder"
            yield from self.shared(message, same, attribute="actuatorfrcrange")


class PlaceholderVelocity(JointQuality):
    """The velocity limit of a joint is realistic.

    At 50 rad/s a joint turns eight times a second: a wheel can, an arm cannot.
    """

    code = "LIM-008"
    thresholds = (MUCH_VELOCITY, ANY)
    level = "MAY"
    evidence = "heuristic"
    clause = "the maximum joint velocity"
    good = 'velocity="8"'
    bad = 'velocity="100"'

    def check(self, ranged: tuple[Joint, ...]) -> Found:
        """A large number with one digit and zeros, or any much larger one; one finding for all joints that have the
        same. Endless joints may be wheels. LIM-013 is about velocities in other units."""
        wrong = [j for j in ranged if looks_made_up(j.limit.velocity, MUCH_VELOCITY) and j.limit.upper < inf]
        others = in_other_units(ranged) if wrong else []
        wrong = [joint for joint in wrong if joint not in others]
        for same in grouped(wrong, lambda joint: joint.limit.velocity):
            value = f"{number(same[0].limit.velocity)} {unit(same[0])}/s"
            yield from self.shared(f"the velocity limit is {value}, which looks like a placeholder", same)


class SoftLimits(JointQuality):
    """Soft limits are inside the limits.

    The safety controller slows a joint down in front of a soft limit. It acts too late at one that is equal to the
    limit, and never at one outside.
    """

    code = "LIM-009"
    clause = "soft_lower_limit is larger than the lower limit, soft_upper_limit is smaller than the upper one"
    good = """<axis xyz="0 0 1"/>"""
    bad = (
        """<axis xyz="0 0 1"/>"""
        """<safety_controller k_velocity="10" k_position="15" soft_lower_limit="-3.5" soft_upper_limit="2.8"/>"""
    )

    def check(self, ranged: tuple[Joint, ...]) -> Found:
        """A soft limit beyond the hard one, or a lower soft limit above the upper one; both equal to the hard ones,
        which is one finding for all joints. Soft limits of 0 and 0 mean none, and without k_position they have no
        effect."""
        equal: list[Joint] = []
        for joint in ranged:
            soft, hard = joint.safety, joint.limit
            if soft is None or soft.lower == soft.upper == 0:
                continue
            if soft.lower > soft.upper:
                low, high = numbers((soft.lower, soft.upper))
                yield self.finding(f"the lower soft limit {low} is above the upper soft limit {high}", joint)
            elif hard.lower <= hard.upper and (soft.lower < hard.lower - 1e-6 or soft.upper > hard.upper + 1e-6):
                inner, outer = spans(joint, soft.lower, soft.upper)
                yield self.finding(f"the soft limits {inner} are not inside the limits {outer}", joint)
            elif soft.k_position and soft.upper - soft.lower > hard.upper - hard.lower - 1e-6 > 0:
                equal.append(joint)
        yield from self.shared("the soft limits are equal to the limits; expected them inside", equal)


class MimicRange(JointQuality):
    """A joint that follows another stays inside its own limits.

    Otherwise the limits of the other joint are too wide: the follower stops it earlier.
    """

    code = "MIM-001"
    thresholds = (LEEWAY,)
    clause = "value = multiplier * other joint's value + offset"
    good = 'velocity="8" effort="33"/>'
    bad = 'velocity="8" effort="33"/><mimic joint="joint_5" multiplier="4"/>'

    def check(self, robot: Robot, ranged: tuple[Joint, ...]) -> Found:
        """The leader's range, carried over, reaches further than the follower's. Polynomials of a higher degree are not
        judged."""
        for joint in ranged:
            if joint.mimic is None or joint.limit.lower > joint.limit.upper:
                continue
            name, (offset, multiplier, *higher) = mimic_polynomial(robot, joint.name)
            leader = robot.joints[name].limit
            if higher or not multiplier or leader.lower > leader.upper:
                continue
            low, high = sorted((multiplier * leader.lower + offset, multiplier * leader.upper + offset))
            lower, upper = joint.limit.lower, joint.limit.upper
            slack = LEEWAY * (upper - lower) if upper - lower < inf else 0.0
            if low < lower - slack - 1e-9 or high > upper + slack + 1e-9:
                driven, own = spans(joint, low, high)
                message = f"{name!r} moves the joint from {driven}, beyond its limits {own}"
                fix = f"widen these limits, or narrow those of {name!r}"
                if min(high, upper) - max(low, lower) <= slack:
                    fix = "correct the sign of the multiplier, or these limits, which leave the joint no range"
                if high - low == inf:
                    message = f"{name!r} has no limits and moves the joint beyond its own, {own}"
                    fix = f"give {name!r} limits, or remove these"
                yield self.finding(message, joint, fix=fix)


class MimicChain(JointQuality):
    """A joint follows a joint that does not follow another.

    URDF allows chains, but many programs look only one step far and do not move the last joint.
    """

    code = "MIM-002"
    clause = "mimic names another existing joint"
    base = """<robot name="hand">
  <link name="palm"/><link name="left"/><link name="right"/><link name="tip"/>
  <joint name="left_finger" type="continuous">
    <parent link="palm"/><child link="left"/><axis xyz="1 0 0"/>
  </joint>
  <joint name="right_finger" type="continuous">
    <parent link="palm"/><child link="right"/><axis xyz="1 0 0"/><mimic joint="left_finger"/>
  </joint>
  <joint name="tip_joint" type="continuous">
    <parent link="right"/><child link="tip"/><axis xyz="1 0 0"/><mimic joint="left_finger" multiplier="0.5"/>
  </joint>
</robot>
"""
    good = '<mimic joint="left_finger" multiplier="0.5"/>'
    bad = '<mimic joint="right_finger" multiplier="0.5"/>'

    def check(self, robot: Robot) -> Found:
        """A leader that is a follower."""
        for joint in robot.joints.values():
            leader = robot.joints[joint.mimic.joint] if joint.mimic else None
            if leader and leader.mimic and not (robot.text and robot.text.format == "mjcf"):
                message = f"the joint follows {leader.name!r}, which itself follows {leader.mimic.joint!r};"
                yield self.finding(f"{message} many programs need it to follow {leader.mimic.joint!r} directly", joint)
