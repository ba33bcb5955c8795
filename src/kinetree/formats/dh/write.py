"""A robot to a DH table in TOML or CSV, by extraction of its parameters."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import replace

from kinetree.algorithms.dh import dh_table, extract_dh
from kinetree.algorithms.serial import KINDS, SerialChain, serial_chain
from kinetree.formats.dh.format import Spelling, csv_text, toml_text
from kinetree.formats.kinematic import ends, lose_bodies, lose_extras
from kinetree.formats.losses import Losses
from kinetree.model.dh import Convention, DHRow, DHTable
from kinetree.model.robot import Robot
from kinetree.model.tree import build_tree


def write(robot: Robot, without: Collection[str] = (), *, convention: Convention = "dh") -> str:
    """The robot as DH tables in TOML, in metres and radians; one chain for each last link, sharing their joints.

    Every frame keeps its name and place; links on fixed joints become frames. A robot that was read from TOML and not
    edited comes back to the letter. Raises KinetreeError for what tables cannot say, unless `without` names that part.
    """
    losses = Losses("a DH table", without)
    if robot.text and robot.text.format == "dh" and not without:
        return robot.text.text
    lose_bodies(robot, losses)
    _lose_joints(robot, losses)
    _lose_references(robot, losses)
    losses.check()
    table = _without(dh_table(robot, convention), losses.without)
    return toml_text(table, Spelling())


def write_csv(robot: Robot, without: Collection[str] = (), *, convention: Convention = "dh") -> str:
    """The robot as one DH table in CSV, from its root to the last frame of its last link; it may not branch."""
    losses = Losses("a DH table in CSV", without)
    if robot.text and robot.text.format == "dh-csv" and not without:
        return robot.text.text
    lose_bodies(robot, losses)
    _lose_joints(robot, losses)
    losses.check()
    chain = serial_chain(robot)
    for joint in robot.joints.values():
        if joint.mimic:
            losses.lose("mimic", f"joint {joint.name!r}", "joints that follow others", joint.source)
        if joint.name != joint.name.strip() or joint.name.startswith("#") or "\n" in joint.name:
            losses.lose("joint", f"joint {joint.name!r}", "a name with blanks around it, or #", joint.source)
    lose_extras(robot, losses, {chain.base, chain.tip})
    root, tip = ends(robot, chain, losses, _made_by_csv(chain))
    losses.check()
    found = replace(extract_dh(chain, convention).chain, tip=tip)
    return csv_text(_without(DHTable(robot.name, root or "base_link", (found,)), losses.without), Spelling())


def _made_by_csv(chain: SerialChain) -> Callable[[str], bool]:
    """Whether the reader of a CSV table makes a link or frame of this name by itself."""
    links = {f"{joint.joint.name}_link" for joint in chain.joints}
    own = chain.tip == chain.base  # with no name of its own the tip is called "tip"
    return lambda name: name in links or bool(re.fullmatch(r"dh_\d+", name)) or (own and name == "tip")


def _lose_joints(robot: Robot, losses: Losses) -> None:
    for joint in robot.joints.values():
        if joint.type not in (*KINDS, "fixed"):
            losses.lose("joint", f"joint {joint.name!r}", f"a {joint.type} joint", joint.source)


def _lose_references(robot: Robot, losses: Losses) -> None:
    """Sensors and groups that speak of more than a table has."""
    moving = set(build_tree(robot).joints)
    for sensor in robot.sensors.values():
        label = f"sensor {sensor.name!r}"
        if sensor.joint and sensor.joint not in moving:
            losses.lose("sensor", label, "a sensor on a fixed joint", sensor.source)
        if sensor.extensions or sensor.update_rate is not None:
            losses.lose("sensor", label, "the settings of a sensor", sensor.source)
    for group, names in robot.groups.items():
        if fixed := [name for name in names if name not in moving]:
            losses.lose("group", f"group {group!r}", f"fixed joints in a group: {', '.join(fixed)}")


def _without(table: DHTable, without: Collection[str]) -> DHTable:
    """The table without the parts that the caller leaves out."""
    return replace(
        table,
        chains=tuple(replace(c, rows=tuple(_row_without(row, without) for row in c.rows)) for c in table.chains),
        sensors=() if "sensor" in without else table.sensors,
        groups={} if "group" in without else table.groups,
    )


def _row_without(row: DHRow, without: Collection[str]) -> DHRow:
    return replace(
        row, limits=() if "limit" in without else row.limits, mimic=None if "mimic" in without else row.mimic
    )
