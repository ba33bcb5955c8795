"""Tables of a robot, in degrees and millimetres, for `kinetree inspect` and notebooks."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from kinetree.algorithms.dynamics.momentum import center_of_mass
from kinetree.display import counted
from kinetree.errors import Finding, equal, others_like
from kinetree.model.robot import UNLIMITED, CoupledLimit, Joint, Limit, Robot
from kinetree.queries import momentum
from kinetree.queries.joint_table import JointTableRow, joint_table
from kinetree.queries.margin import loop_error
from kinetree.queries.query import tree
from kinetree.rules.facts import kinds_of
from kinetree.spatial import Array, se3
from kinetree.viewing.section import Section
from kinetree.viewing.tree import FEW as LOOSE, loose_joints, tree_rows

T = TypeVar("T")

FEW = {"frame": 12, "sensor": 6, "note": 3, "mass": 8}
"""Number of each that is printed without --all, of sensors of each type and of notes of each code."""


def robot_page(robot: Robot, *, everything: bool = False) -> list[Section]:
    """Return the sections that have rows."""
    sections = [
        _summary(robot),
        Section("Tree", ("link", "carried by joint"), tree_rows(robot, everything=everything)),
        _chains(robot, everything),
        _joints(robot, everything),
        _relations(robot),
        _loops(robot),
        _coupled_limits(robot),
        _groups(robot),
        _frames(robot, everything),
        _sensors(robot, everything),
        _masses(robot, everything),
        *_notes(robot.notes, everything),
    ]
    return [section for section in sections if section.rows]


def _summary(robot: Robot) -> Section:
    joints = list(robot.joints.values())
    followers = sum(joint.mimic is not None for joint in joints)
    fixed = sum(joint.kind.nq == 0 for joint in joints)
    kinds = [f"{len(robot.joint_names)} moving", f"{fixed} fixed"]
    kinds += [f"{followers} following another"] if followers else []
    extra = len(robot.frames) - len(robot.links)
    kind = kinds_of(robot)
    where = str(robot.source.file) if robot.source else "made in memory"
    rows = [
        ("file", where + (f" ({robot.text.format})" if robot.text else "")),
        ("links", f"{len(robot.links)}, the root is {robot.root}"),
        ("kind", f"{kind.kind}: {'; '.join(kind.reasons)}"),
        ("joints", f"{len(joints)}: {', '.join(kinds)}; nq = {robot.nq}, nv = {robot.nv}"),
        ("frames", f"{len(robot.frames)}: the links' own" + (f" and {extra} more" if extra else "")),
    ]
    if unknown := [link.name for link in robot.links.values() if link.unweighed]:
        more = f" and {len(unknown) - 1} more" * bool(unknown[1:])
        rows.append(("mass", f"unknown, for that of {unknown[0]} is{more}"))
    elif momentum.mass(robot):
        rows.append(("mass", f"{short(momentum.mass(robot))} kg"))
    return Section(f"Robot {robot.name}", ("", ""), rows)


def _chains(robot: Robot, everything: bool) -> Section:
    found = kinds_of(robot).chains if everything else ()
    rows = [(chain.kind, chain.joints[0], chain.links[-1], "; ".join(chain.reasons)) for chain in found]
    return Section("Chains", ("kind", "from joint", "to link", ""), rows)


# joints


def _joints(robot: Robot, everything: bool) -> Section:
    slices = robot.q_slices
    followers = [name for name in robot.placed if robot.joints[name].mimic]
    fixed = [name for name in robot.placed if not robot.joints[name].kind.nq] if everything else []
    rows: list[tuple[str, ...]] = []
    loose = set() if everything else {*loose_joints(robot)[LOOSE:]}
    for name in (*robot.joint_names, *followers, *fixed):
        if name in loose:
            continue
        where = slices.get(name)
        number = "-" if where is None else str(where.start)
        if where is not None and where.stop - where.start > 1:
            number += f"-{where.stop - 1}"
        rows += _joint_rows(robot.joints[name], number)
    if loose:
        rows.append(("", f"and {len(loose)} more that float (--all)", *("",) * 7))
    columns = (">q", "joint", "<type", "<axis", ">from", ">to", "<unit", ">speed", ">effort")
    return Section("Joints", columns, rows, "speed in unit/s; effort in N m, or N along an axis")


def _joint_rows(joint: Joint, number: str) -> list[tuple[str, ...]]:
    """Return one row, or one for each axis and limit of a joint that has several."""
    rows: list[tuple[str, ...]] = []
    for i in range(max(1, len(joint.axes), len(joint.limits))):
        head = (number, joint.name, joint.type) if i == 0 else ("", "", "")
        axis = axis_text(joint.axes[i]) if i < len(joint.axes) else ""
        limit = joint.limits[i] if i < len(joint.limits) else UNLIMITED
        rows.append((*head, axis, *_limit_cells(limit, *_unit(joint, i))))
    return rows


def _unit(joint: Joint, i: int) -> tuple[str, float]:
    """Return (unit, how many of it make one m or rad) of velocity coordinate i; none for a joint that does not move."""
    if joint.kind.nv == 0:
        return "", 1.0
    return ("deg", math.degrees(1.0)) if joint.kind.velocity_angular[i] else ("mm", 1000.0)


def _limit_cells(limit: Limit, unit: str, scale: float) -> tuple[str, ...]:
    if limit == UNLIMITED:
        return "-", "-", "", "-", "-"
    lower, upper, velocity = (short(value * scale) for value in (limit.lower, limit.upper, limit.velocity))
    return lower, upper, unit, velocity, short(limit.effort)


def joint_table_page(robot: Robot, *, everything: bool = False) -> list[Section]:
    """Return the table of the moving joints and of the fixed joints that sensors measure, or of all joints."""
    rows = joint_table(robot)
    measured = {sensor.joint for sensor in robot.sensors.values()}
    shown = [row for row in rows if everything or row.axis is not None or row.joint in measured]
    columns = ("<joint", "<type", ">x", ">y", ">z", ">from", ">to", "<unit", "parent, child")
    remark = f"axes in {robot.root}, all joints at zero"
    remark += f"; --all adds {len(rows) - len(shown)} fixed" if len(rows) > len(shown) else ""
    return [Section(f"Joints of {robot.name}", columns, [_table_cells(row) for row in shown], remark)]


def _table_cells(row: JointTableRow) -> tuple[str, ...]:
    numbers, unit = ["-"] * 5, ""
    if row.axis is not None and row.lower is not None and row.upper is not None:
        unit = "deg" if row.unit == "rad" else "m"
        numbers = [f"{round(float(x), 3) + 0.0:g}" for x in row.axis]
        numbers += [short(math.degrees(end) if unit == "deg" else end) for end in (row.lower, row.upper)]
    return row.joint, row.type, *numbers, unit, f"{row.parent}, {row.child}"


def _relations(robot: Robot) -> Section:
    rows = []
    for joint in robot.joints.values():
        if joint.mimic:
            unit, scale = _unit(joint, 0)
            leader_unit, leader_scale = _unit(robot.joints[joint.mimic.joint], 0)
            multiplier = short(joint.mimic.multiplier * scale / leader_scale)
            per = "" if unit == leader_unit else f" {unit}/{leader_unit}"
            offset = f" {_signed(joint.mimic.offset * scale)} {unit}" if joint.mimic.offset else ""
            rule = f"{multiplier}{per} * {joint.mimic.joint}{offset}"
            rows.append((joint.name, f"= {joint.mimic if joint.mimic.higher else rule}"))
        if joint.kind.has_pitch:
            rows.append((joint.name, f"advances {short(joint.pitch * 2000 * math.pi)} mm a turn"))
    return Section("Relations", ("", ""), rows)


def _loops(robot: Robot) -> Section:
    if not robot.loops:
        return Section("Loops", ("", ""), [])
    error = loop_error(robot)(robot.zero)
    rows = [
        (loop.name, loop.type, loop.parent, loop.child, short(distance * 1000), short(math.degrees(angle)))
        for loop, (distance, angle) in zip(robot.loops.values(), error.tolist(), strict=True)
    ]
    columns = ("joint", "<type", "from", "to", ">mm", ">deg")
    return Section("Loops", columns, rows, "closed by no joint of the tree; how far they are open at zero")


def _coupled_limits(robot: Robot) -> Section:
    rows = [(coupled.name, *_coupled_cells(robot, coupled)) for coupled in robot.coupled_limits]
    return Section("Coupled limits", ("limit", ">from", ">to", "<unit", "combination"), rows)


def _coupled_cells(robot: Robot, coupled: CoupledLimit) -> tuple[str, ...]:
    """Return cells in degrees or millimetres if all joints are of one kind, else with rad and m in one sum."""
    units = {_unit(robot.joints[name], 0) for name in coupled.coefficients}
    unit, scale = units.pop() if len(units) == 1 else ("rad, m", 1.0)
    return short(coupled.lower * scale), short(coupled.upper * scale), unit, combination(coupled.coefficients)


def combination(coefficients: Mapping[str, float]) -> str:
    """Return a sum over joints, such as "2 elbow - wrist"."""
    terms = [f"{_signed(x) if abs(x) != 1 else '-' if x < 0 else '+'} {name}" for name, x in coefficients.items() if x]
    return " ".join(terms).removeprefix("+ ") or "0"


def _signed(value: float) -> str:
    return f"{'-' if value < 0 else '+'} {short(abs(value))}"


# groups, frames, sensors, masses


def _groups(robot: Robot) -> Section:
    rows = [(name, str(len(joints)), ", ".join(joints)) for name, joints in robot.groups.items()]
    return Section("Groups", ("group", ">joints", ""), rows)


def _frames(robot: Robot, everything: bool) -> Section:
    extra = [frame for frame in robot.frames.values() if frame.name not in robot.links]
    shown, more = _some(extra, "frame", everything)
    rows = [(frame.name, frame.link, vector(frame.origin[:3, 3], 1000.0), rpy_text(frame.origin)) for frame in shown]
    columns = ("frame", "on link", "<xyz mm", "<rpy deg")
    return Section("Frames", columns, [*rows, *_more(more, len(columns))], "besides the links' own")


def _sensors(robot: Robot, everything: bool) -> Section:
    by_type: dict[str, list[tuple[str, str, str]]] = {}
    for sensor in robot.sensors.values():
        place = f"joint {sensor.joint}" if sensor.joint else f"frame {sensor.frame}"
        rate = "" if sensor.update_rate is None else short(sensor.update_rate)
        by_type.setdefault(sensor.type or "-", []).append((sensor.name, place, rate))
    columns = ("type", "sensor", "on", ">Hz")
    rows: list[tuple[str, ...]] = []
    for kind, sensors in by_type.items():
        shown, more = _some(sensors, "sensor", everything)
        rows += [(kind if i == 0 else "", *sensor) for i, sensor in enumerate(shown)]
        rows += [("", *row) for row in _more(more, len(columns) - 1)]
    return Section(f"Sensors: {len(robot.sensors)}", columns, rows)


def _masses(robot: Robot, everything: bool) -> Section:
    if unknown := [link for link in robot.links.values() if link.unweighed]:
        return Section("Masses", ("link", ""), [(link.name, f"unknown. {link.unweighed}") for link in unknown])
    bodies = [(link.name, link.inertial.mass) for link in robot.links.values() if link.inertial]
    bodies.sort(key=lambda body: -body[1])
    shown, more = _some(bodies, "mass", everything)
    rows: list[tuple[str, ...]] = [(name, short(mass)) for name, mass in shown]
    rows += _more(more, 2, f"{short(sum(mass for _, mass in bodies[len(shown) :]))}")
    total = momentum.mass(robot)
    rows.append((f"total of {counted(len(bodies), 'link')}", short(total)))
    remark = ""
    if total > 0 and math.isfinite(total):
        com = vector(center_of_mass(tree(robot), robot.zero), 1000.0)
        remark = f"centre of mass in {robot.root} at zero: {com} mm"
    return Section("Masses", ("link", ">kg"), rows if bodies else [], remark)


# notes


def _notes(notes: Iterable[Finding], everything: bool) -> list[Section]:
    by_code: dict[str, list[Finding]] = {}
    for note in notes:
        by_code.setdefault(note.code, []).append(note)
    sections = []
    for code, findings in by_code.items():
        groups = [[note] for note in findings] if everything else equal(findings)
        shown, hidden = _some(groups, "note", everything)
        more = sum(map(len, groups[len(groups) - hidden :]))
        rows = []
        for group in shown:
            note, source = group[0], group[0].source
            about = f"{note.element}: " if note.element and note.element not in note.message else ""
            rows += [(str(source.line) if source and source.line else "", about + note.message)]
            rows += [("", others_like(group))] if group[1:] else []
        title = f"Notes: {len(findings)} {code}"
        sections.append(Section(title, ("<line", "what"), [*rows, *_more(more, 2)]))
    return sections


# text


def _some(things: Sequence[T], kind: str, everything: bool) -> tuple[Sequence[T], int]:
    """Return those to print, and how many are left out; never just one, because the remark takes its place."""
    few = len(things) if everything or len(things) <= FEW[kind] + 1 else FEW[kind]
    return things[:few], len(things) - few


def _more(count: int, columns: int, last: str = "") -> list[tuple[str, ...]]:
    if not count:
        return []
    return [(f"and {count} more (--all)", *("",) * (columns - 2), last)]


def short(value: float) -> str:
    """Return four significant digits, or "-" for infinity."""
    if math.isinf(value):
        return "-"
    text = f"{value:.4g}"
    if "e" not in text:
        return "0" if text == "-0" else text
    if abs(value) < 1e6 and abs(value) >= 1:
        return f"{value:.0f}"
    mantissa, exponent = f"{value:.2e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def axis_text(axis: Array) -> str:
    """Return `z`, `-z`, or the three components."""
    for i, name in enumerate("xyz"):
        if abs(abs(axis[i]) - 1.0) < 1e-12:
            return name if axis[i] > 0 else f"-{name}"
    return " ".join(f"{round(float(x), 3) + 0.0:g}" for x in axis)


def vector(values: Array, scale: float) -> str:
    """Return numbers with a blank between them, to a tenth."""
    return " ".join(f"{round(float(x) * scale, 1) + 0.0:g}" for x in values)


def rpy_text(T: Array) -> str:
    """Return roll, pitch and yaw in degrees."""
    return " ".join(f"{round(math.degrees(x), 1) + 0.0:g}" for x in se3.rpy_from_rotation(T[:3, :3]))
