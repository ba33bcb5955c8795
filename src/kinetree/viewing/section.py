"""Titled tables of text, which the terminal and notebooks show."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

GUIDES = {"|  ": "│  ", "|- ": "├─ ", "`- ": "└─ "}


@dataclass(frozen=True, slots=True)
class Section:
    """A titled table. remark: what to know before reading it, such as units.

    columns: headings, "" for none. Those that begin with ">" are right-aligned, with "<" left-aligned, and neither is
    wrapped; the others are wrapped if they are too long. A cell may begin with the guides of a tree, "|  ", "|- " and
    "`- ".
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    remark: str = ""


def heading(column: str) -> str:
    """Return the heading of a column without its mark."""
    return column.lstrip("<>")


def with_guides(cell: str) -> str:
    """Return a cell with the guides of a tree drawn as lines."""
    match = re.match(r"(?:[|]  |   )*(?:[|]- |`- )?", cell)
    assert match is not None  # it matches the empty text
    guides = match[0]
    return (
        "".join(GUIDES.get(guides[i : i + 3], guides[i : i + 3]) for i in range(0, len(guides), 3))
        + cell[match.end() :]
    )
