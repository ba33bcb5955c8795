"""What answers in one call: starts, all closed-form solutions, verdicts of reach, shells beyond which nothing is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from kinetree.algorithms.closed_form import SixAxes
from kinetree.algorithms.control import entered
from kinetree.algorithms.goals import Goal
from kinetree.algorithms.inverse import COST, GOING, HEAD, Problem
from kinetree.algorithms.kinematics import path_between
from kinetree.algorithms.serial import SerialChain, serial_chain
from kinetree.algorithms.several import has_form, ordered_forms
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port
from kinetree.compiler.program import trace
from kinetree.display import Brief
from kinetree.model.limits import Limits
from kinetree.model.robot import Robot
from kinetree.model.tree import Tree
from kinetree.queries.query import tree
from kinetree.solvers.ik.problem import Inside
from kinetree.spatial.se3 import Array

PASSES = 50
"""Passes of the search for the shortest way along the axes."""
SHARE = 1e-9
"""Share of the outer radius that is added for rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class Shell:
    """Bounds, m, of the distance from a center (3,), fixed in the base, to a point (3,), fixed in the frame."""

    center: Array
    point: Array
    least: float
    most: float

    def excludes(self, target: Array) -> Any:
        """Return whether targets, (…, 4, 4) or (…, 3), are outside of the shell."""
        there = target[..., :3, :3] @ self.point + target[..., :3, 3] if target.shape[-1] == 4 else target
        distance = np.linalg.norm(there - self.center, axis=-1)
        return (distance > self.most) | (distance < self.least)


def shells(robot: Robot, problem: Problem, limits: Limits) -> tuple[Shell | None, ...]:
    """Return the shell of each goal, or None if the goal leaves the position open or joints between slide."""
    return tuple(_shell(robot, goal, limits, goal.tolerance or problem.tolerances) for goal in problem.goals)


def _shell(robot: Robot, goal: Goal, limits: Limits, tolerance: tuple[float, float]) -> Shell | None:
    bodies = tree(robot)
    up, down = path_between(bodies, bodies.frame(goal.base)[0], bodies.frame(goal.frame)[0])
    is_placed = goal.kind in ("pose", "position") and all(goal.weights[:3])
    kinds = {robot.joints[bodies.joints[i]].type for i in (*up, *down)}
    if not is_placed or not kinds or kinds - {"revolute", "continuous"}:
        return None
    chain = serial_chain(robot, goal.base, goal.frame)
    h, a = (np.array(rows) for rows in zip(*((j.direction, j.T[:3, 3]) for j in chain.joints), strict=True))
    if goal.kind == "position" or not all(goal.weights):  # no other point of the frame is known
        h, a = np.vstack([h, np.zeros(3)]), np.vstack([a, chain.T_tip[:3, 3]])
    points = _taut(h, a)
    least, most = _distances(chain, points, limits)
    R, p = chain.T_tip[:3, :3], chain.T_tip[:3, 3]
    point = (points[-1] - p) @ R
    spare = tolerance[0] + tolerance[1] * float(np.linalg.norm(point)) + SHARE * most
    return Shell(center=points[0], point=point, least=max(least - spare, 0.0), most=most + spare)


def _taut(h: Array, a: Array) -> Array:
    """Return points (n, 3) on axes h (n, 3) through a (n, 3), with a short way along them (Weiszfeld)."""
    n = len(h)
    steps = np.zeros((n - 1, 3, n))  # of the way, for each place along an axis
    for i in range(n - 1):
        steps[i, :, i], steps[i, :, i + 1] = -h[i], h[i + 1]
    places, apart = np.zeros(n), np.diff(a, axis=0)
    for _ in range(PASSES):
        lengths = np.linalg.norm(steps @ places + apart, axis=1)
        root = 1.0 / np.sqrt(np.maximum(lengths, 1e-6 * max(lengths.max(initial=0.0), 1e-6)))
        A = (root[:, None, None] * steps).reshape(-1, n)
        places = np.linalg.lstsq(A, -(root[:, None] * apart).ravel(), rcond=None)[0]
    return np.asarray(a + places[:, None] * h)


def _distances(chain: SerialChain, points: Array, limits: Limits) -> tuple[float, float]:
    """Return bounds of the distance between the first and the last point.

    Neighbours keep their distance, so the way along all points is an upper bound. A joint inside its range makes the
    way around its own point longer or shorter.
    """
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    total = float(lengths.sum())
    least, most = (0.0, total) if len(lengths) != 1 else (total, total)
    for k in range(1, len(points) - 1):
        joint = chain.joints[k]
        u, v, h = points[k - 1] - points[k], points[k + 1] - points[k], joint.direction
        rest = total - float(lengths[k - 1] + lengths[k])
        near, far = _opening(u, v, h, *_range(joint.joint.name, bool(joint.joint.mimic), limits))
        least, most = max(least, near - rest), min(most, far + rest)
    return least, most


def _range(name: str, is_follower: bool, limits: Limits) -> tuple[float, float]:
    if is_follower or name not in limits.coordinate_names:
        return -np.inf, np.inf
    j = limits.coordinate_names.index(name)
    return float(limits.lower[j]), float(limits.upper[j])


def _opening(u: Sequence[float], v: Sequence[float], h: Array, lower: float, upper: float) -> tuple[float, float]:
    """Return the least and largest distance of u from v turned about h by an angle in a range (law of cosines)."""
    along = float(np.dot(u, h) * np.dot(v, h))
    cosine, sine = float(np.dot(u, v)) - along, float(np.dot(u, np.cross(h, v)))
    fixed, radius, at = float(np.dot(u, u) + np.dot(v, v)) - 2 * along, np.hypot(cosine, sine), np.arctan2(sine, cosine)
    squares = [fixed - 2 * radius * c for c in _cosines(lower - at, upper - at)]
    return float(np.sqrt(max(min(squares), 0.0))), float(np.sqrt(max(max(squares), 0.0)))


def _cosines(lower: float, upper: float) -> tuple[float, float]:
    """Return the least and largest cosine of angles in a range."""
    if not upper - lower < 2 * np.pi:
        return -1.0, 1.0
    ends = (float(np.cos(lower)), float(np.cos(upper)))
    has_most = np.floor(upper / (2 * np.pi)) >= np.ceil(lower / (2 * np.pi))
    has_least = np.floor(upper / (2 * np.pi) - 0.5) >= np.ceil(lower / (2 * np.pi) - 0.5)
    return -1.0 if has_least else min(ends), 1.0 if has_most else max(ends)


DOUBLE = np.dtype(float)
Make = Callable[..., Kernel]
FORMS = 8
"""Most solutions of a closed form."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OneCall(Brief):
    """Kernels of an `IK` that answer in one call.

    enter: the state of a start q0 that is inside all limits, or with GOING below zero; None if the bounds depend on
    joints that do not move. ordered, verdict: `ordered_forms` and `has_form` of an
    arm with a closed form. shells: of the goals, outside of which nothing can be reached.
    """

    enter: Kernel | None
    ordered: Kernel | None
    verdict: Kernel | None
    shells: tuple[Shell | None, ...]

    def begin(self, q0: Any) -> Array | None:
        """Return states (…, s) at starts q0 (…, nq); None if one is outside the limits, or not as the kernel takes it,
        or if there is no kernel."""
        if self.enter is None or type(q0) is not np.ndarray or q0.dtype is not DOUBLE:
            return None
        if q0.shape[-1:] != self.enter.inputs[0].shape:
            return None
        states: Array = self.enter(q0)
        return states if (states[GOING] > 0.0 if q0.ndim == 1 else (states[..., GOING] > 0.0).all()) else None


def one_call(
    robot: Robot, model: Tree, inside: Inside, problem: Problem, arm: SixAxes | None, kernel: Make, key: str
) -> OneCall:
    """Return the kernels. model: the robot as computed. kernel: makes one of them. key: a hash of all that the problem
    depends on."""
    limits = inside.limits
    state, whole = Port("state", (HEAD + 2 * len(problem.columns) + problem.memory,)), Port("q0", (problem.nq,))
    entered = partial(_entered, problem, limits)
    enter = Kernel("enter", (whole,), state, lambda: trace(entered, whole.shape), f"enter {key}")
    closed: dict[str, Kernel | None] = {"ordered": None, "verdict": None}
    if arm:
        forms, verdict = (partial(form, model, arm, limits) for form in (ordered_forms, has_form))
        solutions = Port("solutions", (FORMS, problem.nq + 1))
        closed["ordered"] = kernel("solutions", forms, whole, "h", "center", output=solutions)
        closed["verdict"] = kernel("verdict", verdict, whole, "h", "center", output=Port("verdict", ()))
    return OneCall(enter=None if inside.rows.any() else enter, **closed, shells=shells(robot, problem, limits))


def _entered(problem: Problem, limits: Limits, q0: Any) -> Array:
    """Return the state that begins at q0 (nq,), with GOING -1 if q0 is outside the limits or not
    finite, or a quaternion is nearly zero or huge."""
    going, own = entered(problem, limits, q0)
    head: list[Any] = [0.0] * HEAD
    head[GOING], head[COST] = going, np.inf
    return np.array([*head, *own, *own, *[0.0] * problem.memory])
