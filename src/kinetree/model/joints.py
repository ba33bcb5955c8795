"""The joint types: one row each, and everything that differs between them is in its row.

A joint moves its child by T(q), the pose of the joint frame after the motion in the joint frame before it. Coordinates
are metres and radians. `axes` is (k, 3): unit vectors in the joint frame, k as many as the type has. The motion
subspace S (6, nv) maps qd to the velocity of the child relative to the parent in the child's axes, angular first
(Featherstone, Rigid Body Dynamics Algorithms, table 4.1). Both run on symbolic scalars.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kinetree.model.gaps import cross, hinge_gap, length, planar_gap, screw_gap, slide_gap, turned, universal_gap
from kinetree.model.rows import fixed_rows, hinge_rows, planar_rows, slide_rows, universal_rows
from kinetree.spatial import exponential, se3
from kinetree.spatial.plucker import skew
from kinetree.spatial.se3 import Array

Motion = Callable[[Array, float, Any], Array]
"""(axes (k, 3), pitch in metres per radian, q (nq,)) to an array."""

Gap = Callable[[Array, float, Array], tuple[Any, Any]]
"""(axes (k, 3), pitch, T (4, 4)) to (distance in m, angle in rad)."""

Rows = Callable[[Array, Array], list[Any]]
"""(axes (k, 3), T (4, 4)) to numbers that are linear in T."""

Bias = Callable[[Array, float, Any, Any], Array]
"""(axes (k, 3), pitch, q (nq,), qd (nv,)) to an acceleration (6,)."""

Change = Callable[[Any, Any], Any]
"""Two of q (nq,), other q (nq,) and v (nv,) to the third, or to the rates of q."""


@dataclass(frozen=True, slots=True)
class JointType:
    """One kind of joint.

    coordinates, velocities: what each number of q and of qd is; a suffix to the joint's name where there are several.
    angular: which coordinates are angles, so that degrees can be converted.
    velocity_angular: which velocity coordinates turn, in rad/s; the others are in m/s.
    axes: how many axis vectors it has.
    neutral: q at which the transform is the identity.
    urdf, sdf, mjcf: its name there, or None where the format has no such joint.
    reversible: whether T(q)⁻¹ is the motion about the opposite axes at the same q.
    by_axes: whether the axes say all of it: seen from a frame that is turned by R, it is the motion about the axes
        as they are seen from there. Where the joint frame itself gives directions, as to a ball, it is not.
    has_pitch: whether its pitch means anything.
    quaternion: where in its coordinates a quaternion xyzw stands, which may have any length but zero.
    bias: cJ = (dS/dt) qd in the child's axes, angular first (Featherstone, table 4.1).
    rates: how fast its coordinates change, for q and qd; a quaternion keeps its length.
    drift: function from qd and v to the rates that velocity coordinates v gain because their axes turn at qd: seen from
        the parent, qd changes at qdd + drift(qd, qd).
    step: function from q, qd, qdd and a time to q and qd after a step of semi-implicit Euler; by default that of each
        number, with q ⊕ v.
    integrate: function from q and v to q ⊕ v, the coordinates after unit time at the constant velocity coordinates v;
        a quaternion gets length 1.
    difference: function from q1 and q2 to q2 ⊖ q1, the v with q1 ⊕ v = q2 that turns the least.
    stretch: function from the reference of a spring and q to its deflection (nv,), along the velocity coordinates; for
        a floating joint, those of its place and of its turn, as MuJoCo has them.
    slope: function from the same to the derivative (nv, nv) of the deflection by the velocity coordinates.
    singles: function from its axes to the types and axes of the single joints that do the same in a row, for a type
        whose motion subspace depends on q.
    gap: how far a pose of the joint frame after the motion is from those that the type can reach.
    rows: numbers, linear in that pose, that are as for the identity where the type can reach it, or None.
    """

    name: str
    coordinates: tuple[str, ...]
    velocities: tuple[str, ...]
    angular: tuple[bool, ...]
    velocity_angular: tuple[bool, ...]
    axes: int
    neutral: tuple[float, ...]
    transform: Motion
    motion_subspace: Motion
    urdf: str | None = None
    sdf: str | None = None
    mjcf: str | None = None
    reversible: bool = False
    by_axes: bool = False
    has_pitch: bool = False
    quaternion: slice | None = field(default=None, hash=False)  # slices have no hash before Python 3.12
    bias: Bias = lambda axes, pitch, q, qd: np.zeros(6)
    rates: Change = lambda q, qd: qd
    drift: Change = lambda qd, v: np.zeros(len(v))
    step: Callable[[Any, Any, Any, Any], tuple[Any, Any]] | None = None
    integrate: Change = lambda q, v: q + v
    difference: Change = lambda q1, q2: q2 - q1
    stretch: Change = lambda reference, q: q - reference
    slope: Change = lambda reference, q: np.eye(len(q))
    singles: Callable[[Array], list[tuple[str, Array]]] | None = None
    gap: Gap = lambda axes, pitch, T: (length(T[:3, 3]), turned(T[:3, :3]))
    rows: Rows | None = fixed_rows

    @property
    def nq(self) -> int:
        """How many numbers it has in q."""
        return len(self.coordinates)

    @property
    def nv(self) -> int:
        """How many numbers it has in qd."""
        return len(self.velocities)

    @property
    def turns(self) -> bool:
        """Whether its child can turn; a moving type that does not turn slides."""
        return any(self.velocity_angular)

    @property
    def successive(self) -> bool:
        """Whether its velocities are of single joints in a row; else they all are in the axes of the child."""
        return self.quaternion is None

    def moves_like(self, other: "JointType") -> bool:
        """Return whether the same coordinates mean the same motion, as for revolute and continuous."""
        return self.transform is other.transform

    @property
    def single(self) -> bool:
        """Whether one number moves it, so that it can have limits, followers and a leader."""
        return self.nq == 1


def _columns(*columns: Any) -> Array:
    return np.array([[column[row] for column in columns] for row in range(6)])


def _motion(angular: Any, linear: Any) -> list[Any]:
    return [*angular, *linear]


_ZERO = (0.0, 0.0, 0.0)
_I3 = np.eye(3)


def _planar_basis(axes: Array) -> tuple[Array, Array]:
    """Return x and y of the plane: the joint frame's, turned the shortest way that takes z to the normal."""
    R = se3.rotation_between((0.0, 0.0, 1.0), axes[0])
    return R[:, 0], R[:, 1]


def _planar(axes: Array, pitch: float, q: Any) -> Array:
    x, y = _planar_basis(axes)
    return se3.homogeneous(se3.rotation(axes[0], q[2]), x * q[0] + y * q[1])


def _planar_subspace(axes: Array, pitch: float, q: Any) -> Array:
    x, y = _planar_basis(axes)
    R_child = se3.rotation(axes[0], q[2]).T
    return _columns(_motion(_ZERO, R_child @ x), _motion(_ZERO, R_child @ y), _motion(axes[0], _ZERO))


def _planar_bias(axes: Array, pitch: float, q: Any, qd: Any) -> Array:
    """Return -w × v: the child's axes turn, and its velocity v does not."""
    v = _planar_subspace(axes, pitch, q)[3:, :2] @ qd[:2]
    return np.array(_motion(_ZERO, skew(v) @ axes[0] * qd[2]))


def _planar_singles(axes: Array) -> list[tuple[str, Array]]:
    x, y = _planar_basis(axes)
    return [("prismatic", x), ("prismatic", y), ("revolute", axes[0])]


def _universal_subspace(axes: Array, pitch: float, q: Any) -> Array:
    return _columns(_motion(se3.rotation(axes[1], q[1]).T @ axes[0], _ZERO), _motion(axes[1], _ZERO))


def _universal_bias(axes: Array, pitch: float, q: Any, qd: Any) -> Array:
    """Return -w2 × w1: the second rotation turns the axes in which the first one is seen."""
    first = _universal_subspace(axes, pitch, q)[:3, 0]
    return np.array(_motion(skew(first) @ axes[1] * (qd[0] * qd[1]), _ZERO))


def _turn(axes: Array, pitch: float, q: Any) -> Array:
    return se3.turn(axes[0], q[0])


def _single(name: str, transform: Motion, motion_subspace: Motion, angular: bool = True, **more: Any) -> JointType:
    """Return the row of a joint with one axis and one coordinate, an angle or a length."""
    one = (angular,)
    rest: dict[str, Any] = {"reversible": True, "by_axes": True, "sdf": name, **more}
    return JointType(name, ("",), ("",), one, one, 1, (0.0,), transform, motion_subspace, **rest)


def _ball_rates(q: Any, w: Any) -> Array:
    """Return ½ q w, for the angular velocity w (3,) in the turned axes."""
    return np.asarray(0.5 * exponential.product(q, [*w, 0.0]))


def _ball_sum(q: Any, w: Any) -> Array:
    return exponential.unit(exponential.product(exponential.unit(q), exponential.exp(w)))


def _ball_turn(q1: Any, q2: Any) -> Array:
    """Return q1⁻¹ q2."""
    return exponential.product(exponential.conjugate(exponential.unit(q1)), exponential.unit(q2))


def _ball_slope(reference: Any, q: Any) -> Array:
    """Return the inverse right Jacobian of SO(3), the transpose of the left one's (A micro Lie theory, eq. 146)."""
    return np.asarray(exponential.inverse_jacobian(_ball_turn(reference, q)).T)


def _floating_offset(reference: Any, q: Any) -> Array:
    return np.asarray(se3.rotation_from_quaternion(q[3:]).T @ (q[:3] - reference[:3]))


def _floating_slope(reference: Any, q: Any) -> Array:
    zero = np.zeros((3, 3))
    return np.block([[np.eye(3), skew(_floating_offset(reference, q))], [zero, _ball_slope(reference[3:], q[3:])]])


def _floating_sum(q: Any, v: Any) -> Array:
    p = q[:3] + se3.rotation_from_quaternion(q[3:]) @ (exponential.jacobian(v[3:]) @ v[:3])
    return np.array([*p, *_ball_sum(q[3:], v[3:])])


def _floating_step(q: Any, qd: Any, qdd: Any, dt: Any) -> tuple[Any, Any]:
    """Return q and qd after dt. The velocity of the origin steps in the axes of the parent, where it stays the same
    without force, as MuJoCo has it."""
    w, u = qd[3:] + dt * qdd[3:], qd[:3] + dt * (qdd[:3] + cross(qd[3:], qd[:3]))
    p = q[:3] + se3.rotation_from_quaternion(q[3:]) @ (dt * u)
    u_turned = se3.rotation_from_quaternion(exponential.exp(dt * w)).T @ u
    return np.array([*p, *_ball_sum(q[3:], dt * w)]), np.array([*u_turned, *w])


def _floating_difference(q1: Any, q2: Any) -> Array:
    turn = _ball_turn(q1[3:], q2[3:])
    p = se3.rotation_from_quaternion(q1[3:]).T @ (q2[:3] - q1[:3])
    return np.array([*(exponential.inverse_jacobian(turn) @ p), *exponential.log(turn)])


_ROWS = (
    JointType(
        "fixed",
        (),
        (),
        (),
        (),
        0,
        (),
        lambda axes, pitch, q: se3.IDENTITY,
        lambda axes, pitch, q: np.zeros((6, 0)),
        urdf="fixed",
        sdf="fixed",
        reversible=True,
        by_axes=True,
    ),
    *(
        _single(
            name,
            _turn,
            lambda axes, pitch, q: _columns(_motion(axes[0], _ZERO)),
            gap=hinge_gap,
            rows=hinge_rows,
            urdf=name,
            mjcf="hinge",
        )
        for name in ("revolute", "continuous")
    ),
    _single(
        "prismatic",
        lambda axes, pitch, q: se3.translation(axes[0] * q[0]),
        lambda axes, pitch, q: _columns(_motion(_ZERO, axes[0])),
        angular=False,
        gap=slide_gap,
        rows=slide_rows,
        urdf="prismatic",
        mjcf="slide",
    ),
    _single(
        "screw",
        lambda axes, pitch, q: se3.homogeneous(se3.rotation(axes[0], q[0]), axes[0] * (pitch * q[0])),
        lambda axes, pitch, q: _columns(_motion(axes[0], axes[0] * pitch)),
        gap=screw_gap,
        rows=None,
        has_pitch=True,
    ),
    JointType(
        "planar",
        ("x", "y", "angle"),
        ("x", "y", "angle"),
        (False, False, True),
        (False, False, True),
        1,
        (0.0, 0.0, 0.0),
        _planar,
        _planar_subspace,
        bias=_planar_bias,
        singles=_planar_singles,
        gap=planar_gap,
        rows=planar_rows,
        urdf="planar",
    ),
    JointType(
        "universal",
        ("1", "2"),
        ("1", "2"),
        (True, True),
        (True, True),
        2,
        (0.0, 0.0),
        lambda axes, pitch, q: se3.homogeneous(se3.rotation(axes[0], q[0]) @ se3.rotation(axes[1], q[1]), _ZERO),
        _universal_subspace,
        bias=_universal_bias,
        singles=lambda axes: [("revolute", axes[0]), ("revolute", axes[1])],
        gap=universal_gap,
        rows=universal_rows,
        sdf="universal",
        by_axes=True,
    ),
    JointType(
        "ball",
        ("qx", "qy", "qz", "qw"),
        ("wx", "wy", "wz"),
        (False,) * 4,
        (True,) * 3,
        0,
        (0.0, 0.0, 0.0, 1.0),
        lambda axes, pitch, q: se3.homogeneous(se3.rotation_from_quaternion(q), _ZERO),
        lambda axes, pitch, q: _columns(*(_motion(e, _ZERO) for e in _I3)),
        gap=lambda axes, pitch, T: (length(T[:3, 3]), 0.0),
        rows=lambda axes, T: [*T[:3, 3]],
        sdf="ball",
        mjcf="ball",
        quaternion=slice(0, 4),
        rates=_ball_rates,
        integrate=_ball_sum,
        difference=lambda q1, q2: exponential.log(_ball_turn(q1, q2)),
        stretch=lambda reference, q: exponential.log(_ball_turn(reference, q)),
        slope=_ball_slope,
    ),
    JointType(
        "floating",
        ("x", "y", "z", "qx", "qy", "qz", "qw"),
        ("vx", "vy", "vz", "wx", "wy", "wz"),
        (False,) * 7,
        (False, False, False, True, True, True),
        0,
        (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0),
        lambda axes, pitch, q: se3.homogeneous(se3.rotation_from_quaternion(q[3:]), q[:3]),
        lambda axes, pitch, q: _columns(*(_motion(_ZERO, e) for e in _I3), *(_motion(e, _ZERO) for e in _I3)),
        gap=lambda axes, pitch, T: (0.0, 0.0),
        rows=lambda axes, T: [],
        urdf="floating",
        mjcf="free",
        quaternion=slice(3, 7),
        rates=lambda q, v: np.array([*(se3.rotation_from_quaternion(q[3:]) @ v[:3]), *_ball_rates(q[3:], v[3:])]),
        drift=lambda qd, v: np.array([*cross(qd[3:], v[:3]), *_ZERO]),
        step=_floating_step,
        integrate=_floating_sum,
        difference=_floating_difference,
        stretch=lambda r, q: np.array([*_floating_offset(r, q), *exponential.log(_ball_turn(r[3:], q[3:]))]),
        slope=_floating_slope,
    ),
)

JOINT_TYPES: dict[str, JointType] = {row.name: row for row in _ROWS}
