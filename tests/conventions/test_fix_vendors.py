"""Repositories of makers' arms are made conformant by one command."""

from __future__ import annotations

import json
import os
import re

import numpy as np
import pytest
from click.testing import CliRunner

import kinetree as kt
import vendor_shapes as shapes
from kinetree.checker.plan import jobs
from kinetree.checker.settings import read_settings
from kinetree.cli import group
from kinetree.errors import KinetreeError
from kinetree.fixer.fix import fix, write
from kinetree.rules.examples import ARM
from kinetree.rules.rep199.flange import FlangeAxis
from kinetree.rules.rep199.groups import TWO_ARMS
from kinetree.spatial.se3 import pose_from_xyz_rpy
from repaired import repaired, without
from support import all_frames, random_q

MAKERS = (shapes.kawasaki, shapes.motoman, shapes.techman, shapes.mitsubishi)


def robots(folder) -> list[kt.Robot]:
    """The models of the settings."""
    found = jobs(None, read_settings(str(folder / "kinetree.toml")))
    return [kt.load(job.file, args=job.options.read.args) for job in found]


def run(folder, *arguments: str):
    before = os.getcwd()
    os.chdir(folder)
    try:
        return CliRunner().invoke(group, arguments)
    finally:
        os.chdir(before)


@pytest.mark.slow
@pytest.mark.parametrize("maker", MAKERS, ids=lambda maker: maker.__name__)
@pytest.mark.sampled(1)
def test_one_run_makes_all_arms_conformant(maker, tmp_path):
    folder = maker(tmp_path)
    before = robots(folder)
    result = run(folder, "fix", "--profile", "industrial", "--unsafe")
    assert result.exit_code == 0, result.output
    assert "not repaired" not in result.output
    after = robots(folder)
    rng = np.random.default_rng(0)
    for old, new in zip(before, after, strict=True):
        assert {"base_link", "base", "flange", "tool0", *(f"link_{i}" for i in range(1, 7))} <= {
            name.removeprefix(f"{old.name}_") for name in new.links
        }
        for q in (old.q(), random_q(old, rng)):
            left = list(all_frames(new, q).values())
            for name, T in all_frames(old, q).items():  # names change, places stay
                off = [np.abs(T - other).max() for other in left]
                assert min(off) < 1e-9, name
                del left[int(np.argmin(off))]
    checked = run(folder, "check", "--profile", "industrial", "--select", "R199")
    assert checked.exit_code == 0, checked.output
    texts = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    again = run(folder, "fix", "--profile", "industrial", "--unsafe")
    assert again.exit_code == 0, again.output
    assert all(path.read_bytes() == text for path, text in texts.items())


TURNED = ARM.replace(FlangeAxis.good, FlangeAxis.bad)
HAND = """<link name="hand"><visual><geometry><box size="0.1 0.1 0.1"/></geometry></visual></link>
  <joint name="mount" type="fixed"><origin xyz="0 0 0.1"/><parent link="flange"/><child link="hand"/></joint>
  <link name="jaw"/><joint name="close" type="prismatic"><parent link="hand"/><child link="jaw"/>
    <limit lower="0" upper="1" effort="1" velocity="1"/></joint></robot>"""


class TestTurnedFlanges:
    """R199-403: X of flange points elsewhere."""

    def poses(self, text: str) -> dict[str, np.ndarray]:
        robot = kt.load(text, format="urdf")
        return all_frames(robot, random_q(robot, np.random.default_rng(1)))

    def fixed(self, arm, text: str, **options) -> str:
        path = arm(text)
        result = fix(path, profile="industrial", select="R199-403", unsafe=True, **options)
        assert [finding.code for finding in result.repaired] == ["R199-403"]
        write(result)
        return path.read_text()

    def test_what_is_attached_stays_where_it_is(self, arm):
        text = TURNED.replace("</robot>", HAND)
        old, new = self.poses(text), self.poses(self.fixed(arm, text))
        np.testing.assert_allclose(
            new["flange"], old["flange"] @ pose_from_xyz_rpy((0, 0, 0), (0, np.pi / 2, 0)), atol=1e-9
        )
        for name in old.keys() - {"flange"}:
            np.testing.assert_allclose(new[name], old[name], atol=1e-9)

    def test_or_turns_with_it(self, arm):
        text = TURNED.replace("</robot>", HAND)
        old, new = self.poses(text), self.poses(self.fixed(arm, text, turn_tools=True))
        for name in ("hand", "jaw", "tool0"):
            before, after = (np.linalg.inv(poses["flange"]) @ poses[name] for poses in (old, new))
            np.testing.assert_allclose(after, before, atol=1e-9)

    def test_of_the_second_of_two_arms_of_which_the_first_has_none(self, arm):
        right = TWO_ARMS.replace('"left_flange"', '"left_hand"')
        head, mark, tail = right.partition('<joint name="right_link_6-flange"')
        wrong = head + mark + tail.replace('rpy="0 0 0"', 'rpy="0 -1.5707963267948966 0"', 1)
        expected, new = self.poses(right), self.poses(self.fixed(arm, wrong))
        for name in expected.keys() - {"right_tool0"}:  # which stays where it was
            np.testing.assert_allclose(new[name], expected[name], atol=1e-9)

    def test_only_with_unsafe(self, arm):
        result = fix(arm(TURNED), profile="industrial", select="R199-403")
        assert (result.after, [finding.code for finding in result.unsafe]) == ({}, ["R199-403"])

    def test_it_goes_where_the_maker_has_it(self, arm):
        """With X out of the last link; Z as it is given, though without that it would be up."""
        flange = "0.09 0 0 pi/2 0 0"
        text = self.fixed(arm, TURNED, frames={"flange": flange}, ignore="R199-402")
        assert '<origin xyz="0.09 0 0" rpy="1.5707963267948966 0 0"/>' in text


@pytest.mark.parametrize(("frame", "code"), [("base", "R199-208"), ("tool0", "R199-501")])
def test_the_frame_of_the_second_of_two_arms_is_added(frame, code, arm):
    """Where a frame of the first stands on its own arm."""
    parts = rf'  <(link|joint) name="right_(?:\w+-)?{frame}"(?:/>|.*?</\1>)\n'
    text = re.sub(parts, "", TWO_ARMS.replace('xyz="0 0 0.5" rpy="0 0 0"', 'xyz="0 0 0" rpy="0 0 0"'), flags=re.DOTALL)
    path = arm(text)
    result = fix(path, profile="industrial", select=code, controller="abb")
    assert [(finding.code, finding.element) for finding in result.repaired] == [(code, f"frame 'right_{frame}'")]
    write(result)
    old, new = (all_frames(robot, robot.zero) for robot in (kt.load(text, format="urdf"), kt.load(path)))
    assert new.keys() - old.keys() == {f"right_{frame}"}
    for name in old:
        np.testing.assert_allclose(new[name], old[name], atol=1e-12)
    carrier = {"base": "base_link", "tool0": "flange"}[frame]
    T = np.linalg.inv(new[f"right_{carrier}"]) @ new[f"right_{frame}"]
    rpy = {"base": (0, 0, 0), "tool0": np.deg2rad(kt.controllers["abb"].tool0_in_flange)}[frame]
    np.testing.assert_allclose(T, pose_from_xyz_rpy((0, 0, 0), rpy), atol=1e-12)


class TestPlaces:
    def test_a_frame_elsewhere_than_given_is_found(self, tmp_path):
        """The controller of the settings would have base at the foot; what is given comes first."""
        (tmp_path / "arm.urdf").write_text(ARM)
        rows = 'controller = "kuka"\n[[models]]\nfile = "arm.urdf"\nbase = "{}"\ntool0 = "{}"\n'
        found = []
        for places in (("0 0 0.45 0 0 0", "0 0 0 0 0 0"), ("0 0 0.5 0 0 pi", "0 0 0 0 pi/2 0"), ("base", "tool0")):
            (tmp_path / "kinetree.toml").write_text(rows.format(*places))
            result = run(tmp_path, "check", "--profile", "industrial", "--json", "--select", "R199")
            found.append(sorted(one["message"] for one in json.loads(result.output)["findings"]))
        assert found == [
            [
                "is at 0 0 0.5 m in 'base_link'; expected 0 0 0.45 m, as given",
                "is rotated 90 degrees from the orientation that is given",
            ],
            ["is rotated 0 degrees in 'base_link'; expected 180 degrees, as given"],
            [],
        ]
        left = run(tmp_path, "fix", "--profile", "industrial", "--tool0", "0 0 0 pi 0 0")
        assert "is rotated 180 degrees from the orientation that is given; not repaired" in left.output

    @pytest.mark.parametrize(
        ("frames", "code", "why"),
        [
            (
                {"flange": "0.1 0 0 0 0 pi/2"},
                "R199-401",
                "is 90 degrees off the way out of 'link_6'; --flange \"0.1 0 0 0 0 0\"",
            ),
            ({"flange": "elbow"}, "R199-401", "which does not exist; frames fixed to 'link_6' are link_6"),
            ({"flange": "link_3"}, "R199-401", "which moves against it; frames fixed to 'link_6' are link_6"),
            ({}, "R199-401", 'with --flange "X Y Z R P Y" (m, rad), or as flange in [[models]]'),
        ],
    )
    def test_what_is_wrong_or_missing_is_explained(self, frames, code, why, arm):
        text = without("tool0", without("flange"))
        result = fix(arm(text), profile="industrial", controller="abb", frames=frames)
        (because,) = [because for finding, because in result.unrepaired if finding.code == code]
        assert why in because

    @pytest.mark.slow
    def test_a_frame_or_a_pose_for_each_arm(self, arm):
        foot = (
            '<joint name="f" type="fixed"><origin xyz="0 0 0.2"/><parent link="base_link"/><child link="foot"/></joint>'
        )
        text = without("base").replace("</robot>", f'<link name="foot"/>{foot}</robot>')
        for place, z in (("foot", 0.2), ("0 0 0.3 0 0 0", 0.3), ("left_=foot; 0 0 0.4 0 0 0", 0.4)):
            path = arm(text)
            repaired(path, frames={"base": place})
            assert kt.load(path).joints["base_link-base"].origin[2, 3] == pytest.approx(z)

    def test_a_prefix_that_no_arm_has(self, arm):
        with pytest.raises(KinetreeError, match="for the prefix 'left_', which no arm has; prefixes of arms are ''"):
            fix(arm(ARM), profile="industrial", frames={"flange": "left_=0 0 0 0 0 0"})

    def test_of_a_flange_that_points_up_a_pose_is_given_that_points_outwards(self, arm):
        text = without("tool0", without("flange")).replace('axis xyz="1 0 0"', 'axis xyz="0 0 1"')
        result = fix(arm(text), profile="industrial", frames={"flange": "0 0 0.1 0 0 0"})
        (why,) = (why for finding, why in result.unrepaired if finding.code == "R199-401")
        assert why.endswith("""; --flange "0 0 0.1 0 -1.5707963267948966 0" points outwards""")

    @pytest.mark.parametrize("text", ["1 2 3", "", "0 0 0 0 a 0", "0 0 0 0 90 0", "a b", "a=b; a=c"])
    def test_a_place_that_means_nothing(self, text, arm, tmp_path):
        with pytest.raises(KinetreeError, match="expected a pose X Y Z R P Y in m and rad"):
            fix(arm(ARM), profile="industrial", frames={"flange": text})
        (tmp_path / "kinetree.toml").write_text(f'[[models]]\nfile = "arm.urdf"\nflange = "{text or 1}"\n')
        with pytest.raises(KinetreeError, match=r"kinetree\.toml:3"):
            read_settings(str(tmp_path / "kinetree.toml"))


@pytest.mark.slow
class TestVariants:
    """Two robots made from one file, each with a row in the settings."""

    def made(self, folder, second: str, unsafe: bool = False, code: str = "R199-208"):
        shapes.kawasaki(folder)
        text = (folder / "kinetree.toml").read_text()
        first, other = (row for row in text.split("[[models]]") if "small" in row or "huge" in row)
        rows = first, other.replace('base = "0 0 0.3 0 0 0"', second)
        (folder / "kinetree.toml").write_text("".join(f"[[models]]{row}" for row in rows))
        macro, top = (folder / "urdf" / name for name in ("arm_macro.xacro", "arm.urdf.xacro"))
        text = macro.read_text().partition("<robot")[2].partition(">")[2].rpartition("</robot>")[0]
        top.write_text(top.read_text().replace('  <xacro:include filename="arm_macro.xacro"/>', text))
        options = ("--profile", "industrial", "--select", code)
        return run(folder, "fix", *options, *(["--unsafe"] if unsafe else []))

    def test_a_repair_that_is_right_for_both_needs_no_unsafe(self, tmp_path):
        result = self.made(tmp_path, 'base = "0 0 0.3 0 0 0"')
        assert result.exit_code == 0, result.output
        assert "urdf/arm.urdf.xacro (size=small): 1 repaired" in result.output
        assert all("base" in robot.links for robot in robots(tmp_path))

    def test_one_that_is_wrong_for_the_other_is_not_made(self, tmp_path):
        result = self.made(tmp_path, 'base = "0 0 0.4 0 0 0"')
        assert result.exit_code == 1
        why = "in the variant size=huge, a repair would cause R199-201 of link 'base': is at 0 0 0.3 m"
        assert why in result.output
        assert not any("base" in robot.links for robot in robots(tmp_path))

    def test_what_only_one_has_is_renamed_there(self, tmp_path):
        """The parallel arm of one variant is in a branch that the other does not take."""
        result = self.made(tmp_path, "", unsafe=True, code="R199-301")
        assert result.exit_code == 0, result.output
        assert ["link_2" in robot.links for robot in robots(tmp_path)] == [True, True]
        assert robots(tmp_path)[1].joints["parallel"].parent == "link_2"

    def test_a_model_of_another_file_is_renamed_with_its_files(self, tmp_path):
        """Both include one macro, the second with a prefix; each has an SRDF of its own."""
        shapes.kawasaki(tmp_path)
        top = (tmp_path / "urdf" / "arm.urdf.xacro").read_text()
        also = '<robot name="small"><group name="a"><link name="{}"/></group></robot>'
        (tmp_path / "urdf" / "left.urdf.xacro").write_text(top.replace('prefix=""', 'prefix="left_"'))
        rows = ""
        for name, prefix in (("arm", ""), ("left", "left_")):
            (tmp_path / f"{name}.srdf").write_text(also.format(f"{prefix}link1"))
            rows += (
                f'[[models]]\nfile = "urdf/{name}.urdf.xacro"\nargs = {{ size = "small" }}\nalso = ["{name}.srdf"]\n'
            )
        (tmp_path / "kinetree.toml").write_text(rows)
        result = run(tmp_path, "fix", "--profile", "industrial", "--select", "R199-301", "--unsafe")
        assert result.exit_code == 0, result.output
        assert '"link_1"' in (tmp_path / "arm.srdf").read_text()
        assert '"left_link_1"' in (tmp_path / "left.srdf").read_text()
        assert "left_link_6" in robots(tmp_path)[1].links

    @pytest.mark.nightly
    def test_frames_are_written_in_order_with_the_fractions_of_the_file(self, tmp_path):
        shapes.kawasaki(tmp_path)
        macro = tmp_path / "urdf" / "arm_macro.xacro"
        macro.write_text(macro.read_text().replace('xyz="0 0 0.08" rpy="0 0 0"', 'xyz="0 0 0.08" rpy="0 0 ${0*pi}"'))
        result = run(tmp_path, "fix", "--profile", "industrial", "--select", "R199-4", "--select", "R199-5", "--unsafe")
        assert result.exit_code == 0, result.output
        _, _, added = macro.read_text().partition('<link name="${prefix}flange"/>')
        assert 'rpy="0 ${-pi/2} 0"' in added
        assert added.index("link6-flange") < added.index("tool0")
