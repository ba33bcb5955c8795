"""`kinetree compare A B`: are these two the same robot, and where do they differ?"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict

import click


@click.command()
@click.argument("a")
@click.argument("b")
@click.option(
    "--tolerance", type=click.FloatRange(min=0, min_open=True), default=1e-5, show_default=True, help="m, rad"
)
@click.option(
    "--relative",
    type=click.FloatRange(min=0, min_open=True),
    default=1e-5,
    show_default=True,
    help="of masses, inertias and limits",
)
@click.option("--json", "as_json", is_flag=True, help="For machines.")
def command(a: str, b: str, tolerance: float, relative: float, as_json: bool) -> None:
    """Are the robots A and B the same, names aside, and where do they differ?

    Exit status 0 if they are the same, 1 if they differ, 2 if one of them cannot be loaded.
    """
    from kinetree.load import load
    from kinetree.solvers.compare import compare

    comparison = compare(load(a), load(b), tolerance=tolerance, relative=relative)
    click.echo(json.dumps(asdict(comparison), indent=2) if as_json else str(comparison))
    sys.exit(0 if comparison.same else 1)
