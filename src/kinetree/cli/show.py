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
from kinetree.logs import Motion, read_motion
from kinetree.model.robot import Robot
from kinetree.spatial.se3 import Array
from kinetree.viewing.show import View, view_of


def _page(robot: Robot, q: Array | None, profile: str, faces: int | None, motion: Motion | None) -> View:
    view = view_of(robot, q, profile=profile, faces=faces, motion=motion)
    print_findings([finding for finding in view.findings if finding.code == "shape-not-shown"])
    return view


def _motion(robot: Robot, file: Path, in_degrees: bool) -> Motion:
    motion = read_motion(robot, file, unit="deg" if in_degrees else "rad")
    still = [name for name in robot.coordinate_names if name not in motion.names]
    if still:
        print(f"{file}: without a column, and staying as they are: {', '.join(still)}", file=sys.stderr)
    return motion


WRITERS: Mapping[str, Callable[[Robot, Array | None, str, int | None, Motion | None], str | bytes]] = {
    ".html": lambda *arguments: _page(*arguments).html,
}
"""Functions of a robot, q, the profile, the number of faces and a motion that return a file, by its ending."""


@click.command()
@robot_argument
@click.option("--profile", type=click.Choice(list(PROFILES)), default=DEFAULT, help="Conventions of the findings.")
@click.option("--faces", type=click.IntRange(1), metavar="N", help="Make mesh files coarser: about N triangles each.")
@assignments("--q", "values", "JOINT=VALUE", "A joint's first coordinate (m, rad), or several as 1,2,3.")
@click.option("--motion", "file", metavar="FILE.csv", type=click.Path(path_type=Path), help="A motion that plays.")
@click.option("--deg", "in_degrees", is_flag=True, help="Angles in --q and in FILE.csv are in degrees.")
@click.option("-o", "--output", metavar="FILE", type=click.Path(path_type=Path), help="The file to write.")
@force_option
def command(
    robot: Robot,
    profile: str,
    faces: int | None,
    values: dict[str, str],
    file: Path | None,
    in_degrees: bool,
    output: Path | None,
    force: bool,
) -> None:
    """Show MODEL in the browser, or write a page that needs no network to FILE.html.

    FILE.csv has a row a sample, under the names of joints in any order; `time`, `t` or `stamp` is a column of times in
    s. Joints without a column stay as they are.
    """
    if output is not None:
        if output.suffix.lower() not in WRITERS:
            raise fail("format", f"cannot write a view to {output.name!r}; legal endings are {', '.join(WRITERS)}")
        check_new(output, force)
        check_no_input(str(output), [robot.source.file] if robot.source else [])
    q = configuration(robot, values, in_degrees) if values else None
    motion = _motion(robot, file, in_degrees) if file else None
    if output is None:
        print(_page(robot, q, profile, faces, motion).open())
        return
    write_whole(output, WRITERS[output.suffix.lower()](robot, q, profile, faces, motion))
    print(f"wrote {output}: {output.stat().st_size / 1e6:.1f} MB", file=sys.stderr)
