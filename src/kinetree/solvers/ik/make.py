"""Construction of inverse kinematics solvers: their kernels, compiled at first use, and closed forms of arms."""

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from functools import partial
from typing import Any, Literal, Unpack

import numpy as np

from kinetree.algorithms.closed_form import SixAxes
from kinetree.algorithms.closest import closest_step, settled_step
from kinetree.algorithms.control import HEAD as CONTROL_HEAD, controlled
from kinetree.algorithms.differential import Axes
from kinetree.algorithms.gauge import gauged
from kinetree.algorithms.goals import Goal, fault_of
from kinetree.algorithms.inverse import HEAD, Problem, answered, inverse_step
from kinetree.algorithms.loops import Roles
from kinetree.algorithms.nearest import all_forms, nearest_start
from kinetree.algorithms.soft import lagrangian, soft_step
from kinetree.algorithms.tracking import returning_step, tracking_step
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port
from kinetree.compiler.program import trace
from kinetree.errors import fail
from kinetree.model.limits import Limits
from kinetree.model.mimic import mimic_polynomial
from kinetree.model.robot import Robot
from kinetree.model.tree import Tree
from kinetree.queries.joint_choice import Joints
from kinetree.queries.margin import CHOICES, refuse_loops
from kinetree.queries.options import JointOptions, robot_query, wants_closed
from kinetree.queries.query import coordinates, fixed_input, memoise, one_of, origin, tolerance_of, tree
from kinetree.queries.six_axes import six_axes
from kinetree.solvers.ik.apart import checked_clearance, contact_of
from kinetree.solvers.ik.given import goals_of
from kinetree.solvers.ik.implicit import slopes_kernel
from kinetree.solvers.ik.near import DESCENTS, Near
from kinetree.solvers.ik.one_call import Make, one_call
from kinetree.solvers.ik.problem import Inside, between, joint_of, reach_of, refuse_coupled
from kinetree.solvers.ik.search import WAY_DOWN
from kinetree.solvers.ik.solver import IK
from kinetree.solvers.ik.step import Stepper
from kinetree.spatial.se3 import frozen

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
    driven: Joints = None,
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
    driven: names of the joints whose positions are found where joints close loops; the others follow, and the loops
    stay closed, see `kinetree.kinematics` and `ClosedIK`. loops: "refuse", or "ignore" to compute the tree alone if one
    of `robot.loops` restricts the joints.
    joints, at: the joints that may move, and a full q (nq,) where the others stand, or "input", which makes it the
    option `at=` of calls, without compiling again; see `kinetree.kinematics`.
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
    tolerance = tolerance_of(tolerance)
    goals = goals_of(robot, frame, base, goal, weights, expressed_in, axis, tolerance)
    if not isinstance(descents, (int, np.integer)) or not 1 <= descents <= 10_000:
        raise fail("descents", f"descents is {descents!r}; expected whole numbers from 1 to 10000")
    if limits is not None and not (
        isinstance(limits, Limits) and limits.coordinate_names == robot.limits.coordinate_names
    ):
        raise fail("limits", "limits are not of this robot; expected Limits of its coordinates, such as robot.limits")
    descents = int(descents)
    closer = None
    if wants_closed(driven, loops, (*CHOICES, "closed")):
        from kinetree.queries.closed import closer_of  # seldom wanted

        closer = closer_of(robot, driven)
    else:
        refuse_loops(robot, between(robot, goals)[0], "inverse kinematics", loops)
    one_of("geometry", geometry, ("mesh", "hull"))
    clearance = checked_clearance(clearance)
    if still := fixed_input(robot):
        refuse_coupled(still, robot.nq, has_own_limits=limits is not None)
        if clearance is not None:
            raise fail("clearance", "clearance does not go together with at='input'; expected a full q as at")
    roles = closer.roles if closer else None
    key = ("ik", goals, tolerance, descents, closed_form, roles and roles.key)

    def make() -> IK:
        own = robot.limits if limits is None else limits
        return _made(robot, own, goals, tolerance, descents, closed_form and not roles, roles)

    made = memoise(robot, key, make) if limits is None else make()
    if made._problem.memory and clearance is not None:
        raise fail("clearance", "clearance is for hard goals; expected no goal with a weight")
    if closer:
        from kinetree.solvers.ik.closed import closed_ik

        return closed_ik(closer, made, clearance)
    contact = contact_of(robot, clearance, geometry, made._problem.columns)
    return made if contact is None else replace(made, contact=contact)


def _made(
    robot: Robot,
    limits: Limits,
    goals: tuple[Goal, ...],
    tolerance: tuple[float, float],
    descents: int,
    closed_form: bool,
    roles: Roles | None = None,
) -> IK:
    postures = [replace(goal, posture=(0.0,) * len(goal.posture)) for goal in goals]  # they are no part of the code
    problem, inside = reach_of(robot, limits, postures, tolerance, descents, roles)
    still, steps = fixed_input(robot), SOFT_STEPS if problem.memory else CLOSED_STEPS if roles else problem.steps
    held = np.setdiff1d(np.arange(robot.nq if roles else 0), problem.columns)
    problem = replace(problem, steps=steps, inputs=tuple((still.columns if still else held).tolist()), roles=roles)
    hard = tuple(goal for goal in goals if goal.weight is None)
    is_whole = [goal.kind for goal in goals] == ["pose"] and all(goals[0].weights) and hard == goals
    arm = six_axes(robot, goals[0].frame, goals[0].base) if closed_form and is_whole else None
    made, more = kernels(robot, problem, inside, arm)
    speeds = np.array([_speed(robot, name) for name in _by_rate(robot, problem)])
    others = np.array([_speed(robot, name) for name in robot.joint_names for _ in robot.joints[name].kind.coordinates])
    return IK(
        coordinate_names=tuple(robot.coordinate_names[j] for j in sorted(problem.columns)),
        goals=goals,
        limits=limits,
        contact=None,
        _problem=problem,
        _inside=inside,
        _stepper=Stepper(problem, inside, **more, speeds=speeds, others=others),
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
SOFT_STEPS, CLOSED_STEPS = 200, 60
"""Most steps of a search with soft goals, and from a start with closed loops."""
WAY_ALONG = 200
"""Most steps from a solution to the one nearest to a posture."""


Made = tuple[dict[str, Any], dict[str, Kernel]]


def kernels(robot: Robot, problem: Problem, inside: Inside, arm: SixAxes | None) -> Made:
    """Return the kernels of `IK` and of `Stepper`, by their fields.

    arm: its closed form, if it has one.
    """
    limits, key, k = inside.limits, _key(robot, problem, inside.limits), len(problem.columns)
    model, kernel, targets = _model(robot, problem), _maker(robot, problem, limits), _targets(robot, problem)
    state, whole, q = _state(problem), Port("rest", (robot.nq,)), Port("q", (k,))
    shapes, last = [port.shape for port in targets], partial(answered, problem, limits)
    forms, answer, places = Port("forms", (8, 7)), Port("answer", (robot.nq + 4,)), (state.shape, whole.shape)
    report, strides = Port("report", (CONTROL_HEAD + robot.nq,)), Port("strides", (len(problem.rates),))
    track = partial(controlled, tracking_step, model, limits, inside.coupled)
    back = partial(controlled, returning_step, model, limits, None)
    faults, of_targets = partial(_faults, problem), f"check {problem.inputs} {shapes}"
    made: dict[str, Any] = {
        **_searches(model, problem, kernel),
        "nearest": kernel("nearest", partial(nearest_start, arm), state, "h", "center") if arm else None,
        "forms": kernel("forms", partial(all_forms, arm), q, "h", "center", output=forms) if arm else None,
        "quick": one_call(robot, model, inside, problem, arm, kernel, key),
        "slopes": slopes_kernel(model, problem, targets, key),
        "lagrangian": _lagrangian(model, problem, targets, key),
        "check": Kernel("check", targets, Port("fault", ()), lambda: trace(faults, *shapes), of_targets),
        "answer": Kernel("answer", (state, whole), answer, lambda: trace(last, *places), f"answer {key}"),
    }
    near = replace(problem, is_near=True, descents=min(problem.descents, DESCENTS))
    searches = _searches(model, near, _maker(robot, near, limits))
    joints = tuple(joint_of(robot, j) for j in range(robot.nq))
    made["near"] = Near(near, **searches, joints=joints)
    return made, {
        "track": kernel("track", track, strides, "q", output=report),
        "back": kernel("back", back, strides, "q", "to", output=report),
    }


def _faults(problem: Problem, *arrays: Any) -> Any:
    return fault_of(*arrays[: len(problem.goals)], np.array(problem.placed(arrays).standing))


def _searches(model: Tree, problem: Problem, kernel: Make) -> dict[str, Kernel]:
    """Return the kernels of a search, by their fields in `IK` and `Near`."""
    state, step = _state(problem), partial(soft_step if problem.memory else inverse_step, model)
    return {
        "kernel": kernel("ik", step, state, "h", "center", repeated=True),
        "closest": kernel("closest", partial(closest_step, model), state, "h", steps=WAY_DOWN, repeated=True),
        "settle": kernel("settle", partial(settled_step, model), state, "h", "posture", steps=WAY_ALONG, repeated=True),
    }


def _state(problem: Problem) -> Port:
    return Port("state", (HEAD + 2 * len(problem.columns) + problem.memory,))


def _targets(robot: Robot, problem: Problem) -> tuple[Port, ...]:
    """Return the inputs of targets, and of where joints stand."""
    still = fixed_input(robot)
    targets = [Port(f"target_{i}", goal.shape) for i, goal in enumerate(problem.goals)]
    at = still.port if still else replace(coordinates(robot), name="at")
    return (*targets, *([at] if problem.inputs else ()))


def _maker(robot: Robot, problem: Problem, limits: Limits) -> Make:
    """Return a function that makes kernels of the problem."""
    key, k, m, targets = _key(robot, problem, limits), len(problem.columns), problem.bounds, _targets(robot, problem)
    sizes = {"h": m, "q": robot.nq, "to": robot.nq}

    def kernel(
        name: str, step: Step, first: Port, *between: str, output: Port | None = None, steps: int = 0, **options: Any
    ) -> Kernel:
        """Return the kernel of a step from `first`, `between` (h, center only if there are bounds) and targets. steps:
        most of them, if not those of the problem."""
        given = [what for what in between if m or what not in ("h", "center")]
        ports = (first, *(Port(what, (sizes.get(what, k),)) for what in given), *targets)

        def traced(x: Any, *arrays: Any) -> Any:
            values, ends = dict(zip(given, arrays, strict=False)), arrays[len(given) :]
            own = replace(problem.placed(ends), steps=steps or problem.steps)
            return step(own, x, *(values.get(what, ()) for what in between), *ends[: len(problem.goals)])

        shapes = [port.shape for port in ports]
        return Kernel(name, ports, output or first, lambda: trace(traced, *shapes, **options), f"{name} {key}")

    return kernel


def _lagrangian(model: Tree, problem: Problem, targets: Sequence[Port], key: str) -> Kernel:
    """Return the kernel of `lagrangian`."""
    hard = sum(goal.size for goal in problem.goals if goal.weight is None)
    soft = sum(goal.weight is not None for goal in problem.goals)
    inputs = (Port("q", (problem.nq,)), Port("y", (max(hard, 1),)), Port("weights", (max(soft, 1),)), *targets)
    shapes, function = [port.shape for port in inputs], partial(lagrangian, model, problem)
    return Kernel("lagrangian", inputs, Port("L", ()), lambda: trace(function, *shapes), f"lagrangian {key}")


def _model(robot: Robot, problem: Problem) -> Tree:
    ends = problem.roles.ends if problem.roles else ()
    frames = [f for goal in problem.goals for f in (goal.frame, goal.base)]
    return gauged(tree(robot), tuple(dict.fromkeys((*frames, *ends))))


def _key(robot: Robot, problem: Problem, limits: Limits) -> str:
    """Return a hash of all that the code depends on: the robot and every number of the problem and its limits."""
    values = [getattr(x, field.name) for x in (problem, limits) for field in fields(x)]
    numbers = [value.tolist() if isinstance(value, np.ndarray) else value for value in values]
    return origin(robot, ("ik", repr(numbers), WAY_DOWN, WAY_ALONG))
