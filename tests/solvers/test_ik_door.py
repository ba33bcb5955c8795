"""The short way of one step for a control loop, through one compiled function, beside the long one that prepares."""

import time

import numpy as np
import pytest

import kinetree as kt
from random_arms import on, random_arm
from support import random_q

ENDS = {"limits": (-2.5, 2.5), "velocity": 1.0}
ARM = kt.chain([{"a": 0.4, **ENDS}, {"a": 0.3, **ENDS}], convention="dh")


def told(step):
    return step.q, step.residual, step.success, step.stuck


def assert_same(short, long, atol=1e-12):
    for a, b in zip(told(short), told(long), strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=atol)
    assert [type(x) for x in told(short)] == [np.ndarray, np.ndarray, bool, bool]
    np.testing.assert_array_equal(short.active_limits, long.active_limits)


def both(solver, q, *targets, dt=0.1, restart=None):
    """Steps of both ways: lists need to be prepared, arrays do not."""
    short = solver._stepper.plain(q, targets, dt, restart)
    other = None if restart is None else restart.tolist()
    return short, solver.step(q.tolist(), *[x.tolist() for x in targets], dt=dt, restart=other)


@pytest.fixture(scope="module")
def arm():
    return kt.ik(ARM, "tip", goal="position"), lambda q: np.ascontiguousarray(kt.fk(ARM, "tip")(q)[..., :3, 3])


@pytest.mark.slow
def test_both_ways_are_the_same(arm):
    solver, fk = arm
    rng = np.random.default_rng(1)
    for i in range(20):
        q, to = ARM.limits.sample(2, seed=i)
        p = fk(q + 0.3 * rng.normal(size=2))
        short, long = both(solver, q, p)
        assert_same(short, long)
        assert_same(*both(solver, q, p, restart=to))
        assert np.abs(short.q - q).max() <= 0.1 * (1 + 1e-12)
        np.testing.assert_allclose(short.residual, [np.linalg.norm(fk(short.q) - p), 0.0], atol=1e-12)
    for dt in (0.01, 0.1, 0.01, 0.02):  # what a dt comes to is kept for the last one alone
        assert_same(*both(solver, q, p, dt=dt))
        assert [*solver._stepper._known] == [dt]
    near = both(solver, q, fk(q))
    assert_same(*near)
    assert near[0].success
    stretched = np.array([np.arctan2(0.3, 0.9), 0.0])
    stuck = both(solver, stretched, np.array([0.9, 0.3, 0.0]), dt=10.0)
    assert_same(*stuck)
    assert stuck[0].stuck
    assert not stuck[0].success
    np.testing.assert_allclose(stuck[0].residual[0], np.hypot(0.9, 0.3) - 0.7, rtol=1e-12)


@pytest.mark.slow
@pytest.mark.nightly
def test_both_ways_are_the_same_with_rows_quaternions_and_several_frames():
    icub = kt.load("icub")
    walker = on(icub, "floating")
    for robot, frames, base in (
        (random_arm(6, seed=2), ["l6"], None),
        (icub, ["l_hand"], None),
        (icub, ["l_hand", "r_hand"], "chest"),
        (walker, ["l_foot", "l_hand"], None),
        (on(random_arm(4, seed=1), "ball"), ["l4"], None),
    ):
        solver, fk, rng = kt.ik(robot, frames, base), kt.fk(robot, frames, base), np.random.default_rng(0)
        for scale in (1.0, 5.0):  # of quaternions
            q, to = (robot.limits.project(random_q(robot, rng)) for _ in range(2))
            for start in robot.limits.quaternions:
                q[start : start + 4] *= scale
            T = [np.ascontiguousarray(one) for one in fk(to)]
            assert_same(*both(solver, q, *T))
            assert_same(*both(solver, q, *T, restart=to))


@pytest.mark.parametrize("change", ["outside", "restart outside", "nan", "dt", "shape", "single", "count"])
def test_what_must_be_prepared_takes_the_long_way(arm, change):
    solver, fk = arm
    q, to = ARM.limits.sample(2, seed=3)
    p, dt, restart, more = fk(to), 0.1, None, ()
    if change == "outside":
        q[1] += 6.0
    if change == "restart outside":
        restart = to + 6.0
    if change == "nan":
        p[1] = np.nan
    if change == "dt":
        dt = 1
    if change == "shape":
        q = np.stack([q, q])
    if change == "single":
        q = q.astype(np.float32)
    if change == "count":
        more = (p,)
    assert solver._stepper.plain(q, (p, *more), dt, restart) is None
    if change in ("nan", "count"):
        with pytest.raises(kt.KinetreeError, match="target"):
            solver.step(q, p, *more, dt=dt)
        return
    result = solver.step(q, p, dt=dt, restart=restart)
    assert result.q.shape == q.shape
    assert result.q.dtype == float
    assert np.abs(result.q - q).max() <= dt * (1 + 1e-6)


@pytest.mark.slow
def test_what_is_not_rigid_or_no_rotation_takes_the_long_way():
    robot = on(random_arm(6, seed=2), "ball")
    solver, q = kt.ik(robot, "l6"), robot.q()
    T = kt.fk(robot, "l6")(q)
    assert solver._stepper.plain(q, (T,), 0.1, None)
    rounded = T.copy()
    rounded[0, 0] += 1e-4
    assert solver._stepper.plain(q, (rounded,), 0.1, None) is None
    assert solver.step(q, rounded, dt=0.1).residual.max() < 1e-3
    q[:4] = 0.0
    with pytest.raises(kt.KinetreeError, match="quaternion of length zero"):
        solver.step(q, T, dt=0.1)
    with pytest.raises(kt.KinetreeError, match="quaternion of length zero"):
        solver(T, q0=q)


def fastest(*functions):
    """The least seconds of a call of each; they take turns, so that they meet the same machine."""
    times = [np.inf] * len(functions)
    for _ in range(60):
        for i, function in enumerate(functions):
            began = time.perf_counter()
            for _ in range(20):
                function()
            times[i] = min(times[i], (time.perf_counter() - began) / 20)
    return times


def test_a_step_costs_little_more_than_the_compiled_functions(arm):
    """The long way costs some 200 times a pose, the short one some 15 times."""
    solver, fk = arm
    q, to = ARM.limits.sample(2, seed=3)
    p, pose, strides = fk(to), kt.fk(ARM, "tip"), solver._stepper.speeds * 0.1
    pose, kernel, step, returning = fastest(
        lambda: pose(q),
        lambda: solver._stepper.track(strides, q, p),
        lambda: solver.step(q, p, dt=0.1),
        lambda: solver.step(q, p, dt=0.1, restart=to),
    )
    assert step - kernel < 40 * pose
    assert returning - kernel < 40 * pose
