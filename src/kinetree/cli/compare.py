"""`kinetree compare A B`: whether two robots are the same, and where they differ."""

import sys
from pathlib import Path

import click

from kinetree.cli._findings import print_findings
from kinetree.cli._json import print_json
from kinetree.cli._model import json_option, two_robot_arguments
from kinetree.cli._output import check_new, check_no_input, force_option
from kinetree.errors import fail
from kinetree.model.robot import Robot
from kinetree.rules.profiles import PROFILES

_POSITIVE = click.FloatRange(min=0, min_open=True)


@click.command()
@two_robot_arguments
@click.option("--any-base", is_flag=True, help="A constant between the two root frames does not make them different.")
@click.option("--tolerance", type=_POSITIVE, default=1e-5, show_default=True, help="Of poses, m and rad.")
@click.option("--relative", type=_POSITIVE, default=1e-5, show_default=True, help="Of masses, inertias and limits.")
@click.option("-o", "--output", metavar="FILE", type=click.Path(path_type=Path), help="A page to write, FILE.html.")
@force_option
@click.option(
    "--profile", type=click.Choice(list(PROFILES)), help="Of the findings in the page; by default those of its kind."
)
@click.option(
    "--faces", type=click.IntRange(1), metavar="N", help="Make the page's meshes coarser: N triangles a file."
)
@json_option
def command(
    a: Robot,
    b: Robot,
    any_base: bool,
    tolerance: float,
    relative: float,
    output: Path | None,
    force: bool,
    profile: str | None,
    faces: int | None,
    as_json: bool,
) -> None:
    """Print whether the robots A and B are the same, names aside, and where they differ.

    With -o, a page that needs no network shows both, laid over each other, with their differences, also of shapes, and
    the findings that only one of them has.

    Exit status 0 if they are the same, 1 if they differ, 2 if one of them cannot be loaded.
    """
    from kinetree.solvers.compare.comparison import compare
    from kinetree.viewing.show import view_of

    if output is None:
        if profile is not None or faces is not None or force:
            raise click.UsageError("--profile, --faces and --force are for a page, which is written to -o FILE.html")
    else:
        if output.suffix.lower() != ".html":
            raise fail("format", f"cannot write a comparison to {output.name!r}; expected the ending .html")
        check_new(output, force)
        check_no_input(str(output), [robot.source.file for robot in (a, b) if robot.source])
    comparison = compare(a, b, base="any" if any_base else "same", tolerance=tolerance, relative=relative)
    view = None
    if output is not None:
        view = view_of(a, None, profile=profile, faces=faces, against=(b, comparison))
        view.save(output)
        print_findings(view.not_shown)
        print(f"wrote {output}: {output.stat().st_size / 1e3:.0f} kB", file=sys.stderr)
    if as_json:
        print_json(comparison)
    else:
        print(comparison)
        for line in (view and view.shapes) or ():
            print(f"  remark: {line}")
    sys.exit(0 if comparison.same else 1)
