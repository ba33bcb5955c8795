"""What is refused where few come: the code and the words of errors that no other test sees."""

import numpy as np
import pytest

import kinetree as kt
from kinetree.controllers import controllers
from kinetree.controllers.controller import plain
from kinetree.formats.ets.elements import ET
from kinetree.labels import entries
from kinetree.logs.read import _columns
from kinetree.model.edit import add_limits
from kinetree.model.limits import LinearLimits
from kinetree.shapes.stl import read_msh
from pendants import ARM, shown

SLIDES = """<robot name="r"><link name="a"/><link name="b"/><link name="c"/><link name="d"/><link name="e"/>
  <joint name="turn" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="slide" type="prismatic"><parent link="b"/><child link="c"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="with" type="revolute"><parent link="c"/><child link="d"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/><mimic joint="turn"/></joint>
  <joint name="float" type="floating"><parent link="a"/><child link="e"/></joint></robot>"""
ROBOT = kt.load(SLIDES, format="urdf")


def limited(*rows):
    """The robot with rows g q <= h over its turn and its slide."""
    own = [
        LinearLimits(name, (joint,), np.array([[g]]), np.array([h]), (name,), angular=joint == "turn")
        for name, joint, g, h in rows
    ]
    return add_limits(ROBOT, own)


def refused(code, message, call, *arguments, **options):
    with pytest.raises(kt.KinetreeError) as caught:
        call(*arguments, **options)
    (finding,) = caught.value.findings
    assert (finding.code, finding.message) == (code, message)
    return finding


def test_joints_of_a_guard():
    kind = "; a guard is for joints of one coordinate of their own"
    assert refused("guard", f"follows another{kind}", kt.guard, ROBOT, ["with"]).element == "joint 'with'"
    assert refused("guard", f"is floating{kind}", kt.guard, ROBOT, ["turn", "float"]).element == "joint 'float'"
    refused("unknown-name", "no joint 'tern'; did you mean 'turn'?", kt.guard, ROBOT, ["tern"])
    for names in ([], ["turn", "turn"]):
        refused("guard", f"joints is {names}; expected one or more different names", kt.guard, ROBOT, names)


def test_forces_of_a_robot_without_masses():
    message = "no link of the robot has an inertial, so there are no parameters"
    refused("no-mass", message, kt.inverse_dynamics, ROBOT, parameters=True)


def test_terms_and_their_numbers():
    message = "'Rq' is not an elementary transform; expected Rx, Ry, Rz, tx, ty, tz and SE3"
    with pytest.raises(kt.KinetreeError, match=message):
        ET("Rq")
    with pytest.raises(kt.KinetreeError, match="'SE3' is not an elementary transform"):
        ET("SE3", joint="q1")
    assert ET("SE3").kind == "SE3"


def test_files_that_are_too_short():
    with pytest.raises(kt.KinetreeError, match="is not an MSH file: it has 15 bytes"):
        read_msh(b"x" * 15, "a.msh")
    with pytest.raises(kt.KinetreeError) as caught:
        read_msh(b"\0" * 16, "a.msh")
    assert "it has 16 bytes" not in str(caught.value)


def test_what_widening_refuses():
    message = "a total over rows of angles and rows of lengths means nothing; ask for one kind at a time"
    robot = limited(("turned", "turn", 1.0, 0.5), ("slid", "slide", 1.0, 0.5))
    refused("unit", message, kt.limits.widen, robot, {"turned": 0.1, "slid": 0.1}, total=0.1)
    for total in (-1.0, np.inf, np.nan):
        message = f"total is {total:g}; expected a finite amount from 0, in rad or m"
        refused("widen", message, kt.limits.widen, robot, {"turned": 0.1}, total=total)


def test_poses_of_several_tools():
    joints, poses = shown("kuka", np.random.default_rng(1))
    message = "all poses are of one tool in one user frame; expected single ones"
    for name in ("tool", "user_frame"):
        refused("pose", message, kt.calibrate, ARM, "kuka", joints, poses, **{name: np.zeros((len(poses), 6))})


def test_columns_without_names():
    message = "a list does not give its columns by name"
    refused("motion", message, _columns, [[1.0], [2.0]], ["turn"])


def test_configurations_by_name():
    pandas = pytest.importorskip("pandas")
    assert entries(pandas.Series([1.0, 2.0], ["a", "b"]), "q") == {"a": 1.0, "b": 2.0}
    assert entries(pandas.DataFrame([[1.0, 2.0]], columns=["a", "b"]), "q") == {"a": 1.0, "b": 2.0}
    refused("q", "at has a name more than once", entries, pandas.Series([1.0, 2.0], ["a", "a"]), "at")
    message = "at has shape (2, 2); expected the joints of one configuration, by name"
    refused("q", message, entries, pandas.DataFrame(np.eye(2), columns=["a", "b"]), "at")
    refused("q", "at is [1.0]; expected a mapping of joint names to values", entries, [1.0], "at")


def test_joints_without_axes_that_stand_elsewhere():
    ball = '<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="{}"><origin xyz="{} 0 0"/>'
    ball += '<parent link="a"/><child link="b"/></joint></robot>'
    one, other = (kt.load(ball.format("floating", x), format="urdf") for x in (0.5, 0.75))
    said = [str(one) for one in kt.compare(one, other).differences]
    assert any("0.25 m away, or turned" in text for text in said), said


def test_names_of_makers_and_their_formats():
    assert repr(controllers["kuka"]).startswith("Controller kuka: X (mm), Y (mm), Z (mm), A (deg)")
    assert plain("KR 10 R1100-2") == "kr10r11002"
