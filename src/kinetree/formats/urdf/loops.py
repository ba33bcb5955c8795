"""Joints that close loops: URDF has trees alone, so they are joints of SDF in a <gazebo> block of Kinetree, which
sdformat puts into the model of Gazebo. Programs of ROS ignore it. Joints in blocks of others are kept as they are, for
Gazebo alone: their files are trees to ROS.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from kinetree.formats.fields import choice_of, name_of, single_children
from kinetree.model.joints import JOINT_TYPES
from kinetree.model.loops import zero_poses
from kinetree.model.robot import Joint, Robot
from kinetree.spatial.se3 import IDENTITY, NO_DIRECTION, Array, frozen, inverse, pose_from_xyz_rpy, rpy_from_rotation
from kinetree.syntax.numbers import format_numbers, numbers
from kinetree.syntax.xml.reader import Element, Report
from kinetree.syntax.xml.writer import XmlWriter

OWN = ("kinetree_parent", "kinetree_child")
"""Attributes of the block of a loop, which sdformat ignores: the links that it connects. The joint names those that the
links are fixed to, because sdformat joins links on fixed joints."""
TYPES = {row.sdf: row for row in JOINT_TYPES.values() if row.sdf and not row.has_pitch}
ENDS = ("parent", "child")
AXES = ("axis", "axis2")


def read_loops(report: Report, blocks: Sequence[Element], joints: Sequence[Joint]) -> tuple[list[Joint], list[Element]]:
    """Return the loops in blocks of Kinetree, and these blocks. joints: those of the tree, in whose poses at zero loops
    are closed."""
    own = [block for block in blocks if {*OWN} <= block.attributes.keys()]
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
    once, _ = single_children(report, element, (*ENDS, *AXES, "pose"), attributes=("name", "type"))
    given, kind = element.get("type") or "", JOINT_TYPES["fixed"]
    if choice_of(report, element, "type", given, [*map(str, TYPES)], "joint-type"):
        kind = TYPES[given]
    needed = dict.fromkeys((*ENDS, *AXES[: kind.axes]), "")
    for tag in needed:
        if (found := once.get(tag)) is None:
            report.error("missing-element", f"a {kind.name} joint needs <{tag}>, which is missing", element)
        else:
            needed[tag] = (found.find("xyz") or found).text.strip()
    links = [block.get(own) or "" for own in OWN]
    ends = [
        link if _body(link, carriers) == needed[tag] else needed[tag] for tag, link in zip(ENDS, links, strict=True)
    ]
    pose = _numbers(report, element, "pose", once["pose"].text if "pose" in once else "0 0 0 0 0 0", 6)
    T_joint = T.get(needed["child"], IDENTITY) @ pose_from_xyz_rpy(pose[:3], pose[3:])
    rows = np.array([_numbers(report, element, tag, needed[tag], 3) for tag in AXES[: kind.axes]]).reshape(-1, 3)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if (lengths < NO_DIRECTION).any():
        report.error("zero-axis", "<axis> has no direction; expected any vector but zero", element)
        rows, lengths = rows + 1.0, np.ones(1)
    T_parent, T_child = (T.get(end, IDENTITY) for end in ends)
    return Joint(
        name_of(report, element),
        kind.name,
        *ends,
        frozen(inverse(T_parent) @ T_joint),
        frozen(rows / lengths),
        frozen(inverse(T_joint) @ T_child),
        source=element.source,
    )


def _numbers(report: Report, element: Element, tag: str, text: str, count: int) -> list[float]:
    values = numbers(text) or []
    if len(values) != count:
        report.error("number", f"<{tag}> is {text!r}; expected {count} finite numbers separated by blanks", element)
    return values if len(values) == count else [0.0, 0.0, 1.0, 0.0, 0.0, 0.0][:count]


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
