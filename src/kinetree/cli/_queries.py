"""Functions that `kinetree codegen` writes, and its old options, each of which is a part of a call."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial, wraps
from typing import Any, get_args

import click

from kinetree.algorithms.differential import Axes
from kinetree.algorithms.goals import OF_A_FRAME
from kinetree.cli._calls import Call
from kinetree.cli._joints import joints_of
from kinetree.compiler.kernel import Kernel
from kinetree.errors import fail
from kinetree.model.force_torque import MEASURES
from kinetree.model.robot import Robot
from kinetree.queries import derivatives, dynamics, margin, momentum, motion, sensors, statics
from kinetree.solvers.guard.make import guard
from kinetree.solvers.ik.stepping import ik_step


@dataclass(frozen=True, slots=True)
class Query:
    """A query about a robot.

    gives: the result, for the help. ask: its kernel for (robot[, subject], **options). of: the kind of its subject, its
    first arguments: "frame", "sensor", "dt", "group", "sensors frames", or "" for the whole robot.
    """

    gives: str
    ask: Callable[..., Kernel]
    of: str = ""


@wraps(guard)
def _guard(robot: Robot, joints: Any = None, **options: Any) -> Kernel:
    return guard(robot, joints_of(robot, joints) if isinstance(joints, str) else joints, **options).kernel


QUERIES = {
    "fk": Query("Pose, 4x4, of a frame.", motion.fk, "frame"),
    "jacobian": Query("Jacobian, 6 x nv, of a frame.", motion.jacobian, "frame"),
    "jacobian_dot": Query("Time derivative of the Jacobian, 6 x nv.", motion.jacobian_dot, "frame"),
    "hessian": Query("Derivatives of the Jacobian, nv x 6 x nv.", motion.hessian, "frame"),
    "velocity": Query("Velocity of a frame, linear then angular.", motion.velocity, "frame"),
    "acceleration": Query("Acceleration of a frame, linear then angular.", motion.acceleration, "frame"),
    "ik": Query("Step of inverse kinematics of a frame.", ik_step, "frame"),
    "margin": Query("Distance to each limit, and the nearest limit.", partial(margin.margin, nearest=True)),
    "point": Query("Position of a point on a frame.", statics.point, "frame"),
    "wrench": Query("Wrench on a frame, seen from the base.", statics.wrench, "frame"),
    "joint_torques": Query("Joint torques of a wrench on a frame.", statics.joint_torques, "frame"),
    "inverse_dynamics": Query("Torques of a motion.", dynamics.inverse_dynamics),
    "forward_dynamics": Query("Accelerations that torques cause.", dynamics.forward_dynamics),
    "mass_matrix": Query("Mass matrix, nv x nv.", dynamics.mass_matrix),
    "gravity_torques": Query("Torques that balance the weight at rest.", dynamics.gravity_torques),
    "bias_torques": Query("Torques of a motion without acceleration.", dynamics.bias_torques),
    "coriolis_matrix": Query("Coriolis matrix, nv x nv.", derivatives.coriolis_matrix),
    "energy": Query("Kinetic and potential energy.", momentum.energy),
    "center_of_mass": Query("Centre of mass of all links.", momentum.center_of_mass),
    "center_of_mass_jacobian": Query("Jacobian of the centre of mass, 3 x nv.", momentum.center_of_mass_jacobian),
    "centroidal_momentum_matrix": Query("Matrix from qd to momentum, 6 x nv.", momentum.centroidal_momentum_matrix),
    "centroidal_momentum_matrix_dot": Query(
        "Time derivative of the matrix from qd to momentum, 6 x nv.", momentum.centroidal_momentum_matrix_dot
    ),
    "inertial_regressor": Query("Matrix from inertial parameters to torques.", dynamics.inertial_regressor),
    "inverse_dynamics_derivatives": Query(
        "Derivatives of torques by q and qd.", derivatives.inverse_dynamics_derivatives
    ),
    "forward_dynamics_derivatives": Query(
        "Derivatives of accelerations by q, qd and tau.", derivatives.forward_dynamics_derivatives
    ),
    "imu_reading": Query("Reading of an inertial sensor in a frame.", sensors.imu_reading, "frame"),
    "sensor_reading": Query("Reading of a force/torque sensor.", sensors.sensor_reading, "sensor"),
    "external_wrench": Query(
        "Wrenches of contacts on frames, from readings of sensors.", sensors.external_wrench, "sensors frames"
    ),
    "step": Query("Positions and velocities after dt seconds.", dynamics.step, "dt"),
    "integrate": Query("Configuration that v reaches from q in unit time.", dynamics.integrate),
    "difference": Query("Velocity v that leads from q to q2 in unit time.", dynamics.difference),
    "guard": Query("Joint positions kept inside all limits.", _guard, "group"),
}
"""Queries by the name of their function in Python."""

ARGUMENTS = {
    "base": "Frame of the result; for imu_reading and external_wrench acceleration or motion, which makes that of the "
    "root link an input.  [default: the root link, at rest]",
    "expressed_in": "Axes of the result: of the base, of the frame itself (frame), or of a frame by its name.  "
    "[default: base]",
    "goal": f"Part of the pose to reach: {', '.join(OF_A_FRAME)}.  [default: pose]",
    "tolerance": "Error at which the goal is reached, m and rad.  [default: (1e-06, 1e-06)]",
    "nearest": "Whether to return the nearest limit, too.  [default: True]",
    "wrenches": "Frame, or [l_hand, r_hand], on which a wrench acts; each wrench is an input.  [default: none]",
    "gravity": "Gravity in the axes of the root link, m/s²; None makes it an input.  [default: (0, 0, -9.81)]",
    "parameters": "Whether masses and inertias are an input.  [default: False]",
    "friction": "Whether to add Coulomb friction of the joints.  [default: False]",
    "packed": "Whether to return only the lower triangle of the matrix.  [default: False]",
    "loops": "Answer where joints close loops: refuse, or ignore these joints.  [default: refuse]",
    "at_rest": "Whether to leave out the inputs qd and qdd.  [default: False]",
    "measures": f"Sign of a force/torque sensor: {' or '.join(MEASURES)}.  [default: that of the model]",
    "keep": "Distance that a guard keeps from every limit, rad or m.  [default: 0.0]",
    "warn": "Distance below which a guard reports a limit as near, rad or m.  [default: 0.0873, 5 degrees]",
    "speed": "Speed at which a guard brings joints back inside, rad/s or m/s.  [default: 0.1]",
    "acceleration": "Largest deceleration of a guard that brakes, rad/s² or m/s².  [default: no braking]",
    "sweeps": "Number of passes of a guard over limits of several joints.  [default: 16]",
    "origins": "True, or names of joints and frames: their poses (x y z rx ry rz) are an input.  [default: False]",
}
"""Optional arguments of the functions of `QUERIES`, for the help."""
NOT_HERE = ("robot", "joints", "at", "dtype", "driven")
"""Arguments that options of the command set, for all functions; the joints of a guard are its subject. Loops cannot be
closed without repetition."""


@cache
def parameters(name: str) -> Mapping[str, inspect.Parameter]:
    """Return the parameters of a query that a call sets, without annotations; those of its subject are first."""
    row = QUERIES[name]
    found = inspect.signature(row.ask).parameters
    wanted = {key: p for key, p in found.items() if key not in NOT_HERE or (key == "joints" and row.of == "group")}
    if "driven" in found and found["loops"].default == "ignore":
        del wanted["loops"]  # of the tree, as all functions here
    return {key: parameter.replace(annotation=inspect.Parameter.empty) for key, parameter in wanted.items()}


def signature(name: str) -> str:
    """Return how a query is called, such as fk(frames, base=)."""
    shown = (key + "=" * (p.default is not p.empty) for key, p in parameters(name).items())
    return f"{name}({', '.join(shown)})"


def bound(call: Call) -> dict[str, Any]:
    """Return the arguments of a call by name. Raises KinetreeError if they do not fit the function."""
    try:
        return inspect.Signature([*parameters(call.function).values()]).bind(*call.positional, **call.named).arguments
    except TypeError as error:
        raise fail("option", f"{error}; expected {signature(call.function)}") from None


def subject(name: str, arguments: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what a call is about: its frame, sensor, time step, group of joints, or sensors and frames."""
    row, values = QUERIES[name], list(map(arguments.get, parameters(name)))[: len(QUERIES[name].of.split())]
    lists = [one if isinstance(one, (str, float, int, type(None))) else ",".join(map(str, one)) for one in values]
    return tuple(float(value) if row.of == "dt" else value for value in lists if value is not None)


_OPTIONS: dict[str, Mapping[str, Any]] = {
    "base": {},
    "goal": {"type": click.Choice([*OF_A_FRAME])},
    "tolerance": {"nargs": 2, "type": float},
    "expressed_in": {"type": click.Choice(get_args(Axes))},
    "gravity": {"nargs": 3, "type": float},
    "gravity_input": {"is_flag": True},
    "wrenches": {"multiple": True},
    "parameters": {"is_flag": True},
    "friction": {"is_flag": True},
    "at_rest": {"is_flag": True},
    "measures": {"type": click.Choice(MEASURES)},
    "moving_base": {"type": click.Choice(("acceleration", "motion"))},
    "packed": {"is_flag": True},
    "loops": {"type": click.Choice(["refuse", "ignore"])},
    **{key: {"type": float} for key in ("keep", "warn", "speed", "braking")},
}
"""Old options that are arguments of calls, by name."""
_ARGUMENT = {"gravity_input": "gravity", "moving_base": "base", "braking": "acceleration"}
"""Arguments that have another name than their old option."""


def flag(name: str) -> str:
    """Return the old option of a query or argument; --wrench is that of contacts, not of the query with this name."""
    return {"wrenches": "--wrench", "wrench": "--wrench-from"}.get(name, f"--{name.replace('_', '-')}")


def form(name: str) -> str:
    """Return the old option of a query with its subject."""
    return f"{flag(name)} {QUERIES[name].of.upper()}".rstrip()


def with_old_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command with the options before --write, which the help does not list."""
    kinds = dict[str, Mapping[str, Any]](_OPTIONS)
    for name, query in QUERIES.items():
        more: Mapping[str, Any] = {"type": float} if query.of == "dt" else {"nargs": 2} if " " in query.of else {}
        kinds[name] = {"multiple": True, **more} if query.of else {"is_flag": True}
    for name, kind in kinds.items():
        function = click.option(flag(name), name, hidden=True, **kind)(function)
    return function


def old_calls(robot: Robot, given: Mapping[str, Any]) -> tuple[list[Call], list[str]]:
    """Return the calls that old options of a command mean, and these options. Raises KinetreeError for an option that
    has no effect on the functions that they write."""
    options = {name: given[name] for name in _OPTIONS if given[name] not in (None, False, ())}
    takers = {name: [query for query in QUERIES if _takes(query, name)] for name in options}
    for name, queries in takers.items():
        if not any(given[query] for query in queries):
            raise fail("option", f"{flag(name)} means nothing without {' or '.join(map(form, queries))}")
    if {"gravity", "gravity_input"} <= options.keys():
        raise fail("option", "--gravity X Y Z and --gravity-input exclude each other")
    found: list[Call] = []
    for query, row in QUERIES.items():
        own = {name: value for name, value in options.items() if query in takers[name]}
        named = {_ARGUMENT.get(name, name): None if name == "gravity_input" else own[name] for name in own}
        abouts = [x if isinstance(x, tuple) else (x,) for x in (given[query] if row.of else [()] * given[query])]
        found += [Call(query, _lists(robot, row.of, about), named) for about in abouts]
    return found, [flag(name) for name in (*QUERIES, *options) if given[name] not in (None, False, ())]


def _takes(query: str, option: str) -> bool:
    """Return whether an old option is an argument of a query; "base" is --moving-base where it is by keyword only."""
    parameter = parameters(query).get(_ARGUMENT.get(option, option))
    moving = parameter is not None and parameter.name == "base" and parameter.kind is parameter.KEYWORD_ONLY
    return parameter is not None and moving == (option == "moving_base")


def _lists(robot: Robot, of: str, subject: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a subject of an old option as arguments of a call: names with commas between them are a list."""
    known = {*robot.groups} if of == "group" else {*robot.sensors, *robot.frames}
    splits = of in ("group", "sensors frames")
    return tuple(x.split(",") if splits and "," in x and x not in known else x for x in subject)
