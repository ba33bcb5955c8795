"""`kinetree serve`: where it listens, how it ends, and what is refused."""

import os
import re
import signal
import socket
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed

import kinetree as kt
from each import each
from foxglove_client import Client
from kinetree.cli.serve import _warn
from linkages import fourbar

posix = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")

HINT = "open this address in a viewer, such as Foxglove; Ctrl-C ends it"


@pytest.fixture
def serve(process, interruptible):
    """Start `kinetree serve` on a free port; its process, the port and the first line of its output."""
    runs = []

    def serve(*arguments):
        run = process("serve", *arguments, "--port", 0)
        runs.append(run)
        line = run.stdout.readline().decode()
        return run, int(line.rpartition(":")[2]), line

    yield serve
    for run in runs:
        run.kill()
        run.communicate()


def listening(pid):
    """Addresses (hexadecimal) and ports of the sockets on which a process listens."""
    inodes = set()
    for link in Path(f"/proc/{pid}/fd").iterdir():
        inodes |= {*re.findall(r"socket:\[(\d+)\]", os.readlink(link))}
    found = []
    for table in ("tcp", "tcp6", "udp", "udp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            words = line.split()
            if words[9] in inodes and (table.startswith("udp") or words[3] == "0A"):
                host, port = words[1].split(":")
                found.append((host, int(port, 16)))
    return found


@posix
@pytest.mark.slow
def test_it_listens_on_the_loopback_alone_and_ends_at_an_interrupt(serve, arm):
    run, port, line = serve(arm)
    assert line == f"ws://127.0.0.1:{port}\n"
    if Path("/proc/net/tcp").exists():
        assert listening(run.pid) == [("0100007F", port)]
    with Client(f"ws://127.0.0.1:{port}") as client:
        client.subscribe("/tf")
        client.wait("data")
        run.send_signal(signal.SIGINT)
        with pytest.raises(ConnectionClosed) as closed:
            client.wait("the end")
        assert closed.value.rcvd.code == 1001  # going away
    assert run.communicate(timeout=60) == (b"", HINT.encode() + b"\ninterrupted\n")
    assert run.returncode == 130


@posix
@pytest.mark.slow
def test_a_motion_plays(serve, arm, tmp_path):
    (tmp_path / "motion.csv").write_text("time, axis_1\n0, 90\n1, 180\n")
    run, port, _ = serve(arm, tmp_path / "motion.csv", "--deg", "--loop", "--speed", 0.5, "--q", "axis_2=30")
    with Client(f"ws://127.0.0.1:{port}") as client:
        values = client.parameters()
        assert values["joints.axis_2"] == pytest.approx(0.5235987755982988)
        assert values["joints.axis_1"] == pytest.approx(1.5707963267948966 * (1 + values["motion.time"]))
        assert (values["motion.speed"], values["motion.paused"]) == (0.5, False)
    run.send_signal(signal.SIGINT)
    told = run.communicate(timeout=60)[1].decode().splitlines()
    still = "axis_2, axis_3, axis_4, axis_5, axis_6"
    assert told[0] == f"{tmp_path}/motion.csv: without a column, and staying as they are: {still}"
    outside = "outside of the limits: 1 of 2 configurations; the worst is axis_1 upper, by 1.14 rad"
    assert told[1:] == [outside, HINT, "interrupted"]


@posix
@pytest.mark.slow
def test_the_risk_of_another_address_is_printed(serve, arm):
    run, port, line = serve(arm, "--host", "0.0.0.0", "--allow-origin", "https://app.foxglove.dev")
    assert line == f"ws://0.0.0.0:{port}\n"
    warning = run.stderr.readline().decode()
    assert warning.startswith(f"warning: every computer that reaches 0.0.0.0:{port} can read this robot and its meshes")
    with Client(f"ws://127.0.0.1:{port}", origin="https://app.foxglove.dev") as client:
        assert client.info["name"] == f"kinetree: {kt.load(arm).name}"


def test_a_port_in_use_and_an_unknown_host(run, arm):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = run("serve", arm, "--port", port)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"error: cannot listen on port {port} of '127.0.0.1': " in result.stderr
    assert "in use" in result.stderr
    assert "fix: pass --port with another number; 0 takes a free one" in result.stderr
    result = run("serve", arm, "--host", "256.0.0.1", "--port", 0)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "cannot listen on port 0 of '256.0.0.1': " in result.stderr
    assert "[Errno" not in result.stderr  # a reason, not a number
    assert "fix: pass --host with an address of this computer" in result.stderr


@pytest.mark.parametrize("origin", ["null", "*", "app.foxglove.dev", "https://app.foxglove.dev/", "https://*.dev", ""])
def test_what_is_not_an_origin_is_refused(run, arm, origin):
    result = run("serve", arm, "--allow-origin", origin)
    assert result.exit_code == 2
    assert f"{origin!r} is no origin that can be allowed; an origin is scheme://host" in result.stderr


def test_without_websockets_the_extra_is_named(run, arm, monkeypatch):
    monkeypatch.setattr("kinetree.cli.serve.find_spec", lambda name: None)
    result = run("serve", arm)
    assert result.exit_code == 2
    assert "websockets, which is not installed" in result.stderr
    assert "pip install 'kinetree[foxglove]'" in result.stderr


@each(
    "robot, words",
    [(kt.load(fourbar(), format="mjcf"), ["the joint values may open the loops"]), (kt.chain("Rz(a)"), [])],
)
def test_joint_values_may_open_loops(capsys, robot, words):
    _warn(robot, robot.zero[None])
    said = capsys.readouterr().err
    assert all(word in said for word in words)
    assert bool(said) == bool(words)
