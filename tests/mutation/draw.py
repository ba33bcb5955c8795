"""Mutants drawn by lot: which line, which of its faults, and how the line then reads."""

import ast
import difflib
import random
import re
import subprocess
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

from .operators import Change, apply, changes

EQUIVALENT = Path(__file__).with_name("equivalent.toml")


class Mutant(NamedTuple):
    """A file with one fault."""

    file: str  # relative to the checkout, with slashes
    line: int
    kind: str
    data: bytes
    diff: tuple[str, ...]  # lines "- before" and "+ after", without the indentation

    @property
    def package(self) -> str:
        """The folder below the package, such as `formats`; the package itself for its own files."""
        parts = self.file.split("/")
        return parts[2] if len(parts) > 3 else parts[1]

    def __str__(self) -> str:
        return f"{self.file}:{self.line} ({self.kind})"


def sources(root: Path, patterns: Iterable[str] = ()) -> dict[str, bytes]:
    """Return the files of the package below `src`, or those that fit a pattern."""
    found = {path.relative_to(root).as_posix(): path for path in sorted((root / "src").rglob("*.py"))}
    kept = {name for name in found if not patterns or any(fnmatch(name, f"*{pattern}*") for pattern in patterns)}
    return {name: path.read_bytes() for name, path in found.items() if name in kept}


def added(root: Path, revision: str) -> dict[str, set[int]]:
    """Return the numbers of the lines below `src` that were added since a revision of git, by file."""
    command = ["git", "diff", "--unified=0", "--no-color", "--no-ext-diff", "--find-renames", revision, "--", "src"]
    text = subprocess.run(command, cwd=root, capture_output=True, check=True, encoding="utf-8", errors="replace").stdout
    found: dict[str, set[int]] = {}
    lines: set[int] = set()
    for line in text.splitlines():
        if line.startswith("+++ "):
            lines = found.setdefault(line.removeprefix("+++ ").removeprefix("b/"), set())
        elif hunk := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line):
            lines.update(range(int(hunk[1]), int(hunk[1]) + int(hunk[2] or 1)))
    return found


def draw(
    files: dict[str, bytes], seed: int, by: str = "line", only: Mapping[str, set[int]] | None = None
) -> Iterator[Mutant]:
    """Yield mutants in the order of the lot, at most one per line, until there is no line left.

    With `by="line"`, every line that can have a fault is equally likely; with `by="file"`, every file is, whatever its
    length. On a line, every kind of fault is equally likely. `only` are lines by file, such as those of a change.
    """
    lot = random.Random(seed)
    lines = {file: lines_of(data) for file, data in files.items()}
    if only is not None:
        lines = {
            file: {line: faults for line, faults in found.items() if line in only.get(file, ())}
            for file, found in lines.items()
        }
    for file, line in shuffled(lines, lot, by):
        yield from one(file, files[file], line, lines[file][line], lot)


def shuffled(lines: dict[str, dict[int, list[Change]]], lot: random.Random, by: str) -> Iterator[tuple[str, int]]:
    """Yield all lines in the order of the lot."""
    if by == "line":
        places = [(file, line) for file, found in lines.items() for line in found]
        yield from lot.sample(places, len(places))
        return
    left = {file: lot.sample(list(found), len(found)) for file, found in lines.items()}
    while left := {file: rest for file, rest in left.items() if rest}:
        for file in lot.sample(list(left), len(left)):
            yield file, left[file].pop()


def lines_of(data: bytes) -> dict[int, list[Change]]:
    """Return the faults of a file by the line on which each begins."""
    by_line = defaultdict(list)
    for change in changes(data):
        by_line[data.count(b"\n", 0, change.start) + 1].append(change)
    return by_line


def one(file: str, data: bytes, line: int, found: list[Change], lot: random.Random) -> Iterator[Mutant]:
    """Yield one of the faults of a line, if any of them compiles."""
    kinds = sorted({change.kind for change in found})
    for kind in lot.sample(kinds, len(kinds)):
        of_kind = [change for change in found if change.kind == kind]
        for change in lot.sample(of_kind, len(of_kind)):
            new = apply(data, change)
            if new is not None:
                yield Mutant(file, line, kind, new, difference(data, new))
                return


def difference(old: bytes, new: bytes) -> tuple[str, ...]:
    """Return the lines that differ, without their indentation: they name a mutant wherever its lines move to."""
    lines = difflib.ndiff(old.decode().splitlines(), new.decode().splitlines())
    return tuple(f"{line[0]} {line[2:].strip()}" for line in lines if line[0] in "+-")


def equivalent(path: Path = EQUIVALENT) -> dict[tuple[str, tuple[str, ...]], str]:
    """Return the reasons why mutants that were judged by hand are no faults, by file and difference."""
    entries = tomllib.loads(path.read_text(encoding="utf-8")).get("mutant", [])
    return {(entry["file"], tuple(entry["diff"].strip().splitlines())): entry["reason"] for entry in entries}


class Place(NamedTuple):
    """Where a line stands: its statement, and the body of its function, if any; numbers of lines."""

    line: int
    statement: range
    function: range | None


def place_of(data: bytes, line: int) -> Place:
    """Return the innermost statement and function around a line."""
    statement = range(line, line + 1)
    function: range | None = None
    for node in ast.walk(ast.parse(data)):  # from the outside inwards
        if not isinstance(node, ast.stmt) or line not in lines_within(node):
            continue
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if line >= node.body[0].lineno:
                function = range(node.body[0].lineno, lines_within(node).stop)
        elif not hasattr(node, "body"):
            statement = lines_within(node)
    return Place(line, statement, function)


def lines_within(node: ast.stmt) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)
