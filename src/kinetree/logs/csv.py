"""Motions in CSV: a line of names, and a row of numbers for each sample."""

import csv
import io
import re
from collections.abc import Collection, Mapping
from pathlib import Path

import numpy as np

from kinetree.display import counted
from kinetree.errors import Finding, KinetreeError, Source, fail
from kinetree.files.opener import read_file
from kinetree.model.robot import Robot
from kinetree.spatial.se3 import Array
from kinetree.syntax.numbers import number
from kinetree.syntax.table import Most, Row, fault, quoted, read_table
from kinetree.trajectories.motion import TIMES, Columns, Motion, turns_of

MOST = Most(bytes=64_000_000, rows=10_000_000, columns=1000)
RATES = ("velocity", "effort")
"""Endings of columns of joints besides their positions."""
PLAIN = re.compile(r"\w[\w./-]*")
"""Names that need no quotation marks."""


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


def split(columns: Columns, others: Collection[str]) -> tuple[Columns, dict[str, Array]]:
    """Return columns without some others, and these by name."""
    taken = {name: x for name, x in zip(columns.names, columns.values.T, strict=True) if name in others}
    kept = [i for i, name in enumerate(columns.names) if name not in taken]
    return columns._replace(names=tuple(columns.names[i] for i in kept), values=columns.values[:, kept]), taken


def rates_of(robot: Robot) -> set[str]:
    """Return the names of columns of velocities and efforts of joints, such as elbow.effort."""
    return {f"{joint}.{rate}" for joint in robot.velocity_names for rate in RATES} - {
        *robot.coordinate_names,
        *robot.joints,
    }


def written(motion: Motion, unit: str, others: Mapping[str, Array] | None = None) -> str:
    """Return a motion in CSV, with as many digits as `read` needs to read the same numbers. unit: of angles; degrees
    have 12 decimals at most. others: more columns, such as elbow.velocity and elbow.effort."""
    assert motion.robot is not None
    angles = [unit == "deg" and turns for turns in turns_of(motion)]
    columns = [_degrees(x) if is_angle else x for x, is_angle in zip(motion.q.T, angles, strict=True)]
    clock = next((name for name in TIMES if name not in motion.robot.joints), None)
    if clock is None and motion.times is not None:
        raise fail("motion", f"the joints have all names of a column of times, {', '.join(TIMES)}; rename one")
    turning = {f"{name}.velocity" for name, is_angle in zip(motion.names, angles, strict=True) if is_angle}
    more = {name: _degrees(x) if name in turning else x for name, x in (others or {}).items()}
    names = [*([clock] if motion.times is not None else []), *motion.names, *more]
    values = np.column_stack([*([motion.times] if motion.times is not None else []), *columns, *more.values()])
    is_plain = all(PLAIN.fullmatch(str(name)) for name in names)
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_MINIMAL if is_plain else csv.QUOTE_NONNUMERIC, lineterminator="\n").writerows(
        [names, *values.tolist()]
    )
    return text.getvalue()


def _degrees(x: Array) -> Array:
    """Return angles, rad, in degrees without the rounding error of the conversion, such as -120 for -2 pi / 3."""
    return np.array([round(value, 12) + 0.0 for value in np.rad2deg(x).tolist()])


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
