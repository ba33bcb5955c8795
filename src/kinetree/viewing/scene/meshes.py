"""Mesh files of a page: each is read and packed once."""

from pathlib import Path

import numpy as np

from kinetree.errors import KinetreeError, fail
from kinetree.files.opener import Files, read_file
from kinetree.shapes.colour import Rgba
from kinetree.shapes.mesh import Mesh
from kinetree.shapes.read import read_parts
from kinetree.shapes.resolve import companions
from kinetree.spatial.se3 import Array
from kinetree.viewing.packing import Meshes, simplified

MOST_BYTES = 400_000_000
"""Most bytes of mesh files for a page."""

Key = tuple[Path, str, bool]
"""File, part of it, and whether the middle of its bounds becomes its origin."""
Parts = list[tuple[int, Rgba | None]]
"""Number and colour of each packed mesh of a file."""


class MeshFiles:
    """Mesh files that are read and packed at their first use. faces: about the most triangles of each. packed: where
    their meshes are added."""

    def __init__(self, faces: int | None = None, packed: Meshes | None = None) -> None:
        self.faces = faces
        self.packed = packed or Meshes()
        self._known: dict[Key, Parts | KinetreeError] = {}
        self._read = 0

    def parts(self, key: Key, files: Files) -> Parts:
        """Return the packed meshes of a file. Raises KinetreeError if it cannot be read."""
        if key not in self._known:
            try:
                self._known[key] = self._pack(key, files)
            except KinetreeError as error:
                self._known[key] = error
        known = self._known[key]
        if isinstance(known, KinetreeError):
            raise known
        return known

    def _pack(self, key: Key, files: Files) -> Parts:
        path, part, centred = key
        data = read_file(path)
        if self._read + len(data) > MOST_BYTES:
            message = f"is left out, because a page reads at most {MOST_BYTES // 10**6} MB of meshes"
            raise fail("file-size", message, fix="simplify the meshes of the robot")
        self._read += len(data)
        meshes = read_parts(data, str(path), companions(path, files), part)
        total = sum(len(mesh.triangles) for mesh, _ in meshes)
        middle = _middle([mesh.bounds for mesh, _ in meshes]) if centred else np.zeros(3)
        parts: Parts = []
        for mesh, own in meshes:
            try:
                fewer = simplified(mesh, self.faces * len(mesh.triangles) // total) if self.faces else mesh
                parts.append((self.packed.add(Mesh(fewer.vertices - middle, fewer.triangles)), own))
            except KinetreeError as error:  # there is nothing to see of this part
                fault = error
        if not parts:
            raise fault
        return parts


def _middle(bounds: list[Array]) -> Array:
    corners = np.concatenate(bounds)
    return np.asarray(corners.min(axis=0) + corners.max(axis=0)) / 2
