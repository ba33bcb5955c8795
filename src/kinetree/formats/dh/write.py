"""A robot to a DH table by extraction of its parameters, and a table to text, in TOML or CSV."""

import csv
import io
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from math import degrees, inf
from typing import Literal

import numpy as np

from kinetree.algorithms.dh import dh_table, extract_dh, table_links
from kinetree.algorithms.serial import SerialChain, serial_chain
from kinetree.errors import fail
from kinetree.formats.dh.rows import DYNAMICS
from kinetree.formats.force_torque import lose_reading, words_of, written_sensors
from kinetree.formats.kinematic import ends, frames_but, quoted
from kinetree.formats.losses.capabilities import where
from kinetree.formats.losses.losses import Losses
from kinetree.model.dh import Convention, DHChain, DHRow, DHShape, DHTable
from kinetree.model.force_torque import reading_place, same_place
from kinetree.model.magnitudes import LARGEST
from kinetree.model.robot import RATES, Frame, Inertial, Joint, Limit, Link, Mimic, Robot, Sensor
from kinetree.model.tree import Tree, build_tree
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array
from kinetree.syntax.numbers import PER_METRE, format_number, to_si


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
    lines = [f"name = {quoted(table.name)}", f"root = {quoted(table.root)}"]
    lines.append(f"convention = {quoted(table.chains[0].convention)}")
    lines.append(f'units = {{ length = "{spelling.length}", angle = "{spelling.angle}" }}')
    if table.order:
        lines.append(f"order = {_names(table.order)}")
    for chain in table.chains:
        lines += [] if alone else ["", "[[chain]]", f"name = {quoted(chain.name)}"]
        lines += _chain(chain, spelling)
    for joint in table.fixed:
        lines += ["", "[[fixed]]", f"joint = {quoted(joint.name)}"]
        lines += [f"on = {quoted(joint.parent)}", f"link = {quoted(joint.child)}", *_pose_lines(joint, spelling)]
    for link in table.links:
        if body := link.inertial:
            tensor = ", ".join(map(format_number, body.inertia[np.triu_indices(3)]))
            lines += ["", "[[inertial]]", f"on = {quoted(link.name)}", f"mass = {format_number(body.mass)}"]
            lines += [*_pose_lines(body, spelling), *([f"inertia = [{tensor}]"] if body.inertia.any() else [])]
    for frame in table.frames:
        lines += ["", "[[frame]]", f"name = {quoted(frame.name)}", f"on = {quoted(frame.link)}"]
        lines += [f"unplaced = {quoted(frame.unplaced)}"] if frame.unplaced else []
        lines += _pose_lines(frame, spelling)
    for sensor in table.sensors:
        lines += ["", "[[sensor]]", f"name = {quoted(sensor.name)}", f"type = {quoted(sensor.type)}"]
        lines.append(f"frame = {quoted(sensor.frame)}")
        lines += [f"joint = {quoted(sensor.joint)}"] if sensor.joint else []
        lines += _pose_lines(sensor, spelling)
        if said := sensor.force_torque:
            words = words_of(said) | ({} if said.point == "frame" else {"point": said.point})
            lines.append(f"force_torque = {{ {', '.join(f'{key} = {quoted(word)}' for key, word in words.items())} }}")
    for limit in table.coupled_limits:
        terms = ", ".join(f"{quoted(joint)} = {format_number(x)}" for joint, x in limit.coefficients.items())
        lines += ["", "[[coupled_limit]]", f"name = {quoted(limit.name)}", f"coefficients = {{ {terms} }}"]
        ends = {"lower": limit.lower, "upper": limit.upper}
        lines += [f"{end} = {format_number(value)}" for end, value in ends.items() if abs(value) < inf]
    if table.shapes:
        lines += ["", "[shapes]", "rows = [", *(f"  {_shape(shape, spelling)}," for shape in table.shapes), "]"]
    if table.groups:
        lines += ["", "[groups]", *(f"{quoted(group)} = {_names(names)}" for group, names in table.groups.items())]
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
    columns = ("joint", "type", "a", "d", "alpha", "theta", "limits", "velocity", "effort", *RATES, *DYNAMICS, "frame")
    rows = [_row(row, spelling, toml=False) for row in chain.rows]
    used = [column for column in columns if column in columns[:6] or any(column in row for row in rows)]
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*names, *used[6:]])
    writer.writerows([[row.get(column, "") for column in used] for row in rows])
    return text.getvalue()


def _setting(value: str) -> str:
    """Return a setting of a CSV file, between quotes if it would otherwise be read differently."""
    return value if value == value.strip(" \t,;") and value.isprintable() and value[0] != '"' else quoted(value)


def _chain(chain: DHChain, spelling: Spelling) -> list[str]:
    lines = [f"on = {quoted(chain.on)}"] if chain.on else []
    if chain.has_base and not np.array_equal(chain.base, se3.IDENTITY):
        lines.append(f"base = {_pose(chain.base, spelling)}")
    if not np.array_equal(chain.tool, se3.IDENTITY):
        lines.append(f"tool = {_pose(chain.tool, spelling)}")
    lines += [f"tip = {quoted(chain.tip)}"] if chain.tip else []
    lines += [] if chain.frames else ["frames = false"]
    rows = [[f"{key} = {value}" for key, value in _row(row, spelling).items()] for row in chain.rows]
    widths = [max(len(row[i]) for row in rows if len(row) > i) for i in range(max(map(len, rows), default=0))]
    lines.append("rows = [")
    for row in rows:
        cells = [f"{cell},".ljust(widths[i] + 1) for i, cell in enumerate(row[:-1])]
        lines.append(f"  {{ {' '.join([*cells, row[-1]])} }},")
    return [*lines, "]"]


def _row(row: DHRow, spelling: Spelling, toml: bool = True) -> dict[str, str]:
    """Return the cells of a row that differ from the default."""
    text = quoted if toml else str
    cells = {"joint": text(row.joint)} if row.joint else {}
    limit = row.limits[0] if row.limits else Limit()
    bounded = limit.lower > -inf or limit.upper < inf
    if row.type != "revolute" and not (row.type == "continuous" and bounded):  # which the reader refuses
        cells["type"] = text(row.type)
    cells |= {"a": spelling.length_of(row.a), "d": spelling.length_of(row.d)}
    cells |= {"alpha": spelling.angle_of(row.alpha), "theta": spelling.angle_of(row.theta)}
    cells |= {"flip": "true"} if row.flip else {}
    if bounded:
        low, high = spelling.variable(row.type, limit.lower), spelling.variable(row.type, limit.upper)
        cells["limits"] = f"[{low}, {high}]" if toml else f"{low} -> {high}"
    cells |= {"velocity": spelling.variable(row.type, limit.velocity)} if limit.velocity < inf else {}
    cells |= {"effort": format_number(limit.effort)} if limit.effort < inf else {}
    rates = {name: getattr(limit, name) for name in RATES if getattr(limit, name) < inf}
    if limit.deceleration == limit.acceleration:
        rates.pop("deceleration", None)
    cells |= {name: spelling.variable(row.type, value) for name, value in rates.items()}
    cells |= _dynamics(row, spelling)
    cells |= {"mimic": _mimic(row.mimic, row.type, spelling)} if row.mimic else {}
    cells |= {"link": text(row.link)} if row.link else {}
    cells |= {"frame": text(row.frame)} if row.frame else {}
    if body := row.inertial:
        tensor = [body.inertia[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2))]
        cells["m"] = format_number(body.mass)
        cells["r"] = f"[{', '.join(map(spelling.length_of, body.origin[:3, 3]))}]"
        cells["I"] = f"[{', '.join(map(format_number, tensor))}]"
    if not np.array_equal(row.link_frame, se3.IDENTITY):
        cells["link_frame"] = _pose(row.link_frame, spelling)
    return cells


def _dynamics(row: DHRow, spelling: Spelling) -> dict[str, str]:
    given = {key: getattr(one, key) for one in row.dynamics for key in DYNAMICS if getattr(one, key)}
    return {
        key: spelling.variable(row.type, value) if key == "reference" else format_number(value)
        for key, value in given.items()
    }


def _mimic(mimic: Mimic, row_type: str, spelling: Spelling) -> str:
    cells = [f"joint = {quoted(mimic.joint)}", f"multiplier = {format_number(mimic.multiplier)}"]
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


def _shape(shape: DHShape, spelling: Spelling) -> str:
    cells = {"on": quoted(shape.on), "radius": spelling.length_of(shape.radius)}
    for key, point in (("from", shape.start if shape.start.any() else None), ("to", shape.end)):
        if point is not None:
            numbers = () if isinstance(point, str) else map(spelling.length_of, point.tolist())
            cells[key] = quoted(point) if isinstance(point, str) else f"[{', '.join(numbers)}]"
    cells |= {} if shape.capped else {"type": '"cylinder"'}
    cells |= {} if shape.use == "visual" else {"use": quoted(shape.use)}
    return f"{{ {', '.join(f'{key} = {cell}' for key, cell in cells.items())} }}"


def _pose_lines(thing: Frame | Inertial | Joint | Sensor, spelling: Spelling) -> list[str]:
    return [] if np.array_equal(thing.origin, se3.IDENTITY) else _xyz_rpy(thing.origin, spelling)


def _numbers(T: Array, spelling: Spelling) -> list[str]:
    lengths = (3, 7, 11)
    return [spelling.length_of(x) if i in lengths else format_number(x) for i, x in enumerate(T.ravel().tolist())]


def _names(names: Sequence[str]) -> str:
    return f"[{', '.join(map(quoted, names))}]"


JOINT_NAMES = where(lambda joint: re.search(r"^\s|^#|\n|\s$", joint.name), "a name with blanks around it, or #")


def write(robot: Robot, without: Collection[str] = (), *, convention: Convention = "dh") -> str:
    """Return the robot as DH tables in TOML, in metres and radians; one chain for each last link, with shared joints.

    Every frame keeps its name and place; links on fixed joints become frames, unless a sensor measures the joint. A
    robot that was read from TOML and not edited gives the same text. Raises KinetreeError for a part that tables cannot
    represent and that `without` does not name.
    """
    losses = Losses("dh", without)
    if robot.text and robot.text.format == "dh" and not without:
        return robot.text.text
    robot = losses.without_parts(robot)
    losses.find(robot, {"link.geometry": where(_undrawn, "shapes other than plain spheres and cylinders")})
    sensors = _sensors(robot, losses)
    _lose_groups(robot, losses)
    losses.check()
    table = replace(dh_table(robot, convention), sensors=sensors)
    for chain in table.chains:
        _check_sizes(chain.rows)
    return toml_text(table, Spelling())


def _undrawn(link: Link) -> bool:
    """Return whether a link has a shape that tables cannot represent."""
    named = [("visual", shape) for shape in link.visuals] + [("collision", shape) for shape in link.collisions]
    return not all(
        shape.shape.kind in ("sphere", "cylinder")
        and not (shape.material or shape.extensions or shape.surface)
        and re.fullmatch(rf"{use}_\d+", shape.name or f"{use}_1")
        for use, shape in named
    )


def _check_sizes(rows: Sequence[DHRow]) -> None:
    """Refuse parameters that could not be read again; those of almost parallel axes may be very large."""
    for row in rows:
        if max(abs(row.a), abs(row.d)) > LARGEST:
            message = f"joint {row.joint!r}: a or d of its row is larger than {LARGEST:g} m, the most that is read"
            raise fail("too-large", message)


def write_csv(robot: Robot, without: Collection[str] = (), *, convention: Convention = "dh") -> str:
    """Return the robot as one DH table in CSV, from its root to the last frame of its last link; it may not branch."""
    losses = Losses("dh-csv", without)
    if robot.text and robot.text.format == "dh-csv" and not without:
        return robot.text.text
    robot = losses.without_parts(robot)
    losses.find(robot, row="dh")
    losses.check()  # before `serial_chain`, which refuses other joints and branches
    chain = serial_chain(robot)
    losses.find(robot, {"joint": JOINT_NAMES, "frame": frames_but(chain.base, chain.tip)})
    root, tip = ends(robot, chain, losses, _made_by_csv(chain))
    losses.check()
    found = replace(extract_dh(chain, convention).chain, tip=tip)
    _check_sizes(found.rows)
    return csv_text(DHTable(robot.name, root or "base_link", (found,)), Spelling())


def _made_by_csv(chain: SerialChain) -> Callable[[str], bool]:
    """Return whether the reader of a CSV table creates a link or frame of this name itself."""
    links = {f"{joint.joint.name}_link" for joint in chain.joints}
    own = chain.tip == chain.base  # without a name of its own the tip is called "tip"
    return lambda name: name in links or bool(re.fullmatch(r"dh_\d+", name)) or (own and name == "tip")


def _sensors(robot: Robot, losses: Losses) -> tuple[Sensor, ...]:
    links = table_links(robot)
    tree = build_tree(robot)
    said = []
    for sensor in written_sensors(robot, losses.without):
        label = f"sensor {sensor.name!r}"
        if sensor.joint and robot.joints[sensor.joint].child not in links:
            what = "a sensor on a fixed joint that does not part what moves on the link before it from that link"
            losses.note_loss("sensor", label, what, sensor.source)
        elif sensor.extensions or sensor.update_rate is not None:
            losses.note_loss("sensor", label, "the settings of a sensor", sensor.source)
        elif (plain := _reading(robot, sensor, tree, links)) is None:
            lose_reading(losses, sensor)
        else:
            said.append(plain)
    return tuple(said)


def _reading(robot: Robot, sensor: Sensor, tree: Tree, links: Collection[str]) -> Sensor | None:
    """Return the sensor with the same reading in a table, None if it has none: frames and parents may differ there."""
    joint = robot.joints[sensor.joint] if sensor.joint else None
    if sensor.force_torque is None or joint is None:
        return sensor
    if sensor.force_torque.axes == "parent" and joint.parent not in links:
        return None
    plain = replace(sensor, force_torque=replace(sensor.force_torque, point="frame"))
    if same_place(tree, reading_place(robot, sensor), reading_place(robot, plain)):
        return plain
    return sensor if joint.type == "fixed" and not joint.child_origin[:3, 3].any() else None


def _lose_groups(robot: Robot, losses: Losses) -> None:
    links = table_links(robot)
    for group, names in robot.groups.items():
        if fixed := [name for name in names if robot.joints[name].child not in links]:
            losses.note_loss("group", f"group {group!r}", f"fixed joints in a group: {', '.join(fixed)}")
