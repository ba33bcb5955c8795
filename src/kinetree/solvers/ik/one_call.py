"""What answers in one call: starts, all closed-form solutions, verdicts of reach."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from kinetree.algorithms.closed_form import SixAxes
from kinetree.algorithms.goals import GOALS
from kinetree.algorithms.inverse import COST, GOING, HEAD, Problem
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
from kinetree.solvers.ik.reach_bounds import Shell, shells
from kinetree.spatial.se3 import Array

FORMS = 8
"""Most solutions of a closed form."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OneCall(Brief):
    """Kernels of an `IK` that answer in one call.

    enter: the state of a start q0 that is inside all limits, or with GOING below zero; None if the bounds depend on
    joints that do not move, or quaternions are to be normalised. ordered, verdict: `ordered_forms` and `has_form` of an
    arm with a closed form. shells: of the goals, outside of which nothing can be reached.
    """

    enter: Kernel | None
    ordered: Kernel | None
    verdict: Kernel | None
    shells: tuple[Shell | None, ...]


def one_call(robot: Robot, model: Tree, inside: Inside, problem: Problem, arm: SixAxes | None, key: str) -> OneCall:
    """Return the kernels; model: the robot as computed. key: a hash of all that the problem depends on."""
    limits = inside.limits
    n, m, nq = len(problem.columns), len(problem.G), problem.nq
    state, whole = Port("state", (HEAD + 2 * n,)), Port("q0", (nq,))
    both = (Port("h", (m,)), Port("center", (n,))) if m else ()
    targets = tuple(Port(f"target_{i}", GOALS[goal.kind].shape) for i, goal in enumerate(problem.goals))

    def kernel(name: str, function: Callable[..., Any], output: Port) -> Kernel:
        ports = (whole, *both, *targets)

        def traced(x: Any, *arrays: Any) -> Any:
            return function(x, *(arrays if m else ((), (), *arrays)))

        return Kernel(name, ports, output, lambda: trace(traced, *(p.shape for p in ports)), f"{name} {key}")

    enter = Kernel("enter", (whole,), state, lambda: trace(partial(_entered, problem, limits), (nq,)), f"enter {key}")
    closed: dict[str, Kernel | None] = {"ordered": None, "verdict": None}
    if arm:
        forms = partial(ordered_forms, model, arm, problem, limits)
        closed["ordered"] = kernel("solutions", forms, Port("solutions", (FORMS, nq + 1)))
        closed["verdict"] = kernel("verdict", partial(has_form, model, arm, problem, limits), Port("verdict", ()))
    return OneCall(
        enter=None if inside.rows.any() or problem.loose else enter, **closed, shells=shells(robot, problem, limits)
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
