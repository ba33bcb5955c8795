"""Search for the simplest explanation of the poses that a controller shows, with and without other zeros of joints."""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, groupby, product

import numpy as np

from kinetree.lab import hand_eye as fitting
from kinetree.lab.calibrate.data import Data, Explanation, Fit, fit_of, model
from kinetree.lab.calibrate.readings import MOST, Fault
from kinetree.lab.calibrate.settle import Unknowns, refined, settled, starts as starts_of
from kinetree.lab.calibrate.text import is_nothing
from kinetree.progress import tracked
from kinetree.spatial import Array, se3

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
    for others in tracked(range(OTHERS + 1), "searching zeros of joints"):
        cases = [e for e in few.explanations(few.likely) if e.wrong == others < limit and _most(few, e, limit)]
        for e, places in _promising(few, cases, starts):
            fits = _fewest(data, e, places, _most(few, e, limit))
            found += fits
            limit = min([limit, *(fit.explanation.wrong for fit in fits)])
    return [fit for fit in found if fit.explanation.wrong == limit]


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
    found, off = settled(data, [cases[i] for i in every], all_places, [_may(data, cases[i]) for i in every])
    for i, e in enumerate(cases):
        rows = np.flatnonzero((off <= 1) & (np.array(every) == i))
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
        found, off = settled(data.few, [e] * len(every), start, every)
        fits = {}
        for i in np.flatnonzero(off <= 1):
            wrong = e._replace(zeros=every[i], wrong=e.wrong + count)
            fit = refined(data, fit_of(data, wrong, found.X[i], found.Y[i], found.offsets[i]))
            if data.off(fit.residual) <= 1:
                fits[every[i]] = fit._replace(offsets=_wrapped(data, fit.offsets))
        if (off <= 1).any():
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
        X, Y = self.data.bases.get(e.base or ""), self.data.tools.get(e.tool or "")
        if X is not None and Y is not None:
            off = _apart(self.rows(e.joint, e.tool), _row(se3.inverse(X) @ P))
        else:
            off = _apart(self.chords(e.joint), fitting.chords(P[:, :3, :3]))
        near = np.argsort(off, kind="stable")[:NEAR]
        T = self.T(e.joint)[near]
        X, Y = fitting.closed_form(np.broadcast_to(P, T.shape), T, X, Y)
        off = ((_row(X[:, None] @ T @ Y[:, None]) - _row(P)) ** 2).sum(axis=-1)
        best = np.argsort(off, kind="stable")[:STARTS]
        return starts_of(X[best], self.grid[near[best]], Y[best])


def _row(T: Array) -> Array:
    """Return poses (…, k, 4, 4) as rows (…, 12 k). For arms of about a metre, m and rotation entries count alike."""
    return T[..., :3, :].reshape(*T.shape[:-3], -1)


def _apart(rows: Array, one: Array) -> Array:
    """Return the squared distance of rows (s, m) from one (m,), up to a constant."""
    return np.asarray((rows**2).sum(axis=-1) - 2 * rows @ one)


def _grid(turning: Sequence[bool]) -> Array:
    """Return offsets (s, n), rad, of joints that turn; sliding joints start at zero, because any start works."""
    joints = np.flatnonzero(turning)
    some = sorted(product((0, 1, 2, -1), repeat=len(joints)), key=np.count_nonzero)
    rows = [np.pi / 2 * np.array(row) for row in some if np.count_nonzero(row) <= QUARTERS]
    rows += [angle * one for one in np.eye(len(joints)) for angle in np.arange(-np.pi, np.pi, FINE)]
    grid = np.zeros((len(rows), len(turning)))
    grid[:, joints] = rows
    return grid


MOVED = 10.0
"""Least rotation of the poses about two axes, in tolerances, for unknown frames."""
LOOSE = 2.0
"""Tolerances within which some poses must fit before all are tried."""
DECISIVE = 10.0
"""Least reduction of the residual for which a fault of the numbers is reported although nothing fits."""
LIKELY = 2.0
"""Least reduction of the residual for which it is reported as a guess."""
ROUGH = 10.0
"""Tolerances within which rotations must fit for a fault in the unit of positions: small positions fit anything."""
REACH = 100.0
"""Largest error of the closed form, in tolerances, from which the search continues."""


def simplest(data: Data, most: int | None = None, most_zeros: int | None = None) -> list[Fit]:
    """Return the explanations that fit with the fewest faults: first those with the fewest unknowns, then the closest.

    most: most faults, and most_zeros: most faults if zeros of joints are among them.
    """
    fits = _without_zeros(data, MOST + 2 if most is None else most)
    limit = len(data.arm.joints) if most_zeros is None else most_zeros
    fits += zeros(data, min([limit, *(fit.explanation.wrong for fit in fits)]))
    fits = [own for fit in fits if (own := _owned(data, fit))]
    least = min((fit.explanation.wrong for fit in fits), default=0)
    fits = [fit for fit in fits if fit.explanation.wrong == least]
    fits.sort(key=lambda fit: (fit.explanation.unknowns, data.off(fit.residual)))
    return [fit for i, fit in enumerate(fits) if not any(_told(data, fit, other) for other in fits[:i])]


def nearest(data: Data) -> tuple[Fit, tuple[Fault, ...]]:
    """Return the nearest fit if nothing fits, and possible faults of the numbers.

    It is the explanation with the smallest residual among those with a decisive fault of the numbers, or without one.
    Frames within tolerance of the robot's own are replaced by these.
    """
    fits, none = [], np.zeros(len(data.arm.joints))
    for readings in data.likely:
        e = data.explained(*readings, None, None)
        fits.append(fit_of(data, e, *fitting.closed_form(data.poses(e), data.T[e.joint], None, None), none))
    plain = min((fit for fit in fits if not fit.explanation.faults), key=lambda fit: data.off(fit.residual))
    best = min((fit for fit in fits if _sound(data, fit)), key=lambda fit: data.off(fit.residual), default=plain)
    gain = data.off(plain.residual) / max(data.off(best.residual), 1e-9)
    chosen = best if gain > DECISIVE else plain
    chosen = min(chosen, refined(data, chosen), key=lambda fit: data.off(fit.residual))
    own = [part for part in data.arm.own if part in _unseen(data, chosen)]
    guess = best.explanation.faults if chosen.explanation.faults != best.explanation.faults and gain > LIKELY else ()
    return _without(data, chosen, own), guess


def _sound(data: Data, fit: Fit) -> bool:
    """Return whether the rotations fit, if the positions are read in another unit."""
    scaled = any(fault.code == "pose-unit" for fault in fit.explanation.faults)
    return not scaled or bool(fit.residual[:, 1].max() <= ROUGH * data.tolerance[1])


def _without_zeros(data: Data, most: int) -> list[Fit]:
    readings = ((j, r, p) for (j, r), p in product(data.alike, range(len(data.positions))))
    cases = [e for e in data.explanations(readings) if len(e.faults) <= MOST and e.wrong <= most]
    explanations = sorted(cases, key=lambda e: (e.wrong, e.unknowns))
    for _, equals in groupby(explanations, key=lambda e: e.wrong):
        fits = [fit for e in equals if _may_fit(data, e) and (fit := _fit(data, e)) and data.off(fit.residual) <= 1]
        if fits:
            return fits
    return []


def _may_fit(data: Data, e: Explanation) -> bool:
    """Return whether some of many poses fit roughly."""
    if data.few is data:
        return True
    fit = _fit(data.few, e)
    return fit is not None and bool(data.off(fit.residual) <= LOOSE)


def _fit(data: Data, e: Explanation) -> Fit | None:
    """Return the fit of an explanation, or None if the poses turn too little to find its frames."""
    T = data.T[e.joint]
    X = None if e.base is None else data.bases[e.base]
    Y = None if e.tool is None else data.tools[e.tool]
    if (X is None or Y is None) and fitting.spread(T[:, :3, :3])[1] < MOVED * data.tolerance[1]:
        return None
    fit = fit_of(data, e, *fitting.closed_form(data.poses(e), T, X, Y), np.zeros(len(data.arm.joints)))
    return refined(data, fit) if e.unknowns and data.off(fit.residual) <= REACH else fit


def _owned(data: Data, fit: Fit) -> Fit | None:
    """Return the fit with the robot's own frames and zeros instead of found ones within tolerance of them.

    None if these do not explain the poses: then the found ones only fit noise.
    """
    e, (base, tool) = fit.explanation, data.arm.own
    found: list[str | int] = list(e.zeros)
    found += [base] * (e.base is None and base in data.bases) + [tool] * (e.tool is None and tool in data.tools)
    small = [part for part in found if part in _unseen(data, fit) or _close(data, fit, _without(data, fit, [part]))]
    corrected = _without(data, fit, small)
    if data.off(corrected.residual) > 1 and corrected.explanation.unknowns:
        corrected = refined(data, corrected)
    return corrected if data.off(corrected.residual) <= 1 else None


def _unseen(data: Data, fit: Fit) -> list[str]:
    """Return the robot's own frames that are within tolerance of the found ones."""
    base, tool = data.arm.own
    pairs = ((base, data.bases, fit.X), (tool, data.tools, fit.Y))
    return [
        own for own, frames, T in pairs if own in frames and is_nothing(se3.inverse(frames[own]) @ T, data.tolerance)
    ]


def _without(data: Data, fit: Fit, parts: Sequence[str | int]) -> Fit:
    """Return the fit with the robot's own of these parts: base, tool0, zeros by their joints."""
    e, (base, tool) = fit.explanation, data.arm.own
    X = data.bases[base] if base in parts else fit.X
    Y = data.tools[tool] if tool in parts else fit.Y
    offsets = fit.offsets.copy()
    offsets[[part for part in parts if isinstance(part, int)]] = 0.0
    e = e._replace(
        base=base if base in parts else e.base,
        tool=tool if tool in parts else e.tool,
        zeros=tuple(i for i in e.zeros if i not in parts),
        wrong=e.wrong - len(parts),
    )
    return fit_of(data, e, X, Y, offsets)


def _close(data: Data, fit: Fit, other: Fit) -> bool:
    """Return whether the poses of two fits are the same, to the tolerance."""
    one, two = (model(data, f.explanation, f.X, f.Y, f.offsets) for f in (fit, other))
    return bool(data.off(fitting.residuals(one, two)) <= 1)


def _told(data: Data, fit: Fit, other: Fit) -> bool:
    """Return whether another fit, with fewer unknowns, has the same faults, so that this one adds nothing."""
    base, tool = data.arm.own
    a, b = fit.explanation, other.explanation
    same = a.faults == b.faults and a.zeros == b.zeros and a.unknowns > b.unknowns
    return same and (a.base != base) == (b.base != base) and (a.tool != tool) == (b.tool != tool)
