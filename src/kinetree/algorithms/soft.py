"""Steps of inverse kinematics with soft goals: the least sum of weighted squared errors that hard goals and limits
leave.

Sequential quadratic programming (Nocedal & Wright, Numerical Optimization, chapter 18): each step minimises squares of
linearised errors with the hard goals as linear constraints, and is damped until it reduces the augmented Lagrangian,
whose multipliers are part of the state. Near the minimum second derivatives count, too (see `curvature`). Coordinates
at an end of their range and rows of G q <= h that a step has reached stay there while their multipliers push outwards.
The equations are solved in the order of the tree's branches (see `normal`).
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from kinetree.algorithms.curvature import curvature
from kinetree.algorithms.goals import Goal, Row, Rows, by_angle, goal_rows
from kinetree.algorithms.inverse import COST, DESCENT, HEAD, STEPS, STILL, TOTAL, Problem, taken
from kinetree.algorithms.near import has_end, opened
from kinetree.algorithms.normal import Equations, Solution
from kinetree.algorithms.tangent import spheres
from kinetree.algorithms.vectors import dot, largest, squared
from kinetree.model.tree import Tree
from kinetree.spatial.se3 import Array

FIRST, FALL, RISE = 1e-3, 8.0, 6.0
"""Damping of the first step, the quotient after a step that helps, and the factor after one that does not."""
LEAST, RAISED, MOST = 1e-7, 1e-5, 1e4
"""Range of the damping, beyond which the search ends; and the least damping after equations of a saddle."""
PENALTY, SLACK = 1.0, 1e-9
"""Weight of squared errors of hard goals in the augmented Lagrangian, and their slack in a step."""
GOOD, POOR = 0.25, 0.02
"""Parts of what a step promised: above the first damping falls, below the second it rises."""
NEARLY = 0.5
"""Part of the cost that a step can gain below which second derivatives count."""
PART, NOTHING = 1e-8, 1e-18
"""Part of the cost, and cost, that a step can gain at the end of a search; less with more damping."""
OUTWARDS = -1e-10
"""Least push of a limit that stays active."""


class Memory(NamedTuple):
    """What follows the best q in a state. curved: above zero if second derivatives count in the next step; below if
    the last equations were of a saddle. promised: what the last step shall take from the Lagrangian. y, c (m,):
    multipliers and errors of the rows of hard goals at the best q. active: whether ranges and rows of limits are."""

    curved: Any
    promised: Any
    y: list[Any]
    c: list[Any]
    active: list[Any]


def memory_size(goals: Sequence[Goal], ends: int, rows: int) -> int:
    """Return how many numbers of a state follow the best q. ends, rows: numbers of ranges, and of rows of limits and
    spheres."""
    return 2 + 2 * sum(goal.size for goal in goals if goal.weight is None) + ends + rows


def scale_of(goals: Sequence[Goal]) -> float:
    """Return the largest weight, by which a search divides all weights."""
    return max(goal.weight for goal in goals if goal.weight is not None)


class Errors(NamedTuple):
    """The rows of each goal; the largest squared errors, m² and rad², of a hard goal, or of a soft one if all are; and
    the largest square of a hard one divided by its tolerance."""

    rows: list[list[Row]]
    linear: Any
    angular: Any
    off: Any


def errors_at(tree: Tree, problem: Problem, q: Any, targets: Sequence[Any], rates: Sequence[int]) -> Errors:
    """Return the errors at q (nq,), with their falls along these coordinates of qd."""
    scale, is_soft = scale_of(problem.goals), all(goal.weight is not None for goal in problem.goals)
    found: list[list[Row]] = []
    sizes: list[tuple[Any, Any]] = [(0.0, 0.0)]
    off: list[Any] = [0.0]
    for goal, target in zip(problem.goals, targets, strict=True):
        if goal.weight is None:  # errors along what is free do not vanish at the goal
            rows = goal_rows(tree, goal, rates, q, target, exact=goal.is_partly_free)
        else:
            rows = _smooth(tree, goal, rates, q, target)
        factor = 1.0 if goal.weight is None else goal.weight / scale
        found.append([Row(row.error, row.J, factor * row.weight) for row in (*rows.linear, *rows.angular)])
        if goal.weight is None or (is_soft and goal.kind != "posture"):
            chords = rows if goal.weight is None else goal_rows(tree, goal, (), q, target)
            linear, angular = (dot(e, e) for e in ([row.error for row in some] for some in chords))
            sizes.append((linear, angular))
        if goal.weight is None:
            bounds = goal.tolerance or problem.tolerances
            off += [linear / bounds[0] ** 2, angular / bounds[1] ** 2]
    linear, angular = (largest([size[i] for size in sizes]) for i in (0, 1))
    return Errors(found, linear, angular, largest(off))


def _smooth(tree: Tree, goal: Goal, rates: Sequence[int], q: Any, target: Any) -> Rows:
    """Return the rows of a soft goal, of whose squares J.T error is half the slope, however large the errors."""
    if goal.is_partly_free or goal.kind not in ("pose", "orientation"):
        return goal_rows(tree, goal, rates, q, target, exact=True)
    # with equal weights squares are the same in all axes; and a rotation vector is an eigenvector of its own Jacobian
    rows = goal_rows(tree, replace(goal, expressed_in="base"), rates, q, target)
    phi = by_angle([row.error for row in rows.angular])
    return Rows(rows.linear, [row._replace(error=x) for row, x in zip(rows.angular, phi, strict=True)])


def lagrangian(tree: Tree, problem: Problem, q: Any, y: Any, weights: Any, *targets: Any) -> Any:
    """Return half the sum of weight² times squared errors of soft goals, and y (m,) times errors of hard goals, at q
    (nq,). weights (k,): of the soft goals, one after the other, in place of their own."""
    total: Any = 0.0
    multipliers, factors = iter(y), iter(weights)
    for goal, target in zip(problem.goals, targets, strict=True):
        rows = goal_rows(tree, goal, (), q, target) if goal.weight is None else _smooth(tree, goal, (), q, target)
        factor = None if goal.weight is None else next(factors)
        for row in (*rows.linear, *rows.angular):
            share = next(multipliers) * row.error if factor is None else 0.5 * (factor * row.weight * row.error) ** 2
            total = total + share
    return np.asarray(total)


def _rows(problem: Problem, errors: Errors, *, hard: bool) -> list[Row]:
    """Return the rows of hard goals, or of soft ones."""
    pairs = zip(problem.goals, errors.rows, strict=True)
    return [row for goal, rows in pairs if (goal.weight is None) == hard for row in rows]


def soft_step(tree: Tree, problem: Problem, state: Any, h: Any, center: Any, *targets: Any) -> Array:
    """Return the state after a step; h (m,): bounds of the rows of limits. Indices are those of `inverse_step`, but
    DESCENT is the damping, and q is on trial; the `Memory` follows the best q."""
    problem, h = opened(problem, h)
    k, flat = len(problem.columns), len(problem.lower)
    count = sum(goal.size for goal in problem.goals if goal.weight is None)
    trial, before, (curved, promised, *numbers) = (list(part) for part in np.split(state[HEAD:], [k, 2 * k]))
    memory = Memory(curved, promised, numbers[:count], numbers[count : 2 * count], numbers[2 * count :])
    q, cost, c, damping = _best(tree, problem, state, trial, before, memory, targets)
    here = errors_at(tree, problem, problem.whole(q), targets, problem.rates.tolist())
    sides = [_side(problem, j, q[j]) for j in range(flat)]
    held = [np.where(end > 0.0, a, 0.0) for a, end in zip(memory.active, _reached(problem, q, h), strict=False)]
    way = _way(tree, problem, q, targets, here, memory._replace(c=c, active=held), damping)
    is_minimum = way.wrong <= 0.0
    y = [np.where(is_minimum, a, b) for a, b in zip(way.y, memory.y, strict=False)]
    new = taken(problem, q, [np.where(is_minimum, x, 0.0) for x in way.step], h)
    pushes = [*(side * f for side, f in zip(sides, way.forces, strict=False)), *(-x for x in way.y[count:])]
    stays = [np.where(push > OUTWARDS, 1.0, 0.0) for push in pushes]
    triples = zip(held, stays, _reached(problem, new, h), strict=True)
    active = [np.where(a > 0.0, stay, end) for a, stay, end in triples]

    unused = [0.0] * (len(memory.active) - len(active))
    left = sum(a * (1.0 - b) for a, b in zip(held, stays, strict=True))
    going, last = _verdict(problem, state, here, way, cost, damping, left, squared(new, q))
    curved = np.where(is_minimum, np.where(way.gain < NEARLY * cost, 1.0, 0.0), -1.0)
    # the last step is in the quadratic range of the minimum, so that it is taken
    q = [np.where(last > 0.0, a, b) for a, b in zip(new, q, strict=True)]
    reached = np.where(last > 0.0, np.maximum(cost - way.gain + 2.0 * dot(y, c), 0.0), cost)
    head = [going, state[TOTAL] + 1.0, damping, state[STEPS] + 1.0, reached, here.linear, here.angular]
    return np.array([*head, *new, *q, curved, 0.5 * (way.gain + PENALTY * dot(c, c)), *y, *c, *active, *unused])


def _verdict(
    problem: Problem, state: Any, here: Errors, way: Solution, cost: Any, damping: Any, left: Any, moved: Any
) -> tuple[Any, Any]:
    """Return GOING after a step; and 1 if the search has converged and hard goals are met, else 0. left: how many
    limits are no longer active. moved: the squared length of the step."""
    at_rest = np.where(way.wrong + left > 0.0, 0.0, 1.0)
    level = np.where(way.gain <= PART * cost / (1.0 + damping / FIRST) + NOTHING, at_rest, 0.0)
    stuck = np.maximum(np.where(damping > MOST, 1.0, 0.0), np.where(moved < STILL, at_rest, 0.0))
    met = np.where(here.off <= 1.0, 1.0, 0.0)
    last = met * level
    ended = np.maximum(np.maximum(stuck, last), np.where(state[STEPS] + 1.0 >= problem.steps, 1.0, 0.0))
    success = met if any(goal.weight is None for goal in problem.goals) else np.maximum(level, stuck)
    return np.where(ended > 0.0, np.where(success > 0.0, 0.0, -1.0), 1.0), last


def _best(
    tree: Tree,
    problem: Problem,
    state: Any,
    trial: list[Any],
    before: list[Any],
    memory: Memory,
    targets: Sequence[Any],
) -> tuple[list[Any], Any, list[Any], Any]:
    """Return the better of q on trial and the best q before, by the augmented Lagrangian; its cost and errors of hard
    goals; and the damping of the next step."""

    def lagrangian(cost: Any, c: Sequence[Any]) -> Any:
        return 0.5 * cost + dot(memory.y, c) + 0.5 * PENALTY * dot(c, c)

    there = errors_at(tree, problem, problem.whole(trial), targets, ())
    cost = sum((row.weight * row.error) ** 2 for row in _rows(problem, there, hard=False))
    c = [row.error for row in _rows(problem, there, hard=True)]
    fall, is_saddle = lagrangian(state[COST], memory.c) - lagrangian(cost, c), memory.curved < 0.0
    better = fall > 0.0
    damping = np.where(state[DESCENT] > 0.0, state[DESCENT], FIRST * FALL)
    share = fall / np.maximum(memory.promised, 1e-300)
    helped = np.where(share > GOOD, damping / FALL, np.where(share > POOR, damping, 2.0 * damping))
    damping = np.maximum(np.where(better, helped, damping * RISE), LEAST)
    damping = np.where(is_saddle, np.maximum(damping * RISE, RAISED), damping)
    best = [np.where(better, a, b) for a, b in zip([*trial, *c], [*before, *memory.c], strict=True)]
    return best[: len(trial)], np.where(better, cost, state[COST]), best[len(trial) :], damping


def _way(
    tree: Tree, problem: Problem, q: list[Any], targets: Sequence[Any], here: Errors, memory: Memory, damping: Any
) -> Solution:
    """Return the step from q (k,). Active coordinates and rows of `memory` stay where they are."""
    rates, flat = problem.rates.tolist(), len(problem.lower)
    others = [0.0] * (len(rates) - flat)
    equations = Equations(tree, rates, [*(1.0 - a for a in memory.active[:flat]), *(1.0 for _ in others)], damping)
    y, pulls = iter(memory.y), []
    for goal, rows in zip(problem.goals, here.rows, strict=True):
        if goal.weight is None:
            pulls.append([next(y) for _ in rows])
            continue
        pulls.append([row.weight**2 * row.error for row in rows])
        for row in rows:
            equations.attract(row.J, row.error, row.weight)
    for (a, b), x in curvature(tree, problem.goals, rates, problem.whole(q), targets, pulls).items():
        equations.bend(a, b, np.maximum(memory.curved, 0.0) * x)
    for row, c in zip(_rows(problem, here, hard=True), memory.c, strict=True):
        equations.bind(row.J, c, SLACK)
    for normal, a in zip(problem.G, memory.active[flat:], strict=False):
        equations.bind([*(a * float(x) for x in normal), *others], 0.0, np.where(a > 0.0, SLACK, 1.0))
    round_ones = spheres(problem.loose, q[flat:], problem.around)
    for (normal, _), a in zip(round_ones, memory.active[flat + len(problem.G) :], strict=True):
        equations.bind([*[0.0] * flat, *(a * x for x in normal)], 0.0, np.where(a > 0.0, SLACK, 1.0))
    return equations.solve()


def _reached(problem: Problem, q: Sequence[Any], h: Any) -> list[Any]:
    """Return 1 for each range, row of limits and sphere that q (k,) is at, else 0."""
    sides = [abs(_side(problem, j, q[j])) for j in range(len(problem.lower))]
    for row, bound, skin in zip(problem.G, h, problem.skin, strict=True):
        room = bound - sum(float(row[j]) * q[j] for j in np.flatnonzero(row).tolist())
        sides.append(np.where(room <= 2.0 * skin, 1.0, 0.0))
    return [*sides, *(at for _, at in spheres(problem.loose, q[len(problem.lower) :], problem.around))]


def _side(problem: Problem, j: int, x: Any) -> Any:
    """Return 1 at the upper end of the range of coordinate j, -1 at the lower one, else 0."""
    side: Any = 0.0
    if has_end(problem.lower[j]):
        side = np.where(x <= problem.lower[j], -1.0, side)
    if has_end(problem.upper[j]):
        side = np.where(x >= problem.upper[j], 1.0, side)
    return side
