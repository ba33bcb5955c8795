"""Outer spheres contain the solid and are no farther from it than their slack; inner ones lie inside."""

import numpy as np
import pytest

from each import each
from kinetree.contact.covers import _greedy, cover
from kinetree.contact.solids import Solid, hull_of
from kinetree.shapes.mesh import Mesh
from support import at_length

RNG = np.random.default_rng(7)


def torus(n=24, m=12, big=0.2, small=0.06):
    """A closed mesh that is not convex."""
    u, v = 2 * np.pi * np.arange(n) / n, 2 * np.pi * np.arange(m) / m
    ring = big + small * np.cos(v)
    points = np.stack([np.outer(np.cos(u), ring), np.outer(np.sin(u), ring), np.tile(small * np.sin(v), (n, 1))], -1)
    i, j = np.meshgrid(np.arange(n), np.arange(m), indexing="ij")
    a, b = i * m + j, (i + 1) % n * m + j
    c, d = (i + 1) % n * m + (j + 1) % m, i * m + (j + 1) % m
    return Mesh(
        points.reshape(-1, 3), np.concatenate([np.stack([a, b, c], -1), np.stack([a, c, d], -1)]).reshape(-1, 3)
    )


def solid(kind, *sizes, mesh=None):
    return Solid("link", kind, sizes, np.eye(4), kind, mesh)


OPEN = Mesh(np.array([[0.0, 0, 0], [0.3, 0, 0], [0.3, 0.4, 0], [0, 0.4, 0.1]]), np.array([[0, 1, 2], [0, 2, 3]]))
SOLIDS = {
    "sphere": solid("sphere", 0.2),
    "box": solid("box", 0.4, 0.3, 0.1),
    "cylinder": solid("cylinder", 0.1, 0.3),
    "capsule": solid("capsule", 0.08, 0.3),
    "ellipsoid": solid("ellipsoid", 0.1, 0.2, 0.05),
    "hull": solid("hull", mesh=hull_of(RNG.normal(size=(60, 3)) * [0.1, 0.05, 0.2], "h")),
    "mesh": solid("mesh", mesh=torus()),
    "open": solid("mesh", mesh=OPEN),
    "needle": solid("box", 0.5, 0.001, 0.001),
}


def depth(one, points):
    """At least how deep points lie in a solid, m; below zero outside."""
    sizes = np.array(one.sizes)
    match one.kind:
        case "sphere":
            return sizes[0] - np.linalg.norm(points, axis=1)
        case "box":
            return (sizes / 2 - np.abs(points)).min(axis=1)
        case "cylinder":
            return np.minimum(sizes[0] - np.hypot(*points[:, :2].T), sizes[1] / 2 - np.abs(points[:, 2]))
        case "capsule":
            z = np.clip(points[:, 2], -sizes[1] / 2, sizes[1] / 2)
            return sizes[0] - np.linalg.norm(points - z[:, None] * [0, 0, 1], axis=1)
        case "ellipsoid":
            return (1 - np.linalg.norm(points / sizes, axis=1)) * sizes.min()
        case "hull":
            from scipy.spatial import ConvexHull

            faces = ConvexHull(one.surface.vertices).equations
            return -(points @ faces[:, :3].T + faces[:, 3]).max(axis=1)
    return 0.06 - np.hypot(np.hypot(*points[:, :2].T) - 0.2, points[:, 2])  # of the torus around which the mesh lies


def inside(one, n=1_000):
    """Points in a solid."""
    if one is SOLIDS["open"]:
        a, b, c = np.moveaxis(OPEN.vertices[OPEN.triangles[RNG.integers(0, 2, n)]], 1, 0)
        u, v = np.sort(RNG.uniform(size=(2, n, 1)), axis=0)
        return u * a + (v - u) * b + (1 - v) * c
    low, high = one.surface.bounds if one.kind != "sphere" else (-np.full(3, 0.2), np.full(3, 0.2))
    points = RNG.uniform(low, high, (n, 3))
    if one.kind != "mesh":
        return points[depth(one, points) >= 0]
    lost = 0.06 * (1 - np.cos(np.pi / 12)) + 0.26 * (1 - np.cos(np.pi / 24))  # the mesh lies inside the torus
    return points[depth(one, points) >= lost]


def beyond(points, spheres):
    """How far points lie outside of the nearest of spheres."""
    return (np.linalg.norm(points[:, None] - spheres[:, :3], axis=2) - spheres[:, 3]).min(axis=1)


def but_slow(*slow, without=()):
    """The names of the solids, some of which are for slow tests."""
    names = sorted(SOLIDS.keys() - {*without})
    return [pytest.param(name, marks=pytest.mark.slow) if name in slow else name for name in names]


@pytest.mark.slow
@pytest.mark.parametrize("name", but_slow("capsule", "ellipsoid", "mesh"))
def test_every_point_is_in_an_outer_sphere(name):
    """With KINETREE_ALL of at least 10^6 points of each."""
    one, found, seen = SOLIDS[name], cover(SOLIDS[name], 0.03), 0
    while seen <= at_length(100, 10**6):
        points = inside(one)
        assert (beyond(points, found.outer) <= 1e-12).all()
        seen += len(points)
    surface = one.surface.vertices if one.kind in ("hull", "mesh", "box") else points
    assert (beyond(surface, found.outer) <= 1e-12).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in SOLIDS if name not in ("open", "mesh")])
def test_no_outer_sphere_reaches_farther_than_its_slack(name):
    one, found = SOLIDS[name], cover(SOLIDS[name], 0.03)
    directions = RNG.normal(size=(500, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    ends = (found.outer[:, None, :3] + found.outer[:, None, 3:] * directions).reshape(-1, 3)
    assert distance(one, ends).max() <= found.slack + 1e-12
    assert found.slack < 0.04


def distance(one, points):
    """How far points lie outside of a solid, or less where that is not known."""
    if one.kind == "box":
        return np.linalg.norm(np.maximum(np.abs(points) - np.array(one.sizes) / 2, 0), axis=1)
    if one.kind == "cylinder":
        flat = np.maximum(np.hypot(*points[:, :2].T) - one.sizes[0], 0)
        return np.hypot(flat, np.maximum(np.abs(points[:, 2]) - one.sizes[1] / 2, 0))
    return np.maximum(-depth(one, points), 0)


@pytest.mark.slow
@pytest.mark.parametrize("name", but_slow("mesh", without=("open",)))
def test_inner_spheres_lie_inside(name):
    one, found = SOLIDS[name], cover(SOLIDS[name], 0.03)
    assert name == "needle" or len(found.inner)
    for _ in range(at_length(1, -(-(10**6) // (300 * max(len(found.inner), 1)))) if len(found.inner) else 0):
        directions = RNG.normal(size=(300, 3))
        directions /= np.linalg.norm(directions, axis=1)[:, None]
        ends = (found.inner[:, None, :3] + found.inner[:, None, 3:] * directions).reshape(-1, 3)
        assert depth(one, ends).min() >= -1e-12


@pytest.mark.slow
def test_an_open_mesh_has_no_inside():
    assert not len(cover(SOLIDS["open"], 0.03).inner)
    assert not SOLIDS["open"].closed


@pytest.mark.slow
def test_the_hole_of_a_torus_is_free():
    found = cover(SOLIDS["mesh"], 0.03)
    assert (np.linalg.norm(found.outer[:, :3], axis=1) > found.outer[:, 3] + 0.1).all()


def test_it_is_the_same_each_time_and_kept():
    one = SOLIDS["hull"]
    again = Solid("other", "hull", (), np.eye(4), "again", Mesh(one.mesh.vertices.copy(), one.mesh.triangles.copy()))
    assert cover(again, 0.03) is cover(one, 0.03)


@each(
    "one",
    [
        solid("box", 1.0, 1.0, 1e-6),
        solid("box", 100.0, 100.0, 0.01),
        solid("cylinder", 100.0, 0.001),
        solid("cylinder", 0.001, 100.0),
    ],
)
@pytest.mark.slow
@pytest.mark.nightly
def test_plates_and_needles_have_covers(one):
    found = cover(one, 0.02)
    assert 0 < len(found.outer) < 3000
    size = np.array(one.sizes if one.kind == "box" else (2 * one.sizes[0], 2 * one.sizes[0], one.sizes[1])) / 2
    points = np.random.default_rng(4).uniform(-size, size, (2000, 3))
    points = points[depth(one, points) >= 0]
    far = np.linalg.norm(points[:, None] - found.outer[:, :3], axis=2) - found.outer[:, 3]
    assert (far.min(axis=1) <= 0).all()


@each(
    "inside, expected",
    [
        ([[1, 1, 0, 0], [0, 0, 1, 1], [1, 0, 1, 0]], {0, 1}),
        ([[1, 1, 1, 0, 0, 0, 0], [0, 0, 0, 1, 1, 1, 0], [1, 0, 0, 1, 0, 0, 1]], {0, 1, 2}),
        ([[0, 1, 1, 1, 1, 0], [1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1]], {1, 2}),  # the largest is needless afterwards
        (  # either of two chosen rows is needless, but not both
            [
                [1, 1, 1, 0, 1, 0, 0, 1, 0, 0, 0],
                [0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 1],
                [0, 1, 0, 0, 0, 1, 1, 1, 1, 1, 0],
                [1, 1, 1, 0, 0, 1, 1, 0, 1, 0, 1],
            ],
            {1, 2, 3},
        ),
        ([[1, 1], [1, 1]], {0}),
        ([[0, 0], [0, 1]], {1}),
    ],
)
def test_few_rows_that_cover_all_columns(inside, expected):
    assert {*_greedy(np.array(inside, dtype=bool)).tolist()} == expected


def test_no_row_of_a_cover_is_needless_and_no_column_is_left():
    rng = np.random.default_rng(0)
    for _ in range(30):
        inside = rng.random((12, 20)) < 0.3
        chosen = _greedy(inside)
        np.testing.assert_array_equal(inside[chosen].any(axis=0), inside.any(axis=0))
        for row in chosen:
            others = chosen[chosen != row]
            assert not np.array_equal(inside[others].any(axis=0), inside.any(axis=0))
