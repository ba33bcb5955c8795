"""Derivatives of inverse kinematics by targets, postures and weights."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import kinetree as kt
from kinetree.model.limits import LinearLimits
from random_arms import on, random_arm
from soft_goals import parts
from solvers.test_soft_goals import slides
from support import example_robot_urdfs

STEP = 1e-4


def close(found, expected, within: float = 1e-9) -> None:
    np.testing.assert_allclose(found, np.array(expected), rtol=0, atol=within)


@pytest.mark.slow
def test_two_soft_goals_by_hand():
    """x = w² p / (w² + v²) + v² r / (w² + v²) of a target p and a posture r with weights w and v."""
    robot = slides((-5, 5))
    for w, v in ((2.0, 1.0), (300.0, 0.3)):
        solve = kt.ik(robot, [kt.goal.position("tip", weight=w), kt.goal.posture([0.5], weight=v)])
        by = solve.derivatives(solve([1.0, 0.0, 0.0]), [1.0, 0.0, 0.0])
        total = w * w + v * v
        assert [*by] == ["tip", "posture", "weight of tip", "weight of posture"]
        close(by["tip"], [[w * w / total, 0, 0]])
        close(by["posture"], [[v * v / total]])
        close(by["weight of tip"], [2 * w * v * v * (1.0 - 0.5) / total**2])
        close(by["weight of posture"], [-2 * v * w * w * (1.0 - 0.5) / total**2])


@pytest.mark.slow
def test_a_small_weight_counts_beside_a_large_one():
    """Along motions that the heavy goal leaves open the light one decides."""
    solve = kt.ik(slides((-5, 5), (-5, 5)), [kt.goal.position("tip", weight=300.0), kt.goal.posture(weight=0.1)])
    by = solve.derivatives(solve([1.0, 0.0, 0.0]), [1.0, 0.0, 0.0])
    close(by["posture"], [[0.5, -0.5], [-0.5, 0.5]], 1e-6)
    close(by["tip"][:, 0], [0.5, 0.5], 1e-6)


@pytest.mark.slow
def test_a_hard_goal_leaves_the_posture_the_rest():
    """q1 + q2 = p, and the posture shares it out; where the goal is missed there is no derivative."""
    solve = kt.ik(slides((-5, 5), (-5, 5)), [kt.goal.position("tip"), kt.goal.posture([0.0, 0.2], weight=0.01)])
    targets = np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 0.3], [np.nan, 0.0, 0.0], [2.0, 0.0, 0.0]])
    by = solve.derivatives(solve(targets), targets)
    close(by["tip"][[0, 3], :, 0], [[0.5, 0.5]] * 2, 1e-7)
    close(by["posture"][0], [[0.5, -0.5], [-0.5, 0.5]])
    close(by["weight of posture"][0], [0.0, 0.0])
    assert all(np.isnan(x[1:3]).all() and np.isfinite(x[[0, 3]]).all() for x in by.values())


@pytest.mark.slow
def test_joints_at_limits_stay_only_if_goals_push_them():
    """At the end of a range, at a row over both joints, in a corner, and where the minimum itself is at the end."""
    goals = [kt.goal.position("tip", weight=1.0), kt.goal.posture(weight=0.1)]

    def by(robot, x):
        solve = kt.ik(robot, goals)
        return solve.derivatives(solve([x, 0.0, 0.0]), [x, 0.0, 0.0])

    end = by(slides((-5, 0.2), (-5, 5)), 1.0)
    close(end["tip"][:, 0], [0.0, 1 / 1.01])
    close(end["posture"], [[0.0, 0.0], [0.0, 0.01 / 1.01]])
    assert abs(by(slides((-5, 0.2), (-5, 0.2)), 1.0)["tip"]).max() == 0.0
    free = by(slides((-5, 0.2), (-5, 5)), 0.2 * 2.01 - 1e-7)["tip"]  # the minimum is 5e-8 inside
    close(free[:, 0], [1 / 2.01, 1 / 2.01])
    sums = LinearLimits("sum", ("q1", "q2"), np.array([[1.0, 1.0]]), np.array([0.3]), ("most",), angular=False)
    row = by(kt.edit.add_limits(slides((-5, 5), (-5, 5)), [sums]), 1.0)
    close(row["tip"][:, 0], [0.0, 0.0])
    close(row["posture"], [[0.5, -0.5], [-0.5, 0.5]])
    for x in (1.0, 0.201):  # a range of no width, which is pushed, and which is not
        close(by(slides((-5, 5), (0.1, 0.1)), x)["tip"][:, 0], [1 / 1.01, 0.0])
    at_end = by(slides((-5, 0.2), (-5, 0.8 / 1.01)), 1.0)  # of which only the first is pushed
    close(at_end["tip"][:, 0], [0.0, 1 / 1.01])


@pytest.mark.slow
def test_an_axis_that_turns_by_hand():
    """theta = a w² / (w² + v²) at any angle a, for hard and soft weights, and d theta / da of the target's turn."""
    arm = kt.chain("Rz(q1) tx(0.5)")
    solve = kt.ik(arm, [kt.goal.orientation("tip", weight=1.0), kt.goal.posture([0.0], weight=0.5)])
    for angle in (0.0, 0.3, 2.5):
        R = Rotation.from_euler("z", angle).as_matrix()
        by = solve.derivatives(solve(R), R)
        turn = np.array([[-np.sin(angle), -np.cos(angle), 0], [np.cos(angle), -np.sin(angle), 0], [0, 0, 0]])
        close(np.sum(by["tip"][0] * turn), 1 / 1.25)
        close(by["weight of tip"], [2 * angle * 0.25 / 1.25**2])


@pytest.mark.slow
@pytest.mark.nightly
def test_without_a_posture_a_result_moves_no_farther_than_it_must():
    """A soft goal that is reached moves q as the same goal does that is hard, whose errors have exact derivatives."""
    robot = random_arm(8, seed=2)
    q = robot.limits.project(np.random.default_rng(0).uniform(-0.4, 0.4, 8))
    T = kt.fk(robot, "l8")(q)
    hard, soft = kt.ik(robot, "l8"), kt.ik(robot, [kt.goal.pose("l8", weight=2.0)])
    expected, found = (solve.derivatives(solve(T, q0=q), T)["l8"] for solve in (hard, soft))
    # entries of T that keep it a pose: the two differ along others
    w = [
        Rotation.from_rotvec(STEP * axis).as_matrix() - Rotation.from_rotvec(-STEP * axis).as_matrix()
        for axis in np.eye(3)
    ]
    moves = np.zeros((6, 4, 4))
    moves[:3, :3, 3], moves[3:, :3, :3] = np.eye(3), [x @ T[:3, :3] / (2 * STEP) for x in w]
    by_hard, by_soft = (np.einsum("qij,mij->qm", x, moves) for x in (expected, found))
    assert abs(by_hard).max() > 0.3
    close(by_soft, by_hard, 1e-6)


def test_several_postures_have_numbers():
    goals = [
        kt.goal.posture([1.0], weight=1.0),
        kt.goal.posture([3.0], weight=2.0),
        kt.goal.position("tip", weight=1.0),
    ]
    solve = kt.ik(slides((-5, 5)), goals)
    by = solve.derivatives(solve([0.0, 0.0, 0.0]), {"tip": [0.0, 0.0, 0.0]})
    assert [*by][:3] == ["posture 1", "posture 2", "tip"]
    close([by[name][0, 0] for name in [*by][:3]], [1 / 6, 4 / 6, 1 / 6])


def minimum(robot: kt.Robot, goals, targets, q: np.ndarray) -> np.ndarray:
    """The velocity coordinates (nv,) that take q to the minimum nearby: a root of the conditions of Karush, Kuhn and
    Tucker by Newton's method, with differences of errors that SciPy computes from poses."""
    integrate, n = kt.dynamics.integrate(robot), robot.nv
    seeds = 3e-5 * np.array([1.0, -1.0, 2.0, -2.0])[:, None, None] * np.eye(n)

    def conditions(x: np.ndarray) -> np.ndarray:
        at = integrate(q, x[:n])
        (e, c), around = parts(robot, goals, targets, at), parts(robot, goals, targets, integrate(at, seeds))
        J, A = ((8 * (a - b) - (c - d)) / (12 * 3e-5) for a, b, c, d in around)
        return np.concatenate([J @ e + A @ x[n:], c])

    x = np.zeros(n + parts(robot, goals, targets, q)[1].shape[-1])
    for i in range(20):
        if i < 2:  # then K is known well enough
            K = np.array([conditions(x + 1e-5 * u) - conditions(x - 1e-5 * u) for u in np.eye(len(x))]).T / 2e-5
        step = np.linalg.lstsq(K, conditions(x), rcond=1e-9)[0]
        x = x - step
        if abs(step).max() < 1e-12:
            break
    return x[:n]


def moved(goal, target, by: np.ndarray):
    """A target after a motion (6,), m and rad."""
    if goal.kind == "orientation":
        return Rotation.from_rotvec(by[3:]).as_matrix() @ target
    if goal.kind == "pose":
        T = target.copy()
        T[:3, :3], T[:3, 3] = moved(replace(goal, kind="orientation"), T[:3, :3], by), T[:3, 3] + by[:3]
        return T
    return target + by[: np.size(target)].reshape(np.shape(target))


def agree(robot: kt.Robot, goals, targets, q0, most: float = 1e-6) -> None:
    """Compare derivatives by all targets and postures, and by all weights, each along a random direction, with central
    differences of independent minima."""
    ik, rng = kt.ik(robot, goals), np.random.default_rng(5)
    result = ik(*targets, q0=q0)
    assert result.success
    assert not result.active_limits.any()
    by, integrate = ik.derivatives(result, *targets), kt.dynamics.integrate(robot)
    along = (
        np.array([integrate(result.q, 1e-6 * u) - integrate(result.q, -1e-6 * u) for u in np.eye(robot.nv)]).T / 2e-6
    )

    names, left, slopes = iter(by), iter(range(len(targets))), np.zeros(robot.nq)
    sides = [([*ik.goals], [*targets]) for _ in "+-"]
    heavier, weights = [([*ik.goals], targets) for _ in "+-"], np.zeros(robot.nq)
    for k, goal in enumerate(ik.goals):
        name, d, i = next(names), rng.normal(size=6), None if goal.kind == "posture" else next(left)
        own = rng.normal(size=robot.nq)
        for sign, side, heavy in zip((1, -1), sides, heavier, strict=True):
            if i is None:
                side[0][k] = replace(goal, posture=tuple(np.array(goal.posture) + sign * STEP * own))
            else:
                side[1][i] = moved(goal, targets[i], sign * STEP * d)
            if goal.weight is not None:
                heavy[0][k] = replace(goal, weight=goal.weight + sign * STEP * d[0])
        change = own if i is None else (sides[0][1][i] - sides[1][1][i]) / (2 * STEP)
        slopes += by[name].reshape(robot.nq, -1) @ np.ravel(change)
        weights += by[f"weight of {name}"] * d[0] if goal.weight is not None else 0.0
    for pair, found in ((sides, slopes), (heavier, weights)):
        plus, minus = (minimum(robot, *side, result.q) for side in pair)
        assert abs(found - along @ (plus - minus) / (2 * STEP)).max() < most * max(1.0, abs(found).max())


def case(name: str):
    """A robot with goals, targets and a start; goals are out of reach where they are soft."""
    g, rng = kt.goal, np.random.default_rng(1)
    if name in ("ball", "floating"):
        robot, tip = on(random_arm(3, seed=1), name), "l3"
    elif name == "panda":
        (file,) = [path for path in example_robot_urdfs() if path.name == "panda.urdf"]
        robot, tip = kt.load(file), "panda_hand"
    else:
        robot, tip = random_arm(6, seed=1), "l6"
    q = kt.dynamics.integrate(robot)(robot.q(), rng.uniform(-0.3, 0.3, robot.nv))
    if name == "panda":
        q = (robot.limits.lower + robot.limits.upper) / 2
    T, near = kt.fk(robot, tip)(q), g.posture(q, weight=0.4)
    T[:3, 3] += [0.1, 0.05, -0.15]
    far = T[:3, 3] + T[:3, :3] @ [0.2, 0.1, 1.0]
    goals = {
        "whole": ([g.pose(tip, weight=1.0), near], [T]),
        "free": ([g.pose(tip, free="rz", axes="frame", weight=1.0), near], [T]),
        "hard position": ([g.position(tip), near, g.orientation(tip, weight=0.5)], [T[:3, 3], T[:3, :3]]),
        "hard pointing": ([g.pointing(tip), near], [far]),
        "soft pointing": ([g.pointing(tip, weight=2.0), near], [far]),
        "heading": ([g.heading(tip), g.position(tip, weight=3.0), near], [np.array(0.2), T[:3, 3]]),
    }
    return robot, *goals[name if name in goals else "whole"], q


@pytest.mark.slow
@pytest.mark.parametrize("name", ["free", "hard position", "hard pointing", "soft pointing", "heading"])
@pytest.mark.sampled(1)
def test_every_goal_against_differences(name):
    agree(*case(name))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ball", "floating", "panda"])
@pytest.mark.sampled(2)
def test_quaternions_and_a_real_arm_against_differences(name):
    agree(*case(name))


@pytest.mark.slow
@pytest.mark.nightly
def test_centers_of_mass_against_differences():
    """Also as seen from a link that moves."""
    (file,) = [path for path in example_robot_urdfs() if path.name == "panda.urdf"]
    robot, g = kt.load(file), kt.goal
    q = (robot.limits.lower + robot.limits.upper) / 2 + np.random.default_rng(1).uniform(-0.2, 0.2, robot.nq) * 0.02
    c, T = np.array([0.02, 0.01, -0.03]), kt.fk(robot, ["panda_link3", "panda_hand"])(q)
    c += kt.center_of_mass(robot)(q)
    seen = T[0, :3, :3].T @ (c - T[0, :3, 3])
    goals = [g.center_of_mass(weight=2.0), g.posture(q, weight=0.4), g.position("panda_hand", weight=1.0)]
    agree(robot, goals, [c, T[1, :3, 3]], q)
    goals[0] = g.center_of_mass(base="panda_link3", free="z", weight=2.0)
    agree(robot, goals, [seen, T[1, :3, 3]], q)


@pytest.mark.slow
def test_only_results_of_these_targets_have_derivatives():
    arm = slides((-5, 5), (-5, 5))
    p = np.array([[0.9, 0.0, 0.0], [0.3, 0.0, 0.0]])
    for goals in ([kt.goal.position("tip")], [kt.goal.position("tip"), kt.goal.posture(weight=0.1)]):
        solve = kt.ik(arm, goals)
        found = solve(p)
        assert np.isfinite(solve.derivatives(found, p)["tip"]).all()
        assert np.isnan(solve.derivatives(found, p[::-1])["tip"]).all()
        assert np.isfinite(solve.derivatives(solve(p.astype(np.float32)), p.astype(np.float32))["tip"]).all()
    with pytest.raises(kt.KinetreeError, match=r"targets are \(2,\) and result is \(3,\), which do not go together"):
        solve.derivatives(solve([*p, p[0]]), p)
    for wrong, said in ((found.q, "result is ndarray"), (solve.follow(p, q0=found.q[0]), "result is IKPath")):
        with pytest.raises(kt.KinetreeError, match=f"{said}; expected an IKResult"):
            solve.derivatives(wrong, p)
    other = kt.ik(kt.chain("tx(q1)"), "tip", goal="position")([0.0] * 3)
    with pytest.raises(kt.KinetreeError, match=r"q of the result has shape \(1,\)"):
        solve.derivatives(other, p[0])
