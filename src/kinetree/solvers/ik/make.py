"""Construction of inverse kinematics solvers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kinetree.algorithms.differential import Axes
from kinetree.algorithms.goals import GOALS, Goal
from kinetree.arguments import explained
from kinetree.errors import fail
from kinetree.model.limits import Limits, resolve_mimic
from kinetree.model.robot import Robot
from kinetree.queries.loops import refuse_loops
from kinetree.queries.query import frames_of, one_of, remember, tolerance_of
from kinetree.solvers.ik.kernels import kernels
from kinetree.solvers.ik.problem import between, joint_of, reach_of
from kinetree.solvers.ik.six_axes import six_axes
from kinetree.solvers.ik.solver import IK
from kinetree.spatial.numbers import numbers

FASTEST = 1e6
"""Speed of a joint without a velocity limit, rad/s or m/s."""


@explained
def ik(
    robot: Robot,
    frame: str | Sequence[str],
    base: str | None = None,
    *,
    goal: str | Sequence[str] = "pose",
    weights: Sequence[float] | None = None,
    expressed_in: Axes = "base",
    axis: Sequence[float] = (0.0, 0.0, 1.0),
    tolerance: tuple[float, float] = (1e-6, 1e-6),
    limits: Limits | None = None,
    descents: int = 128,
    closed_form: bool = True,
    loops: str = "refuse",
) -> IK:
    """Return a solver that finds joint values for targets of one or more frames, seen from `base`, by default the root.

    goal: "pose", "position", "orientation", or "pointing" (the axis of the frame passes through a point); one or one
    each.
    weights (6,): of errors along x, y, z and about them, 1/m and 1/rad, in the axes of base or frame (`expressed_in`),
    for all frames; zero leaves a direction free, other values matter if not all errors can vanish. "pointing" uses the
    largest of the last three. axis (3,): of the frame, for "pointing".
    tolerance: m and rad. limits: replace the robot's own. descents: number of starts.
    closed_form: whether to begin with closed-form solutions, for poses of arms that have them (see `six_axes`).
    loops: "refuse", or "ignore" to answer for the tree alone where one of `robot.loops` restricts the joints.

    Joints between the frames move, and their followers with them; all stay inside the limits, coupled limits included.
    Raises KinetreeError for unknown frames, joints in between whose velocity has other coordinates than they have,
    loops over these joints, and limits that cannot be fulfilled.
    """
    names = (frame,) if isinstance(frame, str) else tuple(frame)
    kinds = (goal,) * len(names) if isinstance(goal, str) else tuple(goal)
    if not names or len(kinds) != len(names):
        raise fail("goal", f"{len(kinds)} goals for {len(names)} frames; legal is one for all, or one each")
    *frames, seen_from = frames_of(robot, (*names, base))
    one_of("expressed_in", expressed_in, ("base", "frame"))
    for kind in kinds:
        one_of("goal", kind, GOALS)
    w, a = _six(weights), _unit(axis)
    goals = tuple(Goal(k, f, seen_from, w, expressed_in, a) for k, f in zip(kinds, frames, strict=True))
    for one in goals:
        if not any(w[place] for place in GOALS[one.kind].weights):
            raise fail("weights", f"weights {w} leave the goal {one.kind!r} of {one.frame} nothing to reach")
    tolerance = tolerance_of(tolerance)
    if not isinstance(descents, (int, np.integer)) or not 1 <= descents <= 10_000:
        raise fail("descents", f"descents is {descents!r}; legal are whole numbers from 1 to 10000")
    if limits is not None and not (
        isinstance(limits, Limits) and limits.coordinate_names == robot.limits.coordinate_names
    ):
        raise fail("limits", "limits are not of this robot; legal are Limits of its coordinates, such as robot.limits")
    descents = int(descents)
    refuse_loops(robot, between(robot, goals)[0], "inverse kinematics", loops)
    key = ("ik", goals, tolerance, descents, closed_form)

    def make() -> IK:
        return _made(robot, robot.limits if limits is None else limits, goals, tolerance, descents, closed_form)

    return remember(robot, key, make) if limits is None else make()


def _made(
    robot: Robot,
    limits: Limits,
    goals: tuple[Goal, ...],
    tolerance: tuple[float, float],
    descents: int,
    closed_form: bool,
) -> IK:
    problem, inside = reach_of(robot, limits, goals, tolerance, descents)
    is_whole = [goal.kind for goal in goals] == ["pose"] and all(goals[0].weights)
    arm = six_axes(robot, goals[0].frame, goals[0].base) if closed_form and is_whole else None
    return IK(
        coordinate_names=tuple(robot.coordinate_names[j] for j in problem.columns),
        goals=goals,
        limits=limits,
        _problem=problem,
        _inside=inside,
        **{f"_{name}": kernel for name, kernel in kernels(robot, problem, limits, arm).items()},
        _more=(inside.bounds_now, inside.begin_at) if len(problem.G) else (),
        _speeds=np.array([_speed(robot, joint_of(robot, j)) for j in problem.columns]),
    )


def _speed(robot: Robot, name: str) -> float:
    """Return the speed limit of a joint from itself and all its followers, rad/s or m/s."""
    speeds = [robot.joints[name].limit.velocity]
    for other, joint in robot.joints.items():
        if joint.mimic:
            leader, multiplier, _ = resolve_mimic(robot, other)
            if leader == name and multiplier and joint.limit.velocity:
                speeds.append(joint.limit.velocity / abs(multiplier))
    return min([FASTEST, *(v for v in speeds if v and v > 0)])


def _six(weights: Sequence[float] | None) -> tuple[float, ...]:
    w = (1.0,) * 6 if weights is None else tuple(numbers(weights, "weights", "weights is").ravel().tolist())
    if len(w) != 6 or not all(0 <= x < np.inf for x in w) or not any(w):
        raise fail("weights", f"weights is {weights!r}; legal are 6 finite numbers from 0, not all 0")
    return tuple(x / max(w) for x in w)


def _unit(axis: Sequence[float]) -> tuple[float, float, float]:
    v = numbers(axis, "axis", "axis is")
    length = float(np.linalg.norm(v)) if v.shape == (3,) else 0.0
    if not 0 < length < np.inf:
        raise fail("axis", f"axis is {axis!r}; legal are 3 finite numbers, not all 0")
    x, y, z = (v / length).tolist()
    return x, y, z
