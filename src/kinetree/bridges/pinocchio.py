"""Robots as models of Pinocchio: `export`."""

from collections.abc import Callable
from typing import Any

import numpy as np

from kinetree.bridges.bodies import Body, along_coordinates, bodies_of, library, refusals
from kinetree.bridges.maps import SAME, Maps, Place, maps_of, pinocchio_chart
from kinetree.model.robot import Robot
from kinetree.queries.query import tree
from kinetree.spatial.plucker import about_com
from kinetree.spatial.se3 import Array

pin = library("pinocchio", "pinocchio")

_UNBOUNDED = (pin.JointModelRUBX, pin.JointModelRUBY, pin.JointModelRUBZ)  # about any axis, it cannot be made in Python
_JOINTS: dict[str, Callable[[Body], Any]] = {
    "revolute": lambda body: pin.JointModelRevoluteUnaligned(body.axis),
    "continuous": lambda body: _UNBOUNDED[int(body.axis.argmax())](),
    "prismatic": lambda body: pin.JointModelPrismaticUnaligned(body.axis),
    "screw": lambda body: pin.JointModelHelicalUnaligned(body.axis, body.pitch),
    "ball": lambda body: pin.JointModelSpherical(),
    "floating": lambda body: pin.JointModelFreeFlyer(),
}


def export(robot: Robot) -> tuple[Any, Maps]:
    """Return a `pinocchio.Model` of a robot and the maps between the two.

    It has the frames of the robot (`maps.frames`: their numbers), inertias, limits, damping and armature, and no
    shapes. A continuous joint has its cosine and sine in q, as in models that Pinocchio reads from URDF. A planar joint
    is three joints and a universal joint two, called like their coordinates. Followers have coordinates of their own.

    Raises KinetreeError for what Pinocchio does not take: joints that close loops, and springs.

    Examples:
        >>> import pinocchio as pin
        >>> import kinetree as kt
        >>> from kinetree.bridges import pinocchio
        >>> pendulum = kt.chain([{"axis": [0, -1, 0], "m": 2, "r": [0.5, 0, 0]}])  # 2 kg, level at q = 0
        >>> model, maps = pinocchio.export(pendulum)
        >>> pin.computeGeneralizedGravity(model, model.createData(), maps.q([0])).round(2)  # N m
        array([9.81])
    """
    bodies, frames = along_coordinates(*bodies_of(robot, "Pinocchio", _JOINTS), ["continuous"])
    model, numbers, places = pin.Model(), {-1: 0}, []
    model.name = robot.name
    with refusals("Pinocchio"):
        for i, body in enumerate(bodies):
            joint = _JOINTS[body.kind](body)
            number = model.addJoint(numbers[body.parent], joint, pin.SE3(body.T), body.name, *_limits(body, joint))
            if body.inertia:
                model.appendBodyToJoint(number, _inertia(*body.inertia), pin.SE3.Identity())
            there, numbers[i] = model.joints[number], number
            q, v = slice(there.idx_q, there.idx_q + there.nq), slice(there.idx_v, there.idx_v + there.nv)
            model.armature[v], model.damping[v] = body.passive.armature, body.passive.damping
            places.append(Place(body, pinocchio_chart(body), q, v))
        model.appendBodyToJoint(0, _inertia(*about_com(tree(robot).base_inertia)), pin.SE3.Identity())
        known = {}
        for name, (i, T) in frames.items():
            kind = pin.FrameType.BODY if name in robot.links else pin.FrameType.OP_FRAME
            known[name] = int(model.addFrame(pin.Frame(name, numbers[i], 0, pin.SE3(T), kind), False))
    return model, maps_of(robot, places, known)


def _inertia(mass: float, com: Array, inertia: Array) -> Any:
    I = pin.Inertia.Zero()  # the constructor refuses point masses with a rounding error
    I.mass, I.lever, I.inertia = mass, com, inertia
    return I


def _limits(body: Body, joint: Any) -> list[Any]:
    """Return the limits of effort and velocity (nv,) and the lower and upper ones of position (nq,)."""
    limit = body.limit
    effort, velocity = np.full(joint.nv, limit.effort), np.full(joint.nv, limit.velocity)
    lower, upper = np.full(joint.nq, -np.inf), np.full(joint.nq, np.inf)
    if pinocchio_chart(body) is SAME:
        lower[:], upper[:] = limit.lower, limit.upper
    elif body.kind == "continuous":
        lower[:], upper[:] = -1.01, 1.01  # as Pinocchio's reader of URDF has it
    return [effort, velocity, lower, upper]
