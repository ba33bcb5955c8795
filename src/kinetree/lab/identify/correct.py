"""A model without the faults that a log has shown."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kinetree.lab.identify.answer import ModelFault
from kinetree.model.assemble import build, parts_of
from kinetree.model.edit import set_origins
from kinetree.model.mimic import mimic_polynomial
from kinetree.model.robot import Joint, Robot
from kinetree.queries.origins import origins
from kinetree.spatial.se3 import Array, frozen

NEVER_MOVED = ("base", "tool0")
"""Frames of REP-199 that belong to the controller."""
OF_LINKS = ("mass", "centre", "inertia", "viscous friction", "Coulomb friction", "armature")
"""Kinds that are of the model, but not of its poses."""


def corrected(robot: Robot, faults: Sequence[ModelFault]) -> tuple[Robot, list[tuple[ModelFault, str]]]:
    """Return the robot with faults corrected, and the faults that are left, with the reason.

    The zero of a joint becomes part of its pose, so that its limits stay; those that follow it are turned with it. A
    joint that counts the other way gets the opposite axis. A fault that the log cannot tell from others is left.
    """
    left = list[tuple[ModelFault, str]]()
    order = ("sign", "zero")  # signs last: a zero counts as the model does, and poses are those of the file
    for fault in sorted(faults, key=lambda one: order[::-1].index(one.kind) if one.kind in order else -1):
        if why := _impossible(robot, fault):
            left.append((fault, why))
        elif fault.kind == "sign":
            joint = robot.joints[fault.element]
            robot = _with(robot, replace(joint, axes=frozen(-joint.axes)))
        elif fault.kind == "zero":
            robot = _with_zero(robot, fault)
        else:
            row = origins(robot, [fault.element])[fault.element]
            change = _rounded(fault)
            i = int(np.abs(row[:3]).argmax())
            row = row + (change if change.size == 6 else np.eye(6)[i] * change)
            robot = set_origins(robot, {fault.element: row})
    return robot, left


def _impossible(robot: Robot, fault: ModelFault) -> str:
    """Return why a fault is not corrected, or ""."""
    if fault.alike:
        others = " or ".join(f"the {kind} of {element}" for kind, element in fault.alike)
        return f"the log cannot tell it from {others}"
    if fault.kind in OF_LINKS:
        return "only poses and axes are written; kt.edit.set_inertial_parameters changes inertias"
    if fault.kind not in ("zero", "length", "joint pose", "sign"):
        return "it is of the log or of its setting, not of the model"
    joint = robot.joints[fault.element]
    if fault.kind in ("length", "joint pose") and joint.child in NEVER_MOVED:
        return f"{joint.child} is where the controller has it (REP-199); correct a joint before it, or the controller"
    if fault.kind == "sign" and (joint.mimic or _followers(robot, joint.name)):
        return "it follows a joint, or others follow it"
    if fault.kind == "zero" and any(len(mimic_polynomial(robot, one)[1]) > 2 for one in _followers(robot, joint.name)):
        return "joints follow it in a curve, which a pose cannot shift"
    if fault.kind == "sign" and joint.limits and joint.limits[0].lower != -joint.limits[0].upper:
        return "its limits are not symmetric, so that they may be of the model's or of the robot's way to count"
    return ""


def _rounded(fault: ModelFault) -> Array:
    """Return the value (1,) or (6,) of a fault, rounded to a tenth of its standard deviation or less."""
    value, std = np.atleast_1d(np.asarray(fault.value, float)), np.atleast_1d(np.asarray(fault.std, float))
    digits = np.clip(np.ceil(1 - np.log10(std.clip(1e-12))), 1, 12).astype(int)
    return np.array([round(float(x), int(n)) for x, n in zip(value, digits, strict=True)])


def _followers(robot: Robot, leader: str) -> list[str]:
    return [name for name, one in robot.joints.items() if one.mimic and mimic_polynomial(robot, name)[0] == leader]


def _with_zero(robot: Robot, fault: ModelFault) -> Robot:
    """Return the robot whose joint, and those that follow it, are farther by the value of a fault at the same q."""
    for name in (fault.element, *_followers(robot, fault.element)):
        joint = robot.joints[name]
        by = _rounded(fault) * mimic_polynomial(robot, name)[1][1]
        moved = joint.origin @ joint.kind.transform(joint.axes, joint.pitch, by)
        robot = _with(robot, replace(joint, origin=frozen(moved)))
    return robot


def _with(robot: Robot, joint: Joint) -> Robot:
    """Return the robot with a joint in place of that of its name."""
    parts = parts_of(robot)
    parts.joints = [joint if one.name == joint.name else one for one in parts.joints]
    return build(parts)
