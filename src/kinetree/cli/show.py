"""`kinetree show`: a robot in the browser, or in a file."""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import click

from kinetree.cli._findings import print_findings
from kinetree.cli._model import assignments, configuration, robot_argument
from kinetree.cli._output import check_new, check_no_input, force_option
from kinetree.conventions.profiles import DEFAULT, PROFILES
from kinetree.errors import fail
from kinetree.formats.output import write_whole
from kinetree.model.robot import Robot
from kinetree.spatial.se3 import Array
from kinetree.viewing.show import View, view_of


def _page(robot: Robot, q: Array | None, profile: str, faces: int | None) -> View:
    view = view_of(robot, q, profile=profile, faces=faces)
    print_findings([finding for finding in view.findings if finding.code == "shape-not-shown"])
    return view


WRITERS: Mapping[str, Callable[[Robot, Array | None, str, int | None], str | bytes]] = {
    ".html": lambda *arguments: _page(*arguments).html,
}
"""Functions of a robot, q, the profile and the number of faces that return a file, by its ending."""


@click.command()
@robot_argument
@click.option("--profile", type=click.Choice(list(PROFILES)), default=DEFAULT, help="Conventions of the findings.")
@click.option("--faces", type=click.IntRange(1), metavar="N", help="Make mesh files coarser: about N triangles each.")
@assignments("--q", "values", "JOINT=VALUE", "A joint's first coordinate (m, rad), or several as 1,2,3.")
@click.option("--deg", "in_degrees", is_flag=True, help="Angles in --q are in degrees.")
@click.option("-o", "--output", metavar="FILE", type=click.Path(path_type=Path), help="The file to write.")
@force_option
def command(
    robot: Robot,
    profile: str,
    faces: int | None,
    values: dict[str, str],
    in_degrees: bool,
    output: Path | None,
    force: bool,
) -> None:
    """Show MODEL in the browser, or write a page that needs no network to FILE.html."""
    if output is not None:
        if output.suffix.lower() not in WRITERS:
            raise fail("format", f"cannot write a view to {output.name!r}; legal endings are {', '.join(WRITERS)}")
        check_new(output, force)
        check_no_input(str(output), [robot.source.file] if robot.source else [])
    q = configuration(robot, values, in_degrees) if values else None
    if output is None:
        print(_page(robot, q, profile, faces).open())
        return
    write_whole(output, WRITERS[output.suffix.lower()](robot, q, profile, faces))
    print(f"wrote {output}: {output.stat().st_size / 1e6:.1f} MB", file=sys.stderr)
