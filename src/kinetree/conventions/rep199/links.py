"""Rules of REP-199 about the links of the chain, link_1, link_2, …"""

import re
from collections.abc import Iterator, Mapping

import numpy as np

from kinetree.conventions.rep199.arms import Arm
from kinetree.conventions.rep199.clause import Rep199, angle, geometry
from kinetree.conventions.rep199.fixes import number_links
from kinetree.errors import Finding
from kinetree.model.robot import Robot
from kinetree.spatial.se3 import Array

ALIGNED = 0.1
"""Largest angle of an aligned frame of a link, deg."""


def _links(robot: Robot, arm: Arm) -> list[str]:
    return [robot.joints[name].child for name in arm.moving]


def _number(arm: Arm, link: str) -> int | None:
    """Return N of a link with the name link_N and the arm's prefix."""
    match = re.fullmatch(rf"{re.escape(arm.prefix)}link_(0|[1-9]\d*)", link)
    return int(match[1]) if match else None


class LinkNames(Rep199):
    """The links of the chain are called link_N.

    Names of the maker's own make every program that uses them fit one maker.
    """

    code = "R199-301"
    clause = "link frames should be used for all link-local frames in the robot's kinematic chain"
    good = '"link_2"'
    bad = '"upper_arm"'
    mend = staticmethod(number_links)
    safe = False

    def check(self, robot: Robot, arms: tuple[Arm, ...]) -> Iterator[Finding]:
        """Links of an arm are called otherwise."""
        for arm in arms:
            others = [link for link in _links(robot, arm) if _number(arm, link) is None]
            if others:
                more = f" and {len(others) - 1} more" if len(others) > 1 else ""
                message = f"of the chain{more}: not called '{arm.prefix}link_N' ({', '.join(others[:8])})"
                yield self.finding(message, robot.links[others[0]])


class LinkNumbers(Rep199):
    """The links of the chain are numbered in their order, from 1.

    A newer text of the REP allows n in N, an older one wants it above 0; a chain that begins with link_0 is a remark.
    """

    code = "R199-302"
    clause = "suffixed with a non-negative integer corresponding to the natural order of the frame in the chain"
    good = '"link_6"'
    bad = '"link_7"'
    mend = staticmethod(number_links)
    safe = False

    def check(self, robot: Robot, arms: tuple[Arm, ...]) -> Iterator[Finding]:
        """The numbers do not go up by one, or begin otherwise than with 1."""
        for arm in arms:
            links = _links(robot, arm)
            numbers = [_number(arm, link) for link in links]
            for i, (link, number) in enumerate(zip(links, numbers, strict=True)):
                before = numbers[i - 1] if i else None
                if number is not None and before is not None and number != before + 1:
                    yield self.finding(f"follows {links[i - 1]!r} in the chain", robot.links[link])
            first = numbers[0]
            if first == 0:
                yield self.remark(
                    "is the first of the chain; examples of the REP begin with link_1", robot.links[links[0]]
                )
            elif first is not None and first != 1:
                yield self.finding("is the first of the chain, which begins with link_1", robot.links[links[0]])


class LinkOrientation(Rep199):
    """With all joints at zero, the frames of the links are turned like base_link.

    Good models of some makers choose other zeros or frames on purpose, so this is advice.
    """

    code = "R199-303"
    level = "MUST"
    evidence = "advice"
    clause = "These frames shall follow ROS conventions for both chirality and orientation"
    good = """<origin xyz="0 0 0.6"/>
    <parent link="link_2"/>"""
    bad = """<origin xyz="0 0 0.6" rpy="1.5707963267948966 0 0"/>
    <parent link="link_2"/>"""

    def check(self, robot: Robot, arms: tuple[Arm, ...], poses: Mapping[str, Array]) -> Iterator[Finding]:
        """Frames of links are turned."""
        for arm in arms:
            foot = poses[arm.base_link or arm.foot][:3, :3]
            turned = [link for link in _links(robot, arm) if angle(foot.T @ poses[link][:3, :3]) > ALIGNED]
            if turned:
                R = foot.T @ poses[turned[0]][:3, :3]
                axes = " ".join("xyz"[int(np.argmax(np.abs(R[:, i])))] for i in range(3))
                count = f", the first of {len(turned)} such links" if len(turned) > 1 else ""
                message = (
                    f"is turned by {angle(R):.4g} degrees with all joints at zero{count} (its axes lie along {axes})"
                )
                yield self.finding(message, robot.links[turned[0]])


class LinkGeometry(Rep199):
    """The links of the chain have geometry.

    It is expected, not required.
    """

    code = "R199-306"
    evidence = "advice"
    clause = "expected to have robot geometry associated with them …, but this is not required"
    good = """<visual><origin xyz="0.05 0 0.06"/><geometry><box size="0.2 0.2 0.2"/></geometry></visual>
    <collision><origin xyz="0.05 0 0.06"/><geometry><box size="0.2 0.2 0.2"/></geometry></collision>"""
    bad = ""

    def check(self, robot: Robot, arms: tuple[Arm, ...], bodies: Mapping[str, str]) -> Iterator[Finding]:
        """A link of the chain has no shapes, nor anything that is fixed to it."""
        shown = {bodies[link] for link in robot.links if geometry(robot, link)}
        for arm in arms:
            for link in _links(robot, arm):
                if link not in shown:
                    yield self.finding("moves, and has no geometry", robot.links[link])
