"""Inverse kinematics: from where frames shall be to where joints are, inside all limits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from functools import partial
from typing import Any

import numpy as np

from kinetree.algorithms.differential import Axes
from kinetree.algorithms.gauge import gauged
from kinetree.algorithms.goals import GOALS, Goal, fault_of
from kinetree.algorithms.inverse import HEAD, Reach, answered, closest_step, inverse_step, settled_step, tracking_step
from kinetree.algorithms.nearest import all_forms, nearest_start
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port
from kinetree.compiler.program import trace
from kinetree.errors import fail
from kinetree.model.limits import Limits, resolve_mimic
from kinetree.model.robot import Robot
from kinetree.queries.ask import frames_of, one_of, origin, remember, tree
from kinetree.solvers.ik_problem import joint_of, reach_of
from kinetree.solvers.ik_solver import IK
from kinetree.solvers.six_axes import six_axes

WAY_ALONG = 200
"""Steps from a solution to the one that is nearest to a posture, at most."""
Step = Callable[..., Any]
FASTEST = 1e6
"""Of a joint without a velocity limit, rad/s or m/s."""
WAY_DOWN = 2000
"""Steps to where a target that cannot be reached is closest, at most."""


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
) -> IK:
    """A solver for where a frame, or each of several, shall be as seen from `base`, the root by default.

    goal: "pose", "position", "orientation", or "pointing", the axis of the frame through a point; one for all frames or
    one each. weights (6,): of errors along x, y, z and about them, 1/m and 1/rad, in the axes of base or frame
    (`expressed_in`), for all frames; zero leaves a direction free, the others matter where not all errors can vanish.
    Of "pointing" the largest of the last three holds. axis (3,): of the frame, for "pointing". tolerance: m and rad.
    limits: instead of the robot's own. descents: from how many starts it tries. closed_form: whether to begin with the
    solutions in closed form, for poses of arms that have them (see `six_axes`).

    Joints between the frames move, those that follow others with them; all of them stay inside the limits, rows of
    several joints among them. Raises KinetreeError for frames that there are not, joints on the way whose velocity has
    other coordinates than themselves, and limits that nothing fulfils.
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
    try:
        tolerance = (float(tolerance[0]), float(tolerance[1])) if len(tolerance) == 2 else (0.0, 0.0)
    except (TypeError, ValueError):
        tolerance = (0.0, 0.0)
    if not all(0 < x < np.inf for x in tolerance):
        raise fail("tolerance", "tolerance is not legal; legal are two finite numbers above 0, m and rad")
    if not isinstance(descents, (int, np.integer)) or not 1 <= descents <= 10_000:
        raise fail("descents", f"descents is {descents!r}; legal are whole numbers from 1 to 10000")
    if limits is not None and not (
        isinstance(limits, Limits) and limits.coordinate_names == robot.limits.coordinate_names
    ):
        raise fail("limits", "limits are not of this robot; legal are Limits of its coordinates, such as robot.limits")
    descents = int(descents)
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
    job, inside = reach_of(robot, limits, goals, tolerance, descents)
    is_whole = [goal.kind for goal in goals] == ["pose"] and all(goals[0].weights)
    arm = six_axes(robot, goals[0].frame, goals[0].base) if closed_form and is_whole else None
    model = gauged(tree(robot), tuple(dict.fromkeys(f for goal in goals for f in (goal.frame, goal.base))))
    numbers = [
        value.tolist()
        for value in (getattr(x, f.name) for x in (job, limits) for f in fields(x))
        if isinstance(value, np.ndarray)
    ]
    settings = (job.tolerances, job.damping, job.stride, job.steps, job.descents, WAY_DOWN, WAY_ALONG)
    key = origin(robot, ("ik", repr(goals), repr(numbers), settings))
    n, m = len(job.columns), len(job.G)
    state, whole, q = Port("state", (HEAD + 2 * n,)), Port("rest", (robot.nq,)), Port("q", (n,))
    targets = [Port(f"target_{i}", GOALS[goal.kind].shape) for i, goal in enumerate(goals)]

    def kernel(
        name: str,
        step: Step,
        first: Port,
        *between: str,
        output: Port | None = None,
        way: Reach = job,
        repeated: bool = False,
    ) -> Kernel:
        """Of a step from `first`, what stands between, and the targets. Without rows there is neither h nor center."""
        given = [what for what in between if m or what not in ("h", "center")]
        ports = (first, *(Port(what, (m if what == "h" else n,)) for what in given), *targets)

        def traced(x: Any, *arrays: Any) -> Any:
            values = dict(zip(given, arrays, strict=False))
            return step(way, x, *(values.get(what, ()) for what in between), *arrays[len(given) :])

        shapes = [port.shape for port in ports]
        return Kernel(name, ports, output or first, lambda: trace(traced, *shapes, repeated=repeated), f"{name} {key}")

    down, along = replace(job, steps=WAY_DOWN), replace(job, steps=WAY_ALONG)
    forms = Port("forms", (8, 7))
    return IK(
        coordinate_names=tuple(robot.coordinate_names[j] for j in job.columns),
        goals=goals,
        job=job,
        inside=inside,
        limits=limits,
        kernel=kernel("ik", partial(inverse_step, model), state, "h", "center", repeated=True),
        closest=kernel("closest", partial(closest_step, model), state, "h", way=down, repeated=True),
        settle=kernel("settle", partial(settled_step, model), state, "h", "posture", way=along, repeated=True),
        track=kernel("track", partial(tracking_step, model), q, "h", "strides"),
        nearest=kernel("nearest", partial(nearest_start, arm), state, "h", "center") if arm else None,
        forms=kernel("forms", partial(all_forms, arm), q, "h", "center", output=forms) if arm else None,
        check=Kernel(
            "check",
            tuple(targets),
            Port("fault", ()),
            lambda: trace(fault_of, *(port.shape for port in targets)),
            f"check {[port.shape for port in targets]}",
        ),
        answer=Kernel(
            "answer",
            (state, whole),
            Port("answer", (robot.nq + 4,)),
            lambda: trace(lambda s, rest: answered(job, limits, s, rest), state.shape, whole.shape),
            f"answer {key}",
        ),
        more=(inside.bounds_now, inside.begin_at) if m else (),
        speeds=np.array([_speed(robot, joint_of(robot, j)) for j in job.columns]),
    )


def _speed(robot: Robot, name: str) -> float:
    """How fast a joint may be for itself and for all that follow it, rad/s or m/s."""
    speeds = [robot.joints[name].limit.velocity]
    for other, joint in robot.joints.items():
        if joint.mimic:
            leader, multiplier, _ = resolve_mimic(robot, other)
            if leader == name and multiplier and joint.limit.velocity:
                speeds.append(joint.limit.velocity / abs(multiplier))
    return min([FASTEST, *(v for v in speeds if v and v > 0)])


def _six(weights: Sequence[float] | None) -> tuple[float, ...]:
    w = (1.0,) * 6 if weights is None else tuple(float(x) for x in weights)
    if len(w) != 6 or not all(0 <= x < np.inf for x in w) or not any(w):
        raise fail("weights", f"weights is {weights!r}; legal are 6 finite numbers from 0, not all 0")
    return tuple(x / max(w) for x in w)


def _unit(axis: Sequence[float]) -> tuple[float, float, float]:
    v = np.asarray(axis, dtype=float)
    length = float(np.linalg.norm(v)) if v.shape == (3,) else 0.0
    if not 0 < length < np.inf:
        raise fail("axis", f"axis is {axis!r}; legal are 3 finite numbers, not all 0")
    x, y, z = (v / length).tolist()
    return x, y, z
