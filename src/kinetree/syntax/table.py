"""Tables as spreadsheets export them: a line of names, and rows of cells."""

import codecs
import csv
import re
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from kinetree.errors import Finding, KinetreeError, Source
from kinetree.syntax.numbers import number

SEPARATORS = ";\t,"
"""Characters that separate cells, if they stand in the line of names; the first found is taken."""
LONGEST = 60
"""Largest number of characters of a cell in a message."""
MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
"""Byte order marks."""

_PIECES = re.compile(r'"[^"]*"|#[^\n]*|[^"#\n]+|\n|"')
_NO_TEXT = re.compile(r"[^\t\n\x20-\x7e\x80-\U0010ffff]")


class Row(NamedTuple):
    """Cells of one line of a file. cut: whether `#` began a comment in it."""

    line: int
    cells: list[str]
    cut: bool = False


class Most(NamedTuple):
    """Largest numbers of bytes, rows and columns of a table that are read."""

    bytes: int
    rows: int
    columns: int


class _Line(NamedTuple):
    """A line, or several if a quoted cell spans them. bare: the text without comments."""

    line: int
    text: str
    bare: str


def read_table(
    content: bytes, file: Path, legal: str, each: str, most: Most, known: Collection[str] = ()
) -> tuple[Row, list[Row]]:
    """Return the names and the rows below, without empty cells at the end of a line.

    Lines that begin with `#`, and the rest of a row after `#`, are comments. If there are no names above the rows, the
    last comment with as many cells is the line of names.
    content: of the file. legal: a line of names, and each: what a row is, for errors. known: names that may look like
    numbers.
    """
    lines = [line for line in _lines(file, _text(content, file, most.bytes)) if line.text.strip(" \t,;")]
    lines = [line for line in lines if not re.fullmatch(r"\W*sep=[;,\t]\W*", line.text)]  # Excel's own first line
    stated = [line for line in lines if not line.text.startswith("#")]
    if not stated:
        raise fault(
            file, 1, f"there is nothing in it; expected a line of names, such as {legal}, and one for each {each}"
        )
    head = stated.pop(0)
    separator = separator_of(head.text)
    names = Row(head.line, _cells(file, head.line, head.text, separator))
    if any(is_number(cell) and cell not in known for cell in names.cells):
        count, stated = len(names.cells), [head, *stated]
        separator, names = _commented(file, [line for line in lines if line.line < head.line], count, legal)
    if len(names.cells) > most.columns:
        raise fault(file, names.line, f"there are {len(names.cells)} columns; at most {most.columns} are read")
    if len(stated) > most.rows:
        raise fault(file, stated[most.rows].line, f"there are {len(stated)} rows; at most {most.rows} are read")
    return names, [
        Row(line.line, _cells(file, line.line, line.bare, separator), line.bare != line.text) for line in stated
    ]


def fault(file: Path, line: int | None, message: str) -> KinetreeError:
    """Return the error at a line of the file."""
    return KinetreeError(Finding("table", "error", message, Source(str(file), line)))


def quoted(text: str) -> str:
    """Return a text for messages, cut and without control characters of terminals."""
    return repr(text if len(text) <= LONGEST else text[:LONGEST] + "…")


def is_number(text: str) -> bool:
    """Return whether a cell is a number, with a point or a comma."""
    return number(text.replace("\u2212", "-").replace(",", ".")) is not None


def _commented(file: Path, comments: list[_Line], count: int, legal: str) -> tuple[str, Row]:
    """Return the separator and the names in a comment above the rows."""
    for comment in reversed(comments):
        text = comment.text[1:].strip()
        separator = separator_of(text)
        cells = _cells(file, comment.line, text, separator)
        if len(cells) >= max(count, 2):
            return separator, Row(comment.line, [cells[0] or "#", *cells[1:]])
    line = comments[-1].line + 1 if comments else 1
    raise fault(file, line, f"there is no line of names above the numbers; expected for example {legal}")


def _text(content: bytes, file: Path, most: int) -> str:
    if len(content) > most:
        raise fault(file, None, f"has {len(content)} bytes; at most {most} are read")
    encoding = next((encoding for mark, encoding in MARKS.items() if content.startswith(mark)), "utf-8")
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        if encoding != "utf-8":
            line = content[: error.start].count(b"\n") + 1
            raise fault(file, line, f"the text is not {encoding}, as its first bytes say: {error.reason}") from None
        text = content.decode("latin-1")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if match := _NO_TEXT.search(text):
        line = text.count("\n", 0, match.start()) + 1
        legal = "text in UTF-8, in Latin-1, or in UTF-16 with a byte order mark"
        raise fault(file, line, f"has the character {match[0]!r}, which is not a text; expected {legal}")
    return text


def _lines(file: Path, text: str) -> list[_Line]:
    """Return the lines; those with an open quotation mark are joined with the next."""
    lines, line, start, whole, bare = [], 1, 1, "", ""
    for piece in (*_PIECES.findall(text), "\n"):
        if piece == '"':
            raise fault(file, line, "a quotation mark is not closed")
        if piece == "\n":
            lines.append(_Line(start, whole.strip(" \u00a0"), bare.strip(" \u00a0")))
            start, whole, bare = line + 1, "", ""
        else:
            whole += piece
            bare += "" if piece.startswith("#") else piece
        line += piece.count("\n")
    return lines


def _cells(file: Path, line: int, text: str, separator: str) -> list[str]:
    try:
        cells = cells_of(text, separator, strict=True)
    except ValueError as error:
        raise fault(file, line, f"cannot be split into cells: {error}") from None
    cells = [" ".join(cell.split()) for cell in cells]
    while cells and not cells[-1]:
        cells.pop()
    return cells


def separator_of(names: str) -> str:
    """Return the separator of a line of names; a comma if there is one name."""
    outside = re.sub(r'"[^"]*"', "", names)
    return next((separator for separator in SEPARATORS if separator in outside), ",")


def cells_of(line: str, separator: str = ",", strict: bool = False) -> list[str]:
    """Return the cells of a line, or the line as one cell if one of them has more than 100,000 characters.

    strict: raise ValueError for such a cell, and for one that continues after its quotes.
    """
    try:
        return next(csv.reader([line], delimiter=separator, skipinitialspace=True, strict=strict))
    except csv.Error as error:
        if strict:
            raise ValueError(str(error)) from None
        return [line]
