"""The server without a connection: how many clients it has, and the stamps of its clock."""

import asyncio
from types import SimpleNamespace

import pytest

from kinetree.serving import server as module
from kinetree.serving.content import _no_fault
from kinetree.serving.server import CLIENTS, FULL, Server


class Player:
    def __init__(self, paused=False, ends=10**9):
        self.paused, self.parameters, self.steps, self.ends = paused, {"time": 0}, [], ends

    def advance(self, step):
        self.steps.append(step)
        self.paused = len(self.steps) >= self.ends or self.paused


def run_clock(monkeypatch, player, late=(), rate=10, ticks=12):
    """Stamps, when parameters were sent, remarks, and times that were waited. late: seconds by tick."""
    now, stamps, values, told, waited = [0.0], [], [], [], []

    async def sleep(seconds):
        waited.append(seconds)
        now[0] += seconds + dict(late).get(len(waited), 0.0)

    monkeypatch.setattr(module.asyncio, "sleep", sleep)
    monkeypatch.setattr(module.asyncio, "get_running_loop", lambda: SimpleNamespace(time=lambda: now[0]))
    monkeypatch.setattr(module.time, "time_ns", lambda: 10**18)
    server = Server(None, player, rate, told.append)

    def post(stamp):
        stamps.append(stamp - 10**18)
        if len(stamps) == ticks:
            raise StopIteration

    server._post_transforms = post
    server._post_values = lambda names: values.append(len(stamps))
    with pytest.raises(RuntimeError):  # of StopIteration
        _finish(server._run_clock())
    return stamps, values, told, waited


def _finish(coroutine):
    while True:
        coroutine.send(None)


def test_stamps_are_a_period_apart_and_values_come_five_times_a_second(monkeypatch):
    player = Player()
    stamps, values, told, waited = run_clock(monkeypatch, player)
    assert stamps == [i * 10**8 for i in range(1, 13)]
    assert values == [2, 4, 6, 8, 10]
    assert waited == pytest.approx([0.1] * 12)
    assert player.steps == [0.1] * 12
    assert told == []


def test_values_of_a_motion_that_ends_are_sent_once(monkeypatch):
    assert run_clock(monkeypatch, Player(ends=3))[1] == [2, 3]
    assert run_clock(monkeypatch, Player(paused=True))[1] == []


@pytest.mark.parametrize(("late", "left_out"), [(0.9, None), (1.25, 11)])
def test_after_a_sleep_the_clock_goes_on_from_now(monkeypatch, late, left_out):
    """A clock that is less than a second late catches up."""
    stamps, _, told, waited = run_clock(monkeypatch, Player(), [(3, late), *([(6, late)] if left_out else [])])
    if left_out is None:
        assert stamps == [i * 10**8 for i in range(1, 13)]
        assert (told, 0.0 in waited) == ([], True)
    else:
        assert told == [f"{left_out + 1} transforms are left out: the computer was too slow, or slept"]
        assert stamps[2] == 3 * 10**8
        assert stamps[3] - stamps[2] == pytest.approx(10**8 + (late - 0.1) * 1e9, abs=2e8)


def test_more_clients_than_the_largest_number_are_refused_once():
    closed, told = [], []

    class Socket:
        async def close(self, code, reason):
            closed.append((int(code), reason))

    server = Server(None, None, 10, told.append)
    server.clients = set(range(CLIENTS))
    for _ in range(2):
        asyncio.run(server._serve(Socket()))
    assert (closed, told, len(server.clients)) == ([(1013, FULL)] * 2, [FULL], CLIENTS)


def test_content_has_no_faults():
    with pytest.raises(AssertionError):
        _no_fault("anything")
