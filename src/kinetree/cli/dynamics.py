"""`kinetree dynamics`: torques, mass matrix, centre of mass, and what sensors read."""

from collections.abc import Iterable
from typing import Any

import click
import numpy as np

from kinetree.cli._json import print_json
from kinetree.cli._model import assignments, configuration, json_option, rates, robot_argument
from kinetree.cli._page import print_page
from kinetree.errors import fail
from kinetree.model.robot import Robot
from kinetree.queries import dynamics, momentum
from kinetree.queries.forces import GRAVITY
from kinetree.spatial.se3 import Array
from kinetree.viewing import force_tables as tables
from kinetree.viewing.section import Section

SCHEMA = 1
"""Version of the JSON, as that of `kinetree inspect`."""


@click.command()
@robot_argument
@assignments("--q", "q", "JOINT=VALUE", "A joint's coordinate (m, rad), or several as 1,2,3; the others stay neutral.")
@assignments("--qd", "qd", "JOINT=VALUE", "A joint's velocity (m/s, rad/s); the others are zero.")
@assignments("--qdd", "qdd", "JOINT=VALUE", "A joint's acceleration (m/s², rad/s²): print the torques of the motion.")
@assignments("--tau", "tau", "JOINT=VALUE", "An actuator's torque (N, N m): print the accelerations that follow.")
@click.option(
    "--gravity",
    nargs=3,
    type=float,
    metavar="X Y Z",
    default=GRAVITY,
    help="In the root's axes, m/s².",
    show_default=True,
)
@click.option("--loops", type=click.Choice(["refuse", "ignore"]), default="refuse", help="If joints close loops.")
@click.option("--deg", "in_degrees", is_flag=True, help="Angles in --q, --qd and --qdd are in degrees.")
@json_option
def command(
    robot: Robot,
    q: dict[str, str],
    qd: dict[str, str],
    qdd: dict[str, str],
    tau: dict[str, str],
    gravity: tuple[float, float, float],
    loops: str,
    in_degrees: bool,
    as_json: bool,
) -> None:
    """Print what the joints of MODEL carry at one configuration: gravity torques beside the limits of effort, mass
    matrix, centre of mass, and what sensors read at rest.

    With --qd, --qdd or --tau also the torques or accelerations of that motion.
    """
    if tau and qdd:
        raise click.UsageError("--tau gives accelerations and --qdd takes them; only one of them is legal")
    at = configuration(robot, q, in_degrees)
    motion = {
        name: rates(robot, f"--{name}", values, in_degrees and name != "tau")
        for name, values in (("qd", qd), ("qdd", qdd), ("tau", tau))
    }
    options: dict[str, Any] = {"gravity": gravity, "loops": loops}
    answers = {
        "gravity_torques": dynamics.gravity_torques(robot, **options).interpret(at),
        "mass_matrix": dynamics.mass_matrix(robot, loops=loops).interpret(at),
        "center_of_mass": momentum.center_of_mass(robot).interpret(at),
    }
    if tau:
        kernel = dynamics.forward_dynamics(robot, **options)
        answers["accelerations"] = kernel.interpret(at, motion["qd"], motion["tau"])
    elif qd or qdd:
        kernel = dynamics.inverse_dynamics(robot, **options)
        answers["torques"] = kernel.interpret(at, motion["qd"], motion["qdd"])
    if not all(np.isfinite(answer).all() for answer in answers.values()):
        raise fail("overflow", "the forces are not finite; legal are numbers that keep them so", element="--q")
    if as_json:
        print_json(_json(robot, at, gravity, answers))
    else:
        print_page(_page(robot, gravity, answers))


def _page(robot: Robot, gravity: Iterable[float], answers: dict[str, Array]) -> list[Section]:
    H = answers["mass_matrix"]
    small = len(H) <= tables.SMALL
    sections = [
        tables.summary(robot, gravity, momentum.mass(robot), answers["center_of_mass"]),
        tables.torques(
            robot,
            "Gravity torques",
            answers["gravity_torques"],
            {} if small else {"inertia": H.diagonal()},
            "" if small else "inertia: diagonal of the mass matrix, SI; --json has all",
        ),
    ]
    if "torques" in answers:
        sections.append(tables.torques(robot, "Torques of the motion", answers["torques"], {}))
    if "accelerations" in answers:
        sections.append(tables.accelerations(robot, answers["accelerations"]))
    return [section for section in [*sections, *([tables.matrix(robot, H)] if small else [])] if section.rows]


def _json(robot: Robot, q: Array, gravity: Iterable[float], answers: dict[str, Array]) -> dict[str, Any]:
    """Return the answers in SI units; docs/command-line.md describes them."""
    by_name: dict[str, Any] = {
        key: dict(zip(robot.velocity_names, answers[key].tolist(), strict=True))
        for key in ("gravity_torques", "torques", "accelerations")
        if key in answers
    }
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
    }
