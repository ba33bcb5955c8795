"""Output streams that take any text: what their encoding cannot say is written in ASCII."""

from __future__ import annotations

import codecs
import io
import sys

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
