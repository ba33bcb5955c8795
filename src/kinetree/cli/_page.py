"""A page of titled tables: pretty in a terminal, plain and at most 80 columns wide in a pipe."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kinetree.cli._say import say
from kinetree.display import visible
from kinetree.viewing.section import Section, heading, with_guides

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

PLAIN_WIDTH = 80
INDENT = 2


def print_page(sections: Sequence[Section]) -> None:
    """Print to the standard output; what a terminal would obey or hide is escaped in every text."""
    from rich.console import Console

    sections = [_visible(section) for section in sections]
    if sys.stdout.isatty():
        _render(Console(markup=False, highlight=False, emoji=False), sections, plain=False)
        return
    text = io.StringIO()
    console = Console(
        file=text,
        width=PLAIN_WIDTH,
        color_system=None,
        markup=False,
        highlight=False,
        emoji=False,
        force_terminal=False,
    )
    _render(console, sections, plain=True)
    say(*(line.rstrip() for line in text.getvalue().removesuffix("\n").split("\n")))


def _visible(section: Section) -> Section:
    rows = [[visible(cell) for cell in row] for row in section.rows]
    return replace(section, title=visible(section.title), rows=rows, remark=visible(section.remark))


def _render(console: Console, sections: Sequence[Section], *, plain: bool) -> None:
    from rich.padding import Padding
    from rich.text import Text

    for i, section in enumerate(sections):
        if i:
            console.print()
        title = Text(section.title, style="bold cyan", overflow="fold")
        if section.remark:
            title.append(f"  ({section.remark})", style="not bold dim")
        console.print(title)
        table = _table(section, console.width - INDENT, plain=plain, guides=not console.options.ascii_only)
        console.print(Padding(table, (0, 0, 0, INDENT)))


def _table(section: Section, width: int, *, plain: bool, guides: bool) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    headed = any(section.columns)
    natural = [max(map(len, column)) for column in zip(map(heading, section.columns), *section.rows, strict=True)]
    gap = 1 if len(natural) > 4 and sum(natural) + 2 * len(natural) > width else 2
    ruled = headed and not plain  # a rule under the headings adds a column between the others
    table = Table(
        box=box.SIMPLE_HEAD if ruled else None,
        show_header=headed,
        show_edge=False,
        pad_edge=False,
        padding=(0, gap - ruled, 0, 0),
        header_style="bold",
    )
    for column in section.columns:
        fixed = column[:1] in ("<", ">")
        table.add_column(
            Text(heading(column)),
            justify="right" if column[:1] == ">" else "left",
            no_wrap=fixed,
            overflow="ellipsis" if fixed else "fold",
        )
    flexible = [i for i, column in enumerate(section.columns) if column[:1] not in ("<", ">")]
    room = width - sum(natural) - gap * (len(natural) - 1)
    for row in section.rows:
        cells = list(row) if plain or not guides else [with_guides(cell) for cell in row]
        if flexible and room + natural[i := max(flexible, key=natural.__getitem__)] > 0:  # else the table shares it out
            cells[i] = " ".join(_broken(word, room + natural[i]) for word in cells[i].split(" "))
        table.add_row(*(Text(cell) for cell in cells))
    return table


def _broken(word: str, width: int) -> str:
    """Return a long name or path in lines that end behind underscores and slashes."""
    lines = [""]
    for part in re.findall(r"[^_/]*[_/]|[^_/]+$", word):
        if lines[-1] and len(lines[-1]) + len(part) > width:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)
