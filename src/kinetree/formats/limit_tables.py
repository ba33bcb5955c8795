"""Sets of linear limits in TOML: rows `A q + b > 0`, or `G q <= h`, over joints by name."""

from dataclasses import replace
from typing import Any

import numpy as np

from kinetree.display import counted
from kinetree.errors import Finding
from kinetree.model.limits import LinearLimits
from kinetree.spatial.se3 import Array, frozen
from kinetree.syntax.numbers import ANGLES, to_si
from kinetree.syntax.text import TextReport, decode, read_toml
from kinetree.syntax.toml import Places, TomlTable, is_text, is_texts

KEYS = ("name", "unit", "joints", "A", "b", "G", "h", "rows", "box")
UNITS = (*ANGLES, "si")


def read(text: bytes | str, file: str) -> tuple[tuple[LinearLimits, ...], list[Finding]]:
    """Return the sets in a text, one for each list of joints, and all findings. Never raises on content."""
    decoded, findings = decode(text, file)
    if findings:
        return (), findings
    report = TextReport(file, decoded)
    data = read_toml(decoded, report)
    return () if data is None else _all_sets(TomlTable(data, report, Places(report.lines))), report.findings


def _all_sets(file: TomlTable) -> tuple[LinearLimits, ...]:
    file.check_keys(("limits",))
    tables = file.data.get("limits")
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        file.report.error("limits", "there are no [[limits]], of which a file of limits consists", 1)
        return ()
    found = tuple(s for k, data in enumerate(tables) for s in _sets(file, k, data))
    return found if not file.report.failed else ()


def _sets(file: TomlTable, k: int, data: dict[str, Any]) -> list[LinearLimits]:
    default = f"limits {k + 1}"
    table = file.inner("limits", k, data, f"limits {default!r}")
    name = table.value("name", default, lambda said: is_text(said) and said != "", "expected a text", "name")
    table = replace(table, element=f"limits {name!r}")
    table.check_keys(KEYS)
    joints = _joints(table)
    unit = data.get("unit")
    if unit not in UNITS:
        said = "the unit is not declared" if unit is None else f"unit is {unit!r}"
        table.error("unit", f"{said}; expected {', '.join(map(repr, UNITS))}", "unit")
        unit = "rad"
    rows = _rows(table)
    box = data.get("box", False)
    if not isinstance(box, bool) or (box and rows and np.any(np.count_nonzero(rows[0], axis=1) > 1)):
        message = f"box is {box!r}; expected false, or true if every row is about one joint"
        table.error("box", message, "box")
    if rows is None or not joints:
        return []
    G, h = rows
    for names in joints.values():
        if len(names) != G.shape[1]:
            joint_names = f"{counted(len(names), 'joint')}: {', '.join(names)}"
            message = f"has {counted(G.shape[1], 'column')} for {joint_names}"
            table.error("count", message, "joints")
    bounds = h if unit == "si" else np.array([to_si(float(x), unit) for x in h])
    labels = _labels(table, len(h))
    return [
        LinearLimits(
            name if label == "" else f"{label} {name}",
            names,
            frozen(G),
            frozen(bounds),
            tuple(f"{label} {name} {row}".strip() for row in labels),
            unit != "si",
            box is True,
            "A" in data,
            table.source,
        )
        for label, names in joints.items()
    ]


def _joints(table: TomlTable) -> dict[str, tuple[str, ...]]:
    """Return {label: names}; a single list has the label ""."""
    said = table.data.get("joints")
    lists: dict[Any, Any] = said if isinstance(said, dict) and said else {"": said}
    for names in lists.values():
        if not is_texts(names) or not names or len(set(names)) != len(names):
            what = "joints is missing" if said is None else f"joints is {said!r}"
            message = f"{what}; expected a list of different names, or a table of such lists"
            table.error("joints", message, "joints")
            return {}
    return {str(label): tuple(names) for label, names in lists.items()}


def _rows(table: TomlTable) -> tuple[Array, Array] | None:
    """Return G, h of the rows; None with an error if they are not legal."""
    data = table.data
    pairs = [pair for pair in (("A", "b"), ("G", "h")) if pair[0] in data or pair[1] in data]
    if len(pairs) != 1:
        table.error("rows", "needs either A and b, for A q + b > 0, or G and h, for G q <= h")
        return None
    (matrix, vector) = pairs[0]
    left, right = _numbers(data.get(matrix), 2), _numbers(data.get(vector), 1)
    if left is None or right is None or len(left) != len(right) or not len(left):
        message = f"{matrix} needs rows of finite numbers, all of one length, and {vector} one for each row"
        table.error("rows", message, matrix if left is None or not len(left) else vector)
        return None
    if not np.any(left, axis=1).all():
        row = int(np.argmin(np.any(left, axis=1))) + 1
        table.error("rows", f"row {row} of {matrix} is zero; expected another one", matrix)
        return None
    return (-left, right) if matrix == "A" else (left, right)


def _labels(table: TomlTable, count: int) -> list[str]:
    default = [str(i) for i in range(1, count + 1)]

    def fits(said: Any) -> bool:
        return is_texts(said) and all(said) and len(said) == len(set(said)) == count

    return list(table.value("rows", default, fits, f"expected {count} different names", "rows"))


def _numbers(said: object, dimension: int) -> Array | None:
    """Return numbers, or lists of numbers, as an array; None if they are anything else or not finite."""
    try:
        array = np.array(said, dtype=float)
    except (TypeError, ValueError, OverflowError):
        return None
    flat = np.array(said, dtype=object).ravel().tolist()
    plain = all(isinstance(x, int | float) and not isinstance(x, bool) for x in flat)
    return array if plain and array.ndim == dimension and bool(np.isfinite(array).all()) else None
