"""Ball joints as three revolute joints, for formats that have no ball joints."""

from dataclasses import replace

import numpy as np

from kinetree.model.assemble import Parts
from kinetree.model.reshape import free_name
from kinetree.model.robot import Joint, Link
from kinetree.spatial.se3 import IDENTITY, frozen


def without_balls(parts: Parts) -> Parts:
    """Return the parts with three continuous joints about x, y and z of the moved axes, in this order, for each ball
    joint, and links without mass between them. R = Rx(q1) Ry(q2) Rz(q3) is any rotation; it is singular at q2 = ±90
    degrees."""
    taken = {joint.name for joint in parts.joints}
    taken |= {link.name for link in parts.links} | {frame.name for frame in parts.frames}
    made: dict[str, tuple[Joint, ...]] = {}
    links = [*parts.links]
    for joint in parts.joints:
        if joint.type == "ball":
            made[joint.name], between = _three(joint, taken)
            links += between
    names = {old: tuple(joint.name for joint in new) for old, new in made.items()}

    def renamed(given: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(one for name in given for one in names.get(name, (name,)))

    return replace(
        parts,
        links=links,
        joints=[one for joint in parts.joints for one in made.get(joint.name, (joint,))],
        sensors=[
            replace(sensor, joint=names[sensor.joint][-1]) if sensor.joint in names else sensor
            for sensor in parts.sensors
        ],
        groups={name: renamed(members) for name, members in parts.groups.items()},
        joint_order=None if parts.joint_order is None else renamed(parts.joint_order),
        semantic=parts.semantic and parts.semantic.without({("joint", name) for name in names}),
    )


def _three(ball: Joint, taken: set[str]) -> tuple[tuple[Joint, ...], list[Link]]:
    """Return the joints in place of a ball joint, and the links between them."""
    links = [Link(free_name(f"{ball.name}_{axis}_link", taken), source=ball.source) for axis in "xy"]
    ends = (ball.parent, links[0].name, links[1].name, ball.child)
    joints = [
        Joint(
            free_name(f"{ball.name}_{axis}", taken),
            "continuous",
            ends[i],
            ends[i + 1],
            origin=ball.origin if i == 0 else IDENTITY,
            axes=frozen(np.eye(3)[i : i + 1]),
            child_origin=ball.child_origin if i == 2 else IDENTITY,
            dynamics=ball.dynamics[i : i + 1] or ball.dynamics[:1],
            source=ball.source,
        )
        for i, axis in enumerate("xyz")
    ]
    return tuple(joints), links
