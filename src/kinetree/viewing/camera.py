"""The camera of pictures: perspective, at the shapes of a robot, with z up. That of the page looks at their middle."""

from dataclasses import dataclass
from math import radians, tan

import numpy as np

from kinetree.errors import fail
from kinetree.spatial.se3 import Array
from kinetree.viewing.projection import TINY

FIELD = 40.0
"""Vertical field of view, degrees."""
DIRECTION = (1.0, -0.9, 0.6)
"""Direction from the middle of the bounds to the camera, in the root link."""
DISTANCE = 1.15
"""Least distance of the camera from the middle of the bounds, in their diagonals."""
FILLED = 0.9
"""Largest share of the picture, from its middle to its edges, that the points take."""
STEPS = 3
"""Steps to the middle of the points in the picture, within a few pixels."""


@dataclass(frozen=True, slots=True, eq=False)
class Camera:
    """A view R (3, 3) with the rows right, up and towards the camera, the place of the camera (3,), m, and the size of
    the picture (2,), pixels."""

    R: Array
    eye: Array
    size: tuple[int, int]

    def project(self, points: Array) -> Array:
        """Return points (…, 3) of space as (…, 3): right and down in the picture, pixels, and the distance along the
        view, m, which must be positive."""
        seen = (points - self.eye) @ self.R.T
        scale = self.size[1] / 2.0 / tan(radians(FIELD / 2.0)) / -seen[..., 2]
        right, down = self.size[0] / 2.0 + scale * seen[..., 0], self.size[1] / 2.0 - scale * seen[..., 1]
        return np.stack([right, down, -seen[..., 2]], axis=-1)


def camera_at(
    points: Array, size: tuple[int, int], direction: tuple[float, float, float] = DIRECTION, beside: Array | None = None
) -> Camera:
    """Return the camera that sees all points (n, 3), m, in the middle of the picture, from DISTANCE or farther away.

    size: of the picture, pixels. direction: from the middle of the bounds to the camera. beside (k, 3): further points
    to see, which are outside of the bounds. Raises KinetreeError if the direction is along z.
    """
    if not np.isfinite(direction).all() or not np.hypot(*direction[:2]) > TINY:
        raise fail("picture", f"the direction to the camera is {direction}; expected finite numbers, not along z")
    towards = np.array(direction) / np.linalg.norm(direction)
    right = np.array((-towards[1], towards[0], 0.0)) / np.hypot(*towards[:2])
    R = np.array([right, np.cross(towards, right), towards])
    low, high = points.min(axis=0), points.max(axis=0)
    seen = (points if beside is None else np.concatenate([points, beside])) - (low + high) / 2.0
    flat, deep = np.split(R @ seen.T, [2])  # (2, k), (1, k)
    aim, shape = np.zeros((2, 1)), np.array([[size[1] / size[0]], [1.0]])
    for _ in range(STEPS):
        fits = float((deep + np.abs(shape * flat).max(axis=0) / (FILLED * tan(radians(FIELD / 2.0)))).max())
        distance = max(DISTANCE * float(np.linalg.norm(high - low)), fits, TINY)
        ends = flat / (distance - deep)  # near points are larger
        step = distance * (ends.min(axis=1, keepdims=True) + ends.max(axis=1, keepdims=True)) / 2.0
        flat, aim = flat - step, aim + step
    return Camera(R, (low + high) / 2.0 + aim[:, 0] @ R[:2] + distance * towards, size)
