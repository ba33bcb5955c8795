"""Paths along which a frame moves in space: on a line, on an arc, through poses."""

from typing import Any, Unpack

import numpy as np

from kinetree.errors import fail
from kinetree.model.limits import checked_q
from kinetree.model.robot import Robot
from kinetree.queries.motion import fk
from kinetree.queries.options import JointOptions, robot_query
from kinetree.queries.query import tolerance_of
from kinetree.spatial.numbers import numbers, poses as checked_poses
from kinetree.spatial.se3 import Array
from kinetree.trajectories.following import followed
from kinetree.trajectories.path import Path
from kinetree.trajectories.ways import circular, straight

TOLERANCE = (1e-4, 1e-3)
"""Default of tolerances, m and rad."""


@robot_query
def line(
    robot: Robot,
    frame: str,
    T_to: Any,
    q0: Any,
    base: str | None = None,
    *,
    tolerance: tuple[float, float] = TOLERANCE,
    **joints: Unpack[JointOptions],
) -> Path:
    """Return the path from q0 (nq,) on which a frame moves in a straight line to the pose T_to (4, 4).

    The frame turns at a constant angular velocity, the shorter way round. s is the length of the way, m, or the angle,
    rad, if the frame only turns.
    base: frame from which T_to is seen, and in which the line is straight, by default the root. It may move, as the
    table of a positioner; joints on both sides then share the motion.
    tolerance: m and rad, by which the frame may be off the way between the samples that inverse kinematics finds;
    there are as many samples as that takes. joints, at: see `kinetree.kinematics`.

    The joints move continuously, as those of `follow` of `kt.ik`: to other sides of the wrist or the elbow only where
    the frame passes a singular configuration, which `check(path, frame=frame)` reports. Raises KinetreeError if the
    frame cannot follow the way: with the place, the reason, and another start from which it can, if there is one.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.load("icub")
        >>> q0 = arm.q(l_elbow=1.2, l_shoulder_roll=0.6)
        >>> T = kt.fk(arm, "l_hand", "chest")(q0)
        >>> T[0, 3] += 0.05
        >>> path = kt.motion.line(arm, "l_hand", T, q0, "chest")
        >>> path.s[-1].round(6)  # m
        np.float64(0.05)
    """
    assert not joints, "the decorator applies these options"
    start, T = _start(robot, frame, base, q0), _pose(T_to, "T_to")
    return followed(robot, frame, base, straight(np.stack([start, T])), q0, tolerance_of(tolerance))


@robot_query
def arc(
    robot: Robot,
    frame: str,
    T_via: Any,
    T_to: Any,
    q0: Any,
    base: str | None = None,
    *,
    tolerance: tuple[float, float] = TOLERANCE,
    **joints: Unpack[JointOptions],
) -> Path:
    """Return the path from q0 (nq,) on which a frame moves along an arc, through T_via, to the pose T_to (4, 4).

    T_via: a point (3,), m, or a pose (4, 4), whose orientation does not count: from that at q0 to that of T_to the
    frame turns at a constant angular velocity, the shorter way round. Arguments, errors and the rest are as of `line`.

    Examples:
        >>> import numpy as np
        >>> import kinetree as kt
        >>> arm = kt.chain("tx(x) ty(y) tz(z) Rz(turn)")
        >>> T = np.eye(4)
        >>> T[0, 3] = 2.0
        >>> path = kt.motion.arc(arm, "tip", [1, 1, 0], T, arm.zero)  # half a circle of radius 1 m
        >>> path.s[-1].round(6), path(path.s[-1] / 2).round(3) + 0.0
        (np.float64(3.141593), array([1., 1., 0., 0.]))
    """
    assert not joints, "the decorator applies these options"
    start, T, via = _start(robot, frame, base, q0), _pose(T_to, "T_to"), numbers(T_via, "pose", "T_via is")
    via = via if via.shape == (3,) and np.isfinite(via).all() else _pose(T_via, "T_via")[:3, 3]
    return followed(robot, frame, base, circular(np.stack([start, T]), via), q0, tolerance_of(tolerance))


@robot_query
def poses(
    robot: Robot,
    frame: str,
    T: Any,
    q0: Any,
    base: str | None = None,
    *,
    tolerance: tuple[float, float] = TOLERANCE,
    **joints: Unpack[JointOptions],
) -> Path:
    """Return the path on which a frame moves in straight lines through poses T (n, 4, 4), from the first to the last.

    q0 (nq,): a configuration near that of the first pose: the path begins at the nearest solution, up to 0.3 rad or m
    away in each joint. At corners a motion stops; where the direction changes by less than 0.1 rad, as on a curve of
    many poses, it goes through, inside the tolerance. Arguments, errors and the rest are as of `line`.

    Examples:
        >>> import numpy as np
        >>> import kinetree as kt
        >>> arm = kt.chain("tx(x) ty(y) tz(z) Rz(turn)")
        >>> T = np.array([np.eye(4)] * 3)
        >>> T[1:, 0, 3], T[2, 1, 3] = 0.2, 0.1
        >>> path = kt.motion.poses(arm, "tip", T, arm.zero)
        >>> path(0.25).round(3) + 0.0  # 0.2 m along x, then 0.05 m along y
        array([0.2 , 0.05, 0.  , 0.  ])
    """
    assert not joints, "the decorator applies these options"
    found = checked_poses(T)
    if found.ndim != 3 or len(found) < 2:
        raise fail("path", f"T has shape {found.shape}; expected poses (n, 4, 4), with n from 2")
    return followed(robot, frame, base, straight(found), q0, tolerance_of(tolerance))


def _start(robot: Robot, frame: str, base: str | None, q0: Any) -> Array:
    q = checked_q(robot.limits, q0, "q0")
    if q.shape != (robot.nq,) or not np.isfinite(q).all():
        raise fail("path", f"q0 has shape {q.shape}; expected {robot.nq} finite numbers")
    return np.asarray(fk(robot, frame, base)(q))


def _pose(T: Any, name: str) -> Array:
    found = checked_poses(T)
    if found.shape != (4, 4):
        raise fail("path", f"{name} has shape {found.shape}; expected one pose (4, 4)")
    return found
