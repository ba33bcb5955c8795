"""Several solutions of targets: all of an arm with a closed form, some of others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.algorithms.several import APART
from kinetree.display import counted
from kinetree.errors import fail
from kinetree.solvers.ik.apart import in_contact, searched
from kinetree.solvers.ik.one_call import FORMS
from kinetree.solvers.ik.problem import Targets, common_batch
from kinetree.solvers.ik.search import at_forms, at_starts, descents, flattened
from kinetree.spatial.se3 import Array

if TYPE_CHECKING:
    from kinetree.solvers.ik.solver import IK

PORTION = 128
"""Number of targets that are searched for at once."""
MOST_TURNS = 10_000
"""Largest number of combinations of whole turns."""
EDGE = 1e-9
"""Largest distance beyond the end of a range, rad, from which a turned joint is brought back."""


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


def with_turns(ik: IK, targets: Sequence[Any], most: int, q0: Any, starts: int, apart: float | None) -> IKSolutions:
    """Return the result of `IK.solutions` with all whole turns of its joints inside their ranges."""
    found = solutions(ik, targets, max(most, FORMS) if isinstance(most, (int, np.integer)) else most, q0, starts, apart)
    problem, n = ik._problem, len(ik._problem.lower)
    turning = np.flatnonzero(problem.turns[:n] & np.isfinite(problem.upper - problem.lower))
    columns, lower, upper = problem.columns[turning], problem.lower[turning], problem.upper[turning]
    whole = [int(x) for x in np.ceil((upper - lower) / (2 * np.pi))]
    if float(np.prod([2.0 * x + 1.0 for x in whole])) > MOST_TURNS:
        raise fail("turns", f"the joints have too many whole turns; expected at most {MOST_TURNS} combinations")
    turns = 2 * np.pi * np.array(list(product(*(range(-x, x + 1) for x in whole))))  # (c, t)
    q = np.repeat(found.q[..., None, :], len(turns), axis=-2)  # (…, most, c, nq)
    q[..., columns] += turns
    inside = ((q[..., columns] >= lower - EDGE) & (q[..., columns] <= upper + EDGE)).all(axis=-1)
    q[..., columns] = np.clip(q[..., columns], lower, upper)
    mask = (inside & found.mask[..., None]).reshape(*found.mask.shape[:-1], -1)
    q = q.reshape(*mask.shape, -1)
    rest = prepared(ik, targets, q0)[0][3][..., None, :]
    away = np.where(mask, np.linalg.norm((q - rest)[..., problem.columns], axis=-1), np.inf)
    first = np.argsort(away, axis=-1, kind="stable")[..., :most]
    mask = np.take_along_axis(mask, first, axis=-1)
    return IKSolutions(np.where(mask[..., None], np.take_along_axis(q, first[..., None], axis=-2), np.nan), mask)


def solutions(ik: IK, targets: Sequence[Any], most: int, q0: Any, starts: int, apart: float | None) -> IKSolutions:
    """Return the result of `IK.solutions`."""
    nq, ordered = ik._problem.nq, ik._quick.ordered
    if q0 is None and most == FORMS and apart is None and ordered and ik._is_plain(targets):
        found = _kept(ik, ordered(ik._inside.neutral, *ik._more, *targets))
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
        doubtful, found = found[..., 0, nq] < 0.0, _kept(ik, found)
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


def _kept(ik: IK, found: Array) -> Array:
    """Return the closed-form solutions (…, 8, nq + 1) that are apart, if that is required, with no solutions after
    them. Those about which a search must decide are returned as they are."""
    if ik.contact is None:
        return found
    kept = np.isfinite(found[..., :-1]).all(axis=-1) & (found[..., :1, -1] >= 0.0)
    found, kept[kept] = found.copy(), ~ik.contact(found[kept][:, :-1])
    found[~kept & (found[..., :1, -1] >= 0.0)] = [np.nan] * ik._problem.nq + [np.inf]
    return np.take_along_axis(found, np.argsort(~kept, axis=-1, kind="stable")[..., None], axis=-2)


def prepared(ik: IK, targets: Sequence[Any], q0: Any) -> tuple[tuple[Array, ...], Targets, tuple[int, ...]]:
    """Return the start as (states, h, centers, q0), checked targets, and their common batch."""
    checked = ik._checked(targets)
    states, *search = ik._inside.begin(ik._problem, q0)
    return (checked.stopped(states), *search), checked, common_batch(checked.batch, q0=states)


def _searched(
    ik: IK, search: Sequence[Array], targets: Sequence[Array], most: int, starts: int, apart: float | None
) -> tuple[Array, Array]:
    """Return q (k, most, nq) and mask (k, most) of k targets, from closed forms or by descents from many starts."""
    count, nq = len(search[0]), ik._problem.nq
    if apart is None:
        apart = APART if len(ik._problem.columns) <= 6 else 0.5
    q, mask = np.full((count, most, nq), np.nan), np.zeros((count, most), bool)
    for first in range(0, count, PORTION):
        here = slice(first, first + PORTION)
        states, h, center, rest = (a[here] for a in search)
        own = [a[here] for a in targets]
        left = np.ones(len(states), bool)
        for is_formed in (True, False) if ik._forms else (False,):
            begun, there = [a[left] for a in (states, h, center)], [a[left] for a in own]
            places = at_forms(ik, begun, there) if is_formed else at_starts(ik, begun, range(starts + 1))
            found, own_rest = descents(ik, places, begun, there), rest[left]
            answer = ik._answer(found, own_rest[:, None])
            good = (answer[..., nq + 2] == 0.0) & ~in_contact(ik, found, own_rest[:, None])
            at = np.flatnonzero(left) + first
            q[at], mask[at] = _different(ik, answer[..., :nq], good, own_rest, most, apart)
            left[left] = ~good.any(axis=1)
            if not left.any():
                break
        if left.any():  # what `IK` finds
            at, own = np.flatnonzero(left) + first, [a[left] for a in own]
            answer = ik._answer(searched(ik, [a[left] for a in (states, h, center, rest)], own), rest[left])
            q[at, 0], mask[at, 0] = answer[:, :nq], answer[:, nq + 2] == 0.0
            q[at[~mask[at, 0]], 0] = np.nan
    return q, mask


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
