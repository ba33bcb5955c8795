"""A small client of the Foxglove WebSocket protocol, and a server in a thread for the tests."""

import asyncio
import json
import struct
import threading
from contextlib import contextmanager

from websockets.sync.client import connect

from kinetree.serving.content import content_of
from kinetree.serving.player import Player
from kinetree.serving.server import Server

SECONDS = 20
ROBOT = """<robot name="r"><link name="base"/><link name="al"/><link name="bl"/><link name="cl"/><link name="dl"/>
<joint name="a" type="revolute"><parent link="base"/><child link="al"/><axis xyz="0 0 1"/>
  <limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
<joint name="b" type="prismatic"><parent link="al"/><child link="bl"/><axis xyz="1 0 0"/>
  <limit lower="-0.2" upper="0.3" velocity="1" effort="1"/></joint>
<joint name="c" type="prismatic"><parent link="bl"/><child link="cl"/><axis xyz="1 0 0"/>
  <mimic joint="b" multiplier="2" offset="0.1"/><limit lower="-1" upper="0.4" velocity="1" effort="1"/></joint>
<joint name="d" type="floating"><parent link="cl"/><child link="dl"/></joint></robot>"""


class Client:
    """What a viewer does: it keeps every JSON message by its `op`, and the data of channels by topic."""

    def __init__(self, address, **options):
        options = {"subprotocols": ["foxglove.sdk.v1"], "proxy": None, "max_size": None, "max_queue": None, **options}
        self._connection = connect(address, **options)
        self.socket = self._connection.__enter__()
        self.info, advertised = (json.loads(self.socket.recv(SECONDS)) for _ in range(2))
        assert (self.info["op"], advertised["op"]) == ("serverInfo", "advertise")
        self.channels = {channel["topic"]: channel for channel in advertised["channels"]}
        self.topics = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._connection.__exit__(None, None, None)

    def say(self, op, **fields):
        self.socket.send(json.dumps({"op": op, **fields}))

    def subscribe(self, *topics):
        numbers = {topic: 100 + len(self.topics) + i for i, topic in enumerate(topics)}
        self.topics |= {number: topic for topic, number in numbers.items()}
        rows = [{"id": number, "channelId": self.channels[topic]["id"]} for topic, number in numbers.items()]
        self.say("subscribe", subscriptions=rows)

    def next(self, timeout=SECONDS):
        """The next message: JSON, ("data", topic, stamp, payload) or ("asset", request, error or None, content)."""
        message = self.socket.recv(timeout)
        if isinstance(message, str):
            return json.loads(message)
        if message[0] == 1:
            number, stamp = struct.unpack_from("<IQ", message, 1)
            return "data", self.topics[number], stamp, message[13:]
        assert message[0] == 4
        request, failed, length = struct.unpack_from("<IBI", message, 1)
        return "asset", request, message[10 : 10 + length].decode() if failed else None, message[10 + length :]

    def wait(self, kind):
        """The next message of a kind: the `op` of JSON, "data" or "asset"."""
        while True:
            message = self.next()
            if kind == (message["op"] if isinstance(message, dict) else message[0]):
                return message

    def parameters(self, *names):
        self.say("getParameters", parameterNames=names, id="get")
        while (message := self.wait("parameterValues")).get("id") != "get":
            pass
        return {row["name"]: row["value"] for row in message["parameters"]}

    def set(self, **values):
        """Set parameters; the texts of the status that answers, and their values now."""
        rows = [{"name": name.replace("__", "."), "value": value} for name, value in values.items()]
        self.say("setParameters", parameters=rows, id="set")
        texts = []
        while True:
            message = self.next()
            if not isinstance(message, dict):
                continue
            if message["op"] == "status":
                texts += message["message"].split("\n")
            if message["op"] == "parameterValues" and message.get("id") == "set":
                return texts, {row["name"]: row["value"] for row in message["parameters"]}

    def fetch(self, uri, request=7):
        """The error, or None, and the content of a file."""
        self.say("fetchAsset", uri=uri, requestId=request)
        _, number, error, content = self.wait("asset")
        assert number == request
        return error, content


@contextmanager
def serving(robot, q=None, motion=None, *, rate=100, origins=(), **options):
    """The address of a server of a robot, which ends with the context, and what it has told its user."""
    loop, told, address = asyncio.new_event_loop(), [], []
    listening = threading.Event()

    def ready(addresses):
        address.append("ws://{}:{}".format(*addresses[0]))
        listening.set()

    player = Player(robot, robot.q() if q is None else q, motion, rate=rate, **options)
    server = Server(content_of(robot), player, rate, told.append)
    task = loop.create_task(server.run("127.0.0.1", 0, origins, ready))
    thread = threading.Thread(target=lambda: loop.run_until_complete(asyncio.wait([task])))
    thread.start()
    try:
        assert listening.wait(SECONDS)
        yield address[0], told, server
    finally:
        loop.call_soon_threadsafe(task.cancel)
        thread.join(SECONDS)
        loop.close()
        assert task.cancelled(), task.exception()


def transforms_in(payload):
    """Stamp in ns, and {(parent, frame): (position, quat_xyzw)}, of a tf2_msgs/TFMessage in CDR, little-endian."""
    assert payload[:4] == b"\0\1\0\0"
    data, at, found, stamps = payload[4:], 4, {}, set()

    def take(format, size, alignment):
        nonlocal at
        at += -at % alignment
        at += size
        return struct.unpack_from(format, data, at - size)

    def text():
        (length,) = take("<I", 4, 4)
        return take(f"{length}s", length, 1)[0][:-1].decode()

    for _ in range(struct.unpack_from("<I", data)[0]):
        sec, nanosec = take("<iI", 8, 4)
        stamps.add(sec * 10**9 + nanosec)
        names = text(), text()
        numbers = take("<7d", 56, 8)
        found[names] = numbers[:3], numbers[3:]
    assert at == len(data)
    assert len(stamps) <= 1
    return (stamps or {0}).pop(), found
