"""SQLite files of ROS 2 bags (rosbag2_storage_sqlite3), read within bounds."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from kinetree.errors import KinetreeError
from kinetree.files.plain_file import open_plain
from kinetree.logs.ros.bag import Bag, bag_fault

MAGIC = b"SQLite format 3\x00"
MOST_MESSAGE = 2**28
"""Largest size of a message, bytes."""
MOST_SECONDS = 600
"""Longest time that SQLite may take for a file; damaged trees of pages can be without end."""
STEPS = 100_000
"""Steps of SQLite between two looks at the clock."""
TABLES = {"topics": ("id", "name", "type", "serialization_format"), "messages": ("topic_id", "timestamp", "data")}


def read(file: Path, bag: Bag) -> None:
    """Add the messages of a file to a bag."""
    try:
        with open_plain(file) as opened:
            start = opened.read(len(MAGIC))
        if start != MAGIC:
            raise bag_fault(file, f"byte 0: the file begins with {start.hex(' ') or 'nothing'}; expected SQLite")
        log = file.with_name(f"{file.name}-wal")  # without one the file is whole, and SQLite writes none beside it
        options = "mode=ro" if log.exists() and log.stat().st_size else "mode=ro&immutable=1"
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?{options}", uri=True)) as database:
            _restrict(database)
            _read(file, bag, database)
    except OSError as fault:
        raise bag_fault(file, f"cannot be read: {fault.strerror or fault}") from None
    except (sqlite3.Error, OverflowError, UnicodeDecodeError) as fault:
        raise bag_fault(file, f"SQLite cannot read it: {fault}") from None


def _restrict(database: sqlite3.Connection) -> None:
    """Distrust what stands in the file."""
    database.execute("PRAGMA trusted_schema = OFF")
    database.execute("PRAGMA cell_size_check = ON")
    database.execute("PRAGMA mmap_size = 0")
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_MESSAGE)
    end = time.monotonic() + MOST_SECONDS
    database.set_progress_handler(lambda: time.monotonic() > end, STEPS)


def _read(file: Path, bag: Bag, database: sqlite3.Connection) -> None:
    columns = {table: _columns(file, database, table) for table in TABLES}
    qos = "offered_qos_profiles" if "offered_qos_profiles" in columns["topics"] else "''"
    topics = {}
    for number, name, type, encoding, profile in database.execute(
        f"SELECT id, name, type, serialization_format, {qos} FROM topics"
    ):
        if not all(isinstance(text, str) for text in (name, type, encoding)):
            raise bag_fault(file, f"row {number} of table topics has a name or type that is not a text")
        topics[number] = bag.topic(file, name, type, profile if isinstance(profile, str) else "", encoding)
    for row, number, timestamp, data in _messages(database):
        if number not in topics:
            raise _fault(file, row, f"is of topic {number!r}, which table topics lacks")
        if not (isinstance(data, bytes) and isinstance(timestamp, int) and timestamp >= 0):
            raise _fault(file, row, "has other data or another time; expected bytes, and a whole number from 0, in ns")
        if bag.keeps(file, topics[number], len(data)):
            topics[number].add(data, timestamp, timestamp, (0, f" of row {row} of table messages", str(file)))


def _messages(database: sqlite3.Connection) -> Iterator[Any]:
    yield from database.execute("SELECT rowid, topic_id, timestamp, data FROM messages ORDER BY rowid")


def _columns(file: Path, database: sqlite3.Connection, table: str) -> set[str]:
    """Return the names of the columns of a table. Raises KinetreeError if the file does not have it, or has a view."""
    found = database.execute("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?", (table,)).fetchone()
    if found is None or not str(found[0]).upper().startswith("CREATE TABLE"):
        raise bag_fault(file, f"has no table {table}; expected a bag of ROS 2")
    columns = {str(row[1]) for row in database.execute(f"PRAGMA table_info({table})")}
    if missing := [name for name in TABLES[table] if name not in columns]:
        raise bag_fault(file, f"its table {table} has no column {missing[0]!r}; expected a bag of ROS 2")
    return columns


def _fault(file: Path, row: int, message: str) -> KinetreeError:
    return bag_fault(file, f"row {row} of table messages {message}")
