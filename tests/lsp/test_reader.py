"""Input of the language server: no length that is written makes it read, or keep, without end."""

import io

from each import each
from kinetree.lsp.reader import LINE, LONGEST, Reader


class Stream(io.BytesIO):
    """A stream that notes the longest read."""

    longest = 0

    def read(self, size=-1):
        self.longest = max(self.longest, size)
        return super().read(size)

    def readline(self, size=-1):
        assert 0 < size <= LINE
        return super().readline(size)


def messages(content):
    """The bodies that a loop as that of pygls reads."""
    stream = Stream(content)
    reader, length, found = Reader(stream), 0, []
    while line := reader.readline():
        if line.startswith(b"Content-Length: "):
            length = int(line[16:])
        elif length and not line.strip():
            found.append(reader.read(length))
            length = 0
    assert stream.longest <= LONGEST
    return found


GOOD = b'Content-Length: 9\r\n\r\n{"id": 1}'


def test_messages():
    assert messages(GOOD * 3) == [b'{"id": 1}'] * 3
    assert messages(b"Content-Type: x\r\n" + GOOD) == [b'{"id": 1}']
    longest = b"Content-Length: %d\r\n\r\n" % LONGEST
    assert messages(longest + bytes(10)) == [bytes(10)]


@each("length", [LONGEST + 1, 99999999999, 10**40])
@each("body", [b"{}", b"", bytes(3 * LINE), b"\r\n\r\n", bytes(LINE - 5), b"x" * (2 * LINE - 7)])
def test_the_next_message_is_read(length, body):
    content = b"Content-Length: %d\r\n\r\n" % length + body
    assert messages(content + GOOD + GOOD) == [b"null", *[b'{"id": 1}'] * 2]
    assert messages(content) == [b"null"]


def test_a_line_without_end():
    assert messages(b"x" * (3 * LINE) + b"\r\n" + GOOD) == [b'{"id": 1}']
    assert messages(b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n" + GOOD) == [b'{"id": 1}']
