"""Wrenches that force/torque sensors of joints read, of the links beyond them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from kinetree.compiler.kernel import Kernel
from kinetree.errors import fail, unknown_name
from kinetree.lab.identify.answer import ModelFault, fault_of
from kinetree.lab.identify.columns import Trajectory, carriers
from kinetree.lab.identify.efforts import inertia_of
from kinetree.lab.identify.poses import joint_causes, way
from kinetree.lab.identify.readings import Sensors
from kinetree.lab.identify.search import Cause, Found
from kinetree.lab.identify.torques import UNEXPLAINED, in_units
from kinetree.model.edit import add_sensor, set_inertial_parameters
from kinetree.model.robot import Robot
from kinetree.queries.force_sensors import MUJOCO, Meter, meter_of
from kinetree.queries.forces import inertial_parameters
from kinetree.queries.options import GRAVITY
from kinetree.queries.sensors import sensor_reading
from kinetree.spatial.numbers import numbers
from kinetree.spatial.se3 import Array, rotation_from_vector

LIGHTEST = 0.01
"""Least part of a mass that is left."""
NOMINAL = 0.02
"""Part of a reading that is noise, as is assumed at first."""


@dataclass(frozen=True, eq=False)
class Wrenches(Sensors):
    """Force/torque sensors, which read forces, N, and moments, N m. The numbers of the kind: ten of each body that a
    sensor carries (see `inertia_of`), the rotation vectors of the sensors (3 each)."""

    meters: tuple[Meter, ...]

    kind = "wrenches"
    word = "wrench"
    axes = 0
    centred = True

    @property
    def own(self) -> int:
        """Return how many numbers are of bodies and rotations."""
        return 10 * len(self.bodies) + 3 * len(self.names)

    @cached_property
    def bodies(self) -> dict[str, int]:
        """Return the links that the sensors carry, one for each body, with their numbers among those with mass."""
        joints = {meter.joint for meter in self.meters}
        cuts = tuple(name for name in joints if not self.robot.joints[name].kind.nq)
        return {name: i for name, i in carriers(self.robot, cuts).items() if joints & {*way(self.robot, name)}}

    @cached_property
    def _rows(self) -> Array:
        return np.array([*inertial_parameters(self.robot).values()])

    @cached_property
    def _kernels(self) -> list[Kernel]:
        options: dict[str, Any] = {"gravity": None, "parameters": True}
        return [sensor_reading(self.robot, one.sensor, measures=one.measures, **options) for one in self.meters]

    def own_causes(self) -> list[Cause]:
        """Return zeros of joints, mass, centre and inertia of bodies, and turned sensors."""
        nq = self.robot.nq
        ways = [way(self.robot, name) for name in (*self.bodies, *(meter.child for meter in self.meters))]
        found = joint_causes(self.robot, tuple(dict.fromkeys(name for one in ways for name in one)), None)
        for k, name in enumerate(self.bodies):
            for kind, (a, b) in {"mass": (0, 1), "centre": (1, 4), "inertia": (4, 10)}.items():
                found.append(Cause(kind, name, tuple(range(nq + 10 * k + a, nq + 10 * k + b))))
        return [*found, *(Cause("sensor turn", name, self.turn(i)) for i, name in enumerate(self.names))]

    def turn(self, i: int) -> tuple[int, ...]:
        """Return the places (3,) of the rotation vector of a sensor."""
        first = self.robot.nq + 10 * len(self.bodies) + 3 * i
        return (first, first + 1, first + 2)

    def _inertias(self, x: Array) -> Array:
        """Return the parameters (l, 10) of all links."""
        rows, nq = self._rows.copy(), self.robot.nq
        for k, i in enumerate(self.bodies.values()):
            if (x[nq + 10 * k : nq + 10 * k + 10]).any():
                rows[i] = inertia_of(rows[i], self._change(x, k))
        return rows

    def _change(self, x: Array, k: int) -> Array:
        """Return the numbers (10,) of a body for `inertia_of`; the mass is linear here."""
        u = x[self.robot.nq + 10 * k : self.robot.nq + 10 * k + 10].copy()
        u[0] = np.log1p(u[0])
        return u

    @property
    def lower(self) -> Array:
        """Return the least values of the numbers: masses are positive."""
        least = super().lower
        least[self.robot.nq : self.robot.nq + 10 * len(self.bodies) : 10] = LIGHTEST - 1.0
        return least

    def predicted(self, x: Array, log: Trajectory) -> Array:
        """Return the readings (n, 6 s) of the model, without a delay."""
        given = log.q + x[: self.robot.nq], log.qd, log.qdd, x[list(self.gravity)] + GRAVITY, self._inertias(x)
        found = list[Array]()
        for i, kernel in enumerate(self._kernels):
            R = rotation_from_vector(x[list(self.turn(i))])
            found.append((kernel(*given).reshape(-1, 2, 3) @ R).reshape(-1, 6))
        return np.hstack(found) + x[self.offsets]

    def factors(self) -> Iterator[tuple[str, Array, float | None]]:
        """Yield wrenches of the other sign, as if the child were measured instead of the parent."""
        yield "wrench sign", np.full(6, -1.0), None

    def fault(self, found: Found, i: int) -> ModelFault:
        """Return a fault with its value."""
        cause, places = found.causes[i], list(found.causes[i].places)
        value, C = found.fit.x[places], found.covariance[np.ix_(places, places)]
        turns = cause.kind == "zero" and self.robot.joints[cause.element].kind.angular[0]
        units = {"wrench delay": "s", "gravity": "m/s²", "zero": "rad" if turns else "m", "sensor turn": "rad"}
        units |= {"mass": "kg", "centre": "m", "inertia": "kg m²"}
        if cause.element in self.bodies and cause.kind != "zero":
            k, row = [*self.bodies].index(cause.element), self._rows[self.bodies[cause.element]]
            u, own = self._change(found.fit.x, k), [place - self.robot.nq - 10 * k for place in places]
            value, J = in_units(row, cause.kind, u, own)
            J = J / np.exp(u[0]) if cause.kind == "mass" else J
            C = J @ C @ J.T if np.isfinite(C).all() else np.full((len(J), len(J)), np.inf)
        return fault_of(found, i, value, C, units[cause.kind])

    def corrected(self, x: Array) -> Robot:
        """Return the robot with inertias of bodies as the sensors show them."""
        rows = self._inertias(x)
        return set_inertial_parameters(self.robot, {name: rows[i] for name, i in self.bodies.items()})


def wrenches_of(robot: Robot, given: Any, n: int, timed: bool) -> tuple[Wrenches, Array]:
    """Return the force/torque sensors of a log of n samples, and their readings (n, 6 s); raise KinetreeError if they
    do not fit."""
    if not isinstance(given, Mapping) or not given:
        raise fail("wrenches", "wrenches is not a mapping of sensors; expected {sensor: w (n, 6)}")
    found, meters = list[Array](), list[Meter]()
    for name, values in given.items():
        y = numbers(values, "argument-number", f"wrenches of {name} are")
        if y.shape != (n, 6) or not np.isfinite(y).all():
            legal = f"({n}, 6), forces, then moments, finite numbers"
            raise fail("argument-shape", f"wrenches of {name} have shape {y.shape}; expected {legal}")
        robot, meter = _with_meter(robot, name)
        found.append(y)
        meters.append(meter)
    Y, known = np.hstack(found), np.ones(6 * len(given), dtype=bool)
    sizes = np.sqrt((Y.reshape(n, -1, 3) ** 2).mean(axis=(0, 2))).clip(1e-9).repeat(3)
    spread = np.sqrt((Y - Y.mean(axis=0)).reshape(n, -1, 3).var(axis=(0, 2))).clip(1e-9).repeat(3)
    sensors = Wrenches(robot, tuple(given), known, timed, NOMINAL * spread, UNEXPLAINED * sizes, tuple(meters))
    if not sensors.bodies:
        raise fail("wrenches", f"no link beyond {next(iter(given))!r} has a mass; expected one that the sensor weighs")
    return sensors, Y


def _with_meter(robot: Robot, name: str) -> tuple[Robot, Meter]:
    """Return the robot with a sensor of this name, or of the joint of this name, in the axes of its child link."""
    if name in robot.joints and name not in robot.sensors:
        own = [sensor.name for sensor in robot.sensors.values() if sensor.joint == name]
        if not own:
            robot = add_sensor(robot, name, "force_torque", joint=name, measures="parent_on_child")
        name = (*own, name)[0]
    if name not in robot.sensors:
        raise unknown_name("sensor or joint", name, [*robot.sensors, *robot.joints])
    sensor = robot.sensors[name]
    says = sensor.type in MUJOCO or (sensor.force_torque and sensor.force_torque.measures)
    return robot, meter_of(robot, name, None if says else "parent_on_child")
