"""Kinds of robots and of their chains."""

from pathlib import Path

import pytest
from click.testing import CliRunner

import kinetree as kt
from arm_trees import chain, found, single, tree, tree_text
from each import each
from kinetree.checker.job import Job, check_job
from kinetree.checker.settings import read_settings
from kinetree.cli.check import command as check
from kinetree.robot_kinds import KINDS
from kinetree.robot_kinds.kinds import _is_wheel, words
from kinetree.rules.examples import ARM
from kinetree.rules.facts import kinds_of
from kinetree.rules.options import CheckOptions


def limb(foot: str, *names: str) -> list[str]:
    return [f"{a} *{b}" for a, b in zip((foot, *names), names, strict=False)]


def both(foot: str, *names: str) -> list[str]:
    return [line for side in ("l_", "r_") for line in limb(foot, *(side + name for name in names))]


LEG = ("hip", "thigh", "knee", "ankle")
HUMAN_ARM = ("shoulder", "upper_arm", "elbow", "wrist")
ROBOTS = {
    "arm": [
        single(),
        chain("", "foot"),
        [*both("torso", *HUMAN_ARM), "torso *head"],  # as on Baxter
        [*single(), *limb("base_link", "lift_wheel"), "link_6 drone"],
        ["base_link *slide", *limb("slide", *HUMAN_ARM)],
    ],
    "humanoid": [
        [*both("pelvis", *LEG), *both("pelvis", *HUMAN_ARM)],
        [*both("torso", *HUMAN_ARM), *limb("torso", "neck", "head")],
        [*both("torso", *HUMAN_ARM), "torso pelvis"],
        ["base *waist", *both("waist", "LThigh", "RKnee", "foot_tip"), *both("waist", *HUMAN_ARM)],
    ],
    "legged": [
        both("body", *LEG),
        [*both("body", "FrontHip", "frontCalf"), *both("body", "BackHip", "backCalf")],
        [*both("body", *LEG), *single("arm_")[1:], "body arm_base_link"],
        [line for k in range(6) for line in limb("body", *(f"x{k}_{i}" for i in range(4)))],
        limb("body", "hip", "knee", "wheel"),
    ],
    "mobile-base": [
        ["base *left_wheel", "base *right_wheel", "base laser"],
        ["base left_wheel", "base right_wheel", "base *caster"],
        [*limb("base", "steering_fl", "wheelfl"), *limb("base", "steering_fr", "wheelfr"), "base *rearwheels"],
    ],
    "mobile-manipulator": [
        ["car *left_wheel", "car *right_wheel", "car base_link", *single()],
        ["base left_wheel", "base right_wheel", "base *caster", *both("base", *HUMAN_ARM)],
    ],
    "drone": [
        ["body *rotor_0", "body *rotor_1"],
        [*limb("uav", "uav_1", "uav_2")],
        ["body *prop1", "body *prop2"],
    ],
    "hand": [["palm *left_finger", "palm *right_finger"], limb("palm", "thumb_proximal", "thumb_distal")],
    "head": [limb("body", "pan_link", "tilt_link"), limb("body", "neck", "head")],
    "object": [["a b"], ["flange tool0"]],
    "other": [["a *b"], limb("a", "b", "c", "d"), ["door_frame *door"]],
}


@each("kind, lines", [(kind, lines) for kind, some in ROBOTS.items() for lines in some])
def test_the_kind_of_a_robot(kind, lines):
    robot = tree(*lines)
    kinds = kinds_of(robot)
    assert (kinds.kind, bool(kinds.reasons)) == (kind, True)
    assert sorted(name for one in kinds.chains for name in one.joints) == sorted(robot.joint_names)
    if kind not in ("arm", "mobile-manipulator", "object"):
        assert not found(robot)


def test_short_chains_without_names_are_fingers():
    hand = "".join(tree_text(*(line for k in range(4) for line in limb("body", *(f"x{k}_{i}" for i in range(4))))))
    kinds = kinds_of(kt.load(hand.replace('xyz="0.1 0 0"', 'xyz="0.03 0 0"'), format="urdf"))
    assert kinds.kind == "hand"
    assert kinds.reasons == ("4 fingers of 4 joints that end in 'x0_3', 'x1_3', 'x2_3', 'x3_3'",)


@each("more", [[], ["foot *body"]])
def test_a_long_thumb_without_a_name_makes_no_arm(more):
    lines = [*limb("body", *(f"t{i}" for i in range(5))), *(f for k in "xy" for f in limb("body", k, k + "1", k + "2"))]
    hand = "".join(tree_text(*more, *lines)).replace('xyz="0.1 0 0"', 'xyz="0.03 0 0"')
    assert kinds_of(kt.load(hand, format="urdf")).kind == "hand"
    assert kinds_of(kt.load(hand.replace("0.03", "0.1"), format="urdf")).kind == "arm"
    alone = "".join(tree_text(*more, *lines[:8])).replace('xyz="0.1 0 0"', 'xyz="0.03 0 0"')
    assert kinds_of(kt.load(alone, format="urdf")).kind == "arm"
    flange = "".join(tree_text(*more, *lines, "t4 tool0")).replace('xyz="0.1 0 0"', 'xyz="0.03 0 0"')
    assert kinds_of(kt.load(flange, format="urdf")).kind == "arm"


ROUND = '<{}><origin xyz="{}"/><geometry>{}</geometry></{}>'
CYLINDER, SPHERE = '<cylinder radius="0.1" length="0.02"/>', '<sphere radius="0.1"/>'


@each(
    "shapes, axis, kind, is_wheel",
    [
        ([("collision", "0 0 0", CYLINDER)], "0 0 1", "continuous", True),
        ([("visual", "0 0 0", CYLINDER)], "0 0 -1", "continuous", True),
        ([("visual", "0 0 0", SPHERE)], "0 1 0", "continuous", True),
        ([("collision", "0 0 0.5", CYLINDER)], "0 0 1", "continuous", True),
        ([("visual", "0 0 0", '<box size="1 1 1"/>'), ("collision", "0 0 0", SPHERE)], "0 0 1", "continuous", True),
        ([("visual", "0 0 0", SPHERE), ("collision", "0 0 0", '<box size="1 1 1"/>')], "0 0 1", "continuous", False),
        ([("collision", "0 0 0", CYLINDER), ("collision", "0.01 0 0", SPHERE)], "0 0 1", "continuous", False),
        ([("collision", "0.0009 0 0", SPHERE)], "0 0 1", "continuous", True),
        ([("collision", "0.0011 0 0", SPHERE)], "0 0 1", "continuous", False),
        ([("collision", "0 0 0", CYLINDER)], "1 0 0", "continuous", False),
        ([("collision", "0 0 0", CYLINDER)], "0 0 1", "revolute", False),
        ([], "0 0 1", "continuous", False),
    ],
)
def test_a_wheel_turns_about_the_axis_of_round_shapes(shapes, axis, kind, is_wheel):
    inside = "".join(ROUND.format(tag, xyz, shape, tag) for tag, xyz, shape in shapes)
    limit = '<limit lower="-1" upper="1" velocity="1" effort="1"/>' if kind == "revolute" else ""
    joint = f'<joint name="j" type="{kind}"><parent link="a"/><child link="b"/><axis xyz="{axis}"/>{limit}</joint>'
    robot = kt.load(f'<robot name="r"><link name="a"/><link name="b">{inside}</link>{joint}</robot>', format="urdf")
    assert _is_wheel(robot, "j", "b") is is_wheel


def test_reasons_are_a_few_words():
    assert kinds_of(tree(*single())).reasons == ("6 continuous joints in a row", "base_link", "flange", "tool0")
    legs, arms = kinds_of(tree(*both("pelvis", *LEG), *both("pelvis", *HUMAN_ARM))).reasons
    assert legs == "2 legs of 4 joints that end in 'l_ankle', 'r_ankle'"
    assert arms == "2 arms of 4 joints that end in 'l_wrist', 'r_wrist'"


class TestWhatIsSaid:
    BIPED = tree_text(*both("body", *LEG))

    def test_a_comment_says_it(self):
        text = self.BIPED.replace("<link", "<!-- kinetree: kind arm --><link", 1)
        assert kinds_of(kt.load(text, format="urdf")).kind == "arm"
        how = {"format": "urdf", "profile": "industrial", "select": ["R199-401"]}
        assert len(kt.check(text, **how)) == 2
        assert not kt.check(text, kind="legged", **how)

    def test_a_comment_is_no_fault_and_an_unknown_kind_is_one(self, tmp_path):
        for word, faults in (("arm", 0), ("biped", 1)):
            file = tmp_path / f"{word}.urdf"
            file.write_text(ARM.replace("<link", f"<!-- kinetree: kind {word} --><link", 1))
            said = [f for f in check_job(Job(str(file), CheckOptions("industrial"))).findings if f.code == "SUP-001"]
            assert len(said) == faults
            assert all("no kind of robot 'biped'; expected one of arm, mobile-base, " in f.message for f in said)

    def test_an_argument_and_an_option_say_it(self, tmp_path):
        with pytest.raises(kt.KinetreeError, match="no kind of robot 'biped'; expected one of arm, "):
            kt.check(ARM, format="urdf", kind="biped")
        assert not kt.check(tree("a *b"), profile="industrial", kind="object", select=["R199"])
        file = tmp_path / "biped.urdf"
        file.write_text(self.BIPED)
        words = [str(file), "--profile", "industrial", "--select", "R199-401"]
        assert "R199-401" not in CliRunner().invoke(check, words).stdout
        assert "R199-401" in CliRunner().invoke(check, [*words, "--kind", "arm"]).stdout
        assert "'humanoid', 'legged'" in CliRunner().invoke(check, [*words, "--kind", "x"]).output

    def test_settings_say_it(self, tmp_path: Path):
        file = tmp_path / "kinetree.toml"
        file.write_text('[[models]]\nfile = "a.urdf"\nkind = "legged"\n')
        assert read_settings(str(file)).models[0].options.kind == "legged"
        file.write_text('[[models]]\nfile = "b.urdf"\nkind = "biped"\n')
        with pytest.raises(kt.KinetreeError, match=f"kind is 'biped'; expected one of {', '.join(KINDS)}"):
            read_settings(str(file))


@each(
    "name, kinds", [("rarm_2", {"arm"}), ("l_arms", {"arm"}), ("farm_link", set()), ("swarm", set()), ("lleg", {"leg"})]
)
def test_a_side_before_a_word_is_no_part_of_it(name, kinds):
    assert words(name) == kinds


def test_a_chain_with_one_name_of_a_leg_needs_names_on_its_foot():
    body = [*limb("body", "hip_a", "b", "c", "d", "e"), *limb("body", "neck", "head")]
    for foot in (["e x", "e y"], []):
        assert kinds_of(tree(*body, *foot)).chains[0].kind != "leg"
    assert kinds_of(tree(*body, "e leg_x", "e leg_y")).chains[0].kind == "leg"
