"""Configurations along a way of a frame, dense enough that a spline through them keeps the frame on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.display import number
from kinetree.errors import KinetreeError, fail
from kinetree.model.limits import Limits
from kinetree.model.robot import Robot
from kinetree.queries.motion import fk
from kinetree.solvers.ik.make import ik
from kinetree.spatial.se3 import Array, rotation_vectors
from kinetree.trajectories.path import Path
from kinetree.trajectories.reasons import half_spaces
from kinetree.trajectories.singular import SINGULAR, singular_values
from kinetree.trajectories.ways import Way

if TYPE_CHECKING:
    from kinetree.solvers.ik.follow import IKPath

EXACT = (1e-9, 1e-9)
"""Tolerance of samples, m and rad: below it the second derivative of a spline is that of the way."""
NEAR = 0.3
"""Distance between samples, rad or m, as of `follow`."""
PROJECTIONS = 10
"""Rounds in which slopes are projected to the limits; without coupled limits one is exact."""
FEW = 16
"""Samples to begin with."""
PARTS = 16
"""Steps into which one is divided on which the way cannot be followed."""
FINEST = 2.0**-16
"""Shortest step, as part of the way."""
MOST = 20_000
"""Most samples."""
BETWEEN = np.array([0.2, 0.4, 0.6, 0.8])
"""Parts of a step at which the frame is compared with the way."""
KEPT = 0.8
"""Part of the tolerance that is used there, as the largest distance may be beside them."""


def followed(robot: Robot, frame: str, base: str | None, way: Way, q0: Any, tolerance: tuple[float, float]) -> Path:
    """Return the path of a robot on which a frame, seen from a base, is on a way, up to a tolerance, m and rad.

    Raises KinetreeError if inverse kinematics does not follow the way from q0 (nq,).
    """
    solver, pose = ik(robot, frame, base, tolerance=EXACT), fk(robot, frame, base)
    corners = way.s[way.corners(tolerance[0] / tolerance[1])]
    counts = np.maximum(1, np.ceil(FEW * np.diff(way.s) / way.s[-1])).astype(int)
    pieces = zip(way.s, way.s[1:], counts, strict=False)
    s = np.concatenate([[0.0], *(np.linspace(start, end, n + 1)[1:] for start, end, n in pieces)])
    while True:
        found = solver.follow(way(s), q0=q0, near=NEAR)
        k = int(found.count)
        if k < len(s):
            if not k or s[k] - s[k - 1] <= FINEST * way.s[-1] or len(s) > MOST:
                raise _stops(robot, frame, base, found, s)
            s = np.insert(s, k, np.linspace(s[k - 1], s[k], PARTS + 1)[1:-1])
            continue
        path = _spline(robot, s, found.q, corners)
        at = (s[:-1] + BETWEEN[:, None] * np.diff(s)).T.ravel()  # (4 n,)
        off = (_off(pose(path(at)), way(at)) / tolerance).max(axis=1).reshape(-1, len(BETWEEN)).max(axis=1)
        if not (coarse := np.flatnonzero(off > KEPT)).size:
            return path
        if np.diff(s)[coarse].min() <= FINEST * way.s[-1] or len(s) > MOST:
            i = int(coarse[off[coarse].argmax()])
            jump = np.abs(found.q[i + 1] - found.q[i])
            why = f"{robot.coordinate_names[jump.argmax()]} jumps there by {number(jump.max())}, to another solution"
            raise _fault(robot, frame, base, found.q[i], s, i, why)
        s = np.insert(s, coarse + 1, (s[coarse] + s[coarse + 1]) / 2)


def _spline(robot: Robot, s: Array, q: Array, corners: Array) -> Path:
    """Return the path with the cubic spline (not-a-knot) from each corner to the next, bent where it would leave the
    limits of the robot."""
    from scipy.interpolate import CubicHermiteSpline, CubicSpline  # takes long

    ends, pieces = np.searchsorted(s, corners), []
    for a, b in zip(ends, ends[1:] + 1, strict=False):
        slopes = _bent(robot.limits, s[a:b], q[a:b], CubicSpline(s[a:b], q[a:b])(s[a:b], 1))
        pieces.append(CubicHermiteSpline(s[a:b], q[a:b], slopes).c)
    c = np.concatenate(pieces, axis=1)
    c[:-1, :, np.ptp(q, axis=0) == 0.0] = 0.0  # joints that stand
    return Path(robot, s, c)


def _bent(limits: Limits, s: Array, q: Array, slopes: Array) -> Array:
    """Return slopes (n, nq) at q (n, nq) with which the coefficients of Bernstein of each cubic are inside the limits,
    and so is the cubic: q, and q plus and minus a third of a step along the slope."""
    _, G, h = half_spaces(limits)
    room = 3.0 * np.maximum(h - q @ G.T, 0.0)
    steps = np.diff(s)[:, None]
    high, low = np.full_like(room, np.inf), np.full_like(room, -np.inf)
    high[:-1], low[1:] = room[:-1] / steps, -room[1:] / steps
    for _ in range(PROJECTIONS):
        for g, least, most in zip(G, low.T, high.T, strict=True):
            along = slopes @ g
            slopes = slopes + np.outer((np.clip(along, least, most) - along) / (g @ g), g)
    along = slopes @ G.T
    with np.errstate(divide="ignore", invalid="ignore"):
        kept = np.where(along > high, high / along, np.where(along < low, low / along, 1.0))
    return np.asarray(slopes * kept.min(axis=1, initial=1.0)[:, None])


def _off(T: Array, wanted: Array) -> Array:
    """Return the distances of poses (n, 2), m and rad."""
    turns = rotation_vectors(np.swapaxes(wanted[:, :3, :3], 1, 2) @ T[:, :3, :3])
    return np.asarray(np.linalg.norm([T[:, :3, 3] - wanted[:, :3, 3], turns], axis=2).T)


def _stops(robot: Robot, frame: str, base: str | None, found: IKPath, s: Array) -> KinetreeError:
    """Return the error about a way that inverse kinematics does not follow to its end."""
    k, why = int(found.count), found.why.partition(": ")[2]
    fix = None
    if found.start_count:
        there = "to the end" if found.start_count == len(s) else f"to {number(s[int(found.start_count) - 1], 4)} m"
        values = zip(robot.coordinate_names, np.round(found.start, 6).tolist(), strict=True)
        named = ", ".join(f"{name}={value:g}" for name, value in values)
        fix = f"begin at q0 with {named}, rad or m, from which it goes {there}"
    if not k:
        return fail("path", f"q0 is not at the first pose, nor near it: {why}", fix=fix)
    return _fault(robot, frame, base, found.q[k - 1], s, k - 1, why, fix)


def _fault(
    robot: Robot, frame: str, base: str | None, q: Array, s: Array, i: int, why: str, fix: str | None = None
) -> KinetreeError:
    values = singular_values(robot, frame, q[None], base)
    near = ""
    if values is not None and values[0][0] < SINGULAR:
        near = f"; a singular configuration is near: the smallest singular value is {number(values[0][0])}"
    message = f"frame {frame!r} follows the way for {number(s[i], 4)} of {number(s[-1], 4)} m: {why}{near}"
    return fail("path", message, fix=fix)
