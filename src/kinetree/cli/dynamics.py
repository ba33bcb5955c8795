"""`kinetree dynamics`: torques, mass matrix, centre of mass, and what sensors read."""

from collections.abc import Sequence
from typing import Any

import click
import numpy as np

from kinetree.cli._findings import print_findings
from kinetree.cli._help import kinetree_command, option
from kinetree.cli._joints import with_joints
from kinetree.cli._model import (
    assignments,
    configuration,
    joint_values,
    json_option,
    loops_option,
    rates,
    robot_argument,
)
from kinetree.cli._output import print_json
from kinetree.cli._page import print_page
from kinetree.errors import KinetreeError, fail
from kinetree.model.robot import Robot, Sensor
from kinetree.queries import dynamics, momentum, sensors
from kinetree.queries.force_sensors import FORCES
from kinetree.queries.options import GRAVITY
from kinetree.spatial.se3 import Array
from kinetree.viewing import force_tables as tables

SCHEMA = 1
"""Version of the JSON, as that of `kinetree inspect`."""


@kinetree_command("Compute", "kinetree dynamics arm.urdf --q elbow=90 --deg")
@robot_argument
@with_joints()
@joint_values("q")
@assignments("--qd", "qd", "JOINT=VALUE", "Velocity of a joint (m/s, rad/s), such as elbow=1; others are zero.")
@assignments("--qdd", "qdd", "JOINT=VALUE", "Acceleration of a joint (m/s², rad/s²): print the torques of this motion.")
@assignments("--tau", "tau", "JOINT=VALUE", "Torque of an actuator (N, N m): print the accelerations that it causes.")
@option("--gravity X Y Z", "Gravity in the axes of the root link, m/s².", nargs=3, type=float, default=GRAVITY)
@option("--friction", "Add the Coulomb friction of the joints; needs --qd.")
@loops_option
@option("--deg", "Read angles in --q, --qd and --qdd in degrees.", "in_degrees")
@option("--all", "Print all inertial sensors, however many.", "everything")
@json_option
def command(
    robot: Robot,
    q: dict[str, str],
    qd: dict[str, str],
    qdd: dict[str, str],
    tau: dict[str, str],
    gravity: tuple[float, float, float],
    friction: bool,
    loops: str,
    in_degrees: bool,
    everything: bool,
    as_json: bool,
) -> None:
    """Print torques against gravity, the mass matrix and sensors.

    Torques against gravity are those that keep MODEL at rest at --q. With --qd, --qdd or --tau, print the
    torques or accelerations of this motion too; sensors then read this motion."""
    if tau and qdd:
        raise click.UsageError("--tau gives accelerations and --qdd takes them; only one of them is legal")
    if friction and not qd:
        raise click.UsageError("--friction means nothing without --qd; at rest there is no friction")
    at = configuration(robot, q, in_degrees)
    given = {"qd": qd, "qdd": qdd, "tau": tau}
    v, a, t = (rates(robot, f"--{key}", given[key], in_degrees and key != "tau") for key in given)
    options: dict[str, Any] = {"gravity": gravity, "loops": loops}
    moving = {**options, "friction": friction}
    answers: dict[str, Array] = {
        "gravity_torques": dynamics.gravity_torques(robot, **options).interpret(at),
        "mass_matrix": dynamics.mass_matrix(robot, loops=loops).interpret(at),
        "center_of_mass": momentum.center_of_mass(robot).interpret(at),
    }
    if tau:
        a = answers["accelerations"] = dynamics.forward_dynamics(robot, **moving).interpret(at, v, t)
    elif qd or qdd:
        answers["torques"] = dynamics.inverse_dynamics(robot, **moving).interpret(at, v, a)
    if not all(np.isfinite(answer).all() for answer in answers.values()):
        raise fail("overflow", "the forces are not finite; expected numbers that keep them so", element="--q")
    read = {
        sensor.name: _reading(robot, sensor, (at, v, a), options)
        for sensor in [*tables.to_read(robot, everything=everything or as_json), *tables.others(robot) * as_json]
    }
    print_findings([note for note in robot.notes if note.code == "not-computed" and gravity == GRAVITY])
    if as_json:
        print_json(_json(robot, at, gravity, answers, read))
    else:
        _print(robot, gravity, answers, read)


def _reading(robot: Robot, sensor: Sensor, motion: Sequence[Array], options: dict[str, Any]) -> tables.Reading:
    """Return the reading of a sensor by its labels, or the reason why it is not known."""
    try:
        if sensor.type in FORCES:
            kernel = sensors.sensor_reading(robot, sensor.name, **options)
        elif sensor.type in tables.INERTIAL:
            kernel = sensors.imu_reading(robot, sensor.name, gravity=options["gravity"])
        else:
            return f"is of type {sensor.type!r}, which is neither inertial nor force/torque"
        reading = dict(zip(kernel.output.labels, kernel.interpret(*motion).tolist(), strict=True))
    except KinetreeError as error:
        return error.findings[0].message
    part = {"accelerometer": "a", "gyroscope": "w", "gyro": "w", "force": "f", "torque": "m"}.get(str(sensor.type), "")
    return {label: value for label, value in reading.items() if label.startswith(part)}


def _print(robot: Robot, gravity: Sequence[float], answers: dict[str, Array], read: dict[str, tables.Reading]) -> None:
    H = answers["mass_matrix"]
    small = len(H) <= tables.SMALL
    inertia = {} if small else {"inertia": H.diagonal()}
    remark = "" if small else "inertia: diagonal of the mass matrix, SI; --json has all"
    sections = [
        tables.summary(robot, gravity, momentum.mass(robot), answers["center_of_mass"]),
        tables.torques(robot, "Gravity torques", answers["gravity_torques"], inertia, remark),
    ]
    if "torques" in answers:
        sections.append(tables.torques(robot, "Torques of the motion", answers["torques"]))
    if "accelerations" in answers:
        sections.append(tables.accelerations(robot, answers["accelerations"]))
    if small:
        sections.append(tables.matrix(robot, H))
    sections += tables.sensors(robot, read, "in motion" if answers.keys() & {"torques", "accelerations"} else "at rest")
    print_page([section for section in sections if section.rows])


def _json(
    robot: Robot, q: Array, gravity: Sequence[float], answers: dict[str, Array], read: dict[str, tables.Reading]
) -> dict[str, Any]:
    """Return the answers in SI units; docs/reference/command-line.md describes them."""
    by_name: dict[str, Any] = {
        key: dict(zip(robot.velocity_names, answers[key].tolist(), strict=True))
        for key in ("gravity_torques", "torques", "accelerations")
        if key in answers
    }
    rows = [
        {
            "name": name,
            "type": robot.sensors[name].type,
            "reading": None if isinstance(found, str) else found,
            "reason": found if isinstance(found, str) else None,
        }
        for name, found in read.items()
    ]
    return {
        "schema": SCHEMA,
        "robot": robot.name,
        "root": robot.root,
        "gravity": list(gravity),
        "q": dict(zip(robot.coordinate_names, q.tolist(), strict=True)),
        "mass": momentum.mass(robot),
        "center_of_mass": answers["center_of_mass"],
        "velocity_names": robot.velocity_names,
        "mass_matrix": answers["mass_matrix"],
        **by_name,
        "sensors": rows,
    }
