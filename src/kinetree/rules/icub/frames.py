"""Frames of chains, sensors and skin, on their links; and the sensors themselves."""

from collections.abc import Mapping

from kinetree.errors import Severity
from kinetree.robots.icub.naming import naming
from kinetree.rules.icub.page import IcubRule
from kinetree.rules.rule import Found, Robot

MEASURE_WRENCHES = ("force_torque", "force", "torque")
"""Types of wrench sensors; MuJoCo separates the last two."""


class FrameMissing(IcubRule):
    """The frames of the naming conventions exist, by these names.

    Published models have other names for some of them, such as l_arm_ft for l_arm_ft_frame; this is only a remark.
    """

    code = "ICUB-401"
    clause = "the table of frames"
    good = '"imu_frame"'
    bad = '"imu"'

    def check(self, robot: Robot) -> Found:
        """A frame that the model lacks, or has under another name; those of the skin are another rule's."""
        skin = {entry.correct.frame for entry in naming().skin}
        joint_of = {f"{sensor}_frame": joint for sensor, joint in (entry.correct for entry in naming().fixed_joints)}
        for entry in naming().frames:
            name, links, _ = entry.correct
            if name in robot.frames or name in skin:
                continue
            element, joint = f"frame {name!r}", joint_of.get(name)
            other = next((known for known in entry.known_as if known in robot.frames), None)
            if other:
                yield self.remark(f"the frame is called {other!r}, as in published models", element)
            elif not any(link in robot.links for link in links):
                yield self.remark(f"the frame does not exist, nor its link {' or '.join(map(repr, links))}", element)
            elif joint and joint not in robot.joints:
                yield self.remark(f"the frame does not exist, nor the sensor's joint {joint!r}", element)
            else:
                yield self.finding(f"the frame does not exist; add it to {links[-1]!r}", element)


class FramePlaces(IcubRule):
    """A frame is fixed to its link in the naming conventions."""

    code = "ICUB-402"
    level = "MUST"
    clause = "column Link of the table of frames"
    good = '<parent link="head"/>\n    <child link="imu_frame"/>'
    bad = '<parent link="chest"/>\n    <child link="imu_frame"/>'

    def check(self, robot: Robot, body_of: Mapping[str, str]) -> Found:
        """A frame on another body; one that follows the right one is remarked upon."""
        for entry in naming().frames:
            name, links, _ = entry.correct
            known = next((other for other in (name, *entry.known_as) if other in robot.frames), None)
            bodies = {body_of[link] for link in links if link in robot.links}
            if known is None or not bodies:
                continue
            body = body_of[robot.frames[known].link]
            if body not in bodies:
                message = f"the frame is fixed to {body!r}; expected {' or '.join(map(repr, links))}"
                joint = robot.parent_joint(body)
                mimic = joint.mimic if joint else None
                follows = mimic is not None and robot.joints[mimic.joint].child in bodies
                severity: Severity | None = "info" if follows else None
                yield self.finding(message, f"frame {known!r}", source=robot.frames[known].source, severity=severity)


class SkinFrameMissing(IcubRule):
    """The frames of the skin exist.

    The skin reports its contacts in these frames. Without them no contact can be transformed to another frame.
    """

    code = "ICUB-403"
    clause = "the table of skin frames"
    good = '"l_forearm_dh_frame"'
    bad = '"l_forearm_skin"'

    def check(self, robot: Robot) -> Found:
        """A frame of a part of the skin that the model lacks."""
        for entry in naming().skin:
            name, link, part = entry.correct
            if name and name not in robot.frames:
                yield self.finding(f"the frame of {part} does not exist; add it to {link!r}", f"frame {name!r}")


class SensorMissing(IcubRule):
    """Each force/torque joint has its sensor, by the sensor's name.

    Without a declared sensor the joint measures nothing in a simulation.
    """

    code = "ICUB-404"
    clause = "the table of fixed joints"
    good = '<sensor name="l_arm_ft" type="force_torque">'
    bad = '<sensor name="l_arm_wrench" type="force_torque">'

    def check(self, robot: Robot) -> Found:
        """A force/torque joint without a sensor, or one whose sensor is called otherwise."""
        for entry in naming().fixed_joints:
            name, joint = entry.correct
            if joint not in robot.joints:
                continue  # ICUB-103 reports it
            there = [s for s in robot.sensors.values() if s.joint == joint and s.type in MEASURE_WRENCHES]
            if not there:
                elsewhere = robot.sensors.get(name)
                where = f"measures {elsewhere.joint!r}" if elsewhere and elsewhere.joint else "does not exist"
                yield self.finding(f"no sensor measures the joint: the sensor {name!r} {where}", robot.joints[joint])
            elif name not in (s.name for s in there) and there[0].type == "force_torque":
                yield self.finding(f"the sensor measures {joint!r}, so its name is wrong; expected {name!r}", there[0])


class SensorDirection(IcubRule):
    """The force/torque sensors measure in the direction of those of the robot.

    Otherwise everything computed from a sensor has the wrong sign.
    """

    code = "ICUB-405"
    clause = "the sensors of versions 1 and 2 read what the link below applies to the link above"
    url = "https://github.com/icub-tech-iit/documentation/blob/master/docs/ft_sensors/ft_sensors.md"
    good = "<measure_direction>child_to_parent</measure_direction>"
    bad = "<measure_direction>parent_to_child</measure_direction>"

    def check(self, robot: Robot) -> Found:
        """A sensor that declares the other direction."""
        right = naming().force_torque.measures
        joints = {entry.correct.joint for entry in naming().fixed_joints}
        for sensor in robot.sensors.values():
            said = sensor.force_torque
            if sensor.joint in joints and said is not None and said.measures != right:
                yield self.finding(f"the sensor measures {said.measures}; expected {right}, as on the robot", sensor)
