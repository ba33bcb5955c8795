"""URDF 1.0, 1.1 and 1.2, as urdfdom 6.0 reads them; and the attributes of <robot> that are written back."""

import re
import shutil
import subprocess
from dataclasses import replace
from math import inf
from xml.etree import ElementTree

import pytest

import kinetree as kt
from each import each
from kinetree.formats.urdf import read
from kinetree.formats.urdf.write import write
from kinetree.model.assemble import build, parts_of
from kinetree.model.robot import Limit, Robot

VERSIONS = ("1.0", "1.1", "1.2")
ALL = 'lower="-1" upper="1" effort="3" velocity="2" acceleration="5" deceleration="4" jerk="9"'
CAPSULE = '<geometry><capsule radius="0.1" length="0.2"/></geometry>'


def text_of(version: str, limit: str = "<limit/>", type: str = "revolute", shape: str = "", more: str = "") -> str:
    said = f' version="{version}"' if version else ""
    return (
        f'<robot name="r"{said}{more}><link name="a">{shape}</link><link name="b"/><joint name="j" type="{type}">'
        f'<parent link="a"/><child link="b"/><axis xyz="0 0 1"/>{limit}</joint></robot>'
    )


def load(*arguments: str, **options: str) -> Robot:
    return kt.load(text_of(*arguments, **options), format="urdf")


def codes(robot: Robot) -> list[str]:
    return [note.code for note in robot.notes]


def edited(robot: Robot) -> Robot:
    return build(parts_of(robot))


def version_of(text: str) -> str | None:
    return ElementTree.fromstring(text).get("version")


class TestLimits:
    """Numbers from urdfdom 6.0.0: parseURDF and Joint::limits."""

    def test_1_2_has_three_more(self):
        limit = load("1.2", f"<limit {ALL}/>").joints["j"].limit
        assert limit == Limit(-1, 1, 2, 3, acceleration=5, deceleration=4, jerk=9)

    def test_deceleration_is_acceleration_by_default(self):
        limit = load("1.2", '<limit lower="-1" upper="1" acceleration="5"/>').joints["j"].limit
        assert limit == Limit(-1, 1, acceleration=5, deceleration=5)

    @each("version", ["", "1.0", "1.1"])
    def test_earlier_versions_lack_them_and_say_so(self, version):
        robot = load(version, f"<limit {ALL}/>")
        assert robot.joints["j"].limit == Limit(-1, 1, 2, 3)
        assert codes(robot) == ["urdf-version"] * 3
        assert "1.2" in str(robot.notes[0].fix)

    @each("type", ["revolute", "prismatic"])
    @each("limit", ['lower="-1"', 'upper="1"', 'effort="1" velocity="1"', ""])
    def test_1_2_needs_both_bounds(self, type, limit):
        robot, findings = read(text_of("1.2", f"<limit {limit}/>", type), "r.urdf")
        assert robot is None
        missing = [name for name in ("lower", "upper") if name not in limit]
        errors = [f.message for f in findings if f.severity == "error"]
        assert [name for name in ("lower", "upper") if any(f"{name}=" in message for message in errors)] == missing
        assert {f.code for f in findings} == {"missing-attribute"}

    @pytest.mark.parametrize("type", ["revolute", "prismatic"])
    def test_1_2_needs_a_limit(self, type):
        robot, findings = read(text_of("1.2", "", type), "r.urdf")
        assert robot is None
        assert [(f.code, f.severity, f.element) for f in findings] == [("missing-element", "error", "joint 'j'")]
        assert "<limit lower=… upper=…/>" in findings[0].message
        for version in ("", "1.0", "1.1"):
            assert codes(load(version, "", type)) == ["no-limit"]
        assert not codes(load("1.2", "", "continuous"))

    @pytest.mark.parametrize("version", ["1.0", "1.1"])
    def test_earlier_versions_take_zero(self, version):
        robot = load(version, '<limit lower="-1" effort="1" velocity="1"/>')
        assert robot.joints["j"].limit == Limit(-1, 0, 1, 1)
        assert codes(robot) == ["default-limit"]

    def test_1_2_needs_no_effort_and_velocity(self):
        robot = load("1.2", '<limit lower="-1" upper="1"/>')
        assert robot.joints["j"].limit == Limit(-1, 1, inf, inf)
        assert not robot.notes
        assert codes(load("1.1", '<limit lower="-1" upper="1"/>')) == ["default-limit"] * 2

    @each("type", ["continuous", "fixed", "floating", "planar"])
    def test_1_2_other_joints_may_have_an_empty_limit(self, type):
        robot = load("1.2", type=type)
        assert not robot.notes
        assert robot.joints["j"].limit == Limit()

    def test_1_2_continuous(self):
        robot = load("1.2", f"<limit {ALL}/>", "continuous")
        assert robot.joints["j"].limit == Limit(-inf, inf, 2, 3, acceleration=5, deceleration=4, jerk=9)
        assert codes(robot) == ["no-effect"]

    def test_negative_ones_are_named(self):
        for name in ("acceleration", "deceleration", "jerk"):
            text = text_of("1.2", f'<limit lower="-1" upper="1" {name}="-1"/>')
            assert "LIM-006" in [finding.code for finding in kt.check(text, format="urdf")]

    def test_compare_sees_them(self):
        one, other = (load("1.2", f'<limit lower="-1" upper="1" acceleration="{a}"/>') for a in (1, 2))
        assert any("acceleration" in difference.message for difference in kt.compare(one, other).differences)


class TestCapsules:
    @each("tag", ["visual", "collision"])
    @each("version", ["", *VERSIONS])
    def test_they_belong_to_1_1(self, version, tag):
        robot = load(version, "", "continuous", f"<{tag}>{CAPSULE}</{tag}>")
        assert codes(robot) == (["urdf-version"] if version in ("", "1.0") else [])
        link = robot.links["a"]
        assert [shape.shape.kind for shape in (*link.visuals, *link.collisions)] == ["capsule"]

    def test_their_version_is_written(self):
        robot = load("", "", "continuous", f"<collision>{CAPSULE}</collision>")
        assert version_of(write(edited(robot))) == "1.1"
        mjcf = '<mujoco><worldbody><body><geom type="capsule" size="0.1 0.2"/></body></worldbody></mujoco>'
        assert version_of(kt.text(kt.load(mjcf, format="mjcf"), "urdf")) == "1.1"


class TestWriting:
    @each("version", VERSIONS)
    def test_the_version_is_kept(self, version):
        robot = load(version, '<limit lower="-1" upper="1" effort="3" velocity="2"/>')
        assert version_of(write(edited(robot))) == version
        assert version_of(kt.text(robot, "urdf", without=["material"])) == version
        assert version_of(write(kt.edit.prefix(robot, "x_"))) == version

    def test_none_is_written_that_is_not_needed(self):
        assert version_of(write(edited(load("", type="continuous")))) is None

    def test_limits_of_1_2_come_back(self):
        for type in ("revolute", "prismatic", "continuous"):
            for given in (ALL, 'lower="-1" upper="1" jerk="2"', 'lower="-1" upper="1" deceleration="2"'):
                robot = load("1.2", f"<limit {given}/>", type)
                text = write(edited(robot))
                assert version_of(text) == "1.2"
                assert kt.load(text, format="urdf").joints["j"].limit == robot.joints["j"].limit
                assert "e+308" not in text
                assert all(f" {word}" in text for word in given.split() if not (type == "continuous" and "er=" in word))
                assert "carried" not in text

    def test_a_limit_that_no_joint_of_urdf_has_needs_no_version(self):
        robot = load("", type="floating")
        joint = replace(robot.joints["j"], limits=(Limit(acceleration=1.0),) * 6)
        assert version_of(write(build(replace(parts_of(robot), joints=[joint])))) is None

    def test_limits_of_1_2_raise_the_version(self):
        robot = load("1.0", '<limit lower="-1" upper="1" effort="3" velocity="2"/>')
        joint = robot.joints["j"]
        faster = replace(joint, limits=(replace(joint.limit, acceleration=7.0, deceleration=7.0),))
        text = write(build(replace(parts_of(robot), joints=[faster])))
        assert version_of(text) == "1.2"
        assert "deceleration" not in text

    def test_one_side_without_a_limit_in_1_2(self):
        robot = load("1.2", '<limit lower="-1" upper="1"/>')
        joint = replace(robot.joints["j"], limits=(Limit(-1, inf),))
        text = write(build(replace(parts_of(robot), joints=[joint])))
        assert 'upper="1.797' in text
        assert "effort" not in text
        assert kt.load(text, format="urdf").joints["j"].limit == Limit(-1, inf)

    def test_the_later_version_after_attach(self):
        one, other = load("1.0", type="continuous"), load("1.1", type="continuous")
        for a, b in ((one, other), (other, one), (load("", type="continuous"), other)):
            assert version_of(write(kt.edit.attach(a, b, "b", prefix="tool_"))) == "1.1"

    @each("format", ["sdf", "mjcf", "dh"])
    def test_other_formats_carry_the_limits(self, format):
        robot = load("1.2", f"<limit {ALL}/>")
        back = kt.load(kt.text(robot, format), format=format)
        assert back.joints["j"].limit == robot.joints["j"].limit


class TestNameSpaces:
    SENSOR = ' xmlns:sensor="http://playerstage.sourceforge.net/gazebo/xmlschema/#sensor"'
    RAY = '<gazebo reference="a"><sensor:ray name="laser"><range>4</range></sensor:ray></gazebo>'

    def robot(self, prefix: str = "") -> Robot:
        text = text_of("", type="continuous", more=self.SENSOR).replace("</robot>", f"{self.RAY}</robot>")
        return kt.load(text, format="urdf")

    @staticmethod
    def ray(text: str) -> object:
        """Return the element as a parser of name spaces finds it; one without declaration raises."""
        name = "{http://playerstage.sourceforge.net/gazebo/xmlschema/#sensor}ray"
        return next(ElementTree.fromstring(text).iter(name), None)

    def test_they_are_kept(self):
        robot = self.robot()
        assert self.ray(write(edited(robot))) is not None
        assert self.ray(write(kt.edit.prefix(robot, "x_"))) is not None
        assert self.ray(kt.text(robot, "urdf", without=["material"])) is not None

    def test_they_come_with_an_attached_robot(self):
        both = kt.edit.attach(load("", type="continuous"), self.robot(), "b", prefix="tool_")
        assert self.ray(write(both)) is not None

    @pytest.mark.parametrize("format", ["sdf", "mjcf"])
    def test_they_come_back_from_another_format(self, format):
        back = kt.load(kt.text(self.robot(), format), format=format)
        assert self.ray(write(edited(back))) is not None

    def test_a_record_declares_nothing_else(self):
        text = kt.text(self.robot(), "sdf").replace("xmlns:sensor", "xmlns sensor")
        back = kt.load(text, format="sdf")
        assert "carried" in codes(back)
        assert not back.header

    def test_those_of_an_sdf(self):
        joint = '<drake:joint xmlns="" drake:name="x"/>'
        model = f'<model name="m"><link name="a"/>{joint}</model>'
        robot = kt.load(f'<sdf version="1.9" xmlns:drake="drake.mit.edu" xmlns:no="no">{model}</sdf>', format="sdf")
        text = kt.text(edited(robot), "sdf")
        assert ElementTree.fromstring(text).find(".//{drake.mit.edu}joint") is not None
        assert "xmlns:no" not in text


class TestVersions:
    def test_an_empty_one_is_named(self):
        robot = load("").notes, kt.load('<robot name="r" version=""><link name="a"/></robot>', format="urdf")
        assert codes(robot[1]) == ["urdf-version"]

    @pytest.mark.crosscheck
    @pytest.mark.parametrize("version", ["", *VERSIONS, " 1.1", "1", "1.3", "2.0", "1.0.0"])
    def test_urdfdom_reads_the_same(self, version, tmp_path):
        check = shutil.which("check_urdf")
        assert check
        path = tmp_path / "r.urdf"
        for limit in (
            "<limit/>",
            f"<limit {ALL}/>",
            '<limit lower="-1" upper="1"/>',
            '<limit effort="1" velocity="1"/>',
        ):
            for type in ("revolute", "continuous"):
                path.write_text(text_of(version, limit, type))
                found = subprocess.run([check, str(path)], capture_output=True, text=True, check=False)
                robot, findings = read(path.read_text(), str(path))
                required = [f for f in findings if re.search("URDF requires one", f.message)]  # by 1.0, as a warning
                assert (found.returncode == 0) == (robot is not None and not required), (version, limit, type)
