"""Joints as USD text: frames, limits in degrees, drives, and what Newton and PhysX read besides."""

from collections.abc import Iterator, Mapping
from math import degrees, inf, nextafter, radians

import numpy as np

from kinetree.formats.usd.usda import Usda, numbers, quaternion
from kinetree.model.robot import Dynamics, Joint, Robot
from kinetree.spatial import se3
from kinetree.syntax.numbers import format_number

KINDS = {
    "revolute": "PhysicsRevoluteJoint",
    "continuous": "PhysicsRevoluteJoint",
    "prismatic": "PhysicsPrismaticJoint",
    "fixed": "PhysicsFixedJoint",
    "ball": "PhysicsSphericalJoint",
    "planar": "PhysicsJoint",
    "floating": "PhysicsJoint",
}
"""Types of prims by those of joints."""
LOCKED = {"planar": ("transZ", "rotX", "rotY")}
"""Degrees of freedom that a generic joint does not have."""


def write_joint(
    usda: Usda, robot: Robot, joint: Joint, links: Mapping[str, str], joints: Mapping[str, str], is_loop: bool
) -> None:
    """Write a joint. links, joints: paths by name; the world has none."""
    angular = joint.type in ("revolute", "continuous")
    axis, R = "", np.eye(3)
    if joint.kind.axes:
        along = int(np.argmax(np.abs(joint.axes[0])))
        axis = "XYZ"[along]
        if joint.axes[0][along] != 1.0 or (joint.type == "planar" and axis != "Z"):
            axis = "Z" if joint.type == "planar" else "X"
            R = se3.rotation_between(np.eye(3)["XYZ".index(axis)], joint.axes[0])
    T_turn = se3.homogeneous(R, np.zeros(3))
    ends = (joint.origin @ T_turn, se3.inverse(joint.child_origin) @ T_turn)
    values = [*_values(joint, angular)] if axis and joint.type != "planar" else []
    apis = ["NewtonJointAPI"] if any(line.startswith("float newton") for line in values) else []
    apis += ["PhysxJointAPI"] if any(line.startswith("float physx") for line in values) else []
    drive = f"drive:{'angular' if angular else 'linear'}:"
    apis += [f"PhysicsDriveAPI:{drive[6:-1]}"] if any(drive in line for line in values) else []
    apis += [f"PhysicsLimitAPI:{name}" for name in LOCKED.get(joint.type, ())]
    apis += ["NewtonMimicAPI"] if joint.mimic else []
    with usda.prim(KINDS[joint.type], joints[joint.name].rpartition("/")[2], joint.name, apis):
        for i, link in enumerate((joint.parent, joint.child)):
            if link in links:
                usda.line(f"rel physics:body{i} = <{links[link]}>")
            usda.line(f"point3f physics:localPos{i} = {numbers(ends[i][:3, 3])}")
            usda.line(f"quatf physics:localRot{i} = {quaternion(ends[i][:3, :3])}")
        if axis and joint.type != "planar":
            usda.line(f'uniform token physics:axis = "{axis}"')
        for name in LOCKED.get(joint.type, ()):
            usda.line(f"float limit:{name}:physics:low = 1")
            usda.line(f"float limit:{name}:physics:high = -1")
        if is_loop:
            usda.line("uniform bool physics:excludeFromArticulation = true")
        for line in values:
            usda.line(line)
        if joint.mimic:
            offset = degrees(joint.mimic.offset) if angular else joint.mimic.offset
            usda.line(f"rel newton:mimicJoint = <{joints[joint.mimic.joint]}>")
            usda.line(f"float newton:mimicCoef0 = {format_number(offset)}")
            usda.line(f"float newton:mimicCoef1 = {format_number(joint.mimic.multiplier)}")


def _values(joint: Joint, angular: bool) -> Iterator[str]:
    """Yield the lines of limits and dynamics of a joint with one degree of freedom."""
    limit, passive = joint.limit, joint.dynamics[0] if joint.dynamics else Dynamics()
    drive = f"drive:{'angular' if angular else 'linear'}:physics:"
    angle = radians(1.0) if angular else 1.0

    def line(name: str, value: float) -> str:
        return f"float {name} = {format_number(value)}"

    for name, value in (("lower", limit.lower), ("upper", limit.upper)):
        if abs(value) < inf:
            yield line(f"physics:{name}Limit", _over(value, angle))
    if limit.velocity < inf:
        yield line("newton:velocityLimit", _over(limit.velocity, angle))
        yield line("physxJoint:maxJointVelocity", _over(limit.velocity, angle))
    for name, value in (("damping", passive.damping * angle), ("friction", passive.friction)):
        if value:
            yield line(f"newton:{name}", value)
    if passive.armature:
        yield line("newton:armature", passive.armature)
        yield line("physxJoint:armature", passive.armature)
    if limit.effort < inf:
        yield line(f"{drive}maxForce", limit.effort)
    if passive.stiffness:
        yield line(f"{drive}stiffness", passive.stiffness * angle)
    if passive.reference:
        yield line(f"{drive}targetPosition", _over(passive.reference, angle))
    if passive.stiffness or passive.reference:  # not the gain of a controller
        yield "custom bool kinetree:spring = true"


def _over(value: float, unit: float) -> float:
    """Return value / unit, or a neighbour whose product with the unit is the value again."""
    x = value / unit
    return next((one for one in (x, nextafter(x, inf), nextafter(x, -inf)) if one * unit == value), x)
