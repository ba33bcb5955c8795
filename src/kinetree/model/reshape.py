"""The same robot in another form, for formats that cannot represent it as it is written."""

from dataclasses import replace

import numpy as np

from kinetree.model.assemble import build, parts_of
from kinetree.model.robot import Frame, Joint, Link, Robot
from kinetree.spatial import se3


def plain_joints(robot: Robot) -> Robot:
    """Return the same robot with every child_origin the identity: each child link's frame is its joint's, as in URDF.

    The constant after the joint changes sides with it if it can; else it becomes a fixed joint behind an extra link
    without mass, named after the joint. The pose of every frame stays as it was.
    """
    if all(np.array_equal(joint.child_origin, se3.IDENTITY) for joint in robot.joints.values()):
        return robot
    parts = parts_of(robot)
    taken = {*robot.frames, *robot.joints}
    joints: list[Joint] = []
    for joint in parts.joints:
        if np.array_equal(joint.child_origin, se3.IDENTITY):
            joints.append(joint)
        elif (moved := _swapped(joint)) is not None:
            joints.append(moved)
        else:
            name = free_name(f"{joint.name}_link", taken)
            fixed = free_name(f"{joint.name}_fixed_joint", taken)
            parts.links.append(Link(name, source=joint.source))
            joints.append(replace(joint, child=name, child_origin=se3.IDENTITY))
            joints.append(Joint(fixed, "fixed", name, joint.child, origin=joint.child_origin, source=joint.source))
    parts.joints = joints
    return build(parts)


def _swapped(joint: Joint) -> Joint | None:
    """Return the joint with C before its motion, XJ C = C (C⁻¹ XJ C); None if its type has no such motion."""
    C = joint.child_origin
    R, p = C[:3, :3], C[:3, 3]
    kind = joint.kind
    along = kind.single and np.linalg.norm(np.cross(joint.axes[0], p)) < 1e-15
    if not kind.by_axes or (kind.turns and not along and p.any()):
        return None
    return replace(
        joint,
        origin=se3.frozen(joint.origin @ C),
        axes=se3.frozen(joint.axes @ R),
        child_origin=se3.IDENTITY,
    )


def free_name(name: str, taken: set[str]) -> str:
    """Return the name with as many underscores behind it as make it free, and add it to `taken`."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def frame_links(robot: Robot) -> list[tuple[Link, Joint]]:
    """Return a link without mass on a fixed joint for every extra frame, for formats whose frames are links."""
    taken = {*robot.joints}
    return [
        _frame_link(frame, free_name(f"{frame.name}_fixed_joint", taken))
        for frame in robot.frames.values()
        if frame.name not in robot.links
    ]


def _frame_link(frame: Frame, joint_name: str) -> tuple[Link, Joint]:
    link = Link(frame.name, source=frame.source)
    return link, Joint(joint_name, "fixed", frame.link, frame.name, origin=frame.origin, source=frame.source)
