"""q ⊕ v and q₂ ⊖ q₁ of ball and floating joints, and of floating robots, against Pinocchio."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import kinetree as kt
from kinetree.model.assemble import build, parts_of
from kinetree.model.joints import JOINT_TYPES
from kinetree.model.robot import Joint, Link
from pinocchio_robot import loadable
from support import icub_urdfs, random_q

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


def robots() -> list[Path]:
    return [icub_urdfs()[0], *(path for path in loadable() if path.stem in ("anymal", "solo12", "talos_reduced"))]


def test_floating_robots():
    assert len(robots()) >= 4
    for path in robots():
        model = pin.buildModelFromUrdf(os.fspath(path), pin.JointModelFreeFlyer())
        parts = parts_of(kt.load(path))
        parts.joints.insert(0, Joint("root_joint", "floating", "above", kt.load(path).root))
        parts.links.insert(0, Link("above"))
        parts.joint_order = None
        robot = build(parts)
        assert (robot.nq, robot.nv) == (model.nq, model.nv)
        places = [model.joints[model.getJointId(name)] for name in robot.joint_names]
        of_q = np.concatenate([np.arange(j.idx_q, j.idx_q + j.nq) for j in places])
        of_v = np.concatenate([np.arange(j.idx_v, j.idx_v + j.nv) for j in places])
        rng = np.random.default_rng(20261123)
        q, other = (np.array([random_q(robot, rng) for _ in range(50)]) for _ in range(2))
        v = rng.uniform(-1, 1, (50, robot.nv))
        after, between = kt.dynamics.integrate(robot)(q, v), kt.dynamics.difference(robot)(q, other)
        turn = robot.q_slices["root_joint"].start + 3 + np.arange(4)
        for i in range(50):
            theirs, end, w = np.zeros(model.nq), np.zeros(model.nq), np.zeros(model.nv)
            theirs[of_q], end[of_q], w[of_v] = q[i], other[i], v[i]
            expected = pin.integrate(model, theirs, w)[of_q]
            expected[turn] *= np.copysign(1.0, expected[turn] @ after[i, turn])
            np.testing.assert_allclose(after[i], expected, rtol=0, atol=1e-12)
            expected = pin.difference(model, theirs, end)[of_v]
            np.testing.assert_allclose(between[i], expected, rtol=0, atol=1e-12)
