"""Meshes as few bytes: 16-bit positions and indices of triangles, deflated, as the page unpacks them.

A mesh of n vertices and m triangles is 6 n + 9 m bytes. Positions are multiples of a step from the lowest corner; each
is stored as the difference to the vertex before, zigzag, the low bytes of all x, of all y, of all z, then the high
bytes. Vertices are in the order of their first use, so the index of a new vertex is the number of vertices before it;
an index is stored as this number minus itself: low bytes of all indices, middle bytes, high bytes. Zeros and small
numbers are frequent in this form, which deflate makes short.
"""

import zlib
from base64 import b64encode
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.errors import fail
from kinetree.shapes.mesh import Mesh
from kinetree.spatial.se3 import Array

LEVELS = 65535
"""Largest number of steps along an axis."""


@dataclass
class Meshes:
    """Packed meshes, in the order in which they were added.

    table: for each its numbers of vertices and triangles, its first byte `at`, its lowest corner `low` and `step`, m.
    bounds: the lowest and the highest corner (2, 3) of each.
    """

    table: list[dict[str, Any]] = field(default_factory=list)
    bounds: list[Array] = field(default_factory=list)
    size: int = 0
    known: dict[str, int] = field(default_factory=dict)
    places: dict[bytes, int] = field(default_factory=dict)

    def add(self, mesh: Mesh) -> int:
        """Pack a mesh, return its number, which is that of an equal mesh that is packed already. The same mesh in
        another unit or at another place has a number of its own, and the bytes of the first.

        Raises KinetreeError if all of its triangles are points or lines.
        """
        return self._add(*packed(mesh), mesh.bounds)

    def add_points(self, points: Array) -> int:
        """Pack points (n, 3) as a mesh without triangles, return its number."""
        low, step, numbers = _stepped(points)
        kept = np.unique(numbers, axis=0)
        described = {"vertices": len(kept), "triangles": 0, "low": low.tolist(), "step": step}
        return self._add(described, _positions(kept), np.array([points.min(axis=0), points.max(axis=0)]))

    def _add(self, described: dict[str, Any], data: bytes, bounds: Array) -> int:
        if data not in self.places:
            self.places[data] = self.size
            self.size += len(data)
        row = {**described, "at": self.places[data]}
        number = self.known.setdefault(repr(row), len(self.table))
        if number == len(self.table):
            self.table.append(row)
            self.bounds.append(bounds)
        return number

    @property
    def text(self) -> str:
        """All meshes as one text, deflated; "" without a mesh."""
        return deflated(b"".join(self.places)) if self.places else ""


def deflated(data: bytes) -> str:
    """Return base64 of zlib's format, which a browser calls deflate."""
    return b64encode(zlib.compress(data, 9)).decode()


def packed(mesh: Mesh) -> tuple[dict[str, Any], bytes]:
    """Return the numbers of a mesh for the page, without `at`, and its bytes.

    Vertices that are equal after rounding become one. Raises KinetreeError if no triangle remains.
    """
    low, step, positions, indices = _welded(mesh)
    described = {"vertices": len(positions), "triangles": len(indices) // 3, "low": low.tolist(), "step": step}
    return described, _positions(positions) + _indices(indices)


def _welded(mesh: Mesh) -> tuple[Array, float, NDArray[np.int64], NDArray[np.int64]]:
    """Return the lowest corner, the step, the vertices (n, 3) in steps, and their numbers (3 m,) in triangles.

    Vertices are in the order of their first use; triangles that are points or lines are left out.
    """
    low, step, numbers = _stepped(mesh.vertices)
    x, y, z = numbers.T
    corners = (x | y << 16 | z << 32)[mesh.triangles]
    corners = corners[(corners != corners[:, (1, 2, 0)]).all(axis=1)]
    if not len(corners):
        raise fail("mesh", "has only triangles that are points or lines")
    keys, first, inverse = np.unique(corners.ravel(), return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return low, step, (keys[order, None] >> np.array((0, 16, 32))) & LEVELS, rank[inverse]


def _stepped(points: Array) -> tuple[Array, float, NDArray[np.int64]]:
    """Return the lowest corner of points (n, 3), the step, and the points in steps."""
    low, high = points.min(axis=0), points.max(axis=0)
    step = float((high - low).max()) / LEVELS or 1.0
    return low, step, np.rint((points - low) / step).clip(0, LEVELS).astype(np.int64)


def _positions(positions: NDArray[np.int64]) -> bytes:
    differences = (np.diff(positions, axis=0, prepend=0) + 32768 & LEVELS) - 32768  # modulo 2**16
    zigzag = ((differences << 1 ^ differences >> 63) & LEVELS).T.ravel()
    return np.concatenate([zigzag & 255, zigzag >> 8]).astype(np.uint8).tobytes()


def _indices(indices: NDArray[np.int64]) -> bytes:
    before = np.maximum.accumulate(np.concatenate([[-1], indices[:-1]])) + 1
    back = before - indices
    return np.concatenate([back & 255, back >> 8 & 255, back >> 16]).astype(np.uint8).tobytes()


def simplified(mesh: Mesh, faces: int) -> Mesh:
    """Return a mesh of about as many triangles, or itself if it has no more."""
    if len(mesh.triangles) <= faces:
        return mesh
    import fast_simplification

    low, step, positions, indices = _welded(mesh)
    points, triangles = fast_simplification.simplify(
        (low + step * positions).astype(np.float32), indices.reshape(-1, 3).astype(np.int32), target_count=faces
    )
    return Mesh(np.asarray(points, dtype=float), np.asarray(triangles, dtype=np.int64)) if len(triangles) else mesh


def check_simplification(faces: int) -> None:
    """Raise KinetreeError if `faces` is not above 0."""
    if not faces > 0:
        raise fail("option", f"faces is {faces!r}; expected whole numbers above 0", element="faces")
