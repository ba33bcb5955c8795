"""Text of an XML file, and the line and column of its bytes."""

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate

import numpy as np

from kinetree.errors import Source, underlined

AROUND = 1000
"""Bytes before and after a place that are searched for its line: some lines are as long as their file."""
MOST_LINES = 100_000
"""Most lines of which a list is kept."""
BLOCK = 2048
"""Bytes between the places of a larger file whose line and column are kept. A list of all lines would take forty
times the bytes of a file that has nothing else."""
CONTINUATION = bytes(range(0x80, 0xC0))
"""Bytes of UTF-8 that continue a character."""

_TAG = re.compile(rb"<[^\s/>]*+(?:[^\"'>]++|\"[^\"]*+\"|'[^']*+')*+>")


def tag_end(data: bytes, start: int, stop: int | None = None) -> int:
    """Return the byte after the start tag at `start`, or after its "<" if it does not end before `stop`."""
    match = _TAG.match(data, start, len(data) if stop is None else stop)
    return match.end() if match else start + 1


@dataclass(frozen=True, slots=True)
class DerivedText:
    """A text that was made of other files, and the places from which its elements come, in order."""

    text: str
    origins: Sequence[Source | None]


class Document:
    """A file in UTF-8, without references to its elements: without a cycle they are freed with their last user."""

    def __init__(self, data: bytes, file: str, origins: Sequence[Source | None] = ()) -> None:
        self.data = data
        self.file = file
        self.comments: dict[int, str] = {}  # by the byte of "<", if `parse` keeps them
        self.lenient = False  # whether it was read though XML forbids it
        self._ascii = data.isascii()
        self.origins = origins
        self.spaces: Mapping[int, Mapping[str, str]] = {}  # name spaces declared around elements, by their start
        self.starts: Sequence[int] = ()  # bytes of the tags of all elements, of a text that has origins

    def source(self, byte: int) -> Source:
        """Return the place of a byte, or the origin of the element around it."""
        here = self._here(byte)
        if not self.starts:
            return here
        at = bisect_right(self.starts, byte) - 1
        origin = self.origins[at] if 0 <= at < len(self.origins) else None
        return replace(origin, made=here) if origin else here

    @property
    def lines(self) -> int:
        """Number of lines."""
        return self._newlines[-1] + 1

    @cached_property
    def _newlines(self) -> list[int]:
        """Numbers of lines that end before each block, and in all."""
        data = self.data
        counts = (data.count(b"\n", i, i + BLOCK) for i in range(0, len(data), BLOCK))
        return list(accumulate(counts, initial=0))

    @cached_property
    def _line_starts(self) -> list[int]:
        """Byte, for each block, at which the line begins that contains the block's first byte."""
        starts, start, data = [], 0, self.data
        for i in range(0, len(data) + 1, BLOCK):
            starts.append(start)
            start = data.rfind(b"\n", i, i + BLOCK) + 1 or start
        return starts

    @cached_property
    def _characters(self) -> list[int]:
        """Numbers of characters that begin before each block, and in all."""
        data = self.data
        counts = (_characters(data[i : i + BLOCK]) for i in range(0, len(data), BLOCK))
        return list(accumulate(counts, initial=0))

    @cached_property
    def _lines(self) -> list[int] | None:
        """Bytes at which all lines begin; None if there are too many."""
        if self.data.count(b"\n") > MOST_LINES:
            return None
        return [0, *(np.flatnonzero(np.frombuffer(self.data, np.uint8) == ord("\n")) + 1).tolist()]

    def _here(self, byte: int) -> Source:
        if (lines := self._lines) is not None:
            line = bisect_right(lines, byte)
            start = lines[line - 1]
        else:
            block, data = byte // BLOCK, self.data
            first = block * BLOCK
            line = self._newlines[block] + data.count(b"\n", first, byte) + 1
            start = data.rfind(b"\n", first, byte) + 1 or self._line_starts[block]
        before = byte - start if self._ascii else self._before(byte) - self._before(start)
        return Source(self.file, line, before + 1)

    def _before(self, byte: int) -> int:
        """Return how many characters begin before a byte."""
        block = byte // BLOCK
        return self._characters[block] + _characters(self.data[block * BLOCK : byte])

    def byte(self, source: Source) -> int:
        """Return the byte of a source of this document."""
        source = source.made or source
        assert source.line is not None
        assert source.column is not None
        start = self._line_start(source.line)
        return self._behind(start, source.column - 1)

    def _line_start(self, line: int) -> int:
        """Return the byte at which a line begins."""
        if line == 1:
            return 0
        # the last block before which fewer lines end than before this one
        block = bisect_right(self._newlines, line - 2) - 1
        at = block * BLOCK - 1
        for _ in range(line - 1 - self._newlines[block]):
            at = self.data.index(b"\n", at + 1)
        return at + 1

    def _behind(self, start: int, count: int) -> int:
        """Return the byte that is `count` characters after another."""
        if self._ascii:
            return start + count
        wanted = self._before(start) + count
        block = min(bisect_right(self._characters, wanted) - 1, len(self.data) // BLOCK)
        at = block * BLOCK
        left = wanted - self._characters[block]
        inside = self.data[at : at + BLOCK]
        for i in range(len(inside)):
            if inside[i] & 0xC0 != 0x80:
                if left == 0:
                    return at + i
                left -= 1
        return at + len(inside)

    def excerpt(self, start: int, stop: int) -> str:
        """Return the line that contains bytes start to stop, with these underlined."""
        first, last = max(0, start - AROUND), min(len(self.data), start + AROUND)
        left = max(first, self.data.rfind(b"\n", first, start) + 1)
        right = self.data.find(b"\n", start, last)
        right = last if right < 0 else right
        before = self.data[left:start].decode(errors="replace")
        bad = self.data[start : min(stop, right)].decode(errors="replace")
        after = self.data[min(stop, right) : right].decode(errors="replace")
        return underlined(before + bad + after, len(before), len(before) + max(2, len(bad)))

    def excerpt_at(self, source: Source) -> str:
        """Return the line of a source of this document, with the tag or the value that begins there underlined."""
        start = self.byte(source)
        quote = self.data[start - 1 : start] if self.data[start : start + 1] != b"<" else b""
        end = self.data.find(quote, start, start + AROUND) if quote in (b'"', b"'") else -1
        return self.excerpt(start, end if end > start else self.shown_end(start))

    def shown_end(self, start: int) -> int:
        """Return the byte after the start tag at `start`, or the last that an excerpt shows of a longer one."""
        end, most = tag_end(self.data, start, start + AROUND), min(len(self.data), start + AROUND)
        return most if end == start + 1 and most == start + AROUND else end


def _characters(data: bytes) -> int:
    """Return how many characters begin in bytes of UTF-8."""
    return len(data.translate(None, CONTINUATION))
