"""Checks of glTF and GLB files before another parser reads them, and the files that they refer to."""

import json
import struct
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from kinetree.shapes.mesh import MOST_TRIANGLES, refused
from kinetree.syntax.plain_words import plain_words

MOST_NUMBERS = 9 * MOST_TRIANGLES
"""Most numbers of a file's accessors, those of meshes that are used several times counted as often."""


def check_gltf(data: bytes, file: str) -> tuple[bytes, float]:
    """Return the file, and 1, the metres of a unit. Raises KinetreeError for a file with more numbers than are read."""
    root = _root(data, file)
    try:
        counts = [int(accessor["count"]) for accessor in root.get("accessors", ())]
        meshes = [sum(counts[k] for k in _accessors(mesh)) for mesh in root.get("meshes", ())]
        used = sum(meshes[node["mesh"]] for node in root.get("nodes", ()) if "mesh" in node)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError):
        message = "is not a glTF file that can be read: its accessors, meshes or nodes are incomplete"
        raise refused(file, message) from None
    if min(counts, default=0) < 0 or max(sum(counts), used) > MOST_NUMBERS:
        raise refused(file, f"announces {max(sum(counts), used)} numbers; at most {MOST_NUMBERS} are read")
    return data, 1.0


def _accessors(mesh: Any) -> Iterator[int]:
    for primitive in mesh["primitives"]:
        yield from primitive["attributes"].values()
        yield from [primitive["indices"]] if "indices" in primitive else ()


def references(data: bytes, file: str) -> Iterator[str]:
    """Yield the references to buffers and images of a glTF file."""
    root = _root(data, file)
    for kind in ("buffers", "images"):
        for thing in root.get(kind, ()):
            uri = thing.get("uri") if isinstance(thing, dict) else None
            if isinstance(uri, str) and not uri.startswith("data:"):
                yield unquote(uri)


def _root(data: bytes, file: str) -> dict[str, Any]:
    """Return the JSON of a file. Raises KinetreeError if it has none."""
    text = data
    if data[:4] == b"glTF":
        length = struct.unpack_from("<I", data, 12)[0] if len(data) >= 20 else 0
        text = data[20 : 20 + length]
    try:
        root = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise refused(file, f"is not a glTF file: {plain_words(error)}") from None
    if not isinstance(root, dict):
        raise refused(file, "is not a glTF file: its JSON is not an object")
    return root
