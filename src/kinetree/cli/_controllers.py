"""Reading and printing of poses in the forms of controllers, and their tools and user frames."""

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kinetree.cli._help import option
from kinetree.cli._say import remark
from kinetree.controllers import controllers
from kinetree.controllers.controller import Active, Controller
from kinetree.controllers.text import configuration_in, parsed, written
from kinetree.display import number
from kinetree.errors import KinetreeError, Source, UnknownNameError, UnverifiedWarning, fail, nearest_names
from kinetree.files.opener import read_file
from kinetree.model.robot import Robot
from kinetree.spatial import Array, se3
from kinetree.spatial.numbers import EXACT, quaternion_fault
from kinetree.syntax.numbers import numbers

ROS, ALL = "ros", "all"
LEGAL = "x y z qx qy qz qw, m, finite, a quaternion of length 1"
"""Form of a pose of ROS."""


class Text(NamedTuple):
    """A text of a target, and where it is written: an option, or a line of a file."""

    text: str
    element: str | None = None
    source: Source | None = None


def lines_of(file: Path) -> list[Text]:
    """Return the texts of targets in a file, one a line; lines that begin with # are comments."""
    lines = enumerate(read_file(file).decode("utf-8-sig", "replace").splitlines(), 1)
    return [Text(x, None, Source(str(file), i)) for i, x in lines if x.strip() and not x.lstrip().startswith("#")]


def read_text(key: str, one: Text) -> tuple[Array, list[str], str]:
    """Return what `read` does. Raises KinetreeError with the line of a text in a file."""
    try:
        return read(key, one.text)
    except KinetreeError as error:
        raise placed_at(one, error) from None


def placed_at(one: Text, error: KinetreeError) -> KinetreeError:
    """Return the error with the line of a text in a file."""
    return KinetreeError(replace(error.findings[0], source=one.source)) if one.source else error


def tool_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command --tool and --user-frame, for `active`."""
    tool = "Active tool of the pendant, in its numbers or as a frame of MODEL.  [default: zeros]"
    user_frame = "Active user frame of the pendant, in its numbers or as a frame of MODEL.  [default: zeros]"
    function = option("--user-frame POSE|FRAME", user_frame)(function)
    return option("--tool POSE|FRAME", tool)(function)


def arm_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command --robot-model, --base and --tool0: what stands between a model and the numbers of its pendant."""
    function = option("--tool0", "Frame of MODEL that is the tool of zeros.", default="tool0")(function)
    function = option("--base", "Frame of MODEL that is the controller's base.", default="base")(function)
    help = "Product name of a robot with coupled joints.  [default: as in MODEL]"
    return option("--robot-model NAME", help, default="")(function)


def active(
    key: str, tool: str | None, user_frame: str | None, robot: Robot | None = None, base: str = "", tool0: str = ""
) -> tuple[Active, list[str]]:
    """Return the tool and the user frame of the options, and notes. base, tool0: frames in which they are."""
    T_tool, remarks = _placed("--tool", key, tool, robot, tool0)
    T_user, more = _placed("--user-frame", key, user_frame, robot, base)
    return Active(T_tool, T_user), [*remarks, *more]


def _placed(flag: str, key: str, text: str | None, robot: Robot | None, seen_from: str) -> tuple[Array, list[str]]:
    """Return T (4, 4) of a frame of the robot, or of a pose as a controller writes it; and notes."""
    if text is None:
        return se3.IDENTITY, []
    if robot and text in robot.frames:
        from kinetree.queries.controllers import fixed  # takes longer than all of `kinetree pose`

        try:
            return fixed(robot, text, seen_from), []
        except KinetreeError as error:
            raise KinetreeError(replace(error.findings[0], element=flag)) from None
    other = f"; a frame of MODEL is legal, too: {nearest_names(text, list(robot.frames))}" if robot else ""
    if key.lower() == ALL:
        raise fail("controller", f"{text!r} has no controller whose numbers they are{other}", element=flag)
    try:
        T, remarks, configuration = read(key, text)
        return T, [*remarks, *without(configuration)]
    except KinetreeError as error:
        finding = error.findings[0]
        message = finding.message + ("" if numbers(text.replace(",", " ")) else other)
        raise KinetreeError(replace(finding, message=message, element=flag)) from None


def keys_of(name: str) -> list[str]:
    """Return the keys that a name on the command line means: of a controller, ros, or all."""
    name = name.lower()
    if name == ALL:
        return [ROS, *controllers]
    return [name if name == ROS else _controller(name).key]


def who(keys: Sequence[str]) -> Controller | None:
    """Return the controller, if there is just one."""
    return controllers[keys[0]] if len(keys) == 1 and keys != [ROS] else None


def read(key: str, text: str) -> tuple[Array, list[str], str]:
    """Return T (4, 4) of a pose as a controller writes it, or as ROS does: x y z, m, and a quaternion x y z w; notes on
    ignored and uncertain parts; and the configuration, as written, or ""."""
    if key.lower() == ROS:
        return (*_ros(text), "")
    controller = _controller(key)
    configuration, found = configuration_in(controller, parsed(controller, text))
    with warnings.catch_warnings(action="ignore", category=UnverifiedWarning):  # `notes` has it
        T = controller.to_pose(found.values)
    left_out = [f"{part!r} belongs to no pose, left out" for part in found.left_out]
    return T, [*left_out, *notes(controller.key)], configuration


def without(configuration: str) -> list[str]:
    """Return a note that a configuration is left out, if there is one."""
    reason = "left out, because it depends on the arm; `kinetree ik --controller` uses it"
    return [f"the configuration {configuration!r} is {reason}"] if configuration else []


def shown(key: str, T: Array, configuration: str = "") -> tuple[str, Array]:
    """Return T (4, 4) as a controller writes it, with a configuration if there is one, and its numbers."""
    if key == ROS:
        values = np.r_[T[:3, 3], se3.quaternion_from_rotation(T[:3, :3])]
        return " ".join(f"{round(float(x), 9) + 0.0:.9f}" for x in values), values
    controller = controllers[key]
    with warnings.catch_warnings(action="ignore", category=UnverifiedWarning):
        values = controller.from_pose(T)
    return written(controller, values, configuration), values


def lines(poses: Mapping[str, Array], keys: Sequence[str], configuration: str = "") -> list[str]:
    """Return each pose T (4, 4) as each controller writes it, with the names of both if there are several."""
    names = {key: key if key == ROS else controllers[key].name for key in keys}
    of_controller, of_frame = max(map(len, names.values())), max(map(len, poses))
    rows = [
        (f"{frame:<{of_frame}}  " if len(poses) > 1 else "")
        + (f"{names[key]:<{of_controller}}  " if len(keys) > 1 else "")
        + shown(key, T, configuration)[0]
        for frame, T in poses.items()
        for key in keys
    ]
    return [line for row in rows for line in row.split("\n")]


def notes(*keys: str) -> list[str]:
    """Return what is uncertain about controllers' forms."""
    known = [controllers[key] for key in keys if key != ROS]
    return [
        f"{c.name} is not verified: {'; '.join(c.unverified)} (confidence: {c.confidence})"
        for c in known
        if c.confidence != "high"
    ]


def print_notes(notes: Iterable[str]) -> None:
    """Print each note once, on the standard error stream."""
    for note in dict.fromkeys(notes):
        remark(f"note: {note}")


def single(name: str) -> str:
    """Return the name of a controller. Raises KinetreeError for `all`."""
    if name.lower() == ALL:
        raise fail("controller", f"{ALL!r} is for printing only; a pose that is read is one controller's")
    return name


def _controller(name: str) -> Controller:
    try:
        return controllers[single(name)]
    except UnknownNameError as error:
        raise fail("unknown-name", error.findings[0].message, fix=f"name a controller, or {ROS}: {LEGAL}") from None


def _ros(text: str) -> tuple[Array, list[str]]:
    values = numbers(text.replace(",", " ")) or []
    if len(values) != 7:
        raise fail("pose", f"{text!r} is no pose of ROS; expected {LEGAL}")
    R, notes = rotation_of(values[3:], None)
    return se3.homogeneous(R, np.array(values[:3])), notes


def rotation_of(quat_xyzw: Sequence[float], element: str | None) -> tuple[Array, list[str]]:
    """Return R (3, 3) of a quaternion, and a note if its length is rounded; raise KinetreeError about an element if it
    is not 1."""
    length = float(np.linalg.norm(quat_xyzw))
    if fault := quaternion_fault(np.array(quat_xyzw)):
        unit = " ".join(number(x / length, 6) for x in quat_xyzw) if length else ""
        raise fail("pose", fault, element=element, fix=f"if this direction is meant, write {unit}" if unit else None)
    notes = [f"the quaternion's length is {length:.6g}; it is divided by it"] if abs(length - 1) > EXACT else []
    return se3.rotation_from_quaternion(quat_xyzw), notes
