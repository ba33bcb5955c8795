"""`kinetree compare A B`: whether two robots are the same, and where they differ."""

import sys

import click

from kinetree.cli._json import print_json
from kinetree.cli._model import json_option, two_robot_arguments
from kinetree.model.robot import Robot

_POSITIVE = click.FloatRange(min=0, min_open=True)


@click.command()
@two_robot_arguments
@click.option("--any-base", is_flag=True, help="A constant between the two root frames does not make them different.")
@click.option("--tolerance", type=_POSITIVE, default=1e-5, show_default=True, help="Of poses, m and rad.")
@click.option("--relative", type=_POSITIVE, default=1e-5, show_default=True, help="Of masses, inertias and limits.")
@json_option
def command(a: Robot, b: Robot, any_base: bool, tolerance: float, relative: float, as_json: bool) -> None:
    """Print whether the robots A and B are the same, names aside, and where they differ.

    Exit status 0 if they are the same, 1 if they differ, 2 if one of them cannot be loaded.
    """
    from kinetree.solvers.compare.comparison import compare

    comparison = compare(a, b, base="any" if any_base else "same", tolerance=tolerance, relative=relative)
    if as_json:
        print_json(comparison)
    else:
        print(comparison)
    sys.exit(0 if comparison.same else 1)
