"""Facts of mesh files for rules: what their first bytes say, and their bounds, each file read once."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from kinetree.errors import KinetreeError
from kinetree.formats.opener import read_file
from kinetree.formats.plain_file import open_plain
from kinetree.shapes.mesh import refused
from kinetree.shapes.read import ending_of, read_mesh
from kinetree.shapes.stl import HEADER, TRIANGLE, announced, is_cut
from kinetree.spatial.se3 import Array


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """Bounds (2, 3) in metres, count of triangles and signed volume in m³ of a mesh file; see `Mesh`."""

    bounds: Array
    triangles: int
    volume: float


def facts_of(path: Path) -> Facts | KinetreeError:
    """Return the facts of a mesh file, or the error if it cannot be read; remembered until the file changes."""
    try:
        status = os.stat(path)
        return _facts(path, status.st_mtime_ns, status.st_size)
    except OSError as error:
        return refused(str(path), f"cannot be read: {error.strerror or error}")


@lru_cache(4096)
def _facts(path: Path, _mtime_ns: int, _size: int) -> Facts | KinetreeError:
    try:
        mesh = read_mesh(read_file(path), str(path))
    except KinetreeError as error:
        return error
    return Facts(mesh.bounds, len(mesh.triangles), mesh.volume)


def missing_bytes(path: Path) -> tuple[int, int] | None:
    """Return the length of a binary STL file and the length that its header announces, None if it is long enough or no
    STL file. Only the header is read. Raises OSError."""
    if ending_of(path.name) != ".stl":
        return None
    with open_plain(path) as file:
        head, size = file.read(1024), os.fstat(file.fileno()).st_size
    count = announced(head)
    return (size, HEADER + (count or 0) * TRIANGLE.itemsize) if is_cut(head, size) else None
