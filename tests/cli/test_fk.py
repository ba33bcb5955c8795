"""`kinetree fk`: the poses it prints are those of `kt.fk`."""

import json
import re

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import kinetree as kt
from linkages import fourbar
from pendants import urdf

SET = ("--q", "drive=1,2,0.5", "--q", "lift=0.1")


def numbers(line):
    return [float(word) for word in line.split()]


def test_text(run, mixed):
    robot = kt.load(mixed)
    T = kt.fk(robot, "tool")(robot.q({"drive": [1, 2, 0.5], "lift": 0.1}))
    result = run("fk", mixed, "tool", *SET)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "tool in world, angles of --q in rad"
    np.testing.assert_allclose([numbers(line) for line in lines[1:5]], T, rtol=0, atol=1e-9)
    names, values = zip(*(("".join(line[:12].split()), numbers(line[12:])) for line in lines[5:]), strict=True)
    assert names == ("xyz(m)", "rpy(rad)", "quat_xyzw")
    rotation = Rotation.from_matrix(T[:3, :3])
    expected = [T[:3, 3], rotation.as_euler("xyz"), rotation.as_quat(canonical=True)]
    for value, number in zip(values, expected, strict=True):
        np.testing.assert_allclose(value, number, rtol=0, atol=1e-9)
    assert max(map(len, lines)) <= 80


def test_degrees_go_in_and_out(run, mixed):
    result = run("fk", mixed, "cart", "--q", "drive=0,0,90", "--deg")
    assert "rpy (deg)    0.000000000    0.000000000   90.000000000" in result.stdout


def test_json_is_in_radians_and_another_base_counts(run, mixed):
    robot = kt.load(mixed)
    q = robot.q({"drive": [1, 2, np.pi / 6]})
    result = run("fk", mixed, "tool", "wheel", "--base", "mast", "--q", "drive=1,2,30", "--deg", "--json")
    data = json.loads(result.stdout)
    assert data["base"] == "mast"
    np.testing.assert_allclose(list(data["q"].values()), q, rtol=0, atol=1e-15)
    assert list(data["q"]) == list(robot.coordinate_names)
    assert [pose["frame"] for pose in data["poses"]] == ["tool", "wheel"]
    for pose, T in zip(data["poses"], kt.fk(robot, ["tool", "wheel"], "mast")(q), strict=True):
        np.testing.assert_allclose(pose["T"], T, rtol=0, atol=1e-12)
        np.testing.assert_allclose(pose["xyz"], T[:3, 3], rtol=0, atol=1e-12)
        for R in (Rotation.from_euler("xyz", pose["rpy"]), Rotation.from_quat(pose["quat_xyzw"])):
            np.testing.assert_allclose(R.as_matrix(), T[:3, :3], rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("tol",), "no frame 'tol'; did you mean 'tool'"),
        (("tool", "--base", "tol"), "no frame 'tol'"),
        (("tool", "--q", "lift=x"), "--q lift: 'x' is not a finite number"),
        (("tool", "--q", "lift=nan"), "'nan' is not a finite number"),
        (("tool", "--q", "lift=1_0"), "'1_0' is not a finite number"),
        (("tool", "--q", "lift="), "'' is not a finite number"),
        (("tool", "--q", "lft=1"), "no joint 'lft'; did you mean 'lift'"),
        (("tool", "--q", "grip=1"), "follows 'lift'"),
        (("tool", "--q", "tool_joint=1"), "is fixed"),
        (("tool", "--q", "drive=1"), "takes 3 numbers"),
        (("tool", "--q", "lift"), "'lift' is not of the form JOINT=VALUE"),
        (("tool", "--q", "lift=1", "--q", "lift=2"), "'lift' is given twice"),
        ((), "Missing argument 'FRAME...'"),
    ],
)
def test_what_is_wrong_is_said(run, mixed, arguments, said):
    result = run("fk", mixed, *arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert said in result.stderr


BALLOON = """<robot name="balloon"><link name="ground"/><link name="balloon"/>
  <joint name="free" type="floating"><parent link="ground"/><child link="balloon"/></joint></robot>"""


@pytest.mark.parametrize(
    ("q", "said"),
    [
        ("free=1,2,3,0,0,0,0", "--q free: the quaternion has no direction"),
        ("free=1,2,3,0,0,inf,0", "is not a finite number"),
        ("free=1,2,3,0,0,nan,0", "is not a finite number"),
    ],
)
def test_a_quaternion_without_direction_is_refused(run, tmp_path, q, said):
    path = tmp_path / "balloon.urdf"
    path.write_text(BALLOON)
    result = run("fk", path, "balloon", "--q", q)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
    assert run("fk", path, "balloon", "--q", "free=1,2,3,0,0,1e-200,0").exit_code == 0


def test_poses_that_are_not_finite_are_refused(run, mixed):
    result = run("fk", mixed, "tool", "--base", "finger", "--q", "drive=1e308,1e308,1", "--q", "lift=1e308")
    assert result.exit_code == 2
    assert "the poses are not finite" in result.stderr


@pytest.mark.parametrize("command", ["fk", pytest.param("show", marks=pytest.mark.slow)])
@pytest.mark.nightly
def test_an_open_loop_is_noted_with_its_gap(run, tmp_path, command):
    """A four-bar whose crank is turned alone: its pin is 0.156 m from the rocker's (by hand)."""
    path = tmp_path / "fourbar.xml"
    path.write_text(FOURBAR)
    gap = np.hypot(0.1 * np.sin(0.5) - 0.3 + 0.3 * np.cos(0.5), 0.1 * np.cos(0.5) - 0.1 - 0.3 * np.sin(0.5))
    said = f"is open by {1e3 * gap:.3g} mm; the real robot cannot be there"
    assert "156 mm" in said
    words = {"fk": ("fk", path, "pen"), "show": ("show", path, "-o", tmp_path / "a.svg", "--force")}[command]
    result = run(*words, "--q", "a=0.5")
    assert result.exit_code == 0
    assert said in result.stderr
    closed = run(*words, "--q", "a=0.5", "--q", "b=-0.5", "--q", "c=0.5")
    assert "is open by" not in closed.stderr


@pytest.mark.slow
@pytest.mark.nightly
def test_loops_are_closed_around_the_joints_that_are_given(run, tmp_path):
    path = tmp_path / "fourbar.xml"
    path.write_text(FOURBAR)  # a parallelogram
    result = run("fk", path, "pen", "--q", "a=30", "--deg", "--loops", "closed", "--json")
    assert result.exit_code == 0
    q = json.loads(result.stdout)["q"]
    np.testing.assert_allclose([q[name] for name in "abc"], np.deg2rad((30, -30, 30)), atol=1e-9)
    assert "note: loops closed: b = -30, c = 30, in deg\n" in result.stderr
    shown = run("show", path, "-o", tmp_path / "a.svg", "--q", "a=0.5", "--loops", "closed")
    assert "note: loops closed: b = -0.5, c = 0.5\n" in shown.stderr
    assert "is open by" not in shown.stderr
    assert "--loops closed closes it" in run("fk", path, "pen", "--q", "a=0.5").stderr
    for words, said in (((), "needs the joints whose positions are given"), (("a=1", "b=1"), "name 1 fewer")):
        failed = run("fk", path, "pen", "--loops", "closed", *(word for each in words for word in ("--q", each)))
        assert failed.exit_code == 2
        assert said in failed.stderr


@pytest.mark.slow
def test_loops_that_cannot_be_closed_say_where_they_end(run, tmp_path):
    path = tmp_path / "bars.xml"
    path.write_text(fourbar())
    result = run("fk", path, "rocker", "--q", "rocker=2", "--loops", "closed")
    assert result.exit_code == 2
    assert "the loops cannot close beyond rocker = 0.667463 (m, rad)" in result.stderr
    assert "loop 'pin' is open by" in result.stderr


def test_inverse_kinematics_keep_loops_closed_by_driven_joints(run, tmp_path):
    path = tmp_path / "fourbar.xml"
    path.write_text(FOURBAR)  # a parallelogram
    words = ("ik", path, "--frame", "pen", "--driven", "a")
    there = run("fk", path, "pen", "--q", "a=0.5", "--loops", "closed", "--json")
    xyz = " ".join(map(str, json.loads(there.stdout)["poses"][0]["xyz"]))
    found = run(*words, "--pose", xyz, "--json")
    assert (found.exit_code, found.stderr) == (0, "")
    data = json.loads(found.stdout)
    np.testing.assert_allclose([data["q"][name] for name in "abc"], [0.5, -0.5, 0.5], atol=1e-5)
    assert data["gap"] == {name: pytest.approx([0, 0], abs=1e-9) for name in data["gap"]}
    assert len(data["gap"]) == 1
    plain = run(*words, "--pose", xyz, "--deg", "--loops", "closed")
    assert plain.stdout.splitlines()[0] == "reached"
    assert [line.split()[0] for line in plain.stdout.splitlines()[1:]] == ["a", "b", "c"]
    assert "b -28.6" in plain.stdout
    far = run(*words, "--pose", "5 0 0")
    assert far.exit_code == 1
    assert far.stdout.startswith("not reached, 4.")
    for more, said in (
        (("--loops", "ignore"), "--driven closes them"),
        (("--all",), "not all solutions are computed with --driven"),
        (("--clearance", "0.1"), "closed loops need hard goals without clearance"),
        (("--driven", "z"), "no joint 'z'"),
    ):
        failed = run(*words, "--pose", xyz, *more)
        assert failed.exit_code == 2
        assert said in failed.stderr
    assert "driven is missing" in run("ik", path, "--frame", "pen", "--pose", xyz, "--loops", "closed").stderr


@pytest.mark.slow
def test_inverse_kinematics_say_how_far_loops_are_open(run, tmp_path):
    """The rocker cannot be at 2 rad (see above)."""
    path = tmp_path / "bars.xml"
    path.write_text(fourbar())
    found = run("ik", path, "--frame", "rocker", "--pose", "0 0 0", "--driven", "rocker", "--q", "rocker=2")
    assert found.exit_code == 1
    assert "note: loop 'pin' is open by" in found.stderr


def test_inverse_kinematics_of_a_loop_name_it(run, tmp_path):
    path = tmp_path / "fourbar.xml"
    path.write_text(FOURBAR)
    solved = run("ik", path, "--frame", "pen", "--pose", "0.1 0 0.1", "--loops", "ignore")
    assert "mm; the real robot cannot be there" in solved.stderr
    refused = run("ik", path, "--frame", "pen", "--pose", "0.1 0 0.1").stderr
    assert "kt.kinematics.loop_error(robot)" in refused
    assert "--driven, keeps it closed" in refused


FOURBAR = """<mujoco><worldbody><body name="crank"><joint name="a" axis="0 1 0"/>
<geom type="capsule" fromto="0 0 0 0 0 .1" size=".01"/>
<body name="coupler" pos="0 0 .1"><joint name="b" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".01"/>
<site name="pen" pos=".15 0 .05"/></body></body>
<body name="rocker" pos=".3 0 0"><joint name="c" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 .1" size=".01"/>
</body></worldbody><equality><connect body1="coupler" body2="rocker" anchor=".3 0 0"/></equality></mujoco>"""


@pytest.mark.slow
def test_what_rounds_to_zero_has_no_sign(run, tmp_path):
    """A turn of 2e-11 rad is rounding of the model's digits, in degrees too."""
    path = tmp_path / "arm.urdf"
    path.write_text(urdf(name="ur5").replace('rpy="0 0 0"', 'rpy="-2e-11 0 0"'))
    result = run("fk", path, "flange", "--deg")
    assert "rpy (deg)    0.000000000    0.000000000    0.000000000" in result.stdout
    pose = "0.9 0 1.2 0 0 0"
    solved = run("ik", path, "--frame", "flange", "--pose", pose, "--deg", "--q", "joint_2=1")
    assert "-0." not in re.sub(r"-0\.\d*[1-9]", "", solved.stdout)
    assert "e-" not in solved.stdout


@pytest.mark.slow
def test_a_floating_root_is_a_joint_of_the_command(run, tmp_path):
    """As `kt.load(…, floating=True)`; names stay, and a base that floats already is not floated again."""
    options = ("--floating", "--q", "floating_base=1,2,3,0,0,0,1")

    def pose(model, *more):
        return np.array(json.loads(run("fk", model, "l_hand", *more, "--json").stdout)["poses"][0]["T"])

    found = pose("icub", *options)
    np.testing.assert_allclose(found[:3, 3] - pose("icub")[:3, 3], [1, 2, 3], atol=1e-12)
    np.testing.assert_array_equal(found[:3, :3], pose("icub")[:3, :3])
    path = tmp_path / "walker.urdf"
    path.write_text(kt.text(kt.load("icub", floating=True), "urdf"))
    np.testing.assert_allclose(pose(path, *options), found, atol=1e-9)
    assert "'floating_base'" in run("fk", "icub", "l_hand", *options[1:]).stderr
