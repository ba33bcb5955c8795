"""The same robot, whatever the frames of its bodies."""

from functools import cache

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.algorithms.differential import jacobian
from kinetree.algorithms.gauge import gauged
from kinetree.algorithms.kinematics import body_poses, forward_kinematics
from kinetree.compiler.program import trace
from kinetree.model.assemble import Parts, build
from kinetree.model.joints import JOINT_TYPES
from kinetree.model.robot import Link
from kinetree.queries.query import tree
from kinetree.spatial import plucker, se3
from physics import everything, random_joint, with_mimic
from support import at_length, icub_urdfs, random_q


@cache
def robots():
    return [everything(), kt.load("icub"), kt.load(icub_urdfs()[0]), kt.load(icub_urdfs()[-1])]


@pytest.mark.slow
@each("number", range(4))
def test_poses_and_jacobians_stay(number):
    robot, rng = robots()[number], np.random.default_rng(number)
    model = tree(robot)
    names = list(model.frames)
    asked = [names[-1], names[len(names) // 2]]
    other = gauged(model, asked)
    for _ in range(3):
        q = random_q(robot, rng)
        for a, b in zip(forward_kinematics(model, q, names), forward_kinematics(other, q, names), strict=True):
            np.testing.assert_allclose(b, a, rtol=0, atol=2e-14)
        for frame in asked:
            J, other_J = jacobian(model, q, frame, names[0]), jacobian(other, q, frame, names[0])
            np.testing.assert_allclose(other_J, J, rtol=0, atol=2e-14)


@pytest.mark.slow
def test_any_tree_stays():
    """Joints of every type, anywhere: under a turning one, beside others, with a follower."""
    for seed in range(at_length(20, 200)):
        rng = np.random.default_rng(seed)
        joints, names = [], ["base"]
        for i in range(7):
            parent = names[rng.integers(max(0, len(names) - 3), len(names))]
            joints.append(random_joint(rng, f"j{i}", rng.choice(list(JOINT_TYPES)), parent, f"l{i}"))
            names.append(f"l{i}")
        single = [n for n, joint in enumerate(joints) if joint.kind.single]
        if len(single) > 2:
            joints[single[-1]] = with_mimic(joints[single[-1]], joints[single[0]].name, -1.7, 0.3)
        robot = build(Parts("r", [Link(n, None, (), (), source=None) for n in names], joints, [], [], [], [], [], {}))
        model, (frame, base) = tree(robot), rng.choice(names, 2, replace=False)
        other, q = gauged(model, [base, frame]), random_q(robot, rng)
        for a, b in zip(
            forward_kinematics(model, q, names, base), forward_kinematics(other, q, names, base), strict=True
        ):
            np.testing.assert_allclose(b, a, rtol=0, atol=1e-13, err_msg=str(seed))
        J = jacobian(model, q, frame, base)
        np.testing.assert_allclose(jacobian(other, q, frame, base), J, rtol=0, atol=1e-13, err_msg=str(seed))


@pytest.mark.slow
@each("number", range(4))
def test_inertias_move_with_the_frames(number):
    robot, rng = robots()[number], np.random.default_rng(number)
    model = tree(robot)
    other = gauged(model, list(model.frames)[-1:])
    q = random_q(robot, rng)
    for a, b, I, J in zip(body_poses(model, q), body_poses(other, q), model.inertia, other.inertia, strict=False):
        np.testing.assert_allclose(plucker.moved_inertia(J, b), plucker.moved_inertia(I, a), rtol=1e-12, atol=1e-12)


@pytest.mark.slow
def test_every_joint_at_neutral():
    robot = kt.load(icub_urdfs()[0])
    model = tree(robot)
    other = gauged(model, ["l_hand", "head"])
    for name in model.frames:
        (i, T), (j, U) = model.frame(name), other.frame(name)
        np.testing.assert_allclose(body_poses(other)[j] @ U, body_poses(model)[i] @ T, rtol=0, atol=2e-14)


def test_axes_are_z_and_constants_sparse():
    model = tree(kt.load(icub_urdfs()[0]))
    other = gauged(model, ())
    for axes, T in zip(other.axes, other.T_tree, strict=True):
        np.testing.assert_array_equal(axes, [[0.0, 0.0, 1.0]])
        assert se3.is_rotation(T[:3, :3], 1e-14)
    first_children = {other.parent.index(i) for i in range(len(other.parent)) if i in other.parent}
    for i in first_children:  # Rx(alpha) and two numbers
        T = other.T_tree[i]
        np.testing.assert_array_equal(T[:3, 0], [1.0, 0.0, 0.0])
        np.testing.assert_array_equal(T[0, 1:3], [0.0, 0.0])
        assert np.count_nonzero(T[:3, 3]) <= 2


def test_axes_that_are_nearly_parallel_make_no_large_numbers():
    text = """<robot name="r"><link name="a"/><link name="b"/><link name="c"/><link name="d"/>
    <joint name="1" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
      <limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
    <joint name="2" type="revolute"><parent link="b"/><child link="c"/><origin xyz="0.3 0.1 0.2"/>
      <axis xyz="1e-9 1e-9 1"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
    <joint name="3" type="prismatic"><parent link="c"/><child link="d"/><origin xyz="0.3 0.1 0.2" rpy="3.1415926 0 0"/>
      <axis xyz="0 1e-7 1"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint></robot>"""
    robot = kt.load(text, format="urdf")
    model = tree(robot)
    other = gauged(model, ["d"])
    assert max(np.abs(T).max() for T in (*other.T_tree, *(T for _, T in other.frames.values()))) < 2
    q = np.array([0.3, -0.7, 0.4])
    poses = [forward_kinematics(t, q, ["b", "c", "d"]) for t in (model, other)]
    np.testing.assert_allclose(poses[1], poses[0], rtol=0, atol=1e-15)


@pytest.mark.slow
def test_it_pays():
    robot = kt.load(icub_urdfs()[0])
    ends = [name for name in ("l_hand", "r_hand", "l_sole", "r_sole", "head") if name in robot.frames]
    model = tree(robot)
    counts = [
        sum(trace(lambda q, t=t: np.array(forward_kinematics(t, q, ends)), (model.nq,)).operations.values())
        for t in (model, gauged(model, ends))
    ]
    assert len(ends) == 5
    assert counts[1] < 0.6 * counts[0], counts
