"""`kinetree show`: a robot in the browser, or in a file."""

import sys
from functools import partial
from pathlib import Path
from typing import Any, Literal

import click

from kinetree.cli._findings import print_findings
from kinetree.cli._help import FILE, kinetree_command, option
from kinetree.cli._joints import joints_of
from kinetree.cli._model import close_option, configuration, joint_values, robot_argument, with_loops
from kinetree.cli._motion import report_motion
from kinetree.cli._output import check_new, check_no_input, force_option
from kinetree.cli._pendant import CommandArm, with_arm
from kinetree.cli._say import remark, say
from kinetree.display import listed
from kinetree.errors import fail
from kinetree.files.output import write_whole
from kinetree.lab.reach.map import read_reach
from kinetree.logs import Motion, read_motion
from kinetree.model.robot import Robot
from kinetree.rules.profiles import PROFILES
from kinetree.spatial.se3 import Array
from kinetree.viewing.scene.loops import start
from kinetree.viewing.show import PICTURES, View, view_of

OPTIONS = {
    ".html": ("profile", "faces", "motion", "reach", "cover", "driven"),
    **dict.fromkeys(PICTURES, ("size", "direction", "reach", "contact")),
    ".gif": ("size", "direction", "motion"),
}
"""Options of the files that can be written."""


@kinetree_command("Look at a robot", "kinetree show arm.urdf -o arm.html")
@robot_argument
@option("--profile", "Conventions of the findings on the page.  [default: by the kind of the robot]", type=[*PROFILES])
@option("--faces N", "Make meshes coarser: about N triangles a file.", type=click.IntRange(1))
@option("--from X Y Z", "Direction to the camera, in the root link (no unit).", "direction", nargs=3, type=float)
@option("--size W H", "Size of a picture, pixels.", nargs=2, type=click.IntRange(16, 8192))
@joint_values(others="Other joints stay neutral.")
@close_option
@with_arm
@option("--motion MOTION", "Motion to play: joint values (CSV), or a bag of ROS 2.", type=FILE)
@option("--reach MAP.zarr", "Show a map of `kinetree reach`.", type=FILE)
@option(
    "--contact",
    "Draw links in contact red, and the distance of the nearest two if none are.",
    is_flag=True,
    default=None,
)
@option("--cover", "Let the page show the spheres that contain the collision shapes.", is_flag=True, default=None)
@option("--driven A,B,…", "Joints, or a group, that move closed loops on the page.  [default: those with motors]")
@option("--deg", "Read angles in --q and in a CSV in degrees.", "in_degrees")
@option("-o, --output FILE", "Write FILE.html, FILE.png, FILE.svg, or FILE.gif with --motion.", type=FILE)
@force_option
def command(
    robot: Robot,
    values: dict[str, str],
    loops: str,
    arm: CommandArm | None,
    in_degrees: bool,
    output: Path | None,
    force: bool,
    **options: Any,
) -> None:
    """Show a robot in the browser, or write a page or a picture.

    FILE.html is a page that needs no network, FILE.png and FILE.svg are pictures, and FILE.gif is a moving picture of
    --motion. The robot is in the middle of a picture.

    MOTION is a CSV, or a bag of ROS 2 (.mcap, .db3, or their folder) with joint states. A CSV has a row for each
    sample, under the names of joints in any order; `time`, `t` or `stamp` is a column of times in s. Joints without a
    column stay as they are."""
    suffix = ".html" if output is None else output.suffix.lower()
    given = {name: value for name, value in options.items() if value is not None}
    if suffix in OPTIONS:
        _check_options(suffix, given)
    if output is not None:
        if suffix not in OPTIONS:
            raise fail("format", f"cannot write a view to {output.name!r}; legal endings are {', '.join(OPTIONS)}")
        check_new(output, force)
        check_no_input(str(output), [robot.source.file] if robot.source else [])
    place = arm.configuration if arm else partial(configuration, robot)
    if "driven" in given:
        given["driven"] = joints_of(robot, given["driven"])
    q = place(values, in_degrees) if values else start(robot, None, given.get("driven"))
    q = with_loops(robot, values, q, loops, in_degrees)
    if arm and values:
        arm.print_joints(q, in_degrees, sys.stderr)
    if values and not robot.limits.contains(q):
        outside = [name for name, slack in zip(robot.limits.names, robot.limits.margin(q), strict=True) if slack < 0]
        remark(f"the configuration of --q is outside of {listed(outside, 4)}")
    if "motion" in given:
        given["motion"] = _motion(robot, given["motion"], in_degrees, arm)
    if "reach" in given:
        given["reach"] = read_reach(given["reach"])
    if output is None:
        say(str(_page(robot, q, given).open()))
        return
    write_whole(output, _page(robot, q, given).html if suffix == ".html" else _picture(robot, q, suffix, given))
    remark(f"wrote {output}: {output.stat().st_size / 1e3:.0f} kB")


def _check_options(suffix: str, given: dict[str, Any]) -> None:
    """Raise a usage error for options that files with this ending do not have."""
    if wrong := given.keys() - {*OPTIONS[suffix]}:
        names = " and ".join(sorted(f"--{'from' if name == 'direction' else name}" for name in wrong))
        legal = [ending for ending, options in OPTIONS.items() if wrong <= {*options}]
        raise click.UsageError(
            f"{names}: only for files that end in {' or '.join(legal)}" if legal else f"{names}: not together"
        )
    if suffix == ".gif" and "motion" not in given:
        raise click.UsageError("a .gif is an animated picture; give its --motion")


def _motion(robot: Robot, file: Path, in_degrees: bool, arm: CommandArm | None) -> Motion:
    unit: Literal["rad", "deg"] = "deg" if in_degrees else "rad"
    motion = arm.motion(file, unit) if arm else read_motion(robot, file, unit=unit)
    report_motion(robot, motion, file, missing=True)
    return motion


def _page(robot: Robot, q: Array, options: dict[str, Any]) -> View:
    view = view_of(robot, q, **options)
    print_findings(view.not_shown)
    return view


def _picture(robot: Robot, q: Array, suffix: str, options: dict[str, Any]) -> bytes:
    if suffix == ".gif":
        from kinetree.viewing.moving import moving_picture

        data, findings = moving_picture(robot, q=q, **options)
    else:
        from kinetree.viewing.picture import picture

        data, findings = picture(robot, q, suffix, **options)
    print_findings(findings)
    return data
