"""Inertias of links replaced by inertial parameters."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from kinetree.arguments import explain_type_errors
from kinetree.errors import fail, unknown_name, wrong_type
from kinetree.model.assemble import build, parts_of
from kinetree.model.link import Inertial
from kinetree.model.robot import Robot
from kinetree.spatial.numbers import numbers
from kinetree.spatial.plucker import skew
from kinetree.spatial.se3 import Array, frozen, translation

NAMES = ("m", "mcx", "mcy", "mcz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")
"""Names of the inertial parameters of a link, about the origin of its frame, in its axes; kg, kg m, kg m²."""


@explain_type_errors
def set_inertial_parameters(robot: Robot, parameters: Mapping[str, Any]) -> Robot:
    """Return the robot with other inertias of some links, {name: (10,)}, as `kt.dynamics.inertial_parameters` has them.

    The ten are mass m, first moments mcx mcy mcz, and Ixx Ixy Iyy Ixz Iyz Izz about the origin of the link's frame, in
    its axes; kg, kg m, kg m². Raises KinetreeError for unknown links, for rows that are not ten finite numbers, and for
    first moments without mass. Whether a body can have these inertias is for `kt.check` and for queries of dynamics.

    Examples:
        >>> import kinetree as kt
        >>> pendulum = kt.chain([{"axis": [0, -1, 0], "m": 2, "r": [0.5, 0, 0]}])
        >>> found = kt.dynamics.inertial_parameters(pendulum)
        >>> heavier = kt.edit.set_inertial_parameters(pendulum, {"q1_link": 1.5 * found["q1_link"]})
        >>> kt.gravity_torques(heavier)([0.0]).round(3)  # N m; it was 9.81
        array([14.715])
    """
    if not isinstance(parameters, Mapping):
        message = f"parameters is of type {type(parameters).__name__}; expected a mapping of links to ten numbers"
        raise wrong_type("parameters", message)
    inertials = {name: _inertial(robot, name, row) for name, row in parameters.items()}
    parts = parts_of(robot)
    parts.links = [
        replace(one, inertial=inertials[one.name], unweighed="") if one.name in inertials else one
        for one in parts.links
    ]
    return build(parts)


def _inertial(robot: Robot, name: str, given: Any) -> Inertial:
    if name not in robot.links:
        raise unknown_name("link", name, [*robot.links])
    row: Array = numbers(given, "parameters", f"the parameters of {name!r} is", NAMES)
    if row.shape != (10,) or not np.isfinite(row).all():
        expected = f"expected ten finite numbers, {' '.join(NAMES)}"
        raise fail("parameters", f"the parameters of {name!r} are {row.tolist()}; {expected}")
    m, h, (xx, xy, yy, xz, yz, zz) = row[0], row[1:4], row[4:]
    if m == 0.0 and h.any():
        raise fail("parameters", f"the parameters of {name!r} have first moments and no mass; expected a mass")
    com = h / m if m else h
    about_com = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) - m * skew(com) @ skew(com).T
    return Inertial(float(m), inertia=frozen(about_com), origin=frozen(translation(com)))
