"""Ways of a frame through space, along straight lines and arcs, turning at a constant angular velocity."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinetree.errors import fail
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array

SHORT = 1e-6
"""Distance, m, up to which a part only turns, and angle, rad, up to which it does not turn."""
CORNER = 0.1
"""Change of the twist from part to part, relative to the larger one, above which a motion stops there."""


class Way(NamedTuple):
    """Poses of a frame over a parameter s, in m parts.

    s (m + 1,): where parts begin and end: m, or rad for parts that only turn. T (m, 4, 4): poses where they begin. step
    (m, 3): the displacement of a straight part, m. radius (m, 3): from the centre of an arc to its beginning, m. turn,
    bend (m, 3): rotation vectors by which the frame and the radius turn, rad.
    """

    s: Array
    T: Array
    step: Array
    radius: Array
    turn: Array
    bend: Array

    def __call__(self, s: Array) -> Array:
        """Return the poses T (n, 4, 4) at s (n,)."""
        part = np.clip(np.searchsorted(self.s, s, side="right") - 1, 0, len(self.T) - 1)
        share = ((s - self.s[part]) / np.diff(self.s)[part])[:, None]
        T, radius = self.T[part], self.radius[part]
        T[:, :3, 3] += share * self.step[part] - radius
        T[:, :3, 3] += np.einsum("nij,nj->ni", _rotations(share * self.bend[part]), radius)
        T[:, :3, :3] = _rotations(share * self.turn[part]) @ T[:, :3, :3]
        return T

    def corners(self, metres: float) -> NDArray[np.int64]:
        """Return the ends of the way, and the ends of parts between them where the twist jumps, from 0. metres: what
        1 rad counts as."""
        twist = np.hstack([self.step, metres * self.turn]) / np.diff(self.s)[:, None]
        size = np.linalg.norm(twist, axis=1)
        jumps = np.linalg.norm(np.diff(twist, axis=0), axis=1) > CORNER * np.maximum(size[1:], size[:-1])
        return np.array([0, *(1 + np.flatnonzero(jumps)), len(self.T)])


def straight(T: Array) -> Way:
    """Return the way along straight lines from each of the poses T (m + 1, 4, 4) to the next.

    Raises KinetreeError for neighbours that are the same, or half a turn apart.
    """
    step, turn = np.diff(T[:, :3, 3], axis=0), _turns(T)
    metres, angles = np.linalg.norm(step, axis=1), np.linalg.norm(turn, axis=1)
    lengths = np.where(metres > SHORT, metres, angles)
    if (same := np.flatnonzero(lengths <= SHORT)).size:
        i = int(same[0])
        raise fail("path", f"poses {i} and {i + 1}, from 0, are the same; expected neighbours that differ")
    none = np.zeros_like(step)
    return Way(np.append(0.0, np.cumsum(lengths)), T[:-1], step, none, turn, none)


def circular(T: Array, via: Array) -> Way:
    """Return the way along the arc from the first of two poses T (2, 4, 4) through a point (3,), m, to the second.

    Raises KinetreeError if the three points are on a line, or the same, and for poses half a turn apart.
    """
    start, end = T[:, :3, 3]
    a, b = via - start, end - start
    normal = np.cross(a, b)
    size = float(np.linalg.norm(normal))
    if size <= SHORT * np.linalg.norm(a) * np.linalg.norm(b):
        fix = "choose a point beside the line, or use line; a full circle takes two arcs"
        raise fail("path", "the start, T_via and T_to are on a line; expected three points of an arc", fix=fix)
    radius = np.cross(normal, (a @ a) * b - (b @ b) * a) / (2 * size**2)  # from the centre of the circle, to the start
    last, axis = radius + b, normal / size
    angle = np.arctan2(axis @ np.cross(radius, last), radius @ last) % (2 * np.pi)
    length = angle * np.linalg.norm(radius)
    none = np.zeros((1, 3))
    return Way(np.array([0.0, length]), T[:1], none, radius[None], _turns(T), (angle * axis)[None])


def _turns(T: Array) -> Array:
    """Return the rotation vectors (m, 3), in the axes of the base, from each pose T (m + 1, 4, 4) to the next."""
    turns = se3.rotation_vectors(T[1:, :3, :3] @ np.swapaxes(T[:-1, :3, :3], 1, 2))
    if (half := np.flatnonzero(np.linalg.norm(turns, axis=1) > np.pi - SHORT)).size:
        i = int(half[0])
        message = f"poses {i} and {i + 1}, from 0, are half a turn apart, and both ways round are as short"
        raise fail("path", message, fix="give a pose between them")
    return turns


def _rotations(vectors: Array) -> Array:
    """Return R (n, 3, 3) of rotation vectors (n, 3)."""
    angle = np.linalg.norm(vectors, axis=1)
    axis = vectors / np.maximum(angle, se3.TINY)[:, None]
    return np.moveaxis(se3.rotation(axis.T, angle), -1, 0)
