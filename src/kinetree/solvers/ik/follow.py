"""Configurations along a sequence of targets, each near the one before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kinetree.display import Displayable, counted, number as as_text, some
from kinetree.errors import fail
from kinetree.model.limits import checked_q
from kinetree.solvers.ik.apart import named, searched
from kinetree.solvers.ik.near import begun_near, near_solver, reach_of
from kinetree.solvers.ik.several import solutions
from kinetree.solvers.ik.step import active_limits
from kinetree.spatial.se3 import Array

if TYPE_CHECKING:
    from kinetree.solvers.ik.solver import IK

STARTS = 64
"""Number of descents that look for solutions of the first sample, if there is no closed form."""
MOST = 8
"""Most solutions of the first sample that are tried as starts, near q0 and near neutral."""


@dataclass(frozen=True, eq=False, repr=False)
class IKPath(Displayable):
    """Result of `IK.follow`.

    q (n, …, nq): the configuration of each sample; NaN from the sample at which a sequence stops. reached (n, …):
    whether targets are reached within the tolerance, and not only within `soft`. residual (n, …, 2): distance from the
    targets, m and rad, also of the closest configuration of the sample at which a sequence stops. count (…): the number
    of samples that are followed. start (…, nq): for a sequence that stops, a solution of its first sample from which
    more samples can be followed, and start_count (…), how many; NaN and 0 if none was found.

    Examples:
        >>> import kinetree as kt
        >>> ik = kt.ik(kt.chain("Rz(q1) tx(0.4) Rz(q2) tx(0.3)"), "tip", goal="position")
        >>> path = ik.follow([[0.6, y, 0.0] for y in (0.0, 0.1, 0.2, 0.3, 0.4)], q0=[-0.6, 1.1])
        >>> path
        IKPath: stops at sample 3 of 5
        >>> path.why.partition(";")[0]
        'sample 3: the closest configuration is 0.000995 m and 0 rad off'
    """

    q: Array
    reached: Array
    residual: Array
    count: Array | int
    start: Array
    start_count: Array | int
    _why: tuple[str, ...] = ()

    @property
    def success(self) -> Any:
        """Return whether all samples are followed (…)."""
        return self.count == len(self.reached)

    @property
    def lags(self) -> Any:
        """Return which samples are followed within `soft` alone (n, …)."""
        return ~self.reached & (np.arange(len(self.reached)).reshape(-1, *[1] * np.ndim(self.count)) < self.count)

    @property
    def why(self) -> Any:
        """Say why a sequence stops, and at which sample; empty if it does not; an array (…) of several ones."""
        return np.array(self._why).reshape(np.shape(self.count)) if np.ndim(self.count) else self._why[0]

    def __repr__(self) -> str:
        n, late = len(self.reached), int(np.sum(self.lags))
        more = f", {counted(late, 'sample')} late" if late else ""
        if np.ndim(self.count):
            return f"IKPath of {counted(np.size(self.count), 'sequence')}: {int(np.sum(self.success))} followed{more}"
        state = f"follows {counted(n, 'sample')}" if self.success else f"stops at sample {self.count} of {n}"
        return f"IKPath: {state}{more}"


def follow(ik: IK, targets: Sequence[Any], q0: Any, near: Any, dt: Any, soft: Any) -> IKPath:
    """Return the result of `IK.follow`."""
    for name, value in (("dt", dt), ("soft", soft)):
        is_number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
        if value is not None and not (is_number and 0 < value < np.inf):
            raise fail(name, f"{name} is {value!r}; expected a finite number above 0, {'s' if name == 'dt' else 'm'}")
    reach, checked, start = reach_of(ik, near), ik._checked(targets), checked_q(ik.limits, q0, "q0")
    if dt is not None:
        reach = np.minimum(reach, float(dt) * _speeds(ik))
    n, *own = checked.batch or (-1,)
    try:
        batch = np.broadcast_shapes((*own,), start.shape[:-1], *[(n,)] * (n < 0))  # -1 is no length
    except ValueError:
        legal = "samples in a first axis, (n, …), and q0 (…, nq)"
        raise fail("q0", f"targets are {checked.batch} and q0 is {start.shape[:-1]}; expected {legal}") from None
    lanes = int(np.prod(batch, dtype=int))

    def flat(values: Any, shape: tuple[int, ...] = ()) -> Array:
        """Return values (n, lanes, *shape) of targets (n, …, *shape)."""
        whole = np.broadcast_to(values, (*checked.batch, *shape))
        whole = whole.reshape(n, *[1] * (len(batch) - len(own)), *own, *shape)
        return np.broadcast_to(whole, (n, *batch, *shape)).reshape(n, lanes, *shape)

    arrays = [flat(a, port.shape) for a, port in zip(checked.arrays, ik._check.inputs, strict=True)]
    bad = np.vstack([flat(checked.in_batch(checked.batch)), np.ones(lanes, bool)])
    nq = start.shape[-1]
    start = np.broadcast_to(start, (*batch, nq)).reshape(lanes, nq)
    run = _Run(ik, reach, near_solver(ik, reach), 0.0 if soft is None else float(soft))
    found = run.followed(arrays, start, bad.argmax(axis=0))
    start, count, why = run.explained(arrays, start, found, bad)
    q, reached, residual = (a.reshape(n, *batch, *a.shape[2:]) for a in found[:3])
    counts = [a.reshape(batch) if batch else a.item() for a in (found.counts, count)]
    return IKPath(q, reached, residual, counts[0], start.reshape(*batch, nq), counts[1], why)


def _speeds(ik: IK) -> Array:
    """Return the velocity limit of each coordinate that moves (nq,), the least of a joint with a quaternion."""
    speeds, columns, f = ik._stepper.speeds, ik._problem.columns, len(ik._problem.lower)
    found = np.full(ik._problem.nq, np.inf)
    found[columns[:f]] = speeds[:f]
    for joint in ik._problem.loose:
        found[columns[joint.q : joint.q + joint.kind.nq]] = speeds[joint.v : joint.v + joint.kind.nv].min()
    return found


class _Followed(NamedTuple):
    """Fields of `IKPath`, and the last configurations (lanes, nq): closest to the target at which a lane stops."""

    q: Array
    reached: Array
    residual: Array
    counts: Array
    ends: Array


class _Run(NamedTuple):
    """A solver, how far each coordinate (nq,) may be from its start, a solver that keeps to it, and how far a
    configuration may be from its target, m and rad."""

    ik: IK
    reach: Array
    solver: IK
    soft: float

    def followed(self, targets: Sequence[Array], q0: Array, last: Array) -> _Followed:
        """Return what can be followed of targets (n, lanes, *shape) from q0 (lanes, nq), before samples `last`."""
        n, (lanes, nq), ik, solver = len(targets[0]), q0.shape, self.ik, self.solver
        q, residual, reached = (
            np.full((n, lanes, nq), np.nan),
            np.full((n, lanes, 2), np.nan),
            np.zeros((n, lanes), bool),
        )
        count, ends, going = np.zeros(lanes, int), q0.copy(), np.arange(lanes)
        for k in range(n):
            going = going[last[going] > k]
            if not len(going):
                break
            here = ends[going]
            begun = begun_near(ik, here, self.reach)
            search = (*begun, here) if begun else solver._inside.begin(solver._problem, here)
            answer = ik._answer(searched(solver, search, [target[k, going] for target in targets]), search[3])
            ends[going], residual[k, going] = answer[:, :nq], answer[:, nq : nq + 2]
            reached[k, going] = answer[:, nq + 2] == 0.0
            goes_on = reached[k, going] | (residual[k, going] <= self.soft).all(axis=-1)
            if ik.contact is not None:
                goes_on &= ~np.asarray(ik.contact(ends[going]))
            going = going[goes_on]
            q[k, going] = ends[going]
            count[going] += 1
        return _Followed(q, reached, residual, count, ends)

    def explained(
        self, targets: Sequence[Array], q0: Array, found: _Followed, bad: Array
    ) -> tuple[Array, Array, tuple[str, ...]]:
        """Return other starts (lanes, nq), how many samples can be followed from them, and why lanes stop."""
        starts, counts, why = np.full_like(q0, np.nan), np.zeros(len(q0), int), [""] * len(q0)
        lanes = np.flatnonzero(found.counts < len(found.q))
        if len(lanes):
            if not self.ik._postures:
                there = [target[:, lanes] for target in targets]
                starts[lanes], counts[lanes] = self._starts(there, q0[lanes], found.counts[lanes], bad[:, lanes])
            at = found.counts[lanes]
            before = np.where((at > 0)[:, None], found.q[at - 1, lanes], q0[lanes])
            search, nq = self.ik._inside.begin(self.ik._problem, before), q0.shape[1]
            states = searched(self.ik, search, [target[at, lanes] for target in targets])
            elsewhere = self.ik._answer(states, search[3])
            for i, (k, lane) in enumerate(zip(at.tolist(), lanes.tolist(), strict=True)):
                way = elsewhere[i, :nq] - before[i] if elsewhere[i, nq + 2] == 0.0 else None
                text = "the target is not finite, or no pose" if bad[k, lane] else self._reason(found, k, lane, way)
                why[lane] = f"sample {k}: {text}"
        return starts, counts, tuple(why)

    def _starts(self, targets: Sequence[Array], q0: Array, count: Array, bad: Array) -> tuple[Array, Array]:
        """Return the start (lanes, nq) among solutions of the first sample from which most samples can be followed, and
        how many; NaN and 0 where these are not more than `count`."""
        (_lanes, nq), first, own = q0.shape, [target[0] for target in targets], np.arange(len(q0))
        near = [solutions(self.ik, first, MOST, start, STARTS, None).q for start in (q0, self.ik._inside.neutral)]
        starts = np.concatenate(near, axis=1)
        last = np.where(np.isfinite(starts).all(axis=-1), bad.argmax(axis=0)[:, None], 0).ravel()
        again = [np.repeat(target, starts.shape[1], axis=1) for target in targets]
        counts = self.followed(again, np.nan_to_num(starts).reshape(-1, nq), last).counts.reshape(starts.shape[:2])
        best = counts.argmax(axis=1)
        is_more = counts[own, best] > count
        return np.where(is_more[:, None], starts[own, best], np.nan), np.where(is_more, counts[own, best], 0)

    def _reason(self, found: _Followed, k: int, lane: int, way: Array | None) -> str:
        """Return why a lane stops at sample k, in words. way (nq,): to another solution, if there is one."""
        ik, end, reach = self.ik, found.ends[lane], self.reach
        if ik.contact is not None and ik.contact(end):
            return named(ik.contact, end)
        active = active_limits(end, ik.limits, ik._problem.columns)
        at = [name for name, is_there in zip(ik.limits.names, active, strict=True) if is_there]
        metres, radians = (as_text(float(x)) for x in found.residual[k, lane])
        off = f"the closest configuration is {metres} m and {radians} rad off" + (f", at {some(at)}" if at else "")
        if way is None:
            return f"no solution was found; {off}"
        flat = ik._problem.columns[: len(ik._problem.lower)]
        j = max(flat, key=lambda j: abs(way[j]) / reach[j], default=0)
        if not abs(way[j]) > reach[j]:
            return f"{off}; another solution is farther away"
        name, moves, most = ik.limits.coordinate_names[j], as_text(abs(float(way[j]))), as_text(float(reach[j]))
        return f"{off}; another solution moves {name} by {moves}, and at most {most} is allowed"
