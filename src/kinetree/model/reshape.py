"""The same robot in another form, for formats that cannot represent it as it is written."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from math import isfinite

import numpy as np

from kinetree.model.assemble import build, parts_of
from kinetree.model.joints import JOINT_TYPES
from kinetree.model.robot import NO_AXES, Frame, Joint, Link, Robot
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


SUFFIXES = {"x": "TX", "y": "TY", "z": "TZ", "angle": "RZ", "1": "R1", "2": "R2"}
"""Ends of the names of single joints by their coordinate, as MuJoCo's reader of URDF has them; "R" is a ball."""


def single_joints(robot: Robot, names: Collection[str]) -> tuple[Robot, dict[str, tuple[str, ...]]]:
    """Return the same robot with joints of several coordinates as rows of slides, hinges and balls, and the names of
    each row. names: planar, universal and floating joints. Links without mass between them are named after the joints;
    at zero their frames are that of the child link, as if all were joints of one body.
    """
    parts, taken = parts_of(robot), {*robot.frames, *robot.joints}
    rows = {name: _row(robot.joints[name], taken) for name in names}
    parts.links += [Link(one.child, source=one.source) for row in rows.values() for one in row[:-1]]

    def spread(names: Iterable[str]) -> tuple[str, ...]:
        return tuple(one for name in names for one in ([one.name for one in rows[name]] if name in rows else [name]))

    parts.joints = [one for joint in parts.joints for one in rows.get(joint.name, [joint])]
    parts.joint_order = spread(robot.joint_names)
    parts.groups = {group: spread(members) for group, members in parts.groups.items()}
    parts.sensors = [replace(s, joint=rows[s.joint][-1].name) if s.joint in rows else s for s in parts.sensors]
    return build(parts), {name: spread([name]) for name in names}


def _row(joint: Joint, taken: set[str]) -> list[Joint]:
    """Return the single joints of a planar, universal or floating joint; their names are added to `taken`."""
    kind, row, parent, at = joint.kind, list[Joint](), joint.parent, 0
    singles = (
        kind.singles(joint.axes) if kind.singles else [*(("prismatic", axis) for axis in np.eye(3)), ("ball", None)]
    )
    for (single, axis), coordinate in zip(singles, kind.coordinates, strict=False):
        here = slice(at, at := at + JOINT_TYPES[single].nv)
        limits = joint.limits[here]
        if single == "revolute" and not (limits and (isfinite(limits[0].lower) or isfinite(limits[0].upper))):
            single = "continuous"
        name = free_name(f"{joint.name}_{'R' if axis is None else SUFFIXES[coordinate]}", taken)
        last = len(row) == len(singles) - 1
        row.append(
            Joint(
                name,
                single,
                parent,
                joint.child if last else free_name(f"{name}_link", taken),
                se3.frozen(se3.inverse(joint.child_origin)) if row else joint.origin,
                NO_AXES if axis is None else se3.frozen([axis]),
                joint.child_origin,
                limits=limits,
                dynamics=(joint.dynamics * (kind.nv if len(joint.dynamics) == 1 else 1))[here],
                extensions=joint.extensions if last else (),
                source=joint.source,
            )
        )
        parent = row[-1].child
    return row


def _swapped(joint: Joint) -> Joint | None:
    """Return the joint with C before its motion, XJ C = C (C⁻¹ XJ C); None if its type has no such motion."""
    C = joint.child_origin
    R, p = C[:3, :3], C[:3, 3]
    kind = joint.kind
    along = kind.single and np.linalg.norm(np.cross(joint.axes[0], p)) < 1e-15
    if not kind.by_axes or (kind.turns and not along and p.any()):
        return None
    return replace(
        joint, origin=se3.frozen(joint.origin @ C), axes=se3.frozen(joint.axes @ R), child_origin=se3.IDENTITY
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
