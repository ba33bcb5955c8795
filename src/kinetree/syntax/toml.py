"""Tables of TOML files: values of the expected type, and the lines of keys, tables and rows."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from kinetree.errors import Source, nearest_names, shortened
from kinetree.syntax.text import TextReport

LONGEST = 100
"""Most characters of a value in a message."""
Where = tuple[str, int] | None
"""A [[table]] of the file, by its name and number, or None for the file itself."""


HEAD = re.compile(r"\s*\[\[?\s*([A-Za-z_][\w.-]*)\s*\]\]?\s*$")

_NAME = r"""(?:"([^"]*)"|'([^']*)'|([\w-]++))\s*+[\]=.]"""
KEY = re.compile(rf"\s*+(?:\[\[?\s*+)?{_NAME}")
CHAIN_KEY = re.compile(rf"\s*+\[\[?\s*+chain\.{_NAME}")
_COMMENT = re.compile(r"^((?:[^\"'#]++|\"[^\"]*+\"|'[^']*+')*+)#.*")


@dataclass(frozen=True, slots=True)
class TomlTable:
    """A table of a TOML file.

    where: its name and number; at: its line, if it is in a row. outer: the table around it. element: its name in
    messages. code: that of all its faults, "" if they have codes of their own.
    """

    data: dict[str, Any]
    report: TextReport
    places: "Places"
    where: Where = None
    outer: "TomlTable | None" = None
    element: str | None = None
    code: str = ""
    at: int | None = None

    def inner(self, key: str, k: int, data: dict[str, Any], element: str | None = None) -> "TomlTable":
        """Return the k-th [[table]] of a key, from 0."""
        name = f"{self.where[0]}.{key}" if self.where else key
        return TomlTable(data, self.report, self.places, (name, k), self, element, self.code)

    def line(self, key: str = "") -> int | None:
        """Return the line of a key, else that of the heading of the table, from 1."""
        if self.at:
            return self.at
        line = (self.places.key(key, self.where) if key else None) or self.places.start(self.where)
        if line is None and self.outer and self.where:
            return self.outer.line(self.where[0].rpartition(".")[2])
        return line

    @property
    def number(self) -> int:
        """Number of the table among those of its key, from 1; 0 for the file."""
        return self.where[1] + 1 if self.where else 0

    @property
    def source(self) -> Source:
        """Place of the table."""
        return self.report.source(self.line())

    def error(self, code: str, message: str, key: str = "", **more: Any) -> None:
        """Note a fault of the table, or of one of its keys."""
        self.report.error(self.code or code, message, self.line(key), **{"element": self.element, **more})

    def check_keys(self, legal: Collection[str], renamed: Mapping[str, str] = {}, **more: Any) -> None:
        """Note keys that are not legal, with the nearest legal ones. renamed: legal keys by other names for them."""
        for key in self.data:
            if key not in legal and not self.report.full:  # looking for the nearest names takes a while
                right = f"write {renamed[key]!r}" if key in renamed else nearest_names(key, list(legal))
                message = f"the key {shown(key)} is unknown; {right}"
                self.error("unknown-key", message, key, bad=key, **more)

    def value(
        self, key: str, default: Any, fits: Callable[[Any], bool], legal: str, code: str = "", says: str = "{} is {}"
    ) -> Any:
        """Return the value of a key; the default if it is missing or, with an error, if it does not fit.

        legal: a clause for the message, which begins with `says`, of the key and the value.
        """
        said = self.data.get(key)
        if said is None:
            return default
        if fits(said):
            return said
        self.error(code, says.format(key, shown(said)) + (legal and f"; {legal}"), key)
        return default


def is_text(said: object) -> bool:
    """Return whether a value is a text."""
    return isinstance(said, str)


def is_texts(said: object) -> bool:
    """Return whether a value is a list of texts."""
    return isinstance(said, list) and all(isinstance(one, str) for one in said)


def shown(said: object) -> str:
    """Return a value as messages show it."""
    return shortened(repr(said), LONGEST)


class Places:
    """Lines of tables, keys and rows of a TOML text, for messages; Python's own reader does not give them."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = [_COMMENT.sub(r"\1", line) if "#" in line else line for line in lines]
        heads = [(i, m[1]) for i, line in enumerate(self.lines) if (m := HEAD.match(line))]
        own = [(i, name) for i, name in heads if not name.startswith("chain.")]
        self._keys: dict[Where, dict[str, int]] = {}
        self._rows: dict[Where, list[int]] = {}
        self.end = own[0][0] if own else len(lines)
        numbers: Counter[str] = Counter()
        self.spans: dict[tuple[str, int], range] = {}
        for (i, name), (stop, _) in zip(own, [*own[1:], (len(lines), "")], strict=False):
            self.spans[name, numbers[name]] = range(i, stop)
            numbers[name] += 1

    def span(self, where: Where) -> range:
        """Return the lines of a table, from 0."""
        return range(self.end) if where is None else self.spans.get(where, range(0))

    def start(self, where: Where) -> int | None:
        """Return the line of a table's heading, from 1."""
        span = self.span(where)
        return span.start + 1 if span and where else None

    def key(self, key: str, where: Where) -> int | None:
        """Return the line of a key of a table, from 1."""
        if where not in self._keys:
            self._keys[where] = self._found_keys(self.span(where) if where else range(len(self.lines)))
        return self._keys[where].get(key)

    def _found_keys(self, span: range) -> dict[str, int]:
        found: dict[str, int] = {}
        for i in span:
            for pattern in (KEY, CHAIN_KEY):
                if match := pattern.match(self.lines[i]):
                    found.setdefault(match[1] or match[2] or match[3] or "", i + 1)
        return found

    def row(self, where: Where, number: int) -> int | None:
        """Return the line of a row: of its [[chain.rows]], or of its opening brace after `rows =`."""
        if where not in self._rows:
            self._rows[where] = self._found_rows(where)
        found = self._rows[where]
        return found[number] if number < len(found) else None

    def _found_rows(self, where: Where) -> list[int]:
        found, inside = list[int](), False
        for i in self.span(where) if where else range(len(self.lines)):
            line = self.lines[i]
            if re.match(rf"\s*\[\[\s*{'(?:chain[.])?' if where else ''}rows\s*\]\]", line):
                found.append(i + 1)
            if (where or i < self.end) and (match := re.match(r"\s*rows\s*=", line)):
                inside, line = True, line[match.end() :]
            if inside:
                depth = 0
                for character in re.sub(r"\"[^\"]*\"|'[^']*'", "", line):
                    depth += (character == "{") - (character == "}")
                    found += [i + 1] if character == "{" and depth == 1 else []
                inside = not re.match(r"\s*\]", line)
        return found
