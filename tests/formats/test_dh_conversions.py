"""DH, MDH, ETS and URDF into each other and back: the same poses, and the same names of joints."""

from itertools import permutations

import numpy as np
import pytest

import kinetree as kt
from kinetree.algorithms.dh import extract_dh
from kinetree.algorithms.kinematics import forward_kinematics
from kinetree.algorithms.serial import serial_chain
from kinetree.formats import dh, ets, urdf
from kinetree.formats.dh.write import Spelling, toml_text
from kinetree.formats.registry import FORMATS
from kinetree.formats.urdf.write import write
from kinetree.model.assemble import build, parts_of
from kinetree.model.dh import DHTable
from kinetree.model.tree import build_tree

STANFORD = """
convention = "dh"
units = { length = "m", angle = "deg" }
rows = [
  { joint = "q1", a = 0, d = 0.412, alpha = -90, theta = 0 },
  { joint = "q2", a = 0, d = 0.154, alpha = 90,  theta = 0 },
  { joint = "q3", a = 0, d = "0 -> 1", alpha = 0, theta = -90, type = "prismatic" },
  { joint = "q4", a = 0, d = 0, alpha = -90, theta = 0 },
  { joint = "q5", a = 0, d = 0, alpha = 90,  theta = 0 },
  { joint = "q6", a = 0, d = 0.263, alpha = 0, theta = 0 },
]
"""
LEANING = """
<robot name="leaning"><link name="base_link"/><link name="a"/><link name="b"/><link name="tip"/>
  <joint name="q1" type="continuous"><parent link="base_link"/><child link="a"/>
    <origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/><axis xyz="1 2 -3"/></joint>
  <joint name="q2" type="prismatic"><parent link="a"/><child link="b"/><origin xyz="0.3 -0.1 0" rpy="1 0 2"/>
    <axis xyz="0 1 1"/><limit lower="-1" upper="2"/></joint>
  <joint name="q3" type="continuous"><parent link="b"/><child link="tip"/><origin xyz="0 0 1"/>
    <axis xyz="0 0 -1"/></joint></robot>
"""
PANDA = (
    "tz(0.333) Rz(q1) Rx(-90°) Rz(q2) Rx(90°) tz(0.316) Rz(q3) tx(0.0825) Rx(90°) Rz(q4) tx(-0.0825) "
    "Rx(-90°) tz(0.384) Rz(q5) Rx(90°) Rz(q6) tx(0.088) Rx(90°) tz(0.107) Rz(q7) tz(0.103) Rz(-45°)"
)


def to_dh(robot: kt.Robot, convention: str) -> kt.Robot:
    found = extract_dh(serial_chain(robot, None, "tip"), convention)
    text = toml_text(DHTable(robot.name, robot.root, (found.chain,)), Spelling("mm", "deg"))
    again, findings = dh.read(text, "again.toml")
    assert again is not None, findings
    return again


def to_ets(robot: kt.Robot) -> kt.Robot:
    return ets.robot_of(ets.parse(str(ets.ets_of(serial_chain(robot, None, "tip")))))


def to_urdf(robot: kt.Robot) -> kt.Robot:
    again, findings = urdf.read(write(build(parts_of(robot)), ("group", "limit")), "again.urdf")
    assert again is not None, findings
    return again


CONVERSIONS = {
    "dh": lambda robot: to_dh(robot, "dh"),
    "mdh": lambda robot: to_dh(robot, "mdh"),
    "ets": to_ets,
    "urdf": to_urdf,
}


@pytest.mark.slow
@pytest.mark.parametrize(("text", "format"), [(STANFORD, "dh"), (LEANING, "urdf"), (PANDA, "ets")])
def test_every_order_of_conversions_keeps_the_poses(text, format):
    robot = kt.load(text, format=format)
    rng = np.random.default_rng(20)
    for order in permutations(CONVERSIONS):
        again = robot
        for name in order:
            again = CONVERSIONS[name](again)
        assert again.joint_names == robot.joint_names
        for q in rng.uniform(-2, 2, (3, robot.nq)):
            (expected,) = forward_kinematics(build_tree(robot), q, ["tip"])
            (pose,) = forward_kinematics(build_tree(again), q, ["tip"])
            assert np.abs(pose - expected).max() < 1e-12, order


@pytest.mark.parametrize("format", ["dh", "dh-csv"])
def test_a_limit_on_one_side_comes_back(format, tmp_path):
    text = """<sdf version="1.9"><model name="m"><link name="a"/><link name="b"/><joint name="j" type="prismatic">
      <parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz><limit><lower>-1</lower></limit></axis></joint>
      </model></sdf>"""
    kt.save(kt.load(text, format="sdf"), tmp_path / "m", format=format, without=("frame", "inertial"))
    limit = kt.load(tmp_path / "m", format=format).joints["j"].limit
    assert (limit.lower, limit.upper) == (-1, float("inf"))


@pytest.mark.slow
@pytest.mark.parametrize("format", ["dh-csv", "ets"])
def test_another_order_of_q_is_lost_aloud(format):
    arm = kt.edit.cut(kt.load("icub", limits="dh"), "l_shoulder_1")
    turned = arm.order(arm.joint_names[::-1])
    left_out = ("frame", "geometry", "group", "limit", "sensor")
    with pytest.raises(kt.KinetreeError, match="order of q"):
        FORMATS[format].write(turned, left_out)
    assert FORMATS[format].write(turned, (*left_out, "order")) == FORMATS[format].write(arm, left_out)
    again = kt.load(FORMATS["dh"].write(turned, ("group", "sensor")), format="dh")
    assert again.joint_names == turned.joint_names
