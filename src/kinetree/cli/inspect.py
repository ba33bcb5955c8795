"""`kinetree inspect`: the contents of a robot description, and figures of its frames and joints."""

from pathlib import Path
from typing import Literal

import click

from kinetree.cli._help import FILE, kinetree_command, option
from kinetree.cli._model import configuration, joint_values, json_option, robot_argument
from kinetree.cli._output import check_new, check_no_input, force_option
from kinetree.cli._say import remark
from kinetree.errors import fail
from kinetree.model.robot import Robot
from kinetree.spatial.se3 import Array


@kinetree_command("Look at a robot", "kinetree inspect arm.urdf --joint-table")
@robot_argument
@option("--all", "Print all lines of long lists.", "everything")
@option("--joint-table", "Print type, axis, range and links of each joint instead.")
@option("--cover", "Print the spheres that contain the collision shapes instead, link by link.")
@option("--geometry", "For --cover: take meshes as they are, or their hulls.", type=["mesh", "hull"], default="mesh")
@option("--frame FRAME", "Draw this frame and the chain of joints to it, with -o FILE.svg.")
@option("--joint JOINT", "Draw this joint and its frames, with -o FILE.svg.")
@joint_values(others="For --frame and --joint.")
@option("--deg", "Read angles in --q in degrees.", "in_degrees")
@option("-o, --output FILE.svg", "Write a figure here.", type=FILE)
@force_option
@json_option
def command(
    robot: Robot,
    everything: bool,
    joint_table: bool,
    cover: bool,
    geometry: Literal["mesh", "hull"],
    frame: str | None,
    joint: str | None,
    values: dict[str, str],
    in_degrees: bool,
    output: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Print the tree, joints, frames, sensors and masses of a model.

    With -o FILE.svg, draw the tree instead, or the frame or the joint of --frame or --joint."""
    if frame is not None or joint is not None or output is not None:
        from kinetree.files.output import write_whole

        if output is None or (frame is not None and joint is not None) or as_json or joint_table or cover:
            raise click.UsageError("a figure is of the tree, one --frame or one --joint, and is written to -o FILE.svg")
        if frame is None and joint is None and (values or in_degrees):
            raise click.UsageError("--q and --deg are for a figure of one --frame or one --joint")
        if everything and (frame or joint) is not None:
            raise click.UsageError("--all is for the page and for a figure of the tree")
        if output.suffix.lower() != ".svg":
            raise fail("format", f"cannot write a figure to {output.name!r}; the legal ending is .svg")
        check_new(output, force)
        check_no_input(str(output), [robot.source.file] if robot.source else [])
        q = configuration(robot, values, in_degrees) if values else None
        write_whole(output, _figure(robot, frame, joint, q, everything))
        remark(f"wrote {output}")
    elif values or in_degrees or force:
        raise click.UsageError("--q, --deg and --force are for a figure, which is written to -o FILE.svg")
    elif cover:
        if joint_table or everything:
            raise click.UsageError("--cover goes with --geometry and --json alone")
        _print_covers(robot, geometry, as_json)
    elif geometry != "mesh":
        raise click.UsageError("--geometry is for --cover")
    elif as_json:
        from kinetree.cli._output import print_json
        from kinetree.cli._robot_json import joint_table_json, robot_json

        print_json(joint_table_json(robot) if joint_table else robot_json(robot))
    else:
        from kinetree.cli._page import print_page
        from kinetree.viewing.tables import joint_table_page, robot_page

        page = joint_table_page if joint_table else robot_page
        print_page(page(robot, everything=everything))


def _print_covers(robot: Robot, geometry: Literal["mesh", "hull"], as_json: bool) -> None:
    from kinetree.cli._cover import cover_json, cover_page
    from kinetree.cli._output import print_json
    from kinetree.cli._page import print_page
    from kinetree.contact.make import covered

    links = covered(robot, geometry)
    if as_json:
        print_json(cover_json(robot, links))
    else:
        print_page(cover_page(robot, links))


def _figure(robot: Robot, frame: str | None, joint: str | None, q: Array | None, everything: bool) -> str:
    from kinetree.viewing.frame_figure import frame_figure
    from kinetree.viewing.joint_figure import joint_figure
    from kinetree.viewing.tree_figure import tree_figure

    if frame is not None:
        return frame_figure(robot, frame, q)
    return tree_figure(robot, everything=everything) if joint is None else joint_figure(robot, joint, q)
