"""What `kinetree srdf` adds beside pairs: groups, states, end effectors, and the joints that its kind of robot has."""

from collections.abc import Collection, Iterable, Mapping, Sequence
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
    semantic = _with_hands(robot, replace(semantic, groups=(*semantic.groups, *new)), groups)
    semantic = replace(
        semantic,
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


def _with_hands(robot: Robot, semantic: Semantic, new: Collection[str]) -> Semantic:
    """Return a description with an end effector for each group that is all that moves below the tip of another one, and
    for a group that it gets of what moves below the tip of a new one, if none is there."""
    joints, taken = groups_of(semantic, robot)[0], {end.group for end in semantic.end_effectors}
    hands: list[Group] = []
    ends: list[EndEffector] = []
    for arm in semantic.groups:
        tip = robot.frames.get(arm.members[0].tip_link) if len(arm.members) == 1 else None
        below = [one for one in robot.links if tip and any(j.parent == tip.link for j in robot.joints_to(one))]
        below = [link for link in below if tip and link != tip.link]
        moved = {joint.name for link in below if (joint := robot.parent_joint(link))}.intersection(robot.joint_names)
        inside = {name: {*own} for name, own in joints.items() if own and moved.issuperset(own)}
        hand = f"{arm.name}_hand" if len(new) > 1 else "hand"
        if moved and not inside and arm.name in new and hand not in joints:
            hands.append(Group(hand, tuple(Member("link", link) for link in below)))
            inside = {hand: moved}
        whole = [name for name, own in inside.items() if own == moved and name not in taken]
        ends += [EndEffector(name, tip.link, name, arm.name) for name in whole if tip]
        taken.update(whole)
    return replace(semantic, groups=(*semantic.groups, *hands), end_effectors=(*semantic.end_effectors, *ends))


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
