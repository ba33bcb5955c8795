"""The exit status and the words for every way in which a command ends, in this process."""

import codecs
import errno
import io
import json
import signal
import sys

import click
import pytest

from each import each
from kinetree import _start
from kinetree._start import on_interrupt
from kinetree.cli import _exit
from kinetree.cli._exit import exit_status, take_any_character
from kinetree.errors import Finding, KinetreeError, Source

FAULT = KinetreeError(Finding("axis", "error", "is zero", Source("a.urdf", 3), "joint 'j'"))


def ended(error, capsys, **said):
    """The exit status, stdout and stderr after an error."""
    print("output")
    with pytest.raises(SystemExit) as caught, exit_status({f"kinetree.{what}": value for what, value in said.items()}):
        raise error
    return (caught.value.code, *capsys.readouterr())


@pytest.fixture(autouse=True)
def handled(monkeypatch):
    """What is done with interrupts before and after a command: this process keeps its own handler."""
    calls = []
    monkeypatch.setattr(_start, "on_interrupt", lambda *, end: calls.append(end))
    monkeypatch.setattr(_start, "_interrupts", 0)
    return calls


@each(
    "error, status, words",
    [
        (click.UsageError("no\x1b such\noption"), 2, "Error: no\\x1b such\noption\n"),
        (click.ClickException("bad"), 1, "Error: bad\n"),
        (KeyboardInterrupt(), 130, "interrupted\n"),
        (MemoryError(), 2, "there is not enough memory for this\n"),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), 2, "there is not enough memory for this\n"),
        (
            OSError(errno.ENOSPC, "No space left on device"),
            74,
            "the output cannot be written: No space left on device\n",
        ),
        (OSError("odd"), 74, "the output cannot be written: odd\n"),
        (BrokenPipeError(errno.EPIPE, "Broken pipe"), 141, ""),
        (FAULT, 2, "a.urdf:3: error: joint 'j': is zero [axis]\n"),
    ],
)
def test_errors_become_a_status(error, status, words, handled, capsys):
    found = ended(error, capsys)
    assert found[:2] == (status, "output\n")
    assert found[2] == words or (error is FAULT and found[2].startswith(words) and "More about axis" in found[2])
    assert handled[-2:] == [False, True]


def test_findings_may_be_asked_for_as_json(capsys):
    status, out, err = ended(FAULT, capsys, json=True)
    (finding,) = json.loads(err)["findings"]
    assert (status, out, finding["code"], finding["message"]) == (2, "output\n", "axis", "is zero")


def test_what_is_no_error_of_the_user_is_raised(capsys, handled, monkeypatch):
    for error in (RuntimeError("ours"), click.exceptions.Exit(3)):
        with pytest.raises(type(error)) as caught, exit_status():
            raise error
        assert caught.value is error
    monkeypatch.setattr(_start, "_interrupts", 1)  # by which another library has replaced the interrupt
    for error in (RuntimeError("ours"), OSError(errno.EINTR, "Interrupted system call")):
        assert ended(error, capsys) == (130, "output\n", "interrupted\n")
    with exit_status():
        print("fine")
    assert capsys.readouterr() == ("fine\n", "")
    assert handled == [False, True] * 5


@each("broken", [BrokenPipeError(errno.EPIPE, "Broken pipe"), OSError(errno.EIO, "Input/output error")])
def test_an_output_that_fails_at_the_end_counts(broken, monkeypatch, capsys):
    def fail():
        raise broken

    monkeypatch.setattr(sys.stdout, "flush", fail)
    with pytest.raises(SystemExit) as caught, exit_status():
        pass
    monkeypatch.undo()
    is_unread = isinstance(broken, BrokenPipeError)
    words = "" if is_unread else "the output cannot be written: Input/output error\n"
    assert (caught.value.code, capsys.readouterr().err) == (141 if is_unread else 74, words)


@each(
    "error, fails, status, is_dropped",
    [
        (KeyboardInterrupt(), False, 130, False),
        (KeyboardInterrupt(), True, 130, True),
        (BrokenPipeError(errno.EPIPE, "Broken pipe"), True, 141, True),
        (OSError(errno.ENOSPC, "No space left on device"), True, 74, True),
        (MemoryError(), False, 2, False),
        (FAULT, False, 2, False),
    ],
)
def test_an_output_that_failed_leads_nowhere(error, fails, status, is_dropped, monkeypatch, capsys, tmp_path):
    """Python flushes it once more at the end."""

    def flush():
        if fails:
            raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    with (tmp_path / "out").open("w") as out:
        monkeypatch.setattr(sys, "stdout", Flushed(out, flush))
        with pytest.raises(SystemExit) as caught, exit_status():
            raise error
        monkeypatch.undo()
        out.write("lost")
    assert caught.value.code == status
    assert ((tmp_path / "out").read_text() == "") is is_dropped


class Flushed:
    """A stream whose flush does something else."""

    def __init__(self, stream, flush):
        self.stream, self.flush = stream, flush

    def __getattr__(self, name):
        return getattr(self.stream, name)


def test_any_character_is_written(monkeypatch):
    text = "90° of… 2 m² ≤ 3·4 × 5 → −6 — 7 – ü 漢 \udcff"
    for encoding, written in (
        ("ascii", "90 deg of... 2 m^2 <= 3*4 x 5 -> -6 - 7 - \\xfc \\u6f22 \\udcff"),
        ("latin-1", "90° of... 2 m² <= 3·4 × 5 -> -6 - 7 - ü \\u6f22 \\udcff"),
        ("utf-8", text.replace("\udcff", "\\udcff")),
    ):
        streams = [io.TextIOWrapper(io.BytesIO(), encoding=encoding) for _ in range(2)]
        monkeypatch.setattr(sys, "stdout", streams[0])
        monkeypatch.setattr(sys, "stderr", streams[1])
        take_any_character()
        monkeypatch.undo()
        for stream in streams:
            stream.write(text)
            stream.flush()
            assert stream.buffer.getvalue().decode(encoding) == written
    assert codecs.lookup_error("kinetree-ascii") is _exit._in_ascii


def test_who_is_the_command(monkeypatch):
    for arguments, original, is_command in (
        (["kinetree", "check"], [], True),
        (["/usr/bin/kinetree"], [], True),
        (["kinetree.exe"], [], True),
        (["kinetree.py.txt"], [], False),
        (["my-kinetree"], [], False),
        ([], [], False),
        (["-m", "check"], ["python", "-m", "kinetree", "check"], True),
        (["-m", "check"], ["python", "-m", "other", "kinetree"], False),
        (["-m"], ["python"], False),
        (["-m"], ["python", "-m"], False),
    ):
        monkeypatch.setattr(sys, "argv", arguments)
        monkeypatch.setattr(sys, "orig_argv", original)
        assert _start.is_command() is is_command, (arguments, original)


def test_what_an_interrupt_does():
    """Only a handler of Python or of the command is replaced."""
    before = signal.getsignal(signal.SIGINT)
    mine = lambda *_: None  # noqa: E731
    try:
        for there in (signal.default_int_handler, _start.end_at_once, _start._raise):
            for end, expected in ((True, _start.end_at_once), (False, _start._raise)):
                signal.signal(signal.SIGINT, there)
                on_interrupt(end=end)
                assert signal.getsignal(signal.SIGINT) is expected
        for there in (signal.SIG_IGN, signal.SIG_DFL, mine):
            signal.signal(signal.SIGINT, there)
            on_interrupt(end=True)
            assert signal.getsignal(signal.SIGINT) is there
        _start.ignore_interrupts()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
