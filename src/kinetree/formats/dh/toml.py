"""DH tables in TOML to a `DHTable`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from math import inf, isnan
from typing import Any

from kinetree.errors import nearest_names
from kinetree.formats.dh.poses import POSE_KEYS, read_pose
from kinetree.formats.dh.rows import KEYS as ROW_KEYS
from kinetree.formats.dh.rows import MAX_ROWS, MAX_TABLES, Place, read_row
from kinetree.formats.dh.values import ANGLE_COLUMNS, LENGTH_COLUMNS, Units
from kinetree.formats.force_torque import LEGAL, force_torque_of
from kinetree.formats.places import Places, Where
from kinetree.formats.quantities import ANGLES, PER_METRE
from kinetree.formats.text import TextReport, read_toml
from kinetree.model.dh import CONVENTIONS, Convention, DHChain, DHRow, DHTable
from kinetree.model.robot import CoupledLimit, ForceTorque, Frame, Joint, Sensor

CHAIN_KEYS = ("name", "convention", "units", "on", "base", "rows", "tool", "tip", "frames")
LISTS = ("chain", "fixed", "frame", "sensor", "coupled_limit")
TOP_KEYS = ("name", "root", "convention", "units", "order", *LISTS, "groups")
POINTS = ("frame", "joint")
"""About which a force/torque sensor's moment is taken; the first where a table does not say."""


def read_table(text: str, report: TextReport) -> DHTable | None:
    """The table in a TOML text, or None where it cannot even be parsed; faults go to `report`."""
    data = read_toml(text, report)
    return None if data is None else table_of(data, report)


def table_of(data: dict[str, Any], report: TextReport) -> DHTable:
    """Return the table in the data of a TOML text; tables and rows that are None are left out."""
    return _Reader(data, report).table()


class _Reader:
    def __init__(self, data: dict[str, Any], report: TextReport) -> None:
        self.data, self.report = data, report
        self.places = Places(report.lines)
        self.units = Units({}, None, None)

    def table(self) -> DHTable:
        data = self.data
        alone = "chain" not in data
        self.known(data, (*TOP_KEYS, *CHAIN_KEYS) if alone else TOP_KEYS, None, "the file")
        self.units = self.read_units(data.get("units"), self.units, None, "the file")
        if alone:
            chain = {key: value for key, value in data.items() if key in CHAIN_KEYS and key not in ("name", "units")}
            tables: Iterable[tuple[int | None, dict[str, Any]]] = [(None, chain)]
        else:
            tables = self.tables("chain")
        chains = tuple(self.chain(table, k) for k, table in tables)
        return DHTable(
            self.text(data, "name", "robot", None),
            self.text(data, "root", "base_link", None),
            chains,
            tuple(self.frame(table, k) for k, table in self.tables("frame")),
            tuple(self.sensor(table, k) for k, table in self.tables("sensor")),
            self.groups(),
            self.order(),
            tuple(self.fixed(table, k) for k, table in self.tables("fixed")),
            tuple(self.coupled_limit(table, k) for k, table in self.tables("coupled_limit")),
            self.report.source(self.places.key("name", None)),
        )

    def tables(self, key: str) -> list[tuple[int, dict[str, Any]]]:
        """Return the tables of a name, with their numbers."""
        value = self.data.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, dict | None) for item in value):
            line = self.places.key(key, None)
            self.report.error("table", f"{key} is not a list of tables; legal is [[{key}]], once for each", line)
            return []
        if len(value) > MAX_TABLES:
            message = f"there are {len(value)} [[{key}]]; at most {MAX_TABLES} are read"
            self.report.error("size", message, self.places.start((key, MAX_TABLES)))
            return []
        return [(k, table) for k, table in enumerate(value) if table is not None]

    def chain(self, table: dict[str, Any], k: int | None) -> DHChain:
        where = None if k is None else ("chain", k)
        name = "" if k is None else self.text(table, "name", "", where)
        label = f"chain {name!r}" if name else ("the chain" if k is None else f"chain {k + 1}")
        line = self.places.key("name", where) or self.places.start(where)
        if k is not None:
            self.known(table, CHAIN_KEYS, where, label)
            if not name and len(self.data["chain"]) > 1:
                self.report.error("no-name", "needs a name, as there are several chains", line, element=label)
        if name and sum(other.get("name") == name for _, other in self.tables("chain")) > 1:
            self.report.error("duplicate-name", "there are two chains of this name", line, element=label)
        units = self.read_units(table.get("units"), self.units, where, label)
        units = self.complete(units, where, label)
        rows = table.get("rows")
        if not isinstance(rows, list):
            self.report.error("rows", "needs rows = [{ … }, …], which is missing or no list", line, element=label)
            rows = []
        if len(rows) > MAX_ROWS:
            self.report.error("size", f"has {len(rows)} rows; at most {MAX_ROWS} are read", line, element=label)
            rows = []
        return DHChain(
            name,
            self.convention(table, where, label),
            tuple(self.row(row, i, where, label, units) for i, row in enumerate(rows) if row is not None),
            self.pose(table, "base", units, where, label),
            self.pose(table, "tool", units, where, label),
            self.text(table, "on", "", where) or None,
            "base" in table,
            self.text(table, "tip", "", where) or None,
            self.flag(table, "frames", True, where),
            self.report.source(line),
        )

    def convention(self, table: dict[str, Any], where: Where, label: str) -> Convention:
        value = table.get("convention", self.data.get("convention"))
        for convention in CONVENTIONS:
            if value == convention:
                return convention
        line = self.places.key("convention", where) or self.places.key("convention", None)
        said = f"convention is {value!r}" if value is not None else "the convention is not declared"
        message = f"{said}; legal are 'dh' (standard, distal) and 'mdh' (modified, proximal)"
        self.report.error("convention", message, line, element=label)
        return "dh"

    def read_units(self, raw: object, outer: Units, where: Where, label: str) -> Units:
        """The units of the file or of a chain: a table with length, angle, or a column's name."""
        if raw is None:
            return outer
        line = self.places.key("units", where)
        if not isinstance(raw, dict):
            message = f'units is {raw!r}; legal is {{ length = "mm", angle = "deg" }}, or one for each column'
            self.report.error("unit", message, line, element=label)
            return outer
        length, angle, columns = outer.length, outer.angle, dict(outer.columns)
        lengths, angles = ("length", *LENGTH_COLUMNS), ("angle", *ANGLE_COLUMNS)
        for key, unit in raw.items():
            legal = PER_METRE if key in lengths else ANGLES if key in angles else None
            if legal is None:
                near = nearest_names(key, [*lengths, *angles])
                self.report.error("unit", f"units has {key!r}, which is no column; {near}", line, element=label)
            elif not isinstance(unit, str) or unit not in legal:
                message = f"the unit of {key} is {unit!r}; legal are {', '.join(legal)}"
                self.report.error("unit", message, line, element=label)
            elif key == "length":
                length = str(unit)
                columns |= {column: str(unit) for column in LENGTH_COLUMNS if column not in raw}
            elif key == "angle":
                angle = str(unit)
                columns |= {column: str(unit) for column in ANGLE_COLUMNS if column not in raw}
            else:
                columns[key] = unit
        return Units(columns, length, angle)

    def complete(self, units: Units, where: Where, label: str) -> Units:
        """The same units, with one for every column; where a and d, or alpha and theta, share a unit it is that of
        other lengths and angles as well."""
        missing = [c for c in (*LENGTH_COLUMNS, *ANGLE_COLUMNS) if c not in units.columns]
        if missing:
            line = self.places.key("units", where) or self.places.key("units", None) or self.places.start(where)
            message = f"the unit of {', '.join(missing)} is not declared; nothing is guessed"
            fix = 'write units = { length = "mm", angle = "deg" }, or a unit for each column'
            self.report.error("unit", message, line, element=label, fix=fix)
        columns = {"a": "m", "d": "m", "alpha": "rad", "theta": "rad"} | dict(units.columns)
        length = units.length or (columns["a"] if columns["a"] == columns["d"] else None)
        angle = units.angle or (columns["alpha"] if columns["alpha"] == columns["theta"] else None)
        return Units(columns, length, angle)

    def row(self, raw: object, i: int, where: Where, label: str, units: Units) -> DHRow:
        line = self.places.row(where, i)
        joint = raw.get("joint") if isinstance(raw, dict) else None
        element = f"row {i + 1} of {label}" + (f", joint {joint!r}" if joint else "")
        if not isinstance(raw, dict):
            message = f"is {raw!r}; legal is {{ joint = …, a = …, d = …, alpha = …, theta = … }}"
            self.report.error("rows", message, line, element=element)
            return DHRow(type="fixed")
        known = (*ROW_KEYS, "link_frame")
        self.known_in(raw, known, line, element)
        cells = {key: value for key, value in raw.items() if key in ROW_KEYS}
        row = read_row(cells, units, self.report, Place(line, element))
        if "link_frame" in raw:
            row = replace(row, link_frame=read_pose(raw["link_frame"], units, self.report, Place(line, element)))
        return row

    # everything else

    def frame(self, table: dict[str, Any], k: int) -> Frame:
        where = ("frame", k)
        name, label = self.text(table, "name", "", where), f"frame {k + 1}"
        self.known(table, ("name", "on", *POSE_KEYS), where, label)
        line = self.places.start(where)
        on = self.text(table, "on", self.text(self.data, "root", "base_link", None), where)
        return Frame(name, on, self.own_pose(table, line, label), self.report.source(line))

    def fixed(self, table: dict[str, Any], k: int) -> Joint:
        where = ("fixed", k)
        self.known(table, ("joint", "on", "link", *POSE_KEYS), where, label := f"fixed joint {k + 1}")
        line = self.places.start(where)
        for key in ("joint", "on", "link"):
            if key not in table:
                self.report.error("missing-key", f"needs {key} = …, which is missing", line, element=label)
        name, on, link = (self.text(table, key, "", where) for key in ("joint", "on", "link"))
        return Joint(name, "fixed", on, link, self.own_pose(table, line, label), source=self.report.source(line))

    def coupled_limit(self, table: dict[str, Any], k: int) -> CoupledLimit:
        where = ("coupled_limit", k)
        label, line = f"coupled limit {k + 1}", self.places.start(where)
        self.known(table, ("name", "coefficients", "lower", "upper"), where, label)
        terms, ends = table.get("coefficients"), (table.get("lower", -inf), table.get("upper", inf))
        numbers = [*terms.values(), *ends] if isinstance(terms, dict) and terms else [None]
        if not all(isinstance(x, int | float) and not isinstance(x, bool) and not isnan(x) for x in numbers):
            message = "needs coefficients = { joint = number, … }; lower and upper are numbers, in radians and metres"
            self.report.error("coupled-limit", message, line, element=label)
            return CoupledLimit("", {})
        coefficients = {joint: float(x) for joint, x in (terms or {}).items()}
        name = self.text(table, "name", "", where) or f"limit_{k + 1}"
        return CoupledLimit(name, coefficients, float(ends[0]), float(ends[1]), self.report.source(line))

    def sensor(self, table: dict[str, Any], k: int) -> Sensor:
        where = ("sensor", k)
        name, label = self.text(table, "name", "", where), f"sensor {k + 1}"
        self.known(table, ("name", "type", "frame", "joint", "force_torque", *POSE_KEYS), where, label)
        line = self.places.start(where)
        for key in ("type", "frame"):
            if key not in table:
                self.report.error("missing-key", f"needs {key} = …, which is missing", line, element=label)
        return Sensor(
            name,
            self.text(table, "type", "", where),
            self.text(table, "frame", "", where),
            self.own_pose(table, line, label),
            self.text(table, "joint", "", where) or None,
            force_torque=self.force_torque(table, where, label),
            source=self.report.source(line),
        )

    def force_torque(self, table: dict[str, Any], where: Where, label: str) -> ForceTorque | None:
        """What a force/torque sensor reads, in SDF's words; and about which point."""
        said = table.get("force_torque")
        if said is None:
            return None
        words = LEGAL | {"point": POINTS}
        fine = isinstance(said, dict) and set(LEGAL) <= set(said) <= set(words)
        if not fine or any(word not in words[key] for key, word in said.items()):
            legal = ", ".join(f"{key} = {' | '.join(map(repr, legal))}" for key, legal in words.items())
            message = f"force_torque is {said!r}; legal is {{ {legal} }}, the last by default {POINTS[0]!r}"
            self.report.error("force-torque", message, self.places.key("force_torque", where), element=label)
            return None
        return force_torque_of(said, said.get("point", POINTS[0]))

    def own_pose(self, table: dict[str, Any], line: int | None, label: str) -> Any:
        """The pose that a table says by its own keys, in the file's units of length and angle."""
        pose = {key: table[key] for key in POSE_KEYS if key in table}
        return read_pose(pose, self.outer_units(), self.report, Place(line, label))

    def outer_units(self) -> Units:
        columns = self.units.columns
        length = self.units.length or (columns.get("a") if columns.get("a") == columns.get("d") else None)
        angle = self.units.angle or (columns.get("alpha") if columns.get("alpha") == columns.get("theta") else None)
        return Units(columns, length, angle)

    def groups(self) -> dict[str, tuple[str, ...]]:
        raw = self.data.get("groups", {})
        fine = isinstance(raw, dict) and all(
            isinstance(names, list) and all(isinstance(name, str) for name in names) for names in raw.values()
        )
        if not fine:
            line = self.places.key("groups", None)
            self.report.error("groups", "groups is not a table of lists of joint names", line)
            return {}
        return {group: tuple(names) for group, names in raw.items()}

    def order(self) -> tuple[str, ...]:
        raw = self.data.get("order", [])
        if isinstance(raw, list) and all(isinstance(name, str) for name in raw):
            return tuple(raw)
        self.report.error("order", "order is no list of joint names", self.places.key("order", None))
        return ()

    def pose(self, table: dict[str, Any], key: str, units: Units, where: Where, label: str) -> Any:
        place = Place(self.places.key(key, where), f"{key} of {label}")
        return read_pose(table.get(key, {}), units, self.report, place)

    def text(self, table: Mapping[str, Any], key: str, default: str, where: Where) -> str:
        value = table.get(key, default)
        if isinstance(value, str):
            return value
        self.report.error("text", f"{key} is {value!r}; legal is a text", self.places.key(key, where))
        return default

    def flag(self, table: Mapping[str, Any], key: str, default: bool, where: Where) -> bool:
        value = table.get(key, default)
        if isinstance(value, bool):
            return value
        self.report.error("flag", f"{key} is {value!r}; legal are true and false", self.places.key(key, where))
        return default

    def known(self, table: Mapping[str, Any], legal: Collection[str], where: Where, label: str) -> None:
        for key in table:
            if key not in legal:
                self.unknown(key, legal, self.places.key(key, where) or self.places.start(where), label)

    def known_in(self, table: Mapping[str, Any], legal: Collection[str], line: int | None, label: str) -> None:
        for key in table:
            if key not in legal:
                self.unknown(key, legal, line, label)

    def unknown(self, key: str, legal: Collection[str], line: int | None, label: str) -> None:
        if self.report.full:  # to look for the nearest names takes a while
            return
        message = f"has {key!r}, which means nothing here; {nearest_names(key, sorted(set(legal)))}"
        self.report.error("unknown-key", message, line, bad=key, element=label)
