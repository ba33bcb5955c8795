"""Inverse kinematics near its start: no result is farther away, and what is there is found."""

from functools import partial

import numpy as np
import pytest
from scipy.optimize import lsq_linear, minimize
from scipy.spatial.transform import Rotation

import kinetree as kt
from kinetree.algorithms.near import opened
from soft_goals import parts
from support import example_robot_urdfs, shared

PLANAR = "Rz(q1) tx(0.4) Rz(q2) tx(0.3) Rz(q3) tx(0.2)"


@pytest.fixture(scope="module")
def arm() -> kt.Robot:
    return kt.chain(PLANAR)


@pytest.fixture(scope="module")
def ik(arm):
    return kt.ik(arm, "tip", goal="position")


@pytest.mark.slow
def test_what_is_near_is_found_and_nothing_beyond(arm, ik):
    rng = np.random.default_rng(0)
    q0 = rng.uniform(-3, 3, (300, 3))
    p = kt.fk(arm, "tip").interpret(q0 + rng.uniform(-0.1, 0.1, (300, 3)))[:, :3, 3]
    plain, result = ik(p, q0=q0), ik(p, q0=q0, near=0.11)
    assert result.success.all()
    assert np.abs(result.q - q0).max() <= 0.11 < np.abs(plain.q - q0).max()
    assert np.abs(kt.fk(arm, "tip").interpret(result.q)[:, :3, 3] - p).max() < 2e-6
    for i in range(5):
        alone = ik(p[i], q0=q0[i], near=0.11)
        np.testing.assert_allclose(alone.q, result.q[i], atol=1e-12)
        np.testing.assert_allclose(ik([*p[i]], q0=[*q0[i]], near=0.11).q, alone.q, atol=1e-12)  # lists are converted


@pytest.mark.slow
def test_out_of_reach_it_is_as_close_as_the_ranges_allow(arm, ik):
    q0 = np.random.default_rng(1).uniform(-2, 2, (20, 3))
    p = kt.fk(arm, "tip").interpret(q0)[:, :3, 3] + [0.3, 0.1, 0.0]
    result = ik(p, q0=q0, near=0.1)
    assert not result.success.any()
    assert np.abs(result.q - q0).max() <= 0.1
    for start, q, goal, residual in zip(q0, result.q, p, result.residual, strict=True):
        np.testing.assert_allclose(residual[0], np.linalg.norm(goal - kt.fk(arm, "tip").interpret(q)[:3, 3]))
        J = kt.jacobian(arm, "tip").interpret(q)[:3]
        error = goal - kt.fk(arm, "tip").interpret(q)[:3, 3]
        step = lsq_linear(J, error, (start - 0.1 - q - 1e-12, start + 0.1 - q + 1e-12)).x
        assert np.linalg.norm(error) - np.linalg.norm(error - J @ step) < 1e-6  # no step in the ranges leads nearer


@pytest.mark.slow
def test_limits_and_the_way_around_q0_both_count(arm, ik):
    limited = kt.chain([{"a": 0.4, "limits": (-0.5, 0.5)}, {"a": 0.3}], convention="dh")
    solve, q0 = kt.ik(limited, "tip", goal="position"), np.array([0.45, 0.2])
    p = kt.fk(limited, "tip").interpret(np.array([0.6, 0.2]))[:3, 3]
    result = solve(p, q0=q0, near=0.3)
    assert not result.success
    assert limited.limits.contains(result.q)
    assert np.abs(result.q - q0).max() <= 0.3
    # a start outside of the limits counts as it is: what is inside may be too far away
    for by, good in ((0.1, True), (0.4, False)):
        inside = kt.fk(limited, "tip").interpret(np.array([0.5, 0.2]))[:3, 3]
        for start in (np.array([0.5 + by, 0.2]), np.array([[0.5 + by, 0.2]])):
            found = solve(inside, q0=start, near=0.3)
            assert np.all(found.success == good)
            assert limited.limits.contains(found.q).all()
            assert np.shape(found.success) == start.shape[:-1]


def test_starts_are_in_the_ranges_near_a_start():
    """In the range around q0 if it is the smaller one, else in the window of the usual starts inside it."""
    limited = kt.chain([{"a": 0.4, "limits": (-0.5, 0.5)}, {"a": 0.3}, {"a": 0.2}], convention="dh")
    made = kt.ik(limited, "tip", goal="position")._near
    problem, h = opened(made.problem, np.array([0.4, 7.0, 8.0, 0.3, 0.1, np.inf]))
    assert not h.size
    np.testing.assert_allclose(problem.lower, [0.1, 6.9, -np.inf])
    np.testing.assert_allclose(problem.upper, [0.5, 7.1, np.inf])
    np.testing.assert_allclose(problem.first, [0.1, 6.9, -np.pi])
    np.testing.assert_allclose(problem.last, [0.5, 7.1, np.pi])
    far, _ = opened(made.problem, np.array([0.4, 7.0, 8.0, 0.3, 4.0, 20.0]))
    np.testing.assert_allclose([far.first[1], far.last[1]], [3.0, np.pi])  # the window is from -pi to pi


def test_near_by_joint(ik):
    q0 = np.array([0.3, 0.5, 0.4])
    p = np.array([0.2, 0.6, 0.0])
    result = ik(p, q0=q0, near={"q1": 0.05, "q3": 0.2})
    away = np.abs(result.q - q0)
    assert result.success
    assert away[0] <= 0.05
    assert away[2] <= 0.2 < away[1]


@pytest.mark.parametrize(
    ("near", "said"),
    [
        (0.0, "near is 0.0; expected a finite number above 0"),
        (np.inf, "near is inf"),
        (True, "near is True"),
        ("far", "near is 'far'"),
        ([0.1, 0.2, 0.3], r"near is \[0.1"),
        ({"elbow": 0.1}, "'elbow', which is no joint of q; expected names such as q1, q2, q3"),
        ({"q1": -1.0}, r"near is \{'q1': -1.0\}"),
        ({}, r"near is \{\}"),
    ],
)
def test_what_near_may_be(ik, near, said):
    with pytest.raises(kt.KinetreeError, match=said):
        ik([0.5, 0.0, 0.0], q0=[0.1, 0.2, 0.3], near=near)


def test_near_what(ik):
    with pytest.raises(kt.KinetreeError, match="q0, which is missing"):
        ik([0.5, 0.0, 0.0], near=0.1)


def loose() -> kt.Robot:
    """A floating base with a ball joint and a slide."""
    return kt.load(
        """<mujoco><worldbody><body name="base"><freejoint name="free"/><geom size="0.1"/>
        <body name="arm" pos="0.1 0.2 0.3"><joint name="ball" type="ball"/><geom size="0.1"/>
        <body name="hand" pos="0.3 0 0"><joint name="slide" type="slide" axis="0 0 1" range="-1 1"/><geom size="0.1"/>
        </body></body></body></worldbody></mujoco>""",
        format="mjcf",
    )


def distances(robot: kt.Robot, q: np.ndarray, q0: np.ndarray) -> dict[str, np.ndarray]:
    """How far q is from q0, by SciPy: m and rad of joints with quaternions, the largest change of the others."""
    found, flat = {}, np.ones(robot.nq, bool)
    for name, where in robot.q_slices.items():
        kind = robot.joints[name].kind
        if kind.quaternion:
            flat[where], own, start = False, q[..., where], q0[..., where]
            turn = Rotation.from_quat(start[..., kind.quaternion]).inv() * Rotation.from_quat(own[..., kind.quaternion])
            found[f"{name} turns"] = turn.magnitude()
            found[f"{name} moves"] = np.linalg.norm((own - start)[..., : kind.quaternion.start], axis=-1)
    return found | {"others": np.abs(q - q0)[..., flat].max(axis=-1)}


@pytest.mark.slow
@pytest.mark.parametrize("near", [0.06, 0.3])
def test_balls_and_floating_bases_move_and_turn_by_it_at_most(near):
    robot, rng = loose(), np.random.default_rng(3)
    q0 = robot.limits.project(kt.dynamics.integrate(robot)(robot.q(), rng.uniform(-0.9, 0.9, (500, robot.nv))))
    v = rng.normal(size=(500, robot.nv))
    v *= rng.uniform(0, 0.05, 500)[:, None] / np.linalg.norm(v, axis=1, keepdims=True)
    T = kt.fk(robot, ["base", "hand"])(kt.dynamics.integrate(robot)(q0, v))
    solve = kt.ik(robot, ["base", "hand"])
    result = solve(T, q0=q0, near=near)
    assert result.success.mean() > 0.999
    T[:, 1, :3, 3] += [1.0, 0.5, 0.0]
    for found in (result, solve(T, q0=q0, near=near)):
        assert max(away.max() for away in distances(robot, found.q, q0).values()) <= near * (1 + 1e-9)
    one = solve(T, q0=q0, near={"free": 0.01})
    away = distances(robot, one.q, q0)
    assert max(away["free turns"].max(), away["free moves"].max()) <= 0.01 * (1 + 1e-9) < away["ball turns"].max()


def _example(stem: str) -> kt.Robot:
    return kt.load(next(path for path in example_robot_urdfs() if path.stem == stem))


def _gen3() -> kt.Robot:
    return kt.load(shared("corpus", "Kinovarobotics+ros2_kortex", "kortex_description", "robots", "gen3_2f85.urdf"))


ARMS = {
    "panda": (lambda: _example("panda"), "panda_link8", None),
    "ur5": (lambda: _example("ur5_robot"), "tool0", None),
    "talos": (lambda: _example("talos_reduced"), "arm_left_7_link", "torso_2_link"),
    "icub": (lambda: kt.load("icub"), "l_hand", "chest"),
    "gen3": (_gen3, "gen3_end_effector_link", None),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ARMS)
def test_twenty_thousand_calls_near_a_solution(name):
    load, frame, base = ARMS[name]
    robot = load()
    limits, rng, n = robot.limits, np.random.default_rng(1), 20_000
    ends = np.maximum(limits.lower, -np.pi), np.minimum(limits.upper, np.pi)
    q = limits.sample(n, seed=1) if len(limits.G) else rng.uniform(*ends, (n, robot.nq))
    solve, moved = kt.ik(robot, frame, base), q.copy()
    columns = [robot.coordinate_names.index(name) for name in solve.coordinate_names]
    moved[:, columns] += rng.uniform(-0.02, 0.02, (n, len(columns)))
    q0 = limits.project(moved)
    T = kt.fk(robot, frame, base)(q)
    for near in (0.021, 0.3):
        result = solve(T, q0=q0, near=near)
        assert result.success.mean() >= 0.999
        assert np.abs(result.q - q0).max() <= near
        assert limits.contains(result.q).all()
        assert np.abs(kt.fk(robot, frame, base).interpret(result.q) - T)[result.success].max() < 3e-6


@pytest.mark.slow
@pytest.mark.parametrize("near", [0.05, 0.3])
@pytest.mark.sampled(1)
def test_soft_goals_reach_the_least_cost_near_a_start(near):
    robot = kt.chain("Rz(a) Ry(b) tx(0.4) Ry(c) tx(0.3) Rx(d) Ry(e) tx(0.2) Rz(f) tx(0.1)")
    goals = [kt.goal.heading("tip"), kt.goal.position("tip", weight=2.0), kt.goal.posture(weight=0.1)]
    rng, solve = np.random.default_rng(0), kt.ik(robot, goals)
    q0 = rng.uniform(-1.2, 1.2, (20, 6))
    T = kt.fk(robot, "tip").interpret(q0)
    yaw, p = np.arctan2(T[:, 1, 0], T[:, 0, 0]), T[:, :3, 3] + rng.uniform(-0.2, 0.2, (20, 3))
    result = solve(yaw, p, q0=q0, near=near)
    assert result.success.all()
    assert np.abs(result.q - q0).max() <= near
    best = []
    for i, start in enumerate(q0):
        of = partial(parts, robot, goals, [yaw[i], p[i]])
        hard, ranges = {"type": "eq", "fun": lambda q, of=of: of(q)[1]}, [(x - near, x + near) for x in start]
        found = minimize(lambda q, of=of: (of(q)[0] ** 2).sum(), start, bounds=ranges, constraints=hard, method="SLSQP")
        best.append(found.fun if found.success else np.inf)
    assert np.isfinite(best).mean() > 0.8
    assert np.mean(result.cost <= 1.001 * np.array(best)) >= 0.95


@pytest.mark.slow
@pytest.mark.nightly
def test_soft_goals_near_a_start():
    robot = kt.load("icub", floating=True)
    q0 = robot.q({"l_elbow": 60, "r_elbow": 60, "l_knee": -50, "r_knee": -50}, unit="deg")
    goals = [
        kt.goal.pose("l_foot"),
        kt.goal.pose("r_foot"),
        kt.goal.position("l_hand", weight=3.0),
        kt.goal.posture(q0, weight=0.03),
    ]
    feet = kt.fk(robot, ["l_foot", "r_foot"])(q0)
    hands = kt.fk(robot, "l_hand")(q0)[:3, 3] + np.random.default_rng(0).uniform(-0.2, 0.2, (50, 3))
    solve = kt.ik(robot, goals)
    plain, result = solve(*feet, hands, q0=q0), solve(*feet, hands, q0=q0, near=0.2)
    assert result.success.mean() > 0.95
    assert max(away.max() for away in distances(robot, result.q, q0).values()) <= 0.2 * (1 + 1e-9)
    assert max(away.max() for away in distances(robot, plain.q, q0).values()) > 0.25
    costs = [(parts(robot, goals, [*feet, hands], q)[0] ** 2).sum(axis=-1) for q in (q0 + 0 * result.q, result.q)]
    np.testing.assert_allclose(result.cost, costs[1], rtol=1e-6)
    assert np.mean(costs[1] < 0.9 * costs[0]) >= 0.95
    wide = solve(*feet, hands, q0=q0, near=3.0)
    np.testing.assert_allclose(wide.cost, plain.cost, rtol=1e-3)


@pytest.mark.slow
@pytest.mark.nightly
def test_clearance_near_a_start():
    robot = kt.load("icub")
    q = robot.limits.sample(400, seed=2)
    clear = kt.collisions(robot, margin=0.005)
    q = q[~clear(q)][:100]
    T = kt.fk(robot, "l_hand")(q)
    q0 = robot.limits.project(q + np.random.default_rng(0).uniform(-0.05, 0.05, q.shape))
    result = kt.ik(robot, "l_hand", clearance=0.005)(T, q0=q0, near=0.3)
    assert result.success.mean() > 0.9
    assert np.abs(result.q - q0).max() <= 0.3
    moved = kt.ik(robot, "l_hand", clearance=0.005).contact
    assert not moved(result.q[result.success]).any()


def test_a_start_by_name(ik):
    q = np.array([0.1, 0.2, 0.3])
    found = ik([0.5, 0.0, 0.0], q0={"q3": 0.3, "q1": 0.1, "q2": 0.2}, near=0.5)
    np.testing.assert_array_equal(found.q, ik([0.5, 0.0, 0.0], q0=q, near=0.5).q)
    with pytest.raises(kt.KinetreeError, match="q0 is not finite; expected finite numbers"):
        ik([0.5, 0.0, 0.0], q0=[q, np.nan * q], near=0.5)


def test_a_posture_is_preferred_as_far_as_near_allows(arm, ik):
    """Against SLSQP; whole turns stay with q0, not with the posture."""
    q0 = np.random.default_rng(2).uniform(-2, 2, (6, 3))
    fk, posture = kt.fk(arm, "tip"), np.array([0.5, -0.5, 9.0])
    p = fk.interpret(q0)[:, :3, 3]
    result = ik(p, q0=q0, near=0.2, prefer=posture)
    assert result.success.all()
    assert np.abs(result.q - q0).max() <= 0.2
    assert (np.abs(result.q - q0).max(axis=1) > 0.19).sum() >= 4
    np.testing.assert_array_equal(ik(p[0], q0=q0[0], near=0.2, prefer=posture).q, result.q[0])
    for start, q, target in zip(q0, result.q, p, strict=True):
        best = minimize(
            lambda x: np.sum((x - posture) ** 2),
            start,
            bounds=list(zip(start - 0.2, start + 0.2, strict=True)),
            constraints={"type": "eq", "fun": lambda x, target=target: (fk.interpret(x)[:3, 3] - target)[:2]},
            options={"ftol": 1e-14},
        )
        assert np.sum((q - posture) ** 2) <= best.fun + 1e-4
