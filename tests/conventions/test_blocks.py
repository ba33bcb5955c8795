"""Joints that blocks of other tools name: ros2_control, transmissions, plug-ins of Gazebo."""

import pytest

import kinetree as kt
from each import each
from kinetree.checker.check import check
from kinetree.model.robot import Joint, Limit
from kinetree.rules.blocks.ros2_control import _inside
from kinetree.rules.quality import with_blocks

CONTROL = '<ros2_control name="arm" type="system">{}</ros2_control>'
MIMIC = '<joint name="joint_1"><param name="{}">{}</param></joint>'
DRIVE = '<transmission name="t"><actuator name="a1"/><joint name="{}" role="joint1"/></transmission>'


def messages(text: str, format: str = "urdf") -> list[str]:
    """What is found of blocks, up to what is near."""
    findings = check(kt.load(text, format=format), select=("XML",))
    return [f"{finding.code}: {finding.message.partition(';')[0]}" for finding in findings]


@each(
    "inside, expected",
    [
        (DRIVE.format("joint_1"), []),
        (DRIVE.format("nope"), ["XML-003: the joint 'nope' does not exist"]),
        (MIMIC.format("mimic", " joint_2 "), []),
        (MIMIC.format("mimic", "nope"), ["XML-003: the joint 'nope' does not exist"]),
        (MIMIC.format("other", "nope"), []),
    ],
)
def test_joints_of_ros2_control(inside, expected):
    assert messages(with_blocks(CONTROL.format(inside))) == expected


@pytest.mark.parametrize(("link", "found"), [("stick", []), ("other", ["XML-001: the reference 'stick' is neither"])])
def test_a_block_for_a_link_of_a_branch_that_is_not_taken(link, found):
    text = (
        '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="more" default="false"/>'
        f'<link name="a"/><xacro:if value="$(arg more)"><link name="{link}"/></xacro:if>'
        '<gazebo reference="stick"><mu1>1</mu1></gazebo></robot>'
    )
    assert [message[: len(start)] for message, start in zip(messages(text, "xacro"), found, strict=True)] == found


JOINT = '<joint name="j" type="fixed"><parent>{0}a</parent><child>{0}b</child></joint>'
LINKS = '<link name="a"/><link name="b"/>'


@each("name", ["j", "m::j", "inner::j", "m::inner::j"])
@each("wrong", ["", "k"])
@each("nested", [True, False])
def test_plugins_of_sdf(name, wrong, nested):
    inside = f'<model name="inner">{LINKS}{JOINT.format("")}</model>' if nested else LINKS + JOINT.format("")
    plugin = f'<plugin name="p" filename="p.so"><joint_name>{name}{wrong}</joint_name></plugin>'
    text = f'<sdf version="1.9"><model name="m">{inside}{plugin}</model></sdf>'
    robot = kt.load(text, format="sdf")
    findings = check(robot, select=("XML-004",))
    assert [(f.code, f.element) for f in findings] == [("XML-004", "plugin 'p'")] * bool(wrong)


def test_plugins_of_the_world_are_not_of_the_model():
    plugin = '<plugin name="p" filename="p.so"><joint_name>of_another</joint_name></plugin>'
    text = f'<sdf version="1.9"><world name="w">{plugin}<model name="m"><link name="a"/></model></world></sdf>'
    assert messages(text, "sdf") == []


COMMAND = '<command_interface name="position"/>'


@pytest.mark.slow
@each(
    "mimic, joint, attribute, said, expected",
    [
        (False, "joint_3", "", "", None),
        (False, "joint_3", 'mimic="true"', "", "has no <mimic>"),
        (False, "joint_3", 'mimic="TRUE"', "", "has no <mimic>"),
        (False, "joint_3", 'mimic="false"', "", None),
        (False, "joint_3", "", '<param name="mimic">joint_2</param>', None),  # older: the parameter makes it mimic
        (False, "fixed", "", '<param name="mimic">joint_2</param>', "has no <mimic>"),
        (False, "fixed", "", "", None),
        (True, "joint_3", "", "", None),
        (True, "joint_3", "", COMMAND, "has a command_interface"),
        (True, "joint_3", 'mimic="true"', COMMAND, "has a command_interface"),
        (True, "joint_3", 'mimic="false"', COMMAND, None),
        (True, "joint_3", 'mimic="False"', COMMAND, None),
        (True, "joint_3", "", '<param name="mimic">joint_2</param>', "times 1 here"),
        (True, "joint_3", "", '<param name="mimic">joint_1</param><param name="multiplier">2</param>', "'joint_1'"),
        (True, "joint_3", "", '<param name="mimic">joint_2</param><param name="multiplier">2</param>', None),
        (True, "joint_3", "", '<param name="mimic">joint_2</param><param name="multiplier">2.1</param>', "times 2.1"),
    ],
)
def test_joints_that_mimic_in_ros2_control(mimic, joint, attribute, said, expected):
    limit = 'effort="66"/>'
    text = with_blocks(
        CONTROL.format(f'<joint name="{joint}" {attribute}>{said}</joint>'),
    )
    if mimic:
        text = text.replace(limit, f'{limit}<mimic joint="joint_2" multiplier="2"/>')
    if joint == "fixed":
        text = text.replace(
            "</robot>",
            '<link name="pin"/><joint name="fixed" type="fixed"><parent link="link_1"/>'
            '<child link="pin"/></joint></robot>',
        )
    found = [finding.message for finding in check(kt.load(text, format="urdf"), select=("CTL-006",))]
    assert len(found) == bool(expected), found
    assert not expected or expected in found[0]


@each(
    "type, value, is_inside",
    [
        ("revolute", 1.0, True),
        ("revolute", 1.0004, True),
        ("revolute", 1.01, False),
        ("revolute", -2.01, False),
        ("floating", 9.0, True),
        ("fixed", 9.0, True),
    ],
)
def test_positions_are_judged_where_a_joint_has_one_number(type, value, is_inside):
    joint = Joint("j", type, "a", "b", limits=(Limit(-2, 1),) if type == "revolute" else ())
    assert _inside(value, joint) is is_inside
