"""Named, ordered groups of joints, such as control boards."""

from collections.abc import Iterable, Mapping

from kinetree.arguments import as_names, explained
from kinetree.errors import fail, unknown_name
from kinetree.model.assemble import build, parts_of
from kinetree.model.robot import Robot


@explained
def set_groups(robot: Robot, groups: Mapping[str, Iterable[str]]) -> Robot:
    """Return the robot with these groups, {name: ordered joint names}, and no others.

    Raises UnknownNameError for a joint that the robot does not have, KinetreeError for one named twice in a group.
    """
    parts = parts_of(robot)
    parts.groups = {name: _members(robot, name, joints) for name, joints in groups.items()}
    return build(parts)


@explained
def group(robot: Robot, name: str, joints: Iterable[str]) -> Robot:
    """Return the robot with the group `name` of these joints, in this order; a group of this name is replaced."""
    return set_groups(robot, {**robot.groups, name: joints})


def _members(robot: Robot, name: str, joints: Iterable[str]) -> tuple[str, ...]:
    members = as_names(joints)
    for joint in members:
        if joint not in robot.joints:
            raise unknown_name("joint", joint, list(robot.joints))
        if members.count(joint) > 1:
            raise fail("duplicate-name", f"names joint {joint!r} twice", element=f"group {name!r}")
    return members
