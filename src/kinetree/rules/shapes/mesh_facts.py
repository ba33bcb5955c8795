"""Facts of mesh files for rules: from a part of a binary STL file, and from small files of other formats."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

from kinetree.errors import KinetreeError
from kinetree.files.plain_file import open_plain
from kinetree.rules.rule import Array
from kinetree.shapes.collada import check_collada, corners_of
from kinetree.shapes.mesh import Mesh, checked, refused
from kinetree.shapes.read import CHECKS, check_pointer, ending_of, read_mesh
from kinetree.shapes.stl import HEADER, TRIANGLE, announced, is_text

SAMPLE = 120
"""Most triangles that are looked at: a third each at the beginning, in the middle and at the end."""

MOST_BYTES = 500_000
"""Most bytes of a file that is read with trimesh, in about 0.05 s."""

MOST_WHOLE = 20_000_000
"""Most bytes of a binary STL file that is read whole, in about 0.05 s."""


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """Facts of a mesh file: its length in bytes, the length that its header announces, and the lowest and highest
    corner (2, 3) in m of its triangles, or of a sample of them unless `complete`, None if it is cut or has none; and
    the number of its triangles, as its header says."""

    length: int
    announced: int
    box: Array | None
    complete: bool
    triangles: int

    @property
    def sides(self) -> Array | None:
        """Sides (3,) of the box, m."""
        return None if self.box is None else np.ptp(self.box, axis=0)

    @property
    def cut(self) -> bool:
        """Whether the file is shorter than its header says."""
        return self.length < self.announced


def facts_of(path: str | os.PathLike[str]) -> Facts | None:
    """Return the facts of a binary STL file, or of a small file of another format that can be read, else None.

    Raises OSError if it cannot be opened.
    """
    ending = ending_of(os.fspath(path))
    if ending in CHECKS:
        return _of_mesh(path)
    if ending != ".stl":
        return None
    with open_plain(path) as file:
        head, length = file.read(1024), os.fstat(file.fileno()).st_size
        if is_text(head, length):
            return None
        count = announced(head) or 0
        said = HEADER + count * TRIANGLE.itemsize
        if length < said or not count:
            return Facts(length, said, None, False, count)
        data = b"".join(_blocks(file, count))
    return Facts(length, said, _box_in(data), count <= SAMPLE, count)


def box_of(path: str | os.PathLike[str], most: int = 4 * MOST_BYTES) -> Array | None:
    """Return the lowest and highest corner (2, 3) in m of a mesh file, read whole; None if it is too large or cannot be
    read. most: bytes of a file that is no binary STL. Raises OSError if it cannot be opened."""
    with open_plain(path) as file:
        head, length = file.read(1024), os.fstat(file.fileno()).st_size
        binary = ending_of(os.fspath(path)) == ".stl" and not is_text(head, length)
        if length > (MOST_WHOLE if binary else most):
            return None
        data = head + file.read(length)
    count = (announced(head) or 0) if binary else 0
    if binary:
        whole = HEADER + count * TRIANGLE.itemsize
        return _box_in(data[HEADER:whole]) if count and len(data) >= whole else None
    try:
        return _mesh(data, str(path)).bounds
    except KinetreeError:
        return None


def _box_in(triangles: bytes) -> Array | None:
    """Return the lowest and highest corner of triangles of a binary STL file, None if one is not finite."""
    points = np.frombuffer(triangles, TRIANGLE)["vertices"].reshape(-1, 3).astype(float)
    box = np.array((points.min(axis=0), points.max(axis=0)))
    return box if np.isfinite(box).all() else None


def _of_mesh(path: str | os.PathLike[str]) -> Facts | None:
    with open_plain(path) as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        return None
    try:
        mesh = _mesh(data, str(path))
        return Facts(len(data), len(data), mesh.bounds, True, len(mesh.triangles))
    except KinetreeError:
        return None


def _mesh(data: bytes, file: str) -> Mesh:
    """Return a mesh, of a DAE file without trimesh, whose import takes longer than all checks of an arm."""
    check_pointer(data, file)
    if ending_of(file) != ".dae":
        return read_mesh(data, file)
    shown, unit = check_collada(data, file)
    try:
        with np.errstate(all="ignore"):
            corners = corners_of(shown) * unit
    except Exception:  # pycollada raises anything on damaged bytes
        raise refused(file, "cannot be read as .dae") from None
    return checked(corners, np.arange(len(corners)).reshape(-1, 3), file)


def _blocks(file: BinaryIO, count: int) -> Iterator[bytes]:
    """Yield the bytes of all triangles, or of a sample."""
    size = min(count, SAMPLE // 3 if count > SAMPLE else SAMPLE)
    for first in (0, (count - size) // 2, count - size) if count > SAMPLE else (0,):
        file.seek(HEADER + first * TRIANGLE.itemsize)
        yield file.read(size * TRIANGLE.itemsize)
