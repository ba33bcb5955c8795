"""Accelerations, and angular velocities, of inertial sensors that are fixed to links of a robot."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from kinetree.compiler.kernel import Kernel
from kinetree.display import number
from kinetree.errors import fail
from kinetree.lab.identify.answer import ModelFault, fault_of
from kinetree.lab.identify.columns import Trajectory
from kinetree.lab.identify.poses import joint_causes, way
from kinetree.lab.identify.readings import Sensors
from kinetree.lab.identify.search import Cause, Found
from kinetree.model.edit import add_frame, set_origins
from kinetree.model.robot import Robot
from kinetree.queries.options import GRAVITY
from kinetree.queries.origins import origins
from kinetree.queries.sensors import imu_reading
from kinetree.spatial.numbers import numbers
from kinetree.spatial.se3 import IDENTITY, Array

G = 9.80665
"""Acceleration that sensors name 1 g, m/s²."""

NOMINAL, MOST = (0.01, 0.05), (0.1, 0.5)
"""Noise, rad/s and m/s², that is assumed at first, and from which on nothing is explained."""


@dataclass(frozen=True, eq=False)
class Imus(Sensors):
    """Inertial sensors, which read angular velocities, rad/s, and accelerations, m/s². The numbers of the kind: rows of
    joints (6 each), poses of the sensors (6 each)."""

    kind = word = "imu"
    axes = 3
    centred = False

    @property
    def own(self) -> int:
        """Return how many numbers are poses."""
        return self._rows.size

    @cached_property
    def joints(self) -> tuple[str, ...]:
        """Return the joints of which a sensor shows the pose: fixed ones below the last that moves are its own."""
        ways = [way(self.robot, self.robot.sensors[n].frame if n in self.robot.sensors else n) for n in self.names]
        ends = [max((k + 1 for k, n in enumerate(one) if self.robot.joints[n].kind.nq), default=0) for one in ways]
        return tuple(dict.fromkeys(n for one, end in zip(ways, ends, strict=True) for n in one[:end]))

    @cached_property
    def _placed(self) -> tuple[Robot, tuple[str, ...]]:
        """Return the robot with a frame for each sensor, of which the pose is in that of the model, and their names."""
        robot, added = self.robot, list[str]()
        for name in self.names:
            sensor = robot.sensors.get(name) if name not in robot.frames else None
            added.append(f"{name} in {name}")
            robot = add_frame(robot, added[-1], sensor.frame if sensor else name, sensor.origin if sensor else IDENTITY)
        return robot, tuple(added)

    @cached_property
    def _rows(self) -> Array:
        robot, added = self._placed
        return np.array([*origins(robot, [*self.joints, *added]).values()])

    @cached_property
    def _kernels(self) -> list[Kernel]:
        robot, added = self._placed
        return [imu_reading(robot, name, gravity=None, origins=[*self.joints, *added]) for name in added]

    def own_causes(self) -> list[Cause]:
        """Return zeros, lengths and poses of joints, and poses of sensors."""
        nq, k = self.robot.nq, len(self.joints)
        places = [tuple(range(i, i + 6)) for i in range(nq + 6 * k, nq + self.own, 6)]
        return [
            *joint_causes(self.robot, self.joints, self._rows[:k]),
            *(Cause("sensor pose", name, at) for name, at in zip(self.names, places, strict=True)),
        ]

    def turn(self, i: int) -> tuple[int, ...]:
        """Return the places (3,) of the rotation vector of a sensor."""
        first = self.robot.nq + 6 * (len(self.joints) + i) + 3
        return (first, first + 1, first + 2)

    def predicted(self, x: Array, log: Trajectory) -> Array:
        """Return the readings (n, 6 s) of the model, without a delay."""
        nq = self.robot.nq
        rows = self._rows + x[nq : nq + self.own].reshape(-1, 6)
        given = log.q + x[:nq], log.qd, log.qdd, x[list(self.gravity)] + GRAVITY, rows
        return np.hstack([kernel(*given) for kernel in self._kernels]) + x[self.offsets]

    def factors(self) -> Iterator[tuple[str, Array, float | None]]:
        """Yield accelerations of the other sign, in g, and angular velocities in degrees a second."""
        yield "imu sign", np.repeat([1.0, -1.0], 3), None
        yield "imu unit", np.repeat([1.0, G], 3), 1 / G
        yield "imu unit", np.repeat([np.deg2rad(1.0), 1.0], 3), float(np.rad2deg(1.0))

    def fault(self, found: Found, i: int) -> ModelFault:
        """Return a fault with its value."""
        cause, places = found.causes[i], list(found.causes[i].places)
        turns = cause.kind == "zero" and self.robot.joints[cause.element].kind.angular[0]
        units = {"imu delay": "s", "gravity": "m/s²", "zero": "rad" if turns else "m", "length": "m"}
        covariance = found.covariance[np.ix_(places, places)]
        return fault_of(found, i, found.fit.x[places], covariance, units.get(cause.kind, ""))

    def corrected(self, x: Array) -> Robot:
        """Return the robot with poses of joints as the sensors show them."""
        nq, rows = self.robot.nq, self._rows[: len(self.joints)]
        new = rows + x[nq : nq + rows.size].reshape(-1, 6)
        return set_origins(self.robot, dict(zip(self.joints, new, strict=True)))


def imus(robot: Robot, given: Any, n: int, timed: bool) -> tuple[Imus, Array]:
    """Return the inertial sensors of a log of n samples, and their readings (n, 6 s), nan where the log has none; raise
    KinetreeError if they do not fit."""
    if not isinstance(given, Mapping) or not given:
        raise fail("imu", "imu is not a mapping of frames; expected {frame: a (n, 3)}")
    found = list[Array]()
    for name, values in given.items():
        y = numbers(values, "argument-number", f"imu of {name} is")
        if y.shape not in ((n, 3), (n, 6)) or not np.isfinite(y).all():
            legal = f"({n}, 3) of accelerations, or ({n}, 6) with angular velocities first, finite numbers"
            raise fail("argument-shape", f"imu of {name} has shape {y.shape}; expected {legal}")
        sizes = np.median(np.linalg.norm(y.reshape(n, -1, 3), axis=-1), axis=0)
        if len(sizes) == 2 and sizes[0] > G / 2 > 2 * sizes[1]:
            what = f"imu of {name} has {number(sizes[0], 3)} in the first three columns at half of the samples"
            raise fail("imu", f"{what}; expected angular velocities, rad/s, first, then accelerations, m/s²")
        found.append(np.hstack([np.full((n, 6 - y.shape[1]), np.nan), y]))
        imu_reading(robot, name)  # raises for names that are unknown
    Y = np.hstack(found)
    sizes = (np.tile(np.repeat(size, 3), len(given)) for size in (NOMINAL, MOST))
    sensors = Imus(robot, tuple(given), np.isfinite(Y).all(axis=0), timed, *sizes)
    if not any(cause.kind == "zero" for cause in sensors.causes):
        raise fail("imu", f"no joint moves {next(iter(given))!r}; expected a sensor below a joint that moves")
    return sensors, np.nan_to_num(Y)
