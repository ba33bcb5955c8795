"""The problem of an inverse kinematics solver: the coordinates, their limits, the start and the targets."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinetree.algorithms.closest import FIRST_DAMPING
from kinetree.algorithms.control import CoupledRows
from kinetree.algorithms.goals import GOALS, Goal
from kinetree.algorithms.inverse import COST, DESCENT, GOING, HEAD, STEPS, Problem
from kinetree.algorithms.kinematics import path_between
from kinetree.algorithms.loops import Roles
from kinetree.algorithms.soft import memory_size
from kinetree.algorithms.tangent import Loose, normalised
from kinetree.compiler.port import Port
from kinetree.errors import fail
from kinetree.model.limits import Limits, checked_q
from kinetree.model.robot import Robot
from kinetree.queries.query import FixedInput, tree
from kinetree.spatial import polytope
from kinetree.spatial.numbers import LARGEST, ROUNDED, judged, refused
from kinetree.spatial.se3 import Array, frozen

DAMPING, STRIDE, DESCENT_STEPS = 1e-2, 1.0, 18
WIDE = (4 * np.pi + 1e-6, 100.0)
"""Ranges, rad and m, beyond which a joint is searched as if it had no ends."""
WINDOW = (np.pi, 1.0)
"""Largest distance of starts, rad and m, from zero or from a joint's only end, for joints without two ends."""


@dataclass(frozen=True, slots=True, eq=False)
class Inside:
    """The start of a search, inside the limits.

    rows (m, nq): coefficients of the joints that do not move, not in `Problem.G`. lengths (m,): divisors of the
    rows. bounds, bounds_now (m,): h with those joints at zero, and with them at `neutral` (nq,), their default; there
    the joints that move are at the start. begin_at (n,): the start, well inside with the others at neutral. template:
    the state at the start. reach (nq,): how far results may be from a start; None for any distance.
    """

    limits: Limits
    rows: Array
    lengths: Array
    bounds: Array
    bounds_now: Array
    neutral: Array
    begin_at: Array
    template: Array
    reach: Array | None = None

    @property
    def coupled(self) -> CoupledRows:
        """Return the bounds h as functions of the joints that do not move."""
        return CoupledRows(self.bounds, self.rows / self.lengths[:, None])

    def bounds_at(self, rest: Array) -> Array:
        """Return h (…, m) for q (…, nq) of the joints that do not move, with zero for those that do."""
        return np.asarray(self.bounds - rest @ self.rows.T / self.lengths)

    def begin(self, problem: Problem, q0: Any) -> tuple[Array, Array, Array, Array]:
        """Return states (…, HEAD + 2 k), bounds h (…, m), centers (…, k), and q (…, nq) for the other joints."""
        if q0 is None:
            return self.template, self.bounds_now, self.begin_at, self.neutral
        given = configurations(self.limits, problem, q0, "q0")
        q = self.limits.project(given)
        rest = q.copy()
        rest[..., problem.columns] = 0.0
        h = self.bounds_at(rest)
        states = np.broadcast_to(self.template, (*q.shape[:-1], len(self.template))).copy()
        n = len(problem.columns)
        states[..., HEAD : HEAD + n] = states[..., HEAD + n : HEAD + 2 * n] = q[..., problem.columns]
        own = q[..., problem.columns]
        if self.reach is None:
            return states, h, self._centers(problem, own, h), q
        reach, near = self.reach[problem.columns], given[..., problem.columns]
        is_out = (np.abs(own - near) > reach)[..., : len(problem.lower)].any(axis=-1, keepdims=True)
        return states, bounded(h, np.where(is_out, own, near), reach), own, q  # limits may be farther away

    def _centers(self, problem: Problem, q: Array, h: Array) -> Array:
        """Return points (…, k) well inside: `begin_at`, or a point between it and q (…, k), which is inside."""
        if not self.rows.any():
            return self.begin_at
        way, flat = self.begin_at - q, len(problem.lower)
        room = np.maximum(h - 2 * problem.skin - q[..., :flat] @ problem.G.T, 0.0)
        rate = way[..., :flat] @ problem.G.T
        share = np.where(rate > room, room / np.where(rate > room, rate, 1.0), 1.0).min(axis=-1, initial=1.0)
        return np.asarray(q + np.where(share < 1.0, share / 2, 1.0)[..., None] * way)


def bounded(h: Array, q0: Array, reach: Array) -> Array:
    """Return the bounds (…, b) of a search near q0 (…, k), see `opened`. h (…, m): of the rows. reach (…, k): how far
    from q0 results may be."""
    batch = q0.shape[:-1]
    return np.concatenate([np.broadcast_to(a, (*batch, a.shape[-1])) for a in (h, q0, reach)], axis=-1)


def at_the_best(problem: Problem, states: Array) -> Array:
    """Return states (…, HEAD + 2 k) with which `closest_step` begins at their best q; DESCENT has its damping."""
    begin, n = states.copy(), len(problem.columns)
    begin[..., GOING], begin[..., DESCENT], begin[..., STEPS], begin[..., COST] = 1.0, FIRST_DAMPING, 0.0, np.inf
    begin[..., HEAD : HEAD + n] = begin[..., HEAD + n :]
    return begin


def configurations(limits: Limits, problem: Problem, given: Any, what: str) -> Array:
    """Return what a caller gives as q (…, nq), with quaternions of length 1 in the coordinates that may move. Raises
    KinetreeError for other shapes, numbers that are not finite, and quaternions of length 0. what: the name of q."""
    q = checked_q(limits, given, what)
    if not np.isfinite(q).all():
        raise fail(what, f"{what} is not finite; expected finite numbers")
    if not problem.loose:
        return q
    own = normalised(problem.loose, q[..., problem.columns])
    if not np.isfinite(own).all():
        raise fail(what, f"{what} has a quaternion of length zero; expected any other length")
    return problem.moved(q, own)


def reach_of(
    robot: Robot,
    limits: Limits,
    goals: Sequence[Goal],
    tolerance: tuple[float, float],
    descents: int,
    roles: Roles | None = None,
) -> tuple[Problem, Inside]:
    """Return the problem and its limits. roles: of the joints that may move, if loops are to be closed."""
    columns, rates, loose = between(robot, goals, roles)
    if not len(columns):
        frames = ", ".join(goal.frame or f"the {goal.kind}" for goal in goals)
        raise fail("ik", f"no joint moves {frames} as seen from {goals[0].base}")
    flat = columns[: len(columns) - sum(joint.kind.nq for joint in loose)]
    _refuse_ends(limits, columns[len(flat) :])
    lower, upper = limits.lower[flat], limits.upper[flat]
    about = np.flatnonzero(limits.G[:, flat].any(axis=1))
    about = about[_that_matter(limits, about)]
    lengths = np.linalg.norm(limits.G[np.ix_(about, flat)], axis=1)
    G, bounds = limits.G[np.ix_(about, flat)] / lengths[:, None], limits.h[about] / lengths
    rest = (neutral := limits.project(robot.q())).copy()
    rest[flat] = 0.0
    rows = limits.G[about]
    h = bounds - rows @ rest / lengths
    is_angle = np.array([_is_angle(robot, j) for j in flat], dtype=bool)
    first, last = _window(lower, upper, is_angle)
    skin = 1e-12 * (1.0 + np.abs(h) + np.abs(G) @ np.maximum(np.abs(first), np.abs(last)))
    begin = neutral[columns]
    begin[: len(flat)] = _begin(G, h, first, last, neutral[flat])
    neutral[columns] = begin
    spheres = sum(joint.kind.nv // 3 for joint in loose)
    strides = _strides(loose, is_wide(lower, upper, is_angle) & ~is_angle)
    problem = Problem(
        goals=tuple(goals),
        columns=columns,
        rates=rates,
        nq=robot.nq,
        tolerances=tolerance,
        lower=lower,
        upper=upper,
        turns=_that_turn(robot, columns, limits),
        first=first,
        last=last,
        G=G,
        skin=skin,
        damping=DAMPING,
        strides=strides,
        is_far=bool(np.isinf(strides).any()),
        steps=DESCENT_STEPS,
        descents=descents,
        loose=loose,
        memory=memory_size(goals, len(flat), len(G) + spheres) if any(goal.weight is not None for goal in goals) else 0,
    )
    template = np.zeros(HEAD + 2 * len(columns) + problem.memory)
    template[GOING], template[COST] = 1.0, np.inf
    template[HEAD : HEAD + 2 * len(columns)] = np.tile(begin, 2)
    others = rows.copy()
    others[:, flat] = 0.0
    return problem, Inside(limits, others, lengths, bounds, frozen(h), frozen(neutral), frozen(begin), frozen(template))


def refuse_coupled(still: FixedInput, moving: int, *, has_own_limits: bool) -> None:
    """Raise KinetreeError if limits couple coordinates that move, the first ones, with those of joints that stand where
    an input says."""
    limits = still.robot.limits
    couples = limits.G[:, :moving].any(axis=1) & limits.G[:, moving:].any(axis=1)
    if couples.any() and not has_own_limits:
        names = ", ".join(limits.names[2 * len(limits.lower) + i] for i in np.flatnonzero(couples))
        message = f"with at='input', {names} would couple joints that move with joints that stand"
        raise fail("at", message, fix="give a full q as at, move all of these joints, or give limits= without it")


def _refuse_ends(limits: Limits, columns: Array) -> None:
    """Raise KinetreeError if coordinates of joints with quaternions have limits."""
    limited = np.isfinite(limits.lower[columns]) | np.isfinite(limits.upper[columns]) | limits.G[:, columns].any(axis=0)
    if limited.any():
        names = ", ".join(limits.coordinate_names[j] for j in columns[limited])
        raise fail("limits", f"limits on {names}, of joints with quaternions; expected limits of other joints")


def _strides(loose: Sequence[Loose], is_far: Array) -> Array:
    """Return the largest change (n,) of each velocity coordinate in a step; infinite for slides without near ends."""
    turns = [turns for joint in loose for turns in joint.kind.velocity_angular]
    return np.concatenate([np.where(is_far, np.inf, STRIDE), np.where(turns, STRIDE, np.inf)])


def _is_angle(robot: Robot, column: int) -> bool:
    name = joint_of(robot, column)
    return bool(robot.joints[name].kind.angular[column - robot.q_slices[name].start])


def _that_turn(robot: Robot, columns: Array, limits: Limits) -> Array:
    """Return which coordinates (k,) may make whole turns: angles of wide ranges, without pitch, followers or rows."""
    led = {joint.mimic.joint for joint in robot.joints.values() if joint.mimic}
    names = [joint_of(robot, j) for j in columns]
    alone = [name not in led and robot.joints[name].pitch == 0 for name in names]
    is_angle = [_is_angle(robot, j) for j in columns]
    is_enough = limits.upper[columns] - limits.lower[columns] >= 2 * np.pi
    is_free = ~limits.G[:, columns].any(axis=0)
    return np.asarray(np.array(alone) & is_angle & is_enough & is_free)


def is_wide(lower: Array, upper: Array, is_angle: Array) -> Array:
    """Return which ranges (n,) are searched as if they had no ends."""
    return np.asarray(~(upper - lower <= np.where(is_angle, *WIDE)))


def _window(lower: Array, upper: Array, is_angle: Array) -> tuple[Array, Array]:
    """Return the range of starts (n,): the joint's range, or a part of it near zero if it is too wide."""
    wide, endless = np.where(is_angle, *WINDOW), is_wide(lower, upper, is_angle)
    first = np.clip(-wide, lower, np.maximum(upper - 2 * wide, lower))
    return np.where(endless, first, lower), np.where(endless, np.minimum(first + 2 * wide, upper), upper)


def _begin(G: Array, h: Array, first: Array, last: Array, inside: Array) -> Array:
    """Return the start (n,): the middle of the window, or of what rows leave of it; `inside` if that is flat."""
    begin = (first + last) / 2
    free = (first < last) & G.any(axis=0)
    if not free.any():
        return np.where(G.any(axis=0), inside, begin)
    eye, left = np.eye(int(free.sum())), h - G[:, ~free] @ first[~free]
    rows = G[:, free].any(axis=1)
    ball = polytope.chebyshev_ball(
        np.vstack([G[np.ix_(rows, free)], -eye, eye]), np.r_[left[rows], -first[free], last[free]]
    )
    begin[free] = ball.center if ball.radius > 1e-9 else inside[free]
    return begin


def _that_matter(limits: Limits, about: Array) -> Array:
    """Return the rows that can be crossed by a configuration that all other limits allow, for any other joints."""
    G, h = limits.G[about], limits.h[about]
    used = np.flatnonzero(G.any(axis=0))
    lower, upper = limits.lower[used], limits.upper[used]
    if len(about) and np.isfinite(lower).all() and np.isfinite(upper).all():
        eye = np.eye(len(used))
        kept = polytope.rows_that_matter(G[:, used], h, np.vstack([-eye, eye]), np.r_[-lower, upper])
        return np.array(kept, dtype=int)
    with np.errstate(invalid="ignore"):
        farthest = np.where(G[:, used] == 0, 0.0, np.maximum(G[:, used] * lower, G[:, used] * upper)).sum(axis=1)
    return np.flatnonzero(farthest > h)


def joint_of(robot: Robot, column: int) -> str:
    """Return the joint whose coordinate has this index in q."""
    return next(name for name, where in robot.q_slices.items() if where.start <= column < where.stop)


def between(robot: Robot, goals: Sequence[Goal], roles: Roles | None = None) -> tuple[Array, Array, tuple[Loose, ...]]:
    """Return the coordinates of q (k,) and of qd (n,) that move the frames as seen from their bases, or of joints that
    are driven or follow them, in the order of `Problem`, and the joints with quaternions among them."""
    bodies = tree(robot)
    flat: dict[int, int] = {}
    others: dict[int, int] = {}
    for goal in goals:
        up, down = path_between(bodies, bodies.frame(goal.base)[0], bodies.frame(goal.frame)[0])
        wanted = {*roles.driven, *roles.following} if roles else {*range(bodies.nv)}
        for i in (*up, *down) if GOALS[goal.kind].has_frame and not roles else range(len(bodies.parent)):
            if not wanted & {*range(*bodies.v_slice[i].indices(bodies.nv))}:
                continue  # stands where an input says, or is held
            if bodies.multiplier[i] == 0.0 and not bodies.higher[i]:  # follows its leader zero times
                continue
            q, v = bodies.q_slice[i], bodies.v_slice[i]
            if bodies.joint_type[i].quaternion:
                others[q.start] = i
            else:
                flat |= dict(zip(range(q.start, q.stop), range(v.start, v.stop), strict=True))
    columns, loose = sorted(flat), []
    rates = [flat[j] for j in columns]
    for start in sorted(others):
        i = others[start]
        loose.append(Loose(bodies.joint_type[i].name, len(columns), len(rates)))
        columns += range(bodies.q_slice[i].start, bodies.q_slice[i].stop)
        rates += range(bodies.v_slice[i].start, bodies.v_slice[i].stop)
    return np.array(columns, dtype=int), np.array(rates, dtype=int), tuple(loose)


STOPPED = 1e9
"""Number of a start at which a search has ended before it began."""


class Targets(NamedTuple):
    """Targets of a search. arrays: (…, *shape) for each goal, with the nearest rotations of rounded ones. batch: their
    own. bad (*batch,): which are not finite or not rigid, and 0 or the identity in `arrays`; None if all are good."""

    arrays: list[Array]
    batch: tuple[int, ...]
    bad: NDArray[np.bool_] | None = None

    def stopped(self, states: Array) -> Array:
        """Return states (…, s) with which no search begins for bad targets."""
        if self.bad is None:
            return states
        batch = np.broadcast_shapes(self.batch, states.shape[:-1])
        states = np.broadcast_to(states, (*batch, states.shape[-1])).copy()
        states[np.broadcast_to(self.bad, batch), DESCENT] = STOPPED
        return states

    def in_batch(self, batch: tuple[int, ...]) -> NDArray[np.bool_]:
        """Return which targets of a larger batch are bad (*batch,)."""
        return np.broadcast_to(False if self.bad is None else self.bad, batch)


def common_batch(batch: tuple[int, ...], **given: Array) -> tuple[int, ...]:
    """Return the batch of targets and of configurations (…, nq); raise KinetreeError if they do not broadcast."""
    try:
        return np.broadcast_shapes(batch, *(q.shape[:-1] for q in given.values()))
    except ValueError:
        others = "".join(f" and {name} is {q.shape[:-1]}" for name, q in given.items())
        raise fail("q0", f"targets are {batch}{others}, which do not go together") from None


def judged_targets(ports: Sequence[Port], targets: Sequence[Array], batch: tuple[int, ...]) -> Targets:
    """Return the targets as `judged` takes them. Raises KinetreeError for a bad one that is alone."""
    used, bad = [], np.zeros(batch, bool)
    for port, target in zip(ports, targets, strict=True):
        shape = port.shape
        small = (np.abs(target) <= LARGEST).all(axis=tuple(range(-len(shape), 0)))
        good, off = judged(target) if len(shape) == 2 else (target, np.where(small, 0.0, np.inf))
        wrong = ~(off <= ROUNDED)
        if wrong.any() and not batch:
            name = "at" if port.name == "at" else "target"
            raise refused(name, name, target, off)
        harmless = np.eye(shape[0]) if len(shape) == 2 else np.zeros(shape)
        used.append(np.where(wrong.reshape(*wrong.shape, *[1] * len(shape)), harmless, good))
        bad |= wrong
    return Targets(used, batch, bad if bad.any() else None)
