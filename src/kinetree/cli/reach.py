"""`kinetree reach`: the poses that a frame reaches, as a map."""

import shutil
from pathlib import Path
from typing import Any

import click

from kinetree.cli._help import FILE, kinetree_command, option
from kinetree.cli._joints import with_joints
from kinetree.cli._model import clearance_option, geometry_option, json_option, loops_option, robot_argument
from kinetree.cli._output import force_option, print_json
from kinetree.cli._say import remark, say
from kinetree.display import number
from kinetree.lab.reach.map import ReachMap
from kinetree.model.robot import Robot

SHARES = (0.25, 0.5, 0.75, 1.0)
"""Shares of orientations whose volumes are printed."""


def _directions(ctx: click.Context, param: click.Parameter, text: str | None) -> int | str | None:
    if text is None or text == "down":
        return text
    if not text.isdecimal():
        raise click.BadParameter(f"{text!r} is neither a number nor 'down'", ctx, param)
    return int(text)


@kinetree_command("Compute", "kinetree reach arm.urdf --frame tool0 --voxel 0.1 --directions 0", hides=("inertias",))
@robot_argument
@option("--frame FRAME", "Frame whose positions are mapped, such as tool0.", required=True)
@option("--base FRAME", "Frame of the map.  [default: the root link]")
@option("--voxel M", "Side of a voxel, m.  [default: 1/20 to 1/50 of the longest side]", type=float)
@option(
    "--box X Y Z X Y Z", "Lower and upper corner of the map, m.  [default: all that is reached]", nargs=6, type=float
)
@option(
    "--directions N|down",
    "Number of directions of the z axis, 0 for any orientation, or down.  [default: those that the arm can have]",
    callback=_directions,
)
@option(
    "--rolls", "Number of turns about each direction; 0 allows any.  [default: those that the arm can have]", type=int
)
@option("--no-symmetry", "Compute the whole map, also if the first joint turns without limits.")
@with_joints()
@option("--descents", "Number of starts of each search without closed form.", type=int, default=128)
@clearance_option
@geometry_option
@loops_option
@option("-o, --output MAP.zarr", "Write the map here; after an interruption, continue it.", type=FILE)
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
    """Print the volume that a frame reaches, and write a map.

    All joints stay inside their limits. With -o, write the map; `kinetree show MODEL --reach MAP.zarr` shows it."""
    from kinetree.lab.reach.run import reach_map
    from kinetree.lab.reach.store import arguments_of

    if output is not None and force and output.exists():
        arguments_of(output)  # nothing but a map is removed
        shutil.rmtree(output)
    found = reach_map(
        robot, frame, base, box=(box[:3], box[3:]) if box else None, symmetry=not no_symmetry, store=output, **options
    )
    if output is not None:
        remark(f"wrote {output}")
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
                "box_share": found.box_share(),
                "dexterous_volume": found.dexterous_volume,
                "unit": grid.unit,
            }
        )
        return
    say(f"{found.frame} in {found.base} reaches {_volume(found, 0.0, box)}")
    if grid.orientations > 1:
        for share in SHARES:
            say(f"  in {100 * share:g} % of {grid.orientations} orientations {_volume(found, share, box)}")
    x, y, z = grid.shape
    say(f"{x} x {y} x {z} voxels of {number(grid.voxel)} m from {', '.join(f'{c:.6g}' for c in grid.lower)}")
    if grid.axis is not None:
        say(f"symmetric about the line at x {grid.axis[0]:.6g}, y {grid.axis[1]:.6g}")


def _volume(found: ReachMap, share: float, box: tuple[float, ...]) -> str:
    of_box = f", {100 * found.box_share(share):.3g} % of the box" if box else ""
    return f"{number(found.volume_at(share))} {found.grid.unit}{of_box}"
