"""Derivatives of dynamics and the Coriolis matrix against Pinocchio, with fixed and floating bases."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import kinetree as kt
from physics import floated, with_dynamics
from pinocchio_robot import PinocchioRobot, loadable
from support import icub_urdfs, random_q

pin = pytest.importorskip("pinocchio")
pytestmark = pytest.mark.crosscheck

ROBOTS = (
    "ur5_robot.urdf",
    "panda.urdf",
    "anymal.urdf",
    "solo12.urdf",
    "talos_reduced.urdf",
    "iCubGazeboV2_5/model.urdf",
)


def chosen() -> list[Path]:
    return [path for path in (*icub_urdfs(), *loadable()) if str(path).endswith(ROBOTS)]


def agree(got: np.ndarray, expected: np.ndarray) -> None:
    assert got.shape == expected.shape
    assert np.abs(got - expected).max() < 1e-10 * np.abs(expected).max()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("floats", [False, True], ids=["fixed", "floating"])
@pytest.mark.parametrize("path", chosen(), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_derivatives(path, floats):
    """With followers (Panda), the derivatives there are projected; where there are none, those of accelerations too."""
    robot = with_dynamics(kt.load(path))
    robot = floated(robot) if floats else robot
    peer = PinocchioRobot(pin, path, robot, pin.JointModelFreeFlyer() if floats else None)
    model, data, G = peer.model, peer.data, peer.G
    frame, rng = [*robot.links][-1], np.random.default_rng(20261123)
    found = kt.dynamics.inverse_dynamics_derivatives(robot, frame)
    q, (qd, x), w = random_q(robot, rng), rng.normal(size=(2, robot.nv)), rng.normal(size=(1, 6))
    external = [pin.Force.Zero() for _ in model.joints]
    place = model.frames[peer.frame(frame)]
    external[place.parentJoint] = place.placement.act(pin.Force(w[0]))
    motion = (peer.q(q), G @ qd, G @ x)
    dq, dqd, _ = pin.computeRNEADerivatives(model, data, *motion, external)
    ours = found.interpret(q, qd, x, w)
    agree(ours.dtau_dq, G.T @ dq @ G)
    agree(ours.dtau_dqd, G.T @ dqd @ G)
    agree(
        kt.dynamics.coriolis_matrix(robot).interpret(q, qd),
        G.T @ pin.computeCoriolisMatrix(model, data, *motion[:2]) @ G,
    )
    if not peer.tree.has_followers:
        expected = pin.computeABADerivatives(model, data, *motion, external)
        forward = kt.dynamics.forward_dynamics_derivatives(robot, frame)
        for got, theirs in zip(forward.interpret(q, qd, x, w), expected, strict=True):
            agree(got, G.T @ theirs @ G)
