"""Inverse kinematics of robots whose loops stay closed: the loops are goals of the search, and `LoopCloser` decides."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, cast

import numpy as np

from kinetree.algorithms.control import ANGLE, DISTANCE, SUCCESS
from kinetree.algorithms.goals import Goal
from kinetree.algorithms.inverse import COST, TOTAL
from kinetree.arrays import as_given
from kinetree.display import some
from kinetree.errors import fail, wrong_type
from kinetree.model.limits import Limits, checked_q, limits_about
from kinetree.queries.closing import SLACK, ClosedLoops, LoopCloser
from kinetree.solvers.ik.given import described
from kinetree.solvers.ik.problem import at_the_best
from kinetree.solvers.ik.result import IKResult
from kinetree.solvers.ik.search import descents, flattened
from kinetree.solvers.ik.several import prepared
from kinetree.solvers.ik.solver import IK
from kinetree.spatial.se3 import Array

ROUNDS = (1, 24, 104)
"""Numbers of closed configurations from which a search begins, the start alone at first; the last ones also lead to the
closest point."""
PORTION = 128
"""Number of targets that are searched for at once."""
UNCOMPUTED = {"at": None, "near": None, "prefer": None, "threads": 1, "progress": False}
"""Options of other solvers, which only have these values here."""
INSIDE = 0.9999
"""Share of the way up to where loops cannot close that is gone."""


def closed_ik(closer: LoopCloser, search: IK, clearance: Any) -> IK:
    """Return the solver, with the type of others, as it is called alike."""
    if search._problem.memory or clearance is not None:
        raise fail("loops", "closed loops need hard goals without clearance; expected no weight and no clearance")
    return cast("IK", ClosedIK(closer, search, search.coordinate_names, search.goals, search.limits))


def _refuse(name: str, *_: Any, **__: Any) -> None:
    raise fail("loops", f"{name} is not computed for closed loops; expected a call with targets and q0")


@dataclass(frozen=True, eq=False, repr=False)
class ClosedIKResult(IKResult):
    """Result of `ClosedIK`. gap (…, k, 2): how far each of `robot.loops` is open, m and rad; else as `IKResult`."""

    gap: Array = field(default_factory=lambda: np.zeros((0, 2)))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ClosedIK:
    """A solver of inverse kinematics that keeps loops closed, made by `driven=` of `kt.ik`.

    close: closes the loops. search: of the driven joints and those that follow, with the loops among its goals.
    coordinate_names, goals, limits: as of `IK`.
    """

    close: LoopCloser
    search: IK
    coordinate_names: tuple[str, ...]
    goals: tuple[Goal, ...]
    limits: Limits

    def __repr__(self) -> str:
        return f"ClosedIK: {', '.join(map(described, self.goals))}, by {some(self.close.driven)}"

    def __getattr__(self, name: str) -> Any:
        """Return a function that raises KinetreeError, for other methods of `IK`."""
        if name.startswith("_") or not hasattr(IK, name):
            raise AttributeError(f"ClosedIK has no attribute {name!r}")
        return partial(_refuse, name)

    @as_given
    def __call__(self, /, *targets: Any, q0: Any = None, **others: Any) -> ClosedIKResult:
        """Return configurations of all joints (…, nq) for targets, as `kinetree.kinematics.IK` does.

        q0 (…, nq): the start, whose branch the answer is on; by default that of `close`. The answer is closed, inside
        the limits, and the nearest to the start of those found; other joints stay. Without success it is near the
        target, or if the loops cannot be closed there, at the start. Raises KinetreeError as `IK` does, and for its
        other options.
        """
        for name, value in others.items():
            if name not in UNCOMPUTED:
                raise wrong_type("arguments", f"{name} is no option of a call; expected q0")
            if value is not UNCOMPUTED[name]:
                _refuse(name)
        ik, nq = self.search, self.search._problem.nq
        start = self.close.start if q0 is None else checked_q(ik.limits, q0, "q0")
        search, inputs, batch = prepared(ik, (*targets, start) if ik._problem.inputs else targets, start)
        begin, own = flattened(ik, search, inputs.arrays, batch, np.ones(batch, bool))
        given = [np.broadcast_to(start, (*batch, nq)).reshape(-1, nq), inputs.in_batch(batch).ravel(), *begin[:3], *own]
        starts = range(0, max(len(given[0]), 1), PORTION)
        rows = [self._solved(*(a[i : i + PORTION] for a in given)) for i in starts]
        parts: list[Any] = np.split(np.concatenate(rows), [1, 2, 4, 5, 5 + nq], axis=-1)[1:]
        success, residual, steps, q, gap = [a.reshape((*batch, *a.shape[1:])) for a in parts]
        success, steps, gap = (
            success[..., 0] > 0.0,
            steps[..., 0].astype(int),
            gap.reshape((*gap.shape[:-1], gap.shape[-1] // 2, 2)),
        )
        if not batch:
            success, steps = bool(success), int(steps)
        return ClosedIKResult(q, success, residual, steps, ik.limits, ik._problem.columns, gap=gap)

    def reachable(self, *targets: Any) -> Any:
        """Return whether targets can be reached (…,): `success` of a call without q0."""
        return self(*targets).success

    def _solved(self, starts: Array, bad: Array, states: Array, h: Array, center: Array, *targets: Array) -> Array:
        """Return the best rows (k, ·), as those of `_rows`, for k targets, of which some are bad."""
        ik, columns = self.search, list(self.close.roles.columns)
        first = self.close(starts[:, columns], starts)
        best = self._rows(first, targets, 0.0, 0.0)
        best[bad, 1:4] = (0.0, np.nan, np.nan)
        left = np.flatnonzero(first.success & ~bad & (best[:, 1] == 0.0))
        for count in ROUNDS if len(left) else ():
            search, there = [a[left] for a in (states, h, center)], [a[left] for a in targets]
            here, alone = first.q[left, None], [a[:, None] for a in there]
            places = self._places(here[..., columns], starts[left, None], count)
            ends = descents(ik, places[..., ik._problem.columns], search, there)
            if count == ROUNDS[-1]:
                nearest = np.take_along_axis(ends, ends[..., COST].argmin(axis=1)[:, None, None], axis=1)
                more = [h[left, None]] if len(ik._problem.G) else []
                ends = np.concatenate([ends, ik._closest(at_the_best(ik._problem, nearest), *more, *alone)], axis=1)
            x = np.asarray(ik._answer(ends, here))[..., columns]
            away = np.linalg.norm(x - here[..., columns], axis=-1)
            near = self._near(here[..., columns], x, starts[left, None])
            rows = self._rows(near, alone, ends[..., TOTAL], away)
            rows = rows[np.arange(len(left)), rows[..., 0].argmin(axis=1)]
            best[left] = np.where(rows[:, :1] < best[left, :1], rows, best[left])
            left = left[best[left, 1] == 0.0]
            if not len(left):
                break
        return best

    def _places(self, x: Array, starts: Array, count: int) -> Array:
        """Return closed configurations (k, count, nq) on the branch of the starts (k, 1, nq), the first one at x."""
        problem, to = self.search._problem, np.repeat(x, count, axis=1)
        flat = problem.columns[: len(problem.lower)]
        for i, j in enumerate(self.close.roles.columns):
            for k in np.flatnonzero(flat == j):
                to[:, 1:, i] = np.random.default_rng(j).uniform(problem.first[k], problem.last[k], count - 1)
        return self._near(x, to, starts).q

    def _near(self, x: Array, to: Array, starts: Array) -> ClosedLoops:
        """Return closed configurations at `to` (…, n), or where loops cannot close there, on the way from x (…, n)."""
        found = self.close(to, starts)
        share = np.asarray(found.share)[..., None]
        to = x + np.where(share < 1.0, INSIDE * share, 1.0) * (to - x)
        return self.close(to, starts) if (share < 1.0).any() else found

    def _rows(self, found: ClosedLoops, targets: Sequence[Array], steps: Any, away: Any) -> Array:
        """Return the value, success, residual (2,), steps, q and gap, one after the other (…, ·), of configurations.

        The least value is the best: without success the squared residual, with it below 0; infinite for those that are
        open or outside of the limits. away: how far driven joints are from the start.
        """
        ik = self.search
        report = np.asarray(ik._stepper.back(ik._stepper.speeds, found.q, found.q, *targets))
        about = limits_about(ik.limits, ik._problem.columns)
        allowed = np.asarray(found.success) & (ik.limits.margin(found.q)[..., about] >= -SLACK).all(axis=-1)
        residual, success = report[..., DISTANCE : ANGLE + 1], np.where(allowed, report[..., SUCCESS], 0.0)
        value = np.where(success > 0.0, -1.0 / (1.0 + away), np.sum(residual**2, axis=-1))
        head = [np.where(allowed, value, np.inf), success, *np.moveaxis(residual, -1, 0), 0.0 * success + steps]
        return np.concatenate(
            [np.stack(head, axis=-1), found.q, found.gap.reshape(*success.shape, 2 * found.gap.shape[-2])], axis=-1
        )
