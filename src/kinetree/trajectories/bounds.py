"""Limits of speeds, accelerations and torques: those of the model, and those that a caller gives instead."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from kinetree.errors import KinetreeError, fail, nearest_names
from kinetree.model.mimic import mimic_polynomial
from kinetree.model.robot import Robot, slices
from kinetree.spatial.numbers import numbers
from kinetree.spatial.se3 import Array


class Follower(NamedTuple):
    """A joint that follows coordinate `leader` of qd by a polynomial; coefficients: from the constant on."""

    name: str
    leader: int
    coefficients: list[float]


def followers_of(robot: Robot) -> list[Follower]:
    """Return the joints that follow those with coordinates."""
    found = []
    for name, joint in robot.joints.items():
        if joint.mimic:
            leader, coefficients = mimic_polynomial(robot, name)
            if leader in robot.joint_names:
                found.append(Follower(name, robot.velocity_names.index(leader), coefficients))
    return found


Bounds = bool | float | Sequence[float] | Mapping[str, float]
"""True for those of the model, False for none; a number for all joints, an array in the order of qd, or a mapping by
name, which replaces those of the model."""


def bounds_of(robot: Robot, followers: Sequence[Follower], option: str, given: Any, field: str) -> Array:
    """Return the bounds (nv + f,) of the coordinates of qd and of followers; inf without one, 0 as in the model.

    given: what the caller passed as `option`. field: of `Limit`. Numbers that are not by name are of qd alone; the name
    of a joint is that of all its coordinates. Raises KinetreeError for unknown names, other shapes, and numbers that
    are not above 0.
    """
    places = {name: [i] for i, name in enumerate([*robot.velocity_names, *(one.name for one in followers)])}
    free = np.full(robot.nv + len(followers), np.inf)
    if given is False:
        return free
    joints = [(joint, i) for name in robot.joint_names for joint in [robot.joints[name]] for i in range(joint.kind.nv)]
    joints += [(robot.joints[one.name], 0) for one in followers]
    own = [abs(float(getattr(joint.limits[i], field))) if i < len(joint.limits) else np.inf for joint, i in joints]
    model = np.array(own)
    if given is True:
        return model
    if isinstance(given, Mapping):
        whole = {name: list(range(where.start, where.stop)) for name, where in slices(robot, "nv").items()}
        for name, value in given.items():
            if name not in (places := whole | places):
                raise fail("unknown-name", f"{option} has a number for {name!r}; {nearest_names(name, list(places))}")
            model[places[name]] = _positive(option, value, ())
        return model
    model[: robot.nv] = _positive(option, given, (robot.nv,))
    return model


def check_moving(robot: Robot, option: str, bound: Array, moves: Array) -> None:
    """Raise KinetreeError if a coordinate of qd that moves (nv,) has a bound (nv + f,) of 0, which the model says."""
    if (still := moves & (bound[: robot.nv] == 0.0)).any():
        name = robot.velocity_names[int(np.argmax(still))]
        fix = f"pass {option}= with a number above 0 for {name}"
        raise fail("retime", f"joint {name!r} moves, and its limit of {option} is 0 in the model", fix=fix)


def _positive(option: str, given: Any, shape: tuple[int, ...]) -> Array:
    try:
        values = numbers(given, "retime", f"{option} is")
    except KinetreeError:
        values = np.array(np.nan)
    if values.shape not in ((), shape) or not (values > 0).all():
        more = f" (or {shape[0]} of them, in the order of velocity_names)" if shape else ""
        raise fail(
            "retime", f"{option} is {str(given)[:60]}; expected True, False, a number above 0{more}, or them by name"
        )
    return values
