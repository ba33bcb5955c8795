"""What was found, as people and programs want to read it: one file a format, found by its name.

Each has a function `lines(results, width)`; width is that of a terminal, which may be coloured, or None.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path

from kinetree.checker.checked import Checked
from kinetree.checker.report._excerpts import with_excerpts


def formats() -> list[str]:
    """The formats that there are."""
    return sorted(path.stem for path in Path(__file__).parent.glob("*.py") if not path.stem.startswith("_"))


def report(format: str, results: Iterable[Checked], width: int | None = None) -> Iterator[str]:
    """The lines of a report, as the results come; every finding with the line of its file that it is about."""
    lines: Iterator[str] = import_module(f"{__name__}.{format}").lines(map(with_excerpts, results), width)
    return lines
