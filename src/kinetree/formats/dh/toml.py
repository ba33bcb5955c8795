"""DH tables in TOML to a `DHTable`."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from math import inf, isnan
from typing import Any

from kinetree.errors import nearest_names
from kinetree.formats.dh.rows import (
    MAX_ROWS,
    MAX_TABLES,
    POSE_KEYS,
    ROW_KEYS,
    Place,
    finite_numbers,
    read_pose,
    read_row,
)
from kinetree.formats.dh.toolbox import OF_TOOLBOX, in_our_words, with_inertial
from kinetree.formats.dh.values import ANGLE_COLUMNS, LENGTH_COLUMNS, Units
from kinetree.formats.force_torque import LEGAL, force_torque_of
from kinetree.model.dh import BOTH, CONVENTIONS, USES, Convention, DHChain, DHRow, DHShape, DHTable
from kinetree.model.robot import CoupledLimit, ForceTorque, Frame, Inertial, Joint, Link, Sensor
from kinetree.spatial.se3 import frozen
from kinetree.syntax.numbers import ANGLES, PER_METRE
from kinetree.syntax.text import TextReport, read_toml
from kinetree.syntax.toml import Places, TomlTable, Where, is_text, is_texts, shown

CHAIN_KEYS = ("name", "convention", "units", "on", "base", "rows", "tool", "tip", "frames")
LISTS = ("chain", "fixed", "inertial", "frame", "sensor", "coupled_limit")
TOP_KEYS = ("name", "root", "convention", "units", "order", *LISTS, "groups", "shapes")
SHAPES = ("capsule", "cylinder")
SHAPE = (
    "{ on = frame, radius = …, to = frame or [x, y, z], from = [x, y, z], type = 'capsule' | 'cylinder', "
    "use = 'visual' | 'collision' | 'both' }"
)
POINTS = ("frame", "joint")
"""Points about which a force/torque sensor's moment is taken; the first is the default."""


def read_table(text: str, report: TextReport) -> DHTable | None:
    """Return the table in a TOML text, or None if it cannot be parsed; faults go to the report."""
    data = read_toml(text, report)
    return None if data is None else table_of(data, report)


def table_of(data: dict[str, Any], report: TextReport) -> DHTable:
    """Return the table in the data of a TOML text; tables and rows that are None are left out."""
    return _Reader(TomlTable(data, report, Places(report.lines))).table()


class _Reader:
    def __init__(self, file: TomlTable) -> None:
        self.file, self.report, self.places = file, file.report, file.places
        self.units = Units({}, None, None)
        self.chains: list[TomlTable] = []

    def table(self) -> DHTable:
        file, data = self.file, self.file.data
        alone = "chain" not in data
        _check_keys(file, (*TOP_KEYS, *CHAIN_KEYS) if alone else TOP_KEYS, "the file")
        self.units = self.read_units(file, self.units, "the file")
        if alone:
            own = {key: value for key, value in data.items() if key in CHAIN_KEYS and key not in ("name", "units")}
            self.chains = [replace(file, data=own)]
        else:
            self.chains = self.tables("chain")
        chains = tuple(map(self.chain, self.chains))
        return DHTable(
            _text(file, "name", "robot"),
            _text(file, "root", "base_link"),
            chains,
            tuple(map(self.frame, self.tables("frame"))),
            tuple(map(self.sensor, self.tables("sensor"))),
            self.groups(),
            tuple(file.value("order", [], is_texts, "", "order", "{} is not a list of joint names")),
            tuple(map(self.fixed, self.tables("fixed"))),
            tuple(map(self.coupled_limit, self.tables("coupled_limit"))),
            self.shapes(),
            tuple(map(self.inertial, self.tables("inertial"))),
            self.report.source(self.places.key("name", None)),
        )

    def tables(self, key: str) -> list[TomlTable]:
        value = self.file.data.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, dict | None) for item in value):
            self.file.error("table", f"{key} is not a list of tables; expected [[{key}]], once for each", key)
            return []
        if len(value) > MAX_TABLES:
            message = f"there are {len(value)} [[{key}]]; at most {MAX_TABLES} are read"
            self.report.error("size", message, self.places.start((key, MAX_TABLES)))
            return []
        return [self.file.inner(key, k, item) for k, item in enumerate(value) if item is not None]

    def chain(self, table: TomlTable) -> DHChain:
        alone, data = table.where is None, table.data
        name = "" if alone else _text(table, "name", "")
        label = f"chain {name!r}" if name else ("the chain" if alone else f"chain {table.number}")
        line = self.places.key("name", table.where) or self.places.start(table.where)
        if not alone:
            _check_keys(table, CHAIN_KEYS, label)
            if not name and len(self.chains) > 1:
                self.report.error("no-name", "needs a name, as there are several chains", line, element=label)
        if name and sum(other.data.get("name") == name for other in self.chains) > 1:
            self.report.error("duplicate-name", "there are two chains of this name", line, element=label)
        units = self.complete(self.read_units(table, self.units, label), table, label)
        rows = data.get("rows")
        if not isinstance(rows, list):
            self.report.error("rows", "needs rows = [{ … }, …], which is missing or no list", line, element=label)
            rows = []
        if len(rows) > MAX_ROWS:
            self.report.error("size", f"has {len(rows)} rows; at most {MAX_ROWS} are read", line, element=label)
            rows = []
        return DHChain(
            name,
            self.convention(table, label),
            tuple(self.row(row, i, table.where, label, units) for i, row in enumerate(rows) if row is not None),
            self.pose(table, "base", units, label),
            self.pose(table, "tool", units, label),
            _text(table, "on", "") or None,
            "base" in data,
            _text(table, "tip", "") or None,
            table.value("frames", True, lambda said: isinstance(said, bool), "expected true or false", "flag"),
            self.report.source(line),
        )

    def convention(self, table: TomlTable, label: str) -> Convention:
        value = table.data.get("convention", self.file.data.get("convention"))
        for convention in CONVENTIONS:
            if value == convention:
                return convention
        line = self.places.key("convention", table.where) or self.places.key("convention", None)
        said = f"convention is {value!r}" if value is not None else "the convention is not declared"
        message = f"{said}; expected 'dh' (standard, distal) or 'mdh' (modified, proximal)"
        self.report.error("convention", message, line, element=label)
        return "dh"

    def read_units(self, table: TomlTable, outer: Units, label: str) -> Units:
        """Return the units of the file or of a chain, from a table with length, angle, or a column's name."""
        raw = table.data.get("units")
        if raw is None:
            return outer
        place = Place(self.report, self.places.key("units", table.where), label)
        if not isinstance(raw, dict):
            form = '{ length = "mm", angle = "deg" }, or one for each column'
            place.error("unit", f"units is {raw!r}; expected {form}")
            return outer
        shared, columns = {"length": outer.length, "angle": outer.angle}, dict(outer.columns)
        lengths, angles = ("length", *LENGTH_COLUMNS), ("angle", *ANGLE_COLUMNS)
        for key, unit in raw.items():
            legal = PER_METRE if key in lengths else ANGLES if key in angles else None
            if legal is None:
                near = nearest_names(key, [*lengths, *angles])
                place.error("unit", f"units has {key!r}, which is not a column; {near}")
            elif not isinstance(unit, str) or unit not in legal:
                place.error("unit", f"the unit of {key} is {unit!r}; expected {', '.join(legal)}")
            elif key in ("length", "angle"):
                alone = LENGTH_COLUMNS if key == "length" else ANGLE_COLUMNS
                columns |= dict.fromkeys((column for column in alone if column not in raw), unit)
                shared[key] = unit
            else:
                columns[key] = unit
        return Units(columns, shared["length"], shared["angle"])

    def complete(self, units: Units, table: TomlTable, label: str) -> Units:
        missing = [c for c in (*LENGTH_COLUMNS, *ANGLE_COLUMNS) if c not in units.columns]
        if missing:
            where = table.where
            line = self.places.key("units", where) or self.places.key("units", None) or self.places.start(where)
            message = f"the unit of {', '.join(missing)} is not declared"
            fix = 'write units = { length = "mm", angle = "deg" }, or a unit for each column'
            self.report.error("unit", message, line, element=label, fix=fix)
        columns = {"a": "m", "d": "m", "alpha": "rad", "theta": "rad"} | dict(units.columns)
        return replace(units, columns=columns).of_all()

    def row(self, raw: object, i: int, where: Where, label: str, units: Units) -> DHRow:
        line = self.places.row(where, i)
        joint = raw.get("joint") if isinstance(raw, dict) else None
        element = f"row {i + 1} of {label}" + (f", joint {joint!r}" if joint else "")
        if not isinstance(raw, dict):
            message = f"is {raw!r}; expected {{ joint = …, a = …, d = …, alpha = …, theta = … }}"
            self.report.error("rows", message, line, element=element)
            return DHRow(type="fixed")
        place = Place(self.report, line, element)
        legal = sorted((*ROW_KEYS, *OF_TOOLBOX, "link_frame"), key=str.lower)
        TomlTable(raw, self.report, self.places, at=line).check_keys(legal, element=element)
        cells, place = in_our_words(raw, place)
        row = read_row({key: value for key, value in cells.items() if key in ROW_KEYS}, units, place)
        row = with_inertial(row, cells, units, place)
        return replace(row, link_frame=read_pose(raw["link_frame"], units, place)) if "link_frame" in raw else row

    # everything else

    def frame(self, table: TomlTable) -> Frame:
        name, label = _text(table, "name", ""), f"frame {table.number}"
        _check_keys(table, ("name", "on", "unplaced", *POSE_KEYS), label)
        on = _text(table, "on", str(self.file.data.get("root", "base_link")))
        return Frame(name, on, self.own_pose(table, label), table.source, _text(table, "unplaced", ""))

    def fixed(self, table: TomlTable) -> Joint:
        _check_keys(table, ("joint", "on", "link", *POSE_KEYS), label := f"fixed joint {table.number}")
        _check_needed(table, ("joint", "on", "link"), label)
        name, on, link = (_text(table, key, "") for key in ("joint", "on", "link"))
        return Joint(name, "fixed", on, link, self.own_pose(table, label), source=table.source)

    def inertial(self, table: TomlTable) -> Link:
        """Return a link with its mass, the pose of its centre, and its inertia there in the axes of this pose."""
        _check_keys(table, ("on", "mass", "inertia", *POSE_KEYS), label := f"inertial {table.number}")
        _check_needed(table, ("on", "mass"), label)
        (mass,) = _numbers(table, "mass", 1, "a number, in kg", label)
        xx, xy, xz, yy, yz, zz = _numbers(table, "inertia", 6, "[ixx, ixy, ixz, iyy, iyz, izz], in kg m²", label)
        tensor = frozen(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))
        return Link(_text(table, "on", ""), Inertial(mass, tensor, self.own_pose(table, label)), source=table.source)

    def coupled_limit(self, table: TomlTable) -> CoupledLimit:
        label, data = f"coupled limit {table.number}", table.data
        _check_keys(table, ("name", "coefficients", "lower", "upper"), label)
        terms, ends = data.get("coefficients"), (data.get("lower", -inf), data.get("upper", inf))
        numbers = [*terms.values(), *ends] if isinstance(terms, dict) and terms else [None]
        if not all(isinstance(x, int | float) and not isinstance(x, bool) and not isnan(x) for x in numbers):
            message = "needs coefficients = { joint = number, … }; lower and upper are numbers, in radians and metres"
            table.error("coupled-limit", message, element=label)
            return CoupledLimit("", {})
        coefficients = {joint: float(x) for joint, x in (terms or {}).items()}
        name = _text(table, "name", "") or f"limit_{table.number}"
        return CoupledLimit(name, coefficients, float(ends[0]), float(ends[1]), table.source)

    def shapes(self) -> tuple[DHShape, ...]:
        """Return the shapes of the table [shapes], whose rows are its only key."""
        raw = self.file.value(
            "shapes", {}, lambda said: isinstance(said, dict), "expected [shapes] with rows = […]", "shape"
        )
        rows = raw.get("rows", [])
        table = self.file.inner("shapes", 0, raw, "shapes")
        table.check_keys(("rows",))
        if not isinstance(rows, list) or len(rows) > MAX_TABLES:
            table.error("rows", f"rows is not a list of at most {MAX_TABLES} shapes", "rows")
            rows = []
        shapes = (self.shape(row, i) for i, row in enumerate(rows) if row is not None)
        return tuple(shape for shape in shapes if shape)

    def shape(self, raw: object, i: int) -> DHShape | None:
        where = ("shapes", 0)
        place = Place(self.report, self.places.row(where, i), f"shape {i + 1}")
        data = raw if isinstance(raw, dict) else {}
        on, radius, end, kind = (data.get(key) for key in ("on", "radius", "to", "type"))
        use = data.get("use", USES[0])
        size = isinstance(radius, int | float) and not isinstance(radius, bool) and 0 < radius < inf
        known = kind in (None, *SHAPES) and use in (*USES, BOTH)
        known = known and data.keys() <= {"on", "radius", "from", "to", "type", "use"}
        if not (known and is_text(on) and size and isinstance(end, str | list | None)):
            place.error("shape", f"is {shown(raw)}; expected {SHAPE}", fix="sizes are numbers above 0")
            return None
        units = self.units.of_all()
        start = read_pose({"xyz": data.get("from", [0, 0, 0])}, units, place)[:3, 3]
        if isinstance(end, list):
            end = read_pose({"xyz": end}, units, place)[:3, 3]
        thick = read_pose({"xyz": [radius, 0, 0]}, units, place)[0, 3]
        return DHShape(str(on), float(thick), start, end, kind != "cylinder", use, self.report.source(place.line))

    def sensor(self, table: TomlTable) -> Sensor:
        name, label = _text(table, "name", ""), f"sensor {table.number}"
        _check_keys(table, ("name", "type", "frame", "joint", "force_torque", *POSE_KEYS), label)
        _check_needed(table, ("type", "frame"), label)
        return Sensor(
            name,
            _text(table, "type", ""),
            _text(table, "frame", ""),
            self.own_pose(table, label),
            _text(table, "joint", "") or None,
            force_torque=self.force_torque(table, label),
            source=table.source,
        )

    def force_torque(self, table: TomlTable, label: str) -> ForceTorque | None:
        """Return what a force/torque sensor reads, in SDF's words, and about which point."""
        said = table.data.get("force_torque")
        if said is None:
            return None
        words = LEGAL | {"point": POINTS}
        fine = isinstance(said, dict) and set(LEGAL) <= set(said) <= set(words)
        if not fine or any(word not in words[key] for key, word in said.items()):
            legal = ", ".join(f"{key} = {' | '.join(map(repr, legal))}" for key, legal in words.items())
            message = f"force_torque is {said!r}; expected {{ {legal} }}, the last by default {POINTS[0]!r}"
            table.error("force-torque", message, "force_torque", element=label)
            return None
        return force_torque_of(said, said.get("point", POINTS[0]))

    def own_pose(self, table: TomlTable, label: str) -> Any:
        """Return the pose in a table's own keys, in the file's units of length and angle."""
        pose = {key: table.data[key] for key in POSE_KEYS if key in table.data}
        return read_pose(pose, self.units.of_all(), Place(self.report, table.line(), label))

    def groups(self) -> dict[str, tuple[str, ...]]:
        def fits(raw: Any) -> bool:
            return isinstance(raw, dict) and all(map(is_texts, raw.values()))

        raw = self.file.value("groups", {}, fits, "", "groups", "{} is not a table of lists of joint names")
        return {group: tuple(names) for group, names in raw.items()}

    def pose(self, table: TomlTable, key: str, units: Units, label: str) -> Any:
        place = Place(self.report, self.places.key(key, table.where), f"{key} of {label}")
        return read_pose(table.data.get(key, {}), units, place)


def _text(table: TomlTable, key: str, default: str) -> str:
    return str(table.value(key, default, is_text, "expected a text", "text"))


def _numbers(table: TomlTable, key: str, count: int, legal: str, label: str) -> list[float]:
    """Return the numbers of a key, a list if they are several; zeros if it is missing."""
    said = table.data.get(key, [0.0] * count if count > 1 else 0.0)
    values = finite_numbers(said if count > 1 else [said], count)
    if values is None:
        table.error("number", f"{key} is {shown(said)}; expected {legal}", key, element=label)
    return values or [0.0] * count


def _check_keys(table: TomlTable, legal: Collection[str], label: str) -> None:
    table.check_keys(sorted(set(legal)), element=label)


def _check_needed(table: TomlTable, keys: Sequence[str], label: str) -> None:
    for key in keys:
        if key not in table.data:
            table.error("missing-key", f"needs {key} = …, which is missing", element=label)
