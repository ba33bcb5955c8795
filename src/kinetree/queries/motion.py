"""Poses of frames, their velocities, Jacobians and manipulability."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack, get_args

import numpy as np

from kinetree.algorithms import differential
from kinetree.algorithms.differential import Axes, Representation
from kinetree.algorithms.kinematics import forward_kinematics
from kinetree.compiler.expr import rate
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port
from kinetree.errors import fail, nearest_names
from kinetree.model.robot import Robot
from kinetree.model.tree import Tree
from kinetree.queries.joint_choice import Joints
from kinetree.queries.options import OriginOptions, robot_query, wants_closed
from kinetree.queries.query import frames_of, memoise, one_of, query, tree, velocities
from kinetree.spatial.se3 import Array


@robot_query
def fk(
    robot: Robot,
    frames: str | Sequence[str],
    base: str | None = None,
    *,
    driven: Joints = None,
    loops: str = "ignore",
    **options: Unpack[OriginOptions],
) -> Kernel:
    """Return the forward kinematics of frames: a kernel from q (…, nq) to T_base_frame (…, 4, 4).

    frames: a name of `robot.frames`, or a list of k names, which gives (…, k, 4, 4). base: the frame in which the poses
    are expressed, the root link by default. A frame relative to itself is exactly the identity. Metres and radians; the
    order of q is `robot.joint_names`. driven, loops, joints, at: see `kinetree.kinematics`.

    Raises KinetreeError for a name that is not a frame.

    Examples:
        >>> import kinetree as kt
        >>> icub = kt.load("icub")
        >>> T = kt.fk(icub, "l_hand")(icub.q({"l_elbow": 60}, unit="deg"))
        >>> T.shape
        (4, 4)
        >>> T[:3, 3].round(3)  # position of the hand in the root link, m
        array([-0.141, -0.11 , -0.061])
    """
    single = isinstance(frames, str) or not isinstance(frames, Iterable)
    asked: list[Any] = [frames] if single else list(frames)
    base, *names = frames_of(robot, [base, *asked])
    output = Port("T", (4, 4) if single else (len(names), 4, 4), about=f"poses of {', '.join(names)} in {base}; m")

    def poses(model: Tree, q: Any) -> Any:
        T = forward_kinematics(model, q, names, base)
        return T[0] if single else np.array(T).reshape(output.shape)

    kernel = query(robot, ("fk", names[0] if single else tuple(names), base), [base, *names], output, poses)
    if not wants_closed(driven, loops):
        return kernel
    from kinetree.queries.closed import closed, closer_of  # seldom wanted

    return closed(closer_of(robot, driven), kernel)


@robot_query
def jacobian(
    robot: Robot,
    frame: str | Sequence[str],
    base: str | None = None,
    expressed_in: str = "base",
    *,
    driven: Joints = None,
    loops: str = "ignore",
    **options: Unpack[OriginOptions],
) -> Kernel:
    """Return the Jacobian of a frame: a kernel from q (…, nq) to J (…, 6, nv), with J qd the twist of `velocity`; of a
    list of k frames (…, k, 6, nv).

    Rows: velocity of the frame's origin in m/s, then angular velocity in rad/s, both relative to `base` (the root link
    by default), in the axes of `base`, of the `frame`, or of another frame that `expressed_in` names. Columns:
    `robot.velocity_names`; a mimic follower counts in its leader's column. A frame relative to itself gives exact
    zeros. Lynch & Park, Modern Robotics, section 5.1.
    driven, loops, joints, at: see `kinetree.kinematics`; with driven= the columns are of the driven joints.

    Raises KinetreeError for a name that is not a frame and for other axes.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.chain("Rz(q1) tx(0.4) Rz(q2) tx(0.3)")
        >>> kt.jacobian(arm, "tip")([0.0, 0.0]).round(3) + 0.0  # rows vx, vy, vz, wx, wy, wz
        array([[0. , 0. ],
               [0.7, 0.3],
               [0. , 0. ],
               [0. , 0. ],
               [0. , 0. ],
               [1. , 1. ]])
        >>> arm.velocity_names  # the columns
        ('q1', 'q2')
    """
    kernel = _differential(robot, "jacobian", frame, base, expressed_in, differential.jacobian)
    if not wants_closed(driven, loops):
        return kernel
    from kinetree.queries.closed import closed_jacobian  # seldom wanted

    key = (frame if isinstance(frame, str) else tuple(frame), base, expressed_in)
    return closed_jacobian(robot, driven, kernel, key)


@robot_query
def jacobian_dot(
    robot: Robot,
    frame: str | Sequence[str],
    base: str | None = None,
    expressed_in: str = "base",
    **options: Unpack[OriginOptions],
) -> Kernel:
    """Return the rate of `jacobian`: a kernel from q (…, nq) and qd (…, nv) to dJ/dt (…, 6, nv); of a list of k
    frames (…, k, 6, nv).

    The time derivative of the twist J qd is J qdd + dJ/dt qd. With expressed_in="frame" it is that of the twist's
    numbers in the axes of the frame, which turn; likewise with the name of another frame.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.chain("Rz(q1) tx(0.4) Rz(q2) tx(0.3)")
        >>> qd = [2.0, 0.0]
        >>> J_dot = kt.jacobian_dot(arm, "tip")([0.0, 0.0], qd)
        >>> (J_dot @ qd).round(3) + 0.0  # centripetal, -0.7 m times (2 rad/s)²
        array([-2.8,  0. ,  0. ,  0. ,  0. ,  0. ])
    """

    def algorithm(model: Tree, q: Any, qd: Any, *arguments: Any) -> Any:
        return rate(differential.jacobian(model, q, *arguments), q, differential.coordinate_rates(model, q, qd))

    return _differential(robot, "jacobian_dot", frame, base, expressed_in, algorithm, rates=1)


@robot_query
def hessian(
    robot: Robot,
    frame: str | Sequence[str],
    base: str | None = None,
    expressed_in: str = "base",
    **options: Unpack[OriginOptions],
) -> Kernel:
    """Return the derivative of `jacobian`: a kernel from q (…, nq) to H (…, nv, 6, nv); of a list of k frames
    (…, k, nv, 6, nv).

    H[…, i, :, j] is the derivative of J[…, :, j] along velocity coordinate i: its rate while qd[i] is one and the
    others are zero. So dJ/dt is the sum of qd[i] H[i].

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.chain("Rz(q1) tx(0.4) Rz(q2) tx(0.3)")
        >>> H = kt.hessian(arm, "tip")([0.0, 0.0])
        >>> H.shape
        (2, 6, 2)
        >>> H[0, :3, 1].round(3) + 0.0  # change of the linear part of q2's column, per rad of q1
        array([-0.3,  0. ,  0. ])
    """

    def algorithm(model: Tree, q: Any, *arguments: Any) -> Any:
        if expressed_in in get_args(Axes):
            return differential.hessian(model, q, *arguments)
        J, along = differential.jacobian(model, q, *arguments), np.eye(model.nv)
        return np.array([rate(J, q, differential.coordinate_rates(model, q, one)) for one in along])

    return _differential(robot, "hessian", frame, base, expressed_in, algorithm)


@robot_query
def velocity(
    robot: Robot,
    frame: str | Sequence[str],
    base: str | None = None,
    expressed_in: str = "base",
    **options: Unpack[OriginOptions],
) -> Kernel:
    """Return the twist of a frame: a kernel from q (…, nq) and qd (…, nv) to (…, 6); of a list of k frames
    (…, k, 6).

    Velocity of the frame's origin in m/s, then angular velocity in rad/s, both relative to `base` (the root link by
    default), in the axes of `base`, of the `frame`, or of another frame that `expressed_in` names.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.chain("Rz(q1) tx(0.4) Rz(q2) tx(0.3)")
        >>> kt.velocity(arm, "tip")([0.0, 0.0], [2.0, 0.0]).round(3) + 0.0  # m/s, then rad/s
        array([0. , 1.4, 0. , 0. , 0. , 2. ])
    """
    return _differential(robot, "velocity", frame, base, expressed_in, differential.velocity, rates=1)


@robot_query
def acceleration(
    robot: Robot,
    frame: str | Sequence[str],
    base: str | None = None,
    expressed_in: str = "base",
    **options: Unpack[OriginOptions],
) -> Kernel:
    """Return the acceleration of a frame: a kernel from q (…, nq), qd and qdd (…, nv) to (…, 6), J qdd + dJ/dt qd;
    of a list of k frames (…, k, 6).

    Acceleration of the frame's origin in m/s², the second derivative of its position (not Featherstone's spatial
    acceleration); then the angular acceleration in rad/s². Both are relative to `base` (the root link by default), in
    the axes of `base`. In the axes of the `frame` it is the derivative of the numbers that `velocity` returns there.

    Examples:
        >>> import kinetree as kt
        >>> wheel = kt.chain("Rz(q1) tx(0.5)")
        >>> kernel = kt.dynamics.acceleration(wheel, "tip")
        >>> A = kernel([0], [2], [3])  # 0.5 m from the axis, 2 rad/s, 3 rad/s²
        >>> {name: round(x, 2) for name, x in zip(kernel.output.labels, A.tolist()) if x}
        {'ax': -2.0, 'ay': 1.5, 'alphaz': 3.0}
    """

    def algorithm(model: Tree, q: Any, qd: Any, qdd: Any, *arguments: Any) -> Any:
        V = differential.velocity(model, q, qd, *arguments)
        return rate(V, [*q, *qd], [*differential.coordinate_rates(model, q, qd), *qdd])

    return _differential(robot, "acceleration", frame, base, expressed_in, algorithm, rates=2)


def _differential(
    robot: Robot,
    name: str,
    frame: str | Sequence[str],
    base: str | None,
    expressed_in: str,
    algorithm: Callable[..., Any],
    *,
    rates: int = 0,
) -> Kernel:
    """Return the kernel of an algorithm on (tree, q[, qd[, qdd]], frame, base, expressed_in), or of each frame."""
    single = isinstance(frame, str) or not isinstance(frame, Iterable)
    asked: list[Any] = [frame] if single else list(frame)
    base, *frames = frames_of(robot, [base, *asked])
    own = expressed_in in (legal := get_args(Axes))
    if not own and expressed_in not in robot.frames:
        near = nearest_names(str(expressed_in), [*legal, *robot.frames])
        raise fail("argument", f"expressed_in is {expressed_in!r}; expected 'base', 'frame' or a name; {near}")
    qd = velocities(robot)
    (nv,), names = qd.shape, qd.labels
    named = ", ".join(frames)
    axes = {"frame": named if single else "each frame", "base": base}.get(expressed_in, expressed_in)
    about = f"{named} relative to {base}, linear then angular, in the axes of {axes}; m, rad, s"
    output = {
        "jacobian": Port("J", (6, nv), names, about),
        "jacobian_dot": Port("Jd", (6, nv), names, about),
        "hessian": Port("H", (nv, 6, nv), names, about),
        "velocity": Port("V", (6,), ("vx", "vy", "vz", "wx", "wy", "wz"), about),
        "acceleration": Port("A", (6,), ("ax", "ay", "az", "alphax", "alphay", "alphaz"), about),
    }[name]

    output = output if single else replace(output, shape=(len(frames), *output.shape))

    def along(model: Tree, *numbers: Any) -> Any:
        found = [algorithm(model, *numbers, one, base, expressed_in) for one in frames]
        return found[0] if single else np.array(found).reshape(output.shape)

    more = [qd, velocities(robot, "qdd")][:rates]
    return query(
        robot,
        (name, frames[0] if single else tuple(frames), base, expressed_in),
        [base, *frames, *([] if own else [expressed_in])],
        output,
        along,
        more,
    )


@robot_query
def analytical_jacobian(
    robot: Robot,
    frame: str,
    base: str | None = None,
    representation: Representation = "rpy",
    **options: Unpack[OriginOptions],
) -> Kernel:
    """Return the Jacobian of six pose coordinates: a kernel from q (…, nq) to (…, 6, nv).

    Rows: the rates of the frame's position xyz in `base` (the root link by default), then those of its roll, pitch and
    yaw (fixed axes, R = Rz(yaw) Ry(pitch) Rx(roll)) or of its rotation vector, the axis times an angle up to pi.

    Near a pitch of ±pi/2 the rates of roll and yaw grow without bound; they are NaN where its cosine is below 1e-14. A
    rotation vector has rates everywhere; at half a turn, where it has two values, they are those of one of them.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.chain("Rz(q1) tx(0.4) Rz(q2) tx(0.3)")
        >>> J = kt.kinematics.analytical_jacobian(arm, "tip")([0.0, 0.0])
        >>> names = ("x", "y", "z", "roll", "pitch", "yaw")
        >>> dict(zip(names, (J[:, 1].round(3) + 0.0).tolist(), strict=True))  # of q2
        {'x': 0.0, 'y': 0.3, 'z': 0.0, 'roll': 0.0, 'pitch': 0.0, 'yaw': 1.0}
    """
    frame, base = frames_of(robot, (frame, base))
    one_of("representation", representation, get_args(Representation))
    about = f"xyz and {representation} of {frame} in {base}; m, rad"
    qd = velocities(robot)
    output = Port("J", (6, *qd.shape), qd.labels, about)

    def algorithm(model: Tree, q: Any) -> Any:
        return differential.analytical_jacobian(model, q, frame, base, representation)

    return query(robot, ("analytical_jacobian", frame, base, representation), [base, frame], output, algorithm)


@robot_query
def manipulability(
    robot: Robot,
    frame: str,
    base: str | None = None,
    method: str = "yoshikawa",
    rows: str | Sequence[str] = "all",
    **options: Unpack[OriginOptions],
) -> "Kernel | SingularValues":
    """Return a measure of how well a frame moves in every direction: a callable from q (…, nq) to numbers (…).

    method: "yoshikawa", sqrt(det(J Jᵀ)), the product of the singular values of the Jacobian (Yoshikawa, 1985);
    "minimum_singular_value", the least of them; "condition", the least divided by the largest, the reciprocal of the
    condition number: 1 if all directions are alike. All three are zero if a direction is lost, exactly so if fewer
    coordinates move the frame than there are rows. The first is a kernel; the others use NumPy's singular values.

    rows: of the Jacobian: "all", "linear", "angular", or directions of "x", "y", "z" and turns "rx", "ry", "rz" about
    them, such as "x y" for an arm in a plane, or a list. All rows together mix metres with radians.

    Examples:
        >>> import kinetree as kt
        >>> icub = kt.load("icub")
        >>> measure = kt.manipulability(icub, "l_hand", base="chest")
        >>> [float(measure(icub.q({"l_elbow": angle}, unit="deg")).round(4)) for angle in (10, 50, 90)]
        [0.0003, 0.0053, 0.0069]
    """
    frame, base = frames_of(robot, (frame, base))
    one_of("method", method, _METHODS)
    given: Any = rows if isinstance(rows, Iterable) else [rows]
    named = given.replace(",", " ").split() if isinstance(given, str) else [*given]
    for name in named or [given]:
        one_of("rows", name, _ROWS)
    where = sorted({i for name in named for i in _ROWS[name]})
    if method != "yoshikawa":
        enough = len(differential.moving(tree(robot), frame, base)) >= len(where)
        kernel = jacobian(robot, frame, base)
        return memoise(
            robot,
            ("manipulability", frame, base, method, *where),
            lambda: SingularValues(kernel, where, enough, relative=method == "condition"),
        )

    def algorithm(model: Tree, q: Any) -> Any:
        return differential.yoshikawa(model, q, frame, base, where)

    output = Port("w", (), about=f"{' '.join(named)} motion of {frame} relative to {base}; m, rad")
    return query(robot, ("manipulability", frame, base, method, *where), [base, frame], output, algorithm)


_METHODS = ("yoshikawa", "minimum_singular_value", "condition")
_ROWS = {"all": range(6), "linear": range(3), "angular": range(3, 6)}
_ROWS |= {name: range(i, i + 1) for i, name in enumerate(differential.DIRECTIONS)}


@dataclass(frozen=True, slots=True)
class SingularValues:
    """The least singular value of some rows of a Jacobian; divided by the largest, if `relative`.

    Call it with q (…, nq), and the other inputs of the Jacobian. enough: whether at least as many coordinates move the
    frame as there are rows; if not, the result is zero. NaN or infinity in a Jacobian gives NaN.
    """

    jacobian: Kernel
    rows: list[int]
    enough: bool
    relative: bool

    def __call__(self, q: Any, *others: Any) -> Array:
        J = self.jacobian(q, *others)[..., self.rows, :]
        if not self.enough:
            return np.zeros(J.shape[:-2])
        finite = np.isfinite(J).all(axis=(-2, -1))
        values = np.linalg.svdvals(np.where(finite[..., None, None], J, 0.0))  # largest first
        least, largest = values[..., -1], values[..., 0]
        if self.relative:
            least = np.divide(least, largest, out=np.zeros_like(least), where=largest > 0)
        return np.where(finite, least, np.nan)
