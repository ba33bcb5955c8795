"""A mesh as arrays, with its bounds and volume."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kinetree.errors import Finding, KinetreeError, Source
from kinetree.spatial.se3 import Array

MOST_TRIANGLES = 5_000_000
"""Most triangles of a mesh that is read."""


@dataclass(frozen=True, eq=False)
class Mesh:
    """Vertices (n, 3) in metres, in the axes of the file as RViz takes them, and triangles (m, 3) of their numbers.

    A vertex may occur several times, as in an STL file.
    """

    vertices: Array
    triangles: NDArray[np.int64]

    @cached_property
    def bounds(self) -> Array:
        """The lowest and the highest corner (2, 3), m."""
        is_used = np.zeros(len(self.vertices), dtype=bool)
        is_used[self.triangles.ravel()] = True  # np.unique takes ten times as long
        used = self.vertices[is_used]
        return np.array((used.min(axis=0), used.max(axis=0)))

    @cached_property
    def volume(self) -> float:
        """Signed volume, m³; it means something only if the mesh is closed. Negative if its faces point inwards."""
        a, b, c = np.moveaxis(self.vertices[self.triangles] - self.bounds.mean(axis=0), 1, 0)
        return float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6.0

    @cached_property
    def merged(self) -> "Mesh":
        """The mesh with each vertex once, without unused vertices and triangles that lie in a point or an edge."""
        is_used = np.zeros(len(self.vertices), dtype=bool)
        is_used[self.triangles.ravel()] = True
        used = np.flatnonzero(is_used)
        used = used[np.lexsort(self.vertices[used].T[::-1])]  # np.unique of rows takes four times as long
        points = self.vertices[used]
        is_new = np.append(True, (points[1:] != points[:-1]).any(axis=1))
        numbers = np.empty(len(self.vertices), dtype=np.int64)
        numbers[used] = np.cumsum(is_new) - 1
        triangles = numbers[self.triangles]
        edges = triangles != np.roll(triangles, 1, axis=1)
        return Mesh(points[is_new], triangles[edges.all(axis=1)])

    @cached_property
    def closed(self) -> bool:
        """Whether each edge of a triangle is, the other way round, the edge of exactly one other."""
        triangles = self.merged.triangles
        n = len(self.merged.vertices)
        a, b = (np.roll(triangles, -shift, axis=1).ravel() for shift in (0, 1))
        edges = a * n + b
        return len(np.unique(edges)) == len(edges) and np.array_equal(np.sort(edges), np.sort(b * n + a))

    @cached_property
    def flat(self) -> bool:
        """Whether all vertices lie in a plane, to a millionth of the size."""
        points = self.vertices[np.unique(self.triangles)]
        size = np.linalg.svd(np.linalg.qr(points - points.mean(axis=0), mode="r"), compute_uv=False)
        return len(size) < 3 or bool(size[2] <= 1e-6 * size[0])


def checked(vertices: Array, triangles: NDArray[np.int64], file: str) -> Mesh:
    """Return a mesh of these arrays. Raises KinetreeError if it is empty, too large, or its numbers are impossible."""
    if len(triangles) > MOST_TRIANGLES:
        raise refused(file, f"has {len(triangles)} triangles; at most {MOST_TRIANGLES} are read")
    if not len(triangles):
        raise refused(file, "has no triangles")
    if not 0 <= triangles.min() <= triangles.max() < len(vertices):
        raise refused(file, f"has a triangle of vertices that do not exist; there are {len(vertices)}")
    if not np.isfinite(vertices).all() or np.abs(vertices).max() > 1e30:
        raise refused(file, "has a vertex that is not finite")
    for array in (vertices, triangles):
        array.setflags(write=False)
    return Mesh(vertices, triangles)


def refused(file: str, message: str, code: str = "mesh", fix: str | None = None) -> KinetreeError:
    """Return the error for a mesh file that cannot be read."""
    return KinetreeError(Finding(code, "error", message, Source(file), fix=fix))
