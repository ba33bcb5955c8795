"""What `kinetree srdf` adds beside pairs: groups, states, end effectors, and the joints that its kind of robot has."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from kinetree.errors import KinetreeError, fail
from kinetree.model.robot import Robot
from kinetree.model.semantic import (
    EndEffector,
    Group,
    GroupState,
    JointValue,
    Member,
    PassiveJoint,
    Semantic,
    VirtualJoint,
)
from kinetree.model.semantic_groups import groups_of
from kinetree.robot_kinds.kinds import Kinds
from kinetree.rules.facts import kinds_of
from kinetree.spatial.se3 import Array

ROOTS = {
    **dict.fromkeys(("mobile-base", "mobile-manipulator"), ("planar", "odom")),
    **dict.fromkeys(("humanoid", "legged", "drone"), ("floating", "odom")),
}
"""Type of the virtual joint and its parent frame by kind of robot; others are fixed to world."""
UNMOVED = ("wheel", "rotor")
"""Chains whose joints no planner moves."""


def with_parts(robot: Robot, groups: Mapping[str, str], states: Mapping[str, str], q: Array) -> Robot:
    """Return a robot whose semantic description has more groups, and what it lacks of the rest.

    groups: "BASE:TIP" by name. states: names of groups by the name of a state, in which they stand as in q (nq,). If
    there is none yet, a virtual joint and passive joints by kind of robot; and an end effector of what moves below the
    tip of a group.
    """
    semantic, kinds = robot.semantic or Semantic(robot.name), kinds_of(robot)
    new = [_group(semantic, name, ends) for name, ends in groups.items()]
    hands = [_hand(robot, group, f"{group.name}_hand" if new[1:] else "hand") for group in new]
    known = {group.name for group in (*semantic.groups, *new)}
    own = [hand for hand in hands if hand and hand[0].name not in known]
    semantic = replace(
        semantic,
        groups=(*semantic.groups, *new, *(group for group, _ in own)),
        end_effectors=(*semantic.end_effectors, *(end for _, end in own)),
        virtual_joints=semantic.virtual_joints or tuple(_virtual(robot, kinds)),
        passive_joints=semantic.passive_joints or tuple(_passive(robot, kinds)),
    )
    joints, faults = groups_of(semantic, robot)
    if faults:
        raise KinetreeError(faults)
    robot = replace(robot, semantic=semantic, groups={**joints, **robot.groups})
    more = [_state(robot, name, group, q) for name, group in states.items()]
    return replace(robot, semantic=replace(semantic, group_states=(*semantic.group_states, *more)))


def _group(semantic: Semantic, name: str, ends: str) -> Group:
    base, _, tip = ends.partition(":")
    if not (name and base and tip):
        raise fail("group", f"--group is {name}={ends}; expected NAME=BASE:TIP, such as arm=base_link:tool0")
    if base == tip:
        raise fail("group", f"--group is {name}={ends}, which has no joint; expected two links")
    if any(group.name == name for group in semantic.groups):
        raise fail("group", f"there is already a group {name!r}; expected another name")
    return Group(name, (Member("chain", base, tip),))


def _hand(robot: Robot, arm: Group, name: str) -> tuple[Group, EndEffector] | None:
    """Return a group of what moves below the tip of an arm, and the end effector that it is; None if nothing does."""
    tip = robot.frames[arm.members[0].tip_link].link if arm.members[0].tip_link in robot.frames else ""
    below = [link for link in robot.links if link != tip and any(j.parent == tip for j in robot.joints_to(link))]
    if not any(joint.kind.nv for link in below if (joint := robot.parent_joint(link))):
        return None
    return Group(name, tuple(Member("link", link) for link in below)), EndEffector(name, tip, name, arm.name)


def _virtual(robot: Robot, kinds: Kinds) -> Iterable[VirtualJoint]:
    kind, parent = ROOTS.get(kinds.kind, ("fixed", "world"))
    first = [joint for joint in robot.joints.values() if joint.parent == robot.root]
    if robot.root != parent and not any(len(joint.kind.velocity_angular) > 1 for joint in first):
        yield VirtualJoint("virtual_joint", kind, parent, robot.root)


def _passive(robot: Robot, kinds: Kinds) -> Sequence[PassiveJoint]:
    names = (joint for chain in kinds.chains if chain.kind in UNMOVED for joint in chain.joints)
    return [PassiveJoint(name) for name in names if name in robot.joint_names]


def _state(robot: Robot, name: str, group: str, q: Array) -> GroupState:
    if group not in robot.groups:
        known = ", ".join(robot.groups) or "none yet: add one with --group"
        raise fail("group", f"--state is {name}={group}; expected a group: {known}")
    values = [JointValue(joint, tuple(q[robot.q_slices[joint]].tolist())) for joint in robot.groups[group]]
    return GroupState(name, group, tuple(values))
