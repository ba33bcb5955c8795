"""Patterns of files, and codes that are left out for matching files."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from kinetree.checker.baseline import relative
from kinetree.errors import Finding


@dataclass(frozen=True)
class Pattern:
    """A pattern of files, relative to a folder.

    `*` and `?` match text without a slash, `[ab]` one of the characters, `**` any folders. A pattern without a slash is
    a file name in any folder; one that ends with a slash matches everything below a folder.
    """

    text: str
    folder: str

    def fits(self, file: str) -> bool:
        """Return whether a file matches."""
        path = relative(file, self.folder).split("/")
        if "/" not in self.text:
            return fnmatchcase(path[-1], self.text)
        pattern = f"{self.text}**" if self.text.endswith("/") else self.text
        return _fits(pattern.removeprefix("./").split("/"), path)


@dataclass(frozen=True)
class PerFile:
    """Beginnings of codes that are left out for files that match a pattern."""

    pattern: Pattern
    codes: tuple[str, ...]


def _fits(pattern: Sequence[str], path: Sequence[str]) -> bool:
    """Return whether the parts of a pattern match those of a path, in a time of at most their product."""
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
    """Return whether a finding is left out because of its file or of the checked one."""
    files = {file, finding.source.file} if finding.source else {file}
    about = [row for row in rows if finding.code.startswith(row.codes)]
    return any(row.pattern.fits(name) for row in about for name in files)
