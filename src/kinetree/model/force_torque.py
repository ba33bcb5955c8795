"""Axes in which, and point about which, a force/torque sensor reads."""

from dataclasses import dataclass
from typing import get_args, get_type_hints

import numpy as np

from kinetree.model.robot import ForceTorque, Joint, Robot, Sensor
from kinetree.model.tree import Tree
from kinetree.spatial.se3 import IDENTITY, Array, inverse

MEASURES: tuple[str, ...] = get_args(get_type_hints(ForceTorque)["measures"])
"""The two wrenches of a joint, each the other's opposite."""

CLOSE = 1e-9
"""Rotation entries, and metres, up to which two readings are given in the same place."""


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """Place of a reading: axes, turned by R_frame_reading (3, 3) against `frame`, and point `p` (3,) of `on`."""

    frame: str
    R_frame_reading: Array
    on: str
    p: Array


def slides(joint: Joint) -> bool:
    """Return whether the origin of the joint's frame, which moves with the child, moves against the parent link."""
    return joint.pitch != 0.0 or not all(joint.kind.velocity_angular)


def reading_place(robot: Robot, sensor: Sensor, *, fixed: bool = True) -> Place:
    """Return the place of a sensor's reading: its own frame and origin, if it gives no other or has no joint. fixed:
    whether the pose of the joint is that of the robot."""
    said = sensor.force_torque
    joint = robot.joints[sensor.joint] if sensor.joint is not None else None
    frame, T = sensor.frame, sensor.origin
    if said is not None and joint is not None and said.axes != "sensor":
        frame, T = joint.child if said.axes == "child" else joint.parent, IDENTITY
    if said is not None and joint is not None and said.point == "joint":
        if fixed and said.axes == "parent" and not slides(joint):
            return Place(frame, T[:3, :3], frame, joint.origin[:3, 3])
        return Place(frame, T[:3, :3], joint.child, inverse(joint.child_origin)[:3, 3])
    return Place(frame, T[:3, :3], frame, T[:3, 3])


def same_place(tree: Tree, a: Place, b: Place) -> bool:
    """Return whether two readings have the same axes and the same point at every q."""
    bodies, poses = zip(*(tree.frame(name) for name in (a.frame, b.frame, a.on, b.on)), strict=True)
    turned = poses[0][:3, :3] @ a.R_frame_reading - poses[1][:3, :3] @ b.R_frame_reading
    apart = poses[2] @ (*a.p, 1.0) - poses[3] @ (*b.p, 1.0)
    return bodies[::2] == bodies[1::2] and bool(max(np.abs(turned).max(), np.abs(apart).max()) < CLOSE)
