"""Construction of inverse kinematics solvers: their kernels, compiled at first use, and closed forms of arms."""

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from functools import partial
from itertools import pairwise
from typing import Any, Literal, Unpack

import numpy as np

from kinetree.algorithms.closed_form import SixAxes
from kinetree.algorithms.closest import closest_step, settled_step
from kinetree.algorithms.differential import Axes
from kinetree.algorithms.gauge import gauged
from kinetree.algorithms.goals import Goal, fault_of
from kinetree.algorithms.inverse import HEAD, Problem, answered, inverse_step
from kinetree.algorithms.kinematics import path_between
from kinetree.algorithms.nearest import all_forms, nearest_start
from kinetree.algorithms.serial import SerialChain, serial_chain
from kinetree.algorithms.soft import lagrangian, soft_step
from kinetree.algorithms.tracking import REPORT, returning_step, tracking_step
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port
from kinetree.compiler.program import trace
from kinetree.errors import fail
from kinetree.model.limits import Limits
from kinetree.model.mimic import mimic_polynomial
from kinetree.model.robot import Robot
from kinetree.model.tree import Tree
from kinetree.queries.margin import refuse_loops
from kinetree.queries.options import JointOptions, robot_query
from kinetree.queries.query import fixed_input, memoise, one_of, origin, tolerance_of, tree
from kinetree.solvers.ik.apart import checked_clearance, contact_of
from kinetree.solvers.ik.given import goals_of
from kinetree.solvers.ik.implicit import slopes_kernel
from kinetree.solvers.ik.one_call import one_call
from kinetree.solvers.ik.problem import Inside, between, joint_of, reach_of
from kinetree.solvers.ik.search import WAY_DOWN
from kinetree.solvers.ik.solver import IK
from kinetree.solvers.ik.step import Stepper
from kinetree.spatial.se3 import Array, frozen

FASTEST = 1e6
"""Speed of a joint without a velocity limit, rad/s or m/s."""


@robot_query
def ik(
    robot: Robot,
    frame: str | Goal | Sequence[str | Goal],
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
    clearance: Any = None,
    geometry: Literal["mesh", "hull"] = "mesh",
    **options: Unpack[JointOptions],
) -> IK:
    """Return a solver that finds joint values for targets of one or more frames, seen from `base`, by default the root.

    frame: names, or goals of `kt.goal`, hard or with a weight, which replace goal, weights, expressed_in and axis.
    goal: "pose", "position", "orientation", or "pointing" (the axis of the frame passes through a point); one for all
    frames, or a list with one for each.
    weights (6,): of errors along x, y, z and about them, 1/m and 1/rad, in the axes of base or frame (`expressed_in`),
    for all frames; zero leaves a direction free, other values matter if not all errors can vanish. The last three are
    about one rotation vector, not roll, pitch and yaw: (1, 1, 1, 1, 1, 0) lets the frame turn about z of the base, but
    (1, 1, 1, 0, 0, 1) lets it tilt, and its yaw differ. "pointing" uses the largest of the last three.
    axis (3,): of the frame, for "pointing".
    tolerance: m and rad. limits: replace the robot's own. descents: number of starts.
    closed_form: whether to begin with closed-form solutions, for poses of arms that have them (see `six_axes`).
    loops: "refuse", or "ignore" to compute the tree alone if one of `robot.loops` restricts the joints.
    joints, at: the joints that may move, and a full q (nq,) where the others stand; see `kinetree.kinematics`.
    clearance: a distance, m; only configurations count in which the links that `kt.collisions(robot, geometry=…)` tests
    are farther apart, or, of links that are always nearer, not in contact. Pairs that the joints between the frames do
    not move are not tested. Or what `kt.collisions` returns, with its pairs and margin, as for a part that is held.

    Joints between the frames move, and their followers with them; all stay inside the limits, coupled limits included.
    Joints with quaternions, such as a floating base, take part; they have no limits. Raises KinetreeError for unknown
    frames, loops over these joints, and limits that cannot be fulfilled.

    Examples:
        >>> import kinetree as kt
        >>> icub = kt.load("icub")
        >>> solve = kt.ik(icub, "l_hand", base="root_link", goal="position")
        >>> result = solve([-0.2, -0.2, 0.1])
        >>> result.success
        True
        >>> kt.fk(icub, "l_hand")(result.q)[:3, 3].round(3)
        array([-0.2, -0.2,  0.1])
    """
    if isinstance(robot, Robot) and fixed_input(robot):
        raise fail("at", "inverse kinematics has the joints that stand compiled in; expected a full q, not 'input'")
    tolerance = tolerance_of(tolerance)
    goals = goals_of(robot, frame, base, goal, weights, expressed_in, axis, tolerance)
    if not isinstance(descents, (int, np.integer)) or not 1 <= descents <= 10_000:
        raise fail("descents", f"descents is {descents!r}; expected whole numbers from 1 to 10000")
    if limits is not None and not (
        isinstance(limits, Limits) and limits.coordinate_names == robot.limits.coordinate_names
    ):
        raise fail("limits", "limits are not of this robot; expected Limits of its coordinates, such as robot.limits")
    descents = int(descents)
    refuse_loops(robot, between(robot, goals)[0], "inverse kinematics", loops)
    one_of("geometry", geometry, ("mesh", "hull"))
    clearance = checked_clearance(clearance)
    key = ("ik", goals, tolerance, descents, closed_form)

    def make() -> IK:
        own = robot.limits if limits is None else limits
        return _made(robot, own, goals, tolerance, descents, closed_form)

    made = memoise(robot, key, make) if limits is None else make()
    if made._problem.memory and clearance is not None:
        raise fail("clearance", "clearance is for hard goals; expected no goal with a weight")
    contact = contact_of(robot, clearance, geometry, made._problem.columns)
    return made if contact is None else replace(made, contact=contact)


def _made(
    robot: Robot,
    limits: Limits,
    goals: tuple[Goal, ...],
    tolerance: tuple[float, float],
    descents: int,
    closed_form: bool,
) -> IK:
    postures = [replace(goal, posture=(0.0,) * len(goal.posture)) for goal in goals]  # they are no part of the code
    problem, inside = reach_of(robot, limits, postures, tolerance, descents)
    if problem.memory:
        problem = replace(problem, steps=SOFT_STEPS)
    hard = tuple(goal for goal in goals if goal.weight is None)
    is_whole = [goal.kind for goal in goals] == ["pose"] and all(goals[0].weights) and hard == goals
    arm = six_axes(robot, goals[0].frame, goals[0].base) if closed_form and is_whole else None
    made, steps = kernels(robot, problem, inside, arm)
    speeds = np.array([_speed(robot, name) for name in _by_rate(robot, problem)])
    others = np.array([_speed(robot, name) for name in robot.joint_names for _ in robot.joints[name].kind.coordinates])
    return IK(
        coordinate_names=tuple(robot.coordinate_names[j] for j in sorted(problem.columns)),
        goals=goals,
        limits=limits,
        contact=None,
        _problem=problem,
        _inside=inside,
        _stepper=Stepper(problem, inside, **steps, speeds=speeds, others=others),
        **{f"_{name}": kernel for name, kernel in made.items()},
        _hard=_made(robot, limits, hard, tolerance, descents, closed_form) if () != hard != goals else None,
        _postures=tuple(frozen(goal.posture) if goal.posture else None for goal in goals) if hard != goals else (),
        _more=(inside.bounds_now, inside.begin_at) if len(problem.G) else (),
    )


def _by_rate(robot: Robot, problem: Problem) -> list[str]:
    """Return the joint of each velocity coordinate (n,)."""
    flat = [joint_of(robot, j) for j in problem.columns[: len(problem.lower)]]
    return flat + [joint_of(robot, problem.columns[joint.q]) for joint in problem.loose for _ in joint.kind.velocities]


def _speed(robot: Robot, name: str) -> float:
    """Return the speed limit of a joint from itself and all its followers, rad/s or m/s."""
    own = robot.joints[name].limit
    speeds = [own.velocity]
    for other, joint in robot.joints.items():
        if joint.mimic:
            leader, coefficients = mimic_polynomial(robot, other)
            low, high = (float(np.clip(end, -2 * np.pi, 2 * np.pi)) for end in (own.lower, own.upper))
            slopes = np.polynomial.Polynomial(coefficients).deriv()(np.linspace(low, high, 99))
            if leader == name and (steepest := np.abs(slopes).max()) and joint.limit.velocity:
                speeds.append(joint.limit.velocity / float(steepest))
    return min([FASTEST, *(v for v in speeds if v and v > 0)])


Step = Callable[..., Any]
SOFT_STEPS = 200
"""Most steps of a search with soft goals."""
WAY_ALONG = 200
"""Most steps from a solution to the one nearest to a posture."""


Made = tuple[dict[str, Any], dict[str, Kernel]]


def kernels(robot: Robot, problem: Problem, inside: Inside, arm: SixAxes | None) -> Made:
    """Return the kernels of `IK` and of `Stepper`, by their fields.

    arm: its closed form, if it has one.
    """
    limits = inside.limits
    key = _key(robot, problem, limits)
    k, n, m = len(problem.columns), len(problem.rates), len(problem.G)
    state, whole, q = Port("state", (HEAD + 2 * k + problem.memory,)), Port("rest", (robot.nq,)), Port("q", (k,))
    sizes = {"h": m, "strides": n}
    targets = tuple(Port(f"target_{i}", goal.shape) for i, goal in enumerate(problem.goals))

    def kernel(name: str, step: Step, first: Port, *between: str, output: Port | None = None, **options: Any) -> Kernel:
        """Return the kernel of a step from `first`, `between` (h, center only if there are rows) and targets."""
        given = [what for what in between if m or what not in ("h", "center")]
        ports = (first, *(Port(what, (sizes.get(what, k),)) for what in given), *targets)

        def traced(x: Any, *arrays: Any) -> Any:
            values = dict(zip(given, arrays, strict=False))
            return step(x, *(values.get(what, ()) for what in between), *arrays[len(given) :])

        shapes = [port.shape for port in ports]
        return Kernel(name, ports, output or first, lambda: trace(traced, *shapes, **options), f"{name} {key}")

    model = _model(robot, problem)
    down, along = replace(problem, steps=WAY_DOWN), replace(problem, steps=WAY_ALONG)
    shapes, forms = [port.shape for port in targets], Port("forms", (8, 7))
    report = Port("report", (REPORT + k,))
    last = partial(answered, problem, limits)
    step = partial(soft_step if problem.memory else inverse_step, model, problem)
    made = {
        "kernel": kernel("ik", step, state, "h", "center", repeated=True),
        "closest": kernel("closest", partial(closest_step, model, down), state, "h", repeated=True),
        "settle": kernel("settle", partial(settled_step, model, along), state, "h", "posture", repeated=True),
        "nearest": kernel("nearest", partial(nearest_start, arm, problem), state, "h", "center") if arm else None,
        "forms": kernel("forms", partial(all_forms, arm, problem), q, "h", "center", output=forms) if arm else None,
        "quick": one_call(robot, model, inside, problem, arm, kernel, key),
        "slopes": slopes_kernel(model, problem.goals, key),
        "lagrangian": _lagrangian(model, problem, targets, key),
        "check": Kernel("check", targets, Port("fault", ()), lambda: trace(fault_of, *shapes), f"check {shapes}"),
        "answer": Kernel(
            "answer",
            (state, whole),
            Port("answer", (robot.nq + 4,)),
            lambda: trace(last, state.shape, whole.shape),
            f"answer {key}",
        ),
    }
    return made, {
        "track": kernel("track", partial(tracking_step, model, problem), q, "h", "strides", output=report),
        "back": kernel("back", partial(returning_step, model, problem), q, "strides", "to", output=report),
    }


def _lagrangian(model: Tree, problem: Problem, targets: Sequence[Port], key: str) -> Kernel:
    """Return the kernel of `lagrangian`."""
    hard = sum(goal.size for goal in problem.goals if goal.weight is None)
    soft = sum(goal.weight is not None for goal in problem.goals)
    inputs = (Port("q", (problem.nq,)), Port("y", (max(hard, 1),)), Port("weights", (max(soft, 1),)), *targets)
    shapes, function = [port.shape for port in inputs], partial(lagrangian, model, problem)
    return Kernel("lagrangian", inputs, Port("L", ()), lambda: trace(function, *shapes), f"lagrangian {key}")


def _model(robot: Robot, problem: Problem) -> Tree:
    return gauged(tree(robot), tuple(dict.fromkeys(f for goal in problem.goals for f in (goal.frame, goal.base))))


def _key(robot: Robot, problem: Problem, limits: Limits) -> str:
    """Return a hash of all that the code depends on: the robot and every number of the problem and its limits."""
    values = [getattr(x, field.name) for x in (problem, limits) for field in fields(x)]
    numbers = [value.tolist() if isinstance(value, np.ndarray) else value for value in values]
    return origin(robot, ("ik", repr(numbers), WAY_DOWN, WAY_ALONG))


NEARLY = 1e-3
"""Largest distance between lines that meet, relative to the length of the arm, and largest angle between parallel
lines, rad. The error is small, and steps of the search correct it."""
CLEARLY = 0.05
"""Least sine between lines that are not parallel, and least relative length of links; both are divisors."""

SHORTEST = 1e-6
"""Least length of links, m: a divisor, far above what `_tidy` rounds away."""


def six_axes(robot: Robot, frame: str, base: str) -> SixAxes | None:
    """Return the closed form from base to frame, or None. An arm has one if six revolute joints, without followers
    among them, belong to a known family, counted from either end."""
    bodies = tree(robot)
    up, down = path_between(bodies, bodies.frame(base)[0], bodies.frame(frame)[0])
    joints = [robot.joints[bodies.joints[i]] for i in (*up, *down)]
    if len(joints) != 6 or any(j.kind.angular != (True,) or j.pitch or j.mimic for j in joints):
        return None
    columns = [robot.q_slices[joint.name].start for joint in joints]
    order = tuple(sorted(columns).index(j) for j in columns)
    for start, end, is_reversed in ((base, frame, False), (frame, base, True)):
        arm = _recognised(serial_chain(robot, start, end))
        if arm:
            return replace(arm, is_reversed=is_reversed, order=order)
    return None


def _recognised(chain: SerialChain) -> SixAxes | None:
    h = np.array([joint.direction for joint in chain.joints])
    a = np.array([joint.T[:3, 3] for joint in chain.joints])
    length = float(sum(np.linalg.norm(q - p) for p, q in pairwise(a)))
    if not _sine(h, 1, 2) < NEARLY or not all(_sine(h, i, j) > CLEARLY for i, j in ((0, 1), (3, 4), (4, 5))):
        return None
    if _sine(h, 1, 3) < NEARLY:
        family, parallel, meeting, ends = "parallel", [1, 2, 3], [4, 5], (1, 2, 3)
    else:
        family, parallel, meeting, ends = "wrist", [1, 2], [3, 4, 5], (1, 2, 5)
    point, off = _meeting(h[meeting], a[meeting])
    if off > NEARLY * length:
        return None
    a[meeting] = point
    signs = np.ones(6)
    signs[parallel] = np.sign(h[parallel] @ h[1])
    h[parallel] = signs[parallel, None] * h[1]
    links = [np.linalg.norm(np.cross(h[1], a[j] - a[i])) for i, j in pairwise(ends)]
    if min(links) < max(CLEARLY * length, SHORTEST):
        return None
    aslant = max(float(np.linalg.norm(np.cross(h[1], chain.joints[i].direction))) for i in parallel)
    return _turned(chain.T_tip, h, a, signs, family, max(off / length, aslant, WHOLE))


def _turned(T_tip: Array, h: Array, a: Array, signs: Array, family: str, deviation: float) -> SixAxes:
    """Return the arm in axes in which most numbers are 0 and 1."""
    x = _across(h[0], h[1])
    R = np.array([x, np.cross(h[1], x), h[1]])
    v = _across(h[4], h[5])
    R_tip, p_tip = T_tip[:3, :3], T_tip[:3, 3]
    p = a[0]
    return SixAxes(
        family=family,
        is_reversed=False,
        h=_tidy(h @ R.T),
        a=_tidy((a - p) @ R.T),
        v=_tidy(R @ v),
        R=_tidy(R),
        p=_tidy(p),
        point=_tidy((a[5] - p_tip) @ R_tip),
        ahead=_tidy(h[5] @ R_tip),
        aside=_tidy(v @ R_tip),
        signs=signs,
        order=(),
        deviation=deviation,
    )


WHOLE = 1e-9
"""Distance from an integer below which a number of a closed form is rounded to it."""


def _tidy(values: Array) -> Array:
    """Return the values with those that are nearly integers rounded to them."""
    whole = np.round(values)
    return np.where(np.abs(values - whole) < WHOLE, whole, values) + 0.0


def _sine(h: Array, i: int, j: int) -> float:
    return float(np.linalg.norm(np.cross(h[i], h[j])))


def _across(u: Array, h: Array) -> Array:
    """Return the direction of the part of u perpendicular to h."""
    rest = u - (u @ h) * h
    return np.asarray(rest / np.linalg.norm(rest))


def _meeting(h: Array, a: Array) -> tuple[Array, float]:
    """Return the point nearest to all lines, and the distance of the farthest line."""
    across = np.array([np.eye(3) - np.outer(u, u) for u in h])
    point = np.linalg.solve(across.sum(axis=0), np.einsum("nij,nj->i", across, a))
    return point, float(np.linalg.norm(np.einsum("nij,nj->ni", across, point - a), axis=-1).max())
