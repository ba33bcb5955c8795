"""Inverse kinematics of a part of a robot while the others stand where each call says (`at="input"`)."""

import numpy as np
import pytest

import kinetree as kt
from random_arms import random_arm

ENDS = {"limits": (-2.5, 2.5), "velocity": 1.0}
ROWS = [{"type": "prismatic", "alpha": np.pi / 2, "limits": (0, 5)}, {"a": 0.4, **ENDS}, {"a": 0.3, **ENDS}]
RAIL = kt.chain(ROWS, convention="dh")
FK = kt.fk(RAIL, "tip")
MOVING = ["q2", "q3"]


@pytest.fixture(scope="module")
def arm():
    return kt.ik(RAIL, "tip", goal="position", joints=MOVING, at="input")


def assert_alike(a, b, atol=1e-9):
    np.testing.assert_allclose(a.q, b.q, atol=atol)
    np.testing.assert_array_equal(a.success, b.success)
    np.testing.assert_allclose(a.residual, b.residual, atol=1e-9)


def places(count, seed=0):
    q = RAIL.limits.sample(count, seed=seed)
    return q, np.ascontiguousarray(FK(q)[:, :3, 3])


@pytest.mark.slow
def test_answers_are_those_of_a_solver_with_the_joints_compiled_in(arm):
    q, p = places(12)
    many = arm(p, at=q)
    assert many.success.all()
    assert many.q.shape == (12, 2)
    assert np.abs(FK(np.c_[q[:, :1], many.q])[:, :3, 3] - p).max() < 2e-6
    for i in range(3):
        alone = kt.ik(RAIL, "tip", goal="position", joints=MOVING, at=q[i])
        assert_alike(arm(p[i], at=q[i]), alone(p[i]))
        np.testing.assert_array_equal(arm(p[i], at=q[i].tolist()).q, arm(p[i], at=q[i]).q)
        assert_alike(arm(p[i], at=q[i], q0=[0.1, 0.2]), alone(p[i], q0=[0.1, 0.2]))
        step, other = arm.step(q[i, 1:], p[0], dt=0.1, at=q[i]), alone.step(q[i, 1:], p[0], dt=0.1)
        assert_alike(step, other, 1e-12)
        np.testing.assert_allclose(arm.step(q[i, 1:].tolist(), p[0], dt=0.1, at=q[i]).q, step.q, atol=1e-12)
        assert arm.reachable(p[i], at=q[i]) is True
        found = arm.solutions(p[i], at=q[i], most=2)
        assert found.mask.any()
        for one in found.q[found.mask]:
            np.testing.assert_allclose(FK([q[i, 0], *one])[:3, 3], p[i], atol=2e-6)
    reach = arm.reachable(p[0], at=np.array([[0.0, 0, 0], [9.0, 0, 0], q[0]]))
    assert reach.tolist()[1:] == [False, True]
    shared = arm(p[0], at=np.stack([q[0], q[0]]))
    assert shared.q.shape == (2, 2)
    np.testing.assert_array_equal(shared.q[0], shared.q[1])


def test_what_is_missing_or_wrong(arm):
    q, p = places(3)
    for call in (arm, arm.reachable, arm.solutions, lambda target: arm.step(q[0, 1:], target, dt=0.1)):
        with pytest.raises(kt.KinetreeError, match=r"at is missing; expected where the other joints stand, \(…, 3\)"):
            call(p[0])
    with pytest.raises(kt.KinetreeError, match=r"at has shape \(2,\)"):
        arm(p[0], at=[0.0, 1.0])
    with pytest.raises(kt.KinetreeError, match="at is not an input of this solver"):
        kt.ik(RAIL, "tip", goal="position")(p[0], at=q[0])
    with pytest.raises(kt.KinetreeError, match="clearance does not go together with at='input'"):
        kt.ik(RAIL, "tip", goal="position", joints=MOVING, at="input", clearance=0.01)
    with pytest.raises(kt.KinetreeError, match="the at"):
        arm(p[0], at=[np.nan, 0, 0])
    bad = q.copy()
    bad[1, 0] = np.inf
    found = arm(p, at=bad)
    assert found.success.tolist() == [True, False, True]
    assert np.isnan(found.residual[1]).all()
    moved = q.copy()
    moved[:, 1:] = np.nan  # where joints that move are does not count
    np.testing.assert_array_equal(arm(p, at=moved).q, arm(p, at=q).q)


@pytest.mark.slow
def test_no_call_compiles_again(arm):
    from kinetree.compiler import machine_code

    q, p = places(2)
    arm(p[0], at=q[0])
    before = machine_code.object_code

    def refused(*_, **__):
        raise AssertionError("compiled")

    machine_code.object_code = refused
    try:
        assert arm(p[1], at=q[1]).success
    finally:
        machine_code.object_code = before


@pytest.mark.slow
@pytest.mark.parametrize("base", [None, "l1"])
def test_a_torso_a_rail_and_several_frames(base):
    """The order of q is that of `joints`, whatever is between; also where no standing joint moves the frame."""
    robot = random_arm(8, seed=4, kinds="prr")
    names = [name for name in robot.joint_names if name not in ("j1", "j4")][::-1]
    frames = ["l8", "l6"]
    solver = kt.ik(robot, frames, base, joints=names, at="input")
    fk, rng = kt.fk(robot, frames, base), np.random.default_rng(0)
    own = [robot.joint_names.index(name) for name in names]
    q = robot.limits.sample(20, seed=1)
    T = fk(q)
    found = solver(*np.moveaxis(T, 1, 0), at=q, q0=q[:, own] + 0.01 * rng.normal(size=(20, len(own))))
    assert found.success.all()
    whole = q.copy()
    whole[:, own] = found.q
    assert np.abs(fk(whole) - T).max() < 3e-6
    by_name = solver({"l8": T[3, 0], "l6": T[3, 1]}, at=dict(zip(robot.joint_names, q[3], strict=True)), q0=q[3, own])
    np.testing.assert_array_equal(by_name.q, solver(*T[3], at=q[3], q0=q[3, own]).q)
    np.testing.assert_array_equal(solver(T[3], at=q[3], q0=q[3, own]).q, by_name.q)


@pytest.mark.slow
def test_soft_goals_and_rows():
    icub = kt.load("icub")
    names = list(icub.groups["left_arm"])
    q = icub.limits.sample(6, seed=2)
    own = [icub.joint_names.index(name) for name in names]
    fk, goals = kt.fk(icub, "l_hand"), [kt.goal.position("l_hand"), kt.goal.posture(weight=0.1)]
    p = fk(q)[:, :3, 3]
    solver = kt.ik(icub, goals, joints=names, at="input")
    found = solver(p, at=q)
    assert found.success.all()
    whole = q.copy()
    whole[:, own] = found.q
    assert np.abs(fk(whole)[:, :3, 3] - p).max() < 2e-6
    assert icub.limits.contains(whole).all()  # the tendons of the shoulder
    with pytest.raises(kt.KinetreeError, match="would couple joints that move with joints that stand"):
        kt.ik(icub, "l_hand", joints=[name for name in names if name != "l_shoulder_pitch"], at="input")


@pytest.mark.slow
def test_a_rail_that_moves_along_a_sequence(arm):
    """Each sample as a solver with the joints compiled in finds it."""
    q = RAIL.limits.project(np.linspace([1.0, 0.3, 0.8], [1.6, 0.6, 0.2], 5))
    p = FK(q)[:, :3, 3]
    path = arm.follow(p, q0=q[0, 1:], at=q)
    np.testing.assert_allclose(FK(np.c_[q[:, 0], path.q])[:, :3, 3], p, rtol=0, atol=2e-6)
    q[3:, 0] = 5.0
    path = arm.follow(p, q0=q[0, 1:], at=q)
    assert path.why.startswith("sample 3: no solution was found")
    with pytest.raises(kt.KinetreeError, match="at is missing"):
        arm.follow(p, q0=q[0, 1:])
    for targets in ((), ([0.0] * 3,)):
        with pytest.raises(kt.KinetreeError, match="derivatives need a solver without at='input'"):
            arm.derivatives(arm([1.0, 0.0, 0.0], at=q[0]), *targets)
