"""Motions in CSV: a line of names, and a row of numbers for each sample."""

from pathlib import Path

import numpy as np

from kinetree.display import counted
from kinetree.errors import Finding, KinetreeError, Source
from kinetree.files.opener import read_file
from kinetree.model.robot import Robot
from kinetree.syntax.numbers import number
from kinetree.syntax.table import Most, Row, fault, quoted, read_table
from kinetree.trajectories.motion import Columns

MOST = Most(bytes=64_000_000, rows=10_000_000, columns=1000)


def read(file: Path, robot: Robot) -> Columns:
    """Return the columns of a file, in its own units. Names of joints may look like numbers.

    Raises KinetreeError with the line of a cell that is not a finite number.
    """
    head, rows = read_table(read_file(file), file, "time, joint1, joint2", "sample", MOST, robot.joints)
    if not rows:
        raise fault(file, head.line, "there are no samples below the names")
    values = np.array([_numbers(file, row, head) for row in rows])

    def fault_at(sample: int | None, message: str) -> KinetreeError:
        line = head.line if sample is None else rows[sample].line
        return KinetreeError(Finding("motion", "error", message, Source(str(file), line)))

    return Columns(tuple(head.cells), values, fault_at)


def _numbers(file: Path, row: Row, head: Row) -> list[float]:
    if len(row.cells) != len(head.cells):
        raise fault(file, row.line, f"has {counted(len(row.cells), 'cell')} under {counted(len(head.cells), 'name')}")
    values = []
    for name, cell in zip(head.cells, row.cells, strict=True):
        value = number(cell)
        if value is None:
            legal = "a finite number, such as 12.5 or 1e-3"
            raise fault(file, row.line, f"column {quoted(name)} is {quoted(cell)}; expected {legal}")
        values.append(value)
    return values
