"""Meshes and height fields that the assets of an MJCF have: numbers in its text, images and binary files."""

from __future__ import annotations

import io
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from kinetree.errors import fail
from kinetree.files.opener import Files, read_file
from kinetree.model.edit.extensions import kept_elements
from kinetree.model.robot import Robot
from kinetree.shapes.mesh import Mesh
from kinetree.shapes.resolve import path_of
from kinetree.spatial.se3 import Array, rotation_from_quaternion
from kinetree.syntax.numbers import numbers
from kinetree.syntax.xml.reader import Element

KINDS = {"inline_mesh": "mesh", "hfield": "hfield"}
"""Kinds of shapes, and the tags of their assets."""
MOST = 1_000_000
"""Most points of a height field."""


def written_mesh(robot: Robot, kind: str, name: str, files: Files) -> Mesh:
    """Return the surface of a shape of one of KINDS in the frame of the shape, m. Without faces, it is convex.

    Raises KinetreeError if the asset is missing, or does not have its points.
    """
    element = next((one for one in _assets(robot, KINDS[kind]) if one.get("name") == name), None)
    if element is None:
        raise fail("contact-shape", f"there is no <{KINDS[kind]} name={name!r}> in <asset>")
    return _mesh(element, name) if kind == "inline_mesh" else _field(robot, element, name, files)


def _assets(robot: Robot, tag: str) -> Iterable[Element]:
    named = (one for one in robot.extensions if f"<{tag}" in one.text)
    for _, root in kept_elements(named, "mjcf", "asset"):
        yield from root.find_all(tag)


def _mesh(element: Element, name: str) -> Mesh:
    vertices = _numbers(element, "vertex", name).reshape(-1, 3)
    if "face" in element.attributes:
        triangles = _numbers(element, "face", name).astype(np.int64).reshape(-1, 3)
        if not 0 <= triangles.min() <= triangles.max() < len(vertices):
            raise fail("contact-shape", f"a face of mesh {name!r} has a vertex that does not exist")
    else:
        from scipy.spatial import ConvexHull

        hull = ConvexHull(vertices)
        inwards = np.einsum("ij,ij->i", _normals(vertices[hull.simplices]), hull.equations[:, :3]) < 0
        triangles = np.where(inwards[:, None], hull.simplices[:, ::-1], hull.simplices).astype(np.int64)
    scale = _numbers(element, "scale", name, (1.0, 1.0, 1.0))
    quat = _numbers(element, "refquat", name, (1.0, 0.0, 0.0, 0.0))
    moved = vertices - _numbers(element, "refpos", name, (0.0, 0.0, 0.0))
    moved = moved @ rotation_from_quaternion(quat[[1, 2, 3, 0]] / np.linalg.norm(quat)) * scale
    return Mesh(moved, triangles if np.prod(scale) > 0 else triangles[:, ::-1])


def _normals(corners: Array) -> Array:
    return np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])


def _numbers(element: Element, attribute: str, name: str, default: tuple[float, ...] | None = None) -> Array:
    text = element.get(attribute)
    if text is None and default is not None:
        return np.array(default)
    values = numbers(text or "")
    if not values or (default and len(values) != len(default)) or (attribute in ("vertex", "face") and len(values) % 3):
        count = str(len(default)) if default else "three for each"
        raise fail("contact-shape", f"{attribute} of {name!r} is {text!r}; expected {count} numbers")
    return np.array(values)


def _field(robot: Robot, element: Element, name: str, files: Files) -> Mesh:
    """Return a height field as a closed mesh: columns along x, rows along y, on a base below z = 0."""
    x, y, top, base = _numbers(element, "size", name, (0.0,) * 4)
    heights = top * _elevation(robot, element, name, files)
    rows, columns = heights.shape
    X, Y = np.meshgrid(np.linspace(-x, x, columns), np.linspace(-y, y, rows))
    surface = np.stack([X, Y, heights], axis=-1).reshape(-1, 3)
    number = np.arange(rows * columns).reshape(rows, columns)
    a, b, c, d = (part.ravel() for part in (number[:-1, :-1], number[:-1, 1:], number[1:, :-1], number[1:, 1:]))
    above = np.concatenate([np.column_stack([a, b, d]), np.column_stack([a, d, c])])
    edge = np.concatenate([number[0], number[1:, -1], number[-1, -2::-1], number[-2:0:-1, 0]])
    foot = surface[edge] * [1.0, 1.0, 0.0] - [0.0, 0.0, base]
    low = len(surface) + np.arange(len(edge))
    nexts = np.roll(edge, -1), np.roll(low, -1)
    walls = np.concatenate([np.column_stack([edge, low, nexts[1]]), np.column_stack([edge, nexts[1], nexts[0]])])
    middle = len(surface) + len(edge)
    floor = np.column_stack([np.full(len(edge), middle), nexts[1], low])
    points = np.concatenate([surface, foot, [[0.0, 0.0, -base]]])
    return Mesh(points, np.concatenate([above, walls, floor]))


def _elevation(robot: Robot, element: Element, name: str, files: Files) -> Array:
    """Return the heights of a field (rows, columns) from 0 to 1, the first row at the least y."""
    file = element.get("file")
    if file is None:
        shape = [int(value) for key in ("nrow", "ncol") for value in _numbers(element, key, name, (0.0,))]
        values = _numbers(element, "elevation", name) if "elevation" in element.attributes else np.zeros(shape)
        found = values.reshape(shape)[::-1] if values.size == np.prod(shape) else np.zeros((0, 0))
    else:
        data = read_file(path_of(robot, file, element.source, files))
        found = _image(data)[::-1] if file.lower().endswith(".png") else _binary(data)
    if min(found.shape) < 2 or found.size > MOST or not np.isfinite(found).all():
        raise fail("contact-shape", f"height field {name!r} has no rows and columns of heights that can be read")
    low, high = found.min(), found.max()
    return np.asarray((found - low) / (high - low) if high > low else 0.0 * found)


def _image(data: bytes) -> Array:
    from PIL import Image

    return np.asarray(Image.open(io.BytesIO(data)).convert("L"), dtype=float)


def _binary(data: bytes) -> Array:
    """Return the heights of MuJoCo's own files: numbers of rows and columns, int32, then float32."""
    size: NDArray[np.int32] = np.frombuffer(data[:8], "<i4")
    if len(size) < 2 or size.min() < 0 or 4 * int(size[0]) * int(size[1]) != len(data) - 8:
        return np.zeros((0, 0))
    return np.frombuffer(data[8:], "<f4").astype(float).reshape(size)
