"""Rules about the semantic description of a robot (SRDF): its names, groups and end effectors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from kinetree.errors import Severity
from kinetree.rules.names.sides import on_wrong_side, other_side
from kinetree.rules.quality import with_blocks
from kinetree.rules.rep199.clause import URL as REP199
from kinetree.rules.rule import Found, Robot, Rule, Threshold, fact, others

if TYPE_CHECKING:
    from kinetree.model.semantic import Reference, Semantic

URL = "https://wiki.ros.org/srdf"
FOREIGN = Threshold(5, "names", "largest number of unknown names that are reported one by one, if they are not most")
GRIPPER = """\
  <link name="palm"/>
  <link name="finger"><collision><geometry><box size="0.02 0.02 0.1"/></geometry></collision></link>
  <joint name="flange-palm" type="fixed"><parent link="flange"/><child link="palm"/></joint>
  <joint name="finger_joint" type="prismatic">
    <parent link="palm"/><child link="finger"/><axis xyz="0 1 0"/>
    <limit lower="0" upper="0.04" velocity="0.2" effort="20"/>
  </joint>"""
ROBOT = with_blocks(GRIPPER)
"""The arm of the examples with a gripper, to which the SRDF of the examples belongs."""
SRDF = """\
<robot name="arm">
  <virtual_joint name="world_joint" type="fixed" parent_frame="world" child_link="base_link"/>
  <group name="manipulator">
    <chain base_link="base_link" tip_link="flange"/>
  </group>
  <group name="gripper">
    <link name="palm"/>
    <link name="finger"/>
  </group>
  <group_state name="home" group="manipulator">
    <joint name="joint_1" value="0"/>
    <joint name="joint_2" value="-1.2"/>
    <joint name="joint_3" value="0.9"/>
    <joint name="joint_4" value="0"/>
    <joint name="joint_5" value="0"/>
    <joint name="joint_6" value="0"/>
  </group_state>
  <end_effector name="hand" parent_link="flange" group="gripper" parent_group="manipulator"/>
  <disable_collisions link1="base_link" link2="link_1" reason="Adjacent"/>
  <disable_collisions link1="link_1" link2="link_2" reason="Adjacent"/>
  <disable_collisions link1="link_2" link2="link_3" reason="Adjacent"/>
  <disable_collisions link1="link_3" link2="link_4" reason="Adjacent"/>
  <disable_collisions link1="link_4" link2="link_5" reason="Adjacent"/>
  <disable_collisions link1="link_5" link2="link_6" reason="Adjacent"/>
</robot>
"""
"""The SRDF of the examples."""
SIDED = """\
<robot name="arm">
  <group name="left_finger"><link name="finger"/></group>
  <group name="right_finger"><link name="palm"/></group>
  <group name="left_hand">
    <group name="left_finger"/>
  </group>
</robot>
"""


class OfSrdf(Rule):
    """A rule about an SRDF; its examples are pieces of one."""

    url: ClassVar[str] = URL
    base: ClassVar[str | None] = SRDF
    base_format: ClassVar[str] = "srdf"
    of_robot: ClassVar[bool] = True


@fact
def semantic(robot: Robot) -> Semantic | None:
    """Return the semantic description of the robot, if it has one."""
    return robot.semantic


@fact
def group_joints(robot: Robot, semantic: Semantic | None) -> Mapping[str, tuple[str, ...]]:
    """Return the joints of all types in each group of the semantic description."""
    if semantic is None:
        return {}
    from kinetree.model.semantic_groups import of_all_types  # takes a while, and few robots have an SRDF

    return of_all_types(semantic, robot)


@fact
def group_links(robot: Robot, semantic: Semantic | None, group_joints: Mapping[str, tuple[str, ...]]) -> Any:
    """Return the links in each group: those that its joints carry, and its members that are links."""
    written = {group.name: group for group in semantic.groups} if semantic else {}
    return {
        name: {robot.joints[joint].child for joint in joints if joint in robot.joints}
        | {member.name for member in written[name].members if member.kind == "link"}
        for name, joints in group_joints.items()
    }


@fact
def whole_groups(
    robot: Robot, semantic: Semantic | None, group_joints: Mapping[str, tuple[str, ...]]
) -> Mapping[str, tuple[str, ...]]:
    """Return the joints of groups that have any, if all names and chains in groups are right; else no group."""
    if semantic is None:
        return {}
    from kinetree.model.semantic_groups import groups_of

    return {} if groups_of(semantic, robot)[1] else {name: joints for name, joints in group_joints.items() if joints}


class NamesExist(OfSrdf):
    """The links, joints and groups that an SRDF names exist.

    MoveIt leaves out an element that names what does not exist, and says so in its log alone: the group lacks a joint,
    or links collide that were disabled.
    """

    code = "SRD-001"
    thresholds = (FOREIGN,)
    of_robot = False
    level = "MUST"
    clause = "the name of the joint must exist in the URDF"
    good = """<chain base_link="base_link" tip_link="flange"/>"""
    bad = """<chain base_link="base_link" tip_link="flnage"/>"""

    def check(self, robot: Robot, semantic: Semantic) -> Found:
        """A name that does not exist; one finding if most of them do not."""
        from kinetree.model.semantic_groups import known_names, unknown, unknown_name

        missing: dict[tuple[str, str], list[Reference]] = {}
        for reference in unknown(semantic, robot):
            missing.setdefault((reference.kind, reference.name), []).append(reference)
        named = {(one.kind, one.name) for one in semantic.references()}
        if len(missing) > max(FOREIGN, len(named) / 2):
            message = f"{len(missing)} of the {len(named)} names in this SRDF do not exist in the robot {robot.name!r}"
            message += f", such as {', '.join(repr(name) for _, name in list(missing)[:4])}"
            message += "; is it the SRDF of another robot?"
            yield self.finding(message, f"robot {semantic.name!r}", source=semantic.source)
            return
        known = known_names(semantic, robot)
        for found in missing.values():
            first = found[0]
            times = f" (it is named {len(found)} times)" if len(found) > 1 else ""
            pairs = all(one.field.endswith(("collisions", "unchecked_links", "properties")) for one in found)
            message = unknown_name(first.kind, first.name, known) + times
            severity: Severity | None = "warning" if pairs else None
            yield self.finding(message, semantic.label(first.item, first.field), source=first.source, severity=severity)


class SlashesInSrdf(OfSrdf):
    """Names of links in an SRDF do not begin with a slash.

    tf2 refuses such frames, and a robot without them has other names.
    """

    code = "SRD-014"
    clause = "frame_ids cannot start with a slash"
    of_robot = False
    url = "http://wiki.ros.org/tf2/Migration"
    good = """<chain base_link="base_link" tip_link="flange"/>"""
    bad = """<chain base_link="base_link" tip_link="/flange"/>"""

    def check(self, semantic: Semantic) -> Found:
        """A slash at the beginning; one finding for all."""
        if wrong := [one for one in semantic.references() if one.kind == "link" and one.name.startswith("/")]:
            first, *more = dict.fromkeys(one.name for one in wrong)
            message = f"the name {first!r} begins with a slash, which tf2 refuses; remove the slash{others(more)}"
            yield self.finding(message, semantic.label(wrong[0].item, wrong[0].field), source=wrong[0].source)


class ChainsGoDown(OfSrdf):
    """The tip of a chain is below its base.

    Solvers of inverse kinematics go from the base down to the tip. A chain the other way round, or one that goes up one
    branch and down another, is no chain to them.
    """

    code = "SRD-002"
    evidence = "heuristic"
    clause = "a chain is specified by a base link and a tip link"
    good = """<chain base_link="base_link" tip_link="flange"/>"""
    bad = """<chain base_link="flange" tip_link="base_link"/>"""

    def check(self, robot: Robot, semantic: Semantic) -> Found:
        """A tip above its base, beside it, or the same link."""
        from kinetree.model.semantic_groups import chain

        for group in semantic.groups:
            for member in group.members:
                base, tip = member.name, member.tip_link
                if member.kind != "chain" or not {base, tip} <= robot.frames.keys():
                    continue
                if base == tip:
                    message = f"the chain begins and ends at the link {base!r}, so it has no joint"
                elif chain(robot, member) is not None:
                    continue
                elif robot.frames[tip].link in {joint.parent for joint in robot.joints_to(robot.frames[base].link)}:
                    message = f"the tip_link {tip!r} is above the base_link {base!r}; exchange them"
                else:
                    message = f"the tip_link {tip!r} is not below the base_link {base!r} but on another branch"
                    message += "; solvers of inverse kinematics expect one branch"
                yield self.finding(message, semantic.label(group, "groups"), source=member.source)


class GroupsHaveMembers(OfSrdf):
    """A group has joints or links.

    MoveIt leaves out a group without a joint, and everything that names it.
    """

    code = "SRD-003"
    clause = "a group has links, joints, chains or other groups"
    good = """<group name="gripper">
    <link name="palm"/>
    <link name="finger"/>
  </group>"""
    bad = """<group name="gripper"/>"""

    def check(self, semantic: Semantic, group_joints: Mapping[str, tuple[str, ...]]) -> Found:
        """A group without members, or of such groups alone."""
        empty: set[str] = set()
        inside = {group.name: {(one.kind, one.name) for one in group.members} for group in semantic.groups}
        while new := {name for name, some in inside.items() if some <= {("group", one) for one in empty}} - empty:
            empty |= new
        for group in semantic.groups:
            if group.name in empty:
                message = "the group has no joint and no link; remove it, or add its members"
                yield self.finding(message, semantic.label(group, "groups"), source=group.source)


class OneSideInGroups(OfSrdf):
    """A group of the left side has left parts, and a group of the right side has right ones.

    A copy in which one name was not changed plans for the other arm.
    """

    code = "SRD-012"
    evidence = "heuristic"
    clause = "a group has the parts that its name says"
    base = SIDED
    good = """<group name="left_finger"/>"""
    bad = """<group name="right_finger"/>"""

    def check(self, robot: Robot, semantic: Semantic) -> Found:
        """A group with words for one side in its name, all of whose sided members are of the other, or an end effector
        whose group is of the other side than its parent_link, if the counterparts exist."""
        known = {*robot.links, *robot.joints, *(group.name for group in semantic.groups)}
        for group in semantic.groups:
            names = [name for member in group.members for name in (member.name, member.tip_link) if name]
            if wrong := on_wrong_side(group.name, names, known):
                message = f"the group has {wrong[0]!r}; expected {other_side(wrong[0])!r}"
                yield self.finding(message, semantic.label(group, "groups"), source=group.source)
        for one in semantic.end_effectors:
            if on_wrong_side(one.parent_link, [one.group], known):
                message = f"the group {one.group!r} is attached to {one.parent_link!r}; expected the same side"
                yield self.finding(message, semantic.label(one, "end_effectors"), source=one.source)


class EndEffectorsOnFlange(OfSrdf):
    """An end effector is attached to flange, not to tool0.

    tool0 is the frame of the controller; REP-199 attaches tools to flange.
    """

    code = "SRD-004"
    clause = "The flange frame is the attachment point for end effectors"
    url = REP199
    good = """parent_link="flange" group="gripper\""""
    bad = """parent_link="tool0" group="gripper\""""

    def check(self, robot: Robot, semantic: Semantic) -> Found:
        """tool0 as parent_link, where the same arm has a flange."""
        for one in semantic.end_effectors:
            flange = f"{one.parent_link.removesuffix('tool0')}flange"
            if one.parent_link.endswith("tool0") and flange in robot.links and one.parent_link in robot.frames:
                message = f"the end effector is attached to {one.parent_link!r}; attach it to {flange!r}"
                message += f", and keep {one.parent_link!r} for the controller"
                yield self.finding(message, semantic.label(one, "end_effectors"), source=one.source)


class EndEffectorParents(OfSrdf):
    """An end effector is attached to a link of its parent group, outside of its own group.

    MoveIt finds the tip of the arm by the parent link; otherwise the arm has no end effector.
    """

    code = "SRD-005"
    clause = "the parent link should not belong to the group of the end effector"
    good = """parent_link="flange" group="gripper\""""
    bad = """parent_link="palm" group="gripper\""""

    def check(self, robot: Robot, semantic: Semantic, group_links: Mapping[str, set[str]]) -> Found:
        """A parent link in the own group (a remark without a parent group), or outside of the parent group."""
        for one in semantic.end_effectors:
            about: dict[str, Any] = {"about": semantic.label(one, "end_effectors"), "source": one.source}
            if one.parent_link not in robot.links or one.group not in group_links:
                continue
            if one.parent_group == one.group:
                yield self.finding(f"the group {one.group!r} is its own parent_group", **about)
            elif one.parent_link in group_links[one.group]:
                message = f"the parent_link {one.parent_link!r} is in the end effector's own group {one.group!r}"
                message += "; expected the link of the arm to which it is attached"
                about["severity"] = None if one.parent_group else "info"
                yield self.finding(message, **about)
            elif one.parent_group in group_links and one.parent_link not in group_links[one.parent_group]:
                message = f"the parent_link {one.parent_link!r} is not in the parent_group {one.parent_group!r}"
                yield self.finding(message, **about)


class VirtualJointsCarryTheRoot(OfSrdf):
    """A virtual joint carries the root of the robot.

    MoveIt ignores one that carries another link, and fixes the robot in the world.
    """

    code = "SRD-006"
    clause = "a virtual joint connects the robot to a frame of the world"
    good = """child_link="base_link\""""
    bad = """child_link="link_1\""""

    def check(self, robot: Robot, semantic: Semantic) -> Found:
        """Another link than the root."""
        for one in semantic.virtual_joints:
            if one.child_link in robot.links and one.child_link != robot.root:
                message = f"the virtual joint carries {one.child_link!r};"
                message += f" expected {robot.root!r}, the root of the robot"
                yield self.finding(message, semantic.label(one, "virtual_joints"), source=one.source)
