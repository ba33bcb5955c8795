"""Every URDF of example-robot-data and icub-models whose meshes are there, as MJCF in MuJoCo and as SDF in Drake: as
many shapes, of the same size at the same place, and the same robot when it is read again."""

import logging
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import kinetree as kt
from kinetree.model.robot import Geometry, Robot
from kinetree.shapes import Mesh, read_mesh
from kinetree.shapes.resolve import files_of, path_of
from support import REFUSED, example_robot_urdfs, frames_differ_by, icub_urdfs, random_q, sample

pytestmark = pytest.mark.crosscheck

LOST = {"romeo_laas_small.urdf", "talos_full_v2.urdf", "talos_full_v2_box.urdf"}
"""Files whose meshes are not there: on the disk of their maker, and in package:///example-robot-data, which is none."""


def urdfs() -> list[Path]:
    paths = (*example_robot_urdfs(), *icub_urdfs())
    return sample([path for path in paths if path.name not in {*REFUSED, *LOST}], 8)


def saved(robot: Robot, path: Path) -> Robot:
    """The robot of the file, saved without any option and loaded again."""
    kt.save(robot, path)
    return kt.load(path)


@cache
def mesh(path: Path) -> Mesh:
    return read_mesh(path.read_bytes(), str(path))


def box(robot: Robot, geometry: Geometry) -> np.ndarray | None:
    """The corners (2, 3) of a mesh in the frame of its link, None for another shape."""
    if geometry.shape.kind != "mesh":
        return None
    parameters = geometry.shape.parameters
    shape = mesh(path_of(robot, str(parameters["filename"]), geometry.source, files_of(robot)))
    points = shape.vertices[np.unique(shape.triangles)] * np.asarray(parameters["scale"])
    points = points @ geometry.origin[:3, :3].T + geometry.origin[:3, 3]
    return np.array((points.min(axis=0), points.max(axis=0)))


def same(robot: Robot, again: Robot) -> None:
    rng = np.random.default_rng(1)
    again = again.order(robot.joint_names)
    assert max(frames_differ_by(robot, again, random_q(robot, rng)) for _ in range(3)) < 1e-12
    for link in robot.links.values():
        other = again.links[link.name]
        assert [g.shape.kind for g in other.visuals] == [g.shape.kind for g in link.visuals], link.name
        assert sorted(g.shape.kind for g in other.collisions) == sorted(g.shape.kind for g in link.collisions)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("path", urdfs(), ids=lambda path: f"{path.parent.parent.name}-{path.parent.name}-{path.stem}")
def test_mjcf_in_mujoco(path, tmp_path):
    mujoco = pytest.importorskip("mujoco")
    robot = kt.load(path)
    again = saved(robot, tmp_path / "robot.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "robot.xml"))
    shapes = sum(len(link.visuals) + len(link.collisions) for link in robot.links.values())
    seen, felt = model.geom_group < 3, model.geom_contype != 0
    assert int(seen.sum() + felt.sum()) == shapes  # a shape that is seen and felt is one geom
    for link in robot.links.values():
        body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, link.name)
        mass = again.links[link.name].inertial.mass if again.links[link.name].inertial else 0.0
        assert model.body_mass[body] == pytest.approx(mass, abs=1e-5)  # shapes weigh nothing
        numbers = range(model.body_geomadr[body], model.body_geomadr[body] + model.body_geomnum[body])
        for role, geometries in ((seen, link.visuals), (felt, link.collisions)):
            boxes = [geom_box(mujoco, model, i) for i in numbers if role[i] and model.geom_type[i] == 7]
            wanted = [bounds for geometry in geometries if (bounds := box(robot, geometry)) is not None]
            assert len(boxes) == len(wanted)
            for bounds in wanted:
                assert min(np.abs(bounds - other).max() for other in boxes) < 1e-4
    same(robot, again)


def geom_box(mujoco, model, geom: int) -> np.ndarray:
    """The corners (2, 3) of a mesh in the frame of its body, from MuJoCo's vertices about their own centre."""
    data = model.geom_dataid[geom]
    start = model.mesh_vertadr[data]
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, model.geom_quat[geom])
    points = model.mesh_vert[start : start + model.mesh_vertnum[data]] @ R.reshape(3, 3).T + model.geom_pos[geom]
    return np.array((points.min(axis=0), points.max(axis=0)))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("path", urdfs(), ids=lambda path: f"{path.parent.parent.name}-{path.parent.name}-{path.stem}")
def test_sdf_in_drake(path, tmp_path):
    pytest.importorskip("pydrake")
    from pydrake.geometry import Role
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
    from pydrake.systems.framework import DiagramBuilder

    logging.getLogger("drake").setLevel(logging.ERROR)
    robot = kt.load(path)
    again = saved(robot, tmp_path / "robot.sdf")
    builder = DiagramBuilder()
    plant, scene = AddMultibodyPlantSceneGraph(builder, 0.0)
    (model,) = Parser(plant).AddModels(str(tmp_path / "robot.sdf"))
    inspector = scene.model_inspector()
    for link in robot.links.values():
        if link.name != "world" and not plant.HasBodyNamed(link.name, model):  # a link that is only a frame
            assert plant.HasFrameNamed(link.name, model)
            assert (link.visuals, link.collisions) == ((), ())
            assert link.inertial is None or link.inertial.mass == 0
            continue
        body = plant.world_body() if link.name == "world" else plant.GetBodyByName(link.name, model)
        frame = plant.GetBodyFrameIdOrThrow(body.index())
        assert inspector.NumGeometriesForFrameWithRole(frame, Role.kIllustration) == len(link.visuals)
        assert inspector.NumGeometriesForFrameWithRole(frame, Role.kProximity) == len(link.collisions)
        boxes = [drake_box(inspector, g) for g in inspector.GetGeometries(frame, Role.kProximity)]
        for geometry in link.collisions:
            if (bounds := box(robot, geometry)) is not None:
                assert min(np.abs(bounds - other).max() for other in boxes if other is not None) < 1e-4
    same(robot, again)


def drake_box(inspector, geometry) -> np.ndarray | None:
    """The corners (2, 3) of Drake's convex hull of a mesh in the frame of its link, None for another shape."""
    hull = inspector.GetConvexHull(geometry)
    if hull is None:
        return None
    points = np.array([hull.vertex(i) for i in range(hull.num_vertices())])
    X = inspector.GetPoseInFrame(geometry)
    points = points @ X.rotation().matrix().T + X.translation()
    return np.array((points.min(axis=0), points.max(axis=0)))
