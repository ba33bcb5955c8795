"""Jacobians, their rates and their derivatives against Pinocchio, for every URDF of icub-models and
example-robot-data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.algorithms import differential
from kinetree.model.tree import build_tree
from pinocchio_robot import PinocchioRobot, loadable
from support import icub_urdfs, random_q

pytestmark = pytest.mark.crosscheck


@pytest.fixture(scope="module")
def pin() -> Any:
    return pytest.importorskip("pinocchio")


def some_robots() -> list[Path]:
    names = ("ur5_robot", "panda", "solo12", "tiago")
    robots = [icub_urdfs()[0], *(path for path in loadable() if path.stem in names)]
    assert len(robots) == 5
    return robots


def links_of(robot: kt.Robot) -> list[str]:
    """At most forty of its links, spread over the robot; the last is among them."""
    links = list(robot.links)
    return links[:: -(len(links) // 40 + 1)]


def check(pin: Any, path: Path) -> None:
    robot, rng = kt.load(path), np.random.default_rng(20261121)
    if not robot.nq:  # Pinocchio crashes
        assert differential.jacobian(build_tree(robot), np.zeros(0), robot.root).shape == (6, 0)
        return
    peer = PinocchioRobot(pin, path, robot)
    tree, model, data = peer.tree, peer.model, peer.data
    q, qd = random_q(robot, rng), rng.uniform(-1, 1, tree.nv)
    pin.computeJointJacobians(model, data, peer.q(q))
    pin.computeJointJacobiansTimeVariation(model, data, peer.q(q), peer.G @ qd)
    pin.updateFramePlacements(model, data)
    for link in links_of(robot):
        frame = peer.frame(link)
        for axes, reference in peer.axes.items():
            expected = pin.getFrameJacobian(model, data, frame, reference) @ peer.G
            J = differential.jacobian(tree, q, link, None, axes)
            assert J.shape == expected.shape
            np.testing.assert_allclose(J, expected, rtol=0, atol=1e-12, err_msg=f"{path} {link}")
    link = list(robot.links)[-1]
    frame = peer.frame(link)
    for axes, reference in peer.axes.items():
        H = differential.hessian(tree, q, link, None, axes)
        expected = pin.getFrameJacobianTimeVariation(model, data, frame, reference) @ peer.G
        np.testing.assert_allclose(np.einsum("i,ikj->kj", qd, H), expected, rtol=0, atol=1e-11, err_msg=str(path))


def test_jacobians_of_icub_models(pin):
    for path in icub_urdfs():
        check(pin, path)


def test_jacobians_of_example_robot_data(pin):
    for path in loadable():
        check(pin, path)


@pytest.mark.parametrize("axes", ["base", "frame"])
def test_kernels_with_any_base(pin, axes):
    """The Jacobians of two links by Pinocchio, subtracted in the axes of one."""
    for path in some_robots():
        robot, rng = kt.load(path), np.random.default_rng(20261122)
        peer = PinocchioRobot(pin, path, robot)
        model, data, G = peer.model, peer.data, peer.G
        q, qd = random_q(robot, rng), rng.uniform(-1, 1, peer.tree.nv)
        frame = list(robot.links)[-1]
        names = [None, list(robot.links)[len(robot.links) // 2]]
        for base in names:
            pin.computeJointJacobians(model, data, peer.q(q))
            pin.updateFramePlacements(model, data)
            J_f, J_b = (
                pin.getFrameJacobian(model, data, peer.frame(name), peer.axes["base"]) @ G
                for name in (frame, base or robot.root)
            )
            M_f, M_b = (data.oMf[peer.frame(name)] for name in (frame, base or robot.root))
            lever = pin.skew(M_f.translation - M_b.translation)
            J = np.concatenate([J_f[:3] - J_b[:3] + lever @ J_b[3:], J_f[3:] - J_b[3:]])
            R = (M_b if axes == "base" else M_f).rotation.T
            expected = np.concatenate([R @ J[:3], R @ J[3:]])
            got = kt.jacobian(robot, frame, base, axes).interpret(q)
            np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)
            np.testing.assert_allclose(
                kt.velocity(robot, frame, base, axes).interpret(q, qd), expected @ qd, rtol=0, atol=1e-12
            )


def test_rates_and_hessians(pin):
    """Of a joint's own frame, for which Pinocchio has a Hessian."""
    for path in some_robots():
        robot, rng = kt.load(path), np.random.default_rng(20261123)
        peer = PinocchioRobot(pin, path, robot)
        tree, model, data, G = peer.tree, peer.model, peer.data, peer.G
        q, qd = random_q(robot, rng), rng.uniform(-1, 1, tree.nv)
        joint = tree.joints[-1]
        link = robot.joints[joint].child
        pin.computeJointJacobiansTimeVariation(model, data, peer.q(q), G @ qd)
        pin.updateFramePlacements(model, data)
        pin.computeJointKinematicHessians(model, data, peer.q(q))
        for axes, reference in peer.axes.items():
            expected = pin.getFrameJacobianTimeVariation(model, data, peer.frame(link), reference) @ G
            got = kt.jacobian_dot(robot, link, None, axes).interpret(q, qd)
            np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)
            theirs = pin.getJointKinematicHessian(model, data, model.getJointId(joint), reference)
            theirs = theirs.reshape(model.nv, model.nv, 6)  # the numbers lie so, although the shape says (6, nv, nv)
            expected = np.einsum("ijk,jb,ia->akb", theirs, G, G)
            np.testing.assert_allclose(kt.hessian(robot, link, None, axes).interpret(q), expected, rtol=0, atol=1e-12)
