"""`kinetree limits MODEL` and `kinetree limits check MODEL FILE.csv`: limits over several joints."""

from __future__ import annotations

import csv
import sys
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal

import click
import numpy as np

from kinetree.cli._json import print_json
from kinetree.cli._model import assignments, json_option, robot_argument
from kinetree.errors import Finding, KinetreeError, Source, nearest_names, unknown_name
from kinetree.model.robot import Robot
from kinetree.spatial.se3 import Array

TIMES = ("time", "t")
WIDENING = ("rows", "by", "most", "before", "after", "gap", "first", "last", "worth")


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
@click.option("--plot", metavar="FILE", type=click.Path(path_type=Path), help="Draw it: a .png, .svg or .pdf.")
@json_option
def show(robot: Robot, plot: Path | None, as_json: bool) -> None:
    """How much of the joints' box each limit of MODEL forbids, and the largest box that is allowed."""
    from kinetree.solvers.limit_report import report

    reports = report(robot)
    if plot and reports:
        from kinetree.cli._limits_figure import limits_figure
        from kinetree.formats.output import write_files

        write_files({plot: limits_figure(robot, reports, plot.suffix)})
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


@command.command()
@robot_argument
@assignments("--by", "by", "LIMIT=MOST", "How far a limit may be moved; * stands for any letters.")
@click.option("--unit", type=click.Choice(["rad", "deg"]), required=True, help="Of the amounts; lengths are in m.")
@click.option("--total", type=float, help="How far all of them together may be moved.")
@click.option("--reach", metavar="FRAME", help="Make what this frame reaches large, not the room of the joints.")
@click.option("--base", metavar="FRAME", help="From which that is seen; by default the root.")
@click.option("--radius", type=float, metavar="MM", help="Of the pulleys of tendons, to say amounts in mm too.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Where the robot is written, with these limits.")
@json_option
def widen(
    robot: Robot,
    by: dict[str, str],
    unit: Literal["rad", "deg"],
    total: float | None,
    reach: str | None,
    base: str | None,
    radius: float | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Which limits over several joints of MODEL, such as tendons, to move out for the most room.

    Of a total, or all that may be; limits that gain nothing stay. For each limit: by how much, what a unit gains at
    first and at last, and what would be lost without it.
    """
    from kinetree.load import save
    from kinetree.solvers.widen import widen

    if not by:
        raise click.UsageError("--by says which limits may be moved, such as --by 'left_arm tendons *=20'")
    if base and not reach:
        raise click.UsageError("--base goes with --reach")
    if radius is not None and not 0 < radius < np.inf:
        raise click.BadParameter("legal is a length above 0, in mm", param_hint="--radius")
    scale = np.deg2rad(1.0) if unit == "deg" else 1.0
    most = {name: scale * amount for name, amount in _amounts(robot, by).items()}
    plan = widen(robot, most, total=None if total is None else scale * total, reach=reach, base=base)
    if output:
        save(plan.robot, output)
    if as_json:
        print_json({name: getattr(plan, name) for name in WIDENING})
        return
    from kinetree.cli._limits_page import widening_page
    from kinetree.cli._page import print_page

    print_page(widening_page(plan, unit, reach, radius))


def _amounts(robot: Robot, by: dict[str, str]) -> dict[str, float]:
    """Names of rows, or what they match, to amounts."""
    rows = robot.limits.row_names
    found: dict[str, float] = {}
    for pattern, text in by.items():
        try:
            amount = float(text)
        except ValueError:
            raise click.BadParameter(f"{text!r} is no number", param_hint="--by") from None
        names = [row for row in rows if fnmatchcase(row, pattern)] if "*" in pattern else [pattern]
        if not names:
            raise unknown_name("limit", pattern, list(rows))
        found |= dict.fromkeys(names, amount)
    return found


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
