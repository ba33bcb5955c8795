"""The command `ik`."""

import json

import numpy as np
import pytest

import kinetree as kt
from kinetree.cli._controllers import Text
from kinetree.cli._targets import Target, _note_far, _placed
from kinetree.controllers.controller import FAR
from kinetree.spatial import se3


@pytest.mark.slow
def test_there_and_back(run):
    icub = kt.load("icub")
    q = icub.limits.sample(1, seed=3)[0]
    T = kt.fk(icub, "l_hand", "chest")(q)
    pose = run(
        "fk",
        "icub",
        "l_hand",
        "--base",
        "chest",
        "--json",
        *(f"--q={n}={x!r}" for n, x in zip(icub.joint_names, q.tolist(), strict=True)),
    )
    said = json.loads(pose.stdout)["poses"][0]
    assert np.array(said["T"]) == pytest.approx(T, abs=1e-15)
    for numbers in ([*said["xyz"], *said["rpy"]], [*said["xyz"], *said["quat_xyzw"]], said["xyz"]):
        text = ", ".join(map(repr, numbers))
        result = run("ik", "icub", "--frame", "l_hand", "--base", "chest", "--pose", text, "--json")
        assert (result.exit_code, result.stderr) == (0, "")
        found = json.loads(result.stdout)
        assert found["success"]
        here = kt.fk(icub, "l_hand", "chest")(icub.q(found["q"]))
        assert np.abs(here[:3, 3] - T[:3, 3]).max() < 1e-6
        assert np.abs(here - T).max() < 2e-6 or len(numbers) == 3
        margins = icub.limits.margin(icub.q(found["q"]))
        assert list(found["margins"].values()) == pytest.approx(margins.tolist())
    degrees = [*said["xyz"], *np.rad2deg(said["rpy"])]
    arguments = (
        "ik",
        "icub",
        "--frame",
        "l_hand",
        "--base",
        "chest",
        "--pose",
        " ".join(map(repr, map(float, degrees))),
        "--deg",
    )
    lines = run(*arguments).stdout.splitlines()
    assert lines[0] == "reached"
    joints = dict(line.split()[:2] for line in lines[1:8])
    assert list(joints) == list(icub.groups["left_arm"])
    assert (
        np.abs(kt.fk(icub, "l_hand", "chest")(icub.q({n: float(x) for n, x in joints.items()}, unit="deg")) - T).max()
        < 1e-4
    )


@pytest.mark.slow
def test_what_cannot_be_reached(run):
    result = run("ik", "icub", "--frame", "l_hand", "--base", "chest", "--pose", "0 3 0", "--q", "l_elbow=50", "--deg")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0].startswith("not reached, 2.")
    assert lines[0].endswith("locally closest")
    assert any(line.startswith("near l_") for line in lines)
    assert not any(line.startswith("near r_") for line in lines)


@pytest.mark.slow
def test_the_start_is_in_the_unit_that_is_asked_for(run, arm):
    """Of two bends of the same arm it finds that from which it begins; joints without a part in it stay there."""
    robot = kt.load(arm)
    q = np.array([0.3, -0.7, 1.2, 0.4, -0.9, 0.5])
    T = kt.fk(robot, "tool0", "base").interpret(q)
    numbers = " ".join(map(repr, [*T[:3, 3].tolist(), *se3.quaternion_from_rotation(T[:3, :3]).tolist()]))
    words = ("ik", arm, "--frame", "tool0", "--base", "base", "--pose", numbers, "--json")
    for unit, options in ((1.0, ()), (180 / np.pi, ("--deg",))):
        start = [f"--q={name}={value * unit!r}" for name, value in zip(robot.joint_names, q.tolist(), strict=True)]
        result = run(*words, *options, *start)
        found = json.loads(result.stdout)
        assert [*found["q"].values()] == pytest.approx(q, abs=1e-6)
    icub = ("ik", "icub", "--frame", "l_hand", "--base", "chest", "--pose", "-0.2 -0.2 0.1", "--json")
    found = json.loads(run(*icub, "--deg", "--q", "r_elbow=50", "--q", "l_elbow=40").stdout)
    assert found["q"]["r_elbow"] == pytest.approx(np.deg2rad(50))
    found = json.loads(run(*icub, "--q", "r_elbow=0.7").stdout)
    assert found["q"]["r_elbow"] == 0.7


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--frame", "l_hand", "--pose", "1 2"), "'1 2' is no pose; expected 3, 6 or 7 finite numbers"),
        (("--frame", "l_hand", "--pose", "1 2 nan"), "is no pose"),
        (("--frame", "l_hand", "--pose", "1 2 3 0 0 0 0"), "the quaternion's length is 0, not 1"),
        (("--frame", "l_hnd", "--pose", "1 2 3"), "did you mean 'l_hand'"),
        (("--frame", "l_hand", "--pose", "1 2 3", "--q", "l_elbow=far"), "'far' is not a finite number"),
        (("--frame", "l_hand", "--pose", "1 2 3", "--q", "l_elbo=1"), "did you mean 'l_elbow'"),
        (("--frame", "root_link", "--pose", "1 2 3"), "no joint moves root_link"),
    ],
)
def test_errors(run, arguments, said):
    result = run("ik", "icub", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr


@pytest.mark.slow
def test_a_quaternion_is_judged_by_its_length(run, arm):
    pose = ("ik", arm, "--frame", "tool0", "--pose")
    noted = run(*pose, "0.3 0.1 0.9 0 0 0.7072 0.7072")
    assert noted.stderr == "note: the quaternion's length is 1.00013; it is divided by it\n"
    exact = run(*pose, "0.3 0.1 0.9 0 0 0.7071067811865476 0.7071067811865476")
    assert exact.stderr == ""
    assert noted.stdout == exact.stdout
    refused = run(*pose, "-0.2 -0.2 0.1 0 0 1 1")
    assert refused.exit_code == 2
    assert "length is 1.414, not 1" in refused.stderr
    assert "write 0 0 0.707107 0.707107" in refused.stderr
    ros = run("pose", "1 2 3 0 0 0.7072 0.7072", "--from", "ros", "--to", "ur")
    assert "length is 1.00013" in ros.stderr


def test_targets_in_every_form(capsys):
    """x y z alone, with roll, pitch and yaw in rad or degrees, or with a quaternion; spaces or commas."""
    R = se3.homogeneous(np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]), np.array([1.0, -2.0, 3.5]))
    for text, in_degrees, kind, expected in (
        ("1 -2 3.5", False, "position", R[:3, 3]),
        ("1,-2,3.5", True, "position", R[:3, 3]),
        ("1 -2 3.5 0 0 1.5707963267948966", False, "pose", R),
        ("1, -2, 3.5, 0, 0, 90", True, "pose", R),
        ("1 -2 3.5 0 0 0.7071067811865476 0.7071067811865476", False, "pose", R),
        ("1 -2 3.5 0 0 0.7071067811865476 0.7071067811865476", True, "pose", R),
    ):
        target = _placed(Text(text, "--pose"), in_degrees)
        assert target.ndim == (2 if kind == "pose" else 1)
        np.testing.assert_allclose(target, expected, rtol=0, atol=1e-15)
    assert capsys.readouterr().err == ""
    _placed(Text("0 0 0 0 0 0.707 0.708"), False)
    assert "quaternion" in capsys.readouterr().err
    for text in ("", "1 2", "1 2 3 4", "1 2 3 4 5", "1 2 3 4 5 6 7 8", "1 2 x"):
        with pytest.raises(kt.KinetreeError) as caught:
            _placed(Text(text, "--pose"), False)
        (finding,) = caught.value.findings
        said = "is no pose; expected 3, 6 or 7 finite numbers: x y z, and roll pitch yaw or qx qy qz qw"
        assert (finding.code, finding.element, finding.message) == ("pose", "--pose", f"{text!r} {said}")
    for xyz, controller, is_far in (
        ([FAR, 0.0, -FAR], "ros", False),
        ([0.0, -FAR * 1.001, 0.0], "ros", True),
        ([0.0, 0.0, FAR * 1.001], "ROS", True),
        ([0.0, 0.0, FAR * 1.001], "kuka", False),
    ):
        for target in (np.array(xyz), se3.homogeneous(np.eye(3), np.array(xyz))):
            _note_far([Target(target, "")], controller, "--pose")
            words = f"--pose is beyond {FAR:g} m; its lengths are in m"
            assert (words in capsys.readouterr().err) is is_far


@pytest.mark.slow
def test_clearance(run, tmp_path):
    file = tmp_path / "arm.urdf"
    ball = "<collision><geometry><sphere radius='0.005'/></geometry></collision>"
    joints = (
        ("a", "b", "0 0 0", "revolute"),
        ("b", "c", "0.03 0 0", "revolute"),
        ("c", "d", "0.03 0 0", "revolute"),
        ("a", "post", "0.04 0.02 0", "fixed"),
    )
    ends = "<axis xyz='0 0 1'/><limit lower='-3' upper='3' effort='1' velocity='1'/></joint>"
    text = "".join(f"<link name='{name}'>{'' if name == 'a' else ball}</link>" for name in ("a", "b", "c", "d", "post"))
    for a, b, xyz, kind in joints:
        text += f"<joint name='{b}' type='{kind}'><parent link='{a}'/><child link='{b}'/><origin xyz='{xyz}'/>{ends}"
    file.write_text(f"<robot name='arm'>{text}</robot>")
    command = ("ik", str(file), "--frame", "d", "--pose")
    assert run(*command, "0.04 0.02 0").exit_code == 0
    result = run(*command, "0.04 0.02 0", "--clearance", "0.001", "--geometry", "hull")
    assert (result.exit_code, result.stdout.splitlines()[0]) == (1, "reached, but d touches post")
    assert run(*command, "0.02 -0.04 0", "--clearance", "0.001").exit_code == 0
    result = run(*command, "0.04 0.02 0", "--clearance", "0", "--json")
    assert json.loads(result.stdout)["contact"] == "d touches post"
    result = run(*command, "0.04 0.02 0", "--clearance", "-1")
    assert (result.exit_code, "clearance is -1.0; expected a distance from 0" in result.stderr) == (2, True)


@pytest.fixture
def kuka(tmp_path):
    """A file of an arm with a wrist whose joints 4 and 6 turn by 350 degrees to either side."""
    ends = [185, 155, 154, 350, 130, 350]
    axes = [(0, 0, -1), (0, 1, 0), (0, 1, 0), (-1, 0, 0), (0, 1, 0), (-1, 0, 0)]
    places = [(0, 0, 0), (0.26, 0, 0.675), (0.68, 0, 0), (0.67, 0, -0.035), (0, 0, 0), (0, 0, 0)]
    rows = [
        {"axis": list(axis), "xyz": list(place), "qlim": np.radians([-end, end]).tolist()}
        for axis, place, end in zip(axes, places, ends, strict=True)
    ]
    T = np.array([[0, 0, 1, 0.115], [0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1.0]])
    robot = kt.edit.add_frame(
        kt.edit.add_frame(kt.chain(rows, name="kr16"), "base", "base_link"), "tool0", "q6_link", T
    )
    file = tmp_path / "kr16.urdf"
    kt.save(robot, file)
    return file


@pytest.mark.slow
def test_a_configuration_chooses_the_solution(run, kuka):
    robot = kt.load(kuka)
    q = np.radians([-20, -90, 90, 170, 50, -200])
    words = [f"--q=q{i}={value!r}" for i, value in enumerate(q.tolist(), 1)]
    (pose,) = run("fk", kuka, "--controller", "kuka", *words).stdout.splitlines()
    assert pose.endswith("S 2, T 35}")
    assert json.loads(run("fk", kuka, "--controller", "kuka", *words, "--json").stdout)["configuration"] == "S 2, T 35"
    ik = ("ik", kuka, "--controller", "kuka", "--pose")
    found = json.loads(run(*ik, pose, "--json").stdout)
    assert list(found["q"].values()) == pytest.approx(q, abs=1e-4)
    assert found["configuration"] == "S 2, T 35"
    other = json.loads(run(*ik, pose.replace("T 35", "T 3"), "--json").stdout)
    assert list(other["q"].values()) == pytest.approx([*q[:5], q[5] + 2 * np.pi], abs=1e-4)
    plain = run(*ik, pose.partition(", S")[0] + "}")
    assert plain.stdout.startswith("reached\n")
    assert "\n  configuration S " in plain.stdout
    # without turns of its own, as few as S alone are open
    flipped = json.loads(run(*ik, pose.replace("S 2, T 35", "S 6"), "--json").stdout)
    assert flipped["q"]["q5"] == pytest.approx(-q[4], abs=1e-4)
    none = run(*ik, pose.replace("T 35", "T 0"))
    assert (none.exit_code, none.stdout) == (2, "")
    assert "--pose: no solution inside the limits has the configuration 'S 2, T 0'; there are S " in none.stderr
    assert np.abs(kt.fk(robot, "tool0", "base").interpret([*other["q"].values()])[:3, 3]).max() > 0.1


@pytest.mark.slow
def test_all_solutions(run, kuka):
    robot = kt.load(kuka)
    T = kt.fk(robot, "tool0").interpret(np.radians([-20, -90, 90, 170, 50, -200]))
    number = " ".join(map(repr, [*T[:3, 3].tolist(), *se3.quaternion_from_rotation(T[:3, :3]).tolist()]))
    words = ("ik", kuka, "--frame", "tool0", "--pose", number, "--all")
    found = json.loads(run(*words, "--json").stdout)["solutions"]
    every = kt.ik(robot, "tool0").solutions(T, most=64, turns=True)
    every = every.q[every.mask]
    assert len(found) == len(every) > 8
    for row, q in zip(found, every, strict=True):
        assert list(row["q"].values()) == pytest.approx(q, abs=1e-9)
        assert row["manipulability"] == pytest.approx(float(kt.manipulability(robot, "tool0").interpret(q)))
        margins = dict(zip(robot.limits.names, robot.limits.margin(q).tolist(), strict=True))
        assert (row["margin"]["value"], margins[row["margin"]["limit"]]) == pytest.approx([min(margins.values())] * 2)
        assert "configuration" not in row
    lines = run(*words, "--deg").stdout.splitlines()
    assert lines[0] == f"{len(every)} solutions"
    assert len(lines) == 1 + 2 * len(every)
    assert lines[2].startswith(f"  q1 {np.rad2deg(every[0][0]):.4g}"[:9])
    pose = run("fk", kuka, "--controller", "kuka", "--q", "A2=-90", "--q", "A3=90", "--q", "A5=50").stdout
    shown = run(
        "ik", kuka, "--controller", "kuka", "--all", "--pose", pose.replace("S 2, T 2", "S 2")
    ).stdout.splitlines()
    assert all(line.split(": S 2, ")[1].startswith("T ") for line in shown[1::2])
    assert "  A1 0, A2 -90, A3 90, A4 0, A5 50, A6 0" in [line.replace("-0,", "0,") for line in shown]
    none = run("ik", kuka, "--frame", "tool0", "--pose", "9 9 9 0 0 0", "--all")
    assert none.exit_code == 1
    assert none.stdout.startswith("not reached")


def test_numbers_of_a_quaternion_have_no_unit(run, tmp_path):
    path = tmp_path / "ball.xml"
    body = '<body><joint name="b" type="ball"/><geom size=".1"/><site name="tip" pos=".3 0 0"/></body>'
    path.write_text(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
    for more in ((), ("--all",)):
        said = run("ik", path, "--frame", "tip", "--pose", "0 .3 0", *more).stdout.replace(", ", "\n").splitlines()
        numbers = [line.split() for line in said if line.split()[:1] and line.split()[0].startswith("b.q")]
        assert [row[0] for row in numbers[:4]] == ["b.qx", "b.qy", "b.qz", "b.qw"]
        assert all(len(row) == 2 for row in numbers)
        x, y, z, w = (float(row[1]) for row in numbers[:4])
        assert 2 * (x * y + w * z) == pytest.approx(1.0, abs=1e-4)  # x points along y
