"""REP-105, the frames of mobile platforms, as rules.

R105-001, one parent for each frame, is the reader's `two-parents`: a robot that breaks it is not made.
"""

from typing import ClassVar

from kinetree.rules.rule import Found, Robot, Rule

ORDER = ("earth", "map", "odom", "base_link")
"""From parent to child."""


class Rep105(Rule):
    """A clause of REP-105; its examples are pieces of a cart."""

    url: ClassVar[str] = "https://www.ros.org/reps/rep-0105.html"
    of_robot: ClassVar[bool] = True
    base: ClassVar[str | None] = """<robot name="cart">
  <link name="base_link"/>
  <link name="chassis"/>
  <joint name="base_link-chassis" type="fixed">
    <parent link="base_link"/><child link="chassis"/><axis xyz="0 0 1"/>
  </joint>
</robot>
"""


class WorldFrames(Rep105):
    """The model leaves the frames earth, map and odom to localisation, which puts them above base_link.

    Localisation and odometry broadcast where the robot is. If the model has these frames too, they get a second parent
    or another place.
    """

    code = "R105-002"
    level = "MUST"
    clause = "The map frame is the parent of odom, and odom is the parent of base_link"
    good = """<link name="chassis"/>"""
    bad = """<link name="chassis"/><link name="odom"/>
  <joint name="base_link-odom" type="fixed"><parent link="base_link"/><child link="odom"/></joint>"""

    def check(self, robot: Robot) -> Found:
        """Such a frame in the model: below one that it should be above, or at all."""
        for link in (name for name in ORDER[:-1] if name in robot.links):
            later = ORDER[ORDER.index(link) + 1 :]
            wrong = [joint.parent for joint in reversed(robot.joints_to(link)) if joint.parent in later]
            if wrong:
                message = f"the frame is below {wrong[0]!r}; the order is {' -> '.join(ORDER)}"
                yield self.finding(message, robot.links[link])
            else:
                message = "localisation broadcasts this frame; remove it from the model"
                yield self.finding(message, robot.links[link], severity="warning")
