"""Why repairs of REP-199's frames are not made, and how many edits others have: in a golden file, to be read."""

import re
from dataclasses import replace

import kinetree as kt
from arm_trees import tree_text
from kinetree.rules.examples import ARM
from kinetree.rules.facts import Subject
from kinetree.rules.options import CheckOptions
from kinetree.rules.profiles import rule_of
from kinetree.rules.rep199.fixes import hang_tools, name_base_link
from kinetree.rules.rep199.groups import TWO_ARMS
from kinetree.rules.rep199.placement import misplaced
from rule_cases.arms import added, edited, hung, placed, shaped, turning


def without(*names: str, text: str = ARM) -> str:
    for name in names:
        text = text.replace(f'  <link name="{name}"/>\n', "")
        text = re.sub(
            rf'  <joint [^>]*>\s*<origin[^>]*>\s*<parent[^>]*>\s*<child link="{name}"/>\s*</joint>\n', "", text
        )
    return text


FOOTLESS = re.sub(r"<link name=.base_link.>(?:.|\n)*?</link>", '<link name="foot"/>', ARM).replace(
    '"base_link"', '"foot"'
)
BARE = without("flange", "tool0")
DOWN = placed("flange", rpy="0 1.5707963267948966 0")
BLOCK = '<gazebo reference="{}"/></robot>'
AT = {"flange": "0.09 0 0 0 0 0"}
TWICE = [
    f"{parent} *{end}{i}" for end in "ab" for i, parent in enumerate(["base_link", *(f"{end}{k}" for k in range(5))])
]
CASES: list[tuple[str, str, str, dict[str, object]]] = [
    ("R199-101", "another name", ARM.replace('"base_link"', '"foot"'), {}),
    ("R199-101", "no shape", FOOTLESS, {}),
    ("R199-205", "on a link that moves", edited(hung("base", "link_1")), {}),
    ("R199-206", "with a shape", edited(shaped("base")), {}),
    ("R199-206", "a body that moves", edited(shaped("base"), turning("base")), {}),
    ("R199-208", "without base_link", without("base", text=ARM.replace('"base_link"', '"foot"')), {}),
    ("R199-208", "unknown", without("base"), {}),
    ("R199-208", "by its maker", without("base"), {"controller": "kuka"}),
    ("R199-208", "given", without("base"), {"frames": {"base": "0 0 0.2 0 0 0"}}),
    ("R199-208", "given by a frame", without("base"), {"frames": {"base": "link_1"}}),
    ("R199-208", "given by no frame", without("base"), {"frames": {"base": "nowhere"}}),
    ("R199-301", "another name", ARM.replace('"link_3"', '"elbow"'), {}),
    ("R199-301", "of two arms", tree_text(*TWICE), {"kind": "arm"}),
    ("R199-701", "of two arms", TWO_ARMS.replace('"left_link_2"', '"upper"').replace('"left_joint_3"', '"elbow"'), {}),
    ("R199-401", "unknown", BARE, {}),
    ("R199-401", "unknown to its maker", BARE, {"controller": "abb"}),
    ("R199-401", "given", BARE, {"frames": AT}),
    ("R199-401", "given the wrong way", BARE, {"frames": {"flange": "0.09 0 0 0 1.5707963267948966 0"}}),
    ("R199-401", "with links on it", edited(added("gripper", "link_6")), {}),
    ("R199-403", "down", edited(DOWN), {}),
    ("R199-403", "given", edited(DOWN), {"frames": AT}),
    ("R199-403", "given elsewhere", edited(DOWN), {"frames": {"flange": "0.1 0 0 0 0 0"}}),
    ("R199-403", "given by no frame", edited(DOWN), {"frames": {"flange": "nowhere"}}),
    ("R199-403", "with a shape", edited(DOWN, shaped("flange")), {}),
    ("R199-403", "with a block", edited(DOWN).replace("</robot>", BLOCK.format("flange")), {}),
    ("R199-408", "with a shape", edited(shaped("flange")), {}),
    ("R199-501", "there", ARM, {}),
    ("R199-501", "unknown", without("tool0"), {}),
    ("R199-501", "by its maker", without("tool0"), {"controller": "abb"}),
    ("R199-501", "given", without("tool0"), {"frames": {"tool0": "0 0 0 0 0 0"}}),
    ("R199-501", "without flange", BARE, {}),
    ("R199-501", "without a flange that is given", BARE, {"frames": AT}),
    ("R199-501", "on a flange that is wrong", edited(DOWN, text=without("tool0")), {"controller": "abb"}),
    (
        "R199-501",
        "whose joint is there",
        without("tool0").replace('"joint_1"', '"flange-tool0"'),
        {"controller": "abb"},
    ),
    (
        *("R199-501", "whose joints are there"),
        without("tool0").replace('"joint_1"', '"flange-tool0"').replace('"joint_2"', '"flange_to_tool0"'),
        {"controller": "abb"},
    ),
    ("R199-505", "on the last link", edited(hung("tool0", "link_6")), {}),
    ("R199-505", "below flange", edited(hung("tool0", "link_6"), hung("flange", "tool0")), {}),
    (
        *("R199-505", "beside an inexact angle"),
        edited(hung("tool0", "link_6")).replace('rpy="0 0 0"', 'rpy="0 1.571 0"'),
        {},
    ),
    ("R199-508", "on tool0", edited(added("gripper", "tool0")), {}),
    (
        *("R199-508", "without flange"),
        edited(hung("tool0", "link_6"), added("gripper", "tool0")).replace('"flange"', '"end"'),
        {},
    ),
    ("R199-509", "with a shape", edited(shaped("tool0")), {}),
    ("R199-509", "with a block", edited(shaped("tool0")).replace("</robot>", BLOCK.format("tool0")), {}),
    ("R199-509", "at an inexact angle", edited(shaped("tool0")).replace('0 1.5707963267948966 0"', '0 1.5708 0"'), {}),
]


def test_why_repairs_are_not_made(golden):
    lines = []
    for code, what, text, options in CASES:
        repair = rule_of(code).repair
        facts = Subject(kt.load(text, format="urdf"), CheckOptions("industrial", **options)).facts(repair)
        for made in repair(**facts):
            edits = f"{len(made.edits)} edit{'s' * (len(made.edits) != 1)}, {len(made.keeps)} to keep the rest"
            lines.append(f"{code}, {what}: {made.element}: {made.because or edits}\n")
    golden("rep199_repairs.txt", "".join(lines))


def because(repair, robot, **options) -> list[tuple[str, str]]:
    """The elements of the repairs of a robot, and why they are not made."""
    facts = Subject(robot, CheckOptions("industrial", **options)).facts(repair)
    return [(made.element, made.because) for made in repair(**facts)]


def test_tools_go_to_their_flange():
    tool = kt.load(edited(added("gripper_tcp", "link_6")), format="urdf")
    assert because(hang_tools, tool) == [("link 'gripper_tcp'", "")]
    assert because(hang_tools, kt.load(edited(added("gripper_tcp", "flange")), format="urdf")) == []
    alone = kt.load(edited(added("gripper_tcp", "link_6"), text=without("flange", "tool0")), format="urdf")
    assert because(hang_tools, alone) == []


def test_frames_without_shapes_and_base_links_elsewhere():
    move = rule_of("R199-408").repair
    assert because(move, kt.load(ARM, format="urdf")) == []
    assert [name for name, _ in because(move, kt.load(edited(shaped("flange")), format="urdf"))] == ["link 'flange'"]
    robot = kt.load(ARM, format="urdf")
    subject = Subject(robot, CheckOptions("industrial"))
    facts = subject.facts(name_base_link)
    (arm,) = facts["arms"]
    other = replace(arm, base_link=None, other_base_link="stand")
    ((made),) = name_base_link(**{**facts, "arms": (other,)})
    assert (made.element, made.because) == ("link 'stand'", "the arm begins on 'base_link'; rename one of both")
    assert not list(name_base_link(**facts))


def test_an_arm_is_called_by_its_prefix():
    (arm,) = Subject(kt.load(ARM, format="urdf"), CheckOptions("industrial")).facts(lambda arms: None)["arms"]
    assert (str(arm), str(replace(arm, prefix="left_"))) == ("arm", "arm 'left_'")


def test_what_to_do_about_a_missing_frame_depends_on_the_format():
    robot = kt.load(without("flange", "tool0"), format="urdf")
    for one, fix in (
        (robot, "kinetree fix adds it, with --flange 'X Y Z R P Y' (m, rad, in link_6) if its place is unknown"),
        (replace(robot, text=None), "add it, fixed to 'link_6'"),
    ):
        (finding,) = kt.check(one, profile="industrial", select=["R199-401"])
        assert (finding.element, finding.fix) == ("frame 'flange'", fix)


def test_a_flange_is_turned_as_in_models_of_the_maker():
    """Where tool0 is turned as theirs, too."""
    down = "is not turned as in models of ABB, so X of flange would not point outwards"
    for rpy, said in (("0 0 0", ""), ("0 1.5707963267948966 0", f"'tool0' {down}")):
        robot = kt.load(edited(DOWN, placed("tool0", rpy=rpy)), format="urdf")
        ((_, why),) = because(rule_of("R199-403").repair, robot, controller="abb")
        assert why == said, rpy


def test_what_is_elsewhere_than_given():
    """A repair that would leave a frame there is not made; a micrometre is no difference."""
    for frames, said in (
        ({}, None),
        ({"flange": "0.09 0 0 0 0 0", "base": "0 0 0.5 0 0 0", "tool0": "0 0 0 0 pi/2 0"}, None),
        ({"flange": "0.0900009 0 0 0 0 0"}, None),
        ({"flange": "0.090002 0 0 0 0 0"}, "'flange' would be 2e-6 off from where it is given"),
        ({"base": "0 0 0.25 0 0 0"}, "'base' would be 0.25 off from where it is given"),
        ({"tool0": "0 0 0 0 0 0"}, "'tool0' would be 1 off from where it is given"),
        ({"tool0": "left_=0 0 0 0 0 0"}, None),  # of another arm
        ({"base": "base"}, None),
        ({"base": "base_link"}, "'base' would be 0.5 off from where it is given"),
        ({"base": "link_1"}, None),  # no place; the repair says why
    ):
        subject = Subject(kt.load(ARM, format="urdf"), CheckOptions("industrial", frames=frames))
        assert misplaced(**subject.facts(misplaced)) == said, frames
    robot = kt.load(without("base", "tool0"), format="urdf")
    subject = Subject(robot, CheckOptions("industrial", frames={"base": "9 0 0 0 0 0", "tool0": "9 0 0 0 0 0"}))
    assert misplaced(**subject.facts(misplaced)) is None
