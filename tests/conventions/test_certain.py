"""Errors of readers: the checker goes on with what they leave certain."""

from __future__ import annotations

import random
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest

import kinetree as kt
from harming import MJCF_PLANTS, PLANTS, SDF_PLANTS, Plant, harmed, unharmed
from kinetree.checker.job import Job, check_job
from kinetree.errors import Finding
from kinetree.formats.registry import ReadOptions
from kinetree.load import examine
from kinetree.rules.examples import ARM
from kinetree.rules.options import CheckOptions
from support import shared

OWN = ("NAM-001", "NAM-002", "NAM-003", "JNT", "LIM-001", "LIM-002", "XML", "INR-004", "INR-005")
"""Rules that read one element alone, or a block that no error is in: none of their findings may go elsewhere."""
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
        touched = near(robot, about) | {error.element or "" for error in errors(after)}
        listed = " ".join(finding.message for finding in after if finding.code == "not-asked")
        there = {(code, element) for code, element, _ in said}
        for lost in known - said:
            own = lost[0].startswith(OWN) and not (lost[0].startswith("XML") and "without a name" in name)
            not_asked = lost[0] in listed and not own
            assert lost[:2] in there or lost[1] in touched or not_asked, (name, about, lost)
        regrouped = {code for code, element, _ in known if element in touched}
        for new in said - known:
            assert new[1] in touched or new[0] in regrouped or new[:2] in {k[:2] for k in known}, (name, about, new)
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
    def test_in_the_arm_of_the_examples(self):
        assert check_planted(unharmed(ARM), "urdf", PLANTS) > 15

    @pytest.mark.slow
    def test_in_the_arm_as_sdf(self):
        assert check_planted(unharmed(kt.text(kt.load(ARM, format="urdf"), "sdf")), "sdf", SDF_PLANTS) > 10

    @pytest.mark.slow
    def test_in_the_icub(self, icub_urdf):
        assert check_planted(unharmed(icub_urdf.read_text()), "urdf", PLANTS) > 24

    @pytest.mark.slow
    @pytest.mark.parametrize("part", range(3))
    def test_in_real_robots(self, part):
        found = models(".urdf", "robot")
        for i, text in zip(range(30), found, strict=False):
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

    def test_what_was_not_asked_is_said_once(self):
        (note,) = [f for f in of_rules(TWELVE, "urdf", "sim") if f.code == "not-asked"]
        assert note.severity == "info"
        assert note.message.startswith("errors leave parts of the robot unknown (number in line 3, duplicate-name in")
        checked, _, others = note.message.partition("could not fully check ")[2].partition(";")
        about = "joint 'j2', joint 'j3', joint 'j4', joint 'j6', joint 'j7', joint 'j8', link 'four', link 'one'"
        assert checked == about  # and not the link 'nowhere', which only a joint names
        assert others == " INR-011, NAM-010 could not fully check the other parts either"

    def test_elements_without_a_name_are_not_forgotten(self):
        (note,) = [f for f in of_rules(TWELVE.replace('name="j8"', ""), "urdf", "sim") if f.code == "not-asked"]
        assert "link 'one', elements without a name;" in note.message

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
        (note,) = [f for f in kt.check(tmp_path / "r.xacro") if f.code == "not-asked"]
        assert "(joint-type in arm.xacro line 3): rules could not fully check joint 'j'" in note.message

    def test_a_robot_without_errors_has_no_such_remark(self):
        assert "not-asked" not in {finding.code for finding in of_rules(ARM, "urdf")}

    def test_nothing_is_certain_of_what_is_no_robot(self):
        assert {f.code for f in of_rules("<robot name='r'><link", "urdf")} == {"xml-syntax"}
        assert {f.code for f in of_rules("<robot name='r'/>", "urdf")} == {"no-links"}

    def test_a_single_link_that_is_lost_hides_no_finding_about_its_name(self):
        """The link without a name may be the tool0 that another rule looks for."""
        bad = ARM.replace('<link name="tool0"/>', "<link/>")
        assert "R199-501" in {f.code for f in of_rules(ARM.replace('name="tool0"', 'name="t"'), "urdf")} | {"R199-501"}
        assert not [f for f in of_rules(bad, "urdf") if f.code.startswith("R199-50") and "tool0" in f.message]


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
