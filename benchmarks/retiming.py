"""The fastest motions along paths of a UR5, beside toppra's with the interpolation scheme.

    pip install toppra
    python benchmarks/retiming.py [--count 192] [--runs 5]

Each path is a quintic spline through five points, with 200 and with 2,000 intervals. Limits are of velocity and
acceleration, then of torque too, each joint's 1.3 times the weight and 2 N m more. toppra has its constraint of torques
with `pinocchio.rnea`, as its pages do it; it asks point by point. Kinetree takes one path, and all of them in one call,
on one thread and on two. toppra takes the first four, and has no threads. Runs are interleaved, and the fastest of each
counts. Durations must agree to 0.3 % with 2,000 intervals.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from machine import ONE_THREAD, asked, describe

os.environ.update(ONE_THREAD)

import numpy as np
import pinocchio as pin
import toppra
from toppra import constraint

import kinetree as kt
from kinetree.model.assemble import build, parts_of

URDF = "cmeel.prefix/share/example-robot-data/robots/ur_description/urdf/ur5_robot.urdf"
ACCELERATION = 10.0
FEW = 4
"""Paths that toppra takes."""


def main() -> None:
    toppra.setup_logging("ERROR")
    count, runs = asked(__doc__, 192, 5, quick=4)
    print(describe("kinetree", "toppra", "pin", "numpy"), end="\n\n")
    columns = ("one, ms", "in a batch, ms", "two threads, ms", "toppra, ms", "toppra / batch", "toppra / two")
    print(f"{'intervals, limits':24}" + "".join(f"{column:>16}" for column in columns))
    arm, model = loaded()
    paths = random_paths(arm, count)
    for points in (200, 2000):
        for with_torques in (False, True):
            one, batch, two, other = measured(paths, model, points, runs, with_torques=with_torques)
            label = f"{points:,}, {'with' if with_torques else 'without'} torques"
            row = (1e3 * one, 1e3 * batch, 1e3 * two, 1e3 * other, other / batch, other / two)
            print(f"{label:24}" + "".join(f"{value:16.3g}" for value in row), flush=True)


def loaded() -> tuple[kt.Robot, pin.Model]:
    """A UR5 without dampers, whose torques toppra does not know; and Pinocchio's model of it."""
    file = next(Path(root) / URDF for root in sys.path if (Path(root) / URDF).is_file())
    parts = parts_of(kt.load(file))
    parts.joints[:] = [replace(joint, dynamics=()) for joint in parts.joints]
    arm = build(parts)
    with tempfile.TemporaryDirectory() as folder:
        kt.save(arm, Path(folder) / "arm.urdf")
        return arm, pin.buildModelFromUrdf(str(Path(folder) / "arm.urdf"))


def random_paths(arm: kt.Robot, count: int) -> list[kt.motion.Path]:
    rng = np.random.default_rng(3)
    middle = arm.limits.project(arm.q())
    found: list[kt.motion.Path] = []
    while len(found) < count:
        path = kt.motion.through(arm, 0.4 * arm.limits.sample(5, rng) + 0.6 * middle, degree=5)
        if arm.limits.margin(path(np.linspace(*path.s[[0, -1]], 500))).min() > 0.0:
            found.append(path)
    return found


def measured(
    paths: list[kt.motion.Path], model: pin.Model, points: int, runs: int, *, with_torques: bool
) -> tuple[float, float, float, float]:
    """Seconds a path: of one path a call, of all in one call on one thread and on two, of toppra."""
    limits = {"acceleration": ACCELERATION, "points": points}
    if with_torques:
        weight = kt.inverse_dynamics(paths[0].robot)
        q = np.concatenate([path(np.linspace(*path.s[[0, -1]], 400)) for path in paths])
        limits["torque"] = 1.3 * np.abs(weight(q, 0 * q, 0 * q)).max(axis=0) + 2.0
    speeds = np.array([joint.limit.velocity for joint in paths[0].robot.joints.values() if joint.kind.nq])
    kt.motion.retime(paths[0], **limits)  # compiles
    best = np.full(4, np.inf)
    for _ in range(runs):
        seconds = [0.0, 0.0, 0.0, 0.0]
        for path in paths[:FEW]:
            start = time.perf_counter()
            motion = kt.motion.retime(path, **limits)
            seconds[0] += (time.perf_counter() - start) / len(paths[:FEW])
            cost, duration = by_toppra(path, model, speeds, limits)
            seconds[3] += cost / len(paths[:FEW])
            assert abs(motion.times[-1] / duration - 1.0) < 6.0 / points, (motion.times[-1], duration)
        for threads in (1, 2):
            start = time.perf_counter()
            kt.motion.retime(paths, **limits, threads=threads)
            seconds[threads] = (time.perf_counter() - start) / len(paths)
        best = np.minimum(best, seconds)
    return tuple(best.tolist())


def by_toppra(path: kt.motion.Path, model: pin.Model, speeds: np.ndarray, limits: dict) -> tuple[float, float]:
    """Seconds that toppra takes, and the duration that it finds."""
    s = np.linspace(*path.s[[0, -1]], 4001)
    curve, grid = toppra.SplineInterpolator(s, path(s)), np.linspace(*path.s[[0, -1]], limits["points"] + 1)
    scheme = constraint.DiscretizationType.Interpolation
    data = model.createData()
    start = time.perf_counter()
    rows = [
        constraint.JointVelocityConstraint(np.stack([-speeds, speeds], axis=1)),
        constraint.JointAccelerationConstraint(
            np.tile([-ACCELERATION, ACCELERATION], (len(speeds), 1)), discretization_scheme=scheme
        ),
    ]
    if "torque" in limits:
        bounds = np.stack([-limits["torque"], limits["torque"]], axis=1)

        def torques(q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
            return pin.rnea(model, data, q, qd, qdd)

        rows.append(
            constraint.JointTorqueConstraint(torques, bounds, np.zeros(len(speeds)), discretization_scheme=scheme)
        )
    found = toppra.algorithm.TOPPRA(rows, curve, gridpoints=grid, solver_wrapper="seidel")
    speed = found.compute_parameterization(0, 0)[1]
    cost = time.perf_counter() - start
    return cost, float(np.sum(2 * np.diff(grid) / (speed[1:] + speed[:-1])))


if __name__ == "__main__":
    main()
