"""Joint torques of contacts on the skin of published iCubs against Pinocchio."""

from __future__ import annotations

import numpy as np
import pytest

import kinetree as kt
from kinetree.robots.icub.skin import skin
from pinocchio_robot import PinocchioRobot
from support import icub_urdfs, random_q

pytestmark = pytest.mark.crosscheck


@pytest.mark.parametrize("name", ["iCubGazeboV2_7", "iCubLisboa01"])
def test_torques_of_contacts(name):
    pin = pytest.importorskip("pinocchio")
    path = next(path for path in icub_urdfs() if path.parent.name == name)
    robot, rng = kt.load(path), np.random.default_rng(20261123)
    peer = PinocchioRobot(pin, path, robot)
    q, contacts, expected = random_q(robot, rng), [], np.zeros(robot.nv)
    pin.computeJointJacobians(peer.model, peer.data, peer.q(q))
    pin.updateFramePlacements(peer.model, peer.data)
    for part in skin().parts:
        try:
            frame = kt.icub.skin_frame(robot, part.name).name
        except kt.KinetreeError:
            continue
        p, f, m = rng.normal(size=(3, 3))
        contacts.append(kt.icub.SkinContact(skin_part=part.name, center_of_pressure=p, force=f, moment=m))
        J = pin.getFrameJacobian(peer.model, peer.data, peer.frame(frame), pin.ReferenceFrame.LOCAL) @ peer.G
        at_point = pin.SE3(np.eye(3), p).act(pin.Force(f, m))
        expected += J.T @ at_point.vector
    assert len(contacts) == 8
    np.testing.assert_allclose(kt.icub.contact_torques(robot, q, contacts).tau, expected, rtol=0, atol=1e-12)
