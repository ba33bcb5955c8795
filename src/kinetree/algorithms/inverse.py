"""Damped steps of inverse kinematics inside hard limits, and the points at which to start again.

Damped least squares, with damping proportional to the squared error (Sugihara, Solvability-unconcerned inverse
kinematics by the Levenberg-Marquardt method, IEEE Transactions on Robotics 27, 2011), in the dual form, whose cost
hardly grows with the number of joints. A coordinate at the end of its range, and a row of G q <= h that would be
crossed, are removed from the step. Steps are made in velocity coordinates and added as q ⊕ v (see `tangent`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from kinetree.algorithms.goals import Goal, Row, goal_rows
from kinetree.algorithms.loops import Roles, demands, loop_jacobian
from kinetree.algorithms.near import has_end, opened
from kinetree.algorithms.tangent import Loose, held_near, integrated, nearer_signs, spheres, turned_anew
from kinetree.algorithms.vectors import dot, is_zero, largest, margin, solved_symmetric, squared
from kinetree.model.limits import Limits
from kinetree.model.robot import Joint
from kinetree.model.tree import Tree
from kinetree.spatial.se3 import Array

GOING, TOTAL, DESCENT, STEPS, COST, LINEAR, ANGULAR = range(7)
"""Indices in a state: above 0 while running, 0 if solved, below 0 if given up; the numbers of steps, of the start, of
steps since; of the best q so far, the cost and the largest squared errors of a goal, m² and rad². Then q, best q."""
HEAD = 7
FAR = 4.0
"""Squared error, m² and rad², up to which the damping of joints with far ways grows."""
ALONG = 1e-4
"""Share of the last slack of a row that a step may take."""
STILL = 1e-22
"""Largest squared step, rad² and m², below which the search has stopped moving."""
CLOSED, CLOSING = 1e-9, 100.0
"""Largest demand of a closed loop, m or rad, and its weight beside goals that are out of reach."""
PART = 1e-3
"""Share of the tolerances, a longer step than which always goes on."""


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """An inverse kinematics problem: goals, coordinates and limits.

    columns (k,), rates (n,): the coordinates that may move, in q and in qd. The first f of both are those of joints
    without quaternions, in the same order; the others are of the joints `loose`, which have no limits. nq: the length
    of q. tolerances: m, rad.
    lower, upper (f,): limits, infinite where there are none. turns (k,): which may make whole turns.
    first, last (f,): the range of the starts.
    G (m, f): rows of length one. skin (m,): how far inside them to stay.
    damping: at a squared error of one. strides (n,): the largest changes in a step, rad, m. is_far: whether some joint
    may slide any distance, and damping grows with errors up to FAR alone.
    steps: most steps from one start. descents: number of starts. memory: how many numbers of a state follow the best q.
    inputs: the places in the last input of the coordinates of joints that stand where it says. standing: these, which
    follow those of q in the tree, or have these places in q if there are `roles`, of joints whose loops are closed.
    is_near: whether ranges are near an input of the search, see `opened`. around: for each joint of `loose`, where it
    is near to (nq,), and how far it may be from there, m and rad; empty for any distance.
    """

    goals: tuple[Goal, ...]
    columns: Array
    rates: Array
    nq: int
    tolerances: tuple[float, float]
    lower: Array
    upper: Array
    turns: Array
    first: Array
    last: Array
    G: Array
    skin: Array
    damping: float
    strides: Array
    is_far: bool
    steps: int
    descents: int
    loose: tuple[Loose, ...] = ()
    memory: int = 0
    inputs: tuple[int, ...] = ()
    standing: tuple[Any, ...] = ()
    roles: Roles | None = None
    is_near: bool = False
    around: Any = ()

    def placed(self, arrays: Sequence[Any]) -> "Problem":
        """Return the problem with joints that stand where the last one of the arrays says, if there are any."""
        return replace(self, standing=tuple(arrays[-1][j] for j in self.inputs))

    @property
    def bounds(self) -> int:
        """Return how many numbers bound the search, see `opened`."""
        return len(self.G) + 2 * len(self.columns) * self.is_near

    def whole(self, q: Sequence[Any]) -> Any:
        """Return the q of the tree from the coordinates that may move (k,), with zeros for others that do not stand."""
        whole: list[Any] = [0.0] * self.nq
        for j, x in zip((*self.columns, *(self.inputs if self.roles else ())), (*q, *self.standing), strict=False):
            whole[j] = x
        return np.array([*whole, *(() if self.roles else self.standing)])

    def moved(self, q: Array, to: Array) -> Array:
        """Return q (…, nq) with the coordinates that may move replaced by `to` (…, k)."""
        batch = np.broadcast_shapes(q.shape[:-1], to.shape[:-1])
        result = np.broadcast_to(q, (*batch, self.nq)).copy()
        result[..., self.columns] = to
        return result


class Aim(NamedTuple):
    """The distance to all goals: weighted errors (m,), J (m, n), the sum of squared errors, and the largest squared
    errors of a goal, m² and rad²; off: the largest square of an error divided by its tolerance."""

    error: list[Any]
    J: list[list[Any]]
    cost: Any
    linear: Any
    angular: Any
    off: Any


def aim(
    tree: Tree,
    problem: Problem,
    q: Sequence[Any],
    targets: Sequence[Any],
    *,
    exact: bool = False,
    weighted: bool = False,
    closing: bool = True,
) -> Aim:
    """Return the distance to all goals at q (k,), the coordinates that may move.

    exact: see `goal_rows`. weighted: whether weights apply, as where not all can vanish. closing: whether loops count.
    """
    q_whole = problem.whole(q)
    parts = [
        goal_rows(tree, goal, problem.rates.tolist(), q_whole, target, exact=exact)
        for goal, target in zip(problem.goals, targets, strict=True)
    ]
    loops = _closing_rows(tree, problem.roles.loops, problem.rates, q_whole) if problem.roles and closing else []
    rows = [*(row for part in parts for kind in part for row in kind), *loops]
    weights = [row.weight if weighted else 1.0 for row in rows]
    error = [w * row.error for w, row in zip(weights, rows, strict=True)]
    squares = [[dot(e, e) for e in ([row.error for row in p[i]] for p in parts)] for i in (0, 1)]
    linear, angular = map(largest, squares)
    bounds = [goal.tolerance or problem.tolerances for goal in problem.goals]
    offs = [e / t[i] ** 2 for i in (0, 1) for e, t in zip(squares[i], bounds, strict=True)]
    offs += [(row.error / CLOSED) ** 2 for row in loops]
    J = [[w * x for x in row.J] for w, row in zip(weights, rows, strict=True)]
    return Aim(error, J, dot(error, error), linear, angular, largest(offs))


def _closing_rows(tree: Tree, loops: Sequence[Joint], rates: Array, q: Any) -> list[Row]:
    falls = loop_jacobian(tree, q, loops)[:, rates]
    return [Row(-e, list(fall), CLOSING) for e, fall in zip(demands(tree, q, loops), falls, strict=True)]


def is_solved(problem: Problem, here: Aim) -> Any:
    """Return whether all goals are reached."""
    return here.off <= 1.0


def inverse_step(tree: Tree, problem: Problem, state: Any, h: Any, center: Any, *targets: Any) -> Array:
    """Return the state (HEAD + 2 k,) after a step towards the targets.

    h (m,): bounds of the rows, see `opened`. center (k,): a point well inside them.
    """
    problem, h = opened(problem, h)
    n = len(problem.columns)
    q, q_best = list(state[HEAD : HEAD + n]), state[HEAD + n :]
    here = aim(tree, problem, q, targets)
    solved, cost = is_solved(problem, here), here.cost
    new = stepped(problem, q, here, damping_at(problem, cost), h)
    moved, still = squared(new, q), min(STILL, (PART * min(problem.tolerances)) ** 2)
    again = np.where(moved < still, float(problem.steps), state[STEPS] + 1.0) >= problem.steps
    descent = state[DESCENT] + np.where(again, 1.0, 0.0)
    better = np.where(solved, -1.0, cost) < state[COST]
    best = [np.where(better, a, b) for a, b in zip(here[2:5], state[COST:HEAD], strict=True)]
    begun = started(problem, descent, h, center, q)
    return np.array(
        [
            np.where(solved, 0.0, np.where(descent >= problem.descents, -1.0, 1.0)),
            state[TOTAL] + 1.0,
            descent,
            np.where(again, 0.0, state[STEPS] + 1.0),
            *best,
            *(np.where(again, a, b) for a, b in zip(begun, new, strict=True)),
            *(np.where(better, a, b) for a, b in zip(q, q_best, strict=True)),
        ]
    )


def damping_at(problem: Problem, cost: Any) -> Any:
    """Return the damping of a step at a squared error, m² and rad²."""
    return problem.damping * (np.minimum(cost, FAR) if problem.is_far else cost)


def started(problem: Problem, number: Any, h: Any, center: Any, q: Any = ()) -> list[Any]:
    """Return start (k,) number `number`, from 1: an additive recurrence (Roberts, The unreasonable effectiveness of
    quasirandom sequences, 2018), moved towards the center until it is inside. Joints with quaternions start where they
    are in q (k,), every other time turned."""
    flat, root = len(problem.lower), 2.0
    n = flat + 3 * len(problem.loose)
    for _ in range(64):
        root = (1.0 + root) ** (1.0 / (n + 1))  # the root of x^(n + 1) = x + 1
    turns = [number * root ** -(j + 1.0) + 0.5 for j in range(n)]
    uniform = [x - np.floor(x) for x in turns]
    x = [a + (b - a) * u for a, b, u in zip(problem.first, problem.last, uniform[:flat], strict=True)]
    loose = held_near(problem.loose, turned_anew(problem.loose, q, number, uniform[flat:]), problem.around)
    if not len(problem.G):
        return [*x, *loose]
    share: Any = 1.0
    for row, bound, skin in zip(problem.G, h, problem.skin, strict=True):
        room, beyond = np.maximum(bound - skin - _row(row, center), 0.0), _row(row, x) - _row(row, center)
        share = np.where(room < share * beyond, room / beyond, share)
    coupled = [bool(column.any()) for column in problem.G.T]
    x = [c + share * (a - c) if used else a for a, c, used in zip(x, center, coupled, strict=False)]
    return [*x, *loose]


def stepped(
    problem: Problem,
    q: list[Any],
    here: Aim,
    damping: Any,
    h: Any,
    strides: Sequence[Any] = (),
    wish: Sequence[Any] = (),
    rounds: int = 0,
) -> list[Any]:
    """Return q (k,) after a damped step that reduces the errors and stays inside the limits.

    strides (n,): replace those of `problem`. wish (n,): a step to add as far as it does not change the errors
    (Liegeois, IEEE Transactions on Systems, Man and Cybernetics 7, 1977). rounds: how often to bring coordinates that
    the step would take out of their ranges to the end, and to find the step of the others anew.
    """
    error, J = here.error, here.J
    n, flat = len(problem.rates), len(problem.lower)
    # what would cross a limit: the descent, or with a wish the whole unlimited step
    gradient = _direction(J, error, wish, damping) if wish else [dot([row[j] for row in J], error) for j in range(n)]
    wish = wish or [0.0] * n
    free = [_may_move(problem, j, q[j], gradient[j]) for j in range(flat)] + [1.0] * (n - flat)
    ends = zip(problem.G, h, problem.skin, strict=True)
    at = [np.where(_row(row, q) >= bound - 2.0 * skin, 1.0, 0.0) for row, bound, skin in ends]
    rows = [[*row.tolist(), *[0.0] * (n - flat)] for row in problem.G]
    for row, is_there in spheres(problem.loose, q[flat:], problem.around):
        rows.append([*[0.0] * flat, *row])
        at.append(is_there)
    held: list[Any] = [0.0] * len(rows)
    dq = _free_step(rows, here, free, gradient, wish, damping, at, held)
    pinned: list[Any] = [0.0] * n
    for _ in range(rounds):
        for j in range(flat):
            is_out, way = _beyond(problem, j, q[j], dq[j])
            pinned[j] = pinned[j] + way * free[j]
            free[j] = np.where(is_out > 0.0, 0.0, free[j])
        held = [np.where(_row(row, dq) > 0.0, x, y) for row, x, y in zip(rows, at, held, strict=True)]
        left = [e - dot(row, pinned) for e, row in zip(error, J, strict=True)]
        rest = _free_step(rows, here._replace(error=left), free, gradient, wish, damping, at, held)
        dq = [a + b for a, b in zip(rest, pinned, strict=True)]
    return taken(problem, q, dq, h, strides)


def taken(problem: Problem, q: list[Any], dq: list[Any], h: Any, strides: Sequence[Any] = ()) -> list[Any]:
    """Return q (k,) after a step dq (n,), shortened to the strides (n,) and so far that it crosses no row, and clipped
    to the ranges."""
    flat = len(problem.lower)
    steps = zip(dq, strides or problem.strides.tolist(), strict=True)
    limited = [(x, s) for x, s in steps if not (isinstance(s, float) and s == np.inf)]
    if limited:
        longest = largest([abs(x) / s for x, s in limited])
        scale = np.where(longest > 1.0, 1.0 / longest, 1.0)
        dq = [scale * x for x in dq]
    new = added(problem, q, dq)
    if not len(problem.G):
        return new
    share: Any = 1.0
    step = [*(b - a for a, b in zip(q[:flat], new[:flat], strict=True)), *dq[flat:]]
    for row, bound, skin in zip(problem.G, h, problem.skin, strict=True):
        slack, rate = bound - _row(row, q), _row(row, step)
        # along a row the rate is a rounding error, which shall not stop the step
        room = np.maximum(np.maximum(slack - skin, ALONG * slack), 0.0)
        share = np.where(room < share * rate, room / rate, share)
    return added(problem, q, [share * x for x in step])


def _free_step(
    rows: Sequence[Any], here: Aim, free: Any, gradient: Any, wish: Any, damping: Any, at: Any, held: Any
) -> list[Any]:
    """Return the damped step (n,) of free coordinates (n,), 0 or 1, along rows (m, n) that q is at (m,) and the
    gradient would cross, or that are held (m,)."""
    *J, wished = ([x * f for x, f in zip(row, free, strict=True)] for row in (*here.J, wish))
    gradient = [g * f for g, f in zip(gradient, free, strict=True)]
    *J, wished = _without_rows(rows, [*J, wished], gradient, free, at, held)
    return _direction(J, here.error, wished, damping)


def _beyond(problem: Problem, j: int, x: Any, step: Any) -> tuple[Any, Any]:
    """Return 1 if a step from x crosses an end of the range, else 0, and the way to this end, or 0."""
    is_out: Any = 0.0
    way: Any = 0.0
    if has_end(problem.lower[j]):
        is_below = x + step < problem.lower[j]
        is_out, way = np.where(is_below, 1.0, is_out), np.where(is_below, problem.lower[j] - x, way)
    if has_end(problem.upper[j]):
        is_above = x + step > problem.upper[j]
        is_out, way = np.where(is_above, 1.0, is_out), np.where(is_above, problem.upper[j] - x, way)
    return is_out, way


def added(problem: Problem, q: Sequence[Any], step: Sequence[Any]) -> list[Any]:
    """Return q ⊕ step (k,), inside the ranges."""
    flat = len(problem.lower)
    moved = [_clipped(problem, j, a + d) for j, (a, d) in enumerate(zip(q[:flat], step[:flat], strict=True))]
    return [*moved, *held_near(problem.loose, integrated(problem.loose, q, step), problem.around)]


def _direction(J: list[list[Any]], error: list[Any], wish: Sequence[Any], damping: Any) -> list[Any]:
    """Return the step (n,) that reduces the errors, plus the part of a wish that does not change them."""
    A = [[dot(J[i], J[k]) for k in range(i + 1)] for i in range(len(J))]
    for i, row in enumerate(A):
        row[i] = row[i] + (damping + 1e-13)
    y = solved_symmetric(A, [e - dot(row, wish) for e, row in zip(error, J, strict=True)])
    return [dot([row[j] for row in J], y) + wish[j] for j in range(len(wish))]


def _may_move(problem: Problem, j: int, x: Any, gradient: Any) -> Any:
    """Return 0 for a coordinate at the end of its range that would move further out, else 1."""
    may: Any = 1.0
    if has_end(problem.lower[j]):
        may = np.where(x <= problem.lower[j], np.where(gradient <= 0.0, 0.0, may), may)
    if has_end(problem.upper[j]):
        may = np.where(x >= problem.upper[j], np.where(gradient >= 0.0, 0.0, may), may)
    return may


def _without_rows(
    rows: Sequence[Any], J: list[list[Any]], gradient: list[Any], free: list[Any], at: list[Any], held: list[Any]
) -> list[list[Any]]:
    """Return J (k, n) without the directions of rows that q is at (m,) and the step would cross, or that are held (m,),
    removed one by one."""
    taken: list[list[Any]] = []
    for i, row in enumerate(rows):
        u = [x * f for x, f in zip(row, free, strict=True)]
        for other in taken:
            along = dot(u, other)
            u = [a - along * b for a, b in zip(u, other, strict=True)]
        size, outwards = dot(u, u), dot(u, gradient)
        crossed = np.where(at[i] > 0.0, np.maximum(outwards, held[i]), 0.0)
        holds = np.where(size > 1e-6, crossed, 0.0) > 0.0
        scale = np.where(holds, 1.0 / np.sqrt(np.where(holds, size, 1.0)), 0.0)
        u = [x * scale for x in u]
        gradient = [g - scale * outwards * x for g, x in zip(gradient, u, strict=True)]
        J = [[a - along * x for a, x in zip(r, u, strict=True)] for r, along in ((r, dot(u, r)) for r in J)]
        taken.append(u)
    return J


def wound(x: Any, near: Any, lower: float, upper: float) -> Any:
    """Return the same angle plus whole turns: the one in the range that is nearest to `near`; if none is in it, the one
    nearest to the range."""
    x = x - 2 * np.pi * np.floor((x - near) / (2 * np.pi) + 0.5)
    if np.isfinite(upper):
        x = np.where(x > upper, x - 2 * np.pi, x)
    if np.isfinite(lower):
        x = np.where(x < min(lower, (lower + upper) / 2 - np.pi), x + 2 * np.pi, x)  # not where that is farther away
    return x


def _clipped(problem: Problem, j: int, x: Any) -> Any:
    if has_end(problem.lower[j]):
        x = np.maximum(x, problem.lower[j])
    return np.minimum(x, problem.upper[j]) if has_end(problem.upper[j]) else x


def _row(row: Sequence[Any], x: Any) -> Any:
    return sum(a * x[j] for j, a in enumerate(np.asarray(row).tolist()) if not is_zero(a))


def answered(problem: Problem, limits: Limits, state: Any, rest: Any) -> Array:
    """Return q (nq,) of a state, the largest errors, m and rad, whether it is not solved or outside of the limits, and
    the number of steps. rest (nq,): where the other joints stand; whole turns and signs of quaternions are near it."""
    q = list(rest)
    for i, (j, x) in enumerate(zip(problem.columns, state[HEAD + len(problem.columns) :], strict=False)):
        q[j] = x
        if problem.turns[i]:
            nearer = wound(x, rest[j], problem.lower[i], problem.upper[i])
            q[j] = np.where(nearer >= problem.lower[i], np.where(nearer <= problem.upper[i], nearer, x), x)
    columns = problem.columns.tolist()
    near = [rest[j] for j in columns]
    for joint in problem.loose:
        signed = nearer_signs(joint, [q[j] for j in columns], near)
        for j, x in zip(columns[joint.quaternion], signed, strict=True):
            q[j] = x
    slack: Any = 0.0
    for x in margin(q, limits.lower, limits.upper, limits.G, limits.h):
        slack = np.minimum(slack, x)
    outside = np.where(slack < 0.0, 1.0, 0.0)
    angle = 2.0 * np.arcsin(np.minimum(np.sqrt(state[ANGULAR]) / 2.0, 1.0))
    return np.array([*q, np.sqrt(state[LINEAR]), angle, np.maximum(abs(state[GOING]), outside), state[TOTAL]])
