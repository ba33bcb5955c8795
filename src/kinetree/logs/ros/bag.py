"""Topics of bags of ROS 2, and their faults."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from kinetree.errors import Finding, KinetreeError, Source
from kinetree.logs.ros.definitions import DEFINITIONS, full_name

MOST_KEPT = 2**31
"""Largest number of bytes of messages that are read from one bag."""
Place: TypeAlias = tuple[int, str, str]
"""Where a message begins: a byte, of what, such as " of the chunk at byte 120", or "", and the file."""
MOST_MESSAGES = 5_000_000
"""Largest number of messages that are read from one bag."""
TYPES = {full_name(name): name for name in DEFINITIONS}
"""Definitions by the names that bags use."""


@dataclass
class Topic:
    """Messages of one topic, in the order of the bag; only if their type has a definition.

    type: such as "std_msgs/String". qos, schema: as written. data, log_times, publish_times (ns), places: of each
    message. count: how many messages there are, also of types without a definition.
    """

    name: str
    type: str
    qos: str = ""
    schema: tuple[str, bytes] | None = None
    count: int = 0
    data: list[bytes] = field(default_factory=list, repr=False)
    log_times: list[int] = field(default_factory=list, repr=False)
    publish_times: list[int] = field(default_factory=list, repr=False)
    places: list[Place] = field(default_factory=list, repr=False)

    def add(self, data: bytes, log_time: int, publish_time: int, place: Place) -> None:
        """Add a message."""
        self.data.append(data)
        self.log_times.append(log_time)
        self.publish_times.append(publish_time)
        self.places.append(place)

    def fault(self, number: int, at: int, message: str) -> KinetreeError:
        """Return the error at an offset in a message."""
        start, within, file = self.places[number]
        what = f"topic {self.name}, message {number}"
        return bag_fault(file, f"byte {start + at}{within}: {message}", what)


def bag_fault(file: str | Path, message: str, element: str | None = None, fix: str | None = None) -> KinetreeError:
    """Return the error about a file of a bag."""
    return KinetreeError(Finding("bag", "error", message, Source(str(file)), element, fix))


class Bag:
    """Topics of a bag while it is read. wanted: types of messages that are kept, others are counted."""

    def __init__(self, wanted: Collection[str]) -> None:
        self.wanted = wanted
        self.topics: dict[str, Topic] = {}
        self.kept = self.messages = 0

    def topic(self, file: Path, name: str, type: str, qos: str, encoding: str) -> Topic:
        """Return the topic of a name, added if it is new. Raises KinetreeError for another type or encoding."""
        known = TYPES.get(type, type)
        topic = self.topics.setdefault(name, Topic(name, known, qos))
        if topic.type != known:
            raise bag_fault(file, f"has messages of the types {topic.type} and {known}", f"topic {name}")
        if known in self.wanted and encoding != "cdr":
            raise bag_fault(file, f"is encoded as {encoding[:40]!r}; expected 'cdr'", f"topic {name}")
        return topic

    def keeps(self, file: Path, topic: Topic, size: int) -> bool:
        """Count a message, and return whether it is kept. Raises KinetreeError if there are too many bytes."""
        topic.count += 1
        if topic.type not in self.wanted:
            return False
        self.kept, self.messages = self.kept + size, self.messages + 1
        if self.kept > MOST_KEPT or self.messages > MOST_MESSAGES:
            most = f"at most {MOST_KEPT:,} bytes, and {MOST_MESSAGES:,} messages, are read"
            raise bag_fault(file, f"has too many messages about joints and poses; {most}")
        return True


Reader = Callable[[Path, Bag], None]
