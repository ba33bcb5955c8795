"""Bags of ROS 2: their containers, and what is said of damaged ones."""

import io
import os
import shutil
import sqlite3
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest

import kinetree as kt
from kinetree.logs import read_motion
from kinetree.logs.convert import converted
from kinetree.logs.ros.bag import Topic
from kinetree.logs.ros.base import Poses, at_times
from kinetree.logs.ros.compare import compared
from kinetree.logs.ros.definitions import full_name
from kinetree.logs.ros.folder import read_bag
from kinetree.logs.ros.joints import JOINT_STATE
from kinetree.logs.ros.transforms import joint_state_topic, transform_topics
from ros_bags import FLOATING, ODOMETRY, START, TF, arm, base_poses, motion, placed, recorded, states, written
from support import at_length

METADATA = """rosbag2_bagfile_information:
  version: 9
  relative_file_paths:
{files}
  compression_mode: '{mode}'
"""


@pytest.fixture(scope="module")
def robot():
    return arm()


@pytest.fixture(scope="module")
def bags(robot, tmp_path_factory):
    folder = tmp_path_factory.mktemp("bags")
    return {ending: recorded(folder / f"bag.{ending}", robot) for ending in ("mcap", "db3")}


def folder_of(path, *files, mode=""):
    path.mkdir()
    names = "\n".join(f"    - {file.name if file.is_absolute() else file}" for file in files)
    (path / "metadata.yaml").write_text(METADATA.format(files=names, mode=mode))
    for file in files:
        if file.exists():
            shutil.copy(file, path)
    return path


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["mcap", "db3"])
def test_a_motion_is_read_from_a_bag(robot, bags, ending, tmp_path):
    q, _ = motion()
    for path in (bags[ending], folder_of(tmp_path / "bag", bags[ending])):
        found = read_motion(robot, path)
        assert found.names == ("a", "b", "c")
        np.testing.assert_array_equal(found.q, q)
        np.testing.assert_allclose(found.times, 0.02 * np.arange(len(q)), rtol=0, atol=1e-9)
        assert found.notes == ()


@pytest.mark.slow
def test_both_containers_have_the_same_messages(bags):
    wanted = (JOINT_STATE, "tf2_msgs/TFMessage")
    mcap, db3 = (read_bag(path, wanted) for path in bags.values())
    assert mcap.keys() == db3.keys() == {"/joint_states", "/tf", "/tf_static"}
    for name, topic in mcap.items():
        assert (topic.data, topic.log_times, topic.qos) == (db3[name].data, db3[name].log_times, db3[name].qos)
    assert "durability: transient_local" in mcap["/tf_static"].qos
    assert mcap["/joint_states"].log_times[0] == START


def test_a_bag_of_several_files(robot, tmp_path):
    q, stamps = motion()
    halves = [
        written(tmp_path / f"{k}.mcap", [joint_state_topic("/joint_states", robot, q[rows], stamps[rows])])
        for k, rows in enumerate((slice(0, 100), slice(100, None)))
    ]
    np.testing.assert_array_equal(read_motion(robot, folder_of(tmp_path / "bag", *halves)).q, q)


def test_folders_that_are_refused(robot, bags, tmp_path):
    with pytest.raises(kt.KinetreeError, match=r"is a folder without metadata.yaml; expected that of a bag"):
        read_motion(robot, tmp_path)
    outside = folder_of(tmp_path / "outside", Path("../bag.mcap"))
    with pytest.raises(kt.KinetreeError, match=r"names the file '../bag.mcap', which is not in the folder"):
        read_motion(robot, outside)
    (tmp_path / "null").mkdir()
    (tmp_path / "null" / "metadata.yaml").write_text(
        'rosbag2_bagfile_information:\n  relative_file_paths:\n    - "a\\0b"\n'
    )
    with pytest.raises(kt.KinetreeError, match=r"names the file 'a\\x00b'; expected a path, which has no character 0"):
        read_motion(robot, tmp_path / "null")
    with pytest.raises(kt.KinetreeError, match="says that each message is compressed"):
        read_motion(robot, folder_of(tmp_path / "packed", bags["mcap"], mode="MESSAGE"))
    gone = folder_of(tmp_path / "gone", tmp_path / "gone.mcap")
    with pytest.raises(kt.KinetreeError, match=r"gone.mcap: error: cannot be read: No such file"):
        read_motion(robot, gone)
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "metadata.yaml").write_text("a: 1\n")
    with pytest.raises(kt.KinetreeError, match="has no list rosbag2_bagfile_information: relative_file_paths"):
        read_motion(robot, tmp_path / "empty")


def test_a_bag_without_its_end_says_so(robot, bags, tmp_path):
    data = bags["mcap"].read_bytes()
    cut = tmp_path / "cut.mcap"
    cut.write_bytes(data[: data.index(b"\x0f" + struct.pack("<Q", 4), 100)])
    with pytest.raises(kt.KinetreeError, match="the file ends before the end of its data; its recording was not"):
        read_motion(robot, cut)
    cut.write_bytes(data[:5000])
    with pytest.raises(kt.KinetreeError, match=r"cut.mcap: error: byte \d+: a record has \d+ bytes, and \d+ are left"):
        read_motion(robot, cut)


def chunk(content: bytes, size: int | None = None, crc: int | None = None, compression: bytes = b"") -> bytes:
    """A file of one chunk."""
    size, crc = len(content) if size is None else size, zlib.crc32(content) if crc is None else crc
    body = struct.pack("<QQQI", 0, 0, size, crc) + struct.pack("<I", len(compression)) + compression
    body += struct.pack("<Q", len(content)) + content
    magic = b"\x89MCAP0\r\n"
    return magic + b"\x06" + struct.pack("<Q", len(body)) + body + b"\x0f" + struct.pack("<QI", 4, 0) + magic


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "byte 0: the file is empty"),
        (b"ROSBAG V2.0\n", "byte 0: the file begins with 52 4f 53 42 41 47 20 56; expected 89 4d 43 41"),
        (chunk(b"", size=2**40), "byte 17: a chunk expands to 1099511627776 bytes, which is too large"),
        (chunk(b"abc", crc=5), "byte 17: the contents of a chunk do not have its checksum; the file is damaged"),
        (chunk(b"abc", size=2, crc=0), "byte 17: a chunk expands to 3 bytes; expected 2"),
        (chunk(b"abc", compression=b"zip"), "a chunk is compressed as b'zip'; expected b'zstd' and b'lz4'"),
        (chunk(b"abc", compression=b"zstd"), "a chunk cannot be expanded"),
        (chunk(b"abc", compression=b"lz4"), "byte 17: a chunk expands to 0 bytes; expected 3; the file is damaged"),
        (b"\x89MCAP0\r\n" + bytes(100), "byte 8: a record has the operation code 0; the recording was not finished"),
        (chunk(b"\x05abc"), "byte 0 of the chunk at byte 17: a record is cut off after 4 bytes"),
        (chunk(b"\x05" + struct.pack("<Q", 22) + bytes(22)), "of the chunk at byte 17: a message is of channel 0"),
        (chunk(b"\x04" + struct.pack("<Q", 2) + bytes(2)), "the contents of record 4 do not fit its 2 bytes"),
    ],
)
def test_damaged_records_have_their_offset(robot, tmp_path, data, message):
    path = tmp_path / "bad.mcap"
    path.write_bytes(data)
    with pytest.raises(kt.KinetreeError, match=message):
        read_motion(robot, path)


def test_a_chunk_that_expands_without_end_is_not_read(robot, tmp_path):
    import zstandard

    path = tmp_path / "bomb.mcap"
    path.write_bytes(chunk(zstandard.compress(bytes(2**26)), size=100, crc=0, compression=b"zstd"))
    with pytest.raises(kt.KinetreeError, match="byte 17: a chunk expands to 101 bytes; expected 100"):
        read_motion(robot, path)


def test_entries_and_messages_are_limited(robot, tmp_path, monkeypatch):
    """Two million empty names in one message would take a gigabyte."""
    q, stamps = motion(6)
    data = b"\0\1\0\0" + struct.pack("<IIII", 1, 0, 0, 2_000_000) + bytes(8_000_040)
    topic = Topic("/joint_states", JOINT_STATE, data=[data], log_times=[1], publish_times=[1], count=1)
    with pytest.raises(kt.KinetreeError, match=r"name has 2,000,000 entries; at most 100,000 of a message are read"):
        read_motion(robot, written(tmp_path / "bag.mcap", [topic]))
    monkeypatch.setattr("kinetree.logs.ros.bag.MOST_MESSAGES", 5)
    for ending in ("mcap", "db3"):
        path = written(tmp_path / f"bag.{ending}", [states(["a"], q[:, :1], stamps)])
        with pytest.raises(kt.KinetreeError, match="too many messages about joints and poses; at most"):
            read_motion(robot, path)


def test_layouts_are_limited(robot, tmp_path, monkeypatch):
    """Messages with texts of their own each are slow to read."""
    monkeypatch.setattr("kinetree.logs.ros.cdr.MOST_SPANS", 20)
    _, stamps = motion(9)
    topic = states(["a"], np.zeros((1, 1)), stamps[:1])
    for k in range(1, 9):
        more = states(["a", f"x{k}"], np.zeros((1, 2)), stamps[k : k + 1])
        topic.data, topic.log_times = topic.data + more.data, topic.log_times + more.log_times
        topic.publish_times = topic.log_times
    with pytest.raises(kt.KinetreeError, match=r"message 2: .* layouts have more than 20 texts"):
        read_motion(robot, written(tmp_path / "bag.mcap", [topic]))


def test_messages_are_written_in_the_order_of_their_times(robot, tmp_path):
    from mcap.reader import make_reader

    _, stamps = motion(6)
    topic = states(["a"], np.arange(6.0)[:, None], stamps)
    topic.log_times = [5, 1, 4, 2, 3, 0]
    topic.publish_times = [*topic.log_times]
    with written(tmp_path / "bag.mcap", [topic]).open("rb") as file:
        found = [(m.log_time, m.sequence, m.data) for _, _, m in make_reader(file).iter_messages(log_time_order=False)]
    assert found == [(k, k, topic.data[topic.log_times.index(k)]) for k in range(6)]


def test_a_database_that_is_no_bag(robot, tmp_path):
    path = tmp_path / "bag.db3"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE topics(id, name, type, serialization_format)")
        database.execute(
            "CREATE VIEW messages AS WITH RECURSIVE r(n) AS (VALUES(1) UNION ALL SELECT n + 1 FROM r) "
            "SELECT n AS id, 1 AS topic_id, 1 AS timestamp, x'00' AS data FROM r"
        )
    database.close()
    with pytest.raises(kt.KinetreeError, match=r"bag.db3: error: has no table messages; expected a bag of ROS 2"):
        read_motion(robot, path)
    path.write_bytes(b"not SQLite at all")
    with pytest.raises(kt.KinetreeError, match="byte 0: the file begins with 6e 6f 74"):
        read_motion(robot, path)


def test_a_profile_that_is_no_text_is_none(robot, tmp_path):
    file = recorded(tmp_path / "a.db3", robot)
    with sqlite3.connect(file) as database:
        database.execute("UPDATE topics SET offered_qos_profiles = x'00' WHERE name = '/joint_states'")
    database.close()
    topics = read_bag(file, [JOINT_STATE, TF])
    assert topics["/joint_states"].qos == ""
    assert "durability" in topics["/tf_static"].qos


def test_a_database_is_read_with_its_log_and_gets_no_files_beside_it(robot, bags, tmp_path):
    """Recorders write in WAL mode; one that is still open has messages in its log alone."""
    path = Path(shutil.copy(bags["db3"], tmp_path / "bag.db3"))
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("DELETE FROM messages WHERE id > 100")
    assert len(read_motion(robot, path).q) == 100
    database.close()
    assert len(read_motion(robot, path).q) == 100
    assert [file.name for file in tmp_path.iterdir()] == ["bag.db3"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_no_bag(robot, tmp_path):
    for name in ("pipe.mcap", "pipe.db3"):
        os.mkfifo(tmp_path / name)
        with pytest.raises(kt.KinetreeError, match="cannot be read: it is a named pipe, not a file"):
            read_motion(robot, tmp_path / name)


def test_other_encodings_and_types(robot, tmp_path):
    topic = Topic("/joint_states", "std_msgs/String", data=[b""], log_times=[1], publish_times=[1], count=1)
    path = written(tmp_path / "bag.db3", [topic])
    with pytest.raises(
        kt.KinetreeError, match=r"no messages of type sensor_msgs/JointState; the bag has /joint_states"
    ):
        read_motion(robot, path)


def harmed(data: bytes, rng: np.random.Generator) -> bytes:
    """The bytes cut off, with flipped bits, with another length, or with a part moved."""
    kind, at = rng.integers(4), int(rng.integers(len(data)))
    changed = bytearray(data)
    if kind == 0:
        return data[:at]
    if kind == 1:
        for k in rng.integers(len(data), size=rng.integers(1, 9)):
            changed[k] ^= 1 << int(rng.integers(8))
    elif kind == 2:
        changed[at : at + 4] = int(rng.choice([0, 1, 2**31 - 1, 2**32 - 1, len(data)])).to_bytes(4, "little")
    else:
        size = int(rng.integers(1, 100))
        changed[at : at + size] = bytes(rng.integers(256, size=size, dtype=np.uint8))
    return bytes(changed)


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["mcap", "db3"])
@pytest.mark.parametrize("count", [10, pytest.param(at_length(250, 1000), marks=pytest.mark.slow)])
@pytest.mark.sampled(1)
def test_damage_is_an_error_or_harmless(tmp_path, ending, count):
    """Joint states, odometry and transforms; chunks without checksums let damage reach the messages."""
    robot, (q, stamps), poses = arm(FLOATING), motion(6), base_poses(9)
    whole = np.zeros((6, robot.nq))
    whole[:, robot.coordinate_names.index("free.qw")] = 1
    topics = [states(["a", "b", "c"], q, stamps), placed(poses, ODOMETRY, "/odom")]
    topics += transform_topics(robot, whole, stamps, stamps, poses._replace(parent="world"))
    data = plain_mcap(topics) if ending == "mcap" else written(tmp_path / "bag.db3", topics).read_bytes()
    bad, rng, refused = tmp_path / f"bad.{ending}", np.random.default_rng(count), 0
    for _ in range(count):
        bad.write_bytes(harmed(data, rng))
        for read in (lambda: converted(robot, bad), lambda: compared(robot, bad, (0.1, 0.01))):
            try:
                read()
            except kt.KinetreeError as error:
                refused += 1
                assert str(bad) in str(error) or error.findings[0].code in ("topic", "joints", "base", "times")
    assert refused >= count / 10


def plain_mcap(topics: list[Topic]) -> bytes:
    """A file without compression and checksums."""
    from mcap.writer import CompressionType, Writer

    stream = io.BytesIO()
    writer = Writer(stream, compression=CompressionType.NONE, enable_crcs=False)
    writer.start("ros2")
    for topic in topics:
        schema = writer.register_schema(full_name(topic.type), "ros2msg", b"")
        channel = writer.register_channel(topic.name, "cdr", schema)
        for time, data in zip(topic.log_times, topic.data, strict=True):
            writer.add_message(channel, time, data, time)
    writer.finish()
    return stream.getvalue()


def test_what_sqlite_cannot_read_is_said(robot, tmp_path):
    path = tmp_path / "bag.db3"
    path.write_bytes(b"SQLite format 3\x00" + bytes(range(256)) * 4)
    with pytest.raises(kt.KinetreeError, match=r"bag\.db3: error: SQLite cannot read it: "):
        read_motion(robot, path)


def test_poses_between_two_are_turned_evenly_and_a_single_one_stays():
    stamps, turn = np.array([3, 1]) * 10**9, np.array([0.0, 0.0, np.sin(0.4), np.cos(0.4)])
    quats = np.array([turn, [0.0, 0.0, 0.0, 1.0]])
    poses = Poses("/odom", "odom", "base", stamps, stamps, np.array([[2.0, 0, 4], [0, 0, 0]]), quats)
    found, inside = at_times(poses, np.array([0, 1, 2, 3, 4]) * 10**9)
    assert inside.tolist() == [False, True, True, True, False]
    middle = [1, 0, 2, 0, 0, np.sin(0.2), np.cos(0.2)]
    first, last = [*np.zeros(6), 1], [2, 0, 4, *turn]
    np.testing.assert_allclose(found, [first, first, middle, last, last], atol=1e-12)
    one = poses._replace(stamps=stamps[:1], positions=poses.positions[:1], quat_xyzw=quats[:1])
    found, inside = at_times(one, np.array([2, 3, 4]) * 10**9)
    assert inside.tolist() == [False, True, False]
    np.testing.assert_array_equal(found, [last] * 3)
