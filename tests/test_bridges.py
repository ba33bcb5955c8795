"""Bodies and maps of the bridges without a library, scenes of trimesh, and errors."""

from __future__ import annotations

import sys
from importlib import import_module

import numpy as np
import pytest

import kinetree as kt
from kinetree.bridges.bodies import along_coordinates, bodies_of
from kinetree.bridges.maps import SAME, Chart, Place, maps_of
from kinetree.bridges.trimesh import export
from kinetree.model.joints import JOINT_TYPES
from physics import everything
from support import all_frames, icub_urdfs, random_q

LIKE_HERE = Chart(lambda q: q, lambda q: q)
"""Of joints of several numbers."""


@pytest.mark.parametrize("turned", [(), ("revolute", "prismatic")])
def test_bodies_move_as_the_robot_does(turned):
    robot, q = everything(), random_q(everything(), np.random.default_rng(0))
    bodies, frames = along_coordinates(*bodies_of(robot, "nobody", JOINT_TYPES), turned)
    kinds = [JOINT_TYPES[body.kind] for body in bodies]
    at, v = (np.cumsum([0, *(getattr(kind, n) for kind in kinds)]) for n in ("nq", "nv"))
    places = [
        Place(body, SAME if kinds[i].nq == 1 else LIKE_HERE, slice(at[i], at[i + 1]), slice(v[i], v[i + 1]))
        for i, body in enumerate(bodies)
    ]
    maps = maps_of(robot, places, dict.fromkeys(frames))
    there = maps.q(q)
    T = {-1: np.eye(4)}
    for i, (body, kind) in enumerate(zip(bodies, kinds, strict=True)):
        assert body.kind not in turned or np.count_nonzero(body.axis) == 1
        T[i] = T[body.parent] @ body.T @ kind.transform(body.axis[None], body.pitch, there[places[i].q])
    for name, expected in all_frames(robot, q).items():
        body, T_body_frame = frames[name]
        np.testing.assert_allclose(T[body] @ T_body_frame, expected, rtol=0, atol=1e-13)
    np.testing.assert_array_equal(maps.q_back(there), q)
    single = [place for place in places if place.chart is SAME]
    for place in single:  # dq there / dq here is a row of G
        rates = [maps.q(q + 0.5 * e)[place.q] - maps.q(q - 0.5 * e)[place.q] for e in np.eye(robot.nq)]
        assert maps.G()[place.v, place.body.v].item() == pytest.approx(rates[place.body.q.start].item(), abs=1e-14)
    np.testing.assert_array_equal(maps.v_back(maps.v(np.arange(robot.nv))), np.arange(robot.nv))


def test_a_scene_has_the_meshes_of_the_links_in_their_places():
    trimesh = pytest.importorskip("trimesh")
    path = next(path for path in icub_urdfs() if path.parent.name == "iCubGazeboV2_7")
    robot = kt.load(path)
    q = random_q(robot, np.random.default_rng(7))
    scene, _ = export(robot, q)
    T = all_frames(robot, q)
    drawn = [link for link in robot.links.values() if link.visuals]
    assert len(scene.geometry) == sum(len(link.visuals) for link in drawn) > 30
    for link in drawn[::8]:
        shape, origin = link.visuals[0].shape, link.visuals[0].origin
        folder = path.parents[2].parent
        mesh = trimesh.load_mesh(folder / str(shape.parameters["filename"]).removeprefix("package://"))
        mesh.apply_scale(shape.parameters["scale"]).apply_transform(T[link.name] @ origin)
        pose, name = scene.graph.get(f"{link.name}_visual")
        there = scene.geometry[name].copy().apply_transform(pose)
        np.testing.assert_allclose(there.bounds, mesh.bounds, rtol=0, atol=1e-9)


def test_a_mesh_that_is_missing_is_named():
    visual = '<visual><geometry><mesh filename="gone.stl"/></geometry></visual>'
    text = f'<robot name="r"><link name="a">{visual}</link></robot>'
    with pytest.warns(UserWarning, match=r"link 'a': the mesh 'gone.stl' is not shown"):
        export(kt.load(text, format="urdf"))
    with pytest.raises(kt.KinetreeError, match="q"):
        export(kt.load("icub"), np.zeros((2, 35)))


def test_a_library_that_is_missing_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "casadi", None)
    monkeypatch.delitem(sys.modules, "kinetree.bridges.casadi", raising=False)
    with pytest.raises(
        kt.KinetreeError, match=r"needs casadi, which is not installed.*\s+fix: pip install 'kinetree\[casadi\]'"
    ):
        import_module("kinetree.bridges.casadi")
