"""Queries that `kinetree codegen` writes, and the options that have an effect on each of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, get_args

import click

from kinetree.algorithms.differential import Axes
from kinetree.algorithms.goals import GOALS
from kinetree.compiler.kernel import Kernel
from kinetree.errors import fail
from kinetree.model.force_torque import MEASURES
from kinetree.model.robot import Robot
from kinetree.queries import configuration, derivatives, dynamics, momentum, motion, sensors, statics
from kinetree.queries import margin as limits
from kinetree.solvers.ik.stepping import ik_step

_AXES = ("base", "expressed_in")
_FORCES = ("gravity", "gravity_input", "wrenches", "parameters", "friction", "loops")
_SMOOTH = ("gravity", "gravity_input", "wrenches", "parameters", "loops")
_STATIC = ("gravity", "gravity_input", "parameters", "loops")


@dataclass(frozen=True, slots=True)
class Query:
    """A query about a robot.

    gives: the result, for the help. ask: its kernel for (robot[, subject], **options). of: the kind of its subject:
    "frame", "sensor", "dt", "sensors frames", or "" for the whole robot. options: those of `OPTIONS` with an effect.
    """

    gives: str
    ask: Callable[..., Kernel]
    of: str = ""
    options: tuple[str, ...] = ()


QUERIES = {
    "fk": Query("the pose, 4x4, of this frame", motion.fk, "frame", ("base",)),
    "jacobian": Query("the Jacobian, 6 x nv, of this frame", motion.jacobian, "frame", _AXES),
    "jacobian_dot": Query("the rate of the Jacobian, 6 x nv, of this frame", motion.jacobian_dot, "frame", _AXES),
    "hessian": Query("the derivatives of the Jacobian, nv x 6 x nv, of this frame", motion.hessian, "frame", _AXES),
    "velocity": Query("the velocity, linear then angular, of this frame", motion.velocity, "frame", _AXES),
    "acceleration": Query("the acceleration, linear then angular, of this frame", motion.acceleration, "frame", _AXES),
    "ik": Query("a step of inverse kinematics of this frame", ik_step, "frame", ("goal", "tolerance", "base", "loops")),
    "margin": Query("the distance to each limit, and the nearest", partial(limits.margin, nearest=True)),
    "point": Query("the position of a point on this frame", statics.point, "frame", ("base",)),
    "wrench": Query("a wrench in this frame, seen from the base", statics.wrench, "frame", ("base",)),
    "joint_torques": Query("the torques of a wrench on this frame", statics.joint_torques, "frame", ("base",)),
    "inverse_dynamics": Query("the torques of a motion", dynamics.inverse_dynamics, options=_FORCES),
    "forward_dynamics": Query("the accelerations that torques cause", dynamics.forward_dynamics, options=_FORCES),
    "mass_matrix": Query("the mass matrix, nv x nv", dynamics.mass_matrix, options=("packed", "parameters", "loops")),
    "gravity_torques": Query("the torques that balance weight at rest", dynamics.gravity_torques, options=_STATIC),
    "bias_torques": Query("the torques of a motion without acceleration", dynamics.bias_torques, options=_FORCES),
    "coriolis_matrix": Query(
        "the Coriolis matrix, nv x nv", derivatives.coriolis_matrix, options=("parameters", "loops")
    ),
    "energy": Query("kinetic and potential energy", momentum.energy, options=_STATIC[:3]),
    "center_of_mass": Query("the centre of mass of all links", momentum.center_of_mass, options=("parameters",)),
    "center_of_mass_jacobian": Query(
        "the Jacobian of the centre of mass, 3 x nv", momentum.center_of_mass_jacobian, options=("parameters",)
    ),
    "centroidal_momentum_matrix": Query(
        "the matrix from qd to momentum, 6 x nv", momentum.centroidal_momentum_matrix, options=("parameters",)
    ),
    "inertial_regressor": Query(
        "the matrix from inertial parameters to torques", dynamics.inertial_regressor, options=(*_STATIC[:2], "loops")
    ),
    "inverse_dynamics_derivatives": Query(
        "the derivatives of torques with respect to q and qd", derivatives.inverse_dynamics_derivatives, options=_SMOOTH
    ),
    "forward_dynamics_derivatives": Query(
        "the derivatives of accelerations with respect to q, qd, tau",
        derivatives.forward_dynamics_derivatives,
        "",
        _SMOOTH,
    ),
    "imu_reading": Query(
        "the reading of an inertial sensor in this frame", sensors.imu_reading, "frame", (*_STATIC[:2], "moving_base")
    ),
    "sensor_reading": Query(
        "the reading of this force/torque sensor",
        sensors.sensor_reading,
        "sensor",
        (*_STATIC, "wrenches", "at_rest", "measures"),
    ),
    "external_wrench": Query(
        "the wrench of a contact on each of these frames, from the readings of these sensors, both A or A,B,…",
        sensors.external_wrench,
        "sensors frames",
        (*_STATIC, "measures", "moving_base"),
    ),
    "step": Query("q and qd after this time, s", dynamics.step, "dt", _FORCES),
    "integrate": Query("the configuration that v reaches from q in unit time", configuration.integrate),
    "difference": Query("the v that leads from q to q2 in unit time", configuration.difference),
}
"""Queries by the name of their option."""

OPTIONS: dict[str, Callable[..., Any]] = {
    "base": click.option(
        "--base", metavar="FRAME", help="The frame in which answers are expressed; by default the root link."
    ),
    "goal": click.option(
        "--goal", type=click.Choice([*GOALS]), help="What a step of inverse kinematics reaches; by default a pose."
    ),
    "tolerance": click.option(
        "--tolerance", nargs=2, type=float, metavar="M RAD", help="When it is reached.  [default: 1e-6 1e-6]"
    ),
    "expressed_in": click.option(
        "--expressed-in",
        type=click.Choice(get_args(Axes)),
        help="The axes of all but poses: those of the base, which is the default, or of the frame itself.",
    ),
    "gravity": click.option(
        "--gravity", nargs=3, type=float, metavar="X Y Z", help="In the root's axes, m/s².  [default: 0 0 -9.81]"
    ),
    "gravity_input": click.option("--gravity-input", is_flag=True, help="Gravity is an input of the functions."),
    "wrenches": click.option(
        "--wrench",
        "wrenches",
        metavar="FRAME",
        multiple=True,
        help="A frame on which a wrench acts from outside, which is an input. Repeatable.",
    ),
    "parameters": click.option("--parameters", is_flag=True, help="Masses and inertias are an input."),
    "friction": click.option("--friction", is_flag=True, help="Coulomb friction of the joints counts."),
    "at_rest": click.option("--at-rest", is_flag=True, help="A sensor's reading without the inputs qd and qdd."),
    "measures": click.option(
        "--measures", type=click.Choice(MEASURES), help="What a force/torque sensor measures; by default the model's."
    ),
    "moving_base": click.option(
        "--moving-base",
        type=click.Choice(("acceleration", "motion")),
        help="The root link's acceleration, or motion, is an input of readings of inertial sensors.",
    ),
    "packed": click.option("--packed", is_flag=True, help="Of the mass matrix only the lower triangle."),
    "loops": click.option("--loops", type=click.Choice(["refuse", "ignore"]), help="If joints close loops."),
}
"""Options of queries by the name of their argument."""


def flag(name: str) -> str:
    """Return the option of a query or argument; --wrench is that of contacts, not of the query with this name."""
    return {"wrenches": "--wrench", "wrench": "--wrench-from"}.get(name, f"--{name.replace('_', '-')}")


def form(name: str) -> str:
    """Return the option of a query with its subject."""
    return f"{flag(name)} {QUERIES[name].of.upper()}".rstrip()


def with_queries(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command with an option for each query; those with a subject are repeatable."""
    for name, query in reversed(QUERIES.items()):
        kind: dict[str, Any] = {"metavar": query.of.upper(), "multiple": True} if query.of else {"is_flag": True}
        kind |= {"type": float} if query.of == "dt" else {"nargs": 2} if " " in query.of else {}
        help = f"A function that gives {query.gives}.{' Repeatable.' * bool(query.of)}"
        function = click.option(flag(name), name, help=help, **kind)(function)
    return function


def with_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command with all `OPTIONS`."""
    for option in reversed(OPTIONS.values()):
        function = option(function)
    return function


def arguments(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of queries, by their names, of the options of a command. Raises KinetreeError for an option
    that has no effect on the queries that the command writes."""
    found = {name: given[name] for name in OPTIONS if given[name] not in (None, False, ())}
    for name in found:
        takers = [query for query, row in QUERIES.items() if name in row.options]
        if not any(given[query] for query in takers):
            raise fail("option", f"{flag(name)} means nothing without {' or '.join(map(form, takers))}")
    if found.pop("gravity_input", False):
        if "gravity" in found:
            raise fail("option", "--gravity X Y Z and --gravity-input exclude each other")
        found["gravity"] = None
    return found


def subjects(given: Mapping[str, Any], name: str) -> list[tuple[Any, ...]]:
    """Return what a query of this name is about, of the options of a command; () is the whole robot."""
    many = given[name] if QUERIES[name].of else [()] * given[name]
    return [subject if isinstance(subject, tuple) else (subject,) for subject in many]


def kernel(robot: Robot, name: str, subject: tuple[Any, ...], options: Mapping[str, Any]) -> Kernel:
    """Return the kernel of a query about a subject, with those of the options that it takes."""
    taken = {key: value for key, value in options.items() if key in QUERIES[name].options}
    if "moving_base" in taken:
        taken["base"] = taken.pop("moving_base")
    if len(subject) > 1:  # lists of names, which may have commas themselves
        known = {*robot.sensors, *robot.frames}
        subject = tuple(text if text in known or "," not in text else text.split(",") for text in subject)
    return QUERIES[name].ask(robot, *subject, **taken)
