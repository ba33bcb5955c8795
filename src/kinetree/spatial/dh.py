"""Denavit and Hartenberg's two elementary screws, and the common normal of two lines.

A row of a table is Z(theta, d) = Rz(theta) Tz(d) along the joint's axis and X(alpha, a) = Rx(alpha) Tx(a) along the
common normal to the next one. The standard (distal) convention multiplies Z X, the modified (proximal) one X Z
(Craig, Introduction to Robotics, ch. 3). Metres and radians.
"""

from __future__ import annotations

from math import atan2, hypot, pi
from typing import NamedTuple

import numpy as np

from kinetree.spatial import se3
from kinetree.spatial.se3 import Array

X_AXIS, Z_AXIS = np.eye(3)[0], np.eye(3)[2]
CLOSE = 1e-9
"""What counts as equal where only the choice between two exact answers depends on it, in metres or radians."""


class Normal(NamedTuple):
    """The four numbers from a frame to one whose z lies on a given line: Z(theta, d) X(alpha, a)."""

    theta: float
    d: float
    a: float
    alpha: float

    @property
    def transform(self) -> Array:
        """Z(theta, d) X(alpha, a) as T (4, 4)."""
        return np.asarray(z_screw(self.theta, self.d) @ x_screw(self.alpha, self.a))


def z_screw(theta: float, d: float) -> Array:
    """T (4, 4): rotation about z by theta and translation along z by d."""
    return se3.homogeneous(se3.rotation(Z_AXIS, theta), (0.0, 0.0, d))


def x_screw(alpha: float, a: float) -> Array:
    """T (4, 4): rotation about x by alpha and translation along x by a."""
    return se3.homogeneous(se3.rotation(X_AXIS, alpha), (a, 0.0, 0.0))


def sine_between(direction: Array) -> float:
    """The sine of the angle between z and a unit vector."""
    return hypot(direction[0], direction[1])


def common_normal(point: Array, direction: Array, parallel: float, free: tuple[float, float] = (0.0, 0.0)) -> Normal:
    """The numbers that take z to the line through `point` along the unit vector `direction`.

    Both are given in the frame where one stands. Lines whose angle has a sine up to `parallel` are taken as parallel.
    What the lines leave open is chosen: for parallel lines d is free[1]; for coincident ones theta is free[0] as well.
    Otherwise x may point either way along the normal, and theta is taken from (-pi/2, pi/2]; at its ends a >= 0.
    """
    x, y, z = (float(c) for c in point)
    ux, uy, uz = (float(c) for c in direction)
    sine = hypot(ux, uy)
    if sine <= parallel:
        alpha = 0.0 if uz > 0 else pi
        distance = hypot(x, y)
        if distance <= 1e-14:
            return Normal(free[0], free[1], 0.0, alpha)
        return _chosen(Normal(atan2(y, x), free[1], distance, alpha))
    theta, alpha = atan2(ux, -uy), atan2(sine, uz)  # x along z cross u
    a = (-x * uy + y * ux) / sine
    t = -(x * ux + y * uy) / sine**2  # how far along the line the foot of the normal is
    return _chosen(Normal(theta, z + t * uz, a, alpha))


def _chosen(normal: Normal) -> Normal:
    """Of the two ways x can point, the one that `common_normal` promises."""
    theta, d, a, alpha = normal
    edge = abs(abs(theta) - pi / 2) <= CLOSE
    if (a < -CLOSE) if edge else abs(theta) > pi / 2:
        theta += pi if theta <= 0 else -pi
        a, alpha = -a, (alpha if alpha == pi else -alpha)
    return Normal(theta, d, a, alpha + 0.0)
