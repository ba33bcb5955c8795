"""Search for explanations in which zeros of joints differ from the controller's."""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, product

import numpy as np

from kinetree.solvers.calibrate import fit as fitting
from kinetree.solvers.calibrate.data import Data, Explanation, Fit, fit_of
from kinetree.solvers.calibrate.least_squares import Unknowns, refined, settled_as
from kinetree.solvers.calibrate.readings import MOST
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array

OTHERS = 2
"""Most faults besides zeros; at most one of them is of the numbers."""
QUARTERS = 3
"""Most joints that a start has a quarter or half a turn off; a single joint may also be off in steps of FINE."""
FINE = np.pi / 12
STARTS = 6
"""Number of places from which the search for offsets continues."""
NEAR = 40
"""Number of places among which these are chosen if frames are unknown."""
CHECKED = 6
"""Least number of equations left over as a check: as many as a pose has."""


def zeros(data: Data, limit: int) -> list[Fit]:
    """Return the explanations that fit with zeros of joints, those with the fewest faults, at most `limit`."""
    few, found = data.few, list[Fit]()
    starts = Starts(few)
    for others in range(OTHERS + 1):
        cases = [e for e in _explanations(few, others) if others < limit and _most(few, e, limit)]
        for e, places in _promising(few, cases, starts):
            fits = _fewest(data, e, places, _most(few, e, limit))
            found += fits
            limit = min([limit, *(fit.explanation.wrong for fit in fits)])
    return [fit for fit in found if fit.explanation.wrong == limit]


def _explanations(data: Data, count: int) -> Iterator[Explanation]:
    """Yield the explanations with `count` faults, without zeros."""
    for readings in data.likely:
        if len(data.faults(*readings)) <= count:
            for base, tool in product((*data.bases, None), (*data.tools, None)):
                e = data.explained(*readings, base, tool)
                if e.wrong == count:
                    yield e


def _may(data: Data, e: Explanation) -> list[int]:
    """Return the joints whose zeros can be found: the first joint's is part of an unknown X, the last one's of Y."""
    n = len(data.arm.joints)
    return [i for i in range(n) if not (e.base is None and i == 0) and not (e.tool is None and i == n - 1)]


def _most(data: Data, e: Explanation, limit: int) -> int:
    """Return the largest number of zeros to find; all joints only if nothing else is wrong."""
    most = MOST - len(e.faults) if e.wrong else len(data.arm.joints)
    spare = 6 * data.T.shape[1] - e.unknowns
    return 0 if spare < len(_may(data, e)) else min(most, len(_may(data, e)), limit - e.wrong, spare - CHECKED)


def _promising(data: Data, cases: Sequence[Explanation], starts: "Starts") -> Iterator[tuple[Explanation, Unknowns]]:
    """Yield the explanations that fit with the zeros of all joints, and the places where they do."""
    if not cases:
        return
    places = [starts.of(e) for e in cases]
    counts = [len(place.offsets) for place in places]
    every = [i for i, count in enumerate(counts) for _ in range(count)]
    all_places = Unknowns(*(np.concatenate(parts) for parts in zip(*places, strict=True)))
    found, good = settled_as(data, [cases[i] for i in every], all_places, [_may(data, cases[i]) for i in every])
    for i, e in enumerate(cases):
        rows = np.flatnonzero(good & (np.array(every) == i))
        _, first = np.unique(np.round(_wrapped(data, found.offsets[rows]), 2), axis=0, return_index=True)
        if len(rows):
            yield e, Unknowns(*(part[rows[first]] for part in found))


def _fewest(data: Data, e: Explanation, places: Unknowns, most: int) -> list[Fit]:
    """Return the fits with the fewest zeros, at most `most`; none if some poses fit without zeros."""
    for count in range(most + 1):
        sets = list(combinations(_may(data, e), count))
        every = sets * len(places.offsets)
        start = Unknowns(*(np.repeat(part, len(sets), axis=0) for part in places))
        for offsets, one in zip(start.offsets, every, strict=True):
            offsets[[j for j in range(len(offsets)) if j not in one]] = 0.0
        found, good = settled_as(data.few, [e] * len(every), start, every)
        fits = {}
        for i in np.flatnonzero(good):
            wrong = e._replace(zeros=every[i], wrong=e.wrong + count)
            fit = refined(data, fit_of(data, wrong, found.X[i], found.Y[i], found.offsets[i]))
            if data.off(fit.residual) <= 1:
                fits[every[i]] = fit._replace(offsets=_wrapped(data, fit.offsets))
        if good.any():
            return list(fits.values()) if count else []
    return []


def _wrapped(data: Data, offsets: Array) -> Array:
    """Return the angles within half a turn."""
    half = np.pi * (1 + 1e-9)  # exactly half a turn is +180 deg
    return np.where(data.arm.turning, half - (half - offsets) % (2 * np.pi), offsets)


class Starts:
    """Starts of the search for zeros: the offsets of a grid for which the poses fit best."""

    def __init__(self, data: Data) -> None:
        self.data, self.grid = data, _grid(data.arm.turning)
        self.T = cache(lambda joint: data.arm.poses(data.q[joint], self.grid[:, None]))  # (s, k, 4, 4)
        self.chords = cache(lambda joint: fitting.chords(self.T(joint)[..., :3, :3]))
        self.rows = cache(lambda joint, tool: _row(self.T(joint) @ data.tools[tool]))

    def of(self, e: Explanation) -> Unknowns:
        """Return the best STARTS places for an explanation."""
        P = self.data.poses(e)
        if e.base is not None and e.tool is not None:
            X, Y = self.data.bases[e.base], self.data.tools[e.tool]
            off = _apart(self.rows(e.joint, e.tool), _row(se3.inverse(X) @ P))
            best = np.argsort(off, kind="stable")[:STARTS]
            return Unknowns(np.repeat(X[None], STARTS, axis=0), self.grid[best], np.repeat(Y[None], STARTS, axis=0))
        off = _apart(self.chords(e.joint), fitting.chords(P[:, :3, :3]))
        near = np.argsort(off, kind="stable")[:NEAR]
        T = self.T(e.joint)[near]
        known = self.data.bases.get(e.base or ""), self.data.tools.get(e.tool or "")
        X, Y = fitting.closed_form(np.broadcast_to(P, T.shape), T, *known)
        off = ((_row(X[:, None] @ T @ Y[:, None]) - _row(P)) ** 2).sum(axis=-1)
        best = np.argsort(off, kind="stable")[:STARTS]
        return Unknowns(X[best], self.grid[near[best]], Y[best])


def _row(T: Array) -> Array:
    """Return poses (…, k, 4, 4) as rows (…, 12 k). For arms of about a metre, m and rotation entries count alike."""
    return T[..., :3, :].reshape(*T.shape[:-3], -1)


def _apart(rows: Array, one: Array) -> Array:
    """Return the squared distance of rows (s, m) from one (m,), up to a constant."""
    return np.asarray((rows**2).sum(axis=-1) - 2 * rows @ one)


def _grid(turning: Sequence[bool]) -> Array:
    """Return offsets (s, n), rad, of joints that turn; sliding joints start at zero, because any start works."""
    joints, rows = np.flatnonzero(turning), [np.zeros(len(turning))]
    for count in range(1, QUARTERS + 1):
        for some in combinations(joints, count):
            for turns in product((1, 2, -1), repeat=count):
                row = np.zeros(len(turning))
                row[list(some)] = np.array(turns) * np.pi / 2
                rows.append(row)
    for i in joints:
        for angle in np.arange(-np.pi, np.pi, FINE):
            row = np.zeros(len(turning))
            row[i] = angle
            rows.append(row)
    return np.array(rows)
