"""Many poses at once."""

import numpy as np

from kinetree.spatial.se3 import Array

PORTION = 2000
"""Configurations that are tested at once, so that what is known of them stays in the processor's cache."""


def moved(T: Array, points: Array) -> Array:
    """Return points (n, m, 3) of frames with these poses (n, 3, 4)."""
    return np.asarray(points @ T[:, :3, :3].swapaxes(1, 2) + T[:, None, :3, 3])


def inverses(T: Array) -> Array:
    """Return the inverse of each pose (n, 3, 4)."""
    R = T[:, :, :3].swapaxes(1, 2)
    return np.concatenate([R, -R @ T[:, :, 3:]], axis=2)
