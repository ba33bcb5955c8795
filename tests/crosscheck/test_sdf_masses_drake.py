"""Masses that SDF has by the shapes, against Drake, which reads it with libsdformat."""

from __future__ import annotations

import logging

import numpy as np
import pytest

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
