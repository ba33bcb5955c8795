"""What a reach map needs of a robot: its solvers, a joint about which it is symmetric, and the grid."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from kinetree.errors import fail
from kinetree.lab.reach.grid import Grid, sphere
from kinetree.lab.reach.search import Search, configurations, is_exact
from kinetree.model.limits import limits_about
from kinetree.model.robot import Robot
from kinetree.queries.motion import fk, jacobian, manipulability
from kinetree.solvers.ik.make import ik
from kinetree.solvers.ik.solver import IK
from kinetree.spatial.numbers import numbers
from kinetree.spatial.se3 import Array, frozen

SAMPLES = 4096
"""Number of configurations that show how far a frame reaches."""
FINE = 20
"""Least number of voxels along the longest side of a grid of default voxels."""
THIN = 1e-6
"""Largest thickness, relative to the longest side, of a default box that becomes flat, as of an arm in a plane."""
STRAIGHT = 1e-9
"""Largest change of an axis, and of a point on it, m, that stands still."""
ROUND = 36
"""Number of orientations about an axis, every 10 degrees."""
LOST = 1e-7
"""Largest singular value, relative to the largest one, of a motion that a frame does not have."""
MOST = 2**32
"""Largest number of targets of a map."""
Box = Sequence[Sequence[float]] | None


def solver_of(robot: Robot, frame: str, base: str, kind: str, options: dict[str, Any]) -> IK:
    """Return a solver of a kind: "position", "direction", which leaves rolls free, or "pose". options: of `ik`."""
    if kind == "position":
        return ik(robot, frame, base, goal="position", **options)
    if kind == "direction":
        return ik(robot, (frame, frame), base, goal=("position", "pointing"), **options)
    return ik(robot, frame, base, **options)


def orientations_of(robot: Robot, frame: str, base: str, solver: IK, directions: Any, rolls: Any) -> tuple[Array, int]:
    """Return directions (d, 3) of the z-axis of a frame, and a number of rolls, where None stands for those that the
    robot can have. solver: for poses."""
    q = configurations(solver, 64)
    J = np.asarray(jacobian(robot, frame, base)(q))[:, :, solver._problem.rates]
    z = np.asarray(fk(robot, frame, base)(q))[:, :3, 2]
    turned = np.cross(J[:, 3:], z[:, :, None], axis=1)
    rows = J[:, :3], np.concatenate([J[:, :3], turned], axis=1), J
    position, pointing, pose = (int(np.linalg.matrix_rank(one, rtol=LOST).max()) for one in rows)
    free, rolling = pointing - position, pose - pointing  # ways in which z turns at a position, and the frame about it
    if directions is None:
        cone = _cone(J[:, 3:].swapaxes(1, 2).reshape(-1, 3), z[0]) if free + rolling == 1 else np.zeros((0, 3))
        chosen, most = (cone, ROUND * rolling) if len(cone) else (sphere(50 if free == 2 else 0), 4 * rolling)
    elif isinstance(directions, str) or np.ndim(directions):
        wrong = isinstance(directions, str) and directions != "down"
        given = numbers([(0.0, 0.0, -1.0)] if isinstance(directions, str) else directions, "reach", "directions is")
        lengths = np.linalg.norm(given, axis=-1, keepdims=True)
        if wrong or given.ndim != 2 or given.shape[1] != 3 or not ((lengths > 0) & np.isfinite(lengths)).all():
            legal = "a number of directions, 'down', or vectors (d, 3) along which z points"
            raise fail("reach", f"directions is {directions!r}; expected {legal}")
        chosen, most = given / lengths, 0
    else:
        chosen, most = sphere(directions), 4 if free + rolling == 3 else 0
    return frozen(chosen), (most if rolls is None else int(rolls)) if len(chosen) else 0


def _cone(w: Array, z: Array) -> Array:
    """Return the directions of the z-axis of a frame whose angular velocities w (k, 3) are all about one line, as of an
    arm in a plane; none (0, 3) if they are about several."""
    axis = w[np.argmax(np.linalg.norm(w, axis=1))]
    axis = axis / np.linalg.norm(axis)
    along, across = (z @ axis) * axis, z - (z @ axis) * axis
    if np.abs(np.cross(w, axis)).max() > STRAIGHT:
        return np.zeros((0, 3))
    if np.linalg.norm(across) < STRAIGHT:
        return np.asarray(np.round(along, 12)[None] + 0.0)
    angle = 2 * np.pi * np.arange(ROUND)[:, None] / ROUND
    return np.asarray(along + np.cos(angle) * across + np.sin(angle) * np.cross(axis, across))


def search_of(robot: Robot, frame: str, base: str, kind: str, solver: IK, position: IK, axis: int | None) -> Search:
    """Return the search. axis: the coordinate whose own limits do not count for the margin."""
    poses = np.asarray(fk(robot, frame, base)(configurations(solver, 64)))
    exact = kind == "pose" and is_exact(solver, poses)
    limits, columns = robot.limits, solver._problem.columns
    others = columns[columns != axis] if axis is not None else columns
    about = limits_about(limits, others)[2 * robot.nq :]
    lower, upper = np.full(robot.nq, -np.inf), np.full(robot.nq, np.inf)
    lower[others], upper[others] = limits.lower[others], limits.upper[others]
    return Search(
        solver,
        None if exact or kind == "position" else position,
        manipulability(robot, frame, base, rows="all" if kind == "pose" else "linear"),
        lower,
        upper,
        limits.G[about],
        limits.h[about],
    )


def symmetry_of(robot: Robot, frame: str, base: str, solver: IK) -> tuple[int, Array] | None:
    """Return the coordinate of a joint that makes whole turns about an axis that stands still in the base and is
    parallel to its z, and x and y of that axis; None if there is no such joint.

    Turning it turns the frame about this axis, so all that is reached is symmetric about it.
    """
    q = configurations(solver, 16)
    J, p = np.asarray(jacobian(robot, frame, base)(q)), np.asarray(fk(robot, frame, base)(q))[:, :3, 3]
    for column, rate, turns in zip(solver._problem.columns, solver._problem.rates, solver._problem.turns, strict=True):
        v, w = J[:, :3, rate], J[:, 3:, rate]
        sign = np.sign(w[0, 2])
        axis = np.stack([p[:, 0] - sign * v[:, 1], p[:, 1] + sign * v[:, 0]], axis=-1)  # of v = w × (p - axis)
        still = np.abs(w - (0.0, 0.0, sign)).max() < STRAIGHT and np.abs(axis - axis[0]).max() < STRAIGHT
        if turns and sign and still:
            return int(column), np.round(axis.mean(axis=0), 12) + 0.0
    return None


def grid_of(
    robot: Robot,
    frame: str,
    base: str,
    position: IK,
    voxel: float | None,
    box: Box,
    directions: Array,
    rolls: int,
    axis: Array | None,
) -> Grid:
    """Return the grid. Default boxes contain all that is reached, with corners at multiples of the voxel, and are flat
    if that is in a plane."""
    if voxel is not None and not 0 < voxel < np.inf:
        raise fail("voxel", f"voxel is {voxel!r}; expected a finite length above 0, m")
    if box is None:
        _check_ends(robot, position)
    corners = _reached_box(robot, frame, base, position, axis) if box is None else _checked(box)
    longest = float((corners[1] - corners[0]).max())
    side = float(voxel) if voxel is not None else _default_voxel(longest)
    flat = corners[0] == corners[1]
    if box is None:
        first, last = np.floor(corners[0] / side), np.ceil(corners[1] / side)
        lower, shape = np.where(flat, corners[0], first * side), np.where(flat, 1, last - first)
    else:
        lower, shape = corners[0], np.maximum(np.ceil((corners[1] - corners[0]) / side - 1e-9), 1)
    orientations = max(len(directions), 1) * max(rolls, 1)
    if shape.prod() * orientations > MOST:
        message = f"{shape.prod():.3g} voxels of {side} m with {orientations} orientations"
        raise fail("reach", f"{message} are more than {MOST} targets", fix="use larger voxels or a smaller box")
    (x, y, z), (flat_x, flat_y, flat_z) = shape.astype(int).tolist(), flat.tolist()
    return Grid(frozen(lower), side, (x, y, z), (flat_x, flat_y, flat_z), directions, rolls, axis)


def _checked(box: Any) -> Array:
    corners = numbers(box, "box", "box is")
    if corners.shape != (2, 3) or not np.isfinite(corners).all() or (corners[0] > corners[1]).any():
        raise fail("box", f"box is {box!r}; expected two corners of 3 finite numbers, m, the lower one first")
    return corners


def _check_ends(robot: Robot, position: IK) -> None:
    """Raise KinetreeError if a joint may slide without end."""
    problem = position._problem
    for j, turns in zip(problem.columns, problem.turns, strict=True):
        if not turns and not np.isfinite([robot.limits.lower[j], robot.limits.upper[j]]).all():
            name = robot.coordinate_names[j]
            raise fail("box", f"the range of {name!r} has no end, and so has the reach", fix="give box=, two corners")


def _reached_box(robot: Robot, frame: str, base: str, position: IK, axis: Array | None) -> Array:
    """Return the corners (2, 3) of a box around the positions of the frame, a little larger than found unless flat."""
    at = fk(robot, frame, base)
    points = np.asarray(at(configurations(position, SAMPLES)))[:, :3, 3]
    far = 10.0 * (np.abs(points).max() + 1.0) * np.concatenate([np.eye(3), -np.eye(3)])
    best = points[np.argmax(far @ points.T, axis=1)]
    starts = configurations(position, SAMPLES)[np.argmax(far @ points.T, axis=1)]
    ends = np.asarray(at(position(best + far, q0=starts).q))[:, :3, 3]
    points = np.concatenate([points, ends])
    low, high = points.min(axis=0), points.max(axis=0)
    if axis is not None:
        radius = np.hypot(*(points[:, :2] - axis).T).max()
        low[:2], high[:2] = axis - radius, axis + radius
    longest = float((high - low).max())
    flat = high - low < THIN * longest
    pad = np.where(flat, 0.0, 0.005 * longest)
    middle = np.round((low + high) / 2.0, 9) + 0.0
    return np.array([np.where(flat, middle, low - pad), np.where(flat, middle, high + pad)])


def _default_voxel(longest: float) -> float:
    """Return the largest of 1, 2 and 5 times a power of ten, m, that gives at least `FINE` voxels."""
    if not longest > 0:
        return 1.0
    power = 10.0 ** np.floor(np.log10(longest / FINE))
    return float(f"{max(n for n in (1, 2, 5) if n * power <= longest / FINE) * power:.1g}")
