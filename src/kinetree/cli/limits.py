"""`kinetree limits MODEL` and `kinetree limits check MODEL FILE.csv`: limits over several joints."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Literal

import click
import numpy as np

from kinetree.cli._json import print_json
from kinetree.cli._model import json_option, robot_argument
from kinetree.errors import Finding, KinetreeError, Source, nearest_names
from kinetree.model.robot import Robot
from kinetree.spatial.se3 import Array

TIMES = ("time", "t")


class _Limits(click.Group):
    """`limits MODEL` is `limits show MODEL`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in (*self.commands, "--help"):
            args = ["show", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_Limits)
def command() -> None:
    """What limits over several joints forbid, and whether a motion keeps to all limits.

    `kinetree limits MODEL` is `kinetree limits show MODEL`; --limits says which limits it shall have.
    """


@command.command()
@robot_argument
@json_option
def show(robot: Robot, as_json: bool) -> None:
    """How much of the joints' box each limit of MODEL forbids, and the largest box that is allowed."""
    from kinetree.solvers.limit_report import report

    reports = report(robot)
    if as_json:
        print_json({"blocks": reports})
        return
    from kinetree.cli._limits_page import limits_page
    from kinetree.cli._page import print_page

    if reports:
        print_page(limits_page(robot, reports))
    else:
        print(f"robot {robot.name!r} has no limits over several joints; --limits gives it some")


@command.command()
@robot_argument
@click.argument("file", metavar="FILE.csv", type=click.Path(path_type=Path))
@click.option("--unit", type=click.Choice(["rad", "deg"]), required=True, help="Of the angles in FILE.")
@json_option
def check(robot: Robot, file: Path, unit: Literal["rad", "deg"], as_json: bool) -> None:
    """When, by which limit and by how much a motion of MODEL is outside of its limits.

    FILE.csv has a row a sample, under the names of joints; `time` or `t` is a column of times, and joints that are not
    named stay neutral. Exit status 0 if all of it is inside, 1 if not, 2 if something cannot be read.
    """
    from kinetree.solvers.limit_report import violations

    q, times = _read(file, robot, unit)
    found = violations(robot, q)
    if as_json:
        print_json({"samples": len(q), "violations": found, "times": None if times is None else times})
    else:
        for violation in found:
            when = " to ".join(_when(i, times) for i in dict.fromkeys((violation.first, violation.last)))
            worst = f"{violation.depth:.6g} at {_when(violation.worst, times)}"
            print(f"{when}: outside of {violation.limit}, by {worst}")
        print(f"samples: {len(q)}, " + (f"stretches outside of a limit: {len(found)}" if found else "all inside"))
    sys.exit(int(bool(found)))


def _when(sample: int, times: Array | None) -> str:
    return f"sample {sample}" if times is None else f"t = {times[sample]:g}"


def _read(file: Path, robot: Robot, unit: Literal["rad", "deg"]) -> tuple[Array, Array | None]:
    """q (n, nq) of a file and its times (n,), if it has any."""
    from kinetree.formats.opener import read_file

    rows = list(csv.reader(read_file(file).decode("utf-8-sig", "replace").splitlines(), skipinitialspace=True))
    head = [cell.strip() for cell in rows[0]] if rows else []
    legal = [*TIMES, *robot.joint_names]
    for name in head:
        if name not in legal or head.count(name) > 1:
            said = (
                "stands twice"
                if head.count(name) > 1
                else f"is no joint with a coordinate; {nearest_names(name, legal)}"
            )
            raise _fault(file, 1, f"column {name!r} {said}")
    if not set(head) - set(TIMES):
        raise _fault(file, 1, "there are no names of joints; the first line has them")
    table = np.array([_numbers(file, i, row, head) for i, row in enumerate(rows[1:], 2) if row]).reshape(-1, len(head))
    samples = ({name: row[i] for i, name in enumerate(head) if name not in TIMES} for row in table)
    q = np.array([robot.q(sample, unit=unit) for sample in samples]).reshape(-1, robot.nq)
    time = next((i for i, name in enumerate(head) if name in TIMES), None)
    return q, None if time is None else table[:, time]


def _numbers(file: Path, line: int, row: list[str], head: list[str]) -> list[float]:
    if len(row) != len(head):
        raise _fault(file, line, f"has {len(row)} cells under {len(head)} names")
    try:
        return [float(cell) for cell in row]
    except ValueError:
        raise _fault(file, line, f"holds something else than numbers: {', '.join(row)}") from None


def _fault(file: Path, line: int, message: str) -> KinetreeError:
    return KinetreeError(Finding("motion", "error", message, Source(str(file), line)))
