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
@click.option("--reach", metavar="FRAME", help="Print what limits take from the places that this frame reaches.")
@force_option
@json_option
def show(robot: Robot, plot: Path | None, reach: str | None, force: bool, as_json: bool) -> None:
    """Print how much of the joints' box each limit of MODEL forbids, and the largest box that is allowed."""
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


def _show_places(robot: Robot, frame: str, plot: Path | None, as_json: bool) -> None:
    from kinetree.cli._limits.places import places_figure, places_page
    from kinetree.cli._page import print_page
    from kinetree.solvers.limits.places import SETS, places

    found = places(robot, frame)
    if plot:
        from kinetree.formats.output import write_whole

        write_whole(plot, places_figure(robot, found, plot.suffix))
    if as_json:
        ends, bands = found.by_height()
        heights = [{"from": end, **dict(zip(SETS, band, strict=True))} for end, band in zip(ends, bands.T, strict=True)]
        volumes = dict(zip(SETS, found.volumes, strict=True))
        print_json({"frame": frame, "base": found.base, "joints": found.joints, "volumes": volumes, "heights": heights})
    else:
        print_page(places_page(robot, found))


command.add_command(check)
command.add_command(widen)
