"""Inverse kinematics: it reaches what it says, inside all limits, and is honest about the rest."""

import re

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

import kinetree as kt
from each import each
from kinetree.algorithms.inverse import DESCENT, GOING, STEPS, inverse_step
from kinetree.model.limits import limits_about
from kinetree.model.tree import build_tree
from kinetree.solvers.ik import solver as module
from random_arms import ENDS, closed_form_arm, random_arm
from support import reachable


@pytest.fixture(scope="module")
def icub() -> kt.Robot:
    return kt.load("icub")


def errors(robot: kt.Robot, frame: str, base: str | None, q: np.ndarray, T: np.ndarray) -> np.ndarray:
    """(…, 2), m and rad, by the interpreter and SciPy."""
    here = kt.fk(robot, frame, base).interpret(q)
    turn = Rotation.from_matrix((T[..., :3, :3] @ np.swapaxes(here[..., :3, :3], -1, -2)).reshape(-1, 3, 3)).magnitude()
    return np.stack([np.linalg.norm(T[..., :3, 3] - here[..., :3, 3], axis=-1), turn.reshape(T.shape[:-2])], axis=-1)


def check(robot: kt.Robot, frame: str, base: str | None, T: np.ndarray, result: kt.IKResult) -> None:
    """What holds for every answer."""
    assert robot.limits.contains(result.q).all()
    error = errors(robot, frame, base, result.q, T)
    assert (error[result.success] <= 1e-6 * (1 + 1e-6)).all()
    assert result.residual == pytest.approx(error, abs=1e-9)
    assert (error[~result.success].max(axis=-1, initial=1.0) > 1e-6).all()


@pytest.mark.parametrize(
    ("frame", "base"), [("l_hand", "chest"), ("l_hand", None), ("l_foot_dh_frame", "r_foot_dh_frame")]
)
@pytest.mark.slow
def test_what_an_icub_reaches(icub, frame, base):
    q, T = reachable(icub, frame, base, 2000)
    solver = kt.ik(icub, frame, base)
    result = solver(T)
    check(icub, frame, base, T, result)
    assert result.success.mean() >= 0.999
    moved = [icub.coordinate_names.index(name) for name in solver.coordinate_names]
    others = np.setdiff1d(np.arange(icub.nq), moved)
    assert np.ptp(result.q[:, others], axis=0).max() == 0
    # begun where the answer is, it stays there
    again = solver(T, q0=q)
    assert again.success.all()
    assert again.iterations.max() == 1
    np.testing.assert_array_equal(again.q, q)


@pytest.mark.sampled
@pytest.mark.parametrize(
    "n",
    [
        6,
        pytest.param(7, marks=pytest.mark.slow),
        pytest.param(9, marks=pytest.mark.slow),
        pytest.param(20, marks=pytest.mark.slow),
        pytest.param(50, marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("kinds", ["r", "rcp", "rm"])
@pytest.mark.slow
def test_any_arm(n, kinds):
    if kinds == "rm":
        n *= 2
    robot = random_arm(n, seed=n, kinds=kinds)
    _, T = reachable(robot, f"l{n}", None, 300)
    result = kt.ik(robot, f"l{n}")(T)
    check(robot, f"l{n}", None, T, result)
    assert result.success.mean() >= 0.99


@pytest.mark.slow
def test_one_answer_whoever_asks(icub):
    q, T = reachable(icub, "l_hand", "chest", 300)
    solver = kt.ik(icub, "l_hand", "chest")
    T[5, :3, 3] += 3.0  # one that cannot be reached
    whole = solver(T)
    for i in (0, 5, 17, 299):
        alone = solver(T[i])
        np.testing.assert_array_equal(alone.q, whole.q[i])
        np.testing.assert_array_equal(alone.residual, whole.residual[i])
        assert (alone.success, alone.iterations) == (whole.success[i], whole.iterations[i])
    np.testing.assert_array_equal(solver(T[::-1]).q, whole.q[::-1])
    np.testing.assert_array_equal(solver(T, threads=2).q, whole.q)
    np.testing.assert_array_equal(solver(T.reshape(3, 100, 4, 4)).q, whole.q.reshape(3, 100, -1))
    done = []
    np.testing.assert_array_equal(solver(T, progress=lambda *counts: done.append(counts)).q, whole.q)
    assert done == [(300, 300)]
    starts = solver(T, q0=q[0])
    np.testing.assert_array_equal(solver(T, q0=np.broadcast_to(q[0], q.shape)).q, starts.q)
    assert solver(T[:0]).q.shape == (0, icub.nq)


@pytest.mark.parametrize(("far", "axes"), [(1.0, "base"), (0.02, "frame")])
@pytest.mark.slow
def test_what_cannot_be_reached_is_said_and_locally_closest(icub, far, axes):
    """No small motion inside the limits comes closer, by the weighted errors, 1 m as 1 rad."""
    frame, base = "l_hand", "chest"
    _, T = reachable(icub, frame, base, 40)
    reach = np.linalg.norm(kt.fk(icub, frame, base)(icub.limits.sample(100_000))[:, :3, 3], axis=-1).max()
    T[:, :3, 3] *= ((reach + far) / np.linalg.norm(T[:, :3, 3], axis=-1))[:, None, None][..., 0]
    solver = kt.ik(icub, frame, base, expressed_in=axes)
    result = solver(T)
    check(icub, frame, base, T, result)
    assert not result.success.any()
    assert (result.residual[:, 0] > far / 2).all()
    about = [
        any(joint in name for joint in icub.groups["left_arm"]) or "left_arm" in name for name in icub.limits.names
    ]
    assert np.array_equal(result.active_limits, (icub.limits.margin(result.q) <= 1e-6) & about)
    assert result.active_limits.any(axis=-1).mean() > 0.5
    columns = [icub.coordinate_names.index(name) for name in solver.coordinate_names]
    rng = np.random.default_rng(0)
    cost = (errors(icub, frame, base, result.q, T) ** 2).sum(axis=-1)
    for _ in range(60):
        nearby = result.q.copy()
        step = rng.normal(size=(len(T), len(columns)))
        nearby[:, columns] += 1e-4 * step / np.linalg.norm(step, axis=-1, keepdims=True)
        nearby = np.clip(nearby, icub.limits.lower, icub.limits.upper)
        inside = icub.limits.contains(nearby)
        better = cost - (errors(icub, frame, base, nearby, T) ** 2).sum(axis=-1)
        assert better[inside].max() < 1e-8


@pytest.mark.slow
def test_at_the_limits_and_at_half_a_turn(icub):
    """Targets made where tendons and ends of ranges hold; and starts that are turned by exactly pi."""
    limits, frame, base = icub.limits, "l_hand", "chest"
    rng = np.random.default_rng(4)
    block = limits.blocks[0]
    q = limits.sample(200, seed=2)
    q[:, block.columns] += rng.normal(size=(200, 3))
    q = limits.project(q)
    columns = [icub.coordinate_names.index(name) for name in ("l_elbow", "l_wrist_prosup", "l_wrist_yaw")]
    q[:, columns] = np.where(rng.random((200, 3)) < 0.5, limits.lower[columns], limits.upper[columns])
    assert limits.contains(q).all()
    T = kt.fk(icub, frame, base)(q)
    result = kt.ik(icub, frame, base)(T)
    check(icub, frame, base, T, result)
    assert result.success.mean() >= 0.99
    wrist = random_arm(6, seed=3, kinds="c")
    solver, q0 = kt.ik(wrist, "l6"), wrist.q()
    here = kt.fk(wrist, "l6")(q0)
    for axis in (*np.eye(3), [1, 1, 0], [1, 2, -2]):
        T = here.copy()
        T[:3, :3] = Rotation.from_rotvec(np.pi * np.array(axis) / np.linalg.norm(axis)).as_matrix() @ T[:3, :3]
        result = solver(T, q0=q0)
        check(
            wrist,
            "l6",
            None,
            T[None],
            kt.IKResult(
                result.q[None],
                np.array([result.success]),
                result.residual[None],
                np.array([1]),
                wrist.limits,
                result._columns,
            ),
        )
        assert result.residual[1] < 1.0


@pytest.mark.slow
@pytest.mark.nightly
def test_positions_orientations_directions_and_several_frames(icub):
    limits = icub.limits
    q, T = reachable(icub, "l_hand", None, 200)
    for goal, target, which in (("position", T[:, :3, 3], 0), ("orientation", T[:, :3, :3], 1)):
        result = kt.ik(icub, "l_hand", goal=goal)(target)
        assert result.success.all()
        assert errors(icub, "l_hand", None, result.q, T)[:, which].max() <= 1e-6
        assert result.residual[:, 1 - which].max() == 0
        assert limits.contains(result.q).all()
    # the eyes look at a point, the hands are where they were, all in one problem
    hands = [kt.fk(icub, frame)(q) for frame in ("l_hand", "r_hand")]
    eye = kt.fk(icub, "l_eye_frame")(q)
    points = eye[:, :3, 3] + 0.7 * eye[:, :3, 2]
    frames = ["l_hand", "r_hand", "l_eye_frame"]
    solver = kt.ik(icub, frames, goal=["pose", "pose", "pointing"], axis=(0, 0, 1))
    result = solver(*hands, points)
    assert result.success.mean() > 0.97
    assert limits.contains(result.q).all()
    good = result.success
    for frame, T in zip(frames, hands, strict=False):
        assert errors(icub, frame, None, result.q, T)[good].max() <= 1.01e-6
    eye = kt.fk(icub, "l_eye_frame")(result.q)
    way = points - eye[:, :3, 3]
    cosine = np.einsum("ni,ni->n", way, eye[:, :3, 2]) / np.linalg.norm(way, axis=-1)
    assert np.arccos(np.clip(cosine[good], -1, 1)).max() < 2e-6
    # a tool that may turn about its own z
    free = kt.ik(icub, "l_hand", weights=(1, 1, 1, 1, 1, 0), expressed_in="frame")
    result = free(hands[0])
    here = kt.fk(icub, "l_hand")(result.q)
    assert result.success.all()
    assert np.abs(here[:, :3, 3] - hands[0][:, :3, 3]).max() < 1e-6
    assert np.abs(here[:, :3, 2] - hands[0][:, :3, 2]).max() < 2e-6
    assert errors(icub, "l_hand", None, result.q, hands[0])[:, 1].max() > 0.1


@pytest.mark.slow
def test_joints_that_do_not_move_are_where_q0_has_them(icub):
    """Rows that couple a joint of the chain to one that stays: what is left of them holds."""
    rows = kt.load("icub", limits="ikin")
    q, T = reachable(rows, "l_hand", "l_upper_arm", 100)
    solver = kt.ik(rows, "l_hand", "l_upper_arm")
    result = solver(T, q0=q)
    assert result.success.all()
    stays = [i for i, name in enumerate(rows.coordinate_names) if name not in solver.coordinate_names]
    np.testing.assert_array_equal(result.q[:, stays], q[:, stays])
    other = kt.ik(rows, "l_elbow_1", "chest")
    result = other(kt.fk(rows, "l_elbow_1", "chest")(q), q0=q[3])
    assert rows.limits.contains(result.q).all()
    assert result.success.mean() > 0.5


@pytest.mark.slow
def test_interruption_keeps_what_is_solved(icub, monkeypatch):
    _, T = reachable(icub, "l_hand", "chest", 12)
    monkeypatch.setattr(module, "AT_ONCE", 4)
    solver = kt.ik(icub, "l_hand", "chest")

    def stop(done, count):
        if done == 8:
            raise KeyboardInterrupt

    with pytest.raises(kt.kinematics.IKInterrupted) as caught:
        solver(T, progress=stop)
    result = caught.value.result
    np.testing.assert_array_equal(result.q[:8], solver(T[:8]).q)
    assert result.success[:8].all()
    assert not result.success[8:].any()
    assert np.isinf(result.residual[8:, 0]).all()
    assert icub.limits.contains(result.q).all()


@each(
    "arguments, options, said",
    [
        (("l_hnd",), {}, "no frame 'l_hnd'; did you mean"),
        (("l_hand",), {"goal": "place"}, "goal is 'place'; expected one of 'pose', 'position'"),
        ((["l_hand", "r_hand"],), {"goal": ["pose"]}, "1 goals for 2 frames"),
        (("l_hand",), {"weights": (1, 1)}, "expected 6 finite numbers from 0"),
        (("l_hand",), {"axis": (0, 0, 0)}, "axis is"),
        (("l_hand",), {"tolerance": (0.0, 1.0)}, "tolerance is"),
        (("l_hand",), {"descents": 0}, "descents is 0"),
        (("l_hand",), {"expressed_in": "tool"}, "expressed_in is 'tool'"),
        (("l_hand", "l_hand"), {}, "no joint moves l_hand as seen from l_hand"),
    ],
)
def test_questions_that_are_none(icub, arguments, options, said):
    with pytest.raises(kt.KinetreeError, match=said):
        kt.ik(icub, *arguments, **options)


@pytest.mark.slow
def test_targets_that_are_none(icub):
    solver, T = kt.ik(icub, "l_hand", "chest"), kt.fk(icub, "l_hand", "chest").interpret(icub.q())
    scaled, mirrored, sheared = np.diag([2.0, 2, 2, 1]), np.diag([1.0, 1, -1, 1]), np.eye(4)
    sheared[3, 0] = 1.0
    nan = np.full((4, 4), np.nan)
    for bad, said in ((scaled, "is scaled by 2"), (mirrored, "left-handed"), (sheared, "last row"), (nan, "nan in")):
        with pytest.raises(kt.KinetreeError, match=f"the target .*{said}"):
            solver(bad)
        result = solver(np.array([T, bad]))
        assert result.success.tolist()[1] is False
        assert np.isnan(result.residual[1]).all()
    with pytest.raises(kt.KinetreeError, match="shape"):
        solver(np.eye(3))
    with pytest.raises(kt.KinetreeError, match="2 targets; expected one"):
        solver(T, T)
    with pytest.raises(kt.KinetreeError, match="q0 has shape"):
        solver(T, q0=[0.0])
    for bad in (["1"] * icub.nq, "middle", np.full(icub.nq, 1j), [[0.0], [0.0, 0.0]]):
        with pytest.raises(kt.KinetreeError, match="q0 is no array of numbers"):
            solver(T, q0=bad)
    with pytest.raises(kt.KinetreeError, match="not finite"):
        solver(T, q0=np.full(icub.nq, np.nan))


@pytest.mark.slow
def test_the_solution_nearest_to_a_posture(icub):
    """As near as SciPy comes from there, and never farther than where it began."""
    frame, base, limits = "l_hand", "chest", icub.limits
    solver = kt.ik(icub, frame, base)
    columns = [icub.coordinate_names.index(name) for name in solver.coordinate_names]
    _, T = reachable(icub, frame, base, 100, seed=5)
    posture = limits.project(icub.q({"l_elbow": 50, "l_shoulder_roll": 20}, unit="deg"))
    plain, near = solver(T, q0=posture), solver(T, q0=posture, prefer=posture)
    check(icub, frame, base, T, near)
    assert np.array_equal(near.success, plain.success)
    away, before = (np.linalg.norm((r.q - posture)[:, columns], axis=-1) for r in (near, plain))
    assert (away <= before + 1e-6).mean() > 0.97
    assert away.mean() < before.mean()
    fk = kt.fk(icub, frame, base)
    ends = list(zip(limits.lower[columns], limits.upper[columns], strict=True))
    found = []
    for k in range(10):

        def off(x, target=T[k]):
            q = posture.copy()
            q[columns] = x
            here = fk(q)
            turn = Rotation.from_matrix(here[:3, :3] @ target[:3, :3].T).as_rotvec()
            return np.r_[here[:3, 3] - target[:3, 3], turn]

        rows = {"type": "ineq", "fun": lambda x: solver._inside.bounds_now - solver._problem.G @ x}
        best = minimize(
            lambda x: np.sum((x - posture[columns]) ** 2),
            near.q[k, columns],
            bounds=ends,
            constraints=[{"type": "eq", "fun": off}, rows],
            method="SLSQP",
        )
        found.append(away[k] - np.sqrt(best.fun))
    assert np.median(found) < 1e-5
    assert max(found) < 0.05
    many = solver(T, q0=posture, prefer=np.broadcast_to(posture, (100, icub.nq)))
    np.testing.assert_array_equal(many.q, near.q)
    np.testing.assert_array_equal(solver(T[3], q0=posture, prefer=posture).q, near.q[3])
    middle, plain = solver(T, prefer="middle"), solver(T)
    check(icub, frame, base, T, middle)
    about = limits_about(limits, solver._problem.columns)
    room, before = (np.median(limits.margin(r.q)[:, about].min(axis=-1)) for r in (middle, plain))
    assert room > 1.2 * before
    for bad in ([0.0], np.full(icub.nq, np.inf), "somewhere"):
        with pytest.raises(kt.KinetreeError, match=r"prefer .* expected 'middle', or"):
            solver(T, prefer=bad)


def test_a_descent_that_ends_is_followed_by_the_next_until_all_were_made():
    """One step on floats; the target is out of reach, so that nothing is solved."""
    robot = closed_form_arm("wrist", ENDS[0])
    solver = kt.ik(robot, "l7")
    far = np.eye(4)
    far[0, 3] = 100.0
    last = solver._problem.descents - 1
    for steps, descent, expected in (
        (0, 2, (1, 2)),
        (solver._problem.steps, 2, (1, 3)),
        (solver._problem.steps, last, (-1, last + 1)),
    ):
        state = solver._inside.template.copy()
        state[STEPS], state[DESCENT] = steps, descent
        after = inverse_step(
            build_tree(robot), solver._problem, state, solver._inside.bounds_now, solver._inside.begin_at, far
        )
        assert (after[GOING], after[DESCENT]) == expected


@pytest.mark.slow
def test_all_ways_of_an_arm_with_a_wrist():
    """Three axes through one point, and three that are arranged as an elbow: eight ways (Pieper 1968)."""
    rows = [(0.0, 90, 0.4), (0.5, 0, 0.0), (0.0, 90, 0.0), (0.0, -90, 0.6), (0.0, 90, 0.0), (0.0, 0, 0.1)]
    table = "".join(
        f'  {{ joint = "q{i}", a = {a}, alpha = {al}, d = {d}, theta = 0, limits = [-175, 175] }},\n'
        for i, (a, al, d) in enumerate(rows)
    )
    robot = kt.load(f'convention = "dh"\nunits = {{ length = "m", angle = "deg" }}\nrows = [\n{table}]\n', format="dh")
    tip = list(robot.frames)[-1]
    solver = kt.ik(robot, tip)
    q0 = np.radians([20.0, 50, -60, 40, 50, 60])
    T = kt.fk(robot, tip)(q0)
    result = solver.solutions(T, most=50, starts=300, q0=q0)
    assert (result.q.shape, result.mask.shape, result.mask.sum()) == ((50, 6), (50,), 8)
    assert result.mask[:8].all()
    q = result.q[:8]
    np.testing.assert_allclose(q[0], q0, atol=1e-5)
    assert np.abs(kt.fk(robot, tip)(q) - T).max() < 2e-6
    away = np.linalg.norm(q - q0, axis=-1)
    assert (np.diff(away) >= 0).all()
    apart = np.abs(q[:, None] - q).max(axis=-1) + 10 * np.eye(8)
    assert apart.min() > 0.1
    np.testing.assert_array_equal(solver.solutions(T, most=3, q0=q0).q, q[:3])
    assert not solver.solutions(shifted(T, 5.0)).mask.any()


def shifted(T, metres):
    moved = T.copy()
    moved[0, 3] += metres
    return moved


@pytest.mark.slow
def test_a_control_loop(icub):
    """It gets there, no joint faster than it may be, and inside the limits at every step."""
    robot = random_arm(7, seed=2)  # at most 1 rad/s
    rng = np.random.default_rng(0)
    solver, fk, dt = kt.ik(robot, "l7"), kt.fk(robot, "l7"), 0.01
    q = rng.uniform(-1.5, 1.5, (20, 7))
    T = fk(q + rng.uniform(-0.4, 0.4, q.shape))
    for _ in range(400):
        after = solver.step(q, T, dt=dt).q
        assert np.abs(after - q).max() <= dt * (1 + 1e-12)
        assert robot.limits.contains(after).all()
        q = after
    assert np.median(errors(robot, "l7", None, q, T).max(axis=-1)) < 1e-9
    np.testing.assert_array_equal(solver.step(q[3], T[3], dt=dt).q, solver.step(q, T, dt=dt).q[3])
    # the tendons hold it, and it slides on
    hand, limits = kt.ik(icub, "l_hand", "chest"), icub.limits
    q = limits.project(icub.q({"l_shoulder_pitch": -80, "l_shoulder_roll": 110, "l_elbow": 30}, unit="deg"))
    goal = kt.fk(icub, "l_hand", "chest")(
        icub.q({"l_shoulder_pitch": -95, "l_shoulder_roll": 160, "l_shoulder_yaw": 70}, unit="deg")
    )
    before = errors(icub, "l_hand", "chest", q, goal)
    for _ in range(300):
        q = hand.step(q, goal, dt=0.01).q
        assert limits.contains(q)
    assert limits.margin(q)[2 * icub.nq :].min() < 1e-6
    assert (errors(icub, "l_hand", "chest", q, goal) ** 2).sum() < (before**2).sum()
    outside = np.full(7, 3.0)
    back = solver.step(outside, T[0], dt=dt).q
    assert np.abs(back - outside).max() <= dt * (1 + 1e-12)
    assert (back <= outside).all()
    for bad in (0.0, -1.0, np.nan):
        with pytest.raises(kt.KinetreeError, match="expected a finite number of seconds"):
            solver.step(outside, T[0], dt=bad)


def test_batches_that_do_not_fit_are_named():
    solve = kt.ik(kt.chain("Rz(q1) tx(0.4) Rz(q2) tx(0.3)"), "tip", goal="position")
    q, p = np.zeros((3, 2)), np.zeros((2, 3))
    for call, said in (
        (lambda: solve(p, q0=q), "q0 is (3,)"),
        (lambda: solve(p, prefer=q), "q0 is () and prefer is (3,)"),
        (lambda: solve.solutions(p, q0=q), "q0 is (3,)"),
        (lambda: solve.step(q, p, dt=0.1), "q is (3,)"),
        (lambda: solve.step(q[0], p, dt=0.1, restart=q), "q is () and restart is (3,)"),
    ):
        with pytest.raises(kt.KinetreeError, match=re.escape(f"targets are (2,) and {said}, which do not go together")):
            call()
