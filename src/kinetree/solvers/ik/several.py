"""Several solutions of targets: all of an arm with a closed form, some of others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.algorithms.goals import GOALS
from kinetree.algorithms.inverse import DESCENT, HEAD, started
from kinetree.algorithms.several import APART
from kinetree.display import counted
from kinetree.errors import fail
from kinetree.solvers.ik.one_call import FORMS
from kinetree.solvers.ik.problem import Targets
from kinetree.solvers.ik.search import searched
from kinetree.spatial.se3 import Array

if TYPE_CHECKING:
    from kinetree.solvers.ik.solver import IK

PORTION = 128
"""Number of targets that are searched for at once."""


@dataclass(frozen=True, eq=False)
class IKSolutions:
    """Result of `IK.solutions`.

    q (…, most, nq): different configurations, the nearest to q0 first, inside all limits; NaN where there are fewer.
    mask (…, most): which of them are solutions.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.chain("Rz(q1) tx(0.4) Rz(q2) tx(0.3)")
        >>> found = kt.ik(arm, "tip", goal="position").solutions([0.4, 0.3, 0.0], most=4)
        >>> found.mask
        array([ True,  True, False, False])
        >>> found.q[found.mask].round(3) + 0.0  # elbow right and elbow left
        array([[ 0.   ,  1.571],
               [ 1.287, -1.571]])
    """

    q: Array
    mask: Array

    def __repr__(self) -> str:
        counts = np.asarray(self.mask).sum(axis=-1)
        if not counts.ndim:
            return f"IKSolutions: {counts} of at most {self.mask.shape[-1]}"
        few, many = counts.min(initial=self.mask.shape[-1]), counts.max(initial=0)
        return f"IKSolutions of {counted(counts.size, 'target')}: {min(few, many)} to {many} each"


def solutions(ik: IK, targets: Sequence[Any], most: int, q0: Any, starts: int, apart: float | None) -> IKSolutions:
    """Return the result of `IK.solutions`."""
    nq, ordered = ik._problem.nq, ik._quick.ordered
    if q0 is None and most == FORMS and apart is None and ordered and ik._is_plain(targets):
        found = ordered(ik._inside.neutral, *ik._more, *targets)
        if found.item(nq) >= 0.0:
            return IKSolutions(found[:, :nq], found[:, nq] < np.inf)
    for name, value in (("most", most), ("starts", starts)):
        if not isinstance(value, (int, np.integer)) or value < 1:
            raise fail(name, f"{name} is {value!r}; expected whole numbers from 1")
    if apart is not None and not 0 < apart < np.inf:
        raise fail("apart", f"apart is {apart!r}; expected a finite number above 0, rad or m")
    search, checked, batch = prepared(ik, targets, q0)
    if not ordered or apart is not None:
        flat, own = flattened(ik, search, checked.arrays, batch, np.ones(batch, bool))
        q, mask = _searched(ik, flat, own, most, starts, apart)
        q, mask = q.reshape(*batch, most, nq), mask.reshape(*batch, most)
    else:
        rows = search[1:3] if len(ik._problem.G) else []
        found = np.broadcast_to(ordered(search[3], *rows, *checked.arrays), (*batch, FORMS, nq + 1))
        doubtful = found[..., 0, nq] < 0.0
        if most < FORMS:
            found = found[..., :most, :]
        elif most > FORMS:
            none = np.broadcast_to(np.r_[np.full(nq, np.nan), np.inf], (*batch, most - FORMS, nq + 1))
            found = np.concatenate([found, none], axis=-2)
        q, mask = found[..., :nq].copy(), found[..., nq] < np.inf
        if doubtful.any():
            flat, own = flattened(ik, search, checked.arrays, batch, doubtful)
            q[doubtful], mask[doubtful] = _searched(ik, flat, own, most, starts, apart)
    if checked.bad is not None:
        bad = checked.in_batch(batch)
        q[bad], mask[bad] = np.nan, False
    return IKSolutions(q, mask)


def prepared(ik: IK, targets: Sequence[Any], q0: Any) -> tuple[tuple[Array, ...], Targets, tuple[int, ...]]:
    """Return the start as (states, h, centers, q0), checked targets, and their common batch."""
    checked = ik._checked(targets)
    states, *search = ik._inside.begin(ik._problem, q0)
    try:
        batch = np.broadcast_shapes(checked.batch, states.shape[:-1])
    except ValueError:
        wrong = f"targets are {checked.batch} and q0 is {states.shape[:-1]}, which do not go together"
        raise fail("q0", wrong) from None
    return (checked.stopped(states), *search), checked, batch


def flattened(
    ik: IK, search: Sequence[Array], targets: Sequence[Array], batch: tuple[int, ...], where: Array
) -> tuple[list[Array], list[Array]]:
    """Return the arrays of the start (k, ·) and the targets (k, *shape) where a mask (*batch,) is true."""
    shapes = [GOALS[goal.kind].shape for goal in ik.goals]
    own = [np.broadcast_to(a, batch + shape)[where] for a, shape in zip(targets, shapes, strict=True)]
    return [np.broadcast_to(a, batch + a.shape[-1:])[where] for a in search], own


def _searched(
    ik: IK, search: Sequence[Array], targets: Sequence[Array], most: int, starts: int, apart: float | None
) -> tuple[Array, Array]:
    """Return q (k, most, nq) and mask (k, most) of k targets, from closed forms or by descents from many starts."""
    count = len(search[0])
    if apart is None:
        apart = APART if len(ik._problem.columns) <= 6 else 0.5
    q, mask = np.full((count, most, ik._problem.nq), np.nan), np.zeros((count, most), bool)
    for first in range(0, count, PORTION):
        here = slice(first, first + PORTION)
        states, h, center, rest = (a[here] for a in search)
        own = [a[here] for a in targets]
        left = np.ones(len(states), bool)
        for places in (_at_forms, _at_starts) if ik._forms else (_at_starts,):
            begun = places(ik, states[left], h[left], center[left], [a[left] for a in own], starts)
            found, good = _descended(ik, begun, states[left], h[left], center[left], rest[left], [a[left] for a in own])
            at = np.flatnonzero(left) + first
            q[at], mask[at] = _different(ik, found, good, rest[left], most, apart)
            left[left] = ~good.any(axis=1)
            if not left.any():
                break
        if left.any():  # what `IK` finds
            at, own = np.flatnonzero(left) + first, [a[left] for a in own]
            answer = ik._answer(searched(ik, [states[left], h[left], center[left]], own), rest[left])
            q[at, 0], mask[at, 0] = answer[:, : ik._problem.nq], answer[:, ik._problem.nq + 2] == 0.0
            q[at[~mask[at, 0]], 0] = np.nan
    return q, mask


def _at_forms(ik: IK, states: Array, h: Array, center: Array, targets: list[Array], starts: int) -> Array:
    """Return the closed-form solutions (k, 8, n), NaN for those that are none."""
    n = len(ik._problem.columns)
    assert ik._forms
    forms = ik._forms(states[:, HEAD : HEAD + n], *([h, center] if len(ik._problem.G) else []), *targets)
    return np.where(np.isfinite(forms[..., n:]), forms[..., :n], np.nan)


def _at_starts(ik: IK, states: Array, h: Array, center: Array, targets: list[Array], starts: int) -> Array:
    """Return the start and evenly spread places inside the limits (k, 1 + starts, n)."""
    n, numbers = len(ik._problem.columns), np.arange(1.0, starts + 1)
    near = states[:, HEAD : HEAD + n]
    spread = started(ik._problem, numbers, h.T[..., None], center.T[..., None], near.T[..., None])
    shape = (len(states), starts)
    places = np.stack([np.broadcast_to(x, shape) for x in spread], axis=-1)
    return np.concatenate([near[:, None], places], axis=1)


def _descended(
    ik: IK, places: Array, states: Array, h: Array, center: Array, rest: Array, targets: list[Array]
) -> tuple[Array, Array]:
    """Return q (k, p, nq) after a descent from each of the places (k, p, n), and which are solutions (k, p).
    Places of NaN have none."""
    problem = ik._problem
    n, more = len(problem.columns), [h[:, None], center[:, None]] if len(problem.G) else []
    begun = np.repeat(states[:, None], places.shape[1], axis=1)
    begun[..., DESCENT] = problem.descents - 1
    begun[..., HEAD : HEAD + n] = np.where(np.isnan(places), states[:, None, HEAD : HEAD + n], places)
    answer = ik._answer(ik._kernel(begun, *more, *(a[:, None] for a in targets)), rest[:, None])
    good = (answer[..., problem.nq + 2] == 0.0) & ~np.isnan(places).any(axis=-1)
    return answer[..., : problem.nq], good


def _different(ik: IK, q: Array, good: Array, rest: Array, most: int, apart: float) -> tuple[Array, Array]:
    """Return up to `most` of the solutions q (k, p, nq), the nearest to rest (k, nq) first, each more than `apart` from
    those before, and a mask."""
    columns, turns = ik._problem.columns, ik._problem.turns
    moved, rows = q[..., columns], np.arange(len(q))
    away = np.linalg.norm(moved - rest[:, None, columns], axis=-1)
    away = np.where(good, away, np.inf)
    result, mask = np.full((len(q), most, q.shape[-1]), np.nan), np.zeros((len(q), most), bool)
    for i in range(most):
        first = np.argmin(away, axis=1)
        mask[:, i] = away[rows, first] < np.inf
        if not mask[:, i].any():
            break
        result[:, i] = np.where(mask[:, i, None], q[rows, first], np.nan)
        off = moved - moved[rows, first][:, None]
        off = np.where(turns, off - 2 * np.pi * np.round(off / (2 * np.pi)), off)
        away[np.abs(off).max(axis=-1) <= apart] = np.inf
    return result, mask
