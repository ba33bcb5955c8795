"""The semantic description through edits of the robot: names follow, and what has gone is named no more."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import kinetree as kt
from each import each
from kinetree.model.semantic import Group, Member, Semantic
from kinetree.model.semantic_groups import groups_of, unknown
from kinetree.rules.srdf.contents import ROBOT, SRDF

MORE = """
  <passive_joint name="finger_joint"/>
  <joint_property joint_name="finger_joint" property_name="weight" value="1"/>
  <link_sphere_approximation link="finger"><sphere center="0 0 0" radius="0.01"/></link_sphere_approximation>
  <disable_default_collisions link="palm"/>
  <enable_collisions link1="palm" link2="link_6"/>
</robot>"""


@pytest.fixture
def arm() -> kt.Robot:
    return kt.load(ROBOT, format="urdf", srdf=SRDF.replace("</robot>", MORE))


def is_whole(robot: kt.Robot) -> bool:
    """Whether every name exists, and the written groups have the joints that the robot's have."""
    again = kt.load(kt.text(robot, "urdf"), format="urdf", srdf=kt.text(robot, "srdf"))
    assert dict(again.groups) == dict(robot.groups)
    return not list(unknown(robot.semantic, robot)) and not [n for n in again.notes if n.code == "unknown-name"]


def test_new_names_follow(arm):
    robot = kt.edit.rename(arm, links={"flange": "mount", "finger": "jaw"}, joints={"finger_joint": "jaw_joint"})
    assert robot.semantic.groups[0].members[0].tip_link == "mount"
    assert robot.semantic.end_effectors[0].parent_link == "mount"
    assert robot.semantic.passive_joints[0].name == "jaw_joint"
    assert robot.semantic.joint_properties[0].joint_name == "jaw_joint"
    assert robot.semantic.sphere_approximations[0].link == "jaw"
    assert is_whole(robot)


def test_a_prefix_goes_before_every_name(arm):
    robot = kt.edit.prefix(arm, "left_")
    semantic = robot.semantic
    assert [group.name for group in semantic.groups] == ["left_manipulator", "left_gripper"]
    assert (semantic.end_effectors[0].group, semantic.end_effectors[0].parent_group) == (
        "left_gripper",
        "left_manipulator",
    )
    assert semantic.virtual_joints[0].name == "left_world_joint"
    assert semantic.virtual_joints[0].parent_frame == "world"
    assert semantic.group_states[0].joints[0].name == "left_joint_1"
    assert is_whole(robot)


def test_groups_that_are_named_are_missed_where_there_are_any(arm):
    state = replace(arm.semantic.group_states[0], group="none")
    some = replace(arm.semantic, group_states=(state,))
    assert [(one.kind, one.name) for one in unknown(some, arm)] == [("group", "none")]
    assert not list(unknown(replace(some, groups=(), end_effectors=()), arm))
    link = replace(some, group_states=(), end_effectors=(replace(some.end_effectors[0], parent_link="none"),))
    assert [(one.kind, one.name) for one in unknown(link, arm)] == [("link", "none")]


def test_two_arms_have_both(arm):
    robot = kt.edit.attach(kt.edit.prefix(arm, "a_"), arm, "a_tool0", prefix="b_")
    semantic = robot.semantic
    assert [group.name for group in semantic.groups] == ["a_manipulator", "a_gripper", "b_manipulator", "b_gripper"]
    assert [joint.name for joint in semantic.virtual_joints] == ["a_world_joint"]
    assert len(semantic.disabled_collisions) == 12
    assert is_whole(robot)
    bare = kt.load(ROBOT, format="urdf")
    assert kt.edit.attach(bare, arm, "tool0", prefix="b_").semantic.name == ""
    assert kt.edit.attach(arm, bare, "tool0", prefix="b_").semantic == arm.semantic


def test_what_is_removed_is_named_no_more(arm):
    robot = kt.edit.remove(arm, "palm")
    semantic = robot.semantic
    assert [group.name for group in semantic.groups] == ["manipulator"]
    assert semantic.end_effectors == semantic.passive_joints == semantic.sphere_approximations == ()
    assert semantic.enabled_collisions == semantic.unchecked_links == ()
    assert semantic.disabled_collisions == arm.semantic.disabled_collisions
    assert is_whole(robot)


def test_an_end_effector_stays_without_the_group_of_its_parent(arm):
    left = arm.semantic.without({("group", "manipulator")})
    (hand,) = left.end_effectors
    assert hand == replace(arm.semantic.end_effectors[0], parent_group="")
    assert ([group.name for group in left.groups], left.group_states) == (["gripper"], ())
    assert left.virtual_joints == arm.semantic.virtual_joints
    assert arm.semantic.without({("group", "gripper")}).end_effectors == ()


@each("deep, codes", [(100, []), (101, ["depth"])])
def test_groups_of_groups_end_at_a_depth(arm, deep, codes):
    groups = [Group(f"g{i}", (Member("group", f"g{i + 1}"),)) for i in range(deep - 1)]
    last = Group(f"g{deep - 1}", (Member("joint", "joint_1"),))
    found, findings = groups_of(Semantic("arm", groups=(*groups, last)), arm)
    assert [one.code for one in findings] == codes
    assert found["g0"] == (() if codes else ("joint_1",))
    if codes:
        assert findings[0].message == "groups nested more than 100 deep"
        assert findings[0].element == "group 'g99'"


def test_members_are_counted_over_all_groups(arm, monkeypatch):
    """Those of a group in another are counted again; after the first that are too many no other is read."""
    monkeypatch.setattr("kinetree.model.semantic_groups.MAX_MEMBERS", 4)
    two = (Member("joint", "joint_1"), Member("joint", "joint_2"))
    groups = (Group("a", two), Group("b", (Member("group", "a"),)), Group("c", two[:1]), Group("d", two[:1]))
    found, findings = groups_of(Semantic("arm", groups=groups[:2]), arm)
    assert (dict(found), findings) == ({"a": ("joint_1", "joint_2"), "b": ("joint_1", "joint_2")}, [])
    found, (finding,) = groups_of(Semantic("arm", groups=groups), arm)
    assert list(found) == ["a", "b", "c"]
    assert found["c"] == ()
    assert (finding.code, finding.element) == ("srdf-size", "group 'c'")
    assert finding.message == "the groups have more than 4 members, the most that are read"


@each("count", [999, 1000, 1003])
def test_after_a_thousand_faults_of_groups_no_more_are_said(arm, count):
    groups = tuple(Group(f"g{i}", (Member("group", f"g{i}"),)) for i in range(count))
    _, findings = groups_of(Semantic("arm", groups=groups), arm)
    assert [one.code for one in findings] == ["cycle"] * min(count, 1000) + ["too-many"] * (count > 1000)
    assert findings[7].message == "contains itself: g7 -> g7"
    assert count < 1001 or findings[-1].message == "there are 1000 faults already; the rest is left out"


def test_the_chain_of_a_cut_arm_becomes_its_joints(arm):
    robot = kt.edit.cut(arm, "link_3")
    assert dict(robot.groups) == {"manipulator": ("joint_4", "joint_5", "joint_6"), "gripper": ("finger_joint",)}
    assert robot.semantic.virtual_joints == ()
    assert [joint.name for joint in robot.semantic.group_states[0].joints] == ["joint_4", "joint_5", "joint_6"]
    assert robot.semantic.end_effectors == arm.semantic.end_effectors
    assert is_whole(robot)


def test_merged_links_are_frames_of_the_same_names(arm):
    robot = kt.edit.merge_fixed(arm)
    assert robot.semantic == arm.semantic
    assert dict(robot.groups) == dict(arm.groups)
    assert is_whole(robot)


def test_groups_of_the_robot_are_written(arm):
    robot = kt.edit.group(arm, "wrist", ["joint_5", "joint_6"])
    again = kt.load(ROBOT, format="urdf", srdf=kt.text(robot, "srdf"))
    assert again.groups["wrist"] == ("joint_5", "joint_6")
    assert again.semantic.groups[0] == arm.semantic.groups[0]
    assert "wrist" not in kt.text(robot, "srdf", without=["group"])
    text = kt.text(kt.load("icub"), "srdf")
    assert '<group name="left_arm">' in text


def test_it_is_saved_and_converted(arm, tmp_path):
    kt.save(arm, tmp_path / "arm.srdf")
    (tmp_path / "arm.urdf").write_text(ROBOT)
    again = kt.load(tmp_path / "arm.urdf", srdf=tmp_path / "arm.srdf")
    assert again.semantic == arm.semantic
    with pytest.raises(kt.KinetreeError, match="no model is known to which it belongs"):
        kt.load(tmp_path / "arm.srdf")


def test_other_formats_say_that_they_lack_it(arm, tmp_path):
    notes = kt.save(arm, Path(tmp_path / "arm.urdf"))
    assert [note.code for note in notes if "SRDF" in note.message] == ["semantic"]
    assert not [n for n in kt.save(replace(arm, semantic=None), tmp_path / "b.urdf") if n.code == "semantic"]
