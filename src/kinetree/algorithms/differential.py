"""Twists, Jacobians and their derivatives, points and wrenches (Lynch & Park, Modern Robotics, section 3.4 and ch. 5;
Featherstone, Rigid Body Dynamics Algorithms, ch. 4). Wrenches are force first, like the twists whose duals they are.

Each velocity coordinate between base and frame gives a twist, linear first: the velocity v of the frame's origin and
the angular velocity w, both relative to the base, at rate one. A joint that carries the base counts negatively.
"""

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, cast, get_args

import numpy as np

from kinetree.algorithms.kinematics import forward_kinematics, path_between, place, walk
from kinetree.model.tree import Tree
from kinetree.spatial import Array, exponential, se3
from kinetree.spatial.plucker import moved_wrench, skew

DIRECTIONS = ("x", "y", "z", "rx", "ry", "rz")
"""Rows of a Jacobian: along three axes, and about them."""
Axes = Literal["base", "frame"]
Representation = Literal["rpy", "rotation_vector"]


class Twist(NamedTuple):
    """Twist of one coordinate of one joint: v (3,) and w (3,).

    coordinate: its index in qd; the leader's, for a follower. carried: how many of the first twists carry and turn it.
    """

    coordinate: int
    carried: int
    v: Array
    w: Array


def twists(
    tree: Tree,
    q: Any,
    frame: str,
    base: str | None = None,
    expressed_in: Axes = "base",
    factor: Callable[[Tree, int, Any], Any] = Tree.rate,
) -> list[Twist]:
    """Return the twists in order from base to frame, in the axes of either. factor: of the motion of each joint."""
    (body_base, T_body_base), (body, T_body_frame) = place(tree, base), place(tree, frame)
    up, down = path_between(tree, body_base, body)
    if expressed_in == "base":
        T = {body_base: se3.inverse(T_body_base)}  # T_axes_body
        walk(tree, q, up, down, T)
        p_frame = (T[body] @ T_body_frame)[:3, 3]
    else:
        T = {body: se3.inverse(T_body_frame)}
        walk(tree, q, down[::-1], up[::-1], T)
        p_frame = np.zeros(3)
    result: list[Twist] = []
    for i, sign in [*((i, -1.0) for i in up), *((i, 1.0) for i in down)]:
        R, lever = T[i][:3, :3], p_frame - T[i][:3, 3]
        S = tree.motion_subspace(i, q) * (sign * factor(tree, i, q))
        w = R @ S[:3]
        v = R @ S[3:] - skew(lever) @ w
        first, n = len(result), S.shape[1]
        order = range(n) if sign > 0 else range(n)[::-1]
        for k, j in enumerate(order):
            together = n if sign > 0 else 0  # the child's axes come after all of them, or before
            carried = k if tree.joint_type[i].successive else together
            result.append(Twist(tree.v_slice[i].start + j, first + carried, v[:, j], w[:, j]))
    return result


def jacobian(tree: Tree, q: Any, frame: str, base: str | None = None, expressed_in: str = "base") -> Array:
    """Return J (6, nv), which maps qd (nv,) to the velocity of the frame's origin and the angular velocity, relative to
    base (Modern Robotics, section 5.1). expressed_in: whose axes, one of `Axes` or another frame."""
    if expressed_in not in get_args(Axes):
        R = forward_kinematics(tree, q, [expressed_in], base)[0][:3, :3].T
        J = jacobian(tree, q, frame, base)
        return np.array([*(R @ J[:3]), *(R @ J[3:])])
    columns = [np.zeros(6)] * tree.nv
    for j, _, v, w in twists(tree, q, frame, base, cast(Axes, expressed_in)):
        columns[j] = columns[j] + np.array([*v, *w])
    return np.array(columns).reshape(tree.nv, 6).T


def hessian(tree: Tree, q: Any, frame: str, base: str | None = None, expressed_in: Axes = "base") -> Array:
    """Return H (nv, 6, nv): H[i, :, j] is the rate of J[:, j] while velocity coordinate i is one and the others zero.

    A motion that carries joint j turns its twist; one behind it moves the frame, and so the lever of its axis. In the
    axes of the frame, all that turns the frame turns the twists back.
    """
    entries = [[np.zeros(6)] * tree.nv for _ in range(tree.nv)]
    way = twists(tree, q, frame, base, expressed_in)
    for a, (i, _, v_i, w_i) in enumerate(way):
        turn = skew(w_i)
        for j, carried, v_j, w_j in way:
            turned = np.array([*(turn @ v_j), *(turn @ w_j)])
            rate = turned if a < carried else np.array([*(skew(w_j) @ v_i), 0.0, 0.0, 0.0])
            entries[i][j] = entries[i][j] + (rate if expressed_in == "base" else rate - turned)
    for j, _, v, w in twists(tree, q, frame, base, expressed_in, Tree.bend) if any(tree.higher) else ():
        entries[j][j] = entries[j][j] + np.array([*v, *w])
    return np.array(entries).reshape(tree.nv, tree.nv, 6).transpose(0, 2, 1)


def coordinate_rates(tree: Tree, q: Any, qd: Any) -> Array:
    """Return the rates of q (nq,) for qd (nv,); they differ from qd only for quaternions and motions in their axes."""
    return _by_joint(tree, "rates", q, qd, tree.v_slice, tree.q_slice, tree.nq)


def integrate(tree: Tree, q: Any, v: Any) -> Array:
    """Return q ⊕ v (nq,), the configuration after unit time at the constant velocity coordinates v (nv,)."""
    return _by_joint(tree, "integrate", q, v, tree.v_slice, tree.q_slice, tree.nq)


def step(tree: Tree, q: Any, qd: Any, qdd: Any, dt: float) -> tuple[Array, Array]:
    """Return q (nq,) and qd (nv,) after a step of semi-implicit Euler over the time dt."""
    new = qd + dt * qdd
    after = integrate(tree, q, dt * new)
    for kind, here, there in zip(tree.joint_type, tree.q_slice, tree.v_slice, strict=True):
        if kind.step:
            after[here], new[there] = kind.step(q[here], qd[there], qdd[there], dt)
    return after, new


def difference(tree: Tree, q1: Any, q2: Any) -> Array:
    """Return q2 ⊖ q1 (nv,), the v with q1 ⊕ v = q2 that turns the least."""
    return _by_joint(tree, "difference", q1, q2, tree.q_slice, tree.v_slice, tree.nv)


def _by_joint(
    tree: Tree, column: str, q: Any, x: Any, inputs: Sequence[slice], outputs: Sequence[slice], size: int
) -> Array:
    """Return what a column of JOINT_TYPES gives for the numbers of each joint in q and x."""
    result: list[Any] = [0.0] * size
    for kind, here, there, out in zip(tree.joint_type, tree.q_slice, inputs, outputs, strict=True):
        result[out] = getattr(kind, column)(q[here], x[there])
    return np.array(result)


def velocity(tree: Tree, q: Any, qd: Any, frame: str, base: str | None = None, expressed_in: str = "base") -> Array:
    """Return the frame's twist (6,) relative to base, J qd."""
    return np.asarray(jacobian(tree, q, frame, base, expressed_in) @ qd)


def analytical_jacobian(
    tree: Tree, q: Any, frame: str, base: str | None = None, representation: Representation = "rpy"
) -> Array:
    """Return the rates (6, nv) of xyz and three rotation coordinates of T_base_frame (Modern Robotics, sec. 5.1.5)."""
    J = jacobian(tree, q, frame, base)
    R = forward_kinematics(tree, q, [frame], base)[0][:3, :3]
    E = {"rpy": _rpy_rates, "rotation_vector": _rotation_vector_rates}[representation](R)
    return np.array([*J[:3], *(E @ J[3:])])


LOCKED = 1e-14
"""Cosine of pitch below which the rates of roll and yaw are NaN, because both are rounding errors."""


def _rpy_rates(R: Array) -> Array:
    """Return the matrix from angular velocity in the base's axes to rates of roll, pitch and yaw, R = Rz(yaw) Ry(pitch)
    Rx(roll): w = (0, 0, 1) yaw' + Rz (0, 1, 0) pitch' + Rz Ry (1, 0, 0) roll'."""
    cos_pitch = np.sqrt(R[0, 0] * R[0, 0] + R[1, 0] * R[1, 0])
    cos_pitch = np.where(cos_pitch < LOCKED, np.nan, cos_pitch)
    c, s = R[0, 0] / cos_pitch, R[1, 0] / cos_pitch  # of yaw
    tan_pitch = -R[2, 0] / cos_pitch
    return np.array([[c / cos_pitch, s / cos_pitch, 0.0], [-s, c, 0.0], [c * tan_pitch, s * tan_pitch, 1.0]])


def _rotation_vector_rates(R: Array) -> Array:
    """Return the matrix from angular velocity in the base's axes to rates of the rotation vector."""
    return exponential.inverse_jacobian(se3.quaternion_from_rotation(R))


def yoshikawa(tree: Tree, q: Any, frame: str, base: str | None = None, rows: Sequence[int] = range(6)) -> Any:
    """Return manipulability sqrt(det(J Jᵀ)) of some rows of J (Yoshikawa, Manipulability of Robotic Mechanisms, 1985).

    It is the volume spanned by the rows, computed as the product of their lengths after modified Gram-Schmidt; exactly
    zero if fewer coordinates move the frame than there are rows.
    """
    J = jacobian(tree, q, frame, base)[list(rows)]
    J = J[:, moving(tree, frame, base)]
    if J.shape[1] < J.shape[0]:
        return 0.0
    volume, left = 1.0, list(J)
    while left:
        row, *left = left
        length = np.sqrt(row @ row)
        direction = row / np.maximum(length, se3.TINY)
        left = [other - (direction @ other) * direction for other in left]
        volume = volume * length
    return volume


def moving(tree: Tree, frame: str, base: str | None = None) -> list[int]:
    """Return the velocity coordinates that can move the frame relative to base, in order."""
    up, down = path_between(tree, place(tree, base)[0], place(tree, frame)[0])
    numbers = range(tree.nv)
    return sorted({j for i in (*up, *down) for j in numbers[tree.v_slice[i]] if tree.multiplier[i] or tree.higher[i]})


def point(tree: Tree, q: Any, p: Any, frame: str, base: str | None = None) -> Array:
    """Return the point p (3,) of `frame` in `base`, (3,)."""
    T = forward_kinematics(tree, q, [frame], base)[0]
    return np.asarray(T[:3, :3] @ p + T[:3, 3])


def wrench(tree: Tree, q: Any, w: Any, frame: str, base: str | None = None) -> Array:
    """Return the wrench w (6,), given in `frame`, in `base`, (6,)."""
    return moved_wrench(forward_kinematics(tree, q, [frame], base)[0], w)


def joint_torques(tree: Tree, q: Any, w: Any, frame: str, base: str | None = None) -> Array:
    """Return tau (nv,) = Jᵀ w for a wrench w (6,) given in `frame`: its power along the twist of every coordinate
    (Modern Robotics, eq. 5.26)."""
    tau: list[Any] = [0.0] * tree.nv
    for j, _, v, omega in twists(tree, q, frame, base, "frame"):
        tau[j] = tau[j] + v @ w[:3] + omega @ w[3:]
    return np.array(tau)
