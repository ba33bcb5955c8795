"""One joint's transforms, as the Robotics Toolbox and as Featherstone name them, on every joint of real robots."""

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.kinematics import XJ, XT, Xup, joint_motion, joint_origin, joint_pose, motion_subspace
from kinetree.spatial import plucker
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


@pytest.mark.slow
@each("robot, name", CASES)
def test_a_link_answers_with_the_whole_q_and_batches(robot, name):
    """By the name of the link as the page has them, with the poses of forward kinematics, followers included."""
    robot = ROBOTS[robot]
    joint = robot.joints[name]
    if name in robot.loops:
        return
    rng = np.random.default_rng(1)
    Q = np.tile(robot.q(), (2, 3, 1)) + 0.1 * rng.normal(size=(2, 3, robot.nq))
    for where, one in ((robot.q_slices[j], robot.joints[j]) for j in robot.joint_names):
        for quaternion in [where.start + np.arange(one.kind.nq)[one.kind.quaternion]] if one.kind.quaternion else []:
            Q[..., quaternion] /= np.linalg.norm(Q[..., quaternion], axis=-1, keepdims=True)
    link = joint.child if joint.child not in robot.joints else name
    A, v, Ts = joint_pose(robot, link, Q), joint_motion(robot, link, Q), joint_origin(robot, link)
    expected = kt.fk(robot, joint.child, base=joint.parent).interpret(Q)
    assert A.shape == (2, 3, 4, 4)
    assert np.allclose(A, expected, rtol=0, atol=1e-12)
    assert np.allclose(A, Ts @ v @ joint.child_origin, rtol=0, atol=1e-12)
    singles = [joint_pose(robot, link, q) for q in Q.reshape(-1, robot.nq)]
    assert np.array_equal(A.reshape(-1, 4, 4), singles)
    for X, T in ((Xup(robot, link, Q), A), (XJ(robot, link, Q), v)):
        assert X.shape == (2, 3, 6, 6)
        assert np.allclose(X[1, 2], plucker.motion_transform(np.linalg.inv(T[1, 2])), rtol=0, atol=1e-12)
    assert np.allclose(XT(robot, link), plucker.motion_transform(np.linalg.inv(Ts)), rtol=0, atol=1e-12)
    assert motion_subspace(robot, link, Q).shape == (2, 3, 6, joint.kind.nv)
    assert joint_pose(robot, link, Q[:0]).shape == (0, 3, 4, 4)
    assert Xup(robot, link, Q[:, :0]).shape == (2, 0, 6, 6)


def test_a_follower_by_its_link_and_by_its_own_coordinate():
    arm = kt.load(
        '<robot name="r"><link name="a"/><link name="b"/><link name="c"/>'
        '<joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>'
        '<joint name="k" type="continuous"><parent link="b"/><child link="c"/><axis xyz="0 0 1"/>'
        '<mimic joint="j" multiplier="2" offset="0.1"/></joint></robot>',
        format="urdf",
    )
    angle = np.arctan2(*joint_pose(arm, "c", [0.3])[1::-1, 0])
    assert angle == pytest.approx(0.7)  # the whole q has the leader alone
    assert np.arctan2(*joint_pose(arm, "k", [0.3])[1::-1, 0]) == pytest.approx(0.3)
    assert joint_pose(arm, "k", np.full((4, 1), 0.3)).shape == (4, 4, 4)


def test_what_is_no_coordinate_of_the_joint():
    robot = ROBOTS["icub"]
    for call, message in (
        (lambda: joint_pose(robot, "l_elbow"), "is revolute, of 1 coordinate; q has shape"),
        (lambda: joint_pose(robot, "l_elbow", [1, 2]), "q has shape"),
        (lambda: joint_pose(robot, "l_elbow", "far"), "no array of numbers"),
        (lambda: XT(robot, "l_knie"), "no joint 'l_knie'"),
        (lambda: joint_pose(robot, "l_hand"), r"expected the whole q \(35,\), or a batch of such"),
        (lambda: joint_pose(robot, "l_hand", 0.3), r"expected the whole q \(35,\), or a batch of such"),
        (lambda: joint_pose(robot, "root_link", robot.q()), "link 'root_link': is the root, which no joint carries"),
        (lambda: XT(robot, "root_link"), "link 'root_link': is the root, which no joint carries"),
    ):
        with pytest.raises(kt.KinetreeError, match=message):
            call()
