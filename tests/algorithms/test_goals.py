"""How errors of goals fall, and second derivatives of what they pull at, against finite differences."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import kinetree as kt
from each import each
from kinetree.algorithms.curvature import curvature
from kinetree.algorithms.differential import jacobian
from kinetree.algorithms.goals import GOALS, Goal, goal_rows
from kinetree.model.tree import build_tree


@pytest.fixture(scope="module")
def icub() -> kt.Robot:
    return kt.load("icub", inertias="iCubGazeboV2_5")


@pytest.mark.slow
@each("kind", GOALS)
@each("axes", ["base", "frame"])
def test_exact_errors_fall_as_they_say(icub, kind, axes):
    """Wherever the frame is, for a goal far away; a hard "pointing" has a derivative at the goal only."""
    tree, rng = build_tree(icub), np.random.default_rng(1)
    axis = (0.0, 1.0, 0.0) if kind == "heading" else (0.0, 0.6, 0.8)
    goal = Goal(kind, "l_hand", "chest", expressed_in=axes, axis=axis)
    q = icub.limits.sample(1, seed=3)[0]
    T = kt.fk(icub, "l_hand", "chest").interpret(icub.limits.sample(1, seed=8)[0])
    here = kt.fk(icub, "l_hand", "chest").interpret(q)
    target = {
        "pose": T,
        "position": T[:3, 3],
        "orientation": T[:3, :3],
        "pointing": here[:3, 3] + 0.7 * here[:3, :3] @ [0.0, 0.6, 0.8],
        "heading": np.array(0.3),
        "center_of_mass": T[:3, 3],
        "posture": np.zeros(icub.nq),
    }[kind]
    rates = list(range(icub.nq))

    def rows(x):
        return [row for part in goal_rows(tree, goal, rates, x, target, exact=True) for row in part]

    J = np.array([row.J for row in rows(q)], dtype=float)
    for _ in range(5):
        way = rng.normal(size=icub.nq)
        plus, minus = (np.array([float(row.error) for row in rows(q + s * 1e-6 * way)]) for s in (1, -1))
        np.testing.assert_allclose((minus - plus) / 2e-6, J @ way, rtol=0, atol=2e-8)


def test_a_soft_pointing_goal_has_a_derivative_everywhere(icub):
    tree, rates = build_tree(icub), list(range(icub.nq))
    goal = Goal("pointing", "l_hand", "chest", axis=(0.0, 0.6, 0.8), weight=1.0)
    q, way = icub.limits.sample(1, seed=3)[0], np.random.default_rng(1).normal(size=icub.nq)
    plus, minus, here = (
        goal_rows(tree, goal, rates, q + s * 1e-6 * way, np.array([0.3, -0.2, 0.5]), exact=True).angular
        for s in (1, -1, 0)
    )
    slope = [(float(b.error) - float(a.error)) / 2e-6 for a, b in zip(plus, minus, strict=True)]
    np.testing.assert_allclose(slope, np.array([row.J for row in here], dtype=float) @ way, rtol=0, atol=2e-8)


CURVES = {
    "frames and masses": [
        Goal("pose", "l_hand", "root_link"),
        Goal("position", "r_hand", "root_link", weights=(1, 0, 1, 1, 1, 1)),
        Goal("center_of_mass", "root_link", "root_link", weights=(1, 1, 0, 1, 1, 1)),
    ],
    "one frame from another": [Goal("pose", "l_hand", "r_hand"), Goal("position", "head", "l_foot")],
    "a base that floats": [Goal("pose", "l_hand", "world"), Goal("center_of_mass", "world", "world")],
}


@pytest.mark.slow
@each("name", CURVES)
def test_curvature_is_the_second_derivative_of_what_goals_pull_at(icub, name):
    """At the goal's orientation, where a rotation vector has the derivative that is used."""
    robot, rng = kt.edit.floating(icub) if "floats" in name else icub, np.random.default_rng(7)
    goals, tree = [g for g in CURVES[name] if g.frame in robot.frames], build_tree(robot)
    add = kt.dynamics.integrate(robot).interpret
    q = add(robot.q(), rng.normal(size=robot.nv) * 0.4)
    targets, pulls = [], []
    for goal in goals:
        T = kt.fk(robot, goal.frame, goal.base).interpret(q)
        targets.append(T if goal.kind == "pose" else np.zeros(3))
        pulls.append(rng.normal(size=goal.size))

    def energy(x):
        return sum(
            float(pull @ [row.error for part in goal_rows(tree, goal, (), x, target, exact=True) for row in part])
            for goal, target, pull in zip(goals, targets, pulls, strict=True)
        )

    known = curvature(tree, goals, list(range(robot.nv)), q, targets, pulls)
    H = np.zeros((robot.nv, robot.nv))
    for (a, b), x in known.items():
        H[a, b] = H[b, a] = x
    for _ in range(6):
        way, step = rng.normal(size=robot.nv), 1e-4
        second = (energy(add(q, step * way)) - 2 * energy(q) + energy(add(q, -step * way))) / step**2
        assert way @ H @ way == pytest.approx(second, abs=2e-4 * np.abs(H).sum())


@each("base", ["root_link", "r_hand"])
@each("kind", ["pointing", "heading"])
def test_curvature_of_axes_along_motions_that_keep_them(icub, kind, base):
    """That of a heading is exact along other motions, too, and far from the goal."""
    tree, rng, n = build_tree(icub), np.random.default_rng(3), icub.nv
    axis = (0.0, 1.0, 0.0) if kind == "heading" else (0.0, 0.6, 0.8)
    goal, q = Goal(kind, "l_hand", base, axis=axis), icub.q() + rng.normal(size=n) * 0.4
    T = kt.fk(icub, "l_hand", base).interpret(q)
    target = T[:3, 3] + 0.3 * T[:3, :3] @ axis if kind == "pointing" else np.array(1.5)
    pull = rng.normal(size=goal.size)

    def rows(x, rates=()):
        return [row for part in goal_rows(tree, goal, rates, x, target, exact=True) for row in part]

    def energy(x):
        return float(pull @ [row.error for row in rows(x)])

    H = np.zeros((n, n))
    for (a, b), x in curvature(tree, [goal], list(range(n)), q, [target], [pull]).items():
        H[a, b] = H[b, a] = x
    J = np.array([row.J for row in rows(q, list(range(n)))], dtype=float)
    kept = np.eye(n) - np.linalg.pinv(J) @ J if kind == "pointing" else np.eye(n)
    for _ in range(4):
        way, step = kept @ rng.normal(size=n), 1e-4
        second = (energy(q + step * way) - 2 * energy(q) + energy(q - step * way)) / step**2
        assert way @ H @ way == pytest.approx(second, abs=1e-5 * np.abs(H).sum())


ARM = kt.chain("tz(0.2) Rz(a) tx(0.3) Ry(b) tz(0.4) Rx(c) ty(0.1) tz(d) Ry(e) tx(0.2)")


@each("exact", [True, False])
@each("kind", ["pose", "position", "orientation"])
def test_errors_in_the_axes_of_the_frame(kind, exact):
    """They are those of the base in these axes, which turn as the frame does; weighted axes are the frame's."""
    tree, q, weights = build_tree(ARM), np.array([0.3, -0.5, 0.8, 0.1, 0.4]), (1.0, 0.0, 2.0, 1.0, 3.0, 0.0)
    goal = Goal(kind, "tip", None, expressed_in="frame", weights=weights)
    T, here = (kt.fk(ARM, "tip").interpret(x) for x in (np.array([-0.4, 0.3, 0.2, 0.3, -0.6]), q))
    target = {"pose": T, "position": T[:3, 3], "orientation": T[:3, :3]}[kind]

    def rows(x):
        return [row for part in goal_rows(tree, goal, range(5), x, target, exact=exact) for row in part]

    shift, R = here[:3, :3].T @ (T[:3, 3] - here[:3, 3]), here[:3, :3].T @ T[:3, :3]
    turn = Rotation.from_matrix(R).as_rotvec()
    turn *= 1.0 if exact else 2 * np.sin(np.linalg.norm(turn) / 2) / np.linalg.norm(turn)
    errors = {"pose": [*shift, *turn], "position": shift, "orientation": turn}[kind]
    used = [i for i in GOALS[kind].weights if weights[i]]
    expected = [errors[GOALS[kind].weights.index(i)] for i in used]
    np.testing.assert_allclose([float(row.error) for row in rows(q)], expected, atol=1e-12)
    assert [row.weight for row in rows(q)] == [weights[i] for i in used]
    J = np.array([row.J for row in rows(q)], dtype=float)
    if not exact:
        np.testing.assert_allclose(J, jacobian(tree, q, "tip", None, "frame")[used], atol=1e-12)
    for way in np.eye(5) if exact else ():
        plus, minus = (np.array([float(row.error) for row in rows(q + s * 1e-6 * way)]) for s in (1, -1))
        np.testing.assert_allclose((minus - plus) / 2e-6, J @ way, rtol=0, atol=2e-8)
