"""How a log was taken, as far as it is discrete: gravity, joints that count the other way or are in each other's place,
and sign, order and delay of torques."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from typing import Any, NamedTuple

import numpy as np

from kinetree.lab.identify.answer import ModelFault
from kinetree.lab.identify.columns import WINDOW, Trajectory, filter_of
from kinetree.lab.identify.efforts import Efforts
from kinetree.model.robot import Robot
from kinetree.queries.dynamics import inverse_dynamics
from kinetree.queries.options import GRAVITY
from kinetree.spatial.se3 import Array

SURE = float(np.log(2.0))
"""By how much the logarithms of what is left of torques have to fall for a sign or a delay of torques; for what has an
effect on several joints by twice that."""
LATEST = 0.5
"""Largest delay that is tried, s."""
LEFT, BAD = 0.01, 0.1
"""Part of the torques of a joint that is left from which on other signs and orders of joints are tried, and from which
on also what no fault alone explains."""
KEPT = 5
"""Number of settings, of different kinds of faults, to which another fault is added."""
PIECE, LOOKED_AT = 20, 6000
"""Length of pieces of a log, in windows of the filter, and how many samples in pieces are looked at."""

Turn = tuple[tuple[int, ...], tuple[float, ...]]
"""Joints of a log in the order of those of the model, and factors of their positions."""


def turned(x: Array, turn: Turn) -> Array:
    """Return positions or rates (n, nv) of a log as those of the model."""
    return np.asarray(x[:, turn[0]] * turn[1])


def efforts_turned(x: Array, turn: Turn) -> Array:
    """Return torques (n, nv) of a log as those of the model."""
    return np.asarray(x[:, turn[0]] * np.sign(turn[1]))


def unturned(robot: Robot) -> Turn:
    """Return the order and the factors of joints that are those of the model."""
    return tuple(range(robot.nq)), (1.0,) * robot.nq


def turns(robot: Robot, q: Array, columns: Sequence[int]) -> Iterator[tuple[Turn, ModelFault]]:
    """Yield how joints may count otherwise: in degrees, one of `columns` the other way, two in each other's place."""
    names, (order, ones) = robot.joint_names, unturned(robot)
    if np.abs(q).max() > 4 * np.pi:
        turning = [robot.joints[name].kind.angular[0] for name in names]
        yield (order, tuple(np.where(turning, np.deg2rad(1.0), 1.0).tolist())), ModelFault("unit", "q")
    for i in columns:
        yield _flipped((order, ones), i), ModelFault("sign", names[i])
    for i, j in combinations(columns, 2):
        yield _exchanged((order, ones), i, j), ModelFault("order", f"{names[i]}, {names[j]}")


def after(first: Turn, then: Turn) -> Turn:
    """Return two turns in one."""
    order, scale = (np.array(part) for part in first)
    at = list(then[0])
    return tuple(order[at].tolist()), tuple((scale[at] * then[1]).tolist())


def _flipped(turn: Turn, i: int) -> Turn:
    return turn[0], tuple(-x if k == i else x for k, x in enumerate(turn[1]))


def _exchanged(turn: Turn, i: int, j: int) -> Turn:
    at = list(range(len(turn[0])))
    at[i], at[j] = j, i
    return tuple(turn[0][k] for k in at), tuple(turn[1][k] for k in at)


class Setting(NamedTuple):
    """Gravity in the root, m/s²; the joints of a log, and then their torques, as those of the model; by how much
    torques are later than q, s."""

    gravity: tuple[float, ...]
    joints: Turn
    efforts: Turn
    late: float = 0.0

    def of(self, log: Trajectory) -> Trajectory:
        """Return a log as one of the model, but for the delay."""
        q, qd, qdd = (turned(x, self.joints) for x in log[:3])
        effort = efforts_turned(efforts_turned(log.effort, self.joints), self.efforts)
        return log._replace(q=q, qd=qd, qdd=qdd, effort=effort)


class _State(NamedTuple):
    """A setting, what is wrong with it, the logarithms (nv,) of the part of torques that it leaves, and their sum with
    the price of the faults."""

    setting: Setting
    faults: tuple[ModelFault, ...]
    left: Array
    score: float

    def leaves(self, part: float) -> bool:
        """Return whether so much of the torques of a joint is left."""
        return bool(self.left.max() > np.log(part))


def setting_of(robot: Robot, log: Trajectory, known: Array) -> tuple[Setting, list[ModelFault]]:
    """Return how a log was taken, and what of that is a fault, as far as torques show it. known (nv,): joints that have
    torques.

    Faults are added one by one to several settings at a time, because two of them may explain what none of them does.
    """
    looking = _Looking(robot, log, known, some_of(log))
    best = looking.state(Setting(GRAVITY, unturned(robot), unturned(robot)), (), 0.0)
    states = [best]
    for depth in range(robot.nv + 3):
        trials = dict[Setting, _State]()
        for state in states if best.leaves(BAD) else [best]:
            for trial in looking.others(state):
                if trial.setting not in trials or trial.score < trials[trial.setting].score:
                    trials[trial.setting] = trial
        kinds = dict[tuple[str, ...], _State]()
        for trial in sorted(trials.values(), key=lambda trial: trial.score):
            kinds.setdefault(tuple(sorted(fault.kind for fault in trial.faults)), trial)
        states = [*kinds.values()][:KEPT]
        if not states or states[0].score >= best.score:
            if depth or not best.leaves(BAD):
                break
        else:
            best = states[0]
    return best.setting, list(best.faults)


@dataclass(frozen=True)
class _Looking:
    """A log for which a setting is looked for. rows: its samples that are looked at, in parts. What is found once is
    remembered."""

    robot: Robot
    log: Trajectory
    known: Array
    rows: tuple[Array, tuple[int, ...]]
    _models: dict[Turn, tuple[Array, Array, Array]] = field(default_factory=dict)
    _efforts: dict[float, Array] = field(default_factory=dict)
    _left: dict[tuple[Any, ...], float] = field(default_factory=dict)

    def others(self, state: _State) -> Iterator[_State]:
        """Yield what has one fault more."""
        (now, faults, left, score), names = state, self.robot.velocity_names
        price = score - float(left.sum())

        def added(setting: Setting, times: float, *more: ModelFault) -> _State:
            return self.state(setting, (*faults, *more), price + times * SURE)

        for g in (sign * float(np.linalg.norm(GRAVITY)) * e for e in np.eye(3) for sign in (1.0, -1.0)):
            if now.gravity == GRAVITY and tuple(g.tolist()) != GRAVITY:
                fault = ModelFault("gravity", self.robot.root, g - GRAVITY, np.zeros(3), unit="m/s²")
                yield added(now._replace(gravity=tuple(g.tolist())), 2, fault)
        for i, name in enumerate(names):
            yield added(now._replace(efforts=_flipped(now.efforts, i)), 1, ModelFault("effort sign", name))
        for i, j in combinations(range(len(names)), 2):
            fault = ModelFault("effort order", f"{names[i]}, {names[j]}")
            yield added(now._replace(efforts=_exchanged(now.efforts, i, j)), 2, fault)
        if not now.late and self.log.dt:
            steps = int(min(LATEST, np.ptp(self.log.t) / 10) / WINDOW * 2)
            for late in (np.delete(np.arange(-steps, steps + 1), steps) * WINDOW / 2).tolist():
                yield added(now._replace(late=late), 1)
        if not state.leaves(LEFT):
            return
        for i, j in combinations(range(len(names)), 2):  # gravity may nearly explain what two signs do
            two = [ModelFault("sign", names[k]) for k in (i, j)]
            yield added(now._replace(joints=_flipped(_flipped(now.joints, i), j)), 4, *two)
        for turn, fault in turns(self.robot, turned(self.log.q, now.joints), range(len(names))):
            other = now._replace(joints=after(now.joints, turn))
            yield added(other, 2, fault)
            if fault.kind == "sign":  # its torque does not follow
                efforts = _flipped(now.efforts, names.index(fault.element))
                yield added(other._replace(efforts=efforts), 3, fault, ModelFault("effort sign", fault.element))

    def state(self, setting: Setting, faults: tuple[ModelFault, ...], price: float) -> _State:
        """Return a setting with what it leaves of torques."""
        order, signs = after(setting.joints, setting.efforts)
        left = np.zeros(self.robot.nv)
        for j, (k, sign) in enumerate(zip(order, np.sign(signs).tolist(), strict=True)):
            key = (setting.gravity, setting.joints, setting.late, j, k, sign)
            if self.known[k] and key not in self._left:
                (model, falls, own), tau = self._model(setting.joints), self._effort(setting.late)
                heavy = model[:, j] + falls[:, j] @ (np.array(setting.gravity) - GRAVITY)
                self._left[key] = float(np.log(max(scale_of(sign * tau[:, k], heavy, own[:, j])[1], 1e-4)))
            left[j] = self._left.get(key, 0.0)
        return _State(setting, faults, left, float(left.sum()) + price)

    def _model(self, turn: Turn) -> tuple[Array, Array, Array]:
        """Return torques (m, nv) of the model, what gravity adds to them (m, nv, 3), columns (m, nv, 2) of friction."""
        if turn not in self._models:
            at, parts = self.rows
            q, qd, qdd = (turned(x[at], turn) for x in self.log[:3])
            still, falling = np.zeros_like(q), inverse_dynamics(self.robot, gravity=None)
            g = [falling(q, still, still, e) - falling(q, still, still, np.zeros(3)) for e in np.eye(3)]
            rows = np.stack([inverse_dynamics(self.robot)(q, qd, qdd), *g, qd, np.sign(qd)], axis=-1)
            W = filter_of(self.log.dt).of(parts, rows.__getitem__)
            self._models[turn] = W[..., 0], W[..., 1:4], W[..., 4:]
        return self._models[turn]

    def _effort(self, late: float) -> Array:
        """Return the torques (m, nv) of the log at some seconds later."""
        if late not in self._efforts:
            (at, parts), t = self.rows, self.log.t
            effort = np.column_stack([np.interp(t[at] + late, t, x) for x in self.log.effort.T])
            self._efforts[late] = filter_of(self.log.dt).of(parts, effort.__getitem__)
        return self._efforts[late]


def some_of(log: Trajectory, most: int = LOOKED_AT) -> tuple[Array, tuple[int, ...]]:
    """Return samples of pieces of a log, not too many, and where these begin, with their number."""
    length = PIECE * len(filter_of(log.dt).weights)
    pieces = [np.arange(a, min(a + length, j)) for i, j in pairwise(log.parts) for a in range(i, j, length)]
    pieces = pieces[:: -(-len(log.q) // most)]
    return np.concatenate(pieces), (0, *np.cumsum([len(piece) for piece in pieces]).tolist())


def parts_of_model(given: Efforts) -> tuple[Array, Array, Array]:
    """Return torques (m, nv) of the model, what gravity adds to them (m, nv, 3), and columns (m, nv, 2) of friction."""
    n, joints = given.nv, np.arange(given.nv)
    own = [given.columns[:, joints, joints - k * n - 4] for k in (5, 4)]
    return given.model, given.columns[..., -n - 4 : -n - 1], np.stack(own, axis=-1)


def scale_of(tau: Array, model: Array, own: Array) -> tuple[float, float]:
    """Return the factor by which torques (m,) of the model fit best, beside friction (m, 2), or 0 if it is negative;
    and the part of torques (m,) that is left. A constant offset is no part of them."""
    own = own - own.mean(axis=0)
    A, y = np.column_stack([model - model.mean(), own]), tau - tau.mean()
    factor = float(np.linalg.lstsq(A, y, rcond=1e-9)[0][0])
    A = A if factor > 0 else own
    r = y - A @ np.linalg.lstsq(A, y, rcond=1e-9)[0]
    return max(factor, 0.0), float(np.linalg.norm(r) / max(float(np.linalg.norm(y)), 1e-300))
