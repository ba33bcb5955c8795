"""Packed meshes are the meshes, within half a step."""

import base64
import zlib

import numpy as np
import pytest

import kinetree as kt
import mesh_files
from kinetree.shapes.mesh import Mesh
from kinetree.shapes.read import read_mesh
from kinetree.viewing.packing import Meshes, packed, simplified
from unpacking import points_of, unpacked


def sphere(n=40):
    """A closed mesh of n rings, without poles that are points."""
    u, v = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
    ring, turn = np.pi * (u.ravel() + 0.5) / n, 2 * np.pi * v.ravel() / n
    points = np.c_[np.sin(ring) * np.cos(turn), np.sin(ring) * np.sin(turn), np.cos(ring)]
    quads = [
        (i * n + j, i * n + (j + 1) % n, (i + 1) * n + j, (i + 1) * n + (j + 1) % n)
        for i in range(n - 1)
        for j in range(n)
    ]
    return Mesh(0.3 * points + [5, -2, 1], np.array([t for a, b, c, d in quads for t in ((a, c, b), (b, c, d))]))


def test_a_mesh_comes_back_within_half_a_step():
    rng = np.random.default_rng(0)
    soup = Mesh(rng.normal(0, 0.2, (300, 3)), rng.permutation(300).reshape(-1, 3))
    for mesh in (sphere(), soup, read_mesh(mesh_files.stl(), "a.stl")):
        described, data = packed(mesh)
        vertices, triangles = unpacked({**described, "at": 0}, data)
        assert len(triangles) == len(mesh.triangles)
        step = np.ptp(mesh.bounds, axis=0).max() / 65535
        assert described["step"] == pytest.approx(step, rel=1e-12)
        far = np.abs(vertices[triangles] - mesh.vertices[mesh.triangles])
        assert far.max() <= 0.5 * step * (1 + 1e-6)


@pytest.mark.slow
def test_a_vertex_may_be_far_behind():
    """A fan of 70,000 triangles about its first vertex, whose index takes three bytes at the end."""
    x, y = np.divmod(np.arange(70_002), 300)
    points = np.c_[x, y, 0 * x].astype(float)
    fan = np.c_[np.zeros(70_000, dtype=int), np.arange(1, 70_001), np.arange(2, 70_002)]
    described, data = packed(Mesh(points, fan))
    vertices, triangles = unpacked({**described, "at": 0}, data)
    assert np.abs(vertices[triangles] - points[fan]).max() <= described["step"]


def test_vertices_that_triangles_share_are_stored_once():
    described, _ = packed(read_mesh(mesh_files.stl(), "a.stl"))
    assert (described["vertices"], described["triangles"]) == (4, 4)


def test_several_meshes_lie_one_behind_the_other():
    meshes = Meshes()
    several = [sphere(8), read_mesh(mesh_files.stl(), "a.stl"), sphere(5)]
    assert [meshes.add(mesh) for mesh in several] == [0, 1, 2]
    data = zlib.decompress(base64.b64decode(meshes.text))
    assert len(data) == meshes.size
    for mesh, described in zip(several, meshes.table, strict=True):
        vertices, triangles = unpacked(described, data)
        assert np.allclose(vertices[triangles], mesh.vertices[mesh.triangles], atol=described["step"])


def test_triangles_without_area_are_left_out():
    points = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1e-9, 0, 0)], dtype=float)
    described, _ = packed(Mesh(points, np.array([(0, 1, 2), (0, 3, 2), (1, 1, 2)])))
    assert (described["vertices"], described["triangles"]) == (3, 1)
    with pytest.raises(kt.KinetreeError, match="only triangles"):
        packed(Mesh(points, np.array([(0, 3, 0)])))
    with pytest.raises(kt.KinetreeError, match="only triangles"):
        packed(Mesh(np.zeros((3, 3)), np.array([(0, 1, 2)])))


def test_a_coarser_mesh_is_near_the_fine_one():
    mesh = sphere()
    coarse = simplified(mesh, 500)
    assert 300 < len(coarse.triangles) <= 510
    radii = np.linalg.norm(coarse.vertices - [5, -2, 1], axis=1)
    assert np.abs(radii - 0.3).max() < 0.02
    assert simplified(mesh, 10_000) is mesh


def test_a_mesh_in_another_unit_shares_its_bytes():
    meshes, mesh = Meshes(), sphere(8)
    moved = Mesh(mesh.vertices * 0.001 + [1, 2, 3], mesh.triangles)
    assert [meshes.add(one) for one in (mesh, moved, sphere(5), mesh)] == [0, 1, 2, 0]
    assert [one["at"] for one in meshes.table] == [0, 0, meshes.size - len(packed(sphere(5))[1])]
    data = zlib.decompress(base64.b64decode(meshes.text))
    assert len(data) == meshes.size
    for described, one in zip(meshes.table, (mesh, moved, sphere(5)), strict=True):
        vertices, triangles = unpacked(described, data)
        assert np.abs(vertices[triangles] - one.vertices[one.triangles]).max() <= described["step"]


def test_points_are_stored_once_and_without_triangles():
    meshes, points = Meshes(), np.random.default_rng(0).normal(0, 0.2, (50, 3))
    assert meshes.add_points(np.concatenate([points, points[::-1]])) == 0
    (described,) = meshes.table
    assert (described["vertices"], described["triangles"], meshes.size) == (50, 0, 6 * 50)
    found = np.array(points_of(described, zlib.decompress(base64.b64decode(meshes.text))))
    away = np.linalg.norm(found[:, None] - points, axis=2)
    assert max(away.min(axis=0).max(), away.min(axis=1).max()) <= described["step"]
    assert meshes.bounds[0].tolist() == [points.min(axis=0).tolist(), points.max(axis=0).tolist()]
