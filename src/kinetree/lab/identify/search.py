"""The fewest faults that explain a log: fits of some of many numbers, and the choice among them.

A channel of a log gives residuals in units of its noise, in blocks such as a position (3,). Each fault frees a few
numbers of the model, all of which are zero if nothing is wrong. Faults are added one by one while an information
criterion (Chen & Chen, Extended Bayesian information criteria, 2008) becomes better, also on samples that the fit did
not see; losses are robust (Huber, Robust estimation of a location parameter, 1964).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from scipy.linalg import qr

from kinetree.lab.least_squares import Parts, least_squares, loss as huber_loss, weights
from kinetree.spatial.se3 import Array

HUBER = 3.0
"""Length of a block, in standard deviations, from which on the loss grows linearly."""
STEPS = 100
EXACT, ROUGH = 1e-7, 1e-5
"""Part of a loss that a step of a fit has to gain, of the last fit and of those by which faults are chosen."""
MOST = 12
"""Most faults."""
STRICT = 4.0
"""Price of a fault, in logarithms of the number of possible faults: 2 in the extended criterion. It is larger here,
because the noise is estimated from the same log."""
SAFE = 10.0
"""How many times more than its price a cause is worth that is needed for certain."""
PATIENCE = 3
"""Number of faults that are added, although the samples that are held out fit no better, before none is."""
TRIED = 6
"""Number of faults that are fitted before one is added: those that gain the most to first order."""
ALIKE = 6.0
"""Difference of the criterion below which two explanations are alike."""
NOTHING = 1e-4
"""Part of an effect that is left without those of unknown poses, below which it is no effect of its own."""
NEAR = 0.01
"""Numbers of a model, all a little wrong, at which effects are compared."""
UNSEEN = 1e-7
"""Part of an effect that is left without others, below which it is rounding."""
RANK = 1e-12
"""Smallest square of a singular value, relative to the largest, of a combination of numbers that a log determines."""
HELD = 3
"""One sample of so many is held out."""
WORTH = {"zero": 0.2, "mass": 1.0, "effort scale": 1.0}
"""Sizes of faults, rad or m, and logarithms of factors, which every log has to show that says something of a model."""
VISIBLE = 4.0
"""Size of a fault, in standard deviations, from which on a log shows it."""


class Cause(NamedTuple):
    """Something that may be wrong. places: its numbers among all."""

    kind: str
    element: str
    places: tuple[int, ...]


class Channel(Protocol):
    """Part of a log."""

    @property
    def causes(self) -> list[Cause]:
        """Return what may be wrong."""

    @property
    def unknown(self) -> tuple[int, ...]:
        """Return the places of numbers that are not known and no fault."""

    @property
    def size(self) -> int:
        """Return how many numbers there are."""

    @property
    def lower(self) -> Array:
        """Return the least legal values (size,) of the numbers."""

    def residual(self, x: Array, rows: Array) -> Array:
        """Return the residuals (n, b, d) of some samples, in standard deviations, in b blocks of d numbers."""

    def jacobian(self, x: Array, rows: Array, places: Sequence[int]) -> Array:
        """Return the derivative (n, b, d, k) of the residuals by the numbers at k places."""


@dataclass(frozen=True)
class Fit:
    """Numbers x (size,), of which `free` are fitted, and the loss of the samples that the fit saw."""

    x: Array
    free: tuple[int, ...]
    loss: float


def loss(r: Array) -> float:
    """Return the loss of residuals (n, b, d)."""
    return float(huber_loss(r, HUBER).sum())


def fitted(
    channel: Channel, x: Array, free: Sequence[int], rows: Array, steps: int = STEPS, least: float = EXACT
) -> Fit:
    """Return the fit of some numbers, from x, by damped least squares with Huber's weights."""
    places = list(free)

    def error(_: Array, at: Parts) -> Array:
        r = channel.residual(at[0][0], rows)
        return r.reshape(1, -1, r.shape[-1])

    def jacobian(_: Array, at: Parts) -> Array:
        J = channel.jacobian(at[0][0], rows, places)
        return J.reshape(1, -1, *J.shape[-2:])

    def moved(at: Parts, step: Array) -> Parts:
        x = at[0].copy()
        x[:, places] += step
        return (np.maximum(x, channel.lower),)

    def gain(before: Array) -> Array:
        return least * (1.0 + before)

    steps = steps if places else 0
    (x,), (best,) = least_squares((x[None],), error, jacobian, moved, steps=steps, gain=gain, huber=HUBER)
    return Fit(x[0], tuple(free), float(best))


@dataclass(frozen=True)
class Found:
    """Result of a search. causes: the faults. fit: with them, on all samples. alike: for each fault, others that
    explain as much. shares: parts of the loss that they explain. covariance (size, size): of the fitted numbers,
    infinite for those that the log does not determine."""

    causes: tuple[Cause, ...]
    fit: Fit
    alike: tuple[tuple[Cause, ...], ...]
    shares: tuple[float, ...]
    covariance: Array


def search(channel: Channel, x: Array, count: int) -> Found:
    """Return the fewest faults that explain `count` samples, from numbers x (size,)."""
    rows = np.arange(count)
    held = rows[HELD // 2 :: HELD] if count >= 4 * HELD else rows[:0]
    looking = _Search(channel, np.setdiff1d(rows, held), held)
    nothing, simple = looking.state([], x), [one for one in looking.seen if len(one.places) == 1]
    state = looking.grown(looking.grown(nothing, simple), looking.seen)  # one number explains better than six
    if len(state.causes) > 1 or any(len(one.places) > 1 for one in state.causes):  # or one large one explains all
        state = min(state, looking.grown(nothing, looking.seen), key=looking.doubt)
    state = looking.thinned(state, np.inf)
    alike, shares = looking.others(state, nothing.fit.loss)
    last = fitted(channel, state.fit.x, _places(channel, state.causes), rows)
    return Found(state.causes, last, alike, shares, _covariance(channel, last, rows))


class _State(NamedTuple):
    """Causes, the criterion with them, smaller is better, and their fit."""

    causes: tuple[Cause, ...]
    score: float
    fit: Fit


class _Search:
    """Choice among the causes of a channel by some samples, confirmed on others, `held`."""

    def __init__(self, channel: Channel, rows: Array, held: Array) -> None:
        self.channel, self.rows, self.held = channel, rows, held
        near = np.full(channel.size, NEAR)
        J = effects(channel, near, rows, range(channel.size))
        Q = basis(J[:, list(channel.unknown)])
        self.ranks = {one: _rank(J[:, list(one.places)], Q) for one in channel.causes}
        self.seen = [one for one in channel.causes if self.ranks[one]]
        sizes = channel.residual(near, rows[:1]).size * len(rows), len(self.seen)
        self.price = np.log(max(sizes[0], 2)), STRICT * np.log(max(sizes[1], 2))

    def state(self, causes: Sequence[Cause], at: Array, steps: int = STEPS) -> _State:
        """Return the fit of causes from the numbers of another fit."""
        free, start = _places(self.channel, causes), np.zeros(self.channel.size)
        start[free] = at[free]
        made = fitted(self.channel, start, free, self.rows, steps, ROUGH)
        return _State(tuple(causes), made.loss + sum(map(self.cost, causes)), made)

    def cost(self, cause: Cause) -> float:
        """Return by how much the loss must fall for a cause: for each of its numbers that the log can show."""
        return float(self.price[0] * self.ranks[cause] + self.price[1])

    def doubt(self, state: _State) -> float:
        """Return the criterion with numbers at twice their price, of a pose also those that a log cannot show: of two
        explanations that of fewer is more likely."""
        counts = [len(one.places) if "pose" in one.kind else self.ranks[one] for one in state.causes]
        return state.score + float(self.price[0]) * sum(counts)

    def grown(self, state: _State, causes: Sequence[Cause]) -> _State:
        """Return the state with causes added, one by one, as long as the criterion falls, that is best on what is held.

        One of several causes that only together explain a log may look worse there, so that `PATIENCE` are added.
        """
        found, lowest, added = state, self.unseen(state), 0
        while len(state.causes) < MOST and added < PATIENCE:
            trials = [self.state([*state.causes, one], state.fit.x, 10) for one in self.likely(state, causes)]
            place = self.channel.causes.index  # of two that explain as much the later one, which may be the setting
            best = min(trials, key=lambda trial: (round(trial.score, 6), -place(trial.causes[-1])), default=state)
            if best.score >= state.score:
                break
            state = self.thinned(self.state(best.causes, best.fit.x))
            added, unseen = added + 1, self.unseen(state)
            if unseen < lowest or not len(self.held):
                found, lowest, added = state, unseen, 0
        return found

    def unseen(self, state: _State) -> float:
        return loss(self.channel.residual(state.fit.x, self.held))

    def likely(self, state: _State, causes: Sequence[Cause]) -> list[Cause]:
        """Return the causes that would gain the most to first order."""
        r = self.channel.residual(state.fit.x, self.rows)
        w = np.broadcast_to(weights(r, HUBER), r.shape).reshape(-1, 1)
        J = effects(self.channel, state.fit.x, self.rows, range(self.channel.size)) * w
        Q, gains = basis(J[:, _places(self.channel, state.causes)]), list[tuple[float, int]]()
        y, size = _beside(r.ravel() * w[:, 0], Q), np.linalg.norm(J, axis=0)
        J = _beside(J, Q)
        left = np.linalg.norm(J, axis=0)
        J = J / np.where(left > UNSEEN * size, left, np.inf)
        along = J.T @ y
        for i, cause in enumerate(causes):
            if cause not in state.causes:
                places = list(cause.places)
                if state.fit.x[places[0]] <= self.channel.lower[places[0]] and along[places[0]] > 0:
                    continue  # it would become less than is legal
                own = J[:, places]
                gain = along[places] @ np.linalg.pinv(own.T @ own, rcond=1e-10, hermitian=True) @ along[places]
                gains.append((float(gain) - self.cost(cause), i))
        return [causes[i] for gain, i in sorted(gains, reverse=True)[:TRIED] if gain > 0]

    def thinned(self, state: _State, safe: float = SAFE) -> _State:
        """Return the state without the causes that others made needless. safe: how many times more than its price a
        cause is worth, to second order, that is not tried."""
        while True:
            needless = [one for one in state.causes if self.worth(state, one) < safe * self.cost(one)]
            less = [self.state([c for c in state.causes if c is not one], state.fit.x) for one in needless]
            best = min(less, key=lambda trial: trial.score, default=state)
            if best.score >= state.score:
                return state
            state = best

    def worth(self, state: _State, cause: Cause) -> float:
        """Return by how much the loss would grow without a cause, to second order."""
        rest = {*_places(self.channel, [one for one in state.causes if one is not cause])}
        own = [i for i in cause.places if i not in rest]
        J = effects(self.channel, state.fit.x, self.rows, [*own, *rest])
        return float((_beside(J[:, : len(own)] @ state.fit.x[own], basis(J[:, len(own) :])) ** 2).sum())

    def others(self, state: _State, all_loss: float) -> tuple[tuple[tuple[Cause, ...], ...], tuple[float, ...]]:
        """Return, for each cause, those that explain as much in its place, and the part that it explains of the loss
        without causes, which is larger than that with them by what all explain."""
        alike, shares = [], []
        for one in state.causes:
            without = self.state([cause for cause in state.causes if cause is not one], state.fit.x)
            shares.append(max(0.0, without.fit.loss - state.fit.loss))
            few = [cause for cause in self.seen if self.ranks[cause] <= self.ranks[one]]  # those of more are in the way
            likely = dict.fromkeys([*self.likely(without, self.seen), *self.likely(without, few)])
            trials = [(c, self.state([*without.causes, c], without.fit.x)) for c in likely if c not in state.causes]
            alike.append(tuple(cause for cause, trial in trials if trial.score < state.score + ALIKE))
        part = 1.0 - state.fit.loss / max(all_loss, state.fit.loss, 1e-300)
        return tuple(alike), tuple(part * share / max(sum(shares), 1e-300) for share in shares)


def _places(channel: Channel, causes: Sequence[Cause]) -> list[int]:
    """Return the places of unknown numbers and of causes."""
    return [*channel.unknown, *(i for cause in causes for i in cause.places)]


def effects(channel: Channel, x: Array, rows: Array, places: Sequence[int]) -> Array:
    """Return the derivatives (m, k) of all residuals by the numbers at k places."""
    J = channel.jacobian(x, rows, places)
    return J.reshape(int(np.prod(J.shape[:-1])), len(places))


def _beside(J: Array, Q: Array) -> Array:
    """Return the part of effects J (m, …) that is perpendicular to an orthonormal basis Q (m, r)."""
    return np.asarray(J - Q @ (Q.T @ J))


def basis(J: Array) -> Array:
    """Return an orthonormal basis (m, r) of the columns of J (m, k)."""
    size = np.sqrt((J**2).sum(axis=0))
    if not size.any():
        return J[:, :0]
    Q, R, _ = qr(J[:, size > 0] / size[size > 0], mode="economic", pivoting=True, check_finite=False)
    large = np.abs(R.diagonal())
    return np.asarray(Q[:, large > UNSEEN * large[0]])


def _rank(own: Array, Q: Array) -> int:
    """Return how many of the effects (m, k) of a cause are its own, beside those of unknown numbers with basis Q."""
    size = np.sqrt((own**2).sum(axis=0))
    if not size.any():
        return 0
    left = _beside(own[:, size > 0] / size[size > 0], Q)
    return int((np.linalg.svd(left, compute_uv=False) > NOTHING).sum())


def hidden(channel: Channel, x: Array, count: int, found: Sequence[Cause] = ()) -> list[tuple[Cause, tuple[int, ...]]]:
    """Return the causes whose effect is that of unknown numbers and of found causes, with the places of these."""
    J, hiding = effects(channel, x, np.arange(count), range(channel.size)), list[tuple[Cause, tuple[int, ...]]]()
    places = [*channel.unknown, *(i for cause in found if len(cause.places) > 1 for i in cause.places)]
    other = J[:, places]
    Q, size = basis(other), np.sqrt((other**2).sum(axis=0)) + 1e-300
    for cause in channel.causes if places else ():
        own = J[:, list(cause.places)]
        if not own.any() or {*cause.places} & {*places} or _rank(own, Q):
            continue
        mix = np.abs(np.linalg.lstsq(other / size, own, rcond=1e-9)[0])
        hiding.append((cause, tuple(np.array(places)[(mix > 0.1 * mix.max(axis=0)).any(axis=1)].tolist())))
    return hiding


def visible(channel: Channel, x: Array, rows: Array) -> list[Cause]:
    """Return the causes of `WORTH` that samples show if they have such a size, beside numbers that are not known."""
    causes = [cause for cause in channel.causes if cause.kind in WORTH]
    J = effects(channel, x, rows, [cause.places[0] for cause in causes])
    sizes = np.linalg.norm(_beside(J, basis(effects(channel, x, rows, channel.unknown))), axis=0)
    return [one for one, effect in zip(causes, sizes, strict=True) if effect * WORTH[one.kind] > VISIBLE]


def _covariance(channel: Channel, fit: Fit, rows: Array) -> Array:
    C, free = np.full((channel.size, channel.size), np.nan), list(fit.free)
    if free:
        J = effects(channel, fit.x, rows, free)
        scale = np.sqrt((J**2).sum(axis=0))
        scale[scale == 0] = np.inf
        values, axes = np.linalg.eigh((J / scale).T @ (J / scale))
        known = values > RANK * max(values.max(), 1e-300)
        found = (axes[:, known] / values[known]) @ axes[:, known].T / np.outer(scale, scale)
        blind = (axes[:, ~known] ** 2).sum(axis=1) > NOTHING
        found[blind, blind] = np.inf
        C[np.ix_(free, free)] = found
    return C
