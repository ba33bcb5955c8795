"""Patterns of files, and codes that are left out for those that fit one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from kinetree.checker.baseline import relative
from kinetree.errors import Finding


@dataclass(frozen=True)
class Pattern:
    """A pattern of files, seen from a folder.

    `*` and `?` stand for what holds no slash, `[ab]` for one of these, `**` for any folders. A pattern without a slash
    is a file's name in any folder; one that ends with a slash is all below a folder.
    """

    text: str
    folder: str

    def fits(self, file: str) -> bool:
        """Return whether a file fits."""
        path = relative(file, self.folder).split("/")
        if "/" not in self.text:
            return fnmatchcase(path[-1], self.text)
        pattern = f"{self.text}**" if self.text.endswith("/") else self.text
        return _fits(pattern.removeprefix("./").split("/"), path)


@dataclass(frozen=True)
class PerFile:
    """codes: how the codes begin that are left out in files that fit a pattern."""

    pattern: Pattern
    codes: tuple[str, ...]


def _fits(pattern: Sequence[str], path: Sequence[str]) -> bool:
    """Return whether the parts of a pattern fit those of a path, in time that grows with their product."""
    here = _and_past_folders({0}, pattern)  # how far the pattern may have come
    for part in path:
        loops = {i for i in here if i < len(pattern) and pattern[i] == "**"}
        steps = {i + 1 for i in here - loops if i < len(pattern) and fnmatchcase(part, pattern[i])}
        here = _and_past_folders(loops | steps, pattern)
    return len(pattern) in here


def _and_past_folders(here: set[int], pattern: Sequence[str]) -> set[int]:
    past = set(here)
    for i in range(len(pattern)):
        if i in past and pattern[i] == "**":
            past.add(i + 1)
    return past


def is_left_out(finding: Finding, file: str, rows: Iterable[PerFile]) -> bool:
    """Return whether a finding is left out, by the file that it is in or by the one that is checked."""
    files = {file, finding.source.file} if finding.source else {file}
    about = [row for row in rows if finding.code.startswith(row.codes)]
    return any(row.pattern.fits(name) for row in about for name in files)
