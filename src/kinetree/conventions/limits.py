"""Rules about limits of joints, and about joints that follow others."""

from collections.abc import Iterator
from math import inf

from kinetree.conventions.quality import JointQuality, grouped, others
from kinetree.errors import Finding
from kinetree.model.limits import resolve_mimic
from kinetree.model.robot import Joint, Robot

MUCH_EFFORT = 1e4
MUCH_VELOCITY = 50.0
LEEWAY = 0.01
"""How far a follower may exceed its limits, as a part of its range, because limits are rounded."""


class Reversed(JointQuality):
    """The lower limit of a joint is not above its upper limit.

    No position is inside; planners fail and simulators do what they like.
    """

    code = "LIM-001"
    level = "MUST"
    clause = "lower and upper joint limit"
    good = 'lower="-2.9" upper="2.9"'
    bad = 'lower="2.9" upper="-2.9"'

    def check(self, ranged: tuple[Joint, ...]) -> Iterator[Finding]:
        """lower > upper."""
        for joint in ranged:
            lower, upper = joint.limit.lower, joint.limit.upper
            if lower > upper:
                yield self.finding(f"lower is {lower:g}, above upper, which is {upper:g}", joint)


class NoRange(JointQuality):
    """A joint with one legal position is fixed.

    Where lower and upper are the same the joint cannot move, but takes a place in every vector of positions.
    """

    code = "LIM-002"
    clause = "revolute and prismatic joints have a range; a fixed joint cannot move"
    good = 'lower="-2.9" upper="2.9"'
    bad = 'lower="0" upper="0"'

    def check(self, ranged: tuple[Joint, ...], noted: frozenset[tuple[str, str | None]]) -> Iterator[Finding]:
        """lower == upper, unless the joint follows another or the file does not say them, which the reader does."""
        for joint in ranged:
            lower, upper = joint.limit.lower, joint.limit.upper
            unsaid = lower == 0 and ("default-limit", f"joint {joint.name!r}") in noted
            if lower == upper and joint.coordinated and not unsaid:
                yield self.finding(f"lower and upper are both {lower:g}; is it fixed?", joint)


class ZeroOutside(JointQuality):
    """A joint may stand at zero.

    Robots of which nothing is known yet are drawn, planned for and dropped into simulations with all joints at zero.
    Some real joints cannot be there, such as the fourth of a Panda; then programs must be told where to begin.
    """

    code = "LIM-003"
    level = "MAY"
    clause = "lower and upper joint limit"
    good = 'lower="-2.9" upper="2.9"'
    bad = 'lower="0.5" upper="2.9"'

    def check(self, ranged: tuple[Joint, ...]) -> Iterator[Finding]:
        """Both limits on one side of zero."""
        for joint in ranged:
            lower, upper = joint.limit.lower, joint.limit.upper
            if joint.coordinated and (0 < lower <= upper or lower <= upper < 0):
                yield self.finding(f"zero is outside its limits, {lower:g} to {upper:g}", joint)


class NoEffort(JointQuality):
    """The effort of a joint is more than zero.

    Simulators do not move what may not be pushed. Models for planning alone often say zero where nobody knows.
    """

    code = "LIM-004"
    clause = "the maximum joint effort"
    good = 'effort="200"'
    bad = 'effort="0"'

    def check(self, ranged: tuple[Joint, ...]) -> Iterator[Finding]:
        """Zero effort of joints that follow no other; one finding for all."""
        powerless = [joint for joint in ranged if joint.limit.effort == 0 and joint.coordinated]
        if powerless:
            rest = others([joint.name for joint in powerless[1:]])
            yield self.finding(f"its effort is 0, so nothing can move it{rest}", powerless[0])


class NoVelocity(JointQuality):
    """The velocity of a joint is more than zero.

    Nothing that keeps to it can ever move the joint, and trajectories get no duration.
    """

    code = "LIM-005"
    clause = "the maximum joint velocity"
    good = 'velocity="8"'
    bad = 'velocity="0"'

    def check(self, ranged: tuple[Joint, ...]) -> Iterator[Finding]:
        """Zero velocity of joints that follow no other; one finding for all."""
        still = [joint for joint in ranged if joint.limit.velocity == 0 and joint.coordinated]
        if still:
            rest = others([joint.name for joint in still[1:]])
            yield self.finding(f"its velocity is 0, so it may never move{rest}", still[0])


class NegativeMaximum(JointQuality):
    """Effort and velocity are not negative.

    They bound sizes. Some write -1 for "not known", which programs take as it stands.
    """

    code = "LIM-006"
    level = "MUST"
    clause = "the maximum joint effort, the maximum joint velocity"
    good = 'velocity="8"'
    bad = 'velocity="-1"'

    def check(self, ranged: tuple[Joint, ...]) -> Iterator[Finding]:
        """A negative number; one finding for all joints that have the same."""
        for name in ("velocity", "effort"):
            wrong = [joint for joint in ranged if getattr(joint.limit, name) < 0]
            for same in grouped(wrong, lambda joint, name=name: getattr(joint.limit, name)):  # type: ignore[misc]
                rest = others([joint.name for joint in same[1:]])
                yield self.finding(f"its {name} is {getattr(same[0].limit, name):g}{rest}", same[0])


class PlaceholderEffort(JointQuality):
    """The effort of a joint is a real one.

    Numbers so large are seldom measured; controllers and simulators then know no bound.
    """

    code = "LIM-007"
    level = "MAY"
    evidence = "heuristic"
    clause = "the maximum joint effort"
    good = 'effort="200"'
    bad = 'effort="100000"'

    def check(self, ranged: tuple[Joint, ...]) -> Iterator[Finding]:
        """10 kN m, 10 kN or more; one finding for all joints that have the same."""
        wrong = [joint for joint in ranged if MUCH_EFFORT <= joint.limit.effort < inf]
        for same in grouped(wrong, lambda joint: joint.limit.effort):
            rest = others([joint.name for joint in same[1:]])
            yield self.finding(f"its effort is {same[0].limit.effort:g}; is that a placeholder?{rest}", same[0])


class PlaceholderVelocity(JointQuality):
    """The velocity of a joint is a real one.

    At 50 rad/s a joint turns eight times a second; wheels may, arms do not.
    """

    code = "LIM-008"
    level = "MAY"
    evidence = "heuristic"
    clause = "the maximum joint velocity"
    good = 'velocity="8"'
    bad = 'velocity="100"'

    def check(self, ranged: tuple[Joint, ...]) -> Iterator[Finding]:
        """More than 50 rad/s or m/s; one finding for all joints that have the same. Endless joints may be wheels."""
        wrong = [joint for joint in ranged if MUCH_VELOCITY < joint.limit.velocity < inf and joint.limit.upper < inf]
        for same in grouped(wrong, lambda joint: joint.limit.velocity):
            rest = others([joint.name for joint in same[1:]])
            yield self.finding(f"its velocity is {same[0].limit.velocity:g}; is that a placeholder?{rest}", same[0])


class SoftLimits(JointQuality):
    """Soft limits lie inside the limits.

    Outside them the safety controller never acts.
    """

    code = "LIM-009"
    clause = "soft_lower_limit is larger than the lower limit, soft_upper_limit is smaller than the upper one"
    good = """<axis xyz="0 0 1"/>"""
    bad = (
        """<axis xyz="0 0 1"/>"""
        """<safety_controller k_velocity="10" k_position="15" soft_lower_limit="-3.5" soft_upper_limit="2.8"/>"""
    )

    def check(self, ranged: tuple[Joint, ...]) -> Iterator[Finding]:
        """A soft limit beyond the hard one, if there is something between these, or soft limits with nothing between
        them; not where none is said."""
        for joint in ranged:
            soft, hard = joint.safety, joint.limit
            if soft is None or soft.lower == soft.upper == 0:
                continue
            said = f"its soft limits are {soft.lower:g} to {soft.upper:g}"
            if soft.lower > soft.upper:
                yield self.finding(f"{said}: nothing is between them", joint)
            elif hard.lower <= hard.upper and (soft.lower < hard.lower - 1e-6 or soft.upper > hard.upper + 1e-6):
                yield self.finding(f"{said}, beyond its limits, {hard.lower:g} to {hard.upper:g}", joint)


class MimicRange(JointQuality):
    """A joint that follows another is never driven beyond its own limits.

    Where it would be, its leader's limits are not what they seem: who keeps to all limits has less of the range.
    """

    code = "MIM-001"
    clause = "value = multiplier * other joint's value + offset"
    good = 'velocity="8" effort="33"/>'
    bad = 'velocity="8" effort="33"/><mimic joint="joint_5" multiplier="4"/>'

    def check(self, robot: Robot, ranged: tuple[Joint, ...]) -> Iterator[Finding]:
        """The leader's range, carried over, reaches further than the follower's."""
        for joint in ranged:
            if joint.mimic is None or joint.limit.lower > joint.limit.upper:
                continue
            name, multiplier, offset = resolve_mimic(robot, joint.name)
            leader = robot.joints[name].limit
            if not multiplier or leader.lower > leader.upper:
                continue
            low, high = sorted((multiplier * leader.lower + offset, multiplier * leader.upper + offset))
            lower, upper = joint.limit.lower, joint.limit.upper
            slack = LEEWAY * (upper - lower) if upper - lower < inf else 0.0
            if low < lower - slack - 1e-9 or high > upper + slack + 1e-9:
                message = f"{name!r} takes it from {low:.4g} to {high:.4g}, its own limits are {lower:g} to {upper:g}"
                yield self.finding(message, joint)


class MimicChain(JointQuality):
    """A joint follows one that follows none.

    URDF does not forbid it, but many programs look only one step far and leave this joint behind.
    """

    code = "MIM-002"
    clause = "mimic names another existing joint"
    good = 'velocity="6" effort="40"/>'
    bad = (
        'velocity="6" effort="40"/><mimic joint="joint_4" multiplier="0.5"/></joint><link name="link_a"/>'
        '<joint name="joint_a" type="revolute"><parent link="link_5"/><child link="link_a"/><axis xyz="1 0 0"/>'
        '<limit lower="-2" upper="2" velocity="6" effort="40"/><mimic joint="joint_5"/>'
    )

    def check(self, robot: Robot) -> Iterator[Finding]:
        """A leader that is a follower."""
        for joint in robot.joints.values():
            leader = robot.joints[joint.mimic.joint] if joint.mimic else None
            if leader and leader.mimic:
                message = f"follows {leader.name!r}, which follows {leader.mimic.joint!r} itself"
                yield self.finding(message, joint)


class MimicOfNothing(JointQuality):
    """The multiplier of a mimic is not zero.

    Otherwise the joint stands still wherever its leader goes.
    """

    code = "MIM-003"
    clause = "value = multiplier * other joint's value + offset"
    good = 'velocity="8" effort="33"/>'
    bad = 'velocity="8" effort="33"/><mimic joint="joint_5" multiplier="0"/>'

    def check(self, robot: Robot) -> Iterator[Finding]:
        """A multiplier of zero."""
        for joint in robot.joints.values():
            if joint.mimic and joint.mimic.multiplier == 0:
                yield self.finding(f"follows {joint.mimic.joint!r} with the multiplier 0", joint)
