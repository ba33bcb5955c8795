"""Checks of COLLADA (DAE) files before another parser reads them, and the files that they refer to."""

from collections.abc import Collection, Iterator
from functools import cache
from io import BytesIO
from typing import Any
from urllib.parse import unquote

import numpy as np

from kinetree.errors import KinetreeError, nearest_names
from kinetree.shapes.mesh import refused
from kinetree.spatial.se3 import Array
from kinetree.syntax.numbers import number
from kinetree.syntax.xml.reader import Element, Report, parse

MOST_INSTANCES = 10_000
"""Most uses of geometries in the scene of a file: nodes that are used by nodes multiply."""
MOST_TRIANGLES = 750_000
"""Most triangles in the scene and in the file: a DAE file takes five times the memory of others."""


UNSEEN = frozenset(("library_animations", "library_cameras", "library_lights", "extra"))
LOOKS = frozenset(("library_images", "library_effects", "library_materials", "bind_material"))
"""Elements without shapes. They are left out before the file is parsed again, for a fault in them would cost a part."""


def corners_of(data: bytes) -> Array:
    """Return the corners (3 n, 3) of all triangles of a DAE file, in its units, without those that are not finite."""
    from collada import Collada
    from collada.common import DaeError
    from collada.polylist import Polylist
    from collada.scene import GeometryNode, Node
    from collada.triangleset import TriangleSet

    found = [np.empty((0, 3, 3))]

    def read(node: Any, T: Array) -> None:
        for primitive in node.geometry.primitives if isinstance(node, GeometryNode) else ():
            part = primitive.triangleset() if isinstance(primitive, Polylist) else primitive
            if isinstance(part, TriangleSet) and part.vertex is not None:
                corners = part.vertex[part.vertex_index] @ T[:3, :3].T + T[:3, 3]
                found.append(corners[np.isfinite(corners).all(axis=(1, 2))])
        for child in (node.children or ()) if isinstance(node, Node) else ():
            read(child, T @ node.matrix)

    for node in Collada(BytesIO(data), ignore=[DaeError]).scene.nodes:
        read(node, np.eye(4))
    return np.concatenate(found).reshape(-1, 3)


def check_collada(data: bytes, file: str, part: str = "", looks: bool = False) -> tuple[bytes, float]:
    """Return the shapes of a DAE file in UTF-8, and the metres of one unit. part: the only node whose shapes count, by
    its name, or its id if it has none, as in Gazebo. looks: whether materials stay. Raises KinetreeError if the file is
    no XML that may be read, if its scene grows too large, or if there is no such part."""
    root = _root(data, file)
    instances, triangles = _scene(root, file)
    if instances > MOST_INSTANCES or triangles > MOST_TRIANGLES:
        message = f"uses {min(instances, MOST_INSTANCES + 1)} geometries or more, or {min(triangles, 10**9)} triangles"
        message += f"; at most {MOST_INSTANCES} and {MOST_TRIANGLES} are read"
        raise refused(file, message)
    asset = root.find("asset")
    unit = asset.find("unit") if asset else None
    metres = number(unit.get("meter", "1") or "") if unit else 1.0
    if metres is None or not 0 < metres < 1e6:
        raise refused(file, f"has a unit of {unit.get('meter') if unit else None!r} metres; expected a number above 0")
    return _shapes(root, file, part, UNSEEN if looks else UNSEEN | LOOKS), metres


def _scene(root: Element, file: str) -> tuple[int, int]:
    """Return how many geometries the scenes of a file use, and the triangles of all that it uses or only has."""
    nodes = {element.get("id"): element for element in root.walk() if element.tag == "node"}
    sizes = {element.get("id"): _triangles(element) for element in root.walk() if element.tag == "geometry"}
    whole = sum(sizes.values())

    @cache
    def uses(node: Element, depth: int) -> tuple[int, int]:
        if depth > 100:
            raise refused(file, "has nodes that contain each other, or are nested more than 100 deep")
        inner = [child for child in node.children if child.tag == "node"]
        urls = [(e.get("url") or "").removeprefix("#") for e in node.find_all("instance_node")]
        inner += [nodes[url] for url in urls if url in nodes]
        own = [child for child in node.children if child.tag in ("instance_geometry", "instance_controller")]
        parts = [(1, sizes.get((e.get("url") or "").removeprefix("#"), whole)) for e in own]
        parts += [uses(child, depth + 1) for child in inner]
        return sum(count for count, _ in parts), sum(size for _, size in parts)

    scenes = [uses(scene, 0) for scene in root.walk() if scene.tag == "visual_scene"]
    return sum(count for count, _ in scenes), max(whole, sum(size for _, size in scenes))


def _triangles(geometry: Element) -> int:
    """Return how many triangles a geometry has by the lengths of its lists."""
    total = 0
    for part in (e for e in geometry.walk() if e.find("p")):
        offsets = [number(e.get("offset") or "") or 0 for e in part.find_all("input")]
        lists = part.find_all("p") + [e for hole in part.find_all("ph") for e in hole.find_all("p")]
        corners = sum(_words(e) for e in lists) // int(1 + max(offsets, default=0))
        counts = part.find("vcount")
        polygons = _words(counts) if counts else len(lists)
        total += corners // 3 if part.tag == "triangles" else max(corners - 2 * polygons, 0)
    return total


def _words(element: Element) -> int:
    codes = np.frombuffer(element.text.encode(), np.uint8)
    return int(np.count_nonzero((codes[1:] > 32) & (codes[:-1] <= 32)) + (codes[:1] > 32).sum())


def _shapes(root: Element, file: str, part: str, without: Collection[str]) -> bytes:
    """Return a DAE file without some elements and, if a part is given, without the shapes of all others."""
    pieces, at, data = [], root.start, root.document.data
    found: dict[str, None] = {}
    stack = [(root, "")]
    while stack:
        element, node = stack.pop()
        if element.tag == "node":
            node = element.get("name") or element.get("id") or node
        is_shape = element.tag in ("instance_geometry", "instance_controller")
        found |= {node: None} if is_shape else {}
        if element.tag in without or (is_shape and part not in ("", node)):
            pieces.append(data[at : element.start])
            at = element.stop
        else:
            stack += [(child, node) for child in reversed(element.children)]
    if part and part not in found:
        raise refused(file, f"has no part {part!r}; {nearest_names(part, [*found])}")
    return b"".join([*pieces, data[at : root.stop]])


def images(data: bytes, file: str) -> Iterator[str]:
    """Yield the references to images of a DAE file."""
    for element in _root(data, file).walk():
        if element.tag == "init_from" and (text := (element.find("ref") or element).text.strip()):
            yield unquote(text)


def _root(data: bytes, file: str) -> Element:
    report = Report()
    root = parse(data, file, report)
    if root is None:
        raise KinetreeError(report.findings)
    if root.tag != "COLLADA":
        raise refused(file, f"is not a COLLADA file: its root is <{root.tag}>")
    return root
