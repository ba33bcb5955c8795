"""A base that floats in the world."""

from kinetree.arguments import explain_type_errors
from kinetree.errors import fail
from kinetree.model.assemble import build, parts_of
from kinetree.model.robot import Joint, Link, Robot

JOINT = "floating_base"
WORLD = "world"


@explain_type_errors
def floating(robot: Robot) -> Robot:
    """Return the robot with a root link `world`, in which its old root floats by the joint `floating_base`.

    All names stay. q begins with the seven numbers of the new joint, x y z and a quaternion xyzw. A robot that floats
    already stays as it is. Raises KinetreeError if the robot has a joint, link or frame of these names.

    Examples:
        >>> import kinetree as kt
        >>> walker = kt.edit.floating(kt.load("icub"))
        >>> walker.root, walker.joint_names[0], walker.nq
        ('world', 'floating_base', 42)
    """
    if floats(robot):
        return robot
    for kind, name, taken in (("joint", JOINT, robot.joints), ("frame", WORLD, robot.frames)):
        if name in taken:
            message = f"the robot has a {kind} {name!r}, a name that the floating base needs"
            raise fail("duplicate-name", message, fix="kt.edit.rename changes names; kt.edit.attach makes other joints")
    parts = parts_of(robot)
    parts.links.insert(0, Link(WORLD))
    parts.joints.insert(0, Joint(JOINT, "floating", WORLD, robot.root))
    parts.joint_order = (JOINT, *robot.joint_names)
    return build(parts)


def floats(robot: Robot) -> bool:
    """Return whether the root carries nothing but one floating joint."""
    carried = [joint for joint in robot.joints.values() if joint.parent == robot.root]
    return len(carried) == 1 and carried[0].type == "floating"
