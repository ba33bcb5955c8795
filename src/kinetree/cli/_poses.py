"""Tables of joints and poses that were written down from a pendant."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from kinetree.cli._columns import Column, example, factors, find_columns, unit_of
from kinetree.cli._table import Row, fault, quoted, read_table
from kinetree.controllers.controller import METRES, Controller
from kinetree.controllers.rotation import RADIANS
from kinetree.controllers.text import parsed
from kinetree.errors import KinetreeError
from kinetree.formats.numbers import number
from kinetree.spatial.se3 import Array

_NUMBER = re.compile(r"(?P<number>[-+]?[\d.,]+(?:[eE][-+]?\d+)?)\s*(?P<unit>[^\d.,+-]*)", re.ASCII)


def read_poses(
    file: Path, who: Controller, names: Sequence[str], turning: Sequence[bool]
) -> tuple[Array, Array, list[str]]:
    """Return joints (k, n), deg and mm, poses (k, 6 or 7) in the controller's units, and notes on conversions.

    names, turning: of the joints, from base to tool0. Raises KinetreeError with the line of the fault.
    """
    head, rows = read_table(file, example(who, len(names)))
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
        legal = f"legal are units in the line of names, as {quoted(f'{name} [{unit}]')}"
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
            raise fault(file, row.line, f"{quoted(cell)} stands in column {i + 1}, which has no name; legal is a name")


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
            file, comma.line, f"{message}; legal is one of them in all of a file, and nothing between thousands"
        )


def _number(file: Path, row: Row, column: Column) -> float:
    text, units = row.cells[column.at], factors(column.wanted.unit)
    match = _NUMBER.fullmatch(text.replace("\u2212", "-"))
    value = number(match["number"].replace(",", ".")) if match else None
    if match is None or value is None:
        legal = "a finite number, as 12.5 or 12,5"
        raise fault(file, row.line, f"column {quoted(column.text)} is {quoted(text)}; legal is {legal}")
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
