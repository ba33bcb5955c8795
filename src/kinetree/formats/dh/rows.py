"""One row or constant pose of a DH table, from its cells: the same for TOML and CSV."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, pi
from typing import Any

import numpy as np

from kinetree.errors import nearest_names
from kinetree.formats.dh.values import NUMBER_HINT, Cell, Units, parse_cell
from kinetree.model.dh import ROW_TYPES, DHRow
from kinetree.model.robot import RATES, Dynamics, Limit, Mimic
from kinetree.spatial import se3
from kinetree.spatial.numbers import EXACT, ROUNDED, judged, pose_fault
from kinetree.spatial.se3 import Array, frozen
from kinetree.syntax.numbers import to_si
from kinetree.syntax.text import TextReport
from kinetree.syntax.toml import shown

MAX_ROWS = 1000
MAX_TABLES = 1000
"""Most chains of a file, and most tables of every other kind."""
PARAMETERS = ("a", "d", "alpha", "theta")
DYNAMICS = ("armature", "damping", "friction", "stiffness", "reference")
"""Fields of `Dynamics`, in SI units; the reference in the unit of the joint's variable."""
OF_JOINTS = ("flip", "limits", "velocity", "effort", *RATES, *DYNAMICS, "mimic", "link")
ROW_KEYS = (*PARAMETERS, "offset", "joint", "type", *OF_JOINTS, "frame")


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a row or a pose, its name in messages, and the key under which its limits stand."""

    report: TextReport
    line: int | None
    element: str
    limits: str = "limits"

    def error(self, code: str, message: str, bad: object = None, fix: str | None = None) -> None:
        """Note a fault at this place; bad: the part to underline."""
        text = None if bad is None else str(bad)
        self.report.error(code, message, self.line, bad=text, element=self.element, fix=fix)


def read_row(cells: Mapping[str, Any], units: Units, place: Place) -> DHRow:
    """Return the row of these cells; faults go to the report. The cells have only keys of ROW_KEYS."""
    return _Row(cells, units, place).read()


class _Row:
    def __init__(self, cells: Mapping[str, Any], units: Units, place: Place) -> None:
        self.cells, self.units, self.place, self.error = cells, units, place, place.error
        self.type = "revolute"

    def read(self) -> DHRow:
        self.type = self.text("type") or "revolute"
        if self.type not in ROW_TYPES:
            self.error(
                "row-type", f"type {shown(self.type)} is not legal; {nearest_names(self.type, ROW_TYPES)}", self.type
            )
            self.type = "revolute"
        cells = {parameter: self.cell(parameter) for parameter in PARAMETERS}
        si = {parameter: to_si(cell.value, self.units.columns[parameter]) for parameter, cell in cells.items()}
        variable = "d" if self.type == "prismatic" else "theta"
        offset = self.cell("offset", variable) if "offset" in self.cells else Cell(0.0)
        if offset.range:
            self.error("range", f"offset contains a range; it belongs to {variable}", self.cells["offset"])
        si[variable] += to_si(offset.value, self.units.columns[variable])
        limits = self.limits(cells, variable)
        joint = self.text("joint")
        if self.type == "fixed" and joint:
            self.error(
                "row-type", f"a fixed row has no joint; here it is {shown(joint)}", joint, "leave out joint or type"
            )
        for key in ("offset", *OF_JOINTS) if self.type == "fixed" else ():
            if key in self.cells:
                self.error("row-type", f"a fixed row cannot have {key}; it has no joint", key)
        return DHRow(
            si["a"],
            si["d"],
            si["alpha"],
            si["theta"],
            self.type,
            joint=joint,
            flip=self.flag("flip"),
            limits=limits,
            dynamics=self.dynamics(variable),
            mimic=self.mimic(variable),
            link=self.text("link"),
            frame=self.text("frame") or None,
            source=self.place.report.source(self.place.line),
        )

    def cell(self, key: str, column: str | None = None) -> Cell:
        column = column or key
        if key not in self.cells:
            self.error("missing-parameter", f"needs {key}, which is missing; write zeros too")
            return Cell(0.0)
        raw = self.cells[key]
        cell = parse_cell(raw)
        if cell is None:
            self.error("number", f"{key} is {shown(raw)}; expected {NUMBER_HINT}", raw)
            return Cell(0.0)
        unit = self.units.columns.get(column, "")
        if unit == "rad" and abs(cell.value) > 2 * pi and not self.place.report.failed:  # errors of units come first
            message = f"{key} is {shown(raw)} rad, more than a turn; is it in degrees?"
            self.place.report.warning("unit", message, self.place.line, bad=str(raw), element=self.place.element)
        if cell.with_pi and unit != "rad":
            has = f"but its unit is {unit}; pi goes with radians only" if unit else "but pi goes with angles only"
            self.error("unit", f"{key} is {shown(raw)}, {has}", raw)
        return cell

    def limits(self, cells: Mapping[str, Cell], variable: str) -> tuple[Limit, ...]:
        unit = self.units.columns[variable]
        given = []
        for key, cell in cells.items():
            if cell.range and (key != variable or self.type == "fixed"):
                meant = "no column" if self.type == "fixed" else variable
                message = f"{key} contains a range, but in a {self.type} row {meant} is the variable"
                self.error("range", message, self.cells[key])
            elif cell.range:
                given.append(cell.range)
        if "limits" in self.cells:
            given.append(self.pair(self.cells["limits"], unit))
        if len(given) > 1:
            self.error(
                "limits-twice", f"has limits twice: as a range in {variable} and as {self.place.limits}; expected one"
            )
        low, high = given[0] if given else (-inf, inf)
        velocity, effort = self.not_negative("velocity"), self.not_negative("effort")
        rates = {name: self.not_negative(name) for name in RATES}
        if "deceleration" not in self.cells:
            rates["deceleration"] = rates["acceleration"]
        if not given and velocity == effort == inf == min(rates.values()):
            return ()
        if self.type == "continuous" and given:
            self.error("limits", "a continuous joint has no position limits", fix='say type = "revolute"')
        low, high, velocity = (self.bound(value, unit) for value in (low, high, velocity))
        return (Limit(low, high, velocity, effort, **{k: self.bound(v, unit) for k, v in rates.items()}),)

    def bound(self, value: float, unit: str) -> float:
        return value if abs(value) == inf else to_si(value, unit)

    def pair(self, raw: object, unit: str) -> tuple[float, float]:
        """Return the ends of [lower, upper], numbers or multiples of pi, or of a range."""
        ends: list[Cell | None] = []
        if isinstance(raw, str) and (cell := parse_cell(raw)) and cell.range and cell.value == 0.0:
            ends = [Cell(end, None, cell.with_pi) for end in cell.range]
        elif isinstance(raw, list) and len(raw) == 2:
            ends = [Cell(x) if x in (-inf, inf) else parse_cell(x) for x in raw]
        found = [end for end in ends if end and not end.range and (unit == "rad" or not end.with_pi)]
        if len(found) == 2:
            return found[0].value, found[1].value
        with_pi = ", pi with radians only" if unit != "rad" and any(end and end.with_pi for end in ends) else ""
        legal = f"expected [lower, upper] in the unit of the variable{with_pi}"
        self.error("limits", f"{self.place.limits} is {shown(raw)}; {legal}", raw)
        return -inf, inf

    def not_negative(self, key: str) -> float:
        if key not in self.cells:
            return inf
        cell = self.cell(key, "")
        if cell.range or cell.value < 0:
            self.error("number", f"{key} is {shown(self.cells[key])}; expected a number that is not negative", key)
        return cell.value

    def dynamics(self, variable: str) -> tuple[Dynamics, ...]:
        given = {}
        for key in DYNAMICS:
            if key in self.cells:
                cell = self.cell(key, variable if key == "reference" else "")
                if cell.range:
                    self.error("range", f"{key} contains a range; it belongs to {variable}", self.cells[key])
                given[key] = to_si(cell.value, self.units.columns[variable]) if key == "reference" else cell.value
        return (Dynamics(**given),) if any(given.values()) else ()

    def text(self, key: str) -> str:
        raw = self.cells.get(key, "")
        if not isinstance(raw, str):
            self.error("text", f"{key} is {shown(raw)}; expected a text", raw)
            return ""
        return raw

    def flag(self, key: str) -> bool:
        raw = self.cells.get(key, False)
        if isinstance(raw, str) and raw.lower() in ("true", "false"):
            return raw.lower() == "true"
        if not isinstance(raw, bool):
            self.error("flag", f"{key} is {shown(raw)}; expected true or false", raw)
        return raw is True

    def mimic(self, variable: str) -> Mimic | None:
        """Return { joint, multiplier, offset }: the offset in the variable's unit, the multiplier in rad and m."""
        raw = self.cells.get("mimic")
        if raw is None:
            return None
        leader = raw.get("joint") if isinstance(raw, dict) else None
        numbers = {k: parse_cell(v) for k, v in raw.items() if k != "joint"} if isinstance(raw, dict) else {}
        if not isinstance(leader, str) or set(numbers) - {"multiplier", "offset"} or None in numbers.values():
            self.error("mimic", f"mimic is {shown(raw)}; expected {{ joint = …, multiplier = 1, offset = 0 }}", "mimic")
            return None
        values = {key: cell.value for key, cell in numbers.items() if cell}
        offset = to_si(values.get("offset", 0.0), self.units.columns[variable])
        return Mimic(leader, values.get("multiplier", 1.0), offset)


POSE_KEYS = ("matrix", "xyz", "rpy")
LEGAL = "{ matrix = [[…], […], […], […]] }, or { xyz = […], rpy = […] }"


def read_pose(raw: object, units: Units, place: Place) -> Array:
    """Return T (4, 4) of a TOML table; faults are reported."""
    if not isinstance(raw, dict) or set(raw) - set(POSE_KEYS) or ("matrix" in raw and len(raw) > 1):
        place.error("pose", f"is {shown(raw)}; expected {LEGAL}")
        return se3.IDENTITY
    if "matrix" in raw:
        rows = raw["matrix"]
        is_list = isinstance(rows, list) and len(rows) == 4
        is_square = is_list and all(isinstance(row, list) and len(row) == 4 for row in rows)
        numbers = finite_numbers([x for row in rows for x in row], 16) if is_square else None
        if numbers is None:
            place.error("pose", "matrix needs four lists of four numbers")
            return se3.IDENTITY
        return matrix_pose(numbers, units.length, place)
    xyz = finite_numbers(raw.get("xyz", [0, 0, 0]), 3)
    rpy = finite_numbers(raw.get("rpy", [0, 0, 0]), 3, with_pi=units.angle == "rad")
    if xyz is None or rpy is None:
        place.error("pose", f"xyz and rpy take three numbers each; expected {LEGAL}")
        return se3.IDENTITY
    length = _unit(any(xyz), units.length, "length", place)
    angle = _unit(any(rpy), units.angle, "angle", place)
    return se3.pose_from_xyz_rpy([to_si(v, length) for v in xyz], [to_si(v, angle) for v in rpy])


def matrix_pose(numbers: list[float], length: str | None, place: Place) -> Array:
    """Return T (4, 4) of 16 numbers, row by row. A rounded rotation is replaced by the nearest one, with a warning."""
    given = np.array(numbers).reshape(4, 4)
    T, off = judged(given)
    if not off <= ROUNDED:
        is_last = np.abs(given[3] - (0.0, 0.0, 0.0, 1.0)).max() > EXACT
        message, fix = pose_fault(given)
        place.error("pose" if is_last else "not-a-rotation", f"the matrix {message}", fix=fix)
        return se3.IDENTITY
    unit = _unit(bool(T[:3, 3].any()), length, "length", place)
    if off > EXACT:
        message = f"the rotation is rounded, {off:.2g} off the nearest one, which is used"
        place.report.warning("rounded-rotation", message, place.line, element=place.element)
    return frozen(se3.homogeneous(T[:3, :3], [to_si(float(v), unit) for v in T[:3, 3]]))


def _unit(wanted: bool, unit: str | None, kind: str, place: Place) -> str:
    if wanted and unit is None:
        message = f"the unit of {kind}s outside the rows is not declared"
        place.error("unit", message, fix=f"add {kind} = … to units")
    return unit or ("m" if kind == "length" else "rad")


def finite_numbers(raw: object, count: int, with_pi: bool = False) -> list[float] | None:
    """Return `count` numbers, which may be multiples of pi if `with_pi`, or None."""
    if not isinstance(raw, list) or len(raw) != count:
        return None
    cells: list[Cell | None] = [parse_cell(x) for x in raw]
    fine = all(c is not None and c.range is None and (with_pi or not c.with_pi) for c in cells)
    return [c.value for c in cells if c] if fine else None
