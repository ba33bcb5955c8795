"""Inverse kinematics with joints that have quaternions: floating bases, balls; and planar and universal joints."""

from functools import partial

import numpy as np
import pytest

import kinetree as kt
from kinetree.algorithms.goals import Goal
from kinetree.algorithms.tangent import Loose, turned_anew
from kinetree.algorithms.tracking import REPORT, returning_step, tracking_step
from kinetree.model.limits import Limits
from kinetree.model.tree import build_tree
from kinetree.solvers.ik.problem import reach_of
from random_arms import on, random_arm
from support import random_q

HELD = ["l_foot", "r_foot", "l_hand"]
BALL = """<mujoco><worldbody><body name="arm"><joint name="ball" type="ball"/><geom size="0.1"/>
<body name="fore" pos="0 0 1"><joint name="hinge" axis="1 0 0" range="-60 60"/><geom size="0.1"/>
<site name="tip" pos="0 0 1"/></body></body></worldbody></mujoco>"""


@pytest.fixture(scope="module")
def walker() -> kt.Robot:
    return on(kt.load("icub"), "floating")


def configurations(robot: kt.Robot, count: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return robot.limits.project(np.array([random_q(robot, rng) for _ in range(count)]))


def unit(robot: kt.Robot, q: np.ndarray) -> None:
    for name, where in robot.q_slices.items():
        if place := robot.joints[name].kind.quaternion:
            np.testing.assert_allclose(np.linalg.norm(q[..., where][..., place], axis=-1), 1.0, rtol=0, atol=1e-15)


@pytest.mark.slow
@pytest.mark.nightly
def test_a_walker_reaches_with_its_feet_held(walker):
    """Two feet and a hand at once, far from where the search begins, too."""
    ik, fk = kt.ik(walker, HELD), kt.fk(walker, HELD)
    assert ik.coordinate_names[:7] == tuple(f"base_joint.{x}" for x in ("x", "y", "z", "qx", "qy", "qz", "qw"))
    q = configurations(walker, 100)
    q[:, [where.start for name, where in walker.q_slices.items() if name != "base_joint"]] *= 0.9
    q[:, walker.q_slices["base_joint"].start + np.arange(3)] *= np.linspace(0, 100, 100)[:, None]
    T = fk(q)
    result = ik(*np.moveaxis(T, 1, 0))
    assert result.success.all()
    assert walker.limits.contains(result.q).all()
    unit(walker, result.q)
    here = fk.interpret(result.q)
    assert np.linalg.norm((here - T)[..., :3, 3], axis=-1).max() <= 1e-6 * (1 + 1e-3)
    np.testing.assert_array_equal(ik(*T[7]).q, result.q[7])
    # begun at the answer, it is the answer; the sign of a quaternion is that of the start
    begun = q[3].copy()
    begun[walker.q_slices["base_joint"].start + 3 + np.arange(4)] *= -2.0
    again = ik(*T[3], q0=begun)
    assert again.iterations == 1
    begun[walker.q_slices["base_joint"].start + 3 + np.arange(4)] /= 2.0
    np.testing.assert_allclose(again.q, begun, rtol=0, atol=1e-15)


@pytest.mark.slow
def test_feet_stay_while_the_hand_moves(walker):
    """In a control loop, which is stuck where the hand cannot follow, and leaves for another start."""
    ik, fk = kt.ik(walker, HELD), kt.fk(walker, HELD)
    q = walker.limits.project(walker.q({"l_knee": -40, "r_knee": -40, "l_elbow": 40}, unit="deg"))
    feet, hand = fk(q)[:2], fk(q)[2].copy()
    hand[:3, 3] += [0.05, 0.02, -0.03]
    begin = q
    for _ in range(30):
        here = ik.step(q, *feet, hand, dt=0.01)
        q = here.q
        unit(walker, q)
    assert here.success
    assert not here.stuck
    assert np.abs(fk(q)[:2] - feet).max() < 2e-6
    hand[2, 3] += 3.0
    for _ in range(200):
        here = ik.step(q, *feet, hand, dt=0.01)
        q = here.q
    assert here.stuck
    assert not here.success
    again = ik.step(q, *feet, hand, dt=0.01)  # as near as it comes from there, inside the limits
    np.testing.assert_allclose(again.q, here.q, rtol=0, atol=1e-3)
    assert walker.limits.contains(again.q)
    assert np.linalg.norm(fk(q)[:, :3, 3] - [*(T[:3, 3] for T in (*feet, hand))], axis=1).max() < 2.1
    assert repr(here).startswith("IKStep: stuck, ")
    assert here.residual[0] > 1.0
    here = ik.step(q, *feet, hand, dt=0.01, restart=begin)
    np.testing.assert_allclose(kt.dynamics.difference(walker)(here.q, begin), 0.0, rtol=0, atol=1e-12)


@pytest.mark.slow
def test_posture_and_solutions_of_a_walker(walker):
    ik, fk = kt.ik(walker, HELD[:2]), kt.fk(walker, HELD[:2])
    q = walker.limits.project(0.5 * configurations(walker, 6))
    T = fk(q)
    plain, near = ik(*np.moveaxis(T, 1, 0)), ik(*np.moveaxis(T, 1, 0), prefer=q)
    assert plain.success.all()
    assert near.success.all()
    apart = [np.linalg.norm(kt.dynamics.difference(walker)(one.q, q), axis=-1) for one in (plain, near)]
    assert (apart[1] <= apart[0]).all()
    assert apart[1].mean() < 0.9 * apart[0].mean()
    several = ik.solutions(*T[0], most=5)
    assert several.mask.all()
    np.testing.assert_allclose(fk(several.q), np.broadcast_to(T[0], (5, 2, 4, 4)), rtol=0, atol=2e-6)


@pytest.mark.parametrize("kind", ["floating", "ball", "planar", "universal"])
@pytest.mark.slow
@pytest.mark.sampled(3)
def test_an_arm_on_each_joint(kind):
    axes = {"planar": ((0.0, 0.0, 1.0),), "universal": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))}
    robot = on(random_arm(3, seed=4), kind, axes=np.array(axes.get(kind, np.zeros((0, 3)))))
    for frame, base in (("l3", "world"), ("world", "l2")):
        ik, fk, q = kt.ik(robot, frame, base), kt.fk(robot, frame, base), configurations(robot, 40)
        T = fk(q)
        result = ik(T)
        assert result.success.mean() >= 0.95
        unit(robot, result.q)
        off = np.abs(fk.interpret(result.q) - T)[result.success]
        assert off.max() <= 2e-6
        far = T.copy()
        far[:, :3, 3] += 100.0
        beyond = ik(far)
        assert beyond.success.mean() >= 0.95 if kind == "floating" else not beyond.success.any()
        unit(robot, beyond.q)


def test_what_has_no_meaning_is_refused(walker):
    ik, zero = kt.ik(walker, "l_foot"), walker.q()
    place = walker.q_slices["base_joint"]
    zero[place] = 0.0
    for name, call in (("q0", lambda T: ik(T, q0=zero)), ("q", lambda T: ik.step(zero, T, dt=0.1))):
        with pytest.raises(kt.KinetreeError, match=f"{name} has a quaternion of length zero"):
            call(np.eye(4))
    limits = walker.limits
    lower = limits.lower.copy()
    lower[place.start + 3] = -1.0
    turned = Limits(limits.coordinate_names, lower, limits.upper, limits.G, limits.h, limits.row_names)
    with pytest.raises(kt.KinetreeError, match=r"limits on base_joint\.qx, of joints with quaternions"):
        kt.ik(walker, "l_foot", limits=turned)


def test_a_step_moves_no_coordinate_further_than_its_stride():
    """With a ball, whose quaternion has a number more than its motions, and a hinge between limits; on floats."""
    robot = kt.load(BALL, format="mjcf")
    problem, inside = reach_of(robot, robot.limits, [Goal("position", "tip", "world")], (1e-6, 1e-6), 4)
    assert problem.columns.tolist() == [4, 0, 1, 2, 3]
    fk, start = kt.fk(robot, "tip").interpret, robot.q({"hinge": 0.4})
    q, far = start[problem.columns], np.array([0.3, 1.0, 0.7])
    for strides, most in (([0.01, 0.02, 0.03, 0.04], 1.0), ([1.0, 0.05, 1.0, 1.0], 1.0), ([9.0] * 4, 0.99)):
        step = partial(tracking_step, build_tree(robot), problem, q, inside.bounds_now, np.array(strides))
        report = step(far)
        moved = problem.moved(start, report[REPORT:])
        v = kt.dynamics.difference(robot).interpret(start, moved)[problem.rates]
        share = (np.abs(v) / strides).max()
        assert share <= 1.0 + 1e-9
        assert share == pytest.approx(1.0, abs=1e-6) or most < 1.0
        before, after = (np.linalg.norm(fk(x)[:3, 3] - far) for x in (start, moved))
        assert after < before
        np.testing.assert_allclose(report[2], after**2, rtol=1e-9)
        back = returning_step(build_tree(robot), problem, report[REPORT:], np.array(strides), q, far)
        np.testing.assert_allclose(back[REPORT:], q, rtol=0, atol=1e-12)


def test_random_turns_are_uniform():
    """The mean of R and of its squares, over all starts, are those of the Haar measure."""
    uniform = np.random.default_rng(0).random((3, 20_000))
    q = np.array(turned_anew([Loose("ball", 0, 0)], np.array([0.0, 0.0, 0.0, 1.0]), np.ones(20_000), uniform))
    np.testing.assert_allclose(np.linalg.norm(q, axis=0), 1.0, rtol=0, atol=1e-15)
    np.testing.assert_allclose(q @ q.T / 20_000, np.eye(4) / 4, rtol=0, atol=0.01)
    kept = np.array(turned_anew([Loose("ball", 0, 0)], np.array([0.0, 0.0, 0.0, 1.0]), 2.0, uniform[:, 0]))
    np.testing.assert_array_equal(kept, [0.0, 0.0, 0.0, 1.0])


@pytest.mark.slow
def test_a_tight_tolerance_is_reached_from_the_start():
    """Steps shorter than 1e-11 rad lead on if the tolerance is shorter still; another start would end far away."""
    robot = on(random_arm(1, seed=1), "floating")
    integrate, fk = kt.dynamics.integrate(robot), kt.fk(robot, "l1")
    q = integrate(robot.q(), np.random.default_rng(2).uniform(-0.5, 0.5, robot.nv))
    v = np.concatenate([s * np.eye(robot.nv) for s in (1e-6, -1e-5, 3e-5, 1e-4)])
    found = kt.ik(robot, "l1", tolerance=(1e-11, 1e-11))(fk(integrate(q, v)), q0=q)
    assert found.success.all()
    assert np.abs(found.q - q).max() < 2e-4
