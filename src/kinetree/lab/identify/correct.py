"""A model without the faults that a log has shown."""

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from kinetree.lab.identify.answer import ModelFault
from kinetree.lab.identify.efforts import symmetric
from kinetree.model.assemble import build, parts_of
from kinetree.model.edit import set_origins
from kinetree.model.mimic import mimic_polynomial
from kinetree.model.robot import Dynamics, Inertial, Joint, Link, Robot
from kinetree.queries.origins import origins
from kinetree.spatial.se3 import Array, frozen

NEVER_MOVED = ("base", "tool0")
"""Frames of REP-199 that belong to the controller."""
OF_LINKS = ("mass", "centre", "inertia")
OF_JOINTS = {"viscous friction": "damping", "Coulomb friction": "friction", "armature": "armature"}
"""Kinds of what resists a motion, and where a joint has them."""
WITHOUT = {
    "urdf": {"armature": "URDF has no armature of joints"},
    "sdf": {"armature": "SDF has no armature of joints"},
    "dh": dict.fromkeys(OF_LINKS, "only rows of a DH file are corrected, no [[inertial]]"),
}
"""Formats, and the kinds that are not written in them, with the reason."""


def corrected(robot: Robot, faults: Sequence[ModelFault]) -> tuple[Robot, list[tuple[ModelFault, str]]]:
    """Return the robot with faults corrected, and the faults that are left, with the reason.

    The zero of a joint becomes part of its pose, so that its limits stay; those that follow it are turned with it. A
    joint that counts the other way gets the opposite axis. With its mass, the moments of a link grow. A fault that the
    log cannot tell from others is left, and what the format of the robot's file does not have.
    """
    left = list[tuple[ModelFault, str]]()
    form = robot.text.format if robot.text else ""
    shaped = {fault.element for fault in faults if fault.kind == "inertia"}  # which is about the new mass
    order = ("sign", "zero")  # signs last: a zero counts as the model does, and poses are those of the file
    for fault in sorted(faults, key=lambda one: order[::-1].index(one.kind) if one.kind in order else -1):
        if why := _impossible(robot, fault, form):
            left.append((fault, why))
        elif fault.kind == "sign":
            joint = robot.joints[fault.element]
            robot = _with(robot, replace(joint, axes=frozen(-joint.axes)))
        elif fault.kind == "zero":
            robot = _with_zero(robot, fault)
        elif fault.kind in OF_LINKS:
            link = robot.links[fault.element]
            robot = _with(robot, replace(link, inertial=_inertial(link, fault, shaped)))
        elif fault.kind in OF_JOINTS:
            joint, name = robot.joints[fault.element], OF_JOINTS[fault.kind]
            old = (joint.dynamics or (Dynamics(),))[0]
            value = max(float(_sum([getattr(old, name)], _rounded(fault))[0]), 0.0)
            robot = _with(robot, replace(joint, dynamics=(replace(old, **{name: value}),)))
        else:
            row = origins(robot, [fault.element])[fault.element]
            change = _rounded(fault)
            i = int(np.abs(row[:3]).argmax())
            row = row + (change if change.size == 6 else np.eye(6)[i] * change)
            robot = set_origins(robot, {fault.element: row})
    return robot, left


def certain(fault: ModelFault) -> ModelFault:
    """Return a fault of several numbers without those that may be zero, within three standard deviations."""
    if fault.value is None or np.ndim(fault.value) == 0:
        return fault
    sure = np.abs(fault.value) > 3 * np.asarray(fault.std)
    return fault if sure.all() else replace(fault, value=np.where(sure, fault.value, 0.0))


def _impossible(robot: Robot, fault: ModelFault, form: str) -> str:
    """Return why a fault is not corrected, or ""."""
    if fault.alike:
        others = " or ".join(f"the {kind} of {element}" for kind, element in fault.alike)
        return f"the log cannot tell it from {others}"
    if fault.kind in WITHOUT.get(form, {}):
        return WITHOUT[form][fault.kind]
    if fault.kind not in ("zero", "length", "joint pose", "sign", *OF_LINKS, *OF_JOINTS):
        return "it is of the log or of its setting, not of the model"
    if fault.std is not None and not np.isfinite(fault.std).all():
        return "the log does not determine all of it"
    if fault.kind in OF_LINKS:
        return ""
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
    """Return the value (1,), (3,) or (6,) of a fault, rounded to a tenth of its standard deviation or less."""
    value, std = np.atleast_1d(np.asarray(fault.value, float)), np.atleast_1d(np.asarray(fault.std, float))
    digits = np.clip(np.ceil(1 - np.log10(std.clip(1e-12))), 1, 12).astype(int)
    return np.array([round(float(x), int(n)) for x, n in zip(value, digits, strict=True)])


def _sum(old: Sequence[float] | Array, change: Array) -> Array:
    """Return numbers and their changes, without rounding errors."""
    return np.array([float(f"{x + dx:.12g}") if dx else float(x) for x, dx in zip(old, change, strict=True)])


def _inertial(link: Link, fault: ModelFault, shaped: Collection[str]) -> Inertial | None:
    """Return the inertial of a link with another mass, centre or inertia. shaped: links whose inertia is known."""
    old, change = link.inertial, _rounded(fault)
    if old is None:
        return None
    if fault.kind == "mass":
        (mass,) = _sum([old.mass], change)
        factor = 1.0 if link.name in shaped else mass / old.mass
        grown = [[float(f"{x * factor:.12g}") for x in row] for row in old.inertia] if factor != 1.0 else old.inertia
        return replace(old, mass=float(mass), inertia=frozen(grown))
    if fault.kind == "centre":
        T = old.origin.copy()
        T[:3, 3] = _sum(T[:3, 3], change)
        return replace(old, origin=frozen(T))
    R = old.origin[:3, :3]
    added = R.T @ symmetric(change) @ R
    added = (added + added.T) / 2
    return replace(old, inertia=frozen(_sum(old.inertia.ravel(), added.ravel()).reshape(3, 3)))


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


def _with(robot: Robot, thing: Joint | Link) -> Robot:
    """Return the robot with a joint or link in place of that of its name."""
    parts = parts_of(robot)
    parts.joints = [thing if isinstance(thing, Joint) and one.name == thing.name else one for one in parts.joints]
    parts.links = [thing if isinstance(thing, Link) and one.name == thing.name else one for one in parts.links]
    return build(parts)
