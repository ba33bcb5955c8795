"""Boxes around shapes, and how much of a mesh is read for them."""

import numpy as np

import kinetree as kt
from kinetree.rules.facts import Subject
from kinetree.rules.shapes import bounds
from kinetree.rules.shapes.mesh_facts import box_of
from kinetree.shapes.mesh import Mesh
from kinetree.shapes.stl import stl_bytes

MODEL = """<robot name="r"><link name="a"><visual><origin xyz="0 0 {z}"/><geometry>
<mesh filename="tall.stl" scale="2 2 2"/></geometry></visual><inertial><mass value="1"/>
<inertia ixx="{i}" ixy="0" ixz="0" iyy="{i}" iyz="0" izz="{i}"/></inertial></link></robot>"""


def load(folder, moment: float = 0.5, z: float = 0.0) -> kt.Robot:
    """A robot with a mesh of 1000 triangles of 0.1 m, of which one, not in the sample, is 1 m high."""
    points = np.tile([[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0]], (1000, 1)).astype(float)
    points[750] = 0, 0, 1
    mesh = Mesh(points, np.arange(3000).reshape(-1, 3))
    (folder / "tall.stl").write_bytes(stl_bytes(mesh))
    (folder / "r.urdf").write_text(MODEL.format(i=moment, z=z))
    return kt.load(folder / "r.urdf")


def test_a_sample_is_a_part_of_the_whole(tmp_path):
    robot = load(tmp_path, z=0.5)
    boxes = Subject(robot).facts(lambda bounds: None)["bounds"]
    shapes = robot.links["a"].visuals
    assert np.allclose(boxes.part(shapes), [[0, 0, 0.5], [0.2, 0.2, 0.5]])
    assert np.allclose(boxes.whole(shapes), [[0, 0, 0.5], [0.2, 0.2, 2.5]])
    assert np.allclose(boxes.whole_body("a"), [[0, 0, 0.5], [0.2, 0.2, 2.5]])


def test_a_file_that_is_not_there_or_too_large_has_no_box(tmp_path):
    boxes = Subject(load(tmp_path)).facts(lambda bounds: None)["bounds"]
    file = str(tmp_path / "tall.stl")
    assert boxes._whole_file(file).tolist() == [[0, 0, 0], [np.float32(0.1), np.float32(0.1), 1]]
    assert boxes._whole_file(str(tmp_path / "none.stl")) is None
    (tmp_path / "a.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    size = (tmp_path / "a.obj").stat().st_size
    assert box_of(tmp_path / "a.obj", size).tolist() == [[0, 0, 0], [1, 1, 0]]
    assert box_of(tmp_path / "a.obj", size - 1) is None


def test_a_mesh_is_read_whole_only_if_a_part_of_it_is_too_small(tmp_path, monkeypatch):
    read = []
    box_of = bounds.box_of
    monkeypatch.setattr(bounds, "box_of", lambda path, most: read.append(path) or box_of(path, most))
    assert not kt.check(load(tmp_path, 0.1), select=("INR-009",))
    assert not read
    assert not kt.check(load(tmp_path, 0.5), select=("INR-009",))
    assert len(read) == 1
