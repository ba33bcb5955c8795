"""Orders of joints and coordinates in other programs; tests/crosscheck asks the programs themselves."""

import numpy as np
import pytest

import kinetree as kt
from kinetree.kinematics import joint_maps, joint_order


def robot_of(*joints, links="abcd"):
    """A robot of joints (name, type, parent, child)."""
    text = "".join(f'<link name="{link}"/>' for link in ("world", *links))
    for name, kind, parent, child in joints:
        limit = '<limit lower="-1" upper="2" effort="1" velocity="1"/>' if kind in ("revolute", "prismatic") else ""
        text += f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        text += f'<origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/>{limit}</joint>'
    return kt.load(f'<robot name="r">{text}</robot>', format="urdf")


def test_a_fixed_joint_has_its_place_in_the_order_but_no_depth():
    """The joint behind the fixed one comes where the fixed one is called, or stands in the file."""
    robot = robot_of(
        ("m", "revolute", "world", "b"), ("a", "fixed", "world", "a"), ("k", "revolute", "a", "c"),
        ("b", "prismatic", "b", "d"),
    )  # fmt: skip
    assert joint_order(robot, "mujoco") == ("m", "b", "k")
    assert joint_order(robot, "pinocchio") == ("k", "m", "b")
    assert joint_order(robot, "isaac") == ("m", "k", "b")
    q = {"m": 0.1, "k": 0.2, "b": 0.3}
    for program in ("mujoco", "pinocchio", "isaac"):
        maps = joint_maps(robot, program)
        expected = [q[name] for name in joint_order(robot, program)]
        assert maps.q(robot.q(q)).tolist() == expected
        assert maps.q_back(expected).tolist() == robot.q(q).tolist()
        assert maps.v(robot.q(q)).tolist() == expected


def test_quaternions_cosines_and_followers():
    floating = robot_of(("base", "floating", "world", "a"), ("turn", "continuous", "a", "b"), links="ab")
    q = floating.q(base=[0.5, 0, 0, 0, 0, 0.6, 0.8], turn=0.3)
    half = np.sqrt(0.5)
    turned = [half * (0.6 + 0.8), half * (0.8 - 0.6)]  # a quarter turn about z, and then the joint's own
    there = joint_maps(floating, "mujoco").q(q)
    np.testing.assert_allclose(there, [1, 2.5, 3, turned[1], 0, 0, turned[0], 0.3], atol=1e-12)
    v = joint_maps(floating, "mujoco").v(np.arange(1.0, 8.0), q)
    np.testing.assert_allclose(np.linalg.norm(v[:3]), np.linalg.norm([1, 2, 3]))  # in the axes of the world
    assert v[3:].tolist() == [4, 5, 6, 7]
    there = joint_maps(floating, "pinocchio").q(q)
    np.testing.assert_allclose(there, [*q[:7], np.cos(0.3), np.sin(0.3)], atol=1e-12)
    assert joint_order(floating, "isaac") == ("turn",)
    assert joint_maps(floating, "isaac").q(q).tolist() == [0.3]
    follower = kt.load(
        '<robot name="r"><link name="l"/><link name="a"/><link name="b"/>'
        '<joint name="j" type="continuous"><parent link="l"/><child link="a"/></joint>'
        '<joint name="f" type="continuous"><parent link="a"/><child link="b"/>'
        '<mimic joint="j" multiplier="2" offset="0.5"/></joint></robot>',
        format="urdf",
    )
    assert joint_order(follower, "isaac") == ("j", "f")
    assert joint_maps(follower, "isaac").q([0.25]).tolist() == [0.25, 1.0]


def test_a_planar_joint_is_three_of_mujoco():
    planar = robot_of(("p", "planar", "world", "a"), ("j", "revolute", "a", "b"), links="ab")
    assert joint_order(planar, "mujoco") == ("p_TX", "p_TY", "p_RZ", "j")
    assert joint_maps(planar, "mujoco").q([1, 2, 0.3, 0.4]).tolist() == [1, 2, 0.3, 0.4]


@pytest.mark.parametrize(
    ("joints", "program", "said"),
    [
        (
            [("p", "planar", "world", "a")],
            "pinocchio",
            "joint 'p': it is a planar joint, which Pinocchio does not take",
        ),
        ([("p", "planar", "world", "a")], "isaac", "joint 'p': it is a planar joint, which Isaac does not take"),
        ([("j", "revolute", "world", "a"), ("f", "floating", "a", "b")], "isaac", "joint 'f': it floats behind other"),
        ([("j", "revolute", "world", "a"), ("f", "floating", "a", "b")], "mujoco", "joint 'f': it floats in something"),
        ([("j", "revolute", "world", "a"), ("f", "floating", "a", "b")], "pinocchio", "joint 'f': it floats behind"),
    ],
)
def test_what_a_program_does_not_take(joints, program, said):
    robot = robot_of(*joints, links="ab"[: len(joints)])
    with pytest.raises(kt.KinetreeError, match=said):
        joint_order(robot, program)
    with pytest.raises(kt.KinetreeError, match=said):
        joint_maps(robot, program)


def test_an_unknown_program():
    robot = robot_of(("j", "revolute", "world", "a"), links="a")
    with pytest.raises(kt.KinetreeError, match=r"program 'mujoko'.*mujoco"):
        joint_order(robot, "mujoko")


def test_masses_springs_and_loops_do_not_matter():
    text = """<mujoco><worldbody>
      <body><joint name="b" stiffness="2"/><geom type="mesh" mesh="m"/>
        <body name="tip"><joint name="c"/><geom size="1"/></body></body>
      <body name="other"><joint name="a"/><geom size="1"/></body></worldbody>
      <asset><mesh name="m" file="none.stl"/></asset>
      <equality><connect body1="tip" body2="other" anchor="0 0 0"/></equality></mujoco>"""
    robot = kt.load(text, format="mjcf")
    assert len(robot.loops) == 1
    assert joint_order(robot, "mujoco") == ("b", "c", "a")
    assert joint_order(robot, "isaac") == ("b", "a", "c")
