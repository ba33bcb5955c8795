"""Joints and links: there, called so, and in their places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from kinetree.conventions.icub.page import MOVING, IcubRule, beyond, remark
from kinetree.errors import Finding, Severity
from kinetree.model.robot import Robot
from kinetree.robots.icub.naming import LinkRow, naming
from kinetree.spatial.se3 import Array


class IsAnICub(IcubRule):
    """The model is one of a whole iCub: half of the page's 32 joints are there by name, and move.

    A part such as a hand, or another robot, would only be accused of lacking everything.
    """

    code = "ICUB-001"
    level = "MUST"
    evidence = "certain"
    clause = "joints l_hip_pitch to r_wrist_yaw"
    good = 'type="revolute"'
    bad = 'type="fixed"'
    requires = ()

    def check(self, robot: Robot) -> Iterator[Finding]:
        """Too few of the joints."""
        there = sum(name in robot.joints and robot.joints[name].kind.nq > 0 for name in MOVING)
        if 2 * there < len(MOVING):
            yield self.finding(
                f"has {there} of the iCub's {len(MOVING)} joints; the other rules of this profile are not asked",
                f"robot {robot.name!r}",
            )


class JointMissing(IcubRule):
    """All 32 joints are there by name, and move.

    Controllers, calibration and datasets address joints by name; what a model calls otherwise they do not find.
    """

    code = "ICUB-101"
    level = "MUST"
    clause = "the joints of the control boards keep the names that they have there"
    good = '<joint name="l_elbow"'
    bad = '<joint name="left_elbow"'

    def check(self, robot: Robot) -> Iterator[Finding]:
        """A joint of the page that the model lacks, or that does not turn."""
        for entry in naming().joints:
            board, name = entry.correct
            joint = robot.joints.get(name)
            if joint is None:
                yield self.finding(f"there is no joint of this name; it is one of board {board}", f"joint {name!r}")
            elif joint.mimic:
                yield self.finding(f"follows {joint.mimic.joint!r}; on board {board} it moves by itself", joint)
            elif joint.type not in ("revolute", "continuous"):
                yield self.finding(f"is {joint.type}; on board {board} it is revolute", joint)


class JointExtra(IcubRule):
    """Joints that move and that the page does not have.

    Behind head and hands there may be any: the page leaves eyes and hands out on purpose.
    """

    code = "ICUB-102"
    level = "MAY"
    clause = "eyes and hands are not handled"
    good = '<link name="eyes_tilt_frame"/>'
    bad = """<link name="tail"/>
  <joint name="wag" type="continuous"><parent link="root_link"/><child link="tail"/><axis xyz="0 0 1"/></joint>
  <link name="eyes_tilt_frame"/>"""

    def check(self, robot: Robot) -> Iterator[Finding]:
        """A moving joint beyond the page; those of eyes and hands together."""
        apart, aside = beyond(robot), []
        for joint in robot.joints.values():
            if joint.kind.nq == 0 or joint.name in MOVING:
                continue
            if joint.child in apart:
                aside.append(joint.name)
            else:
                yield self.finding("moves, and the page does not have it", joint)
        if aside:
            yield self.finding(
                f"{_count(aside, 'joint moves', 'joints move')} behind head and hands, which the page \
leaves out on purpose: {', '.join(aside)}",
                f"robot {robot.name!r}",
            )


class FixedJointMissing(IcubRule):
    """The six force/torque sensors are fixed joints.

    Between the two plates of a sensor there is no motion but a wrench. Feet of version 1 have no sensor.
    """

    code = "ICUB-103"
    level = "SHOULD"
    clause = "force/torque sensors are joints without motion"
    good = '"l_leg_ft_sensor"'
    bad = '"l_leg_ft"'

    def check(self, robot: Robot) -> Iterator[Finding]:
        """A fixed joint of the page that the model lacks, or that moves."""
        for entry in naming().fixed_joints:
            sensor, name = entry.correct
            joint = robot.joints.get(name)
            feet = "; feet of version 1 have none" if "_foot_" in name else ""
            if joint is None:
                yield self.finding(
                    f"there is no joint of this name, which sensor {sensor} measures{feet}", _label(name)
                )
            elif joint.type != "fixed":
                yield self.finding(f"is {joint.type}; a force/torque sensor is fixed", joint)


class LinkMissing(IcubRule):
    """All links of the page are there by name."""

    code = "ICUB-201"
    level = "MUST"
    clause = "the table of links"
    good = '"l_hip_3"'
    bad = '"l_hip_behind_sensor"'

    def check(self, robot: Robot) -> Iterator[Finding]:
        """A link of the page that the model lacks."""
        for entry in naming().links:
            name, joint, parent = entry.correct
            if name in robot.links:
                continue
            feet = "; feet of version 1 have none" if name.endswith("ankle_2") else ""
            where = f", which {joint!r} carries on {parent!r}" if joint else ""
            yield self.finding(f"there is no link of this name{where}{feet}", f"link {name!r}")


class LinkExtra(IcubRule):
    """Bodies that the page does not have.

    A link with mass is a body; links without are frames, and of these a model may have any number. Eyes and hands are
    left out of the page on purpose.
    """

    code = "ICUB-202"
    level = "MAY"
    clause = "the table of links"
    good = '<link name="eyes_tilt_frame"/>'
    bad = """<link name="backpack">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="straps" type="fixed"><parent link="chest"/><child link="backpack"/></joint>
  <link name="eyes_tilt_frame"/>"""

    def check(self, robot: Robot) -> Iterator[Finding]:
        """A link with mass beyond the page, and how many without."""
        known = {entry.correct.link for entry in naming().links}
        known |= {name for entry in naming().frames for name in (entry.correct.frame, *entry.known_as)}
        apart, aside, frames = beyond(robot), [], []
        for link in robot.links.values():
            if link.name in known:
                continue
            if not (link.inertial and link.inertial.mass > 0):
                frames.append(link.name)
            elif link.name in apart:
                aside.append(link.name)
            else:
                yield self.finding("has mass, and the page does not have it", link)
        if aside:
            yield self.finding(
                f"{_count(aside, 'link', 'links')} with mass behind head and hands, which the page leaves \
out on purpose: {', '.join(aside)}",
                f"robot {robot.name!r}",
            )
        if frames:
            yield self.finding(
                f"{_count(frames, 'link', 'links')} without mass that the page does not have: \
{', '.join(frames)}",
                f"robot {robot.name!r}",
            )


class Misplaced(IcubRule):
    """Every link hangs on the link and by the joint of its row.

    Who counts joints along a limb, or carries a wrench through it, takes the tree for granted.
    """

    code = "ICUB-203"
    level = "MUST"
    clause = "columns Parent Joint and Parent Link"
    good = '<parent link="l_upper_arm"/>\n    <child link="l_elbow_1"/>'
    bad = '<parent link="l_shoulder_2"/>\n    <child link="l_elbow_1"/>'

    def check(self, robot: Robot) -> Iterator[Finding]:
        """A link on another parent, or behind another joint."""
        above = {joint.child: joint for joint in robot.joints.values()}
        for entry in naming().links:
            row = entry.correct
            if not row.joint or row.link not in robot.links:
                continue
            joint = above.get(row.link)
            link, right = robot.links[row.link], f"the page has {row.parent!r} and {row.joint!r}{remark(entry)}"
            severity: Severity | None = "info" if entry.printed is None else None
            if joint is None:
                yield self.finding(f"is the root; {right}", link, severity=severity)
            elif (joint.name, joint.parent) != (row.joint, row.parent):
                said = f"hangs on {joint.parent!r} by {joint.name!r}; {right}{_feet(row, robot)}"
                yield self.finding(said, link, source=joint.source, severity=severity)


class Root(IcubRule):
    """root_link is the root, or held to it without an offset.

    Everything is expressed in root_link; models made from tables have a base_link above it, fixed.
    """

    code = "ICUB-204"
    level = "MUST"
    clause = "root_link is the body that can be attached to the pole"
    good = '<link name="root_link"/>'
    bad = """<link name="pole"/>
  <joint name="mount" type="floating"><parent link="pole"/><child link="root_link"/></joint>
  <link name="root_link"/>"""

    def check(self, robot: Robot, poses: Mapping[str, Array]) -> Iterator[Finding]:
        """Another root that is not held to root_link, or stands elsewhere."""
        if "root_link" not in robot.links or robot.root == "root_link":
            return
        above = {joint.child: joint for joint in robot.joints.values()}
        link = "root_link"
        while link in above:
            joint = above[link]
            if joint.type != "fixed":
                yield self.finding(
                    f"is {joint.type} and stands above 'root_link', whose pose then depends on it", joint
                )
                return
            link = joint.parent
        offset = float(np.abs(poses["root_link"] - np.eye(4)).max())
        if offset > 1e-6:
            message = f"is held to the root {robot.root!r} with an offset, by which poses in the two differ"
            yield self.finding(message, robot.links["root_link"], severity="warning")
        else:
            yield self.finding(
                f"is held to the root {robot.root!r} without offset", robot.links["root_link"], severity="info"
            )


RULES = (IsAnICub, JointMissing, JointExtra, FixedJointMissing, LinkMissing, LinkExtra, Misplaced, Root)


def _count(names: list[str], one: str, many: str) -> str:
    return f"{len(names)} {one if len(names) == 1 else many}"


def _label(name: str) -> str:
    return f"joint {name!r}"


def _feet(row: LinkRow, robot: Robot) -> str:
    """A clause for feet of version 1, which the ankle's roll moves directly."""
    return "; feet of version 1 are so" if row.link.endswith("_foot") and row.parent not in robot.links else ""
