"""The joints of any robot as the table of the iCub's naming page: type, axis at zero, range, links."""

from typing import NamedTuple

from kinetree.algorithms.kinematics import body_poses
from kinetree.arguments import explain_type_errors
from kinetree.display import brief
from kinetree.model.robot import UNLIMITED, Robot
from kinetree.model.tree import build_tree
from kinetree.spatial.se3 import Array, frozen


class JointTableRow(NamedTuple):
    """A joint, or one velocity coordinate of a joint that has several.

    axis: unit vector (3,) in the axes of the root, about which or along which the coordinate moves the child. lower,
    upper: the range, infinite without a limit, in `unit`, "rad" or "m". A fixed joint has none of these.

    Examples:
        >>> import kinetree as kt
        >>> row = kt.kinematics.joint_table(kt.load("icub"))[0]
        >>> row.joint, row.parent, row.child, row.axis.round(3) + 0.0
        ('torso_pitch', 'root_link', 'torso_1', array([ 0., -1.,  0.]))
    """

    joint: str
    type: str
    axis: Array | None
    lower: float | None
    upper: float | None
    unit: str | None
    parent: str
    child: str

    def __repr__(self) -> str:
        return brief(self)


@explain_type_errors
def joint_table(robot: Robot) -> tuple[JointTableRow, ...]:
    """Return the rows of all joints, parents before children: name, type, axis, range in rad or m, links.

    Axes are expressed in the root link, at q = `robot.zero`: all joints at zero, followers where their leaders put
    them.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.chain([{"joint": "elbow", "axis": [0, 0, 1], "qlim": [-1, 2]}])
        >>> for row in kt.kinematics.joint_table(arm):
        ...     print(row.joint, row.type, row.axis, row.lower, row.upper, row.unit)
        elbow revolute [0. 0. 1.] -1.0 2.0 rad
    """
    tree = build_tree(robot)
    poses = body_poses(tree, robot.zero)
    rows: list[JointTableRow] = []
    for name in robot.placed:
        joint = robot.joints[name]
        kind, links = joint.kind, (joint.parent, joint.child)
        if not kind.nv:
            rows.append(JointTableRow(name, joint.type, None, None, None, None, *links))
            continue
        body, T_body_parent = tree.frames[joint.parent]
        R = (poses[body] @ T_body_parent @ joint.origin)[:3, :3]
        S = kind.motion_subspace(joint.axes, joint.pitch, kind.neutral)
        for i, angular in enumerate(kind.velocity_angular):
            axis = frozen(R @ (S[:3, i] if angular else S[3:, i]))
            limit = joint.limits[i] if i < len(joint.limits) else UNLIMITED
            rows.append(
                JointTableRow(name, joint.type, axis, limit.lower, limit.upper, "rad" if angular else "m", *links)
            )
    return tuple(rows)
