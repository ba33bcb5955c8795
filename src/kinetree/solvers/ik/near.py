"""Inverse kinematics near a start q0: ranges around it are an input of the search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.algorithms.inverse import GOING, HEAD, Problem
from kinetree.algorithms.near import bounds_near
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port
from kinetree.compiler.program import trace
from kinetree.display import some
from kinetree.errors import fail
from kinetree.model.limits import checked_q
from kinetree.solvers.ik.given import with_postures
from kinetree.solvers.ik.one_call import entered
from kinetree.solvers.ik.problem import Inside
from kinetree.spatial.se3 import Array

if TYPE_CHECKING:
    from kinetree.solvers.ik.solver import IK, IKResult

DOUBLE = np.dtype(float)
DESCENTS = 16
"""Most starts near q0."""


@dataclass(frozen=True, slots=True, eq=False)
class Near:
    """What an `IK` needs for a search near a start.

    problem, kernel, closest: with ranges as an input. ranges: `bounds_near`. enter: the state of a start and its
    bounds, with GOING below zero if it is outside the limits; None if bounds depend on joints that do not move. joints
    (nq,): the joint of each coordinate.
    """

    problem: Problem
    kernel: Kernel
    closest: Kernel
    ranges: Kernel
    enter: Kernel | None
    joints: tuple[str, ...]


def near_kernels(problem: Problem, inside: Inside, key: str) -> dict[str, Any]:
    """Return the kernels `ranges` and `enter` of `Near`. key: a hash of all that the problem depends on."""
    k, m = len(problem.columns), len(problem.G)
    rows = [Port("h", (m,)), Port("center", (k,))] if m else []
    ports, whole = [*(Port(name, (k,)) for name in ("q0", "q", "reach")), *rows], Port("q0", (problem.nq,))

    def ranges(q0: Any, q: Any, reach: Any, h: Any = (), center: Any = ()) -> Array:
        return np.array(bounds_near(problem, q0, q, reach, h, center))

    def enter(q0: Any, reach: Any) -> Array:
        state, most = entered(problem, inside.limits, q0), [reach[j] for j in problem.columns]
        q = list(state[HEAD : HEAD + k])
        return np.array([*state, *bounds_near(problem, q, q, most, inside.bounds_now, inside.begin_at)])

    size = problem.bounds + k
    begun = Port("begun", (HEAD + 2 * k + problem.memory + size,))
    shapes = [port.shape for port in ports]
    return {
        "ranges": Kernel(
            "ranges", tuple(ports), Port("ranges", (size,)), lambda: trace(ranges, *shapes), f"ranges {key}"
        ),
        "enter": None
        if inside.rows.any()
        else Kernel(
            "near",
            (whole, replace(whole, name="reach")),
            begun,
            lambda: trace(enter, whole.shape, whole.shape),
            f"near {key}",
        ),
    }


def reach_of(ik: IK, near: Any, name: str = "near") -> Array:
    """Return how far each coordinate (nq,) may be from its start, from a number or numbers by joint."""
    joints, by_name = ik._near.joints, near if isinstance(near, Mapping) else {}
    unknown = [joint for joint in by_name if joint not in joints]
    if unknown:
        raise fail(name, f"{name} has {unknown[0]!r}, which is no joint of q; expected names such as {some(joints)}")
    values = [by_name.get(joint, np.inf) for joint in joints] if by_name else [near] * len(joints)
    for x in {*by_name.values()} if by_name else [near]:
        if isinstance(x, bool) or not isinstance(x, (int, float, np.number)) or not 0 < x < np.inf:
            legal = "a finite number above 0, rad and m, or a dictionary of such numbers by joint"
            raise fail(name, f"{name} is {near!r}; expected {legal}")
    return np.array(values, dtype=float)


def near_solver(ik: IK, reach: Array) -> IK:
    """Return a solver whose results are near their q0. reach (nq,): how far each coordinate may be from it."""
    made = ik._near
    return replace(
        ik,
        _problem=made.problem,
        _inside=replace(ik._inside, reach=reach, ranges=made.ranges),
        _kernel=made.kernel,
        _closest=made.closest,
        _nearest=None,
        _forms=None,
        _quick=replace(ik._quick, enter=None, ordered=None, verdict=None),
        _hard=ik._hard and near_solver(ik._hard, reach),
    )


def near_result(ik: IK, targets: Sequence[Any], q0: Any, near: Any, **options: Any) -> IKResult:
    """Return the result of a call with `near`."""
    if options.pop("prefer") is not None:
        raise fail("near", "prefer slides away from q0, as far as it leads; expected near or prefer, not both")
    if q0 is None:
        raise fail("near", "near is a distance from q0, which is missing; expected q0 as well")
    reach, enter = reach_of(ik, near), ik._near.enter
    if enter and not options["progress"] and type(q0) is np.ndarray and q0.dtype is DOUBLE and q0.shape == reach.shape:
        given = with_postures(ik._postures, targets) if ik._postures else targets
        begun, problem = enter(q0, reach), ik._near.problem
        if begun[GOING] > 0.0 and ik.contact is None and ik._is_plain(given):
            k = len(problem.columns)
            bounds = begun[-k - problem.bounds : -k]
            found = ik._near.kernel(begun[: -k - problem.bounds], bounds, begun[-k:], *given)
            if found[GOING] == 0.0:
                return ik._result(found, q0)
    solver = near_solver(ik, reach)
    result = solver(*targets, q0=q0, **options)
    start = checked_q(ik.limits, q0, "q0")
    if not ik.limits.contains(start).all() and (far := is_far(solver, start)).any():
        far = np.broadcast_to(far, np.shape(result.success))
        result = replace(result, success=result.success & ~far if far.ndim else False)
    return result


def is_far(ik: IK, q0: Array) -> Array:
    """Return for which starts (…, nq) limits are farther away than a result may be."""
    assert ik._inside.reach is not None
    flat = [j for j, name in enumerate(ik._near.joints) if j not in ik._problem.columns[len(ik._problem.lower) :]]
    off = np.abs(ik.limits.project(q0) - q0)
    return np.asarray((off > ik._inside.reach)[..., flat].any(axis=-1))
