"""Answers of a client of the server to each message, without a connection."""

import asyncio
import json
import struct
from types import SimpleNamespace

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.logs import Motion
from kinetree.serving import client as module, messages
from kinetree.serving.client import Client
from kinetree.serving.content import CHANNELS, content_of
from kinetree.serving.player import Player

ROBOT = kt.load(
    """<robot name="r"><link name="a"/><link name="b"/>
  <joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="2" velocity="1" effort="1"/></joint></robot>""",
    format="urdf",
)
TOPICS = [channel.topic for channel in CHANNELS]


@pytest.fixture
def client():
    changed = []
    made = Client(None, content_of(ROBOT), Player(ROBOT, ROBOT.q(), None, rate=10), changed.append)
    made.told = changed
    return made


def answers(client, **message):
    """Texts as they are, and of binary messages the operation, its number and the length of the rest."""
    found = client._answers(json.dumps(message))
    return [
        json.loads(one) if isinstance(one, str) else (one[0][0], struct.unpack_from("<I", one[0], 1)[0])
        for one in found
    ]


def test_subscriptions_begin_and_end(client):
    static, tf = next(i for i, t in enumerate(TOPICS) if t != "/tf"), TOPICS.index("/tf")
    assert answers(client, op="subscribe", subscriptions=[{"id": 5, "channelId": tf}]) == []
    assert answers(client, op="subscribe", subscriptions=[{"id": 6, "channelId": static}]) == [(1, 6)]
    assert client.subscriptions == {5: "/tf", 6: TOPICS[static]}
    for again, topic in (({"id": 5, "channelId": static}, TOPICS[static]), ({"id": 9, "channelId": tf}, "/tf")):
        (refused,) = answers(client, op="subscribe", subscriptions=[again])
        said = f"there is a subscription to {topic}, or one of number {again['id']}, already"
        assert refused == {"op": "status", "level": 1, "message": said, "id": "subscribe"}
    assert client.subscriptions == {5: "/tf", 6: TOPICS[static]}
    assert answers(client, op="unsubscribe", subscriptionIds=[5, 100]) == []
    assert client.subscriptions == {6: TOPICS[static]}
    assert answers(client, op="subscribe", subscriptions=[{"id": 5, "channelId": tf}]) == []
    client.post_on("/tf", 77, b"abc")
    client.post_on("/other", 77, b"abc")
    assert client._waiting.get_nowait() == (struct.pack("<BIQ", 1, 5, 77), b"abc")
    assert client._waiting.empty()


def value(name, number):
    return {"name": name, "value": number, **({"type": "float64"} if isinstance(number, float) else {})}


def test_parameters_are_shown_set_and_watched(client):
    limits = value("limits.j", {"lower": -1.0, "upper": 2.0})
    every = {"op": "parameterValues", "parameters": [value("joints.j", 0.0), limits]}
    assert answers(client, op="getParameters", parameterNames=[]) == [every]
    one = {"op": "parameterValues", "parameters": [limits], "id": "7"}
    assert answers(client, op="getParameters", parameterNames=["limits.j", "nothing"], id="7") == [one]
    removed = {"op": "removeStatus", "statusIds": ["set"]}
    after = {"op": "parameterValues", "parameters": [value("joints.j", 0.5)], "id": "8"}
    assert answers(client, op="setParameters", parameters=[{"name": "joints.j", "value": 0.5}], id="8") == [
        removed,
        after,
    ]
    assert client.told == [["joints.j"]]
    assert answers(client, op="setParameters", parameters=[]) == [removed]
    assert client.told == [["joints.j"], []]
    wrong = [{"name": "joints.j", "value": 3}, {"name": "x"}, {"name": "y"}, {"name": "limits.j", "value": 1}]
    said = (
        "there is no parameter 'x'; there are 'joints.j', 'limits.j'\n1 more parameter is unknown\n"
        "limits.j cannot be set: it shows a limit of the model\n"
        "joints.j = 3 is not set: it is outside of limits: j upper by 1; where the other joints are, expected -1 to 2"
    )
    status = {"op": "status", "level": 1, "message": said, "id": "set"}
    assert answers(client, op="setParameters", parameters=wrong)[:2] == [removed, status]
    client.post_values(["joints.j"])
    assert client._waiting.empty()
    assert answers(client, op="subscribeParameterUpdates", parameterNames=["limits.j", "nothing"]) == []
    assert client.watched == {"limits.j"}
    client.post_values(["joints.j"])
    assert client._waiting.empty()
    answers(client, op="subscribeParameterUpdates", parameterNames=[])
    assert client.watched == {"joints.j", "limits.j"}
    client.post_values(["joints.j"])
    assert json.loads(client._waiting.get_nowait()) == {"op": "parameterValues", "parameters": [value("joints.j", 0.5)]}
    answers(client, op="unsubscribeParameterUpdates", parameterNames=["limits.j"])
    assert client.watched == {"joints.j"}
    answers(client, op="unsubscribeParameterUpdates", parameterNames=[])
    assert client.watched == set()


def test_files_that_are_not_of_the_robot_are_refused(client):
    (asset,) = client._answers(json.dumps({"op": "fetchAsset", "uri": "/etc/passwd", "requestId": 3}))
    said = b"/etc/passwd is not a mesh or texture of this robot, and no other file is served"
    assert asset == (struct.pack("<BIBI", 4, 3, 1, len(said)) + said, b"")
    assert messages.asset(3, b"abc") == (struct.pack("<BIBI", 4, 3, 0, 0), b"abc")


@each(
    "text",
    [
        "",
        "[]",
        '{"op": "nothing"}',
        '{"op": "subscribe"}',
        '{"op": "subscribe", "subscriptions": [{"id": -1, "channelId": 0}]}',
        '{"op": "subscribe", "subscriptions": [{"id": 4294967296, "channelId": 0}]}',
        '{"op": "subscribe", "subscriptions": [{"id": true, "channelId": 0}]}',
        '{"op": "subscribe", "subscriptions": [{"id": 1, "channelId": 77}]}',
        '{"op": "setParameters", "id": NaN, "parameters": [{"name": "joints.j", "value": 0.5}]}',
        "[" * 100_000,
    ],
)
def test_a_message_that_is_not_understood_changes_nothing(text):
    client = Client(None, content_of(ROBOT), Player(ROBOT, ROBOT.q(), None, rate=10), lambda names: None)
    (status,) = client._answers(text)
    shown = repr(text) if len(repr(text)) <= 200 else repr(text)[:199] + "…"
    said = f"a message is not understood or not supported: {shown}"
    assert json.loads(status) == {"op": "status", "level": 2, "message": said, "id": "message"}
    assert (client.subscriptions, client.player.q.tolist()) == ({}, [0])


def test_messages_beyond_the_backlog_are_lost_and_counted(client, monkeypatch):
    sent = []

    async def send(message):
        sent.append(message)

    monkeypatch.setattr(client, "_send", send)
    monkeypatch.setattr(module, "WAITING", 10)
    for text in ("1234", (b"12", b"3456"), "a", "b"):
        client.post(text)
    assert (client._lost, client._bytes) == (2, 10)

    async def play():
        task = asyncio.ensure_future(client._send_waiting())
        while len(sent) < 3:
            await asyncio.sleep(0)
            if len(sent) == 2 and client._lost:
                await asyncio.sleep(0)
        task.cancel()

    monkeypatch.setattr(module, "WAITING", 10_000)
    asyncio.run(play())
    assert sent[:2] == ["1234", (b"12", b"3456")]
    lost = {"op": "status", "level": 1, "message": "2 messages are lost: the client is too slow", "id": "lost"}
    assert json.loads(sent[2]) == lost
    assert (client._lost, client._bytes) == (0, 0)


def test_a_long_message_is_sent_in_parts():
    n = messages.FRAGMENT
    assert messages.fragments("text") == "text"
    assert messages.fragments((b"h", b"x" * n)) == b"h" + b"x" * n
    parts = [bytes(part) for part in messages.fragments((b"h", b"x" * (n + 1)))]
    assert parts == [b"h", b"x" * n, b"x"]


def test_a_motion_is_a_parameter_that_can_be_set():
    motion = Motion(("j",), np.array([5.0, 6.0, 8.0]), np.array([[0.0], [1.0], [0.5]]))
    player = Player(ROBOT, ROBOT.q(), motion, rate=10, speed=2.0)
    shown = {"motion.paused": False, "motion.speed": 2.0, "motion.time": 0.0}
    assert player.parameters == {"joints.j": 0.0, **shown, "limits.j": {"lower": -1.0, "upper": 2.0}}
    assert player.set({"motion.speed": 0.5, "motion.time": 2, "motion.paused": True}) == []
    assert (player.speed, player.time, player.paused, player.q.tolist()) == (0.5, 2.0, True, [0.75])
    player.advance(1)
    assert player.time == 2.0
    assert player.set({"joints.j": -0.5}) == []
    assert player.set({"motion.paused": False}) == []
    player.advance(1)
    assert (player.time, player.q.tolist()) == (2.5, [0.625])
    assert player.set({"joints.j": 0}) == ["joints.j is not set: the motion moves it; set motion.paused to true first"]
    assert player.set({"motion.time": 3.5, "motion.speed": 0, "motion.paused": 1}) == [
        "motion.time = 3.5 is not set; expected 0 to 3 s",
        "motion.speed = 0 is not set; expected numbers above 0",
        "motion.paused = 1 is not set; expected true and false",
    ]


class Socket:
    """A connection that takes all parts of a message, and waits before the answer."""

    def __init__(self, waits=0.0):
        self.waits, self.parts, self.aborted = waits, [], False
        self.transport = SimpleNamespace(abort=self.abort)

    def abort(self):
        self.aborted = True

    async def send(self, parts):
        self.parts += [parts] if isinstance(parts, str | bytes) else list(parts)
        await asyncio.sleep(self.waits)


def test_a_client_that_reads_nothing_is_left(client, monkeypatch):
    monkeypatch.setattr(module, "SLOW", 0.01)
    client.socket = Socket(waits=1.0)
    with pytest.raises(TimeoutError):
        asyncio.run(client._send("text"))
    assert (client.socket.aborted, client.socket.parts) == (True, ["text"])
    client.socket = Socket()
    asyncio.run(client._send((b"head", bytes(3 * messages.FRAGMENT))))
    assert (client.socket.aborted, b"".join(client.socket.parts)) == (False, b"head" + bytes(3 * messages.FRAGMENT))
    assert len(client.socket.parts) > 1


def test_each_part_of_a_message_renews_the_time():
    limits, times = [], iter((1.0, 5.0))
    limit = SimpleNamespace(reschedule=limits.append)
    assert list(module._timed(["a", "b"], limit, lambda: next(times))) == ["a", "b"]
    assert limits == [1.0 + module.SLOW, 5.0 + module.SLOW]
