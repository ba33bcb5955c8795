"""Rules about the existence, names and places of joints and links."""

import re
from collections.abc import Container, Iterable, Iterator
from typing import Any

import numpy as np

from kinetree.errors import Finding, nearest_names
from kinetree.repairs.edit import Repair
from kinetree.repairs.fixes import Elements
from kinetree.repairs.rename_references import rename_repairs
from kinetree.robots.icub.naming import Entry, naming
from kinetree.rules.icub.page import MOVING, IcubRule, listed, remark
from kinetree.rules.rule import Found, Poses, Robot, fact

FEET = 14
"""The deviation about the feet of version 1."""
WORDS = {"left": "l", "right": "r", "waist": "torso"}
"""Words of older names, and those of the page."""
UNLISTED = "the naming conventions do not list it"
CARRIED = tuple(entry.correct.link for entry in naming().links)
"""The links of the page."""


def rename_joints(robot: Robot, elements: Elements) -> Iterator[Repair]:
    """Rename joints whose older names have other words for the sides and the torso."""
    moving, fixed = ([entry.correct.joint for entry in table] for table in (naming().joints, naming().fixed_joints))
    page = moving + fixed
    wanted: dict[str, str] = {}
    for name in robot.joints:
        words = re.split(r"[_-]", name.lower())
        new = "_".join(WORDS.get(word, word) for word in words)
        new = new if new in page else new.removesuffix("_joint")
        if new in page and name not in page and new not in robot.joints:
            wanted[new] = "" if new in wanted else name  # of two candidates none
    names = {("joint", old): new for new, old in wanted.items() if old}
    yield from rename_repairs(robot, elements, names, [f"joint {new!r}" for new in names.values()])


def rename_links(robot: Robot, elements: Elements) -> Iterator[Repair]:
    """Rename links that a joint of the page carries between links of the page, and that have another name."""
    page = {entry.correct.link for entry in naming().links}
    frames = {name for entry in naming().frames for name in (entry.correct.frame, *entry.known_as)}
    names = {}
    for entry in naming().links:
        link, joint, _ = entry.correct
        if link not in robot.links and joint in robot.joints and robot.joints[joint].child not in page | frames:
            names["link", robot.joints[joint].child] = link
    yield from rename_repairs(robot, elements, names, [f"link {new!r}" for new in names.values()])


@fact
def first_feet(robot: Robot) -> set[str]:
    """Return the sides, l and r, whose foot is of version 1: without a sensor, moved by the ankle's roll itself."""
    sides = set()
    for entry in naming().links:
        link = entry.correct.link
        joint = robot.parent_joint(link) if link in robot.links else None
        if FEET in entry.deviations and joint and (link, joint.name, joint.parent) in entry.also:
            sides.add(link[0])
    return sides


class IsAnICub(IcubRule):
    """The model is a whole iCub: at least half of the 32 joints of the naming conventions exist, and move.

    For a part such as a hand, or for another robot, the other rules would report everything as missing.
    """

    code = "ICUB-001"
    level = "MUST"
    evidence = "certain"
    clause = "joints l_hip_pitch to r_wrist_yaw"
    good = 'type="revolute"'
    bad = 'type="fixed"'
    requires = ()

    def check(self, robot: Robot) -> Found:
        """Too few of the joints."""
        there = sum(name in robot.joints and robot.joints[name].kind.nq > 0 for name in MOVING)
        if 2 * there < len(MOVING):
            message = f"the robot has {there} of the iCub's {len(MOVING)} joints,"
            message += " so no other rule of this profile is run"
            named = [joint for joint in robot.joints if joint.lower().replace("-", "_").endswith(MOVING)]
            if 2 * len(named) >= len(MOVING):
                message += f"; names such as {named[0]!r} are similar: change them with kinetree.edit.rename or prefix"
            yield self.finding(message, robot)


class JointMissing(IcubRule):
    """All 32 joints of the naming conventions exist, and move.

    Controllers, calibration and datasets find joints by name.
    """

    code = "ICUB-101"
    level = "MUST"
    clause = "the joints of the control boards keep the names that they have there"
    good = '<joint name="l_elbow"'
    bad = '<joint name="left_elbow"'
    repair = staticmethod(rename_joints)
    safe = False
    uncovers = ("ICUB-",)

    def check(self, robot: Robot) -> Found:
        """A joint of the page that the model lacks, or that does not turn."""
        for entry in naming().joints:
            board, name = entry.correct
            joint = robot.joints.get(name)
            if joint is None:
                message = f"the joint of board {board} does not exist{alike(name, robot.joints, MOVING)}"
                yield self.finding(message, f"joint {name!r}")
            elif joint.mimic:
                message = f"the joint follows {joint.mimic.joint!r}, but on board {board} it moves by itself"
                yield self.finding(message, joint)
            elif joint.type not in ("revolute", "continuous"):
                yield self.finding(f"the joint is {joint.type}; expected revolute, as on board {board}", joint)


class JointExtra(IcubRule):
    """All moving joints are in the naming conventions.

    Eyes and hands may have other joints: they are left out on purpose.
    """

    code = "ICUB-102"
    level = "MAY"
    clause = "eyes and hands are not handled"
    good = '<link name="eyes_tilt_frame"/>'
    bad = """<link name="tail"/>
  <joint name="wag" type="continuous"><parent link="root_link"/><child link="tail"/><axis xyz="0 0 1"/></joint>
  <link name="eyes_tilt_frame"/>"""

    def check(self, robot: Robot, beyond: set[str]) -> Found:
        """A moving joint beyond the page; those of eyes and hands together."""
        of_eyes_and_hands = []
        for joint in robot.joints.values():
            if joint.kind.nq == 0 or joint.name in MOVING or joint.child == "root_link":
                continue
            if joint.child in beyond:
                of_eyes_and_hands.append(joint.name)
            else:
                yield self.finding(f"the joint moves, but {UNLISTED}", joint)
        if of_eyes_and_hands:
            joints = listed(of_eyes_and_hands, "moving joint", "moving joints")
            yield self.finding(f"eyes and hands, where any joint is allowed, have {joints}", robot)


class FixedJointMissing(IcubRule):
    """The six force/torque sensors are fixed joints.

    The two plates of a sensor do not move relative to each other.
    """

    code = "ICUB-103"
    clause = "force/torque sensors are joints without motion"
    good = '"l_leg_ft_sensor"'
    bad = '"l_leg_ft"'

    def check(self, robot: Robot, first_feet: set[str]) -> Found:
        """A fixed joint of the page that the model lacks, or that moves."""
        for entry in naming().fixed_joints:
            sensor, name = entry.correct
            joint = robot.joints.get(name)
            if joint is None:
                message = f"the joint that sensor {sensor} measures does not exist"
                yield missing(self, entry, first_feet, message, f"joint {name!r}")
            elif joint.type != "fixed":
                yield self.finding(f"the joint of a force/torque sensor is {joint.type}; expected fixed", joint)


class LinkMissing(IcubRule):
    """All links of the naming conventions exist."""

    code = "ICUB-201"
    level = "MUST"
    clause = "the table of links"
    good = '"l_hip_3"'
    bad = '"l_hip_behind_sensor"'
    repair = staticmethod(rename_links)
    safe = False
    uncovers = ("ICUB-",)

    def check(self, robot: Robot, first_feet: set[str]) -> Found:
        """A link of the page that the model lacks."""
        for entry in naming().links:
            name, joint, parent = entry.correct
            if name not in robot.links:
                where = f" that joint {joint!r} carries below {parent!r}" if joint else ""
                message = f"the link{where} does not exist{alike(name, robot.links, CARRIED)}"
                yield missing(self, entry, first_feet, message, f"link {name!r}")


class LinkExtra(IcubRule):
    """All links with mass are in the naming conventions.

    Links without mass are frames; a model may have any number of them. They leave eyes and hands out on purpose.
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

    def check(self, robot: Robot, beyond: set[str]) -> Found:
        """A link with mass beyond the page; those of eyes and hands together, and those without mass."""
        known = {entry.correct.link for entry in naming().links}
        known |= {name for entry in naming().frames for name in (entry.correct.frame, *entry.known_as)}
        of_eyes_and_hands, frames = [], []
        for link in robot.links.values():
            if link.name in known:
                continue
            if not (link.inertial and link.inertial.mass > 0):
                frames.append(link.name)
            elif link.name in beyond:
                of_eyes_and_hands.append(link.name)
            else:
                yield self.finding(f"the link has mass, but {UNLISTED}", link)
        if of_eyes_and_hands:
            links = listed(of_eyes_and_hands, "link with mass", "links with mass")
            yield self.finding(f"eyes and hands, where any link is allowed, have {links}", robot)
        if frames:
            links = listed(frames, "link without mass", "links without mass")
            yield self.finding(f"the naming conventions do not list {links}", robot)


class Root(IcubRule):
    """root_link is the root, or attached to it without an offset.

    Everything is expressed in root_link. Models made from tables have a fixed base_link above it, and walking models a
    floating joint.
    """

    code = "ICUB-204"
    level = "MUST"
    clause = "root_link is the body that can be attached to the pole"
    good = '<link name="root_link"/>'
    bad = """<link name="pole"/>
  <joint name="mount" type="continuous">
    <parent link="pole"/><child link="root_link"/><axis xyz="0 0 1"/>
  </joint>
  <link name="root_link"/>"""

    def check(self, robot: Robot, poses: Poses) -> Found:
        """Another root that is not held to root_link, or stands elsewhere."""
        root = robot.links.get("root_link")
        way = robot.joints_to("root_link") if root else ()
        if root and (moved := [joint for joint in way if joint.type not in ("fixed", "floating")]):
            message = f"the joint {moved[-1].name!r} above root_link is {moved[-1].type}; expected fixed or floating"
            yield self.finding(message, root)
        elif root and way:
            how = "floats relative to" if way[-1].type == "floating" else "is attached to"
            if float(np.abs(poses[root.name] - np.eye(4)).max()) > 1e-6:
                message = f"the link {how} the root {robot.root!r} with an offset, so poses in the two frames differ"
                yield self.finding(message, root, severity="warning")
            else:
                yield self.remark(f"the link {how} the root {robot.root!r} without an offset", root)


class LinkPlaces(IcubRule):
    """The parent link and the parent joint of every link are those of the naming conventions.

    Programs that count joints along a limb, or propagate wrenches through it, rely on this tree.
    """

    code = "ICUB-203"
    level = "MUST"
    clause = "columns Parent Joint and Parent Link"
    good = '<parent link="l_upper_arm"/>\n    <child link="l_elbow_1"/>'
    bad = '<parent link="l_shoulder_2"/>\n    <child link="l_elbow_1"/>'
    requires = ("ICUB-001", "ICUB-204")

    def check(self, robot: Robot) -> Found:
        """A link on another parent, or behind another joint."""
        for entry in naming().links:
            row = entry.correct
            joint = robot.parent_joint(row.link) if row.link in robot.links else None
            if not row.joint or joint is None or (joint.name, joint.parent) == (row.joint, row.parent):
                continue
            link, said = robot.links[row.link], f"the parent is {joint.parent!r} by joint {joint.name!r}"
            right = f"expected {row.parent!r} by {row.joint!r}{remark(entry) if joint.parent != row.parent else ''}"
            if (row.link, joint.name, joint.parent) in entry.also:
                which = "feet of version 1" if FEET in entry.deviations else "some published models"
                yield self.finding(f"{said}, as in {which}; {right}", link, source=joint.source, severity="info")
            else:
                yield self.finding(f"{said}; {right}", link, source=joint.source)


def alike(name: str, there: Iterable[str], known: Container[str]) -> str:
    """Return a clause that asks whether one of the unused names is meant, or ""."""
    near = nearest_names(name, [other for other in there if other not in known])
    return f"; {near}" if near.startswith("did you mean") else ""


def missing(rule: IcubRule, entry: Entry[Any], first_feet: set[str], message: str, element: str) -> Finding:
    """Return the finding on a row that the model lacks; only a remark for feet of version 1, which lack it too."""
    if FEET in entry.deviations and element.split("'")[1][0] in first_feet:
        return rule.remark(f"{message}; feet of version 1 do not have it", element)
    return rule.finding(message, element)
