"""Compiled kernels against Pinocchio: poses and Jacobians of the ends of every robot, and of all frames of three."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from pinocchio_robot import PinocchioRobot, loadable
from support import icub_urdfs, random_q, sample

pytestmark = pytest.mark.crosscheck

CONFIGURATIONS = 5


@pytest.fixture(scope="module")
def pin() -> Any:
    return pytest.importorskip("pinocchio")


def ends(robot: kt.Robot) -> list[str]:
    """The links that carry no other."""
    parents = {joint.parent for joint in robot.joints.values()}
    return [name for name in robot.links if name not in parents]


def spread(names: list[str], n: int) -> list[str]:
    """At most n of them, the last among them."""
    return names[:: -(len(names) // n + 1)]


def check(pin: Any, path: Path, posed: list[str], moved: list[str], robot: kt.Robot) -> None:
    """The poses and the Jacobians of these links, compiled, for a batch."""
    rng = np.random.default_rng(20261121)
    peer = PinocchioRobot(pin, path, robot)
    model, data, reference = peer.model, peer.data, peer.axes["base"]
    q = np.array([random_q(robot, rng) for _ in range(CONFIGURATIONS)])
    expected_T = np.empty((len(q), len(posed), 4, 4))
    expected_J = np.empty((len(q), len(moved), 6, peer.tree.nv))
    for n, at in enumerate(q):
        pin.computeJointJacobians(model, data, peer.q(at))
        pin.updateFramePlacements(model, data)
        for k, link in enumerate(posed):
            expected_T[n, k] = data.oMf[peer.frame(link)].homogeneous
        for k, link in enumerate(moved):
            expected_J[n, k] = pin.getFrameJacobian(model, data, peer.frame(link), reference) @ peer.G
    fk = kt.fk(robot, posed)
    _agree(fk, q, expected_T, path)
    for k, link in enumerate(moved):
        _agree(kt.jacobian(robot, link), q, expected_J[:, k], path)


def _agree(kernel: Any, q: np.ndarray, expected: np.ndarray, path: Path) -> None:
    np.testing.assert_allclose(kernel(q), expected, rtol=0, atol=1e-12, err_msg=str(path))
    np.testing.assert_allclose(kernel(q[0]), expected[0], rtol=0, atol=1e-12, err_msg=str(path))


def single_precision(robot: kt.Robot, links: list[str]) -> float:
    """How far numbers of single precision are off, against the largest of their kind or one."""
    rng = np.random.default_rng(20261124)
    q = np.array([random_q(robot, rng) for _ in range(CONFIGURATIONS)]).astype(np.float32)
    worst = 0.0
    for kernel in (kt.fk(robot, links), kt.jacobian(robot, links[-1])):
        exact, got = kernel(q), kernel(q, dtype=np.float32)
        assert got.dtype == np.float32
        worst = max(worst, float(np.abs(got - exact).max() / max(1.0, np.abs(exact).max())))
    return worst


def with_joints(paths: list[Path]) -> list[tuple[Path, kt.Robot]]:
    robots = [(path, kt.load(path)) for path in paths]
    return [(path, robot) for path, robot in robots if robot.nq]  # Pinocchio crashes without


@pytest.mark.parametrize("family", [icub_urdfs, loadable])
@pytest.mark.sampled(1)
def test_ends_of_every_robot(pin, family):
    robots = with_joints(sample(family(), 3))
    assert len(robots) >= 5
    for path, robot in robots:
        tips = ends(robot)
        check(pin, path, tips, spread(tips, 2), robot)


@pytest.mark.parametrize("stem", ["ur5_robot", "panda", "icub"])
@pytest.mark.sampled(1)
def test_all_frames(pin, stem):
    path = icub_urdfs()[0] if stem == "icub" else next(p for p in loadable() if p.stem == stem)
    robot = kt.load(path)
    links = list(robot.links)
    check(pin, path, links, sample(links, 4), robot)


def test_single_precision():
    for path in [icub_urdfs()[0], *(p for p in loadable() if p.stem in ("ur5_robot", "panda", "solo12", "talos_full"))]:
        robot = kt.load(path)
        assert single_precision(robot, spread(ends(robot), 5)) < 1e-5, path
