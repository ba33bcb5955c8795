"""`kinetree reach`: the poses that a frame reaches, as a map."""

import shutil
import sys
from pathlib import Path
from typing import Any

import click

from kinetree.cli._joints import with_joints
from kinetree.cli._json import print_json
from kinetree.cli._model import json_option, robot_argument
from kinetree.cli._output import force_option
from kinetree.display import number
from kinetree.model.robot import Robot

SHARES = (0.25, 0.5, 0.75, 1.0)
"""Shares of orientations whose volumes are printed."""


@click.command()
@robot_argument
@click.option("--frame", required=True, metavar="FRAME", help="What reaches.")
@click.option("--base", metavar="FRAME", help="The frame in which the map is; by default the root link.")
@click.option(
    "--voxel", type=float, metavar="M", help="Side of the voxels; by default 20 to 50 along the longest side."
)
@click.option(
    "--box",
    nargs=6,
    type=float,
    metavar="X Y Z X Y Z",
    help="Lower and upper corner, m; by default around all that is reached.",
)
@click.option("--directions", type=int, default=50, show_default=True, help="0: positions in any orientation.")
@click.option("--rolls", type=int, default=4, show_default=True, help="0: directions with any roll.")
@click.option("--no-symmetry", is_flag=True, help="Do not use a first joint that makes whole turns.")
@with_joints()
@click.option("--descents", type=int, default=128, show_default=True, help="Starts for a target without closed form.")
@click.option(
    "--loops", type=click.Choice(["refuse", "ignore"]), default="refuse", help="If loops restrict the joints."
)
@click.option(
    "-o",
    "--output",
    metavar="MAP.zarr",
    type=click.Path(path_type=Path),
    help="The Zarr store to write, or to continue after an interruption.",
)
@force_option
@json_option
def command(
    robot: Robot,
    frame: str,
    base: str | None,
    box: tuple[float, ...],
    no_symmetry: bool,
    output: Path | None,
    force: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Print the volume that a FRAME of MODEL reaches inside all limits, over voxels, directions and rolls.

    The map goes to MAP.zarr slab by slab; the same command continues it after an interruption. `kinetree show MODEL
    --reach MAP.zarr` shows it.
    """
    from kinetree.lab.reach.run import reach_map
    from kinetree.lab.reach.store import arguments_of

    if output is not None and force and output.exists():
        arguments_of(output)  # nothing but a map is removed
        shutil.rmtree(output)
    found = reach_map(
        robot,
        frame,
        base,
        box=(box[:3], box[3:]) if box else None,
        symmetry=not no_symmetry,
        store=output,
        **options,
    )
    if output is not None:
        print(f"wrote {output}", file=sys.stderr)
    grid = found.grid
    if as_json:
        print_json(
            {
                "frame": found.frame,
                "base": found.base,
                "lower": grid.lower,
                "voxel": grid.voxel,
                "shape": list(grid.shape),
                "orientations": grid.orientations,
                "axis": grid.axis,
                "volume": found.volume,
                "dexterous_volume": found.dexterous_volume,
                "unit": grid.unit,
            }
        )
        return
    print(f"{found.frame} in {found.base} reaches {number(found.volume)} {grid.unit}")
    if grid.orientations > 1:
        for share in SHARES:
            volume = f"{number(found.volume_at(share))} {grid.unit}"
            print(f"  in {100 * share:g} % of {grid.orientations} orientations {volume}")
    x, y, z = grid.shape
    print(f"{x} x {y} x {z} voxels of {number(grid.voxel)} m from {', '.join(f'{c:.6g}' for c in grid.lower)}")
    if grid.axis is not None:
        print(f"symmetric about the line at x {grid.axis[0]:.6g}, y {grid.axis[1]:.6g}")
