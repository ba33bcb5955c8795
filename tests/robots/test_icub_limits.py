"""The position limits of the robots' control boards."""

import json

import numpy as np
import pytest

import kinetree as kt
from kinetree.model.robot import Limit
from kinetree.robots.icub.board_limits import board_limits, robots, with_board_limits
from kinetree.robots.icub.boards import boards
from support import icub_urdfs, shared


@pytest.fixture(scope="module")
def icub() -> kt.Robot:
    return kt.load("icub", limits="dh")


def note(robot: kt.Robot) -> str:
    (found,) = (finding for finding in robot.notes if finding.code == "board-limits")
    assert found.severity == "info"
    return found.message


def test_the_robots_limits_replace_the_models(icub):
    limited = with_board_limits(icub, "iCubGenova02")
    degrees = {"torso_pitch": (-20, 70), "l_shoulder_roll": (9, 160), "r_knee": (-100, 0), "eyes_tilt": (-30, 30)}
    for name, interval in degrees.items():
        limit = limited.joints[name].limit
        assert np.rad2deg([limit.lower, limit.upper]) == pytest.approx(interval, abs=1e-12)
    assert icub.joints["torso_pitch"].limit.lower == pytest.approx(np.deg2rad(-22))
    assert limited.joints["l_eye_pan_joint"].limit == icub.joints["l_eye_pan_joint"].limit
    assert limited.text is None
    assert note(limited) == "position limits are those of the control boards of iCubGenova02"


def test_version_and_vergence_are_limits_of_both_pans(icub):
    version, vergence = with_board_limits(icub, "iCubGenova02").coupled_limits
    assert (version.name, dict(version.coefficients)) == (
        "eyes_version",
        {"l_eye_pan_joint": 0.5, "r_eye_pan_joint": 0.5},
    )
    assert (vergence.name, dict(vergence.coefficients)) == (
        "eyes_vergence",
        {"l_eye_pan_joint": 1.0, "r_eye_pan_joint": -1.0},
    )
    assert np.rad2deg([version.lower, version.upper, vergence.lower, vergence.upper]) == pytest.approx([-30, 30, 0, 45])
    hardware = with_board_limits(icub, "iCubGenova02", "hardware").coupled_limits[0]
    assert np.rad2deg(hardware.upper) == pytest.approx(45)
    limited = with_board_limits(icub, "iCubGenova02")
    middle = limited.limits
    q = np.clip(limited.q(), middle.lower, middle.upper)
    for version, vergence, inside in ((0, 1, True), (29, 40, True), (31, 1, False), (0, -1, False), (0, 46, False)):
        turned = kt.icub.from_board(limited, "head", [0, 0, 0, 0, version, vergence], unit="deg", q=q).q
        assert limited.limits.contains(turned) == inside
    # Stanford's files call the axes otherwise; a model with one eye keeps what it has
    assert len(with_board_limits(icub, "iCubStanford01").coupled_limits) == 2
    one_eye = with_board_limits(kt.edit.remove(icub, "r_eye"), "iCubGenova02")
    assert one_eye.coupled_limits == ()
    assert note(one_eye).endswith("; its files say nothing of l_eye_pan_joint, which keep their own")


def test_what_the_files_do_not_say_stays(icub):
    limited = with_board_limits(icub, "iCubNancy01")
    assert limited.joints["neck_roll"].limit == icub.joints["neck_roll"].limit
    assert limited.joints["l_knee"].limit != icub.joints["l_knee"].limit
    assert note(limited) == (
        "position limits are those of the control boards of iCubNancy01; its files say nothing of neck_pitch, "
        "neck_roll, neck_yaw, eyes_tilt, l_eye_pan_joint, r_eye_pan_joint, which keep their own"
    )
    urdf = kt.load(next(path for path in icub_urdfs() if path.parent.name == "iCubGenova02"))
    before, after = urdf.joints["l_knee"].limit, with_board_limits(urdf, "iCubGenova02").joints["l_knee"].limit
    assert (after.velocity, after.effort) == (before.velocity, before.effort)
    assert (after.lower, after.upper) != (before.lower, before.upper)


def test_the_last_set_counts(icub):
    once = with_board_limits(icub, "iCubErzelli03")
    twice = with_board_limits(with_board_limits(icub, "iCubGenova02"), "iCubErzelli03")
    assert len(twice.coupled_limits) == 2
    assert [limit.upper for limit in twice.coupled_limits] == [limit.upper for limit in once.coupled_limits]
    assert "iCubErzelli03" in note(twice)
    assert twice.joints["l_knee"].limit == board_limit("iCubGenova02", "l_knee")  # Erzelli03 is a head


def board_limit(robot: str, joint: str) -> Limit:
    return Limit(*board_limits(robot)[joint])


def test_errors(icub):
    with pytest.raises(kt.KinetreeError, match="no limits of robot 'iCubGenova2'; did you mean 'iCubGenova02'"):
        with_board_limits(icub, "iCubGenova2")
    with pytest.raises(kt.KinetreeError, match="kind is 'soft'; expected one of 'software', 'hardware'"):
        with_board_limits(icub, "iCubGenova02", "soft")
    with pytest.raises(kt.KinetreeError, match="is of the family icub, and ergoCubSN000 is of ergocub"):
        with_board_limits(icub, "ergoCubSN000")
    with pytest.raises(kt.KinetreeError, match="is of the family icub3, and iCubGenova02 is of icub"):
        kt.load("icub:3", limits="iCubGenova02")
    with pytest.raises(kt.KinetreeError, match="no limits of robot 'iCubGenova06'"):
        with_board_limits(icub, "iCubGenova06")  # whose files have no numbers


def test_a_robot_without_a_joint_that_the_files_limit_is_refused():
    """Those of iCubErzelli03 are about its head alone."""
    links = '<link name="a"/><link name="b"/>'
    ends = '<parent link="a"/><child link="b"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" velocity="1" effort="1"/>'
    for name, refused in (("l_knee", True), ("neck_yaw", False)):
        leg = kt.load(
            f'<robot name="r">{links}<joint name="{name}" type="revolute">{ends}</joint></robot>', format="urdf"
        )
        if not refused:
            found = with_board_limits(leg, "iCubErzelli03").joints[name].limit
            assert (found.lower, found.upper) == board_limits("iCubErzelli03")[name]
            continue
        with pytest.raises(kt.KinetreeError) as caught:
            with_board_limits(leg, "iCubErzelli03")
        (finding,) = caught.value.findings
        assert (finding.code, finding.element) == ("no-limits", "robot 'r'")
        assert finding.message == "the files of iCubErzelli03 say no limits of any joint"


def test_a_note_on_limits_that_are_replaced_goes(icub):
    assert "published-limits" in [note.code for note in icub.notes]
    assert "published-limits" not in [note.code for note in with_board_limits(icub, "iCubGenova02").notes]


def test_every_robot_is_of_a_family():
    assert set(robots()) <= set(boards().robots)
    assert {boards().robots[name] for name in robots()} == {"icub", "ergocub"}


@pytest.mark.slow
def test_loading_with_limits(icub, tmp_path):
    loaded = kt.load("icub", limits="iCubGenova02")
    assert (loaded.limits.lower == with_board_limits(icub, "iCubGenova02").limits.lower).all()
    assert note(loaded)
    path = next(path for path in icub_urdfs() if path.parent.name == "iCubGenova02")
    urdf = kt.load(path, limits="iCubGenova02")
    assert urdf.joints["l_elbow"].limit.upper == board_limit("iCubGenova02", "l_elbow").upper
    srdf = tmp_path / "arm.srdf"
    srdf.write_text(
        '<robot name="icub"><group name="two"><joint name="l_elbow"/><joint name="l_knee"/></group></robot>'
    )
    both = kt.load("icub", srdf=srdf, limits="iCubGenova02")
    assert both.groups["two"] == ("l_elbow", "l_knee")
    assert note(both)
    with pytest.raises(kt.KinetreeError, match="no set of limits 'icubgenova02'; did you mean 'iCubGenova02'"):
        kt.load("icub", limits="icubgenova02")


def test_every_number_of_the_robots_files(icub):
    said = json.loads(shared("facts", "icub", "control_board_limits.json").read_text())["robots"]
    known = {name: [limit for limit in robot["limits_deg"].values() if limit["sw"]] for name, robot in said.items()}
    assert sorted(robots()) == sorted(name for name, limits in known.items() if limits)
    assert len(robots()) == 24
    for name in robots():
        for kind, key in (("software", "sw"), ("hardware", "hw")):
            expected = {axis: limit[key] for axis, limit in said[name]["limits_deg"].items() if limit[key]}
            found = {axis: np.rad2deg(interval) for axis, interval in board_limits(name, kind).items()}
            assert found.keys() == expected.keys()
            assert all(np.abs(found[axis] - expected[axis]).max() < 1e-12 for axis in found)
