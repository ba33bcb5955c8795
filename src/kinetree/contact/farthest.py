"""The farthest points of a solid."""

import numpy as np

from kinetree.contact.solids import Solid
from kinetree.spatial.se3 import Array


def farthest(solid: Solid, d: Array) -> Array:
    """Return the points of a solid (n, 3) that are farthest in unit directions (n, 3)."""
    up = np.array([0.0, 0.0, 1.0])
    match solid.kind:
        case "sphere":
            return solid.sizes[0] * d
        case "ellipsoid":
            scaled = d * np.array(solid.sizes) ** 2
            return np.asarray(scaled / np.linalg.norm(d * np.array(solid.sizes), axis=1)[:, None])
        case "capsule":
            return np.asarray(solid.sizes[0] * d + np.sign(d[:, 2:]) * solid.sizes[1] / 2 * up)
        case "cylinder":
            flat = d * np.array([1.0, 1.0, 0.0])
            round_ = flat / np.maximum(np.linalg.norm(flat, axis=1), 1e-300)[:, None]
            return np.asarray(solid.sizes[0] * round_ + np.sign(d[:, 2:]) * solid.sizes[1] / 2 * up)
    vertices = solid.surface.vertices
    return np.asarray(vertices[(d @ vertices.T).argmax(axis=1)])
