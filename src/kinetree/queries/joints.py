"""One joint of a robot: its transforms as the Robotics Toolbox names them, and as Featherstone does.

The wiki of the Robotics Toolbox ("Link frame and joint definitions") calls a link's pose in its parent A(q) = Ts v(q),
constants and then the variable element; Featherstone's transforms XJ, XT and Xup = XJ XT are the inverses of v, Ts and
A(q), as 6x6 Plücker transforms of motion vectors, angular first (Rigid Body Dynamics Algorithms, section 4.2).
"""

from typing import Any

import numpy as np

from kinetree.arguments import explain_type_errors
from kinetree.errors import fail
from kinetree.model.robot import Joint, Robot
from kinetree.queries.query import tree
from kinetree.spatial import plucker, se3
from kinetree.spatial.numbers import numbers
from kinetree.spatial.se3 import Array


@explain_type_errors
def joint_origin(robot: Robot, joint: str) -> Array:
    """Return T (4, 4), the pose of the joint in its parent link at neutral, m; of a fixed joint, its whole pose.

    This is the constant part Ts of a link's pose A(q) = Ts v(q), as the Robotics Toolbox names it.

    Examples:
        >>> import kinetree as kt
        >>> kt.kinematics.joint_origin(kt.chain("tz(0.3) Rz(q1)"), "q1")
        array([[1. , 0. , 0. , 0. ],
               [0. , 1. , 0. , 0. ],
               [0. , 0. , 1. , 0.3],
               [0. , 0. , 0. , 1. ]])
    """
    return np.array(robot.joints[joint].origin)


@explain_type_errors
def joint_motion(robot: Robot, joint: str, q: Any = ()) -> Array:
    """Return T (4, 4), the motion of the joint at its own coordinates q (nq_joint,), rad or m.

    This is the variable part v of a link's pose A(q) = Ts v(q), as the Robotics Toolbox names it. q may be a single
    number for a joint of one coordinate. For a follower it is the follower's own coordinate, not its leader's. Raises
    KinetreeError for another number of coordinates.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.chain("tz(0.3) Rz(q1) tx(q2)")
        >>> kt.kinematics.joint_motion(arm, "q2", 0.2)
        array([[1. , 0. , 0. , 0.2],
               [0. , 1. , 0. , 0. ],
               [0. , 0. , 1. , 0. ],
               [0. , 0. , 0. , 1. ]])
    """
    found = robot.joints[joint]
    return np.array(found.kind.transform(found.axes, found.pitch, _own(found, q)))


@explain_type_errors
def joint_pose(robot: Robot, joint: str, q: Any = ()) -> Array:
    """Return T_parent_child (4, 4), the pose of the joint's child link in its parent link: A(q) = Ts v(q), m.

    q: as in `joint_motion`. A constant follows v where a format puts the child away from the joint (SDF, MJCF).

    Examples:
        >>> import numpy as np
        >>> import kinetree as kt
        >>> arm = kt.chain("tz(0.3) Rz(q1)")
        >>> kt.kinematics.joint_pose(arm, "q1", np.pi / 2).round(3) + 0.0
        array([[ 0. , -1. ,  0. ,  0. ],
               [ 1. ,  0. ,  0. ,  0. ],
               [ 0. ,  0. ,  1. ,  0.3],
               [ 0. ,  0. ,  0. ,  1. ]])
    """
    return np.array(joint_origin(robot, joint) @ joint_motion(robot, joint, q) @ robot.joints[joint].child_origin)


@explain_type_errors
def motion_subspace(robot: Robot, joint: str, q: Any = ()) -> Array:
    """Return Featherstone's S (6, nv_joint): the child's velocity relative to the parent, angular first, in the axes of
    the joint after its motion, for the rates of the joint. q: as in `joint_motion`.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.chain("Rz(q1) tx(q2)")
        >>> kt.kinematics.motion_subspace(arm, "q1", 0.0).T  # rad/s about z
        array([[0., 0., 1., 0., 0., 0.]])
        >>> kt.kinematics.motion_subspace(arm, "q2", 0.0).T  # m/s along x
        array([[0., 0., 0., 1., 0., 0.]])
    """
    found = robot.joints[joint]
    return np.array(found.kind.motion_subspace(found.axes, found.pitch, _own(found, q)), dtype=float)


@explain_type_errors
def XJ(robot: Robot, joint: str, q: Any = ()) -> Array:
    """Return Featherstone's XJ (6, 6): motion vectors from the joint before its motion to the joint after it; the
    inverse of `joint_motion`. q: as there.

    Examples:
        >>> import numpy as np
        >>> import kinetree as kt
        >>> X = kt.kinematics.XJ(kt.chain("Rz(q1)"), "q1", np.pi / 2)
        >>> (X @ [1, 0, 0, 0, 0, 0]).round(3) + 0.0  # a turn about x, in the turned axes
        array([ 0., -1.,  0.,  0.,  0.,  0.])
    """
    return plucker.motion_transform(se3.inverse(joint_motion(robot, joint, q)))


@explain_type_errors
def XT(robot: Robot, joint: str) -> Array:
    """Return Featherstone's XT (6, 6): motion vectors from the parent link to the joint; inverse of `joint_origin`.

    Examples:
        >>> import kinetree as kt
        >>> X = kt.kinematics.XT(kt.chain("tz(0.3) Rz(q1)"), "q1")
        >>> X @ [0.0, 1.0, 0.0, 0.0, 0.0, 0.0]  # a turn about y moves the joint along x: rad/s, then m/s
        array([0. , 1. , 0. , 0.3, 0. , 0. ])
    """
    return plucker.motion_transform(se3.inverse(joint_origin(robot, joint)))


@explain_type_errors
def Xup(robot: Robot, joint: str, q: Any = ()) -> Array:
    """Return Featherstone's Xup (6, 6): motion vectors from the parent link to the child link; the inverse of
    `joint_pose`, and XJ XT where the child's frame is at the joint. q: as in `joint_motion`.

    Examples:
        >>> import numpy as np
        >>> import kinetree as kt
        >>> arm = kt.chain("tz(0.3) Rz(q1)")
        >>> X = kt.kinematics.Xup(arm, "q1", np.pi / 2)
        >>> (X @ [0, 1, 0, 0, 0, 0]).round(3) + 0.0  # a turn of the parent about y, as the child feels it
        array([ 1. ,  0. ,  0. ,  0. , -0.3,  0. ])
    """
    return plucker.motion_transform(se3.inverse(joint_pose(robot, joint, q)))


def own_coordinates(robot: Robot, joint: str, q: Array) -> Array:
    """Return the numbers (nq_joint,) of a joint in q (nq,): those of a follower from its leader's."""
    model = tree(robot)
    if not robot.joints[joint].kind.nq:
        return np.zeros(0)
    return np.asarray(model.coordinates(model.joints.index(joint), q))


def _own(joint: Joint, q: Any) -> Array:
    values = np.atleast_1d(numbers(q, "joint-q", "q is"))
    if values.shape != (joint.kind.nq,):
        many = "coordinate" if joint.kind.nq == 1 else "coordinates"
        message = f"is {joint.type}, of {joint.kind.nq} {many}; q has shape {np.shape(q)}"
        raise fail("joint-q", message, element=f"joint {joint.name!r}")
    return values
