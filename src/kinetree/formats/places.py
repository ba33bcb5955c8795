"""Where tables, keys and rows stand in a TOML text."""

from __future__ import annotations

import re
from collections import Counter

Where = tuple[str, int] | None
"""A [[table]] of the file, by its name and number, or None for the file itself."""


HEAD = re.compile(r"\s*\[\[?\s*([A-Za-z_][\w.]*)\s*\]\]?\s*$")

_NAME = r"""(?:"([^"]*)"|'([^']*)'|([\w-]++))\s*+[\]=.]"""
KEY = re.compile(rf"\s*+(?:\[\[?\s*+)?{_NAME}")
CHAIN_KEY = re.compile(rf"\s*+\[\[?\s*+chain\.{_NAME}")


class Places:
    """Lines of tables, keys and rows. The standard library's TOML reader does not tell them, so they are looked up in
    the text, which is good enough for messages."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = [_without_comment(line) for line in lines]
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
        """The lines of a table, from 0."""
        return range(self.end) if where is None else self.spans.get(where, range(0))

    def start(self, where: Where) -> int | None:
        """The line of a table's heading, from 1."""
        span = self.span(where)
        return span.start + 1 if span and where else None

    def key(self, key: str, where: Where) -> int | None:
        """The line of a key of a table, from 1."""
        if where not in self._keys:
            self._keys[where] = self._found_keys(self.span(where) if where else range(len(self.lines)))
        return self._keys[where].get(key)

    def _found_keys(self, span: range) -> dict[str, int]:
        """Every key to the first line, from 1, on which it stands."""
        found: dict[str, int] = {}
        for i in span:
            for pattern in (KEY, CHAIN_KEY):
                if match := pattern.match(self.lines[i]):
                    found.setdefault(match[1] or match[2] or match[3] or "", i + 1)
        return found

    def row(self, where: Where, number: int) -> int | None:
        """The line of a row: of its [[chain.rows]], or of its opening brace behind `rows =`."""
        if where not in self._rows:
            self._rows[where] = self._found_rows(where)
        found = self._rows[where]
        return found[number] if number < len(found) else None

    def _found_rows(self, where: Where) -> list[int]:
        """Return the lines of all rows of a table, from 1."""
        found: list[int] = []
        inside = False
        for i in self.span(where):
            line = self.lines[i]
            if re.match(r"\s*\[\[\s*(?:chain\.)?rows\s*\]\]", line):
                found.append(i + 1)
            if match := re.match(r"\s*rows\s*=", line):
                inside, line = True, line[match.end() :]
            if inside:
                depth = 0
                for character in re.sub(r"\"[^\"]*\"|'[^']*'", "", line):
                    depth += (character == "{") - (character == "}")
                    found += [i + 1] if character == "{" and depth == 1 else []
                inside = not re.match(r"\s*\]", line)
        return found


def _without_comment(line: str) -> str:
    return line if "#" not in line else re.sub(r"^((?:[^\"'#]++|\"[^\"]*+\"|'[^']*+')*+)#.*", r"\1", line)
