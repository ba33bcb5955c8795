"""Tables of joints and poses that were written down from a pendant, and the meaning of their columns."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from kinetree.controllers.controller import METRES, Controller
from kinetree.controllers.rotation import RADIANS
from kinetree.controllers.text import parsed
from kinetree.errors import KinetreeError
from kinetree.files.opener import read_file
from kinetree.spatial.se3 import Array
from kinetree.syntax.numbers import number
from kinetree.syntax.table import Most, Row, fault, quoted, read_table

_NUMBER = re.compile(r"(?P<number>[-+]?[\d.,]+(?:[eE][-+]?\d+)?)\s*(?P<unit>[^\d.,+-]*)", re.ASCII)


MOST = Most(bytes=1_000_000, rows=1000, columns=100)
"""Largest table of poses; ten rows are enough."""


class RequiredColumn(NamedTuple):
    """A required column. unit: of its numbers, "" for none, None for poses as text."""

    label: str
    what: str
    unit: str | None


class Column(NamedTuple):
    """A column of the table. at: from 0. unit: that of its heading, else of the required column."""

    at: int
    text: str
    unit: str | None
    wanted: RequiredColumn


def read_poses(
    file: Path, who: Controller, names: Sequence[str], turning: Sequence[bool]
) -> tuple[Array, Array, list[str]]:
    """Return joints (k, n), deg and mm, poses (k, 6 or 7) in the controller's units, and notes on conversions.

    names, turning: of the joints, from base to tool0. Raises KinetreeError with the line of the fault.
    """
    head, rows = read_table(read_file(file), file, example(who, len(names)), "pose", MOST)
    joints, pose = find_columns(file, head, who, names, turning)
    if not rows:
        raise fault(file, head.line, "there are no poses below the names; lines that begin with # are comments")
    for row in rows:
        _check_cells(file, row, head, [*joints, *pose])
    plain = [column for column in (*joints, *pose) if column.wanted.unit is not None]
    _check_units(file, rows[0], plain)
    _check_marks(file, rows, plain)
    shown = [[_number(file, row, column) for column in joints] for row in rows]
    posed = [_pose(file, row, pose, who) for row in rows]
    changed = [column for column in plain if column.unit != column.wanted.unit]
    notes = [
        f"column {quoted(column.text)} is converted from {column.unit} to {column.wanted.unit}" for column in changed
    ]
    return np.array(shown), np.array(posed), notes


def _check_units(file: Path, row: Row, columns: list[Column]) -> None:
    words = [row.cells[column.at].strip("[]() ") for column in columns]
    if any(words) and all(unit_of(word) in (*METRES, *RADIANS) for word in words if word):
        name, unit = next((column.wanted.label, word) for column, word in zip(columns, words, strict=True) if word)
        legal = f"expected units in the line of names, as {quoted(f'{name} [{unit}]')}"
        raise fault(file, row.line, f"a row of units stands below the names; {legal}")


def _check_cells(file: Path, row: Row, head: Row, columns: list[Column]) -> None:
    """Raise KinetreeError for cells without a name above, and for a row that ends before its last column."""
    if len(row.cells) > len(head.cells) or max(column.at for column in columns) >= len(row.cells):
        what = "pose that has commas" if columns[-1].wanted.unit is None else "number with a decimal comma"
        fix = f"; a {what} stands in quotation marks, or semicolons separate the cells"
        begun = "; what # begins is a comment, unless in quotation marks" if row.cut else ""
        more = fix if len(row.cells) > len(head.cells) else begun
        raise fault(file, row.line, f"has {len(row.cells)} cells under {len(head.cells)} names{more}")
    for i, (name, cell) in enumerate(zip(head.cells, row.cells, strict=False)):
        if cell and not name:
            raise fault(file, row.line, f"{quoted(cell)} stands in column {i + 1}, which has no name; expected a name")


def _check_marks(file: Path, rows: list[Row], columns: list[Column]) -> None:
    """Raise KinetreeError for a point and a comma in one table, in which 1,234 may be a thousand."""
    marked = {mark: (row, c) for mark in ".," for row in rows for c in columns if mark in row.cells[c.at]}
    if len(marked) == 2:
        (point, p), (comma, c) = marked["."], marked[","]
        here, there = quoted(comma.cells[c.at]), quoted(point.cells[p.at])
        same = comma is point and c is p
        beside = "has both" if same else f"has a comma, and {there} in line {point.line} a point"
        message = f"column {quoted(c.text)}, {here}, {beside}"
        raise fault(
            file, comma.line, f"{message}; expected one of them in all of a file, and nothing between thousands"
        )


def _number(file: Path, row: Row, column: Column) -> float:
    text, units = row.cells[column.at], factors(column.wanted.unit)
    match = _NUMBER.fullmatch(text.replace("\u2212", "-"))
    value = number(match["number"].replace(",", ".")) if match else None
    if match is None or value is None:
        legal = "a finite number, as 12.5 or 12,5"
        raise fault(file, row.line, f"column {quoted(column.text)} is {quoted(text)}; expected {legal}")
    if match["unit"] and unit_of(match["unit"]) != column.unit:
        message = f"column {quoted(column.text)} is in {column.unit or 'no unit'}, and has {quoted(text)}"
        raise fault(file, row.line, f"{message}; legal units, in brackets in the line of names: {', '.join(units)}")
    unit, wanted = column.unit, column.wanted.unit
    return value if unit is None or unit == wanted or wanted is None else value * (units[unit] / units[wanted])


def _pose(file: Path, row: Row, columns: list[Column], who: Controller) -> list[float]:
    if columns[0].wanted.unit is None:
        try:
            values: list[float] = parsed(who, row.cells[columns[0].at]).values.tolist()
        except KinetreeError as error:
            raise fault(file, row.line, error.findings[0].message) from None
    else:
        values = [_number(file, row, column) for column in columns]
    if len(values) != len(who.components):
        raise fault(file, row.line, f"the pose has {len(values)} numbers; a pose of {who.name} is {who.format}")
    form = who.rotation
    wrong = (replace(form, unit="deg") if form.unit else form).fault(
        np.array([values[3:]])
    )  # rad may be deg by mistake
    if wrong:
        raise fault(file, row.line, who.wrong("poses", wrong).findings[0].message)
    return values


LONGEST = 200
"""Largest number of characters of a heading with a unit."""
POSE = "pose"
"""Column of poses as the pendant writes them."""
LEFT_OUT = ("name", "comment", "note")
"""Columns that are ignored, as those whose name begins with #."""
NO_UNIT = ("", "-", "1")
"""Spellings of no unit."""
WORDS = {
    "°": "deg",
    "º": "deg",  # an ordinal, which keyboards have beside it
    "degree": "deg",
    "degrees": "deg",
    "radian": "rad",
    "radians": "rad",
}
"""Other spellings of units."""

_BRACKETS = re.compile(r"(?P<name>.+?)\s*(?:\[(?P<a>[^][]*)\]|\((?P<b>[^()]*)\)|/(?P<c>[^][()/]*))")
_WORD = re.compile(r"(?P<name>.+?)(?:[\s_]+(?P<a>[a-z]+)|\s*(?P<b>[°º]))", re.IGNORECASE)


def find_columns(
    file: Path, head: Row, who: Controller, names: Sequence[str], turning: Sequence[bool]
) -> tuple[list[Column], list[Column]]:
    """Return the columns of the joints, from base to tool0, and those of the numbers of a pose, or the one with its
    text. names, turning: of the joints. Raises KinetreeError if the table is ambiguous."""
    poses = _poses(who, any(_key(name) == POSE for cell in head.cells for name, _ in _readings(cell)))
    legal = _legal(who, names)
    ways = [(joints, *_matched(head.cells, [*joints, *poses], who.name)) for joints in _joints(who, names, turning)]
    good = [(joints, found) for joints, found, faults in ways if not faults]
    if not good:
        first = min((faults for *_, faults in ways), key=len)[0]
        raise fault(file, head.line, f"{first}; {legal}")
    joints, found = good[0]
    for others, differently in good[1:]:
        for one, other in zip(joints, others, strict=True):
            a, b = found[one], differently[other]
            if a.at != b.at:
                message = f"{one.what} may be column {quoted(a.text)} or, as {other.what}, {quoted(b.text)}"
                raise fault(file, head.line, f"{message}; {legal}")
    return [found[one] for one in joints], [found[one] for one in poses]


def example(who: Controller, n: int) -> str:
    """Return a legal line of names."""
    return ", ".join((*_numbered(n), *who.components))


def unit_of(word: str) -> str:
    """Return the standard spelling of a unit; an unknown one stays as it is."""
    plain = word.strip().casefold()
    return "" if plain in NO_UNIT else WORDS.get(plain, plain)


def factors(unit: str | None) -> dict[str, float]:
    """Return the legal units for a number that is required in a unit, with their factors to SI."""
    return next((table for table in (METRES, RADIANS) if unit in table), {})


def _numbered(n: int) -> tuple[str, ...]:
    return tuple(f"J{i + 1}" for i in range(n))


def _schemes(who: Controller, names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    yield tuple(names)
    yield _numbered(len(names))
    if (theirs := who.names_of_joints(len(names))) != _numbered(len(names)):
        yield theirs


def _joints(who: Controller, names: Sequence[str], turning: Sequence[bool]) -> Iterator[list[RequiredColumn]]:
    for scheme in _schemes(who, names):
        yield [
            RequiredColumn(label, f"joint {name!r}", "deg" if turns else "mm")
            for label, name, turns in zip(scheme, names, turning, strict=True)
        ]


def _poses(who: Controller, as_text: bool) -> list[RequiredColumn]:
    if as_text:
        return [RequiredColumn(POSE, "the pose", None)]
    units = [who.position] * 3 + [who.rotation.unit] * len(who.rotation.names)
    return [RequiredColumn(name, f"{name} of the pose", unit) for name, unit in zip(who.components, units, strict=True)]


def _legal(who: Controller, names: Sequence[str]) -> str:
    joints = " or ".join(", ".join(scheme) for scheme in _schemes(who, names))
    return (
        f"expected {joints}, and {', '.join(who.components)} or {POSE}; "
        f"{', '.join(LEFT_OUT)} and what begins with # are left out"
    )


def _matched(
    cells: list[str], wanted: list[RequiredColumn], whose: str
) -> tuple[dict[RequiredColumn, Column], list[str]]:
    """Return the columns, with exact matches before those in another case, and what is wrong."""
    found: dict[RequiredColumn, Column] = {}
    faults: list[str] = []
    left = [(i, text) for i, text in enumerate(cells) if text]
    spellings: tuple[Callable[[str], str], ...] = (str, _key)
    for same in spellings:
        rest = []
        for i, text in left:
            unit, fits = _fits(text, wanted, same)
            if not fits:
                rest.append((i, text))
            elif len(fits) > 1:
                faults.append(f"column {quoted(text)} may be {' or '.join(one.what for one in fits)}")
            elif fits[0] in found:
                faults.append(f"column {quoted(text)} stands twice: it is {fits[0].what}")
            else:
                found[fits[0]] = Column(i, text, fits[0].unit if unit is None else unit_of(unit), fits[0])
                faults += _unit_fault(found[fits[0]])
        left = rest
    beside = f", beside {POSE!r}," if wanted[-1].unit is None else ""
    unknown = [text for _, text in left if not (text.startswith("#") or _key(text) in LEFT_OUT)]
    faults += [f"column {quoted(text)}{beside} is neither a joint nor of a pose of {whose}" for text in unknown]
    return found, faults + [f"there is no column {one.label!r}" for one in wanted if one not in found]


def _fits(
    text: str, wanted: list[RequiredColumn], same: Callable[[str], str]
) -> tuple[str | None, list[RequiredColumn]]:
    """Return the unit in a heading, None for none, and the columns that it matches."""
    for name, unit in _readings(text):
        if fits := [one for one in wanted if same(one.label) == same(name)]:
            return unit, fits
    return None, []


def _readings(text: str) -> Iterator[tuple[str, str | None]]:
    """Yield a heading as a name alone, and as a name with a unit."""
    yield text, None
    if len(text) > LONGEST:
        return
    if match := _BRACKETS.fullmatch(text):
        yield match["name"], match["a"] or match["b"] or match["c"] or ""
    if (match := _WORD.fullmatch(text)) and unit_of(match["a"] or match["b"]) in (*METRES, *RADIANS):
        yield match["name"], match["a"] or match["b"]


def _unit_fault(column: Column) -> list[str]:
    legal = factors(column.wanted.unit)
    if column.unit == column.wanted.unit or column.unit in legal:
        return []
    units = " or ".join(legal) or "none"
    return [f"column {quoted(column.text)} has the unit {quoted(column.unit or 'none')}, where {units} is legal"]


def _key(name: str) -> str:
    """Return a name without case and separators: Wrist_1 and wrist1 are the same."""
    return re.sub(r"[\s_]+", "", name).casefold()
