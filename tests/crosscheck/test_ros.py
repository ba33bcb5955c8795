"""Messages and bags of ROS 2 against rosbags and mcap_ros2, which ROS's users read them with."""

import time
from collections import Counter

import numpy as np
import pytest

import kinetree as kt
from kinetree.logs import read_motion, write_motion
from kinetree.logs.convert import converted
from kinetree.logs.ros.cdr import decoded
from kinetree.logs.ros.definitions import DEFINITIONS, full_name, schema_text
from kinetree.logs.ros.mcap import mcap_of
from ros_bags import ODOMETRY, arm, base_poses, motion, placed, states, written
from support import icub_urdfs

pytestmark = pytest.mark.crosscheck
STEPS = 10_000


@pytest.fixture(scope="module")
def types():
    typesys = pytest.importorskip("rosbags.typesys")
    return typesys.get_typestore(typesys.Stores.ROS2_JAZZY)


@pytest.fixture(scope="module")
def icub():
    return kt.load(next(path for path in icub_urdfs() if path.parent.name == "iCubGazeboV2_7"))


@pytest.fixture(scope="module")
def steps(icub):
    """q (10,000, nq) along random segments inside the limits."""
    ends, s = icub.limits.sample(21, seed=3), np.linspace(0, 20, STEPS, endpoint=False)
    k = s.astype(int)
    return ends[k] + (ends[k + 1] - ends[k]) * (s - k)[:, None]


@pytest.fixture(scope="module")
def bag(icub, steps, tmp_path_factory):
    """The whole motion, written."""
    folder = tmp_path_factory.mktemp("icub")
    np.savetxt(
        folder / "motion.csv",
        np.c_[np.arange(STEPS) / 100, steps],
        "%.17g",
        ",",
        header=",".join(["time", *icub.coordinate_names]),
        comments="",
    )
    return written(folder / "out.mcap", list(converted(icub, folder / "motion.csv").topics))


@pytest.mark.parametrize("name", DEFINITIONS)
def test_definitions_are_those_of_ros(types, name):
    """Field by field; rosbags leaves defaults out."""
    ours = [line.split() for line in schema_text(name).splitlines()]
    theirs = [line.split() for line in types.generate_msgdef(full_name(name), ros_version=2)[0].splitlines()]
    sections = {}
    for side, lines in (("ours", ours), ("theirs", theirs)):
        key = name
        for line in lines:
            if line and line[0] == "MSG:":
                key = line[1].replace("/msg/", "/")
            elif line and not line[0].startswith("="):
                type = line[0].replace("/msg/", "/")
                sections.setdefault(side, {}).setdefault(key, []).append((type, line[1]))
    assert sections["ours"] == sections["theirs"]


def test_every_message_has_the_bytes_of_rosbags(types, bag, icub, steps):
    """TFMessage, JointState and String."""
    reader = pytest.importorskip("rosbags.highlevel").AnyReader
    counts = Counter()
    with reader([bag], default_typestore=types) as opened:
        for connection, _, data in opened.messages():
            counts[connection.topic] += 1
            if counts[connection.topic] % 50 == 1:
                message = types.deserialize_cdr(data, connection.msgtype)
                assert bytes(types.serialize_cdr(message, connection.msgtype)) == bytes(data)
    assert counts == {"/tf": STEPS, "/joint_states": STEPS, "/tf_static": 1, "/robot_description": 1}


def test_rosbags_reads_back_the_poses_of_fk(types, bag, icub, steps):
    reader = pytest.importorskip("rosbags.highlevel").AnyReader
    exact = kt.transforms(icub, steps, which="moving")
    with reader([bag], default_typestore=types) as opened:
        (tf,) = [connection for connection in opened.connections if connection.topic == "/tf"]
        (static,) = [connection for connection in opened.connections if connection.topic == "/tf_static"]
        assert [profile.durability.name for profile in static.ext.offered_qos_profiles] == ["TRANSIENT_LOCAL"]
        found = [types.deserialize_cdr(data, tf.msgtype) for _, _, data in opened.messages([tf])]
    assert [one.child_frame_id for one in found[0].transforms] == list(exact.names)
    numbers = np.array(
        [
            [
                (
                    *(getattr(one.transform.translation, x) for x in "xyz"),
                    *(getattr(one.transform.rotation, x) for x in "xyzw"),
                )
                for one in message.transforms
            ]
            for message in found
        ]
    )
    np.testing.assert_array_equal(numbers[..., :3], exact.positions)
    np.testing.assert_array_equal(numbers[..., 3:], exact.quat_xyzw)
    for k, (name, parent) in enumerate(zip(exact.names, exact.parents, strict=True)):
        np.testing.assert_array_equal(exact.T[:, k], kt.fk(icub, name, base=parent)(steps))


def test_mcap_ros2_reads_the_same(bag, icub, steps):
    read = pytest.importorskip("mcap_ros2.reader").read_ros2_messages
    exact = kt.transforms(icub, steps, which="moving")
    tf = [message.ros_msg for message in read(bag, topics=["/tf"])]
    assert len(tf) == STEPS
    for i in range(0, STEPS, 97):
        for k, one in enumerate(tf[i].transforms):
            assert one.child_frame_id == exact.names[k]
            where, turn = one.transform.translation, one.transform.rotation
            assert (where.x, where.y, where.z) == tuple(exact.positions[i, k])
            assert (turn.x, turn.y, turn.z, turn.w) == tuple(exact.quat_xyzw[i, k])
    (text,) = [message.ros_msg.data for message in read(bag, topics=["/robot_description"])]
    assert text == icub.text.text


@pytest.mark.parametrize("storage", ["SQLITE3", "MCAP"])
@pytest.mark.parametrize("mode", ["NONE", "STORAGE"])
def test_bags_of_rosbags_are_read(types, storage, mode, tmp_path):
    """Odometry and joint states that rosbags writes, in its containers, with and without compression of chunks."""
    rosbag2 = pytest.importorskip("rosbags.rosbag2")
    if (storage, mode) == ("SQLITE3", "STORAGE"):
        pytest.skip("SQLite has no compression of its own")
    q, stamps = motion()
    topics = [states(["a", "b", "c"], q, stamps), placed(base_poses(), ODOMETRY, "/odom")]
    path = tmp_path / "bag"
    made = rosbag2.Writer(path, version=9, storage_plugin=getattr(rosbag2.StoragePlugin, storage))
    if mode != "NONE":
        made.set_compression(getattr(rosbag2.CompressionMode, mode), rosbag2.CompressionFormat.ZSTD)
    with made as writer:
        for topic in topics:
            connection = writer.add_connection(topic.name, full_name(topic.type), typestore=types)
            for time, data in zip(topic.log_times, topic.data, strict=True):
                message = types.deserialize_cdr(data, full_name(topic.type))
                writer.write(connection, time, types.serialize_cdr(message, full_name(topic.type)))
    np.testing.assert_array_equal(read_motion(arm(), path).q, q)


def test_big_endian_is_what_rosbags_writes(types):
    q, stamps = motion(5)
    topic = states(["a", "elbow", "c"], q, stamps)
    name = full_name(topic.type)
    swapped = [
        bytes(types.serialize_cdr(types.deserialize_cdr(data, name), name, little_endian=False)) for data in topic.data
    ]
    ((_, value, table),) = decoded(topic.type, swapped, topic.fault)
    assert value["name"] == ["a", "elbow", "c"]
    np.testing.assert_array_equal(value["position"].of(table), q)


def test_the_whole_motion_is_faster_than_reading_its_transforms(types, icub, bag):
    """Joint states read, poses computed, bag written, in a third of the time in which rosbags reads the poses.

    Seconds of the processor, since other programs may run.
    """
    reader = pytest.importorskip("rosbags.highlevel").AnyReader
    ours, theirs = [], []
    for _ in range(2):
        start = time.process_time()
        mcap_of(converted(icub, bag).topics)
        ours.append(time.process_time() - start)
        start = time.process_time()
        with reader([bag], default_typestore=types) as opened:
            (tf,) = [connection for connection in opened.connections if connection.topic == "/tf"]
            for _, _, data in opened.messages([tf]):
                types.deserialize_cdr(data, tf.msgtype)
        theirs.append(time.process_time() - start)
    assert min(ours) < min(theirs) / 3


@pytest.fixture(scope="module")
def trajectory(tmp_path_factory):
    """A motion of an arm from `retime`, and its joint trajectory."""
    robot = arm()
    path = kt.motion.through(robot, [[0.0, 0.1, 0.0], [0.5, -0.4, 0.2], [-0.3, 0.8, 0.1]])
    made = kt.motion.retime(path, acceleration=3.0, period=0.02)
    file = tmp_path_factory.mktemp("trajectory") / "m.mcap"
    write_motion(made, file)
    return made, file


def _points(message):
    """Return names, and times (n,), positions, velocities and accelerations (n, k) of a JointTrajectory."""
    times = [p.time_from_start.sec + 1e-9 * p.time_from_start.nanosec for p in message.points]
    parts = [[getattr(p, name) for p in message.points] for name in ("positions", "velocities", "accelerations")]
    return tuple(message.joint_names), np.array(times), *map(np.array, parts)


def _check_trajectory(message, made):
    names, times, *parts = _points(message)
    assert names == made.names
    np.testing.assert_allclose(times, made.times, atol=5.1e-10)
    for found, wanted in zip(parts, (made.q, made.qd, made.qdd), strict=True):
        np.testing.assert_array_equal(found, wanted)
    assert (message.header.stamp.sec, message.header.stamp.nanosec) == (0, 0)
    assert all(len(p.effort) == 0 for p in message.points)


def test_a_joint_trajectory_is_read_by_rosbags(types, trajectory):
    made, file = trajectory
    reader = pytest.importorskip("rosbags.highlevel").AnyReader
    with reader([file], default_typestore=types) as opened:
        ((connection, _, data),) = opened.messages()
        message = types.deserialize_cdr(data, connection.msgtype)
    assert connection.msgtype == "trajectory_msgs/msg/JointTrajectory"
    _check_trajectory(message, made)
    assert bytes(types.serialize_cdr(message, connection.msgtype)) == bytes(data)


def test_a_joint_trajectory_is_read_by_mcap_ros2(trajectory):
    made, file = trajectory
    ((message,),) = [list(pytest.importorskip("mcap_ros2.reader").read_ros2_messages(file))]
    assert message.channel.topic == "/joint_trajectory_controller/joint_trajectory"
    _check_trajectory(message.ros_msg, made)


def test_a_joint_trajectory_of_rosbags_is_read(types, trajectory, tmp_path):
    made, _ = trajectory
    writer = pytest.importorskip("rosbags.rosbag2")
    T = {name: types.types[f"{package}/msg/{name}"] for package, name in (
        ("trajectory_msgs", "JointTrajectory"), ("trajectory_msgs", "JointTrajectoryPoint"), ("std_msgs", "Header"),
        ("builtin_interfaces", "Time"), ("builtin_interfaces", "Duration"))}  # fmt: skip
    points = [
        T["JointTrajectoryPoint"](
            q, qd, qdd, np.zeros(0), T["Duration"](round(t * 1e9) // 10**9, round(t * 1e9) % 10**9)
        )
        for t, q, qd, qdd in zip(made.times, made.q, made.qd, made.qdd, strict=True)
    ]
    message = T["JointTrajectory"](T["Header"](T["Time"](5, 0), "base"), list(made.names), points)
    with writer.Writer(tmp_path / "bag", version=9, storage_plugin=writer.StoragePlugin.MCAP) as opened:
        name = "trajectory_msgs/msg/JointTrajectory"
        connection = opened.add_connection("/move", name, typestore=types)
        opened.write(connection, 0, types.serialize_cdr(message, name))
    again = read_motion(made.robot, tmp_path / "bag")
    np.testing.assert_allclose(again.times, made.times, atol=5.1e-10)
    for found, wanted in zip((again.q, again.qd, again.qdd), (made.q, made.qd, made.qdd), strict=True):
        np.testing.assert_array_equal(found, wanted)
