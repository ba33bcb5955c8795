"""Convex parts that together contain a solid, and what a point's distance from its surface is."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.spatial import ConvexHull, HalfspaceIntersection, QhullError

from kinetree.contact.surfaces import Surface, pieces, step_of, turns
from kinetree.spatial.se3 import Array

THIN = 1e-5
"""By how much a flat part is thickened, m."""
MOST_CUTS = 6
"""How often a cell is cut in two at most."""
FACES = 160
"""Faces above which a part is made simpler."""


@dataclass(frozen=True, eq=False)
class Part:
    """A convex polyhedron: its faces as triangles (n, 3, 3), their outward normals (n, 3) and offsets (n,): a point is
    inside where normal @ point <= offset, for all of them."""

    triangles: Array
    normals: Array
    offsets: Array

    def depth(self, points: Array) -> Array:
        """Return how deep points (n, 3) lie in it, m, below zero outside of it."""
        found = np.full(len(points), np.inf)
        for i in range(0, len(self.normals), 500):
            some = slice(i, i + 500)
            far = points @ self.normals[some].T
            found = np.minimum(found, np.subtract(self.offsets[some], far, out=far).min(axis=1))
        return found

    def simpler(self) -> Part:
        """Return one with few faces that contains it: of its largest faces, and of directions all around."""
        if len(self.normals) <= FACES:
            return self
        a, b, c = np.moveaxis(self.triangles, 1, 0)
        area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
        normals = np.concatenate(
            [self.normals[np.argsort(-area, kind="stable")[: FACES // 4]], around(FACES // 2), AXES]
        )
        corners = self.triangles.reshape(-1, 3)
        halves = np.column_stack([normals, -(corners @ normals.T).max(axis=0) - THIN / 10])
        return part_of(HalfspaceIntersection(halves, corners.mean(axis=0)).intersections)


AXES = np.concatenate([np.eye(3), -np.eye(3)])


def around(count: int) -> Array:
    """Return unit vectors (count, 3) in all directions, on a spiral."""
    z = 1.0 - (2.0 * np.arange(count) + 1.0) / count
    turn = np.pi * (3.0 - np.sqrt(5.0)) * np.arange(count)
    wide = np.sqrt(1.0 - z * z)
    return np.column_stack([wide * np.cos(turn), wide * np.sin(turn), z])


def part_of(points: Array) -> Part:
    """Return the convex hull of points (n, 3); a flat one is thickened."""
    try:
        hull = ConvexHull(points)
    except QhullError:
        corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        points = (points[:, None] + THIN * corners).reshape(-1, 3)
        hull = ConvexHull(points)
    return Part(points[hull.simplices], hull.equations[:, :3], -hull.equations[:, 3])


def parts_of(triangles: Array, close: float) -> list[Part]:
    """Return convex parts that contain a surface (n, 3, 3) and, if it is closed, what it encloses.

    A cell of space is cut in two until the part in it is nowhere much farther than `close` from the surface, m. The
    part is the hull of the surface in the cell and of the cell's corners inside: what is enclosed in a cell has no
    other extreme points.
    """
    found: list[Part] = []
    left = [(triangles, np.array([[-np.inf] * 3, [np.inf] * 3]), 0)]
    while left:
        own, cell, cuts = left.pop()
        corners = np.array(list(product(*cell.T)))
        corners = corners[np.isfinite(corners).all(axis=1)]
        corners = corners[np.abs(turns(triangles, corners)) > 0.5]
        points = np.concatenate([own.reshape(-1, 3), corners])
        if not len(points):
            continue
        part, size = part_of(points), np.ptp(points, axis=0)
        if not len(own) or cuts >= MOST_CUTS or size.max() < 3 * close or _is_close(part, own, cell, close):
            found.append(part)
            continue
        axis = int(size.argmax())
        at = float(points[:, axis].min() + size[axis] / 2)
        for side, end in zip(cut(own, axis, at), (1, 0), strict=True):
            smaller = cell.copy()
            smaller[end, axis] = at
            left.append((side, smaller, cuts + 1))
    return found


def _is_close(part: Part, triangles: Array, cell: Array, close: float) -> bool:
    """Return whether the surface of a part is close to triangles, but where it was cut."""
    middles = pieces(part.triangles, step_of(part.triangles, close)).mean(axis=1)
    middles = middles[(np.abs(middles - cell[:, None]) > close / 4).all(axis=(0, 2))]
    return bool((Surface(triangles, close / 2).distance(middles) < close).all())


def cut(triangles: Array, axis: int, at: float) -> tuple[Array, Array]:
    """Return the triangles (n, 3, 3) below and above a plane across an axis, those that cross it cut in it."""
    above = (triangles[..., axis] > at).sum(axis=1)
    sides: list[list[Array]] = [[triangles[above == 0]], [triangles[above == 3]]]
    for count in (1, 2):  # one corner is alone on its side
        own = triangles[above == count]
        alone = (own[..., axis] > at if count == 1 else own[..., axis] <= at).argmax(axis=1)
        a, b, c = (own[np.arange(len(own)), (alone + i) % 3] for i in range(3))
        ends = []
        for other in (b, c):
            part = (at - a[:, axis]) / (other[:, axis] - a[:, axis])
            end = a + part[:, None] * (other - a)
            end[:, axis] = at
            ends.append(end)
        sides[2 - count] += [np.stack([a, *ends], axis=1)]
        sides[count - 1] += [np.stack([ends[0], b, c], axis=1), np.stack([ends[0], c, ends[1]], axis=1)]
    return np.concatenate(sides[0]), np.concatenate(sides[1])
