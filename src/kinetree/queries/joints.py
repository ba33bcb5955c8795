"""One joint of a robot: its transforms as the Robotics Toolbox names them, and as Featherstone does.

The wiki of the Robotics Toolbox ("Link frame and joint definitions") calls a link's pose in its parent A(q) = Ts v(q),
constants and then the variable element; Featherstone's transforms XJ, XT and Xup = XJ XT are the inverses of v, Ts and
A(q), as 6x6 Plücker transforms of motion vectors, angular first (Rigid Body Dynamics Algorithms, section 4.2).

All functions take the name of a joint, or of the link that it carries, as the wiki's page has them. q is the joint's
own coordinates (…, nq_joint), or the whole q (…, nq) of the robot, from which a follower's are computed. By the name of
a link q is always the whole one.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from kinetree.arguments import explain_type_errors
from kinetree.errors import fail
from kinetree.model.robot import Joint, Robot
from kinetree.queries.query import tree
from kinetree.spatial import Array, plucker, se3
from kinetree.spatial.numbers import numbers


@explain_type_errors
def joint_origin(robot: Robot, joint: str) -> Array:
    """Return T (4, 4), the pose of the joint in its parent link at neutral, m; of a fixed joint, its whole pose.

    joint: the name of a joint, or of the link that it carries. This is the constant part Ts of a link's pose
    A(q) = Ts v(q), as the Robotics Toolbox names it.

    Examples:
        >>> import kinetree as kt
        >>> kt.kinematics.joint_origin(kt.chain("tz(0.3) Rz(q1)"), "q1")
        array([[1. , 0. , 0. , 0. ],
               [0. , 1. , 0. , 0. ],
               [0. , 0. , 1. , 0.3],
               [0. , 0. , 0. , 1. ]])
    """
    return np.array(_named(robot, joint).origin)


@explain_type_errors
def joint_motion(robot: Robot, joint: str, q: Any = ()) -> Array:
    """Return T (…, 4, 4), the motion of the joint at its own coordinates q (…, nq_joint), rad or m.

    This is the variable part v of a link's pose A(q) = Ts v(q), as the Robotics Toolbox names it. joint: the name of a
    joint, or of the link that it carries. q: may be a single number for a joint of one coordinate, and is the
    follower's own coordinate for a follower, not its leader's; or the whole q (…, nq) of the robot, as it always is
    by the name of a link. Raises KinetreeError for another number of coordinates, and for the root link.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.chain("tz(0.3) Rz(q1) tx(q2)")
        >>> kt.kinematics.joint_motion(arm, "q2", 0.2)
        array([[1. , 0. , 0. , 0.2],
               [0. , 1. , 0. , 0. ],
               [0. , 0. , 1. , 0. ],
               [0. , 0. , 0. , 1. ]])
    """
    return _each(robot, joint, q, (4, 4), lambda it, own: it.kind.transform(it.axes, it.pitch, own))


@explain_type_errors
def joint_pose(robot: Robot, joint: str, q: Any = ()) -> Array:
    """Return T_parent_child (…, 4, 4), the pose of the joint's child link in its parent link: A(q) = Ts v(q), m.

    joint, q: as in `joint_motion`. A constant follows v where a format puts the child away from the joint (SDF, MJCF).

    Examples:
        >>> import numpy as np
        >>> import kinetree as kt
        >>> arm = kt.chain("tz(0.3) Rz(q1)")
        >>> kt.kinematics.joint_pose(arm, "q1", np.pi / 2).round(3) + 0.0
        array([[ 0. , -1. ,  0. ,  0. ],
               [ 1. ,  0. ,  0. ,  0. ],
               [ 0. ,  0. ,  1. ,  0.3],
               [ 0. ,  0. ,  0. ,  1. ]])
        >>> kt.kinematics.joint_pose(arm, "q1_link", np.zeros((5, 1))).shape  # of a link, at each q of a batch
        (5, 4, 4)
    """
    return np.array(joint_origin(robot, joint) @ joint_motion(robot, joint, q) @ _named(robot, joint).child_origin)


@explain_type_errors
def motion_subspace(robot: Robot, joint: str, q: Any = ()) -> Array:
    """Return Featherstone's S (…, 6, nv_joint): the child's velocity relative to the parent, angular first, in the axes
    of the joint after its motion, for the rates of the joint. joint, q: as in `joint_motion`.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.chain("Rz(q1) tx(q2)")
        >>> kt.kinematics.motion_subspace(arm, "q1", 0.0).T  # rad/s about z
        array([[0., 0., 1., 0., 0., 0.]])
        >>> kt.kinematics.motion_subspace(arm, "q2", 0.0).T  # m/s along x
        array([[0., 0., 0., 1., 0., 0.]])
    """
    shape = (6, _named(robot, joint).kind.nv)
    return _each(robot, joint, q, shape, lambda it, own: it.kind.motion_subspace(it.axes, it.pitch, own))


@explain_type_errors
def XJ(robot: Robot, joint: str, q: Any = ()) -> Array:
    """Return Featherstone's XJ (…, 6, 6): motion vectors from the joint before its motion to the joint after it; the
    inverse of `joint_motion`. joint, q: as there.

    Examples:
        >>> import numpy as np
        >>> import kinetree as kt
        >>> X = kt.kinematics.XJ(kt.chain("Rz(q1)"), "q1", np.pi / 2)
        >>> (X @ [1, 0, 0, 0, 0, 0]).round(3) + 0.0  # a turn about x, in the turned axes
        array([ 0., -1.,  0.,  0.,  0.,  0.])
    """
    return _inverse(joint_motion(robot, joint, q))


@explain_type_errors
def XT(robot: Robot, joint: str) -> Array:
    """Return Featherstone's XT (6, 6): motion vectors from the parent link to the joint; inverse of `joint_origin`.

    Examples:
        >>> import kinetree as kt
        >>> X = kt.kinematics.XT(kt.chain("tz(0.3) Rz(q1)"), "q1")
        >>> X @ [0.0, 1.0, 0.0, 0.0, 0.0, 0.0]  # a turn about y moves the joint along x: rad/s, then m/s
        array([0. , 1. , 0. , 0.3, 0. , 0. ])
    """
    return _inverse(joint_origin(robot, joint))


@explain_type_errors
def Xup(robot: Robot, joint: str, q: Any = ()) -> Array:
    """Return Featherstone's Xup (…, 6, 6): motion vectors from the parent link to the child link; the inverse of
    `joint_pose`, and XJ XT where the child's frame is at the joint. joint, q: as in `joint_motion`.

    Examples:
        >>> import numpy as np
        >>> import kinetree as kt
        >>> arm = kt.chain("tz(0.3) Rz(q1)")
        >>> X = kt.kinematics.Xup(arm, "q1", np.pi / 2)
        >>> (X @ [0, 1, 0, 0, 0, 0]).round(3) + 0.0  # a turn of the parent about y, as the child feels it
        array([ 1. ,  0. ,  0. ,  0. , -0.3,  0. ])
    """
    return _inverse(joint_pose(robot, joint, q))


def own_coordinates(robot: Robot, joint: str, q: Array) -> Array:
    """Return the numbers (nq_joint,) of a joint in q (nq,): those of a follower from its leader's."""
    model = tree(robot)
    if not robot.joints[joint].kind.nq:
        return np.zeros(0)
    return np.asarray(model.coordinates(model.joints.index(joint), q))


def _named(robot: Robot, name: str) -> Joint:
    """Return the joint of a name, or that which carries the link of that name."""
    joint = robot.joints[name] if name in robot.joints or name not in robot.links else robot.parent_joint(name)
    if joint is None:
        raise fail("joint-q", "is the root, which no joint carries; expected another link", element=f"link {name!r}")
    return joint


def _each(robot: Robot, name: str, q: Any, shape: tuple[int, ...], function: Callable[[Joint, Array], Any]) -> Array:
    """Return a function (…, *shape) of the joint's own coordinates at each q."""
    joint = _named(robot, name)
    own = _own(robot, joint, q, by_link=name not in robot.joints)
    rows = own.reshape(math.prod(own.shape[:-1]), own.shape[-1])
    return np.array([function(joint, row) for row in rows], dtype=float).reshape(*own.shape[:-1], *shape)


def _own(robot: Robot, joint: Joint, q: Any, by_link: bool) -> Array:
    """Return the coordinates (…, nq_joint) of a joint in its own or in the whole q. by_link: only in the whole q."""
    values, n = np.atleast_1d(numbers(q, "joint-q", "q is")), joint.kind.nq
    batch, size = values.shape[:-1], values.shape[-1]
    if size == n and (not by_link or n == 0):
        return values
    if size != robot.nq:
        many = "coordinate" if n == 1 else "coordinates"
        legal = f"the whole q ({robot.nq},)" if by_link else f"({n},), or the whole q ({robot.nq},)"
        message = f"is {joint.type}, of {n} {many}; q has shape {np.shape(q)}; expected {legal}, or a batch of such"
        raise fail("joint-q", message, element=f"joint {joint.name!r}")
    rows = values.reshape(math.prod(batch), size)
    return np.array([own_coordinates(robot, joint.name, row) for row in rows], dtype=float).reshape(*batch, n)


def _inverse(T: Array) -> Array:
    """Return the transforms X (…, 6, 6) of motion vectors by the inverses of poses T (…, 4, 4)."""
    found = np.array([se3.inverse(one) for one in T.reshape(-1, 4, 4)], dtype=float)
    return plucker.motion_transform(found.reshape(T.shape))
