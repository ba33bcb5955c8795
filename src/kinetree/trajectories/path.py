"""Paths: configurations of a robot over a parameter, without times."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetree.algorithms.retiming import derivative
from kinetree.display import Brief, counted, number
from kinetree.errors import fail, wrong_type
from kinetree.model.robot import Robot
from kinetree.spatial.numbers import numbers
from kinetree.spatial.se3 import Array, frozen

JUMP = 1e-6
"""Largest difference between the ends of two pieces of a path where they meet, rad or m."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Path(Brief):
    """Configurations q(s) of a robot over a parameter s, piecewise polynomial and without jumps.

    robot: whose q it is, in the order of `coordinate_names`. s (m + 1,): where pieces begin and end, increasing.
    coefficients (k + 1, m, nq): of piece i, the sum over j of coefficients[j, i] (s - s[i])**(k - j), rad and m: the
    highest power first, as in `scipy.interpolate.PPoly`. Joints with quaternions must stand still on a path.

    Raises KinetreeError for other shapes, numbers that are not finite, jumps, and quaternions that change.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.chain("Rz(q1) tx(1) Rz(q2) tx(1)")
        >>> path = kt.motion.Path(arm, [0, 2], [[[0.5, 0.0]], [[0.0, 1.0]]])  # q1 = 0.5 s, q2 = 1
        >>> path(2.0), path(2.0, 1)  # q, and its derivative with respect to s
        (array([1., 1.]), array([0.5, 0. ]))
    """

    robot: Robot
    s: Array
    coefficients: Array

    def __post_init__(self) -> None:
        if not isinstance(self.robot, Robot):
            raise wrong_type(
                "robot", f"a path is of a robot that `kinetree.load` gives, not {type(self.robot).__name__}"
            )
        for name in ("s", "coefficients"):
            object.__setattr__(self, name, frozen(numbers(getattr(self, name), "path", f"{name} of a path is")))
        s, c, nq = self.s, self.coefficients, self.robot.nq
        if s.ndim != 1 or c.ndim != 3 or len(s) < 2 or c.shape[1:] != (len(s) - 1, nq) or not len(c):
            legal = f"expected s (m + 1,) and coefficients (k + 1, m, {nq}), with m from 1 and k from 0"
            raise fail("path", f"the s of a path has shape {s.shape}, its coefficients {c.shape}; {legal}")
        if not (np.isfinite(s).all() and np.isfinite(c).all()):
            raise fail("path", "the path has numbers that are not finite")
        if bad := np.flatnonzero(np.diff(s) <= 0).tolist():
            i = bad[0]
            raise fail("path", f"s is {number(s[i + 1])} after {number(s[i])}; expected an s that increases")
        self._check_jumps()
        self._check_quaternions()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the coordinates, in the order of q."""
        return self.robot.coordinate_names

    def __repr__(self) -> str:
        k, m, n = self.coefficients.shape
        span = f"s from {number(self.s[0])} to {number(self.s[-1])}"
        pieces = f"{counted(m, 'piece')} of degree {k - 1}"
        return f"Path of robot {self.robot.name[:200]!r}, {counted(n, 'coordinate')}: {span}, {pieces}"

    def __call__(self, s: Any, order: int = 0) -> Array:
        """Return q (…, nq) at s (…), or its derivative of this order with respect to s, rad or m per s**order.

        Where two pieces meet, it is that of the second. Raises KinetreeError for an s outside of the path.
        """
        s = numbers(s, "path", "s is")
        if not np.all((s >= self.s[0]) & (s <= self.s[-1])):
            span = f"{number(self.s[0], 12)} to {number(self.s[-1], 12)}"
            raise fail("path", f"the path has no point at all of s; expected numbers from {span}")
        piece = np.clip(np.searchsorted(self.s, s, side="right") - 1, 0, len(self.s) - 2)
        return self.on_piece(piece, s - self.s[piece], order)

    def on_piece(self, piece: Any, since: Any, order: int = 0) -> Array:
        """Return q (…, nq), or a derivative of it, of pieces (…) from 0, at s[piece] + since (…).

        Where two pieces meet, the second derivative may have two values, of which this returns the wanted one.
        """
        if not isinstance(order, (int, np.integer)) or order < 0:
            raise fail("path", f"order is {order}; expected 0 for q, and whole numbers above it for derivatives")
        found: Array = derivative(
            [one[piece] for one in self.coefficients], np.asarray(since, dtype=float)[..., None], order
        )
        return found

    def _check_jumps(self) -> None:
        m = len(self.s) - 1
        ends = self.on_piece(np.arange(m - 1), np.diff(self.s)[:-1])
        off = np.abs(ends - self.coefficients[-1, 1:])
        if off.size and off.max() > JUMP:
            i, j = map(int, np.unravel_index(off.argmax(), off.shape))
            message = f"{self.names[j]!r} jumps by {number(off[i, j])} at s = {number(self.s[i + 1])}"
            raise fail("path", f"{message}; expected pieces that meet")

    def _check_quaternions(self) -> None:
        slices = self.robot.q_slices
        for joint in self.robot.joint_names:
            if self.robot.joints[joint].kind.quaternion and self.coefficients[:-1, :, slices[joint]].any():
                message = "moves on the path, and has a quaternion, which no polynomial keeps at length 1"
                fix = "lock it; in Python, choose the other joints with joints="
                raise fail("path", message, element=f"joint {joint!r}", fix=fix)
