"""Steps of a control loop, repeated: they never take the frame farther away, and end reached or stuck."""

import numpy as np
import pytest

import kinetree as kt
from linkages import LEG_DRIVEN, cassie_leg, fourbar

PLANAR = [{"a": 0.4, "velocity": 1.0}, {"a": 0.3, "velocity": 1.0}]


def costs(solve, q, target, dt, most):
    """Squared errors of all samples after each step, and which of them ended."""
    q, ended, found = q.copy(), np.zeros(len(q), bool), []
    for _ in range(most):
        step = solve.step(q, target, dt=dt)
        found.append(np.sum(np.asarray(step.residual) ** 2, axis=-1))
        q, ended = step.q, ended | step.success | step.stuck
        if ended.all():
            break
    return np.array(found), ended


@pytest.mark.slow
@pytest.mark.parametrize("velocity", [True, False])
def test_steps_towards_a_point_out_of_reach_end_near_it(velocity):
    """With speed limits the joints once shook to and fro for ever; without them they ended 1.3 m away."""
    arm = kt.chain([{**row, "velocity": 1.0} if velocity else {"a": row["a"]} for row in PLANAR], convention="dh")
    solve, rng = kt.ik(arm, "tip", goal="position"), np.random.default_rng(3)
    angle, distance = rng.uniform(-np.pi, np.pi, 60), rng.uniform(0.8, 1.2, 60)
    target = np.stack([distance * np.cos(angle), distance * np.sin(angle), 0 * angle], axis=-1)
    found, ended = costs(solve, rng.uniform(-2, 2, (60, 2)), target, 0.02, 2000)
    assert ended.all()
    assert (np.diff(found, axis=0) <= 1e-12).all()
    nearest = (distance - 0.7) ** 2
    assert np.mean(found[-1] < 1.05 * nearest + 1e-4) > 0.8  # others hang at an elbow that is stretched or folded


@pytest.mark.slow
@pytest.mark.parametrize("dt", [0.02, 1e3])
def test_steps_of_a_hand_end(dt):
    icub = kt.load("icub")
    solve, fk = kt.ik(icub, "l_hand", base="chest"), kt.fk(icub, "l_hand", base="chest")
    found, ended = costs(solve, icub.limits.sample(300, seed=1), fk(icub.limits.sample(300, seed=2)), dt, 600)
    assert ended.all()
    weighted = kt.ik(icub, "l_hand", base="chest", goal="position")
    found, ended = costs(
        weighted, icub.limits.sample(300, seed=1), fk(icub.limits.sample(300, seed=2))[:, :3, 3], dt, 600
    )
    assert ended.all()
    assert (np.diff(found, axis=0) <= 1e-12).all()


@pytest.mark.crosscheck
@pytest.mark.slow
def test_loops_that_rounding_keeps_open_by_a_little_are_closed():
    """The numbers of Cassie's file leave gaps of 2e-8 m, whatever q is."""
    cassie = kt.load("example-robot-data:cassie_v2")
    driven = [
        f"{side}-{joint}"
        for side in ("left", "right")
        for joint in ("roll-op", "yaw-op", "pitch-op", "knee-op", "knee-shin-joint", "foot-op")
    ]
    close = kt.kinematics.close(cassie, driven)
    assert cassie.limits.contains(close.start)
    made = close([0, 0, 0.5, -1, 0, -1.5] * 2)
    assert made.success
    assert 1e-9 < made.gap.max() < 1e-6
    target = kt.fk(cassie, "left-foot", driven=driven)(made.q[list(close.roles.columns)], q0=made.q)[:3, 3]
    solve = kt.ik(cassie, "left-foot", goal="position", driven=driven)
    assert solve(target, q0=made.q).success
    assert solve(target + np.array([0.01, 0.0, 0.02]), q0=made.q).success


@pytest.mark.slow
def test_the_start_of_a_leg_is_inside_its_limits():
    """Its file draws the rod and the crank in a line, and the crank outside of its range."""
    leg = kt.load(cassie_leg(), format="mjcf")
    close = kt.kinematics.close(leg, LEG_DRIVEN)
    assert leg.limits.contains(close.start)
    assert close(close.start[list(close.roles.columns)]).success


def test_a_start_outside_of_the_limits_is_not_taken():
    """Drawn with its crank at 0, whose range begins at 0.5; the loop is closed there all the same."""
    text = fourbar(more='range="0.5 2" limited="true"')
    bars = kt.load(text.replace("<mujoco>", '<mujoco><compiler angle="radian"/>', 1), format="mjcf")
    close = kt.kinematics.close(bars, ["crank"])
    assert bars.limits.contains(close.start)
    assert close([0.5]).success
