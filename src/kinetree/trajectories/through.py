"""Paths through configurations: straight lines and splines."""

from math import factorial
from typing import Any, Unpack

import numpy as np

from kinetree.errors import fail
from kinetree.model.limits import checked_q
from kinetree.model.robot import Robot
from kinetree.queries.options import JointOptions, robot_query
from kinetree.queries.query import one_of
from kinetree.spatial.numbers import numbers
from kinetree.spatial.se3 import Array
from kinetree.trajectories.path import Path

FINE = 1e-12
"""Least part of the length of a path that a piece has."""
DEGREES = (1, 3, 5)
"""Degrees of splines: straight lines; the smoothest in the second derivative; and in the third."""


@robot_query
def through(robot: Robot, q: Any, *, s: Any = None, degree: int = 3, **joints: Unpack[JointOptions]) -> Path:
    """Return the path through configurations q (n, nq): the natural spline, or straight lines.

    degree: 1 for straight lines, on which a motion stops at each corner; 3 for the cubic spline, which has the least
    integral of squared second derivatives, and 5 for the quintic one, of third derivatives (Schoenberg, Spline
    Interpolation and the Higher Derivatives, 1964). s (n,): where the path is at each q, by default the sum of the
    distances in q, rad and m, which turns gently where points are not evenly spaced.
    joints, at: see `kinetree.kinematics`; q is then of these joints, and so is the path.

    A path between points may leave the limits though all points are inside; `retime` tests that.

    Raises KinetreeError for fewer than two points, equal neighbours, numbers that are not finite, and an s that does
    not increase.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.chain("Rz(q1) tx(1) Rz(q2) tx(1)")
        >>> path = kt.motion.through(arm, [[0, 0], [1, 0.5], [1, 2]])
        >>> path(path.s[1]).round(3), path.s.round(3)  # rad; s is the distance from point to point
        (array([1. , 0.5]), array([0.   , 1.118, 2.618]))
    """
    from scipy.interpolate import make_interp_spline  # takes long

    assert not joints, "the decorator applies these options"
    one_of("degree", degree, DEGREES)
    points = checked_q(robot.limits, q, "q")
    if points.ndim != 2 or len(points) < 2:
        legal = f"expected (n, {robot.nq}), with n from 2"
        raise fail("path", f"the points of a path have shape {points.shape}; {legal}")
    if len(bad := np.argwhere(~np.isfinite(points))):
        i, j = bad[0].tolist()
        raise fail("path", f"{robot.coordinate_names[j]!r} is {points[i, j]} at point {i}; expected finite numbers")
    s = _distances(points) if s is None else numbers(s, "path", "s is")
    if s.shape != (len(points),):
        raise fail("path", f"s has shape {s.shape}; expected ({len(points)},), a number for each point")
    if not (np.diff(s) > FINE * np.ptp(s)).all() or not np.isfinite(s).all():
        i = int(np.argmin(np.diff(s)))
        legal = f"expected finite numbers that increase, each by more than {FINE:g} of the whole"
        raise fail("path", f"s is {s[i + 1]:.12g} after {s[i]:.12g}; {legal}")
    natural = [(order, np.zeros(robot.nq)) for order in range((degree + 1) // 2, degree)]
    spline = make_interp_spline(s, points, degree, bc_type=(natural, natural) if natural else None)
    powers = reversed(range(degree + 1))
    return Path(robot, s, np.array([spline(s[:-1], j) / factorial(j) for j in powers]))


def _distances(points: Array) -> Array:
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    if len(same := np.flatnonzero(steps == 0.0)):
        i = int(same[0])
        raise fail(
            "path", f"points {i} and {i + 1}, from 0, are the same; expected neighbours that differ; in Python, or s="
        )
    return np.concatenate([[0.0], np.cumsum(steps)])
