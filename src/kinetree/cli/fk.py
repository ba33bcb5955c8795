"""`kinetree fk`: poses of frames."""

import sys
from collections.abc import Sequence
from typing import Any

import click
import numpy as np

from kinetree.cli._controllers import active, keys_of, lines, notes, print_notes, shown, tool_options, who
from kinetree.cli._help import argument, kinetree_command, option
from kinetree.cli._joints import with_joints
from kinetree.cli._model import close_option, configuration, joint_values, json_option, robot_argument, with_loops
from kinetree.cli._output import print_json
from kinetree.cli._pendant import arm_of, command_arm, robot_model
from kinetree.cli._say import say
from kinetree.errors import fail
from kinetree.model.robot import Robot
from kinetree.queries.motion import fk
from kinetree.queries.pendant import check_frames
from kinetree.spatial import Array, se3

NOISE = 1e-10
"""Angle that is rounding of a model's digits, rad."""


@kinetree_command("Compute", "kinetree fk arm.urdf tool0 --q elbow=90 --deg", hides=("inertias",))
@robot_argument
@with_joints(names=arm_of)
@argument("frames", "Frames to locate.  [default with --controller: tool0]", nargs=-1, metavar="[FRAME...]")
@option("--base FRAME", "Frame of the poses.  [default: the root link; with --controller: base]")
@joint_values()
@close_option
@option("--controller KEY", "Print poses and joints as the pendant of this controller, such as kuka; or ros, or all.")
@robot_model
@tool_options
@option("--deg", "Read --q and print roll, pitch, yaw in degrees.", "in_degrees")
@json_option
def command(
    robot: Robot,
    frames: tuple[str, ...],
    base: str | None,
    values: dict[str, str],
    loops: str,
    controller: str | None,
    robot_model: str | None,
    tool: str | None,
    user_frame: str | None,
    in_degrees: bool,
    as_json: bool,
) -> None:
    """Print the poses of frames.

    A pose is T (4x4), position (m), roll pitch yaw (rad) and quaternion of a frame in the root link, or in --base.

    With --controller, --q also takes the pendant's names of joints (J1, A1, axis 1, …), in deg and mm, as the pendant
    shows them; names of MODEL are its own joints. Both are printed."""
    keys = keys_of(controller) if controller is not None else []
    if controller is None and (tool, user_frame, robot_model) != (None, None, None):
        raise click.UsageError("--tool, --user-frame and --robot-model are for --controller KEY")
    arm = None
    if keys:
        check_frames(
            robot, who(keys), base=base or "base", tool0=None if frames else "tool0", options=("--base", "FRAME")
        )
        frames, base = frames or ("tool0",), base or "base"
        arm = command_arm(robot, who(keys), robot_model, base, frames[0])
    elif not frames:
        raise click.UsageError("Missing argument 'FRAME...'.")
    q = arm.configuration(values, in_degrees) if arm else configuration(robot, values, in_degrees)
    q = with_loops(robot, values, q, loops, in_degrees)
    poses = fk(robot, frames, base).interpret(q)  # one configuration is not worth compiling
    if not np.isfinite(poses).all():
        raise fail("overflow", "the poses are not finite; expected coordinates that keep them so", element="--q")
    base = base or robot.root
    if controller is not None:
        used = [active(controller, tool, user_frame, robot, base, frame) for frame in frames]
        as_shown = {frame: one.shown(T) for frame, (one, _), T in zip(frames, used, poses, strict=True)}
        said = {"base": base, "tool": tool, "user_frame": user_frame}
        at = arm.configuration_at(q) if arm else ""
        _print_shown(keys, {**said, **arm.data(q)} if arm else said, as_shown, at, as_json)
        if arm and not as_json:
            arm.print_joints(q, in_degrees, sys.stderr)
        print_notes([*used[0][1], *notes(*keys)])
        return
    if as_json:
        named = [{"frame": frame, **_parts(T)} for frame, T in zip(frames, poses, strict=True)]
        print_json({"base": base, "q": dict(zip(robot.coordinate_names, q.tolist(), strict=True)), "poses": named})
        return
    turned = any(any(robot.joints[name].kind.angular) for name in values)
    where = f"{base}, angles of --q in {'deg' if in_degrees else 'rad'}" if turned else base
    for frame, T in zip(frames, poses, strict=True):
        say(*_text(frame, where, T, in_degrees))


def _print_shown(
    keys: Sequence[str], where: dict[str, Any], poses: dict[str, Array], configuration: str, as_json: bool
) -> None:
    if as_json:
        rows = [(frame, key, *shown(key, T, configuration)) for frame, T in poses.items() for key in keys]
        named = [{"frame": frame, "controller": key, "text": text, "values": x} for frame, key, text, x in rows]
        print_json({**where, "poses": named})
    else:
        say(*lines(poses, keys, configuration))


def _parts(T: Array) -> dict[str, object]:
    R = T[:3, :3]
    rpy = se3.rpy_from_rotation(R)
    return {"T": T, "xyz": T[:3, 3], "rpy": rpy, "quat_xyzw": se3.quaternion_from_rotation(R)}


def _text(frame: str, base: str, T: Array, in_degrees: bool) -> list[str]:
    rpy = np.array(se3.rpy_from_rotation(T[:3, :3]))
    unit, rpy = ("deg", np.where(abs(rpy) < NOISE, 0.0, np.rad2deg(rpy))) if in_degrees else ("rad", rpy)
    rows = [("xyz (m)", T[:3, 3]), (f"rpy ({unit})", rpy), ("quat_xyzw", se3.quaternion_from_rotation(T[:3, :3]))]
    return [
        f"{frame} in {base}",
        *(f"  {_row(row)}" for row in T),
        *(f"  {name:<10}{_row(values)}" for name, values in rows),
    ]


def _row(values: Array) -> str:
    return " ".join(f"{round(float(x), 9) + 0.0:14.9f}" for x in values)
