"""The fastest motions beside toppra's, and motions with limited jerk beside those of Ruckig."""

from dataclasses import replace
from time import perf_counter

import numpy as np
import pytest

import kinetree as kt
from kinetree.model.assemble import build, parts_of
from kinetree.motion import point_to_point, retime, through
from support import at_length, example_robot_urdfs

pytestmark = pytest.mark.crosscheck
POINTS = 2000


ARMS = ("ur5_robot", "panda", "icub")


def undamped(name):
    """Return a robot without dampers, whose torques toppra does not know; of the iCub its left arm, with the coupled
    limits of its shoulder."""
    if name == "icub":
        icub = kt.load("icub", inertias="iCubGazeboV2_5")
        arm = icub.groups["left_arm"]
        return through(icub, [np.zeros(len(arm)), np.full(len(arm), 0.01)], joints=arm).robot
    robot = kt.load(next(file for file in example_robot_urdfs() if file.name == f"{name}.urdf"))
    parts = parts_of(robot)
    parts.joints[:] = [replace(joint, dynamics=()) for joint in parts.joints]
    return build(parts)


def random_paths(robot, count):
    """Return cubic and quintic splines through 3 to 6 points, all of which are inside the limits."""
    rng, found = np.random.default_rng(3), []
    while len(found) < count:
        middle = robot.limits.project(robot.q())
        points = 0.4 * robot.limits.sample(int(rng.integers(3, 7)), rng) + 0.6 * middle
        path = through(robot, points, degree=int(rng.choice([3, 5])))
        if robot.limits.margin(path(np.linspace(*path.s[[0, -1]], 500))).min() > 0.0:
            found.append(path)
    return found


def torque_rows(constraints, kernel, limit):
    """Return toppra's constraint of torques, with the coefficients of all points at once."""
    from toppra.constraint.linear_constraint import LinearConstraint, canlinear_colloc_to_interpolate

    class Torques(LinearConstraint):
        def compute_constraint_params(self, path, grid):
            q, first, second = (path(grid, order) for order in range(3))
            rest = kernel(q, 0 * q, 0 * q)
            a, b = kernel(q, 0 * q, first) - rest, kernel(q, first, second) - rest
            F, g = np.vstack([np.eye(len(limit)), -np.eye(len(limit))]), np.r_[limit, limit]
            return canlinear_colloc_to_interpolate(a, b, rest, F, g, None, None, grid, identical=True)

    made = Torques()
    made.dof, made.identical = len(limit), True
    made.set_discretization_type(constraints.DiscretizationType.Interpolation)
    return made


def compare(path, *, with_torques):
    """Return how long the fastest motion takes, relative to that of toppra, the largest excess of a limit at ten times
    as many samples, relative to the limit, and the seconds that both libraries compute."""
    import toppra

    robot, made = path.robot, toppra.constraint
    kernel = kt.inverse_dynamics(robot) if with_torques else None
    speeds = np.array([robot.joints[joint].limit.velocity for joint in robot.joint_names])
    velocity, acceleration, torque = np.where(speeds < np.inf, speeds, 2.0), 40.0 if with_torques else 10.0, False
    if with_torques:
        q = path(np.linspace(*path.s[[0, -1]], 400))
        torque = 1.3 * np.abs(kernel(q, 0 * q, 0 * q)).max(axis=0) + 2.0
    limits = {"velocity": velocity, "acceleration": acceleration, "torque": torque, "points": POINTS}
    retime(path, **limits)  # compiles
    start = perf_counter()
    motion = retime(path, **limits)
    ours = perf_counter() - start
    curve, grid = toppra.SplineInterpolator(*sampled(path)), np.linspace(*path.s[[0, -1]], POINTS + 1)
    start = perf_counter()
    rows = [
        made.JointVelocityConstraint(np.stack([-velocity, velocity], axis=1)),
        made.JointAccelerationConstraint(
            np.tile([-acceleration, acceleration], (robot.nq, 1)),
            discretization_scheme=made.DiscretizationType.Interpolation,
        ),
        *([torque_rows(made, kernel, torque)] if with_torques else []),
    ]
    found = toppra.algorithm.TOPPRA(rows, curve, gridpoints=grid, solver_wrapper="seidel")
    speed = found.compute_parameterization(0, 0)[1]
    theirs = perf_counter() - start
    ratio = motion.times[-1] / np.sum(2 * np.diff(grid) / (speed[1:] + speed[:-1]))
    fine = retime(path, period=motion.times[-1] / (10 * POINTS + 7), **limits)
    shares = [np.abs(fine.qd) / velocity, np.abs(fine.qdd) / acceleration]
    if with_torques:
        shares.append(np.abs(kernel(fine.q, fine.qd, fine.qdd)) / torque)
    assert robot.limits.margin(fine.q).min() >= -1e-9
    return ratio, max(share.max() for share in shares) - 1.0, ours, theirs


@pytest.mark.parametrize("with_torques", [False, True], ids=["accelerations", "torques"])
@pytest.mark.parametrize("name", ARMS)
def test_as_fast_as_toppra(name, with_torques):
    toppra = pytest.importorskip("toppra")
    toppra.setup_logging("ERROR")
    paths = random_paths(undamped(name), at_length(3, 200))
    found = np.array([compare(path, with_torques=with_torques) for path in paths])
    assert np.abs(found[:, 0] - 1.0).max() <= 3e-3
    assert found[:, 1].max() <= 1e-6


def sampled(path):
    """Return parameters and points of a path, so close that a spline through them is the path."""
    s = np.linspace(*path.s[[0, -1]], 4001)
    return s, path(s)


def test_jerk_as_ruckig():
    ruckig = pytest.importorskip("ruckig")
    arm, rng = kt.chain("Rz(q1) tx(1)"), np.random.default_rng(1)
    for _ in range(200):
        v, a, j, way = 10 ** rng.uniform([-1.5, -1.5, -1.5, -1.5], [1.5, 1.5, 1.5, 1.0])
        given, other = ruckig.InputParameter(1), ruckig.Trajectory(1)
        given.current_position, given.target_position = [0.0], [way]
        given.max_velocity, given.max_acceleration, given.max_jerk = [v], [a], [j]
        ruckig.Ruckig(1).calculate(given, other)
        limits = {"velocity": v, "acceleration": a, "jerk": j}
        motion = point_to_point(arm, [0.0], [way], profile="jerk", period=other.duration / 20, **limits)
        assert motion.times[-1] == pytest.approx(other.duration, rel=1e-9)
        for t, q in zip(motion.times, motion.q[:, 0], strict=True):
            assert q == pytest.approx(other.at_time(min(t, other.duration))[0][0], abs=1e-7 * way)
