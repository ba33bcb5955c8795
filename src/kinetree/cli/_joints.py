"""Options of commands that choose the joints that move: --joints and --at."""

import json
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Protocol

import click
import numpy as np

from kinetree.cli._help import Decorator, Function, decorated, option
from kinetree.errors import fail
from kinetree.model.robot import Robot
from kinetree.queries.joint_choice import with_moving_joints
from kinetree.spatial.se3 import Array
from kinetree.syntax.numbers import numbers

WHOLE = "kinetree.whole"
"""Where the context of a command keeps its robot with all joints."""


class Names(Protocol):
    """Joints by names that are not those of the model, such as on a pendant."""

    def model_name(self, name: str) -> str:
        """Return the name in the model of a joint of --joints."""

    def configuration(self, values: Mapping[str, str], in_degrees: bool, what: str) -> Array:
        """Return q (nq,) of the whole robot for values by names. what: the option that has them."""


def with_joints(*, as_input: bool = False, names: Callable[..., Names | None] = lambda *_: None) -> Decorator:
    """Return a decorator that adds --joints and --at to a command, whose `robot` then has those joints alone.

    as_input: whether `--at input` is legal. names: function from the robot and the other options of the command to the
    names of joints besides those of the model. Angles in --at are in degrees where the command has `in_degrees` set.
    """
    more = ", neutral, or input, which makes them an input of each function" if as_input else " or neutral"
    options = (
        option("--joints A,B,…", "Move only these joints, in this order, or a group such as left_arm.  [default: all]"),
        option(
            "--at Q",
            f'Positions of the other joints (m, rad): JSON such as {{"elbow": 0.5}}, a list of all numbers{more}.'
            "  [default: neutral]",
        ),
    )

    def decorator(function: Function) -> Function:
        @wraps(function)
        def command(*, robot: Robot, joints: str | None, at: str | None, **others: Any) -> Any:
            in_degrees = bool(others.get("in_degrees"))
            other = names(robot, others) if joints is not None else None
            return function(robot=_chosen(robot, joints, at, in_degrees, other, as_input=as_input), **others)

        return decorated(command, options)

    return decorator


def _chosen(
    robot: Robot, joints: str | None, at: str | None, in_degrees: bool, names: Names | None, *, as_input: bool
) -> Robot:
    if joints is None and at is None:
        return robot
    if joints is None:
        raise fail("option", "--at means nothing without --joints A,B,…, the joints that move")
    if at == "input" and not as_input:
        raise fail("at", "expected numbers; input is for kinetree codegen", element="--at input")
    where = _where(robot, at, in_degrees, names)
    click.get_current_context().meta[WHOLE] = robot, where
    chosen = joints_of(robot, joints)
    if names and joints not in robot.groups:
        chosen = [names.model_name(name) for name in joints.split(",")]
    return with_moving_joints(robot, chosen, where)


def whole_robot(robot: Robot) -> tuple[Robot, Array]:
    """Return the robot with the joints that --joints leaves out, and q (nq,), where they stand."""
    whole, where = click.get_current_context().meta.get(WHOLE, (robot, None))
    return whole, whole.q() if where is None else where


def joints_of(robot: Robot, text: str) -> str | list[str]:
    """Return a group, or a list of joints separated by commas."""
    return text if text in robot.groups or not (text in robot.joints or "," in text) else text.split(",")


def _where(robot: Robot, text: str | None, in_degrees: bool, names: Names | None) -> Any:
    """Return where joints stand: None for the default, "input", or q (nq,)."""
    if text is None or text == "input":
        return text
    if text == "neutral":
        return robot.q()
    values = _values(robot, text)
    if names and text.lstrip()[:1] == "{":
        return names.configuration({k: ",".join(map(str, np.ravel(v))) for k, v in values.items()}, in_degrees, "--at")
    return robot.q(values, unit="deg" if in_degrees else "rad")


def _values(robot: Robot, text: str) -> dict[str, Any]:
    """Return numbers by joint. Raises KinetreeError for what is neither an object of JSON nor nq numbers."""
    try:
        given = json.loads(text)
    except ValueError:
        given = numbers(text.replace(",", " ")) or []
    if isinstance(given, dict):
        return given
    q = np.ravel(np.array(given, dtype=object))
    if len(q) != robot.nq or not all(type(x) in (int, float) for x in q):
        legal = f'neutral, input, JSON as {{"{robot.joint_names[0]}": 0.5}}, or {robot.nq} numbers'
        raise fail("at", f"{text!r} is not where joints stand; expected {legal}", element="--at")
    return {name: q[where].tolist() for name, where in robot.q_slices.items()}
