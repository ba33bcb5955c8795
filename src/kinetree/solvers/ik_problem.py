"""What a solver of inverse kinematics may move, within what, and where it begins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetree.algorithms.goals import Goal
from kinetree.algorithms.inverse import COST, GOING, HEAD, Reach
from kinetree.algorithms.kinematics import way_between
from kinetree.errors import fail
from kinetree.model.limits import Limits
from kinetree.model.robot import Robot
from kinetree.queries.ask import tree
from kinetree.spatial import polytope
from kinetree.spatial.se3 import Array, frozen

DAMPING, STRIDE, STEPS = 1e-2, 1.0, 18
TURN = np.pi
"""Starts of a joint without limits lie up to so far from zero; of one that slides, up to a metre."""


@dataclass(frozen=True, slots=True, eq=False)
class Inside:
    """Where a search begins, inside the limits.

    rows (m, nq): what `Reach.G` leaves out, coefficients of the joints that stay where they are. lengths (m,): by which
    rows were divided. bounds, bounds_now (m,): h with those joints at zero, and where they are by default, `neutral`
    (nq,), in which those that move are where a search begins. begin_at (n,): that, well inside. template: the state
    from there.
    """

    limits: Limits
    rows: Array
    lengths: Array
    bounds: Array
    bounds_now: Array
    neutral: Array
    begin_at: Array
    template: Array

    def bounds_at(self, rest: Array) -> Array:
        """h (…, m), for where the other joints are (…, nq), zero for those that move."""
        return np.asarray(self.bounds - rest @ self.rows.T / self.lengths)

    def begin(self, job: Reach, q0: Any, batch: tuple[int, ...]) -> tuple[Array, Array, Array, Array]:
        """States (…, HEAD + 2 n), bounds h (…, m), centers (…, n), and where the other joints are (…, nq)."""
        if q0 is None:
            return self.template, self.bounds_now, self.begin_at, self.neutral
        q = self.limits.project(np.asarray(q0, dtype=float))
        rest = q.copy()
        rest[..., job.columns] = 0.0
        h = self.bounds_at(rest)
        states = np.broadcast_to(self.template, (*q.shape[:-1], len(self.template))).copy()
        n = len(job.columns)
        states[..., HEAD : HEAD + n] = states[..., HEAD + n :] = q[..., job.columns]
        return states, h, self.begin_at, q


def reach_of(
    robot: Robot, limits: Limits, goals: Sequence[Goal], tolerance: tuple[float, float], descents: int
) -> tuple[Reach, Inside]:
    """The problem, and its limits."""
    columns, rates = _between(robot, goals)
    if not len(columns):
        frames = ", ".join(goal.frame for goal in goals)
        raise fail("ik", f"no joint moves {frames} as seen from {goals[0].base}")
    lower, upper = limits.lower[columns], limits.upper[columns]
    about = np.flatnonzero(limits.G[:, columns].any(axis=1)) if len(limits.G) else np.zeros(0, int)
    lengths = np.linalg.norm(limits.G[np.ix_(about, columns)], axis=1)
    G, bounds = limits.G[np.ix_(about, columns)] / lengths[:, None], limits.h[about] / lengths
    neutral = limits.project(robot.q())
    rest = neutral.copy()
    rest[columns] = 0.0
    rows = limits.G[about]
    h = bounds - rows @ rest / lengths
    angular = np.array([_is_angle(robot, j) for j in columns])
    wide = np.where(angular, TURN, 1.0)
    first = np.where(np.isfinite(lower), lower, np.where(np.isfinite(upper), upper - 2 * wide, -wide))
    last = np.where(np.isfinite(upper), upper, np.where(np.isfinite(lower), lower + 2 * wide, wide))
    kept = _that_matter(G, h, first, last)
    G, h, rows, lengths, bounds = G[kept], h[kept], rows[kept], lengths[kept], bounds[kept]
    skin = 1e-12 * (1.0 + np.abs(h) + np.abs(G) @ np.maximum(np.abs(first), np.abs(last)))
    begin = (first + last) / 2
    if len(G):
        eye = np.eye(len(columns))
        ball = polytope.chebyshev_ball(np.vstack([G, -eye, eye]), np.r_[h, -first, last])
        if ball.radius <= 1e-9:
            raise fail("empty", "the limits leave these joints no room")
        begin = np.where(G.any(axis=0), ball.center, begin)
    neutral[columns] = begin
    job = Reach(
        goals=tuple(goals),
        columns=columns,
        rates=rates,
        nq=robot.nq,
        tolerances=tolerance,
        lower=lower,
        upper=upper,
        turns=_that_turn(robot, columns) & (upper - lower >= 2 * np.pi) & ~limits.G[:, columns].any(axis=0),
        first=first,
        last=last,
        G=G,
        skin=skin,
        damping=DAMPING,
        stride=STRIDE,
        steps=STEPS,
        descents=descents,
    )
    template = np.zeros(HEAD + 2 * len(columns))
    template[GOING], template[COST] = 1.0, np.inf
    template[HEAD:] = np.tile(begin, 2)
    others = rows.copy()
    others[:, columns] = 0.0
    return job, Inside(limits, others, lengths, bounds, frozen(h), frozen(neutral), frozen(begin), frozen(template))


def _is_angle(robot: Robot, column: int) -> bool:
    name = joint_of(robot, column)
    return bool(robot.joints[name].kind.angular[column - robot.q_slices[name].start])


def _that_turn(robot: Robot, columns: Array) -> Array:
    """Whether a whole turn of a coordinate leaves every frame where it is: of angles that move nothing along, and that
    nothing follows."""
    led = {joint.mimic.joint for joint in robot.joints.values() if joint.mimic}
    names = [joint_of(robot, j) for j in columns]
    alone = [name not in led and robot.joints[name].pitch == 0 for name in names]
    return np.array(alone) & [_is_angle(robot, j) for j in columns]


def _that_matter(G: Array, h: Array, first: Array, last: Array) -> Array:
    """The rows that cut something off the box of starts."""
    if not len(G):
        return np.zeros(0, dtype=int)
    eye = np.eye(G.shape[1])
    return np.array(polytope.rows_that_matter(G, h, np.vstack([-eye, eye]), np.r_[-first, last]), dtype=int)


def joint_of(robot: Robot, column: int) -> str:
    """The joint whose coordinate has that number in q."""
    return next(name for name, where in robot.q_slices.items() if where.start <= column < where.stop)


def _between(robot: Robot, goals: Sequence[Goal]) -> tuple[Array, Array]:
    """The coordinates of q and of qd that move frames as seen from their bases."""
    bodies = tree(robot)
    found: dict[int, int] = {}
    for goal in goals:
        up, down = way_between(bodies, bodies.frame(goal.base)[0], bodies.frame(goal.frame)[0])
        for i in (*up, *down):
            kind = bodies.joint_type[i]
            if kind.nq != kind.nv:
                message = f"its {kind.nq} coordinates have {kind.nv} rates; inverse kinematics wants as many"
                raise fail("ik", message, element=f"joint {bodies.joints[i]!r}", fix="lock it, or choose another base")
            q, v = bodies.q_slice[i], bodies.v_slice[i]
            found |= dict(zip(range(q.start, q.stop), range(v.start, v.stop), strict=True))
    columns = sorted(found)
    return np.array(columns, dtype=int), np.array([found[j] for j in columns], dtype=int)
