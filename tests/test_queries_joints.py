"""One joint's transforms, as the Robotics Toolbox and as Featherstone name them, on every joint of real robots."""

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.kinematics import XJ, XT, Xup, joint_motion, joint_origin, joint_pose, motion_subspace
from physics import everything


def robots():
    return {"icub": kt.load("icub"), "every type": everything()}


CASES = [(name, joint.name) for name, robot in robots().items() for joint in robot.joints.values()]
ROBOTS = robots()


def own(joint, seed=0):
    q = np.random.default_rng(seed).uniform(-0.7, 0.7, joint.kind.nq)
    if joint.kind.quaternion:
        q[joint.kind.quaternion] /= np.linalg.norm(q[joint.kind.quaternion])
    return q


@each("robot, name", CASES)
def test_a_joint_answers_as_the_page_and_featherstone_say(robot, name):
    robot = ROBOTS[robot]
    joint = robot.joints[name]
    q = own(joint)
    A, v, Ts = joint_pose(robot, name, q), joint_motion(robot, name, q), joint_origin(robot, name)
    assert np.allclose(A, Ts @ v @ joint.child_origin, rtol=0, atol=1e-15)  # A(q) = Ts v(q)
    for X, T in ((XJ(robot, name, q), v), (XT(robot, name), Ts), (Xup(robot, name, q), A)):
        R, p = T[:3, :3], T[:3, 3]  # of an X that maps parent to child: [[R', 0], [-R' px, R']]
        px = np.array([[0, -p[2], p[1]], [p[2], 0, -p[0]], [-p[1], p[0], 0]])
        assert np.allclose(X, np.block([[R.T, np.zeros((3, 3))], [-R.T @ px, R.T]]), rtol=0, atol=1e-12)
    if np.array_equal(joint.child_origin, np.eye(4)):
        assert np.allclose(Xup(robot, name, q), XJ(robot, name, q) @ XT(robot, name), rtol=0, atol=1e-12)


@each("robot, name", [(r, n) for r, n in CASES if ROBOTS[r].joints[n].kind.single])
def test_the_subspace_is_the_derivative_of_the_motion(robot, name):
    robot = ROBOTS[robot]
    q, h = own(robot.joints[name]), 1e-6
    before, after = joint_motion(robot, name, q - h), joint_motion(robot, name, q + h)
    rate = np.linalg.inv(joint_motion(robot, name, q)) @ (after - before) / (2 * h)
    S = motion_subspace(robot, name, q)[:, 0]
    assert np.allclose([rate[2, 1], rate[0, 2], rate[1, 0], *rate[:3, 3]], S, rtol=0, atol=1e-9)


def test_a_chain_of_poses_is_forward_kinematics():
    robot = ROBOTS["icub"]
    q = robot.limits.sample(1, seed=3)[0]
    T = np.eye(4)
    for joint in robot.joints_to("l_hand"):
        T = T @ joint_pose(robot, joint.name, q[robot.q_slices[joint.name]] if joint.kind.nq else ())
    assert np.allclose(T, kt.fk(robot, "l_hand")(q), rtol=0, atol=1e-12)


def test_what_is_no_coordinate_of_the_joint():
    robot = ROBOTS["icub"]
    for call, message in (
        (lambda: joint_pose(robot, "l_elbow"), "is revolute, of 1 coordinate; q has shape"),
        (lambda: joint_pose(robot, "l_elbow", [1, 2]), "q has shape"),
        (lambda: joint_pose(robot, "l_elbow", "far"), "no array of numbers"),
        (lambda: XT(robot, "l_knie"), "no joint 'l_knie'"),
    ):
        with pytest.raises(kt.KinetreeError, match=message):
            call()
