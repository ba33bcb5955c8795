"""The command `compare`."""

from __future__ import annotations

import json

from click.testing import CliRunner

from kinetree.cli.compare import command
from support import icub_urdfs


def run(*words: str):
    return CliRunner().invoke(command, words)


def icub(name: str) -> str:
    return str(next(p for p in icub_urdfs() if p.parent.name == name))


def test_the_same():
    result = run(icub("iCubGenova03"), icub("iCubGenova03"))
    assert result.exit_code == 0
    assert result.output == "the same robot\n"


def test_different():
    result = run(icub("iCubGazeboV2_5"), icub("iCubGazeboV2_7"), "--json")
    assert result.exit_code == 1
    answer = json.loads(result.output)
    assert answer["same"] is False
    assert answer["same_mechanism"] is True
    assert answer["joints"]["l_elbow"] == "l_elbow"
    assert answer["differences"][0]["element"] == "frame 'imu_frame'"


def test_bad_input():
    result = run("nowhere.urdf", "nowhere.urdf")
    assert type(result.exception).__name__ == "KinetreeError"  # `main` prints it and exits with 2
    assert run("a", "b", "--tolerance", "0").exit_code == 2
