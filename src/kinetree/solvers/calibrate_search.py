"""The simplest explanation of why a controller shows the poses that it shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, product

import numpy as np

from kinetree.solvers import calibrate_fit as fitting
from kinetree.solvers.calibrate_data import Data, Explanation, Fit, fit_of, model
from kinetree.solvers.calibrate_readings import MOST
from kinetree.solvers.calibrate_settle import refined
from kinetree.solvers.calibrate_zeros import zeros

MOVED = 10.0
"""Tolerances by which poses must turn, about two axes, for frames to be found from them."""
LOOSE = 2.0
"""Tolerances within which some poses must fit for all to be tried."""
REACH = 100.0
"""Tolerances by which the closed form may be off for the search to go on from there."""


def simplest(data: Data, most: int | None = None, most_zeros: int | None = None) -> list[Fit]:
    """The explanations that fit, of those with the fewest faults; first those that find the fewest numbers, and of
    these the closest. most: faults that are looked for, and most_zeros: where zeros of joints are among them."""
    fits = _without_zeros(data, MOST + 2 if most is None else most)
    limit = len(data.arm.joints) if most_zeros is None else most_zeros
    fits += zeros(data, min([limit, *(fit.explanation.wrong for fit in fits)]))
    fits = [own for fit in fits if (own := _owned(data, fit))]
    least = min((fit.explanation.wrong for fit in fits), default=0)
    fits = [fit for fit in fits if fit.explanation.wrong == least]
    fits.sort(key=lambda fit: (fit.explanation.unknowns, data.off(fit.residual)))
    return [fit for i, fit in enumerate(fits) if not any(_told(data, fit, other) for other in fits[:i])]


def nearest(data: Data) -> Fit:
    """That with the smallest residual of the explanations with one fault of the numbers, wherever its frames are."""
    fits, none = [], np.zeros(len(data.arm.joints))
    for readings in data.likely:
        e = data.explained(*readings, None, None)
        fits.append(fit_of(data, e, *fitting.closed_form(data.poses(e), data.T[e.joint], None, None), none))
    best = min(fits, key=lambda fit: data.off(fit.residual))
    return min(best, refined(data, best), key=lambda fit: data.off(fit.residual))


def _without_zeros(data: Data, most: int) -> list[Fit]:
    explanations = sorted(_explanations(data, most), key=lambda e: (e.wrong, e.unknowns))
    for _, equals in groupby(explanations, key=lambda e: e.wrong):
        fits = [fit for e in equals if _may_fit(data, e) and (fit := _fit(data, e)) and data.off(fit.residual) <= 1]
        if fits:
            return fits
    return []


def _explanations(data: Data, most: int) -> Iterator[Explanation]:
    """All of them without zeros; each frame that is not the robot's own is a fault too."""
    for (j, r), p in product(data.alike, range(len(data.positions))):
        if len(data.faults(j, r, p)) <= MOST:
            for base, tool in product((*data.bases, None), (*data.tools, None)):
                e = data.explained(j, r, p, base, tool)
                if e.wrong <= most:
                    yield e


def _may_fit(data: Data, e: Explanation) -> bool:
    """Whether some of many poses fit, about."""
    if data.few is data:
        return True
    fit = _fit(data.few, e)
    return fit is not None and bool(data.off(fit.residual) <= LOOSE)


def _fit(data: Data, e: Explanation) -> Fit | None:
    """None where the poses do not turn enough for frames to be found."""
    T = data.T[e.joint]
    X = None if e.base is None else data.bases[e.base]
    Y = None if e.tool is None else data.tools[e.tool]
    if (X is None or Y is None) and fitting.spread(T[:, :3, :3])[1] < MOVED * data.tolerance[1]:
        return None
    fit = fit_of(data, e, *fitting.closed_form(data.poses(e), T, X, Y), np.zeros(len(data.arm.joints)))
    return refined(data, fit) if e.unknowns and data.off(fit.residual) <= REACH else fit


def _owned(data: Data, fit: Fit) -> Fit | None:
    """The same with the robot's own frames and zeros in place of those that are found within tolerance of them; none,
    if it is only all of them together that explain the poses."""
    e, (base, tool) = fit.explanation, data.arm.own
    found: list[str | int] = list(e.zeros)
    found += [base] * (e.base is None and base in data.bases) + [tool] * (e.tool is None and tool in data.tools)
    small = [part for part in found if _close(data, fit, _without(data, fit, [part]))]
    mended = _without(data, fit, small)
    return mended if _close(data, fit, mended) else None


def _without(data: Data, fit: Fit, parts: Sequence[str | int]) -> Fit:
    """With the robot's own of these: base, tool0, zeros by their joints."""
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
    """Whether the poses of two fits are the same, to the tolerance."""
    one, two = (model(data, f.explanation, f.X, f.Y, f.offsets) for f in (fit, other))
    return bool(data.off(fitting.residuals(one, two)) <= 1)


def _told(data: Data, fit: Fit, other: Fit) -> bool:
    """Whether another explanation, which finds fewer numbers, says the same of what is wrong, and more exactly."""
    base, tool = data.arm.own
    a, b = fit.explanation, other.explanation
    same = a.faults == b.faults and a.zeros == b.zeros and a.unknowns > b.unknowns
    return same and (a.base != base) == (b.base != base) and (a.tool != tool) == (b.tool != tool)
