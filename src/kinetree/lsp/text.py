"""Texts of documents, and positions in them as an editor counts: lines from 0, columns in units of an encoding."""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

from kinetree.syntax.xml.encoding import declared_codec, declares_utf16, text_of

UNITS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
"""Encodings in which an editor may count columns, to Python's codecs and the bytes of a unit."""
LINE_ENDS = re.compile(r"\r\n|\n|\r")

Position = tuple[int, int]
"""Line and column, both from 0."""
Span = tuple[Position, Position]


@dataclass(frozen=True)
class Text:
    """Text of a document. encoding: the key of UNITS in which the editor counts columns."""

    content: str
    encoding: str = "utf-16"

    @cached_property
    def starts(self) -> list[int]:
        """Offsets at which the editor's lines begin."""
        return [0, *(match.end() for match in LINE_ENDS.finditer(self.content))]

    @cached_property
    def _ends(self) -> list[int]:
        """Offsets at which lines of XML begin, which only a line feed ends."""
        return [0, *(match.end() for match in re.finditer("\n", self.content))]

    def offset(self, position: Position) -> int:
        """Return the offset of a position; beyond the end of its line or of the text, that of the end."""
        line, column = position
        if line >= len(self.starts):
            return len(self.content)
        start = self.starts[line]
        stop = self.starts[line + 1] if line + 1 < len(self.starts) else len(self.content)
        written = self.content[start:stop].rstrip("\r\n")
        if not written.isascii():
            codec, size = UNITS[self.encoding]
            written = written.encode(codec, "surrogatepass")[: column * size].decode(codec, "ignore")
            return start + len(written)
        return start + min(column, len(written))

    def position(self, offset: int) -> Position:
        """Return the position of an offset."""
        line = bisect_right(self.starts, offset) - 1
        before = self.content[self.starts[line] : offset]
        if before.isascii():
            return line, len(before)
        codec, size = UNITS[self.encoding]
        return line, len(before.encode(codec, "surrogatepass")) // size

    def span(self, start: int, stop: int) -> Span:
        """Return the positions of two offsets."""
        return self.position(start), self.position(stop)

    def place(self, line: int, column: int) -> int:
        """Return the offset of a line and a column of a `Source`, which count characters from 1."""
        if line > len(self._ends):
            return len(self.content)
        end = self._ends[line] - 1 if line < len(self._ends) else len(self.content)
        return min(self._ends[line - 1] + column - 1, end)

    def changed(self, span: Span | None, new: str) -> Text:
        """Return the text after the replacement of a span, or of all of it."""
        if span is None:
            return Text(new, self.encoding)
        start, stop = map(self.offset, span)
        return Text(self.content[:start] + new + self.content[max(start, stop) :], self.encoding)


def encoded(content: str) -> bytes:
    """Return the bytes of a document in the encoding that it declares, or in UTF-8 if that lacks a character. UTF-16
    gets its byte order mark, which editors do not show."""
    data = content.encode("utf-8", "surrogatepass")
    if declares_utf16(data):
        return codecs.BOM_UTF16_LE + content.encode("utf-16-le", "surrogatepass")
    try:
        return content.encode(declared_codec(data) or "utf-8")
    except UnicodeError:
        return data


def decoded(data: bytes) -> str:
    """Return the text of a file without its byte order mark; characters that it cannot have are replaced."""
    try:
        return text_of(data)[2]
    except UnicodeError:
        return data.decode("utf-8", "replace")
