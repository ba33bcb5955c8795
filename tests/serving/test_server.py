"""The server, to clients of the protocol over real sockets."""

import http.server
import json
import re
import socket
import threading
import time
import tracemalloc
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from websockets.exceptions import ConnectionClosed, InvalidStatus

import kinetree as kt
import kinetree.serving.server as server_module
from foxglove_client import ROBOT, SECONDS, Client, serving, transforms_in
from kinetree.logs import read_motion
from kinetree.serving.client import BACKLOG, WAITING, Client as Connection
from kinetree.serving.content import CHANNELS, content_of
from kinetree.serving.messages import FRAGMENT
from kinetree.serving.player import Player
from kinetree.serving.server import CLIENTS
from support import at_length, placed_frames

RATE = 100
PAGE = Path(__file__).resolve().parents[2] / "docs/how-to/serving.md"


@pytest.fixture(scope="module")
def icub():
    return kt.load("icub")


@pytest.fixture(scope="module")
def robot():
    return kt.load(ROBOT, format="urdf")


def motion_of(robot, n, seed=2):
    """Random configurations (n, nq), of which those of the box are inside of the limits, as a motion of 100 Hz."""
    q = np.random.default_rng(seed).uniform(-0.1, 0.15, (n, robot.nq))
    columns = dict(zip(robot.coordinate_names, q.T, strict=True)) | {"time": np.arange(n) / RATE}
    return read_motion(robot, columns)


def received(client, seconds):
    """All messages on /tf during some seconds of stamps: their stamps, and their payloads."""
    client.subscribe("/tf")
    found = []
    while not found or found[-1][2] - found[0][2] < seconds * 1e9:
        found.append(client.wait("data"))
    return np.array([stamp for _, _, stamp, _ in found]), [payload for *_, payload in found]


def check_nothing_is_lost(stamps, seconds):
    assert len(stamps) == seconds * RATE + 1
    assert np.abs(np.diff(stamps) - 1e9 / RATE).max() <= 1


def difference(robot, payload, q):
    """Largest difference of transforms from fk at each of q (n, nq), (n,)."""
    names = placed_frames(robot)
    T = dict(zip(names, np.moveaxis(kt.fk(robot, names).interpret(q), 1, 0), strict=True))
    _, found = transforms_in(payload)
    largest = np.zeros(len(q))
    for (parent, frame), (p, quat_xyzw) in found.items():
        own = np.eye(4)
        own[:3, 3], own[:3, :3] = p, Rotation.from_quat(quat_xyzw).as_matrix()
        largest = np.maximum(largest, np.abs(T[parent] @ own - T[frame]).max(axis=(1, 2)))
    return largest


@pytest.mark.slow
def test_transforms_at_100_hz_without_loss(robot):
    motion = motion_of(robot, 1000)
    with serving(robot, motion=motion, rate=RATE) as (address, told, _), Client(address) as client:
        stamps, payloads = received(client, 2)
        check_nothing_is_lost(stamps, 2)
        assert [transforms_in(payload)[0] for payload in payloads] == stamps.tolist()
        assert {frame for _, frame in transforms_in(payloads[0])[1]} == {"al", "bl", "cl", "dl"}
        begin = int(np.argmin(difference(robot, payloads[0], motion.q)))
        for k in range(0, 200, 20):
            assert difference(robot, payloads[k], motion.q[begin + k : begin + k + 1]) < 1e-12
        assert told == []


@pytest.mark.slow
@pytest.mark.nightly
def test_long_at_100_hz_without_loss(icub):
    seconds, motion = at_length(6, 60), motion_of(icub, 500)
    with serving(icub, motion=motion, rate=RATE, loop=True) as (address, told, _):
        late = []
        while not late or (late[-1] > 0.5 and len(late) < 3):  # other programs may hold up one of three
            with Client(address) as client:
                started = time.monotonic()
                stamps, _ = received(client, seconds)
                late.append(abs(time.monotonic() - started - seconds))
            check_nothing_is_lost(stamps, seconds)
        assert min(late) < 0.5
        assert told == []


@pytest.mark.slow
def test_a_client_that_joins_late_gets_the_description_and_static_transforms(icub):
    with serving(icub) as (address, _, _), Client(address) as early:
        early.subscribe("/tf_static", "/robot_description")
        early.next(), early.next()
        time.sleep(0.1)
        with Client(address, subprotocols=["foxglove.websocket.v1"]) as late:
            late.subscribe("/robot_description", "/tf_static")
            (_, topic, _, text), (_, other, stamp, static) = late.next(), late.next()
        assert (topic, other) == ("/robot_description", "/tf_static")
        assert text[:8] == b"\0\1\0\0" + (len(text) - 8).to_bytes(4, "little")
        assert sorted(kt.load(text[8:-1].decode(), format="urdf").frames) == sorted(icub.frames)
        stamped, found = transforms_in(static)
        assert stamped == stamp
        assert difference(icub, static, icub.q()[None]) < 1e-12
        _, moving = transforms_in(received(early, 0)[1][0])
        placed = {frame.name for frame in icub.frames.values() if not frame.unplaced}
        assert {frame for _, frame in [*found, *moving]} == placed - {icub.root}


@pytest.mark.slow
def test_transforms_that_are_left_out_are_told(robot, monkeypatch):
    """One step of the robot takes half a second, as if the computer had slept."""
    steps, advance = [], Player.advance

    def slow(player, seconds):
        steps.append(seconds)
        if len(steps) == 5:
            time.sleep(0.5)
        advance(player, seconds)

    monkeypatch.setattr(Player, "advance", slow)
    monkeypatch.setattr(server_module, "LATE", 0.25)
    with serving(robot) as (_, told, _):
        end = time.monotonic() + SECONDS
        while not told and time.monotonic() < end:
            time.sleep(0.01)
    left_out = re.fullmatch(r"(\d+) transforms are left out: the computer was too slow, or slept", told[0])
    assert left_out
    assert int(left_out[1]) > 25


def test_parameters_are_shown_set_and_watched(robot):
    with serving(robot) as (address, _, server), Client(address) as one, Client(address) as other:
        values = one.parameters()
        joints = [f"joints.{name}" for name in robot.coordinate_names]
        assert [name for name in values if not name.startswith("limits.")] == joints
        assert values["limits.b"] == {"lower": -0.2, "upper": 0.3}
        other.say("subscribeParameterUpdates", parameterNames=["joints.a", "joints.b", "none"])
        other.parameters("joints.a")
        assert one.set(joints__a=0.5) == ([], {"joints.a": 0.5})
        assert other.wait("parameterValues")["parameters"] == [{"name": "joints.a", "value": 0.5, "type": "float64"}]
        texts, now = one.set(joints__a=9)
        assert "a upper by 8" in texts[0]
        assert now == {"joints.a": 0.5}
        _, payloads = received(one, 0)
        assert difference(robot, payloads[0], robot.q(a=0.5)[None]) < 1e-12
        assert server.player.q[0] == 0.5


@pytest.mark.slow
def test_a_motion_that_plays_changes_parameters(robot):
    motion = read_motion(robot, {"time": [0, 0.5], "a": [0, 0.25]})
    with serving(robot, motion=motion) as (address, _, _), Client(address) as client:
        client.say("subscribeParameterUpdates", parameterNames=[])
        rows = {}
        while not rows.get("motion.paused"):
            rows = {row["name"]: row["value"] for row in client.wait("parameterValues")["parameters"]}
        assert (rows["joints.a"], rows["motion.time"]) == (0.25, 0.5)


@pytest.mark.slow
@pytest.mark.parametrize(
    "message",
    [
        "",
        "x",
        "[]",
        "null",
        "{}",
        '{"op": 1}',
        '{"op": []}',
        '{"op": "advertise", "channels": []}',
        '{"op": "subscribe"}',
        '{"op": "subscribe", "subscriptions": [{"id": -1, "channelId": 0}]}',
        '{"op": "subscribe", "subscriptions": [{"id": 1, "channelId": 99}]}',
        '{"op": "subscribe", "subscriptions": [{"id": 4294967296, "channelId": 0}]}',
        '{"op": "subscribe", "subscriptions": [{"id": true, "channelId": 0}]}',
        '{"op": "unsubscribe", "subscriptionIds": [[]]}',
        '{"op": "getParameters", "parameterNames": 7}',
        '{"op": "setParameters", "parameters": [{"value": 1}]}',
        '{"op": "fetchAsset", "uri": "package://a", "requestId": -1}',
        '{"op": "fetchAsset", "uri": "package://\\ud800", "requestId": 1}',
        '{"op": "subscribeParameterUpdates", "parameterNames": [{}]}',
        "[" * 100_000,
        b"\x01\0\0\0\0",
        b"\xff\xfe",
    ],
)
def test_a_message_that_is_not_understood_is_answered(small, message):
    with Client(small) as client:
        client.socket.send(message)
        answer = client.wait("status")
        assert answer["level"] == 2
        assert answer["message"].startswith("a message is not understood or not supported: ")
        assert client.parameters("joints.a") == {"joints.a": 0.0}


@pytest.fixture(scope="module")
def small(robot):
    with serving(robot) as (address, _, _):
        yield address


def test_a_second_subscription_is_refused_and_one_can_end(small):
    with Client(small) as client:
        client.subscribe("/tf")
        client.wait("data")
        client.subscribe("/tf")
        assert "there is a subscription to /tf" in client.wait("status")["message"]
        client.say("unsubscribe", subscriptionIds=[100, 5])
        client.parameters("joints.a")
        time.sleep(0.05)
        client.say("getParameters", parameterNames=["joints.a"])
        while isinstance(client.next(), tuple):
            pass


def test_a_message_with_a_fault_changes_nothing(small):
    with Client(small) as client:
        for bad in ({"id": 8, "channelId": 77}, {"id": -1, "channelId": 0}):
            client.say("subscribe", subscriptions=[{"id": 7, "channelId": 1}, bad])
            assert "is not understood" in client.wait("status")["message"]
        client.socket.send('{"op": "setParameters", "id": NaN, "parameters": [{"name": "joints.a", "value": 0.5}]}')
        assert "is not understood" in client.wait("status")["message"]
        assert client.parameters("joints.a") == {"joints.a": 0.0}


def test_a_file_is_asked_for_again_and_again(small):
    with Client(small) as client:
        for request in (0, 7, 2**32 - 1):
            error, content = client.fetch("package://arm/../../etc/passwd", request)
            assert (
                error
                == "package://arm/../../etc/passwd is not a mesh or texture of this robot, and no other file is served"
            )
            assert content == b""


@pytest.mark.slow
@pytest.mark.nightly
def test_a_slow_client_keeps_nobody_waiting_and_learns_what_it_has_lost(icub):
    with (
        serving(icub, rate=500) as (address, _, _),
        Client(address, max_queue=1, close_timeout=1) as slow,
        Client(address) as other,
    ):
        slow.subscribe("/tf")  # and it reads nothing for a while
        stamps, _ = received(other, 10)
        assert np.abs(np.diff(stamps) - 2e6).max() <= 1
        lost = int(slow.wait("status")["message"].removesuffix(" messages are lost: the client is too slow"))
        assert lost > 100
        slow.wait("data")


@pytest.fixture
def heavy(tmp_path):
    """The address of a server with a file of 30 MB and no robot that moves, its server, and what it has told."""
    mesh = b"solid" + bytes(30 * 2**20)
    with serving(kt.load('<robot name="r"><link name="a"/></robot>', format="urdf")) as (address, told, server):
        server.content.files["package://r/big.stl"] = mesh
        yield address, told, server


def hostile(address):
    """A connection that requests a file of 30 MB and reads nothing."""
    host, port = address.removeprefix("ws://").split(":")
    plain = socket.create_connection((host, int(port)))
    lines = ["GET / HTTP/1.1", "Host: x", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"]
    lines += ["Sec-WebSocket-Key: MDEyMzQ1Njc4OTAxMjM0NQ==", "Sec-WebSocket-Protocol: foxglove.sdk.v1", "", ""]
    plain.sendall("\r\n".join(lines).encode())
    assert b"101" in plain.recv(20)
    request = json.dumps({"op": "fetchAsset", "uri": "package://r/big.stl", "requestId": 1}).encode()
    for _ in range(3):
        plain.sendall(b"\x81" + bytes([0x80 | len(request)]) + b"\0\0\0\0" + request)
    return plain


@pytest.mark.slow
def test_a_long_file_arrives_whole(heavy):
    address, _, server = heavy
    with Client(address) as client:
        assert client.fetch("package://r/big.stl") == (None, server.content.files["package://r/big.stl"])
        server.content.files["package://r/empty.stl"] = b""
        assert client.fetch("package://r/empty.stl") == (None, b"")
        for size in (FRAGMENT, FRAGMENT + 1, 2 * FRAGMENT):
            server.content.files["package://r/x.stl"] = content = bytes(range(250)) * (size // 250) + bytes(size % 250)
            assert client.fetch("package://r/x.stl") == (None, content)


@contextmanager
def measured():
    """Measure the memory that Python takes at most."""
    tracemalloc.start()
    try:
        yield lambda: tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_clients_that_read_nothing_take_little_memory_and_are_closed(heavy, monkeypatch):
    address, _, server = heavy
    monkeypatch.setattr("kinetree.serving.client.SLOW", 1.0)
    with measured() as most, ExitStack() as stack:
        for _ in range(20):
            stack.enter_context(closing(hostile(address)))
        time.sleep(0.2)
        assert len(server.clients) == 20
        assert most() < 20e6  # and not 20 files
        end = time.monotonic() + SECONDS
        while server.clients and time.monotonic() < end:
            time.sleep(0.05)
        assert not server.clients


@pytest.mark.slow
def test_a_slow_reader_gets_all_of_a_file(heavy, monkeypatch):
    """A part that arrives renews the time that a client has."""
    address, _, server = heavy
    monkeypatch.setattr("kinetree.serving.client.SLOW", 0.4)
    size, end = 0, time.monotonic() + 1.5
    with closing(hostile(address)) as plain:
        while time.monotonic() < end:
            size += len(plain.recv(2**20))
            time.sleep(0.05)
        assert size > 2**22
        assert len(server.clients) == 1


@pytest.mark.slow
def test_one_client_too_many(robot):
    with serving(robot) as (address, told, server), ExitStack() as stack:
        clients = [stack.enter_context(Client(address)) for _ in range(CLIENTS)]
        for _ in range(2):
            with pytest.raises(ConnectionClosed) as refused:
                Client(address)
            assert (refused.value.rcvd.code, "32 are connected" in refused.value.rcvd.reason) == (1013, True)
        assert told == ["refused a client: 32 are connected, which is the largest number"]
        clients[0].socket.close()
        end = time.monotonic() + SECONDS
        while len(server.clients) == CLIENTS and time.monotonic() < end:
            time.sleep(0.01)
        with Client(address) as other:
            assert other.parameters("joints.a")


def test_what_waits_for_a_client_is_bounded(robot):
    client = Connection(None, content_of(robot), None, None)
    for _ in range(5):
        client.post((b"", bytes(WAITING // 2)))
    assert (client._waiting.qsize(), client._lost) == (2, 3)
    small = Connection(None, content_of(robot), None, None)
    for _ in range(BACKLOG + 7):
        small.post("x")
    assert (small._waiting.qsize(), small._lost) == (BACKLOG, 7)


def test_a_message_of_a_client_is_not_too_long(small):
    with Client(small) as client:
        client.socket.send("x" * (2**18 + 1))
        with pytest.raises(ConnectionClosed) as closed:
            client.wait("the end")
        assert closed.value.rcvd.code == 1009  # too big


@pytest.mark.slow
@pytest.mark.parametrize(
    ("origin", "may"),
    [
        (None, True),
        ("file://", True),
        ("https://app.foxglove.dev", True),
        ("https://app.foxglove.dev.evil.com", False),
        ("http://app.foxglove.dev", False),
        ("https://evil.com", False),
        ("null", False),
        ("FILE://", False),
        ("", False),
        ("http://127.0.0.1:8765", False),
        ("http://localhost", False),
        ("*", False),
    ],
)
def test_pages_of_other_origins_are_refused(robot, origin, may):
    allowed = ["https://app.foxglove.dev"]
    with serving(robot, origins=allowed) as (address, told, _):
        if may:
            with Client(address, origin=origin):
                return
        for _ in range(2):
            with pytest.raises(InvalidStatus) as refused:
                Client(address, additional_headers={"Origin": origin})
            assert refused.value.response.status_code == 403
        how = f"; to allow it, pass --allow-origin {origin}" if origin.startswith("http") else ""
        assert told == [f"refused a page of the origin {origin}{how}"]


def test_other_requests_get_nothing(small, capfd):
    with pytest.raises(InvalidStatus):
        Client(small, subprotocols=["chat"])
    port = int(small.rpartition(":")[2])
    for request in (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\0\1\2", b"GET /etc/passwd HTTP/1.1\r\n\r\n", b""):
        with socket.create_connection(("127.0.0.1", port)) as plain:
            plain.sendall(request)
            plain.shutdown(socket.SHUT_WR)
            answer = b"".join(iter(lambda: plain.recv(1000), b""))
            assert b"101" not in answer.split(b"\r\n")[0]
            assert b"Access-Control" not in answer
    with Client(small) as client:
        assert client.parameters("joints.a")
    assert capfd.readouterr() == ("", "")


def test_the_page_lists_topics_and_parameters_and_its_program_runs(robot, icub, tmp_path, capsys):
    page = PAGE.read_text("utf-8")
    rows = re.findall(r"^\| `(\S+)` \| `(\S+)` \|", page, re.MULTILINE)
    assert rows == [(channel.topic, channel.schema_name) for channel in CHANNELS]
    player = Player(robot, robot.q(), motion_of(robot, 3), rate=RATE)
    kinds = dict.fromkeys(re.sub(r"(joints|limits)\..*", r"\1.NAME", name) for name in player.parameters)
    assert sorted(kinds) == sorted(re.findall(r"^\| `(\w+\.\w+)` \|", page, re.MULTILINE))
    texts = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    q = icub.q(l_shoulder_pitch=-1.5, l_shoulder_roll=2)
    assert Player(icub, q, None, rate=RATE).set({"joints.l_shoulder_yaw": 1}) == [texts[0].rstrip("\n")]
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    arm = kt.load(ROBOT.replace('"r"', '"arm"'), format="urdf")
    with serving(arm) as (address, told, _):
        with pytest.raises(InvalidStatus):
            Client(address, origin="https://app.foxglove.dev")
        assert told == [texts[1].rstrip("\n")]
        exec(code.replace("ws://127.0.0.1:8765", address), {})
    assert capsys.readouterr().out == texts[2]


@pytest.mark.slow
@pytest.mark.nightly
def test_pages_in_a_browser(robot, browser, tmp_path):
    """A page of a server sends its origin, a page from a file "null"."""
    page = "<script>new WebSocket('{}', 'foxglove.sdk.v1').onmessage = e => document.title ||= e.data</script>"

    class Pages(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(self.server.page.encode())

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages) as pages:
        threading.Thread(target=pages.serve_forever, daemon=True).start()
        origin = f"http://127.0.0.1:{pages.server_port}"
        for allowed in ([], [origin]):
            with serving(robot, origins=allowed) as (address, told, _):
                pages.page = page.format(address)
                (tmp_path / "page.html").write_text(pages.page)
                opened = browser.new_page()
                opened.goto(f"{origin}/")
                if allowed:
                    opened.wait_for_function("document.title")
                    assert json.loads(opened.title())["name"] == "kinetree: r"
                opened.goto((tmp_path / "page.html").as_uri())
                deadline = time.monotonic() + 20
                while len(told) < 2 - len(allowed) and time.monotonic() < deadline:
                    opened.wait_for_timeout(50)
                assert opened.title() != "kinetree: r"
                opened.close()
            refused = [f"refused a page of the origin {origin}; to allow it, pass --allow-origin {origin}"]
            assert told == [*(refused if not allowed else []), "refused a page of the origin null"]
        pages.shutdown()
