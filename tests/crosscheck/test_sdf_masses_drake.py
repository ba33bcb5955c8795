"""Masses that SDF has by the shapes, against Drake, which reads it with libsdformat."""

from __future__ import annotations

import logging

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import kinetree as kt

pytestmark = pytest.mark.crosscheck

BOX = "<box><size>1 2 3</size></box>"
CYLINDER = "<cylinder><radius>0.5</radius><length>2</length></cylinder>"
SHAPES = {
    "box": BOX,
    "sphere": "<sphere><radius>0.7</radius></sphere>",
    "cylinder": CYLINDER,
    "capsule": "<capsule><radius>0.4</radius><length>1.5</length></capsule>",
    "ellipsoid": "<ellipsoid><radii>1 2 3</radii></ellipsoid>",
    "cone": "<cone><radius>0.5</radius><length>2</length></cone>",
    "defaults": "<box/>",
}


def plant(text):
    logging.getLogger("drake").setLevel(logging.CRITICAL)
    made = pytest.importorskip("pydrake.multibody.plant").MultibodyPlant(0.0)
    pytest.importorskip("pydrake.multibody.parsing").Parser(made).AddModelsFromString(text, "sdf")
    made.Finalize()
    return made


def collision(name, shape, density="", pose="0.1 -0.2 0.3 0.4 0.5 0.6"):
    return f'<collision name="{name}"><pose>{pose}</pose>{density}<geometry>{shape}</geometry></collision>'


@pytest.mark.parametrize("mass", ["", "<mass>3</mass>"])
@pytest.mark.parametrize("density", ["", "<density>7</density>"])
@pytest.mark.parametrize("shape", SHAPES)
def test_computed_inertias(shape, density, mass):
    two = collision("one", SHAPES[shape]) + collision("two", CYLINDER, "<density>2700</density>", "-1 1 0 0 1 0")
    inertial = f'<inertial auto="true">{mass}{density}</inertial>'
    text = f'<sdf version="1.11"><model name="m"><link name="a">{inertial}{two}</link></model></sdf>'
    ours = kt.load(text, format="sdf").links["a"].inertial
    theirs = plant(text).GetBodyByName("a").default_spatial_inertia()
    p = ours.origin[:3, 3]
    about_link = ours.inertia + ours.mass * (p @ p * np.eye(3) - np.outer(p, p))
    assert ours.mass == pytest.approx(theirs.get_mass(), rel=1e-13)
    assert np.abs(p - theirs.get_com()).max() < 1e-14
    expected = theirs.CalcRotationalInertia().CopyToFullMatrix3()
    assert np.abs(about_link - expected).max() < 1e-13 * np.abs(expected).max()


@pytest.mark.parametrize("scale", ["1 1 1", "2 0.3 1", "-1 1 1"])
@pytest.mark.parametrize("seed", range(3))
def test_computed_inertias_of_meshes(seed, scale, tmp_path):
    """Of convex polyhedra away from the origin, beside a box."""
    points = np.random.default_rng(seed).normal((1, 2, 3), size=(30, 3))
    hull = ConvexHull(points)
    corners = points[hull.simplices]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inwards = (across * hull.equations[:, :3]).sum(axis=1) < 0
    faces = np.where(inwards[:, None], hull.simplices[:, ::-1], hull.simplices) + 1
    rows = [*(f"v {x!r} {y!r} {z!r}" for x, y, z in points.tolist()), *(f"f {a} {b} {c}" for a, b, c in faces)]
    (tmp_path / "a.obj").write_text("\n".join(rows))
    mesh = f"<mesh><uri>{tmp_path / 'a.obj'}</uri><scale>{scale}</scale></mesh>"
    text = '<sdf version="1.11"><model name="m"><link name="a"><inertial auto="true"/>{}</link></model></sdf>'
    file = tmp_path / "m.sdf"
    two = text.format(collision("one", mesh, "<density>500</density>") + collision("two", BOX, "", "-1 1 0 0 1 0"))
    file.write_text(two)
    ours = kt.load(file).links["a"].inertial
    theirs = plant(two).GetBodyByName("a").default_spatial_inertia()
    assert ours.mass == pytest.approx(theirs.get_mass(), rel=1e-9)
    assert np.abs(ours.origin[:3, 3] - theirs.get_com()).max() < 1e-9
    file.write_text(text.format(collision("one", mesh, pose="0 0 0 0 0 0")))
    ours = kt.load(file).links["a"].inertial
    p = ours.origin[:3, 3]
    about_link = ours.inertia + ours.mass * (p @ p * np.eye(3) - np.outer(p, p))
    # of the body of a plant, Drake 1.51 adds the second term twice
    shape = pytest.importorskip("pydrake.geometry").Mesh(str(tmp_path / "a.obj"), [float(x) for x in scale.split()])
    made = pytest.importorskip("pydrake.multibody.tree").CalcSpatialInertia(shape, 1000.0)
    expected = made.CalcRotationalInertia().CopyToFullMatrix3()
    assert np.abs(about_link - expected).max() < 1e-9 * np.abs(expected).max()
