"""MCAP files (mcap.dev, specification 0): read by offsets within bounds, and written by the package `mcap`."""

import io
import zlib
from collections.abc import Callable, Iterable, Iterator
from mmap import ACCESS_READ, mmap
from pathlib import Path
from struct import Struct, error
from typing import Any

import numpy as np

from kinetree.errors import KinetreeError, fail
from kinetree.files.plain_file import open_plain
from kinetree.logs.ros.bag import Bag, Topic, bag_fault
from kinetree.logs.ros.definitions import full_name, schema_text

MAGIC = b"\x89MCAP0\r\n"
SCHEMA, CHANNEL, MESSAGE, CHUNK, DATA_END = 3, 4, 5, 6, 15
"""Operation codes of the records that are read."""
MOST_CHUNK = 2**28
"""Largest size of a chunk, bytes."""
MOST_EXPANDED = (2**25, 200), (2**31, 20)
"""Largest sum of the sizes of all chunks: bytes and times the size of the file more; bytes or times the file."""
RECOVER = "`mcap recover` keeps the messages that are whole"
INSTALL = "pip install 'kinetree[ros]'"

_RECORD, _MESSAGE, _CHUNK, _IDS = Struct("<BQ"), Struct("<HIQQ"), Struct("<QQQI"), Struct("<HH")
_LENGTH, _LONG = Struct("<I"), Struct("<Q")


def read(file: Path, bag: Bag) -> None:
    """Add the messages of a file to a bag."""
    try:
        with open_plain(file) as opened, mmap(opened.fileno(), 0, access=ACCESS_READ) as data:
            _File(file, bag, data).read()
    except OSError as fault:
        raise bag_fault(file, f"cannot be read: {fault.strerror or fault}") from None
    except ValueError:  # of mmap
        raise bag_fault(file, "byte 0: the file is empty; expected MCAP") from None


class _File:
    """A file while it is read. topics: by channel."""

    def __init__(self, file: Path, bag: Bag, data: Any) -> None:
        self.file, self.name, self.bag, self.data = file, str(file), bag, data
        self.schemas: dict[int, tuple[str, tuple[str, bytes]]] = {}
        self.topics: dict[int, Topic] = {}
        self.expanded = 0

    def fault(self, at: int, message: str, within: str = "", fix: str | None = None) -> KinetreeError:
        return bag_fault(self.file, f"byte {at}{within}: {message}", fix=fix)

    def read(self) -> None:
        if self.data[:8] != MAGIC:
            raise self.fault(0, f"the file begins with {self.data[:8].hex(' ')}; expected {MAGIC.hex(' ')}, MCAP")
        if self._records(self.data, 8, len(self.data), "") != DATA_END or self.data[-8:] != MAGIC:
            message = "the file ends before the end of its data; its recording was not finished, or it was cut off"
            raise self.fault(len(self.data), message, fix=RECOVER)

    def _records(self, data: Any, at: int, end: int, within: str) -> int:
        """Read the records from `at` to `end`, or to the end of the data, and return the last operation code."""
        code = 0
        while at < end and code != DATA_END:
            if at + 9 > end:
                raise self.fault(at, f"a record is cut off after {end - at} bytes", within, RECOVER)
            code, size = _RECORD.unpack_from(data, at)
            if code == 0:
                message = "a record has the operation code 0; the recording was not finished, or the file is damaged"
                raise self.fault(at, message, within, RECOVER)
            start, at = at + 9, at + 9 + size
            if at > end:
                raise self.fault(start, f"a record has {size} bytes, and {end - start} are left", within, RECOVER)
            try:
                if code == MESSAGE:  # first, because most records are messages
                    self._message(data, start, at, within)
                else:
                    self._record(code, data, start, at, within)
            except (error, UnicodeDecodeError, StopIteration):
                raise self.fault(start, f"the contents of record {code} do not fit its {size} bytes", within) from None
        return int(code)

    def _record(self, code: int, data: Any, start: int, end: int, within: str) -> None:
        if code == CHUNK and not within:
            self._chunk(start, end)
        elif code == SCHEMA:
            (number,), texts = Struct("<H").unpack_from(data, start), _texts(data[start + 2 : end])
            name, encoding, content = next(texts), next(texts), next(texts)
            self.schemas[number] = name.decode(), (encoding.decode(), bytes(content))
        elif code == CHANNEL:
            self._channel(data, start, end, within)

    def _channel(self, data: Any, start: int, end: int, within: str) -> None:
        number, schema = _IDS.unpack_from(data, start)
        texts = _texts(data[start + 4 : end])
        name, encoding, pairs = next(texts).decode(), next(texts).decode(), [*_texts(next(texts))]
        if schema and schema not in self.schemas:
            raise self.fault(start, f"channel {name[:100]!r} has schema {schema}, which is not defined", within)
        type, definition = self.schemas.get(schema, ("", None))
        qos = dict(zip(pairs[::2], pairs[1::2], strict=False)).get(b"offered_qos_profiles", b"").decode()
        topic = self.bag.topic(self.file, name, type, qos, encoding)
        topic.schema = topic.schema or definition
        self.topics[number] = topic

    def _message(self, data: Any, start: int, end: int, within: str) -> None:
        channel, _, log_time, publish_time = _MESSAGE.unpack_from(data, start)
        topic = self.topics.get(channel)
        if topic is None:
            raise self.fault(start, f"a message is of channel {channel}, which is not defined", within)
        if end - start < _MESSAGE.size:
            raise self.fault(start, f"a message has {end - start} bytes; expected at least {_MESSAGE.size}", within)
        if max(log_time, publish_time) >= 2**63:
            raise self.fault(start + 6, f"a message has the times {log_time} and {publish_time}, in ns", within)
        start += _MESSAGE.size
        if self.bag.keeps(self.file, topic, end - start):
            topic.add(bytes(data[start:end]), log_time, publish_time, (start, within, self.name))

    def _chunk(self, start: int, end: int) -> None:
        _, _, size, crc = _CHUNK.unpack_from(self.data, start)
        (length,) = _LENGTH.unpack_from(self.data, at := start + _CHUNK.size)
        compression, at = bytes(self.data[at + 4 : at + 4 + length]), at + 4 + length
        (length,) = _LONG.unpack_from(self.data, at)
        if at + 8 + length > end:
            raise self.fault(at, f"the records of a chunk have {length} bytes, and {end - at - 8} are left")
        self.expanded += size
        (more, times), (least, ratio) = MOST_EXPANDED
        most = min(more + times * len(self.data), max(least, ratio * len(self.data)))
        if size > MOST_CHUNK or self.expanded > most:
            raise self.fault(start, f"a chunk expands to {size} bytes, which is too large to be read")
        content = self._expanded(at + 8, bytes(self.data[at + 8 : at + 8 + length]), compression, size)
        if len(content) != size or (crc and zlib.crc32(content) != crc):
            message = "the contents of a chunk do not have its checksum"
            if len(content) != size:
                message = f"a chunk expands to {len(content)} bytes; expected {size}"
            raise self.fault(start, f"{message}; the file is damaged")
        self._records(content, 0, size, f" of the chunk at byte {start}")

    def _expanded(self, at: int, content: bytes, compression: bytes, size: int) -> bytes:
        """Return the records of a chunk, at most one byte more than its size."""
        if compression not in _EXPANDERS:
            raise self.fault(at, f"a chunk is compressed as {compression[:40]!r}; expected {b'zstd'!r} and {b'lz4'!r}")
        try:
            return _EXPANDERS[compression](content, size + 1)
        except ImportError:
            raise fail("extra", f"chunks in {compression.decode()} need the package `mcap`", fix=INSTALL) from None
        except Exception as damage:  # each library raises its own, and lz4 a RuntimeError
            raise self.fault(at, f"a chunk cannot be expanded: {damage}") from None


def _zstd(content: bytes, most: int) -> bytes:
    from zstandard import ZstdDecompressor

    return bytes(ZstdDecompressor(max_window_size=MOST_CHUNK).stream_reader(content).read(most))


def _lz4(content: bytes, most: int) -> bytes:
    from lz4.frame import LZ4FrameDecompressor

    return bytes(LZ4FrameDecompressor().decompress(content, max_length=most))


_EXPANDERS: dict[bytes, Callable[[bytes, int], bytes]] = {
    b"": lambda content, most: content,
    b"zstd": _zstd,
    b"lz4": _lz4,
}
"""Function of each compression, from the contents of a chunk and the largest number of bytes to read."""


def _texts(data: bytes) -> Iterator[bytes]:
    """Yield the texts in some bytes, each after its length. Raises struct.error for one that is cut off."""
    at = 0
    while at < len(data):
        (length,) = _LENGTH.unpack_from(data, at)
        if at + 4 + length > len(data):
            raise error("cut off")
        yield data[at + 4 : at + 4 + length]
        at += 4 + length


def mcap_of(topics: Iterable[Topic]) -> bytes:
    """Return a file of topics, whose messages are in the order of their times. Raises KinetreeError without the package
    `mcap`."""
    try:
        from mcap.writer import Writer
    except ImportError:
        raise fail("extra", "writing of MCAP needs the package `mcap`", fix=INSTALL) from None
    topics, stream = list(topics), io.BytesIO()
    writer = Writer(stream)
    writer.start("ros2", "kinetree")
    schemas: dict[tuple[str, str, bytes], int] = {}
    channels = []
    for topic in topics:
        schema = (full_name(topic.type), *(topic.schema or ("ros2msg", schema_text(topic.type).encode())))
        schemas.setdefault(schema, writer.register_schema(*schema) if schema not in schemas else 0)
        channels.append(
            writer.register_channel(topic.name, "cdr", schemas[schema], {"offered_qos_profiles": topic.qos})
        )
    times = np.concatenate([np.array(topic.log_times, dtype=np.int64) for topic in topics])
    which = np.repeat(np.arange(len(topics)), [len(topic.data) for topic in topics])
    number = np.concatenate([np.arange(len(topic.data)) for topic in topics])
    order, sequence = np.argsort(times, kind="stable"), [0] * len(topics)
    for k, i in zip(which[order].tolist(), number[order].tolist(), strict=True):
        topic = topics[k]
        writer.add_message(channels[k], topic.log_times[i], topic.data[i], topic.publish_times[i], sequence[k])
        sequence[k] += 1
    writer.finish()  # type: ignore[no-untyped-call]
    return stream.getvalue()
