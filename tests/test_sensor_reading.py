"""What force/torque sensors read: which wrench, in which axes, about which point."""

from __future__ import annotations

import re

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.model.force_torque import MEASURES
from kinetree.spatial import se3
from support import contact_reading

SENSOR = """<robot name="r"><link name="a"/><link name="b"/><link name="c"/>
  <joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
    <origin xyz="0 0 1" rpy="0.3 0 0"/></joint>
  <joint name="k" type="fixed"><parent link="b"/><child link="c"/><origin xyz="1 0 0"/></joint>
  <sensor name="ft" type="force_torque"><parent joint="j"/><origin xyz="0 0.5 0" rpy="0 0 1.2"/>{}</sensor>
  <sensor name="imu" type="imu"><parent link="b"/></sensor></robot>"""


def sensing(said=""):
    return kt.load(SENSOR.format(said), format="urdf")


@pytest.mark.slow
@each(
    "said, frame, measures",
    [
        ("", "own", "parent_on_child"),
        ("<force_torque/>", "b", None),
        ("<force_torque><frame> sensor </frame></force_torque>", "own", None),
        ("<force_torque><frame>parent</frame></force_torque>", "a", None),
        ("<force_torque><measure_direction>parent_to_child</measure_direction></force_torque>", "b", "parent_on_child"),
    ],
)
def test_the_frame_and_the_sign_that_are_declared(said, frame, measures):
    robot = sensing(said)
    q, w = np.array([0.7]), np.random.default_rng(8).normal(size=6)
    place = "b" if frame == "own" else frame
    T = np.linalg.inv(robot.sensors["ft"].origin if frame == "own" else np.eye(4)) @ kt.fk(robot, "c", place)(q)
    f = T[:3, :3] @ w[:3]
    felt = np.concatenate([f, T[:3, :3] @ w[3:] + np.cross(T[:3, 3], f)])
    signs = {"parent_on_child": -1.0, "child_on_parent": 1.0}
    for word, sign in signs.items():
        reading = contact_reading(robot, "ft", "c", word)(q, w)
        np.testing.assert_allclose(reading, sign * felt, rtol=0, atol=1e-14)
    if said:
        reading = contact_reading(robot, "ft", "c")(q, w)
        np.testing.assert_allclose(reading, signs[measures or "child_on_parent"] * felt, rtol=0, atol=1e-14)
    assert set(signs) == set(MEASURES)


SDF = """<sdf version="1.7"><model name="m"><link name="a"/><link name="b"><pose>0 0 1 0 0 {turned}</pose></link>
  <joint name="j" type="{type}"><pose>{joint}</pose><parent>a</parent><child>b</child>{axis}
    <sensor name="ft" type="force_torque"><pose>0.2 0 0 0 0 {sensor}</pose>
      <force_torque><frame>{frame}</frame><measure_direction>{direction}</measure_direction></force_torque>
    </sensor></joint></model></sdf>"""
WORDS = {
    "type": "fixed",
    "turned": 0,
    "joint": "0 0 0 0 0 0",
    "axis": "",
    "sensor": 0,
    "frame": "parent",
    "direction": "child_to_parent",
}


def sdf_sensing(**words):
    return kt.load(SDF.format(**WORDS | words), format="sdf")


class TestSDF:
    """forcetorque.sdf: "for each option the point with respect to which the torque component of the wrench is expressed
    is the joint origin"; its <frame> gives the orientation alone."""

    def test_the_moment_is_about_the_joint_where_the_child_link_is(self):
        robot = sdf_sensing(direction="parent_to_child")
        reading = contact_reading(robot, "ft", "b")([], [1, 0, 0, 0, 0, 0])
        assert reading.tolist() == [-1, 0, 0, 0, 0, 0]

    @each("frame", ["parent", "child", "sensor"])
    def test_the_moment_is_about_the_joint_in_any_frame(self, frame):
        robot = sdf_sensing(frame=frame, joint="0 0 -0.4 0 0 0")
        reading = contact_reading(robot, "ft", "b")([], [1, 0, 0, 0, 0, 0])
        np.testing.assert_allclose(reading, [1, 0, 0, 0, 0.4, 0], rtol=0, atol=1e-15)

    @each("frame, turned", [("parent", 0.0), ("child", 0.3), ("sensor", 1.0)])
    def test_the_frame_turns_the_axes(self, frame, turned):
        robot = sdf_sensing(frame=frame, turned=0.3, joint="0 0 -0.4 0 0 0", sensor=0.7)
        w_a = np.array([1.0, 2.0, 3.0, 0.1, 0.2, 0.3])  # at b's origin, in a's axes
        R_a_b = se3.rotation((0, 0, 1), 0.3)
        reading = contact_reading(robot, "ft", "b")([], np.concatenate([R_a_b.T @ w_a[:3], R_a_b.T @ w_a[3:]]))
        R = se3.rotation((0, 0, 1), turned).T
        expected = [*(R @ w_a[:3]), *(R @ (w_a[3:] + np.cross((0, 0, 0.4), w_a[:3])))]
        np.testing.assert_allclose(reading, expected, rtol=0, atol=1e-15)

    @pytest.mark.slow
    @each("type", ["revolute", "prismatic"])
    @each("frame", ["parent", "child"])
    def test_the_joint_moves_with_the_child(self, type, frame):
        axis = "<axis><xyz>0 1 0</xyz></axis>"
        robot = sdf_sensing(frame=frame, type=type, axis=axis, joint="0.1 0 -0.4 0 0 0")
        T = kt.fk(robot, "b")([0.5])
        reading = contact_reading(robot, "ft", "b")([0.5], w := np.arange(1.0, 7.0))
        R = T[:3, :3] if frame == "parent" else np.eye(3)
        moment = w[3:] + np.cross((-0.1, 0, 0.4), w[:3])
        np.testing.assert_allclose(reading, [*(R @ w[:3]), *(R @ moment)], rtol=0, atol=1e-14)

    def test_a_sensor_without_words_of_its_own_has_to_be_told(self):
        text = re.sub("<force_torque>.*</force_torque>", "", SDF.format(**WORDS), flags=re.DOTALL)
        robot = kt.load(text, format="sdf")
        with pytest.raises(kt.KinetreeError, match="does not say what it measures"):
            contact_reading(robot, "ft", "b")
        reading = contact_reading(robot, "ft", "b", "child_on_parent")([], [0, 0, 1, 0, 0, 0])
        assert reading.tolist() == [0, 0, 1, 0, 0.2, 0]  # about the sensor's own origin


def test_two_sensors_apart_have_kernels_of_their_own():
    """The place of a sensor is not in the tree, and two robots that differ in it alone share no compiled code."""
    near, far = (kt.load(SENSOR.format("").replace("0 0.5 0", p), format="urdf") for p in ("0 0.5 0", "0 0.6 0"))
    w = [0, 0, 1, 0, 0, 0]
    readings = [contact_reading(r, "ft", "b", "child_on_parent")([0.0], w) for r in (near, far)]
    assert np.linalg.norm(readings[0] - readings[1]) == pytest.approx(0.1, abs=1e-12)


@each(
    "arguments, said",
    [
        (("ft", "c"), r"does not say what it measures; pass measures='parent_on_child' or measures='child_on_parent'"),
        (("ft", "c", "both"), "measures is 'both'; expected one of 'parent_on_child', 'child_on_parent'"),
        (("ft", "c", ""), "measures is ''"),
        (("imu", "c"), "sensor 'imu': is of type 'imu'; expected force_torque sensors of joints: 'ft'"),
        (("fr", "c"), "no sensor 'fr'; did you mean 'ft'"),
        (("ft", "d", "child_on_parent"), "no frame 'd'"),
    ],
)
def test_readings_that_cannot_be(arguments, said):
    with pytest.raises(kt.KinetreeError, match=said):
        contact_reading(sensing(), *arguments)


def test_what_touches_the_near_side_is_not_felt():
    assert not contact_reading(sensing(), "ft", "a", "child_on_parent")([0.3], np.arange(6.0)).any()


def test_a_force_torque_sensor_of_no_joint():
    robot = kt.load(SENSOR.format("").replace('<parent joint="j"/>', '<parent link="b"/>'), format="urdf")
    with pytest.raises(kt.KinetreeError, match=r"sensor 'ft': is of no joint; .*: there are none"):
        contact_reading(robot, "ft", "c", "child_on_parent")


@pytest.mark.parametrize("frame", ["child", "parent", "sensor"])
@pytest.mark.parametrize("direction", ["child_to_parent", "parent_to_child"])
@pytest.mark.slow
def test_a_joint_that_was_turned_round_reads_the_same(frame, direction):
    """What holds the root against a wrench beyond the joint is, seen from there, the wrench beyond the joint."""
    said = f"<force_torque><frame>{frame}</frame><measure_direction>{direction}</measure_direction></force_torque>"
    words = {"frame": frame, "direction": direction, "joint": "0.1 0.2 -0.4 0.3 0 0", "turned": 0.3, "sensor": 0.7}
    axis = "<axis><xyz>0 1 0</xyz></axis>"
    models = [(sensing(said), "c", [0.4]), (sdf_sensing(**words), "b", [])]
    models.append((sdf_sensing(**words, type="revolute", axis=axis), "b", [0.4]))
    w = np.arange(1.0, 7.0)
    for robot, tip, q in models:
        turned = kt.edit.reroot(robot, tip)
        held = -kt.dynamics.wrench(robot, tip)(q, w)
        there, here = (
            contact_reading(robot, "ft", tip)(q, w),
            contact_reading(turned, "ft", "a")(q, held),
        )
        np.testing.assert_allclose(here, there, rtol=0, atol=1e-13)
        assert "the same wrench is called" in turned.notes[-1].message


def test_where_a_joint_slides_its_origin_cannot_be_turned_round():
    robot = sdf_sensing(type="prismatic", axis="<axis><xyz>0 1 0</xyz></axis>")
    turned = kt.edit.reroot(robot, "b")
    assert turned.sensors["ft"].force_torque is None
    assert "no longer says what it measures" in turned.notes[-1].message


def test_a_joint_of_no_words_that_was_turned_round():
    w = np.arange(6.0)
    reading = contact_reading(kt.edit.reroot(sensing(), "c"), "ft", "a", "child_on_parent")([0.4], w)
    assert np.linalg.norm(reading[:3]) == pytest.approx(np.linalg.norm(w[:3]))
