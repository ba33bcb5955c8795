"""Input of the server, in which no length that an editor writes makes it read or keep without end."""

from typing import BinaryIO

LONGEST = 2**26
"""Longest message in bytes; the limit of a file that `kinetree check` reads is lower."""
LINE = 2**16
"""Most bytes of a line that are read at once."""
HEADER, MOST_HEADER = b"Content-Length:", 100
UNREADABLE = b"null"
"""Body in place of one that is too long; the server reports it as no message."""


class Reader:
    """Stream of messages. Of a message that is too long, the body is passed over up to the next header."""

    def __init__(self, stream: BinaryIO) -> None:
        self.stream, self._lost = stream, False

    def readline(self) -> bytes:
        """Return a line of a header, b"" at the end of the stream; for a line that is too long, one without meaning."""
        line = self.stream.readline(LINE)
        while self._lost and line:
            before, header, after = line.partition(HEADER)
            if header:
                self._lost, line = False, header + after
                continue
            rest = self.stream.readline(LINE)
            line = before[1 - len(HEADER) :] + rest if rest else b""  # a header may begin at the end of a part
        return line if len(line) < MOST_HEADER else b"-\r\n"

    def read(self, length: int) -> bytes:
        """Return the body of a message, b"" at the end of the stream."""
        if length <= LONGEST:
            return self.stream.read(length)
        self._lost = True
        return UNREADABLE
