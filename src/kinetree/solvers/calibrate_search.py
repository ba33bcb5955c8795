"""The simplest explanation of why a controller shows the poses that it shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, product
from typing import NamedTuple

import numpy as np

from kinetree.solvers import calibrate_fit as fitting
from kinetree.solvers.calibrate_readings import MOST, Fault, Reading
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array

MOVED = 10.0
"""Tolerances by which poses must turn, about two axes, for frames to be found from them."""
FEW = 1
"""Faults among the explanations of which the nearest is looked for, where none fits."""


@dataclass(frozen=True, eq=False)
class Data:
    """What was measured, in every way to read it, and the frames that the robot has.

    joints: readings M (n, n), and T_in_tip (j, k, 4, 4), m, of each. positions (k, 3), m, and rotations
    (k, 3, 3). bases: T_base_in, and tools: T_tip_tool0 (4, 4), by the robot's names of frames, `base`, `tool0` first.
    tolerance (2,): m and rad.
    """

    joints: Sequence[Reading]
    T: Array
    positions: Sequence[Reading]
    rotations: Sequence[Reading]
    bases: Mapping[str, Array]
    tools: Mapping[str, Array]
    tolerance: Array

    @cached_property
    def alike(self) -> list[tuple[int, Reading]]:
        """Joints and rotations that no X and Y tell apart: the angles between any two poses are the same."""
        of_model = fitting.angles(self.T[..., :3, :3])
        of_poses = fitting.angles(np.array([reading.value for reading in self.rotations]))
        off = np.abs(of_model[:, None] - of_poses).max(axis=-1)
        return [(int(j), self.rotations[r]) for j, r in np.argwhere(off <= 2 * self.tolerance[1])]


class Explanation(NamedTuple):
    """faults: of the numbers. joint: place in Data.joints. base, tool: where X and Y are, by the robot's names, or None
    where they are estimated. P (k, 4, 4): the poses."""

    faults: tuple[Fault, ...]
    joint: int
    P: Array
    base: str | None
    tool: str | None
    size: tuple[int, int]


class Fit(NamedTuple):
    """How well an explanation fits: X is T_base_in, Y is T_tip_tool0; residual (k, 2), m and rad."""

    explanation: Explanation
    X: Array
    Y: Array
    residual: Array


def simplest(data: Data, own: tuple[str, str]) -> list[Fit]:
    """The explanations that fit, of those with the fewest faults, and of these with the fewest estimated frames; the
    closest first. own: the names of the frames that REP-199 wants."""
    explanations = sorted(_explanations(data, own), key=lambda e: e.size)
    for _, equals in groupby(explanations, key=lambda e: e.size):
        fits = [fit for fit in (_fit(data, e) for e in equals) if fit and _off(data, fit) <= 1]
        if fits:
            return sorted(fits, key=lambda fit: _off(data, fit))
    return []


def nearest(data: Data) -> Fit:
    """Of the explanations with few faults that with the smallest residual, wherever its frames are."""
    fits = []
    for (j, joint), r, p in product(enumerate(data.joints), data.rotations, data.positions):
        faults = (*joint.faults, *r.faults, *p.faults)
        if len(faults) <= FEW:
            e = Explanation(faults, j, _poses(r.value, p.value), None, None, (0, 0))
            X, Y = fitting.closed_form(e.P, data.T[j], None, None)
            fits.append(Fit(e, X, Y, fitting.residuals(e.P, X @ data.T[j] @ Y)))
    best = min(fits, key=lambda fit: _off(data, fit))
    e, T = best.explanation, data.T[best.explanation.joint]
    X, Y = fitting.refined(e.P, [T], [best.X, best.Y], [True, True], data.tolerance)
    closer = Fit(e, X, Y, fitting.residuals(e.P, X @ T @ Y))
    return min(best, closer, key=lambda fit: _off(data, fit))


def _explanations(data: Data, own: tuple[str, str]) -> Iterator[Explanation]:
    """All of them; each frame that is not the robot's own is a fault too."""
    for (j, r), p in product(data.alike, data.positions):
        faults = (*data.joints[j].faults, *r.faults, *p.faults)
        if len(faults) > MOST:
            continue
        P = _poses(r.value, p.value)
        for base, tool in product((*data.bases, None), (*data.tools, None)):
            wrong = (base != own[0]) + (tool != own[1])
            size = (len(faults) + wrong, (base is None) + (tool is None))
            yield Explanation(faults, j, P, base, tool, size)


def _fit(data: Data, e: Explanation) -> Fit | None:
    """None where the poses do not turn enough for frames to be found."""
    T = data.T[e.joint]
    X = None if e.base is None else data.bases[e.base]
    Y = None if e.tool is None else data.tools[e.tool]
    if (X is None or Y is None) and fitting.spread(T[:, :3, :3])[1] < MOVED * data.tolerance[1]:
        return None
    X, Y = fitting.estimated(e.P, T, X, Y, data.tolerance)
    return Fit(e, X, Y, fitting.residuals(e.P, X @ T @ Y))


def _off(data: Data, fit: Fit) -> float:
    """The largest residual, in tolerances."""
    return float((fit.residual / data.tolerance).max())


def _poses(R: Array, p: Array) -> Array:
    P = np.broadcast_to(se3.IDENTITY, (len(p), 4, 4)).copy()
    P[:, :3, :3], P[:, :3, 3] = R, p
    return P
