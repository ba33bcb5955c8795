"""Frames of chains, sensors and skin, on their links; and the sensors themselves."""

from collections.abc import Iterator, Mapping

from kinetree.conventions.icub.page import IcubRule
from kinetree.errors import Finding
from kinetree.model.robot import Robot
from kinetree.robots.icub.naming import naming

MEASURE_WRENCHES = ("force_torque", "force", "torque")
"""Types of wrench sensors; MuJoCo separates the last two."""


class FrameMissing(IcubRule):
    """The frames of the page are there, by the page's names.

    Published models call some of them otherwise: l_arm_ft for l_arm_ft_frame, which is said and no fault.
    """

    code = "ICUB-401"
    clause = "the table of frames"
    good = '"imu_frame"'
    bad = '"imu"'

    def check(self, robot: Robot) -> Iterator[Finding]:
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
                message = f"there is no frame of this name; the model calls it {other!r}, as published models do"
                yield self.remark(message, element)
            elif not any(link in robot.links for link in links):
                message = f"there is no frame of this name, nor its link {' or '.join(map(repr, links))}"
                yield self.remark(message, element)
            elif joint and joint not in robot.joints:
                yield self.remark(f"there is no frame of this name, nor the sensor's joint {joint!r}", element)
            else:
                yield self.finding(f"there is no frame of this name on {links[-1]!r}", element)


class FrameMisplaced(IcubRule):
    """A frame is fixed to the link that its row names."""

    code = "ICUB-402"
    level = "MUST"
    clause = "column Link of the table of frames"
    good = '<parent link="head"/>\n    <child link="imu_frame"/>'
    bad = '<parent link="chest"/>\n    <child link="imu_frame"/>'

    def check(self, robot: Robot, body_of: Mapping[str, str]) -> Iterator[Finding]:
        """A frame on another body; one that follows the right one is remarked upon."""
        for entry in naming().frames:
            name, links, _ = entry.correct
            known = next((other for other in (name, *entry.known_as) if other in robot.frames), None)
            bodies = {body_of[link] for link in links if link in robot.links}
            if known is None or not bodies:
                continue
            body = body_of[robot.frames[known].link]
            if body not in bodies:
                message = f"is fixed to {body!r}; the page has it on {' or '.join(map(repr, links))}"
                joint = robot.parent_joint(body)
                mimic = joint.mimic if joint else None
                follows = mimic is not None and robot.joints[mimic.joint].child in bodies
                make = self.remark if follows else self.finding
                yield make(message, robot.frames[known])


class SkinFrameMissing(IcubRule):
    """The frames in which the skin says its taxels and contacts are there.

    Without them a contact on that part cannot be taken to any other frame.
    """

    code = "ICUB-403"
    clause = "the table of skin frames"
    good = '"l_forearm_dh_frame"'
    bad = '"l_forearm_skin"'

    def check(self, robot: Robot) -> Iterator[Finding]:
        """A frame of a part of the skin that the model lacks."""
        for entry in naming().skin:
            name, link, part = entry.correct
            if name and name not in robot.frames:
                yield self.finding(f"there is no such frame on {link!r}, in which {part} speaks", f"frame {name!r}")


class SensorMissing(IcubRule):
    """Each force/torque joint of the model has its sensor, by the sensor's name.

    A joint that only stands for a sensor measures nothing in a simulation unless the sensor is declared.
    """

    code = "ICUB-404"
    clause = "the table of fixed joints"
    good = '<sensor name="l_arm_ft" type="force_torque">'
    bad = '<sensor name="l_arm_wrench" type="force_torque">'

    def check(self, robot: Robot) -> Iterator[Finding]:
        """A force/torque joint without a sensor, or one whose sensor is called otherwise."""
        for entry in naming().fixed_joints:
            name, joint = entry.correct
            if joint not in robot.joints:
                continue  # ICUB-103 reports it
            there = [s for s in robot.sensors.values() if s.joint == joint and s.type in MEASURE_WRENCHES]
            if not there:
                elsewhere = robot.sensors.get(name)
                where = f"measures {elsewhere.joint!r}" if elsewhere and elsewhere.joint else "is not there"
                yield self.finding(f"no force/torque sensor measures it; {name!r} {where}", robot.joints[joint])
            elif name not in (s.name for s in there) and there[0].type == "force_torque":
                yield self.finding(f"measures {joint!r} under another name than {name!r}", there[0])


class SensorDirection(IcubRule):
    """No force/torque sensor declares another direction than the robot's own have.

    Its sign is that of everything computed from it.
    """

    code = "ICUB-405"
    clause = "the sensors of versions 1 and 2 read what the link below applies to the link above"
    url = "https://github.com/icub-tech-iit/documentation/blob/master/docs/ft_sensors/ft_sensors.md"
    good = "<measure_direction>child_to_parent</measure_direction>"
    bad = "<measure_direction>parent_to_child</measure_direction>"

    def check(self, robot: Robot) -> Iterator[Finding]:
        """A sensor that declares the other direction."""
        right = naming().force_torque.measures
        joints = {entry.correct.joint for entry in naming().fixed_joints}
        for sensor in robot.sensors.values():
            said = sensor.force_torque
            if sensor.joint in joints and said is not None and said.measures != right:
                yield self.finding(f"declares that it measures {said.measures}; the robot's is {right}", sensor)
