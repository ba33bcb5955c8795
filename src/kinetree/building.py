"""Robots built in Python: from elementary transforms, rows of DH parameters, or joints with their poses."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import pi
from typing import Any

import numpy as np

from kinetree.arguments import explain_type_errors
from kinetree.caller import Call, call
from kinetree.errors import Finding, KinetreeError
from kinetree.formats.dh import build as dh
from kinetree.formats.dh.rows import (
    OF_JOINTS,
    PARAMETERS,
    POSE_KEYS,
    ROW_KEYS,
    Place,
    finite_numbers,
    read_pose,
    read_row,
)
from kinetree.formats.dh.toolbox import OF_TOOLBOX, in_our_words, inertial_of, with_inertial
from kinetree.formats.dh.values import Units, parse_cell
from kinetree.formats.ets import ET, ETS, read as read_ets, robot_of as robot_of_ets
from kinetree.model.assemble import Parts, assemble
from kinetree.model.dh import CONVENTIONS, Convention, DHChain, DHRow, DHTable
from kinetree.model.robot import NO_AXES, Frame, Joint, Link, Robot
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array, frozen
from kinetree.syntax.text import TextReport
from kinetree.syntax.toml import Places, TomlTable, shown

SI = Units({"a": "m", "d": "m", "alpha": "rad", "theta": "rad"}, "m", "rad")
LONGEST_INTEGER = 1000
"""Most bits of an integer that messages show; all numbers are smaller."""
DEEPEST = 5
"""Most lists and mappings inside each other that a value may have; one that contains itself has no end."""
OF_DH = (*ROW_KEYS, *OF_TOOLBOX)
OF_JOINT = ("joint", "type", "parent", "axis", *POSE_KEYS, *OF_JOINTS, *OF_TOOLBOX)
ANGLES = ("alpha", "theta", "offset")
"""Angles of a DH row; the offset of a prismatic joint is a length."""
TURN = 2 * pi + 1e-3
"""Largest angle of a row or pose that is read as rad; a whole turn may be rounded up, as 6.2832 is."""
BASE, TIP = "base_link", "tip"
LEGAL = "expected 'dh' (standard) or 'mdh' (modified)"


@explain_type_errors
def chain(
    elements: str | ET | ETS | Iterable[Mapping[str, Any]],
    *,
    convention: Convention | None = None,
    name: str | None = None,
    base: Any = None,
    tool: Any = None,
    frames: bool = True,
) -> Robot:
    """Return the robot of elementary transforms, rows of DH parameters, or joints; m, rad and kg.

    Args:
        elements: an ETS text such as "tz(0.3) Rz(q1) tx(0.2)", or an `ETS`; or with convention="dh" (standard) or "mdh"
            (modified) rows such as {"d": 0.3, "a": 0.2, "alpha": "pi/2", "qlim": [-1, 1]}, zeros where nothing is
            given; or without it joints such as {"axis": [0, 0, 1], "xyz": [0, 0, 0.3]}, each on the link of the one
            before or on its "parent". Further keys of rows are those of rows in a DH file; and "m", "r" and "I", "Jm",
            "G", "B" and "Tc" as the Robotics Toolbox defines them: I about the centre of mass r, in the frame at the
            end of the DH row, here in that of the joint's link. A row without "m" has no mass: if others
            have one, `kt.check(robot, profile="sim")` names its link.
        name: of the robot.
        base: pose (4, 4) of the first row in the root link.
        tool: pose (4, 4) of the frame `tip` at the end of the last row.
        frames: whether rows of DH parameters have frames `dh_0`, `dh_1` … at their ends, which become links in URDF.

    Links are `base_link`, `<joint>_link`, joints without a name `q1`, `q2` by their number. The source of each part is
    a line of the calling program. Raises KinetreeError with every fault and its line.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.chain([{"d": 0.4, "alpha": "pi/2"}, {"a": 0.3}, {"a": 0.2}], convention="dh")
        >>> arm.joint_names
        ('q1', 'q2', 'q3')
        >>> kt.fk(arm, "tip")([0.0, 0.0, 0.0])[:3, 3].round(3) + 0.0  # m
        array([0.5, 0. , 0.4])
    """
    where = call()
    if not isinstance(name, str | None):
        raise _refused(where, "name", f"name is {shown(_plain(name))}; expected a text")
    if not isinstance(frames, bool) or not (frames or convention):
        what = f"frames is {shown(frames)}; expected True, or False with rows of DH parameters"
        raise _refused(where, "argument", what)
    if isinstance(elements, str | ET | ETS):
        if base is not None or tool is not None or convention is not None:
            raise _refused(where, "argument", "base, tool and convention go with rows; a sequence has SE3(…) there")
        return _of_sequence(elements, name, where)
    if convention not in (None, *CONVENTIONS):
        raise _refused(where, "convention", f"convention is {shown(_plain(convention))}; {LEGAL}")
    rows = list(elements)
    if convention is None and any(isinstance(row, Mapping) and not row.keys().isdisjoint(PARAMETERS) for row in rows):
        raise _refused(where, "convention", f"convention is not given for these DH parameters; {LEGAL}")
    builder = _Rows(rows, where, frames)
    ends = [builder.pose(key, given) for key, given in (("base", base), ("tool", tool))]
    make = builder.dh_robot if convention else builder.joint_robot
    with np.errstate(all="ignore"):  # what is too large is refused
        robot = make(name or "robot", convention or "dh", *ends)
    if robot is None or builder.report.failed:
        raise KinetreeError([finding for finding in builder.report.findings if finding.severity == "error"])
    return robot


def _refused(where: Call, code: str, message: str) -> KinetreeError:
    return KinetreeError(Finding(code, "error", message, where.source()))


def _of_sequence(elements: str | ET | ETS, name: str | None, where: Call) -> Robot:
    """Return the robot of elementary transforms."""
    if not isinstance(elements, str):
        return robot_of_ets(elements, name or "robot", where.source())
    count = elements.count("\n") + 1
    robot, findings = read_ets(elements, where.file, lambda line: where.source(where.line_of((line or 1) - 1, count)))
    if robot is None:
        raise KinetreeError([finding for finding in findings if finding.severity == "error"])
    return robot if name is None else replace(robot, name=name, text=None)


class _Rows:
    """Rows of a call, read one after the other; faults go to `report`."""

    def __init__(self, rows: Sequence[Any], where: Call, frames: bool = True) -> None:
        self.rows, self.where, self.frames = rows, where, frames
        self.report, self.unseen = TextReport(where.file, where.text), TextReport(where.file, "")
        self.unseen.findings = self.report.findings  # of rows whose text cannot be shown
        self.root = Link(BASE, source=where.source())
        if not rows:
            self.report.error("rows", "there is no row; expected one for each joint", where.line)

    def dh_robot(self, name: str, convention: Convention, base: Array, tool: Array) -> Robot | None:
        """Return the robot of rows of DH parameters."""
        rows = []
        for i in range(len(self.rows)):
            cells, place = self.cells(i, OF_DH)
            row = read_row(dict.fromkeys(PARAMETERS, 0.0) | _only(cells, ROW_KEYS), SI, place)
            _check_angles(_only(cells, ANGLES, ("offset",) if row.type == "prismatic" else ()), place)
            rows.append(with_inertial(row, cells, SI, place))
        named = rows and rows[-1].frame and np.array_equal(tool, se3.IDENTITY)
        tip = None if self.frames or named else TIP
        source = self.where.source()
        made = DHChain("", convention, tuple(rows), base, tool, tip=tip, frames=self.frames, source=source)
        table = DHTable(name, BASE, (made,), source=source)
        return dh.robot_of(table, self.report)

    def joint_robot(self, name: str, convention: Convention, base: Array, tool: Array) -> Robot | None:
        """Return the robot of joints with their poses."""
        parts = Parts(name, [self.root], source=self.where.source())
        for i in range(len(self.rows)):
            cells, place = self.cells(i, OF_JOINT)
            row = read_row(dict.fromkeys(PARAMETERS, 0.0) | _only(cells, (*OF_JOINTS, "type"), ("link",)), SI, place)
            joint = self.joint(i, cells, row, parts.links[-1].name, place)
            if joint.parent == BASE:
                joint = replace(joint, origin=frozen(base @ joint.origin))
            parts.joints.append(joint)
            parts.links.append(Link(joint.child, inertial_of(cells, SI, place), source=row.source))
        if self.report.failed:
            return None
        parts.frames.append(Frame(TIP, parts.links[-1].name, frozen(tool), self.where.source()))
        parts.notes = tuple(finding for finding in self.report.findings if finding.severity != "error")
        robot, findings = assemble(parts)
        for f in findings:
            self.report.findings.append(
                replace(f, excerpt=self.report.excerpt(f.source.line if f.source else None, None))
            )
        return robot

    def joint(self, i: int, cells: Mapping[str, Any], row: DHRow, before: str, place: Place) -> Joint:
        """Return the joint of a row. before: the link of the row before, on which it stands by default."""
        texts = {"joint": f"q{i + 1}", "parent": before} | _only(cells, ("joint", "parent", "link"))
        for key, text in texts.items():
            if not isinstance(text, str):
                place.error("text", f"{key} is {shown(text)}; expected a text", text)
                texts[key] = ""
        axes = NO_AXES
        if row.type != "fixed":
            axis = np.array(finite_numbers(cells.get("axis"), 3) or np.zeros(3))
            axis /= np.abs(axis).max() or 1.0  # its square neither overflows nor vanishes
            length = float(np.linalg.norm(axis))
            if not length:
                said = f"axis is {shown(cells['axis'])}" if "axis" in cells else "needs axis = [x, y, z]"
                place.error("zero-axis", f"{said}; expected three numbers that are not all zero")
            axes = frozen([(-1.0 if row.flip else 1.0) * axis / (length or 1.0)])
        elif "axis" in cells:
            place.error("row-type", "a fixed joint has no axis", "axis")
        child = texts.get("link", f"{texts['joint']}_link")
        _check_angles(_only(cells, ("rpy",)), place)
        origin = read_pose(_only(cells, POSE_KEYS), SI, place)
        joint = Joint(texts["joint"], row.type, texts["parent"], child, origin, axes, limits=row.limits)
        return replace(joint, dynamics=row.dynamics, mimic=row.mimic, source=row.source)

    def cells(self, i: int, legal: Sequence[str]) -> tuple[dict[str, Any], Place]:
        """Return what a row says by its key, with the names of a DH file for those of the toolbox, and its place."""
        raw, line = self.rows[i], self.where.line_of(i, len(self.rows))
        report = self.report if self.where.lines.count(line) == 1 else self.unseen
        given = raw if isinstance(raw, Mapping) else {}
        element = f"row {i + 1}" + (f", joint {shown(_plain(given['joint']))}" if "joint" in given else "")
        place = Place(report, line, element)
        if given is not raw or not all(isinstance(key, str) for key in given):
            place.error("rows", f"is {shown(_plain(raw))}; expected a dictionary of numbers by their names")
            return {"type": "fixed"}, place
        cells = {key: _plain(value) for key, value in given.items() if value is not None}
        TomlTable(cells, report, Places([]), at=line).check_keys(sorted(legal), element=element)
        return in_our_words(cells, place)

    def pose(self, key: str, given: Any) -> Array:
        """Return a pose of an argument, the identity for None."""
        if given is None:
            return se3.IDENTITY
        raw = _plain(given if isinstance(given, Mapping) else {"matrix": given})
        place = Place(self.report, self.where.line, key)
        _check_angles(_only(raw, ("rpy",)), place)
        return read_pose(raw, SI, place)


def _check_angles(cells: Mapping[str, Any], place: Place) -> None:
    """Note an error if an angle is more than a whole turn, as degrees are. Multiples of pi may be."""
    for key, raw in cells.items():
        found = [parse_cell(item) for item in (raw if isinstance(raw, list) else [raw])]
        if any(cell and not cell.with_pi and abs(cell.value) > TURN for cell in found):
            message = f"{key} is {shown(raw)}, more than a whole turn; expected radians"
            place.error("unit", message, raw, fix="if degrees are meant, use np.deg2rad")


def _only(cells: Mapping[str, Any], keys: Sequence[str], but: Sequence[str] = ()) -> dict[str, Any]:
    return {key: cells[key] for key in keys if key in cells and key not in but}


def _plain(value: Any, depth: int = 0) -> Any:
    """Return numbers and arrays of NumPy, tuples and mappings as Python's own numbers, lists and dictionaries."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if depth == DEEPEST and isinstance(value, Mapping | list | tuple):
        return "…"
    if isinstance(value, int) and value.bit_length() > LONGEST_INTEGER:
        return "…"
    if isinstance(value, Mapping):
        return {key: _plain(item, depth + 1) for key, item in value.items()}
    return [_plain(item, depth + 1) for item in value] if isinstance(value, list | tuple) else value
