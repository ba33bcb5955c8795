"""The covers of a robot's links as points on links and a table of pairs of these, for the compiled search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kinetree.compiler.cache import digest
from kinetree.compiler.lookup import Pairs
from kinetree.contact.covers import Cover
from kinetree.contact.solids import Solid
from kinetree.spatial.se3 import Array

OUTWARD = 1e-9, 1e-12
"""By how much a bound lies outwards, for rounding: m, and part of the size."""
BOX = 0.25
"""Edge from which a box is compared as a box with the spheres of others, m; smaller ones are spheres too."""
ENDLESS = np.inf
FAR = 1e100
"""A distance that nothing exceeds, m."""


@dataclass(frozen=True, eq=False)
class Body:
    """The cover of a link, or of a solid of it, in the frame of the link: spheres (n, 4), middle and radius, of which
    the last are those of boxes, from `plain` on; `ball` (4,) contains all of them; boxes with their frames T (m, 4, 4)
    and ends (m, 2, 3), infinite for a plane."""

    link: str
    spheres: Array
    plain: int
    ball: Array
    frames: Array
    ends: Array


def body_of(link: str, solids: Sequence[Solid], covers: Sequence[Cover]) -> Body:
    """Return the cover of solids of a link."""
    plain, boxed, frames, ends = [np.zeros((0, 4))], [np.zeros((0, 4))], [], []
    for solid, cover in zip(solids, covers, strict=True):
        is_box = solid.kind == "box" and max(solid.sizes) >= BOX
        if solid.kind == "plane" or is_box:
            half = np.array(solid.sizes or (ENDLESS,) * 3) / 2
            frames.append(solid.T)
            ends.append((-half, half if solid.sizes else np.array([ENDLESS, ENDLESS, 0.0])))
        if solid.kind != "plane":
            middles = cover.outer[:, :3] @ solid.T[:3, :3].T + solid.T[:3, 3]
            (boxed if is_box else plain).append(np.column_stack([middles, cover.outer[:, 3]]))
    together = np.concatenate([*plain, *boxed])
    count = sum(map(len, plain))
    return Body(link, together, count, ball_of(together), np.reshape(frames, (-1, 4, 4)), np.reshape(ends, (-1, 2, 3)))


def ball_of(spheres: Array) -> Array:
    """Return a small sphere (4,) that contains others (n, 4)."""
    if not len(spheres):
        return np.zeros(4)
    middle = spheres[:, :3].mean(axis=0)
    for step in range(1, 200):  # towards the farthest, ever less (Badoiu & Clarkson, 2003)
        far = np.linalg.norm(spheres[:, :3] - middle, axis=1) + spheres[:, 3]
        middle = middle + (spheres[far.argmax(), :3] - middle) / (step + 1)
    return np.append(middle, (np.linalg.norm(spheres[:, :3] - middle, axis=1) + spheres[:, 3]).max() * (1 + 1e-12))


@dataclass(frozen=True, eq=False)
class Layout:
    """Where the points of the bodies stand in the list of all points: of each body its spheres, its ball, and of each
    box its origin and the directions of its axes."""

    bodies: Mapping[str, Body]
    first: Mapping[str, int]
    count: int

    @property
    def key(self) -> str:
        """A digest of all numbers of the bodies."""
        numbers = ((b.spheres, [[b.plain]], [b.ball], b.frames, b.ends) for b in self.bodies.values())
        return digest(*(np.asarray(array, dtype=float).tobytes() for own in numbers for array in own))

    @classmethod
    def of(cls, bodies: Mapping[str, Body]) -> Layout:
        """Return the layout of these bodies."""
        first, count = {}, 0
        for name, body in bodies.items():
            first[name] = count
            count += len(body.spheres) + 1 + 4 * len(body.frames)
        return cls(bodies, first, count)

    def ball(self, name: str) -> int:
        """Return the number of the point in the middle of a body."""
        return self.first[name] + len(self.bodies[name].spheres)

    def box(self, name: str, i: int) -> int:
        """Return the number of the origin of a box."""
        return self.ball(name) + 1 + 4 * i


def points(layout: Layout, poses: Mapping[str, Array]) -> Array:
    """Return the points (n, 3) for the poses of the links (4, 4)."""
    found = []
    for body in layout.bodies.values():
        T = poses[body.link]
        own = np.concatenate([body.spheres[:, :3], body.ball[None, :3]])
        found += [T[:3, :3] @ p + T[:3, 3] for p in own]
        for frame in body.frames:
            found += [T[:3, :3] @ frame[:3, 3] + T[:3, 3], *(T[:3, :3] @ frame[:3, axis] for axis in range(3))]
    return np.array(found)


def sphere_pairs(layout: Layout, names: Sequence[tuple[str, str]]) -> Table:
    """Return the table of the spheres of pairs of bodies, without those of boxes."""
    rows = _Rows()
    for a, b in names:
        one, other = layout.bodies[a], layout.bodies[b]
        if one.plain < other.plain:
            (a, one), (b, other) = (b, other), (a, one)
        if other.plain:
            top = rows.group(layout.ball(a), layout.ball(b), one.ball[3] + other.ball[3])
            for i, sphere in enumerate(one.spheres[: one.plain]):
                rows.group(layout.first[a] + i, layout.ball(b), sphere[3] + other.ball[3])
                for j, second in enumerate(other.spheres[: other.plain]):
                    rows.add(layout.first[a] + i, layout.first[b] + j, sphere[3] + second[3])
            rows.groups[top][3] = len(rows.groups)
        rows.ends.append(len(rows.groups))
    return rows.table()


def box_pairs(layout: Layout, names: Sequence[tuple[str, str]]) -> Table:
    """Return the table of the spheres of bodies with the boxes of others. Two boxes are compared once, and a box with
    a plane, which has no spheres, by the spheres of the box."""
    rows = _Rows()
    for a, b in names:
        for one, other, count in ((a, b, len(layout.bodies[a].spheres)), (b, a, layout.bodies[b].plain)):
            body, boxes = layout.bodies[one], layout.bodies[other].ends
            for k, ends in enumerate(boxes):
                box, size = layout.box(other, k), float(np.linalg.norm(np.abs(ends).max(axis=0)))
                some = body.spheres[: count if np.isfinite(size) else len(body.spheres)]
                if not len(some):
                    continue
                rows.group(layout.ball(one), box, body.ball[3] + size if np.isfinite(size) else FAR)
                for i, sphere in enumerate(some):
                    rows.add(layout.first[one] + i, box, sphere[3], ends)
        rows.ends.append(len(rows.groups))
    return rows.table()


@dataclass(frozen=True, eq=False)
class Table:
    """pairs: all rows. ends (k + 1,): the groups of pair i of bodies are ends[i] to ends[i + 1]."""

    pairs: Pairs
    ends: Array

    @property
    def key(self) -> str:
        """A digest of the contents."""
        return digest(self.pairs.key, self.ends.tobytes())


class _Rows:
    """Rows of a table as they are added."""

    def __init__(self) -> None:
        self.first: list[int] = []
        self.second: list[int] = []
        self.reach: list[float] = []
        self.boxes: list[Array] = []
        self.groups: list[list[float]] = []
        self.ends = [0]

    def add(self, first: int, second: int, reach: float, ends: Array | None = None) -> None:
        """Add a pair of points to the last group."""
        self.first.append(first)
        self.second.append(second)
        self.reach.append(reach)
        if ends is not None:
            self.boxes.append(ends)

    def group(self, first: int, second: int, reach: float) -> int:
        """Begin a group; return its number."""
        self.groups.append([first, second, reach, len(self.groups) + 1, len(self.first)])
        return len(self.groups) - 1

    def table(self) -> Table:
        """Return the table; it may be empty."""
        a, b, reach, skip, start = np.array(self.groups, dtype=float).reshape(-1, 5).T
        least, part = OUTWARD
        pairs = Pairs(
            np.array(self.first, dtype=np.int64),
            np.array(self.second, dtype=np.int64),
            np.array(self.reach, dtype=float) * (1 + part) + least,
            a.astype(np.int64),
            b.astype(np.int64),
            reach * (1 + 2 * part) + 2 * least,
            skip.astype(np.int64),
            np.append(start, len(self.first)).astype(np.int64),
            np.array(self.boxes) if self.boxes else None,
        )
        return Table(pairs, np.array(self.ends))
