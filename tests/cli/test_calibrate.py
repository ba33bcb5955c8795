"""`kinetree calibrate`: poses are read as the pendant writes them, and the exit status says whether they agree."""

import json
import re
import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import kinetree as kt
from kinetree.controllers import controllers
from kinetree.controllers.text import written
from kinetree.errors import UnverifiedWarning
from kinetree.lab.calibrate.calibration import calibrate
from pendants import KNOWN

pytestmark = pytest.mark.slow

ADVICE = re.compile(r"tolerance=\(([^,]+), ([^)]+)\)")


def numbers(arm, tool0="tool0"):
    """Joints (5, 6), deg, and T (5, 4, 4)."""
    robot = kt.load(arm)
    q = robot.limits.sample(5, seed=3)
    return np.rad2deg(q), kt.fk(robot, tool0, "base").interpret(q)


def table(head, rows, separator=","):
    return "\n".join([separator.join(head), *(separator.join(map(str, row)) for row in rows)]) + "\n"


HEAD = [f"J{i}" for i in range(1, 7)]
KUKA = [*HEAD, "X", "Y", "Z", "A", "B", "C"]


@pytest.mark.parametrize("separator", [",", ";"])
@pytest.mark.parametrize("head", [KUKA, [f"axis_{i}" for i in range(1, 7)] + list("xyzabc")])
def test_columns_of_numbers(run, arm, tmp_path, head, separator):
    joints, T = numbers(arm)
    rows = np.hstack([joints, controllers["kuka"].from_pose(T)])
    file = tmp_path / "poses.csv"
    file.write_text("# from the pendant\n" + table(head, rows, separator) + "\n# the end\n", encoding="utf-8-sig")
    result = run("calibrate", arm, file, "--controller", "kuka")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines()[0] == "the model and the controller of KUKA agree"
    shuffled = [11, 0, 5, 3, 1, 2, 4, 10, 9, 8, 7, 6]
    file.write_text(table([head[i] for i in shuffled], rows[:, shuffled], separator))
    assert run("calibrate", arm, file, "--controller", "kuka").stdout == result.stdout


@pytest.mark.parametrize("controller", list(controllers))
def test_poses_as_the_pendant_writes_them(run, arm, tmp_path, controller):
    who = controllers[controller]
    joints, T = numbers(arm)
    C = who.coupling(KNOWN)
    shown = np.linalg.solve(C, joints.T).T
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnverifiedWarning)  # of the command it would be an error
        poses = who.from_pose(T)
    rows = [[*j, f'"{written(who, values)}"'] for j, values in zip(shown, poses, strict=True)]
    file = tmp_path / "poses.csv"
    for separator in ",;":
        file.write_text(table([*HEAD, "Pose"], rows, separator))
        result = run("calibrate", arm, file, "--controller", controller)
        noted = "" if who.confidence == "high" else f"note: {who.name} is not verified: "
        assert result.exit_code == 0
        doubt = "" if not who.coupling_doubt(KNOWN, 6) else "warning: coupling not known for "
        lines = result.stderr.splitlines()
        assert lines[0 : 1 if doubt else 0] == [line for line in lines if doubt and line.startswith(doubt)]
        notes = lines[2 if doubt else 0 :]  # behind the warning and its fix
        assert (len(notes), all(line.startswith(noted) for line in notes)) == (bool(noted), True)


def test_a_fault_is_status_1_and_json(run, arm, tmp_path):
    joints, T = numbers(arm, "flange")
    T[:, :3, :3] = T[:, :3, :3] @ Rotation.from_rotvec([1e-5, 0, 0]).as_matrix()
    file = tmp_path / "poses.csv"
    file.write_text(table(KUKA, np.hstack([joints, controllers["kuka"].from_pose(T)])))
    result = run("calibrate", arm, file, "--controller", "kuka", "--json")
    data = json.loads(result.stdout)
    assert result.exit_code == 1
    assert data["agrees"] is False
    assert [fault["code"] for fault in data["faults"]] == ["tool0-frame"]
    np.testing.assert_array_equal(data["T_flange_tool0"], np.eye(4))
    assert np.shape(data["residual"]) == (5, 2)
    result = run("calibrate", arm, file, "--controller", "kuka")
    assert result.exit_code == 1
    assert "flange for tool0" in result.stdout
    assert run("calibrate", arm, file, "--controller", "kuka", "--tool0", "flange").exit_code == 0


def test_the_figure_has_the_errors_before_and_after(run, arm, tmp_path):
    joints, T = numbers(arm, "flange")
    poses = controllers["kuka"].from_pose(T)
    robot = kt.load(arm)
    tool0 = kt.fk(robot, "tool0", "flange").interpret(robot.q())
    result = calibrate(robot, "kuka", joints, poses)
    angle = np.linalg.norm(Rotation.from_matrix(tool0[:3, :3]).as_rotvec())
    lengths = np.full(5, np.linalg.norm(tool0[:3, 3]))
    np.testing.assert_allclose(result.residual_before, np.column_stack([lengths, np.full(5, angle)]), atol=1e-9)
    assert result.residual.max() < 1e-9
    file, out = tmp_path / "poses.csv", tmp_path / "errors.svg"
    file.write_text(table(KUKA, np.hstack([joints, poses])))
    assert run("calibrate", arm, file, "--controller", "kuka", "--plot", out).exit_code == 1
    words = out.read_text("utf-8")
    assert {"The model and the controller of KUKA do not agree", "as given", "tolerance"} <= {
        *re.findall(r">([^<>]+)</text>", words)
    }
    assert run("calibrate", arm, file, "--controller", "kuka", "--plot", file, "--force").exit_code == 2
    assert "exists already" in run("calibrate", arm, file, "--controller", "kuka", "--plot", out).stderr
    assert "--force is for --plot" in run("calibrate", arm, file, "--controller", "kuka", "--force").stderr
    assert "expected" in run("calibrate", arm, file, "--controller", "kuka", "--plot", tmp_path / "a.xyz").stderr


def test_the_coupling_of_a_robot_model(run, arm, tmp_path):
    joints, T = numbers(arm)
    joints[:, 2] += joints[:, 1]
    file = tmp_path / "poses.csv"
    file.write_text(
        table([*HEAD, *controllers["abb"].components], np.hstack([joints, controllers["abb"].from_pose(T)]))
    )
    assert "[coupling]" in run("calibrate", arm, file, "--controller", "abb").stdout
    assert run("calibrate", arm, file, "--controller", "abb", "--robot-model", "IRB 2400").exit_code == 0
    nobody = run("calibrate", arm, file, "--controller", "abb", "--robot-model", "IRB 2040")
    assert (nobody.exit_code, "no model 'IRB 2040'" in nobody.stderr) == (2, True)


NAMES = ",".join(KUKA)
GOOD = "1,2,3,4,5,6,100,200,300,10,20,30"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "poses.csv:1: error: there is nothing in it"),
        (NAMES, "poses.csv:1: error: there are no poses below"),
        (f"{NAMES},X\n", "poses.csv:1: error: column 'X' stands twice"),
        (f"{NAMES},D\n", "poses.csv:1: error: column 'D' is neither a joint nor of a pose of KUKA"),
        ("J1,J2,X\n", "poses.csv:1: error: there is no column 'J3'; expected axis_1"),
        (f"# hello\n{NAMES}\n{GOOD}\n{GOOD},1\n", "poses.csv:4: error: has 13 cells under 12 names"),
        (f"{NAMES}\n{GOOD}\n\n{GOOD.replace('200', 'two')}\n", "poses.csv:4: error: column 'Y' is 'two'; expected"),
        (f"{NAMES}\n{GOOD.replace('200', 'nan')}\n", "poses.csv:2: error: column 'Y' is 'nan'"),
        (f"{','.join(HEAD)},pose\n1,2,3,4,5,6,X 1 Y 2\n", "poses.csv:2: error: 'X 1 Y 2' is no pose of KUKA"),
        (f"{','.join(HEAD)},pose\n1,2,3,4,5,6,1,2,3,4,5,6\n", "a pose that has commas stands in quotation marks"),
        (
            f"{','.join(HEAD)},pose\n1,2,3,4,5,6,1 2 3\n",
            "poses.csv:2: error: the pose has 3 numbers; a pose of KUKA is",
        ),
    ],
)
def test_what_cannot_be_read_is_said_with_its_line(run, arm, tmp_path, text, said):
    file = tmp_path / "poses.csv"
    file.write_text(text)
    result = run("calibrate", arm, file, "--controller", "kuka")
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr


def test_an_advised_tolerance_is_never_too_small(run, arm, tmp_path):
    """It is given in mm and deg, and rounded upwards."""
    robot = kt.load(arm)
    q = robot.limits.sample(8, seed=3)
    shown = np.rad2deg(q).round()
    poses = controllers["kuka"].from_pose(kt.fk(robot, "tool0", "base").interpret(q)).round()
    file = tmp_path / "poses.csv"
    file.write_text(table(KUKA, np.hstack([shown, poses])))
    result = run("calibrate", arm, file, "--controller", "kuka")
    assert (result.exit_code, "tolerance=(" in result.stdout) == (1, False)
    option, *numbers = result.stdout.partition("if so, say ")[2].partition(" [no-fit]")[0].split()
    metres, radians = ADVICE.search(str(calibrate(robot, "kuka", shown, poses))).groups()
    assert option == "--tolerance"
    assert float(numbers[0]) == pytest.approx(1e3 * float(metres), rel=1e-9)
    assert 0 <= float(numbers[1]) - np.rad2deg(float(radians)) < 0.01
    assert run("calibrate", arm, file, "--controller", "kuka", option, *numbers).exit_code == 0


def test_tolerances_are_in_the_units_that_are_typed(run, arm, tmp_path):
    joints, T = numbers(arm)
    file = tmp_path / "poses.csv"
    file.write_text(table(KUKA, np.hstack([joints, controllers["kuka"].from_pose(T)])))
    for wrong, said in (
        (
            ("500", "0.5"),
            "--tolerance: is 500 0.5, with which anything would agree; expected at most 100 mm and 11.45 deg",
        ),
        (("0.5", "12"), "expected at most 100 mm and 11.45 deg"),
        (("0", "1"), "expected two finite numbers above 0, mm and deg"),
    ):
        result = run("calibrate", arm, file, "--controller", "kuka", "--tolerance", *wrong)
        assert (result.exit_code, said in result.stderr) == (2, True)


def test_other_mistakes(run, arm, tmp_path):
    result = run("calibrate", arm, tmp_path / "none.csv", "--controller", "kuka")
    assert result.exit_code == 2
    assert "cannot be read" in result.stderr
    result = run("calibrate", arm, tmp_path / "none.csv", "--controller", "kuak")
    assert result.exit_code == 2
    assert "did you mean 'kuka'" in result.stderr
    assert run("calibrate", arm, tmp_path / "none.csv").exit_code == 2
