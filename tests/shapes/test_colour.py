"""Colours of the materials in mesh files: each is read from the file by hand."""

import io
import json
from types import SimpleNamespace

import numpy as np
import pytest

import mesh_files
from kinetree.shapes.colour import colour_of
from kinetree.shapes.read import read_mesh, read_parts

Image = pytest.importorskip("PIL.Image")


def picture(*colours) -> bytes:
    """A PNG file of one row of pixels."""
    image = Image.fromarray(np.array([colours], dtype=np.uint8))
    file = io.BytesIO()
    image.save(file, "png")
    return file.getvalue()


def colours(data, name, beside=None):
    return [(len(mesh.triangles), colour) for mesh, colour in read_parts(data, name, (beside or {}).get)]


def painted_dae(diffuse):
    text = mesh_files.dae().decode()
    start, end = text.index("<newparam"), text.index("</newparam>")  # which refers to nothing
    text = text[:start] + text[end + len("</newparam>") :]
    start, end = text.index("<diffuse>"), text.index("</diffuse>")
    return (text[:start] + f"<diffuse>{diffuse}" + text[end:]).encode()


def test_stl_has_none():
    assert colours(mesh_files.stl(), "a.stl") == [(4, None)]


def test_dae():
    found = colours(painted_dae("<color>0.2 0.4 0.6 0.1</color>"), "a.dae")
    assert found == [(4, pytest.approx((0.2, 0.4, 0.6, 1.0)))]


def test_dae_with_damaged_materials_has_its_shapes():
    for data in (mesh_files.dae(), painted_dae("<color>red</color>"), painted_dae("<texture/>")):
        ((count, _),) = colours(data, "a.dae")
        assert count == 4


def test_dae_with_a_texture_has_its_mean():
    data = mesh_files.dae().replace(b"<source>gone</source>", b"<source>f</source>")
    surface = b'<newparam sid="f"><surface type="2D"><init_from>i</init_from></surface></newparam><newparam sid="s">'
    data = data.replace(b'<newparam sid="s">', surface)
    found = colours(data, "a.dae", {"look.png": picture((255, 0, 0), (0, 0, 255))})
    assert found == [(4, pytest.approx((0.5, 0.0, 0.5, 1.0), abs=0.01))]
    for wrong in ({}, {"look.png": b"no image"}):
        assert [count for count, _ in colours(data, "a.dae", wrong)] == [4]


def test_obj_has_a_part_for_each_colour():
    material = b"newmtl red\nKd 1 0 0\nnewmtl blue\nKd 0 0 0.5\n"
    data = mesh_files.obj() + b"\nusemtl blue\nf 1 2 3\n"
    found = sorted(colours(data, "a.obj", {"look.mtl": material}))
    assert found == [(1, pytest.approx((0, 0, 0.5, 1), abs=0.003)), (4, pytest.approx((1, 0, 0, 1)))]
    assert colours(data, "a.obj") == [(5, None)]
    assert len(read_mesh(data, "a.obj").triangles) == 5


def test_obj_with_a_texture():
    files = {"look.mtl": b"newmtl red\nKd 0 0 0\nmap_Kd look.png\n", "look.png": picture((0, 255, 0), (0, 51, 0))}
    data = mesh_files.obj().replace(b"usemtl", b"vt 0 0\nusemtl")
    lines = [
        b"f " + b" ".join(w + b"/1" for w in line.split()[1:]) if line[:1] == b"f" else line
        for line in data.split(b"\n")
    ]
    assert colours(b"\n".join(lines), "a.obj", files) == [(4, pytest.approx((0, 0.6, 0, 1), abs=0.01))]


def test_gltf_colours_are_linear():
    """0.2140 in linear light is 0.5 in sRGB, 188 of 255 is half the light (IEC 61966-2-1)."""
    root = mesh_files.gltf()
    root["materials"] = [{"pbrMetallicRoughness": {"baseColorFactor": [0.2140, 0.5, 1.0, 0.25]}}]
    for mesh in root["meshes"]:
        for primitive in mesh["primitives"]:
            primitive["material"] = 0
    found = colours(json.dumps(root).encode(), "a.gltf")
    assert found == [(4, pytest.approx((0.5, 188 / 255, 1.0, 0.25), abs=0.002))]


def test_obj_with_more_materials_than_are_read_has_its_shapes():
    many = b"".join(b"usemtl m%d\nf 1 2 3\n" % i for i in range(10_050)) + b"usemtl m0\nf 1 2 3\n"
    material = b"newmtl m0\nKd 1 0 0\nnewmtl m10049\nKd 0 1 0\n"
    found = dict(reversed(row) for row in colours(mesh_files.obj() + b"\n" + many, "a.obj", {"look.mtl": material}))
    assert found == {(1, 0, 0, 1): 2, None: 10_053}


def test_obj_colours_of_vertices_and_pictures():
    data = b"v 0 0 0 1 0 0\nv 1 0 0 0 0 1\nv 0 1 0 0 0 0.5\nf 1 2 3\n"
    assert colours(data, "a.obj") == [(1, pytest.approx((1 / 3, 0, 0.5, 1), abs=1e-4))]
    assert colours(data.replace(b" 0.5\nf", b"\nf"), "a.obj") == [(1, None)]
    files = {"look.mtl": b"newmtl red\nmap_Kd look.png\nKd 1 0 0\n", "look.png": b"no picture"}
    assert colours(mesh_files.obj(), "a.obj", files) == [(4, (1, 0, 0, 1))]


def test_a_picture_of_too_many_pixels_is_not_read(monkeypatch):
    files = {"look.mtl": b"newmtl red\nKd 1 0 0\nmap_Kd look.png\n", "look.png": picture((0, 255, 0), (0, 255, 0))}
    assert colours(mesh_files.obj(), "a.obj", files) == [(4, (0, 1, 0, 1))]
    monkeypatch.setattr("kinetree.shapes.colour.MOST_PIXELS", 1)
    assert colours(mesh_files.obj(), "a.obj", files) == [(4, (1, 0, 0, 1))]


@pytest.mark.parametrize("of", ["vertex_colors", "face_colors"])
def test_colours_of_vertices_and_faces_count_by_their_mean(of):
    import trimesh

    box = trimesh.creation.box()
    n = len(box.vertices if of == "vertex_colors" else box.faces)
    setattr(box.visual, of, np.tile([[200, 40, 20, 255]], (n, 1)).astype(np.uint8))
    (found,) = colours(box.export(file_type="glb"), "a.glb")
    assert found[0] == 12
    assert found[1] == pytest.approx((200 / 255, 40 / 255, 20 / 255, 1.0), abs=0.01)


def test_a_material_without_colour_and_texture_has_none():
    visual = SimpleNamespace(material=SimpleNamespace(baseColorFactor=None, baseColorTexture=None))
    assert colour_of(visual, ".glb") is None
    visual.material.baseColorFactor = (255, 0, 0, 51)
    assert colour_of(visual, ".obj") == (1, 0, 0, 0.2)
    assert colour_of(visual, ".dae") == (1, 0, 0, 1)
    assert colour_of(SimpleNamespace(kind=None), ".obj") is None
