"""Rules of REP-199 about the frames of tools that applications add."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from kinetree.conventions.facts import fact
from kinetree.conventions.rep199.arms import NAMES, Arm
from kinetree.conventions.rep199.clause import Rep199, children, geometry, parent
from kinetree.conventions.rep199.fixes import hang_tools
from kinetree.conventions.rule import link_or_frame
from kinetree.errors import Finding
from kinetree.model.robot import Robot

TOOL = re.compile(r"(?i)(.*[_/-])?(tcp|tool|torch|gripper|eef?|end_?effector)(\d+|[_/-].*)?")
"""Names of frames of tools."""
NUMBERED = re.compile(r"(?i)tool[_-]?(0\d+|[1-9]\d*)")
MEANINGLESS = re.compile(
    r"(?i)(tool|tcp|ee|eef|end_?effector|frame|link|dummy|te?mp|test|mate|(new|tool|tcp)[_-]?frame|new[_-]?link)[_-]?\d*"
)
LEGAL = re.compile(r"[A-Za-z/][A-Za-z0-9_/]*")


class Tool(NamedTuple):
    """A frame of a tool. bare: its name without the arm's prefix."""

    name: str
    bare: str
    arm: Arm


@fact
def tools(robot: Robot, arms: tuple[Arm, ...], bodies: Mapping[str, str]) -> tuple[Tool, ...]:
    """Return the frames at the end of an arm without geometry and children that have names of tools or are on flange or
    tool0."""
    found = []
    for arm in arms:
        on_them = {joint.child for frame in (arm.flange, arm.tool0) for joint in children(robot, frame)}
        for name, body in bodies.items():
            own = name in (arm.flange, arm.tool0, arm.end, arm.base_link, arm.base, *NAMES)
            if body != arm.end or own or geometry(robot, name) or children(robot, name):
                continue
            bare = name.removeprefix(arm.prefix)
            if name in on_them or TOOL.fullmatch(bare):
                found.append(Tool(name, bare, arm))
    return tuple(found)


class NumberedTools(Rep199):
    """No tool is called toolN.

    The number says nothing to whoever does not sit in front of the controller.
    """

    code = "R199-601"
    clause = "It is strongly discouraged to use toolN names for application-specific tool frames"
    good = '<link name="base"/>'
    bad = """<link name="tool1"/>
  <joint name="flange-tool1" type="fixed"><parent link="flange"/><child link="tool1"/></joint>
  <link name="base"/>"""

    def check(self, robot: Robot, tools: tuple[Tool, ...]) -> Iterator[Finding]:
        """A tool's frame is called toolN."""
        for tool in tools:
            if NUMBERED.fullmatch(tool.bare):
                yield self.finding("a number says nothing of the tool", link_or_frame(robot, tool.name))


class MeaninglessTools(Rep199):
    """The names of tools say which tools they are.

    Whoever takes the wrong tool's frame moves the robot to the wrong place. Judged by a list of empty words.
    """

    code = "R199-602"
    evidence = "heuristic"
    clause = "Any name is acceptable, as long as it is semantically meaningful"
    requires = ("R199-601",)
    good = '<link name="base"/>'
    bad = """<link name="new_frame"/>
  <joint name="flange-new_frame" type="fixed"><parent link="flange"/><child link="new_frame"/></joint>
  <link name="base"/>"""

    def check(self, robot: Robot, tools: tuple[Tool, ...]) -> Iterator[Finding]:
        """A tool's frame has a name that any tool's could have."""
        for tool in tools:
            if MEANINGLESS.fullmatch(tool.bare):
                yield self.finding("any tool's frame could be called so", link_or_frame(robot, tool.name))


class ToolNames(Rep199):
    """The names of tools are legal names of ROS.

    Letters, digits, `_` and `/`, beginning with a letter; others break topics, parameters and configurations.
    """

    code = "R199-603"
    clause = "follows the naming guidelines for ROS resources"
    good = '<link name="base"/>'
    bad = """<link name="welding-torch"/>
  <joint name="flange-torch" type="fixed"><parent link="flange"/><child link="welding-torch"/></joint>
  <link name="base"/>"""

    def check(self, robot: Robot, tools: tuple[Tool, ...]) -> Iterator[Finding]:
        """A tool's name has other characters."""
        for tool in tools:
            if not LEGAL.fullmatch(tool.name):
                yield self.finding("is not a legal name of ROS", link_or_frame(robot, tool.name))


class ToolPlaces(Rep199):
    """The frames of tools hang on flange, beside tool0.

    What an application adds is relative to what people bolt it on. (Tools on tool0 are R199-508.)
    """

    code = "R199-604"
    clause = "should be made siblings of the tool0 frame and, as such, children of flange"
    good = '<link name="base"/>'
    bad = """<link name="welding_torch_tcp"/>
  <joint name="torch" type="fixed"><parent link="link_6"/><child link="welding_torch_tcp"/></joint>
  <link name="base"/>"""
    mend = staticmethod(hang_tools)

    def check(self, robot: Robot, tools: tuple[Tool, ...]) -> Iterator[Finding]:
        """A tool's frame hangs on the last link."""
        for tool in tools:
            if tool.arm.flange and parent(robot, tool.name) == tool.arm.end != tool.arm.flange:
                yield self.finding(
                    f"hangs on {tool.arm.end!r}, not on {tool.arm.flange!r}", link_or_frame(robot, tool.name)
                )
