"""Search for the simplest explanation of the poses that a controller shows."""

from collections.abc import Iterator, Sequence
from itertools import groupby, product

import numpy as np

from kinetree.solvers.calibrate import fit as fitting
from kinetree.solvers.calibrate.data import Data, Explanation, Fit, fit_of, model
from kinetree.solvers.calibrate.least_squares import refined
from kinetree.solvers.calibrate.readings import MOST, Fault
from kinetree.solvers.calibrate.text import is_nothing
from kinetree.solvers.calibrate.zeros import zeros
from kinetree.spatial import se3

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
    explanations = sorted(_explanations(data, most), key=lambda e: (e.wrong, e.unknowns))
    for _, equals in groupby(explanations, key=lambda e: e.wrong):
        fits = [fit for e in equals if _may_fit(data, e) and (fit := _fit(data, e)) and data.off(fit.residual) <= 1]
        if fits:
            return fits
    return []


def _explanations(data: Data, most: int) -> Iterator[Explanation]:
    """Yield all explanations without zeros; each frame that is not the robot's own is a fault too."""
    for (j, r), p in product(data.alike, range(len(data.positions))):
        if len(data.faults(j, r, p)) <= MOST:
            for base, tool in product((*data.bases, None), (*data.tools, None)):
                e = data.explained(j, r, p, base, tool)
                if e.wrong <= most:
                    yield e


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
    mended = _without(data, fit, small)
    if data.off(mended.residual) > 1 and mended.explanation.unknowns:
        mended = refined(data, mended)
    return mended if data.off(mended.residual) <= 1 else None


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
