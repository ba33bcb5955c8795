"""A `DHTable` to text, in TOML or CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from math import degrees, inf
from typing import Literal

import numpy as np

from kinetree.formats.force_torque import words_of
from kinetree.formats.kinematic import quoted
from kinetree.formats.numbers import format_number
from kinetree.formats.quantities import PER_METRE, to_si
from kinetree.model.dh import DHChain, DHRow, DHTable
from kinetree.model.robot import ForceTorque, Frame, Inertial, Joint, Limit, Mimic, Sensor
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array


@dataclass(frozen=True, slots=True)
class Spelling:
    """Units in which a table is written."""

    length: Literal["m", "cm", "mm"] = "m"
    angle: Literal["rad", "deg"] = "rad"

    def number(self, value: float, kind: Literal["length", "angle"]) -> str:
        """Return the shortest text in this unit that reads back as the same double, if there is one."""
        unit = self.length if kind == "length" else self.angle
        if abs(value) == inf:
            return "inf" if value > 0 else "-inf"
        scaled = value * PER_METRE[unit] if unit in PER_METRE else degrees(value) if unit == "deg" else value
        for digits in range(12, 17):
            rounded = float(f"{scaled:.{digits}g}")
            if to_si(rounded, unit) == value:
                return format_number(rounded)
        return format_number(scaled)

    def length_of(self, value: float) -> str:
        return self.number(value, "length")

    def angle_of(self, value: float) -> str:
        return self.number(value, "angle")

    def variable(self, row_type: str, value: float) -> str:
        """Return a value of a joint's own coordinate."""
        return self.number(value, "length" if row_type == "prismatic" else "angle")


def toml_text(table: DHTable, spelling: Spelling) -> str:
    """Return the table in TOML."""
    alone = len(table.chains) == 1 and not table.chains[0].name
    lines = [f"name = {_quoted(table.name)}", f"root = {_quoted(table.root)}"]
    lines.append(f"convention = {_quoted(table.chains[0].convention)}")
    lines.append(f'units = {{ length = "{spelling.length}", angle = "{spelling.angle}" }}')
    if table.order:
        lines.append(f"order = {_names(table.order)}")
    for chain in table.chains:
        lines += [] if alone else ["", "[[chain]]", f"name = {_quoted(chain.name)}"]
        lines += _chain(chain, spelling)
    for joint in table.fixed:
        lines += ["", "[[fixed]]", f"joint = {_quoted(joint.name)}"]
        lines += [f"on = {_quoted(joint.parent)}", f"link = {_quoted(joint.child)}", *_pose_lines(joint, spelling)]
    for link in table.links:
        if body := link.inertial:
            tensor = ", ".join(map(format_number, body.inertia[np.triu_indices(3)]))
            lines += ["", "[[inertial]]", f"on = {_quoted(link.name)}", f"mass = {format_number(body.mass)}"]
            lines += [*_pose_lines(body, spelling), *([f"inertia = [{tensor}]"] if body.inertia.any() else [])]
    for frame in table.frames:
        lines += ["", "[[frame]]", f"name = {_quoted(frame.name)}", f"on = {_quoted(frame.link)}"]
        lines += _pose_lines(frame, spelling)
    for sensor in table.sensors:
        lines += ["", "[[sensor]]", f"name = {_quoted(sensor.name)}", f"type = {_quoted(sensor.type)}"]
        lines.append(f"frame = {_quoted(sensor.frame)}")
        lines += [f"joint = {_quoted(sensor.joint)}"] if sensor.joint else []
        lines += _pose_lines(sensor, spelling)
        lines += [f"force_torque = {_force_torque(sensor.force_torque)}"] if sensor.force_torque else []
    for limit in table.coupled_limits:
        terms = ", ".join(f"{_quoted(joint)} = {format_number(x)}" for joint, x in limit.coefficients.items())
        lines += ["", "[[coupled_limit]]", f"name = {_quoted(limit.name)}", f"coefficients = {{ {terms} }}"]
        ends = {"lower": limit.lower, "upper": limit.upper}
        lines += [f"{end} = {format_number(value)}" for end, value in ends.items() if abs(value) < inf]
    if table.groups:
        lines += ["", "[groups]", *(f"{_quoted(group)} = {_names(names)}" for group, names in table.groups.items())]
    return "\n".join(lines) + "\n"


def csv_text(table: DHTable, spelling: Spelling) -> str:
    """Return the table, which has one chain, in CSV."""
    (chain,) = table.chains
    text = io.StringIO()
    settings = {"name": table.name, "root": table.root, "convention": chain.convention, "tip": chain.tip}
    for key, pose in (("base", chain.base), ("tool", chain.tool)):
        if not np.array_equal(pose, se3.IDENTITY):
            settings[key] = " ".join(_numbers(pose, spelling))
    for key, value in settings.items():
        text.write(f"# {key}: {_setting(value)}\n" if value else "")
    length, angle = f"({spelling.length})", f"({spelling.angle})"
    names = ("joint", "type", f"a {length}", f"d {length}", f"alpha {angle}", f"theta {angle}")
    columns = ("joint", "type", "a", "d", "alpha", "theta", "limits", "velocity", "effort", "frame")
    rows = [_row(row, spelling, quoted=False) for row in chain.rows]
    used = [column for column in columns if column in columns[:6] or any(column in row for row in rows)]
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*names, *used[6:]])
    writer.writerows([[row.get(column, "") for column in used] for row in rows])
    return text.getvalue()


def _setting(value: str) -> str:
    """Return a setting of a CSV file, between quotes if it would otherwise be read differently."""
    return value if value == value.strip(" \t,;") and value.isprintable() and value[0] != '"' else quoted(value)


def _chain(chain: DHChain, spelling: Spelling) -> list[str]:
    lines = [f"on = {_quoted(chain.on)}"] if chain.on else []
    if chain.has_base and not np.array_equal(chain.base, se3.IDENTITY):
        lines.append(f"base = {_pose(chain.base, spelling)}")
    if not np.array_equal(chain.tool, se3.IDENTITY):
        lines.append(f"tool = {_pose(chain.tool, spelling)}")
    lines += [f"tip = {_quoted(chain.tip)}"] if chain.tip else []
    lines += [] if chain.frames else ["frames = false"]
    rows = [[f"{key} = {value}" for key, value in _row(row, spelling).items()] for row in chain.rows]
    widths = [max(len(row[i]) for row in rows if len(row) > i) for i in range(max(map(len, rows), default=0))]
    lines.append("rows = [")
    for row in rows:
        cells = [f"{cell},".ljust(widths[i] + 1) for i, cell in enumerate(row[:-1])]
        lines.append(f"  {{ {' '.join([*cells, row[-1]])} }},")
    return [*lines, "]"]


def _row(row: DHRow, spelling: Spelling, quoted: bool = True) -> dict[str, str]:
    """Return the cells of a row that differ from the default."""
    text = _quoted if quoted else str
    cells = {"joint": text(row.joint)} if row.joint else {}
    if row.type != "revolute":
        cells["type"] = text(row.type)
    cells |= {"a": spelling.length_of(row.a), "d": spelling.length_of(row.d)}
    cells |= {"alpha": spelling.angle_of(row.alpha), "theta": spelling.angle_of(row.theta)}
    cells |= {"flip": "true"} if row.flip else {}
    limit = row.limits[0] if row.limits else Limit()
    if limit.lower > -inf or limit.upper < inf:
        low, high = spelling.variable(row.type, limit.lower), spelling.variable(row.type, limit.upper)
        cells["limits"] = f"[{low}, {high}]" if quoted else f"{low} -> {high}"
    cells |= {"velocity": spelling.variable(row.type, limit.velocity)} if limit.velocity < inf else {}
    cells |= {"effort": format_number(limit.effort)} if limit.effort < inf else {}
    cells |= {"mimic": _mimic(row.mimic, row.type, spelling)} if row.mimic else {}
    cells |= {"link": text(row.link)} if row.link else {}
    cells |= {"frame": text(row.frame)} if row.frame else {}
    if not np.array_equal(row.link_frame, se3.IDENTITY):
        cells["link_frame"] = _pose(row.link_frame, spelling)
    return cells


def _mimic(mimic: Mimic, row_type: str, spelling: Spelling) -> str:
    cells = [f"joint = {_quoted(mimic.joint)}", f"multiplier = {format_number(mimic.multiplier)}"]
    cells += [f"offset = {spelling.variable(row_type, mimic.offset)}"] if mimic.offset else []
    return f"{{ {', '.join(cells)} }}"


def _pose(T: Array, spelling: Spelling) -> str:
    """Return a matrix if the rotation is of right angles, else xyz and rpy."""
    square = bool(np.isin(T[:3, :3], (-1.0, 0.0, 1.0)).all())
    if square and not np.array_equal(T[:3, :3], np.eye(3)):
        numbers = _numbers(T, spelling)
        rows = [f"[{', '.join(numbers[i : i + 4])}]" for i in range(0, 16, 4)]
        return f"{{ matrix = [{', '.join(rows)}] }}"
    return f"{{ {', '.join(_xyz_rpy(T, spelling))} }}"


def _xyz_rpy(T: Array, spelling: Spelling) -> list[str]:
    cells = []
    if T[:3, 3].any() or np.array_equal(T, se3.IDENTITY):
        cells.append(f"xyz = [{', '.join(map(spelling.length_of, T[:3, 3].tolist()))}]")
    if not np.array_equal(T[:3, :3], np.eye(3)):
        cells.append(f"rpy = [{', '.join(map(spelling.angle_of, se3.rpy_from_rotation(T[:3, :3])))}]")
    return cells


def _force_torque(said: ForceTorque) -> str:
    words = words_of(said) | ({} if said.point == "frame" else {"point": said.point})
    return f"{{ {', '.join(f'{key} = {_quoted(word)}' for key, word in words.items())} }}"


def _pose_lines(thing: Frame | Inertial | Joint | Sensor, spelling: Spelling) -> list[str]:
    return [] if np.array_equal(thing.origin, se3.IDENTITY) else _xyz_rpy(thing.origin, spelling)


def _numbers(T: Array, spelling: Spelling) -> list[str]:
    lengths = (3, 7, 11)
    return [spelling.length_of(x) if i in lengths else format_number(x) for i, x in enumerate(T.ravel().tolist())]


def _names(names: Sequence[str]) -> str:
    return f"[{', '.join(map(_quoted, names))}]"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
