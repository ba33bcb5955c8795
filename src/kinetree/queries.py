"""Questions that a robot answers: where robot and algorithms meet.

An answer is a callable on arrays, made once for a robot and its arguments and then remembered for as long as the robot
lives: `fk(robot, "tool0")(q)` in a loop prepares nothing twice.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar, get_args
from weakref import WeakKeyDictionary

import numpy as np

from kinetree.algorithms import differential
from kinetree.algorithms.differential import Axes, Representation
from kinetree.algorithms.gauge import gauged
from kinetree.algorithms.kinematics import forward_kinematics, mass_center
from kinetree.compiler.cache import digest
from kinetree.compiler.derive import rate
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port, checked
from kinetree.compiler.program import Program, trace
from kinetree.errors import Finding, UnknownNameError, fail, unknown_name
from kinetree.model.robot import Robot
from kinetree.model.tree import Tree, build_tree
from kinetree.spatial.se3 import Array

V = TypeVar("V")

_remembered: WeakKeyDictionary[Robot, dict[Hashable, Any]] = WeakKeyDictionary()
"""Per robot; what is remembered must not refer to the robot, or it would live for ever."""


def _remember(robot: Robot, key: Hashable, make: Callable[[], V]) -> V:
    answers = _remembered.setdefault(robot, {})
    if key not in answers:
        answers[key] = make()
    value: V = answers[key]
    return value


def tree(robot: Robot) -> Tree:
    """The robot as computed."""
    return _remember(robot, "tree", lambda: build_tree(robot))


def _query(
    robot: Robot,
    key: tuple[Hashable, ...],
    frames: Sequence[str],
    output: Port,
    algorithm: Callable[..., Any],
    *,
    rates: bool = False,
) -> Kernel:
    """The kernel of an algorithm on (tree, q), or on (tree, q, qd) where `rates` are asked for. key: the name of the
    query and all its arguments. frames: those that it asks about."""

    def make() -> Kernel:
        model = tree(robot)
        ports = [_coordinates(robot)]
        if rates:
            ports.append(_velocities(robot))
        shapes = [port.shape for port in ports]
        origin = digest(_remember(robot, "digest", lambda: _contents(model)), repr(key))

        def traced() -> Program:
            return trace(partial(algorithm, gauged(model, frames)), *shapes)

        return Kernel(str(key[0]), tuple(ports), output, traced, origin)

    return _remember(robot, key, make)


def _coordinates(robot: Robot) -> Port:
    return Port("q", (robot.nq,), robot.coordinate_names, "m, rad")


def _velocities(robot: Robot) -> Port:
    return _remember(robot, "velocities", lambda: Port("qd", (tree(robot).nv,), robot.velocity_names, "m/s, rad/s"))


def _contents(model: Tree) -> str:
    """Stands for all numbers of a tree."""
    names, places = model.frames.keys(), model.frames.values()
    numbers = [np.concatenate([np.ravel(a) for a in (*model.axes, *model.T_tree, *model.inertia, model.base_inertia)])]
    numbers += [np.array([*model.pitch, *model.multiplier, *model.offset]), *(T for _, T in places)]
    words = (model.parent, [t.name for t in model.joint_type], model.q_slice, model.v_slice, list(names))
    return digest(repr((words, [body for body, _ in places])), *(array.tobytes() for array in numbers))


def _frames(robot: Robot, names: Iterable[str | None]) -> tuple[str, ...]:
    """The names of frames, looked up; None is the root link."""
    if not isinstance(robot, Robot):
        raise TypeError(f"a question is asked of a robot that `kinetree.load` gives, not of a {type(robot).__name__}")
    known = tuple(robot.root if name is None else name for name in names)
    for name in known:
        if not isinstance(name, str):
            raise TypeError(f"frames are asked for by name, not by {name!r}")
        if name not in robot.frames:
            if name in robot.joints:
                child = robot.joints[name].child
                message = f"no frame {name!r}, which is a joint; the link that it moves is {child!r}"
                raise UnknownNameError(Finding("unknown-name", "error", message))
            raise unknown_name("frame", name, list(robot.frames))
    return known


def _one_of(option: str, value: object, legal: Iterable[str]) -> None:
    if value not in (names := tuple(legal)):
        raise fail(option.replace("_", "-"), f"{option} is {value!r}; legal are {', '.join(map(repr, names))}")


def fk(robot: Robot, frames: str | Sequence[str], base: str | None = None) -> Kernel:
    """Forward kinematics: a kernel from q (…, nq) to T_base_frame (…, 4, 4).

    frames: a name of `robot.frames`, or a list of k names, which gives (…, k, 4, 4). base: the frame in which the poses
    are expressed, the root link by default. A frame against itself is exactly the identity. Metres and radians; the
    order of q is `robot.joint_names`.

    Raises KinetreeError for a name that is not a frame.
    """
    single = isinstance(frames, str) or not isinstance(frames, Iterable)
    asked: list[Any] = [frames] if single else list(frames)
    base, *names = _frames(robot, [base, *asked])
    output = Port("T", (4, 4) if single else (len(names), 4, 4), about=f"poses of {', '.join(names)} in {base}; m")

    def poses(model: Tree, q: Any) -> Any:
        T = forward_kinematics(model, q, names, base)
        return T[0] if single else np.array(T).reshape(output.shape)

    return _query(robot, ("fk", names[0] if single else tuple(names), base), [base, *names], output, poses)


def jacobian(robot: Robot, frame: str, base: str | None = None, expressed_in: Axes = "base") -> Kernel:
    """The Jacobian of a frame: a kernel from q (…, nq) to J (…, 6, nv), with J qd the twist of `velocity`.

    Rows: velocity of the frame's origin in m/s, then angular velocity in rad/s, both relative to `base` (the root link
    by default), in the axes of `base` or of the `frame`; columns: `robot.velocity_names`. A mimic follower counts in
    its leader's column. A frame against itself gives exact zeros. Lynch & Park, Modern Robotics, section 5.1.

    Raises KinetreeError for a name that is not a frame and for other axes.
    """
    return _differential(robot, "jacobian", frame, base, expressed_in, differential.jacobian)


def jacobian_dot(robot: Robot, frame: str, base: str | None = None, expressed_in: Axes = "base") -> Kernel:
    """The rate of `jacobian`: a kernel from q (…, nq) and qd (…, nv) to dJ/dt (…, 6, nv).

    The acceleration that belongs to the twist J qd is J qdd + dJ/dt qd; in the axes of the frame it is the rate of the
    numbers there.
    """

    def algorithm(model: Tree, q: Any, qd: Any, *way: Any) -> Any:
        return rate(differential.jacobian(model, q, *way), q, differential.coordinate_rates(model, q, qd))

    return _differential(robot, "jacobian_dot", frame, base, expressed_in, algorithm, rates=True)


def hessian(robot: Robot, frame: str, base: str | None = None, expressed_in: Axes = "base") -> Kernel:
    """The derivative of `jacobian`: a kernel from q (…, nq) to H (…, nv, 6, nv).

    H[…, i, :, j] is the derivative of J[…, :, j] along velocity coordinate i: its rate while qd[i] is one and the
    others are zero. So dJ/dt is the sum of qd[i] H[i].
    """
    return _differential(robot, "hessian", frame, base, expressed_in, differential.hessian)


def velocity(robot: Robot, frame: str, base: str | None = None, expressed_in: Axes = "base") -> Kernel:
    """The twist of a frame: a kernel from q (…, nq) and qd (…, nv) to (…, 6).

    Velocity of the frame's origin in m/s, then angular velocity in rad/s, both relative to `base` (the root link by
    default), in the axes of `base` or of the `frame`.
    """
    return _differential(robot, "velocity", frame, base, expressed_in, differential.velocity, rates=True)


def _differential(
    robot: Robot,
    name: str,
    frame: str,
    base: str | None,
    expressed_in: Axes,
    algorithm: Callable[..., Any],
    *,
    rates: bool = False,
) -> Kernel:
    """The kernel of an algorithm on (tree, q[, qd], frame, base, expressed_in)."""
    frame, base = _frames(robot, (frame, base))
    _one_of("expressed_in", expressed_in, get_args(Axes))
    qd = _velocities(robot)
    (nv,), names = qd.shape, qd.labels
    axes = frame if expressed_in == "frame" else base
    about = f"{frame} relative to {base}, linear then angular, in the axes of {axes}; m, rad, s"
    output = {
        "jacobian": Port("J", (6, nv), names, about),
        "jacobian_dot": Port("Jd", (6, nv), names, about),
        "hessian": Port("H", (nv, 6, nv), names, about),
        "velocity": Port("V", (6,), ("vx", "vy", "vz", "wx", "wy", "wz"), about),
    }[name]

    def along(model: Tree, *numbers: Any) -> Any:
        return algorithm(model, *numbers, frame, base, expressed_in)

    return _query(robot, (name, frame, base, expressed_in), [base, frame], output, along, rates=rates)


def analytical_jacobian(
    robot: Robot, frame: str, base: str | None = None, representation: Representation = "rpy"
) -> Kernel:
    """The Jacobian of six numbers for a pose: a kernel from q (…, nq) to (…, 6, nv).

    Rows: the rates of the position xyz of the frame in `base` (the root link by default), then those of its roll, pitch
    and yaw (fixed axes, R = Rz(yaw) Ry(pitch) Rx(roll)) or of its rotation vector, the axis times an angle up to pi.

    At a pitch of ±pi/2 roll and yaw have no rates of their own: they grow without bound close to it, and are NaN there,
    up to a cosine of 1e-14. A rotation vector has rates everywhere; at half a turn, where it has two values, they
    are those of one of the two.
    """
    frame, base = _frames(robot, (frame, base))
    _one_of("representation", representation, get_args(Representation))
    about = f"xyz and {representation} of {frame} in {base}; m, rad"
    qd = _velocities(robot)
    output = Port("J", (6, *qd.shape), qd.labels, about)

    def algorithm(model: Tree, q: Any) -> Any:
        return differential.analytical_jacobian(model, q, frame, base, representation)

    return _query(robot, ("analytical_jacobian", frame, base, representation), [base, frame], output, algorithm)


def manipulability(
    robot: Robot, frame: str, base: str | None = None, method: str = "yoshikawa", rows: str = "all"
) -> Kernel | SingularValues:
    """How well a frame can move in every direction: a callable from q (…, nq) to numbers (…).

    method: "yoshikawa", sqrt(det(J Jᵀ)), the product of the singular values of the Jacobian (Yoshikawa, 1985);
    "minimum_singular_value", the least of them; "condition", the least divided by the largest, the reciprocal of the
    condition number: 1 where all directions are alike. All three are zero where some direction is lost, and exactly so
    where fewer coordinates move the frame than there are rows. The first is a kernel, the others are NumPy's singular
    values of one.

    rows: of the Jacobian: "all", "linear" or "angular". All rows together mix metres with radians.
    """
    frame, base = _frames(robot, (frame, base))
    _one_of("method", method, _METHODS)
    _one_of("rows", rows, _ROWS)
    where = _ROWS[rows]
    if method != "yoshikawa":
        enough = len(differential.moving(tree(robot), frame, base)) >= where.stop - where.start
        kernel = jacobian(robot, frame, base)
        return _remember(
            robot,
            ("manipulability", frame, base, method, rows),
            lambda: SingularValues(kernel, where, enough, relative=method == "condition"),
        )

    def algorithm(model: Tree, q: Any) -> Any:
        return differential.yoshikawa(model, q, frame, base, where)

    output = Port("w", (), about=f"{rows} motion of {frame} relative to {base}; m, rad")
    return _query(robot, ("manipulability", frame, base, method, rows), [base, frame], output, algorithm)


_METHODS = ("yoshikawa", "minimum_singular_value", "condition")
_ROWS = {"all": slice(0, 6), "linear": slice(0, 3), "angular": slice(3, 6)}


@dataclass(frozen=True, slots=True)
class SingularValues:
    """The least singular value of some rows of a Jacobian; divided by the largest, if `relative`.

    Call it with q (…, nq). enough: whether as many coordinates move the frame as there are rows; the result is zero
    otherwise. What is not finite in a Jacobian gives NaN.
    """

    jacobian: Kernel
    rows: slice
    enough: bool
    relative: bool

    def __call__(self, q: Any) -> Array:
        J = self.jacobian(q)[..., self.rows, :]
        if not self.enough:
            return np.zeros(J.shape[:-2])
        finite = np.isfinite(J).all(axis=(-2, -1))
        values = np.linalg.svdvals(np.where(finite[..., None, None], J, 0.0))  # largest first
        least, largest = values[..., -1], values[..., 0]
        if self.relative:
            least = np.divide(least, largest, out=np.zeros_like(least), where=largest > 0)
        return np.where(finite, least, np.nan)


def mass(robot: Robot) -> float:
    """The mass of all links together, in kg."""
    return sum(link.inertial.mass for link in robot.links.values() if link.inertial)


def center_of_mass(robot: Robot, q: Any) -> Array:
    """Of all links together, (…, 3) in metres in the root link's frame, at q (…, nq).

    Raises KinetreeError where the links have no mass together.
    """
    total = mass(robot)
    if not total > 0:
        raise fail("no-mass", f"the links have {total} kg together, so there is no centre of mass")
    model = tree(robot)
    (numbers,), batch = checked("center_of_mass", [_coordinates(robot)], [q], {}, float)
    centers = [mass_center(model, at) for at in numbers.reshape(-1, model.nq)]
    return np.array(centers, dtype=float).reshape(*batch, 3)
