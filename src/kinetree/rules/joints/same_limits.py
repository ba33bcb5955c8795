"""Rules about limits that all joints share, and ranges of actuators."""

from math import inf, isfinite, log10

from kinetree.rules.quality import JointQuality
from kinetree.rules.rule import Found, Joint, Robot, Threshold, number, numbers

MANY = Threshold(4, "joints", "smallest number of joints with the same limits")
PAIR = Threshold(2, "joints", "the same, if an exporter or an example writes these limits")
EXPORTED = {
    (1.0, 20.0): "onshape-to-robot",
    (100.0, 100.0): "fusion2urdf",
    (1000.0, 0.5): "the tutorial of URDF",
    (30.0, 1.0): "the page of <joint>",
}
"""Effort and velocity that programs and examples write for every joint, and where they come from."""
LEEWAY = Threshold(0.01, "", "largest excess over the range of the joint, as a part of that range")


class OneLimit(JointQuality):
    """Limits of effort and velocity are those of the motors, not those of examples.

    Exporters of CAD programs and examples write one effort and one velocity for every joint, such as 1 and 20, or
    powers of ten. Planners and controllers take such numbers as the limits of the motors.
    """

    code = "LIM-011"
    thresholds = (MANY, PAIR)
    of_robot = True
    evidence = "heuristic"
    clause = "the maximum joint effort, the maximum joint velocity"
    good = (
        '<robot name="r"><link name="a"/><link name="b"/><link name="c"/><link name="d"/><link name="e"/>'
        '<joint name="j1" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>'
        '<limit lower="-2" upper="2" effort="80" velocity="2"/></joint>'
        '<joint name="j2" type="revolute"><parent link="b"/><child link="c"/><axis xyz="0 1 0"/>'
        '<limit lower="-2" upper="2" effort="80" velocity="2"/></joint>'
        '<joint name="j3" type="revolute"><parent link="c"/><child link="d"/><axis xyz="0 1 0"/>'
        '<limit lower="-2" upper="2" effort="30" velocity="3"/></joint>'
        '<joint name="j4" type="revolute"><parent link="d"/><child link="e"/><axis xyz="1 0 0"/>'
        '<limit lower="-2" upper="2" effort="30" velocity="3"/></joint></robot>'
    )
    base = good
    bad = good.replace('effort="80" velocity="2"', 'effort="1" velocity="20"').replace(
        'effort="30" velocity="3"', 'effort="1" velocity="20"'
    )

    def check(self, robot: Robot, ranged: tuple[Joint, ...]) -> Found:
        """Two or more joints, all that follow no other, with the effort and velocity that an exporter or an example
        writes. A remark for several joints with the same effort and velocity, both a power of ten, or both zero. One
        finding for the robot."""
        joints = [joint for joint in ranged if joint.coordinated]
        found = {(joint.limit.effort, joint.limit.velocity) for joint in joints}
        if len(joints) < PAIR or len(found) != 1 or len(joints) < len(robot.joint_names):
            return
        effort, velocity = found.pop()
        message = f"all {len(joints)} joints have effort {number(effort)} and velocity {number(velocity)}, which "
        if origin := EXPORTED.get((effort, velocity)):
            yield self.finding(f"{message}{origin} writes; expected those of the motors", joints[0])
        elif len(joints) >= MANY and (effort == velocity == 0 or all(map(_is_power_of_ten, (effort, velocity)))):
            yield self.remark(f"{message}look like placeholders", joints[0])


class ActuatorRange(JointQuality):
    """A position actuator of MuJoCo stays within the range of its joint, and its force within that of the joint.

    Beyond it the actuator pushes against the limit of the joint. A range in degrees is the usual cause.
    """

    code = "LIM-012"
    thresholds = (LEEWAY,)
    level = "MAY"
    clause = "ctrlrange, forcerange: range of the control, of the force"
    url = "https://mujoco.readthedocs.io/en/stable/XMLreference.html#actuator-position"
    base_format = "mjcf"
    good = (
        '<mujoco><worldbody><body><joint name="j" range="-90 90"/><geom size="0.1"/></body></worldbody>'
        '<actuator><position joint="j" ctrlrange="-1.57 1.57"/></actuator></mujoco>'
    )
    base = good
    bad = good.replace("-1.57 1.57", "-90 90")

    def check(self, robot: Robot) -> Found:
        """A range of control or force that exceeds that of the joint, times or over the gear."""
        for one in robot.actuators.values() if robot.text and robot.text.format == "mjcf" else ():
            joint, limit = robot.joints[one.joint], robot.joints[one.joint].limit
            least, most = sorted((one.gear * limit.lower, one.gear * limit.upper))
            effort = limit.effort / abs(one.gear)
            pairs = [("ctrlrange", one.control, least, most)] if one.kind == "position" else []
            for attribute, given, lower, upper in (*pairs, ("forcerange", one.force, -effort, effort)):
                slack = LEEWAY * (upper - lower)
                if given is None or not isfinite(sum(given)) or slack == inf:
                    continue
                if given[0] < lower - slack or given[1] > upper + slack:
                    shown = numbers((*given, lower, upper))
                    message = f"the {attribute} of actuator {one.name!r} is {shown[0]} to {shown[1]}"
                    yield self.finding(f"{message}; the joint allows {shown[2]} to {shown[3]}", joint)


def _is_power_of_ten(value: float) -> bool:
    return 0 < value < inf and abs(log10(value) - round(log10(value))) < 1e-9
