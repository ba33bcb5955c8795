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


T_RO0 = [[0, -1, 0, 0], [0, 0, -1, 0], [1, 0, 0, 0], [0, 0, 0, 1]]
T_NIS = [[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0.0066], [0, 0, 0, 1]]
ROWS = [  # a and d in mm, alpha in rad, the offset of theta and its range in deg
    ("torso_pitch", 32, 0, np.pi / 2, 0, -22, 84),
    ("torso_roll", 0, -5.5, np.pi / 2, -90, -39, 39),
    ("torso_yaw", 0, -223.3, -np.pi / 2, -90, -59, 59),
    ("neck_pitch", 9.5, 0, np.pi / 2, 90, -40, 30),
    ("neck_roll", 0, 0, -np.pi / 2, -90, -70, 60),
    ("neck_yaw", 18.5, 110.8, -np.pi / 2, 90, -55, 55),
]
"""The numbers of the wiki's page ICubInertiaSensorKinematicsV2, typed from it."""


class TestChainsOfTheFile:
    """`--chain` prints a chain as its file has it, where the extraction finds other parameters of the same chain."""

    @pytest.mark.slow
    def test_the_table_of_the_page_on_the_inertial_sensor(self, run):
        found = json.loads(run("dh", "icub", "--chain", "head", "--tip", "imu_page_frame", "--json").stdout)
        assert (found["base"], found["tip"], found["convention"]) == ("root_link", "imu_page_frame", "dh")
        assert np.allclose(found["T_base"], T_RO0, atol=1e-15)
        assert np.allclose(found["T_tool"], T_NIS, atol=1e-15)
        assert found["residual"] < 1e-14
        assert [row["joint"] for row in found["rows"]] == [row[0] for row in ROWS]
        for row, (_, a, d, alpha, offset, lower, upper) in zip(found["rows"], ROWS, strict=True):
            assert np.allclose([row["a"], row["d"]], [a / 1000, d / 1000], atol=1e-15)
            assert np.allclose([row["alpha"], row["theta"]], [alpha, np.deg2rad(offset)], atol=1e-15)
            assert np.allclose(np.rad2deg([row["lower"], row["upper"]]), [lower, upper], atol=1e-9)
        printed = run("dh", "icub", "--chain", "head", "--tip", "imu_page_frame").stdout
        assert "  3  torso_yaw       0  -223.3    -90  -90 + q   -59 to 59\n" in printed
        other = json.loads(run("dh", "icub", "--tip", "imu_page_frame", "--json").stdout)
        assert not np.allclose([r["theta"] for r in other["rows"]], [r["theta"] for r in found["rows"]])

    def test_without_a_tip_it_ends_with_its_last_row(self, run):
        found = json.loads(run("dh", "icub", "--chain", "head", "--json").stdout)
        assert found["tip"] == "head_dh_6"
        assert np.allclose(found["T_tool"], np.eye(4))

    @pytest.mark.slow
    def test_files(self, run, tmp_path):
        assert run("dh", "icub", "--chain", "left_arm", "-o", tmp_path / "arm.toml").exit_code == 0
        again = kt.load(tmp_path / "arm.toml")
        icub = kt.load("icub")
        q = icub.limits.sample(1, seed=1)[0]
        own = again.q({name: q[icub.q_slices[name]][0] for name in again.joint_names})
        assert np.allclose(kt.fk(again, "l_hand_dh_frame")(own), kt.fk(icub, "l_hand_dh_frame")(q), atol=1e-12)

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("arguments", "told"),
        [
            (["icub", "--chain", "heed"], "no chain 'heed'; did you mean 'head'?"),
            (["icub", "--chain", "head", "--tip", "l_hand"], "is not the way from 'root_link' to 'l_hand'"),
            (["icub", "--chain", "head", "--base", "chest"], "--base does not go with --chain"),
            (["icub-models:iCubGazeboV2_7", "--chain", "head"], "is of no DH file"),
        ],
    )
    def test_refusals(self, run, arguments, told):
        result = run("dh", *arguments)
        assert result.exit_code == 2
        assert told in result.stderr
