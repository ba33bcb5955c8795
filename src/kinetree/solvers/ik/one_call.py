"""Kernels that answer in one call: starts, all closed-form solutions, verdicts of reach."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from kinetree.algorithms.closed_form import SixAxes
from kinetree.algorithms.goals import GOALS
from kinetree.algorithms.inverse import COST, GOING, HEAD, Problem, closest_step
from kinetree.algorithms.reaching import PATIENCE, reaching_step
from kinetree.algorithms.several import has_form, ordered_forms
from kinetree.algorithms.vectors import largest, margin
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port
from kinetree.compiler.program import trace
from kinetree.display import Brief
from kinetree.model.limits import Limits
from kinetree.model.robot import Robot
from kinetree.model.tree import Tree
from kinetree.solvers.ik.problem import Inside
from kinetree.solvers.ik.reach_bounds import shells
from kinetree.spatial.se3 import Array

FORMS = 8
"""Most solutions of a closed form."""
FEW = 50
"""Most of these steps."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OneCall(Brief):
    """Kernels of an `IK` that answer in one call.

    enter: the state of a start q0 that is inside all limits, or with GOING below zero; None if the bounds depend on
    joints that do not move, or quaternions are to be normalised. ordered, verdict: `ordered_forms` and `has_form` of an
    arm with a closed form. reach: `reaching_step`. end: a few of `closest_step`, for goals that leave a direction free,
    to which the search converges slowly.
    """

    enter: Kernel | None
    ordered: Kernel | None
    verdict: Kernel | None
    reach: Kernel
    end: Kernel | None


def one_call(robot: Robot, model: Tree, inside: Inside, problem: Problem, arm: SixAxes | None, key: str) -> OneCall:
    """Return the kernels; model: the robot as computed. key: a hash of all that the problem depends on."""
    limits = inside.limits
    n, m, nq = len(problem.columns), len(problem.G), problem.nq
    state, longer, whole = Port("state", (HEAD + 2 * n,)), Port("state", (HEAD + 2 * n + 1,)), Port("q0", (nq,))
    both = (Port("h", (m,)), Port("center", (n,))) if m else ()
    targets = tuple(Port(f"target_{i}", GOALS[goal.kind].shape) for i, goal in enumerate(problem.goals))

    def kernel(
        name: str, function: Callable[..., Any], first: Port, output: Port, given: int = 2, **options: Any
    ) -> Kernel:
        ports = (first, *both[:given], *targets)

        def traced(x: Any, *arrays: Any) -> Any:
            return function(x, *(arrays if m else (*[()] * given, *arrays)))

        return Kernel(name, ports, output, lambda: trace(traced, *(p.shape for p in ports), **options), f"{name} {key}")

    enter = Kernel("enter", (whole,), state, lambda: trace(partial(_entered, problem, limits), (nq,)), f"enter {key}")
    closed: dict[str, Kernel | None] = {"ordered": None, "verdict": None}
    if arm:
        forms = partial(ordered_forms, model, arm, problem, limits)
        closed["ordered"] = kernel("solutions", forms, whole, Port("solutions", (FORMS, nq + 1)))
        closed["verdict"] = kernel(
            "verdict", partial(has_form, model, arm, problem, limits), whole, Port("verdict", ())
        )
    is_partial = any(0.0 in (goal.weights[i] for i in GOALS[goal.kind].weights) for goal in problem.goals)
    patience = np.inf if is_partial else PATIENCE
    reach = partial(reaching_step, model, problem, shells(robot, problem, limits), patience)
    few = partial(closest_step, model, replace(problem, steps=FEW))
    return OneCall(
        enter=None if inside.rows.any() or problem.loose else enter,
        **closed,
        reach=kernel("reach", reach, longer, longer, repeated=True),
        end=kernel("end", few, state, state, 1, repeated=True) if is_partial else None,
    )


def _entered(problem: Problem, limits: Limits, q0: Any) -> Array:
    """Return the state (HEAD + 2 n,) that begins at q0 (nq,), with GOING -1 if q0 is outside the limits."""
    slack: Any = 0.0
    for x in margin(q0, limits.lower, limits.upper, limits.G, limits.h):
        slack = np.minimum(slack, x)
    is_finite = largest([abs(x) for x in q0]) < np.inf
    going = np.where(is_finite, np.where(slack >= 0.0, 1.0, -1.0), -1.0)
    head: list[Any] = [0.0] * HEAD
    head[GOING], head[COST] = going, np.inf
    return np.array([*head, *(q0[j] for j in (*problem.columns, *problem.columns))])
