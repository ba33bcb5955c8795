"""Goals of inverse kinematics: the error of a frame, a posture or the centre of mass, and its rate when the joints
move."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np

from kinetree.algorithms.differential import Axes, jacobian, twists
from kinetree.algorithms.dynamics.momentum import center_of_mass_jacobian, mass_center
from kinetree.algorithms.kinematics import forward_kinematics
from kinetree.algorithms.vectors import cross, dot, largest, wrapped
from kinetree.model.tree import Tree
from kinetree.spatial.numbers import LARGEST

WIDE = 0.1
"""Limit of 1 + cos(angle), or of 2 + 2 cos(angle), below which a turn counts as nearly half a turn."""


@dataclass(frozen=True, slots=True)
class Goal:
    """A goal of inverse kinematics, such as a pose that `frame` shall reach, as seen from `base`; made by `kt.goal`.

    kind: a row of GOALS. weights: of the errors along x, y, z and about them, 1/m and 1/rad, in the axes of base or
    frame (`expressed_in`); zero ignores an error. axis: of the frame, for "pointing"; of the base, for "heading".
    tolerance: m and rad; None for that of the problem. weight: None if the goal is hard, or that of a soft one. posture
    (nq,): for "posture", else empty.
    """

    kind: str
    frame: str
    base: str
    weights: tuple[float, ...] = (1.0,) * 6
    expressed_in: Axes = "base"
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    tolerance: tuple[float, float] | None = None
    weight: float | None = None
    posture: tuple[float, ...] = ()

    def __repr__(self) -> str:
        given = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "kind"}
        usual = {field.name: field.default for field in fields(self)} | {"frame": "", "base": ""}
        shown = [f"{name}={value!r}" for name, value in given.items() if value != usual[name]]
        return f"Goal({', '.join([self.kind, *shown])})"

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of its target."""
        return (len(self.posture),) if self.kind == "posture" else GOALS[self.kind].shape

    @property
    def is_partly_free(self) -> bool:
        """Return whether its weights along axes, or about them, differ."""
        return any(len({*self.weights[i : i + 3]}) > 1 for i in (0, 3))

    @property
    def size(self) -> int:
        """Number of its rows."""
        return sum(1 for i in GOALS[self.kind].weights if self.weights[i] or self.kind == "pointing")


class Row(NamedTuple):
    """One error that shall become zero, m or rad; J: how fast it falls for each coordinate; weight."""

    error: Any
    J: list[Any]
    weight: float


class Rows(NamedTuple):
    """Rows of a goal, for lengths and for angles."""

    linear: list[Row]
    angular: list[Row]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of goal. shape: of its target. weights: which of the six it uses. rows: see `goal_rows`. has_frame:
    whether it is about a frame; otherwise it is about all joints."""

    shape: tuple[int, ...]
    weights: tuple[int, ...]
    rows: Callable[..., Rows]
    has_frame: bool = True


def goal_rows(tree: Tree, goal: Goal, rates: Sequence[int], q: Any, target: Any, *, exact: bool = False) -> Rows:
    """Return the rows of a goal over these coordinates of qd, at q (nq,).

    exact: measure turns by their angle, with J as its derivative everywhere; otherwise by the chord, with J as if the
    angle were small, which costs less and is the same at the goal.
    """
    return GOALS[goal.kind].rows(tree, goal, [int(j) for j in rates], q, target, exact)


def _of_frame(rows: Callable[[Goal, Any, Any, Sequence[Any], bool], Rows]) -> Callable[..., Rows]:
    """Return the rows of a kind from a function of the goal, its target, the frame's pose, the twist of every
    coordinate, and whether angles are exact."""

    def made(tree: Tree, goal: Goal, rates: Sequence[int], q: Any, target: Any, exact: bool) -> Rows:
        (here,) = forward_kinematics(tree, q, [goal.frame], goal.base)
        twist: dict[int, list[Any]] = {j: [0.0] * 6 for j in rates}
        for j, _, v, w in twists(tree, q, goal.frame, goal.base):
            if j in twist:
                twist[j] = [a + b for a, b in zip(twist[j], [*v, *w], strict=True)]
        return rows(goal, target, here, [twist[j] for j in rates], exact)

    return made


def _pose(goal: Goal, T: Any, here: Any, twist: Sequence[Any], exact: bool) -> Rows:
    linear = _position(goal, T[:3, 3], here, twist, exact).linear
    return Rows(linear, _orientation(goal, T[:3, :3], here, twist, exact).angular)


def _position(goal: Goal, p: Any, here: Any, twist: Sequence[Any], exact: bool) -> Rows:
    error, J = [p[i] - here[i, 3] for i in range(3)], [list(x[:3]) for x in twist]
    if goal.expressed_in == "frame":
        error, J = _in_frame(here, error, J, twist, exact)
    return Rows(_weighted(goal.weights[:3], error, J), [])


def _orientation(goal: Goal, R: Any, here: Any, twist: Sequence[Any], exact: bool) -> Rows:
    turn = np.array([[sum(R[i, k] * here[j, k] for k in range(3)) for j in range(3)] for i in range(3)])
    error, J = chord(turn), [list(x[3:]) for x in twist]
    if exact:
        error, J = _by_angle(error, J)
    if goal.expressed_in == "frame":
        error, J = _in_frame(here, error, J, twist, exact)
    return Rows([], _weighted(goal.weights[3:], error, J))


def _by_angle(error: list[Any], J: list[list[Any]]) -> tuple[list[Any], list[list[Any]]]:
    """Return the rotation vector phi of a chord, and how it falls while the frame turns at w: the inverse of the right
    Jacobian of SO(3) times w (Sola, Deray & Atchuthan, A micro Lie theory, 2018, equation 144)."""
    half, scale, is_small = _half_angle(error)
    phi = [scale * x for x in error]
    # 1 / angle² - (1 + cos angle) / (2 angle sin angle), in halves of the angle
    other = (1.0 - half / np.tan(np.where(is_small, 1.0, half))) / (4.0 * half * half + np.where(is_small, 1.0, 0.0))
    other = np.where(is_small, 1.0 / 12.0, other)
    falls = []
    for w in J:
        once = cross(phi, w)
        twice = cross(phi, once)
        falls.append([a + 0.5 * b + other * c for a, b, c in zip(w, once, twice, strict=True)])
    return phi, falls


def _half_angle(chord: Sequence[Any]) -> tuple[Any, Any, Any]:
    """Return half the angle of a chord, the angle divided by the length of the chord, and whether that is nearly zero;
    half the angle is another number then, so that derivatives are finite."""
    square = dot(chord, chord)
    is_small = square < 1e-12
    c = np.sqrt(np.where(is_small, 1.0, square))
    half = np.arcsin(np.minimum(c / 2.0, 1.0))
    return half, np.where(is_small, 1.0, 2.0 * half / c), is_small


def by_angle(chord: Sequence[Any]) -> list[Any]:
    """Return the rotation vector of a chord."""
    _, scale, _ = _half_angle(chord)
    return [scale * x for x in chord]


def _in_frame(
    here: Any, error: list[Any], J: list[list[Any]], twist: Sequence[Any], exact: bool
) -> tuple[list[Any], list[list[Any]]]:
    """Return an error and how it falls, converted from the base's axes to the frame's, which turn too."""
    error, J = _turned(here, error), [_turned(here, v) for v in J]
    if exact:
        carried = [cross(_turned(here, x[3:]), error) for x in twist]
        J = [[a + b for a, b in zip(v, c, strict=True)] for v, c in zip(J, carried, strict=True)]
    return error, J


def _turned(here: Any, v: Any) -> list[Any]:
    """Return a vector of the base in the frame's axes."""
    return [sum(here[k, i] * v[k] for k in range(3)) for i in range(3)]


def _weighted(weights: Sequence[float], error: list[Any], J: list[list[Any]]) -> list[Row]:
    """Return the rows with a weight other than zero, from errors (3,) and the columns of J."""
    return [Row(error[i], [column[i] for column in J], weights[i]) for i in range(3) if weights[i]]


def _pointing(goal: Goal, point: Any, here: Any, twist: Sequence[Any], exact: bool) -> Rows:
    """Return the rows that bring the frame's axis d onto the direction u of a point: d x u = 0, d . u > 0."""
    d = [sum(here[i, k] * goal.axis[k] for k in range(3)) for i in range(3)]
    way = [point[i] - here[i, 3] for i in range(3)]
    distance = np.sqrt(dot(way, way))
    distance = np.where(distance > 1e-9, distance, 1.0)
    u = [x / distance for x in way]
    weight, cosine = max(goal.weights[3:]), dot(d, u)
    if goal.weight is not None and exact:  # the chord u - d, whose squares have a gradient everywhere
        falls = []
        for x in twist:
            along, turning = dot(x[:3], u), cross(x[3:], d)
            falls.append([turning[i] + (x[i] - along * u[i]) / distance for i in range(3)])
        return Rows([], [Row(u[i] - d[i], [column[i] for column in falls], weight) for i in range(3)])
    usual = [x / np.sqrt(np.where(cosine > WIDE - 1.0, (1.0 + cosine) / 2.0, 1.0)) for x in cross(d, u)]
    aside = [np.where(abs(u[0]) < 0.6, x, y) for x, y in zip(cross([1.0, 0, 0], u), cross([0, 1.0, 0], u), strict=True)]
    length = np.sqrt(dot(aside, aside))
    error = [np.where(cosine > WIDE - 1.0, a, 2.0 * b / length) for a, b in zip(usual, aside, strict=True)]
    J = []
    for x in twist:
        v, w = x[:3], x[3:]
        along_w, along_v = dot(w, u), dot(v, u)
        seen = cross(d, [(v[i] - along_v * u[i]) / distance for i in range(3)])
        J.append([w[i] * cosine - d[i] * along_w + seen[i] for i in range(3)])
    return Rows([], [Row(error[i], [column[i] for column in J], weight) for i in range(3)])


def _heading(goal: Goal, angle: Any, here: Any, twist: Sequence[Any], exact: bool) -> Rows:
    """Return the row that turns the frame about an axis of the base: the angle of its next axis, x for z, in the plane
    across the axis, counted from the base's own next axis."""
    k = goal.axis.index(1.0)
    i, j = (k + 1) % 3, (k + 2) % 3
    x, y = here[i, i], here[j, i]
    squares = np.maximum(x * x + y * y, 1e-12)
    J = [(x * way[j] - y * way[i]) / squares for way in (cross(one[3:], here[:3, i]) for one in twist)]
    off = wrapped(angle[()] - np.arctan2(y, x))
    return Rows([], [Row(off if exact else 2.0 * np.sin(off / 2.0), J, 1.0)])


def _center_of_mass(tree: Tree, goal: Goal, rates: Sequence[int], q: Any, target: Any, exact: bool) -> Rows:
    """Return the rows that bring the centre of mass of all links to a point of the base."""
    c, columns = mass_center(tree, q)[0], [*center_of_mass_jacobian(tree, q).T]
    (T,) = forward_kinematics(tree, q, [goal.base])
    lever = c - T[:3, 3]
    if tree.frame(goal.base)[0] >= 0:  # the base moves
        moves = jacobian(tree, q, goal.base)
        columns = [v - m[:3] - np.array(cross(m[3:], lever)) for v, m in zip(columns, moves.T, strict=True)]
    here, J = _turned(T, lever), [_turned(T, columns[j]) for j in rates]
    return Rows(_weighted(goal.weights[:3], [target[i] - here[i] for i in range(3)], J), [])


def _posture(tree: Tree, goal: Goal, rates: Sequence[int], q: Any, target: Any, exact: bool) -> Rows:
    """Return a row for each coordinate of a joint without a quaternion."""
    found: dict[int, tuple[bool, Row]] = {}
    for kind, here, there in zip(tree.joint_type, tree.q_slice, tree.v_slice, strict=True):
        for turns, i, j in zip(kind.angular, range(tree.nq)[here], range(tree.nv)[there], strict=False):
            if not kind.quaternion:
                found[j] = turns, Row(target[i] - q[i], [1.0 if k == j else 0.0 for k in rates], 1.0)
    return Rows(*([row for turns, row in found.values() if turns == angular] for angular in (False, True)))


def fault_of(*targets: Any) -> Any:
    """Return how far targets are from finite numbers and rigid transforms: zero, above zero, or NaN."""
    fault: Any = 0.0
    for target in targets:
        size = largest([0.0, *(abs(x) for x in np.ravel(target))])
        fault = np.maximum(fault, np.where(size <= LARGEST, 0.0, np.inf))
        if target.ndim < 2:
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


def chord(R: Any) -> list[Any]:
    """Return 2 sin(angle / 2) times the axis (3,) of a rotation (3, 3); at half a turn either of the two."""
    w = 1.0 + R[0, 0] + R[1, 1] + R[2, 2]  # 4 cos(angle / 2)²
    twice_sine = [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]
    scale = 1.0 / np.sqrt(np.where(w > WIDE, w, 1.0))
    usual = [x * scale for x in twice_sine]
    # near half a turn the axis u is in the largest column of 4 sin(angle / 2)² u u.T
    rest = 2.0 - w
    B = [[R[i, j] + R[j, i] + (rest if i == j else 0.0) for j in range(3)] for i in range(3)]
    column, size = B[0], B[0][0]
    for i in (1, 2):
        larger = B[i][i] > size
        column = [np.where(larger, a, b) for a, b in zip(B[i], column, strict=True)]
        size = np.where(larger, B[i][i], size)
    scale = np.copysign(1.0, dot(column, twice_sine)) / np.sqrt(np.where(size > WIDE, size, 1.0))
    return [np.where(w > WIDE, a, b * scale) for a, b in zip(usual, column, strict=True)]


GOALS = {
    "pose": Kind((4, 4), (0, 1, 2, 3, 4, 5), _of_frame(_pose)),
    "position": Kind((3,), (0, 1, 2), _of_frame(_position)),
    "orientation": Kind((3, 3), (3, 4, 5), _of_frame(_orientation)),
    "pointing": Kind((3,), (3, 4, 5), _of_frame(_pointing)),
    "heading": Kind((), (5,), _of_frame(_heading)),
    "center_of_mass": Kind((3,), (0, 1, 2), _center_of_mass, has_frame=False),
    "posture": Kind((), (), _posture, has_frame=False),
}
"""Every kind of goal."""
OF_A_FRAME = ("pose", "position", "orientation", "pointing")
"""Kinds that `kt.ik` takes by name."""
