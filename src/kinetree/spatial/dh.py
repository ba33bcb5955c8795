"""The two elementary screws of Denavit and Hartenberg, and the common normal of two lines.

A table row is two screws: Z(theta, d) = Rz(theta) Tz(d) along the joint's axis, and X(alpha, a) = Rx(alpha) Tx(a) along
the common normal to the next axis. The standard (distal) convention multiplies Z X, the modified (proximal) one X Z
(Craig, Introduction to Robotics, ch. 3). The product is the pose T (4, 4) of the frame at the end of the row in the
frame before it. theta and alpha in radians, d and a in metres.
"""

from math import atan2, hypot, pi
from typing import NamedTuple

import numpy as np

from kinetree.spatial import se3
from kinetree.spatial.se3 import Array

X_AXIS, Z_AXIS = np.eye(3)[0], np.eye(3)[2]
CLOSE = 1e-9
"""Tolerance, m or rad, of comparisons that only choose between two exact answers."""


class Normal(NamedTuple):
    """Four numbers from a frame to one whose z lies on a given line: Z(theta, d) X(alpha, a)."""

    theta: float
    d: float
    a: float
    alpha: float

    @property
    def transform(self) -> Array:
        """T (4, 4) = Z(theta, d) X(alpha, a)."""
        return np.asarray(z_screw(self.theta, self.d) @ x_screw(self.alpha, self.a))


def z_screw(theta: float, d: float) -> Array:
    """Return T (4, 4), a rotation about z by theta, rad, and a translation along z by d, m.

    Examples:
        >>> import numpy as np
        >>> from kinetree.spatial import dh
        >>> dh.z_screw(np.pi / 2, 0.3).round(6) + 0.0
        array([[ 0. , -1. ,  0. ,  0. ],
               [ 1. ,  0. ,  0. ,  0. ],
               [ 0. ,  0. ,  1. ,  0.3],
               [ 0. ,  0. ,  0. ,  1. ]])
    """
    return se3.homogeneous(se3.rotation(Z_AXIS, theta), (0.0, 0.0, d))


def x_screw(alpha: float, a: float) -> Array:
    """Return T (4, 4), a rotation about x by alpha, rad, and a translation along x by a, m.

    Examples:
        >>> import numpy as np
        >>> from kinetree.spatial import dh
        >>> row = dh.z_screw(np.pi / 2, 0.3) @ dh.x_screw(0, 0.2)  # standard DH: theta, d, then alpha, a
        >>> row[:3, 3].round(6) + 0.0
        array([0. , 0.2, 0.3])
    """
    return se3.homogeneous(se3.rotation(X_AXIS, alpha), (a, 0.0, 0.0))


def sine_between(direction: Array) -> float:
    """Return the sine of the angle between z and a unit vector (3,).

    Examples:
        >>> import numpy as np
        >>> from kinetree.spatial import dh
        >>> dh.sine_between(np.array([0.6, 0, 0.8]))
        0.6
    """
    return hypot(direction[0], direction[1])


def common_normal(point: Array, direction: Array, parallel: float, free: tuple[float, float] = (0.0, 0.0)) -> Normal:
    """Return the numbers theta, d, a and alpha that take z to the line through `point` along `direction`.

    point (3,), m, and direction (3,), a unit vector: in the frame from which the numbers lead, whose z axis is the
    first line. parallel: lines count as parallel if the sine of their angle is at most this. free: theta and d where
    they may be chosen: d for parallel lines, theta too for coincident lines.

    Otherwise x could point either way along the normal: theta is chosen in (-pi/2, pi/2], and at the ends of that range
    a >= 0.

    Examples:
        >>> import numpy as np
        >>> from kinetree.spatial import dh
        >>> point, direction = np.array([0.2, 0.7, 0.3]), np.array([0, -1, 0])  # a line along -y
        >>> dh.common_normal(point, direction, parallel=1e-9)
        Normal(theta=0.0, d=0.3, a=0.2, alpha=1.5707963267948966)
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
    """Return the normal with x in the direction that `common_normal` promises."""
    theta, d, a, alpha = normal
    edge = abs(abs(theta) - pi / 2) <= CLOSE
    if (a < -CLOSE) if edge else abs(theta) > pi / 2:
        theta += pi if theta <= 0 else -pi
        a, alpha = -a, (alpha if alpha == pi else -alpha)
    return Normal(theta, d, a, alpha + 0.0)
