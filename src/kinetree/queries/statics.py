"""Points, wrenches and joint torques."""

from collections.abc import Callable
from typing import Any, Unpack

import numpy as np

from kinetree.algorithms import differential
from kinetree.arguments import explain_type_errors
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port, checked
from kinetree.model.robot import Robot
from kinetree.model.tree import Tree
from kinetree.queries.options import OriginOptions, robot_query
from kinetree.queries.query import frames_of, query, velocities
from kinetree.spatial.se3 import Array


@robot_query
def point(robot: Robot, frame: str, base: str | None = None, **options: Unpack[OriginOptions]) -> Kernel:
    """Return the position of a point on a frame, such as a taxel: a kernel from q (…, nq) and p (…, 3) to (…, 3).

    p is in `frame`, the result in `base`, the root link by default; metres. Raises KinetreeError for a name that is not
    a frame.

    Examples:
        >>> import kinetree as kt
        >>> icub = kt.load("icub")
        >>> position = kt.kinematics.point(icub, "l_hand")
        >>> position(icub.q({"l_elbow": 60}, unit="deg"), [0.0, 0.0, 0.06]).round(3)  # of 6 cm along z of the hand, m
        array([-0.141, -0.17 , -0.061])
    """
    frame, base = frames_of(robot, (frame, base))
    output = Port("p_base", (3,), ("x", "y", "z"), f"point of {frame} in {base}; m")
    more = Port("p", (3,), ("x", "y", "z"), f"in {frame}; m")
    return _static("point", robot, frame, base, differential.point, more, output)


@robot_query
def wrench(robot: Robot, frame: str, base: str | None = None, **options: Unpack[OriginOptions]) -> Kernel:
    """Return the same wrench in another frame: a kernel from q (…, nq) and w (…, 6) in `frame` to (…, 6) in `base`.

    A wrench is a force in N, then its moment in N m about the origin of the frame in whose axes both are given. base is
    the root link by default; if it is the frame itself, w stays unchanged. Lynch & Park, Modern Robotics, eq. 3.98, the
    dual of the adjoint. Raises KinetreeError for a name that is not a frame.

    Examples:
        >>> import kinetree as kt
        >>> lever = kt.chain("Rz(q1) tx(0.5)")
        >>> w = [0, 10, 0, 0, 0, 0]  # 10 N along y at the tip
        >>> kt.dynamics.wrench(lever, "tip")([0], w).round(6) + 0.0  # and 5 N m about z at the root
        array([ 0., 10.,  0.,  0.,  0.,  5.])
    """
    frame, base = frames_of(robot, (frame, base))
    output = Port("w_base", (6,), WRENCH, f"in {base}; N, N m")
    return _static("wrench", robot, frame, base, differential.wrench, _wrench_in(frame), output)


@robot_query
def joint_torques(robot: Robot, frame: str, base: str | None = None, **options: Unpack[OriginOptions]) -> Kernel:
    """Return the joint torques of a wrench, tau = Jᵀ w: a kernel from q (…, nq) and w (…, 6) in `frame` to (…, nv).

    w acts from outside on the link that carries the frame: force in N, then moment in N m about the frame's origin, in
    its axes. tau, in N or N m per coordinate of `robot.velocity_names`, is the effect of w on the joints: tau · qd = w
    · V for every qd, where V is the twist `velocity(robot, frame, base, "frame")`. Actuators balance w with -tau. A
    mimic follower counts in its leader's entry.

    With a `base` other than the root link only the joints between the two count, as if -w acted on the base. Lynch &
    Park, Modern Robotics, eq. 5.26. Raises KinetreeError for a name that is not a frame.

    Examples:
        >>> import kinetree as kt
        >>> lever = kt.chain("Rz(q1) tx(0.5)")
        >>> kt.dynamics.joint_torques(lever, "tip")([0], [0, 10, 0, 0, 0, 0]).round(6)  # 10 N at 0.5 m
        array([5.])
    """
    frame, base = frames_of(robot, (frame, base))
    qd = velocities(robot)
    output = Port("tau", qd.shape, qd.labels, f"exerted by a wrench on {frame}, relative to {base}; N, N m")
    return _static("joint_torques", robot, frame, base, differential.joint_torques, _wrench_in(frame), output)


WRENCH = ("fx", "fy", "fz", "mx", "my", "mz")


def _wrench_in(frame: str) -> Port:
    return Port("w", (6,), WRENCH, f"in {frame}; N, N m")


def _static(
    name: str, robot: Robot, frame: str, base: str, algorithm: Callable[..., Any], more: Port, output: Port
) -> Kernel:
    """Return the kernel of an algorithm on (tree, q, x, frame, base)."""

    def along(model: Tree, q: Any, x: Any) -> Any:
        return algorithm(model, q, x, frame, base)

    return query(robot, (name, frame, base), [base, frame], output, along, [more])


@explain_type_errors
def contact_wrench(p: Any, f: Any) -> Array:
    """Return the wrench (…, 6) of a force f (…, 3), N, at a point p (…, 3), m: f, then its moment p × f, N m.

    p, f and the wrench are in one frame; the moment is about its origin.

    Examples:
        >>> import kinetree as kt
        >>> kt.dynamics.contact_wrench([0.5, 0, 0], [0, 10, 0])  # 10 N at 0.5 m: 5 N m about z
        array([ 0., 10.,  0.,  0.,  0.,  5.])
    """
    ports = [Port("p", (3,), ("x", "y", "z")), Port("f", (3,), ("fx", "fy", "fz"))]
    (p, f), batch = checked("contact_wrench", ports, [p, f], {}, float)
    return np.concatenate([np.broadcast_to(f, (*batch, 3)), np.cross(p, f)], axis=-1)
