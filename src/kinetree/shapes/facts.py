"""Facts of mesh files that cost a rule next to nothing: from the header and some triangles of a binary STL file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from kinetree.formats.plain_file import open_plain
from kinetree.shapes.read import ending_of
from kinetree.shapes.stl import HEADER, TRIANGLE, announced, is_text
from kinetree.spatial.se3 import Array

SAMPLE = 120
"""Most triangles that are looked at: a third each at the beginning, in the middle and at the end."""


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """Facts of a binary STL file: its length in bytes, the length that its header announces, and the sides (3,) in m of
    the box around a sample of its triangles, None if it is cut or has none."""

    length: int
    announced: int
    sides: Array | None
    complete: bool

    @property
    def cut(self) -> bool:
        """Whether the file is shorter than its header says."""
        return self.length < self.announced


def facts_of(path: Path) -> Facts | None:
    """Return the facts of a binary STL file, None for another. Raises OSError if it cannot be opened."""
    if ending_of(path.name) != ".stl":
        return None
    with open_plain(path) as file:
        head, length = file.read(1024), os.fstat(file.fileno()).st_size
        if is_text(head, length):
            return None
        count = announced(head) or 0
        said = HEADER + count * TRIANGLE.itemsize
        if length < said or not count:
            return Facts(length, said, None, False)
        data = b"".join(_blocks(file, count))
    points = np.frombuffer(data, TRIANGLE)["vertices"].reshape(-1, 3).astype(float)
    finite = np.isfinite(points).all()
    return Facts(length, said, np.ptp(points, axis=0) if finite else None, count <= SAMPLE)


def _blocks(file: BinaryIO, count: int) -> Iterator[bytes]:
    """Yield the bytes of all triangles, or of a sample."""
    size = min(count, SAMPLE // 3 if count > SAMPLE else SAMPLE)
    for first in (0, (count - size) // 2, count - size) if count > SAMPLE else (0,):
        file.seek(HEADER + first * TRIANGLE.itemsize)
        yield file.read(size * TRIANGLE.itemsize)
