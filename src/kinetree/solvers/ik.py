"""Inverse kinematics: from where frames shall be to where joints are, inside all limits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from kinetree.algorithms.differential import Axes
from kinetree.algorithms.gauge import gauged
from kinetree.algorithms.goals import GOALS, Goal
from kinetree.algorithms.inverse import ANGULAR, COST, GOING, HEAD, LINEAR, Reach, answered, closest_step, inverse_step
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port
from kinetree.compiler.program import trace
from kinetree.errors import fail
from kinetree.model.limits import Limits
from kinetree.model.robot import Robot
from kinetree.queries.ask import frames_of, one_of, origin, remember, tree
from kinetree.solvers.ik_problem import Inside, reach_of
from kinetree.spatial.se3 import Array

DOUBLE = np.dtype(float)
AT_ONCE = 2**14
"""Targets between two calls of `progress`."""
WAY_DOWN = 2000
"""Steps to where a target that cannot be reached is closest, at most."""
CLOSE = 1e-6
"""A limit is active below this margin, in its own units."""
ROTATION = 1e-6
"""How far a rotation may be from one, in an entry of R R.T."""


@dataclass(frozen=True, eq=False)
class IKResult:
    """What `IK` answers.

    q (…, nq): inside all limits, whatever happens. success (…): whether all goals are reached within the tolerances.
    residual (…, 2): how far the frames are from there, m and rad; of several goals the largest. iterations (…): steps.
    """

    q: Array
    success: Array | bool
    residual: Array
    iterations: Array | int
    limits: Limits
    columns: Array

    @cached_property
    def active_limits(self) -> Array:
        """Which limits of the joints that were moved q stands at, (…, k) of bool, in the order of `limits.names`."""
        return np.asarray((self.limits.margin(self.q) <= CLOSE) & limits_about(self.limits, self.columns))


def limits_about(limits: Limits, columns: Array) -> Array:
    """Which of `limits.names` are about some of these coordinates, (k,) of bool."""
    ends = np.isin(np.arange(len(limits.lower)), columns)
    return np.asarray(np.r_[ends, ends, limits.G[:, columns].any(axis=1)])


class IKInterrupted(KeyboardInterrupt):
    """Somebody interrupted; `result` has what was solved, and no success for the rest."""

    def __init__(self, result: IKResult) -> None:
        super().__init__("inverse kinematics was interrupted; what was solved is in .result")
        self.result = result


@dataclass(frozen=True, slots=True, eq=False)
class IK:
    """A solver of inverse kinematics; `ik` makes it.

    coordinate_names (n,): the coordinates that it moves. goals: what it reaches.
    """

    coordinate_names: tuple[str, ...]
    goals: tuple[Goal, ...]
    job: Reach
    inside: Inside
    limits: Limits
    kernel: Kernel
    closest: Kernel
    check: Kernel
    answer: Kernel
    more: tuple[Array, ...]

    def __call__(
        self, *targets: Any, q0: Any = None, threads: int = 1, progress: Callable[[int, int], None] | None = None
    ) -> IKResult:
        """The configurations for targets, one (…, *shape) for every goal: a pose (4, 4), a position or a point (3,), m,
        or an orientation (3, 3), as seen from the goal's base.

        q0 (…, nq): where to begin, and where joints stay that the goals do not need; brought inside the limits where it
        is not. By default the middle of the ranges, and neutral. threads: to share a large batch. progress: is called
        with how many targets are done, and how many there are.

        What cannot be reached has no success, and the q is one that is locally closest: no small motion inside the
        limits brings the weighted squared errors down. A target's answer depends on itself and its q0 alone. Raises
        KinetreeError for targets of another shape, and for rotations that are none.
        """
        if q0 is None and progress is None and self._is_plain(targets):
            # one target in arrays as they are: a control loop's call, whose every microsecond counts
            found = self.kernel(self.inside.template, *self.more, *targets)
            if found[GOING] == 0.0:
                return self._answer(found, self.inside.neutral)
        arrays, batch = self._checked(targets)
        states, h, center, rest = self.inside.begin(self.job, q0, batch)
        count = int(np.prod(batch, dtype=int))
        if count <= AT_ONCE and progress is None:
            return self._answer(self._solved(states, h, center, arrays, threads), rest)
        return self._in_portions(states, h, center, arrays, batch, threads, rest, progress)

    def _is_plain(self, targets: Sequence[Any]) -> bool:
        for target, port in zip(targets, self.check.inputs, strict=False):
            if type(target) is not np.ndarray or target.dtype is not DOUBLE or target.shape != port.shape:
                return False
        return len(targets) == len(self.goals) and bool(self.check(*targets) <= ROTATION)

    def _checked(self, targets: Sequence[Any]) -> tuple[list[Array], tuple[int, ...]]:
        if len(targets) != len(self.goals):
            raise fail("targets", f"{len(targets)} targets; legal is one for each of {len(self.goals)} goals")
        arrays, batches = [], []
        for goal, target in zip(self.goals, targets, strict=True):
            array = np.asarray(target, dtype=float)
            shape = GOALS[goal.kind].shape
            if array.ndim < len(shape) or array.shape[array.ndim - len(shape) :] != shape:
                legal = f"(…, {', '.join(map(str, shape))})"
                raise fail("target-shape", f"a target has shape {array.shape}; legal for {goal.kind!r} is {legal}")
            arrays.append(array)
            batches.append(array.shape[: array.ndim - len(shape)])
        fault = np.asarray(self.check(*arrays))
        if not (fault <= ROTATION if fault.ndim == 0 else (fault <= ROTATION).all()):
            where = np.unravel_index(int(np.argmax(np.where(fault <= ROTATION, 0.0, 1.0))), fault.shape)
            place = f" {tuple(int(i) for i in where)}" if fault.ndim else ""
            raise fail("target", f"target{place} is not finite, or its rotation or last row is none")
        return arrays, fault.shape

    def _solved(self, states: Array, h: Array, center: Array, targets: Sequence[Array], threads: int) -> Array:
        """The last states: of those that are not solved after a way down to where they are closest."""
        more = [h, center] if len(self.job.G) else []
        options = {} if threads == 1 else {"threads": threads}
        found = np.asarray(self.kernel(states, *more, *targets, **options))
        failed = found[..., GOING] != 0
        if failed.any():
            found = found.copy()
            n = len(self.job.columns)
            batch = found.shape[:-1]
            begin = found[failed]
            begin[:, GOING], begin[:, 2], begin[:, 3], begin[:, COST] = 1.0, 1e-2, 0.0, np.inf
            begin[:, HEAD : HEAD + n] = begin[:, HEAD + n :]
            picked = [_picked(a, batch, failed, GOALS[g.kind].shape) for a, g in zip(targets, self.goals, strict=True)]
            bounds = [_picked(h, batch, failed, h.shape[-1:])] if len(self.job.G) else []
            found[failed] = self.closest(begin, *bounds, *picked)
        return found

    def _in_portions(
        self,
        states: Array,
        h: Array,
        center: Array,
        targets: Sequence[Array],
        batch: tuple[int, ...],
        threads: int,
        rest: Array,
        progress: Callable[[int, int], None] | None,
    ) -> IKResult:
        count, portion = int(np.prod(batch, dtype=int)), AT_ONCE * max(int(threads), 1)
        flat = [
            np.broadcast_to(a, batch + a.shape[a.ndim - k :]).reshape(count, *a.shape[a.ndim - k :])
            for a, k in zip(targets, (len(GOALS[g.kind].shape) for g in self.goals), strict=True)
        ]
        states, h, center = (
            np.broadcast_to(a, batch + a.shape[-1:]).reshape(count, a.shape[-1]) for a in (states, h, center)
        )
        found = np.array(states)
        found[:, GOING] = -1.0
        found[:, [LINEAR, ANGULAR]] = np.inf
        try:
            for start in range(0, count, portion):
                here = slice(start, start + portion)
                found[here] = self._solved(states[here], h[here], center[here], [a[here] for a in flat], threads)
                if progress:
                    progress(min(start + portion, count), count)
        except KeyboardInterrupt:
            raise IKInterrupted(self._answer(found.reshape(*batch, -1), rest)) from None
        return self._answer(found.reshape(*batch, -1), rest)

    def _answer(self, found: Array, rest: Array) -> IKResult:
        answer, nq = self.answer(found, rest), self.job.nq
        if answer.ndim == 1:
            *_, missed, steps = answer[nq:].tolist()
            return IKResult(answer[:nq], missed == 0.0, answer[nq : nq + 2], int(steps), self.limits, self.job.columns)
        success, steps = answer[..., nq + 2] == 0, answer[..., nq + 3].astype(int)
        return IKResult(answer[..., :nq], success, answer[..., nq : nq + 2], steps, self.limits, self.job.columns)


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
    descents: int = 64,
) -> IK:
    """A solver for where a frame, or each of several, shall be as seen from `base`, the root by default.

    goal: "pose", "position", "orientation", or "pointing", the axis of the frame through a point; one for all frames or
    one each. weights (6,): of errors along x, y, z and about them, 1/m and 1/rad, in the axes of base or frame
    (`expressed_in`); zero leaves a direction free. axis (3,): of the frame, for "pointing". tolerance: m and rad.
    limits: instead of the robot's own. descents: from how many starts it tries.

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
    for name, value, legal in (("tolerance", tolerance, "two numbers above 0"),):
        if len(value) != 2 or not all(0 < x < np.inf for x in value):
            raise fail(name, f"{name} is {value!r}; legal are {legal}, m and rad")
    if not isinstance(descents, int) or not 1 <= descents <= 10_000:
        raise fail("descents", f"descents is {descents!r}; legal are whole numbers from 1 to 10000")
    key = ("ik", goals, tuple(map(float, tolerance)), descents)
    if limits is None:
        return remember(robot, key, lambda: _made(robot, robot.limits, goals, tolerance, descents))
    return _made(robot, limits, goals, tolerance, descents)


def _made(robot: Robot, limits: Limits, goals: tuple[Goal, ...], tolerance: tuple[float, float], descents: int) -> IK:
    job, inside = reach_of(robot, limits, goals, tolerance, descents)
    model = gauged(tree(robot), tuple(dict.fromkeys(f for goal in goals for f in (goal.frame, goal.base))))
    n, m = len(job.columns), len(job.G)
    names = tuple(robot.coordinate_names[j] for j in job.columns)
    state = Port("state", (HEAD + 2 * n,))
    rows = [Port("h", (m,)), Port("center", (n,))] if m else []
    targets = [Port(f"target_{i}", GOALS[goal.kind].shape) for i, goal in enumerate(goals)]
    polish = replace(job, steps=WAY_DOWN)
    numbers = [getattr(job, name).tolist() for name in ("lower", "upper", "first", "last", "G", "skin")]
    settings = (job.tolerances, job.damping, job.stride, job.steps, job.descents, WAY_DOWN)
    key = origin(robot, ("ik", repr(goals), repr(numbers), settings))

    def kernel(name: str, ports: Sequence[Port], function: Callable[..., Any]) -> Kernel:
        shapes = [port.shape for port in ports]
        return Kernel(name, tuple(ports), state, lambda: trace(function, *shapes, repeated=True), f"{name} {key}")

    if m:
        solver = kernel("ik", [state, *rows, *targets], lambda s, h, c, *t: inverse_step(model, job, s, h, c, *t))
        closest = kernel("closest", [state, rows[0], *targets], lambda s, h, *t: closest_step(model, polish, s, h, *t))
    else:
        solver = kernel("ik", [state, *targets], lambda s, *t: inverse_step(model, job, s, (), (), *t))
        closest = kernel("closest", [state, *targets], lambda s, *t: closest_step(model, polish, s, (), *t))
    check = Kernel(
        "check",
        tuple(targets),
        Port("fault", ()),
        lambda: trace(_fault, *(port.shape for port in targets)),
        f"check {[p.shape for p in targets]}",
    )
    whole = Port("rest", (robot.nq,))
    answer = Kernel(
        "answer",
        (state, whole),
        Port("answer", (robot.nq + 4,)),
        lambda: trace(lambda s, rest: answered(job, limits, s, rest), state.shape, whole.shape),
        f"answer {key}",
    )
    more = (inside.bounds_now, inside.begin_at) if m else ()
    return IK(names, goals, job, inside, limits, solver, closest, check, answer, more)


def _fault(*targets: Any) -> Any:
    """How far targets are from what they shall be: NaN or above zero."""
    fault: Any = 0.0
    for target in targets:
        entries = np.ravel(target)
        fault = fault + sum(0.0 * x for x in entries)
        if target.ndim == 1:
            continue
        R = target[:3, :3]
        for i in range(3):
            for j in range(i + 1):
                fault = np.maximum(fault, abs(sum(R[i, k] * R[j, k] for k in range(3)) - float(i == j)))
        x, y, z = R
        det = sum(x[i] * (y[i - 2] * z[i - 1] - y[i - 1] * z[i - 2]) for i in range(3))
        fault = np.maximum(fault, 1.0 - det)
        if target.shape == (4, 4):
            for entry, last in zip(target[3], (0.0, 0.0, 0.0, 1.0), strict=True):
                fault = np.maximum(fault, abs(entry - last))
    return np.asarray(fault)


def _picked(array: Array, batch: tuple[int, ...], where: Array, shape: tuple[int, ...]) -> Array:
    return np.broadcast_to(array, batch + shape)[where]


def _six(weights: Sequence[float] | None) -> tuple[float, ...]:
    w = (1.0,) * 6 if weights is None else tuple(float(x) for x in weights)
    if len(w) != 6 or not all(0 <= x < np.inf for x in w) or not any(w):
        raise fail("weights", f"weights is {weights!r}; legal are 6 finite numbers from 0, not all 0")
    return w


def _unit(axis: Sequence[float]) -> tuple[float, float, float]:
    v = np.asarray(axis, dtype=float)
    length = float(np.linalg.norm(v)) if v.shape == (3,) else 0.0
    if not 0 < length < np.inf:
        raise fail("axis", f"axis is {axis!r}; legal are 3 finite numbers, not all 0")
    x, y, z = (v / length).tolist()
    return x, y, z
