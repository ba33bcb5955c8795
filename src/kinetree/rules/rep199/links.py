"""Rules of REP-199 about the links of the chain, link_1, link_2, …"""

import re

from kinetree.robot_kinds.arms import Arm
from kinetree.rules.examples import SMALL_ARM
from kinetree.rules.rep199.clause import Arms, Rep199, angle, geometry
from kinetree.rules.rep199.fixes import number_links, numbered_links
from kinetree.rules.rep199.turns import ALIGNED, turn_links, turned_links
from kinetree.rules.rule import Bodies, Found, Poses, Robot, number
from kinetree.syntax.numbers import whole_number

LISTED = 7
"""Number of names in a message."""


def _number(arm: Arm, link: str) -> int | None:
    """Return N of a link with the name link_N and the arm's prefix."""
    match = re.fullmatch(rf"{re.escape(arm.prefix)}link_(0|[1-9][0-9]*)", link)
    return whole_number(match[1]) if match else None


class LinkNames(Rep199):
    """The links of an arm are called link_1, link_2 and so on.

    With names of the maker's own, a program that uses them fits the arms of one maker.
    """

    code = "R199-301"
    clause = "link frames should be used for all link-local frames in the robot's kinematic chain"
    base = good = SMALL_ARM
    bad = SMALL_ARM.replace('"link_1"', '"shoulder"').replace('"link_2"', '"upper_arm"')
    repair = staticmethod(number_links)
    safe = False

    def check(self, robot: Robot, arms: Arms) -> Found:
        """Links of an arm are called otherwise."""
        for arm in arms:
            others = [link for link in numbered_links(robot, arm) if _number(arm, link) is None]
            if others:
                links = numbered_links(robot, arm)
                listed = f"{', '.join(others[:LISTED])}{', …' if len(others) > LISTED else ''}"
                ends = f"{arm.prefix}link_1 {'…' if len(links) > 2 else 'and'} {arm.prefix}link_{len(links)}"
                message = f"links of this arm are not called {ends}: {listed}"
                if len(others) == 1:
                    message = f"this link of an arm is not called {arm.prefix}link_{links.index(others[0]) + 1}"
                fix: str | None = "kinetree fix --unsafe renames them where their names are written, not computed"
                if sum(other.prefix == arm.prefix for other in arms) > 1:
                    message, fix = f"{message}; each arm needs a prefix of its own too", None
                yield self.finding(message, robot.links[others[0]], fix=fix)


class LinkNumbers(Rep199):
    """The links of an arm are numbered in their order, from 1.

    One text of the REP allows link_0, an older one does not; an arm that begins with link_0 gets a remark.
    """

    code = "R199-302"
    clause = "suffixed with a non-negative integer corresponding to the natural order of the frame in the chain"
    base = good = SMALL_ARM
    bad = SMALL_ARM.replace('"link_2"', '"link_3"')
    repair = staticmethod(number_links)
    safe = False

    def check(self, robot: Robot, arms: Arms) -> Found:
        """The numbers do not go up by one, or begin otherwise than with 1."""
        for arm in arms:
            links = numbered_links(robot, arm)
            numbers = [_number(arm, link) for link in links]
            for i, (link, n) in enumerate(zip(links, numbers, strict=True)):
                before = numbers[i - 1] if i else None
                if n is not None and before is not None and n != before + 1:
                    wanted = f"{arm.prefix}link_{before + 1}"
                    yield self.finding(f"comes after {links[i - 1]!r}; expected {wanted}", robot.links[link])
            first = numbers[0]
            if first == 0:
                message = "is the first link of the arm; the examples of REP-199 begin with link_1"
                yield self.remark(message, robot.links[links[0]])
            elif first is not None and first != 1:
                yield self.finding(f"is the first link of the arm; expected {arm.prefix}link_1", robot.links[links[0]])


class LinkOrientation(Rep199):
    """With all joints at zero, the frames of the links have the axes of base_link.

    Good models of some makers choose another zero or other frames on purpose, so this is advice.
    """

    code = "R199-303"
    thresholds = (ALIGNED,)
    level = "MUST"
    evidence = "advice"
    clause = "These frames shall follow ROS conventions for both chirality and orientation"
    good = """<origin xyz="0 0 0.6"/>
    <parent link="link_2"/>"""
    bad = """<origin xyz="0 0 0.6" rpy="1.5707963267948966 0 0"/>
    <parent link="link_2"/>"""

    repair = staticmethod(turn_links)
    safe = False
    by_name = True

    def check(self, robot: Robot, arms: Arms, poses: Poses) -> Found:
        """Frames of links are turned."""
        for foot, turns in turned_links(robot, arms, poses):
            if turned := [*turns]:
                R = turns[turned[0]][:3, :3]
                more = len(turned) - 1
                rest = f"; {more} more link{'s' * (more > 1)} of the arm {'are' if more > 1 else 'is'} rotated too"
                message = f"is rotated {number(angle(R))} degrees in {foot!r} with all joints at zero"
                fix = "kinetree fix --unsafe --select R199-303 turns them, and leaves all else in its place"
                yield self.finding(
                    f"{message}; expected the same axes{rest if more else ''}", robot.links[turned[0]], fix=fix
                )


class LinkGeometry(Rep199):
    """The links of an arm have geometry.

    REP-199 expects it and does not require it.
    """

    code = "R199-306"
    evidence = "advice"
    clause = "expected to have robot geometry associated with them …, but this is not required"
    good = """<visual><origin xyz="0.05 0 0.06"/><geometry><box size="0.2 0.2 0.2"/></geometry></visual>
    <collision><origin xyz="0.05 0 0.06"/><geometry><box size="0.2 0.2 0.2"/></geometry></collision>"""
    bad = ""

    def check(self, robot: Robot, arms: Arms, bodies: Bodies) -> Found:
        """A link of the chain has no shapes, nor anything that is fixed to it."""
        shown = {bodies[link] for link in robot.links if geometry(robot, link)}
        for arm in arms:
            for link in numbered_links(robot, arm):
                if link not in shown:
                    message = "a joint moves this link, which has no geometry; expected a shape"
                    yield self.finding(message, robot.links[link])
