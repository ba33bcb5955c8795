"""The semantic description: names, groups, end effectors, states and disabled pairs."""

from __future__ import annotations

from dataclasses import replace

from kinetree.rules.srdf.contents import ROBOT, SRDF
from rule_cases.builders import box, felt, joint, link, robot
from rule_cases.case import Cases, Model

TOOL = 'parent_link="flange" group="gripper" parent_group="manipulator"'
CHAIN = '<chain base_link="base_link" tip_link="flange"/>'
FINGERS = '<link name="palm"/>\n    <link name="finger"/>'


def model(old: str = "", new: str = "", robot: str = ROBOT, **more: object) -> Model:
    """The SRDF of the examples with a text in the place of another."""
    assert old in SRDF
    return Model(robot, srdf=SRDF.replace(old, new) if old else SRDF.replace("</robot>", f"{new}</robot>"), **more)


def state(joints: str, group: str = ' group="gripper"', **more: object) -> Model:
    """A state of some joints, besides the one of the examples."""
    return model(new=f'<group_state name="s"{group}>{joints}</group_state>', **more)


def finger(value: str, **more: object) -> Model:
    return state(f'<joint name="finger_joint" value="{value}"/>', **more)


def followed(first: str, second: str, mimic: str = "", **more: object) -> Model:
    """A state of a joint, and of one that follows it."""
    text = ROBOT.replace(
        "</robot>",
        '<link name="other"/><joint name="second" type="prismatic"><parent link="palm"/><child link="other"/>'
        f'<limit lower="0" upper="0.04"/><mimic joint="finger_joint" {mimic}/></joint></robot>',
    )
    named = zip(("finger_joint", "second"), (first, second), strict=True)
    joints = "".join(f'<joint name="{name}" value="{value}"/>' for name, value in named if value)
    return state(joints, robot=text, **more)


def sided(name: str, member: str) -> str:
    """A group with a group, and groups of both sides."""
    sides = "".join(f'<group name="{side}_finger"><link name="finger"/></group>' for side in ("left", "right"))
    return f'{sides}<group name="{name}"><group name="{member}"/></group>'


def unknown(count: int) -> Model:
    """Nine links in a group, of which some do not exist."""
    names = [*(f"x{i}" for i in range(count)), *(f"link_{i}" for i in range(1, 10 - count))]
    links = "".join(f'<link name="{name}"/>' for name in names)
    return Model(ROBOT, srdf=f'<robot name="arm"><group name="g">{links}</group></robot>', count=count)


def adjacent(joints: int, missing: int) -> Model:
    """A chain of links of which the SRDF disables all adjacent pairs but some."""
    parts = [link(f"l{i}", felt(box(1))) for i in range(joints + 1)]
    parts += [joint(f"j{i}", f"l{i}", f"l{i + 1}", kind="continuous") for i in range(joints)]
    there = [i for i in range(joints) if i % 3 != 1 or i > 3 * missing]
    pairs = "".join(f'<disable_collisions link1="l{i}" link2="l{i + 1}" reason="Adjacent"/>' for i in there)
    return Model(robot(*parts), srdf=f'<robot name="r">{pairs}</robot>')


def touching(disabled: int, more: str = "", **said: object) -> Model:
    """A chain of four links, of which neighbours touch, with an SRDF that disables the first of three pairs."""
    parts = [link(f"l{i}", felt(box(1.1, 0.1, 0.1), xyz="0.5 0 0")) for i in range(4)]
    parts += [joint(f"j{i}", f"l{i}", f"l{i + 1}", kind="revolute", xyz="1 0 0", axis="1 0 0") for i in range(3)]
    pairs = "".join(f'<disable_collisions link1="l{i}" link2="l{i + 1}" reason="Adjacent"/>' for i in range(disabled))
    return Model(robot(*parts), srdf=f'<robot name="r">{pairs}{more}</robot>', options={"contact": True}, **said)


CASES = {
    "SRD-001": Cases(
        found={
            "five of nine": unknown(5),
            "six of nine, which are one": replace(
                unknown(6), count=1, says="6 of the 9 names in this SRDF do not exist in the robot 'arm'"
            ),
            "a link of a chain": model('tip_link="flange"', 'tip_link="flnge"', says="did you mean 'flange'"),
            "a link of a group": model('<link name="palm"/>', '<link name="plam"/>', element="group 'gripper'"),
            "a joint of a group": model(FINGERS, '<joint name="finger_jont"/>', says="the joint 'finger_jont'"),
            "a group in a group": model(FINGERS, '<group name="grip"/>', says="did you mean 'gripper'"),
            "a group of a state": state("", ' group="griper"', element="group_state 's'"),
            "a joint of a state": state('<joint name="joint_7" value="0"/>', says="the joint 'joint_7' does not exist"),
            "the link of an end effector": model('parent_link="flange"', 'parent_link="flang"'),
            "the group of an end effector": model('group="gripper" parent', 'group="hand" parent'),
            "the link of a virtual joint": model('child_link="base_link"', 'child_link="base_lnk"'),
            "a passive joint": model(new='<passive_joint name="finger_jnt"/>'),
            "the same in several places": model("link_5", "lnk_5", says="(it is named 2 times)", severity="warning"),
            "of another robot": Model(
                ROBOT.replace("link_", "body_").replace("joint_", "axis_"), srdf=SRDF, says="another robot"
            ),
        },
        silent={
            "all are there": model(),
            "a virtual joint in a group and a state": model(
                FINGERS,
                FINGERS + '<joint name="world_joint"/>',
            ),
            "a floating base of Pinocchio": state('<joint name="root_joint" value="0 0 1 0 0 0 1"/>', ""),
            "a group, if there are none": Model(
                ROBOT, srdf='<robot name="arm"><group_state name="s" group="all"/></robot>'
            ),
        },
    ),
    "SRD-002": Cases(
        found={
            "the other way round": model(CHAIN, '<chain base_link="flange" tip_link="link_2"/>', says="exchange them"),
            "on another branch": model(CHAIN, '<chain base_link="base" tip_link="flange"/>', says="another branch"),
            "of one link": model(CHAIN, '<chain base_link="flange" tip_link="flange"/>', says="no joint"),
        },
        silent={"down": model(), "of one fixed joint": model(CHAIN, '<chain base_link="flange" tip_link="tool0"/>')},
    ),
    "SRD-003": Cases(
        found={
            "no member": model(FINGERS, "", element="group 'gripper'"),
            "an empty group": model(FINGERS, '<group name="none"/></group><group name="none">', count=2),
        },
        silent={"a link on a fixed joint": model(FINGERS, '<link name="palm"/>')},
    ),
    "SRD-004": Cases(
        found={
            "tool0 beside flange": model(TOOL, TOOL.replace("flange", "tool0"), says="attach it to 'flange'"),
            "with a prefix": Model(
                ROBOT.replace('"tool0"', '"a_tool0"').replace('"flange"', '"a_flange"'),
                srdf=SRDF.replace('"flange"', '"a_tool0"'),
                says="attach it to 'a_flange'",
            ),
        },
        silent={
            "flange": model(),
            "no flange": Model(ROBOT.replace('"flange"', '"wrist"'), srdf=SRDF.replace('"flange"', '"tool0"')),
            "no tool0, but a flange with its name": Model(
                ROBOT.replace('"tool0"', '"a_"').replace('"flange"', '"a_flange"'),
                srdf=SRDF.replace('"flange"', '"a_"'),
            ),
            "a longer name": Model(
                ROBOT.replace('"tool0"', '"tool01"').replace('"flange"', '"tool01flange"'),
                srdf=SRDF.replace('"flange"', '"tool01"'),
            ),
            "another profile": model(TOOL, TOOL.replace("flange", "tool0"), profile="ros"),
        },
    ),
    "SRD-005": Cases(
        found={
            "in its own group": model(TOOL, TOOL.replace("flange", "palm"), says="in the end effector's own group"),
            "outside of the parent group": model(
                TOOL, TOOL.replace("flange", "tool0"), says="is not in the parent_group"
            ),
            "its own parent": model(TOOL, TOOL.replace("manipulator", "gripper"), says="its own parent_group"),
        },
        remarked={
            "in its own group, which has no parent": model(TOOL, 'parent_link="palm" group="gripper"'),
        },
        silent={
            "the tip": model(),
            "inside of the chain": model(TOOL, TOOL.replace("flange", "link_6")),
            "without a parent group": model(TOOL, 'parent_link="tool0" group="gripper"'),
        },
    ),
    "SRD-006": Cases(
        found={"another link": model('child_link="base_link"', 'child_link="link_1"', says="'base_link', the root")},
        silent={"the root": model()},
    ),
    "SRD-007": Cases(
        found={
            "far beyond degrees": model(
                'name="joint_3" value="0.9"',
                'name="joint_3" value="500"',
                says="is at 500 rad; its limits are -3 to 1.2 rad",
            ),
            "hardly above": finger("0.0400404", says="is at 0.04004 m; its limits are 0 to 0.04 m"),
            "hardly in degrees": model(
                'name="joint_3" value="0.9"',
                'name="joint_3" value="7.05"',
                says="is at 7.05 rad; its limits are -3 to 1.2 rad; is it in",
            ),
            "hardly in radians": model(
                'name="joint_3" value="0.9"',
                'name="joint_3" value="6.95"',
                says="is at 6.95 rad; its limits are -3 to 1.2 rad",
            ),
            "away from its leader": followed(
                "0.02", "0.02081", says="'second' is at 0.0208 m; it follows 'finger_joint'"
            ),
            "where the leader is not": followed("0", "0.04"),
            "at no multiple": followed("0.02", "0.02", mimic='multiplier="0.5"', says="which puts it at 0.01"),
            "above": finger("0.0402", says="is at 0.0402 m; its limits are 0 to 0.04 m"),
            "below": finger("-0.001"),
            "in degrees": model('name="joint_3" value="0.9"', 'name="joint_3" value="90"', says="is it in degrees?"),
        },
        silent={
            "hardly rounded": finger("0.0400396"),
            "at the limit": finger("0.04"),
            "near its leader": followed("0.02", "0.02079"),
            "at a multiple": followed("0.02", "0.02", mimic='multiplier="0.5" offset="0.01"'),
            "a follower alone": followed("", "0.03"),
            "rounded": finger("0.04003"),
            "of an endless joint": Model(
                ROBOT.replace('type="revolute"', 'type="continuous"'), srdf=SRDF.replace('value="0.9"', 'value="90"')
            ),
        },
    ),
    "SRD-008": Cases(
        found={
            "of another group": state(
                '<joint name="joint_1" value="0"/>', says="does not belong to the group 'gripper'"
            ),
            "fixed": state('<joint name="flange-palm" value="0"/>', says="is fixed"),
            "two values": finger("0.01 0.02", says="has 2 values; expected 1"),
        },
        silent={
            "of the group": finger("0.01"),
            "without a group": state('<joint name="joint_1" value="0"/>', ""),
            "of a joint that is not there": state('<joint name="nobody" value="0"/>', ""),
            "that follows one of the group": Model(
                ROBOT.replace(
                    "</robot>",
                    '<link name="thumb"/><joint name="thumb_joint" type="prismatic"><parent link="palm"/>'
                    '<child link="thumb"/><axis xyz="0 1 0"/><limit lower="0" upper="1" velocity="1" effort="1"/>'
                    '<mimic joint="finger_joint"/></joint></robot>',
                ),
                srdf=SRDF.replace(
                    "</robot>",
                    '<group_state name="s" group="gripper"><joint name="finger_joint" value="0"/>'
                    '<joint name="thumb_joint" value="0"/></group_state></robot>',
                ),
            ),
        },
    ),
    "SRD-009": Cases(
        found={
            "one": model('<joint name="joint_6" value="0"/>', "", says="no value for 'joint_6', of the group"),
            "all": state("", says="'finger_joint'"),
        },
        silent={
            "whole": model(),
            "a passive joint": model(new='<passive_joint name="finger_joint"/><group_state name="s" group="gripper"/>'),
            "without a group": state("", ""),
        },
    ),
    "SRD-013": Cases(
        found={
            "two states": model(new='<group_state name="home" group="manipulator"/>', says="already used on line"),
            "two virtual joints": model(
                new='<virtual_joint name="world_joint" type="fixed" parent_frame="map" child_link="base_link"/>'
            ),
            "two end effectors": model(new=f'<end_effector name="hand" {TOOL}/>', element="end_effector 'hand'"),
            "two end effectors of two groups": model(
                new='<end_effector name="hand" parent_link="link_6" group="manipulator"/>',
                element="end_effector 'hand'",
            ),
            "two values": state(
                2 * '<joint name="finger_joint" value="0"/>', says="gives the joint 'finger_joint' two"
            ),
        },
        silent={
            "of two groups": model(new='<group_state name="home" group="gripper"/>'),
            "of two names": model(new='<group_state name="house" group="manipulator"/>'),
        },
    ),
    "SRD-010": Cases(
        found={
            "one link": model('link1="link_5" link2="link_6"', 'link1="link_6" link2="link_6"', says="both 'link_6'"),
            "twice": model(
                new='<disable_collisions link1="link_6" link2="link_5"/>', says="this pair is disabled twice"
            ),
            "several": model(
                new='<disable_collisions link1="link_6" link2="link_5"/>'
                '<disable_collisions link1="link_1" link2="link_2"/>',
                says="2 pairs are disabled twice",
            ),
        },
        silent={"once": model(), "enabled": model(new='<enable_collisions link1="link_6" link2="link_5"/>')},
    ),
    "SRD-014": Cases(
        found={
            "of a link": model(FINGERS, '<link name="/palm"/><link name="/finger"/>', says="(also '/finger')", count=1),
            "of a chain": model(CHAIN, '<chain base_link="/base_link" tip_link="flange"/>', says="'/base_link'"),
            "of a pair": model('link1="base_link"', 'link1="/base_link"'),
        },
        silent={
            "within": model(FINGERS, '<link name="a/palm"/>'),
            "of a group": model(FINGERS, '<group name="/gripper"/>'),
        },
    ),
    "SRD-012": Cases(
        found={
            "a group, by letters": model(
                new=sided("l_hand", "r_finger").replace("left_", "l_").replace("right_", "r_"),
                says="the group has 'r_finger'; expected 'l_finger'",
            ),
            "a right group": model(
                new=sided("right_hand", "left_finger"), says="the group has 'left_finger'; expected 'right_finger'"
            ),
            "a right group, by letters": model(
                new=sided("r_hand", "l_finger").replace("left_", "l_").replace("right_", "r_"),
                says="expected 'r_finger'",
            ),
            "a group": model(new=sided("left_hand", "right_finger"), says="expected 'left_finger'"),
            "an end effector": model(
                new=sided("left_hand", "left_finger")
                + '<end_effector name="e" parent_link="left_hand" group="right_finger"/>',
                says="expected the same side",
                robot=ROBOT.replace('"palm"', '"left_hand"'),
            ),
        },
        silent={
            "its own side": model(new=sided("left_hand", "left_finger")),
            "both sides": model(
                new=sided("left_hand", "left_finger").removesuffix("</group>") + '<group name="right_finger"/></group>'
            ),
            "no counterpart": model(new=sided("left_hand", "right_finger").replace('"left_finger"', '"left_thumb"')),
        },
    ),
    "SRD-011": Cases(
        found={
            "three of ten": adjacent(10, 3),
            "one of three": touching(disabled=1, says="are not disabled: 'l1' and 'l2', 'l2' and 'l3'"),
            "none": touching(disabled=0, says="these always touch, and are not disabled: 'l0' and 'l1'"),
            "one of six": model(
                'link1="link_5" link2="link_6" reason="Adjacent"',
                'link1="link_4" link2="link_6"',
                says="(joint 'joint_6')",
            ),
        },
        silent={
            "four of thirteen": adjacent(13, 4),
            "one of three, without contact": replace(touching(disabled=1), options={}),
            "all, with contact": touching(disabled=3),
            "apart": replace(touching(disabled=0), text=touching(0).text.replace("1.1 ", "0.9 ")),
            "enabled, with contact": touching(2, '<enable_collisions link1="l2" link2="l3"/>'),
            "disabled with all": touching(2, '<disable_default_collisions link="l3"/>'),
            "all": model(),
            "a link of no pair": model('<disable_collisions link1="link_5" link2="link_6" reason="Adjacent"/>', ""),
            "enabled": model(
                '<disable_collisions link1="link_5" link2="link_6" reason="Adjacent"/>',
                '<enable_collisions link1="link_5" link2="link_6"/><disable_collisions link1="link_6" link2="link_4"/>',
            ),
            "a link that is disabled with all": model(
                '<disable_collisions link1="link_5" link2="link_6" reason="Adjacent"/>',
                '<disable_default_collisions link="link_6"/><disable_collisions link1="link_6" link2="link_4"/>',
            ),
            "few are disabled": Model(
                ROBOT,
                srdf='<robot name="arm"><disable_collisions link1="link_1" link2="link_2" reason="Adjacent"/></robot>',
            ),
            "none for that reason": model(' reason="Adjacent"', ""),
        },
    ),
}
