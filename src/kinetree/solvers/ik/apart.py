"""The search of `IK` for solutions that are apart: one in contact is replaced by another, if there is any."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from kinetree.algorithms.inverse import GOING, HEAD, TOTAL
from kinetree.display import counted
from kinetree.errors import fail
from kinetree.model.robot import Robot
from kinetree.solvers.ik.search import PORTION, at_forms, at_starts, descents, flattened, reached
from kinetree.spatial.se3 import Array

if TYPE_CHECKING:
    from kinetree.contact.collisions import Collisions
    from kinetree.solvers.ik.solver import IK

TOUCHING = -2.0
"""GOING of a state that reaches all goals in contact."""
ROUNDS = (4, 16, 48)
"""Numbers of starts that are tried at once for a solution that is apart; the others follow together."""


def checked_clearance(clearance: Any) -> Any:
    """Return None, a distance, or what `kt.collisions` returns."""
    is_number = isinstance(clearance, (int, float, np.number)) and not isinstance(clearance, bool)
    if clearance is None or (is_number and 0 <= clearance < np.inf):
        return clearance if clearance is None else float(clearance)
    from kinetree.contact.collisions import Collisions  # takes long

    if not isinstance(clearance, Collisions):
        legal = "a distance from 0, m, or what kt.collisions returns"
        raise fail("clearance", f"clearance is {clearance!r}; expected {legal}")
    if clearance.moving:
        names = ", ".join(clearance.moving)
        raise fail("clearance", f"clearance has links that move by themselves, {names}; expected links of the robot")
    return clearance


def contact_of(robot: Robot, clearance: Any, geometry: Literal["mesh", "hull"], columns: Array) -> Collisions | None:
    """Return what decides which solutions count: about the pairs that the coordinates `columns` move."""
    if clearance is None:
        return None
    from kinetree.contact.make import collisions

    given = collisions(robot, geometry=geometry, margin=clearance) if isinstance(clearance, float) else clearance
    return given.moved_by(robot, columns)


def named(contact: Collisions, q: Array) -> str:
    """Return which links are in contact at q (nq,), in words."""
    nearest, touching = contact.witness(q), np.flatnonzero(contact.where(q))
    a, b = contact.pairs[next(iter(touching), nearest.pair)]
    more = f", and {counted(len(touching) - 1, 'other pair')} likewise" if len(touching) > 1 else ""
    return (f"{a} is within {contact.margin:g} m of {b}" if nearest.distance else f"{a} touches {b}") + more


def searched(ik: IK, search: Sequence[Array], targets: Sequence[Array], threads: int = 1) -> Array:
    """Return the last states (…, s): solutions, solutions in contact (`TOUCHING`), or closest points.

    search: states, h, centers and q (…, ·).
    """
    found = reached(ik, search[:3], targets, {} if threads == 1 else {"threads": threads})
    if ik.contact is None:
        return found
    touching = in_contact(ik, found, search[3])
    if touching.any():
        found[touching, GOING] = TOUCHING
        own, there = flattened(ik, search, targets, touching.shape, touching)
        ends = found[touching]
        for i in range(0, len(ends), PORTION):
            some = slice(i, i + PORTION)
            ends[some] = _others(ik, ends[some], [a[some] for a in own], [a[some] for a in there])
        found[touching] = ends
    return found


def in_contact(ik: IK, states: Array, rest: Array) -> Any:
    """Return which states (…, s) are solved, and in contact. rest (…, nq): where the other joints stand."""
    found = np.asarray((states[..., GOING] == 0.0) & (ik.contact is not None))
    if ik.contact is not None and found.any():
        q = np.broadcast_to(ik._answer(states, rest)[..., : ik._problem.nq], (*found.shape, ik._problem.nq))
        found[found] = ik.contact(q[found])
    return found


def _others(ik: IK, ends: Array, search: Sequence[Array], targets: Sequence[Array]) -> Array:
    """Return the states (k, s) of solutions in contact, replaced where others are apart: by the nearest to the start of
    those that are found together."""
    begin, h, center, rest = search
    begin = begin.copy()
    begin[:, TOTAL] = ends[:, TOTAL]
    left = np.arange(len(ends))
    for numbers in _rounds(ik):
        own, there = [a[left] for a in (begin, h, center)], [a[left] for a in targets]
        places = at_starts(ik, own, numbers) if numbers else at_forms(ik, own, there)
        found, has = _nearest(ik, descents(ik, places, own, there), own[0], rest[left])
        ends[left[has]] = found[has]
        if not numbers:  # closed forms may be certain
            rows = [h[left], center[left]] if len(ik._problem.G) else []
            assert ik._quick.ordered
            has |= np.asarray(ik._quick.ordered(rest[left], *rows, *there))[:, 0, -1] >= 0.0
        left = left[~has]
    return ends


def _nearest(ik: IK, states: Array, begin: Array, rest: Array) -> tuple[Array, Array]:
    """Return the solution among states (k, p, s) that is apart and nearest to the start (k, s), and whether there is
    one (k,). The nearest is tried first, then always four times as many."""
    k, p, n = *states.shape[:2], len(ik._problem.columns)
    away = np.linalg.norm(states[..., HEAD + n :] - begin[:, None, HEAD + n :], axis=-1)
    order = np.where(states[..., GOING] == 0.0, away, np.inf).argsort(axis=1)
    chosen, has = states[:, 0].copy(), np.zeros(k, bool)
    first, count = 0, 1
    while first < p and not has.all():
        left = np.flatnonzero(~has)
        some = np.take_along_axis(states[left], order[left, first : first + count, None], axis=1)
        good = (some[..., GOING] == 0.0) & ~in_contact(ik, some, rest[left, None])
        chosen[left], has[left] = some[np.arange(len(left)), good.argmax(axis=1)], good.any(axis=1)
        first, count = first + count, 4 * count
    return chosen, has


def _rounds(ik: IK) -> Iterator[range]:
    """Yield the numbers of starts that are tried at once; none for closed forms."""
    if ik._forms:
        yield range(0)
    first = 1
    for count in (*ROUNDS, ik._problem.descents):
        last = min(first + count, ik._problem.descents)
        if first < last:
            yield range(first, last)
        first = last
