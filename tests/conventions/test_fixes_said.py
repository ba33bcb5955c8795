"""Advice of rules that depends on the fault."""

import kinetree as kt
from kinetree.rules.joints.ranges import MimicRange
from kinetree.rules.structure import RootInertia
from support import ask

HAND = """<robot name="hand"><link name="palm">{inertial}</link><link name="a"/><link name="b"/>
<joint name="lead" type="revolute"><parent link="palm"/><child link="a"/><axis xyz="0 0 1"/>
<limit lower="0" upper="0.8" effort="1" velocity="1"/></joint>
<joint name="follow" type="revolute"><parent link="palm"/><child link="b"/><axis xyz="0 0 1"/>
<limit lower="0" upper="1.5" effort="1" velocity="1"/><mimic joint="lead" multiplier="{times}"/></joint></robot>"""
VIRTUAL = '<inertial><mass value="{}"/><inertia ixx="{}" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial>'


def fix_of(rule, times="4", mass="1", inertia="1"):
    robot = kt.load(HAND.format(times=times, inertial=VIRTUAL.format(mass, inertia)), format="urdf")
    (finding,) = ask(robot, (rule,))
    return finding.fix


def test_a_follower_whose_range_lies_on_the_other_side_has_the_wrong_sign():
    assert fix_of(MimicRange, "-1").startswith("correct the sign")
    assert fix_of(MimicRange, "4").startswith("widen these limits")


def test_a_root_that_stands_for_no_body_needs_no_inertial():
    assert fix_of(RootInertia, mass="0.001", inertia="0") == "remove its <inertial>"
    assert fix_of(RootInertia, mass="0.001", inertia="1e-6").startswith("add a root link")
    assert fix_of(RootInertia, mass="2", inertia="0").startswith("add a root link")
