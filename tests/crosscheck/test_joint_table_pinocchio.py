"""The table of joints against Pinocchio, on every published robot: axes in the root's axes, ranges, links."""

import os

import numpy as np
import pytest

import kinetree as kt
from kinetree.kinematics import joint_table
from pinocchio_robot import PinocchioRobot, loadable
from support import icub_urdfs

pytestmark = pytest.mark.crosscheck


def test_axes_and_ranges_of_published_robots():
    pin = pytest.importorskip("pinocchio")
    compared = 0
    for path in (*icub_urdfs(), *loadable()):
        robot = kt.load(path)
        if any(joint.type == "planar" for joint in robot.joints.values()):
            continue
        theirs = PinocchioRobot(pin, path, robot)
        model, data = theirs.model, theirs.data
        pin.computeJointJacobians(model, data, theirs.q(robot.zero))
        for row in joint_table(robot):
            if row.axis is None or not robot.joints[row.joint].kind.single:
                continue
            number = model.getJointId(row.joint)
            column = pin.getJointJacobian(model, data, number, pin.ReferenceFrame.WORLD)[:, model.joints[number].idx_v]
            assert np.allclose(row.axis, column[3:] if row.unit == "rad" else column[:3], rtol=0, atol=1e-12), path
            if row.type != "continuous":
                place = model.joints[number].idx_q
                ends = model.lowerPositionLimit[place], model.upperPositionLimit[place]
                assert np.allclose((row.lower, row.upper), ends, rtol=0, atol=1e-12), os.fspath(path)
            compared += 1
    assert compared > 1500
