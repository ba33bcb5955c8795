"""`kinetree limits check MODEL FILE.csv`: whether a motion stays within all limits."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Literal

import click
import numpy as np

from kinetree.cli._json import print_json
from kinetree.cli._model import json_option, robot_argument
from kinetree.errors import Finding, KinetreeError, Source, nearest_names
from kinetree.model.limits import resolve_mimic
from kinetree.model.robot import Robot
from kinetree.spatial.se3 import Array

TIMES = ("time", "t")
FOLLOWS = 1e-3
"""Largest difference of a follower's column from the value by its leader, rad or m."""


@click.command("check")
@robot_argument
@click.argument("file", metavar="FILE.csv", type=click.Path(path_type=Path))
@click.option("--unit", type=click.Choice(["rad", "deg"]), required=True, help="Of the angles in FILE.")
@json_option
def check(robot: Robot, file: Path, unit: Literal["rad", "deg"], as_json: bool) -> None:
    """Print when, by which limit and by how much a motion leaves the limits of MODEL.

    FILE.csv has a row a sample, under the names of joints; `time` or `t` is a column of times. Joints without a column
    stay neutral, and limits about them alone are not checked. Exit status 0 if the whole motion is inside, 1 if not, 2
    if something cannot be read.
    """
    from kinetree.solvers.limits.report import units, violations

    q, times, named = _read(file, robot, unit)
    found = violations(robot, q, named)
    if as_json:
        print_json({"samples": len(q), "violations": found, "times": times})
    else:
        kinds = dict(zip(robot.limits.names, units(robot), strict=True))
        for violation in found:
            when = " to ".join(_when(i, times) for i in dict.fromkeys((violation.first, violation.last)))
            in_degrees = unit == "deg" and kinds[violation.limit] == "rad"
            depth = np.rad2deg(violation.depth) if in_degrees else violation.depth
            by = f"{depth:.6g} {'deg' if in_degrees else kinds[violation.limit]}"
            print(f"{when}: outside of {violation.limit}, by {by} at {_when(violation.worst, times)}")
        print(f"samples: {len(q)}, " + (f"stretches outside of a limit: {len(found)}" if found else "all inside"))
    sys.exit(int(bool(found)))


def _when(sample: int, times: Array | None) -> str:
    return f"sample {sample}" if times is None else f"t = {times[sample]:g}"


def _read(file: Path, robot: Robot, unit: Literal["rad", "deg"]) -> tuple[Array, Array | None, list[str]]:
    """Return q (n, nq) of a file, its times (n,), if it has any, and the joints that it names."""
    from kinetree.formats.opener import read_file
    from kinetree.formats.table import cells_of

    rows = [cells_of(line) for line in read_file(file).decode("utf-8-sig", "replace").splitlines()]
    head = [cell.strip() for cell in rows[0]] if rows else []
    _check_head(file, head, robot)
    lines = [i for i, row in enumerate(rows[1:], 2) if row]
    table = np.array([_numbers(file, i, rows[i - 1], head) for i in lines]).reshape(-1, len(head))
    if not len(table):
        raise _fault(file, 1, "there are no samples below the names")
    columns = {name: table[:, i] for i, name in enumerate(head)}
    own = [name for name in head if name in robot.joint_names]
    q = np.array([robot.q({name: columns[name][k] for name in own}, unit=unit) for k in range(len(table))])
    for name in head:
        if name in robot.joints and name not in own:
            _check_follower(file, lines, robot, q, name, columns[name], unit)
    time = next((columns[name] for name in head if name in TIMES), None)
    if time is not None and (np.diff(time) < 0).any():
        raise _fault(file, lines[int(np.argmin(np.diff(time))) + 1], "goes back in time")
    return q, time, own or list(robot.joint_names)


def _check_head(file: Path, head: list[str], robot: Robot) -> None:
    single = [name for name in robot.joints if robot.joints[name].kind.single]
    for name in head:
        if head.count(name) > 1:
            raise _fault(file, 1, f"column {name!r} stands twice")
        if name in robot.joints and name not in single:
            raise _fault(file, 1, f"column {name!r} is a {robot.joints[name].type} joint, not of one number")
        if name not in (*TIMES, *single):
            said = nearest_names(name, [*TIMES, *single])
            raise _fault(file, 1, f"column {name!r} is no joint with a coordinate; {said}")
    if not set(head) - set(TIMES):
        raise _fault(file, 1, "there are no names of joints; the first line has them")
    if set(TIMES) <= set(head):
        raise _fault(file, 1, "has two columns of times; legal is one")


def _check_follower(
    file: Path, lines: list[int], robot: Robot, q: Array, name: str, said: Array, unit: Literal["rad", "deg"]
) -> None:
    """Raise KinetreeError if the column of a follower contradicts that of its leader."""
    leader, multiplier, offset = resolve_mimic(robot, name)
    scale = np.deg2rad(1.0) if unit == "deg" and robot.joints[name].kind.angular[0] else 1.0
    off = np.abs(multiplier * q[:, robot.q_slices[leader].start] + offset - scale * said)
    if off.max() > FOLLOWS:
        raise _fault(file, lines[int(np.argmax(off))], f"{name!r} follows {leader!r}, and is {off.max():.3g} off")


def _numbers(file: Path, line: int, row: list[str], head: list[str]) -> list[float]:
    if len(row) != len(head):
        raise _fault(file, line, f"has {len(row)} cells under {len(head)} names")
    try:
        numbers = [float(cell) for cell in row]
    except ValueError:
        raise _fault(file, line, f"holds something else than numbers: {', '.join(row)}") from None
    if not np.isfinite(numbers).all():
        raise _fault(file, line, f"holds what is not finite: {', '.join(row)}")
    return numbers


def _fault(file: Path, line: int, message: str) -> KinetreeError:
    return KinetreeError(Finding("motion", "error", message, Source(str(file), line)))
