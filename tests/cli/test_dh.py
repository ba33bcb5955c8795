"""The command `kinetree dh`."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

import kinetree as kt
from kinetree.cli.dh import command
from support import all_frames


def run(*arguments: str) -> str:
    result = CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_a_plain_table_in_millimetres_and_degrees():
    output = run("icub", "--tip", "imu_frame", "--convention", "mdh")
    assert "modified Denavit-Hartenberg parameters from root_link to imu_frame" in output
    row = next(line for line in output.splitlines() if "torso_yaw" in line)
    assert row.split() == ["3", "torso_yaw", "0", "-223.3", "90", "90", "+", "q", "-59", "to", "59"]
    assert "largest deviation" in output
    assert max(map(len, output.splitlines())) <= 80


def test_json_is_in_si():
    data = json.loads(run("icub", "--base", "chest", "--tip", "l_hand", "--json"))
    assert [row["joint"] for row in data["rows"]][:2] == ["l_shoulder_pitch", "l_shoulder_roll"]
    assert data["residual"] < 1e-12
    assert data["units"] == {"length": "m", "angle": "rad"}


@pytest.mark.parametrize("ending", ["toml", "csv"])
@pytest.mark.parametrize("convention", ["dh", "mdh"])
def test_the_file_that_it_writes_is_the_chain(tmp_path, ending, convention):
    target = tmp_path / f"arm.{ending}"
    run("icub", "--tip", "r_hand_dh_frame", "--convention", convention, "-o", str(target))
    icub, arm = kt.load("icub"), kt.load(target)
    assert arm.root == "root_link"
    q = np.random.default_rng(1).uniform(-2, 2, arm.nq)
    whole = icub.q(dict(zip(arm.joint_names, q, strict=True)))
    assert np.abs(all_frames(arm, q)["r_hand_dh_frame"] - all_frames(icub, whole)["r_hand_dh_frame"]).max() < 1e-12
    limits = [(icub.joints[name].limit.lower, icub.joints[name].limit.upper) for name in arm.joint_names]
    assert np.abs(np.array(limits) - np.stack([arm.limits.lower, arm.limits.upper], axis=-1)).max() < 1e-15


def test_wrong_units_and_endings(tmp_path):
    with pytest.raises(kt.KinetreeError, match="such as mm,deg"):
        run("icub", "--tip", "l_hand", "--units", "feet")
    with pytest.raises(kt.KinetreeError, match="legal endings"):
        run("icub", "--tip", "l_hand", "-o", str(tmp_path / "arm.txt"))
