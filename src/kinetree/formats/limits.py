"""Sets of linear limits in TOML: rows `A q + b > 0`, or `G q <= h`, over joints by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from kinetree.errors import Finding
from kinetree.formats.places import Places
from kinetree.formats.quantities import ANGLES, to_si
from kinetree.formats.text import TextReport, decode, read_toml
from kinetree.model.limits import LinearLimits
from kinetree.spatial.se3 import Array, frozen

KEYS = ("name", "unit", "joints", "A", "b", "G", "h", "rows", "box")
UNITS = (*ANGLES, "si")


def read(text: bytes | str, file: str) -> tuple[tuple[LinearLimits, ...], list[Finding]]:
    """The sets in a text, one for each list of joints, and all findings. Never raises on content."""
    decoded, findings = decode(text, file)
    if findings:
        return (), findings
    report = TextReport(file, decoded)
    data = read_toml(decoded, report)
    return () if data is None else _Reader(data, report).sets(), report.findings


class _Reader:
    def __init__(self, data: dict[str, Any], report: TextReport) -> None:
        self.data, self.report = data, report
        self.places = Places(report.lines)

    def sets(self) -> tuple[LinearLimits, ...]:
        tables = self.data.get("limits")
        for key in self.data:
            if key != "limits":
                self.report.error(
                    "unknown-key", f"{key!r} means nothing here; legal are [[limits]]", self.at(key, None)
                )
        if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
            self.report.error("limits", "there are no [[limits]], of which a file of limits consists", 1)
            return ()
        found = tuple(s for k, table in enumerate(tables) for s in self.set(table, k))
        return found if not self.report.failed else ()

    def set(self, table: Mapping[str, Any], k: int) -> list[LinearLimits]:
        """The sets of one table: one for its joints, or one for each list of joints."""
        name = table.get("name", f"limits {k + 1}")
        if not isinstance(name, str) or not name:
            self.error("name", f"name is {name!r}; legal is a text", "name", k, f"limits {k + 1}")
            name = f"limits {k + 1}"
        for key in table:
            if key not in KEYS:
                self.error("unknown-key", f"has {key!r}; legal are {', '.join(KEYS)}", key, k, name)
        joints = self.joints(table.get("joints"), k, name)
        unit = table.get("unit")
        if unit not in UNITS:
            said = "the unit is not declared" if unit is None else f"unit is {unit!r}"
            self.error("unit", f"{said}; legal are {', '.join(map(repr, UNITS))}", "unit", k, name)
            unit = "rad"
        rows = self.rows(table, k, name)
        box = table.get("box", False)
        if not isinstance(box, bool) or (box and rows and np.any(np.count_nonzero(rows[0], axis=1) > 1)):
            message = f"box is {box!r}; legal are false, and true where every row is about one joint"
            self.error("box", message, "box", k, name)
        if rows is None or not joints:
            return []
        G, h = rows
        for names in joints.values():
            if len(names) != G.shape[1]:
                message = f"has {G.shape[1]} columns for {len(names)} joints: {', '.join(names)}"
                self.error("count", message, "joints", k, name)
        bounds = h if unit == "si" else np.array([to_si(float(x), unit) for x in h])
        labels = self.labels(table, len(h), k, name)
        return [
            LinearLimits(
                name if label == "" else f"{label} {name}",
                names,
                frozen(G),
                frozen(bounds),
                tuple(f"{label} {name} {row}".strip() for row in labels),
                unit != "si",
                table.get("box") is True,
                "A" in table,
                self.report.source(self.places.start(("limits", k))),
            )
            for label, names in joints.items()
        ]

    def joints(self, said: object, k: int, name: str) -> dict[str, tuple[str, ...]]:
        """{label: names}: one list without a label, or several in a table."""
        lists: dict[Any, Any] = said if isinstance(said, dict) and said else {"": said}
        for names in lists.values():
            fine = isinstance(names, list) and names and all(isinstance(joint, str) for joint in names)
            if not fine or len(set(names)) != len(names):
                message = f"joints is {said!r}; legal is a list of different names, or a table of such lists"
                self.error("joints", message, "joints", k, name)
                return {}
        return {str(label): tuple(names) for label, names in lists.items()}

    def rows(self, table: Mapping[str, Any], k: int, name: str) -> tuple[Array, Array] | None:
        """G, h of the rows, as the table says them."""
        pairs = [pair for pair in (("A", "b"), ("G", "h")) if pair[0] in table or pair[1] in table]
        if len(pairs) != 1:
            self.error("rows", "needs either A and b, for A q + b > 0, or G and h, for G q <= h", None, k, name)
            return None
        left, right = (_numbers(table.get(key), dimension) for key, dimension in zip(pairs[0], (2, 1), strict=True))
        if left is None or right is None or len(left) != len(right) or not len(left):
            message = (
                f"{pairs[0][0]} needs rows of finite numbers, all of one length, and {pairs[0][1]} one for each row"
            )
            wrong = pairs[0][0] if left is None or not len(left) else pairs[0][1]
            self.error("rows", message, wrong if wrong in table else None, k, name)
            return None
        if not np.any(left, axis=1).all():
            row = int(np.argmin(np.any(left, axis=1))) + 1
            self.error("rows", f"row {row} of {pairs[0][0]} is zero; legal is any other", pairs[0][0], k, name)
            return None
        return (-left, right) if pairs[0] == ("A", "b") else (left, right)

    def labels(self, table: Mapping[str, Any], count: int, k: int, name: str) -> list[str]:
        said = table.get("rows", [str(i) for i in range(1, count + 1)])
        texts = isinstance(said, list) and all(isinstance(row, str) and row for row in said)
        if not texts or len(said) != count or len(set(said)) != count:
            self.error("rows", f"rows is {said!r}; legal are {count} different names", "rows", k, name)
            return [str(i) for i in range(1, count + 1)]
        return list(said)

    def error(self, code: str, message: str, key: str | None, k: int, name: str) -> None:
        where = ("limits", k)
        line = self.at(key, where) if key else self.places.start(where)
        self.report.error(code, message, line, element=f"limits {name!r}")

    def at(self, key: str, where: tuple[str, int] | None) -> int | None:
        return self.places.key(key, where) or self.places.start(where)


def _numbers(said: object, dimension: int) -> Array | None:
    """A list of numbers, or of such lists, as an array; None if it is anything else, or not finite."""
    try:
        array = np.array(said, dtype=float)
    except (TypeError, ValueError, OverflowError):
        return None
    flat = np.array(said, dtype=object).ravel().tolist()
    plain = all(isinstance(x, int | float) and not isinstance(x, bool) for x in flat)
    return array if plain and array.ndim == dimension and bool(np.isfinite(array).all()) else None
