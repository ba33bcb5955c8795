"""Gravity torques of the built-in iCub with the masses of a model, against Pinocchio on that model."""

from __future__ import annotations

import numpy as np
import pytest

import kinetree as kt
from pinocchio_robot import PinocchioRobot
from support import icub_urdfs

pytestmark = pytest.mark.crosscheck

LIMBS = ("shoulder", "elbow", "wrist", "hip", "knee", "ankle")


@pytest.mark.parametrize(
    ("version", "name", "most"),
    [
        ("1.0", "iCubLisboa01", 2e-4),  # the tables are those of the model, but for the neck
        ("2.0", "iCubGazeboV2_5", 0.09),  # 1.2 kg beyond an elbow that is 6.8 mm lower, and hips 6.4 mm away
    ],
)
def test_gravity_torques_of_arms_and_legs(version, name, most):
    """N m, where shoulders carry up to 4 and hips up to 13; the difference is that of the lengths which notes list."""
    pin = pytest.importorskip("pinocchio")
    (path,) = (path for path in icub_urdfs() if path.parent.name == name)
    icub, model = kt.load(f"icub:{version}", inertias=name), kt.load(path)
    peer, torques = PinocchioRobot(pin, path, model), kt.gravity_torques(icub)
    limbs = [joint for joint in model.joint_names if joint.split("_")[1] in LIMBS]
    own, theirs = ([robot.velocity_names.index(joint) for joint in limbs] for robot in (icub, model))
    rng, largest = np.random.default_rng(20261123), 0.0
    for _ in range(20):
        values = dict(zip(model.joint_names, rng.uniform(-1, 1, model.nq), strict=True))
        expected = pin.computeGeneralizedGravity(peer.model, peer.data, peer.q(model.q(values))) @ peer.G
        np.testing.assert_allclose(torques(icub.q(values))[own], expected[theirs], rtol=0, atol=most)
        largest = max(largest, np.abs(expected[theirs]).max())
    assert largest > 8
