"""Transforms of motions as bags: frames, stamps, floating bases, joints that are missing or unknown."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

import kinetree as kt
from kinetree.logs import read_motion
from kinetree.logs.convert import converted
from kinetree.logs.ros.base import poses_of
from kinetree.logs.ros.folder import read_bag
from kinetree.logs.ros.joints import JOINT_STATE
from kinetree.logs.ros.transforms import extended as extend
from ros_bags import (
    FLOATING,
    ODOMETRY,
    POSE,
    START,
    TF,
    arm,
    base_poses,
    motion,
    placed,
    recorded,
    states,
    written,
)


@pytest.fixture(scope="module")
def robot():
    return arm()


def frames_of(topics, name):
    (topic,) = [topic for topic in topics if topic.name == name]
    return poses_of(topic, lambda *frames: True)


@pytest.mark.slow
def test_all_frames_are_those_of_fk(robot, tmp_path):
    """From a bag to a bag, read back by what does not write: the poses are exactly those of kt.transforms."""
    q, stamps = motion()
    bag = written(tmp_path / "in.mcap", [states(["c", "a", "b"], q[:, [2, 0, 1]], stamps)])
    made = converted(robot, bag)
    out = written(tmp_path / "out.mcap", made.topics)
    found = read_bag(out, (TF, JOINT_STATE, "std_msgs/String"))
    assert found["/joint_states"].data == read_bag(bag, (JOINT_STATE,))["/joint_states"].data
    moving, static = frames_of(found.values(), "/tf"), frames_of(found.values(), "/tf_static")
    assert moving.keys() | static.keys() == {
        ("base", "upper"), ("upper", "lower"), ("lower", "slide"), ("slide", "finger"), ("slide", "tip")
    }  # fmt: skip
    exact = kt.transforms(robot, q)
    for (parent, child), poses in (moving | static).items():
        T, k = kt.fk(robot, child, base=parent)(q), exact.names.index(child)
        n = 1 if (parent, child) in static else len(q)
        np.testing.assert_allclose(poses.T, T[:n], rtol=0, atol=2e-15)
        np.testing.assert_array_equal(poses.positions, exact.positions[:n, k])
        np.testing.assert_array_equal(poses.quat_xyzw, exact.quat_xyzw[:n, k])
        np.testing.assert_array_equal(poses.stamps, stamps[:n])
    (text,) = found["/robot_description"].data
    assert robot.text.text.encode() in text


def test_a_csv_gets_joint_states(robot, tmp_path):
    q, _ = motion(5)
    file = tmp_path / "motion.csv"
    np.savetxt(file, np.c_[np.arange(5) / 4, np.rad2deg(q[:, :2]), q[:, 2]], "%.17g", ",", header="time,a,b,c")
    topics = {topic.name: topic for topic in converted(robot, file, "deg").topics}
    found = read_motion(robot, written(tmp_path / "out.mcap", [*topics.values()]))
    np.testing.assert_allclose(found.q, q, rtol=0, atol=1e-15)
    assert topics["/tf"].log_times == [0, 250_000_000, 500_000_000, 750_000_000, 1_000_000_000]
    file.write_text("a\n0\n")
    with pytest.raises(kt.KinetreeError, match=r"motion.csv has no times; expected a column `time`, in s"):
        converted(robot, file)
    file.write_text("time,a\n-1,0\n")
    with pytest.raises(kt.KinetreeError, match="has the time -1 s; expected 0 to 2147483648 s"):
        converted(robot, file)
    with pytest.raises(kt.KinetreeError, match="has no topics; --joint-states and --odometry are about bags"):
        converted(robot, file, odometry="/odom")


@pytest.mark.parametrize(("type", "name"), [(ODOMETRY, "/odom"), (POSE, "/pose"), (TF, "/tf")])
def test_a_floating_base_comes_from_a_topic(type, name, tmp_path):
    floating, poses = arm(FLOATING), base_poses()
    q, stamps = motion()
    bag = written(tmp_path / "in.mcap", [states(["a", "b", "c"], q, stamps), placed(poses, type, name)])
    made = converted(floating, bag, odometry=None if type == ODOMETRY else name)
    found = frames_of(made.topics, "/tf")["world", "base"]
    np.testing.assert_array_equal(found.positions, poses.positions)
    np.testing.assert_array_equal(found.stamps, poses.stamps)
    assert "which is taken as 'world'" in made.notes[0].message
    assert made.placed == tuple(f"free.{part}" for part in ("x", "y", "z", "qx", "qy", "qz", "qw"))
    if type != POSE:  # between the samples, as SciPy has it
        moved = read_motion(floating, bag)
        at = (stamps - poses.stamps[0]) / 1e9
        known = (poses.stamps - poses.stamps[0]) / 1e9
        expected = [np.interp(at, known, x) for x in poses.positions.T]
        expected += [*Slerp(known, Rotation.from_quat(poses.quat_xyzw))(at).as_quat().T]
        base = [moved.names.index(f"free.{part}") for part in ("x", "y", "z", "qx", "qy", "qz", "qw")]
        np.testing.assert_allclose(np.abs(moved.q[:, base]), np.abs(np.transpose(expected)), rtol=0, atol=1e-12)


def test_odometry_that_begins_late_takes_no_joint_from_tf(tmp_path):
    """Joints need no base; a motion to look at does, and begins with it."""
    floating, poses = arm(FLOATING), base_poses()
    q, stamps = motion()
    late = poses._replace(
        **{name: getattr(poses, name)[40:] for name in ("stamps", "log_times", "positions", "quat_xyzw")}
    )
    bag = written(tmp_path / "in.mcap", [states(["a", "b", "c"], q, stamps), placed(late, ODOMETRY, "/odom")])
    found = frames_of(converted(floating, bag).topics, "/tf")
    assert (len(found["base", "upper"].stamps), len(found["world", "base"].stamps)) == (300, 40)
    moved = read_motion(floating, bag)
    assert len(moved.q) == sum(stamps >= late.stamps[0])
    assert "samples are outside of the times of its poses, and left out" in moved.notes[0].message


def test_a_base_outside_of_the_model_is_put_before_it(robot, tmp_path):
    """Of a frame that is fixed to the root, odometry is moved to the root."""
    poses = base_poses()
    q, stamps = motion()
    joints = states(["a", "b", "c"], q, stamps)
    bag = written(tmp_path / "in.mcap", [joints, placed(poses, ODOMETRY, "/odom")])
    assert ("odom", "base") not in frames_of(converted(robot, bag).topics, "/tf")
    np.testing.assert_array_equal(
        frames_of(converted(robot, bag, odometry="/odom").topics, "/tf")["odom", "base"].quat_xyzw, poses.quat_xyzw
    )
    footed = kt.edit.add_frame(robot, "foot", "base", [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, -0.2], [0, 0, 0, 1]])
    bag = written(tmp_path / "in.mcap", [joints, placed(poses, ODOMETRY, "/odom", "foot")])
    found = frames_of(converted(footed, bag, odometry="/odom").topics, "/tf")["odom", "base"]
    np.testing.assert_allclose(found.T @ kt.fk(footed, "foot")(q[0]), poses.T, rtol=0, atol=1e-14)
    bag = written(tmp_path / "in.mcap", [joints, placed(poses, ODOMETRY, "/odom", "tip")])
    with pytest.raises(kt.KinetreeError, match="/odom has poses of tip in odom; expected those of 'base' in one frame"):
        converted(robot, bag, odometry="/odom")
    with pytest.raises(kt.KinetreeError, match=r"no topic /nope of type .*; legal for --odometry are /odom"):
        converted(robot, bag, odometry="/nope")


def test_missing_and_unknown_joints_are_named_once(robot, tmp_path):
    q, stamps = motion(50)
    topic = states(["wheel", "a", "f", "b"], np.c_[q[:, 0], q[:, :1], q[:, 2], q[:, 1:2]], stamps)
    found = read_motion(robot, written(tmp_path / "bag.mcap", [topic]))
    assert found.names == ("a", "b")
    unknown, follower = found.notes
    assert unknown.message == "not joints of the robot that turn or slide: wheel (50 of 50 messages)"
    assert follower.message.startswith("joint 'f' is up to 0.")
    assert "off 'b', which it follows" in follower.message


def test_positions_that_are_no_numbers_are_not_given(robot, tmp_path):
    q, stamps = motion(9)
    q[4, 0], q[:, 2] = np.nan, np.nan
    found = read_motion(robot, written(tmp_path / "bag.mcap", [states(["a", "b", "c"], q, stamps)]))
    assert found.names == ("a", "b")
    assert found.q[4].tolist() == [q[3, 0], q[4, 1]]
    (note,) = found.notes
    assert note.message == "positions that are no numbers are left out: c (9 of 9 messages), a (1 of 9 messages)"


def test_messages_of_some_joints_each_are_joined(robot, tmp_path):
    """A joint keeps its value until the next message that names it; equal and swapped stamps are sorted."""
    stamps = START + np.array([0, 1, 1, 2, 4, 3]) * 10**7
    parts = [
        states([name], np.array([[value]]), stamps[k : k + 1])
        for k, (name, value) in enumerate([("a", 0.1), ("b", 0.2), ("a", 0.3), ("b", 0.4), ("a", 0.5), ("b", 0.6)])
    ]
    for part in parts[1:]:
        parts[0] = extend(parts[0], part.data, np.array(part.log_times))
    found = read_motion(robot, written(tmp_path / "bag.db3", parts[:1]))
    assert found.q.tolist() == [[0.3, 0.2], [0.3, 0.4], [0.3, 0.6], [0.5, 0.6]]
    assert found.times.tolist() == [0, 0.01, 0.02, 0.03]
    assert found.notes[0].message == "the first 2 rows are left out, before all joints have a position"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda a, s: [states(["a"], a[:, :2], s)], r"message 0: byte \d+ of .*: has 2 positions for 1 names"),
        (lambda a, s: [states(["a", "a"], a[:, :2], s)], "names joint 'a' twice"),
        (
            lambda a, s: [states(["x"], a[:, :1], s)],
            "topic /joint_states has no positions of joints of the robot 'arm'; it has x",
        ),
        (lambda a, s: [states(["a"], a[:, :1] * np.nan, s)], "has no positions of joints of the robot 'arm'"),
        (
            lambda a, s: [states(["a"], a[:, :1] + np.inf, s)],
            r"message 0: byte \d+ of the chunk at byte 46: column 'a' is inf",
        ),
        (
            lambda a, s: [
                replace(states(["a"], a[:, :1], s - 5 * 10**9 * (np.arange(len(s)) > 7)), log_times=s.tolist())
            ],
            "message 8: .*the stamp is 4.98 s",
        ),
        (
            lambda a, s: [states(["a"], a[:, :1], s, "/x"), states(["a"], a[:, :1], s, "/y")],
            "there are 2 topics of type sensor_msgs/JointState; legal for --joint-states are /x, /y",
        ),
    ],
)
def test_joint_states_that_are_refused(robot, tmp_path, change, message):
    q, stamps = motion(20)
    with pytest.raises(kt.KinetreeError, match=message):
        converted(robot, written(tmp_path / "bag.mcap", change(q, stamps)))


def test_stamps_of_zero_are_those_of_the_recording(robot, tmp_path):
    q, stamps = motion(20)
    topic = replace(states(["a"], q[:, :1], 0 * stamps), log_times=stamps.tolist())
    assert read_motion(robot, written(tmp_path / "bag.mcap", [topic])).times[-1] == pytest.approx(19 * 0.02)


def test_a_robot_that_urdf_lacks_has_no_description(tmp_path):
    ball = kt.load(
        '<sdf version="1.9"><model name="m"><link name="a"/><link name="b"/>'
        '<joint name="j" type="ball"><parent>a</parent><child>b</child></joint>'
        '<link name="c"/><joint name="k" type="revolute"><parent>b</parent><child>c</child><axis/></joint>'
        "</model></sdf>",
        format="sdf",
    )
    file = tmp_path / "motion.csv"
    file.write_text("time,k\n0,0\n1,1\n")
    made = converted(ball, file)
    assert {topic.name for topic in made.topics} == {"/joint_states", "/tf"} | {
        topic.name for topic in made.topics if topic.name == "/tf_static"
    }
    unnamed, undescribed = made.notes
    assert unnamed.message == "is without joints of several coordinates: j; their values are in /tf alone"
    assert "is left out, because the robot cannot be written as URDF" in undescribed.message


def test_a_bag_is_in_radians(robot, tmp_path):
    bag = recorded(tmp_path / "bag.mcap", robot)
    for ask in (lambda: read_motion(robot, bag, unit="deg"), lambda: converted(robot, bag, "deg")):
        with pytest.raises(kt.KinetreeError, match="the angles in a bag of ROS 2 are in rad"):
            ask()
