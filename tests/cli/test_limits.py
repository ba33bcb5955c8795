"""The command `limits`."""

import json

import numpy as np
import pytest

import kinetree as kt


def test_what_the_tendons_forbid(run):
    result = run("limits", "icub", "--limits", "tendons")
    assert (result.exit_code, result.stderr) == (0, "")
    rows = [line.split() for line in result.stdout.splitlines() if line.startswith("  left_arm tendons ")]
    assert len(rows) == 14
    # the share of the firmware's box that each row forbids by itself, as published, in per cent
    forbidden = {int(row[2]): float(row[4]) for row in rows if float(row[4])}
    assert forbidden == {1: 1.192, 9: 5.035, 12: 3.985, 14: 0.415}
    assert [int(row[2]) for row in rows if row[-1] == "yes"] == [1, 9, 14]
    assert "3 joints: 5.6209 % of their box is forbidden" in result.stdout
    safe = next(line for line in result.stdout.splitlines() if "l_shoulder_roll " in line)
    assert safe.split() == ["l_shoulder_roll", "0", "160.8", "0", "99.658"]


def test_json_is_in_radians(run):
    (left, right) = json.loads(run("limits", "icub", "--limits", "tendons", "--json").stdout)["blocks"]
    assert left["joints"] == ["l_shoulder_pitch", "l_shoulder_roll", "l_shoulder_yaw"]
    assert left["forbidden"] == pytest.approx(0.0562094, abs=5e-8)
    assert right["forbidden"] == pytest.approx(left["forbidden"], rel=1e-9)
    assert np.rad2deg(left["ball"]) == pytest.approx(52.75)
    assert np.rad2deg(left["safe_lower"]) == pytest.approx([-89.6577, 0, -37], abs=1e-3)
    corners = [[-95.5, 160.8, -37], [-95.5, 160.8, 80], [10, 160.8, 80]]
    assert np.abs(np.rad2deg(left["corners"]) - corners).max() < 1e-9
    # row 1 cuts a corner off at 404 / 1.7105 degrees of roll less pitch, row 14 at 228.3 of roll and yaw
    nearest = [
        [-95.5, 404 / 1.7105 - 95.5, -37],
        [-95.5, 404 / 1.7105 - 95.5, 431 / 1.7105 - 404 / 1.7105],
        [10, 148.3, 80],
    ]
    assert np.rad2deg(left["nearest"]) == pytest.approx(np.array(nearest), abs=1e-6)
    assert len(left["vertices"]) == 14
    assert left["forbidden_error"] == 0


def test_a_robot_without_such_limits(run):
    assert run("limits", "icub:3").stdout == "robot 'icub' has no limits over several joints; --limits gives it some\n"
    assert "Usage: kinetree limits" in run("limits", "--help").stdout


HEAD = "time, l_shoulder_pitch, l_shoulder_roll, l_shoulder_yaw, l_elbow, r_elbow\n"


def test_a_motion_and_when_it_is_outside(run, tmp_path):
    path = tmp_path / "motion.csv"
    path.write_text(
        HEAD + "0, 0, 10, 0, 20, 20\n0.5, -90, 150, 0, 20, 20\n1, -95, 160, 0, 20, 20\n1.5, 0, 10, 0, 20, 20\n"
    )
    result = run("limits", "check", "icub", path, "--unit", "deg", "--limits", "tendons")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    margin = 1.7105 * (-95 - 160) + 404  # of row 1, in degrees
    assert lines[0] == f"t = 0.5 to t = 1: outside of left_arm tendons 1 lower, by {np.deg2rad(-margin):.6g} at t = 1"
    assert lines[-1] == f"samples: 4, stretches outside of a limit: {len(lines) - 1}"
    found = json.loads(run("limits", "check", "icub", path, "--unit", "deg", "--limits", "tendons", "--json").stdout)
    assert found["samples"] == 4
    assert found["violations"][0]["first"] == 1
    assert found["violations"][0]["worst"] == 2
    assert found["times"] == [0, 0.5, 1, 1.5]
    path.write_text(HEAD.removeprefix("time, ") + "0, 10, 0, 20, 20\n")
    result = run("limits", "check", "icub", path, "--unit", "deg", "--limits", "tendons")
    assert (result.exit_code, result.stdout) == (0, "samples: 1, all inside\n")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no names of joints"),
        ("time\n0\n", "no names of joints"),
        ("l_elbo\n0\n", "column 'l_elbo' is no joint with a coordinate; did you mean 'l_elbow'"),
        ("l_elbow, l_elbow\n0, 0\n", "column 'l_elbow' stands twice"),
        ("l_elbow\n0\n0, 1\n", ":3: error: has 2 cells under 1 names"),
        ("l_elbow\nzero\n", ":2: error: holds something else than numbers: zero"),
        ("l_elbow\nnan\n", "not finite"),
    ],
)
def test_what_is_wrong_with_a_motion_is_said(run, tmp_path, text, said):
    path = tmp_path / "motion.csv"
    path.write_text(text)
    result = run("limits", "check", "icub", path, "--unit", "deg")
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr


def test_an_unlimited_joint_that_rows_couple_is_refused(run, tmp_path):
    (tmp_path / "l.toml").write_text('[[limits]]\nname="n"\nunit="rad"\njoints=["a", "b"]\nG=[[1, 1]]\nh=[1]')
    joint = '<joint name="{0}" type="continuous"><parent link="{1}"/><child link="{0}l"/><axis xyz="0 0 1"/></joint>'
    joints = joint.format("a", "base") + joint.format("b", "al")
    arm = tmp_path / "arm.urdf"
    arm.write_text(f'<robot name="r"><link name="base"/><link name="al"/><link name="bl"/>{joints}</robot>')
    result = run("limits", arm, "--limits", tmp_path / "l.toml")
    assert result.exit_code == 2
    assert "leave some direction open" in result.stderr
    assert kt.load(arm, limits=str(tmp_path / "l.toml")).limits.contains([0.4, 0.5])
