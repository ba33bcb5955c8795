"""Robots that carry something."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from kinetree.errors import fail, unknown_name
from kinetree.model.assemble import build, parts_of
from kinetree.model.edit.merge import combined
from kinetree.model.robot import Inertial, Robot
from kinetree.queries.query import memoise
from kinetree.spatial.numbers import numbers
from kinetree.spatial.se3 import frozen


def with_payload(robot: Robot, payload: Mapping[str, float | Inertial]) -> Robot:
    """Return the robot with masses at frames: kg at the origin of a frame, or an Inertial in its axes.

    Raises KinetreeError for unknown frames and masses that are not finite numbers from 0.
    """
    if not payload:
        return robot
    made = {name: _inertial(robot, name, given) for name, given in payload.items()}
    key = ("payload", *((name, one.mass, one.origin.tobytes(), one.inertia.tobytes()) for name, one in made.items()))
    return memoise(robot, key, lambda: _loaded(robot, made))


def _inertial(robot: Robot, name: str, given: float | Inertial) -> Inertial:
    if name not in robot.frames:
        raise unknown_name("frame", name, list(robot.frames))
    if not isinstance(given, Inertial):
        mass = numbers(given, "payload", "a mass is")
        if mass.shape or not 0.0 <= mass < np.inf:
            raise fail("payload", f"the payload at {name!r} is {given!r}; expected kg from 0, or a kt Inertial")
        given = Inertial(float(mass), frozen(np.zeros((3, 3))), frozen(np.eye(4)))
    return replace(given, origin=frozen(robot.frames[name].origin @ given.origin))


def _loaded(robot: Robot, payload: Mapping[str, Inertial]) -> Robot:
    parts = parts_of(robot)
    for name, inertial in payload.items():
        i = next(i for i, link in enumerate(parts.links) if link.name == robot.frames[name].link)
        link = parts.links[i]
        parts.links[i] = replace(link, inertial=combined([*filter(None, [link.inertial]), inertial], link.name))
    return build(parts)
