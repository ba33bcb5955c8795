"""Robots as models of the Robotics Toolbox for Python: `export`."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from kinetree.bridges.bodies import Body, along_coordinates, bodies_of, library, link_names, refusals
from kinetree.bridges.maps import SAME, Maps, Place, maps_of
from kinetree.model.robot import Robot

rtb = library("roboticstoolbox", "roboticstoolbox")

_TURNS, _SLIDES = (rtb.ET.Rx, rtb.ET.Ry, rtb.ET.Rz), (rtb.ET.tx, rtb.ET.ty, rtb.ET.tz)
_JOINTS: Mapping[str, tuple[Callable[..., Any], ...]] = {"revolute": _TURNS, "continuous": _TURNS, "prismatic": _SLIDES}


def export(robot: Robot) -> tuple[Any, Maps]:
    """Return a `roboticstoolbox.Robot` of a robot and the maps between the two.

    Every frame of the robot is a link of its name (`maps.frames`), which `fkine(q, end=…)` takes; there are inertias,
    limits of position, velocity and effort, damping, friction and armature, and no shapes. A planar joint is three
    joints and a universal joint two, called like their coordinates. Followers have coordinates of their own.

    Raises KinetreeError for what the toolbox does not take: joints that close loops, screw, ball and floating joints,
    and springs.

    Examples:
        >>> import kinetree as kt
        >>> from kinetree.bridges import roboticstoolbox
        >>> model, maps = roboticstoolbox.export(kt.chain([{"axis": [0, -1, 0], "m": 2, "r": [0.5, 0, 0]}]))
        >>> model.gravload(maps.q([0])).round(2)  # N m, the weight of 2 kg at 0.5 m
        array([9.81])
    """
    bodies, frames = along_coordinates(*bodies_of(robot, "the Robotics Toolbox", _JOINTS), _JOINTS)
    names = link_names(bodies, frames)
    with refusals("the Robotics Toolbox"):
        base = rtb.Link(rtb.ETS(), name=robot.root)
        links = {-1: base}
        for i, body in enumerate(bodies):
            links[i] = _link(body, links[body.parent], names[i])
        known = {robot.root, *names}
        fixed = [
            rtb.Link(rtb.ETS(rtb.ET.SE3(T)), name=name, parent=links[i])
            for name, (i, T) in frames.items()
            if name not in known
        ]
        model = rtb.Robot([*links.values(), *fixed], name=robot.name)
    indices = [links[i].jindex for i in range(len(bodies))]
    places = [Place(body, SAME, *[slice(k, k + 1)] * 2) for body, k in zip(bodies, indices, strict=True)]
    return model, maps_of(robot, places, {name: name for name in frames})


def _link(body: Body, parent: Any, name: str) -> Any:
    limit, passive = body.limit, body.passive
    mass, com, inertia = body.inertia or (0.0, np.zeros(3), np.zeros((3, 3)))
    motion = _JOINTS[body.kind][int(body.axis.argmax())]
    friction = float(passive.friction[0])
    return rtb.Link(
        rtb.ETS([rtb.ET.SE3(body.T), motion()]),
        name=name,
        joint_name=body.name,
        parent=parent,
        m=mass,
        r=com,
        I=inertia,
        Jm=float(passive.armature[0]),
        B=float(passive.damping[0]),
        Tc=[friction, -friction],
        qlim=[limit.lower, limit.upper],
        qdlim=limit.velocity,
        tlim=limit.effort,
    )
