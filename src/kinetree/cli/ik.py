"""`kinetree ik`: joint positions that bring a frame to a pose."""

import sys
from functools import partial
from typing import Any, Literal

import numpy as np

from kinetree.cli._controllers import Text, tool_options
from kinetree.cli._help import kinetree_command, option
from kinetree.cli._joints import joints_of, with_joints
from kinetree.cli._model import (
    clearance_option,
    configuration,
    geometry_option,
    joint_values,
    json_option,
    note_open_loops,
    robot_argument,
)
from kinetree.cli._output import print_json
from kinetree.cli._pendant import CommandArm, arm_of, robot_model
from kinetree.cli._say import say
from kinetree.cli._solutions import MOST, print_all, rows, usable, with_configuration
from kinetree.cli._targets import targets_of
from kinetree.display import number
from kinetree.errors import fail
from kinetree.model.limits import limits_about
from kinetree.model.robot import Robot
from kinetree.spatial.se3 import Array

NEAR = np.radians(5.0)
"""Distance below which limits are printed, rad or m."""


@kinetree_command("Compute", 'kinetree ik arm.urdf --frame tool0 --pose "0.3 0 0.6" --deg', hides=("inertias",))
@robot_argument
@with_joints(names=arm_of)
@option("--frame FRAME", "Frame to bring to the pose.  [default with --controller: tool0]")
@option("--base FRAME", "Frame of the pose.  [default: the root link; with --controller: base]")
@option("--pose NUMBERS", "Pose: x y z (m), and roll pitch yaw (rad), qx qy qz qw, or nothing (any).", required=True)
@option("--controller KEY", "Read --pose, and print joints, as the pendant of this controller, such as kuka; or ros.")
@robot_model
@tool_options
@joint_values(others="The search begins there.")
@clearance_option
@geometry_option
@option("--driven A,B,…", "Move these joints, or those of a group, and keep loops closed: others in loops follow.")
@option(
    "--loops",
    "Stop at closed loops, ignore them, or keep them closed with --driven.",
    type=["refuse", "ignore", "closed"],
    default="refuse",
)
@option("--all", "Print all solutions, with configuration, margin to the limits and manipulability.", "shows_all")
@option("--deg", "Read --pose and --q and print angles in degrees.", "in_degrees")
@json_option
def command(
    robot: Robot,
    frame: str | None,
    base: str | None,
    pose: str,
    controller: str | None,
    robot_model: str | None,
    tool: str | None,
    user_frame: str | None,
    values: dict[str, str],
    clearance: float | None,
    geometry: Literal["mesh", "hull"],
    driven: str | None,
    loops: str,
    shows_all: bool,
    in_degrees: bool,
    as_json: bool,
) -> None:
    """Print joint positions that bring a frame to a pose.

    The positions are inside all limits. Exit status 0 if the frame reaches the pose, 1 if not; then the closest
    positions that the search found are printed. With --clearance, positions in contact do not count. With --driven,
    loops of joints stay closed, or a note has the gap of one that cannot be closed.

    With --controller the joints are printed as on its pendant (J1, A1, axis 1, …; deg, mm) and as in MODEL. --q takes
    the names of both. If --pose has a configuration, such as S 2, T 35 of KUKA, the solution that has it is printed."""
    from kinetree.solvers.ik.make import ik

    given = [Text(pose, "--pose")]
    asked = targets_of(robot, given, frame, base, in_degrees, controller, robot_model, tool, user_frame)
    frame, base, arm, ((target, wanted, _),) = asked[:4]
    kind = "pose" if target.ndim == 2 else "position"
    place = arm.configuration if arm else partial(configuration, robot)
    q0 = place(values, in_degrees) if values else None
    names = None if driven is None else joints_of(robot, driven)
    options: dict[str, Any] = {"loops": loops, "driven": names, "clearance": clearance, "geometry": geometry}
    solver = ik(robot, frame, base, goal=kind, **options)
    wanted = usable(arm, wanted)
    if driven is not None and (shows_all or wanted):
        raise fail("loops", "not all solutions are computed with --driven; expected no --all, and no configuration")
    every = solver.solutions(target, q0=q0, most=MOST, turns=True) if shows_all or wanted else None
    many = every.q[every.mask] if every else np.zeros((0, robot.nq))
    many = with_configuration(arm, many, wanted, "--pose") if arm and wanted else many
    if shows_all and len(many):
        found = rows(robot, solver, arm, many, frame, base)
        note_open_loops(robot, many[0])
        print_json({"success": True, "solutions": found}) if as_json else print_all(robot, solver, found, in_degrees)
        return
    result = solver(target, q0=many[0] if len(many) else q0)
    note_open_loops(robot, result.q)
    margins = np.asarray(robot.limits.margin(result.q))
    if as_json:
        print_json(_data(robot, result, margins, arm))
    else:
        _print(robot, solver, result, margins, in_degrees, arm)
    sys.exit(0 if result.success else 1)


def _data(robot: Robot, result: Any, margins: Array, arm: CommandArm | None) -> dict[str, Any]:
    return {
        "success": bool(result.success),
        "q": dict(zip(robot.coordinate_names, result.q.tolist(), strict=True)),
        **(arm.data(result.q) if arm else {}),
        "residual": result.residual,
        **({"gap": dict(zip(robot.loops, result.gap.tolist(), strict=True))} if hasattr(result, "gap") else {}),
        **({"contact": result.why} if result.why else {}),
        "margins": dict(zip(robot.limits.names, margins.tolist(), strict=True)),
    }


def _print(robot: Robot, solver: Any, result: Any, margins: Array, in_degrees: bool, arm: CommandArm | None) -> None:
    from kinetree.solvers.limits.report import units

    kinds = dict(zip(robot.limits.names, units(robot), strict=True))

    def shown(value: float, kind: str) -> str:
        turned = in_degrees and kind == "rad"
        return f"{number(round(np.rad2deg(value) if turned else value, 9), 6)} {'deg' if turned else kind}".rstrip()

    metres, angle = result.residual.tolist()
    off = f"{number(metres, 6)} m and {shown(angle, 'rad')} off"
    missed = f"reached, but {result.why}" if result.why else f"not reached, {off}; this is locally closest"
    say("reached" if result.success else missed)
    if arm:
        arm.print_joints(result.q, in_degrees, sys.stdout)
        if said := arm.configuration_at(result.q):
            say(f"  configuration {said}")
    for name, value in zip(robot.coordinate_names, result.q.tolist(), strict=True):
        if name in solver.coordinate_names and not (arm and name in arm.pendant.joints):
            say(f"  {name} {shown(value, kinds[f'{name} lower'])}")
    columns = [robot.coordinate_names.index(name) for name in solver.coordinate_names]
    about = limits_about(robot.limits, columns).tolist()
    rows = zip(margins.tolist(), robot.limits.names, about, strict=True)
    for margin, name in sorted((margin, name) for margin, name, own in rows if own and margin < NEAR):
        say(f"near {name}: {shown(margin, kinds[name])}")
