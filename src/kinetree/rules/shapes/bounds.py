"""Boxes around the shapes of links and bodies, with as little of their meshes read as a question needs."""

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache

import numpy as np

from kinetree.model.robot import Geometry, Link, Robot
from kinetree.rules.quality import HALF_EXTENTS
from kinetree.rules.rule import Bodies, Poses, Threshold, fact
from kinetree.rules.shapes.mesh_facts import MOST_BYTES, box_of
from kinetree.rules.shapes.meshes import MeshFiles, Readings
from kinetree.spatial.se3 import IDENTITY, Array, inverse

MOST_READ = 40_000_000
"""Most bytes of mesh files that are read whole for a robot."""
MARKER = Threshold(0.02, "m", "smallest size of shapes that are those of a body; smaller ones only mark a place")
UNKNOWN = np.full((2, 3), np.nan)


Paths = Mapping[str, str]


class Bounds:
    """Boxes (2, 3), lowest and highest corner in m, of shapes in the frame of a link or of the top link of a body.

    `part` is cheap: it reads no file, and knows a mesh by a sample of its triangles, so the true box is never smaller.
    `whole` reads the meshes, of up to `most` bytes if they are no binary STL, and is None if a shape is not known.
    """

    def __init__(
        self, robot: Robot, bodies: Bodies, poses: Poses, files: Paths, known: Readings, most: int = 4 * MOST_BYTES
    ) -> None:
        self._files, self._known, self._read, self._most = files, known, 0, most
        self._in_body: dict[str, list[tuple[Array, Geometry, str]]] = {}
        self._boxes: dict[tuple[str, bool], Array | None] = {}
        for link in robot.links.values():
            if shapes := shapes_of(link):
                top = bodies[link.name]
                T = IDENTITY if top == link.name else inverse(poses[top]) @ poses[link.name]
                self._in_body.setdefault(top, []).extend((T, shape, link.name) for shape in shapes)

    def part(self, shapes: Iterable[Geometry]) -> Array | None:
        """Return a box inside of which only a part of the shapes may lie; None if none of them is known."""
        return joined(self._parts[0].get(id(shape)) for shape in shapes)

    def whole(self, shapes: Iterable[Geometry]) -> Array | None:
        """Return the box around shapes of a link, None if one of them is not known."""
        boxes = [self._box(IDENTITY, shape) for shape in shapes]
        return None if any(box is None for box in boxes) else joined(boxes)

    def parts_of_links(self, links: Iterable[str]) -> Array:
        """Return `part` of all shapes of several links (n, 2, 3), not numbers where nothing is known."""
        return np.array([self._parts[2].get(link, UNKNOWN) for link in links]).reshape(-1, 2, 3)

    def part_of_body(self, top: str) -> Array | None:
        """Return `part` of all links of a body, in the frame of its top link."""
        return self._parts[1].get(top)

    def parts_of_bodies(self, tops: Iterable[str]) -> Array:
        """Return `part_of_body` of several (n, 2, 3), not numbers where nothing is known."""
        return np.array([self._parts[1].get(top, UNKNOWN) for top in tops]).reshape(-1, 2, 3)

    @cached_property
    def _parts(self) -> tuple[dict[int, Array], dict[str, Array], dict[str, Array]]:
        """`part` of each shape by its identity, in the frame of its link, of each body by its top, of each link."""
        rows = [
            (top, T, shape, link, box)
            for top, shapes in self._in_body.items()
            for T, shape, link in shapes
            if (box := self._own_box(shape, False)) is not None
        ]
        if not rows:
            return {}, {}, {}
        tops, T, shapes, links, boxes = zip(*rows, strict=True)
        origins, own = np.array([shape.origin for shape in shapes]), np.array(boxes)
        in_links = turned(own, origins)
        parts = dict(zip(map(id, shapes), in_links, strict=True))
        return parts, _joined_by(tops, turned(own, np.array(T) @ origins)), _joined_by(links, in_links)

    def whole_body(self, top: str) -> Array | None:
        """Return `whole` of all links of a body, in the frame of its top link."""
        boxes = [self._box(T, shape) for T, shape, _ in self._in_body.get(top, ())]
        return None if any(box is None for box in boxes) else joined(boxes)

    def _box(self, T: Array, geometry: Geometry) -> Array | None:
        box = self._own_box(geometry, True)
        return None if box is None else turned(box, T @ geometry.origin)

    def _own_box(self, geometry: Geometry, whole: bool) -> Array | None:
        """Return the box of a shape in its own frame."""
        shape = geometry.shape
        if shape.kind in HALF_EXTENTS:
            half = np.asarray(HALF_EXTENTS[shape.kind](shape.parameters))
            return np.array((-half, half))
        if shape.kind != "mesh" or "submesh" in shape.parameters:
            return None
        box = self._mesh(str(shape.parameters.get("filename", "")), whole)
        return None if box is None else box * np.asarray(shape.parameters.get("scale", (1.0, 1.0, 1.0)))

    def _mesh(self, name: str, whole: bool) -> Array | None:
        facts = self._known.get(name)
        if facts is not None and facts.box is not None and (facts.complete or not whole):
            return facts.box
        if not whole or name not in self._files or (facts is not None and facts.cut):
            return None
        if (name, whole) not in self._boxes:
            self._boxes[name, whole] = self._whole_file(self._files[name])
        return self._boxes[name, whole]

    def _whole_file(self, path: str) -> Array | None:
        try:
            status = os.stat(path)
            self._read += status.st_size
            return _box_of(path, status.st_mtime_ns, status.st_size, self._most) if self._read <= MOST_READ else None
        except OSError:
            return None


@lru_cache(maxsize=1000)
def _box_of(path: str, _changed: int, _size: int, most: int) -> Array | None:
    return box_of(path, most)


@fact
def bounds(
    robot: Robot, bodies: Bodies, poses: Poses, mesh_files: MeshFiles | None, readings: Readings | None, contact: bool
) -> Bounds:
    """Return the boxes around the shapes of a robot; with tests for contact those of larger files too."""
    there = {name: path for name, (path, state) in (mesh_files or {}).items() if state == "there"}
    return Bounds(robot, bodies, poses, there, readings or {}, (20 if contact else 4) * MOST_BYTES)


@fact
def link_bounds(robot: Robot, mesh_files: MeshFiles | None, readings: Readings | None, contact: bool) -> Bounds:
    """Return the boxes around the shapes of each link alone, which need no joints."""
    alone = dict.fromkeys(robot.links, IDENTITY)
    return bounds(robot, {name: name for name in alone}, alone, mesh_files, readings, contact)


def _joined_by(names: Sequence[str], boxes: Array) -> dict[str, Array]:
    """Return the box around those boxes (n, 2, 3) that have one name, which are consecutive."""
    starts = [i for i, name in enumerate(names) if i == 0 or name != names[i - 1]]
    both = np.stack((np.minimum.reduceat(boxes[:, 0], starts), np.maximum.reduceat(boxes[:, 1], starts)), axis=1)
    return {names[i]: box for i, box in zip(starts, both, strict=True)}


def joined(boxes: Iterable[Array | None]) -> Array | None:
    """Return the box around boxes; unknown ones are ignored, and None is returned if all are."""
    known = [box for box in boxes if box is not None]
    if len(known) <= 1:
        return known[0] if known else None
    both = np.array(known)
    return np.array((both[:, 0].min(axis=0), both[:, 1].max(axis=0)))


def turned(box: Array, T: Array) -> Array:
    """Return the box around a box (..., 2, 3) that lies at T (..., 4, 4)."""
    low, high = box[..., 0, :, None], box[..., 1, :, None]
    middle = (T[..., :3, :3] @ (low + high) / 2)[..., 0] + T[..., :3, 3]
    half = (np.abs(T[..., :3, :3]) @ np.abs(high - low) / 2)[..., 0]
    return np.stack((middle - half, middle + half), axis=-2)


def size_of(box: Array | None) -> float:
    """Return the diagonal of a box, m; 0 without one."""
    return 0.0 if box is None else float(np.linalg.norm(box[1] - box[0]))


def shapes_of(link: Link) -> tuple[Geometry, ...]:
    """Return the visual and collision shapes of a link."""
    return (*link.visuals, *link.collisions)
