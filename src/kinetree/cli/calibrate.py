"""`kinetree calibrate MODEL POSES.csv`: whether a model and a controller agree."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from kinetree.cli._controllers import active, arm_options, notes as unverified, print_notes, single, tool_options
from kinetree.cli._findings import print_findings
from kinetree.cli._help import FILE, argument, kinetree_command, option
from kinetree.cli._model import json_option, robot_argument
from kinetree.cli._output import check_new, check_no_input, force_option, print_json
from kinetree.cli._say import say_text
from kinetree.errors import KinetreeError, Source, UnverifiedWarning, fail, nearest_names
from kinetree.model.robot import Robot

if TYPE_CHECKING:
    from kinetree.lab.calibrate.calibration import Calibration

ADVICE = re.compile(r"tolerance=\((?P<metres>[^,)]+), (?P<radians>[^,)]+)\)")
"""A tolerance as Python writes it."""


@kinetree_command("Compare", "kinetree calibrate arm.urdf poses.csv --controller kuka", hides=("srdf", "inertias"))
@robot_argument
@argument("file", "Table of joint values, and of the poses on the pendant.", metavar="POSES.csv", type=FILE)
@option("--controller KEY", "Controller that showed the poses: abb, fanuc, kuka, universal_robots, …", required=True)
@arm_options
@option("--base-link", "First link of the arm in MODEL.", default="base_link")
@option("--flange", "Frame of MODEL that is the flange.", default="flange")
@tool_options
@option("--tolerance MM DEG", "Largest error of a pose, mm and degrees.  [default: 0.5 0.0573]", nargs=2, type=float)
@option("--plot FILE", "Draw the errors into a .png, .svg or .pdf file.", type=FILE)
@force_option
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    robot: Robot,
    file: Path,
    controller: str,
    robot_model: str,
    tool: str | None,
    user_frame: str | None,
    tolerance: tuple[float, float] | None,
    plot: Path | None,
    force: bool,
    as_json: bool,
    **frames: str,
) -> None:
    """Print whether a model and its controller agree.

    If they do not, print which base, tool0 and signs of joints would.
    POSES.csv has a line for each pose. The columns are the joints (deg, mm), from base to tool0, under their names in
    MODEL or in the controller, or J1, J2, …; then the numbers of the pose, or one column `pose` as the pendant writes
    it. Exit status 0 if they agree, 1 if not, 2 if something cannot be read."""
    from kinetree.cli._poses import read_poses
    from kinetree.lab.calibrate.calibration import TOLERANCE, calibrate
    from kinetree.queries.pendant import coupling, of

    if plot:
        check_new(plot, force)
        check_no_input(str(plot), [str(file), *([robot.source.file] if robot.source else [])])
    elif force:
        raise click.UsageError("--force is for --plot FILE")
    who = of(single(controller))
    _check_frames(ctx, robot, frames)
    names, turning = _joints(robot, frames)
    used, remarks = active(who.key, tool, user_frame, robot, frames["base"], frames["tool0"])
    _, doubts = coupling(robot, who, robot_model, turning, warns=False)
    print_findings(doubts)
    notes = [*unverified(who.key), *remarks]
    options: dict[str, Any] = {**frames, **used._asdict()} | ({"tolerance": _si(tolerance)} if tolerance else {})
    try:
        with warnings.catch_warnings(action="ignore", category=UnverifiedWarning):  # `unverified` has a note
            joints, poses, converted = read_poses(file, who, names, turning)
            result = _as_typed(calibrate(robot, who, joints, poses, robot_model, **options))
    except KinetreeError as error:
        place = Source(str(file))
        raise KinetreeError(
            replace(f, source=f.source or place) if f.code in ("poses", "joints") else f for f in error.findings
        ) from None
    if plot:
        from kinetree.files.output import write_whole
        from kinetree.viewing.calibration_figure import calibration_figure

        write_whole(plot, calibration_figure(result, options.get("tolerance", TOLERANCE), plot.suffix))
    print_notes((*notes, *converted))
    if as_json:
        print_json(result)
    else:
        say_text(str(result))
    sys.exit(0 if result.agrees else 1)


def _joints(robot: Robot, frames: dict[str, str]) -> tuple[tuple[str, ...], list[bool]]:
    """Return the joints of the poses, from base to tool0, and whether they turn."""
    from kinetree.lab.calibrate.arm import arm

    found = arm(robot, (frames["base"], frames["tool0"]), (frames["base_link"], frames["flange"]))
    return found.joints, found.turning


def _check_frames(ctx: click.Context, robot: Robot, frames: dict[str, str]) -> None:
    for role, name in frames.items():
        named = ctx.get_parameter_source(role) is not click.core.ParameterSource.DEFAULT
        if named and name not in robot.frames:
            near = nearest_names(name, list(robot.frames))
            raise fail("unknown-name", f"no frame {name!r}; {near}", element=f"--{role.replace('_', '-')}")


def _si(tolerance: tuple[float, float]) -> tuple[float, float]:
    """Return a tolerance in m and rad. Raises KinetreeError if it is not two finite numbers above 0, or too large."""
    from kinetree.lab.calibrate.calibration import WIDEST

    if not all(0 < bound < float("inf") for bound in tolerance):
        message = f"is {tolerance[0]:g} {tolerance[1]:g}; expected two finite numbers above 0, mm and deg"
        raise fail("tolerance", message, element="--tolerance")
    metres, radians = tolerance[0] / 1e3, float(np.deg2rad(tolerance[1]))
    if metres > WIDEST[0] or radians > WIDEST[1]:
        legal = f"expected at most {WIDEST[0] * 1e3:g} mm and {_rounded(np.rad2deg(WIDEST[1]), np.floor):g} deg"
        message = f"is {tolerance[0]:g} {tolerance[1]:g}, with which anything would agree; {legal}"
        raise fail("tolerance", message, element="--tolerance")
    return metres, radians


def _as_typed(result: Calibration) -> Calibration:
    """Return the result with the recommended tolerances as options of the command."""
    faults = (replace(fault, message=ADVICE.sub(_option, fault.message)) for fault in result.faults)
    return replace(result, faults=tuple(faults))


def _option(advice: re.Match[str]) -> str:
    degrees = _rounded(np.rad2deg(float(advice["radians"])), np.ceil)
    return f"--tolerance {float(advice['metres']) * 1e3:g} {degrees:g}"


def _rounded(degrees: float, to: Callable[[float], float]) -> float:
    """Return an angle rounded to two decimals by `to`, floor or ceil, to stay on the safe side."""
    return float(to(degrees * 100)) / 100
