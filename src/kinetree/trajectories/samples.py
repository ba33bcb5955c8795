"""Samples of a motion or a path, which checks read: configurations, when they are, and what lies between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetree.errors import fail, wrong_type
from kinetree.model.robot import Robot
from kinetree.spatial.se3 import Array
from kinetree.trajectories.along import rate_columns
from kinetree.trajectories.motion import Motion, filled
from kinetree.trajectories.path import Path

STRAIGHT = 1e-4
"""Largest distance of a path from the line between two of its samples, rad or m."""
MOST = 2000
"""Samples of a piece of a path at most."""


@dataclass(frozen=True, eq=False)
class Samples:
    """Samples of a motion, or of a path, which has a parameter in place of times.

    names: the coordinates that are given, whose own limits count. at (n,): times or parameters, or None. q (n, nq).
    beside (n - 1, nq): by how much q may differ from the line between two samples at most, rad and m. qd, qdd (n, nv):
    rates of velocity coordinates if the motion has them, NaN for joints with quaternions.
    """

    robot: Robot
    names: tuple[str, ...]
    at: Array | None
    q: Array
    beside: Array | None = None
    qd: Array | None = None
    qdd: Array | None = None

    @property
    def is_path(self) -> bool:
        """Whether these are samples of a path."""
        return self.beside is not None

    @property
    def times(self) -> Array | None:
        """Times (n,), s; None for a path and a motion without times."""
        return None if self.is_path else self.at

    def when(self, sample: float) -> str:
        """Return where a sample is, such as "t = 0.5 s"; a fraction is between two samples."""
        if self.at is None:
            return f"sample {sample:.6g}"
        at = f"{np.interp(sample, np.arange(len(self.q)), self.at):.6f}".rstrip("0").rstrip(".")
        return f"s = {at}" if self.is_path else f"t = {at} s"


def samples_of(motion: Any, q: Array | None) -> Samples:
    """Return the samples of a Motion or a Path. q (nq,): where coordinates are that it lacks; by default neutral."""
    if isinstance(motion, Path):
        return _of_path(motion)
    if not isinstance(motion, Motion):
        raise wrong_type("motion", f"motion is a {type(motion).__name__}; expected a Motion or a Path")
    robot = motion.robot
    if robot is None:
        raise fail("motion", "the motion has no robot", fix="replace(motion, robot=robot)")
    if not len(motion.q):
        raise fail("motion", "the motion has no samples")
    _check_finite(motion)
    if motion.times is not None and not (np.diff(motion.times) > 0).all():
        i = int((np.diff(motion.times) <= 0).argmax())
        message = f"the time of sample {i + 1} is not after that of sample {i}"
        raise fail("motion", f"{message}; expected times that increase")
    places = {robot.coordinate_names.index(name): i for i, name in enumerate(motion.names)}
    places[-1] = -1  # rates of quaternions are not those of velocity coordinates
    columns = np.array([places.get(i, len(motion.names)) for i in rate_columns(robot).tolist()], dtype=int)
    rest = np.tile([0.0, np.nan], (len(motion.q), 1))  # of coordinates that stand, and of quaternions
    rates = [None if x is None else np.column_stack([x, rest])[:, columns] for x in (motion.qd, motion.qdd)]
    names = motion.names if q is None else robot.coordinate_names
    return Samples(robot, names, motion.times, filled(robot, motion, robot.q() if q is None else q), None, *rates)


def _check_finite(motion: Motion) -> None:
    for name in ("q", "qd", "qdd"):
        values = getattr(motion, name)
        if values is not None and len(bad := np.argwhere(~np.isfinite(values))):
            i, j = bad[0].tolist()
            at = f"{values[i, j]} at sample {i}"
            raise fail("motion", f"{name} of {motion.names[j]!r} is {at}; expected finite numbers")


def _of_path(path: Path) -> Samples:
    """Return samples of a path with all ends of its pieces, all extremes of its coordinates and of rows of limits, and
    lines between them from which it differs by STRAIGHT at most."""
    rows = np.vstack([np.eye(path.robot.nq), path.robot.limits.G])
    at, beside = [path.s[0]], []
    for i, (start, end) in enumerate(zip(path.s[:-1], path.s[1:], strict=True)):
        own, width = path.coefficients[:, i], end - start
        second = _largest(own, width)  # of q''
        count = int(np.clip(np.ceil(width * np.sqrt(second.max(initial=0.0) / (8 * STRAIGHT))), 1, MOST))
        inside = np.linspace(0.0, width, count + 1)[1:-1]
        extremes = [root for c in (own @ rows.T).T for root in _extremes(c) if 0 < root < width]
        since = np.unique([*inside, *extremes, width])
        beside += [step**2 / 8 * second for step in np.diff(since, prepend=0.0)]
        at += [*(start + since[:-1]), end]
    return Samples(path.robot, path.names, np.array(at), path(np.array(at)), np.array(beside))


def _largest(coefficients: Array, width: float) -> Array:
    """Return the largest |q''| (nq,) of a piece of a path, or more: the sum of the sizes of its powers."""
    k = len(coefficients) - 1
    powers = np.arange(k, 1, -1)
    scales = powers * (powers - 1) * width ** (powers - 2.0)
    return np.asarray(scales @ np.abs(coefficients[: k - 1])) if k > 1 else np.zeros(coefficients.shape[1])


def _extremes(coefficients: Array) -> list[float]:
    """Return where the derivative of a polynomial is zero."""
    roots = np.roots(np.polyder(coefficients)) if np.abs(coefficients[:-1]).max(initial=0.0) > 0 else np.zeros(0)
    return [float(root.real) for root in roots if abs(root.imag) < 1e-9]
