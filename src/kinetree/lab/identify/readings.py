"""What is wrong with a model by readings of its sensors, which are taken as quadratic in numbers near some of them."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from kinetree.lab.identify.answer import ModelFault, Verification, correlated, fault_of
from kinetree.lab.identify.columns import Trajectory, delayed, filter_of
from kinetree.lab.identify.efforts import MEDIAN, noise_of
from kinetree.lab.identify.search import Cause, Found, fitted, hidden, loss, search, visible
from kinetree.lab.identify.setting import (
    TURNED_GRAVITIES,
    State,
    Turn,
    faults_of,
    least,
    some_of,
    turned,
    turns,
    unturned,
)
from kinetree.lab.identify.torques import OUTLIER, REST, rms
from kinetree.model.robot import Robot
from kinetree.queries.options import GRAVITY
from kinetree.spatial.se3 import Array, nearest_rotation, rotation_vectors
from kinetree.trajectories.motion import STILL

STEP = 1e-3
"""Step of differences by numbers."""
ROUNDED = 1e-7
"""Part of the largest reading below which a difference by a number is rounding."""
NEAR, PASSES = 0.003, 8
"""Change of numbers from which on readings are taken as linear elsewhere, and how often at most."""
SURE = float(np.log(4.0))
"""By how much the mean logarithm of squared residuals has to fall for what is discrete: to half of the residuals."""
ALIKE = 0.2
"""Difference of these logarithms below which two explanations are alike."""
MOST = 1000
"""Number of samples that are looked at before the search."""
LARGE = 0.3
"""Least turn of a sensor, rad, that is tried before the search."""
FITS, SINGLE = 10, ("zero", "mass", "centre")
"""How many of what may be wrong besides one thing are fitted, those that leave the least, and by which faults."""
FITTED = ("sensor pose", "gravity")
"""What is tried before the search, and then found by it."""
UNITS = {"zero": "rad", "turn": "rad", "length": "m", "centre": "m", "mass": "kg", "inertia": "kg m²", "delay": "s"}
UNITS["gravity"] = "m/s²"


@dataclass(frozen=True, eq=False)
class Sensors:
    """Sensors of one kind, "imu" or "wrenches", with readings y (n, 6 s), nan where the log has none.

    The numbers: zeros (nq), gravity (3), offsets (6 of each sensor), delay, and those of the kind. own: causes but
    gravity and delay. turns: places of the rotation vector of each sensor. lower: least values of the numbers. predict:
    readings of the model by numbers, without a delay. factors: kinds of faults of a reading, the factors (6,) that undo
    them, and how many times too large it is. noise (2, 6 s): that is assumed at first, and from which on nothing is
    explained. value: that of a cause, and its covariance, by found numbers. corrected: the robot by numbers, without
    zeros.
    """

    robot: Robot
    kind: str
    names: tuple[str, ...]
    y: Array
    own: list[Cause]
    turns: list[list[int]]
    lower: Array
    predict: Callable[[Array, Trajectory], Array]
    factors: tuple[tuple[str, Array, float | None], ...]
    noise: Array
    value: Callable[[Cause, Array, Array], tuple[Array, Array]]
    corrected: Callable[[Array], Robot]

    @cached_property
    def known(self) -> Array:
        """Return which numbers (6 s,) of readings the log has."""
        return np.array(np.isfinite(self.y).all(axis=0))

    @cached_property
    def gravity(self) -> list[int]:
        """Return the places of the change of gravity."""
        return [*range(self.robot.nq, self.robot.nq + 3)]

    @cached_property
    def offsets(self) -> Array:
        """Return the places (6 s,) of the offsets."""
        return self.robot.nq + 3 + np.arange(self.y.shape[1])

    @property
    def late(self) -> int:
        """Return the place of the delay."""
        return int(self.offsets[-1]) + 1

    @cached_property
    def unknown(self) -> tuple[int, ...]:
        """Return the places of what is not known and no fault: constant offsets, which sensors usually have."""
        return tuple(self.offsets[self.known].tolist())

    @property
    def places(self) -> list[int]:
        """Return the places of what may be wrong."""
        return [i for one in self.causes for i in one.places]

    @cached_property
    def causes(self) -> list[Cause]:
        """Return what may be wrong."""
        gravity = Cause("gravity", self.robot.root, tuple(self.gravity))
        return [*self.own, gravity, Cause(f"{self.kind.removesuffix('es')} delay", self.names[0], (self.late,))]

    def fault(self, found: Found, i: int) -> ModelFault:
        """Return a fault with its value."""
        cause, places = found.causes[i], list(found.causes[i].places)
        turns = cause.kind != "zero" or self.robot.joints[cause.element].kind.angular[0]
        unit = UNITS.get(cause.kind.rpartition(" ")[2], "") if turns else "m"
        value, C = self.value(cause, found.fit.x, found.covariance[np.ix_(places, places)])
        return fault_of(found, i, value, C, unit)


@dataclass(frozen=True, eq=False)
class Readings:
    """Readings y (m, d) of a log and `model` (m, d) at numbers `at` (c,), with the columns (m, d, c) of these, and
    their derivatives (m, d, c) by the same numbers. lower (c,): least values. noise (d,): standard deviations."""

    causes: list[Cause]
    unknown: tuple[int, ...]
    y: Array
    model: Array
    columns: Array
    curves: Array
    at: Array
    lower: Array
    noise: Array

    @property
    def size(self) -> int:
        """Return how many numbers there are."""
        return len(self.at)

    def left(self, x: Array, rows: Array | slice = slice(None)) -> Array:
        """Return what the model leaves (m, d) of the readings."""
        step = x - self.at
        return np.asarray(
            self.y[rows] - self.model[rows] - self.columns[rows] @ step - self.curves[rows] @ (step**2 / 2)
        )

    def residual(self, x: Array, rows: Array) -> Array:
        """Return the residuals (n, d, 1)."""
        return np.asarray((self.left(x, rows) / self.noise)[..., None])

    def jacobian(self, x: Array, rows: Array, places: Sequence[int]) -> Array:
        """Return the derivative (n, d, 1, p) of the residual by the numbers at p places."""
        at = np.array(places, dtype=int)
        J = self.columns[rows][..., at] + self.curves[rows][..., at] * (x - self.at)[at]
        return np.asarray(-(J / self.noise[:, None])[..., None, :])


def near(sensors: Sensors, log: Trajectory, at: Array, places: Collection[int]) -> Readings:
    """Return the filtered readings of a log near some numbers, with the columns of those at places."""
    log, made, k = delayed(log, float(at[sensors.late])), filter_of(log.dt), sensors.known

    def model(rows: slice, x: Array = at) -> Array:
        return sensors.predict(x, log._replace(q=log.q[rows], qd=log.qd[rows], qdd=log.qdd[rows]))[:, k]

    def parts(rows: slice) -> Array:
        here = model(rows)
        slopes, curves = np.zeros((2, *here.shape, len(at)))
        slopes[..., sensors.offsets[k]] = np.eye(len(sensors.unknown))
        for i in {*places} - {sensors.late}:
            step = STEP * np.eye(len(at))[i]
            more, less = model(rows, at + step), model(rows, at - step)
            slopes[..., i], curves[..., i] = (more - less) / (2 * STEP), (more - 2 * here + less) / STEP**2
        return np.concatenate([log.effort[rows][:, k, None], here[..., None], slopes, curves], axis=-1)

    y, here, slopes, curves = np.split(made.of(log.parts, parts), [1, 2, 2 + len(at)], axis=-1)
    for part in (slopes, curves):
        part[..., np.abs(part).max(axis=(0, 1)) < ROUNDED * np.abs(here).max()] = 0.0
    if log.dt and sensors.late in places:
        slopes[..., sensors.late] = -made.slope(log.dt).of(log.parts, model)
    given = sensors.causes, sensors.unknown, y[..., 0], here[..., 0], slopes, curves
    return Readings(*given, at, sensors.lower, sensors.noise[0, k])


class Start(NamedTuple):
    """Say how a log was taken: its joints as those of the model, factors (d,) of readings, numbers near which the
    search begins, and what is wrong besides joints: kind, element and, of a factor, how many times too large it is."""

    joints: Turn
    factors: tuple[float, ...]
    at: tuple[float, ...]
    named: frozenset[tuple[str, str, float | None]] = frozenset()

    def of(self, log: Trajectory) -> Trajectory:
        """Return a log as one of the model."""
        q, qd, qdd = (turned(x, self.joints) for x in log[:3])
        return log._replace(q=q, qd=qd, qdd=qdd, effort=log.effort * self.factors)

    def near(self, places: Sequence[int], values: Array, kind: str, element: str) -> "Start":
        """Return a start with other numbers at some places."""
        at = np.array(self.at)
        at[places] = values
        return self._replace(at=tuple(at.tolist()), named=self.named | {(kind, element, None)})

    def faults(self, robot: Robot) -> list[ModelFault]:
        """Return what is wrong."""
        others = sorted(self.named, key=str)
        found = [ModelFault(*one, None if one[2] is None else 0.0, unit="1" if one[2] else "") for one in others]
        return faults_of(self.joints, robot.joint_names) + found


def _others(sensors: Sensors, log: Trajectory, now: Start) -> Iterator[Start]:
    """Yield what one thing more may be wrong with how a log was taken."""
    moving, at = np.ptp(log.q, axis=0) > STILL, np.array(now.at)
    zeros = [cause.places[0] for cause in sensors.causes if cause.kind == "zero"]
    columns = [i for i in zeros if moving[now.joints[0][i]]]
    yield from (now._replace(joints=turn) for turn in turns(sensors.robot, log.q, now.joints, columns, 2))
    for i, name in enumerate(sensors.names):
        for kind, by, size in (one for one in sensors.factors if (one[0], name, one[2]) not in now.named):
            factors = np.array(now.factors)
            factors[6 * i : 6 * i + 6] *= by
            yield now._replace(factors=tuple(factors.tolist()), named=now.named | {(kind, name, size)})
        there, places, first = now.of(log), sensors.turns[i], 6 * i + 3 * (sensors.kind == "imu")
        m, y = (x[:, first : first + 3] for x in (sensors.predict(at, there), there.effort))
        if sensors.kind == "wrenches":  # their offsets are large
            m, y = m - m.mean(axis=0), y - y.mean(axis=0)
        vector = rotation_vectors(nearest_rotation(m.T @ y)[None])[0]
        if np.linalg.norm(vector) > LARGE and not at[places].any():
            yield now.near(places, vector, "sensor pose", name)
    for g in TURNED_GRAVITIES if not at[sensors.gravity].any() else ():
        yield now.near(sensors.gravity, np.subtract(g, GRAVITY), "gravity", sensors.robot.root)


def _start(sensors: Sensors, log: Trajectory) -> tuple[Start, list[ModelFault]]:
    """Return how a log was taken, as far as it is discrete, and what of that is a fault: each halves the error."""
    rows, parts = some_of(log, MOST)
    some = log._replace(**{name: getattr(log, name)[rows] for name in ("q", "qd", "qdd", "effort", "t")}, parts=parts)
    tried = dict[Start, State]()

    def state(start: Start, *kinds: str) -> State:
        faults, left = start.faults(sensors.robot), _left(sensors, some, start, kinds)
        return State(start, faults, left, round(float(left.sum()) + SURE * len(faults), 6))

    def others(now: State) -> list[State]:
        starts = [*_others(sensors, some, now.setting)] if now.left.sum() > SURE else []
        new = {start: state(start) for start in starts if start not in tried}
        for start in sorted(new, key=lambda start: new[start].score)[:FITS]:
            new[start] = state(start, *SINGLE)
        tried.update(new)
        return [tried[start] for start in starts]

    plain = Start(unturned(sensors.robot), (1.0,) * log.effort.shape[1], (0.0,) * len(sensors.lower))
    best = least(state(plain, *SINGLE), others, float(np.exp(SURE)), sensors.robot.nq + 3)
    near = [_named(one.faults) for one in tried.values() if one.score < best.score + ALIKE]
    faults, own = [fault for fault in best.faults if fault.kind not in FITTED], _named(best.faults)
    for i, fault in enumerate(faults):
        rest = own - _named([fault])
        alike = [one - rest for one in near if rest <= one != own and len(one) == len(own)]
        faults[i] = replace(fault, alike=tuple(dict.fromkeys(other for (other,) in alike)))
    return best.setting, faults


def _named(faults: Iterable[ModelFault]) -> frozenset[tuple[str, str]]:
    return frozenset((fault.kind, fault.element) for fault in faults)


def _left(sensors: Sensors, log: Trajectory, start: Start, kinds: Collection[str]) -> Array:
    """Return the mean logarithms (2 s,) of the squared residuals that faults of some kinds and turns of sensors leave
    of each part of the readings."""
    at, places = np.array(start.at), {i for one in sensors.causes if one.kind in kinds for i in one.places}
    places |= {place for turn in sensors.turns for place in turn if kinds}
    channel = near(sensors, start.of(log), at, places)
    channel = replace(channel, curves=np.zeros_like(channel.curves))  # which are wrong far away
    rows = np.arange(len(channel.y))
    r = channel.residual(fitted(channel, at, [*sensors.unknown, *sorted(places)], rows, 12).x, rows)
    return np.asarray(np.log1p((r**2).reshape(len(r), -1, 3).mean(axis=-1)).mean(axis=0))


def by_sensors(sensors: Sensors, log: Trajectory) -> tuple[Verification, Robot, Turn, Array]:
    """Return the faults that explain readings of a log, the robot as they show it, how its joints count, and their
    zeros (nq,)."""
    start, discrete = _start(sensors, log)
    first, there, single = (
        np.array(start.at),
        start.of(log),
        [one.places[0] for one in sensors.causes if one.kind in ("zero", "mass")],
    )
    best = _explanation(sensors, there, first)
    if any(len(cause.places) > 1 for cause in best.found.causes):  # large zeros, which are not linear, may look so
        at = first
        for _ in range(3):
            channel = near(sensors, there, at, sensors.places)
            at = fitted(channel, at, (*sensors.unknown, *single), np.arange(len(channel.y))).x
        other, noise = _explanation(sensors, there, at), best.channel.noise
        best = min(best, other, key=lambda one: one.doubt(noise))
    x = best.found.fit.x
    return _answer(sensors, log, start, discrete, best), sensors.corrected(x), start.joints, x[: sensors.robot.nq]


class _Explanation(NamedTuple):
    """Readings near numbers, what was found of them, the noise of a log, and whether this is small enough."""

    channel: Readings
    found: Found
    noise: Array
    explained: bool

    def doubt(self, noise: Array) -> float:
        """Return the loss with a noise (d,), and twice the price of the numbers."""
        channel, rows = replace(self.channel, noise=noise), np.arange(len(self.channel.y))
        price = 2 * np.log(channel.y.size) * sum(len(cause.places) for cause in self.found.causes)
        return loss(channel.residual(self.found.fit.x, rows)) + float(price)


def _explanation(sensors: Sensors, log: Trajectory, at: Array) -> _Explanation:
    """Return the fewest faults that explain a log, near numbers and then near those that are found."""
    alike = dict[Cause, tuple[Cause, ...]]()  # at first, when all causes are as near
    far = at[[*sensors.gravity, *(i for turn in sensors.turns for i in turn)]].any()
    for _ in range(PASSES):
        channel = near(sensors, log, at, sensors.places)
        if far:
            channel = replace(channel, curves=np.zeros_like(channel.curves))  # which are wrong far away
        y = channel.y
        noise = noise_of(channel.columns, y - channel.model, channel.noise, np.abs(y).max(axis=0))
        explained = bool((noise < sensors.noise[1, sensors.known]).all())
        channel = replace(channel, noise=noise * filter_of(log.dt).spread)
        seen = explained and visible(channel, at, np.arange(len(y)))
        found = search(channel if seen else replace(channel, noise=noise + 1e9), np.zeros(len(sensors.lower)), len(y))
        alike = alike or dict(zip(found.causes, found.alike, strict=True))
        step = found.fit.x - at
        step[sensors.offsets] = 0.0
        if not seen or np.abs(step).max() < NEAR:
            break
        at = found.fit.x.copy()
    both = [(*others, *alike.get(one, ())) for one, others in zip(found.causes, found.alike, strict=True)]
    others = tuple(tuple(one for one in dict.fromkeys(more) if one not in found.causes) for more in both)
    return _Explanation(channel, replace(found, alike=others), noise, explained)


def _answer(
    sensors: Sensors, log: Trajectory, start: Start, discrete: list[ModelFault], best: _Explanation
) -> Verification:
    channel, found, noise, explained = best
    rows, x, known = np.arange(len(channel.y)), found.fit.x, sensors.known
    before = (log.effort - sensors.predict(np.zeros(len(sensors.lower)), log))[:, known]
    before = filter_of(log.dt).of(log.parts, before.__getitem__)
    before -= np.median(before, axis=0)  # offsets are no fault of the model
    left, times = channel.left(x), _times(delayed(start.of(log), float(channel.at[sensors.late])))
    errors = np.stack([np.column_stack([np.interp(times, _times(log), r) for r in before.T]), left])
    sizes = np.stack([rms(errors[0]), rms(errors[1]), noise])
    far = (np.abs(channel.residual(x, rows)[..., 0]) > OUTLIER).any(axis=1)
    zeros = [cause for cause in sensors.causes if cause.kind == "zero"]
    still = [cause for cause in zeros if np.ptp(log.q[:, start.joints[0][cause.places[0]]]) < STILL]
    shown = [cause for cause in visible(channel, x, rows) if cause not in still]
    faults = [sensors.fault(found, i) for i in range(len(found.causes))]
    rest, seen = np.median(np.abs(left), axis=0) / MEDIAN > REST * noise, explained and bool(shown)
    faults = [*discrete, *sorted(faults, key=lambda fault: -fault.explains)] if seen else []
    incomplete = bool(seen and rest.any())
    numbers, correlation = correlated(found)
    offsets = np.where(known, x[sensors.offsets], np.nan).reshape(-1, 6)

    def by_sensor(values: Array) -> Array:
        whole = np.full((*values.shape[:-1], len(known)), np.nan)
        whole[..., known] = values
        return whole.reshape(*values.shape[:-1], -1, 6)

    return Verification(
        explained and bool(faults or not incomplete),
        tuple(faults),
        (*_hidden(sensors, channel, x), *((("zero", one.element),) for one in zeros if one not in (*still, *shown))),
        tuple(cause.element for cause in still),
        outliers=tuple(times[far].tolist()),
        readings={sensors.kind: by_sensor(sizes)},
        sensor_offsets={sensors.kind: dict(zip(sensors.names, offsets, strict=True))},
        blind=() if seen else (sensors.kind,),
        incomplete=(sensors.kind,) if incomplete else (),
        residuals={sensors.kind: by_sensor(errors), f"times of {sensors.kind}": times},
        numbers=numbers,
        correlation=correlation,
    )


def _hidden(sensors: Sensors, channel: Readings, x: Array) -> Iterator[tuple[tuple[str, str], ...]]:
    """Yield what has the effect of constant offsets."""
    for cause, places in hidden(channel, x, len(channel.y)):
        if cause.kind != "zero":
            yield (cause.kind, cause.element), ("sensor offset", sensors.names[(places[0] - sensors.offsets[0]) // 6])


def _times(log: Trajectory) -> Array:
    """Return the means (m,) of windows."""
    made = filter_of(log.dt)
    return np.asarray(log.t[made.starts(log.parts) + len(made.weights) // 2])
