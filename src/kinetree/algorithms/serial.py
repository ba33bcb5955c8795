"""The serial chain between two frames of a robot: the joints between them, with all joints at zero."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetree.algorithms.kinematics import body_poses, path_between
from kinetree.errors import fail
from kinetree.model.placed import check_placed
from kinetree.model.robot import Joint, Robot
from kinetree.model.tree import Tree, build_tree
from kinetree.spatial import Array, se3

KINDS = ("revolute", "continuous", "prismatic")
"""Joint types allowed in a serial chain: single motions along or about a line."""


@dataclass(frozen=True, slots=True, eq=False)
class ChainJoint:
    """One joint of the chain. T (4, 4): T_base_joint with all joints at zero. axis (3,): in the joint's frame, reversed
    if the chain goes up the tree, so that a positive number always moves what follows."""

    joint: Joint
    T: Array
    axis: Array

    @property
    def direction(self) -> Array:
        """The axis (3,) in the base."""
        return np.asarray(self.T[:3, :3] @ self.axis)

    def motion(self, q: Any) -> Array:
        """Return the motion T (4, 4) of the joint in its own frame, for its own number q."""
        return np.asarray(self.joint.kind.transform(self.axis[None], self.joint.pitch, [q]))


@dataclass(frozen=True, slots=True, eq=False)
class SerialChain:
    """A chain from frame `base` to frame `tip`; T_tip (4, 4) is T_base_tip with all joints at zero."""

    base: str
    tip: str
    joints: tuple[ChainJoint, ...]
    T_tip: Array

    def transform(self, q: Sequence[float] | Array) -> Array:
        """Return T_base_tip (4, 4), with one number for each joint, followers included."""
        T, T_before = se3.IDENTITY, se3.IDENTITY
        for joint, number in zip(self.joints, q, strict=True):
            T = T @ se3.inverse(T_before) @ joint.T @ joint.motion(number)
            T_before = joint.T
        return np.asarray(T @ se3.inverse(T_before) @ self.T_tip)


def serial_chain(robot: Robot, base: str | None = None, tip: str | None = None) -> SerialChain:
    """Return the chain from `base` (the root link if None) to `tip` (see `only_tip` if None). Raises KinetreeError for
    unknown frames and for joints in between that are not revolute or prismatic."""
    tree = build_tree(robot)
    base = robot.root if base is None else base
    tip = only_tip(robot, tree) if tip is None else tip
    check_placed(robot, base)
    check_placed(robot, tip)
    (start, T_start_base), (end, T_end_tip) = tree.frame(base), tree.frame(tip)
    P = body_poses(tree)
    T_base_root = se3.inverse(P[start] @ T_start_base)
    up, down = path_between(tree, start, end)
    way = [(i, -1.0) for i in up] + [(i, 1.0) for i in down]
    joints = []
    for i, sign in way:
        joint = robot.joints[tree.joints[i]]
        check_kind(joint)
        joints.append(ChainJoint(joint, T_base_root @ P[i], sign * joint.axes[0]))
    return SerialChain(base, tip, tuple(joints), T_base_root @ P[end] @ T_end_tip)


def check_kind(joint: Joint) -> None:
    """Raise KinetreeError if a joint is not a single motion along or about a line."""
    if joint.type not in KINDS:
        message = f"is a {joint.type} joint; a chain of lines can have {', '.join(KINDS)} joints and fixed ones"
        raise fail("joint-type", message, element=f"joint {joint.name!r}", fix="lock it, or choose another base or tip")


def only_tip(robot: Robot, tree: Tree) -> str:
    """Return the last frame in the file on the last body; raise KinetreeError if the robot branches."""
    ends = [i for i in range(len(tree.joints)) if i not in tree.parent] or [-1]
    last = {i: [name for name, (body, _) in tree.frames.items() if body == i][-1] for i in ends}
    if len(ends) > 1:
        raise fail("tip", f"the robot branches; say which frame is the tip, such as {', '.join(last.values())}")
    return last[ends[0]]
