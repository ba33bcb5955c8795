"""The kernels of an inverse kinematics solver, traced and compiled at first use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from functools import partial
from typing import Any

import numpy as np

from kinetree.algorithms.closed_form import SixAxes
from kinetree.algorithms.gauge import gauged
from kinetree.algorithms.goals import GOALS, fault_of
from kinetree.algorithms.inverse import HEAD, Problem, answered, closest_step, inverse_step, settled_step, tracking_step
from kinetree.algorithms.nearest import all_forms, nearest_start
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port
from kinetree.compiler.program import trace
from kinetree.model.limits import Limits
from kinetree.model.robot import Robot
from kinetree.queries.query import origin, tree

Step = Callable[..., Any]
WAY_DOWN = 2000
"""Most steps to the closest point of a target that is out of reach."""
WAY_ALONG = 200
"""Most steps from a solution to the one nearest to a posture."""


def kernels(robot: Robot, problem: Problem, limits: Limits, arm: SixAxes | None) -> dict[str, Any]:
    """Return the kernels of `IK`, by its fields. arm: its closed form, if it has one."""
    key = _key(robot, problem, limits)
    n, m = len(problem.columns), len(problem.G)
    state, whole, q = Port("state", (HEAD + 2 * n,)), Port("rest", (robot.nq,)), Port("q", (n,))
    targets = tuple(Port(f"target_{i}", GOALS[goal.kind].shape) for i, goal in enumerate(problem.goals))

    def kernel(name: str, step: Step, first: Port, *between: str, output: Port | None = None, **options: Any) -> Kernel:
        """Return the kernel of a step from `first`, `between` (h, center only if there are rows) and targets."""
        given = [what for what in between if m or what not in ("h", "center")]
        ports = (first, *(Port(what, (m if what == "h" else n,)) for what in given), *targets)

        def traced(x: Any, *arrays: Any) -> Any:
            values = dict(zip(given, arrays, strict=False))
            return step(x, *(values.get(what, ()) for what in between), *arrays[len(given) :])

        shapes = [port.shape for port in ports]
        return Kernel(name, ports, output or first, lambda: trace(traced, *shapes, **options), f"{name} {key}")

    model = gauged(tree(robot), tuple(dict.fromkeys(f for goal in problem.goals for f in (goal.frame, goal.base))))
    down, along = replace(problem, steps=WAY_DOWN), replace(problem, steps=WAY_ALONG)
    shapes, forms = [port.shape for port in targets], Port("forms", (8, 7))
    last = partial(answered, problem, limits)
    return {
        "kernel": kernel("ik", partial(inverse_step, model, problem), state, "h", "center", repeated=True),
        "closest": kernel("closest", partial(closest_step, model, down), state, "h", repeated=True),
        "settle": kernel("settle", partial(settled_step, model, along), state, "h", "posture", repeated=True),
        "track": kernel("track", partial(tracking_step, model, problem), q, "h", "strides"),
        "nearest": kernel("nearest", partial(nearest_start, arm, problem), state, "h", "center") if arm else None,
        "forms": kernel("forms", partial(all_forms, arm, problem), q, "h", "center", output=forms) if arm else None,
        "check": Kernel("check", targets, Port("fault", ()), lambda: trace(fault_of, *shapes), f"check {shapes}"),
        "answer": Kernel(
            "answer",
            (state, whole),
            Port("answer", (robot.nq + 4,)),
            lambda: trace(last, state.shape, whole.shape),
            f"answer {key}",
        ),
    }


def _key(robot: Robot, problem: Problem, limits: Limits) -> str:
    """Return a hash of all that the code depends on: the robot and every number of the problem and its limits."""
    values = [getattr(x, field.name) for x in (problem, limits) for field in fields(x)]
    numbers = [value.tolist() if isinstance(value, np.ndarray) else value for value in values]
    return origin(robot, ("ik", repr(numbers), WAY_DOWN, WAY_ALONG))
