"""How much a guard that brakes gives away, against the best that any stop allows, found by a quadratic program."""

import numpy as np
import pytest

import kinetree as kt

pytestmark = pytest.mark.crosscheck
ACCELERATION, DT, WALKERS, EVERY, ROUNDS = 10.0, 0.02, 400, 40, 40


def best(solvers, A, room, qd, wanted):
    """The velocity (3,) nearest to the one wanted from which joints can stop inside, each joint on its own."""
    steps = int(np.ceil(np.abs(qd).max() / ACCELERATION / DT)) + 3
    program = solvers.MathematicalProgram()
    v = program.NewContinuousVariables(steps, 3)
    most = ACCELERATION * DT
    program.AddQuadraticErrorCost(np.eye(3), wanted, v[0])
    program.AddBoundingBoxConstraint(qd - most, qd + most, v[0])
    program.AddBoundingBoxConstraint(0.0, 0.0, v[-1])
    for k in range(steps):
        rows = np.hstack([A] * (k + 1)) * DT
        program.AddLinearConstraint(rows, np.full(len(room), -np.inf), room, v[: k + 1].ravel())
        if k:
            change = np.hstack([np.eye(3), -np.eye(3)])
            program.AddLinearConstraint(change, np.full(3, -most), np.full(3, most), np.r_[v[k], v[k - 1]])
    result = solvers.ClarabelSolver().Solve(program)
    assert result.is_success()
    return result.GetSolution(v)[0]


def test_what_a_straight_stop_gives_away_at_the_tendons():
    """The iCub's shoulder is pressed against its tendons. In units of the velocity that joints gain in one step, the
    guard's velocity is 1.25 away from the one asked for, in the mean of 400 cases; the best possible one 0.51."""
    solvers = pytest.importorskip("pydrake.solvers")
    icub = kt.load("icub", limits="tendons")
    guard = kt.guard(icub, "left_arm", acceleration=ACCELERATION)
    where = [icub.q_slices[name].start for name in guard.joints]
    shoulder, limits = where[:3], icub.limits
    about = limits.G[:, shoulder].any(axis=1)
    A = np.vstack([np.eye(3), -np.eye(3), limits.G[about][:, shoulder]])
    b = np.r_[limits.upper[shoulder], -limits.lower[shoulder], limits.h[about]]
    q = limits.sample(WALKERS, seed=1)[:, where]
    q = kt.guard(icub, "left_arm")(q, q, 0.0).command
    qd, rng = np.zeros_like(q), np.random.default_rng(0)
    push, given_away = rng.normal(size=q.shape), []
    for k in range(ROUNDS):
        command = q + (qd + 2.0 * push) * DT
        found = guard(q, command, DT, qd)
        for i in range(k % EVERY, WALKERS, EVERY):
            now, most = qd[i, :3], ACCELERATION * DT
            wanted = np.clip((command - q)[i, :3] / DT, now - most, now + most)
            nearest = best(solvers, A, b - A @ q[i, :3], now, wanted)
            off = [np.linalg.norm(v - wanted) / most for v in (found.velocity[i, :3], nearest)]
            assert off[0] >= off[1] - 1e-5  # the best is the best
            given_away.append(off)
        q, qd = found.command, found.velocity
        push = np.where(rng.random((WALKERS, 1)) < 0.05, rng.normal(size=push.shape), push)
    guarded, possible = np.mean(given_away, axis=0)
    assert len(given_away) == 400
    assert possible == pytest.approx(0.51, abs=0.1)
    assert guarded == pytest.approx(1.25, abs=0.1)
