"""Poses of makers' controllers, read and shown."""

from __future__ import annotations

import warnings

import numpy as np

from kinetree.controllers import controllers
from kinetree.controllers.text import parsed, written
from kinetree.errors import UnverifiedWarning, fail
from kinetree.formats.numbers import number
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array

ROS = "ros"


def read(maker: str, text: str) -> tuple[Array, list[str]]:
    """T (4, 4) of a pose as a maker writes it, or as ROS does: x y z, m, and perhaps a quaternion x y z w; and what was
    left out, in words."""
    if maker == ROS:
        return _ros(text), []
    controller = controllers[maker]
    found = parsed(controller, text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnverifiedWarning)  # `notes` says it
        return controller.to_pose(found.values), [f"{part!r} belongs to no pose, left out" for part in found.left_out]


def shown(maker: str, T: Array) -> tuple[str, Array]:
    """T (4, 4) as a maker writes it, and its numbers."""
    if maker == ROS:
        values = np.r_[T[:3, 3], se3.quaternion_from_rotation(T[:3, :3])]
        return " ".join(f"{round(float(x), 9) + 0.0:.9f}" for x in values), values
    controller = controllers[maker]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnverifiedWarning)
        values = controller.from_pose(T)
    return written(controller, values), values


def notes(*makers: str) -> list[str]:
    """What is not sure about makers' forms."""
    known = [controllers[maker] for maker in dict.fromkeys(makers) if maker != ROS]
    return [
        f"{c.name} is not verified: {'; '.join(c.unverified)} (confidence: {c.confidence})"
        for c in known
        if c.confidence != "high"
    ]


def _ros(text: str) -> Array:
    numbers = [number(part) for part in text.replace(",", " ").split()]
    values = [x for x in numbers if x is not None]
    if len(values) < len(numbers) or len(values) != 7 or not any(values[3:]):
        legal = "x y z qx qy qz qw, m, finite, the quaternion not zero"
        raise fail("pose", f"{text!r} is no pose of ROS; legal is {legal}")
    return se3.homogeneous(se3.rotation_from_quaternion(values[3:]), np.array(values[:3]))
