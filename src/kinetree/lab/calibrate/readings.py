"""Readings of numbers written down from a pendant: as the format says, and with common mistakes."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import NamedTuple

import numpy as np

from kinetree.controllers import controllers
from kinetree.controllers.controller import METRES, Controller
from kinetree.controllers.rotation import RADIANS, Rotation
from kinetree.spatial.handedness import mirrored_vector
from kinetree.spatial.se3 import Array

MOST = 3
"""Most faults of the numbers in one search."""
NAMES = re.compile(r"\w+(?=[,)])")
"""Pattern of the numbers' names in a formula."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A deviation from the format or from REP-199. code: stable across releases."""

    code: str
    message: str

    def __str__(self) -> str:
        return f"{self.message} [{self.code}]"


class Reading(NamedTuple):
    """The meaning of the numbers if these faults were made.

    value: positions (k, 3), m; rotations (k, 3, 3); or, for joints, M (n, n) from shown numbers to the model's, rad, m.
    """

    value: Array
    faults: tuple[Fault, ...] = ()


def positions(who: Controller, numbers: Array) -> list[Reading]:
    """Return the readings p (k, 3), m, of numbers (k, 3), in any unit and with any two swapped, the format's first."""
    other = {"m": "mm", "mm": "m"}[who.position]
    factor = METRES[other] / METRES[who.position]
    swapped = Fault("pose-unit", f"the positions are in {other}, not in {who.position}")
    size = "1000 times" if factor > 1 else "a thousandth of"
    beyond = Fault("pose-unit", f"the positions, read in {who.position}, are {size} the model's")
    found = []
    for (places, order), (scale, unit) in product(
        _swaps(who), ((1.0, ()), (factor, (swapped,)), (1 / factor, (beyond,)))
    ):
        p = numbers[:, places] * (METRES[who.position] * scale)
        found.append(Reading(mirrored_vector(p, who.mirrored) if who.mirrored else p, (*order, *unit)))
    return found


def _swaps(who: Controller) -> Iterator[tuple[list[int], tuple[Fault, ...]]]:
    """Yield the places of X, Y and Z, with the fault that this would be."""
    yield [0, 1, 2], ()
    for i, j in combinations(range(3), 2):
        places = [0, 1, 2]
        places[i], places[j] = j, i
        said = f"{who.components[i]} and {who.components[j]} of the positions stand in each other's place"
        yield places, (Fault("pose-columns", said),)


def rotations(who: Controller, numbers: Array) -> list[Reading]:
    """Return the readings R (k, 3, 3) of numbers (k, 3 or 4), in any order and unit, the format's first."""
    mirror = np.diag([-1.0 if axis == who.mirrored else 1.0 for axis in "xyz"])
    readings = []
    for (form, places, order), (unit, units) in product(_orders(who), _units(who.rotation.unit)):
        R = replace(form, unit=unit).matrix(numbers[:, places])
        readings.append(Reading(mirror @ R @ mirror, (*order, *units)))
    return readings


def _units(unit: str) -> Iterator[tuple[str, tuple[Fault, ...]]]:
    yield unit, ()
    for other in RADIANS:
        if unit and other != unit:
            yield other, (Fault("pose-angle-unit", f"the angles of the poses are in {other}, not in {unit}"),)


def _orders(who: Controller) -> Iterator[tuple[Rotation, list[int], tuple[Fault, ...]]]:
    """Yield a form, the places of its numbers, and the fault that this would be."""
    own = who.rotation
    yield own, list(range(len(own.names))), ()
    if own.kind == "quaternion":
        w_last = f"quaternion({', '.join((own.names[-1], *own.names[:-1]))})"
        yield own, [3, 0, 1, 2], (_order_fault(own, w_last, "the real part is the last"),)
        return
    a, b, c = own.names
    remarks: dict[str, list[str]] = {}
    for formula, whose in _written(own.names).items():
        remarks[formula] = [f"as {' and '.join(whose)} write it"]
    for formula in (own.formula, *remarks):
        if formula.startswith("R"):  # turns one after the other
            remarks.setdefault(" ".join(formula.split()[::-1]), ["the turns backwards"])
    for i, j, names in ((a, b, (b, a, c)), (a, c, (c, b, a)), (b, c, (a, c, b))):
        remarks.setdefault(_renamed(own, names), []).append(f"with {i} and {j} in each other's place")
    remarks.pop(own.formula, None)
    for formula, said in remarks.items():
        form = Rotation(formula, own.names, own.unit, own.zero)
        order = [own.names.index(name) for name in NAMES.findall(formula)]  # the order of a vector's components
        yield form, [0, 1, 2] if form.kind == "turns" else order, (_order_fault(own, formula, " or ".join(said)),)


def _written(names: Sequence[str]) -> dict[str, list[str]]:
    """Return the names of controllers by their formula of three numbers, renamed to these names."""
    found: dict[str, list[str]] = {}
    for one in controllers.values():
        if len(one.rotation.names) == 3:
            found.setdefault(_renamed(one.rotation, names), []).append(one.name)
    return found


def _order_fault(own: Rotation, formula: str, remark: str) -> Fault:
    return Fault("rotation-order", f"the rotation is R = {formula}, {remark}, not {own.formula}")


def _renamed(form: Rotation, names: Sequence[str]) -> str:
    """Return the formula with these names in the same places."""
    place = {name: names[i] for i, name in enumerate(form.names)}
    return NAMES.sub(lambda match: place[match[0]], form.formula)


def joints(names: Sequence[str], turning: Sequence[bool], C: Array) -> list[Reading]:
    """Return the readings M (n, n) of the joints with at most MOST faults, those with the fewest first.

    names, turning: of the joints from base to tool0. C (n, n): the controller's coupling.
    """
    units = [Reading(np.where(turning, np.pi / 180, 1e-3)), *_other_units(turning)]
    found: dict[bytes, Reading] = {}
    for unit, coupling in product(units, _couplings(C, turning)):
        faults = (*unit.faults, *coupling.faults)
        for count in range(MOST - len(faults) + 1):
            for flips in combinations(_flips(names, coupling.value), count):
                model, shown = np.ones(len(names)), np.ones(len(names))
                for j, of_model, _ in flips:
                    (model if of_model else shown)[j] *= -1
                M = model[:, None] * coupling.value * shown * unit.value[:, None] + 0.0
                reading = Reading(M, (*faults, *(fault for _, _, fault in flips)))
                known = found.setdefault(M.tobytes(), reading)
                if len(reading.faults) < len(known.faults):
                    found[M.tobytes()] = reading
    return sorted(found.values(), key=lambda reading: len(reading.faults))


def _other_units(turning: Sequence[bool]) -> Iterator[Reading]:
    if any(turning):
        fault = Fault("joint-unit", "the joints are in rad, not in deg")
        yield Reading(np.where(turning, 1.0, 1e-3), (fault,))
    if not all(turning):
        fault = Fault("joint-unit", "the sliding joints are in m, not in mm")
        yield Reading(np.where(turning, np.pi / 180, 1.0), (fault,))


def _couplings(C: Array, turning: Sequence[bool]) -> Iterator[Reading]:
    """Yield C and, for arms that makers couple, others: none, and the third joint with the second, either way."""
    yield Reading(C)
    n = len(C)
    if n not in (5, 6) or not (turning[1] and turning[2]):
        return
    for factor in (0.0, 1.0, -1.0):
        other = np.eye(n)
        other[2, 1] = factor
        if not np.array_equal(other, C):
            said = _coupled(other) if factor else "are not coupled"
            taken = "are not" if np.array_equal(C, np.eye(n)) else _coupled(C)
            yield Reading(other, (Fault("coupling", f"the joints {said}, where they are taken as if they {taken}"),))


def _coupled(C: Array) -> str:
    rows = [(i, j) for i, j in np.argwhere(C) if i != j]
    terms = [f"joint {i + 1} of the model = J{i + 1} {'+' if C[i, j] > 0 else '-'} J{j + 1}" for i, j in rows]
    return f"are coupled, {', '.join(terms)}"


def _flips(names: Sequence[str], C: Array) -> list[tuple[int, bool, Fault]]:
    """Return (joint, whether the model's or the shown number changes sign, fault); only coupled joints have both."""
    flips = []
    for j, name in enumerate(names):
        turned = Fault("joint-sign", f"joint {name!r} turns the other way in the model")
        flips.append((j, True, turned))
        if np.count_nonzero(C[j]) > 1 or np.count_nonzero(C[:, j]) > 1:
            flips.append((j, False, Fault("joint-sign", f"the numbers of J{j + 1} have the other sign")))
    return flips
