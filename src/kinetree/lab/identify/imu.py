"""Accelerations, and angular velocities, of inertial sensors that are fixed to links of a robot."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from kinetree.display import number
from kinetree.errors import fail
from kinetree.lab.identify.columns import Trajectory
from kinetree.lab.identify.poses import joint_causes, way
from kinetree.lab.identify.readings import Sensors
from kinetree.lab.identify.search import Cause
from kinetree.model.edit import add_frame, set_origins
from kinetree.model.robot import Robot
from kinetree.queries.options import GRAVITY
from kinetree.queries.origins import origins
from kinetree.queries.sensors import imu_reading
from kinetree.spatial.numbers import numbers
from kinetree.spatial.se3 import IDENTITY, Array

G = 9.80665
"""Acceleration that sensors name 1 g, m/s²."""
NOISE = np.repeat([[0.01, 0.05], [0.1, 0.5]], 3, axis=1)
"""Noise, rad/s and m/s², that is assumed at first, and from which on nothing is explained."""
FACTORS = (
    ("imu sign", np.repeat([1.0, -1.0], 3), None),
    ("imu unit", np.repeat([1.0, G], 3), 1 / G),
    ("imu unit", np.repeat([np.deg2rad(1.0), 1.0], 3), float(np.rad2deg(1.0))),
)
"""Accelerations of the other sign, in g, and angular velocities in degrees a second."""


def imus(robot: Robot, given: Any, n: int) -> Sensors:
    """Return the inertial sensors of a log of n samples; raise KinetreeError if they do not fit. The numbers of the
    kind: rows of joints (6 each), poses of the sensors in those of the model (6 each)."""
    if not isinstance(given, Mapping) or not given:
        raise fail("imu", "imu is not a mapping of frames; expected {frame: a (n, 3)}")
    placed, joints, y = robot, list[str](), np.hstack([_checked(robot, *one, n) for one in given.items()])
    for name in given:
        own = robot.sensors.get(name) if name not in robot.frames else None
        on, T = (own.frame, own.origin) if own else (name, IDENTITY)
        placed = add_frame(placed, f"{name} in {name}", on, T)
        ways = way(robot, on)
        last = max((k for k, one in enumerate(ways) if robot.joints[one].kind.nq), default=-1)
        joints += ways[: last + 1]  # of fixed ones below, the pose is that of the sensor
    if not joints:
        raise fail("imu", f"no joint moves {next(iter(given))!r}; expected a sensor below a joint that moves")
    joints, frames = list(dict.fromkeys(joints)), [f"{name} in {name}" for name in given]
    rows = np.array([*origins(placed, [*joints, *frames]).values()])
    kernels = [imu_reading(placed, one, gravity=None, origins=[*joints, *frames]) for one in frames]
    nq, k, first = robot.nq, len(joints), robot.nq + 4 + y.shape[1]
    poses = [range(i, i + 6) for i in range(first + 6 * k, first + rows.size, 6)]

    def moved(x: Array) -> Array:
        return np.asarray(rows + x[first:].reshape(-1, 6))

    def predict(x: Array, log: Trajectory) -> Array:
        at = log.q + x[:nq], log.qd, log.qdd, x[nq : nq + 3] + GRAVITY, moved(x)
        return np.hstack([kernel(*at) for kernel in kernels]) + x[nq + 3 : first - 1]

    return Sensors(
        robot,
        "imu",
        tuple(given),
        y,
        [
            *joint_causes(robot, joints, rows[:k], first),
            *(Cause("sensor pose", name, tuple(at)) for name, at in zip(given, poses, strict=True)),
        ],
        [[*at[3:]] for at in poses],
        np.full(first + rows.size, -np.inf),
        predict,
        FACTORS,
        np.tile(NOISE, len(given)),
        lambda cause, x, C: (x[list(cause.places)], C),
        lambda x: set_origins(robot, dict(zip(joints, moved(x)[:k], strict=True))),
    )


def _checked(robot: Robot, name: str, values: Any, n: int) -> Array:
    """Return readings (n, 6), nan where the log has none."""
    y = numbers(values, "argument-number", f"imu of {name} is")
    if y.shape not in ((n, 3), (n, 6)) or not np.isfinite(y).all():
        legal = f"({n}, 3) of accelerations, or ({n}, 6) with angular velocities first, finite numbers"
        raise fail("argument-shape", f"imu of {name} has shape {y.shape}; expected {legal}")
    imu_reading(robot, name)  # raises for names that are unknown
    sizes = np.median(np.linalg.norm(y.reshape(n, -1, 3), axis=-1), axis=0)
    if len(sizes) == 2 and sizes[0] > G / 2 > 2 * sizes[1]:
        what = f"imu of {name} has {number(sizes[0], 3)} in the first three columns at half of the samples"
        raise fail("imu", f"{what}; expected angular velocities, rad/s, first, then accelerations, m/s²")
    return np.hstack([np.full((n, 6 - y.shape[1]), np.nan), y])
