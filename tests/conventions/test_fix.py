"""`fix`: what rules find is repaired, the robot stays the same, and nothing else of the text changes."""

import re
from difflib import ndiff
from math import atan2, pi

import numpy as np
import pytest

import kinetree as kt
from kinetree.checker.check import check
from kinetree.errors import KinetreeError
from kinetree.fixer import fix as fixing
from kinetree.fixer.fix import fix, write
from kinetree.repairs.fixes import exact_angles
from kinetree.rules.examples import ARM
from kinetree.rules.profiles import rules_of
from kinetree.rules.rep103.angles import InexactAngles
from kinetree.spatial.se3 import pose_from_xyz_rpy
from repaired import repaired, without
from rule_cases.builders import box, felt, link
from rule_cases.rep199_base import on_a_body
from support import all_frames, sample, shared

SAFE = [rule for rule in rules_of("industrial") if rule.repair and rule.safe]


def changed_lines(old: str, new: str) -> tuple[list[str], list[str]]:
    """The lines that are gone and those that are new."""
    lines = list(ndiff(old.splitlines(), new.splitlines()))
    return [x[2:] for x in lines if x[0] == "-"], [x[2:] for x in lines if x[0] == "+"]


class TestEverySafeRepair:
    @pytest.mark.slow
    @pytest.mark.parametrize("rule", SAFE, ids=lambda rule: rule.code)
    def test_repairs_the_bad_example(self, rule, arm):
        path = arm(rule.base.replace(rule.good, rule.bad))
        before = path.read_text()
        assert rule.code in {f.code for f in check(path, profile="industrial")}
        result = repaired(path, moves=rule.turns > 0, controller="abb")
        assert rule.code in {f.code for f in result.repaired}
        assert result.unrepaired == ()
        gone, new = changed_lines(before, path.read_text())
        assert all(re.match(r"\s*<(origin|parent|joint|axis|link name=\"(base|flange|tool0)\")", line) for line in gone)
        assert len(gone) <= 3
        assert 1 <= len(new) <= 8

    @pytest.mark.slow
    @pytest.mark.parametrize("rule", SAFE, ids=lambda rule: rule.code)
    def test_keeps_comments_ends_of_lines_and_the_encoding(self, rule, arm):
        text = rule.base.replace(rule.good, rule.bad).replace("<joint", "<!-- é:  a joint -->\n  <joint")
        text = text.replace('"1.0"', '"1.0" encoding="UTF-16"').replace("\n", "\r\n")
        path = arm(b"\xff\xfe" + text.encode("utf-16-le"))
        repaired(path, moves=rule.turns > 0, controller="abb")
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


TOOL0_ON_LINK_6 = (
    without("flange")
    .replace('<parent link="flange"/>\n    <child link="tool0"/>', '<parent link="link_6"/>\n    <child link="tool0"/>')
    .replace('<origin xyz="0 0 0" rpy="0 1.57', '<origin xyz="0.09 0 0" rpy="0 1.57')
)
RING = '<link name="tool0"><visual><geometry><sphere radius="0.02"/></geometry></visual></link>'
DOWN = TOOL0_ON_LINK_6.replace(
    '<origin xyz="0.55 0 0"/>', '<origin xyz="0.55 0 0" rpy="0 1.5707963267948966 0"/>'
)  # with all joints at zero the wrist points down
ADAPTER = TOOL0_ON_LINK_6.replace(
    '<link name="tool0"/>',
    """<link name="adapter"><visual><geometry><sphere radius="0.02"/></geometry></visual></link>
  <joint name="a" type="fixed"><parent link="link_6"/><child link="adapter"/></joint><link name="tool0"/>""",
).replace('<parent link="link_6"/>\n    <child link="tool0"/>', '<parent link="adapter"/>\n    <child link="tool0"/>')
BELOW = ARM.replace(
    '<parent link="link_6"/>\n    <child link="flange"/>', '<parent link="tool0"/>\n    <child link="flange"/>'
).replace('<parent link="flange"/>\n    <child link="tool0"/>', '<parent link="link_6"/>\n    <child link="tool0"/>')


class TestFramesOfRep199:
    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("controller", "xyz", "rpy"),
        [
            ("abb", "0 0 0", "0 0 0"),
            ("fanuc", "0 0 0.5", "0 0 0"),
            ("universal_robots", "0 0 0", "0 0 3.141592653589793"),
        ],
    )
    def test_base_is_added_where_the_maker_has_it(self, controller, xyz, rpy, arm):
        text = without("base")
        path = arm(text)
        repaired(path, controller=controller)
        frame = f"""  <link name="base"/>
  <joint name="base_link-base" type="fixed">
    <origin xyz="{xyz}" rpy="{rpy}"/>
    <parent link="base_link"/>
    <child link="base"/>
  </joint>
"""
        assert path.read_text() == text.replace("</robot>", f"{frame}</robot>")

    @pytest.mark.slow
    @pytest.mark.parametrize("controller", ["abb", "fanuc", "universal_robots"])
    def test_tool0_is_added_as_the_maker_turns_it(self, controller, arm):
        path = arm(without("tool0"))
        repaired(path, controller=controller)
        robot = kt.load(path)
        assert robot.joints["flange-tool0"].parent == "flange"
        R = _relative(robot, "flange", "tool0")[:3, :3]
        expected = kt.controllers[controller].tool0_in_flange
        np.testing.assert_allclose(R, pose_from_xyz_rpy((0, 0, 0), np.deg2rad(expected))[:3, :3], atol=1e-15)

    @pytest.mark.slow
    def test_flange_is_added_at_tool0_which_then_hangs_on_it(self, arm):
        text = TOOL0_ON_LINK_6
        for told in ({"controller": "abb"}, {}):  # without a maker, Z is up
            path = arm(text)
            repaired(path, select="R199-401", **told)
            robot = kt.load(path)
            assert (robot.joints["link_6-flange"].parent, robot.joints["flange-tool0"].parent) == ("link_6", "flange")
            np.testing.assert_allclose(robot.joints["link_6-flange"].origin[:3, 3], (0.09, 0, 0), atol=1e-15)
            np.testing.assert_allclose(robot.joints["link_6-flange"].origin[:3, :3], np.eye(3), atol=1e-15)

    @pytest.mark.parametrize(
        ("text", "told", "code", "why"),
        [
            (without("base"), {}, "R199-208", "or name the controller with --controller"),
            (without("base"), {"controller": "epson"}, "R199-208", "models of Epson do not tell where"),
            (without("tool0"), {}, "R199-501", "or name the controller with --controller"),
            (without("flange", without("tool0")), {"controller": "abb"}, "R199-401", "there is no tool0"),
            (
                without("flange", without("tool0")),
                {"controller": "abb"},
                "R199-501",
                "it is attached to flange, which is missing, too",
            ),
            (DOWN, {}, "R199-401", "its turn about X is unknown"),
            (ADAPTER, {"controller": "abb"}, "R199-401", "'tool0' is not fixed to 'link_6', the last link"),
            (
                ARM.replace('<link name="tool0"/>', RING + '<gazebo reference="tool0"/>'),
                {},
                "R199-509",
                "a <gazebo> block",
            ),
            (BELOW, {}, "R199-505", "'flange' itself is attached to it"),
        ],
    )
    def test_what_is_not_known_is_not_guessed(self, text, told, code, why, arm):
        path = arm(text)
        result = fix(path, profile="industrial", select=code, **told)
        reasons = {finding.code: because for finding, because in result.unrepaired}
        assert why in reasons[code]
        assert result.after == {}

    def test_a_body_that_carries_two_arms_or_nothing_is_no_base_link(self, arm):
        two = on_a_body(0).replace(link("base_link"), link("base_link", felt(box(0.2))))
        bare = re.sub(r"(?s)<(visual|collision)>.*?</\1>", "", ARM)
        for text, why, count in ((two, "carries several arms", 2), (bare, "has no shape", 1)):
            path = arm(text.replace('"base_link"', '"foot"'))
            result = fix(path, profile="industrial", select="R199-101", unsafe=True)
            said = f"the first joint is on 'foot', which {why}; add a link 'base_link' there"
            assert [because for _, because in result.unrepaired] == [said] * count

    def test_geometry_moves_as_it_is_seen(self, arm):
        shape = """<link name="tool0">
    <visual name="tip"> <!-- a ring -->
      <geometry><sphere radius="0.02"/></geometry>
    </visual>
    <collision><origin xyz="0 0 0.01" rpy="0.1 0.2 0.3"/><geometry><box size="0.01 0.02 0.03"/></geometry></collision>
  </link>"""
        path = arm(ARM.replace('<link name="tool0"/>', shape))
        before = kt.load(path)
        repaired(path)
        after = kt.load(path)
        assert not after.links["tool0"].visuals + after.links["tool0"].collisions
        T = _relative(before, "link_6", "tool0")
        np.testing.assert_allclose(after.links["link_6"].visuals[-1].origin, T, atol=1e-12)
        there = T @ before.links["tool0"].collisions[0].origin
        np.testing.assert_allclose(after.links["link_6"].collisions[-1].origin, there, atol=1e-12)
        assert (after.links["link_6"].visuals[-1].name, "<!-- a ring -->" in path.read_text()) == ("tip", True)

    def test_what_is_safe_is_repaired_as_without_unsafe(self, arm):
        """Names change first, so that the new joint is called after the new names."""
        text = ARM.replace('"link_6"', '"wrist"').replace('"flange"', '"hand"').replace("link_6-flange", "mount")
        path = arm(text)
        both = fix(path, profile="industrial", controller="abb", unsafe=True)
        assert {"R199-301", "R199-401"} <= {finding.code for finding in both.repaired}
        assert b'"link_6-flange"' in both.after[path.resolve()]


class TestRepairsOfEveryRobot:
    def test_axes_get_the_length_one(self, arm):
        text = ARM.replace('<axis xyz="0 1 0"/>', '<axis  xyz="0 -3 4"/>', 1)
        path = arm(text)
        result = repaired(path)
        assert [f.element for f in result.repaired] == ["joint 'joint_2'"]
        assert path.read_text() == text.replace("0 -3 4", "0 -0.6 0.8")

    def test_angles_become_exact_and_frames_move_by_no_more(self, arm):
        text = ARM.replace('rpy="0 1.5707963267948966 0"', 'rpy="0  1.57 -3.14"')
        path = arm(text)
        result = repaired(path, moves=True)
        assert len(result.repaired) == 1
        assert path.read_text() == text.replace("0  1.57 -3.14", f"0  {pi / 2!r} {-pi!r}")

    def test_an_angle_that_changes_by_more_is_not_written(self, arm, monkeypatch):
        monkeypatch.setattr(InexactAngles, "repair", exact_angles({"1.57": "1.6"}.get))
        path = arm(ARM.replace("1.5707963267948966", "1.57"))
        result = fix(path, profile="industrial", select="R103-007")
        ((_, why),) = result.unrepaired
        assert "joint 'flange-tool0' changes by more than its angles" in why
        assert result.after == {}

    def test_quaternions_become_rpy_in_files_of_version_1_0(self, arm):
        text = ARM.replace('rpy="0 1.5707963267948966 0"', 'quat_xyzw="0 0.6 0 0.8"')
        path = arm(text)
        result = repaired(path)
        assert [f.code for f in result.repaired] == ["urdf-version"]
        rpy = re.search(r'rpy="0 (1\.\S+) 0"', path.read_text())
        assert float(rpy[1]) == pytest.approx(2 * atan2(0.6, 0.8), abs=1e-15)
        assert path.read_text() == text.replace('quat_xyzw="0 0.6 0 0.8"', rpy[0])
        newer = text.replace('<robot name="arm">', '<robot name="arm" version="1.1">')
        assert fix(arm(newer), profile="industrial").repaired == ()


@pytest.mark.slow
@pytest.mark.parametrize(("select", "every", "at_least"), [("R199", 3, 10), ("R103-007", 10, 40)])
def test_every_safe_repair_on_models_of_the_corpus(select, every, at_least, tmp_path):
    found = 0
    for i, source in enumerate(sample(sorted(shared("corpus").rglob("*.urdf")), every)):
        path = tmp_path / f"{i}.urdf"
        path.write_bytes(source.read_bytes())
        try:
            result = fix(path, profile="industrial", select=select)
        except KinetreeError:
            continue  # no robot
        assert not [why for _, why in result.unrepaired if "repair it would" in why or "would change" in why]
        if result.repaired:
            found += len(repaired(path, moves=select != "R199", select=select).repaired)
    assert found >= at_least


class TestWhatFilesHold:
    """All is judged and repaired by what they held when they were first read."""

    @pytest.fixture
    def included(self, arm):
        """A model, and the file that it includes, in which an angle lacks digits."""
        head = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
        joint = '<joint name="j" type="fixed"><origin rpy="1.57 0 0"/><parent link="a"/><child link="b"/></joint>'
        common = arm(f'{head}<link name="a"/><link name="b"/>{joint}</robot>', "common.xacro")
        return arm(f'{head}<xacro:include filename="common.xacro"/></robot>', "model.xacro"), common

    def test_an_edit_of_an_included_file_while_it_is_repaired_is_kept(self, included, monkeypatch):
        path, common = included
        mine = common.read_text().replace("<robot", "<!-- mine --><robot")
        look = fixing.look

        def look_and_edit(*arguments):
            state = look(*arguments)
            common.write_text(mine)
            return state

        monkeypatch.setattr(fixing, "look", look_and_edit)
        result = fix(path, profile="ros", unsafe=True)
        assert b"mine" not in result.after[common]
        with pytest.raises(KinetreeError, match=r"common\.xacro: error: has changed since it was read"):
            write(result)
        assert common.read_text() == mine

    def test_they_hold_what_is_said(self, included):
        path, common = included
        first = fix(path, profile="ros", unsafe=True)
        assert list(first.after) == [common]
        assert fix(path, profile="ros", unsafe=True, instead=first.after).after == {}
        held = common.read_bytes().replace(b"1.57", b"3.14")
        second = fix(path, profile="ros", unsafe=True, instead={common: held})
        assert second.before == {common: held}
        assert second.after == {common: held.replace(b"3.14", b"3.141592653589793")}
