"""`kinetree limits MODEL`, with `check` and `widen`: limits over several joints."""

import sys
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal

import click
import numpy as np

from kinetree.cli._help import FILE, Commands, argument, option
from kinetree.cli._joints import with_joints
from kinetree.cli._model import json_option, robot_argument
from kinetree.cli._motion import print_violations, report_motion
from kinetree.cli._output import check_new, force_option, print_json, without_option
from kinetree.cli._pendant import CommandArm, arm_of, with_arm
from kinetree.cli._say import say
from kinetree.errors import fail, unknown_name
from kinetree.model.robot import Robot


class _Limits(Commands):
    """`limits MODEL` is `limits show MODEL`."""

    section = "Compute"

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in (*self.commands, "--help"):
            args = ["show", *args]
        return super().parse_args(ctx, args)


@click.command(cls=_Limits, short_help="Print what limits over several joints forbid; check a motion.")
def command() -> None:
    """Print which positions limits over several joints forbid, and whether a motion stays inside all limits.

    `kinetree limits MODEL` is `kinetree limits show MODEL`."""


@command.command(example="kinetree limits show icub --limits tendons", hides=("inertias",))
@robot_argument
@with_joints()
@option("--plot FILE", "Draw the limits into a .png, .svg or .pdf file.", type=FILE)
@option("--reach FRAME", "Print how limits reduce the places that this frame reaches.")
@force_option
@json_option
def show(robot: Robot, plot: Path | None, reach: str | None, force: bool, as_json: bool) -> None:
    """Print how much each limit over several joints forbids.

    Also print the largest ranges of the joints that are allowed together."""
    from kinetree.solvers.limits.report import report

    if plot:
        check_new(plot, force)
    if reach:
        _show_places(robot, reach, plot, as_json)
        return
    reports = report(robot)
    if plot:
        if not reports:
            raise fail("plot", f"robot {robot.name!r} has no limits over several joints, which could be drawn")
        from kinetree.cli._limits_page import limits_figure
        from kinetree.files.output import write_whole

        write_whole(plot, limits_figure(robot, reports, plot.suffix))
    if as_json:
        print_json({"blocks": reports})
        return
    from kinetree.cli._limits_page import limits_page
    from kinetree.cli._page import print_page

    if reports:
        print_page(limits_page(robot, reports))
    else:
        say(f"robot {robot.name!r} has no limits over several joints; --limits gives it some")


@command.command(example="kinetree limits check arm.urdf motion.csv --unit deg", hides=("inertias",))
@robot_argument
@with_joints(names=arm_of)
@argument("file", "Table of joint values (CSV), or a bag of ROS 2.", metavar="MOTION", type=FILE)
@option("--unit", "Unit of angles in a CSV and in the output; a bag is in rad.", type=["rad", "deg"], required=True)
@with_arm
@json_option
def check(robot: Robot, file: Path, unit: Literal["rad", "deg"], arm: CommandArm | None, as_json: bool) -> None:
    """Print when and by how much a motion leaves the limits.

    MOTION is a CSV, or a bag of ROS 2 (.mcap, .db3, or their folder) with joint states. A CSV has a row for each
    sample, under the names of joints; `time`, `t` or `stamp` is a column of times in s. Joints without a column stay
    neutral, and their own limits are not checked. Exit status 0 if the whole motion is inside, 1 if not, 2 if something
    cannot be read."""
    from kinetree.logs import filled, read_motion
    from kinetree.solvers.limits.report import violations

    motion = arm.motion(file, unit) if arm else read_motion(robot, file, unit=unit)
    q, times = filled(robot, motion, robot.q()), motion.times
    found = violations(robot, q, motion.names)
    report_motion(robot, motion, file)
    if as_json:
        print_json({"samples": len(q), "violations": found, "times": times})
    else:
        print_violations(robot, file, found, times, len(q), unit)
    sys.exit(int(bool(found)))


PRINTED = ("rows", "by", "most", "before", "after", "gap", "first", "last", "worth")


@command.command(example='kinetree limits widen icub --by "left_arm tendons *=20" --unit deg')
@robot_argument
@option("--by LIMIT=MOST", "Let a limit move, at most by this (--unit, m); * in a name is any text. Repeatable.", "by")
@option("--unit", "Unit of angles, also in --by and --total.", type=["rad", "deg"], required=True)
@option("--total", "Largest sum of all amounts, in --unit or m.  [default: no limit]", type=float)
@option("--reach FRAME", "Gain places that this frame reaches, instead of joint positions.")
@option("--base FRAME", "Frame of these places.  [default: the root link]")
@option("--radius MM", "Radius of the tendons' pulleys (mm), to print lengths too.", type=float)
@option("-o, --output", "Write the robot with the new limits here.", type=FILE)
@without_option
@force_option
@json_option
@click.pass_context
def widen(
    ctx: click.Context,
    robot: Robot,
    by: tuple[str, ...],
    unit: Literal["rad", "deg"],
    total: float | None,
    reach: str | None,
    base: str | None,
    radius: float | None,
    output: Path | None,
    without: tuple[str, ...],
    force: bool,
    as_json: bool,
) -> None:
    """Print which limits to move out to gain the most space.

    Limits over several joints are, for example, those of tendons.

    The limits share the amount --total; without it, all move as far as --by allows. Limits that gain nothing stay. For
    each limit, print how far it moves, the gain of the first and the last unit, and the loss without it."""
    from kinetree.saving import save
    from kinetree.solvers.limits import widen as solver

    if not by:
        raise click.UsageError("--by says which limits may be moved, such as --by 'left_arm tendons *=20'")
    if base and not reach:
        raise click.UsageError("--base goes with --reach")
    for flag, value in (("--total", total), ("--radius", radius)):
        if value is not None and not (0 < value < np.inf or (value == 0 and flag == "--total")):
            raise click.BadParameter(f"{value:g} is no finite amount above 0", param_hint=flag)
    if output:
        check_new(output, force)
    ctx.meta["kinetree.all"] = True
    scales = _scales(robot, unit)
    most = {row: amount * scales[row] for row, amount in _amounts(robot, by).items()}
    plan = solver.widen(
        robot, most, total=None if total is None else total * scales[next(iter(most))], reach=reach, base=base
    )
    if output:
        save(plan.robot, output, without=without)
    if as_json:
        print_json({name: getattr(plan, name) for name in PRINTED})
        return
    from kinetree.cli._limits_page import widening_page
    from kinetree.cli._page import print_page

    print_page(widening_page(plan, {row: scales[row] for row in plan.rows}, unit, reach, radius))


def _scales(robot: Robot, unit: Literal["rad", "deg"]) -> dict[str, float]:
    """Return one unit of each row in rad or m; rows about lengths are in m."""
    from kinetree.solvers.limits.report import units

    degree = float(np.deg2rad(1.0)) if unit == "deg" else 1.0
    of = zip(robot.limits.row_names, units(robot)[2 * robot.nq :], strict=True)
    return {row: degree if kind == "rad" else 1.0 for row, kind in of}


def _amounts(robot: Robot, by: tuple[str, ...]) -> dict[str, float]:
    from kinetree.solvers.limits.widen import widenable

    known, rows = widenable(robot), robot.limits.row_names
    found: dict[str, float] = {}
    sayings: dict[str, str] = {}
    for text in by:
        pattern, sign, amount = text.rpartition("=")
        try:
            number = float(amount)
        except ValueError:
            number = np.nan
        if not sign or not pattern or np.isnan(number):
            raise click.BadParameter(f"{text!r} is not of the form limit=number", param_hint="--by")
        names = {rows[i] for name, i in known.items() if name == pattern or fnmatchcase(name, pattern)}
        if not names:
            raise unknown_name("limit", pattern, list(known))
        for row in (row for row in rows if row in names):
            if row in found:
                raise click.BadParameter(f"{row!r} is meant by {sayings[row]!r} and by {text!r}", param_hint="--by")
            found[row], sayings[row] = number, text
    return found


def _show_places(robot: Robot, frame: str, plot: Path | None, as_json: bool) -> None:
    from kinetree.cli._limits_page import places_figure, places_page
    from kinetree.cli._page import print_page
    from kinetree.solvers.limits.places import SETS, places

    found = places(robot, frame)
    if plot:
        from kinetree.files.output import write_whole

        write_whole(plot, places_figure(robot, found, plot.suffix))
    if as_json:
        ends, bands = found.by_height()
        heights = [{"from": end, **dict(zip(SETS, band, strict=True))} for end, band in zip(ends, bands.T, strict=True)]
        volumes = dict(zip(SETS, found.volumes, strict=True))
        print_json({"frame": frame, "base": found.base, "joints": found.joints, "volumes": volumes, "heights": heights})
    else:
        print_page(places_page(robot, found))
