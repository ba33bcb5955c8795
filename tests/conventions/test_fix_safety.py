"""`fix` never makes another robot, nor half a file; and what it does in xacro files."""

import os
import re
from pathlib import Path

import pytest

import kinetree as kt
from kinetree.checker.check import check
from kinetree.errors import KinetreeError
from kinetree.fixer import fix as fixing
from kinetree.fixer.fix import fix, write
from kinetree.fixer.invariants import difference
from kinetree.repairs.edit import Repair, set_attribute
from kinetree.rules.examples import ARM
from kinetree.rules.rep103.angles import InexactAngles
from kinetree.rules.rep199.base import BaseParent
from repaired import HUNG, repaired, without

BASE = '<joint name="base_link-base" type="fixed">'


class TestSafety:
    def moved(self, monkeypatch, xyz: str) -> None:
        """Plant a repair that moves the frame which it hangs elsewhere."""
        repair = BaseParent.repair

        def planted(robot, arms, poses, elements):
            for one in repair(robot, arms, poses, elements):
                origin = elements.joints["joint_3"].find("origin")
                yield Repair(one.element, (*one.edits, set_attribute(origin, "xyz", xyz)))

        monkeypatch.setattr(BaseParent, "repair", staticmethod(planted))

    @pytest.mark.slow
    def test_a_repair_that_moves_a_frame_is_not_made(self, arm, monkeypatch):
        self.moved(monkeypatch, "0 0 0.600000002")
        path = arm(HUNG)
        result = fix(path, profile="industrial")
        ((finding, why),) = result.unrepaired
        assert finding.code == "R199-205"
        assert re.search(r"the repair would change the robot: frame 'link_3' moves by 2e-09", why)
        write(result)
        assert path.read_text() == HUNG

    def test_what_is_below_rounding_is_no_move(self, arm, monkeypatch):
        self.moved(monkeypatch, "0 0 0.6000000005")
        assert fix(arm(HUNG), profile="industrial").unrepaired == ()

    def test_a_repair_that_brings_in_something_new_is_not_made(self, arm, monkeypatch):
        repair = BaseParent.repair

        def planted(robot, arms, poses, elements):
            for one in repair(robot, arms, poses, elements):
                origin = elements.joints["flange-tool0"].find("origin")
                yield Repair(one.element, (*one.edits, set_attribute(origin, "colour", "red")))

        monkeypatch.setattr(BaseParent, "repair", staticmethod(planted))
        path = arm(HUNG)
        result = fix(path, profile="industrial")
        ((_, why),) = result.unrepaired
        assert "a repair would cause not-understood" in why
        assert result.after == {}

    def test_what_is_new_is_seen_under_another_name(self, arm, monkeypatch):
        """A later repair renames the link of which a former has brought something in."""
        repair = BaseParent.repair

        def planted(robot, arms, poses, elements):
            link = next(elements.links[name] for name in ("elbow", "link_3") if name in elements.links)
            for one in repair(robot, arms, poses, elements):
                yield Repair(one.element, (*one.edits, set_attribute(link, "colour", "red")))

        monkeypatch.setattr(BaseParent, "repair", staticmethod(planted))
        result = fix(arm(HUNG.replace('"link_3"', '"elbow"')), profile="industrial", unsafe=True)
        assert [finding.code for finding in result.repaired] == ["R199-301"]
        ((finding, why),) = result.unrepaired
        assert finding.code == "R199-205"
        assert why.startswith("a repair would cause not-understood of link 'link_3': ")
        assert why.endswith("; --ignore not-understood accepts that")

    def test_what_is_excused_stays(self, arm):
        result = fix(arm(HUNG), profile="industrial", excused=lambda finding: finding.code == "R199-205")
        assert (result.after, result.repaired, result.unrepaired) == ({}, (), ())

    def test_what_is_not_selected_stays(self, arm):
        assert fix(arm(HUNG), profile="industrial", select="R199-5").after == {}
        assert fix(arm(HUNG), profile="industrial", ignore=["R199-205"]).after == {}

    def test_a_file_that_cannot_be_read_is_an_error(self, arm):
        with pytest.raises(KinetreeError, match="not well-formed"):
            fix(arm("<robot>"), profile="industrial")

    def test_what_is_no_file_is_an_error(self, tmp_path):
        with pytest.raises(KinetreeError, match="no file that can be edited in place"):
            fix(tmp_path, profile="industrial")

    def test_other_formats_are_not_repaired(self, tmp_path):
        path = tmp_path / "arm.sdf"
        kt.save(kt.load(HUNG, format="urdf"), path)
        result = fix(path, profile="industrial")
        assert {why for _, why in result.unrepaired} == {"only URDF and xacro files are repaired"}
        assert result.after == {}


GRIPPER = """<link name="gripper_body"/>
  <joint name="g" type="fixed"><origin rpy="0 0 3.14"/><parent link="tool0"/><child link="gripper_body"/></joint>
</robot>"""
ON_TOOL0 = ARM.replace("</robot>", GRIPPER)
"""A gripper that R199-508 hangs on flange, by an angle that R103-007 makes exact."""
INEXACT_TOOL0 = ON_TOOL0.replace("1.5707963267948966", "1.57").replace("3.14", "0.1")
BOX = '<visual><origin rpy="0 0 3.14"/><geometry><box size="0.1 0.1 0.1"/></geometry></visual>'
INEXACT_SHAPE = ARM.replace('<link name="tool0"/>', f'<link name="tool0">{BOX}</link>')
NO_FLANGE = (
    without("flange")
    .replace('<parent link="flange"/>', '<parent link="link_6"/>')
    .replace("1.5707963267948966", "1.57")
)


class TestAnglesThatLackDigits:
    """Nothing is worked out of them: their fault would go into other numbers, and no rule could find it there."""

    @pytest.mark.parametrize(
        ("text", "code", "why"),
        [
            (ON_TOOL0, "R199-508", "rpy 3.14 of joint 'g' is inexact, meant to be 3.141592653589793"),
            (INEXACT_TOOL0, "R199-508", "rpy 1.57 of joint 'flange-tool0' is inexact, meant to be 1.5707963267948966"),
            (INEXACT_SHAPE, "R199-509", "rpy 3.14 of <visual> is inexact, meant to be"),
            (NO_FLANGE, "R199-401", "rpy 1.57 of joint 'flange-tool0' is inexact, meant to be"),
        ],
    )
    @pytest.mark.parametrize("left", ["selected", "ignored", "excused"])
    def test_what_would_be_worked_out_of_them_is_left(self, text, code, why, left, arm):
        told = {
            "selected": {"select": code},
            "ignored": {"ignore": "R103-007"},
            "excused": {"excused": lambda finding: finding.code == "R103-007"},
        }
        result = fix(arm(text), profile="industrial", controller="abb", **told[left])
        reasons = {finding.code: because for finding, because in result.unrepaired}
        assert reasons[code].startswith(why)
        assert (result.after, result.repaired) == ({}, ())

    @pytest.mark.slow
    @pytest.mark.parametrize("text", [ON_TOOL0, INEXACT_TOOL0, INEXACT_SHAPE])
    def test_they_are_repaired_first(self, text, arm):
        path = arm(text)
        exact = text.replace('"0 1.57 0"', '"0 1.5707963267948966 0"').replace("0 0 3.14", "0 0 3.141592653589793")
        result = fix(path, profile="industrial", controller="abb")
        assert ("R103-007" in [f.code for f in result.repaired], result.unrepaired) == (True, ())
        write(result)
        assert difference(kt.load(exact, format="urdf"), kt.load(path), {}) is None


class TestOneByOne:
    """What cannot be repaired does not keep the others."""

    TEXT = "".join(f'<link name="l{i}"/>' for i in range(6)) + "".join(
        f'<joint name="j{i}" type="fixed"><origin rpy="{angle} 0 0"/>'
        f'<parent link="l{i}"/><child link="l{i + 1}"/></joint>'
        for i, angle in enumerate(("1.57", "3.14", "-1.57", "-3.14", "4.71"))
    )

    def test_a_repair_that_is_not_kept(self, arm, monkeypatch):
        """One turns too far, and one brings in what is not understood."""
        repair = InexactAngles.repair

        def planted(elements):
            for one in repair(elements):
                origin = elements.joints[one.element[7:-1]].find("origin")
                if one.element == "joint 'j1'":
                    yield Repair(one.element, (set_attribute(origin, "rpy", "3.2 0 0"),))
                elif one.element == "joint 'j3'":
                    yield Repair(one.element, (*one.edits, set_attribute(origin, "colour", "red")))
                else:
                    yield one

        monkeypatch.setattr(InexactAngles, "repair", staticmethod(planted))
        result = fix(arm(f'<robot name="r">{self.TEXT}</robot>'), profile="ros")
        assert sorted(f.element for f in result.repaired) == ["joint 'j0'", "joint 'j2'", "joint 'j4'"]
        reasons = {finding.element: because for finding, because in result.unrepaired}
        assert "joint 'j1' changes by more than its angles" in reasons.pop("joint 'j1'")
        assert "would cause not-understood" in reasons.pop("joint 'j3'")
        assert reasons == {}

    @pytest.mark.slow
    def test_a_place_of_a_xacro_file_that_is_not_as_in_the_result(self, tmp_path):
        path = tmp_path / "arm.xacro"
        text = self.TEXT.replace('"3.14 0 0"', '"${q} 0 0"')
        path.write_text(f"{XACRO_HEAD}<xacro:property name='q' value='3.14'/>{text}</robot>")
        result = fix(path, profile="ros")
        assert len(result.repaired) == 4
        ((finding, why),) = result.unrepaired
        assert finding.element == "joint 'j1'"
        assert "rpy='${q} 0 0' is computed there" in why

    def test_what_shares_its_place_with_one_that_is_left_is_left_too(self, tmp_path):
        """Each link has two angles, of which one is worked out for the second link alone."""
        origin = '<visual><origin rpy="{} 0 0"/><geometry><box size="0.1 0.1 0.1"/></geometry></visual>'
        link = '<link name="${n}">' + origin.format("1.57") + "<xacro:insert_block name='more'/></link>"
        macro = f'<xacro:macro name="l" params="n *more">{link}</xacro:macro>'
        calls = "".join(f'<xacro:l n="{n}">{origin.format(a)}</xacro:l>' for n, a in (("a", "1.57"), ("b", "${q}")))
        joint = '<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>'
        path = tmp_path / "arm.xacro"
        path.write_text(f"{XACRO_HEAD}<xacro:property name='q' value='1.57'/>{macro}{calls}{joint}</robot>")
        result = fix(path, profile="ros")
        reasons = {finding.element: because for finding, because in result.unrepaired}
        assert "is computed there" in reasons["link 'b'"]
        assert "not all 2 elements that are made of it need the same" in reasons["link 'a'"]
        assert result.after == {}


class TestExcuses:
    TWO = f'<robot name="r"><link name="a">{BOX}{BOX}</link></robot>'

    def test_what_is_beside_an_excused_finding_of_its_kind_is_left_and_said(self, arm):
        path = arm(self.TWO)
        first_column = check(path)[0].source.column
        result = fix(path, profile="ros", excused=lambda f: f.source.column == first_column)
        ((finding, why),) = result.unrepaired
        assert finding.source.column > first_column
        assert "another finding of this kind and element is excused" in why
        assert result.after == {}

    def test_what_is_excused_is_not_repaired_along_with_others(self, arm):
        """The links of a chain get their names all at once."""
        swapped = ARM.replace('"link_2"', '"x"').replace('"link_3"', '"link_2"').replace('"x"', '"link_3"')
        told = {"profile": "industrial", "unsafe": True}
        assert len(fix(arm(swapped), **told).repaired) == 3
        result = fix(arm(swapped), **told, excused=lambda f: f.element == "link 'link_4'")
        assert {f.element for f, _ in result.unrepaired} == {"link 'link_2'", "link 'link_3'"}
        assert {why for _, why in result.unrepaired} == {
            "it would repair R199-302 of link 'link_4', too, which is excused"
        }
        assert result.after == {}

    @pytest.mark.slow
    def test_an_excuse_holds_for_the_new_name(self, arm):
        turned = ARM.replace('"link_3"', '"elbow"').replace('<link name="elbow">', f'<link name="elbow">{BOX}')
        told = {"profile": "industrial", "unsafe": True}
        assert {f.code for f in fix(arm(turned), **told).repaired} == {"R103-007", "R199-301"}
        result = fix(arm(turned), **told, excused=lambda f: f.element == "link 'elbow'" and f.code == "R103-007")
        assert ([f.code for f in result.repaired], result.unrepaired) == (["R199-301"], ())


def test_what_goes_with_the_repair_of_another_is_said_to_be_repaired(arm):
    path = arm(ARM.replace('"link_4"', '"link-4"'))
    before = {(f.code, f.element) for f in check(path, profile="industrial")}
    result = fix(path, profile="industrial", unsafe=True)
    assert (
        {(f.code, f.element) for f in result.repaired}
        == before
        == {(c, "link 'link-4'") for c in ("R199-301", "NAM-001")}
    )


@pytest.mark.slow
def test_nothing_new_is_found_in_the_packages_that_are_told(arm, tmp_path):
    shape = '<visual><geometry><mesh filename="package://grip/ring.stl"/></geometry></visual>'
    path = arm(ARM.replace('<link name="tool0"/>', f'<link name="tool0">{shape}</link>'))
    folder = tmp_path / "somewhere" / "else"
    folder.mkdir(parents=True)
    told = {"profile": "industrial", "select": "R199-509"}
    assert [f.code for f in fix(path, **told).repaired] == ["R199-509"]
    ((_, why),) = fix(path, packages={"grip": folder}, **told).unrepaired
    assert re.search(r"a repair would cause MSH-\d+ of link 'link_6'", why)


class TestWriting:
    @pytest.mark.parametrize("error", [OSError("full"), KeyboardInterrupt()])
    def test_a_write_that_fails_leaves_the_file_whole(self, arm, monkeypatch, error):
        path = arm(HUNG)
        result = fix(path, profile="industrial")
        assert result.after

        def fails(*_):
            raise error

        for broken in ("replace", "open", "fsync"):
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

    @pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may give files away")
    def test_the_owner_of_the_file_stays(self, arm):
        path = arm(HUNG)
        os.chown(path, 12345, 23456)
        write(fix(path, profile="industrial"))
        assert path.read_text() != HUNG
        assert (path.stat().st_uid, path.stat().st_gid) == (12345, 23456)

    def test_what_somebody_has_changed_meanwhile_is_not_overwritten(self, arm):
        path = arm(HUNG)
        result = fix(path, profile="industrial")
        path.write_text("mine")
        with pytest.raises(KinetreeError, match="has changed since it was read"):
            write(result)
        assert path.read_text() == "mine"


XACRO_HEAD = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
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
    @pytest.mark.slow
    def test_an_attribute_that_stands_there_is_edited_there(self, tmp_path):
        path = xacro_arm(tmp_path)
        text = path.read_bytes()
        result = repaired(path, controller="fanuc", unsafe=True)
        assert [f.code for f in result.repaired] == ["R199-205"]
        assert path.read_bytes() == text
        expected = PART.replace('link="mount"', 'link="base_link"').replace("0 0 0.25", "0 0 0.5")
        assert (tmp_path / "part.xacro").read_text() == expected

    def test_all_that_is_made_of_it_must_want_the_same(self, tmp_path):
        path = xacro_arm(tmp_path, more='<xacro:frame name="stand"/>\n')
        result = fix(path, profile="industrial", controller="fanuc", select="R199-205", unsafe=True)
        ((_, why),) = result.unrepaired
        assert re.search(r"part.xacro:\d+:7 is not changed: not all 2 elements that are made of it need the same", why)


def test_what_other_models_may_include_is_left(tmp_path):
    macro = tmp_path / "arm_macro.xacro"
    macro.write_text(HUNG)
    robot = tmp_path / "arm.urdf.xacro"
    robot.write_text(
        '<robot name="r" xmlns:xacro="http://ros.org/wiki/xacro"><xacro:include filename="arm_macro.xacro"/></robot>'
    )
    result = fix(robot, profile="industrial", select="R199-205")
    ((finding, why),) = result.unrepaired
    assert (finding.code, result.after) == ("R199-205", {})
    assert "which other models may include; --unsafe repairs it there" in why
    assert list(fix(robot, profile="industrial", select="R199-205", unsafe=True).after) == [macro]


@pytest.mark.parametrize("what", ["file", "folder"])
def test_what_is_read_only_is_left_and_named(what, arm, monkeypatch):
    path = arm(HUNG)
    held = path if what == "file" else path.parent
    monkeypatch.setattr("os.access", lambda asked, _: asked != held)  # root may write everywhere
    with pytest.raises(KinetreeError, match=f"{re.escape(str(held))}: error: this {what} is read-only"):
        write(fix(path, profile="industrial"))
    assert path.read_text() == HUNG


def test_an_edit_by_somebody_else_while_it_is_repaired_is_kept(arm, monkeypatch):
    path = arm(HUNG)
    edited = HUNG.replace("</robot>", "<!-- mine --></robot>")

    def look_and_edit(*arguments):
        state = look(*arguments)
        path.write_text(edited)
        return state

    look = fixing.look
    monkeypatch.setattr(fixing, "look", look_and_edit)
    result = fix(path, profile="industrial")
    with pytest.raises(KinetreeError, match="has changed since it was read"):
        write(result)
    assert path.read_text() == edited
