"""Exit status of commands, for every way in which they end (docs/reference/command-line.md lists them), and output
streams that accept any text: characters outside of their encoding are written in ASCII."""

import codecs
import errno
import io
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

import click

from kinetree import _start
from kinetree.cli._say import remark
from kinetree.display import visible
from kinetree.errors import KinetreeError, is_of_memory

WRONG, UNWRITABLE, INTERRUPTED, UNREAD = 2, 74, _start.INTERRUPTED, 141


@contextmanager
def exit_status(said: Mapping[str, Any] = {}) -> Iterator[None]:
    """Turn exceptions into an exit status, with a message on the standard error stream. said: options of the command
    line for findings, "kinetree.json" and "kinetree.all"."""
    try:
        _start.on_interrupt(end=False)
        try:
            yield
        except click.exceptions.Exit:
            sys.stdout.flush()
            raise
        sys.stdout.flush()
    except click.ClickException as error:
        error.message = "\n".join(map(visible, error.message.split("\n")))  # type: ignore[misc]
        error.show()
        sys.exit(error.exit_code)
    except KinetreeError as error:
        from kinetree.cli._findings import print_findings, print_more, worded

        as_json, everything = (said.get(f"kinetree.{what}", False) for what in ("json", "all"))
        print_findings(worded(error.findings, said.get("kinetree.flags", {})), as_json=as_json, everything=everything)
        if not as_json:
            print_more(error.findings)
        sys.exit(WRONG)
    except KeyboardInterrupt:
        _interrupted()
    except OSError as error:
        if is_of_memory(error):
            _no_memory()
        if _is_unread(error):
            _drop_stdout()
            sys.exit(UNREAD)
        if _start.was_interrupted():
            _interrupted()
        remark(f"the output cannot be written: {error.strerror or error}")
        _drop_stdout()
        sys.exit(UNWRITABLE)
    except Exception as error:
        if is_of_memory(error):
            _no_memory()
        if not _start.was_interrupted():
            raise
        _interrupted()
    finally:
        _start.on_interrupt(end=True)


def _is_unread(error: OSError) -> bool:
    """Return whether the program that read the output has gone; Windows then calls the output an invalid argument."""
    return isinstance(error, BrokenPipeError) or (sys.platform == "win32" and error.errno == errno.EINVAL)


def _no_memory() -> NoReturn:
    remark("there is not enough memory for this")
    sys.exit(WRONG)


def _interrupted() -> NoReturn:
    remark("interrupted")
    with suppress(KeyboardInterrupt):
        try:
            sys.stdout.flush()
        except OSError:
            _drop_stdout()
    sys.exit(INTERRUPTED)


def _drop_stdout() -> None:
    """Redirect stdout to nowhere, because Python flushes it once more at the end, which must not fail again."""
    with suppress(OSError, ValueError):  # in a test it is not a file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


IN_ASCII = {"…": "...", "°": " deg", "²": "^2", "·": "*", "×": "x", "≤": "<=", "→": "->", "−": "-", "—": "-", "–": "-"}


def _in_ascii(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    characters = error.object[error.start : error.end]
    said = (IN_ASCII.get(c) or c.encode("ascii", "backslashreplace").decode() for c in characters)
    return "".join(said), error.end


def take_any_character() -> None:
    """Make stdout and stderr never fail on a character. A file or a pipe on Windows gets UTF-8, as everywhere else, and
    not the code page, unless PYTHONIOENCODING says otherwise."""
    codecs.register_error("kinetree-ascii", _in_ascii)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            if sys.platform == "win32" and not stream.isatty() and "PYTHONIOENCODING" not in os.environ:
                stream.reconfigure(encoding="utf-8")
            stream.reconfigure(errors="kinetree-ascii")


class _Forgiving(io.FileIO):
    """A stream of remarks that drops those that cannot be written; the exit status has the result."""

    def write(self, data: Any, /) -> int:
        """Write, or drop what cannot be written."""
        try:
            return super().write(data) or 0
        except OSError:
            return len(data)


def prepare() -> bool:
    """Prepare the standard streams for a command, and return whether there is an output. Streams that the caller has
    closed are opened to nowhere: otherwise the next opened file would take their place and get their output."""
    output = sys.stdout is not None
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115  (for as long as the process runs)
    if os.name == "posix" and isinstance(sys.stderr, io.TextIOWrapper):
        raw = io.BufferedWriter(_Forgiving(2, "w", closefd=False))
        sys.stderr = io.TextIOWrapper(raw, encoding=sys.stderr.encoding, line_buffering=True)
    take_any_character()
    return output
