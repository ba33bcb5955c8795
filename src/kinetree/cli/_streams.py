"""Output streams that accept any text: characters outside of their encoding are written in ASCII."""

import codecs
import io
import os
import sys
from typing import Any

IN_ASCII = {"…": "...", "°": " deg", "²": "^2", "·": "*", "×": "x", "≤": "<=", "→": "->", "−": "-", "—": "-", "–": "-"}


def _in_ascii(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    characters = error.object[error.start : error.end]
    said = (IN_ASCII.get(c) or c.encode("ascii", "backslashreplace").decode() for c in characters)
    return "".join(said), error.end


def take_any_character() -> None:
    """Make stdout and stderr never fail on a character."""
    codecs.register_error("kinetree-ascii", _in_ascii)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
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
