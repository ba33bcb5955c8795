"""A robot to a DH table in TOML or CSV, by extraction of its parameters."""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from kinetree.algorithms.dh import dh_table, extract_dh, table_links
from kinetree.algorithms.serial import SerialChain, serial_chain
from kinetree.errors import fail
from kinetree.formats.capabilities import where
from kinetree.formats.dh.format import Spelling, csv_text, toml_text
from kinetree.formats.force_torque import lose_reading, written_sensors
from kinetree.formats.kinematic import ends, frames_but
from kinetree.formats.losses import Losses
from kinetree.model.dh import Convention, DHRow, DHTable
from kinetree.model.force_torque import reading_place, same_place
from kinetree.model.magnitudes import LARGEST
from kinetree.model.robot import Robot, Sensor
from kinetree.model.tree import Tree, build_tree

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
    robot = losses.pared(robot)
    losses.find(robot)
    sensors = _sensors(robot, losses)
    _lose_groups(robot, losses)
    losses.check()
    table = replace(dh_table(robot, convention), sensors=sensors)
    for chain in table.chains:
        _check_sizes(chain.rows)
    return toml_text(_without(table, losses.without), Spelling())


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
    robot = losses.pared(robot)
    losses.find(robot, row="dh")
    losses.check()  # before `serial_chain`, which refuses other joints and branches
    chain = serial_chain(robot)
    losses.find(robot, {"joint": JOINT_NAMES, "frame": frames_but(chain.base, chain.tip)})
    root, tip = ends(robot, chain, losses, _made_by_csv(chain))
    losses.check()
    found = replace(extract_dh(chain, convention).chain, tip=tip)
    _check_sizes(found.rows)
    return csv_text(_without(DHTable(robot.name, root or "base_link", (found,)), losses.without), Spelling())


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
            losses.lose("sensor", label, what, sensor.source)
        elif sensor.extensions or sensor.update_rate is not None:
            losses.lose("sensor", label, "the settings of a sensor", sensor.source)
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
            losses.lose("group", f"group {group!r}", f"fixed joints in a group: {', '.join(fixed)}")


def _without(table: DHTable, without: Collection[str]) -> DHTable:
    return replace(
        table,
        chains=tuple(replace(c, rows=tuple(_row_without(row, without) for row in c.rows)) for c in table.chains),
        groups={} if "group" in without else table.groups,
        coupled_limits=() if "coupled_limit" in without else table.coupled_limits,
    )


def _row_without(row: DHRow, without: Collection[str]) -> DHRow:
    return replace(row, limits=() if "limit" in without else row.limits)
