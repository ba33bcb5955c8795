"""The iCub's rules on real models, with defects planted one at a time."""

from dataclasses import replace
from math import pi, radians

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.checker.check import check
from kinetree.formats.registry import FORMATS
from kinetree.robots.icub.board_limits import board_limits
from kinetree.robots.icub.naming import naming
from kinetree.robots.packaged import versions
from kinetree.rules.facts import Subject
from kinetree.rules.icub.axes import AxisDirection, axes, looks_forwards
from kinetree.rules.icub.page import remark
from kinetree.rules.icub.ranges import board_of, known_robot
from kinetree.rules.profiles import rules_of
from kinetree.spatial import se3
from support import ask, icub_urdfs


def text_of(name: str) -> str:
    return next(path for path in icub_urdfs() if path.parent.name == name).read_text()


def findings(robot: kt.Robot) -> set[tuple[str, str, str]]:
    return {(f.code, f.severity, f.element) for f in ask(robot, rules_of("icub"))}


@pytest.fixture(scope="module")
def model() -> tuple[str, set[tuple[str, str, str]]]:
    """A clean model of version 2 as text, and what the rules say of it."""
    text = text_of("iCubGazeboV2_7")
    return text, findings(kt.load(text, format="urdf"))


@pytest.fixture(scope="module")
def text() -> str:
    """The built-in iCub as URDF."""
    return FORMATS["urdf"].write(kt.load("icub"), ("group",))


DEFECTS = {
    "a joint called otherwise": ('name="l_elbow"', 'name="l_elbow_joint"', {"ICUB-101", "ICUB-102", "ICUB-203"}),
    "a joint that is fixed": (
        '<joint name="neck_roll" type="revolute">',
        '<joint name="neck_roll" type="fixed">',
        {"ICUB-101"},
    ),
    "a sensor's joint that turns": (
        '<joint name="r_arm_ft_sensor" type="fixed">',
        '<joint name="r_arm_ft_sensor" type="continuous"><axis xyz="1 0 0"/>',
        {"ICUB-102", "ICUB-103"},
    ),
    "a sensor's joint called otherwise": ('"r_leg_ft_sensor"', '"r_leg_sensor"', {"ICUB-103", "ICUB-203"}),
    "a link called otherwise": ('"r_hand"', '"r_palm"', {"ICUB-201", "ICUB-202"}),
    "a frame called otherwise": ('"imu_frame"', '"imu"', {"ICUB-401"}),
    "a skin frame called otherwise": ('"r_forearm_dh_frame"', '"r_forearm_skin"', {"ICUB-403"}),
    "a sensor called otherwise": (
        '<sensor name="l_foot_ft" type="force_torque">\n    <parent',
        '<sensor name="l_foot_6ax" type="force_torque">\n    <parent',
        {"ICUB-404"},
    ),
    "a frame on another link": (
        '<parent link="l_forearm"/>\n    <child link="l_forearm_dh_frame"/>',
        '<parent link="l_upper_arm"/>\n    <child link="l_forearm_dh_frame"/>',
        {"ICUB-402"},
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("defect", DEFECTS)
def test_a_planted_defect_is_found_by_its_rule_and_what_follows_from_it(model, defect):
    text, before = model
    good, bad, codes = DEFECTS[defect]
    assert good in text
    new = findings(kt.load(text.replace(good, bad), format="urdf")) - before
    assert {code for code, _, _ in new} == codes, new


def turned(robot: kt.Robot, joint: str, rpy: tuple[float, float, float]) -> kt.Robot:
    """The robot with the axis of one joint turned in its own frame."""
    text = FORMATS["urdf"].write(robot, ("extension", "group", "sensor"))
    axis = robot.joints[joint].axes[0]
    new = se3.pose_from_xyz_rpy((0, 0, 0), rpy)[:3, :3] @ axis
    head, tail = text.split(f'<joint name="{joint}"', 1)
    old = tail.index("<axis")
    end = tail.index("/>", old)
    xyz = " ".join(repr(float(x)) for x in new)
    return kt.load(f'{head}<joint name="{joint}"{tail[:old]}<axis xyz="{xyz}"{tail[end:]}', format="urdf")


class TestAxes:
    @pytest.mark.slow
    @each(
        "angle, severity, said",
        [
            (180.0, "error", "180 degrees off (0, 1, 0), that of the naming conventions; reverse it"),
            (20.0, "error", "is (0, 0.94, -0.342), 20 degrees off (0, 1, 0)"),
            (0.2, "error", "0.2 degrees off"),
            (0.05, None, None),
        ],
    )
    def test_an_axis_that_is_turned(self, angle, severity, said):
        robot = turned(kt.load("icub"), "l_elbow", (radians(angle), 0, 0))
        found = [f for f in ask(robot, rules_of("icub")) if f.element == "joint 'l_elbow'" and f.code == "ICUB-302"]
        assert [f.severity for f in found] == ([severity] if severity else [])
        assert not found or said in found[0].message

    def test_the_pages_own_direction_of_torso_roll_is_the_fault(self):
        robot = turned(kt.load("icub"), "torso_roll", (pi, 0, 0))
        (found,) = [f for f in check(robot, profile="icub", select="ICUB-302") if f.element == "joint 'torso_roll'"]
        assert found.severity == "error"
        assert "that of the naming conventions, which are wrong here: (1, 0, 0) is right" in found.message
        (fine,) = [
            f for f in check(kt.load("icub"), profile="icub", select="ICUB-302") if f.element == "joint 'torso_roll'"
        ]
        assert fine.severity == "info"
        assert "180 degrees off (-1, 0, 0), that of the naming conventions, which are wrong here" in fine.message

    @pytest.mark.slow
    @each("joint", naming().leaning)
    def test_the_lean_of_the_arms_is_a_remark_and_another_one_is_not(self, joint):
        robot = kt.load("icub")
        axis = axes(**Subject(robot).facts(axes))[joint]
        assert np.abs(axis - naming().leaning[joint]).max() < 1e-15
        said = {f.element: f for f in check(robot, profile="icub", select="ICUB-302")}
        assert said[f"joint {joint!r}"].severity == "info"
        assert "15 degrees off" in said[f"joint {joint!r}"].message
        for angle in (-radians(3), radians(3)):
            said = {f.element: f for f in check(turned(robot, joint, (0, angle, 0)), profile="icub", select="ICUB-302")}
            assert said[f"joint {joint!r}"].severity == "error"

    @pytest.mark.parametrize("joint", naming().later_feet)
    def test_later_feet_lean_by_15_degrees_and_one_way(self, joint):
        entry = next(entry for entry in naming().axes if entry.correct.joint == joint)
        x, _, z = naming().later_feet[joint]
        message, severity = AxisDirection().judged(entry, np.array([x, 0.0, z]))
        assert (severity, "as on robots with the later feet" in message) == ("warning", True)
        for other in ((x, 0.0, -z), (x, z, 0.0), (np.sign(x), 0.0, z / 2)):
            message, severity = AxisDirection().judged(entry, np.array(other))
            assert (severity, "later feet" in message) == ("error", False)


def test_a_group_of_the_torso_that_is_not_in_the_order_of_its_board_is_a_remark():
    robot = kt.load("icub")

    def remarked(*torso):
        groups = {**robot.groups, "torso": tuple(f"torso_{name}" for name in torso)}
        return check(replace(robot, groups=groups), profile="icub", select="ICUB-303")

    assert remarked("yaw", "roll", "pitch") == remarked("pitch", "roll") == remarked() == []
    (found,) = remarked("pitch", "roll", "yaw")
    assert (found.severity, found.element) == ("info", "group 'torso'")
    assert found.message.endswith("expected that of the control board, torso_yaw, torso_roll, torso_pitch")


class TestICub3:
    """The built-in robot of version 3, and the same with x forwards, as its models are."""

    def test_the_torsos_order(self):
        found = {(c, e) for c, s, e in findings(kt.load("icub:3")) if s == "error"}
        assert ("ICUB-303", "torso") in found
        assert ("ICUB-203", "link 'torso_1'") in found

    @pytest.mark.slow
    def test_a_root_that_looks_forwards_is_said_once_and_axes_are_judged_after_turning(self):
        robot = kt.load("icub")
        text = FORMATS["urdf"].write(robot, ("extension", "group", "sensor"))
        for joint in ("torso_pitch", "l_hip_pitch", "r_hip_pitch"):
            T = se3.pose_from_xyz_rpy((0, 0, 0), (0, 0, pi)) @ robot.joints[joint].origin
            xyz, rpy = T[:3, 3], se3.rpy_from_rotation(T[:3, :3])
            head, tail = text.split(f'<joint name="{joint}"', 1)
            old = tail.index("<origin")
            end = tail.index("/>", old)
            numbers = [" ".join(repr(float(x)) for x in v) for v in (xyz, rpy)]
            text = f'{head}<joint name="{joint}"{tail[:old]}<origin xyz="{numbers[0]}" rpy="{numbers[1]}"{tail[end:]}'
        forwards = kt.load(text, format="urdf")
        assert looks_forwards(**Subject(forwards).facts(looks_forwards))
        assert not looks_forwards(**Subject(robot).facts(looks_forwards))
        kept = kt.load(FORMATS["urdf"].write(robot, ("extension", "group", "sensor")), format="urdf")
        assert findings(forwards) - findings(kept) == {("ICUB-301", "warning", "link 'root_link'")}
        assert findings(kept) <= findings(forwards)


class TestLimits:
    @pytest.mark.slow
    def test_the_robot_is_known_by_its_names_or_is_the_pages(self, text):
        paths = {path.parent.name: path for path in icub_urdfs()}
        assert known_robot(kt.load(paths["iCubLisboa01"])) == "iCubLisboa01"
        assert known_robot(kt.load(paths["iCubGazeboV2_5"])) is None
        assert board_of(kt.load(paths["iCubGazeboV2_5"]), "l_elbow")[0] == "iCubGenova02"
        assert known_robot(kt.load(text.replace('"icub"', '"iCubNancy01"', 1), format="urdf")) == "iCubNancy01"

    @pytest.mark.slow
    @pytest.mark.parametrize("folder", ["iCubGenova06", "iCubErzelli03", "ergoCubSN000"])
    def test_a_folder_that_misleads_makes_no_difference(self, folder, text, tmp_path):
        # no limits are known of the first, only the head's of the second, and the third is of another family
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "model.urdf").write_text(text)
        by_name = {f.message for f in check(tmp_path / folder / "model.urdf", profile="icub", select="ICUB-501")}
        others = {f.message for f in check(kt.load(text, format="urdf"), profile="icub", select="ICUB-501")}
        known = board_limits("iCubErzelli03")
        assert len(by_name) >= len(others) - len(known)
        assert any("the board of iCubGenova02" in message for message in by_name)
        assert not any("ergoCub" in message for message in by_name)

    def test_the_nearest_folder_that_names_a_robot_wins(self, text, tmp_path):
        path = tmp_path / "iCubNancy01" / "iCubLisboa01" / "urdf" / "model.urdf"
        path.parent.mkdir(parents=True)
        path.write_text(text)
        boards = {
            f.message.partition("the board of ")[2].split()[0] for f in check(path, profile="icub", select="ICUB-501")
        }
        assert boards == {"iCubLisboa01"}

    def test_an_icub_3_is_held_to_no_board_of_version_2(self):
        assert not check("icub:3", profile="icub", select="ICUB-501")

    def test_degrees_are_suspected(self, text):
        robot = kt.load(text.replace("-2.181661564992912", "-125"), format="urdf")
        found = check(robot, profile="icub", select="ICUB-502")
        assert {f.element for f in found} == {"joint 'l_knee'", "joint 'r_knee'"}
        assert found[0].message == "the limits -125 to 0 rad are more than a turn; are they in degrees?"
        assert found[0].severity == "warning"

    def test_with_the_boards_own_limits_nothing_is_said(self):
        said = {(c, e) for c, _, e in findings(kt.load("icub")) if c == "ICUB-501"}
        assert ("ICUB-501", "joint 'l_hip_pitch'") in said
        for name in ("iCubGenova02", "iCubLisboa01"):
            assert not any(c == "ICUB-501" for c, _, _ in findings(kt.load("icub", limits=name)))

    def test_the_message_has_both_ranges(self):
        low, high = board_limits("iCubGenova02")["l_hip_pitch"]
        assert (low, high) == pytest.approx((radians(-30), radians(85)))
        (found,) = [
            f
            for f in ask(kt.load("icub"), rules_of("icub"))
            if f.code == "ICUB-501" and f.element == "joint 'l_hip_pitch'"
        ]
        assert (
            found.message == "the range is -44 to 132 degrees, but the board of iCubGenova02 allows -30 to 85 degrees"
        )
        assert found.severity == "info"


def test_another_robot_is_not_accused_of_lacking_everything():
    arm = kt.load('<robot name="arm"><link name="a"/></robot>', format="urdf")
    (found,) = ask(arm, rules_of("icub"))
    assert (found.code, found.element) == ("ICUB-001", "robot 'arm'")
    assert "has 0 of the iCub's 32 joints" in found.message


@pytest.mark.slow
def test_the_built_in_robot_keeps_its_own_conventions():
    for version in [version for version in versions("icub") if version != "3.0"]:
        assert not [f for f in ask(kt.load(f"icub:{version}"), rules_of("icub")) if f.severity != "info"], version


def test_rows_of_the_page_that_are_wrong_or_missing_are_said_to_be():
    entries = [one for table in ("joints", "links", "frames", "skin") for one in getattr(naming(), table)]
    gone = next(one for one in entries if one.printed is None and one.deviations)
    wrong = next(one for one in entries if one.printed and one.printed != one.correct and one.deviations)
    right = next(one for one in entries if one.printed == one.correct)
    assert remark(gone) == f" (see deviation {gone.deviations[0]}; the naming conventions leave it out)"
    said = naming().deviations[wrong.deviations[0]]
    numbered = f" (the naming conventions are wrong here, deviation {said.number}: "
    assert remark(wrong) == f"{numbered}{said.printed} {said.correction})"
    assert remark(right) == ""
