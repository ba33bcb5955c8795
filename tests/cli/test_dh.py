"""The command `kinetree dh`."""

import json

import numpy as np
import pytest

import kinetree as kt
from support import all_frames


def test_a_plain_table_in_millimetres_and_degrees(run):
    output = run("dh", "icub", "--tip", "imu_frame", "--convention", "mdh").stdout
    assert "DH parameters, modified: root_link to imu_frame" in output
    row = next(line for line in output.splitlines() if "torso_yaw" in line)
    assert row.split() == ["3", "torso_yaw", "0", "-223.3", "90", "90", "+", "q", "-59", "to", "59"]
    assert "deviation" in output
    assert max(map(len, output.splitlines())) <= 80


def test_json_is_in_si(run):
    data = json.loads(run("dh", "icub", "--base", "chest", "--tip", "l_hand", "--json").stdout)
    assert [row["joint"] for row in data["rows"]][:2] == ["l_shoulder_pitch", "l_shoulder_roll"]
    assert data["residual"] < 1e-12
    assert np.array(data["T_tool"]).shape == (4, 4)


@pytest.mark.parametrize("ending", ["toml", "csv"])
@pytest.mark.parametrize("convention", ["dh", "mdh"])
@pytest.mark.slow
def test_the_file_that_it_writes_is_the_chain(run, tmp_path, ending, convention):
    target = tmp_path / f"arm.{ending}"
    arguments = ["dh", "icub", "--tip", "r_hand_dh_frame", "--convention", convention, "-o", target]
    assert run(*arguments).exit_code == 0
    assert "exists already" in run(*arguments).stderr
    assert run(*arguments, "--force").exit_code == 0
    icub, arm = kt.load("icub"), kt.load(target)
    assert arm.root == "root_link"
    q = np.random.default_rng(1).uniform(-2, 2, arm.nq)
    whole = icub.q(dict(zip(arm.joint_names, q, strict=True)))
    assert np.abs(all_frames(arm, q)["r_hand_dh_frame"] - all_frames(icub, whole)["r_hand_dh_frame"]).max() < 1e-12
    limits = [(icub.joints[name].limit.lower, icub.joints[name].limit.upper) for name in arm.joint_names]
    assert np.abs(np.array(limits) - np.stack([arm.limits.lower, arm.limits.upper], axis=-1)).max() < 1e-15


def test_notes_name_followers_and_constant_rows(run, tmp_path):
    (tmp_path / "r.urdf").write_text(
        '<robot name="r"><link name="a"/><link name="b"/><link name="c"/>'
        '<joint name="lead" type="continuous"><parent link="a"/><child link="b"/><axis xyz="1 0 0"/></joint>'
        '<joint name="follow" type="continuous"><parent link="b"/><child link="c"/><axis xyz="1 0 0"/>'
        '<origin xyz="0 1 0" rpy="0 1e-5 0"/>'
        '<mimic joint="lead"/></joint></robot>'
    )
    output = run("dh", tmp_path / "r.urdf", "--base", "a").stdout
    assert "follows lead; its q is its own number" in output
    assert "(constant)" in output
    assert "row 2" in output
    assert "(constant)" not in run("dh", tmp_path / "r.urdf", "--parallel", "1e-4").stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["icub"], "the robot branches"),
        (["icub", "--tip", "l_hadn"], "did you mean 'l_hand'"),
        (["icub", "--tip", "l_hand", "--units", "feet"], "such as mm,deg"),
        (["icub", "--tip", "l_hand", "-o", "arm.txt"], "legal endings"),
        (["icbu"], "did you mean 'icub'"),
    ],
)
def test_refusals(run, arguments, said):
    result = run("dh", *arguments)
    assert result.exit_code == 2
    assert said in result.stderr
