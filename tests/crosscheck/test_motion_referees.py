"""The fastest motions beside toppra's, and motions with limited jerk beside those of Ruckig."""

from dataclasses import replace

import numpy as np
import pytest

import kinetree as kt
from kinetree.model.assemble import build, parts_of
from kinetree.motion import point_to_point, retime, through
from support import example_robot_urdfs

pytestmark = pytest.mark.crosscheck
POINTS = 2000


def undamped(name, joints=None):
    """Return a robot without dampers, whose torques toppra does not know."""
    robot = kt.load(next(file for file in example_robot_urdfs() if file.name == f"{name}.urdf"))
    parts = parts_of(robot)
    parts.joints[:] = [replace(joint, dynamics=()) for joint in parts.joints]
    return build(parts)


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


@pytest.mark.parametrize("with_torques", [False, True], ids=["accelerations", "torques"])
@pytest.mark.parametrize("name", ["ur5_robot", "panda"])
def test_as_fast_as_toppra(name, with_torques):
    toppra = pytest.importorskip("toppra")
    toppra.setup_logging("ERROR")
    robot = undamped(name)
    velocity = np.array([robot.joints[joint].limit.velocity for joint in robot.joint_names])
    kernel, rng = kt.inverse_dynamics(robot), np.random.default_rng(3)
    paths = [through(robot, 0.4 * robot.limits.sample(5, rng) + 0.6 * robot.q(), degree=d) for d in (3, 3, 5, 5)]
    for path in paths:
        q = path(np.linspace(*path.s[[0, -1]], 400))
        torque = 1.3 * np.abs(kernel(q, 0 * q, 0 * q)).max(axis=0) + 2.0
        limits = {"velocity": velocity, "acceleration": 40.0, "torque": torque if with_torques else False}
        motion = retime(path, points=POINTS, **limits)
        rows = [
            toppra.constraint.JointVelocityConstraint(np.stack([-velocity, velocity], axis=1)),
            toppra.constraint.JointAccelerationConstraint(
                np.tile([-40.0, 40.0], (robot.nq, 1)),
                discretization_scheme=toppra.constraint.DiscretizationType.Interpolation,
            ),
            *([torque_rows(toppra.constraint, kernel, torque)] if with_torques else []),
        ]
        curve = toppra.SplineInterpolator(*sampled(path))
        grid = np.linspace(*path.s[[0, -1]], POINTS + 1)
        found = toppra.algorithm.TOPPRA(rows, curve, gridpoints=grid, solver_wrapper="seidel")
        speed = found.compute_parameterization(0, 0)[1]
        assert motion.times[-1] == pytest.approx(np.sum(2 * np.diff(grid) / (speed[1:] + speed[:-1])), rel=3e-3)
        fine = retime(path, points=POINTS, period=motion.times[-1] / (10 * POINTS + 7), **limits)
        assert np.all(np.abs(fine.qd) <= velocity * (1 + 1e-6))
        assert np.abs(fine.qdd).max() <= 40.0 * (1 + 1e-6)
        if with_torques:
            assert np.all(np.abs(kernel(fine.q, fine.qd, fine.qdd)) <= torque * (1 + 1e-6))


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
