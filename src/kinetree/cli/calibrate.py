"""`kinetree calibrate MODEL POSES.csv`: do a model and a controller agree?"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import click
import numpy as np

from kinetree.cli._json import print_json
from kinetree.cli._model import json_option, robot_argument
from kinetree.controllers.controller import Controller
from kinetree.errors import Finding, KinetreeError, Source, nearest_names
from kinetree.formats.numbers import number
from kinetree.model.robot import Robot
from kinetree.spatial.se3 import Array

POSE = "pose"
"""The column of poses as the pendant writes them."""


@click.command()
@robot_argument
@click.argument("file", metavar="POSES.csv", type=click.Path(path_type=Path))
@click.option("--vendor", required=True, metavar="KEY", help="Whose controller: abb, fanuc, kuka, universal_robots, …")
@click.option("--robot-model", default="", metavar="NAME", help="Whose coupling of joints holds; by default MODEL's.")
@click.option("--base", default="base", show_default=True, help="MODEL's name of the controller's frame.")
@click.option("--tool0", default="tool0", show_default=True, help="MODEL's name of the tool of zeros.")
@click.option("--base-link", default="base_link", show_default=True, help="MODEL's name of the robot's foot.")
@click.option("--flange", default="flange", show_default=True, help="MODEL's name of the flange.")
@json_option
def command(
    robot: Robot,
    file: Path,
    vendor: str,
    robot_model: str,
    base: str,
    tool0: str,
    base_link: str,
    flange: str,
    as_json: bool,
) -> None:
    """Do MODEL and a controller agree, and if not, what must base, tool0 and the signs of joints be?

    POSES.csv has a line a pose, under names: the joints (deg, mm) as MODEL names them or J1, J2, …, from base to tool0,
    then the numbers of the pose, or one column `pose` as the pendant writes it. Exit status 0 if they agree, 1 if not,
    2 if something cannot be read.
    """
    from kinetree.queries.controllers import of
    from kinetree.solvers.calibrate import calibrate
    from kinetree.solvers.calibrate_arm import arm

    who = of(vendor)
    names = arm(robot, (base, tool0), (base_link, flange)).joints
    joints, poses = _read(file, who, names)
    result = calibrate(
        robot, who, joints, poses, robot_model, base=base, tool0=tool0, base_link=base_link, flange=flange
    )
    if as_json:
        print_json(result)
    else:
        print(result)
    sys.exit(0 if result.agrees else 1)


def _read(file: Path, who: Controller, names: tuple[str, ...]) -> tuple[Array, Array]:
    """joints (k, n) and poses (k, 6 or 7) of a file, in the controller's units."""
    from kinetree.formats.opener import read_file

    text = read_file(file).decode("utf-8-sig", "replace")
    lines = [(i, line.partition("#")[0]) for i, line in enumerate(text.splitlines(), 1)]
    lines = [(i, line) for i, line in lines if line.strip(" \t,;")]
    if not lines:
        raise _fault(file, 1, "there is nothing in it; legal is a line of names, and one for each pose")
    first, head = lines[0]
    separator = ";" if ";" in head else ","
    rows = [(i, _cells(line, separator)) for i, line in lines]
    columns = _columns(file, first, rows[0][1], who, names)
    if len(rows) == 1:
        raise _fault(file, first, "there are no poses below the names")
    numbers = [_numbers(file, i, row, rows[0][1], columns, who) for i, row in rows[1:]]
    table = np.array(numbers)
    return table[:, : len(names)], table[:, len(names) :]


def _cells(line: str, separator: str) -> list[str]:
    row = next(csv.reader([line], delimiter=separator, skipinitialspace=True))
    return [cell.strip() for cell in row]


def _columns(file: Path, line: int, head: list[str], who: Controller, names: tuple[str, ...]) -> list[int]:
    """Where the joints are, from base to tool0, and then the numbers of the pose, or the one that is its text."""
    given = [name.lower() for name in head]
    for name in given:
        if given.count(name) > 1:
            raise _fault(file, line, f"column {name!r} stands twice")
    own = [name.lower() for name in names]
    wanted = own if set(own) & set(given) else [f"j{i + 1}" for i in range(len(names))]
    pose = [POSE] if POSE in given else [name.lower() for name in who.components]
    for name, as_given in zip(given, head, strict=True):
        if name not in (*wanted, *pose):
            said = nearest_names(as_given, [*names, *(f"J{i + 1}" for i in range(len(names))), *who.components, POSE])
            raise _fault(file, line, f"column {as_given!r} is neither a joint nor of a pose of {who.name}; {said}")
    for name in (*wanted, *pose):
        if name not in given:
            legal = f"{', '.join(names)} or J1 to J{len(names)}, and {', '.join(who.components)} or {POSE}"
            raise _fault(file, line, f"there is no column {name!r}; legal are {legal}")
    return [given.index(name) for name in (*wanted, *pose)]


def _numbers(
    file: Path, line: int, row: list[str], head: list[str], columns: list[int], who: Controller
) -> list[float]:
    from kinetree.controllers.text import parsed

    if len(row) != len(head):
        fix = "; a pose that has commas stands in quotation marks" if POSE in map(str.lower, head) else ""
        raise _fault(file, line, f"has {len(row)} cells under {len(head)} names{fix}")
    values: list[float] = []
    for column in columns:
        if head[column].lower() == POSE:
            try:
                values += parsed(who, row[column]).values.tolist()
            except KinetreeError as error:
                raise _fault(file, line, error.findings[0].message) from None
            continue
        value = number(row[column])
        if value is None:
            raise _fault(file, line, f"column {head[column]!r} is {row[column]!r}; legal is a finite number, as 12.5")
        values.append(value)
    wanted = len(columns) if POSE not in map(str.lower, head) else len(columns) - 1 + len(who.components)
    if len(values) != wanted:
        count = len(values) - len(columns) + 1
        raise _fault(file, line, f"the pose has {count} numbers; a pose of {who.name} is {who.format}")
    return values


def _fault(file: Path, line: int, message: str) -> KinetreeError:
    return KinetreeError(Finding("poses", "error", message, Source(str(file), line)))
