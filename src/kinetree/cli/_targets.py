"""Poses that a command line or a file gives for a frame of a robot, in their own numbers or those of a controller."""

from collections.abc import Sequence
from typing import NamedTuple

import click
import numpy as np

from kinetree.cli._controllers import ROS, Text, active, keys_of, placed_at, print_notes, read_text, rotation_of, who
from kinetree.cli._pendant import CommandArm, command_arm
from kinetree.controllers.controller import FAR, Active, Controller
from kinetree.errors import KinetreeError, fail
from kinetree.model.robot import Robot
from kinetree.queries.pendant import check_frames
from kinetree.spatial import Array, se3
from kinetree.syntax.numbers import numbers


class Target(NamedTuple):
    """A target of a frame: its pose (4, 4) or position (3,), the configuration of its pose, or "", and its text."""

    value: Array
    configuration: str
    text: Text = Text("")


class Targets(NamedTuple):
    """Targets of a frame, seen from a base; if a controller is given, the arm that leads there, its maker, and the tool
    and the user frame."""

    frame: str
    base: str | None
    arm: CommandArm | None
    targets: list[Target]
    who: Controller | None = None
    active: Active = Active()


def targets_of(
    robot: Robot,
    texts: Sequence[Text],
    frame: str | None,
    base: str | None,
    in_degrees: bool,
    controller: str | None,
    robot_model: str | None,
    tool: str | None,
    user_frame: str | None,
) -> Targets:
    """Return the targets in texts by the options of a command, and print notes. Raises KinetreeError with the place of
    a text that is none."""
    if controller is None:
        if (tool, user_frame, robot_model) != (None, None, None):
            raise click.UsageError("--tool, --user-frame and --robot-model are for --controller KEY")
        if frame is None:
            raise click.UsageError("Missing option '--frame'.")
        own = [Target(_placed(one, in_degrees), "", one) for one in texts]
        _note_far(own, ROS, texts[0].element)
        return Targets(frame, base, None, own)
    read = [read_text(controller, one) for one in texts]
    base, whose = base or "base", who(keys_of(controller))
    check_frames(robot, whose, base=base, tool0=None if frame else "tool0", options=("--base", "--frame"))
    frame = frame or "tool0"
    arm = command_arm(robot, whose, robot_model, base, frame)
    used, more = active(controller, tool, user_frame, robot, base, frame)
    found = [Target(used.of_tool0(T), form, one) for one, (T, _, form) in zip(texts, read, strict=True)]
    print_notes([*(remark for _, remarks, _ in read for remark in remarks), *more])
    _note_far(found, controller, texts[0].element)
    return Targets(frame, base, arm, found, whose, used)


def _placed(one: Text, in_degrees: bool) -> Array:
    values = numbers(one.text.replace(",", " ")) or []
    if len(values) not in (3, 6, 7):
        message = "is no pose; expected 3, 6 or 7 finite numbers: x y z, and roll pitch yaw or qx qy qz qw"
        raise placed_at(one, fail("pose", f"{one.text!r} {message}", element=one.element))
    xyz, rest = values[:3], values[3:]
    if not rest:
        return np.array(xyz)
    if len(rest) == 3:
        return se3.pose_from_xyz_rpy(xyz, np.deg2rad(rest).tolist() if in_degrees else rest)
    try:
        R, notes = rotation_of(rest, one.element)
    except KinetreeError as error:
        raise placed_at(one, error) from None
    print_notes(notes)
    return se3.homogeneous(R, np.array(xyz))


def _note_far(targets: Sequence[Target], controller: str, element: str | None) -> None:
    """Print a note if a pose in m is so far away that its lengths may be in mm."""
    places = [one.value[:3, 3] if one.value.ndim == 2 else one.value for one in targets]
    if controller.lower() == ROS and (np.abs(places) > FAR).any():
        print_notes([f"{element or 'a pose'} is beyond {FAR:g} m; its lengths are in m"])
