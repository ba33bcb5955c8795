"""DH tables in CSV to a `DHTable`: one serial chain, with the unit of each column in its heading."""

import re

from kinetree.display import counted
from kinetree.errors import nearest_names
from kinetree.formats.dh.rows import MAX_ROWS, PARAMETERS, ROW_KEYS, Place, matrix_pose, read_row
from kinetree.formats.dh.values import ANGLE_COLUMNS, LENGTH_COLUMNS, Units
from kinetree.formats.kinematic import unquoted
from kinetree.model.dh import CONVENTIONS, Convention, DHChain, DHRow, DHTable
from kinetree.model.robot import RATES
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array
from kinetree.syntax.numbers import ANGLES, PER_METRE, numbers
from kinetree.syntax.table import cells_of, separator_of
from kinetree.syntax.text import TextReport

SETTINGS = ("name", "root", "convention", "base", "tool", "tip")
COLUMNS = tuple(key for key in ROW_KEYS if key != "mimic")
EXAMPLE = "a (mm), d (mm), alpha (rad), theta (deg)"
OF_THE_VARIABLE = ("limits", "velocity", *RATES, "offset", "reference")  # columns in the unit of theta or d
GREEK = {"α": "alpha", "θ": "theta"}


def read_table(text: str, report: TextReport) -> DHTable | None:
    """Return the table in a CSV text; faults go to `report`. Lines `# key: value` before the heading are settings."""
    settings = _settings(report)
    body = [(i, line) for i, line in enumerate(report.lines, 1) if line.strip() and not line.lstrip().startswith("#")]
    if not body:
        report.error("no-heading", f"there is no heading; expected for example joint, {EXAMPLE}")
        return None
    separator = separator_of(body[0][1])
    columns = _heading(body[0], separator, report)
    if columns is None:
        return None
    if len(body) > MAX_ROWS:
        report.error("size", f"has {len(body)} rows; at most {MAX_ROWS} are read", body[0][0])
        return None
    units = Units({column: unit for column, unit in columns if column in PARAMETERS}, None, None)
    length = units.columns["a"] if units.columns["a"] == units.columns["d"] else None
    rows = [row for line in body[1:] if (row := _row(line, separator, [c for c, _ in columns], units, report))]
    name, _ = settings.get("name", ("robot", None))
    root, _ = settings.get("root", ("base_link", None))
    tip = settings.get("tip", (None, None))[0]
    poses = {key: _pose(settings.get(key), key, length, report) for key in ("base", "tool")}
    chain = DHChain("", _convention(settings, report), tuple(rows), poses["base"], poses["tool"], tip=tip)
    return DHTable(name, root, (chain,), source=report.source(body[0][0]))


def _settings(report: TextReport) -> dict[str, tuple[str, int]]:
    """Return the comments that are settings: key to (value, line)."""
    settings: dict[str, tuple[str, int]] = {}
    for i, line in enumerate(report.lines, 1):
        match = re.fullmatch(r"\s*+#\s*+([A-Za-z_]++)\s*+[:=]\s*+(.*)", line.rstrip(" \t\r\f\v\u00a0,;"))
        key = match[1].lower() if match else None
        if match is None or key is None:
            continue
        if key in settings:
            report.error("setting-twice", f"{key} occurs twice; expected once", i, bad=match[1])
        elif key in SETTINGS:
            value = unquoted(match[2])
            if value is None:
                report.error(
                    "text", f'{key} has quotes that do not fit; expected for example "a name"', i, bad=match[2]
                )
            settings[key] = (value or "", i)
        else:
            message = f"this comment looks like a setting, but {key!r} is not one; expected {', '.join(SETTINGS)}"
            report.warning("not-understood", message, i, bad=match[1])
    return settings


def _heading(line: tuple[int, str], separator: str, report: TextReport) -> list[tuple[str, str]] | None:
    """Return (column, unit) of each column, or None if the rows cannot be read."""
    columns: list[tuple[str, str]] = []
    before = len(report.findings)
    for text in cells_of(line[1], separator):
        if report.full:
            break
        match = re.fullmatch(r"\s*+(\w++)\s*+(?:[(\[]\s*+(\w++)\s*+[)\]])?\s*+", text)
        column = match[1].lower().removesuffix("_i") if match else text.strip()
        column, unit = GREEK.get(column, column), (match[2] or "") if match else ""
        columns.append((column, unit))
        if column not in COLUMNS:
            message = f"column {text.strip()!r} is not known; {nearest_names(column, COLUMNS)}"
            report.error("unknown-column", message, line[0], bad=text.strip())
        elif column in PARAMETERS and unit not in (PER_METRE if column in LENGTH_COLUMNS else ANGLES):
            legal = ", ".join(PER_METRE if column in LENGTH_COLUMNS else ANGLES)
            said = f"unit {unit!r}" if unit else "no unit"
            message = f"column {column} has {said}; expected {legal}, as in '{column} (mm)'"
            message = message.replace("(mm)", "(deg)") if column in ANGLE_COLUMNS else message
            report.error("unit", message, line[0], bad=text.strip())
    names, units = [column for column, _ in columns], dict(columns)
    for column, unit in columns:
        if column in OF_THE_VARIABLE and unit in {*PER_METRE, *ANGLES} - {units.get("d"), units.get("theta")}:
            message = f"column {column} has unit {unit!r}; expected none, as it is in the unit of theta or d"
            report.error("unit", message, line[0], bad=unit)
    for column in PARAMETERS:
        if names.count(column) != 1:
            how = "is missing" if column not in names else "occurs twice"
            report.error("missing-column", f"column {column} {how}; expected for example {EXAMPLE}", line[0])
    return columns if not any(f.severity == "error" for f in report.findings[before:]) else None


def _row(line: tuple[int, str], separator: str, columns: list[str], units: Units, report: TextReport) -> DHRow | None:
    cells = cells_of(line[1], separator)
    while len(cells) > len(columns) and not cells[-1].strip():
        cells.pop()
    if len(cells) > len(columns):
        message = f"has {counted(len(cells), 'cell')} under {counted(len(columns), 'heading')}"
        report.error("cells", message, line[0], element="row")
        return None
    given = {column: cell.strip() for column, cell in zip(columns, cells, strict=False) if cell.strip()}
    joint = given.get("joint")
    return read_row(given, units, Place(report, line[0], f"joint {joint!r}" if joint else "row"))


def _convention(settings: dict[str, tuple[str, int]], report: TextReport) -> Convention:
    said, line = settings.get("convention", ("", None))
    for convention in CONVENTIONS:
        if said == convention:
            return convention
    what = f"the convention is {said!r}" if said else "the convention is not declared"
    message = f"{what}; expected a line '# convention: dh' (standard, distal) or '# convention: mdh' (modified)"
    report.error("convention", message, line, bad=said or None)
    return "dh"


def _pose(setting: tuple[str, int] | None, key: str, length: str | None, report: TextReport) -> Array:
    if setting is None:
        return se3.IDENTITY
    values = numbers(re.sub(r"[\[\],;/|]", " ", setting[0]))
    if values is None or len(values) != 16:
        message = f"{key} needs the 16 numbers of a 4×4 matrix, row by row, lengths in the unit of a and d"
        report.error("pose", message, setting[1], bad=setting[0])
        return se3.IDENTITY
    if length is None and any(values[3:12:4]):
        message = f"{key} has lengths, but a and d have different units; expected one unit for both"
        report.error("unit", message, setting[1])
    return matrix_pose(values, length or "m", Place(report, setting[1], key))
