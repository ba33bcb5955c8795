"""`kinetree compare A B`: whether two robots are the same, and where they differ."""

import sys
from pathlib import Path

import click

from kinetree.cli._findings import print_findings
from kinetree.cli._help import FILE, kinetree_command, option
from kinetree.cli._model import json_option, two_robot_arguments
from kinetree.cli._output import check_new, check_no_input, force_option, print_json
from kinetree.cli._say import remark, say, say_text
from kinetree.errors import fail
from kinetree.model.robot import Robot
from kinetree.rules.profiles import PROFILES

_POSITIVE = click.FloatRange(min=0, min_open=True)


@kinetree_command("Compare", "kinetree compare arm.urdf arm.sdf")
@two_robot_arguments
@option("--any-base", "Allow a constant transform between the two root frames.")
@option("--tolerance", "Largest error of poses, m and rad.", type=_POSITIVE, default=1e-5)
@option("--relative", "Largest relative error of masses, inertias and limits (no unit).", type=_POSITIVE, default=1e-5)
@option("-o, --output FILE", "Write a page, FILE.html.", type=FILE)
@force_option
@option("--profile", "Conventions of the findings on the page.  [default: by the kind of the robot]", type=[*PROFILES])
@option("--faces N", "Make the page's meshes coarser: about N triangles a file.", type=click.IntRange(1))
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
    """Print whether two models are the same robot, and differences.

    Names do not count. With -o FILE.html, write a page that shows both robots over each other, their differences, also
    of shapes, and the findings that only one of them has.

    Exit status 0 if they are the same, 1 if they differ, 2 if one of them cannot be loaded."""
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
        remark(f"wrote {output}: {output.stat().st_size / 1e3:.0f} kB")
    if as_json:
        print_json(comparison)
    else:
        say_text(str(comparison))
        for line in (view and view.shapes) or ():
            say(f"  remark: {line}")
    sys.exit(0 if comparison.same else 1)
