"""STL files, binary and of text, and MuJoCo's MSH files."""

import re
import struct
from typing import Any

import numpy as np

from kinetree.shapes.mesh import MOST_TRIANGLES, Mesh, checked, refused

HEADER = 84
"""Bytes before the first triangle: 80 of any text, and the number of triangles."""
TRIANGLE = np.dtype([("normal", "<f4", 3), ("vertices", "<f4", (3, 3)), ("attribute", "<u2")])
_VERTEX = re.compile(rb"\bvertex\s++(\S{1,60}+)\s++(\S{1,60}+)\s++(\S{1,60}+)", re.IGNORECASE)


def announced(head: bytes) -> int | None:
    """Return the number of triangles in the header of a binary STL file, None if it is too short for one."""
    return struct.unpack_from("<I", head, 80)[0] if len(head) >= HEADER else None


def is_text(head: bytes, size: int) -> bool:
    """Return whether an STL file is one of text. head: its first bytes. size: its length in bytes."""
    count = announced(head)
    exact = count is not None and size == HEADER + count * TRIANGLE.itemsize
    return not exact and head.lstrip()[:5].lower() == b"solid" and b"\0" not in head


def read_stl(data: bytes, file: str) -> Mesh:
    """Return the mesh of an STL file. Raises KinetreeError if it cannot be read."""
    if is_text(data[:1024], len(data)):
        return _text(data, file)
    count = announced(data)
    if count is None:
        raise refused(file, f"is not an STL file: it has {len(data)} bytes")
    if len(data) < HEADER + count * TRIANGLE.itemsize:
        raise refused(file, f"is an STL file of {len(data)} bytes, but its header announces {count} triangles")
    count = min(count, MOST_TRIANGLES + 1)
    points: Any = np.frombuffer(data, TRIANGLE, count, HEADER)["vertices"]
    return _soup(points.reshape(-1, 3).astype(float), file)


def _text(data: bytes, file: str) -> Mesh:
    numbers = (number for found in _VERTEX.finditer(data) for number in found.groups())
    try:
        points = np.fromiter(map(float, numbers), float).reshape(-1, 3)
    except ValueError:
        raise refused(file, "is an STL file with a vertex that is not a number") from None
    if len(points) % 3:
        raise refused(file, f"is an STL file with {len(points)} vertices, which is not three for each triangle")
    return _soup(points, file)


def _soup(points: Any, file: str) -> Mesh:
    return checked(points, np.arange(len(points)).reshape(-1, 3), file)


def stl_bytes(mesh: Mesh) -> bytes:
    """Return a mesh as a binary STL file, in single precision."""
    rows = np.zeros(len(mesh.triangles), TRIANGLE)
    points = mesh.vertices[mesh.triangles]
    normals = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
    rows["normal"] = normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    rows["vertices"] = points
    return b"\0" * 80 + struct.pack("<I", len(rows)) + rows.tobytes()


def read_msh(data: bytes, file: str) -> Mesh:
    """Return the mesh of MuJoCo's binary MSH file: four counts, then vertices, normals, texture coordinates, faces.

    Raises KinetreeError if the counts do not fit its length.
    """
    if len(data) < 16:
        raise refused(file, f"is not an MSH file: it has {len(data)} bytes")
    vertices, normals, coordinates, faces = struct.unpack_from("<4i", data)
    before = 16 + 12 * (vertices + normals) + 8 * coordinates
    if min(vertices, normals, coordinates, faces) < 0 or len(data) != before + 12 * faces:
        raise refused(file, f"is not an MSH file: its header does not fit its length of {len(data)} bytes")
    points = np.frombuffer(data, "<f4", 3 * vertices, 16).reshape(-1, 3).astype(float)
    return checked(points, np.frombuffer(data, "<i4", 3 * faces, before).reshape(-1, 3).astype(np.int64), file)


def msh_bytes(mesh: Mesh) -> bytes:
    """Return a mesh as MuJoCo's MSH file, in single precision."""
    counts = struct.pack("<4i", len(mesh.vertices), 0, 0, len(mesh.triangles))
    return counts + mesh.vertices.astype("<f4").tobytes() + mesh.triangles.astype("<i4").tobytes()
