"""Robots whose meshes are points in their own file, as USD has them."""

import numpy as np
import pytest

import kinetree as kt
import mesh_files as meshes
from kinetree.shapes.points import with_points

SHAPE = '<visual><geometry><mesh filename="{}"{}/></geometry></visual>'
BALL = '<collision><geometry><sphere radius="1"/></geometry></collision>'


def robot(folder, *shapes: str) -> kt.Robot:
    (folder / "tet.stl").write_bytes(meshes.stl())
    (folder / "r.urdf").write_text(f'<robot name="r"><link name="a">{"".join(shapes)}{BALL}</link></robot>')
    return kt.load(folder / "r.urdf")


def numbers(text: str, name: str) -> np.ndarray:
    return np.array(text.partition(f'{name}="')[2].partition('"')[0].split(), float).reshape(-1, 3)


def test_each_file_is_there_once_for_equal_scales(tmp_path):
    scales = ["", ' scale="1 1 1"', ' scale="2 1 -1"']
    made = with_points(robot(tmp_path, *(SHAPE.format("tet.stl", scale) for scale in scales)))
    names = [shape.shape.parameters["mesh"] for shape in made.links["a"].visuals]
    assert names == ["tet_0", "tet_0", "tet_1"]
    assert {shape.shape.kind for shape in made.links["a"].visuals} == {"inline_mesh"}
    assert [shape.shape.kind for shape in made.links["a"].collisions] == ["sphere"]
    own, mirrored = (one.text for one in made.extensions)
    assert [(one.format, one.tag) for one in made.extensions] == [("mjcf", "asset")] * 2
    assert own.startswith('<asset><mesh name="tet_0"')
    points = numbers(own, "vertex")
    assert (points.min(axis=0).tolist(), points.max(axis=0).tolist()) == ([0, 0, 0], [1, 2, 3])
    assert np.array_equal(numbers(mirrored, "vertex"), points * [2, 1, -1])
    assert np.array_equal(numbers(mirrored, "face"), numbers(own, "face")[:, ::-1])  # and still turn outwards


def test_without_meshes_the_robot_stays(tmp_path):
    balls = robot(tmp_path)
    assert with_points(balls) is balls
    gone = robot(tmp_path, SHAPE.format("none.stl", ""))
    assert with_points(gone, without=("geometry",)) is gone


def test_every_mesh_that_cannot_be_read_is_said(tmp_path):
    (tmp_path / "bad.stl").write_bytes(b"")
    shapes = [SHAPE.format(name, "") for name in ("none.stl", "tet.stl", "bad.stl", "none.stl")]
    with pytest.raises(kt.KinetreeError) as caught:
        with_points(robot(tmp_path, *shapes))
    none, bad = caught.value.findings
    assert "none.stl" in str(none)
    assert "bad.stl" in str(bad)
