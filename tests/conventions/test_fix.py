"""`fix`: what rules find is mended, the robot stays the same, and nothing else of the text changes."""

import os
import re
import sys
from difflib import ndiff
from math import atan2, pi
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest

import kinetree as kt
from kinetree.conventions.check import FAMILIES, PROFILES, Profile, check, rules_of
from kinetree.conventions.edit import Mend, set_attribute
from kinetree.conventions.examples import ARM
from kinetree.conventions.fix import fix, write
from kinetree.conventions.mending import exact_angles, unit_axes
from kinetree.conventions.rep199.base import BaseGeometry, BaseParent
from kinetree.conventions.rule import Rule
from kinetree.conventions.same import difference
from kinetree.errors import KinetreeError
from kinetree.spatial.se3 import pose_from_xyz_rpy
from support import all_frames, frames_differ_by, random_q, shared

SAFE = [rule for rule in rules_of("industrial") if rule.mend and rule.safe]
HUNG = ARM.replace(BaseParent.good, BaseParent.bad)
"""An arm whose base hangs on another link than base_link, which R199-205 mends."""


def keys(path: Path, **told) -> set[tuple[str, str, str | None]]:
    """All that is found, by any profile."""
    robot = kt.load(path)
    return {(p, f.code, f.element) for p in PROFILES for f in check(robot, profile=p, **told)}


def mended(path: Path, profile: str = "industrial", moves: bool = False, **told):
    """Fix a file, and look that it is a good fix."""
    before, found, text = kt.load(path), keys(path), path.read_bytes()
    result = fix(path, profile=profile, **told)
    assert path.read_bytes() == text
    write(result)
    after = kt.load(path)
    rng = np.random.default_rng(0)
    assert after.joint_names == before.joint_names
    for q in (before.q(), *(random_q(before, rng) for _ in range(3))):
        assert moves or frames_differ_by(before, after, q) <= 1e-9
    for joint in before.joints.values() if moves else ():
        other = after.joints[joint.name].origin
        np.testing.assert_array_equal(other[:3, 3], joint.origin[:3, 3])
        np.testing.assert_allclose(other, joint.origin, atol=3 * 5e-3)
    np.testing.assert_array_equal(after.limits.lower, before.limits.lower)
    np.testing.assert_array_equal(after.limits.upper, before.limits.upper)
    for link in before.links.values():
        if link.inertial:
            assert after.links[link.name].inertial.mass == link.inertial.mass
            np.testing.assert_array_equal(after.links[link.name].inertial.inertia, link.inertial.inertia)
    still = keys(path)
    assert still <= found
    gone = {(f.code, f.element) for f in result.mended}
    assert not gone & {(code, element) for p, code, element in still if p == profile}
    again = fix(path, profile=profile, **told)
    assert (again.after, again.mended) == ({}, ())
    assert {f.code for f, _ in again.unmended} == {f.code for f, _ in result.unmended}
    return result


def changed_lines(old: str, new: str) -> tuple[list[str], list[str]]:
    """The lines that are gone and those that are new."""
    lines = list(ndiff(old.splitlines(), new.splitlines()))
    return [x[2:] for x in lines if x[0] == "-"], [x[2:] for x in lines if x[0] == "+"]


@pytest.fixture
def arm(tmp_path):
    """Write a text as a file."""

    def arm(text: str | bytes, name: str = "arm.urdf") -> Path:
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return arm


@pytest.fixture
def with_rule(monkeypatch):
    """Ask one rule in a profile of its own."""

    def with_rule(rule: type[Rule]) -> str:
        monkeypatch.setitem(sys.modules, "kinetree.conventions.tried", SimpleNamespace(RULES=(rule,)))
        monkeypatch.setitem(FAMILIES, "TEST", "tried")
        monkeypatch.setitem(PROFILES, "tried", Profile("one rule", ("TEST",)))
        return "tried"

    return with_rule


class TestEverySafeRepair:
    @pytest.mark.parametrize("rule", SAFE, ids=lambda rule: rule.code)
    def test_mends_the_bad_example(self, rule, arm):
        path = arm(rule.base.replace(rule.good, rule.bad))
        before = path.read_text()
        assert rule.code in {f.code for f in check(path, profile="industrial")}
        result = mended(path, vendor="abb")
        assert rule.code in {f.code for f in result.mended}
        assert result.unmended == ()
        gone, new = changed_lines(before, path.read_text())
        assert all(re.match(r"\s*<(origin|parent|joint|link name=\"(base|flange|tool0)\")", line) for line in gone)
        assert len(gone) <= 3
        assert 1 <= len(new) <= 8

    @pytest.mark.parametrize("rule", SAFE, ids=lambda rule: rule.code)
    def test_keeps_comments_ends_of_lines_and_the_encoding(self, rule, arm):
        text = rule.base.replace(rule.good, rule.bad).replace("<joint", "<!-- é:  a joint -->\n  <joint")
        text = text.replace('"1.0"', '"1.0" encoding="UTF-16"').replace("\n", "\r\n")
        path = arm(b"\xff\xfe" + text.encode("utf-16-le"))
        mended(path, vendor="abb")
        new = path.read_bytes()
        assert new.startswith(b"\xff\xfe")
        result = new[2:].decode("utf-16-le")
        assert result.count("<!-- é:  a joint -->") == text.count("<!-- é:  a joint -->")
        assert result.count("\n") == result.count("\r\n")
        assert 'encoding="UTF-16"' in result


def _relative(robot: kt.Robot, a: str, b: str) -> np.ndarray:
    """T_ab (4, 4) with all joints at zero."""
    poses = all_frames(robot, robot.q())
    return np.linalg.inv(poses[a]) @ poses[b]


def without(name: str, text: str = ARM) -> str:
    """The arm without a frame and its joint."""
    assert f'  <link name="{name}"/>\n' in text
    text = text.replace(f'  <link name="{name}"/>\n', "")
    return re.sub(rf'  <joint name="[\w-]+-{name}".*?</joint>\n', "", text, flags=re.DOTALL)


class TestFramesOfRep199:
    @pytest.mark.parametrize(
        ("vendor", "xyz", "rpy"),
        [
            ("abb", "0 0 0", "0 0 0"),
            ("fanuc", "0 0 0.5", "0 0 0"),
            ("universal_robots", "0 0 0", "0 0 3.141592653589793"),
        ],
    )
    def test_base_is_added_where_the_maker_has_it(self, vendor, xyz, rpy, arm):
        text = without("base")
        path = arm(text)
        mended(path, vendor=vendor)
        frame = f"""  <link name="base"/>
  <joint name="base_link-base" type="fixed">
    <origin xyz="{xyz}" rpy="{rpy}"/>
    <parent link="base_link"/>
    <child link="base"/>
  </joint>
"""
        assert path.read_text() == text.replace("</robot>", f"{frame}</robot>")

    @pytest.mark.parametrize("vendor", ["abb", "fanuc", "universal_robots"])
    def test_tool0_is_added_as_the_maker_turns_it(self, vendor, arm):
        path = arm(without("tool0"))
        mended(path, vendor=vendor)
        robot = kt.load(path)
        assert robot.joints["flange-tool0"].parent == "flange"
        R = _relative(robot, "flange", "tool0")[:3, :3]
        expected = kt.controllers[vendor].tool0_in_flange
        np.testing.assert_allclose(R, pose_from_xyz_rpy((0, 0, 0), np.deg2rad(expected))[:3, :3], atol=1e-15)

    def test_flange_is_added_at_tool0_which_then_hangs_on_it(self, arm):
        text = without("flange").replace(
            '<parent link="flange"/>\n    <child link="tool0"/>', '<parent link="link_6"/>\n    <child link="tool0"/>'
        )
        text = text.replace('<origin xyz="0 0 0" rpy="0 1.57', '<origin xyz="0.09 0 0" rpy="0 1.57')
        for told in ({"vendor": "abb"}, {}):  # without a maker, Z is up
            path = arm(text)
            mended(path, select="R199-401", **told)
            robot = kt.load(path)
            assert (robot.joints["link_6-flange"].parent, robot.joints["flange-tool0"].parent) == ("link_6", "flange")
            np.testing.assert_allclose(robot.joints["link_6-flange"].origin[:3, 3], (0.09, 0, 0), atol=1e-15)
            np.testing.assert_allclose(robot.joints["link_6-flange"].origin[:3, :3], np.eye(3), atol=1e-15)

    @pytest.mark.parametrize(
        ("text", "told", "code", "why"),
        [
            (without("base"), {}, "R199-208", "--vendor does"),
            (without("base"), {"vendor": "epson"}, "R199-208", "nobody has measured where models of Epson"),
            (without("tool0"), {}, "R199-501", "--vendor does"),
            (without("flange", without("tool0")), {"vendor": "abb"}, "R199-401", "there is no tool0"),
            (without("flange", without("tool0")), {"vendor": "abb"}, "R199-501", "there is no flange"),
        ],
    )
    def test_what_is_not_known_is_not_guessed(self, text, told, code, why, arm):
        path = arm(text)
        result = fix(path, profile="industrial", **told)
        reasons = {finding.code: because for finding, because in result.unmended}
        assert why in reasons[code]
        assert result.after == {}

    def test_geometry_moves_as_it_is_seen(self, arm):
        shape = """<link name="tool0">
    <visual name="tip"> <!-- a ring -->
      <geometry><sphere radius="0.02"/></geometry>
    </visual>
    <collision><origin xyz="0 0 0.1" rpy="0.1 0.2 0.3"/><geometry><box size="1 2 3"/></geometry></collision>
  </link>"""
        path = arm(ARM.replace('<link name="tool0"/>', shape))
        before = kt.load(path)
        mended(path)
        after = kt.load(path)
        assert not after.links["tool0"].visuals + after.links["tool0"].collisions
        T = _relative(before, "link_6", "tool0")
        np.testing.assert_allclose(after.links["link_6"].visuals[-1].origin, T, atol=1e-12)
        there = T @ before.links["tool0"].collisions[0].origin
        np.testing.assert_allclose(after.links["link_6"].collisions[-1].origin, there, atol=1e-12)
        assert (after.links["link_6"].visuals[-1].name, "<!-- a ring -->" in path.read_text()) == ("tip", True)


BASE = '<joint name="base_link-base" type="fixed">'


class Axes(Rule):
    """As the rule about the length of axes will be."""

    code, level, clause, url, good, bad = "TEST-001", "SHOULD", "", "", "", ""
    mend = staticmethod(unit_axes)

    def check(self, robot, document):
        for joint in document.find_all("joint"):
            xyz = [float(x) for x in ((joint.find("axis") and joint.find("axis").get("xyz")) or "1 0 0").split()]
            if robot.joints[joint.get("name")].kind.axes and abs(np.linalg.norm(xyz) - 1) > 1e-3:
                yield self.finding("has another length", robot.joints[joint.get("name")])


MEANT = {"1.57": pi / 2, "1.571": pi / 2, "3.14": pi, "3.1415": pi, "0.785": pi / 4}


class Angles(Axes):
    """As the rule about inexact angles will be."""

    code = "TEST-002"
    turns = 5e-3
    texts: ClassVar = {f"{sign}{text}": f"{sign}{value!r}" for text, value in MEANT.items() for sign in ("", "-")}
    mend = exact_angles(texts.get)

    def check(self, robot, document):
        for joint in document.find_all("joint"):
            if set(self.texts) & set((((origin := joint.find("origin")) and origin.get("rpy")) or "").split()):
                yield self.finding("is inexact", robot.joints[joint.get("name")])


class TestRepairsOfEveryRobot:
    def test_axes_get_the_length_one(self, arm, with_rule):
        text = ARM.replace('<axis xyz="0 1 0"/>', '<axis  xyz="0 -3 4"/>', 1)
        path = arm(text)
        result = mended(path, with_rule(Axes))
        assert [f.element for f in result.mended] == ["joint 'joint_2'"]
        assert path.read_text() == text.replace("0 -3 4", "0 -0.6 0.8")

    def test_angles_become_exact_and_frames_move_by_no_more(self, arm, with_rule):
        text = ARM.replace('rpy="0 1.5707963267948966 0"', 'rpy="0  1.57 -3.14"')
        path = arm(text)
        result = mended(path, with_rule(Angles), moves=True)
        assert len(result.mended) == 1
        assert path.read_text() == text.replace("0  1.57 -3.14", f"0  {pi / 2!r} {-pi!r}")

    def test_an_angle_that_changes_by_more_is_not_written(self, arm, with_rule, monkeypatch):
        monkeypatch.setattr(Angles, "mend", exact_angles({"1.57": "1.6"}.get))
        path = arm(ARM.replace("1.5707963267948966", "1.57"))
        result = fix(path, profile=with_rule(Angles))
        ((_, why),) = result.unmended
        assert "joint 'flange-tool0' changes by more than its angles" in why
        assert result.after == {}

    def test_quaternions_become_rpy_in_files_of_version_1_0(self, arm):
        text = ARM.replace('rpy="0 1.5707963267948966 0"', 'quat_xyzw="0 0.6 0 0.8"')
        path = arm(text)
        result = mended(path)
        assert [f.code for f in result.mended] == ["urdf-version"]
        rpy = re.search(r'rpy="0 (1\.\S+) 0"', path.read_text())
        assert float(rpy[1]) == pytest.approx(2 * atan2(0.6, 0.8), abs=1e-15)
        assert path.read_text() == text.replace('quat_xyzw="0 0.6 0 0.8"', rpy[0])
        newer = text.replace('<robot name="arm">', '<robot name="arm" version="1.1">')
        assert fix(arm(newer), profile="industrial").mended == ()


class TestSafety:
    def moved(self, monkeypatch, xyz: str) -> None:
        """Plant a repair that moves the frame which it hangs elsewhere."""
        mend = BaseParent.mend

        def planted(robot, arms, poses, elements):
            for one in mend(robot, arms, poses, elements):
                origin = elements.joints["joint_3"].find("origin")
                yield Mend(one.element, (*one.edits, set_attribute(origin, "xyz", xyz)))

        monkeypatch.setattr(BaseParent, "mend", staticmethod(planted))

    def test_a_repair_that_moves_a_frame_is_not_made(self, arm, monkeypatch):
        self.moved(monkeypatch, "0 0 0.600000002")
        path = arm(HUNG)
        result = fix(path, profile="industrial")
        ((finding, why),) = result.unmended
        assert finding.code == "R199-205"
        assert re.search(r"it would change the robot: frame 'link_3' moves by 2e-09", why)
        write(result)
        assert path.read_text() == HUNG

    def test_what_is_below_rounding_is_no_move(self, arm, monkeypatch):
        self.moved(monkeypatch, "0 0 0.6000000005")
        assert fix(arm(HUNG), profile="industrial").unmended == ()

    @pytest.mark.parametrize(
        ("old", "new", "said"),
        [
            ('upper="2.9"', 'upper="2.8"', "joint 'joint_1' is another"),
            ('mass value="30"', 'mass value="31"', "link 'link_1' has another mass"),
            ('ixx="0.1"', 'ixx="0.11"', "link 'link_3' has another mass or inertia"),
            ('<axis xyz="0 0 1"/>', '<axis xyz="0 0 -1"/>', "joint 'joint_1' is another"),
            ('<origin xyz="0.08 0 0"/><geometry>', '<origin xyz="0.09 0 0"/><geometry>', "of 'link_6' moves by 0.01"),
            ('<sphere radius="0.1"/>', '<sphere radius="0.2"/>', "a visual of 'base' is gone"),
            ('<origin xyz="0.25 0 0"/>\n', '<origin xyz="0.2 0 0"/>\n', "the centre of mass of 'link_4' moves by 0.05"),
            (BASE, BASE.replace("fixed", "floating"), "joint 'base_link-base' is another"),
        ],
    )  # fmt: skip
    def test_whatever_changes_is_seen(self, old, new, said):
        text = ARM.replace(BaseGeometry.good, BaseGeometry.bad)
        assert old in text
        a, b = kt.load(text, format="urdf"), kt.load(text.replace(old, new), format="urdf")
        assert difference(a, a, {}) is None
        assert said in (difference(a, b, {}) or "")

    def test_a_repair_that_brings_in_something_new_is_not_made(self, arm, monkeypatch):
        mend = BaseParent.mend

        def planted(robot, arms, poses, elements):
            for one in mend(robot, arms, poses, elements):
                origin = elements.joints["flange-tool0"].find("origin")
                yield Mend(one.element, (*one.edits, set_attribute(origin, "colour", "red")))

        monkeypatch.setattr(BaseParent, "mend", staticmethod(planted))
        path = arm(HUNG)
        result = fix(path, profile="industrial")
        ((_, why),) = result.unmended
        assert "to mend it would bring in not-understood" in why
        assert result.after == {}

    def test_what_is_excused_stays(self, arm):
        result = fix(arm(HUNG), profile="industrial", excused=lambda finding: finding.code == "R199-205")
        assert (result.after, result.mended, result.unmended) == ({}, (), ())

    def test_what_is_not_selected_stays(self, arm):
        assert fix(arm(HUNG), profile="industrial", select="R199-5").after == {}
        assert fix(arm(HUNG), profile="industrial", ignore=["R199-205"]).after == {}

    def test_a_file_that_cannot_be_read_is_an_error(self, arm):
        with pytest.raises(KinetreeError, match="not well-formed"):
            fix(arm("<robot>"), profile="industrial")

    def test_what_is_no_file_is_an_error(self, tmp_path):
        with pytest.raises(KinetreeError, match="no file that can be edited in place"):
            fix(tmp_path, profile="industrial")

    def test_other_formats_are_not_mended(self, tmp_path):
        path = tmp_path / "arm.sdf"
        kt.save(kt.load(HUNG, format="urdf"), path)
        result = fix(path, profile="industrial")
        assert {why for _, why in result.unmended} == {"only the texts of URDF and xacro files are mended"}
        assert result.after == {}


class TestWriting:
    @pytest.mark.parametrize("error", [OSError("full"), KeyboardInterrupt()])
    def test_a_write_that_fails_leaves_the_file_whole(self, arm, monkeypatch, error):
        path = arm(HUNG)
        result = fix(path, profile="industrial")
        assert result.after

        def fails(*_):
            raise error

        for broken in ("replace", "fdopen"):
            with monkeypatch.context() as patch:
                patch.setattr(os, broken, fails)
                with pytest.raises((KinetreeError, KeyboardInterrupt)):
                    write(result)
            assert path.read_text() == HUNG
            assert os.listdir(path.parent) == ["arm.urdf"]

    def test_the_rights_of_the_file_stay(self, arm):
        path = arm(HUNG)
        path.chmod(0o640)
        write(fix(path, profile="industrial"))
        assert path.read_text() != HUNG
        assert path.stat().st_mode & 0o777 == 0o640

    def test_what_somebody_has_changed_meanwhile_is_not_overwritten(self, arm):
        path = arm(HUNG)
        result = fix(path, profile="industrial")
        path.write_text("mine")
        with pytest.raises(KinetreeError, match="has changed since it was read"):
            write(result)
        assert path.read_text() == "mine"


XACRO = """<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:property name="mount" value="mount"/>
  <xacro:include filename="part.xacro"/>
  <xacro:frame name="base"/>
"""
PART = """<?xml version="1.0"?>
<robot xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:macro name="frame" params="name">
    <link name="${name}"/>
    <joint name="base_link-${name}" type="fixed">
      <origin xyz="0 0 0.25" rpy="0 0 0"/>
      <parent link="mount"/>
      <child link="${name}"/>
    </joint>
  </xacro:macro>
</robot>
"""
MOUNT = """<link name="mount"/>
  <joint name="base_link-mount" type="fixed"><origin xyz="0 0 0.25"/><parent link="base_link"/>
    <child link="mount"/></joint>"""


def xacro_arm(folder: Path, part: str = PART, more: str = "") -> Path:
    """An arm whose base comes from a macro in another file, and hangs on another link than base_link."""
    rest = without("base").partition('<robot name="arm">')[2]
    (folder / "part.xacro").write_text(part)
    path = folder / "arm.xacro"
    path.write_text(XACRO + more + MOUNT + rest)
    return path


class TestXacro:
    def test_an_attribute_that_stands_there_is_edited_there(self, tmp_path):
        path = xacro_arm(tmp_path)
        text = path.read_bytes()
        result = mended(path, vendor="fanuc")
        assert [f.code for f in result.mended] == ["R199-205"]
        assert path.read_bytes() == text
        expected = PART.replace('link="mount"', 'link="base_link"').replace("0 0 0.25", "0 0 0.5")
        assert (tmp_path / "part.xacro").read_text() == expected

    def test_what_is_worked_out_is_left_to_people(self, tmp_path):
        path = xacro_arm(tmp_path, PART.replace('link="mount"', 'link="${mount}"'))
        result = fix(path, profile="industrial", vendor="fanuc", select="R199-205")
        ((_, why),) = result.unmended
        assert re.search(r"part.xacro:7:7 is not mended: link='\$\{mount\}' is worked out there, not written", why)
        assert result.after == {}

    def test_all_that_is_made_of_it_must_want_the_same(self, tmp_path):
        path = xacro_arm(tmp_path, more='<xacro:frame name="stand"/>\n')
        result = fix(path, profile="industrial", vendor="fanuc", select="R199-205")
        ((_, why),) = result.unmended
        assert re.search(r"part.xacro:\d+:7 is not mended: not all 2 elements that are made of it want the same", why)

    def test_elements_are_not_added(self, tmp_path):
        path = tmp_path / "arm.xacro"
        path.write_text(without("base"))
        result = fix(path, profile="industrial", vendor="abb")
        ((finding, why),) = result.unmended
        assert (finding.code, "adding and removing elements" in why) == ("R199-208", True)


@pytest.mark.slow
@pytest.mark.parametrize(("rule", "at_least"), [(None, 50), (Angles, 200)])
def test_every_safe_repair_on_every_model_of_the_corpus(rule, at_least, tmp_path, with_rule):
    profile, found = "industrial" if rule is None else with_rule(rule), 0
    for i, source in enumerate(sorted(shared("corpus").rglob("*.urdf"))):
        path = tmp_path / f"{i}.urdf"
        path.write_bytes(source.read_bytes())
        try:
            result = fix(path, profile=profile)
        except KinetreeError:
            continue  # no robot
        assert all("it would" not in why for _, why in result.unmended)
        if result.mended:
            found += len(mended(path, profile, moves=rule is Angles).mended)
    assert found >= at_least
