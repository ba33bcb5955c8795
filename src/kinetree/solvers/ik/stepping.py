"""A kernel for firmware: one step of inverse kinematics."""

from dataclasses import replace
from typing import Any, Unpack

from kinetree.algorithms.goals import OF_A_FRAME, Goal
from kinetree.algorithms.stepping import STATES, damped_step
from kinetree.compiler.cache import digest
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port
from kinetree.errors import fail
from kinetree.model.robot import Robot
from kinetree.model.tree import Tree
from kinetree.queries.margin import refuse_loops
from kinetree.queries.options import JointOptions, robot_query
from kinetree.queries.query import coordinates, fixed_input, frames_of, one_of, query, tolerance_of, velocities
from kinetree.solvers.ik.problem import between, reach_of


@robot_query
def ik_step(
    robot: Robot,
    frame: str,
    base: str | None = None,
    *,
    goal: str = "pose",
    tolerance: tuple[float, float] = (1e-6, 1e-6),
    loops: str = "refuse",
    **options: Unpack[JointOptions],
) -> Kernel:
    """Return one damped step towards a target: a kernel from q (…, nq), uphill (…,), target and stride (…, nv) to
    q_next (…, nq), uphill_next (…,), the error (…, 2) of q in m and rad, and the state (…,) of q.

    target: of `frame` seen from `base`, the root link by default: T (…, 4, 4) for the goal "pose", p (…, 3) for
    "position" or "pointing" (the frame's z-axis passes through the point), R (…, 3, 3) for "orientation". uphill: 0 at
    first, then uphill_next. stride: the largest change of each velocity coordinate in the step, rad or m, above 0.
    tolerance: m and rad. state: 0 on the way, 1 reached, 2 stuck; see `kinetree.algorithms.stepping`. loops, joints,
    at: see `kinetree.ik`.

    Called again and again with its own result, it reaches targets near its start; it never leaves the limits, coupled
    limits included, and searches nowhere else. Raises KinetreeError as `kinetree.ik` does.
    """
    if isinstance(robot, Robot) and fixed_input(robot):
        raise fail("at", "inverse kinematics has the joints that stand compiled in; expected a full q, not 'input'")
    frame, base = frames_of(robot, (frame, base))
    one_of("goal", goal, OF_A_FRAME)
    tolerance = tolerance_of(tolerance)
    aims = Goal(goal, frame, base)
    refuse_loops(robot, between(robot, [aims])[0], "inverse kinematics", loops)
    problem, inside = reach_of(robot, robot.limits, [aims], tolerance, 1)
    rows = inside.coupled
    q = coordinates(robot)
    ports = (
        replace(q, name="q_next", about="after the step; m, rad"),
        Port("uphill_next", (), (), "for the next step"),
        Port("error", (2,), ("distance", "angle"), "of q; m, rad"),
        Port("state", (), (), "of q", codes=(("state", STATES),)),
    )
    target = Port("target", aims.shape, about=f"{goal} of {frame} in {base}; m")
    uphill = Port("uphill", (), (), "0 at first, then uphill_next")
    stride = replace(velocities(robot), name="stride", about="the largest change of each coordinate; m, rad")

    def algorithm(model: Tree, q: Any, uphill: Any, target: Any, stride: Any) -> Any:
        return damped_step(model, problem, rows, q, uphill[()], target, stride)

    limits = digest(*(a.tobytes() for a in (problem.lower, problem.upper, problem.G, problem.skin, *rows)))
    key = ("ik_step", aims, tolerance, loops, limits)
    return query(robot, key, [base, frame], ports, algorithm, [uphill, target, stride])
