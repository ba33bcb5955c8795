"""q ⊕ v and q₂ ⊖ q₁ of ball and floating joints against Pinocchio's spherical and free-flyer joints."""

from __future__ import annotations

import numpy as np
import pytest

from kinetree.model.joints import JOINT_TYPES

pytestmark = pytest.mark.crosscheck

pin = pytest.importorskip("pinocchio")


@pytest.mark.parametrize("name", ["ball", "floating"])
@pytest.mark.parametrize("scale", [1e-9, 1e-4, 1.0, 5.0])
def test_integrate_and_difference(name, scale):
    row, rng, model = JOINT_TYPES[name], np.random.default_rng(20261123), pin.Model()
    joint = pin.JointModelSpherical() if name == "ball" else pin.JointModelFreeFlyer()
    model.addJoint(0, joint, pin.SE3.Identity(), name)
    for _ in range(200):
        q, other = (pin.randomConfiguration(model, -np.ones(row.nq), np.ones(row.nq)) for _ in range(2))
        v = scale * rng.uniform(-1, 1, row.nv)
        after, expected = row.integrate(q, v), pin.integrate(model, q, v)
        expected[row.quaternion] *= np.copysign(1.0, expected[row.quaternion] @ after[row.quaternion])
        np.testing.assert_allclose(after, expected, rtol=0, atol=1e-12)
        for end in (other, expected):
            np.testing.assert_allclose(row.difference(q, end), pin.difference(model, q, end), rtol=0, atol=1e-12)
