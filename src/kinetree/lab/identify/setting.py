"""How a log was taken, as far as it is discrete: gravity, joints that count the other way or are in each other's place,
and sign, order and delay of torques."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations, pairwise
from typing import Any, NamedTuple

import numpy as np

from kinetree.lab.identify.answer import ModelFault
from kinetree.lab.identify.columns import WINDOW, Trajectory, filter_of
from kinetree.model.robot import Robot
from kinetree.queries.dynamics import inverse_dynamics
from kinetree.queries.options import GRAVITY
from kinetree.spatial.se3 import Array

SURE = float(np.log(2.0))
"""By how much the logarithms of what is left have to fall for a fault of poses, and for a sign or a delay of torques;
for what has an effect on the torques of several joints by twice that."""
LATEST = 0.5
"""Largest delay that is tried, s."""
LEFT, BAD = 0.01, 0.1
"""Part of the torques of a joint that is left from which on other signs and orders of joints are tried, and from which
on also what no fault alone explains."""
KEPT = 5
"""Number of settings, of different kinds of faults as far as there are so many, to which another fault is added."""
PIECE, LOOKED_AT = 20, 6000
"""Length of pieces of a log, in windows of the filter, and how many samples in pieces are looked at."""

ALONG = [tuple((sign * np.linalg.norm(GRAVITY) * e).tolist()) for e in np.eye(3) for sign in (1.0, -1.0)]
TURNED_GRAVITIES = [g for g in ALONG if g != GRAVITY]
"""Gravity along the axes of the root, other than that of the model."""
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


def turns(robot: Robot, q: Array, turn: Turn, columns: Sequence[int], most: int = 1) -> Iterator[Turn]:
    """Yield how joints of a log q (n, nq) may count that count in one way, with one fault more: in degrees, up to
    `most` of `columns` the other way, two in each other's place."""
    if np.abs(q).max() > 4 * np.pi and all(abs(x) == 1.0 for x in turn[1]):
        turning = [robot.joints[name].kind.angular[0] for name in robot.joint_names]
        yield turn[0], tuple(np.where(turning, np.deg2rad(turn[1]), turn[1]).tolist())
    for some in chain.from_iterable(combinations(columns, n + 1) for n in range(most)):
        yield _flipped(turn, *some)
    for i, j in combinations(columns, 2):
        yield _exchanged(turn, i, j)


def faults_of(turn: Turn, names: Sequence[str], of: str = "") -> list[ModelFault]:
    """Return what is wrong with joints of such an order and such factors. of: "effort " of torques."""
    order, found = list(turn[0]), list[ModelFault]()
    if any(abs(x) != 1.0 for x in turn[1]):
        found.append(ModelFault("unit", "q"))
    for i in range(len(order)):
        while (j := order[i]) != i:
            found.append(ModelFault(f"{of}order", f"{names[i]}, {names[j]}"))
            order[i], order[j] = order[j], j
    return found + [ModelFault(f"{of}sign", names[i]) for i, x in enumerate(turn[1]) if x < 0]


def after(first: Turn, then: Turn) -> Turn:
    """Return two turns in one."""
    order, scale = (np.array(part) for part in first)
    at = list(then[0])
    return tuple(order[at].tolist()), tuple((scale[at] * then[1]).tolist())


def _flipped(turn: Turn, *some: int) -> Turn:
    return turn[0], tuple(-x if k in some else x for k, x in enumerate(turn[1]))


def _exchanged(turn: Turn, i: int, j: int) -> Turn:
    """Return a turn with two columns of a log, and the way they count, in each other's place; units are of joints."""
    at = list(range(len(turn[0])))
    at[i], at[j] = j, i
    scale = np.abs(turn[1]) * np.sign(turn[1])[at]
    return tuple(turn[0][k] for k in at), tuple(scale.tolist())


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

    def faults(self, robot: Robot) -> list[ModelFault]:
        """Return what is wrong with it, but for the delay."""
        g, names = np.subtract(self.gravity, GRAVITY), robot.velocity_names
        found = [ModelFault("gravity", robot.root, g, np.zeros(3), unit="m/s²")] if g.any() else []
        return [*found, *faults_of(self.joints, names), *faults_of(self.efforts, names, "effort ")]


class State(NamedTuple):
    """A setting, what is wrong with it, the logarithms of what it leaves of a log, and their sum with the price of the
    faults."""

    setting: Any
    faults: list[ModelFault]
    left: Array
    score: float

    def leaves(self, part: float) -> bool:
        """Return whether so much is left."""
        return bool(self.left.max() > np.log(part))


def least(first: State, others: Callable[[State], Iterable[State]], bad: float, most: int) -> State:
    """Return the state with the least score. others: those with one fault more than a state.

    Faults are added one by one, at most `most`, to several states at a time while `bad` is left of the best, because
    two of them may explain what none of them does.
    """
    best, states = first, [first]
    for depth in range(most):
        trials = {trial.setting: trial for one in (states if best.leaves(bad) else [best]) for trial in others(one)}
        ranked = sorted(trials.values(), key=lambda one: one.score)
        kinds = {tuple(sorted(fault.kind for fault in one.faults)): id(one) for one in ranked[::-1]}  # the best of each
        states = sorted(ranked, key=lambda one: id(one) not in kinds.values())[:KEPT]
        if ranked and ranked[0].score < best.score:
            best = ranked[0]
        elif depth or not best.leaves(bad):
            break
    return best


def setting_of(robot: Robot, log: Trajectory, known: Array) -> tuple[Setting, list[ModelFault]]:
    """Return how a log of torques was taken, and what of that is a fault. known (nv,): joints that have torques."""
    looking = _Looking(robot, log, known, some_of(log))
    plain = looking.state(Setting(GRAVITY, unturned(robot), unturned(robot)))
    return least(plain, looking.others, BAD, robot.nv + 3)[:2]


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

    def others(self, state: State) -> Iterable[State]:
        """Return what has one fault more."""
        now, joints, pairs = state.setting, range(self.robot.nv), [*combinations(range(self.robot.nv), 2)]
        some = [now._replace(gravity=g) for g in TURNED_GRAVITIES if now.gravity == GRAVITY]
        some += [now._replace(efforts=_flipped(now.efforts, i)) for i in joints]
        some += [now._replace(efforts=_exchanged(now.efforts, i, j)) for i, j in pairs]
        if not now.late and self.log.dt:
            steps = int(min(LATEST, np.ptp(self.log.t) / 10) / WINDOW * 2)
            late = np.delete(np.arange(-steps, steps + 1), steps) * WINDOW / 2
            some += [now._replace(late=x) for x in late.tolist()]
        if state.leaves(LEFT):  # gravity may nearly explain what two signs do, and a torque may not follow its joint
            some += [now._replace(joints=turn) for turn in turns(self.robot, self.log.q, now.joints, joints, 2)]
            some += [now._replace(joints=_flipped(now.joints, i), efforts=_flipped(now.efforts, i)) for i in joints]
        return map(self.state, some)

    def state(self, setting: Setting) -> State:
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
        faults = setting.faults(self.robot)
        price = sum(1 if fault.kind == "effort sign" else 2 for fault in faults) + bool(setting.late)
        return State(setting, faults, left, float(left.sum()) + price * SURE)

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


def scale_of(tau: Array, model: Array, own: Array) -> tuple[float, float]:
    """Return the factor by which torques (m,) of the model fit best, beside friction (m, 2), or 0 if it is negative;
    and the part of torques (m,) that is left. A constant offset is no part of them."""
    own = own - own.mean(axis=0)
    A, y = np.column_stack([model - model.mean(), own]), tau - tau.mean()
    factor = float(np.linalg.lstsq(A, y, rcond=1e-9)[0][0])
    A = A if factor > 0 else own
    r = y - A @ np.linalg.lstsq(A, y, rcond=1e-9)[0]
    return max(factor, 0.0), float(np.linalg.norm(r) / max(float(np.linalg.norm(y)), 1e-300))
