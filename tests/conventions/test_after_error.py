"""Errors of readers: rules still find what no correction of them changes, and the rest waits."""

from __future__ import annotations

import random
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest

import kinetree as kt
from each import each
from harming import MJCF_PLANTS, PLANTS, SDF_PLANTS, Plant, harmed, unharmed
from kinetree.checker.job import Job, check_job
from kinetree.errors import Finding
from kinetree.formats.registry import ReadOptions
from kinetree.load import examine
from kinetree.rules.examples import ARM
from kinetree.rules.facts import needs
from kinetree.rules.options import CheckOptions
from kinetree.rules.profiles import PROFILES, rules_of
from rule_cases import builders as made
from support import at_length, shared

RULES = {rule.code: rule for profile in PROFILES for rule in rules_of(profile)}
PROFILE = "industrial"

Said = set[tuple[str, str, str]]


def members(findings: list[Finding]) -> Said:
    """The code, element and message of findings of rules, one for each element of a group."""
    found: Said = set()
    for finding in findings:
        message, _, others = finding.message.partition(" (also ")
        if not finding.code.islower():
            found.add((finding.code, finding.element or "", message))
            kind = (finding.element or "").partition(" ")[0]
            found |= {(finding.code, f"{kind} {name}", message) for name in re.findall(r"'[^']*'", others)}
    return found


def errors(findings: list[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.severity == "error" and finding.code.islower()]


def of_rules(text: str, format: str, profile: str = PROFILE) -> list[Finding]:
    return kt.check(text, format=format, profile=profile)


def names(*texts: str) -> set[str]:
    """Return the quoted names in texts."""
    return {name for text in texts for name in re.findall(r"'([^']+)'", text)}


def error_names(robot: kt.Robot, error: Finding) -> set[str]:
    """Return the links and joints of a robot that the message of an error names."""
    named = names(error.message) | {*error.message.partition(": ")[2].split(" -> ")}  # of a cycle
    return {f"link {name!r}" for name in named & {*robot.links}} | {f"joint {n!r}" for n in named & {*robot.joints}}


def waiting(findings: list[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.code == "not-asked"]


def near(robot: kt.Robot, about: str) -> set[str]:
    """The elements that rules read together with one: what is fixed to it, and what it carries or moves."""
    kind, _, name = about.partition(" ")
    name = name.strip("'")
    links = {name} if kind == "link" else set()
    for joint in robot.joints.values():
        links |= {joint.parent, joint.child} if joint.name == name and kind == "joint" else set()
    grown = True
    while grown:
        before = len(links)
        for joint in robot.joints.values():
            if joint.type == "fixed" and links & {joint.parent, joint.child}:
                links |= {joint.parent, joint.child}
        grown = len(links) > before
    joints = {
        j.name for j in robot.joints.values() if links & {j.parent, j.child} or (j.mimic and j.mimic.joint == name)
    }
    return {about, *(f"link {link!r}" for link in links), *(f"joint {joint!r}" for joint in joints)}


def check_planted(text: str, format: str, plants: dict[str, tuple[str, Plant]], profile: str = PROFILE) -> int:
    """Plant every error and compare the findings; return how many were planted."""
    before = of_rules(text, format, profile)
    assert not errors(before)
    robot, known, count = kt.load(text, format=format), members(before), 0
    for name, (code, plant) in plants.items():
        made = harmed(text, plant)
        if made is None:
            continue
        bad, about = made
        after = of_rules(bad, format, profile)
        if not errors(after):  # as an axis of a joint that has none
            continue
        assert code in {error.code for error in errors(after)}, name
        with pytest.raises(kt.KinetreeError):
            kt.load(bad, format=format)
        said = members(after)
        doubtful = {about, *(error.element or "" for error in errors(after))}
        about_these = doubtful.union(*(error_names(robot, error) for error in errors(after)))
        about_these.add(f"link {robot.root!r}")  # to which loose links may be fixed
        touched = set[str]().union(*(near(robot, one) for one in about_these))
        there = {(code, element) for code, element, _ in said}
        no_bodies = any("rigid bodies" in note.message for note in waiting(after))
        no_poses = any("the robot as a whole" in note.message for note in waiting(after))
        for lost in known - said:
            waits = RULES[lost[0]].of_robot or lost[1].startswith("robot ") or names(*doubtful) & names(lost[2])
            waits = waits or (no_bodies and "bodies" in needs(RULES[lost[0]].check))
            waits = waits or (no_poses and "poses" in needs(RULES[lost[0]].check))
            nameless = lost[0].startswith("XML") and "without a name" in name
            assert lost[:2] in there or lost[1] in touched or waits or nameless, (name, about, lost)
        assert not {element for _, element, _ in said} & doubtful - {"<link>", "<joint>"}, (name, about)
        same = {one[:2] for one in known} | {one[0::2] for one in known}  # an element may be called otherwise
        for new in said - known:
            assert new[:2] in same or new[0::2] in same, (name, about, new)
        count += 1
    return count


def models(ending: str, root: str) -> Iterator[str]:
    """Texts of real robots without errors that have at least five moving joints, in an order by lot."""
    files = sorted(shared("corpus").rglob(f"*{ending}"))
    random.Random(20).shuffle(files)
    for file in files:
        try:
            text = unharmed(file.read_text())
            if ET.fromstring(text).tag != root or ET.fromstring(text).find("world") is not None:
                continue
            format = "urdf" if root == "robot" else "sdf"
            if len(kt.load(text, format=format).joint_names) >= 5 and not errors(of_rules(text, format)):
                yield text
        except (ET.ParseError, UnicodeDecodeError, kt.KinetreeError):
            continue


def as_mjcf(text: str) -> str:
    without = ("extension", "geometry", "material", "velocity_limit", "safety", "calibration", "sensor", "dynamics")
    return unharmed(kt.text(kt.load(text, format="urdf"), "mjcf", without=without))


class TestPlantedErrors:
    @pytest.mark.slow
    def test_in_the_arm_of_the_examples(self):
        assert check_planted(unharmed(ARM), "urdf", PLANTS) > 15

    @pytest.mark.slow
    def test_in_the_arm_as_sdf(self):
        assert check_planted(unharmed(kt.text(kt.load(ARM, format="urdf"), "sdf")), "sdf", SDF_PLANTS) > 10

    @pytest.mark.slow
    @pytest.mark.nightly
    def test_in_the_icub(self, icub_urdf):
        assert check_planted(unharmed(icub_urdf.read_text()), "urdf", PLANTS) > 24

    @pytest.mark.slow
    @pytest.mark.parametrize("part", range(3))
    def test_in_real_robots(self, part):
        found = models(".urdf", "robot")
        for i, text in zip(range(at_length(12, 30)), found, strict=False):
            if i % 3 == part:
                assert check_planted(text, "urdf", PLANTS) > 15

    @pytest.mark.slow
    def test_in_real_models_of_sdf(self):
        planted = [check_planted(t, "sdf", SDF_PLANTS) for _, t in zip(range(12), models(".sdf", "sdf"), strict=False)]
        assert all(planted)  # small models of tests have places for a few
        assert sum(planted) > 60

    @pytest.mark.slow
    def test_in_models_of_mjcf(self):
        made = 0
        for text in models(".urdf", "robot"):
            try:
                mjcf = as_mjcf(text)
            except kt.KinetreeError:
                continue
            made += check_planted(mjcf, "mjcf", MJCF_PLANTS) > 6
            if made >= 10:
                break
        assert made


@pytest.fixture
def icub_urdf() -> Path:
    models = pytest.importorskip("icub_models")
    return Path(models.get_models_path()) / "iCubGazeboV2_5" / "model.urdf"


TWELVE = """<robot name="twelve">
  <link name="base_link"/>
  <link name="one"><inertial><mass value="heavy"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <link name="two"><inertial><mass value="-1"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <link name="three"/>
  <link name="four"/>
  <link name="four"/>
  <link name="five"/>
  <link name="six"/>
  <link name="loose"/>
  <joint name="j1" type="revolute"><parent link="base_link"/><child link="one"/><axis xyz="0 0 1"/>
    <limit lower="1" upper="-1" velocity="1" effort="1"/></joint>
  <joint name="j2" type="revolute"><parent link="one"/><child link="two"/><axis xyz="0 0 0"/>
    <limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
  <joint name="j3" type="continuous"><parent link="two"/><child link="three"/><axis xyz="0 0 1"/>
    <mimic joint="nobody"/></joint>
  <joint name="j4" type="hinge"><parent link="three"/><child link="four"/></joint>
  <joint name="j5" type="fixed"><parent link="nowhere"/><child link="five"/></joint>
  <joint name="j6" type="fixed"><origin xyz="0 0"/><parent link="five"/><child link="six"/></joint>
  <joint name="j7" type="fixed"><parent link="two"/><child link="six"/></joint>
  <joint name="j8" type="fixed"><parent link="six"/></joint>
  <transmission name="drive"><joint name="j9"/></transmission>
</robot>"""
SHOWN = {
    ("number", "link 'one'"),
    ("INR-004", "link 'two'"),
    ("duplicate-name", "link 'four'"),
    ("LIM-001", "joint 'j1'"),
    ("zero-axis", "joint 'j2'"),
    ("mimic", "joint 'j3'"),
    ("joint-type", "joint 'j4'"),
    ("unknown-parent", "joint 'j5'"),
    ("number", "joint 'j6'"),
    ("two-parents", "joint 'j7'"),
    ("missing-element", "joint 'j8'"),
    ("XML-002", "transmission 'drive'"),
}


class TestGoingOn:
    def test_a_file_with_twelve_faults_shows_twelve(self):
        found = {(f.code, f.element) for f in of_rules(TWELVE, "urdf", "sim") if f.severity == "error"}
        assert found >= SHOWN
        assert len(SHOWN) == 12

    def test_errors_of_the_reader_come_first_in_the_order_of_the_file(self):
        errors = [f for f in of_rules(TWELVE, "urdf", "sim") if f.severity == "error" and f.source]
        lines = [f.source.line for f in errors if f.code.islower()]
        assert lines == sorted(lines)
        assert len(set(lines)) > 6
        assert all(f.code.islower() for f in errors[: len(lines)])

    def test_what_waits_is_said_once(self):
        (note,) = waiting(of_rules(TWELVE, "urdf", "sim"))
        assert note.severity == "info"
        about, _, correct = note.message.removeprefix("rules say nothing yet about ").partition(": ")
        elements = [*(f"joint 'j{k}'" for k in range(2, 9)), "link 'four'", "link 'one'"]
        assert about == ", ".join(elements) + " and the robot as a whole"
        lines = "<text>:3, <text>:9, <text>:15, <text>:17, <text>:19, <text>:20, <text>:21, <text>:22 and <text>:23"
        assert correct == f"correct the errors at {lines} first"

    def test_elements_without_a_name_are_not_forgotten(self):
        (note,) = waiting(of_rules(TWELVE.replace('name="j8"', ""), "urdf", "sim"))
        assert "link 'one', elements without a name and the robot as a whole: " in note.message

    def test_of_many_elements_the_first_are_named(self):
        joints = "".join(f'<joint name="j{k:02}" type="hinge"/>' for k in range(30))
        (note,) = waiting(of_rules(f'<robot name="r"><link name="a"/>\n{joints}</robot>', "urdf"))
        assert "joint 'j11' and 19 more: correct the error at <text>:2 first" in note.message

    def test_an_error_in_another_file_is_named_with_it(self, tmp_path):
        (tmp_path / "arm.xacro").write_text(
            """<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:macro name="arm">
            <link name="a"/><link name="b"/>
            <joint name="j" type="hinge"><parent link="a"/><child link="b"/></joint></xacro:macro></robot>"""
        )
        (tmp_path / "r.xacro").write_text(
            """<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:include filename="arm.xacro"/>
            <xacro:arm/></robot>"""
        )
        (note,) = waiting(kt.check(tmp_path / "r.xacro"))
        about = "joint 'j' and the robot as a whole"
        assert note.message == f"rules say nothing yet about {about}: correct the error at arm.xacro:3 first"

    def test_a_robot_without_errors_has_no_such_remark(self):
        assert not waiting(of_rules(ARM, "urdf"))

    def test_nothing_is_certain_of_what_is_no_robot(self):
        assert {f.code for f in of_rules("<robot name='r'><link", "urdf")} == {"xml-syntax"}
        assert {f.code for f in of_rules("<robot name='r'/>", "urdf")} == {"no-links"}

    def test_a_single_link_that_is_lost_hides_no_finding_about_its_name(self):
        """The link without a name may be the tool0 that another rule looks for."""
        bad = ARM.replace('<link name="tool0"/>', "<link/>")
        assert "R199-501" in {f.code for f in of_rules(ARM.replace('name="tool0"', 'name="t"'), "urdf")} | {"R199-501"}
        assert not [f for f in of_rules(bad, "urdf") if f.code.startswith("R199-50") and "tool0" in f.message]


DEFECTS = {
    ("INR-004", "link 'link_2'"): ('<mass value="20"/>', '<mass value="-20"/>'),
    ("INR-002", "link 'link_3'"): ('ixx="0.1" ixy', 'ixx="0.9" ixy'),
    ("INR-008", "link 'link_5'"): ('<mass value="2"/>', '<mass value="0.0002"/>'),
    ("GEO-002", "link 'link_1'"): ('size="0.3 0.3 0.3"', 'size="0.3 0.3 0"'),
    ("LIM-001", "joint 'joint_5'"): ('lower="-2" upper="2"', 'lower="2" upper="-2"'),
    ("LIM-003", "joint 'joint_2'"): ('lower="-1.5"', 'lower="1.5"'),
    ("JNT-001", "joint 'joint_6'"): (
        '<axis xyz="1 0 0"/>\n    <limit lower="-6.2"',
        '<axis xyz="2 0 0"/><limit lower="-6.2"',
    ),
    ("XML-002", "transmission 'drive'"): (
        "</robot>",
        '<transmission name="drive"><joint name="j9"/></transmission></robot>',
    ),
    ("R103-007", "joint 'flange-tool0'"): ("1.5707963267948966 0", "1.57 0"),
}
"""Code and element of findings, each with the text that it is about and what makes it wrong."""
HEAVY = '<inertial><mass value="9"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
NAMELESS = ("a joint without a name", "a link without a name")


class TestOneErrorHidesNothingElse:
    @pytest.mark.slow
    @each("name", PLANTS)
    def test_defects_of_other_elements_are_found(self, name):
        text = ARM
        for sound, faulty in DEFECTS.values():
            assert text.count(sound)
            text = text.replace(sound, faulty)
        bad, about = harmed(text, PLANTS[name][1]) or ("", "")
        found = of_rules(bad, "urdf", "sim")
        (note,) = waiting(found)
        there = {(finding.code, finding.element) for finding in found}
        renamed = {about} if name in (*NAMELESS, "a link that is called otherwise") else set()
        hidden = {element for code, element in DEFECTS.keys() - there if code != "XML-002"}
        assert hidden <= names_of(note) | renamed
        assert about in names_of(note) or name == "a second root" or renamed
        assert (("XML-002", "transmission 'drive'") in there) == (name not in NAMELESS)  # which may be called j9
        assert len(names_of(note)) <= 2

    @pytest.mark.slow
    @each("name", PLANTS)
    def test_nothing_is_found_about_what_is_in_doubt(self, name):
        bad, _ = harmed(ARM, PLANTS[name][1]) or ("", "")
        found = [finding for finding in of_rules(bad, "urdf", "industrial") if not finding.code.islower()]
        assert not found  # the arm has no defects

    def test_a_mesh_that_does_not_exist_hides_nothing(self, arm):
        text = ARM.replace('<box size="0.3 0.3 0.3"/>', '<mesh filename="nowhere.stl"/>')
        found = kt.check(arm(text.replace('value="20"', 'value="-20"')), profile="sim")
        assert {"MSH-002", "INR-004"} <= {finding.code for finding in found}
        assert not waiting(found)


def names_of(note: Finding) -> set[str]:
    """Return the elements in a remark."""
    return set(re.findall(r"(?:link|joint) '[^']*'", note.message))


class TestWhatWaits:
    def found(self, text: str, profile: str = "sim") -> set[tuple[str, str | None]]:
        return {(f.code, f.element) for f in of_rules(text, "urdf", profile)}

    def test_a_link_that_is_fixed_to_one_in_doubt(self):
        """The mass of its body is unknown, and so is whether it is too dense."""
        dense = ARM.replace(
            '<link name="flange"/>',
            '<link name="flange"><inertial><mass value="9"/>'
            '<inertia ixx="1e-9" ixy="0" ixz="0" iyy="1e-9" iyz="0" izz="1e-9"/></inertial></link>',
        )
        assert ("INR-012", "link 'flange'") in self.found(dense)
        assert ("INR-012", "link 'flange'") in self.found(dense.replace('value="30"', 'value="much"'))
        assert ("INR-012", "link 'flange'") not in self.found(dense.replace('value="0.5"', 'value="much"'))

    @pytest.mark.parametrize(
        "joint", ["", '<joint name="hold" type="fixed"><parent link="palm"/><child link="tool0"/></joint>']
    )
    def test_what_may_be_fixed_to_a_link(self, joint):
        """A loose link, or one whose parent is unknown, may be the mass of a body that has none."""
        start = ARM.index('<joint name="flange-tool0"')
        loose = ARM[:start] + joint + ARM[ARM.index("</joint>", start) + 8 :]
        loose = loose.replace('<link name="tool0"/>', f'<link name="tool0">{HEAVY}</link>')
        light = re.sub(r"<inertial>\s*<origin xyz=\"0.08 0 0\"/>.*?</inertial>", "", ARM, flags=re.DOTALL)
        assert ("INR-011", "link 'link_6'") in self.found(light)
        bad = re.sub(r"<inertial>\s*<origin xyz=\"0.08 0 0\"/>.*?</inertial>", "", loose, flags=re.DOTALL)
        assert not {code for code, _ in self.found(bad)} & {"INR-011", "INR-005", "GEO-001"}

    def test_both_joints_that_move_a_link(self):
        second = '<joint name="second" type="fixed"><parent link="base"/><child link="tool0"/></joint></robot>'
        (note,) = waiting(of_rules(ARM.replace("</robot>", second), "urdf", "sim"))
        assert "about joint 'flange-tool0', joint 'second' and the robot as a whole:" in note.message

    def test_a_loose_link_that_such_a_joint_may_have_to_move(self):
        dense = (
            '<inertial><mass value="9"/><inertia ixx="1e-9" ixy="0" ixz="0" iyy="1e-9" iyz="0" izz="1e-9"/></inertial>'
        )
        second = '<joint name="second" type="fixed"><parent link="link_3"/><child link="tool0"/></joint></robot>'
        bad = ARM.replace("</robot>", second).replace(
            '<link name="tool0"/>', f'<link name="tool0"/><link name="hand">{dense}</link>'
        )
        assert ("INR-012", "link 'hand'") not in self.found(bad)
        assert ("INR-007", "link 'link_2'") in self.found(bad.replace('value="20"', 'value="2e9"'))

    def test_a_loop_says_nothing_about_the_tree(self):
        loop = '<equality><connect body1="link_1" anchor="a b c"/></equality></mujoco>'
        found = of_rules(as_mjcf(ARM).replace("</mujoco>", loop), "mjcf")
        assert errors(found)
        assert ("R199-306", "link 'link_6'") in {(f.code, f.element) for f in found}
        assert not waiting(found)

    def test_frames_may_stand_relative_to_one_in_doubt(self):
        """Then all places are unknown, and so are the bounds of rigid bodies."""
        heavy = ARM.replace('ixx="0.00333333"', 'ixx="0.3"').replace('iyy="0.00333333"', 'iyy="0.3"')
        text = kt.text(kt.load(heavy, format="urdf"), "sdf", without=("frame",))  # which makes no frames of links
        bad = re.sub(r"(<link name=.link_1.>\s*<pose[^>]*>)[^<]*", r"\g<1>a b c 0 0 0", text)
        without = bad.replace(" relative_to=", " other=")

        def is_found(text: str) -> bool:
            return ("INR-009", "link 'link_5'") in {(f.code, f.element) for f in of_rules(text, "sdf", "sim")}

        assert (is_found(text), is_found(bad), is_found(without)) == (True, False, True)

    def test_a_link_that_others_name_and_the_file_lacks(self):
        text = ARM.replace("</robot>", '<gazebo reference="hand"><mu1>1</mu1></gazebo></robot>')
        assert ("XML-001", "<gazebo>") in self.found(text)
        assert ("XML-001", "<gazebo>") not in self.found(text.replace('<child link="tool0"/>', '<child link="hand"/>'))

    def test_what_is_unknown_of_an_element_is_not_there(self):
        bad = ARM.replace('value="30"', 'value="1e200"').replace('upper="2" ', 'upper="two" ')
        bad = bad.replace('name="joint_6" type="revolute"', 'name="joint_6" type="hinge"')
        robot, _ = examine(bad, ReadOptions("urdf"), uncertain=True)
        assert robot is not None
        assert robot.links["link_1"].inertial is None
        assert robot.links["link_2"].inertial is not None
        joints = [
            (robot.joints[name].type, len(robot.joints[name].limits)) for name in ("joint_4", "joint_5", "joint_6")
        ]
        assert joints == [("revolute", 1), ("revolute", 0), ("fixed", 0)]

    def test_a_limit_says_nothing_about_bodies(self):
        light = re.sub(r'<inertial>\s*<origin xyz="0.08 0 0"/>.*?</inertial>', "", ARM, flags=re.DOTALL)
        assert ("INR-011", "link 'link_6'") in self.found(light.replace('upper="6.2"', 'upper="two"'))
        assert ("INR-011", "link 'link_6'") not in self.found(light.replace("0.02 0 0", "0.02 0"))

    def test_a_name_in_a_macro_is_no_element(self, arm):
        text = """<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">
          <xacro:macro name="m" params="elbow"><link name="b"/></xacro:macro><link name="a"/><xacro:m elbow="1"/>
          <joint name="elbow" type="hinge"><parent link="a"/><child link="b"/></joint></robot>"""
        found = kt.check(arm(text, "r.xacro"))
        assert waiting(found)
        assert [f.message for f in found if f.code == "XAC-007"] == ["the parameter 'elbow' is never used"]

    def test_a_finding_that_names_an_element_in_doubt(self):
        leader = ARM.replace('effort="33"/>', 'effort="33"/><mimic joint="joint_5" multiplier="4"/>')
        assert ("MIM-001", "joint 'joint_6'") in self.found(leader)
        assert ("MIM-001", "joint 'joint_6'") not in self.found(leader.replace('upper="2" ', 'upper="two" '))

    def test_a_list_of_others_loses_what_is_in_doubt(self):
        """A link without mass is no fault if the body that it is fixed to is unknown."""
        text = ARM
        for link in ("base", "flange", "tool0"):
            box = '<geometry><box size="0.1 0.1 0.1"/></geometry>'
            shapes = f"<visual>{box}</visual><collision>{box}</collision>"
            text = text.replace(f'<link name="{link}"/>', f'<link name="{link}">{shapes}</link>')
        text = text.replace("</collision>\n  </link>", f"</collision>{HEAVY}</link>", 1)

        def light(text: str) -> tuple[str | None, str, str]:
            (finding,) = [f for f in of_rules(text, "urdf", "sim") if f.code == "INR-014"]
            line = text.splitlines()[finding.place[1] - 1]
            return finding.element, finding.message, line[: line.index(">") + 1].strip()

        message = "the link has a collision shape, but no mass"
        assert light(text) == ("link 'base'", f"{message} (also 'flange', 'tool0')", '<link name="base">')
        bad = text.replace('name="joint_6" type="revolute"', 'name="joint_6" type="hinge"')
        assert light(bad) == ("link 'base'", message, '<link name="base">')
        bad = text.replace('name="base_link-base" type="fixed"', 'name="base_link-base" type="hinge"')
        assert light(bad) == ("link 'flange'", f"{message} (also 'tool0')", '<link name="flange">')

    def test_what_most_joints_are(self):
        same = re.sub('velocity="." effort="[0-9]+"', 'velocity="100" effort="100"', ARM)
        assert ("LIM-011", "joint 'joint_1'") in self.found(same)
        assert ("LIM-011", "joint 'joint_1'") not in self.found(same.replace('upper="2" ', 'upper="two" '))

    def test_no_name_of_a_stand_in_is_shown(self):
        loose = ARM.replace(
            "</robot>",
            '<link name="drive_link"/><transmission name="t"><joint name="drive_lin"/></transmission></robot>',
        )
        (finding,) = [f for f in of_rules(loose, "urdf", "sim") if f.code == "XML-002"]
        assert finding.message == "the joint 'drive_lin' does not exist"


class TestLinksThatAJointMayMove:
    """The child of a joint is unknown: it is one of the links that nothing else carries, or none of them."""

    LOST = """<sdf version="1.9"><model name="m">
      <link name="a"/><link name="b"/><link name="c"/><link name="free"/>
      <joint name="j1" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>
      <joint name="j2" type="revolute"><parent>b</parent><child>nothing</child><axis><xyz>0 0 1</xyz></axis></joint>
    </model></sdf>"""

    def robot(self, text: str) -> tuple[kt.Robot, list[Finding]]:
        robot, findings = examine(text, ReadOptions("sdf"), uncertain=True)
        assert robot is not None
        return robot, findings

    def test_they_do_not_float_for_certain(self):
        robot, findings = self.robot(self.LOST)
        assert robot.root == "a"
        assert {j.type for j in robot.joints.values() if j.child in ("c", "free")} == {"fixed"}
        assert [f.code for f in findings if f.severity == "error"] == ["unknown-child"]

    def test_links_of_another_model_are_certain(self):
        other = '<model name="n"><link name="a"/></model>'
        robot, _ = self.robot(
            self.LOST.replace("<model", f"<world name='w'>{other}<model").replace("</sdf>", "</world></sdf>")
        )
        assert robot.joints["n"].type == "floating"
        assert robot.joints["m"].type == "floating"  # the joint cannot move what carries it
        assert "m::c_joint" not in robot.joints


EXCUSE = "<!-- kinetree: ignore LIM-001 because it is so -->"


class TestExcuses:
    def checked(self, tmp_path: Path, text: str, **more: object) -> list[str]:
        path = tmp_path / "r.urdf"
        path.write_text(text)
        return [f.code for f in check_job(Job(str(path), CheckOptions("sim"), **more)).findings]  # type: ignore[arg-type]

    def test_an_excuse_that_excuses_nothing_is_still_found_elsewhere(self, tmp_path):
        idle = TWELVE.replace('<joint name="j7"', f'{EXCUSE}<joint name="j7"')
        assert "SUP-004" not in self.checked(tmp_path, idle)  # the error is about this joint
        idle = TWELVE.replace('<link name="base_link"', f'{EXCUSE}<link name="base_link"')
        assert "SUP-004" in self.checked(tmp_path, idle)

    @pytest.mark.parametrize(
        ("code", "is_idle"), [("LIM-001", True), ("R103-007", True), ("INR-011", False), ("MIM-001", False)]
    )
    def test_an_excuse_for_what_waits_is_not_called_unused(self, tmp_path, code, is_idle):
        """The finding about joint_6 names a joint in doubt; that about tool0 is about one, so its rule is asked."""
        text = ARM.replace('effort="33"/>', 'effort="33"/><mimic joint="joint_5" multiplier="4"/>')
        text = text.replace('upper="2" ', 'upper="two" ').replace("1.5707963267948966", "1.57")
        text = text.replace('<joint name="flange-tool0" type="fixed">', '<joint name="flange-tool0" type="hinge">')
        excuse = f"<!-- kinetree: ignore {code} because it is so -->"
        idle = self.checked(tmp_path, text.replace('<link name="link_2">', f'{excuse}<link name="link_2">'))
        assert ("SUP-004" in idle) == is_idle

    def test_what_is_excused_is_excused_in_spite_of_errors(self, tmp_path):
        assert "LIM-001" not in self.checked(tmp_path, TWELVE.replace('<joint name="j1"', f'{EXCUSE}<joint name="j1"'))

    def test_a_baseline_loses_no_entry_to_an_error(self, tmp_path):
        from kinetree.checker.baseline import model_key, write_baseline

        sound = re.sub(r'(<joint name="j2".*?)0 0 0', r"\g<1>0 0 2", ARM_OF_TWO, flags=re.DOTALL)
        path, baseline = tmp_path / "r.urdf", tmp_path / "baseline.json"
        path.write_text(sound)
        found = check_job(Job(str(path), CheckOptions("sim"))).findings
        assert {f.element for f in found if f.code == "JNT-001"} == {"joint 'j2'"}
        write_baseline(str(baseline), [(model_key(str(path), "", str(tmp_path)), found)])
        assert "baseline-gone" not in self.checked(tmp_path, ARM_OF_TWO, baseline=str(baseline))


ARM_OF_TWO = """<robot name="r"><link name="base_link"/><link name="a"/><link name="b"/>
  <joint name="j1" type="continuous"><parent link="base_link"/><child link="a"/><axis xyz="0 0 1"/></joint>
  <joint name="j2" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 0"/></joint></robot>"""


def test_errors_of_an_srdf_leave_no_link_or_joint_unknown(tmp_path):
    (tmp_path / "arm.urdf").write_text(ARM, "utf-8")
    semantic = '<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:nothing/></robot>'
    (tmp_path / "arm.srdf.xacro").write_text(semantic, "utf-8")
    options = CheckOptions(profile=PROFILE, read=ReadOptions(srdf=tmp_path / "arm.srdf.xacro"))
    found = check_job(Job(str(tmp_path / "arm.urdf"), options)).findings
    assert any(f.severity == "error" and f.code.islower() for f in found)
    assert not any("NAM-010" in f.message for f in found if f.code == "not-asked")


@pytest.mark.slow
@each("version", ["1.0", "1.13", "2.0", "1.5.1", "next", ""])
def test_an_unknown_version_of_sdf_hides_nothing(version: str, tmp_path: Path) -> None:
    inertia = "<ixx>0.01</ixx><iyy>0.01</iyy><izz>0.12</izz>"
    link = f'<link name="l"><inertial><mass>1</mass><inertia>{inertia}</inertia></inertial></link>'
    (tmp_path / "m").mkdir(exist_ok=True)
    (tmp_path / "m/model.sdf").write_text(f'<sdf version="{version}"><model name="m">{link}</model></sdf>')
    (tmp_path / "w.sdf").write_text(
        f'<sdf version="1.9"><world name="w"><include><uri>{tmp_path / "m"}</uri></include></world></sdf>'
    )
    for file in ("m/model.sdf", "w.sdf"):
        found = check_job(Job(str(tmp_path / file))).findings
        assert {("sdf-version", "error"), ("INR-002", "error")} <= {(f.code, f.severity) for f in found}
        assert "not-asked" not in {finding.code for finding in found}
        with pytest.raises(kt.KinetreeError):
            kt.load(tmp_path / file)
    nested = '<model name="m"><link name="a::b"/></model>'  # which SDF 1.8 forbids
    (tmp_path / "w.sdf").write_text(f'<sdf version="{version}">{nested}</sdf>')
    newer = version in ("1.13", "2.0")
    assert ("reserved-name" in {f.code for f in check_job(Job(str(tmp_path / "w.sdf"))).findings}) == newer


@pytest.mark.parametrize(("wrong", "codes"), [("_x", {"unknown-child"}), ("", set())])
def test_places_that_an_error_leaves_unknown_are_not_compared(wrong: str, codes: set[str]):
    """Without the joints that carry them, two equal wheels are read at one place."""
    parts = '<link name="base"/>'
    for side, y in (("l", 2), ("r", -2)):
        parts += made.link(f"hub_{side}") + made.link(f"wheel_{side}", made.felt(made.box(1)))
        parts += made.joint(f"to_{side}", "base", f"hub_{side}{wrong}", xyz=f"0 {y} 0")
        parts += made.joint(f"turn_{side}", f"hub_{side}", f"wheel_{side}", kind="continuous")
    found = {finding.code for finding in kt.check(f'<robot name="r">{parts}</robot>', format="urdf")}
    assert found & {"unknown-child", "GEO-007"} == codes
