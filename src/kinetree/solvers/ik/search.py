"""The search for a solution behind `IK`, `IK.reachable` and `IK.solutions`, so that they never contradict each other.

Descents from evenly spread starts come first. Where they fail, exact steps go to the closest point, then others from
many more starts, with joints at the ends of their ranges: solutions in corners of the limits are the hardest to find.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from kinetree.algorithms.closest import FIRST_DAMPING
from kinetree.algorithms.inverse import COST, DESCENT, GOING, HEAD, STEPS, TOTAL, started
from kinetree.algorithms.near import opened
from kinetree.solvers.ik.problem import STOPPED, at_the_best
from kinetree.spatial.se3 import Array

if TYPE_CHECKING:
    from kinetree.solvers.ik.solver import IK

WAY_DOWN = 2000
"""Most steps to the closest point of a target that is out of reach."""
NEAR = 1e-2
"""Squared error, m² and rad², of the closest point below which many starts follow."""
USUAL, MANY, MORE_STEPS = ((64, 192), 12, 16), ((64, 192, 512), 24, 32), 80
"""Numbers of these starts, in portions, most steps from each, how many of the best go on, and for how many steps; MANY
is for several frames of which not all errors can vanish at most places, as there are fewer joints than errors."""
DAMPINGS = (1.0, 100.0)
"""First damping of further searches with soft goals near a start."""
PORTION = 256
"""Number of targets that are searched for from many starts at once."""


def reached(ik: IK, search: Sequence[Array], targets: Sequence[Array], options: dict[str, int]) -> Array:
    """Return the last states (…, s): solutions, or else closest points. search: states, h and centers (…, ·).
    options: of kernels."""
    states, h, center = search
    rows, n = ik._problem.bounds > 0, len(ik._problem.columns)
    if ik._problem.memory:
        return softened(ik, search, targets, options)

    def descended(states: Array, h: Array, center: Array, *targets: Array) -> Array:
        more = [h, center] if rows else []
        begin = ik._nearest(states, *more, *targets, **options) if ik._nearest else states
        return np.array(ik._kernel(begin, *more, *targets, **options))

    found = descended(states, h, center, *targets)
    left = (found[..., GOING] != 0.0) & (found[..., DESCENT] < STOPPED)
    if not left.any():
        return found
    is_elsewhere = not (ik._problem.loose or ik._problem.is_near) and not (states[..., HEAD : HEAD + n] == center).all()
    batch, ends = found.shape[:-1], found[left]
    h, center = (np.broadcast_to(a, batch + a.shape[-1:])[left] for a in (h, center))
    own = [np.broadcast_to(a, batch + port.shape)[left] for a, port in zip(targets, ik._check.inputs, strict=True)]
    if is_elsewhere:  # than the start of `IK.reachable`
        begin = np.tile(ik._inside.template, (len(ends), 1))
        begin[:, HEAD:], begin[:, TOTAL] = np.tile(center, 2), ends[:, TOTAL]
        other = descended(begin, h, center, *own)
        better = (other[:, GOING] == 0.0) | (other[:, COST] < ends[:, COST])
        ends[better] = other[better]
    found[left] = _completed(ik, ends, h, center, own, options)
    return found


def softened(ik: IK, search: Sequence[Array], targets: Sequence[Array], options: dict[str, int]) -> Array:
    """Return the last states (…, s) of a problem with soft goals. Where hard goals are missed, their own search gives
    another start, or else the point that is closest to them, and is the result."""
    states, h, center = search
    more = [h, center] if ik._problem.bounds else []
    found = np.array(ik._kernel(states, *more, *targets, **options))
    left = (found[..., GOING] != 0.0) & (found[..., DESCENT] < STOPPED)
    for damping in DAMPINGS if ik._problem.is_near and left.any() else ():  # many ranges end where steps begin
        (begin, *bounds), own = flattened(ik, [states, *more], targets, found.shape[:-1], left)
        begin[:, DESCENT], begin[:, TOTAL] = damping, found[left][:, TOTAL]
        again = np.array(ik._kernel(begin, *bounds, *own, **options))
        found[left] = np.where(again[:, GOING, None] == 0.0, again, found[left])
        left &= found[..., GOING] != 0.0
    if ik._hard is None or not left.any():
        return found
    n = len(ik._problem.columns)
    (begin, *more), own = flattened(ik, [states, *more], targets, found.shape[:-1], left)
    q0 = ik._problem.moved(ik._inside.neutral, begin[:, HEAD : HEAD + n])
    hard = [a for a, goal in zip(own, ik.goals, strict=False) if goal.weight is None]
    at = next(iter(own[len(ik.goals) :]), None)
    begin[:, TOTAL] = found[left][:, TOTAL]
    begin[:, HEAD : HEAD + 2 * n] = np.tile(ik._hard(*hard, q0=q0, at=at).q[:, ik._problem.columns], 2)
    again = np.array(ik._kernel(begin, *more, *own, **options))
    begin[:, STEPS] = ik._problem.steps - 1.0
    closest = np.array(ik._kernel(begin, *more, *own, **options))
    found[left] = np.where(again[:, GOING, None] == 0.0, again, closest)
    return found


def _completed(
    ik: IK, found: Array, h: Array, center: Array, targets: Sequence[Array], options: dict[str, int]
) -> Array:
    """Return the last states (k, s) after steps to the closest points and from many starts."""
    left = np.flatnonzero(found[:, GOING] != 0.0)
    rows = ik._problem.bounds > 0

    def closest(begin: Array, where: Array, *axes: None) -> Array:
        more = [h[(where, *axes)]] if rows else []
        return np.asarray(ik._closest(begin, *more, *(target[(where, *axes)] for target in targets), **options))

    found[left] = closest(at_the_best(ik._problem, found[left]), left)
    is_near = (found[:, GOING] != 0.0) & (found[:, COST] < NEAR)
    if ik._quick.verdict and not rows and is_near.any():
        whole = ik._problem.moved(ik._inside.neutral, center)
        is_near &= np.asarray(ik._quick.verdict(whole, *targets)) != 0.0  # the closed form may be certain
    is_tight = len(ik.goals) > 1 and len(ik._problem.columns) < sum(goal.size for goal in ik.goals)
    starts, first_steps, best = MANY if is_tight else USUAL
    for seed, count in enumerate(() if ik._problem.loose or ik._problem.is_near else starts):
        near = np.flatnonzero(is_near & (found[:, GOING] != 0.0))
        for some in (near[i : i + PORTION] for i in range(0, len(near), PORTION)):
            begin = _begun(ik, found[some], h[some], center[some], count, seed)
            begin[..., STEPS] = WAY_DOWN - first_steps
            ends = closest(begin, some, None)
            order = np.argsort(np.where(ends[..., GOING] == 0.0, -1.0, ends[..., COST]), axis=1)[:, :best]
            ends = np.take_along_axis(ends, order[..., None], axis=1)
            ends[..., GOING], ends[..., STEPS] = np.abs(ends[..., GOING]), WAY_DOWN - MORE_STEPS
            ends = closest(ends, some, None)
            good = (ends[..., GOING] == 0.0).any(axis=1)
            found[some[good]] = ends[good, (ends[good][..., GOING] == 0.0).argmax(axis=1)]
    return found


def _begun(ik: IK, found: Array, h: Array, center: Array, count: int, seed: int) -> Array:
    """Return states (k, count, s) of `closest_step` inside the limits: every other one with about half of its joints
    as the best ones found (k, s) and the others at their ends; the rest with joints at the ends or in the middle."""
    problem, rng = ik._problem, np.random.default_rng(seed)
    first, last, n = problem.first, problem.last, len(problem.columns)
    ends = np.where(rng.random((count, n)) < 0.5, first, last)
    spread = first + (last - first) * rng.integers(0, 3, (count, n)) / 2.0
    near = np.where(rng.random((count, n)) < 0.5, found[:, None, HEAD + n :], ends)
    places: Array = np.where((np.arange(count) % 2 == 0)[:, None], near, spread)
    if len(problem.G):
        room = (h - 2.0 * problem.skin - center @ problem.G.T)[:, None]
        beyond = (places - center[:, None]) @ problem.G.T
        share = np.where(room < beyond, np.maximum(room, 0.0) / np.where(room < beyond, beyond, 1.0), 1.0)
        places = center[:, None] + share.min(axis=-1)[..., None] * (places - center[:, None])
    states = np.empty((len(found), count, found.shape[1]))
    states[..., :HEAD] = found[:, None, :HEAD]
    states[..., GOING], states[..., DESCENT], states[..., COST] = 1.0, FIRST_DAMPING, np.inf
    states[..., HEAD : HEAD + n] = states[..., HEAD + n :] = np.clip(places, problem.lower, problem.upper)
    return states


def flattened(
    ik: IK, search: Sequence[Array], targets: Sequence[Array], batch: tuple[int, ...], where: Array
) -> tuple[list[Array], list[Array]]:
    """Return the arrays of the start (k, ·) and the targets (k, *shape) where a mask (*batch,) is true."""
    shapes = [port.shape for port in ik._check.inputs]
    own = [np.broadcast_to(a, batch + shape)[where] for a, shape in zip(targets, shapes, strict=True)]
    return [np.broadcast_to(a, batch + a.shape[-1:])[where] for a in search], own


def at_forms(ik: IK, search: Sequence[Array], targets: Sequence[Array]) -> Array:
    """Return the closed-form solutions (k, 8, n), NaN for those that are none."""
    (states, h, center), n = search, len(ik._problem.columns)
    assert ik._forms
    forms = ik._forms(states[:, HEAD : HEAD + n], *([h, center] if ik._problem.bounds else []), *targets)
    return np.where(np.isfinite(forms[..., n:]), forms[..., :n], np.nan)


def at_starts(ik: IK, search: Sequence[Array], numbers: range) -> Array:
    """Return evenly spread places inside the limits (k, p, n), those of these numbers; number 0 is the start itself."""
    states, h, center = search
    near, number = states[:, HEAD : HEAD + len(ik._problem.columns)], np.array(numbers, float)
    problem, h = opened(ik._problem, h.T[..., None])
    spread = started(problem, number, h, *(a.T[..., None] for a in (center, near)))
    places = np.stack([np.broadcast_to(x, (len(states), len(number))) for x in spread], axis=-1)
    return np.where(number[:, None] == 0.0, near[:, None], places)


def descents(ik: IK, places: Array, search: Sequence[Array], targets: Sequence[Array]) -> Array:
    """Return the last states (k, p, s) of a descent from each of the places (k, p, n). Places of NaN have none."""
    states, h, center = search
    more = [h[:, None], center[:, None]] if ik._problem.bounds else []
    begun = np.repeat(states[:, None], places.shape[1], axis=1)
    begun[..., DESCENT] = ik._problem.descents - 1
    there, none = slice(HEAD, HEAD + places.shape[2]), np.asarray(np.isnan(places).any(axis=-1))
    begun[..., there] = np.where(none[..., None], begun[..., there], places)
    found = np.array(ik._kernel(begun, *more, *(a[:, None] for a in targets)))
    found[none, GOING] = -1.0
    return found
