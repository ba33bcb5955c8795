"""Standard streams and interrupts of the command, in this process."""

import io
import os
import signal
import sys
import threading
from types import SimpleNamespace

import pytest

from kinetree import _start, cli
from kinetree.cli import _diff, _exit
from kinetree.cli._exit import _Forgiving, prepare
from kinetree.cli._findings import write_lines


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_an_interrupt_ends_the_process_at_once(monkeypatch):
    done = []
    monkeypatch.setattr(_start.os, "write", lambda *given: done.append(given))
    monkeypatch.setattr(_start.os, "_exit", done.append)
    _start.end_at_once()
    assert done == [(2, b"interrupted\n"), _start.INTERRUPTED]


def test_an_interrupt_is_counted_and_raised(monkeypatch):
    monkeypatch.setattr(_start, "_interrupts", 4)
    with pytest.raises(KeyboardInterrupt):
        _start._raise()
    assert _start._interrupts == 5


def test_another_thread_leaves_the_signals_alone():
    before, errors = signal.signal(signal.SIGINT, signal.default_int_handler), []

    def try_it():
        try:
            _start.on_interrupt(end=True)
        except BaseException as error:
            errors.append(error)

    try:
        thread = threading.Thread(target=try_it)
        thread.start()
        thread.join()
        assert (errors, signal.getsignal(signal.SIGINT)) == ([], signal.default_int_handler)
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(
    ("prepared", "status", "ended"),
    [(True, 1, ["ignored", 1]), (True, 130, [130, "ignored"]), (False, 0, [74])],
)
def test_the_status_of_the_command(monkeypatch, capsys, prepared, status, ended):
    """By an interrupt the process ends before Python could end it by the signal."""
    assert _start.INTERRUPTED == 130
    done = []

    def group(prog_name):
        assert prog_name == "kinetree"
        sys.exit(status)

    monkeypatch.setattr(cli, "prepare", lambda: prepared)
    monkeypatch.setattr(cli, "group", group)
    monkeypatch.setattr(cli.os, "_exit", done.append)
    monkeypatch.setattr(_start, "ignore_interrupts", lambda: done.append("ignored"))
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert [*done, *([] if end.value.code in done else [end.value.code])] == ended
    said = capsys.readouterr().err
    assert said == ("" if prepared else "the output cannot be written: the standard output is closed\n")


def test_remarks_that_cannot_be_written_are_dropped():
    reader, writer = os.pipe()
    stream = _Forgiving(writer, "w")
    assert stream.write(b"one") == 3
    assert os.read(reader, 10) == b"one"
    os.close(reader)
    assert stream.write(b"nobody") == 6
    stream.close()


@pytest.mark.parametrize("closed", [(), (0,), (1, 2)])
def test_closed_streams_are_opened_to_nowhere(monkeypatch, closed):
    opened = []

    def fstat(descriptor):
        if descriptor in closed:
            raise OSError

    there = {name: getattr(os, name) for name in ("devnull", "O_RDWR", "name")}
    monkeypatch.setattr(_exit, "os", SimpleNamespace(**there, fstat=fstat, open=lambda *given: opened.append(given)))
    for number, name in ((1, "stdout"), (2, "stderr")):
        monkeypatch.setattr(sys, name, None if number in closed else io.TextIOWrapper(io.BytesIO(), encoding="latin-1"))
    assert prepare() is (1 not in closed)
    assert opened == [(os.devnull, os.O_RDWR)] * len(closed)
    assert sys.stderr.errors == "kinetree-ascii"
    if os.name == "posix":
        assert isinstance(sys.stderr.buffer.raw, _Forgiving)
        assert sys.stderr.fileno() == 2
        assert sys.stderr.line_buffering
        assert sys.stderr.encoding == ("utf-8" if 2 in closed else "latin-1")


def test_lines_of_findings_keep_their_colours_on_a_terminal():
    stream = Terminal()
    write_lines(["\x1b[31mone\x1b[0m", "two"], stream)
    assert stream.getvalue() == "\x1b[31mone\x1b[0m\ntwo\n"


def test_a_difference_on_a_terminal_has_its_lines(monkeypatch, capsys):
    monkeypatch.setattr(_diff, "diff_lines", lambda fixed: iter(["-old\n", "+new\n"]))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    _diff.print_diff(None)
    assert capsys.readouterr().out == "-old\n+new\n"
