"""Rules of REP-199 about the frames of tools that applications add."""

import re
from typing import NamedTuple

from kinetree.robot_kinds.arms import NAMES, Arm
from kinetree.rules.quality import with_blocks
from kinetree.rules.rep199.clause import Arms, Rep199, children, geometry, parent
from kinetree.rules.rep199.fixes import hang_tools
from kinetree.rules.rule import Bodies, Found, Robot, fact

TOOL = re.compile(r"(?i)(.*[_/-])?(tcp|tool|torch|gripper|eef?|end_?effector)\d*([_/-].*)?")
"""Names of frames of tools."""
NUMBERED = re.compile(r"(?i)(.*[_/-])?tool[_-]?(0\d+|[1-9]\d*)([_/-](frame|link|tcp|tip))?")
"""toolN, with any word before it, which is no more than a prefix, or with the kind of thing behind it."""
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
def tools(robot: Robot, arms: Arms, bodies: Bodies) -> tuple[Tool, ...]:
    """Return the frames at the end of an arm without geometry and children that have names of tools or are on flange or
    tool0. A shape that is only seen marks a frame that is called toolN, and makes no body of it."""
    found = []
    for arm in arms:
        on_them = {joint.child for frame in (arm.flange, arm.tool0) for joint in children(robot, frame)}
        for name, body in bodies.items():
            own = name in (arm.flange, arm.tool0, arm.end, arm.base_link, arm.base, *NAMES)
            if body != arm.end or own or children(robot, name):
                continue
            bare, link = name.removeprefix(arm.prefix), robot.links.get(name)
            is_mark = link is not None and not link.collisions and link.inertial is None
            if geometry(robot, name) and not (NUMBERED.fullmatch(bare) and is_mark):
                continue
            if name in on_them or TOOL.fullmatch(bare):
                found.append(Tool(name, bare, arm))
    return tuple(found)


TORCH = """<link name="welding_torch_tip"/>
  <joint name="torch" type="fixed">
    <parent link="flange"/><child link="welding_torch_tip"/>
  </joint>"""


class RepTool(Rep199):
    """A clause about frames of tools; its examples are about a welding torch."""

    base = with_blocks(f"  {TORCH}")
    good = TORCH


class NumberedTools(RepTool):
    """No tool is called toolN.

    A number does not say which tool it is.
    """

    code = "R199-601"
    clause = "It is strongly discouraged to use toolN names for application-specific tool frames"
    bad = TORCH.replace("welding_torch_tip", "tool1")

    def check(self, robot: Robot, tools: tuple[Tool, ...]) -> Found:
        """A tool's frame is called toolN."""
        for tool in tools:
            if NUMBERED.fullmatch(tool.bare):
                yield self.finding(
                    "the name does not say which tool this is; expected one such as 'welding_torch_tip'",
                    robot.frames[tool.name],
                )


class MeaninglessTools(RepTool):
    """The name of a tool's frame says which tool it is.

    The frame of a wrong tool moves the robot to a wrong place. Judged by a list of words such as frame and tool.
    """

    code = "R199-602"
    evidence = "heuristic"
    clause = "Any name is acceptable, as long as it is semantically meaningful"
    requires = ("R199-601",)
    bad = TORCH.replace("welding_torch_tip", "new_frame")

    def check(self, robot: Robot, tools: tuple[Tool, ...]) -> Found:
        """A tool's frame has a name that any tool's could have."""
        for tool in tools:
            if MEANINGLESS.fullmatch(tool.bare):
                yield self.finding(
                    "any tool could have this name; expected one such as 'welding_torch_tip'", robot.frames[tool.name]
                )


class ToolNames(RepTool):
    """The names of tools are legal names of ROS.

    These have letters, digits, `_` and `/`, and begin with a letter; others break topics and parameters.
    """

    code = "R199-603"
    clause = "follows the naming guidelines for ROS resources"
    bad = TORCH.replace("welding_torch_tip", "welding-torch")

    def check(self, robot: Robot, tools: tuple[Tool, ...]) -> Found:
        """A tool's name has other characters."""
        for tool in tools:
            if not LEGAL.fullmatch(tool.name):
                yield self.finding(
                    "is not a legal name of ROS; expected letters, digits, _ and /, first a letter",
                    robot.frames[tool.name],
                )


class ToolPlaces(RepTool):
    """The frames of tools are attached to flange, beside tool0.

    The place of a tool is known relative to the face to which it is attached. (Tools on tool0 are R199-508.)
    """

    code = "R199-604"
    clause = "should be made siblings of the tool0 frame and, as such, children of flange"
    bad = TORCH.replace("flange", "link_6")
    repair = staticmethod(hang_tools)

    def check(self, robot: Robot, tools: tuple[Tool, ...]) -> Found:
        """A tool's frame is attached to the last link."""
        for tool in tools:
            if tool.arm.flange and parent(robot, tool.name) == tool.arm.end != tool.arm.flange:
                message = f"this frame of a tool is attached to {tool.arm.end!r}; attach it to {tool.arm.flange!r}"
                yield self.finding(message, robot.frames[tool.name])
