"""Whether poses are reached, and how well: the one place where a reach map uses inverse kinematics."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kinetree.algorithms.inverse import ANGULAR, DESCENT, GOING, HEAD, LINEAR, started
from kinetree.compiler.kernel import Kernel
from kinetree.lab.reach.grid import Flags
from kinetree.queries.motion import SingularValues
from kinetree.solvers.ik.reachable import judged
from kinetree.solvers.ik.solver import IK
from kinetree.spatial.se3 import Array

Targets = tuple[Array, ...]
"""Targets (n, *shape) of a solver, an array for each of its goals."""
EXACT = 1e-9
"""Largest error of closed forms, m and rad, that decide alone which targets are out of reach."""


class ReachAnswer(NamedTuple):
    """Whether each of n targets is reached (n,), and the largest manipulability and margin (n,) of the solutions found;
    -inf if there is none."""

    success: Flags
    manipulability: Array
    margin: Array


@dataclass(frozen=True, eq=False)
class Search:
    """A search for solutions.

    solver: for the targets. position: a solver for their positions alone, None if the solver is as quick.
    manipulability: of q (…, nq). lower, upper (nq,), G (m, nq), h (m,): the limits that count for the margin.
    """

    solver: IK
    position: IK | None
    manipulability: Kernel | SingularValues
    lower: Array
    upper: Array
    G: Array
    h: Array

    def margin(self, q: Array) -> Array:
        """Return the least slack (…,) of q (…, nq) to the limits, rad or m."""
        slack: Array = np.minimum(q - self.lower, self.upper - q).min(axis=-1)
        return np.minimum(slack, (self.h - q @ self.G.T).min(axis=-1)) if len(self.h) else slack

    def __call__(self, targets: Targets) -> ReachAnswer:
        """Return the result for n targets; the search of `IK.reachable` decides which are reached."""
        success, q = judged(self.solver, targets)
        best = [np.full(len(success), -np.inf) for _ in range(2)]
        for owner, some in solved(self.solver, targets, success, q):
            if len(some):
                for most, values in zip(best, (self.manipulability(some), self.margin(some)), strict=True):
                    np.maximum.at(most, owner, values)
        return ReachAnswer(success, *best)

    def may_reach(self, points: Array) -> Flags:
        """Return which points (n, 3), m, are reached in some orientation; True for all where that is not quicker."""
        return np.ones(len(points), dtype=bool) if self.position is None else judged(self.position, (points,))[0]


def solved(solver: IK, targets: Targets, success: Flags, q: Array) -> Iterator[tuple[Array, Array]]:
    """Yield numbers (k,) of targets that are reached, and solutions q (k, nq) of theirs inside all limits: those of the
    search, and all of the closed forms. success (n,), q (n, nq): as `judged` returns them."""
    none = success & np.isnan(q).any(axis=-1)
    yield np.flatnonzero(success & ~none), q[success & ~none]
    if solver._forms is not None and success.any():
        reached = np.flatnonzero(success)
        where, states = _closed(solver, *(target[reached] for target in targets))
        states[:, DESCENT] = solver._problem.descents - 1
        owner, found = _descended(solver, reached[where], states, targets)
        none[owner] = False
        yield owner, found
    if none.any():
        result = solver(*(target[none] for target in targets))
        yield np.flatnonzero(none)[result.success], result.q[result.success]


def _closed(solver: IK, *targets: Array) -> tuple[Array, Array]:
    """Return the numbers (k,) of targets that have closed forms, and the states (k, HEAD + 2 n) of searches there."""
    assert solver._forms is not None
    n, template = len(solver._problem.columns), solver._inside.template
    forms = np.asarray(solver._forms(template[HEAD : HEAD + n], *solver._more, *targets))
    where, which = np.nonzero(np.isfinite(forms[:, :, n]))
    states = np.tile(template, (len(where), 1))
    states[:, HEAD : HEAD + n] = forms[where, which, :n]
    return where, states


def _descended(solver: IK, where: Array, states: Array, targets: Targets) -> tuple[Array, Array]:
    """Return the targets' numbers and the solutions of searches that begin at states (k, HEAD + 2 n)."""
    nq = solver._problem.nq
    if not len(where):
        return where, np.zeros((0, nq))
    found = np.asarray(solver._kernel(states, *solver._more, *(a[where] for a in targets)))
    kept = found[:, GOING] == 0.0
    answer = np.asarray(solver._answer(found[kept], solver._inside.neutral))
    inside = answer[:, nq + 2] == 0.0
    if solver.contact is not None:
        inside &= ~solver.contact(answer[:, :nq])
    return where[kept][inside], answer[inside, :nq]


def is_exact(solver: IK, targets: Array) -> bool:
    """Return whether the closed forms of a solver bring the frame to reachable targets (n, 4, 4) without iteration."""
    if solver._forms is None:
        return False
    where, states = _closed(solver, targets)
    first = np.asarray(solver._kernel(states, *solver._more, targets[where]))
    return len({*where.tolist()}) == len(targets) and bool((first[:, [LINEAR, ANGULAR]] <= EXACT**2).all())


def configurations(solver: IK, count: int) -> Array:
    """Return configurations q (count, nq), evenly spread inside the limits."""
    problem, inside = solver._problem, solver._inside
    x = started(problem, np.arange(1.0, count + 1.0), inside.bounds_now, inside.begin_at)
    return problem.moved(inside.neutral, np.stack(np.broadcast_arrays(*x), axis=-1))
