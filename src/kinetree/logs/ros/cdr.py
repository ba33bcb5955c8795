"""Messages in CDR, the encoding of ROS 2 (OMG, DDS-XTypes, plain CDR of version 1), read and written many at once.

The layout of a message, where its numbers are, follows from its lengths and texts. Messages that share those share the
layout, so that NumPy reads and writes the numbers of all of them together. Offsets count from the start of the
message; numbers are aligned to their size, from the end of its header of four bytes.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinetree.errors import KinetreeError
from kinetree.logs.ros.definitions import PRIMITIVES, fields_of

HEADER = 4
"""Bytes of the header: the representation, big-endian, and options."""
ORDERS = {b"\x00\x00": ">", b"\x00\x01": "<"}
"""Order of bytes of each representation that is read."""
AT_ONCE = 256
"""Number of messages that are written together, so that they stay in the cache."""
MOST_ENTRIES = 100_000
"""Largest number of entries of one message that are no numbers: texts, transforms."""
MOST_SPANS = 5_000_000
"""Largest number of lengths and texts in all layouts of a topic together."""
MOST_LAYOUTS = 32
"""Largest number of layouts of one length for which all messages are compared with each."""

Fault = Callable[[int, int, str], KinetreeError]
"""Function from the number of a message, an offset in it and a text to an error."""
Bytes = NDArray[np.uint8]


class Numbers(NamedTuple):
    """Place of numbers in a message: offset in bytes, NumPy's name of their type, and their number, None for one."""

    offset: int
    dtype: str
    size: int | None

    def of(self, messages: Bytes) -> NDArray[Any]:
        """Return the numbers (n,) or (n, size) in messages (n, length) of this layout."""
        end = self.offset + np.dtype(self.dtype).itemsize * (1 if self.size is None else self.size)
        values = np.ascontiguousarray(messages[:, self.offset : end]).view(self.dtype)
        return values[:, 0] if self.size is None else values


@dataclass
class _Reader:
    """Place in a message, of number `number`, while its layout is found. fixed: the spans of lengths and texts."""

    data: bytes
    number: int
    fault: Fault
    order: str = "<"
    at: int = HEADER
    entries: int = 0
    fixed: list[tuple[int, int]] = field(default_factory=list)

    def take(self, size: int, alignment: int, what: str) -> int:
        """Return the offset of `size` bytes, and move behind them."""
        start = self.at + (HEADER - self.at) % alignment if size else self.at
        if start + size > len(self.data):
            message = f"{what} has {size} bytes, and {max(0, len(self.data) - start)} are left of the message"
            raise self.fault(self.number, start, message)
        self.at = start + size
        return start

    def length(self, what: str) -> int:
        start = self.take(4, 4, f"the length of {what}")
        self.fixed.append((start, start + 4))
        return int.from_bytes(self.data[start : start + 4], "little" if self.order == "<" else "big")

    def text(self, what: str) -> str:
        start = self.take(size := self.length(what), 1, what)
        self.fixed.append((start, start + size))
        text = self.data[start : start + size]
        if size and text[-1]:
            raise self.fault(self.number, start + size - 1, f"the text of {what} does not end with a zero byte")
        try:
            return text[:-1].decode()
        except UnicodeDecodeError as error:
            raise self.fault(self.number, start + error.start, f"the text of {what} is not UTF-8") from None

    def numbers(self, dtype: str, count: int | None, what: str) -> Numbers:
        size = np.dtype(dtype).itemsize
        return Numbers(self.take(size * (1 if count is None else count), size, what), self.order + dtype, count)

    def value(self, type: str, count: int | None, what: str) -> Any:
        """Return a value with texts as they are, and Numbers instead of numbers."""
        if count == -1:
            count = self.length(what)
            if count > len(self.data) - self.at:  # every entry has at least a byte
                message = f"{what} has {count} entries, and {len(self.data) - self.at} bytes are left of the message"
                raise self.fault(self.number, self.at, message)
        if type in PRIMITIVES:
            return self.numbers(PRIMITIVES[type], count, what)
        if count is not None:
            self.entries += count
            if self.entries > MOST_ENTRIES:
                message = f"{what} has {count:,} entries; at most {MOST_ENTRIES:,} of a message are read"
                raise self.fault(self.number, self.at, message)
            return [self.value(type, None, f"{what}[{i}]") for i in range(count)]
        if type == "string":
            return self.text(what)
        before = f"{what}." if what else ""
        return {one.name: self.value(one.type, one.size, before + one.name) for one in fields_of(type)}


def layout(message: str, data: bytes, fault: Fault, number: int = 0) -> tuple[Any, list[tuple[int, int]]]:
    """Return the value of a message, with texts and with Numbers instead of numbers, and the spans of the bytes that
    messages of the same layout have in common. Raises the error that `fault` makes, at an offset."""
    if (order := ORDERS.get(bytes(data[:2]))) is None or len(data) < HEADER:
        legal = "expected 00 00 or 00 01, plain CDR, and two bytes more"
        raise fault(number, 0, f"the message begins with the bytes {bytes(data[:4]).hex(' ') or 'none'}; {legal}")
    reader = _Reader(bytes(data), number, fault, order)
    return reader.value(message, None, ""), [(0, 2), *reader.fixed]


def decoded(message: str, messages: Sequence[bytes], fault: Fault) -> Iterator[tuple[NDArray[np.int64], Any, Bytes]]:
    """Yield, for messages of one type, groups of one layout: their numbers (n,), the value with Numbers instead of
    numbers, and their bytes (n, length), from which `Numbers.of` takes the numbers."""
    sizes = np.array([len(data) for data in messages], dtype=np.int64)
    order, seen = np.argsort(sizes, kind="stable"), 0
    for places in np.split(order, np.flatnonzero(np.diff(sizes[order])) + 1) if len(order) else ():
        table = np.frombuffer(b"".join([messages[i] for i in places]), np.uint8).reshape(len(places), -1)
        tries = MOST_LAYOUTS  # then each message on its own, so that the time grows with their number
        while len(places):
            value, spans = layout(message, messages[places[0]], fault, int(places[0]))
            seen += len(spans)
            if seen > MOST_SPANS:
                message = f"with it, layouts have more than {MOST_SPANS:,} texts, which are not read"
                raise fault(int(places[0]), 0, message)
            if not tries:
                yield places[:1], value, table[:1]
                places, table = places[1:], table[1:]
                continue
            tries -= 1
            fixed = np.concatenate([np.arange(*span) for span in spans])
            same = (table[:, fixed] == table[0, fixed]).all(axis=1)
            yield places[same], value, table[same]
            places, table = places[~same], table[~same]


def encoded(message: str, value: Mapping[str, Any]) -> list[bytes]:
    """Return n messages in CDR, little-endian.

    value: that of the fields by name; texts and lengths are those of all messages, numbers are arrays (n,), and arrays
    of numbers (n, k), or single numbers for all.
    """
    writer = _Writer()
    writer.put(message, None, value)
    size, n = len(writer.template), max([len(numbers) for _, numbers in writer.places if numbers.ndim == 2], default=1)
    block = np.tile(np.frombuffer(bytes(writer.template), np.uint8), (min(n, AT_ONCE), 1))
    parts = [
        (block[:, start : start + numbers.itemsize * numbers.shape[-1]].view(numbers.dtype), numbers)
        for start, numbers in writer.places
    ]
    found: list[bytes] = []
    for start in range(0, n, AT_ONCE):
        k = min(AT_ONCE, n - start)
        for part, numbers in parts:
            part[:k] = numbers[start : start + k] if numbers.ndim == 2 and len(numbers) > 1 else numbers
        data = block[:k].tobytes()
        found += [data[i * size : (i + 1) * size] for i in range(k)]
    return found


@dataclass
class _Writer:
    """A message that is written, with zeros for its numbers, whose places are (offset, numbers (n, k) or (k,))."""

    template: bytearray = field(default_factory=lambda: bytearray(b"\x00\x01\x00\x00"))
    places: list[tuple[int, NDArray[Any]]] = field(default_factory=list)

    def pad(self, size: int) -> None:
        self.template.extend(bytes((HEADER - len(self.template)) % size))

    def put_length(self, length: int) -> None:
        self.pad(4)
        self.template.extend(length.to_bytes(4, "little"))

    def put(self, type: str, count: int | None, value: Any) -> None:
        if type in PRIMITIVES:
            numbers = np.asarray(value, dtype="<" + PRIMITIVES[type])
            numbers = numbers[..., None] if count is None else numbers
            if count == -1:
                self.put_length(numbers.shape[-1])
            if numbers.shape[-1]:
                self.pad(numbers.itemsize)
                self.places.append((len(self.template), numbers))
                self.template.extend(bytes(numbers.itemsize * numbers.shape[-1]))
        elif count is not None:
            self.put_length(len(value))
            for one in value:
                self.put(type, None, one)
        elif type == "string":
            text = value.encode() + b"\x00"
            self.put_length(len(text))
            self.template.extend(text)
        else:
            for one in fields_of(type):
                self.put(one.type, one.size, value[one.name])
