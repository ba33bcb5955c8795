"""Vertices and triangles of a mesh file as MuJoCo reads them: in single precision, of OBJ files the first shape alone.

A file without faces has no triangles: its mesh is the convex hull of its vertices.
"""

import numpy as np
from numpy.typing import NDArray

from kinetree.shapes.mesh import MOST_TRIANGLES, Mesh, checked, refused
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
        return _whole(np.frombuffer(data[16 : 16 + 12 * count], "<f4"), [], file)
    mesh = read_stl(data, file) if ending == ".stl" else read_msh(data, file)
    return mesh.vertices, mesh.triangles


def _whole(points: Array, triangles: list[list[int]], file: str) -> tuple[Array, NDArray[np.int64]]:
    """Return the arrays, checked. points: the coordinates of the vertices in a row."""
    points = points[: len(points) // 3 * 3].astype(float).reshape(-1, 3)
    if not triangles and np.isfinite(points).all():
        return points, np.zeros((0, 3), dtype=np.int64)
    mesh: Mesh = checked(points, np.array(triangles, dtype=np.int64).reshape(-1, 3), file)
    return mesh.vertices, mesh.triangles


def _obj(data: bytes, file: str) -> tuple[Array, NDArray[np.int64]]:
    vertices: list[list[bytes]] = []
    polygons: list[list[int]] = []
    ended = False
    try:
        for line in data.splitlines():
            word, *rest = line.split() or [b""]
            if word == b"v":
                vertices.append(rest[:3])
            elif word in (b"g", b"o"):
                ended = bool(polygons)
            elif word == b"f" and not ended:
                numbers = [int(corner.partition(b"/")[0]) for corner in rest]
                polygons.append([n - 1 if n > 0 else len(vertices) + n for n in numbers])
        if sum(map(len, polygons)) > 3 * MOST_TRIANGLES:
            raise refused(file, f"has more than {MOST_TRIANGLES} triangles")
        points = np.array(vertices, dtype="S40").astype(np.float32).reshape(-1, 3)
        triangles = [triangle for polygon in polygons for triangle in _cut(polygon, points, file)]
    except (ValueError, IndexError):
        raise refused(file, "cannot be read as .obj: it is damaged") from None
    return _whole(points.ravel(), triangles, file)


def _cut(polygon: list[int], points: Array, file: str) -> list[list[int]]:
    """Return the triangles of a polygon, of one with four corners along the shorter diagonal."""
    if len(polygon) > MOST_CORNERS:
        raise refused(file, f"has a polygon of {len(polygon)} corners; at most {MOST_CORNERS} are read")
    if len(polygon) == 4:
        a, b, c, d = polygon
        one, other = (points[c] - points[a]), (points[d] - points[b])
        return [[a, b, c], [a, c, d]] if one @ one < other @ other else [[a, b, d], [b, c, d]]
    return [[polygon[0], *polygon[i : i + 2]] for i in range(1, len(polygon) - 1)]
