"""The shapes of the built-in iCub, written as URDF and as MJCF, where other programs see them."""

import shutil
import subprocess

import numpy as np
import pytest

import kinetree as kt
from support import all_frames, random_q

pytestmark = pytest.mark.crosscheck


@pytest.fixture(scope="module")
def icub():
    return kt.load("icub")


def centres(robot, q):
    """(kind, radius, centre in the root's axes) of every shape."""
    frames = all_frames(robot, q)
    return sorted(
        (geometry.shape.kind, geometry.shape.parameters["radius"], *(frames[link.name] @ geometry.origin)[:3, 3])
        for link in robot.links.values()
        for geometry in link.visuals
    )


def test_pinocchio_sees_every_shape_in_its_place(icub, tmp_path):
    pin = pytest.importorskip("pinocchio")
    kt.save(icub, tmp_path / "icub.urdf")
    model = pin.buildModelFromUrdf(str(tmp_path / "icub.urdf"))
    shapes = pin.buildGeomFromUrdf(model, str(tmp_path / "icub.urdf"), pin.GeometryType.VISUAL)
    q = random_q(icub, np.random.default_rng(0))
    there = pin.neutral(model)
    for name, value in zip(icub.joint_names, q, strict=True):
        there[model.joints[model.getJointId(name)].idx_q] = value
    data, places = model.createData(), shapes.createData()
    pin.updateGeometryPlacements(model, data, shapes, places, there)
    theirs = sorted(
        (type(shape.geometry).__name__.lower(), shape.geometry.radius, *place.translation)
        for shape, place in zip(shapes.geometryObjects, places.oMg, strict=True)
    )
    ours = centres(icub, q)
    assert len(ours) == len(theirs) == sum(len(link.visuals) for link in icub.links.values())
    assert [row[0] for row in ours] == [row[0] for row in theirs]
    assert np.allclose([row[1:] for row in ours], [row[1:] for row in theirs], rtol=0, atol=1e-9)


def test_mujoco_sees_every_shape(icub, tmp_path):
    mujoco = pytest.importorskip("mujoco")
    kt.save(icub, tmp_path / "icub.xml", without=("group", "coupled_limit"))
    text = (tmp_path / "icub.xml").read_text()
    assert text.count("<geom") == sum(len(link.visuals) for link in icub.links.values())
    assert mujoco.MjSpec.from_string(text).geoms


def test_check_urdf_has_no_complaint(icub, tmp_path):
    program = shutil.which("check_urdf")
    if program is None:
        pytest.skip("check_urdf is not installed")
    kt.save(icub, tmp_path / "icub.urdf")
    answer = subprocess.run([program, tmp_path / "icub.urdf"], capture_output=True, text=True, check=True)
    assert "Error" not in answer.stderr + answer.stdout
