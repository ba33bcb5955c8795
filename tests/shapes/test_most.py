"""How much of a mesh is read: the last number that is, and the first that is not; and which endings are copied."""

import io
import json
import struct

import numpy as np
import pytest

import kinetree as kt
import mesh_files as meshes
from each import each
from kinetree.shapes import as_mujoco, convert, gltf, mesh as mesh_file, obj, read_mesh, stl
from kinetree.shapes.collada import _triangles
from kinetree.shapes.colour import fractions
from kinetree.shapes.read import read_parts
from kinetree.syntax.xml.reader import Report, parse

SPACE = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"


def said(call, *arguments):
    try:
        call(*arguments)
    except kt.KinetreeError as error:
        return error.findings[0].message
    return ""


def painted(count):
    """An OBJ file with as many colours, and its library."""
    data = SPACE + b"mtllib look.mtl\n" + b"".join(b"usemtl m%d\nf 1 2 3\n" % i for i in range(count))
    return data, b"".join(b"newmtl m%d\nKd %f 0 0\n" % (i, i / 1e4) for i in range(count))


@each("count, parts", [(999, 999), (1000, 1)])
def test_colours_of_an_obj_file(count, parts):
    """With that of polygons before the first material there are 1000, or one more, and none is used."""
    data, library = painted(count)
    found = read_parts(data, "a.obj", {"look.mtl": library}.get)
    assert len(found) == parts
    assert sum(len(one.triangles) for one, _ in found) == count


def test_pictures_of_an_obj_file():
    """Of 101 pictures the last is not read; its material keeps its own colour."""
    image = pytest.importorskip("PIL.Image")
    file = io.BytesIO()
    image.fromarray(np.full((1, 1, 3), 255, np.uint8)).save(file, "png")
    data = SPACE + b"mtllib look.mtl\n" + b"".join(b"usemtl m%d\nf 1 2 3\n" % i for i in range(101))
    library = b"".join(b"newmtl m%d\nKd 1 0 0\nmap_Kd %d.png\n" % (i, i) for i in range(101))
    asked = []
    files = {"look.mtl": library}
    found = read_parts(data, "a.obj", lambda name: asked.append(name) or files.get(name, file.getvalue()))
    assert asked == ["look.mtl", *(f"{i}.png" for i in range(100))]
    assert {colour: len(one.triangles) for one, colour in found} == {(1.0, 1.0, 1.0, 1.0): 100, (1.0, 0.0, 0.0, 1.0): 1}


def test_lines_and_libraries_of_an_obj_file():
    line = b"#" + b"x" * 999_998 + b"\n"  # of a million bytes
    assert said(read_mesh, SPACE + line + b"f 1 2 3\n", "a.obj") == ""
    assert said(read_mesh, SPACE + b"#" + line + b"f 1 2 3\n", "a.obj") == (
        "has a line of more than 1000000 bytes; expected lines of at most so many"
    )
    data, library = painted(2)
    for more, expected in (
        (4_000_000, ""),
        (4_000_001, "has a library of materials of 4000001 bytes; at most 4000000"),
    ):
        files = {"look.mtl": library + b"#" * (more - len(library))}
        assert expected in said(obj.read_obj, data, "a.obj", files.get, True)
        assert bool(expected) == bool(said(obj.read_obj, data, "a.obj", files.get, True))


@each(
    "module, name, most, read, data, message",
    [
        (
            obj,
            "MOST_TRIANGLES",
            4,
            read_mesh,
            ("a.obj", meshes.obj()),
            "has more than 3 vertices, or as many triangles",
        ),
        (mesh_file, "MOST_TRIANGLES", 4, read_mesh, ("a.stl", meshes.stl()), "has 4 triangles; at most 3 are read"),
        (stl, "MOST_TRIANGLES", 3, read_mesh, ("a.stl", meshes.stl()), ""),
        (
            gltf,
            "MOST_NUMBERS",
            16,
            read_mesh,
            ("a.gltf", json.dumps(meshes.gltf()).encode()),
            "announces 16 numbers; at",
        ),
    ],
)
def test_sizes(monkeypatch, module, name, most, read, data, message):
    with monkeypatch.context() as patch:
        patch.setattr(module, name, most)
        assert said(read, *data[::-1]) == ""
        patch.setattr(module, name, most - 1)
        assert message in said(read, *data[::-1])
        assert bool(message) == bool(said(read, *data[::-1]))


@each(
    "nodes, accessors, numbers",
    [([{"mesh": 0}] * 3, [], 48), ([{"mesh": 0}, {}], [], 16), ([], [], 16), ([{"mesh": 0}], [{"count": 9}], 25)],
)
def test_numbers_of_a_gltf_file(monkeypatch, nodes, accessors, numbers):
    """Those of a mesh count as often as it is used, those of accessors at least once."""
    document = meshes.gltf(nodes=nodes)
    document["accessors"] += accessors
    data = json.dumps(document).encode()
    with monkeypatch.context() as patch:
        patch.setattr(gltf, "MOST_NUMBERS", numbers)
        assert gltf.check_gltf(data, "a.gltf") == (data, 1.0)
        patch.setattr(gltf, "MOST_NUMBERS", numbers - 1)
        message = f"announces {numbers} numbers; at most {numbers - 1} are read"
        assert said(gltf.check_gltf, data, "a.gltf") == message


@each(
    "change",
    [
        {"accessors": [{"count": "x"}]},
        {"accessors": [{"count": None}]},
        {"accessors": [3]},
        {"nodes": [{"mesh": 7}]},
        {"nodes": [{"mesh": "a"}]},
        {"meshes": [{}]},
        {"meshes": [{"primitives": [{}]}]},
    ],
)
def test_gltf_files_that_are_incomplete(change):
    data = json.dumps(meshes.gltf() | change).encode()
    assert said(gltf.check_gltf, data, "a.gltf") == (
        "is not a glTF file that can be read: its accessors, meshes or nodes are incomplete"
    )


def test_files_beside_a_gltf_file():
    """Of buffers and images, decoded, without those inside the file."""
    uris = ["a%20b.bin", "data:;base64,AA", None, "../c.bin"]
    document = {"buffers": [{"uri": uri} for uri in uris] + [5, {}], "images": [{"uri": "look.png"}]}
    text = json.dumps(document).encode()
    for data in (text, b"glTF" + bytes(8) + len(text).to_bytes(4, "little") + b"JSON" + text + b"\0\1 other chunks"):
        assert [*gltf.references(data, "a.gltf")] == ["a b.bin", "../c.bin", "look.png"]
    for data, message in ((b"[1]", "its JSON is not an object"), (b"{", ""), (b"glTF", "")):
        assert said(lambda one: [*gltf.references(one, "a.gltf")], data).startswith(f"is not a glTF file: {message}")


@each("corners, message", [(1000, ""), (1001, "has a polygon of 1001 corners; at most 1000 are read")])
def test_polygons_for_mujoco(corners, message):
    data = b"".join(b"v %f %f 0\n" % (np.cos(i), np.sin(i)) for i in range(corners))
    data += b"f " + b" ".join(b"%d" % (i + 1) for i in range(corners)) + b"\n"
    assert message in said(as_mujoco.read_as_mujoco, data, "a.obj")
    assert bool(message) == bool(said(as_mujoco.read_as_mujoco, data, "a.obj"))


def test_quads_are_cut_along_the_shorter_diagonal():
    data = b"v 0 0 0\nv 2 0 0\nv 2 1 0\nv -1 1 0\nf 1 2 3 4\nf 2 3 4 1\n"
    _, triangles = as_mujoco.read_as_mujoco(data, "a.obj")
    assert {frozenset(t) for t in triangles.tolist()} == {frozenset(t) for t in ((0, 1, 2), (0, 2, 3))}
    assert said(as_mujoco.read_as_mujoco, SPACE + b"f 1 2 3 5\n", "a.obj") == (
        "has a face of vertices that do not exist; there are 4"
    )


def test_only_the_first_shape_of_an_obj_file_counts_in_mujoco():
    for before, count in ((b"", 1), (b"g a\n", 1), (b"o a\no b\n", 1)):
        _, triangles = as_mujoco.read_as_mujoco(SPACE + before + b"f 1 2 3\ng b\nf 2 3 4\nf 1 3 4\n", "a.obj")
        assert len(triangles) == count
    points, triangles = as_mujoco.read_as_mujoco(SPACE, "a.obj")
    assert (points.tolist(), triangles.shape) == ([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], (0, 3))


@pytest.mark.parametrize("numbers", [9, 10, 11])
def test_points_without_faces_that_end_within_a_point(numbers):
    data = struct.pack(f"<4i{numbers}f", 4, 0, 0, 0, *range(numbers))
    points, triangles = as_mujoco.read_as_mujoco(data, "a.msh")
    assert (points.tolist(), triangles.shape) == ([[0, 1, 2], [3, 4, 5], [6, 7, 8]], (0, 3))


def test_numbers_that_are_too_large():
    for size, message in ((1e30, ""), (1.1e30, "not finite")):
        text = said(read_mesh, meshes.stl_text(meshes.CORNERS / meshes.CORNERS.max() * size), "a.stl")
        assert message in text
        assert bool(message) == bool(text)


@each(
    "ending, count, expected",
    [(".stl", 4, ".stl"), (".stl", 3, ".msh"), (".msh", 3, ".msh"), (".obj", 3, ".obj"), (".dae", 4, ".stl")],
)
def test_what_mujoco_gets_of_many_triangles(monkeypatch, ending, count, expected):
    monkeypatch.setattr(convert, "MOST_STL_TRIANGLES", count)
    data = {".stl": meshes.stl(), ".msh": meshes.msh(), ".obj": meshes.obj(), ".dae": meshes.dae()}[ending]
    mesh = read_mesh(data, f"a{ending}")
    made, kind = convert.mesh_for_mujoco(mesh, data, ending)
    assert kind == expected
    again = read_mesh(made, f"a{kind}")
    assert again.volume == pytest.approx(mesh.volume, rel=1e-6)
    assert (made == data) == (kind == ending)


def test_what_drake_gets():
    mesh = read_mesh(meshes.stl(), "a.stl")
    made, kind = convert.mesh_for_drake(mesh, meshes.stl(), ".stl")
    assert kind == ".obj"
    assert read_mesh(made, "a.obj").volume == pytest.approx(mesh.volume)
    for ending in (".obj", ".vtk", ".gltf"):
        assert convert.mesh_for_drake(mesh, b"as it is", ending) == (b"as it is", ending)


def test_textures_for_mujoco():
    pytest.importorskip("PIL.Image")
    for file in ("a.png", "a.KTX"):
        assert convert.texture_for_mujoco(b"as it is", file) == (b"as it is", file[1:].lower())
    made, kind = convert.texture_for_mujoco(meshes.png(), "a.jpg")
    assert (made[1:4], kind) == (b"PNG", ".png")
    assert said(convert.texture_for_mujoco, b"x", "a.jpg") == (
        "the texture 'a.jpg' cannot be read: it is damaged, or of a kind that Pillow does not read"
    )


@each(
    "colour, expected",
    [
        ((0.5, 1.0, 0.0), (0.5, 1.0, 0.0, 1.0)),
        ((0.5, 1.0, 0.0, 0.25), (0.5, 1.0, 0.0, 0.25)),
        ((51, 255.0, 0), (0.2, 1.0, 0.0, 1.0)),
        (np.array([1, 0, 0], np.uint8), (1 / 255, 0.0, 0.0, 1.0)),
    ],
)
def test_colours_in_bytes_and_fractions(colour, expected):
    assert fractions(colour).tolist() == pytest.approx(expected)


COPIED = {
    "mesh": "stl dae obj glb gltf msh ply fbx 3ds x3d wrl iv off mesh vtk stlb stla usd usda usdc usdz",
    "texture": "png jpg jpeg tif tiff tga bmp gif dds ktx ktx2 webp hdr",
}


def test_endings_that_are_copied_and_others(tmp_path):
    """Each that is listed, in any case; and none of a file that may be a secret."""
    for ending in COPIED["mesh"].upper().split():
        data = {"DAE": meshes.dae(), "GLTF": json.dumps(meshes.gltf()).encode(), "GLB": meshes.glb()}
        (tmp_path / f"a.{ending}").write_bytes(data.get(ending, b"anything"))
    for ending in ("txt", "pem", "", "xml"):
        (tmp_path / f"a.{ending}").write_bytes(b"secret")
    for kind, endings in (("copied", COPIED["mesh"].upper().split()), ("left", ["txt", "pem", "", "xml"])):
        shape = '<visual><geometry><mesh filename="a.{}"/></geometry></visual>'
        text = f'<robot name="r"><link name="l">{"".join(map(shape.format, endings))}</link></robot>'
        (tmp_path / f"{kind}.urdf").write_text(text)
        (tmp_path / kind).mkdir()
        robot = kt.load(tmp_path / f"{kind}.urdf")
        if kind == "copied":
            kt.save(robot, tmp_path / kind / "r.urdf")
            assert sorted(p.name for p in (tmp_path / kind / "assets").rglob("a.*")) == sorted(
                f"a.{e}" for e in endings
            )
        else:
            with pytest.raises(kt.KinetreeError) as error:
                kt.save(robot, tmp_path / kind / "r.urdf")
            assert len(error.value.findings) == len(endings)
            assert not any((tmp_path / kind).iterdir())


@each(
    "part, expected",
    [
        ("<triangles>{1}<p>0 1 2 2 1 3</p></triangles>", 2),
        ("<triangles>{2}<p>0 0 1 0 2 0 2 1 1 1 3 1</p></triangles>", 2),
        ("<polylist>{2}<vcount>4 3</vcount><p>0 0 1 0 2 0 3 0 1 0 2 0 3 0</p></polylist>", 3),
        ("<polygons>{1}<p>0 1 2 3 4</p><p>0 1 2</p></polygons>", 4),
        ("<triangles><p>0 1 2</p></triangles>", 1),
        ("<polylist>{1}<vcount>2</vcount><p>0 1</p></polylist>", 0),
        ("<lines>{1}</lines>", 0),
    ],
)
def test_triangles_of_collada_by_the_lengths_of_lists(part, expected):
    """An index of each input belongs to a corner; a polygon of n corners has n - 2 triangles."""
    inputs = ['<input semantic="NORMAL" offset="1"/>', '<input semantic="VERTEX" offset="0"/>']
    text = part.format("", inputs[1], "".join(inputs))
    root = parse(f"<geometry>{text}</geometry>", "a.dae", Report())
    assert root is not None
    assert _triangles(root) == expected


@each(
    "name, data, message",
    [
        ("a.stl", meshes.stl_text(), "is an STL file of text; MuJoCo reads binary ones"),
        ("a.dae", meshes.dae(), "is in a format that MuJoCo does not read; it reads .stl, .obj and .msh"),
        ("a.stl", meshes.stl(), ""),
        ("a.msh", meshes.msh(), ""),
    ],
)
def test_formats_that_mujoco_reads(name, data, message):
    assert message in said(as_mujoco.read_as_mujoco, data, name)
    assert bool(message) == bool(said(as_mujoco.read_as_mujoco, data, name))
