"""Wrenches that force/torque sensors of joints read, of the links beyond them."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from kinetree.errors import fail, unknown_name
from kinetree.lab.identify.columns import Trajectory, carriers
from kinetree.lab.identify.efforts import inertia_of
from kinetree.lab.identify.poses import joint_causes, way
from kinetree.lab.identify.readings import Sensors
from kinetree.lab.identify.search import Cause
from kinetree.lab.identify.torques import UNEXPLAINED, in_units
from kinetree.model.edit import add_sensor, set_inertial_parameters
from kinetree.model.robot import Robot
from kinetree.queries.force_sensors import MUJOCO, Meter, meter_of
from kinetree.queries.forces import inertial_parameters
from kinetree.queries.options import GRAVITY
from kinetree.queries.sensors import sensor_reading
from kinetree.spatial.numbers import numbers
from kinetree.spatial.se3 import Array, rotation_from_vector

NOMINAL = 0.02
"""Part of a reading that is noise, as is assumed at first."""
LIGHTEST = 0.01
"""Least part of a mass that is left."""
PLACES = {"mass": (0, 1), "centre": (1, 4), "inertia": (4, 10)}


def wrenches_of(robot: Robot, given: Any, n: int) -> Sensors:
    """Return the force/torque sensors of a log of n samples; raise KinetreeError if they do not fit. The numbers of the
    kind: ten of each body that a sensor carries (see `inertia_of`), rotation vectors of the sensors (3 each)."""
    if not isinstance(given, Mapping) or not given:
        raise fail("wrenches", "wrenches is not a mapping of sensors; expected {sensor: w (n, 6)}")
    y, meters = np.hstack([_checked(*one, n) for one in given.items()]), list[Meter]()
    for name in given:
        robot, meter = _with_meter(robot, name)
        meters.append(meter)
    sensed = {meter.joint for meter in meters}
    cuts = tuple(name for name in sensed if not robot.joints[name].kind.nq)
    bodies = {name: i for name, i in carriers(robot, cuts).items() if sensed & {*way(robot, name)}}
    if not bodies:
        raise fail("wrenches", f"no link beyond {next(iter(given))!r} has a mass; expected one that the sensor weighs")
    weights, first = _Weights(robot, meters, bodies), robot.nq + 4 + y.shape[1]
    ways = [way(robot, name) for name in (*bodies, *(meter.child for meter in meters))]
    causes = joint_causes(robot, list(dict.fromkeys(name for one in ways for name in one)))
    for name, i in weights.starts.items():
        causes += [Cause(kind, name, tuple(range(i + a, i + b))) for kind, (a, b) in PLACES.items()]
    causes += [Cause("sensor turn", name, tuple(turn)) for name, turn in zip(given, weights.turns, strict=True)]
    lower, parts = np.full(weights.turns[-1][-1] + 1, -np.inf), y.reshape(n, -1, 3)
    lower[first : weights.turns[0][0] : 10] = LIGHTEST - 1.0
    sizes = NOMINAL**2 * parts.var(axis=0).mean(axis=-1), UNEXPLAINED**2 * (parts**2).mean(axis=(0, 2))
    noise = np.sqrt(np.array(sizes)).clip(1e-9).repeat(3, axis=1)
    given_names, sign = tuple(given), ("wrench sign", np.full(6, -1.0), None)  # as if the other side were measured
    of = (weights.turns, lower, weights.predict, (sign,), noise, weights.value, weights.corrected)
    return Sensors(robot, "wrenches", given_names, y, causes, *of)


class _Weights:
    """Compute what sensors weigh. bodies: links that they carry, one for each body, with their numbers among those with
    mass. starts: places of the numbers of bodies. turns: those of sensors."""

    def __init__(self, robot: Robot, meters: list[Meter], bodies: dict[str, int]) -> None:
        options: dict[str, Any] = {"gravity": None, "parameters": True}
        self.robot, self.bodies = robot, bodies
        self.kernels = [sensor_reading(robot, one.sensor, measures=one.measures, **options) for one in meters]
        self.rows = np.array([*inertial_parameters(robot).values()])
        self.first = robot.nq + 4 + 6 * len(meters)
        self.starts = {name: self.first + 10 * k for k, name in enumerate(bodies)}
        after = self.first + 10 * len(bodies)
        self.turns = [[*range(i, i + 3)] for i in range(after, after + 3 * len(meters), 3)]

    def change(self, x: Array, link: str) -> Array:
        """Return the numbers (10,) of a body for `inertia_of`; a mass is linear here."""
        u = x[self.starts[link] : self.starts[link] + 10]
        return np.array([np.log1p(u[0]), *u[1:]])

    def inertias(self, x: Array) -> dict[str, Array]:
        """Return the inertial parameters (10,) of links that differ from those of the model."""
        changes = {name: self.change(x, name) for name in self.bodies}
        return {name: inertia_of(self.rows[self.bodies[name]], u) for name, u in changes.items() if u.any()}

    def predict(self, x: Array, log: Trajectory) -> Array:
        """Return the readings (n, 6 s) of the model."""
        P, nq = self.rows.copy(), self.robot.nq
        for name, row in self.inertias(x).items():
            P[self.bodies[name]] = row
        at = log.q + x[:nq], log.qd, log.qdd, x[nq : nq + 3] + GRAVITY, P
        pairs = [(kernel(*at).reshape(-1, 2, 3), turn) for kernel, turn in zip(self.kernels, self.turns, strict=True)]
        read = [(w @ rotation_from_vector(x[turn])).reshape(-1, 6) for w, turn in pairs]
        return np.hstack(read) + x[nq + 3 : self.first - 1]

    def value(self, cause: Cause, x: Array, C: Array) -> tuple[Array, Array]:
        """Return the value (k,) of a cause, and its covariance (k, k), in units of the model."""
        if cause.kind not in PLACES:
            return x[list(cause.places)], C
        u, row = self.change(x, cause.element), self.rows[self.bodies[cause.element]]
        found, J = in_units(row, cause.kind, u, [place - self.starts[cause.element] for place in cause.places])
        J = J / np.exp(u[0]) if cause.kind == "mass" else J
        return found, J @ C @ J.T if np.isfinite(C).all() else np.full((len(J), len(J)), np.inf)

    def corrected(self, x: Array) -> Robot:
        """Return the robot with inertias of bodies as the sensors show them."""
        return set_inertial_parameters(self.robot, self.inertias(x))


def _checked(name: str, values: Any, n: int) -> Array:
    y = numbers(values, "argument-number", f"wrenches of {name} are")
    if y.shape != (n, 6) or not np.isfinite(y).all():
        legal = f"({n}, 6), forces, then moments, finite numbers"
        raise fail("argument-shape", f"wrenches of {name} have shape {y.shape}; expected {legal}")
    return y


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
