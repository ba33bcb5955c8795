"""[[fixed]] in a DH table: a joint without motion that cuts a link in two."""

from dataclasses import replace

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.formats import dh
from kinetree.model.assemble import build, parts_of
from kinetree.model.robot import Joint, Link, Sensor
from support import all_frames, contact_reading, icub_urdfs, random_q

TEXT = """
name = "arm"
convention = "dh"
units = { length = "m", angle = "deg" }

[[chain]]
name = "arm"
rows = [
  { joint = "shoulder", a = 0.3, d = 0.1, alpha = 90, theta = 20, link = "upper", frame = "end_of_upper" },
  { joint = "elbow",    a = 0.2, d = 0,   alpha = 0,  theta = 0,  link = "fore" },
]
"""
FIXED = """
[[fixed]]
joint = "ft_sensor"
on = "upper"
link = "upper_behind"
xyz = [0.1, 0, 0.05]
rpy = [0, 30, 10]
"""
SENSOR = """
[[frame]]
name = "ft_frame"
on = "upper_behind"

[[sensor]]
name = "ft"
type = "force_torque"
frame = "ft_frame"
joint = "ft_sensor"
"""


def read(text: str) -> kt.Robot:
    robot, findings = dh.read(text, "arm.toml")
    assert robot is not None, "\n".join(map(str, findings))
    return robot


def test_all_that_hung_on_the_link_hangs_behind_the_cut_in_the_same_place():
    whole, cut = read(TEXT), read(TEXT + FIXED + SENSOR)
    assert cut.joint_names == whole.joint_names
    assert [(j.name, j.type, j.parent, j.child) for j in cut.joints.values()] == [
        ("shoulder", "revolute", "base_link", "upper"),
        ("ft_sensor", "fixed", "upper", "upper_behind"),
        ("elbow", "revolute", "upper_behind", "fore"),
    ]
    assert cut.frames["end_of_upper"].link == "upper_behind"
    assert cut.frames["ft_frame"].link == "upper_behind"
    assert cut.sensors["ft"].joint == "ft_sensor"
    q = random_q(whole, np.random.default_rng(3))
    poses, there = all_frames(cut, q), all_frames(whole, q)
    assert max(np.abs(poses[name] - T).max() for name, T in there.items()) < 1e-15
    T_upper_behind = np.linalg.inv(poses["upper"]) @ poses["upper_behind"]
    assert np.abs(T_upper_behind[:3, 3] - (0.1, 0, 0.05)).max() < 1e-15
    assert T_upper_behind[0, 0] == pytest.approx(np.cos(np.radians(30)) * np.cos(np.radians(10)), abs=1e-15)


def test_the_root_can_be_cut_and_a_link_twice():
    text = TEXT + FIXED.replace('"upper"', '"base_link"') + FIXED.replace("ft_sensor", "two").replace("behind", "last")
    robot = read(text)
    assert robot.root == "base_link"
    assert robot.joints["shoulder"].parent == "upper_behind"
    assert robot.joints["elbow"].parent == "upper_last"
    q = random_q(robot, np.random.default_rng(4))
    assert np.abs(all_frames(robot, q)["fore"] - all_frames(read(TEXT), q)["fore"]).max() < 1e-15


MEASURES = 'force_torque = { frame = "sensor", measure_direction = "parent_to_child" }'


@pytest.mark.slow
@pytest.mark.parametrize("format", ["urdf", "sdf"])
def test_what_a_sensor_measures_goes_through_every_format_that_can_say_it(format, tmp_path):
    arm = read(TEXT + FIXED + SENSOR + MEASURES)
    w = np.array([1.0, 2.0, 3.0, 0.1, 0.2, 0.3])
    q = random_q(arm, np.random.default_rng(5))
    reading = contact_reading(arm, "ft", "fore")(q, w)
    assert np.abs(reading + kt.dynamics.wrench(arm, "fore", base="ft_frame")(q, w)).max() < 1e-12
    kt.save(arm, tmp_path / f"arm.{format}")
    assert np.abs(contact_reading(kt.load(tmp_path / f"arm.{format}"), "ft", "fore")(q, w) - reading).max() < 1e-12
    kt.save(arm, tmp_path / f"bare.{format}", without=("force_torque",))
    with pytest.raises(kt.KinetreeError, match="does not say what it measures"):
        contact_reading(kt.load(tmp_path / f"bare.{format}"), "ft", "fore")


@each("wrong", ['"up"', '{ frame = "sensor" }', '{ frame = "sensor", measure_direction = "up" }'])
def test_what_a_sensor_measures_is_said_in_legal_words(wrong):
    robot, (finding,) = dh.read(TEXT + FIXED + SENSOR + f"force_torque = {wrong}", "x.toml")
    assert robot is None
    assert finding.code == "force-torque"
    assert "'child_to_parent'" in finding.message
    assert finding.source.line == (TEXT + FIXED + SENSOR).count("\n") + 1


@each(
    "wrong, code, said",
    [
        (FIXED.replace('on = "upper"', 'on = "uper"'), "unknown-link", "did you mean 'upper'"),
        (FIXED.replace('link = "upper_behind"\n', ""), "missing-key", "needs link"),
        (FIXED.replace('"upper_behind"', '"fore"'), "duplicate-name", "link 'fore'"),
        (FIXED.replace('"ft_sensor"', '"elbow"'), "duplicate-name", "elbow"),
        (FIXED.replace("xyz", "xzy"), "unknown-key", "did you mean 'xyz'"),
        (FIXED + FIXED, "duplicate-name", "link 'upper_behind'"),
    ],
)
def test_what_cannot_be_cut_is_refused_with_its_line(wrong, code, said):
    robot, findings = dh.read(TEXT + wrong, "arm.toml")
    assert robot is None
    finding = next(f for f in findings if f.code == code)
    assert said in str(finding)
    assert finding.source is not None
    assert finding.source.line is not None


def reread(robot: kt.Robot, without: tuple[str, ...] = ()) -> kt.Robot:
    return read(dh.write(robot, without))


def edited(robot: kt.Robot) -> kt.Robot:
    """So that it is written anew."""
    return kt.edit.add_frame(robot, "extra", robot.root)


class TestWhatIsWritten:
    @pytest.mark.slow
    @pytest.mark.parametrize("changed", ["limits", "frame"])
    def test_an_icub_keeps_its_six_fixed_joints_and_their_sensors(self, changed):
        icub = kt.load("icub", limits="iCubGenova02") if changed == "limits" else edited(kt.load("icub"))
        again = reread(icub, without=("coupled_limit",))  # those of version and vergence
        fixed = {j.name: (j.parent, j.child) for j in icub.joints.values() if j.type == "fixed"}
        assert {j.name: (j.parent, j.child) for j in again.joints.values() if j.type == "fixed"} == fixed
        assert len(fixed) == 6
        assert set(again.links) == set(icub.links)
        assert again.joint_names == icub.joint_names
        links = {name: frame.link for name, frame in icub.frames.items()}
        assert {name: frame.link for name, frame in again.frames.items()} == links
        measured = {s.name: (s.frame, s.joint, s.force_torque) for s in icub.sensors.values()}
        assert {s.name: (s.frame, s.joint, s.force_torque) for s in again.sensors.values()} == measured
        q = random_q(icub, np.random.default_rng(9))
        poses, there = all_frames(again, q), all_frames(icub, q)
        assert max(np.abs(poses[name] - T).max() for name, T in there.items()) < 1e-12

    @pytest.mark.slow
    @each("link", ["upper", "base_link", "fore"])
    def test_cuts_in_the_middle_at_the_root_and_at_the_end(self, link):
        robot = edited(read(TEXT + FIXED.replace('"upper"', f'"{link}"') + SENSOR + MEASURES))
        again = reread(robot)
        assert kt.compare(robot, again).same
        assert again.joints["ft_sensor"].parent == link
        assert again.frames["ft_frame"].link == "upper_behind"
        q, w = random_q(robot, np.random.default_rng(6)), np.arange(6.0)
        reading = contact_reading(robot, "ft", "upper_behind")(q, w)
        assert np.abs(contact_reading(again, "ft", "upper_behind")(q, w) - reading).max() < 1e-12

    def test_two_cuts_of_a_link_in_a_row(self):
        """The first is measured by nobody, but the second hangs on it."""
        first = '[[fixed]]\njoint = "flange"\non = "upper"\nlink = "plate"\nxyz = [0, 0, 0.02]\n'
        robot = edited(read(TEXT + first + FIXED.replace('"upper"', '"plate"') + SENSOR))
        again = reread(robot)
        assert kt.compare(robot, again).same
        assert {name: joint.parent for name, joint in again.joints.items()} == {
            name: joint.parent for name, joint in robot.joints.items()
        }

    def test_what_no_sensor_measures_becomes_a_frame(self):
        again = reread(edited(read(TEXT + FIXED)))
        assert "ft_sensor" not in again.joints
        assert again.frames["upper_behind"].link == "upper"

    def test_a_group_may_name_a_joint_that_is_kept(self):
        robot = read(TEXT + FIXED + SENSOR + '[groups]\nwrist = ["ft_sensor", "elbow"]\n')
        assert reread(edited(robot)).groups["wrist"] == ("ft_sensor", "elbow")

    def test_a_link_from_which_something_else_moves_is_not_cut(self):
        branch = """
[[chain]]
name = "other"
rows = [
  { joint = "shoulder", a = 0, d = 0, alpha = 0, theta = 0 },
  { joint = "second", a = 0.1, d = 0, alpha = 0, theta = 0, link = "beside" },
]
"""
        parts = parts_of(read(TEXT + branch + FIXED + SENSOR))
        parts.joints = [replace(j, parent="upper") if j.name == "second" else j for j in parts.joints]
        robot = build(parts)
        with pytest.raises(
            kt.KinetreeError, match="sensor 'ft': a DH table cannot express a sensor on a fixed joint that"
        ):
            dh.write(robot)
        again = reread(robot, without=("sensor",))
        assert "ft_sensor" not in again.joints
        q = random_q(robot, np.random.default_rng(7))
        assert np.abs(all_frames(again, q)["fore"] - all_frames(robot, q)["fore"]).max() < 1e-12

    def test_two_sensors_side_by_side_are_not_two_cuts(self):
        parts = parts_of(read(TEXT + FIXED.replace('"upper"', '"fore"') + SENSOR))
        parts.links.append(Link("pad"))
        parts.joints.append(Joint("pad_sensor", "fixed", "fore", "pad"))
        parts.sensors.append(Sensor("pad_ft", "force_torque", "pad", joint="pad_sensor"))
        with pytest.raises(kt.KinetreeError) as refused:
            dh.write(build(parts))
        assert [f.element for f in refused.value.findings] == ["sensor 'ft'", "sensor 'pad_ft'"]


@pytest.mark.parametrize("path", icub_urdfs()[:1], ids=lambda path: path.parent.name)
@pytest.mark.slow
def test_sensors_of_a_published_model_read_the_same_from_its_table(path):
    model = kt.load(path)
    again = reread(model, without=("extension", "material", "inertial", "geometry", "dynamics"))
    q, w = random_q(model, np.random.default_rng(8)), np.arange(6.0)
    sensors = [s for s in model.sensors.values() if s.type == "force_torque"]
    assert len(sensors) == 6
    for sensor in sensors:
        link = model.joints[sensor.joint].child
        reading = contact_reading(model, sensor.name, link)(q, w)
        assert np.abs(contact_reading(again, sensor.name, link)(q, w) - reading).max() < 1e-12
