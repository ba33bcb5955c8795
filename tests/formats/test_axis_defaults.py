"""What a joint without an axis means: each format's own default, said aloud where a file relies on it."""

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.model.assemble import build, parts_of

URDF = """<robot name="r"><link name="a"/><link name="b"/>
<joint name="j" type="{kind}"><parent link="a"/><child link="b"/>{axis}
<limit lower="-1" upper="1" velocity="2" effort="3"/></joint></robot>"""
SDF = """<sdf version="1.10"><model name="m"><link name="a"/><link name="b"/>
<joint name="j" type="{kind}"><parent>a</parent><child>b</child>{axis}</joint></model></sdf>"""
MJCF = """<mujoco><worldbody><body name="a"><body name="b"><joint name="j" type="{kind}" {axis}/>
<geom size="1"/></body></body></worldbody></mujoco>"""
MOVING = ("revolute", "continuous", "prismatic", "planar")
X, Z = [[1.0, 0.0, 0.0]], [[0.0, 0.0, 1.0]]


def said(robot, code):
    return [note for note in robot.notes if note.code == code]


@each("kind", MOVING)
def test_urdf_has_x_with_a_warning_that_says_so(kind):
    robot = kt.load(URDF.format(kind=kind, axis=""), format="urdf")
    np.testing.assert_array_equal(robot.joints["j"].axes, X)
    (note,) = said(robot, "default-axis")
    assert (note.severity, note.element, note.source.line) == ("warning", "joint 'j'", 2)
    assert "x (1 0 0)" in note.message
    assert '<axis xyz="0 0 1"/>' in note.fix


@each("kind", MOVING)
@each("axis", ["<axis/>", '<axis xy="0 0 1"/>', "<axis>0 0 1</axis>", '<axis xyz=""/>'])
def test_an_axis_of_urdf_that_says_nothing_is_an_error(kind, axis):
    with pytest.raises(kt.KinetreeError) as caught:
        kt.load(URDF.format(kind=kind, axis=axis), format="urdf")
    (finding,) = caught.value.findings
    assert finding.code == ("number" if "xyz=" in axis else "missing-attribute")
    assert finding.source.line == 2
    assert "3 finite numbers" in finding.message


@pytest.mark.parametrize("kind", ["fixed", "floating"])
def test_a_joint_without_axes_needs_none(kind):
    assert not said(kt.load(URDF.format(kind=kind, axis=""), format="urdf"), "default-axis")


@each("axis", ["<axis><xyz/></axis>", "<axis><xyz> </xyz></axis>"])
def test_an_empty_axis_of_sdf_is_an_error_as_in_libsdformat(axis):
    with pytest.raises(kt.KinetreeError, match="<xyz> is empty; expected 3 finite numbers"):
        kt.load(SDF.format(kind="revolute", axis=axis), format="sdf")


@each("axis", ["", "<axis/>"])
@each("kind", ["revolute", "prismatic"])
def test_sdf_has_z_with_a_warning_that_says_so(kind, axis):
    robot = kt.load(SDF.format(kind=kind, axis=axis), format="sdf")
    np.testing.assert_array_equal(robot.joints["j"].axes, Z)
    (note,) = said(robot, "default-axis")
    assert "z (0 0 1)" in note.message
    assert "<xyz>1 0 0</xyz>" in note.fix


def test_an_axis_of_sdf_in_the_words_of_urdf_is_noted():
    robot = kt.load(SDF.format(kind="revolute", axis='<axis xyz="1 0 0"/>'), format="sdf")
    np.testing.assert_array_equal(robot.joints["j"].axes, Z)
    assert ["'xyz'" in note.message for note in said(robot, "not-understood")] == [True]
    assert said(robot, "default-axis")


@pytest.mark.parametrize("kind", ["hinge", "slide"])
def test_mjcf_has_z(kind):
    robot = kt.load(MJCF.format(kind=kind, axis=""), format="mjcf")
    np.testing.assert_array_equal(robot.joints["j"].axes, Z)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["urdf", "sdf", "xml"])
@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_a_default_is_the_same_robot_in_every_format(kind, suffix, tmp_path):
    robot = kt.load(URDF.format(kind=kind, axis=""), format="urdf")
    path = tmp_path / f"r.{suffix}"
    for written in (robot, build(parts_of(robot))):  # to the letter, and anew
        kt.save(written, path, without=("velocity_limit",) if suffix == "xml" else ())
        read = kt.load(path)
        np.testing.assert_allclose(read.joints["j"].axes, X, atol=1e-12)
        np.testing.assert_allclose(kt.fk(read, "b")([0.5]), kt.fk(robot, "b")([0.5]), atol=1e-12)
    assert not said(read, "default-axis")  # what is written anew says its axis


@pytest.mark.crosscheck
@pytest.mark.parametrize("kind", ["revolute", "continuous", "prismatic"])
def test_pinocchio_takes_the_same_axis(kind):
    pinocchio = pytest.importorskip("pinocchio")
    text = URDF.format(kind=kind, axis="")
    model = pinocchio.buildModelFromXML(text)
    data = model.createData()
    q = np.array([0.5]) if model.nq == 1 else np.array([np.cos(0.5), np.sin(0.5)])
    pinocchio.framesForwardKinematics(model, data, q)
    expected = data.oMf[model.getFrameId("b")].homogeneous
    np.testing.assert_allclose(kt.fk(kt.load(text, format="urdf"), "b")([0.5]), expected, atol=1e-12)
