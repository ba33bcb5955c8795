"""Messages of ROS 2 in CDR: layouts, both orders of bytes, and offsets of damage."""

import struct

import numpy as np
import pytest

from each import each
from kinetree.errors import KinetreeError, fail
from kinetree.logs.ros.cdr import decoded, encoded
from kinetree.logs.ros.definitions import DEFINITIONS, PRIMITIVES, fields_of, schema_text

JOINTS = "sensor_msgs/JointState"


def fault(number: int, at: int, message: str) -> KinetreeError:
    return fail("bag", f"message {number}, byte {at}: {message}")


def states(names=("a", "bcd"), n=3, velocity=0):
    rng = np.random.default_rng(0)
    header = {"stamp": {"sec": np.arange(n), "nanosec": 7}, "frame_id": "base"}
    position = rng.normal(size=(n, len(names)))
    numbers = {"position": position, "velocity": rng.normal(size=(n, velocity)), "effort": np.zeros(0)}
    return position, {"header": header, "name": list(names), **numbers}


def big_endian_joint_state(sec: int, nanosec: int, names: list[str], position: list[float]) -> bytes:
    """The message by hand, as the standard writes it."""
    data = struct.pack(">iI", sec, nanosec)

    def put_text(text: str) -> None:
        nonlocal data
        data += bytes(-len(data) % 4) + struct.pack(">I", len(text) + 1) + text.encode() + b"\0"

    put_text("")
    data += bytes(-len(data) % 4) + struct.pack(">I", len(names))
    for name in names:
        put_text(name)
    data += bytes(-len(data) % 4) + struct.pack(">I", len(position))
    data += bytes(-len(data) % 8) + struct.pack(f">{len(position)}d", *position)
    return b"\0\0\0\0" + data + struct.pack(">II", 0, 0)


def test_a_string_by_hand():
    assert encoded("std_msgs/String", {"data": "né"}) == [b"\0\1\0\0" + struct.pack("<I", 4) + "né".encode() + b"\0"]


def test_what_is_written_is_read():
    position, message = states(n=700, velocity=2)
    ((rows, value, data),) = decoded(JOINTS, encoded(JOINTS, message), fault)
    assert rows.tolist() == list(range(700))
    assert (value["header"]["frame_id"], value["name"], value["effort"].size) == ("base", ["a", "bcd"], 0)
    np.testing.assert_array_equal(value["position"].of(data), position)
    np.testing.assert_array_equal(value["velocity"].of(data), message["velocity"])
    np.testing.assert_array_equal(value["header"]["stamp"]["sec"].of(data), np.arange(700))


def test_both_orders_of_bytes():
    data = big_endian_joint_state(3, 4, ["a", "elbow"], [0.5, -2.0])
    ((_, value, table),) = decoded(JOINTS, [data], fault)
    assert value["name"] == ["a", "elbow"]
    assert value["position"].of(table).tolist() == [[0.5, -2.0]]
    assert value["header"]["stamp"]["nanosec"].of(table).tolist() == [4]


def test_messages_of_many_layouts_keep_their_numbers():
    """More layouts than are compared with all messages, mixed, of the same size."""
    expected, messages = {}, []
    for k in range(40):
        name = f"joint_{k % 20:02}"
        position, message = states((name,), 1)
        messages += encoded(JOINTS, {**message, "position": position + k})
        expected[k] = (name, position[0, 0] + k)
    found = {}
    for rows, value, data in decoded(JOINTS, messages, fault):
        found |= {int(row): (*value["name"], x) for row, (x,) in zip(rows, value["position"].of(data), strict=True)}
    assert found == expected


@each("name", DEFINITIONS)
def test_every_definition_is_read_from_its_zeros(name):
    def zero(type, size):
        if type in PRIMITIVES:
            return np.zeros(max(size, 0)) if size else 0
        if size:
            return []
        return "" if type == "string" else {one.name: zero(one.type, one.size) for one in fields_of(type)}

    ((_, _, data),) = decoded(name, encoded(name, zero(name, None)), fault)
    assert data.shape[0] == 1
    assert schema_text(name).startswith(DEFINITIONS[name].split("; ")[0] + "\n")


@each(
    "change, message",
    [
        (lambda data: data[:-3], "byte 72: the length of effort has 4 bytes, and 1 are left of the message"),
        (lambda data: b"", "byte 0: the message begins with the bytes none; expected 00 00 or 00 01"),
        (lambda data: b"\0\7\0\0" + data[4:], "byte 0: the message begins with the bytes 00 07 00 00"),
        (
            lambda data: data[:24] + b"\xff\xff\xff\x7f" + data[28:],
            "byte 28: name has 2147483647 entries, and 48 bytes",
        ),
        (lambda data: data[:28] + b"\xff\0\0\0" + data[32:], r"byte 32: name\[0\] has 255 bytes, and 44 are left"),
        (lambda data: data[:32] + b"\xff" + data[33:], r"byte 32: the text of name\[0\] is not UTF-8"),
        (lambda data: data[:33] + b"x" + data[34:], r"byte 33: the text of name\[0\] does not end with a zero byte"),
        (lambda data: data[:44] + b"\xff\0\0\0" + data[48:], "byte 48: position has 255 entries"),
    ],
)
def test_damage_has_its_offset(change, message):
    (data,) = encoded(JOINTS, states(n=1)[1])
    with pytest.raises(KinetreeError, match=message):
        list(decoded(JOINTS, [change(data)], fault))


@each("count", [31, 33, 40])
def test_messages_of_many_layouts_are_read_once_each(count):
    """Texts of one length: some layouts are grouped, and beyond the 32nd every message is read on its own."""
    messages, positions = [], []
    for i in range(count):
        position, message = states((f"a{i:02}", "bcd"), n=2)
        positions.append(position + i)
        messages += encoded(JOINTS, {**message, "position": position + i})
    found, groups = {}, []
    for rows, value, data in decoded(JOINTS, messages, fault):
        groups.append(len(rows))
        for row, numbers in zip(rows.tolist(), value["position"].of(data), strict=True):
            assert row not in found
            found[row] = value["name"], numbers
    assert sorted(found) == [*range(2 * count)]
    assert groups == [2] * min(count, 32) + [1] * (2 * max(count - 32, 0))
    for row, (names, numbers) in found.items():
        assert names == [f"a{row // 2:02}", "bcd"]
        np.testing.assert_array_equal(numbers, positions[row // 2][row % 2])
