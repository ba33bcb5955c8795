"""Joint states in memory: which rows come of them, every note and refusal in full; topics that are chosen; tables."""

import sqlite3

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.logs.ros import bag as bags, joints as of_joints
from kinetree.logs.ros.bag import Bag, Topic
from kinetree.logs.ros.db3 import read
from kinetree.logs.ros.joints import JOINT_STATE, chosen_topic, joint_states
from ros_bags import START, arm, states

S = START + np.arange(4) * 10**9
NAN = np.nan


def joined(*topics: Topic) -> Topic:
    whole = Topic("/joint_states", JOINT_STATE)
    for topic in topics:
        for row in zip(topic.data, topic.log_times, topic.publish_times, topic.places, strict=True):
            whole.add(*row)
        whole.count += len(topic.data)
    return whole


def said(call, *arguments) -> str:
    with pytest.raises(kt.KinetreeError) as error:
        call(*arguments)
    (finding,) = error.value.findings
    return f"{finding.element}: {finding.message}" if finding.element else finding.message


def notes(found) -> list[str]:
    assert all((note.code, note.severity) == ("motion", "warning") for note in found.columns.notes)
    return [f"{note.element}: {note.message}" for note in found.columns.notes]


def test_rows_keep_what_a_message_does_not_give():
    """Of a in all, of b from the second on; of a follower, of others, of no number, of no positions."""
    first = states(["a", "x"], np.array([[0.1, 9.0]]), S[:1])
    second = states(["b", "a"], np.array([[0.2, 0.3], [NAN, 0.4]]), S[1:3])
    third = states(["f", "a"], np.array([[0.5, 0.6]]), S[3:])
    empty = states(["a"], np.zeros(0), S[3:])
    found = joint_states(arm(), joined(first, second, third, empty))
    assert found.columns.names == ("a", "b")
    np.testing.assert_array_equal(found.columns.values, [[0.6, 0.2]])  # f is given last
    np.testing.assert_array_equal(found.stamps, S[3:])
    assert found.messages.tolist() == [3]
    topic = "topic /joint_states"
    assert notes(found) == [
        f"{topic}: not joints of the robot that turn or slide: x (1 of 5 messages)",
        f"{topic}: 1 messages have no positions, and are left out",
        f"{topic}: positions that are no numbers are left out: b (1 of 5 messages)",
        f"{topic}: the first 3 rows are left out, before all joints have a position",
        f"{topic}: joint 'f' is up to 0.5 off 'b', which it follows",
    ]
    whole = joint_states(arm(), joined(first, second))
    np.testing.assert_array_equal(whole.columns.values, [[0.3, 0.2], [0.4, 0.2]])
    np.testing.assert_array_equal(whole.columns.times, [0.0, 1.0])
    np.testing.assert_array_equal(whole.stamps, S[1:3])


def test_followers_within_what_counts_as_following():
    q = np.array([[0.2], [0.4]])
    for off, count in ((0.9e-6, 0), (1e-3, 1)):
        found = joint_states(arm(), states(["b", "f"], np.hstack([q, -0.5 * q + 0.1 + off]), S[:2]))
        assert found.columns.names == ("b",)
        assert len(found.columns.notes) == count
    alone = joint_states(arm(), states(["f", "a"], np.hstack([q, q]), S[:2]))
    assert notes(alone) == ["topic /joint_states: joint 'f' is left out, because 'b', its leader, has no positions"]


def test_stamps_in_any_order():
    """Within a second they are sorted, of equal ones the last counts; zeros are those of the log."""
    found = joint_states(arm(), states(["a"], np.array([[1.0], [2.0], [3.0]]), np.array([S[1], S[0], S[1]])))
    np.testing.assert_array_equal(found.columns.values, [[2.0], [3.0]])
    assert found.messages.tolist() == [1, 2]
    unstamped = states(["a"], np.array([[1.0], [2.0]]), np.zeros(2, dtype=np.int64))
    unstamped.log_times[:] = S[:2].tolist()
    np.testing.assert_array_equal(joint_states(arm(), unstamped).stamps, S[:2])


@each(
    "names, position, stamps, expected",
    [
        (
            ["a", "b"],
            [[0.1]],
            S[:1],
            "topic /joint_states, message 0: byte 44: has 1 positions for 2 names; expected one f",
        ),
        (["a", "b", "a"], [[0.1] * 3], S[:1], "topic /joint_states, message 0: byte 0: names joint 'a' twice"),
        (
            ["a"],
            [[0.1]] * 2,
            [S[2], S[0]],
            "topic /joint_states, message 1: byte 0: the stamp is 2 s before an earlier o",
        ),
        (
            ["x", "y"],
            [[0.1] * 2],
            S[:1],
            "topic /joint_states has no positions of joints of the robot 'arm'; it has x, y",
        ),
        (["a"], [[NAN]], S[:1], "topic /joint_states has no positions of joints of the robot 'arm'"),
    ],
)
def test_joint_states_that_are_refused(names, position, stamps, expected):
    topic = states(names, np.array(position), np.array(stamps))
    topic.places[:] = [(0, "", "a.mcap")] * len(topic.data)
    assert said(joint_states, arm(), topic).startswith(expected)


def test_too_many_joints_are_refused(monkeypatch):
    names = ["a", "x", "y"]
    monkeypatch.setattr(of_joints, "MOST_ENTRIES", 2)
    assert len(notes(joint_states(arm(), states(names, np.zeros((1, 3)), S[:1])))) == 1
    monkeypatch.setattr(of_joints, "MOST_ENTRIES", 1)
    assert said(joint_states, arm(), states(names, np.zeros((1, 3)), S[:1])).endswith(
        "there are more than 1 joints, which are not read"
    )


def topics(**counts: tuple[str, int]) -> dict[str, Topic]:
    return {name: Topic(name, type, count=count) for name, (type, count) in counts.items()}


@each(
    "given, asked, expected",
    [
        ({"u": ("T", 1), "v": ("T", 1)}, None, "u"),
        ({"u": ("T", 1), "v": ("T", 1)}, "v", "v"),
        ({"v": ("W", 1), "x": ("V", 1)}, None, "v"),
        ({"u": ("T", 0), "v": ("T", 1)}, None, "v"),
        ({"v": ("T", 1), "w": ("T", 1)}, None, "there are 2 topics of type T and W; legal for --x are v, w"),
        ({"v": ("T", 1)}, "w", "there is no topic w of type T and W; legal for --x are v"),
        ({"v": ("V", 1)}, None, "there are no messages of type T and W; the bag has v (V)"),
        ({}, None, "there are no messages of type T and W; the bag has no topics"),
    ],
)
def test_topics_that_are_meant(given, asked, expected):
    arguments = (topics(**given), ("T", "W"), asked, "u", "--x")
    if " " in expected:
        assert said(chosen_topic, *arguments) == expected
    else:
        assert chosen_topic(*arguments).name == expected


COLUMNS = {"topics": "id, name, type, serialization_format", "messages": "topic_id, timestamp, data"}
TOPIC, MESSAGE = (1, "/j", "sensor_msgs/msg/JointState", "cdr"), (1, 5, b"abc")


@each(
    "columns, rows, expected",
    [
        ({}, [TOPIC, MESSAGE], ""),
        (
            {"topics": "id, name, type"},
            [],
            "its table topics has no column 'serialization_format'; expected a bag of ROS",
        ),
        ({"messages": "topic_id, data"}, [], "its table messages has no column 'timestamp'; expected a bag of ROS 2"),
        ({}, [(1, 5, "t", "cdr")], "row 1 of table topics has a name or type that is not a text"),
        ({}, [(1, "/j", "t", b"cdr")], "row 1 of table topics has a name or type that is not a text"),
        ({}, [TOPIC, (2, 5, b"")], "row 1 of table messages is of topic 2, which table topics lacks"),
        (
            {},
            [TOPIC, MESSAGE, (1, -1, b"")],
            "row 2 of table messages has other data or another time; expected bytes, an",
        ),
        (
            {},
            [TOPIC, (1, 5, "abc")],
            "row 1 of table messages has other data or another time; expected bytes, and a who",
        ),
        (
            {},
            [TOPIC, (1, 0.5, b"")],
            "row 1 of table messages has other data or another time; expected bytes, and a who",
        ),
        ({}, [(*TOPIC[:3], "json")], "topic /j: is encoded as 'json'; expected 'cdr'"),
        (
            {},
            [TOPIC, (2, "/j", "std_msgs/msg/String", "cdr")],
            "topic /j: has messages of the types sensor_msgs/JointState",
        ),
        ({}, [(1, "/s", "std_msgs/msg/String", "json"), (1, 5, b"")], ""),
    ],
)
def test_tables_of_a_database(tmp_path, columns, rows, expected):
    path = tmp_path / f"{len(list(tmp_path.iterdir()))}.db3"
    with sqlite3.connect(path) as database:
        for table, names in (COLUMNS | columns).items():
            database.execute(f"CREATE TABLE {table}({names})")
        for row in rows:
            table = "topics" if len(row) == 4 else "messages"
            database.execute(f"INSERT INTO {table} VALUES({', '.join('?' * len(row))})", row)
    database.close()
    found = Bag((JOINT_STATE,))
    if expected:
        assert said(read, path, found).startswith(expected)
        return
    read(path, found)
    (topic,) = found.topics.values()
    kept = topic.type == JOINT_STATE
    assert (topic.name, topic.count, topic.data) == (rows[0][1], 1, [b"abc"] if kept else [])
    assert (topic.log_times, topic.publish_times) == (([5], [5]) if kept else ([], []))
    assert topic.places == ([(0, " of row 1 of table messages", str(path))] if kept else [])


def test_bytes_and_messages_that_are_kept(monkeypatch, tmp_path):
    for name, most in (("MOST_KEPT", 10), ("MOST_MESSAGES", 2)):
        with monkeypatch.context() as patch:
            patch.setattr(bags, name, most)
            bag = Bag((JOINT_STATE,))
            topic = bag.topic(tmp_path, "/j", "sensor_msgs/msg/JointState", "", "cdr")
            assert bag.keeps(tmp_path, topic, 5)
            assert bag.keeps(tmp_path, topic, 5)
            assert (topic.count, bag.kept, bag.messages) == (2, 10, 2)
            assert said(bag.keeps, tmp_path, topic, 1).startswith(
                "has too many messages about joints and poses; at most "
            )
