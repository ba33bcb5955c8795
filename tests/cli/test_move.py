"""`kinetree move`: what it prints and writes, its exit status and its JSON."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import kinetree as kt
import pendants
from kinetree.cli._controllers import shown
from kinetree.controllers.controller import Active
from kinetree.controllers.text import configuration_in, parsed
from kinetree.logs import read_motion
from kinetree.spatial.se3 import translation

JOINT = """<link name="{name}_link"/><joint name="{name}" type="{kind}"><parent link="{parent}"/>
<child link="{name}_link"/><axis xyz="{axis}"/><limit lower="-2" upper="2" velocity="{velocity}" effort="9"/></joint>"""
JOINTS = (("x", "prismatic", "1 0 0", 0.5), ("y", "prismatic", "0 1 0", 2), ("turn", "revolute", "0 0 1", 2))
GO = ("gantry.urdf", "--frame", "turn_link", "--acceleration", "4")
IN_DEG = (*GO[:-2], *(f"--acceleration={one}" for one in ("x=4", "y=4", f"turn={np.rad2deg(4)}")), "--deg")


@pytest.fixture(autouse=True)
def gantry(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    parent, parts = "base", ['<link name="base"/>']
    for name, kind, axis, velocity in JOINTS:
        parts.append(JOINT.format(name=name, kind=kind, parent=parent, axis=axis, velocity=velocity))
        parent = f"{name}_link"
    (tmp_path / "gantry.urdf").write_text(f"<robot name='gantry'>{''.join(parts)}</robot>", encoding="utf-8")
    return kt.load("gantry.urdf")


@pytest.mark.slow
def test_a_line_is_timed_checked_and_written(run, gantry):
    """1 m along x at 0.5 m/s; starting and stopping, the turn by pi / 3 has 4 rad/s²."""
    pose = "1 0.5 0 0 0 90"
    result = run("move", *IN_DEG, "--to", pose, "--line", "--q", "turn=30", "-o", "motion.csv")
    assert result.exit_code == 0
    first, *limits, last = result.stdout.splitlines()
    assert float(first.removeprefix("duration: ").removesuffix(" s")) == pytest.approx(
        2 + 0.5 * np.pi / 3 / 4, abs=0.0101
    )  # whole periods
    assert limits[0].startswith("  velocity of x: 8")
    assert last == "2 remarks"
    motion = read_motion(gantry, "motion.csv", unit="deg")
    assert motion.names == ("x", "y", "turn")
    assert np.diff(motion.times) == pytest.approx(0.01)
    x = motion.q[:, 0]
    np.testing.assert_allclose(motion.q[:, 1], x / 2, atol=1e-4)
    np.testing.assert_allclose(motion.q[:, 2], np.radians(30 + 60 * x), atol=1e-3)
    np.testing.assert_allclose(motion.q[-1], [1, 0.5, np.pi / 2], atol=1e-8)
    again = run("move", *GO, "--to", pose, "-o", "motion.csv")
    assert again.exit_code == 2
    assert "exists already" in again.stderr


@pytest.mark.slow
def test_the_speed_of_the_frame(run, gantry):
    """1 m at 0.25 m/s, and 4 m/s² to start and to stop."""
    result = run("move", *GO, "--to", "0.6 0.8 0 0 0 0", "--line", "--q", "turn=0", "--speed", "0.25")
    first, limit, *_ = result.stdout.splitlines()
    assert float(first.removeprefix("duration: ").removesuffix(" s")) == pytest.approx(4 + 0.25 / 5, abs=0.03)
    assert limit.startswith("  speed of turn_link: 9")
    assert run("move", *GO, "--to", "1 0 0", "--speed", "0").exit_code == 2


@pytest.mark.slow
def test_a_joint_trajectory_of_ros(run, gantry):
    """Always in rad; with rates, so that a check needs no estimates."""
    pytest.importorskip("mcap")
    go = ("move", *IN_DEG, "--to", "1 0.5 0 0 0 90", "--q", "turn=30")
    for name in ("motion.mcap", "motion.csv"):
        assert run(*go, "-o", name).exit_code == 0
    motion, table = read_motion(gantry, "motion.mcap"), read_motion(gantry, "motion.csv", unit="deg")
    np.testing.assert_allclose(motion.q, table.q, atol=1e-15)
    np.testing.assert_allclose(motion.q[[0, -1], 2], np.radians([30, 90]), atol=1e-8)
    slower = (2 + 0.5 * np.pi / 3 / 4) / motion.times[-1]  # for whole periods
    assert np.abs(motion.qd[:, 0]).max() == pytest.approx(0.5 * slower, rel=1e-4)
    assert run("motion", "check", "gantry.urdf", "motion.mcap", "--acceleration", "4").exit_code == 0


@pytest.mark.slow
def test_json_and_a_position_without_orientation(run):
    found = json.loads(run("move", *GO, "--to", "1 0 0", "--q", "turn=0.5", "--velocity", "1", "--json").stdout)
    assert found["duration"] == pytest.approx(1.25, abs=6e-3)
    assert [(one["limit"], one["joint"]) for one in found["reached"]] == [("velocity", "x"), ("acceleration", "x")]
    assert sum(one["share"] for one in found["reached"]) == pytest.approx(1.0, abs=0.05)
    assert found["reached"][1]["first"] == 0.0


@pytest.mark.slow
def test_limits_of_single_joints_and_a_payload(run):
    """1 m at 0.25 m/s, which 4 m/s² takes 1/16 s to reach; 2 kg at 4 m/s² take 8 N, and the limit is 7 N."""
    go = ("move", *GO[:-2], "--acceleration", "4", "--to", "1 0 0", "--json")
    found = json.loads(run(*go, "--velocity", "x=0.25", "--velocity", "y=9").stdout)
    assert found["duration"] == pytest.approx(4 + 0.25 / 4, abs=0.0101)
    text = Path("gantry.urdf").read_text(encoding="utf-8").replace('effort="9"', 'effort="7"')
    inertial = '<inertial><mass value="1e-9"/><inertia ixx="1e-9" iyy="1e-9" izz="1e-9" ixy="0" ixz="0" iyz="0"/>'
    text = text.replace('<link name="turn_link"/>', f'<link name="turn_link">{inertial}</inertial></link>')
    Path("gantry.urdf").write_text(text, encoding="utf-8")
    kept = json.loads(run(*go, "--payload", "turn_link=2", "--torque").stdout)
    assert kept["reached"][1]["limit"] == "torque"
    assert kept["duration"] == pytest.approx(2 + 0.5 / 3.5, abs=1e-2)
    over = run(*go[:-1], "--payload", "turn_link=2")
    assert over.exit_code == 1
    assert re.search(r"joint 'x': the torque is (7\.9\d*|8) N at t = 0(\.12)? s, above its limit 7 N; ", over.stdout)


@pytest.mark.slow
def test_poses_in_a_file_begin_at_the_first_or_at_q(run, gantry):
    with open("poses.txt", "w", encoding="utf-8") as file:
        file.write("# x y z\n0.2 0.1 0\n\n0.4 0.1 0 0 0 0 1\n0.4 0.3 0 0 0 0.5\n0.5 0.3 0\n")
    for line in ([], ["--line"]):
        assert run("move", *GO, "--through", "poses.txt", *line, "-o", "a.csv").exit_code == 0
        q = read_motion(gantry, "a.csv").q
        np.testing.assert_allclose(q[[0, -1]], [[0.2, 0.1, 0], [0.5, 0.3, 0.5]], atol=1e-8)
        assert np.abs(q[:, 1] - 0.1)[q[:, 0] < 0.399].max() < 1e-4
        assert run("move", *GO, "--through", "poses.txt", *line, "--q", "x=-0.1", "-o", "b.csv").exit_code == 0
        np.testing.assert_allclose(read_motion(gantry, "b.csv").q[0], [-0.1, 0, 0], atol=1e-9)
        for name in ("a.csv", "b.csv"):
            found = kt.motion.check(read_motion(gantry, name), acceleration=4.0)
            assert {one.severity for one in found} == {"info"}
            Path(name).unlink()


@pytest.mark.slow
def test_where_it_begins_without_q_is_said(run):
    begins = "the motion begins at the neutral configuration; --q says another"
    assert begins in run("move", *GO, "--to", "0.2 0 0").stderr
    for more in (["--q", "x=0.1"], ["--q", "turn=0"]):
        assert begins not in run("move", *GO, "--to", "0.2 0 0", *more).stderr
    with open("poses.txt", "wb") as file:
        file.write(b"\xef\xbb\xbf0.2 0.1 0\n0.4 0.1 0\n")  # a byte order mark
    result = run("move", *GO, "--through", "poses.txt")
    assert result.exit_code == 0
    assert begins not in result.stderr


@pytest.mark.slow
def test_samples_that_leave_the_line_are_a_warning(run):
    """Links of 1 m turn, so that the tip goes along arcs from one sample to the next."""
    parent, text = "base", ""
    for name in "abc":
        joint = JOINT.format(name=name, kind="revolute", parent=parent, axis="0 0 1", velocity=2)
        text += joint if parent == "base" else joint.replace("<parent", "<origin xyz='1 0 0'/><parent")
        parent = f"{name}_link"
    Path("arm.urdf").write_text(f"<robot name='arm'><link name='base'/>{text}</robot>", encoding="utf-8")
    go = ("arm.urdf", "--frame", "c_link", "--acceleration", "4", "--to", "1.4 -0.3 0", "--q", "a=-0.5", "--q", "b=1.5")
    fine, coarse = run("move", *go, "--line"), run("move", *go, "--line", "--period", "0.4")
    assert (fine.exit_code, coarse.exit_code) == (0, 1)
    assert "motion-line" not in fine.stdout
    off = re.search(r"the frame is up to ([\d.]+) mm off the line, if joints move straight there", coarse.stdout)
    assert 1.0 < float(off[1]) < 300.0
    assert run("move", *go, "--period", "0.4").exit_code == 0  # straight in the joints, no line is asked for


@pytest.mark.slow
def test_a_warning_is_exit_status_1(run, gantry):
    text = Path("gantry.urdf").read_text(encoding="utf-8")
    ball = "><collision><geometry><sphere radius='0.05'/></geometry></collision></link>"
    for link in ("base", "turn_link"):
        text = text.replace(f'<link name="{link}"/>', f'<link name="{link}"{ball}')
    Path("gantry.urdf").write_text(text, encoding="utf-8")
    for clearance, status in (("5cm", 0), ("15cm", 1)):
        result = run("move", *GO, "--to", "0.2 0 0", "--q", "x=0.5", "--clearance", clearance)
        assert result.exit_code == status
        assert ("warning: links 'base' and 'turn_link': are 100 mm apart" in result.stdout) is bool(status)


@pytest.mark.slow
def test_what_cannot_be_reached_says_why(run):
    for line in ([], ["--line"]):
        result = run("move", *GO, "--to", "3 0 0", *line, "-o", "motion.csv")
        assert result.exit_code == 1
        assert ("follows the way for 2 of 3 m" if line else "--to: the pose is not reached") in result.stdout
    found = json.loads(run("move", *GO, "--to", "3 0 0", "--json").stdout)
    assert found["duration"] is None
    assert found["findings"][0]["code"] == "path"
    assert not Path("motion.csv").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "expected either --to POSE or --through FILE"),
        (("--to", "1 0"), "'1 0' is no pose; expected 3, 6 or 7"),
        (("--to", "1 0 0", "-o", "motion.txt"), "expected the ending .csv or .mcap"),
        (("--to", "1 0 0", "-o", "a.txt"), "a list of points, such as .txt, is for --controller KEY of one maker"),
        (("--to", "1 0 0", "--velocity", "0"), "'0' is no number above 0"),
        (("--to", "1 0 0", "--velocity", "z=1"), "velocity has a number for 'z'; there are 'x', 'y', 'turn'"),
        (("--to", "1 0 0", "--payload", "turn_link=-1"), "--payload turn_link: '-1' is no mass; expected kg from 0"),
        (("--through", "empty.txt"), "has no poses"),
        (("--through", "bad.txt"), "bad.txt:2: error"),
        (("--to", "1 0 0", "--period", "10m"), "'10m' is no time; expected s, or a number with its unit, such as 10ms"),
        (("--to", "1 0 0", "--period", "ms"), "'ms' is no time; expected s"),
        (("--to", "1 0 0", "--period", "0"), "period is 0.0; expected a finite number of seconds above 0"),
        (
            ("--to", "1 0 0", "--clearance", "1s"),
            "'1s' is no length; expected m, or a number with its unit, such as 5mm",
        ),
        (("--to", "1 0 0", "--q", "5"), "'5' is not of the form JOINT=VALUE"),
        (("--to", "1 0 0", "--payload", "5"), "'5' is not of the form FRAME=KG"),
        (("--to", "1 0 0", "--velocity", "1", "--velocity", "2"), "'1' is not of the form JOINT=NUMBER"),
        (("--to", "1 0 0", "--payload", "turn_link=1", "--torque"), "no link of the robot has a mass"),
    ],
)
def test_wrong_input(run, tmp_path, options, message):
    (tmp_path / "empty.txt").write_text("# none\n", encoding="utf-8")
    (tmp_path / "bad.txt").write_text("0 0 0\n1 x\n", encoding="utf-8")
    result = run("move", *GO, *options)
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_missing_limit_is_named_as_an_option(run):
    result = run("move", *GO[:-2], "--to", "1 0 0")
    assert result.exit_code == 2
    assert "pass --acceleration, such as 5, or --torque" in result.stderr


@pytest.mark.slow
def test_limits_in_degrees(run):
    """With --deg, limits of joints that turn are in degrees, of others in m, by one number, too."""
    deg = ("--deg", "--acceleration=90", "--velocity=45", "--to", "0.1 0 0 0 0 90")
    rad = [
        f"--{what}={one}"
        for what, own in (("acceleration", np.pi / 2), ("velocity", np.pi / 4))
        for one in ("x=90", f"turn={own}")
    ]
    rad += ["--to", f"0.1 0 0 0 0 {np.pi / 2}"]
    for options in (deg, rad):
        found = json.loads(run("move", *GO[:-2], *options, "--json").stdout)
        assert found["duration"] == pytest.approx(2.5, abs=0.011)


def test_limits_of_lengths_stay_in_m_with_degrees(run):
    result = run("move", *GO[:-2], "--deg", "--acceleration=2", "--velocity=2", "--to", "1 0 0 0 0 0", "--json")
    found = json.loads(result.stdout)
    assert found["duration"] == pytest.approx(2 * np.sqrt(0.5), abs=0.011)
    (limit,) = found["reached"]
    assert (limit["limit"], limit["joint"], limit["first"]) == ("acceleration", "x", 0.0)
    assert limit["share"] == pytest.approx(1.0, abs=0.05)
    assert {one["severity"] for one in found["findings"]} <= {"info"}


def test_a_period_with_its_unit(run, gantry):
    assert run("move", *GO, "--to", "1 0 0", "--period", "20ms", "-o", "motion.csv").exit_code == 0
    np.testing.assert_allclose(np.diff(read_motion(gantry, "motion.csv").times), 0.02, rtol=0, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("line", [(), ("--line",)])
def test_poses_where_the_frame_is_already(run, gantry, line):
    Path("poses.txt").write_text("0 0 0\n1 0 0\n1.0000001 0 0\n1 1 0\n5 5 5\n", encoding="utf-8")
    result = run("move", *GO, "--through", "poses.txt", "--q", "x=0", *line)
    assert result.exit_code == 1
    for number in (1, 3):
        assert f"poses.txt:{number}: left out, because the frame is there already" in result.stderr
    assert result.stderr.count("left out") == 2
    if not line:
        assert "poses.txt:5: error: the pose is not reached: the closest configuration is" in result.stdout
    Path("poses.txt").write_text("0 0 0\n1 0 0\n1 0 0\n1 1 0\n", encoding="utf-8")
    assert run("move", *GO, "--through", "poses.txt", *line, "-o", "a.csv").exit_code == 0
    q = read_motion(gantry, "a.csv").q
    np.testing.assert_allclose(q[[0, -1]], [[0, 0, 0], [1, 1, 0]], rtol=0, atol=1e-8)
    result = run("move", *GO, "--to", "0.0000001 0 0", *line)
    assert result.exit_code == 1
    assert "--to: left out" in result.stderr
    assert "error: the frame is at each of the poses already; expected one elsewhere [path]" in result.stdout


@pytest.mark.slow
def test_a_motion_that_begins_in_contact(run):
    text = Path("gantry.urdf").read_text(encoding="utf-8")
    ball = '<collision><origin xyz="{}"/><geometry><sphere radius="0.1"/></geometry></collision></link>'
    text = text.replace('<link name="base"/>', '<link name="base">' + ball.format("0 0 0"))
    text = text.replace('<link name="turn_link"/>', '<link name="turn_link">' + ball.format("0 0 0"))
    Path("gantry.urdf").write_text(text, encoding="utf-8")
    begins = "links 'base' and 'turn_link': are in contact at the start, t = 0 s"
    assert begins in run("move", *GO, "--to", "1 0 0").stdout
    met = run("move", *GO, "--to", "1 0 0", "--q", "x=-1").stdout
    assert "links 'base' and 'turn_link': are in contact at t = " in met


@pytest.mark.slow
def test_a_pose_of_a_pendant_chooses_the_branch(run):
    """Of all solutions, the one that the configuration names; a line from another one cannot have it."""
    Path("arm.urdf").write_text(pendants.urdf(), encoding="utf-8")
    arm = kt.load("arm.urdf")
    start = {"joint_1": 0.3, "joint_2": 0.4, "joint_3": -0.3, "joint_4": 0.5, "joint_5": 0.8}
    place = [f"--q={name}={value}" for name, value in start.items()]
    T = kt.fk(arm, "tool0", "base")(arm.q(start | {"joint_1": 0.6}))
    solutions = kt.ik(arm, "tool0", "base").solutions(T, q0=arm.q(start))
    every = solutions.q[solutions.mask]
    assert len(every) > 2
    names = [kt.controllers.configuration(arm, "kuka", q) for q in every]
    for q, name in zip(every, names, strict=True):
        pose = shown("kuka", T, name)[0]
        go = ("arm.urdf", "--controller", "kuka", "--to", pose, "--acceleration", "3", *place, "--force")
        result = run("move", *go, "-o", "motion.csv")
        assert result.exit_code == 0, result.stdout
        assert re.search("wrote motion.csv: [0-9]+ samples\n", result.stderr)
        last = read_motion(arm, "motion.csv").q[-1]
        assert kt.controllers.configuration(arm, "kuka", last) == name
        assert np.abs(kt.fk(arm, "tool0", "base")(last) - T).max() < 1e-5
        line = run("move", *go, "--line", "-o", "motion.csv")
        if name == names[0]:
            assert line.exit_code == 0, line.stdout
            assert np.abs(read_motion(arm, "motion.csv").q[-1] - q).max() < 1e-4
        else:
            assert line.exit_code == 1
            assert f"the line arrives in the configuration {names[0]!r}, not in {name!r}" in line.stdout


@pytest.mark.slow
def test_the_speed_of_a_tool_is_that_of_its_point(run):
    """A tool of the pendant is no frame of the robot, and has a name of its own for that."""
    Path("arm.urdf").write_text(pendants.urdf(), encoding="utf-8")
    arm, tool = kt.load("arm.urdf"), translation([0.5, 0, 0.3])
    start = {"joint_1": 0.3, "joint_2": 0.4, "joint_3": -0.3, "joint_4": 0.5, "joint_5": 0.8}
    T = kt.fk(arm, "tool0", "base")(arm.q(start | {"joint_1": 0.6}))
    place = [f"--q={name}={value}" for name, value in start.items()]
    go = ("move", "arm.urdf", "--controller", "kuka", "--acceleration", "50", "--speed", "0.25", *place, "--force")
    held = ("--to", shown("kuka", T @ tool)[0], "--tool", "{X 500, Y 0, Z 300, A 0, B 0, C 0}")
    for more, point in ((held, tool[:, 3]), (("--to", shown("kuka", T)[0]), [0, 0, 0, 1])):
        result = run(*go, *more, "-o", "motion.csv")
        assert result.exit_code == 0, result.output
        assert ("speed of active tool:" in result.stdout) == (more is held)
        motion = read_motion(arm, "motion.csv")
        way = np.diff(kt.fk(arm, "tool0")(motion.q) @ point, axis=0)
        assert 0.24 < (np.linalg.norm(way, axis=1) / np.diff(motion.times)).max() < 0.2505


def test_a_pose_between_samples_is_a_warning(run, gantry):
    """A corner that the frame passes between two samples."""
    Path("way.txt").write_text("0 0 0 0 0 0\n0.55 0 0 0 0 0\n0.55 0.5 0 0 0 0\n")
    go = ("move", *GO, "--through", "way.txt", "--line", "--speed", "0.5")
    assert re.search(r"a pose that was given is [\d.]+ mm off the nearest sample", run(*go, "--period", "0.37").stdout)
    assert "a pose that was given" not in run(*go, "--period", "0.002").stdout


@pytest.mark.slow
@pytest.mark.parametrize(("key", "ending"), [("kuka", ".dat"), ("abb", ".mod"), ("ur", ".script"), ("fanuc", ".txt")])
def test_points_as_a_controller_writes_them(run, key, ending):
    """Each sample, with the tool, the user frame and the configuration; read back they are the poses of the CSV."""
    Path("arm.urdf").write_text(pendants.urdf(), encoding="utf-8")
    arm, who = kt.load("arm.urdf"), kt.controllers[key]
    start = {"joint_1": 0.3, "joint_2": 0.4, "joint_3": -0.3, "joint_4": 0.5, "joint_5": 0.8}
    tool, user = ([*xyz, *who.from_pose(np.eye(4))[3:]] for xyz in ((1, 2, 30), (-5, 60, 7)))
    T = kt.fk(arm, "tool0", "base")(arm.q(start | {"joint_1": 0.4}))
    pose = who.from_pose(Active(who.to_pose(tool), who.to_pose(user)).shown(T))
    frames = [f"--{name}={' '.join(map(str, one))}" for name, one in (("tool", tool), ("user-frame", user))]
    if key == "ur":  # in m
        frames = []
        pose, tool, user = who.from_pose(T), None, None
    go = ("move", "arm.urdf", "--controller", key, "--to", " ".join(map(str, pose)), "--line", "--acceleration", "3",
          "--period", "0.05", *frames, *(f"--q={name}={value}" for name, value in start.items()))  # fmt: skip
    for name in (f"points{ending}", "motion.csv"):
        result = run(*go, "-o", name)
        assert result.exit_code == 0
        as_model = ", joints as in the model, not as on the pendant" * (key == "fanuc" and name == "motion.csv")
        assert re.search(f"wrote {name}: [0-9]+ samples{as_model}\n", result.stderr)
    q = read_motion(arm, "motion.csv").q
    wanted = [kt.controllers.pose(arm, key, one, tool=tool, user_frame=user) for one in q]
    lines = [
        line
        for line in Path(f"points{ending}").read_text(encoding="utf-8").splitlines()
        if any(c.isdigit() for c in line)
    ]
    found = [configuration_in(who, parsed(who, line.strip())) for line in lines]
    assert len(found) == len(q) > 5
    for (configuration, one), value, at in zip(found, wanted, q, strict=True):
        np.testing.assert_allclose(who.to_pose(one.values), who.to_pose(value), atol=2e-5)
        if key != "ur":
            assert who.configuration.read(configuration) == who.configuration.read(
                str(kt.controllers.configuration(arm, key, at))
            )
