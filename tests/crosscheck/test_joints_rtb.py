"""A(q), v and Ts of every link of a sequence, against the Robotics Toolbox, whose page has these names."""

import numpy as np
import pytest

import kinetree as kt
from kinetree.kinematics import Xup, joint_motion, joint_origin, joint_pose

pytestmark = pytest.mark.crosscheck


@pytest.mark.parametrize("name", ["Panda", "GenericSeven", "XYPanda", "Puma560"])
def test_every_link_of_a_robot(name):
    rtb = pytest.importorskip("roboticstoolbox")
    theirs = getattr(rtb.models.ETS, name)()  # the models that it builds itself, without a download
    ours = kt.load(str(theirs.ets()), format="ets")
    joints = [link for link in theirs.links if link.isjoint]
    assert len(joints) == ours.nq >= 6
    for link, joint in zip(joints, ours.joint_names, strict=True):
        q = 0.37
        A, v, Ts = (np.eye(4) if T is None else np.asarray(T) for T in (link.A(q), link.v.A(q), link.Ts))
        assert np.allclose(joint_pose(ours, joint, q), A, rtol=0, atol=1e-12)
        assert np.allclose(joint_motion(ours, joint, q), v, rtol=0, atol=1e-12)
        assert np.allclose(joint_origin(ours, joint), Ts, rtol=0, atol=1e-12)
        T = np.linalg.inv(A)  # Xup is the inverse of A(q), as the page says
        R, p = T[:3, :3], T[:3, 3]
        px = np.array([[0, -p[2], p[1]], [p[2], 0, -p[0]], [-p[1], p[0], 0]])
        assert np.allclose(Xup(ours, joint, q), np.block([[R, np.zeros((3, 3))], [px @ R, R]]), rtol=0, atol=1e-12)
