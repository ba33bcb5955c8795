"""The line on a terminal while a program is compiled that takes long."""

import io
import sys

import numpy as np
import pytest

from kinetree.compiler import machine_code
from toy_kernels import kernel


class Terminal(io.StringIO):
    def isatty(self):
        return True


class OnlyWrites:
    write = Terminal.write


def compiled(monkeypatch, stream, long=0.0):
    monkeypatch.setattr(machine_code, "LONG", long)
    monkeypatch.setattr(sys, "stderr", stream)
    k = kernel(lambda x: x * x + 1, (3,))
    assert k(np.ones(3)).tolist() == [2, 2, 2]
    return stream.getvalue() if isinstance(stream, io.StringIO) and not stream.closed else ""


@pytest.fixture(autouse=True)
def cold(folder):
    """Nothing has been compiled."""


def test_on_a_terminal_until_it_is_done(monkeypatch):
    line, blank, rest = compiled(monkeypatch, Terminal()).split("\r")
    assert line == "compiling test: 6 operations, about 0 s"
    assert blank == " " * len(line)
    assert rest == ""


def test_estimate_is_that_of_a_large_program(monkeypatch):
    monkeypatch.setattr(machine_code, "PER_OPERATION", 1.0)
    assert "about 9 s" in compiled(monkeypatch, Terminal())


def test_nothing_from_the_cache(monkeypatch):
    assert compiled(monkeypatch, Terminal())
    assert not compiled(monkeypatch, Terminal())


def test_nothing_for_quick_programs(monkeypatch):
    assert not compiled(monkeypatch, Terminal(), machine_code.LONG)


@pytest.mark.parametrize("stream", [io.StringIO(), None, OnlyWrites()], ids=["file", "none", "only writes"])
def test_nothing_elsewhere(monkeypatch, stream):
    assert not compiled(monkeypatch, stream)


def test_nothing_on_a_closed_stream(monkeypatch):
    stream = io.StringIO()
    stream.close()
    assert not compiled(monkeypatch, stream)
