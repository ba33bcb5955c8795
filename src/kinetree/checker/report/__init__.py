"""Formats of reports: one file a format, found by its name.

Each has a function `lines(results, width)`; width is that of a terminal, which may be coloured, or None. That of
`pretty` takes `show_all`, too.
"""

from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path

from kinetree.checker.job import CheckReport
from kinetree.checker.report._excerpts import with_excerpts as with_excerpts
from kinetree.checker.report._merged import summary as summary


def formats() -> list[str]:
    """Return the names of all formats."""
    return sorted(path.stem for path in Path(__file__).parent.glob("*.py") if not path.stem.startswith("_"))


def report(format: str, results: Iterable[CheckReport], width: int | None = None, **options: bool) -> Iterator[str]:
    """Yield the lines of a report; findings get an excerpt of their file."""
    lines: Iterator[str] = import_module(f"{__name__}.{format}").lines(map(with_excerpts, results), width, **options)
    return lines
