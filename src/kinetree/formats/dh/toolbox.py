"""Keys of rows by the names of the Robotics Toolbox: limits, masses, and motors at their own side of the gear."""

from collections.abc import Mapping
from dataclasses import replace
from math import isfinite
from typing import Any

import numpy as np

from kinetree.formats.dh.rows import Place, finite_numbers, read_pose
from kinetree.formats.dh.values import Units
from kinetree.model.dh import DHRow
from kinetree.model.robot import Inertial
from kinetree.spatial.se3 import Array, frozen
from kinetree.syntax.toml import shown

MASS = ("m", "r", "I")
MOTOR = {"Jm": ("armature", 2), "B": ("damping", 2), "Tc": ("friction", 1)}
"""Numbers of a motor: their name at the joint, and the power of |G| to there."""
OF_TOOLBOX = ("qlim", *MASS, *MOTOR, "G")
HINTS = {
    "G": "the ratio of the gear",
    "Tc": "one number, not negative, because friction is the same in both directions",
}
NOT_NEGATIVE = "a number that is not negative"
SYMMETRIC = ((0, 3, 5), (3, 1, 4), (5, 4, 2))
"""Places of [ixx, iyy, izz, ixy, iyz, ixz] in the tensor."""


def in_our_words(cells: Mapping[str, Any], place: Place) -> tuple[dict[str, Any], Place]:
    """Return the cells of a row with `limits` for `qlim` and what the joint feels of its motor, and their place."""
    cells = dict(cells)
    if "qlim" in cells:
        if "limits" in cells:
            place.error("limits-twice", "has limits twice: as qlim and as limits; expected one")
        cells["limits"], place = cells.pop("qlim"), replace(place, limits="qlim")
    return cells | _motor(cells, place), place


def _motor(cells: Mapping[str, Any], place: Place) -> dict[str, float]:
    given = [key for key in MOTOR if key in cells]
    for key in given:
        if (name := MOTOR[key][0]) in cells:
            place.error("motor", f"has {name} twice: as {key} and as {name}; expected one", key)
    values: dict[str, float] = {}
    for key in (*given, "G") if given else ():
        raw = cells.get(key)
        both = finite_numbers(raw, 2) if key == "Tc" else None
        number = both[:1] if both and both[0] == -both[1] else finite_numbers([raw], 1)
        if number is None or (key != "G" and number[0] < 0):
            said = f"{key} is {shown(raw)}" if key in cells else f"has {given[0]} without G"
            place.error("motor", f"{said}; expected {HINTS.get(key, NOT_NEGATIVE)}", key)
            return {}
        values[key] = number[0]
    felt = {key: values[key] * abs(values["G"]) * (abs(values["G"]) if MOTOR[key][1] == 2 else 1) for key in given}
    for key, value in felt.items():
        if not isfinite(value):
            both_of = f"{key} is {values[key]:g} and G {values['G']:g}"
            place.error("motor", f"{both_of}, which is too large together", key)
            return {}
    return {MOTOR[key][0]: value for key, value in felt.items()}


def with_inertial(row: DHRow, cells: Mapping[str, Any], units: Units, place: Place) -> DHRow:
    """Return a row with the inertia of its cells, which is about r in the frame at the end of the row."""
    inertial = inertial_of(cells, units, place)
    if inertial and row.type == "fixed":
        place.error("fixed-mass", "a fixed row has no link; expected its mass in the row of a joint")
    return replace(row, inertial=inertial)


def inertial_of(cells: Mapping[str, Any], units: Units, place: Place) -> Inertial | None:
    """Return the inertia of m, r and I in the frame of r, None without any of them."""
    if cells.keys().isdisjoint(MASS):
        return None
    mass = finite_numbers([cells.get("m")], 1)
    r = finite_numbers(cells.get("r", [0, 0, 0]), 3)
    I = _tensor(cells.get("I", [0, 0, 0]))
    if mass is None:
        said = f"m is {shown(cells['m'])}" if "m" in cells else "has no m"
        place.error("mass", f"{said}; expected the mass in kg")
    if r is None:
        place.error("mass", f"r is {shown(cells['r'])}; expected three numbers, in {units.length or 'm'}", "r")
    if I is None:
        legal = "3×3 and symmetric, or [ixx, iyy, izz, ixy, iyz, ixz], or [ixx, iyy, izz], in kg m²"
        place.error("mass", f"I is {shown(cells['I'])}; expected {legal}", "I")
    if mass is None or r is None or I is None:
        return None
    return Inertial(mass[0], frozen(I), frozen(read_pose({"xyz": r}, units, place)))


def _tensor(raw: object) -> Array | None:
    """Return the inertia (3, 3) of a matrix, six numbers or three, or None."""
    if isinstance(raw, list) and len(raw) == 3 and all(isinstance(row, list) for row in raw):
        numbers = finite_numbers([x for row in raw for x in row], 9)
        I = None if numbers is None else np.reshape(numbers, (3, 3))
        return I if I is not None and np.array_equal(I, I.T) else None
    diagonal = finite_numbers(raw, 3)
    numbers = diagonal + [0.0] * 3 if diagonal else finite_numbers(raw, 6)
    return None if numbers is None else np.array(numbers)[np.array(SYMMETRIC)]
