"""`kinetree limits MODEL`, with `check` and `widen`: limits over several joints."""

from __future__ import annotations

from pathlib import Path

import click

from kinetree.cli._json import print_json
from kinetree.cli._limits.check import check
from kinetree.cli._limits.widen import widen
from kinetree.cli._model import json_option, robot_argument
from kinetree.cli._output import check_new, force_option
from kinetree.errors import fail
from kinetree.model.robot import Robot


class _Limits(click.Group):
    """`limits MODEL` is `limits show MODEL`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in (*self.commands, "--help"):
            args = ["show", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_Limits)
def command() -> None:
    """Print what limits over several joints forbid, and whether a motion stays within all limits. `kinetree limits
    MODEL` is `kinetree limits show MODEL`; --limits gives MODEL other limits."""


@command.command()
@robot_argument
@click.option("--plot", metavar="FILE", type=click.Path(path_type=Path), help="Draw it: a .png, .svg or .pdf.")
@force_option
@json_option
def show(robot: Robot, plot: Path | None, force: bool, as_json: bool) -> None:
    """Print how much of the joints' box each limit of MODEL forbids, and the largest box that is allowed."""
    from kinetree.solvers.limits.report import report

    if plot:
        check_new(plot, force)
    reports = report(robot)
    if plot:
        if not reports:
            raise fail("plot", f"robot {robot.name!r} has no limits over several joints, which could be drawn")
        from kinetree.cli._limits.figure import limits_figure
        from kinetree.formats.output import write_whole

        write_whole(plot, limits_figure(robot, reports, plot.suffix))
    if as_json:
        print_json({"blocks": reports})
        return
    from kinetree.cli._limits.page import limits_page
    from kinetree.cli._page import print_page

    if reports:
        print_page(limits_page(robot, reports))
    else:
        print(f"robot {robot.name!r} has no limits over several joints; --limits gives it some")


command.add_command(check)
command.add_command(widen)
