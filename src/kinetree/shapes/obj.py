"""OBJ files: vertices, polygons and the colours of materials, read in blocks of lines, so that memory stays small."""

import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.shapes.colour import Rgba, fractions, mean_colour, rounded
from kinetree.shapes.mesh import MOST_TRIANGLES, Mesh, checked, refused
from kinetree.spatial.se3 import Array

MOST_LINE = 1_000_000
"""Most bytes of a line."""
MOST_LIBRARY = 4_000_000
"""Most bytes of a library of materials."""
MOST_NAMES = 10_000
"""Most materials of a file that have a colour."""
MOST_PICTURES = 100
"""Most pictures of a library of materials; further ones are ignored."""
MOST_COLOURS = 1000
"""Most colours of a file; if it has more, none is used."""

_BEHIND = re.compile(rb"/\S*")  # the numbers of a texture coordinate and a normal
_SPACES = bytes(c if c > ord(" ") or c == ord("\n") else ord(" ") for c in range(256))
_INDENT = re.compile(rb"(?m)^ +")


@dataclass(eq=False)
class Obj:
    """Contents of an OBJ file, as lists of arrays of its blocks.

    vertices: (n, 3) each. shades: red, green and blue of the vertices, without those that have none. corners: the
    vertices of the polygons in a row. sizes: the number of corners of each polygon. materials: the index of the
    material of each polygon by `names`, 0 before the first. first: the number of polygons of the first group or object.
    """

    vertices: list[Array] = field(default_factory=list)
    shades: list[Array] = field(default_factory=list)
    corners: list[NDArray[np.int64]] = field(default_factory=list)
    sizes: list[NDArray[np.int64]] = field(default_factory=list)
    materials: list[NDArray[np.int32]] = field(default_factory=list)
    names: dict[str, int] = field(default_factory=lambda: {"": 0})
    material: int = 0
    library: str = ""
    first: int = 0
    n_vertices: int = 0
    n_polygons: int = 0
    n_triangles: int = 0

    def add(self, block: bytes) -> None:
        """Add the contents of a block of lines. Raises ValueError or OverflowError if a number is wrong."""
        codes = np.frombuffer(bytearray(block), np.uint8)
        ends = np.flatnonzero(codes == ord("\n"))
        starts = np.append(0, ends[:-1] + 1)
        lengths = ends + 1 - starts
        head, second = codes[starts], codes[np.minimum(starts + 1, ends)]
        is_vertex, is_face = ((head == ord(letter)) & (second <= ord(" ")) for letter in "vf")
        is_shape = ((head == ord("g")) | (head == ord("o"))) & (second <= ord(" "))
        codes[starts[is_vertex | is_face]] = ord(" ")
        self._add_vertices(codes[np.repeat(is_vertex, lengths)].tobytes())
        numbered = self.n_vertices - np.count_nonzero(is_vertex) + np.cumsum(is_vertex)
        self._add_faces(codes[np.repeat(is_face, lengths)].tobytes(), numbered[is_face])
        so_far = self.n_polygons - np.count_nonzero(is_face) + np.cumsum(is_face)
        self.first = self.first or int(next(iter(so_far[is_shape & (so_far > 0)]), 0))
        is_name = (head == ord("u")) & (second == ord("s"))
        names = (_rest(block[starts[i] : ends[i]]) for i in np.flatnonzero(is_name))
        used = [self.material, *map(self._number, names)]
        self.material = used[-1]
        self.materials.append(np.array(used, dtype=np.int32)[np.cumsum(is_name)[is_face]])
        for i in () if self.library else np.flatnonzero((head == ord("m")) & (second == ord("t"))):
            self.library = self.library or _rest(block[starts[i] : ends[i]])

    def _number(self, name: str) -> int:
        return self.names.get(name, 0) if len(self.names) > MOST_NAMES else self.names.setdefault(name, len(self.names))

    def _add_vertices(self, text: bytes) -> None:
        counts = _words(text)
        numbers = np.fromiter(map(float, text.split()), float, counts.sum())
        if (counts < 3).any():
            raise ValueError
        first = (np.cumsum(counts) - counts)[:, None] + np.arange(3)
        self.vertices.append(numbers.reshape(-1, 3) if (counts == 3).all() else numbers[first])
        self.shades.append(numbers[first[counts >= 6] + 3])
        self.n_vertices += len(counts)

    def _add_faces(self, text: bytes, before: NDArray[np.int64]) -> None:
        """Add polygons. before: number of vertices before each of them, from which negative numbers count back."""
        text = _BEHIND.sub(b"", text) if b"/" in text else text
        sizes = _words(text)
        numbers = np.fromiter(map(int, text.split()), np.int64, sizes.sum())
        if (numbers == 0).any():
            raise ValueError
        self.corners.append(np.where(numbers > 0, numbers - 1, np.repeat(before, sizes) + numbers))
        self.sizes.append(sizes)
        self.n_polygons += len(sizes)
        self.n_triangles += int(np.maximum(sizes - 2, 0).sum())


def obj_contents(data: bytes, file: str) -> Obj:
    """Return what is in an OBJ file. Raises KinetreeError if it is damaged or too large."""
    found = Obj()
    try:
        for block in _blocks(data, file):
            found.add(block)
            if max(found.n_triangles, found.n_vertices) > MOST_TRIANGLES:
                raise refused(file, f"has more than {MOST_TRIANGLES} vertices, or as many triangles")
    except (ValueError, OverflowError):
        raise refused(file, "cannot be read as .obj: it is damaged; expected numbers of vertices and faces") from None
    if not found.n_triangles and not found.n_vertices:
        raise refused(file, "has no triangles")
    found.first = found.first or found.n_polygons
    return found


def read_obj(
    data: bytes, file: str, beside: Callable[[str], bytes | None], looks: bool
) -> list[tuple[Mesh, Rgba | None]]:
    """Return the meshes of an OBJ file, one for each colour if `looks`. Raises KinetreeError if it cannot be read."""
    found = obj_contents(data, file)
    vertices, sizes = joined(found.vertices), joined(found.sizes)
    whole = checked(vertices, fans(joined(found.corners), sizes), file)
    colours = _colours(found, file, beside) if looks else [None]
    each = {colour: i for i, colour in enumerate(dict.fromkeys(colours))}
    if not 1 < len(each) <= MOST_COLOURS:
        return [(whole, colours[0] if len(each) == 1 else None)]
    of_name = np.array([each[colour] for colour in colours])
    of_triangle = np.repeat(of_name[joined(found.materials)], np.maximum(sizes - 2, 0))
    order = np.argsort(of_triangle, kind="stable")
    cuts = np.searchsorted(of_triangle[order], np.arange(1, len(each)))
    parts = zip(each, np.split(whole.triangles[order], cuts), strict=True)
    return [(_compact(vertices, part, file), colour) for colour, part in parts if len(part)]


def joined(arrays: list[NDArray[Any]]) -> NDArray[Any]:
    """Return the arrays as one, and empty their list, so that memory has them once."""
    whole = np.concatenate(arrays)
    arrays.clear()
    return whole


def fans(corners: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return polygons as fans of triangles (k, 3). corners: of all polygons. sizes: corners of each polygon."""
    if (sizes == 3).all():
        return corners.reshape(-1, 3)
    many = np.maximum(sizes - 2, 0)
    start = np.repeat(np.cumsum(sizes) - sizes, many)
    triangles = np.empty((len(start), 3), dtype=np.int64)
    triangles[:, 0] = corners[start]
    start += np.arange(1, len(start) + 1) - np.repeat(np.cumsum(many) - many, many)
    triangles[:, 1] = corners[start]
    start += 1
    triangles[:, 2] = corners[start]
    return triangles


def _blocks(data: bytes, file: str) -> Iterator[bytes]:
    """Yield the lines of a text in blocks, without indents. Raises KinetreeError if a line is too long."""
    if b"\\" in data:
        data = data.replace(b"\\\r\n", b" ").replace(b"\\\n", b" ")
    at = 0
    while at < len(data):
        stop = data.rfind(b"\n", at, at + MOST_LINE) + 1 or len(data)
        if stop - at > MOST_LINE:
            raise refused(file, f"has a line of more than {MOST_LINE} bytes; expected lines of at most so many")
        block = data[at:stop].translate(_SPACES)
        yield (_INDENT.sub(b"", block) if b"\n " in block or block[:1] == b" " else block).rstrip(b"\n") + b"\n"
        at = stop


def _words(text: bytes) -> NDArray[np.int64]:
    """Return the number of words of each line."""
    codes = np.frombuffer(text, np.uint8)
    is_start = codes > ord(" ")
    is_start[1:] &= codes[:-1] <= ord(" ")
    return np.asarray(np.diff(np.cumsum(is_start)[codes == ord("\n")], prepend=0))


def _rest(line: bytes) -> str:
    return line.partition(b" ")[2].strip().decode(errors="replace")


def _compact(vertices: Array, triangles: NDArray[np.int64], file: str) -> Mesh:
    used, numbers = np.unique(triangles, return_inverse=True)
    return checked(vertices[used], numbers.reshape(-1, 3), file)


def _colours(found: Obj, file: str, beside: Callable[[str], bytes | None]) -> list[Rgba | None]:
    """Return the colour of each material of `names`; without a library the mean of the colours of vertices."""
    library = (beside(found.library) if found.library else None) or b""
    if len(library) > MOST_LIBRARY:
        raise refused(file, f"has a library of materials of {len(library)} bytes; at most {MOST_LIBRARY} are read")
    materials = _library(library, beside)
    shades = joined(found.shades)
    mean = None
    if len(shades) and len(shades) == found.n_vertices:
        mean = rounded(fractions(shades.mean(axis=0)))
    return [materials.get(name, mean) for name in found.names]


def _library(text: bytes, beside: Callable[[str], bytes | None]) -> dict[str, Rgba | None]:
    """Return the colour of each material of a library: the mean of its picture `map_Kd`, else `Kd`."""
    plain: dict[str, Rgba | None] = {}
    pictures: dict[str, str] = {}
    name = ""
    for line in text.splitlines():
        word, _, rest = line.strip().decode(errors="replace").partition(" ")
        if word == "newmtl":
            name = rest.strip()
            plain[name] = None
        elif word.lower() == "kd" and name in plain:
            plain[name] = rounded(fractions([float(x) for x in rest.split()]))
        elif word.lower() == "map_kd" and name in plain:
            pictures[name] = rest.strip()
    means = {one: _mean(beside(one)) for one in list(dict.fromkeys(pictures.values()))[:MOST_PICTURES]}
    return plain | {name: means.get(reference) or plain[name] for name, reference in pictures.items()}


def _mean(picture: bytes | None) -> Rgba | None:
    from PIL import Image

    try:
        return rounded(mean_colour(Image.open(io.BytesIO(picture)))) if picture else None
    except Exception:  # Pillow raises anything on damaged bytes
        return None
