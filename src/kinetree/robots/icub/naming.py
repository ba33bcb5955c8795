"""Naming conventions of the iCub: the tables of the wiki's page, as printed and as corrected, and its errors."""

import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any, Generic, NamedTuple, TypeVar

from kinetree.arguments import explain_type_errors
from kinetree.errors import fail, unknown_name
from kinetree.model.robot import Robot, Sensor
from kinetree.robots.icub.board_limits import board_limits
from kinetree.robots.icub.boards import is_icub

Row = TypeVar("Row")


class JointRow(NamedTuple):
    """A joint of a control board; corrected rows of a board are in the board's own order."""

    board: str
    joint: str


class FixedJointRow(NamedTuple):
    """A force/torque sensor and the fixed joint that stands for it."""

    sensor: str
    joint: str


class LinkRow(NamedTuple):
    """A link, the joint that carries it and that joint's parent link; the root has "" for both."""

    link: str
    joint: str
    parent: str


class AxisRow(NamedTuple):
    """The axis of a joint at q = 0, a unit vector in root_link, and limits in radians, which the page lacks; a fixed
    joint has neither."""

    joint: str
    type: str
    axis: tuple[float, float, float] | None
    lower: float | None
    upper: float | None


class FrameRow(NamedTuple):
    """A frame and the link that it is fixed to, or the two that it lies between."""

    frame: str
    links: tuple[str, ...]
    explanation: str


class SkinRow(NamedTuple):
    """A part of the skin, the link that carries it and the frame of its taxels, "" if none is published."""

    frame: str
    link: str
    part: str


@dataclass(frozen=True, slots=True)
class Deviation:
    """An error, omission or ambiguity of the page.

    printed: the text of the page. correction: the right one. why: the evidence and its sources.
    """

    number: int
    printed: str
    correction: str
    why: str


@dataclass(frozen=True, slots=True)
class Entry(Generic[Row]):
    """A row as the page prints it, None if the page leaves it out, and as it should read.

    A row that is right has `correct` equal to `printed`. deviations: the numbers of those about this row, also if it is
    right but ambiguous. known_as: other names in published models. also: other rows that are true of some published
    models.
    """

    printed: Row | None
    correct: Row
    deviations: tuple[int, ...]
    known_as: tuple[str, ...] = ()
    also: tuple[Row, ...] = ()


@dataclass(frozen=True, slots=True)
class ForceTorqueRule:
    """The wrench that the force/torque sensors read.

    measures: as in `ForceTorque`; "child_on_parent" is the wrench that the child link of the fixed joint exerts on its
    parent link. rule: the same in a sentence. why: the evidence and its sources.
    servers: the YARP port at which each sensor is published, by sensor.
    """

    measures: str
    rule: str
    why: str
    servers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Naming:
    """Tables of the page, each row as printed and as corrected; sources are those of the corrections.

    leaning: true axes of the shoulders, where the page neglects that the arms lean, unit vectors in root_link.
    later_feet: axes in the feet of later robots.
    """

    joints: tuple[Entry[JointRow], ...]
    fixed_joints: tuple[Entry[FixedJointRow], ...]
    links: tuple[Entry[LinkRow], ...]
    axes: tuple[Entry[AxisRow], ...]
    frames: tuple[Entry[FrameRow], ...]
    skin: tuple[Entry[SkinRow], ...]
    leaning: Mapping[str, tuple[float, float, float]]
    later_feet: Mapping[str, tuple[float, float, float]]
    deviations: Mapping[int, Deviation]
    force_torque: ForceTorqueRule
    page: str
    sources: tuple[str, ...]


@explain_type_errors
def frame(robot: Robot, name: str) -> str:
    """Return the name that a frame of the naming page has in a robot, such as "root_link" for "root_frame".

    Raises KinetreeError for a name that the page does not have, and for a frame that the robot lacks.

    Examples:
        >>> import kinetree as kt
        >>> text = '<robot name="published"><link name="root_link"/></robot>'
        >>> kt.icub.frame(kt.load(text, format="urdf"), "root_frame")
        'root_link'
        >>> kt.icub.frame(kt.load("icub"), "root_frame")
        'root_frame'
    """
    known = {entry.correct.frame: entry for entry in naming().frames}
    if name not in known:
        raise unknown_name("frame of the naming page", name, list(known))
    entry = known[name]
    if found := next((other for other in (name, *entry.known_as) if other in robot.frames), None):
        return found
    link = " or ".join(map(repr, entry.correct.links))
    raise fail("no-frame", f"robot {robot.name!r} has no {name!r}, which the naming page has on {link}")


@cache
def naming() -> Naming:
    """Return the iCub's naming conventions. Sources: naming.toml, and limits.csv for the corrected axes.

    Examples:
        >>> import kinetree as kt
        >>> names = kt.icub.naming()
        >>> row = next(entry for entry in names.links if entry.correct.link == "l_elbow_1")
        >>> row.printed.parent, row.correct.parent
        ('l_forearm', 'l_upper_arm')
        >>> print(names.deviations[row.deviations[0]].printed)
        l_elbow_1 hangs on l_forearm, which hangs on l_elbow_1: a cycle.
    """
    data = tomllib.loads(files(__package__).joinpath("naming.toml").read_text("utf-8"))
    return Naming(
        joints=_entries(data["joints"], JointRow),
        fixed_joints=_entries(data["fixed_joints"], FixedJointRow),
        links=_entries(data["links"], LinkRow),
        axes=_with_limits(_entries(data["axes"], _axis_row), data["limits"]),
        frames=_entries(data["frames"], lambda frame, links, explanation: FrameRow(frame, tuple(links), explanation)),
        skin=_entries(data["skin"], SkinRow),
        leaning=_vectors(data["leaning"]),
        later_feet=_vectors(data["later_feet"]),
        deviations={row["number"]: Deviation(**row) for row in data["deviation"]},
        force_torque=ForceTorqueRule(**data["force_torque"], servers=data["servers"]),
        page=data["page"],
        sources=tuple(data["sources"]),
    )


def corrected(entries: Iterable[Entry[Row]]) -> list[Row]:
    """Return the rows of a table as they should read, in order."""
    return [entry.correct for entry in entries]


@explain_type_errors
def sensor(robot: Robot, name: str) -> Sensor:
    """Return a sensor by its name in the robot or, if no sensor has this name, by the iCub's convention.

    The page's "left_arm", and "l_arm_ft" of today, is the force/torque sensor of joint l_arm_ft_sensor, whatever the
    model calls it; only iCubs have these aliases. Raises KinetreeError for another name, with the nearest names.

    Examples:
        >>> import kinetree as kt
        >>> sensor = kt.icub.sensor(kt.load("icub"), "left_arm")
        >>> sensor.name, sensor.joint, sensor.force_torque.measures
        ('l_arm_ft', 'l_arm_ft_sensor', 'child_on_parent')
    """
    if not isinstance(name, str) or name in robot.sensors or not is_icub(robot):
        return robot.sensors[name]
    measured = {it.joint: it for it in robot.sensors.values() if it.type == "force_torque"}
    rows = [row for entry in naming().fixed_joints for row in (entry.printed, entry.correct) if row]
    aliases = {row.sensor: measured[row.joint] for row in rows if row.joint in measured}
    if name not in aliases:
        raise unknown_name("sensor", name, [*robot.sensors, *aliases])
    return aliases[name]


def _entries(table: list[dict[str, Any]], row: Callable[..., Row]) -> tuple[Entry[Row], ...]:
    entries = []
    for line in table:
        printed = row(*line["printed"]) if "printed" in line else None
        correct = row(*line["correct"]) if "correct" in line else row(*line["printed"])
        also = tuple(row(*other) for other in line.get("also", ()))
        entries.append(Entry(printed, correct, tuple(line.get("see", ())), tuple(line.get("known_as", ())), also))
    return tuple(entries)


def _axis_row(joint: str, kind: str, axis: list[float] | None = None) -> AxisRow:
    return AxisRow(joint, kind, (float(axis[0]), float(axis[1]), float(axis[2])) if axis else None, None, None)


def _with_limits(entries: tuple[Entry[AxisRow], ...], said: dict[str, Any]) -> tuple[Entry[AxisRow], ...]:
    """Return the axes with the limits of a robot in the corrected rows; fixed joints have none."""
    limits = board_limits(said["robot"], said["kind"])
    limited = []
    for entry in entries:
        lower, upper = limits[entry.correct.joint] if entry.correct.axis else (None, None)
        correct = entry.correct._replace(lower=lower, upper=upper)
        limited.append(replace(entry, correct=correct, deviations=(*entry.deviations, *said["see"])))
    return tuple(limited)


def _vectors(said: dict[str, list[float]]) -> dict[str, tuple[float, float, float]]:
    return {joint: (float(x), float(y), float(z)) for joint, (x, y, z) in said.items()}
