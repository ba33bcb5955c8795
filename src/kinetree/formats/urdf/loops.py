"""Joints that close loops: URDF has trees alone, so they are joints of SDF in a <gazebo> block of Kinetree, which
sdformat puts into the model of Gazebo. Programs of ROS ignore it. Joints in blocks of others are kept as they are, for
Gazebo alone: their files are trees to ROS.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from kinetree.formats.fields import extension, ignore, name_of
from kinetree.model.joints import JOINT_TYPES, JointType
from kinetree.model.loops import zero_poses
from kinetree.model.robot import NO_AXES, Joint, Robot
from kinetree.spatial.se3 import IDENTITY, Array, frozen, inverse, pose_from_xyz_rpy, rpy_from_rotation
from kinetree.syntax.numbers import format_numbers, numbers
from kinetree.syntax.xml.reader import Element, Report
from kinetree.syntax.xml.writer import XmlWriter

OWN = ("kinetree_parent", "kinetree_child")
"""Attributes of the block of a loop, which sdformat ignores: the links that it connects. The joint names those that the
links are fixed to, because sdformat joins links on fixed joints."""
TYPES: dict[str, JointType] = {row.sdf: row for row in JOINT_TYPES.values() if row.sdf and not row.has_pitch}
ENDS = ("parent", "child")
AXES = ("axis", "axis2")
PARTS = (*ENDS, "pose", *AXES)


def read_loops(report: Report, blocks: Sequence[Element], joints: Sequence[Joint]) -> tuple[list[Joint], list[Element]]:
    """Return the loops in blocks of Kinetree, and these blocks. joints: those of the tree, in whose poses at zero loops
    are closed."""
    own = [block for block in blocks if {*OWN} <= block.attributes.keys() and block.find("joint")]
    for other in (child for block in own for child in block.children if child.tag != "joint"):
        report.error("loop", "has no place beside a joint that closes a loop; give it a <gazebo> of its own", other)
    T = zero_poses(joints) if own else {}
    carriers = {joint.child: joint for joint in joints}
    loops = [_read(report, block, joint, T, carriers) for block in own for joint in block.find_all("joint")]
    return loops, own


def _body(link: str, carriers: Mapping[str, Joint]) -> str:
    """Return the link that a link is part of in Gazebo."""
    for _ in carriers:  # at most, for a file may have a circle
        if (joint := carriers.get(link)) is None or joint.type != "fixed" or joint.parent == "world":
            break
        link = joint.parent
    return link


def _read(
    report: Report, block: Element, element: Element, T: Mapping[str, Array], carriers: Mapping[str, Joint]
) -> Joint:
    known = {child.tag: child.find("xyz") or child for child in element.children if child.tag in PARTS}
    found = {tag: child.text.strip() for tag, child in known.items()}
    for axis in (child for child in element.children if child.tag in AXES):
        ignore(report, (child for child in axis.children if child.tag != "xyz"), axis)
    kind = TYPES.get(element.get("type") or "", JOINT_TYPES["fixed"])
    axes = [numbers(found.get(tag, "")) or [] for tag in AXES[: kind.axes]]
    pose = numbers(found.get("pose", "0 0 0 0 0 0")) or []
    is_legal = len(pose) == 6 and all(len(axis) == 3 and any(axis) for axis in axes)
    if kind.sdf != element.get("type") or not is_legal or any(child.attributes for child in known.values()):
        legal = f"{', '.join(map(str, TYPES))}, a <pose> of 6 numbers, and an <xyz> of 3 in each <axis> that it has"
        message = f"a joint that closes a loop needs one of the types {legal}, without attributes such as relative_to"
        report.error("loop", message, element)
        pose, axes = [0.0] * 6, [[0.0, 0.0, 1.0]] * kind.axes
    else:
        report.add("info", "loop", "closes a loop; it is one of the robot's loops, and no part of the tree", element)
    named = [found.get(tag, "") for tag in ENDS]
    own = [block.get(attribute) or "" for attribute in OWN]
    parent, child = (link if _body(link, carriers) == name else name for link, name in zip(own, named, strict=True))
    T_joint = T.get(named[1], IDENTITY) @ pose_from_xyz_rpy(pose[:3], pose[3:])
    T_parent, T_child = (T.get(end, IDENTITY) for end in (parent, child))
    return Joint(
        name_of(report, element),
        kind.name,
        parent,
        child,
        frozen(inverse(T_parent) @ T_joint),
        frozen([np.divide(axis, np.linalg.norm(axis)) for axis in axes]) if axes else NO_AXES,
        frozen(inverse(T_joint) @ T_child),
        extensions=tuple(extension("sdf", e) for e in element.children if e.tag not in PARTS),
        source=element.source,
    )


def write_loops(xml: XmlWriter, robot: Robot) -> None:
    """Write a block for each loop, with the pose of the joint in its child link, as SDF has it by default."""
    T = zero_poses(robot.joints.values())
    carriers = {joint.child: joint for joint in robot.joints.values()}
    for loop in robot.loops.values():
        parent, child = (_body(end, carriers) for end in (loop.parent, loop.child))
        pose = inverse(T[child]) @ T[loop.child] @ inverse(loop.child_origin)
        own = dict(zip(OWN, (loop.parent, loop.child), strict=True))
        with xml.open("gazebo", **own), xml.open("joint", name=loop.name, type=loop.kind.sdf):
            xml.leaf("parent", parent)
            xml.leaf("child", child)
            xml.leaf("pose", format_numbers((*pose[:3, 3], *rpy_from_rotation(pose[:3, :3]))))
            for tag, axis in zip(AXES, loop.axes, strict=False):
                with xml.open(tag):
                    xml.leaf("xyz", format_numbers(axis))
            xml.raw(*(one.text for one in loop.extensions if one.format == "sdf" and "/" not in one.tag))
