"""Inverse kinematics near a start q0: ranges around it are an input of the search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.algorithms.inverse import GOING, HEAD, Problem
from kinetree.compiler.kernel import Kernel
from kinetree.display import some
from kinetree.errors import fail
from kinetree.model.limits import checked_q
from kinetree.solvers.ik.given import with_postures
from kinetree.solvers.ik.problem import bounded
from kinetree.spatial.se3 import Array

if TYPE_CHECKING:
    from kinetree.solvers.ik.result import IKResult
    from kinetree.solvers.ik.solver import IK

DESCENTS = 16
"""Most starts near q0."""


@dataclass(frozen=True, slots=True, eq=False)
class Near:
    """Hold what an `IK` needs for a search near a start: a problem and kernels with ranges as an input, and the joint
    of each coordinate (nq,)."""

    problem: Problem
    kernel: Kernel
    closest: Kernel
    settle: Kernel
    joints: tuple[str, ...]


def reach_of(ik: IK, near: Any) -> Array:
    """Return how far each coordinate (nq,) may be from its start, from a number or numbers by joint."""
    joints = ik._near.joints
    numbers = [*near.values()] if isinstance(near, Mapping) else [near]
    for x in numbers or [None]:
        if isinstance(x, bool) or not isinstance(x, (int, float, np.number)) or not 0 < x < np.inf:
            legal = "a finite number above 0, rad and m, or a dictionary of such numbers by joint"
            raise fail("near", f"near is {near!r}; expected {legal}")
    if not isinstance(near, Mapping):
        return np.full(len(joints), float(near))
    for name in near:
        if name not in joints:
            raise fail("near", f"near has {name!r}, which is no joint of q; expected names such as {some(joints)}")
    return np.array([near.get(joint, np.inf) for joint in joints], dtype=float)


def near_solver(ik: IK, reach: Array) -> IK:
    """Return a solver whose results are near their q0. reach (nq,): how far each coordinate may be from it."""
    made = ik._near
    return replace(
        ik,
        _problem=made.problem,
        _inside=replace(ik._inside, reach=reach),
        _kernel=made.kernel,
        _closest=made.closest,
        _settle=made.settle,
        _nearest=None,
        _forms=None,
        _quick=replace(ik._quick, enter=None, ordered=None, verdict=None),
        _hard=ik._hard and near_solver(ik._hard, reach),
    )


def begun_near(ik: IK, q0: Array, reach: Array) -> tuple[Array, Array, Array] | None:
    """Return states, bounds and centers at starts q0 (…, nq); None if one is outside of limits, or if bounds depend on
    joints that do not move."""
    states = ik._quick.begin(q0)
    if states is None:
        return None
    q = states[..., HEAD : HEAD + len(ik._problem.columns)]
    return states, bounded(ik._inside.bounds_now if len(ik._problem.G) else reach[:0], q, reach[ik._problem.columns]), q


def near_result(ik: IK, targets: Sequence[Any], q0: Any, near: Any, at: Any, **options: Any) -> IKResult:
    """Return the result of a call with `near`."""
    inputs = ik._given(targets, at)
    if q0 is None:
        raise fail("near", "near is a distance from q0, which is missing; expected q0 as well")
    reach, is_alone = reach_of(ik, near), options["prefer"] is None and not options["progress"]
    if is_alone and np.ndim(q0) == 1 and ik.contact is None and (begun := begun_near(ik, q0, reach)):
        given = with_postures(ik._postures, inputs) if ik._postures else inputs
        if ik._is_plain(given):
            found = ik._near.kernel(*begun, *given)
            if found[GOING] == 0.0:
                return ik._result(found, q0)
    q0 = checked_q(ik.limits, q0, "q0")
    result = near_solver(ik, reach)(*targets, q0=q0, at=at, **options)
    flat = np.setdiff1d(np.arange(len(reach)), ik._problem.columns[len(ik._problem.lower) :])
    good = (np.abs(result.q - q0) <= reach)[..., flat].all(axis=-1)  # limits may be farther away
    return replace(result, success=result.success & good if good.ndim else result.success and bool(good))
