"""REP-199's rules where names have prefixes: of several arms, and of one."""

import re

import pytest

import kinetree as kt
from arm_trees import RULES, found, single, tree
from each import each
from kinetree.errors import Finding
from kinetree.rules.examples import ARM
from kinetree.rules.rep199.clause import MEANING
from kinetree.rules.rep199.groups import TWO_ARMS
from support import ask

ONE = re.sub(r'\b(name|link)="(?!arm")', r'\1="r1_', ARM)
"""A single arm with a prefix."""
RIGHT = "the arm that ends with 'right_link_6' has no right"


def faults(text: str) -> dict[str, Finding]:
    findings = [f for f in ask(kt.load(text, format="urdf"), RULES) if f.severity != "info"]
    assert len({f.code for f in findings}) == len(findings)
    return {f.code: f for f in findings}


def bare(text: str, name: str) -> str:
    """Without the prefix of one name."""
    assert text.count(f'"{name}"') >= 1
    return text.replace(f'"{name}"', f'"{name.partition("_")[2]}"')


def test_the_examples_have_no_faults():
    assert not faults(TWO_ARMS)
    assert not faults(ONE)


@each("joint", ["right_joint_2", "right_link_6-flange", "right_flange-tool0", "right_base_link-base"])
def test_every_joint_of_an_arm_has_its_prefix(joint):
    wrong = faults(bare(TWO_ARMS, joint))
    assert [(f.code, f.element) for f in wrong.values()] == [("R199-701", f"joint '{joint[6:]}'")]


def test_what_is_mounted_or_carries_an_arm_needs_no_prefix():
    sides = [line for side in ("left_", "right_") for line in (f"body {side}base_link", *single(side))]
    extras = ["left_flange gripper", "gripper *jaw", "right_link_3 camera"]
    robot = tree(*sides, *extras)
    named = {f.element for f in ask(robot, RULES) if f.code == "R199-701"}
    assert not named & {f"link '{name}'" for name in ("gripper", "jaw", "camera", "body")}
    assert not found(tree(*sides))["R199-702"]


@pytest.mark.parametrize(("name", "code"), [("tool0", "R199-501"), ("flange", "R199-401")])
def test_a_frame_without_its_prefix_is_no_tool_nor_the_friend_of_another_arm(name, code):
    two = faults(bare(TWO_ARMS, f"right_{name}"))
    assert set(two) == {"R199-702", code}
    assert (two[code].element, two[code].message) == (f"frame 'right_{name}'", f"{RIGHT}_{name}, {MEANING[name]}")
    one = faults(bare(ONE, f"r1_{name}"))
    assert set(one) == {code}
    assert one[code].message.endswith(f"has no r1_{name}, {MEANING[name]}; {name!r} lacks the prefix 'r1_'")


@pytest.mark.parametrize(("name", "code"), [("base", "R199-208"), ("base_link", "R199-101")])
def test_the_frame_of_another_arm_is_no_false_friend(name, code):
    robot = kt.load(TWO_ARMS.replace(f'"right_{name}"', '"right_foot"'), format="urdf")
    (missing,) = [f for f in ask(robot, RULES) if f.code == code]
    assert missing.message == f"{RIGHT}_{name}, {MEANING[name]}"


@each(
    "name, empty",
    [("Mate1", True), ("tool_frame", True), ("tcp-frame2", True), ("mated_gripper", False), ("tool_changer", False)],
)
def test_names_that_say_nothing_of_a_tool(name, empty):
    assert found(tree(*single(), f"flange {name}"))["R199-602"] == empty


@each("prefix", ["", "left_", "cell/r1_", "tool_arm_"])
@each(
    "name, code",
    [
        ("tcp", "R199-602"),
        ("tool_frame", "R199-602"),
        ("new_frame", "R199-602"),
        ("tool1", "R199-601"),
        ("torch_tip", None),
        ("gripper_tcp", None),
    ],
)
def test_tools_are_judged_by_their_names_without_the_prefix_of_the_arm(prefix, name, code):
    said = found(tree(*single(prefix), f"{prefix}flange {prefix}{name}"))
    assert {key for key in said if key.startswith("R199-6")} == ({code} if code else set())


def test_a_prefix_that_looks_like_a_tool_makes_no_tool():
    """The camera's frame at the end of an arm called tool_… has no name of a tool, and is on no flange."""
    for prefix in ("", "tool_"):
        lines = [*single(prefix), f"{prefix}link_6 {prefix}frame"]
        assert found(tree(*lines))["R199-602"] == 0
