"""New frames of tools in the text of a model, as siblings of tool0."""

import re
from collections.abc import Mapping
from pathlib import Path

from kinetree.errors import fail
from kinetree.fixer.apply import Task, with_edits
from kinetree.fixer.state import State
from kinetree.fixer.xacro_edits import root_of
from kinetree.model.robot import Joint, Robot
from kinetree.repairs.edit import Edit, New, insert_after, insert_inside
from kinetree.repairs.fixes import Elements, new_frame
from kinetree.rules.facts import Subject
from kinetree.spatial.se3 import Array

TOOL0 = "tool0"


def add_tools(task: Task, state: State, tools: Mapping[str, Array]) -> State:
    """Return the state with a link and a fixed joint for each tool, beside the joint of tool0, as REP-199 wants it.

    tools: T_tool0_tool (4, 4), m, by name. Of several tool0 the one is taken whose prefix the name has. Raises
    KinetreeError for a name that is taken, a robot without such a tool0, and if the robot would change elsewhere.
    """
    for name, T in tools.items():
        subject = Subject(state.robot, task.options)
        found: Elements | None = subject.facts(lambda elements: None)["elements"]
        if found is None:
            raise fail("fix", "tools are added to the texts of URDF and xacro files alone")
        joint = _joint(state.robot, name)
        new = _new(state.robot, name, joint, T)
        if found.root.document.origins:  # of xacro: at the end of the file, for the macros may make several arms
            path = Path(task.file).resolve()
            edit: Edit = insert_inside(root_of(state.contents[path], task.file), *new)
        else:
            edit = insert_after(found.joints[joint.name], *new)
        state = with_edits(task, state, (edit,))
    return state


def _new(robot: Robot, name: str, joint: Joint, T: Array) -> tuple[New, New]:
    """Return the new link and its joint, beside the joint of tool0."""
    element = f"frame {name!r}"
    if not re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII):
        raise fail("tool", "is no name of a frame; expected letters, digits and _, a letter first", element=element)
    own = f"{joint.parent}-{name}"
    if name in robot.frames or own in robot.joints:
        raise fail("duplicate-name", f"there is already a frame {name!r}, or a joint {own!r}", element=element)
    return new_frame(name, own, joint.parent, joint.origin @ T)


def _joint(robot: Robot, name: str) -> Joint:
    joint = robot.parent_joint(_tool0(robot, name))
    if joint is None or joint.type != "fixed":
        raise fail("tool0", "tool0 is fixed to no link, so a tool has no place beside it", element=f"frame {name!r}")
    return joint


def _tool0(robot: Robot, name: str) -> str:
    """Return the link tool0 of the arm to which a tool belongs, by the prefix of its name."""
    known = [link for link in robot.links if link == TOOL0 or link.endswith(f"_{TOOL0}")]
    own = [link for link in known if name.startswith(link.removesuffix(TOOL0))]
    if len(known) == 1 or own:
        return max(own or known, key=len)
    legal = f"{name!r} begins like none of {', '.join(known)}" if known else "there is no link tool0"
    raise fail("tool0", legal, element=f"frame {name!r}", fix="kinetree fix adds tool0 where its place is known")
