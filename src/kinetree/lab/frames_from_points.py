"""Frames from touched points: the tip of a tool, and a frame in space."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetree.arguments import explain_type_errors
from kinetree.display import Brief, number
from kinetree.errors import Finding, fail
from kinetree.spatial.numbers import numbers, poses
from kinetree.spatial.se3 import Array, frozen

UNCERTAIN = 5.0
"""How many times the error of a touch a result may be off before a warning says so."""
UNKNOWN = 1e3
"""How many times from which on nothing is known, which is refused."""
LOOSE = 2e-3
"""Residual, m, from which on touches are too rough, for a warning."""
FARTHEST = 100.0
"""Distance of a tip or a point, m, beyond which lengths are in other units."""
ODD = 5.0
"""How many times the others' residual a pose has, if it is left out, before a warning names it."""


@dataclass(frozen=True, slots=True, repr=False)
class TcpFit(Brief):
    """The tip of a tool.

    p (3,): in the touching frame, m. point (3,): the touched point in the base, m. residuals (k,): distances between
    the tip and the point, m. directions (3, 3): unit vectors (rows) in the touching frame, and error (3,): by how many
    times the error of one touch the tip may be off along each, the largest first. notes: warnings.
    """

    p: Array
    point: Array
    residuals: Array
    directions: Array
    error: Array
    notes: tuple[Finding, ...]


@dataclass(frozen=True, slots=True, repr=False)
class FrameFit(Brief):
    """A frame in space. T (4, 4): its pose in the base of the points, m. residuals (k,): distances, m, of the points
    behind the origin, in their order: those on x from the axis, those in xy from the plane. notes: warnings."""

    T: Array
    residuals: Array
    notes: tuple[Finding, ...]


@explain_type_errors
def tcp_from_points(T_base_flange: Any) -> TcpFit:
    """Return the tip of a tool from poses (k, 4, 4), k >= 3, in which it touches one fixed point.

    T_base_flange: poses of the frame in which the tip is sought (the flange, or tool0), in metres, such as
    `kt.controllers["fanuc"].to_pose(values)` or `kt.fk(robot, "flange")(q)` give them. Least squares over all poses of
    R p + t = c. Only the rotations determine the tip: turn the tool by 30 degrees or more, about different axes. Of
    three poses, none can be named as the wrong one; a fourth makes that possible.

    Raises KinetreeError for fewer than three poses, and for poses that leave a direction of the tip unknown.

    Examples:
        >>> import kinetree as kt
        >>> from kinetree.spatial.se3 import translation, turn
        >>> turns = [turn([0, 0, 1], 0.0), turn([1, 0, 0], 0.6), turn([0, 1, 0], 0.6), turn([0, 0, 1], 0.6)]
        >>> poses = [translation([0.5, 0, 0.2]) @ T @ translation([0, 0, -0.15]) for T in turns]
        >>> found = kt.tcp_from_points(poses)
        >>> found.p.round(3) + 0.0, found.point.round(3) + 0.0  # the tip in the flange, the touched point; m
        (array([0.  , 0.  , 0.15]), array([0.5, 0. , 0.2]))
    """
    notes: list[Finding] = []
    T = poses(T_base_flange, notes)
    if T.ndim != 3 or len(T) < 3:
        raise fail("tcp-poses", f"T_base_flange has shape {T.shape}; expected three or more poses (k, 4, 4)")
    p, point, values, axes = _tip(T)
    if np.linalg.norm(p) > FARTHEST:
        message = f"the tip would be {number(float(np.linalg.norm(p)))} m from the frame; expected poses in metres"
        raise fail("tcp-poses", message)
    error = 1.0 / np.sqrt(np.maximum(len(T) * values, 1e-300))
    if error[0] > UNKNOWN:
        message = f"the poses do not tell where the tip is along {_axis(axes[0])} of the touching frame"
        raise fail("tcp-poses", message, fix="turn the tool about other axes, too, by 30 degrees or more")
    residuals = np.linalg.norm(T[:, :3, :3] @ p + T[:, :3, 3] - point, axis=-1)
    if error[0] > UNCERTAIN:
        message = f"along {_axis(axes[0])} of the touching frame the tip may be off by {error[0]:.0f} times the error"
        fix = "turn the tool further, about other axes, too"
        notes.append(Finding("tcp-poses", "warning", f"{message} of one touch", element="poses", fix=fix))
    notes += _odd(T, residuals)
    if residuals.max() > LOOSE and not any(note.element != "poses" for note in notes):
        message = (
            f"the tip misses the point by up to {number(residuals.max() * 1e3)} mm; some poses touch another point"
        )
        notes.append(Finding("tcp-poses", "warning", message, element="poses", fix="touch the point again"))
    return TcpFit(frozen(p), frozen(point), frozen(residuals), frozen(axes), frozen(error), tuple(notes))


def _tip(T: Array) -> tuple[Array, Array, Array, Array]:
    """Return p, the point, and the eigenvalues, ascending, and eigenvectors (rows) of what the poses say about p."""
    R, t = T[:, :3, :3], T[:, :3, 3]
    spread, moved = R - R.mean(axis=0), t - t.mean(axis=0)
    values, vectors = np.linalg.eigh(np.einsum("kij,kil->jl", spread, spread) / len(T))
    p = np.linalg.lstsq(spread.reshape(-1, 3), -moved.reshape(-1), rcond=None)[0]
    return p, (R @ p + t).mean(axis=0), values, vectors.T


def _odd(T: Array, residuals: Array) -> list[Finding]:
    """Return a warning about the pose without which the others agree best, if they then agree much better.

    Three poses may agree by chance: one of four is named only if leaving out any other one helps much less.
    """
    if residuals.max() < 1e-9 or len(T) == 3:
        return []
    without = []
    for i in range(len(T)):
        p, point, _, _ = _tip(np.delete(T, i, axis=0))
        misses = np.linalg.norm(T[:, :3, :3] @ p + T[:, :3, 3] - point, axis=-1)
        without.append((float(np.delete(misses, i).max()), float(misses[i]), i))
    (left, off, worst), (second, _, _), *_ = sorted(without)
    if off < ODD * max(left, 1e-9) or (len(T) == 4 and (off < LOOSE or second < ODD * left)):
        return []
    message = f"misses the point by {number(off * 1e3)} mm, the others by {number(left * 1e3)} mm at most without it"
    return [Finding("tcp-poses", "warning", message, element=f"pose {worst + 1}", fix="touch the point again")]


@explain_type_errors
def frame_from_points(origin: Any, on_x: Any, in_xy: Any) -> FrameFit:
    """Return the frame at `origin`, whose x axis passes through `on_x`, and whose xy plane contains `in_xy`, at y > 0.

    origin (3,). on_x, in_xy (3,) or (k, 3): one point or several, then by least squares. m, all in one frame. This is
    how pendants teach a user frame by three points. Raises KinetreeError for points that do not make a frame.

    Examples:
        >>> import kinetree as kt
        >>> found = kt.frame_from_points([0.4, 0.1, 0], on_x=[0.4, 0.9, 0], in_xy=[0.1, 0.1, 0])
        >>> found.T.round(3) + 0.0
        array([[ 0. , -1. ,  0. ,  0.4],
               [ 1. ,  0. ,  0. ,  0.1],
               [ 0. ,  0. ,  1. ,  0. ],
               [ 0. ,  0. ,  0. ,  1. ]])
    """
    o = _points("origin", origin)
    x, y = _points("on_x", on_x) - o[0], _points("in_xy", in_xy) - o[0]
    if len(o) > 1:
        raise fail("frame-points", f"origin has shape {o.shape}; expected one point (3,)")
    ex = _direction(x)
    across = y - np.outer(y @ ex, ex)
    ey = _direction(across)
    sizes = [float(np.linalg.norm(part, axis=1).max()) for part in (x, across)]
    if min(sizes) < 1e-6 or max(sizes) > 1e6 * min(sizes):
        message = "the points lie on one line, or in one place"
        raise fail("frame-points", message, fix="touch points that make a triangle")
    for what, along in (("on_x", x @ ex), ("in_xy", across @ ey)):
        if along.min() <= 0:
            raise fail("frame-points", f"{what} has points on both sides of the origin, or at it")
    residuals = np.r_[np.linalg.norm(x - np.outer(x @ ex, ex), axis=1), np.abs(across @ np.cross(ex, ey))]
    notes = []
    for what, own, other in (("on_x", sizes[0], sizes[1]), ("in_xy", sizes[1], sizes[0])):
        if own * UNCERTAIN < other:
            message = f"is {number(own * 1e3)} mm from {'the origin' if what == 'on_x' else 'the x axis'}, "
            message += f"{other / own:.0f} times less than the other way; an error of 1 mm turns the frame by "
            message += f"{number(math.degrees(1e-3 / own), 2)} degrees"
            notes.append(Finding("frame-points", "warning", message, element=what, fix="touch points further apart"))
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = np.column_stack([ex, ey, np.cross(ex, ey)]), o[0]
    return FrameFit(frozen(T), frozen(residuals), tuple(notes))


def _points(name: str, values: Any) -> Array:
    array = np.atleast_2d(numbers(values, "frame-points", f"{name} is", "xyz"))
    if array.ndim != 2 or array.shape[1] != 3 or not len(array) or not np.isfinite(array).all():
        message = f"{name} has shape {np.shape(values)}; expected points (3,) or (k, 3) of finite numbers"
        raise fail("frame-points", message)
    if (farthest := float(np.linalg.norm(array, axis=1).max())) > FARTHEST:
        raise fail("frame-points", f"{name} is {number(farthest)} m from the origin; expected points in metres")
    return array


def _direction(vectors: Array) -> Array:
    """Return the unit vector (3,) along which vectors (k, 3) go, by least squares; zero if they go nowhere."""
    axis = np.linalg.svd(vectors)[2][0] if vectors.any() else np.zeros(3)
    return axis * (-1.0 if axis @ vectors.sum(axis=0) < 0 else 1.0)


def _axis(v: Array) -> str:
    j = int(np.abs(v).argmax())
    return "xyz"[j] if abs(v[j]) > 0.999 else f"({', '.join(f'{x:.2f}' for x in v * np.sign(v[j]))})"
