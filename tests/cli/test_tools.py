"""--tool and --user-frame of every controller, against products of matrices and SciPy's angles."""

import json
import re
import warnings
from itertools import product

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import kinetree as kt
from kinetree.controllers import controllers
from kinetree.controllers.text import parsed, written
from pendants import changed, joint, urdf

MM_DEG = {"degrees": True}
ROTATIONS = {
    "abb": lambda w, x, y, z: Rotation.from_quat([x, y, z, w]),
    "comau": lambda *a: Rotation.from_euler("ZYZ", a, **MM_DEG),
    "denso": lambda *a: Rotation.from_euler("xyz", a, **MM_DEG),
    "epson": lambda *a: Rotation.from_euler("ZYX", a, **MM_DEG),
    "fanuc": lambda *a: Rotation.from_euler("xyz", a, **MM_DEG),
    "kawasaki": lambda *a: Rotation.from_euler("ZYZ", a, **MM_DEG),
    "kuka": lambda *a: Rotation.from_euler("ZYX", a, **MM_DEG),
    "mitsubishi": lambda *a: Rotation.from_euler("xyz", a, **MM_DEG),
    "staubli": lambda *a: Rotation.from_euler("XYZ", a, **MM_DEG),
    "universal_robots": lambda *a: Rotation.from_rotvec(a),
    "yaskawa": lambda *a: Rotation.from_euler("xyz", a, **MM_DEG),
}
"""The rotation of a pose's last numbers, by SciPy."""
Q = np.array([0.3, -0.7, 1.1, 0.4, -0.9, 0.5])
AT = [f"--q=joint_{i + 1}={angle!r}" for i, angle in enumerate(Q.tolist())]
TOOL, USER = ((0.03, -0.02, 0.21), (0.2, -0.3, 0.4)), ((0.6, -0.4, 0.1), (0.1, 0.2, 1.3))
"""xyz, m, and roll, pitch and yaw, rad, of the tool in tool0 and of the user frame in base."""
GIVEN = ("none", "numbers", "name")
every = pytest.mark.parametrize("key", list(controllers))


def matrix(xyz, R):
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R.as_matrix(), xyz
    return T


def of_rpy(xyz, rpy):
    return matrix(xyz, Rotation.from_euler("xyz", rpy))


def by_hand(key, values):
    """T (4, 4) of a controller's numbers."""
    scale = 1.0 if key == "universal_robots" else 1e-3
    return matrix(np.array(values[:3]) * scale, ROTATIONS[key](*values[3:]))


def T_base_tool0(q=Q):
    """As the URDF of `pendants.urdf` has it, by products of matrices."""
    T = np.linalg.inv(of_rpy((0.01, 0.02, 0.45), (0, 0, np.pi / 2)))
    for (xyz, axis), angle in zip(LINKS, q, strict=True):
        T = T @ matrix(xyz, Rotation.from_rotvec(np.array(axis) * angle))
    return T @ of_rpy((0.01, 0, 0), (0, 0, 0)) @ of_rpy((0, 0, 0), (0, np.pi / 2, 0))


LINKS = [
    ((0, 0, 0.2), (0, 0, 1)),
    ((0.15, 0, 0.25), (0, 1, 0)),
    ((0, 0, 0.6), (0, 1, 0)),
    ((0.1, 0, 0.12), (1, 0, 0)),
    ((0.55, 0, 0), (0, 1, 0)),
    ((0.09, 0, 0), (1, 0, 0)),
]


@pytest.fixture(scope="module")
def cell(tmp_path_factory):
    """A file of an arm with a gripper's tip and a table."""
    more = '<link name="gripper_tcp"/><link name="table"/>'
    for parent, child, (xyz, rpy) in (("tool0", "gripper_tcp", TOOL), ("base", "table", USER)):
        more += joint(parent, child, " ".join(map(repr, xyz)), " ".join(map(repr, rpy)))
    path = tmp_path_factory.mktemp("cell") / "cell.urdf"
    path.write_text(urdf(more=more))
    return path


def text_of(key, T):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return written(controllers[key], controllers[key].from_pose(T))


def options(key, tool, user_frame):
    """The options, and T_tool0_tool and T_base_user as the controller's numbers, which are rounded, have them."""
    words, poses = [], []
    for flag, how, name, place in (("--tool", tool, "gripper_tcp", TOOL), ("--user-frame", user_frame, "table", USER)):
        text = text_of(key, of_rpy(*place))
        words += {"none": [], "numbers": [flag, text], "name": [flag, name]}[how]
        read = by_hand(key, parsed(controllers[key], text).values)
        poses.append({"none": np.eye(4), "numbers": read, "name": of_rpy(*place)}[how])
    return words, *poses


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "tool", "user_frame"),
    [
        pytest.param(*case, marks=() if case[0] == "kuka" or case[1:] == ("numbers", "name") else pytest.mark.slow)
        for case in product(controllers, GIVEN, GIVEN)
    ],
)
def test_fk_and_python_show_the_tool_in_the_user_frame(run, cell, key, tool, user_frame):
    words, T_tool, T_user = options(key, tool, user_frame)
    expected = np.linalg.inv(T_user) @ T_base_tool0() @ T_tool
    result = run("fk", cell, "--controller", key, "--json", *AT, *words)
    assert result.exit_code == 0
    (row,) = json.loads(result.stdout)["poses"]
    assert (row["frame"], row["controller"]) == ("tool0", key)
    np.testing.assert_allclose(by_hand(key, row["values"]), expected, rtol=0, atol=1e-12)
    if (tool, user_frame) == ("numbers", "name"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            shown = kt.controllers.pose(kt.load(cell), key, Q, tool=T_tool, user_frame="table")
        np.testing.assert_allclose(by_hand(key, shown), expected, rtol=0, atol=1e-12)


@pytest.mark.slow
@every
def test_fk_there_and_ik_back(run, cell, key):
    words, T_tool, T_user = options(key, "numbers", "name")
    printed = run("fk", cell, "--controller", key, *AT, *words).stdout.strip()
    result = run("ik", cell, "--controller", key, "--pose", printed, "--json", *AT, *words)
    assert result.exit_code == 0
    q = list(json.loads(result.stdout)["q"].values())
    np.testing.assert_allclose(q, Q, rtol=0, atol=1e-3 if key == "mitsubishi" else 2e-5)  # two decimals of mm and deg
    T = np.linalg.inv(T_user) @ T_base_tool0(q) @ T_tool
    asked = by_hand(key, parsed(controllers[key], printed).values)
    np.testing.assert_allclose(T, asked, rtol=0, atol=2e-6)


@pytest.mark.slow
@every
def test_pose_shows_the_tool_in_the_user_frame(run, key):
    words, T_tool, T_user = options(key, "numbers", "numbers")
    given = text_of(key, T_base_tool0())
    data = json.loads(run("pose", given, "--from", key, "--to", "all", "--json", *words).stdout)
    expected = np.linalg.inv(T_user) @ by_hand(key, parsed(controllers[key], given).values) @ T_tool
    np.testing.assert_allclose(data["T"], expected, rtol=0, atol=1e-12)
    for other in controllers:
        np.testing.assert_allclose(by_hand(other, data["poses"][other]["values"]), expected, rtol=0, atol=1e-12)


def table(key, joints, T):
    """POSES.csv, the poses as the pendant writes them."""
    rows = [",".join(map(repr, row.tolist())) + f',"{text_of(key, one)}"' for row, one in zip(joints, T, strict=True)]
    return "\n".join(["J1,J2,J3,J4,J5,J6,pose", *rows])


@pytest.mark.slow
@every
def test_calibrate_knows_the_tool_and_the_user_frame(run, cell, tmp_path, key):
    words, T_tool, T_user = options(key, "numbers", "name")
    q = np.random.default_rng(5).uniform(-1.5, 1.5, (8, 6))
    T = [np.linalg.inv(T_user) @ T_base_tool0(one) @ T_tool for one in q]
    joints = np.linalg.solve(controllers[key].coupling("arm"), np.rad2deg(q).T).T
    (tmp_path / "poses.csv").write_text(table(key, joints, T))
    command = ("calibrate", cell, tmp_path / "poses.csv", "--controller", key)
    result = run(*command, *words)
    assert (result.exit_code, "agree" in result.stdout) == (0, True), result.stdout
    if key == "kuka":
        assert "[base-frame]" in (other := run(*command, *words[:2]).stdout)
        assert "[tool0-frame]" not in other
        assert "was another tool active? [tool0-frame]" in run(*command, *words[2:]).stdout


@pytest.mark.slow
def test_faults_are_found_with_a_tool_in_a_user_frame(cell):
    """And they are those of the controller's own frames: as without a tool, in base and tool0."""
    robot, rng = kt.load(cell), np.random.default_rng(6)
    q = rng.uniform(-1.5, 1.5, (8, 6))
    joints, who, where = np.rad2deg(q), controllers["kuka"], {"tool": of_rpy(*TOOL), "user_frame": "table"}
    same, off = np.eye(4), of_rpy((0, 0, 0.03), (0, 0, 0.5))

    def shown(T_base):
        return who.from_pose([np.linalg.inv(of_rpy(*USER)) @ T_base @ T_base_tool0(one) @ of_rpy(*TOOL) for one in q])

    for poses, given, code in (
        (changed(shown(same), slice(3), 1e-3), joints, "pose-unit"),
        (shown(same)[:, [0, 1, 2, 5, 4, 3]], joints, "rotation-order"),
        (shown(same), changed(joints, 2, -1), "joint-sign"),
        (shown(off), joints, "base-frame"),
    ):
        result = kt.calibrate(robot, "kuka", given, poses, **where)
        assert [fault.code for fault in result.faults] == [code]
    np.testing.assert_allclose(
        result.T_base_link_base, of_rpy((0.01, 0.02, 0.45), (0, 0, np.pi / 2)) @ np.linalg.inv(off), atol=1e-6
    )
    wrong = shown(same)
    wrong[3, 1] += 40
    (fault,) = kt.calibrate(robot, "kuka", joints, wrong, **where).faults
    assert (fault.code, f"Y = {shown(same)[3, 1]:.1f}"[:7] in fault.message) == ("pose-wrong", True), fault
    with pytest.raises(kt.KinetreeError, match="all poses are of one tool in one user frame"):
        kt.calibrate(robot, "kuka", joints, shown(same), tool=np.tile(np.eye(4), (8, 1, 1)))


@pytest.mark.slow
def test_ros_all_and_frames_that_are_named(run, cell):
    T = of_rpy(*TOOL)
    numbers = " ".join(map(repr, [*T[:3, 3].tolist(), *Rotation.from_matrix(T[:3, :3]).as_quat().tolist()]))
    at = ("fk", cell, *AT, "--controller")
    assert run(*at, "ros", "--tool", numbers).stdout == run(*at, "ros", "--tool", "gripper_tcp").stdout
    assert (
        run(*at, "ros", "--tool", "gripper_tcp").stdout == run(*at, "ros", "gripper_tcp").stdout
    )  # a tool's frame is the tool
    assert len(run(*at, "all", "--tool", "gripper_tcp", "--user-frame", "table").stdout.splitlines()) == 12
    two = run(*at, "kuka", "flange", "gripper_tcp", "--tool", "gripper_tcp").stdout.splitlines()
    assert {line.split(maxsplit=1)[1] for line in two} == {run(*at, "kuka", "gripper_tcp").stdout.strip()}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--controller", "kuka", "--tool", "gripper_tpc"), "--tool: 'gripper_tpc' is no pose of KUKA"),
        (
            ("--controller", "kuka", "--tool", "gripper_tpc"),
            "a frame of MODEL is legal, too: did you mean 'gripper_tcp'?",
        ),
        (("--controller", "kuka", "--tool", "1 2 3"), "--tool: 3 numbers, where there are 6"),
        (("--controller", "kuka", "--user-frame", "p[0,0,0,0,0,0]"), "it looks like Universal Robots's"),
        (("--controller", "kuka", "--user-frame", "1 2 3 nan 0 0"), "--user-frame: "),
        (("--controller", "kuka", "--user-frame", ""), "--user-frame: "),
        (("--controller", "kuka", "--user-frame", "gripper_tcp"), "'gripper_tcp' moves as seen from 'base'"),
        (("--controller", "all", "--tool", "0 0 0 0 0 0"), "'0 0 0 0 0 0' has no controller whose numbers they are"),
        (("tool0", "--tool", "gripper_tcp"), "--tool, --user-frame and --robot-model are for --controller KEY"),
        (("tool0", "--user-frame", "table"), "--tool, --user-frame and --robot-model are for --controller KEY"),
        (("--controller", "kuka", "--tool", "base_link"), "--tool: 'base_link' moves as seen from "),
        (("--as", "kuka"), "No such option"),
        (("--vendor", "kuka"), "No such option"),
    ],
)
def test_what_is_no_tool_or_user_frame(run, cell, arguments, said):
    command = ("ik", cell, "--pose", "1 0 1", "--frame") if "tool0" in arguments else ("fk", cell)
    for result in (run("fk", cell, *arguments), run(*command, *arguments)):
        assert (result.exit_code, result.stdout) == (2, "")
        assert said in result.stderr
        if re.fullmatch(r"[\d. ]+", arguments[-1]) and "all" not in arguments:  # numbers are no name of a frame
            assert "a frame of MODEL is legal" not in result.stderr


def test_ik_wants_a_frame(run, cell):
    assert "Missing option '--frame'" in run("ik", cell, "--pose", "1 0 1").stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("--q", "joint_1=30"),
            "joint_1 = 30 rad is 1720 deg, outside its limits, -3 to 3 rad; angles of --q are in rad",
        ),
        (("--q", "joint_1=3.1", "--q", "joint_2=-9"), "outside its limits, -3 to 3 rad (and 1 more); angles of --q"),
        (("--q", "joint_1=30", "--deg"), ""),
        (("--q", "joint_1=-900", "--deg"), "joint_1 = -900 deg, outside its limits, -172 to 172 deg"),
        (("--q", "joint_1=3"), ""),
    ],
)
def test_an_angle_that_may_be_in_degrees_is_noted(run, cell, words, said):
    assert said in run("fk", cell, "tool0", *words, "--controller", "kuka").stderr
    for more in ((), ("--json",)):
        result = run("fk", cell, "tool0", *words, *more)
        assert result.exit_code == 0
        assert result.stderr == (
            f"note: {said}{'' if '--deg' in words else ', with --deg in degrees'}\n"
            if said and "(and" not in said
            else result.stderr
        )
        assert said in result.stderr
        assert bool(result.stderr) == bool(said)
    heading = run("fk", cell, "tool0", *words).stdout.splitlines()[0]
    assert heading == f"tool0 in base_link, angles of --q in {'deg' if '--deg' in words else 'rad'}"
    assert run("fk", cell, "tool0").stdout.splitlines()[0] == "tool0 in base_link"


def test_a_wheel_that_turns_more_than_once_is_noted(run, mixed):
    assert "spin = 7 rad is 401 deg, more than a turn" in run("fk", mixed, "wheel", "--q", "spin=7").stderr
    assert run("fk", mixed, "wheel", "--q", "spin=6", "--q", "lift=0.1").stderr == ""
    for unit in ((), ("--deg",)):  # as of millimetres
        result = run("fk", mixed, "wheel", "--q", "lift=100", *unit)
        assert result.stderr == "note: lift = 100 m, outside its limits, -0.1 to 0.25 m\n"
    assert re.search("drive = 90 rad is .* more than a turn", run("fk", mixed, "cart", "--q", "drive=1,2,90").stderr)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("fk", "CELL", "--controller", "kuka", "--base", "bse"),
            "--base takes a frame of the robot; did you mean 'base'?",
        ),
        (("fk", "BARE", "--controller", "kuka"), "add it, or name another with --base"),
        (("fk", "BARE", "--controller", "kuka", "--base", "link"), "add it, or name another with FRAME"),
        (("ik", "BARE", "--controller", "kuka", "--pose", "1 2 3 4 5 6"), "add it, or name another with --base"),
        (
            ("ik", "BARE", "--controller", "kuka", "--pose", "1 2 3 4 5 6", "--base", "link"),
            "add it, or name another with --frame",
        ),
        (("pose", "1 2 3 4 5 6", "--from", "all", "--to", "kuka"), "'all' is for printing only"),
        (("ik", "CELL", "--controller", "all", "--pose", "1 2 3 4 5 6"), "'all' is for printing only"),
        (("calibrate", "CELL", "p.csv", "--controller", "all"), "'all' is for printing only"),
        (("inspect", "icub", "--format", "dh"), "with --format a model is a file, not a name"),
        (("check", "icub-models:x", "--format", "urdf"), "with --format a model is a file, not a name"),
    ],
)
def test_errors_name_what_is_typed(run, cell, tmp_path, words, said):
    bare = tmp_path / "bare.urdf"
    bare.write_text('<robot name="bare"><link name="link"/></robot>')
    result = run(*({"CELL": cell, "BARE": bare}.get(word, word) for word in words))
    assert (result.exit_code, result.stdout, said in result.stderr) == (2, "", True), result.stderr


@pytest.mark.slow
def test_a_pose_that_may_be_in_mm_is_noted(run, cell):
    note = "note: --pose is beyond 100 m; its lengths are in m\n"
    at = ("ik", cell, "--frame", "tool0")
    for words in (("--pose", "400 0 700"), ("--controller", "ros", "--pose", "400 0 700 0 0 0 1")):
        assert note in run(*at, *words).stderr
    assert note not in run(*at, "--controller", "kuka", "--pose", "400 0 700 0 0 0").stderr
    assert note not in run(*at, "--pose", "0.4 0 0.7").stderr
