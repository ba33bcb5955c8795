"""Reading and printing of poses in the forms of makers' controllers."""

import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from kinetree.controllers import controllers
from kinetree.controllers.controller import Controller
from kinetree.controllers.text import parsed, written
from kinetree.errors import UnknownNameError, UnverifiedWarning, fail
from kinetree.formats.numbers import numbers
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array

ROS, ALL = "ros", "all"
LEGAL = "x y z qx qy qz qw, m, finite, the quaternion not zero"
"""Form of a pose of ROS."""


def makers(name: str) -> list[str]:
    """Return the keys that a name on the command line means: of a maker, ros, or all."""
    name = name.lower()
    if name == ALL:
        return [ROS, *controllers]
    return [name if name == ROS else _controller(name).key]


def who(keys: Sequence[str]) -> Controller | None:
    """Return the controller, if there is just one."""
    return controllers[keys[0]] if len(keys) == 1 and keys != [ROS] else None


def read(maker: str, text: str) -> tuple[Array, list[str]]:
    """Return T (4, 4) of a pose as a maker writes it, or as ROS does: x y z, m, and a quaternion x y z w; and notes on
    ignored and uncertain parts."""
    if maker.lower() == ROS:
        return _ros(text), []
    controller = _controller(maker)
    found = parsed(controller, text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnverifiedWarning)  # `notes` has it
        T = controller.to_pose(found.values)
    return T, [*(f"{part!r} belongs to no pose, left out" for part in found.left_out), *notes(maker)]


def shown(maker: str, T: Array) -> tuple[str, Array]:
    """Return T (4, 4) as a maker writes it, and its numbers."""
    if maker == ROS:
        values = np.r_[T[:3, 3], se3.quaternion_from_rotation(T[:3, :3])]
        return " ".join(f"{round(float(x), 9) + 0.0:.9f}" for x in values), values
    controller = controllers[maker]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnverifiedWarning)
        values = controller.from_pose(T)
    return written(controller, values), values


def lines(poses: Mapping[str, Array], keys: Sequence[str]) -> list[str]:
    """Return each pose T (4, 4) as each maker writes it, with its name and the maker's if there are several."""
    names = {key: key if key == ROS else controllers[key].name for key in keys}
    of_maker, of_frame = max(map(len, names.values())), max(map(len, poses))
    return [
        (f"{frame:<{of_frame}}  " if len(poses) > 1 else "")
        + (f"{names[key]:<{of_maker}}  " if len(keys) > 1 else "")
        + shown(key, T)[0]
        for frame, T in poses.items()
        for key in keys
    ]


def notes(*keys: str) -> list[str]:
    """Return what is uncertain about makers' forms."""
    known = [controllers[key] for key in keys if key != ROS]
    return [
        f"{c.name} is not verified: {'; '.join(c.unverified)} (confidence: {c.confidence})"
        for c in known
        if c.confidence != "high"
    ]


def print_notes(notes: Iterable[str]) -> None:
    """Print each note once, on the standard error stream."""
    for note in dict.fromkeys(notes):
        print(f"note: {note}", file=sys.stderr)


def _controller(name: str) -> Controller:
    try:
        return controllers[name]
    except UnknownNameError as error:
        raise fail("unknown-name", error.findings[0].message, fix=f"name a maker's, or {ROS}: {LEGAL}") from None


def _ros(text: str) -> Array:
    values = numbers(text.replace(",", " ")) or []
    if len(values) != 7 or not any(values[3:]):
        raise fail("pose", f"{text!r} is no pose of ROS; legal is {LEGAL}")
    return se3.homogeneous(se3.rotation_from_quaternion(values[3:]), np.array(values[:3]))
