"""Covers: spheres that together contain a solid, and spheres that lie inside it.

The solid is put into convex parts. Each point of a part lies straight below a point of its surface, no deeper than the
middle between the faces there; so prisms below the pieces of the surface, down to that depth, contain the part. Then
few spheres are chosen that contain all prisms.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from kinetree.compiler.cache import digest, package, read, write
from kinetree.contact.parts import Part, part_of, parts_of
from kinetree.contact.solids import Solid
from kinetree.contact.surfaces import Surface, area_of, lengths, pieces, step_of, turns
from kinetree.spatial.se3 import Array

Depths = Callable[[Array], Array]

SLACK = 0.02
"""How far a cover reaches beyond its solid at most, m, unless that is large."""
CANDIDATES = 250
"""Most middles among which those of spheres are chosen."""
LARGEST, SMALLEST = 2, 6
"""Pieces of a surface against the slack: that many times as long at first, and that many times shorter in the end."""
LARGE = 2000
"""A solid with more surface than so many squares of the slack gets more slack, so that it has few spheres."""
LONG = 500
"""A solid that is so many times as long as the slack gets more slack too."""
MOST_PRISMS = 20_000
"""Prisms that are put into spheres one grid cell at a time, as more of them would take too much memory."""
ANOTHER = 0.5
"""A face is another side of a part where 1 - the cosine of the angle to it is above this."""
MOST_INNER = 12
"""Most spheres inside a solid."""
ROUNDING = 1e-9
"""Part by which spheres are larger, or inner ones smaller, than computed."""


@dataclass(frozen=True, eq=False)
class Cover:
    """Spheres (n, 4), middle and radius, m, in the frame of a solid, whose union contains it (`outer`), and others that
    lie inside it (`inner`). slack: no point of `outer` is farther from the solid, m. parts: of a mesh, the corners
    (n, 3) of convex parts that together contain it."""

    outer: Array
    inner: Array
    slack: float
    parts: tuple[Array, ...] = ()


def cover(solid: Solid, slack: float = SLACK) -> Cover:
    """Return the cover of a solid. The slack, m, may be larger than asked for of those that are large or not convex."""
    if solid.kind == "plane":
        return Cover(np.zeros((0, 4)), np.zeros((0, 4)), 0.0)
    if solid.kind == "sphere":
        ball = np.array([[0.0, 0.0, 0.0, solid.sizes[0]]])
        return Cover(ball, ball, 0.0)
    key = digest("cover", package(), solid.key, repr(slack))
    known = _known.get(key)
    if known is None:
        kept = read(key)
        known = _known[key] = _of_bytes(kept) if kept else _made(solid, slack)
        if not kept:
            write(key, _bytes_of(known))
    return known


def ball(solid: Solid) -> Cover:
    """Return a sphere around a solid as its cover: at once, for few questions about it."""
    if solid.kind in ("plane", "sphere"):
        return cover(solid, 0.0)
    points = solid.surface.vertices
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    far = float(np.linalg.norm(points - middle, axis=1).max())
    return Cover(np.array([[*middle, far * (1 + ROUNDING)]]), np.zeros((0, 4)), far)


_known: dict[str, Cover] = {}


def _bytes_of(cover: Cover) -> bytes:
    head = [cover.slack, len(cover.outer), len(cover.inner), len(cover.parts), *map(len, cover.parts)]
    return np.concatenate([head, cover.outer.ravel(), cover.inner.ravel(), *map(np.ravel, cover.parts)]).tobytes()


def _of_bytes(data: bytes) -> Cover:
    slack, outer, inner, parts, *rest = np.frombuffer(data).tolist()
    sizes = [4 * outer, 4 * inner, *(3 * size for size in rest[: int(parts)])]
    first, second, *others = np.split(np.array(rest[int(parts) :]), np.cumsum(sizes).astype(int)[:-1])
    return Cover(first.reshape(-1, 4), second.reshape(-1, 4), slack, tuple(own.reshape(-1, 3) for own in others))


def _made(solid: Solid, slack: float) -> Cover:
    triangles = solid.surface.vertices[solid.surface.triangles]
    size = float(np.ptp(triangles.reshape(-1, 3), axis=0).max())
    slack = max(slack, float(np.sqrt(area_of(triangles) / LARGE)), size / LONG)
    parts = parts_of(triangles, slack / 2) if solid.kind == "mesh" else [part_of(solid.surface.vertices)]
    depth = _depths(solid, triangles, parts, slack)
    simple = [part.simpler() for part in parts]
    outer = _outer(simple, depth, slack)
    outer[:, 3] *= 1 + ROUNDING
    far = float((outer[:, 3] - depth(outer[:, :3])).max())
    corners = tuple(np.unique(part.triangles.reshape(-1, 3), axis=0) for part in parts) if solid.kind == "mesh" else ()
    return Cover(outer, _inner(simple, depth), far, corners)


def _outer(parts: Sequence[Part], depth: Depths, slack: float) -> Array:
    """Return few spheres (n, 4) that contain parts, each reaching beyond them by little more than the slack.

    The pieces of surfaces that are in no sphere are cut into smaller ones, whose prisms fit better.
    """
    found: list[Array] = []
    step = max(step_of(part.triangles, LARGEST * slack) for part in parts)
    surfaces = [pieces(part.triangles, step) for part in parts]
    while any(map(len, surfaces)):
        both = [_prisms(part, own) for part, own in zip(parts, surfaces, strict=True)]
        prisms, points = (np.concatenate(arrays) for arrays in zip(*both, strict=True))
        if step < slack / SMALLEST or len(prisms) > MOST_PRISMS:  # thin, or large against the slack
            return np.concatenate([*(sphere[None] for sphere in found), _in_cells(prisms, slack)])
        deep = [part.depth(own) for part, (_, own) in zip(parts, both, strict=True)]
        radii = np.concatenate(deep) + slack
        some = _apart(points, radii)
        points, radii = points[some], np.maximum(radii[some], depth(points[some]) + slack)
        far = np.sqrt(reduce(np.maximum, (_squares(points, corner) for corner in np.moveaxis(prisms, 1, 0))))
        inside = far <= radii[:, None]
        chosen = _greedy(inside)
        place = np.full(len(prisms), -1)
        if len(chosen):
            spare = np.where(inside[chosen], far[chosen] - radii[chosen, None], np.inf)
            place = np.where(inside[chosen].any(axis=0), spare.argmin(axis=0), -1)
        found += [np.append(points[c], far[c, place == i].max()) for i, c in enumerate(chosen) if (place == i).any()]
        step /= 2
        places = np.split(place, np.cumsum([len(own) for own in surfaces])[:-1])
        surfaces = [pieces(own[at < 0], step) for own, at in zip(surfaces, places, strict=True)]
    return np.array(found).reshape(-1, 4)


def _in_cells(prisms: Array, size: float) -> Array:
    """Return spheres (n, 4) around prisms (n, 6, 3), one for all that have their middle in a cell of a grid."""
    cells = np.floor(prisms.mean(axis=1) / size).astype(np.int64)
    _, number = np.unique(cells, axis=0, return_inverse=True)
    order = np.argsort(number, kind="stable")
    starts = np.flatnonzero(np.diff(number[order], prepend=-1))
    own = prisms[order]
    low, high = np.minimum.reduceat(own.min(axis=1), starts), np.maximum.reduceat(own.max(axis=1), starts)
    middles = (low + high) / 2
    far = lengths(own - middles[number[order]][:, None]).max(axis=1)
    return np.column_stack([middles, np.maximum.reduceat(far, starts) * (1 + ROUNDING)])


def _prisms(part: Part, surface: Array) -> tuple[Array, Array]:
    """Return the corners of prisms (n, 6, 3) below pieces of the surface of a part (n, 3, 3), which contain it, and
    points (4n, 3) from which a sphere reaches far, in the middle between faces.

    A point at depth d below a point s of a face with the normal n is nearest to this face only as long as for each
    other face k: d <= (offset_k - n_k s) / (1 - n n_k).
    """
    a, b, c = np.moveaxis(surface, 1, 0)
    middle = surface.mean(axis=1)
    normal = np.cross(b - a, c - a)
    size = np.linalg.norm(normal, axis=1)
    normal /= np.maximum(size, 1e-300)[:, None]
    normal *= np.sign(np.einsum("ij,ij->i", normal, middle - part.triangles.mean(axis=(0, 1))))[:, None]
    depth, deepest = np.full(len(surface), np.inf), np.full(len(surface), np.inf)
    for i in range(0, len(part.normals), 200):
        n, offsets = part.normals[i : i + 200], part.offsets[i : i + 200]
        turn = 1 - normal @ n.T
        with np.errstate(divide="ignore", invalid="ignore"):
            corners = (offsets - surface @ n.T).clip(min=0.0).max(axis=1) / turn
            own = (offsets - middle @ n.T).clip(min=0.0) / turn
        bounds = turn > 1e-9  # others than its own face
        depth = np.minimum(depth, np.where(bounds, corners, np.inf).min(axis=1))
        bounds &= turn > ANOTHER
        deepest = np.minimum(deepest, np.where(bounds, own, np.inf).min(axis=1))
    down = normal * depth[:, None]
    prisms = np.concatenate([surface, surface - down[:, None]], axis=1)
    deep = normal * deepest[:, None]
    return prisms, np.concatenate([middle - share * deep for share in (1.2, 1.0, 0.7, 0.4)])


def _apart(points: Array, radii: Array) -> NDArray[np.int64]:
    """Return the numbers of points with large radii that do not lie close to each other."""
    found: list[int] = []
    left, across = radii.copy(), points.T.copy()
    while len(found) < CANDIDATES:
        best = int(left.argmax())
        if left[best] == -np.inf:
            break
        found.append(best)
        left[((across - across[:, best, None]) ** 2).sum(axis=0) < (radii[best] / 4) ** 2] = -np.inf
        left[best] = -np.inf
    return np.array(found)


def _greedy(inside: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return few rows of a table (k, n) that have a True in every column that has one."""
    left = inside.any(axis=0)
    counts = inside.sum(axis=1)
    chosen: list[int] = []
    while left.any():
        best = int(counts.argmax())
        new = inside[best] & left
        counts = counts - inside[:, new].sum(axis=1)
        left &= ~new
        chosen.append(best)
    times = inside[chosen].sum(axis=0)
    for row in chosen[::-1]:
        if (times[inside[row]] > 1).all():
            chosen.remove(row)
            times = times - inside[row]
    return np.array(chosen, dtype=np.int64)


def _squares(a: Array, b: Array) -> Array:
    """Return the squares of the distances (n, m) of points."""
    found = np.add.outer((a**2).sum(axis=1), (b**2).sum(axis=1))
    found -= 2 * a @ b.T
    return np.asarray(np.maximum(found, 0.0, out=found))


def _depths(solid: Solid, triangles: Array, parts: Sequence[Part], slack: float) -> Depths:
    """Return the function that says how deep points lie in the solid at least, m, below zero outside of it."""
    if solid.kind != "mesh":
        return lambda points: parts[0].depth(points) - solid.excess
    surface, closed = Surface(triangles, slack / 8), solid.closed

    def depth(points: Array) -> Array:
        far = surface.distance(points)
        inside = (np.abs(turns(triangles, points)) > 0.5) & closed if closed else np.zeros(len(points), dtype=bool)
        return np.asarray(np.where(inside & (far > surface.error), far - surface.error, -far))

    return depth


def _inner(parts: Sequence[Part], depth: Depths) -> Array:
    """Return a few large spheres inside a solid (n, 4)."""
    middles = [_prisms(part, part.triangles)[1] for part in parts]
    points = np.concatenate(middles)
    radii = np.concatenate([part.depth(own) for part, own in zip(parts, middles, strict=True)])
    some = _apart(points, radii)[: 4 * MOST_INNER]
    points, left = points[some], depth(points[some]) * (1 - ROUNDING)
    radii = left.copy()
    spheres: list[Array] = []
    while len(spheres) < MOST_INNER and len(left) and left.max() > 0:
        best = int(left.argmax())
        spheres.append(np.append(points[best], radii[best]))
        left[lengths(points - points[best]) < radii[best]] = -1.0
    return np.array(spheres).reshape(-1, 4)
