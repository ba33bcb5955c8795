"""Vertices and triangles of a mesh file as MuJoCo reads them: in single precision, of OBJ files the first shape alone.

A file without faces has no triangles: its mesh is the convex hull of its vertices.
"""

import numpy as np
from numpy.typing import NDArray

from kinetree.shapes.mesh import Mesh, checked, refused
from kinetree.shapes.obj import fans, joined, obj_contents
from kinetree.shapes.read import check_pointer, ending_of
from kinetree.shapes.stl import is_text, read_msh, read_stl
from kinetree.spatial.se3 import Array

MOST_CORNERS = 1000
"""Most corners of a polygon of an OBJ file."""


def read_as_mujoco(data: bytes, file: str) -> tuple[Array, NDArray[np.int64]]:
    """Return the vertices (n, 3) and triangles (m, 3) of a mesh. Raises KinetreeError if MuJoCo cannot read it."""
    check_pointer(data, file)
    ending = ending_of(file)
    if ending == ".stl" and is_text(data[:1024], len(data)):
        raise refused(file, "is an STL file of text; MuJoCo reads binary ones")
    if ending == ".obj":
        return _obj(data, file)
    if ending not in (".stl", ".msh"):
        raise refused(file, "is in a format that MuJoCo does not read; it reads .stl, .obj and .msh")
    if ending == ".msh" and data[12:16] == bytes(4):
        count = int.from_bytes(data[:4], "little")
        return _whole(np.frombuffer(data[16 : 16 + 12 * count], "<f4"), np.zeros((0, 3), np.int64), file)
    mesh = read_stl(data, file) if ending == ".stl" else read_msh(data, file)
    return mesh.vertices, mesh.triangles


def _whole(points: Array, triangles: NDArray[np.int64], file: str) -> tuple[Array, NDArray[np.int64]]:
    """Return the arrays, checked. points: the coordinates of the vertices in a row."""
    points = points[: len(points) // 3 * 3].astype(float).reshape(-1, 3)
    if not len(triangles) and np.isfinite(points).all():
        return points, triangles
    mesh: Mesh = checked(points, triangles, file)
    return mesh.vertices, mesh.triangles


def _obj(data: bytes, file: str) -> tuple[Array, NDArray[np.int64]]:
    found = obj_contents(data, file)
    sizes = joined(found.sizes)[: found.first]
    corners = joined(found.corners)[: sizes.sum()]
    if len(sizes) and sizes.max() > MOST_CORNERS:
        raise refused(file, f"has a polygon of {sizes.max()} corners; at most {MOST_CORNERS} are read")
    points = joined(found.vertices).astype(np.float32)
    is_quad = sizes == 4
    quads = corners[np.repeat(is_quad, sizes)].reshape(-1, 4)
    if quads.size and not 0 <= quads.min() <= quads.max() < len(points):
        raise refused(file, f"has a face of vertices that do not exist; there are {len(points)}")
    one, other = points[quads[:, 2]] - points[quads[:, 0]], points[quads[:, 3]] - points[quads[:, 1]]
    turned = (one**2).sum(axis=1) >= (other**2).sum(axis=1)  # it is cut along the other, shorter diagonal
    quads[turned] = np.roll(quads[turned], -1, axis=1)
    corners = corners.copy()
    corners[np.repeat(is_quad, sizes)] = quads.ravel()
    return _whole(points.ravel(), fans(corners, sizes), file)
