"""Poses of joints and frames in the links that carry them, read and replaced as numbers."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from kinetree.arguments import explain_type_errors
from kinetree.errors import fail, unknown_name, wrong_type
from kinetree.model.assemble import build, parts_of
from kinetree.model.edit.extensions import stale
from kinetree.model.robot import Robot
from kinetree.spatial.exponential import log
from kinetree.spatial.numbers import numbers
from kinetree.spatial.se3 import Array, frozen, homogeneous, quaternion_from_rotation, rotation_from_vector

COLUMNS = ("x", "y", "z", "rx", "ry", "rz")
"""Names of the numbers of a pose: its position, m, and its rotation vector, rad."""


def named_poses(robot: Robot) -> dict[str, Array]:
    """Return the poses (4, 4) of placed joints, then of frames with a place other than those of links, by name. Raises
    KinetreeError for a joint and a frame of one name."""
    joints = {name: robot.joints[name].origin for name in robot.placed}
    frames = {f.name: f.origin for f in robot.frames.values() if f.name not in robot.links and not f.unplaced}
    if both := joints.keys() & frames.keys():
        message = f"{min(both)!r} is a joint and a frame, so its pose is ambiguous"
        raise fail("ambiguous", message, fix="rename one of them with kt.edit.rename")
    return joints | frames


def row_of(T: Array) -> Array:
    """Return the six numbers (6,) of a pose (4, 4): x y z, and its rotation vector."""
    return np.array([*T[:3, 3], *log(quaternion_from_rotation(T))])


@explain_type_errors
def set_origins(robot: Robot, origins: Mapping[str, Any]) -> Robot:
    """Return the robot with other poses of some joints and frames, {name: (6,)}, as `kt.kinematics.origins` has them.

    x y z in m, rx ry rz a rotation vector in rad, in the parent link of a joint, or in the link of a frame. What a
    joint carries moves with it; a link keeps its inertia, shapes and frames. Elements of other tools that have their
    own copy of the geometry are noted. Raises KinetreeError for unknown names and for rows that are not six finite
    numbers.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.chain("Rz(q1) tx(0.4) Ry(q2) tx(0.3)")
        >>> found = kt.kinematics.origins(arm, ["q2"])
        >>> found["q2"][0] += 0.002  # a calibration found the link 2 mm longer
        >>> arm = kt.edit.set_origins(arm, found)
        >>> kt.fk(arm, "tip")([0.0, 0.0])[:3, 3].round(4) + 0.0  # m
        array([0.702, 0.   , 0.   ])
    """
    if not isinstance(origins, Mapping):
        message = f"origins is of type {type(origins).__name__}; expected a mapping of names to six numbers"
        raise wrong_type("origins", message)
    known, poses = named_poses(robot), dict[str, Array]()
    for name, given in origins.items():
        if name not in known:
            raise unknown_name("joint or frame", name, [*known])
        row = numbers(given, "origins", f"the origin of {name!r} is", COLUMNS)
        if row.shape != (6,) or not np.isfinite(row).all():
            message = f"the origin of {name!r} is {row.tolist()}; expected six finite numbers, x y z rx ry rz"
            raise fail("origins", message)
        same = (row == row_of(known[name])).all()
        poses[name] = known[name] if same else frozen(homogeneous(rotation_from_vector(row[3:]), row[:3]))
    parts = parts_of(robot)
    joints = poses.keys() & robot.joints.keys()
    parts.joints = [replace(one, origin=poses[one.name]) if one.name in joints else one for one in parts.joints]
    parts.frames = [
        replace(one, origin=poses[one.name]) if one.name in poses.keys() - joints else one for one in parts.frames
    ]
    parts.notes += tuple(stale(parts.extensions, joints, "whose pose has changed"))
    return build(parts)
