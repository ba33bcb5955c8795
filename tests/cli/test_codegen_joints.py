"""`kinetree codegen` with joints that are chosen: every query compiles without a warning, and computes what its kernel
does; names of joints, limits and states; steps of inverse kinematics reach their targets in C."""

import json
import subprocess

import numpy as np
import pytest

import kinetree as kt
from c_compiler import C99, call, compile_with, loaded
from kinetree.algorithms.gauge import gauged
from kinetree.algorithms.goals import Goal
from kinetree.algorithms.stepping import CoupledRows, damped_step
from kinetree.cli._queries import QUERIES, flag
from kinetree.queries.joint_choice import with_moving_joints
from kinetree.queries.query import tree
from kinetree.solvers.ik.problem import reach_of
from kinetree.solvers.ik.stepping import ik_step
from support import example_robot_urdfs

SENSOR = """<sensor name="ft" type="force_torque"><parent joint="{}"/><force_torque><frame>child</frame>
<measure_direction>child_to_parent</measure_direction></force_torque></sensor></robot>"""
UR5 = ("wrist_1_joint", "shoulder_lift_joint", "elbow_joint", "wrist_3_joint")
STAND = {"shoulder_pan_joint": 0.7, "wrist_2_joint": -1.2}


def urdf(name):
    return next(path for path in example_robot_urdfs() if path.name == name)


@pytest.fixture
def ur5(tmp_path):
    """The UR5 with a sensor of force and torque at its wrist."""
    text = urdf("ur5_robot.urdf").read_text()
    path = tmp_path / "ur5.urdf"
    path.write_text(text.replace("</robot>", SENSOR.format("ee_fixed_joint")))
    return path


def subjects(frame):
    return {"": [], "frame": [frame], "sensor": ["ft"], "dt": ["0.01"], "sensors frames": ["ft", frame]}


def every(frame, without=()):
    rows = ((name, row) for name, row in QUERIES.items() if name not in (*without, "guard"))
    return [part for name, row in rows for part in (flag(name), *subjects(frame)[row.of])]


def numbers(kernel, rng):
    """An input for every port; parameters are those of a body, and q is within 1 rad of zero."""
    arrays = {port.name: rng.uniform(-1, 1, port.shape) for port in kernel.inputs}
    arrays |= {"stride": np.full(kernel.inputs[0].shape, 0.25)}
    if "target" in arrays:
        arrays["target"] = np.array([[0, -1, 0, 0.3], [1, 0, 0, 0.2], [0, 0, 1, 0.4], [0, 0, 0, 1.0]])
    return [np.abs(arrays[p.name]) + 1 if p.name == "parameters" else arrays[p.name] for p in kernel.inputs]


def compare(run, robot, model, out, frame, *options, without=(), dtype="float64"):
    """Write all queries, and compare what C computes with the kernels of the chosen robot."""
    flags = ["--float"] if dtype == "float32" else []
    result = run("codegen", model, *every(frame, without), *options, *flags, "-o", out, "--json")
    assert result.exit_code == 0, result.stderr
    for text in (out.read_text(), out.with_suffix(".h").read_text()):
        assert max(map(len, text.splitlines())) < 120
        assert text.isascii()
    library, rng = loaded(out), np.random.default_rng(1)
    functions = {function["query"]: function for function in json.loads(result.stdout)["functions"]}
    assert functions.keys() == QUERIES.keys() - {*without, "guard"}
    for query, function in functions.items():
        row = QUERIES[query]
        subject = [0.01] if row.of == "dt" else subjects(frame)[row.of]
        kernel = row.ask(robot, *subject)
        inputs = numbers(kernel, rng)
        expected = kernel.interpret(*inputs, dtype=dtype)
        expected = np.concatenate([np.ravel(x) for x in expected]) if isinstance(expected, tuple) else expected
        found = call(getattr(library, function["name"]), inputs, np.shape(expected), dtype)
        near = 1e-11 if dtype == "float64" else 2e-4
        np.testing.assert_allclose(
            found, expected, rtol=near, atol=near * max(1, np.abs(expected).max()), err_msg=query
        )


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float64", pytest.param("float32", marks=pytest.mark.slow)])
@pytest.mark.sampled(1)
def test_every_query_of_a_ur5(run, ur5, tmp_path, dtype):
    robot = kt.load(ur5)
    moving = with_moving_joints(robot, UR5, robot.q(STAND))
    options = ("--joints", ",".join(UR5), "--at", json.dumps(STAND))
    compare(run, moving, ur5, tmp_path / "a.c", "ee_link", *options, dtype=dtype)


@pytest.mark.slow
def test_every_query_of_a_ur5_that_stands_where_an_input_says(run, ur5, tmp_path):
    moving = with_moving_joints(kt.load(ur5), UR5, "input")
    options = ("--joints", ",".join(UR5), "--at", "input")
    compare(run, moving, ur5, tmp_path / "a.c", "ee_link", *options, without=("ik",))


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.sampled(1)
def test_every_query_of_an_icub(run, tmp_path, dtype):
    pytest.importorskip("icub_models")
    robot = kt.load("icub", limits="tendons", inertias="iCubGazeboV2_5")
    model = ("icub", "--limits", "tendons", "--inertias", "iCubGazeboV2_5", "--joints", "left_arm")
    without = ("sensor_reading", "external_wrench")
    compare(
        run,
        with_moving_joints(robot, "left_arm"),
        model[0],
        tmp_path / "a.c",
        "l_hand",
        *model[1:],
        without=without,
        dtype=dtype,
    )


ARMS = [("ur5_robot.urdf", "tool0"), ("panda.urdf", "panda_link8")]


def near_targets(robot, frame, n):
    """Starts and poses (n): of reachable configurations, each up to 0.3 rad or m a joint from its start."""
    rng = np.random.default_rng(0)
    goals = robot.limits.sample(n, 1)
    return robot.limits.project(goals + rng.uniform(-0.3, 0.3, goals.shape)), kt.fk(robot, frame)(goals)


@pytest.mark.parametrize(("name", "frame"), ARMS)
@pytest.mark.slow
def test_steps_in_c_reach_their_targets_inside_the_limits(run, tmp_path, name, frame):
    """C gives the numbers of NumPy at every step of every search, which ends at the target."""
    robot, out = kt.load(urdf(name)), tmp_path / "arm.c"
    written = run("codegen", urdf(name), "--ik", frame, "-o", out, "--json")
    assert written.exit_code == 0, written.stderr
    step, kernel = getattr(loaded(out), json.loads(written.stdout)["functions"][0]["name"]), ik_step(robot, frame)
    q, T = near_targets(robot, frame, 150)
    stride, nq, uphill = np.full(robot.nq, 0.5), robot.nq, np.zeros(len(q))
    for _ in range(30):
        found = np.array([call(step, [*x, stride], (nq + 4,)) for x in zip(q, uphill, T, strict=True)])
        expected = kernel.interpret(q, uphill, T, stride)
        np.testing.assert_allclose(found[:, :nq], expected.q_next, rtol=0, atol=1e-12)
        np.testing.assert_array_equal(found[:, [nq, -1]].T, [expected.uphill_next, expected.state])
        assert (np.abs(found[:, :nq] - q) <= 0.5 + 1e-15).all()
        q, uphill = found[:, :nq], found[:, nq]
        assert robot.limits.contains(q).all()
    assert np.mean(found[:, -1] == 1) >= 0.99
    reached = found[:, -1] == 1
    np.testing.assert_allclose(kt.fk(robot, frame)(q[reached]), T[reached], rtol=0, atol=2e-6)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "frame"), ARMS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.sampled(2)
def test_of_many_targets_99_percent_are_reached(name, frame, dtype):
    robot = kt.load(urdf(name))
    (q, T), kernel, uphill = near_targets(robot, frame, 10_000), ik_step(robot, frame), 0.0
    for _ in range(60):
        q, uphill, _, state = kernel(q, uphill, T, np.ones(robot.nq), dtype=dtype)
        assert (robot.limits.margin(q) >= -(0.0 if dtype == np.float64 else 4e-7)).all()
    assert np.mean(state == 1) >= 0.99


@pytest.mark.slow
def test_the_step_is_the_algorithm_in_plain_numpy():
    robot = kt.load("icub", limits="tendons")
    kernel = ik_step(robot, "l_hand", joints="left_arm")
    moving = with_moving_joints(robot, "left_arm")
    goal = Goal("pose", "l_hand", moving.root)
    problem, inside = reach_of(moving, moving.limits, [goal], (1e-6, 1e-6), 1)
    rows = CoupledRows(inside.bounds, inside.rows / inside.lengths[:, None])
    assert len(problem.G) == 3
    model, rng = gauged(tree(moving), [goal.base, goal.frame]), np.random.default_rng(3)
    for q, goal in zip(moving.limits.sample(5, 2), moving.limits.sample(5, 3), strict=True):
        T, stride, uphill = kt.fk(moving, "l_hand")(goal), rng.uniform(0.01, 0.5, moving.nq), 0.0
        for _ in range(5):
            found, expected = kernel(q, uphill, T, stride), damped_step(model, problem, rows, q, uphill, T, stride)
            for one, other in zip(found, expected, strict=True):
                np.testing.assert_allclose(one, other, rtol=0, atol=1e-9)
            assert moving.limits.contains(found.q_next)
            q, uphill = found.q_next, found.uphill_next


@pytest.mark.slow
def test_rows_about_joints_that_do_not_move_hold():
    """Tendons couple two joints of the shoulder, which move its frame, with a third, which does not."""
    robot = kt.load("icub", limits="tendons")
    kernel, near = ik_step(robot, "l_shoulder_2"), np.random.default_rng(5).uniform(-1, 1, (500, robot.nq))
    q = robot.limits.project(near)
    box = np.random.default_rng(6).uniform(robot.limits.lower, robot.limits.upper, q.shape)
    T, uphill = kt.fk(robot, "l_shoulder_2")(box), 0.0
    for _ in range(20):
        q, uphill, *_ = kernel(q, uphill, T, np.full(robot.nq, 0.3))
        assert robot.limits.contains(q).all()
    at_rows = np.abs(robot.limits.margin(q)[:, 2 * robot.nq :]).min(axis=1) < 1e-9
    assert at_rows.sum() > 5


def test_a_step_from_outside_and_steps_that_are_refused():
    robot = kt.load(urdf("ur5_robot.urdf"))
    kernel, q = ik_step(robot, "tool0"), np.array([0.1, -1, 1, 0.2, 0.3, 0.4])
    T = kt.fk(robot, "tool0")(q)
    found = kernel(q, 3.0, T, np.ones(6))
    assert (found.state, found.uphill_next, found.error.max() < 1e-12) == (1, 0, True)
    np.testing.assert_array_equal(found.q_next, q)
    found = kernel(q, 0.0, np.full((4, 4), np.nan), np.ones(6))
    assert found.state == 2
    np.testing.assert_array_equal(found.q_next, q)
    back = kernel(q + np.eye(6)[2] * 5, 0.0, T, np.full(6, 0.1)).q_next
    assert back[2] == pytest.approx(q[2] + 5 - 0.1)
    with pytest.raises(kt.KinetreeError, match="not 'input'"):
        ik_step(robot, "tool0", joints=["elbow_joint"], at="input")
    with pytest.raises(kt.KinetreeError, match="goal is 'there'"):
        ik_step(robot, "tool0", goal="there")


def test_joints_come_to_rest_before_a_target_out_of_reach():
    robot = kt.load(urdf("ur5_robot.urdf"))
    q, T = near_targets(robot, "tool0", 200)
    T[:, :3, 3] *= 3 / np.linalg.norm(T[:, :3, 3], axis=1)[:, None]
    kernel, uphill = ik_step(robot, "tool0"), 0.0
    for _ in range(300):
        before = q
        q, uphill, error, state = kernel(q, uphill, T, np.ones(6))
    assert (state == 2).mean() > 0.9
    assert np.abs(q - before).max() < 0.01
    assert (error[:, 0] > 1.5).all()


HOSTILE = """<robot name="r"><link name="0"/><link name="1"/><link name="2"/>
<link name="3"/><link name="4"/><link name="5"/>
<joint name="1-a/b" type="revolute"><parent link="0"/><child link="1"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="2" effort="1" velocity="1"/></joint>
<joint name="1_a b" type="continuous"><parent link="1"/><child link="2"/><axis xyz="0 0 1"/></joint>
<joint name="int" type="continuous"><parent link="2"/><child link="3"/><axis xyz="0 1 0"/></joint>
<joint name="size" type="continuous"><parent link="3"/><child link="4"/><axis xyz="0 1 0"/></joint>
<joint name="é手*/" type="prismatic"><parent link="4"/><child link="5"/><axis xyz="0 1 0"/>
<limit lower="-0.1" upper="0.1" effort="1" velocity="1"/></joint></robot>"""

PROGRAM = r"""#include "a.h"
#include "b.h"
#include <stdio.h>
int main(void)
{
    double q[R_FK_5_Q_SIZE] = {0.0}, T[R_FK_5_T_SIZE], m[PREFIX_RESULTS_SIZE];

    q[R_FK_5_Q_1_A_B] = R_FK_5_Q_1_A_B_UPPER;
    q[R_FK_5_Q_1_A_B_2] = 0.5;
    r_fk_5(q, T);
    q[R_FK_5_Q_E_U624B] = 0.25;
    prefix(q, m);
    printf("%d %d %d %d %g\n", R_FK_5_Q_INT, R_FK_5_Q_SIZE, R_FK_5_Q_SIZE_2, (int)m[PREFIX_NEAREST],
        m[PREFIX_MARGIN_E_U624B_UPPER]);
    return 0;
}
"""


@pytest.mark.slow
def test_names_of_any_joint_become_identifiers(run, tmp_path):
    """Signs, digits, keywords, other scripts and names that clash; two headers in one program."""
    path = tmp_path / "r.urdf"
    path.write_text(HOSTILE, encoding="utf-8")
    assert run("codegen", path, "--fk", "5", "-o", tmp_path / "a.c").exit_code == 0
    result = run("codegen", path, "--margin", "--name", "r_margin=prefix", "-o", tmp_path / "b.c")
    assert result.exit_code == 0
    (tmp_path / "main.c").write_text(PROGRAM)
    program = tmp_path / "main"
    compile_with("cc", *C99, *(tmp_path / f"{name}.c" for name in ("main", "a", "b")), "-o", program, "-lm")
    printed = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout
    assert printed == "2 5 3 3 -0.15\n"


@pytest.mark.slow
def test_long_names_are_cut(run, tmp_path):
    path, out = tmp_path / "r.urdf", tmp_path / "a.c"
    path.write_text(HOSTILE.replace('"5"', f'"{"tip" * 50}"').replace("1-a/b", "j" * 130), encoding="utf-8")
    written = run("codegen", path, "--fk", "tip" * 50, "--fk", "4", "--jacobian", "tip" * 50, "-o", out)
    assert written.exit_code == 0, written.stderr
    text = out.read_text() + out.with_suffix(".h").read_text()
    assert max(map(len, text.splitlines())) < 120
    assert "void r_fk_tiptip" in text
    loaded(out)


def test_where_joints_stand(run, tmp_path):
    """As JSON, as numbers, neutral, by default inside the limits, or an input; also in degrees."""
    model = urdf("ur5_robot.urdf")
    robot = kt.load(model)
    q = robot.q(STAND)
    moving = ("--joints", "elbow_joint,wrist_1_joint")
    texts = [json.dumps(STAND), " ".join(map(str, q)), json.dumps(q.tolist())]
    answers = [json.loads(run("fk", model, "tool0", *moving, "--at", text, "--json").stdout) for text in texts]
    degrees = {name: float(np.degrees(value)) for name, value in STAND.items()}
    answers.append(
        json.loads(run("fk", model, "tool0", *moving, "--at", json.dumps(degrees), "--deg", "--json").stdout)
    )
    for answer in answers:
        assert list(answer["q"]) == ["elbow_joint", "wrist_1_joint"]
        np.testing.assert_allclose(answer["poses"][0]["T"], kt.fk(robot, "tool0")(q), rtol=0, atol=1e-12)
    out = tmp_path / "a.c"
    run("codegen", model, "--fk", "tool0", *moving, "--at", "neutral", "-o", out)
    assert "wrist_1_joint. All others stand at neutral.\n" in out.read_text()
    run("codegen", model, "--fk", "tool0", *moving, "--at", "input", "-o", out, "--force")
    assert (
        "void ur5_fk_tool0(const double q[2], const double at[6], double T[16]);" in out.with_suffix(".h").read_text()
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("fk", "tool0", "--at", "neutral"), "--at means nothing without --joints"),
        (("fk", "tool0", "--joints", "elbow"), "no joint 'elbow'"),
        (("fk", "tool0", "--joints", "elbow_joint,elbow_joint"), "twice"),
        (("fk", "tool0", "--joints", "elbow_joint", "--at", "input"), "input is for kinetree codegen"),
        (
            ("fk", "tool0", "--joints", "elbow_joint", "--at", "1 2"),
            "is not where joints stand; expected neutral, input",
        ),
        (("fk", "tool0", "--joints", "elbow_joint", "--at", "true"), "is not where joints stand"),
        (("fk", "tool0", "--joints", "elbow_joint", "--at", '{"elbow": 1}'), "no joint 'elbow'"),
        (("fk", "tool0", "--joints", "elbow_joint", "--at", '{"elbow_joint": "x"}'), "elbow_joint"),
        (("codegen", "--ik", "tool0", "--joints", "elbow_joint", "--at", "input", "-o", "a.c"), "not 'input'"),
        (("codegen", "--guard", "elbow_joint", "--joints", "elbow_joint", "--at", "input", "-o", "a.c"), "not 'input'"),
        (("codegen", "--margin", "--tolerance", "1", "1", "-o", "a.c"), "--tolerance means nothing without --ik FRAME"),
        (("codegen", "--ik", "tool0", "--tolerance", "0", "1", "-o", "a.c"), "tolerance is (0.0, 1.0)"),
    ],
)
def test_errors(run, monkeypatch, tmp_path, arguments, said):
    monkeypatch.chdir(tmp_path)
    command, *rest = arguments
    result = run(command, urdf("ur5_robot.urdf"), *rest)
    assert result.exit_code == 2
    assert said in result.stderr


@pytest.mark.slow
def test_other_commands_choose_joints(run):
    model = urdf("ur5_robot.urdf")
    robot = kt.load(model)
    moving = ("--joints", ",".join(UR5), "--at", json.dumps(STAND))
    named = kt.load(model).q(STAND)
    q = robot.limits.project(named + 0.1 * np.isin(robot.joint_names, UR5))
    x, y, z = kt.fk(robot, "tool0")(q)[:3, 3]
    found = json.loads(run("ik", model, "--frame", "tool0", "--pose", f"{x} {y} {z}", *moving, "--json").stdout)
    assert found["success"]
    assert list(found["q"]) == list(UR5)
    forces = json.loads(run("dynamics", model, *moving, "--json").stdout)
    assert forces["velocity_names"] == list(UR5)
    expected = dict(zip(robot.joint_names, kt.gravity_torques(robot)(named), strict=True))
    assert forces["gravity_torques"] == pytest.approx({name: expected[name] for name in UR5})
    shown = run("limits", "icub", "--limits", "tendons", "--joints", "left_arm", "--json")
    assert shown.exit_code == 0
    assert {c for block in json.loads(shown.stdout)["blocks"] for c in block["joints"]} <= {
        *kt.load("icub").groups["left_arm"]
    }
