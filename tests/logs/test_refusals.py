"""What bags and logs lack or have too much of, in memory: sensors, bases, records of MCAP, and columns."""

import struct
from types import SimpleNamespace

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.errors import KinetreeError
from kinetree.logs import poses
from kinetree.logs.csv import Columns
from kinetree.logs.ros import base, compare, mcap, motion
from kinetree.logs.ros.bag import Topic
from kinetree.logs.ros.base import Poses, base_poses, poses_of
from kinetree.logs.ros.cdr import encoded
from kinetree.logs.ros.folder import read_bag
from kinetree.logs.ros.joints import JOINT_STATE, JointStates
from kinetree.logs.ros.measured import sensed
from kinetree.logs.ros.transforms import extended
from ros_bags import FLOATING, ODOMETRY, POSE, START, TF, arm, placed

S = START + np.arange(4) * 10**7
IMU, WRENCH = "sensor_msgs/Imu", "geometry_msgs/WrenchStamped"


def wrenches(frame, name="/ft", values=1.0, at=S):
    header = {"stamp": {"sec": at // 10**9, "nanosec": at % 10**9}, "frame_id": frame}
    part = dict.fromkeys("xyz", np.full(len(at), values))
    message = {"header": header, "wrench": {"force": part, "torque": part}}
    return extended(Topic(name, WRENCH), encoded(WRENCH, message), at)


def with_poses(parent, child, type=POSE, name="/poses"):
    where, turns = np.zeros((4, 3)), np.tile([0, 0, 0, 1.0], (4, 1))
    return placed(Poses(name, parent, child, S, S, where, turns), type, name)


def by_name(*topics):
    return {topic.name: topic for topic in topics}


def joined(one, other):
    rows = [(time, data) for topic in (one, other) for time, data in zip(topic.log_times, topic.data, strict=True)]
    times, data = zip(*rows, strict=True)
    return extended(Topic(one.name, one.type), [*data], np.array(times))


@each(
    "topics, asked, message",
    [
        (
            [],
            {"tool": "/ft"},
            "there is no topic '/ft' of a sensor; legal for --sensor NAME=TOPIC are none, because",
        ),
        (
            [wrenches("tip")],
            {"tool": "/x"},
            "there is no topic '/x' of a sensor; legal for --sensor NAME=TOPIC are /f",
        ),
        (
            [joined(wrenches("tip"), wrenches("lower"))],
            {},
            "topic /ft has frame_ids tip, lower; expected one sens",
        ),
        ([wrenches("tip", values=np.nan)], {"tool": "/ft"}, "topic /ft has no readings that are numbers"),
        ([wrenches("tip", values=1e200)], {"tool": "/ft"}, "topic /ft has no readings that are numbers"),
    ],
)
def test_readings_of_sensors_that_are_refused(topics, asked, message):
    with pytest.raises(KinetreeError) as error:
        sensed(arm(), by_name(*topics), asked, S)
    (finding,) = error.value.findings
    assert (finding.code, finding.message.startswith(message)) == ("sensor", True), finding.message


def test_only_topics_that_are_asked_for_are_read():
    two = by_name(wrenches("tip"), wrenches("tip", "/more", 2.0))
    found = sensed(arm(), two, {"tool": "/more"}, S)
    np.testing.assert_array_equal(found.readings["wrenches"]["tool"], np.full((4, 6), 2.0))
    assert (list(found.readings["wrenches"]), found.notes, found.known.all()) == (["tool"], [], True)
    three = joined(wrenches("tip", "/more", 2.0), wrenches("lower", "/more", 2.0, S + 4 * 10**7))
    assert sensed(arm(), by_name(three), {"tool": "/more"}, S).known.all()  # of frames of several names


def test_a_base_that_no_topic_has_is_none():
    robot = arm(FLOATING)
    own = with_poses("world", "base", TF, "/tf")
    assert base_poses(robot, {}, None) is None
    assert base_poses(arm(), by_name(own), None) is None
    assert base_poses(robot, by_name(own), None).child == "base"
    assert base_poses(robot, by_name(with_poses("world", "upper", TF, "/tf")), None) is None
    moved = with_poses("odom", "upper", ODOMETRY, "/odom")
    assert base_poses(robot, by_name(moved), None) is None
    with pytest.raises(KinetreeError) as error:
        base_poses(robot, by_name(moved), "/odom")
    message = "topic /odom has poses of upper in odom; expected those of 'base' in one frame"
    assert error.value.findings[0].message == message
    two = joined(with_poses("odom", "base", ODOMETRY, "/odom"), with_poses("map", "base", ODOMETRY, "/odom"))
    assert base_poses(robot, by_name(two), None) is None


def test_frames_are_counted(monkeypatch):
    monkeypatch.setattr(base, "MOST_ENTRIES", 1)
    two = joined(with_poses("odom", "a", TF, "/tf"), with_poses("odom", "b", TF, "/tf"))
    assert len(poses_of(two, lambda *_: True)) == 2
    three = joined(two, with_poses("odom", "c", TF, "/tf"))
    with pytest.raises(KinetreeError, match="there are more than 1 frames, which are not read"):
        poses_of(three, lambda *_: True)


def test_joint_states_outside_of_the_times_of_the_base():
    robot = arm(FLOATING)
    columns = Columns(("a",), np.zeros((4, 1)), lambda sample, message: fault(message), np.arange(4.0), ())
    states = JointStates(columns, S, np.arange(4))
    late = Poses("/odom", "odom", "base", S + 10**9, S + 10**9, np.zeros((4, 3)), np.tile([0, 0, 0, 1.0], (4, 1)))
    with pytest.raises(KinetreeError) as error:
        motion._with_base(robot, robot.joints["free"], states, late)
    assert error.value.findings[0].message == ("no stamp of the joint states is among those of the poses of 'base'")


def fault(message):
    return KinetreeError(kt.Finding("motion", "error", message))


def record(code, content):
    return bytes([code]) + struct.pack("<Q", len(content)) + content


def text(data):
    return struct.pack("<I", len(data)) + data


CHANNEL = struct.pack("<HH", 1, 0) + text(b"/a") + text(b"cdr") + text(b"")
CHUNKED = struct.pack("<QQQI", 0, 0, 3, 0) + text(b"") + struct.pack("<Q", 99) + b"abc"


@each(
    "records, message",
    [
        (
            record(4, struct.pack("<HH", 1, 7) + text(b"/a") + text(b"cdr") + text(b"")),
            "byte 17: channel '/a' has schema 7, which is not defined",
        ),
        (
            record(4, CHANNEL) + record(5, struct.pack("<HI", 2, 0) + bytes(16)),
            "a message is of channel 2, which is not defined",
        ),
        (
            record(4, CHANNEL) + record(5, struct.pack("<HIQQ", 1, 0, 2**63, 5)),
            "byte 53: a message has the times 9223372036854775808 and 5, in ns",
        ),
        (
            record(4, CHANNEL) + record(5, struct.pack("<HIQQ", 1, 0, 5, 2**63)),
            "a message has the times 5 and 9223372036854775808, in ns",
        ),
        (record(4, CHANNEL[:-4] + struct.pack("<I", 9)), "the contents of record 4 do not fit its"),
        (record(6, CHUNKED), "byte 49: the records of a chunk have 99 bytes, and 3 are left"),
        (
            record(4, struct.pack("<HH", 1, 0) + struct.pack("<I", 50) + b"/a"),
            "the contents of record 4 do not fit its",
        ),
    ],
)
def test_records_of_mcap_that_do_not_fit(tmp_path, records, message):
    path = tmp_path / "bad.mcap"
    path.write_bytes(mcap.MAGIC + records + record(15, bytes(4)) + mcap.MAGIC)
    with pytest.raises(KinetreeError) as error:
        read_bag(path, (JOINT_STATE,))
    assert message in error.value.findings[0].message


def test_a_message_is_at_least_its_head():
    """Its last bytes are of the next record."""
    bag = SimpleNamespace(keeps=lambda *_: False)
    data = struct.pack("<HIQQ", 1, 0, 5, 5)
    file = mcap._File("a.mcap", bag, data)
    file.topics[1] = Topic("/a", JOINT_STATE)
    file._message(data, 0, 22, "")
    with pytest.raises(KinetreeError, match="byte 0 here: a message has 21 bytes; expected at least 22"):
        file._message(data, 0, 21, " here")


def test_chunks_want_the_package_that_expands_them(monkeypatch):
    def missing(content, most):
        raise ImportError

    monkeypatch.setitem(mcap._EXPANDERS, b"zstd", missing)
    with pytest.raises(KinetreeError, match="chunks in zstd need the package `mcap`") as error:
        mcap._File("a.mcap", None, b"")._expanded(1, b"", b"zstd", 0)
    assert error.value.findings[0].fix == "pip install 'kinetree[ros]'"


@each("name, fix", [("a.mcap.zstd", "expand it with `zstd -d a.mcap.zstd`, and name the new file"), ("a.bag", None)])
def test_endings_of_bags(tmp_path, name, fix):
    (tmp_path / name).write_bytes(b"x")
    with pytest.raises(KinetreeError, match="cannot be read as a file of a bag; expected the endings") as error:
        read_bag(tmp_path / name, (JOINT_STATE,))
    assert error.value.findings[0].fix == fix


def test_transforms_of_joints_that_stand_have_no_delay():
    pair = SimpleNamespace(coordinates=lambda: [1])
    q = np.column_stack([np.arange(3.0), np.full(3, 0.5), np.arange(3.0)])
    assert list(compare._delay(pair, q, None, 1.0, [0.1])) == []


def test_a_static_transform_of_a_frame_that_moves_is_named(monkeypatch):
    monkeypatch.setattr(compare, "causes", lambda pair, tolerance, delays: ("a delay",))
    moving, recorded = np.tile(np.eye(4), (3, 1, 1)), np.tile(np.eye(4), (3, 1, 1))
    moving[:, 0, 3] = [0.0, 0.002, 0.003]
    pair = SimpleNamespace(
        times=np.array([0.0, 1.0, 2.0]),
        T=recorded,
        frame="tip",
        parent="base",
        motions=SimpleNamespace(at=lambda times: times),
        model=lambda q: moving,
    )
    moves = "a static transform of a frame that joints move"
    for static, expected in ((True, (moves, "a delay")), (False, ("a delay",))):
        (found,) = compare._differences(pair, None, static, (1.5, 0.1), [])
        assert found.causes == expected
        assert (found.first, found.last, found.differing, found.samples, found.mm) == (1.0, 2.0, 2, 3, pytest.approx(3))


def test_velocities_beside_poses_are_left_out(tmp_path):
    file = tmp_path / "log.csv"
    file.write_text("time,a,a.velocity,b,c\n0,1,9,0,0\n1,2,9,0,0\n")
    log = poses.read_log(arm(), file)
    (note,) = [note for note in log.motion.notes if "velocities" in note.message]
    assert note.message == "columns of velocities are left out: rates of joints follow from positions and times"
    assert (note.severity, note.source.file) == ("info", str(file))
    np.testing.assert_allclose(log.motion.q[:, 0], [1, 2])


def test_a_trajectory_in_a_bag_has_no_efforts(monkeypatch):
    """Its rates are columns of the table."""
    made = SimpleNamespace(names=("a", "b"), qd=np.array([[1.0, 2.0], [3.0, 4.0]]))
    found = SimpleNamespace(columns=None, topic=SimpleNamespace(type="trajectory_msgs/JointTrajectory"))
    monkeypatch.setattr(poses, "motion_of", lambda robot, columns, unit: made)
    monkeypatch.setattr(poses, "recording", lambda robot, file, joints: found)
    monkeypatch.setattr(poses, "is_bag", lambda file: True)
    assert poses._of_bag(None, found)[:4] == (made, {}, None, found)
    motion, columns = poses.table(None, "a.mcap", "rad")
    assert motion is made
    assert {name: x.tolist() for name, x in columns.items()} == {"a.velocity": [1, 3], "b.velocity": [2, 4]}
    made.qd = None
    assert poses.table(None, "a.mcap", "rad")[1] == {}


@each("late, known, said", [(0.1, [], [0.1]), (0.0, [], []), (0.1, [0.1], [0.1])])
def test_a_delay_is_kept_for_other_frames(late, known, said):
    """The joint moves at 2 rad/s; a delay that is known is not listed twice."""
    times = np.arange(0, 3, 0.05)
    motions = SimpleNamespace(
        step=0.05, known=lambda at: np.ones(len(at), bool), column=lambda i, at: np.sin(2 * at), at=None
    )
    pair = SimpleNamespace(coordinates=lambda: [0], times=times, motions=motions, model=lambda q: q)
    recorded = np.sin(2 * (times - late))

    def left(model, rows):
        return float(np.abs(model[:, 0] - recorded).max())

    delays = [*known]
    causes = list(compare._delay(pair, np.sin(2 * times)[:, None], left, 1e-3, delays))
    assert delays == pytest.approx(said, abs=1e-3)
    assert len(causes) == len(said)
    assert all(cause == "stamps that are 0.1 s late" for cause in causes)


def test_joints_that_may_be_wrong_by_a_constant_a_sign_or_another_joint():
    """Joints a and b turn, and c slides; a follower moves the frame by -0.5 of b."""
    q = np.array([[0.5, 1.0, 0.1], [0.25, 2.0, 0.2]])
    pair = SimpleNamespace(robot=arm(), singles=lambda: [(0, 1.0), (2, 1.0)], model=lambda q: q)
    found = dict(compare._joints(pair, q))
    expected = {
        "joint a with the other sign": [[-0.5, 1, 0.1], [-0.25, 2, 0.2]],
        "the values of joint b instead of a": [[1, 1, 0.1], [2, 2, 0.2]],
        "the values of joint b, with the other sign, instead of a": [[-1, 1, 0.1], [-2, 2, 0.2]],
        "joint c with the other sign": [[0.5, 1, -0.1], [0.25, 2, -0.2]],
    }
    assert {text: x.tolist() for text, x in found.items()} == expected
    T, there = np.tile(np.eye(4), (2, 1, 1)), np.tile(np.eye(4), (2, 1, 1))
    there[:, :2, :2] = [[np.cos(0.1), -np.sin(0.1)], [np.sin(0.1), np.cos(0.1)]]
    there[:, :3, 3] = 0.003, 0.004, 0
    pair.T, pair.singles = there, lambda: [(1, -0.5), (2, 1.0)]
    moved = {text: x - q for text, x in compare._shifts(pair, q, T)}
    assert list(moved) == [
        "joint b with its zero moved by 11.5 deg",
        "joint b with its zero moved by -11.5 deg",
        "joint c with its zero moved by 5 mm",
        "joint c with its zero moved by -5 mm",
    ]
    shifts = [[0, 0.2, 0], [0, -0.2, 0], [0, 0, 0.005], [0, 0, -0.005]]
    np.testing.assert_allclose([*moved.values()], np.repeat(np.array(shifts)[:, None], 2, axis=1), atol=1e-12)


def test_constant_offsets_before_and_behind_a_frame():
    T, there = np.tile(np.eye(4), (2, 1, 1)), np.tile(np.eye(4), (2, 1, 1))
    T[0, :2, :2] = [[0, -1], [1, 0]]
    there[0] = T[0]
    there[0, 0, 3] = 0.002
    pair = SimpleNamespace(T=there, parent="base", frame="tip")
    (before, first), (after, then) = compare._offsets(pair, T)
    assert before == "a constant offset of (2, 0, 0) mm in the axes of base"
    assert after == "a constant offset of (0, -2, 0) mm in the axes of tip"
    np.testing.assert_allclose([first[0], then[0]], [there[0], there[0]], atol=1e-15)
    np.testing.assert_allclose([first[1][:3, 3], then[1][:3, 3]], [[0.002, 0, 0], [0, -0.002, 0]], atol=1e-15)
