"""Tables of forces for `kinetree dynamics`: torques, mass matrix and readings of sensors."""

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from kinetree.model.robot import UNLIMITED, Robot, Sensor
from kinetree.queries.force_sensors import FORCES
from kinetree.queries.statics import WRENCH
from kinetree.spatial.se3 import Array
from kinetree.viewing.section import Section
from kinetree.viewing.tables import FEW, short, vector

SMALL = 8
"""Largest number of velocity coordinates for which the mass matrix is printed, not its diagonal alone."""
INERTIAL = ("imu", "accelerometer", "gyroscope", "gyro")
"""Types of inertial sensors."""
Reading = Mapping[str, float] | str
"""Reading of a sensor by its labels, or the reason why it is not known."""


def summary(robot: Robot, gravity: Iterable[float], mass: float, center: Array) -> Section:
    """Return mass and centre of mass (3,), m, of a robot, and the gravity (3,) that acts on it, m/s²."""
    rows = [
        ("gravity", f"{' '.join(map(short, gravity))} m/s² in {robot.root}"),
        ("mass", f"{short(mass)} kg"),
        ("centre of mass", f"{vector(center, 1000.0)} mm in {robot.root}"),
    ]
    return Section(f"Dynamics of {robot.name}", ("", ""), rows)


def torques(robot: Robot, title: str, tau: Array, more: Mapping[str, Array] = {}, remark: str = "") -> Section:
    """Return torques tau (nv,) beside the limits of effort and the part of them that is used, and more columns (nv,)
    by their headings."""
    numbers = [aligned(tau), *map(aligned, more.values())]
    rows = []
    for i, (name, unit, effort) in enumerate(_coordinates(robot)):
        used = f"{abs(tau[i]) / effort:.0%}" if 0 < effort < math.inf else "-"
        rows.append((str(i), name, numbers[0][i], unit, short(effort), used, *(column[i] for column in numbers[1:])))
    columns = (">", "joint", ">torque", "<unit", ">limit", ">used", *(f">{name}" for name in more))
    return Section(title, columns, rows, remark)


def accelerations(robot: Robot, qdd: Array) -> Section:
    """Return accelerations qdd (nv,)."""
    rows = [
        (str(i), name, number, "rad/s²" if unit == "N m" else "m/s²")
        for i, ((name, unit, _), number) in enumerate(zip(_coordinates(robot), aligned(qdd), strict=True))
    ]
    return Section("Accelerations caused by --tau", (">", "joint", ">acceleration", "<unit"), rows)


def matrix(robot: Robot, H: Array) -> Section:
    """Return the lower triangle of the mass matrix (nv, nv)."""
    cells = np.array(aligned(H.ravel(), 4, 0), dtype=object).reshape(H.shape)
    rows = [(str(i), name, *cells[i, : i + 1], *[""] * (len(H) - i - 1)) for i, name in enumerate(robot.velocity_names)]
    columns = (">", "joint", *(f">{i}" for i in range(len(H))))
    slides = any(unit == "N" for _, unit, _ in _coordinates(robot))
    units = "kg m²; kg m and kg for joints that slide" if slides else "kg m²"
    return Section("Mass matrix", columns, rows, f"{units}; symmetric")


def to_read(robot: Robot, *, everything: bool) -> list[Sensor]:
    """Return the force/torque sensors, then the inertial ones: the first of them, or all."""
    kinds = [[s for s in robot.sensors.values() if s.type in types] for types in (FORCES, INERTIAL)]
    most = len(kinds[1]) if everything or len(kinds[1]) <= FEW["sensor"] + 1 else FEW["sensor"]
    return [*kinds[0], *kinds[1][:most]]


def others(robot: Robot) -> list[Sensor]:
    """Return the sensors that are neither inertial nor force/torque sensors, whose readings are not computed."""
    return [sensor for sensor in robot.sensors.values() if sensor.type not in (*FORCES, *INERTIAL)]


def sensors(robot: Robot, read: Mapping[str, Reading], state: str) -> list[Section]:
    """Return the readings of sensors by their labels, and the sensors that are not read with the reasons.

    state: "at rest" or "in motion".
    """
    unread = [(name, why) for name, why in read.items() if isinstance(why, str)]
    known = {name: values for name, values in read.items() if not isinstance(values, str)}
    forces = {name: values for name, values in known.items() if robot.sensors[name].type in FORCES}
    inertial = {name: values for name, values in known.items() if name not in forces}
    more = len(to_read(robot, everything=True)) - len(read)
    remark = f"rad/s, m/s²; --all adds {more}" if more else "rad/s, m/s²"
    if names := ", ".join(sensor.name for sensor in others(robot)):
        unread.append(("others", f"neither inertial nor force/torque: {names}"))
    return [
        _readings(f"Force/torque sensors {state}", WRENCH, forces, "N, N m"),
        _readings(f"Inertial sensors {state}", ("wx", "wy", "wz", "ax", "ay", "az"), inertial, remark),
        Section("Sensors that cannot be read", ("<sensor", "why"), unread),
    ]


def _readings(title: str, labels: Sequence[str], read: Mapping[str, Mapping[str, float]], remark: str) -> Section:
    """Return a table in which the first three columns have the same decimals, and so have the last three."""
    cells: dict[tuple[str, str], str] = {}
    for half in (labels[:3], labels[3:]):
        places = [(name, label) for name, values in read.items() for label in half if label in values]
        cells.update(zip(places, aligned(np.array([read[name][label] for name, label in places])), strict=True))
    rows = [(name, *(cells.get((name, label), "") for label in labels)) for name in read]
    return Section(title, ("sensor", *(f">{label}" for label in labels)), rows, remark)


def efforts(robot: Robot) -> list[float]:
    """Return the limit of effort of each velocity coordinate, N or N m; inf without one."""
    joints = [robot.joints[name] for name in robot.joint_names]
    return [(joint.limits[i : i + 1] or (UNLIMITED,))[0].effort for joint in joints for i in range(joint.kind.nv)]


def aligned(values: Array, digits: int = 5, least: int = 3) -> list[str]:
    """Return numbers with the same decimals: `digits` significant digits of the largest, `least` to six decimals."""
    largest = float(np.abs(values).max(initial=0.0))
    if largest >= 1e6:
        return [short(float(value)) for value in values]
    decimals = min(max(digits - 1 - math.floor(math.log10(largest)), least), 6) if largest else 0
    return [f"{round(float(value), decimals) + 0.0:.{decimals}f}" for value in values]


def _coordinates(robot: Robot) -> list[tuple[str, str, float]]:
    """Return name, unit of the torque, and limit of effort of each velocity coordinate."""
    kinds = [robot.joints[name].kind for name in robot.joint_names]
    units = ["N m" if angular else "N" for kind in kinds for angular in kind.velocity_angular]
    return list(zip(robot.velocity_names, units, efforts(robot), strict=True))
