"""Meshes of every format, the same tetrahedron, and files that are wrong on purpose."""

import contextlib
import json
import struct
import tracemalloc

import numpy as np
import pytest

import kinetree as kt
import mesh_files as meshes
from each import each
from kinetree.confine import Confinement
from kinetree.files.opener import Files
from kinetree.rules.shapes.mesh_facts import Facts, box_of, facts_of
from kinetree.shapes import Mesh, read_mesh
from kinetree.shapes.collada import check_collada, corners_of
from kinetree.shapes.convert import obj_bytes
from kinetree.shapes.resolve import beside
from kinetree.shapes.stl import msh_bytes, stl_bytes
from support import soon

FILES = {
    "a.stl": meshes.stl(),
    "b.STL": meshes.stl_text(),
    "c.stl": meshes.stl_text(end=" "),
    "a.obj": meshes.obj(),
    "a.dae": meshes.dae(),
    "a.glb": meshes.glb(),
    "a.gltf": json.dumps(meshes.gltf()).encode(),
    "a.msh": meshes.msh(),
}


@each("name", FILES)
def test_every_format_is_read(name):
    mesh = read_mesh(FILES[name], name)
    shift = np.array([0, 0, 1]) if name.startswith("a.gl") else 0
    assert np.allclose(mesh.bounds, np.array([(0, 0, 0), (1, 2, 3)]) + shift, atol=1e-7)
    assert len(mesh.triangles) == 4
    assert mesh.volume == pytest.approx(1.0, rel=1e-6)  # of a tetrahedron: 1 * 2 * 3 / 6
    assert mesh.closed
    assert not mesh.flat
    assert len(mesh.merged.vertices) == 4


def test_corners_of_collada_are_those_of_its_nodes():
    """Of triangles and of polygons, in nodes of nodes, without lights and corners that are not finite."""
    turned = "0 -1 0 5 1 0 0 6 0 0 1 7 0 0 0 1"
    inner = (
        f"<node><matrix>2 0 0 0 0 2 0 0 0 0 2 0 0 0 0 1</matrix><node><matrix>{turned}</matrix>INSTANCE</node></node>"
    )
    instance = '<instance_geometry url="#g"/>'
    corners = meshes.CORNERS[meshes.FACES].reshape(-1, 3)
    once = corners @ np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 1]]) + (5, 6, 7)
    polygons = meshes.dae().replace(b"</p></triangles>", b"</p></polylist>").replace(b"<triangles", b"<polylist")
    for data, expected in (
        (meshes.dae(), corners),
        (meshes.dae(matrix=turned), once),
        (meshes.dae(nodes=inner.replace("INSTANCE", instance)), np.concatenate([corners, 2 * once])),
        (meshes.dae(nodes='<node><instance_light url="#none"/></node>'), corners),
        (polygons.replace(b"<p>", b"<vcount>3 3 3 3</vcount><p>"), corners),
        (meshes.dae().replace(b">0 0 0 1 ", b">1e999 0 0 1 "), corners[9:]),
    ):
        with np.errstate(invalid="ignore"):
            found = corners_of(check_collada(data, "a.dae")[0])
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)


def test_facts_of_meshes_are_those_of_what_is_read(tmp_path):
    """A box and a number of triangles; a file that is cut, has no triangle, or is of another format has no box."""
    whole = np.array([(0.0, 0, 0), (1, 2, 3)])
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 1\n"
    nan = meshes.stl(corners=np.array([(0, 0, 0), (1, 0, 0), (0, 2, 0), (0, 0, np.nan)]))
    for name, data, facts, box in (
        ("a.stl", meshes.stl(), (284, 284, 4, True, False), whole),
        ("cut.stl", meshes.stl()[:-1], (283, 284, 4, False, True), None),
        ("long.stl", meshes.stl() + b"more", (288, 284, 4, True, False), whole),
        ("none.stl", meshes.stl(faces=meshes.FACES[:0]), (84, 84, 0, False, False), None),
        ("nan.stl", nan, (284, 284, 4, True, False), None),
        ("text.stl", meshes.stl_text(), None, whole),
        ("a.dae", meshes.dae(unit="0.1"), (len(meshes.dae(unit="0.1")),) * 2 + (4, True, False), whole / 10),
        ("a.glb", meshes.glb(), (len(meshes.glb()),) * 2 + (4, True, False), whole + np.array([0, 0, 1])),
        ("a.obj", meshes.obj(), None, whole),
        ("bad.dae", meshes.dae()[:300], None, None),
        ("wrong.dae", meshes.dae().replace(b"#p", b"#gone"), None, None),
        ("pointer.dae", pointer, None, None),
        ("pointer.obj", pointer, None, None),
    ):
        path = tmp_path / name
        path.write_bytes(data)
        found = facts_of(path)
        told = found and (found.length, found.announced, found.triangles, found.complete, found.cut)
        assert told == facts, name
        for there in (found.box if found else box, box_of(path)):
            assert (there is None) == (box is None), name
            if box is not None:
                np.testing.assert_allclose(there, box, rtol=0, atol=1e-6)
        if found and box is not None:
            np.testing.assert_allclose(found.sides, np.ptp(box, axis=0), rtol=0, atol=1e-6)
    assert Facts(1, 1, None, True, 0).sides is None


def test_an_open_mesh_and_a_flat_one():
    assert not read_mesh(meshes.stl(faces=meshes.FACES[:3]), "a.stl").closed
    assert read_mesh(meshes.stl(faces=meshes.FACES[:1]), "a.stl").flat
    assert read_mesh(meshes.stl(faces=meshes.FACES[:, ::-1]), "a.stl").volume == pytest.approx(-1.0, rel=1e-6)


@each("writer", [(stl_bytes, "stl"), (msh_bytes, "msh"), (obj_bytes, "obj")])
def test_what_is_written_is_read(writer):
    mesh = read_mesh(FILES["a.dae"], "a.dae")
    again = read_mesh(writer[0](mesh), f"a.{writer[1]}")
    assert np.array_equal(again.vertices[again.triangles], mesh.vertices[mesh.triangles])


class TestCollada:
    def test_its_unit_is_applied_and_its_up_axis_is_not(self):
        mesh = read_mesh(meshes.dae(unit="0.001", up="Y_UP"), "a.dae")
        assert np.allclose(mesh.bounds[1], (0.001, 0.002, 0.003))

    def test_its_nodes_are_applied(self):
        mesh = read_mesh(meshes.dae(matrix="0 -1 0 5 1 0 0 6 0 0 1 7 0 0 0 1", unit="0.1"), "a.dae")
        assert np.allclose(mesh.bounds, [(0.3, 0.6, 0.7), (0.5, 0.7, 1.0)])

    def test_a_node_that_mirrors_does_not_turn_the_faces_inwards(self):
        mesh = read_mesh(meshes.dae(matrix="-1 0 0 0 0 1 0 0 0 0 2 0 0 0 0 1"), "a.dae")
        assert mesh.closed
        assert np.isclose(mesh.volume, 2 * 1.0)  # 1 · 2 · 3 / 6 m³, twice as high
        scene = meshes.gltf(nodes=[{"mesh": 0, "scale": [1, -1, 2]}])
        assert np.isclose(read_mesh(json.dumps(scene).encode(), "a.gltf").volume, 2 * 1.0)

    def test_a_broken_material_loses_no_triangle(self):
        """trimesh alone returns an empty scene for it."""
        assert len(read_mesh(meshes.dae(), "a.dae").triangles) == 4

    @each(
        "data, code",
        [
            (meshes.dae(more='<!DOCTYPE x [<!ENTITY a "b">]>'), "xml-doctype"),
            (meshes.dae()[:300], "xml-syntax"),
            (b"<robot/>", "mesh"),
            (meshes.dae(unit="0"), "mesh"),
            (meshes.dae(unit="wide"), "mesh"),
            (b"PK\3\4 an archive", "xml-syntax"),
        ],
    )
    def test_what_is_wrong_is_refused_with_its_file(self, data, code):
        with pytest.raises(kt.KinetreeError) as error:
            read_mesh(data, "a.dae")
        assert error.value.findings[0].code == code
        assert error.value.findings[0].source.file == "a.dae"

    def test_nodes_that_multiply_are_refused(self):
        nodes = "".join(
            f'<node id="n{i}"><instance_node url="#n{i + 1}"/><instance_node url="#n{i + 1}"/></node>'
            for i in range(40)
        )
        nodes += '<node id="n40"><instance_geometry url="#g"/></node>'
        with pytest.raises(
            kt.KinetreeError,
            match="uses 10001 geometries or more, or 1000000000 triangles; at most 10000 and 750000 are read",
        ):
            read_mesh(meshes.dae(nodes=nodes), "a.dae")
        with pytest.raises(kt.KinetreeError, match="contain each other"):
            read_mesh(meshes.dae(nodes='<node id="a"><instance_node url="#a"/></node>'), "a.dae")


class TestRefused:
    @each(
        "name, data, message",
        [
            ("a.stl", b"\0" * 80 + struct.pack("<I", 2**32 - 1) + b"x" * 50, "announces 4294967295 triangles"),
            ("a.stl", meshes.stl()[:-1], "announces 4 triangles"),
            ("a.stl", meshes.stl(faces=meshes.FACES[:0]), "has no triangles"),
            ("a.stl", b"", "it has 0 bytes"),
            ("a.stl", b"solid x\nvertex 1 2 y", "not a number"),
            ("a.stl", b"solid x\nvertex 1 2 3", "1 vertices"),
            ("a.stl", b"solid x", "has no triangles"),
            ("a.stl", meshes.stl_text(meshes.CORNERS * np.nan), "not finite"),
            ("a.stl", meshes.stl(meshes.CORNERS + np.inf), "not finite"),
            ("a.stl", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "git-lfs"),
            ("a.msh", meshes.msh()[:-1], "does not fit its length"),
            ("a.msh", struct.pack("<4i", 2**30, -(2**30), 0, 0), "does not fit its length"),
            ("a.msh", meshes.msh()[:-4] + struct.pack("<i", 9), "vertices that do not exist"),
            ("a.msh", meshes.msh()[:-4] + struct.pack("<i", -1), "vertices that do not exist"),
            ("a.obj", b"v 1 2 3\nf 1 2 3", "vertices that do not exist"),
            ("a.obj", b"v 1 a b\nf 1 2 3", "cannot be read as .obj: it is damaged"),
            ("a.dae", meshes.dae().replace(b"#p", b"#gone"), "cannot be read as .dae: it is damaged"),
            ("a.gltf", b'{"accessors": [{}]}', "its accessors, meshes or nodes are incomplete"),
            ("a.obj", b"\0\1\2", "cannot be read|triangles"),
            ("a.glb", b"glTF" + b"\xff" * 30, "not a glTF file"),
            ("a.gltf", b"[" * 100_000, "not a glTF file"),
            ("a.gltf", b"[]", "not a glTF file"),
            ("a.gltf", json.dumps(meshes.gltf(count=10**12)).encode(), "announces 1000000000012 numbers"),
            ("a.blend", b"x", "a format that is not read"),
        ],
    )
    def test_with_its_file(self, name, data, message):
        with pytest.raises(kt.KinetreeError, match=message) as error:
            read_mesh(data, name)
        assert error.value.findings[0].source.file == name
        assert "Error" not in error.value.findings[0].message  # nothing about Python

    @pytest.mark.slow
    @pytest.mark.nightly
    def test_a_mesh_that_is_used_too_often(self):
        document = meshes.gltf(nodes=[{"mesh": 0}] * 3_000_000)
        with pytest.raises(kt.KinetreeError, match="announces 48000000 numbers"):
            read_mesh(json.dumps(document).encode(), "a.gltf")

    @pytest.mark.slow
    def test_a_long_line_takes_no_long_time(self):
        for data in (b"solid " + b"vertex " + b"x" * 20_000_000, b"solid " + b"vertex 1" * 2_000_000):
            soon(5, lambda data=data: refused(data, "a.stl"))

    def test_nothing_is_opened_but_what_beside_gives(self, monkeypatch):
        data = json.dumps(meshes.gltf("../../secret.bin")).encode()
        asked = []
        with pytest.raises(kt.KinetreeError):
            read_mesh(data, "a.gltf", lambda name: asked.append(name))
        assert asked == ["../../secret.bin"]
        assert len(read_mesh(data, "a.gltf", lambda name: meshes.gltf_buffer()).triangles) == 4


def test_facts_of_a_large_file_are_those_of_a_sample(tmp_path):
    from kinetree.rules.shapes.mesh_facts import SAMPLE, facts_of

    path = tmp_path / "a.stl"
    path.write_bytes(meshes.stl())
    facts = facts_of(path)
    assert (facts.length, facts.announced, facts.cut, facts.complete) == (284, 284, False, True)
    assert np.array_equal(facts.sides, (1, 2, 3))
    corners = np.concatenate([meshes.CORNERS, meshes.CORNERS + 5])
    faces = np.concatenate([meshes.FACES, np.repeat(meshes.FACES[:1], SAMPLE, axis=0), meshes.FACES + 4])
    path.write_bytes(meshes.stl(corners, faces))
    facts = facts_of(path)
    assert not facts.complete
    assert np.array_equal(facts.sides, (6, 7, 8))  # of the first and the last triangles
    path.write_bytes(path.read_bytes()[:-1])
    assert facts_of(path).cut
    path.write_bytes(meshes.stl_text())
    assert facts_of(path) is None


def test_bounds_are_those_of_the_triangles():
    points = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (9, 9, 9), (-9, 0, 0)], dtype=float)
    assert Mesh(points, np.array([(0, 1, 2)])).bounds.tolist() == [[0, 0, 0], [1, 1, 0]]


NODE = '<node><instance_geometry url="#g"/></node>'
SPACE = b"v 0 0 0\nv 1 0 0\nv 0 1 0\n"


def refused(data: bytes, file: str) -> None:
    with pytest.raises(kt.KinetreeError):
        read_mesh(data, file)


def memory_of(data: bytes, file: str) -> float:
    """Return the MB at most that reading a mesh takes, by Python's own allocations."""
    tracemalloc.start()
    with contextlib.suppress(kt.KinetreeError):
        read_mesh(data, file)
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return peak


class TestCosts:
    """Reading grows with the bytes of a file, and what would take more than is promised is refused."""

    @pytest.mark.slow
    @each(
        "file, data",
        [
            ("polygons.obj", SPACE + (b"f " + b"1 2 3 " * 300 + b"\n") * 300),
            ("triangles.obj", SPACE + b"f 1 2 3\n" * 60_000),
            ("mixed.obj", SPACE + b"f 1/1 2/2 3/3\nf 1 2 3 1\n" * 20_000),
            ("vertices.obj", SPACE + b"f 1 2 3\n" + b"v 0 0 0\n" * 60_000),
            ("groups.obj", SPACE + b"g a\nusemtl a\nf 1 2 3\n" * 25_000),
            ("lines.obj", SPACE + b"f 1 2 3\n" + b"\n" * 500_000),
            ("text.stl", b"solid a\n" + b"vertex 0 0 0\n" * 40_000),
            ("binary.stl", meshes.stl(faces=meshes.FACES[[0] * 10_000])),
        ],
    )
    def test_half_a_megabyte_is_cheap(self, file, data):
        assert soon(0.5, lambda: memory_of(data, file)) < 45  # 64 MB may take 768 and 10 s

    @pytest.mark.slow
    @each(
        "file, data, message",
        [
            ("a.obj", SPACE + b"f " + b"1 2 3 " * 200_000, "has a line of more than 1000000 bytes"),
            (
                "a.obj",
                SPACE + (b"f " + b"1 2 3 " * 100_000 + b"\n") * 17,
                "has more than 5000000 vertices, or as many tri",
            ),
            (
                "a.dae",
                meshes.dae().replace(b"<p>", b"<p>" + b"0 1 2 " * 1_000_000),
                "or 1000004 triangles; at most 10000 and 750000",
            ),
            (
                "a.dae",
                meshes.dae()
                .replace(b"triangles", b"polylist")
                .replace(b"<p>", b"<vcount>" + b"900 " * 1200 + b"</vcount><p>" + b"0 1 2 " * 360_000),
                "or 1077612 triangles",
            ),
            ("a.dae", meshes.dae(nodes=NODE * 300).replace(b"<p>", b"<p>" + b"0 1 2 " * 4_000), "or 1205204 tri"),
        ],
    )
    def test_more_is_refused(self, file, data, message):
        with pytest.raises(kt.KinetreeError, match=message):
            read_mesh(data, file)

    def test_polygons_are_fans_and_lines_go_on(self):
        data = (
            b"# c\r\n\tv 0 0 0 1\r\nv  1\t0 0\r\n  v 0 1 0 0.5 0.5 0.5\r\nv 0 0 1\n"
            b"f 1//1 \\\n 2//2 -2// -1\ng\nf 1 2\nf 2 3 4"
        )
        mesh = read_mesh(data, "a.obj")
        assert mesh.vertices.tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
        assert mesh.triangles.tolist() == [[0, 1, 2], [0, 2, 3], [1, 2, 3]]

    @each(
        "face", [b"f 1 2 0", b"f 1 2 x", b"f 1 2 1e3", b"f 1 2 99999999999999999999", b"f 1 2 4", b"f 1 2 -4", b"v 1 2"]
    )
    def test_a_number_that_is_none_is_refused(self, face):
        with pytest.raises(kt.KinetreeError, match=r"damaged; expected numbers|vertices that do not exist"):
            read_mesh(SPACE + face + b"\n", "a.obj")

    @pytest.mark.slow
    def test_blocks_end_where_lines_do(self):
        """Negative numbers count back from their own line, also in the next block."""
        data = (
            b"v 0 0 0\n" * 200_000
            + b"v 1 0 0\nv 0 1 0\nv 0 0 1\nf -1 -2 -3\n"
            + b"#" * 900_000
            + b"\nv 9 9 9\nf -1 -2 1"
        )
        assert read_mesh(data, "a.obj").triangles.tolist() == [[200_002, 200_001, 200_000], [200_003, 200_002, 0]]


def test_files_beside_a_mesh_are_in_its_folder_or_below(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.png").touch()
    (tmp_path / "b.png").touch()
    path, files = tmp_path / "sub" / "m.dae", Files({})
    assert beside(path, "a.png", files) == tmp_path / "sub" / "a.png"
    assert beside(path, "../b.png", files) == tmp_path / "b.png"
    for reference in ("none.png", "file://a.png", str(tmp_path / "b.png"), "..\\b.png", "."):
        assert beside(path, reference, files) is None, reference
    confined = Files({}, Confinement((str(tmp_path / "sub"),)))
    assert beside(path, "a.png", confined) == tmp_path / "sub" / "a.png"
    assert beside(path, "../b.png", confined) is None


@each("scale", [(0.5, 0.5, 0.5), (-0.5, 0.5, 0.5), (2.0, 1.0, 1.0), (1.0, -1.0, -1.0)])
def test_faces_turn_outwards_whatever_the_scale_of_a_part(scale):
    x, y, z = scale
    mesh = read_mesh(meshes.dae(matrix=f"{x} 0 0 1 0 {y} 0 0 0 0 {z} 0 0 0 0 1"), "a.dae")
    assert mesh.volume == pytest.approx(abs(x * y * z), rel=1e-6)
