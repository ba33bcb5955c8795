"""Findings in texts that are not XML: a line, with the bad part of it underlined."""

import re
import tomllib
from collections import Counter
from collections.abc import Callable
from typing import Any

from kinetree.errors import Finding, Severity, Source, underlined

MAX_BYTES = 2_000_000
MAX_FINDINGS = 1000
"""Most findings of each severity."""
MAX_DOTS = 100
"""Most dots of one key: tomllib takes time in proportion to their square."""


def decode(text: bytes | str, file: str) -> tuple[str, list[Finding]]:
    """Return the text in UTF-8 without a byte order mark; "" with a finding if it is not UTF-8 or too long."""
    if len(text) > MAX_BYTES:
        return "", [Finding("file-size", "error", f"{len(text)} bytes; at most {MAX_BYTES} are read", Source(file))]
    try:
        return (text if isinstance(text, str) else text.decode()).removeprefix("\ufeff"), []
    except UnicodeDecodeError as error:
        line = text[: error.start].count(b"\n") + 1 if isinstance(text, bytes) else None
        message = f"the text is not UTF-8: {error.reason} at byte {error.start}"
        return "", [Finding("encoding", "error", message, Source(file, line))]


class TextReport:
    """Findings of one reading of a text. at: the place of a line, if the text stands in another file."""

    def __init__(
        self, file: str, text: str, most: int = MAX_FINDINGS, at: Callable[[int | None], Source] | None = None
    ) -> None:
        self.file, self.most, self.at = file, most, at
        self.lines = text.split("\n")
        self.findings: list[Finding] = []
        self.count: Counter[Severity] = Counter()

    @property
    def failed(self) -> bool:
        """Whether anything is an error."""
        return any(f.severity == "error" for f in self.findings)

    @property
    def full(self) -> bool:
        """Whether a further error would be left out."""
        return self.count["error"] >= self.most

    def source(self, line: int | None, column: int | None = None) -> Source:
        """Return a place in this text."""
        return Source(self.file, line, column) if self.at is None else self.at(line)

    def add(
        self,
        severity: Severity,
        code: str,
        message: str,
        line: int | None = None,
        *,
        bad: str | tuple[int, int] | None = None,
        element: str | None = None,
        fix: str | None = None,
    ) -> None:
        """Note a finding on a line (from 1); `bad` is the part to underline, as text or as columns from 0.

        Beyond `most` findings of a severity, the last says that the others are left out.
        """
        self.count[severity] += 1
        if self.count[severity] > self.most:
            return
        if self.count[severity] == self.most:
            code, message = "too-many", f"this is the {self.most}th {severity}; the rest is left out"
        span = self._span(line, bad)
        source = self.source(line, span[0] + 1 if span else None)
        self.findings.append(Finding(code, severity, message, source, element, fix, self.excerpt(line, span)))

    def error(self, code: str, message: str, line: int | None = None, **more: object) -> None:
        """Note an error, as `add` does."""
        self.add("error", code, message, line, **more)  # type: ignore[arg-type]

    def warning(self, code: str, message: str, line: int | None = None, **more: object) -> None:
        """Note a warning, as `add` does."""
        self.add("warning", code, message, line, **more)  # type: ignore[arg-type]

    def _span(self, line: int | None, bad: str | tuple[int, int] | None) -> tuple[int, int] | None:
        if line is None or bad is None or not 0 < line <= len(self.lines):
            return None
        if isinstance(bad, tuple):
            return bad
        start = self.lines[line - 1].find(bad) if bad else -1
        return (start, start + len(bad)) if start >= 0 else None

    def excerpt(self, line: int | None, span: tuple[int, int] | None) -> str | None:
        if line is None or not 0 < line <= len(self.lines):
            return None
        text = self.lines[line - 1]
        return underlined(text, *span) if span else text.replace("\t", " ").strip()[:100] or None


def read_toml(text: str, report: TextReport) -> dict[str, Any] | None:
    """Return the data in a TOML text, or None with an error in `report`."""
    if dotted := _DOTTED.search(text):
        line = text.count("\n", 0, dotted.start()) + 1
        report.error("toml-size", f"a key has more than {MAX_DOTS} dots, the most that are read", line)
        return None
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        at = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
        line, column = (int(at[1]), int(at[2])) if at else (len(report.lines), 1)
        message = f"this is not TOML: {re.sub(r' *[(]at .*[)]$', '', str(error))}"
        report.error("toml-syntax", message, line, bad=(column - 1, column))
    except (RecursionError, ValueError):  # a ValueError also comes from numbers with thousands of digits
        report.error("toml-syntax", "a value is nested too deep, or has too many digits")
    return None


_DOTTED = re.compile(rf"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){{{MAX_DOTS + 1}}}""")
