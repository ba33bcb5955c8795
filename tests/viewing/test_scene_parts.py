"""Parts of the scene of the page by themselves: roles, shapes, maps, and how two robots differ."""

from dataclasses import replace

import numpy as np
import pytest

import kinetree as kt
from kinetree.lab.reach.grid import Grid, sphere
from kinetree.lab.reach.map import ReachMap
from kinetree.model.assemble import build, parts_of
from kinetree.model.edit.frames import add_frame
from kinetree.viewing.scene import PosedRobot, roles as module, scene
from kinetree.viewing.scene.comparison import _equal_inertia, _parts, _shape
from kinetree.viewing.scene.roles import roles_of
from kinetree.viewing.scene.shapes import Shapes
from kinetree.viewing.voxels import described_reach

BALL = kt.load(
    '<robot name="r"><link name="base"><visual><geometry><sphere radius="0.5"/></geometry></visual></link></robot>',
    format="urdf",
)


def test_roles_of_an_icub():
    roles = roles_of(kt.load("icub"))
    assert roles["l_hand_dh_frame"] == "skin"
    assert roles["imu_frame"] == "sensor"
    assert "torso_dh_0" not in roles


def test_frames_of_an_icub_are_of_sensors_by_their_names(monkeypatch):
    monkeypatch.setattr(module, "is_icub", lambda robot: True)
    robot = BALL
    for name in ("left_imu_1", "imu", "imulike", "other"):
        robot = add_frame(robot, name, "base", np.eye(4))
    assert roles_of(robot).get("left_imu_1") == roles_of(robot).get("imu") == "sensor"
    assert not {"imulike", "other"} & {name for name, role in roles_of(robot).items() if role == "sensor"}


def test_shapes_without_a_kind_or_size_that_is_known_are_warnings():
    (visual,) = BALL.links["base"].visuals
    for shape in (replace(visual.shape, kind="cone"), replace(visual.shape, parameters={})):
        parts = parts_of(BALL)
        parts.links = [replace(parts.links[0], visuals=(replace(visual, shape=shape),))]
        made = scene([PosedRobot(build(parts))])
        assert made.content["robots"][0]["links"][0]["visuals"] == []
        (finding,) = made.findings
        assert finding.message == f"a shape of kind {shape.kind!r} is not shown"
        assert (finding.code, finding.element) == ("shape-not-shown", "link 'base'")


def test_half_sizes_of_shapes():
    shapes = Shapes(BALL, None)
    for kind, values, half in (
        ("plane", [0, 0, 1, 5, 5], [0, 0, 0]),
        ("box", [1, 2, 3], [0.5, 1, 1.5]),
        ("ellipsoid", [1, 2, 3], [1, 2, 3]),
        ("sphere", [2], [2, 2, 2]),
        ("cylinder", [0.5, 3], [0.5, 0.5, 1.5]),
        ("capsule", [0.5, 3], [0.5, 0.5, 2]),
    ):
        assert shapes._bounds({"kind": kind, "values": values}).tolist() == [[-x for x in half], half]


def test_a_map_stands_where_its_base_is():
    robot, q = kt.chain("Rz(q1) Ry(q2) tx(0.4)"), np.array([2.0, 0.5])
    base, tip = robot.joints["q1"].child, robot.joints["q2"].child
    grid = Grid(np.array([1.0, 2.0, 3.0]), 0.5, (2, 1, 1), (False,) * 3, sphere(2), 2, None)
    bits = np.packbits(np.array([[[[1, 0, 0, 0]]], [[[1, 1, 1, 1]]]], dtype=bool), axis=-1)
    reach = ReachMap(robot.name, tip, base, grid, bits, np.ones((2, 1, 1)), np.ones((2, 1, 1)), {})
    expected = described_reach(reach, kt.fk(robot, base)(q))
    assert scene([PosedRobot(robot, q)], reach=reach).content["reach"] == expected
    assert expected != described_reach(reach, kt.fk(robot, base)(0 * q))
    with pytest.raises(kt.KinetreeError, match="has no frame 'elsewhere'"):
        scene([PosedRobot(robot)], reach=replace(reach, frame="elsewhere"))


def test_how_a_shape_differs():
    T, there = np.eye(4), np.eye(4) + 0.5 * np.eye(4, k=3)
    box = {"kind": "box", "values": [1, 2, 3], "T": T.ravel(), "rgba": [0.5, 0.5, 0.5, 1]}
    mesh = {"kind": "mesh", "mesh": 0, "scale": [1, 1, 1], "T": T.ravel(), "rgba": [0.5, 0.5, 0.5, 1]}
    for x, y, said in (
        (box, box, ""),
        (box, mesh, "is a box, in the second robot a mesh"),
        (mesh, mesh | {"mesh": 1}, "is another mesh"),
        (mesh, mesh | {"scale": [1, 1, 2]}, "is scaled by 1 x 1 x 1, in the second robot 1 x 1 x 2"),
        (box, box | {"values": [1, 2, 4]}, "measures 1 x 2 x 3, in the second robot 1 x 2 x 4"),
        (box, box | {"T": there.ravel()}, "is 0.5 m away"),
        (box, box | {"rgba": [0.5, 0.5, 0.75, 1]}, "has another colour"),
        (mesh, mesh | {"mesh": 1, "T": there.ravel()}, "is another mesh and is 0.5 m away"),
    ):
        assert _shape(x, y, 1e-6) == said


def test_a_limit_of_several_joints_names_each_once():
    robot = scene([PosedRobot(kt.chain("Rz(q1) tx(0.4) Rz(q2) tx(0.3)"))]).content["robots"][0]
    robot["limits"]["rows"] = [{"name": "both", "terms": [(1, 1.0), (0, -1.0), (1, 2.0)]}]
    parts = _parts(robot)["limit 'both'"]
    assert [(part["kind"], robot["joints"][part["index"]]["name"]) for part in parts] == [
        ("joint", "q2"),
        ("joint", "q1"),
    ]


def test_a_link_without_inertia_equals_its_like_alone():
    one = {"mass": 1.0, "T": np.eye(4), "radii": None}
    assert _equal_inertia(None, None)
    assert not _equal_inertia(one, None)
    assert _equal_inertia(one, dict(one))
    for other in ({"mass": 1.1}, {"radii": [0.1, 0.2, 0.3]}, {"T": np.eye(4) + np.eye(4, k=3)}):
        assert not _equal_inertia(one, one | other)
