"""What force/torque sensors read, from format to format: exactly, or not at all and aloud."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.formats import dh, mjcf
from kinetree.formats.registry import FORMATS
from kinetree.model.assemble import build, parts_of
from kinetree.model.robot import ForceTorque, Robot
from support import contact_reading

FRAMES = ("child", "parent", "sensor")
URDF = """<robot name="r"><link name="a"/><link name="b"/>
  <joint name="j" type="{type}"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>
    <origin xyz="{joint}" rpy="0.3 0 0.1"/></joint>
  <sensor name="ft" type="force_torque"><parent joint="j"/><origin xyz="{sensor}" rpy="0 0 1.2"/>
    <force_torque>
      <frame>{frame}</frame><measure_direction>{direction}</measure_direction>{rest}
    </force_torque>
  </sensor></robot>"""
SDF = """<sdf version="1.7"><model name="r"><link name="a"/><link name="b"><pose>0 0 1 0 0.4 0</pose></link>
  <joint name="j" type="{type}"><pose>{joint} 0 0.2 0</pose><parent>a</parent><child>b</child>{axis}
    <sensor name="ft" type="force_torque"><pose>{sensor} 0 0 0.7</pose>
      <force_torque>
        <frame>{frame}</frame><measure_direction>{direction}</measure_direction>{rest}
      </force_torque>
    </sensor></joint></model></sdf>"""
PLAIN = {"joint": "0 0 0", "sensor": "0 0 0", "direction": "parent_to_child", "rest": "", "frame": "child"}
NOISE = "<force><x><noise type='gaussian'><mean>0.1</mean></noise></x></force>"


def from_urdf(type="fixed", **words) -> Robot:
    text = URDF.format(type=type, **PLAIN | words)
    return kt.load(text.replace('<axis xyz="0 1 0"/>', "") if type == "fixed" else text, format="urdf")


def from_sdf(type="fixed", **words) -> Robot:
    axis = "" if type == "fixed" else "<axis><xyz>0 1 0</xyz></axis>"
    return kt.load(SDF.format(type=type, axis=axis, **PLAIN | words), format="sdf")


def edited(robot: Robot) -> Robot:
    """So that it is written anew."""
    return kt.edit.add_frame(robot, "extra", "a")


def through(robot: Robot, format: str, without=()) -> Robot:
    return kt.load(FORMATS[format].write(edited(robot), without), format=format)


def reading(robot: Robot):
    q = robot.q(j=0.4) if robot.nq else robot.q()
    return contact_reading(robot, "ft", "b")(q, np.arange(1.0, 7.0))


def survives(robot: Robot, format: str) -> bool:
    """Whether the sensor reads the same from that format; if not, an error says so and nothing else."""
    try:
        again = through(robot, format)
    except kt.KinetreeError as error:
        assert [f.code for f in error.findings] == ["cannot-say-force_torque"]
        assert error.findings[0].element == "sensor 'ft'"
        assert through(robot, format, ("force_torque",)).sensors["ft"].force_torque is None
        return False
    np.testing.assert_allclose(reading(again), reading(robot), rtol=0, atol=1e-12)
    return True


class TestReading:
    def test_all_words(self):
        measures = {"parent_to_child": "parent_on_child", "child_to_parent": "child_on_parent"}
        for make, point in ((from_urdf, "frame"), (from_sdf, "joint")):
            for frame in FRAMES:
                for direction, name in measures.items():
                    sensor = make(frame=frame, direction=direction).sensors["ft"]
                    assert sensor.force_torque == ForceTorque(name, frame, point)
                    assert sensor.extensions == ()

    @pytest.mark.parametrize("said", ["<force_torque/>", "<force_torque><frame/></force_torque>"])
    def test_what_is_left_out_is_as_in_sdf(self, said):
        start, end = "<force_torque>", "</force_torque>"
        for text, format in ((URDF, "urdf"), (SDF, "sdf")):
            before, _, after = text.format(type="fixed", axis="", **PLAIN).partition(start)
            text = before.replace('<axis xyz="0 1 0"/>', "") + said + after.partition(end)[2]
            word = kt.load(text, format=format).sensors["ft"].force_torque
            assert (word.measures, word.axes) == ("child_on_parent", "child")

    @pytest.mark.parametrize("tag", ["frame", "measure_direction"])
    def test_a_sensor_with_a_word_that_is_none_is_left_out(self, tag):
        key = {"frame": "frame", "measure_direction": "direction"}[tag]
        for make, place in ((from_urdf, "<text>:6:"), (from_sdf, "<text>:5:")):
            robot = make(**{key: "world"})
            assert list(robot.sensors) == []
            (finding,) = (note for note in robot.notes if note.code == "left-out")
            assert str(finding.source).startswith(place)
            assert finding.message.endswith("sensor 'ft' is left out")
            assert finding.element == "sensor 'ft'"
            assert finding.message.startswith(f"<{tag}> is 'world'; expected '")
            assert f"<{tag}>world" in finding.excerpt

    def test_of_a_word_that_stands_twice_the_first_is_used(self):
        robot = from_sdf(rest="<frame>parent</frame>")
        assert robot.sensors["ft"].force_torque == from_sdf().sensors["ft"].force_torque
        assert "contradiction" in [note.code for note in robot.notes]

    def test_a_word_with_an_attribute_is_remarked_upon(self):
        text = SDF.format(type="fixed", axis="", **PLAIN).replace("<force_torque>", '<force_torque units="lb">')
        codes = [note.code for note in kt.load(text, format="sdf").notes]
        assert [code for code in codes if code != "no-inertial"] == ["not-understood"]

    def test_in_urdf_the_element_may_give_the_type(self):
        text = URDF.format(type="continuous", **PLAIN).replace(' type="force_torque"', "")
        assert kt.load(text, format="urdf").sensors["ft"].type == "force_torque"


class TestTheRestOfTheElement:
    @pytest.mark.parametrize(("make", "format"), [(from_urdf, "urdf"), (from_sdf, "sdf")])
    def test_comes_back_whole_and_once(self, make, format):
        robot = make(rest=NOISE, frame="sensor")
        text = FORMATS[format].write(edited(robot), ())
        for tag in ("force_torque", "frame", "measure_direction", "noise", "mean"):
            assert text.count(f"</{tag}>") == 1
        again = kt.load(text, format=format)
        assert again.sensors["ft"].force_torque == robot.sensors["ft"].force_torque
        ours, theirs = ([(e.tag, e.text) for e in r.sensors["ft"].extensions] for r in (again, robot))
        assert ours == theirs == [("force_torque/force", NOISE)]

    @pytest.mark.parametrize(("make", "other"), [(from_urdf, "sdf"), (from_sdf, "urdf")])
    def test_is_carried_elsewhere_and_the_reading_stays(self, make, other):
        robot = make(rest=NOISE)
        again = through(robot, other)
        np.testing.assert_allclose(reading(again), reading(robot), rtol=0, atol=1e-12)
        if make is from_sdf:  # in URDF the noise is in a block of Gazebo
            again = kt.load(kt.text(again, "sdf"), format="sdf")
        ours, theirs = ([replace(e, source=None) for e in one.sensors["ft"].extensions] for one in (again, robot))
        assert ours == theirs

    @pytest.mark.parametrize(("make", "format"), [(from_urdf, "urdf"), (from_sdf, "sdf")])
    def test_goes_with_what_it_belongs_to(self, make, format):
        """An element that holds noise alone would say the defaults."""
        again = through(make(rest=NOISE), format, ("force_torque",))
        assert again.sensors["ft"].force_torque is None
        assert again.sensors["ft"].extensions == ()


class TestConversion:
    """URDF takes moments about the origin of the frame in which it reads, SDF about that of the joint."""

    @pytest.mark.slow
    @each("frame", FRAMES)
    @each("type", ["fixed", "continuous", "prismatic"])
    @each("joint", ["0 0 0", "0.1 0 1"])
    @each("sensor", ["0 0 0", "0.2 0 0"])
    def test_urdf_to_sdf(self, frame, type, joint, sensor):
        robot = from_urdf(type, frame=frame, joint=joint, sensor=sensor)
        same = {"child": True, "sensor": sensor == "0 0 0", "parent": joint == "0 0 0" and type != "prismatic"}
        assert survives(robot, "sdf") == same[frame]

    @pytest.mark.slow
    @each("frame", FRAMES)
    @each("type", ["fixed", "revolute", "prismatic"])
    @each("joint", ["0 0 0", "0.1 0 -0.4"])
    @each("sensor", ["0 0 0", "0.2 0 0"])
    def test_sdf_to_urdf(self, frame, type, joint, sensor):
        robot = from_sdf(type, frame=frame, joint=joint, sensor=sensor)
        same = {"child": joint == "0 0 0", "sensor": sensor == "0 0 0", "parent": False}
        assert survives(robot, "urdf") == same[frame]

    @pytest.mark.parametrize("frame", FRAMES)
    @pytest.mark.parametrize("type", ["fixed", "revolute", "prismatic"])
    @pytest.mark.parametrize("joint", ["0 0 0", "0.1 0 -0.4"])
    @pytest.mark.slow
    def test_to_dh_and_back(self, frame, type, joint):
        """Tables say the point; but the frames of joints that move are others there."""
        sensor = "0.2 0 0"
        assert survives(from_urdf("continuous" if type == "revolute" else type, frame=frame, joint=joint), "dh")
        robot = from_sdf(type, frame=frame, joint=joint, sensor=sensor)
        assert survives(robot, "dh") == (joint == "0 0 0" and (type == "fixed" or frame == "child"))
        assert survives(from_sdf(type, joint=joint, frame="sensor"), "dh")

    def test_a_table_says_the_point_where_it_is_that_of_the_joint(self):
        robot = from_sdf(frame="parent")
        text = dh.write(robot)
        said = 'force_torque = { frame = "parent", measure_direction = "parent_to_child", point = "joint" }'
        assert said in text.splitlines()
        assert kt.load(text, format="dh").sensors["ft"].force_torque == robot.sensors["ft"].force_torque
        with pytest.raises(kt.KinetreeError, match=r"point = 'frame' \| 'joint'"):
            kt.load(text.replace('"joint" }', '"world" }'), format="dh")

    @each(
        "words, said",
        [
            ({"frame": "sensor", "direction": "parent_to_child"}, True),
            ({"frame": "sensor", "direction": "child_to_parent"}, True),
            ({"frame": "child", "direction": "parent_to_child"}, True),
            ({"frame": "parent", "direction": "parent_to_child"}, False),
        ],
    )
    def test_mujoco_reads_what_the_parent_exerts_in_the_frame_of_the_site(self, words, said):
        robot = from_urdf("continuous", sensor="0.2 0 0", **words)
        if said:
            notes = []
            assert "<force " in mjcf.write(robot, notes=notes)
            opposite = [note.element for note in notes if note.code == "opposite"]
            assert opposite == ["sensor 'ft'"] * (words["direction"] == "child_to_parent")
        else:
            with pytest.raises(kt.KinetreeError, match=r"MJCF cannot express a reading of .*force_torque"):
                mjcf.write(robot)
        assert "<force " in mjcf.write(robot, without=("force_torque",))

    def test_a_table_needs_the_parent_as_a_link(self):
        parts = parts_of(from_urdf("continuous", frame="parent"))
        text = '<robot name="r"><link name="base"/><link name="a"/><joint name="k" type="fixed"><parent link="base"/>'
        base = kt.load(text + '<child link="a"/><origin xyz="1 0 0"/></joint></robot>', format="urdf")
        parts.links.insert(0, base.links["base"])
        parts.joints.insert(0, base.joints["k"])
        assert not survives(build(parts), "dh")
        parts.sensors = [replace(s, force_torque=replace(s.force_torque, axes="child")) for s in parts.sensors]
        assert survives(build(parts), "dh")

    def test_a_sensor_of_a_link_has_no_such_place(self):
        for make, other in ((from_urdf, "sdf"), (from_sdf, "urdf")):
            parts = parts_of(make(frame="sensor"))
            parts.sensors = [replace(s, joint=None) for s in parts.sensors]
            again = through(build(parts), other).sensors["ft"].force_torque
            assert (again.measures, again.axes) == ("parent_on_child", "sensor")


class TestEdits:
    def test_locking_the_joint_leaves_the_reading(self):
        robot = from_sdf("revolute", frame="parent", joint="0.1 0 -0.4")
        locked = kt.edit.lock(robot, {"j": 0.4})
        np.testing.assert_allclose(reading(locked), reading(robot), rtol=0, atol=1e-14)

    @pytest.mark.slow
    @each("frame", ["child", "parent", "sensor"])
    def test_moving_a_frame_is_noted_where_it_changes_the_reading(self, frame):
        """Of the weight alone, whose direction stays in space where the root turns."""
        parts = parts_of(from_sdf("revolute", frame=frame, joint="0.1 0 -0.4"))
        (sensor,) = parts.sensors
        slid, turned, g = np.eye(4), np.eye(4), np.array([1.0, 2.0, -9.81])
        slid[0, 3], turned[:3, :3] = 0.5, [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
        for point, link, T in product(("joint", "frame"), "ab", (slid, turned)):
            parts.sensors = [replace(sensor, force_torque=replace(sensor.force_torque, point=point))]
            robot = build(parts)
            moved = kt.edit.move_frame(robot, link, T)
            before, after = (
                kt.dynamics.sensor_reading(one, "ft", gravity=tuple(down)).interpret([0.4], [0.0], [0.0])
                for one, down in ((robot, g), (moved, T[:3, :3].T @ g if link == "a" else g))
            )
            noted = "moved-reading" in [note.code for note in moved.notes]
            assert noted == (np.abs(before - after).max() > 1e-9), (point, link, T)

    def test_names_change_and_the_reading_stays(self):
        robot = from_sdf(frame="parent", joint="0.1 0 -0.4")
        again = kt.edit.rename(robot, {"a": "upper", "j": "cut"})
        assert again.sensors["ft"].force_torque == robot.sensors["ft"].force_torque
        np.testing.assert_array_equal(reading(again), reading(robot))
