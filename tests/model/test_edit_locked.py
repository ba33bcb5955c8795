"""What a joint that is locked keeps."""

from dataclasses import replace

import numpy as np

import kinetree as kt
from kinetree.model.assemble import build, parts_of
from kinetree.model.robot import Dynamics, Limit

TEXT = """<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="revolute"><parent link="a"/>
<child link="b"/><axis xyz="0 0 1"/><limit lower="-1" upper="2" velocity="3" effort="1"/><dynamics damping="0.1"/>
<safety_controller k_velocity="1"/><calibration rising="0.2"/></joint></robot>"""


def test_nothing_of_its_motion_is_left():
    robot = kt.load(TEXT, format="urdf")
    joint = kt.edit.lock(robot, {"j": 0.5}).joints["j"]
    assert (joint.type, joint.limits, joint.dynamics, joint.safety, joint.calibration) == ("fixed", (), (), None, None)
    np.testing.assert_allclose(joint.origin, kt.fk(robot, "b")([0.5]), atol=1e-15)
    moved = parts_of(robot)
    moved.joints = [replace(one, limits=(Limit(),), dynamics=(Dynamics(friction=1.0),)) for one in moved.joints]
    assert kt.edit.lock(build(moved), {"j": 0.5}).joints["j"].dynamics == ()
