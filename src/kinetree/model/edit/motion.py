"""Joints that no longer move, and joints whose direction in the tree is reversed."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Literal

import numpy as np

from kinetree.arguments import explain_type_errors
from kinetree.display import number as as_text
from kinetree.errors import Finding, KinetreeError, fail
from kinetree.model.assemble import Parts, build, parts_of
from kinetree.model.coordinates import q_of
from kinetree.model.edit.coupled_limits import nothing_inside
from kinetree.model.edit.extensions import stale, undriven
from kinetree.model.force_torque import slides
from kinetree.model.mimic import mimic_polynomial
from kinetree.model.robot import NO_AXES, CoupledLimit, Joint, Robot, Sensor
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array, frozen


@explain_type_errors
def lock(robot: Robot, values: Mapping[str, float | Iterable[float]], *, unit: Literal["rad", "deg"] = "rad") -> Robot:
    """Return the robot with these joints fixed at these values, {joint: number or numbers}, as `Robot.q` takes them.

    The pose at the value goes into the joint's origin. Joints that follow a locked one are locked at the value that
    follows. Limits, dynamics, safety and calibration of a locked joint go; coupled limits keep the rest within the
    remaining range, which may be empty; groups lose the joint. All of that is noted, and so are elements of other tools
    that still name it, such as its motor. Raises UnknownNameError for an unknown joint, KinetreeError for one that is
    fixed or follows another, and for a wrong count.

    Examples:
        >>> import kinetree as kt
        >>> icub = kt.load("icub")
        >>> stiff = kt.edit.lock(icub, {"torso_pitch": 10, "torso_roll": 0, "torso_yaw": 0}, unit="deg")
        >>> icub.nq, stiff.nq
        (35, 32)
        >>> stiff.joints["torso_pitch"].type
        'fixed'
    """
    q, slices = q_of(robot, values, {}, unit, warns=False), robot.q_slices  # a note names what is outside
    locked: dict[str, Array] = {}
    for joint in robot.joints.values():
        leader, coefficients = mimic_polynomial(robot, joint.name)
        if leader in values:
            at = q[slices[leader]]
            locked[joint.name] = np.polynomial.Polynomial(coefficients)(at) if joint.mimic else at
    parts = parts_of(robot)
    parts.joints = [_locked(j, locked[j.name]) if j.name in locked else j for j in parts.joints]
    parts.notes += tuple(_lock_note(robot, robot.joints[name], value) for name, value in locked.items())
    parts.groups = {name: tuple(j for j in joints if j not in locked) for name, joints in robot.groups.items()}
    _lock_coupled(parts, {name: float(value[0]) for name, value in locked.items() if value.size == 1})
    parts.notes += tuple(stale(parts.extensions, set(locked), "fixed now"))
    parts.notes += tuple(undriven(parts, robot.joints.keys() - locked.keys(), "fixed now"))
    made = build(parts)
    if made.coupled_limits and (fault := nothing_inside(made)) and not nothing_inside(robot):
        parts.notes += (replace(fault, severity="warning", message=f"{fault.message}, with these joints locked"),)
        made = build(parts)
    return made


def _locked(joint: Joint, value: Array) -> Joint:
    with np.errstate(all="ignore"):
        XJ = joint.kind.transform(joint.axes, joint.pitch, value)
    if not np.isfinite(XJ).all():
        raise fail("number", f"{value.tolist()} is no value of a {joint.type} joint", element=f"joint {joint.name!r}")
    return replace(
        joint,
        type="fixed",
        origin=frozen(joint.origin @ XJ),
        axes=NO_AXES,
        pitch=0.0,
        limits=(),
        mimic=None,
        dynamics=(),
        safety=None,
        calibration=None,
    )


def _lock_note(robot: Robot, joint: Joint, value: Array) -> Finding:
    limit, numbers = joint.limit, ", ".join(as_text(x, 6) for x in value)
    outside = joint.kind.single and not limit.lower <= value[0] <= limit.upper
    message = f"is locked at {numbers} (SI, rad)"
    if outside:
        message += f", outside its limits {as_text(limit.lower, 6)} to {as_text(limit.upper, 6)}"
    lost = [part for part in ("limits", "dynamics", "safety", "calibration") if getattr(joint, part)]
    lost += [f"its place in group {name!r}" for name, joints in robot.groups.items() if joint.name in joints]
    if lost:
        message += f"; it has lost {', '.join(lost)}"
    severity: Literal["warning", "info"] = "warning" if outside else "info"
    return Finding("locked", severity, message, joint.source, f"joint {joint.name!r}")


def _lock_coupled(parts: Parts, values: Mapping[str, float]) -> None:
    """Take the locked joints out of the coupled limits: their share goes into the bounds."""
    kept: list[CoupledLimit] = []
    for coupled in parts.coupled_limits:
        rest = {name: c for name, c in coupled.coefficients.items() if name not in values}
        share = sum(c * values[name] for name, c in coupled.coefficients.items() if name in values)
        if rest:
            lower, upper = coupled.lower - share, coupled.upper - share
            kept.append(replace(coupled, coefficients=rest, lower=lower, upper=upper))
        else:
            broken = max(coupled.lower - share, share - coupled.upper)
            message = "names locked joints alone and has gone"
            if broken > 0:
                message += f"; they are outside of it, by {as_text(broken, 6)}"
            note = Finding("dropped", "warning", message, coupled.source, f"coupled limit {coupled.name!r}")
            parts.notes += (note,)
    parts.coupled_limits = kept


@explain_type_errors
def reroot(robot: Robot, link: str) -> Robot:
    """Return the same robot with `link` as its root; the joints on the way to it are reversed.

    Every relative pose at the same q stays, and so do names, order, limits and mimics: a reversed joint turns about the
    opposite axis, its parent and child change places, and its force/torque sensors read in terms of the new ones.
    Raises UnknownNameError for an unknown link, KinetreeError for a planar, universal, ball or floating joint on the
    way: its inverse motion has other coordinates.

    Examples:
        >>> import kinetree as kt
        >>> icub = kt.load("icub")
        >>> standing = kt.edit.reroot(icub, "l_foot")
        >>> standing.root, standing.joint_names == icub.joint_names
        ('l_foot', True)
        >>> kt.fk(standing, "root_link")(standing.q({"l_knee": -30}, unit="deg"))[:3, 3].round(3)  # in the foot, m
        array([ 0.508,  0.068, -0.176])
    """
    path = robot.joints_to(link)[::-1]
    faults = [_irreversible(joint) for joint in path if not joint.kind.reversible]
    if faults:
        raise KinetreeError(faults)
    turned = {joint.name: reversed_joint(joint) for joint in path}
    parts = parts_of(robot)
    parts.joints = [turned.get(joint.name, joint) for joint in parts.joints]
    parts.sensors = [passed_sensor(s, turned[s.joint]) if s.joint in turned else s for s in parts.sensors]
    notes = [passed_note(robot.sensors[s.name], s) for s in parts.sensors if s.joint in turned]
    parts.notes += tuple(notes)
    return build(parts)


def passed_sensor(sensor: Sensor, joint: Joint) -> Sensor:
    """Return the sensor of a reversed joint. Its reading stays the same, but is unknown if its moment is about the
    origin of a joint that slides: that moved with the child, and moves with the parent now."""
    said = sensor.force_torque
    if said is None or (said.point == "joint" and slides(joint)):
        return replace(sensor, force_torque=None)
    measures: Literal["parent_on_child", "child_on_parent"]
    measures = "child_on_parent" if said.measures == "parent_on_child" else "parent_on_child"
    axes: dict[str, Literal["child", "parent", "sensor"]] = {"child": "parent", "parent": "child"}
    return replace(sensor, force_torque=replace(said, measures=measures, axes=axes.get(said.axes, "sensor")))


def passed_note(before: Sensor, after: Sensor) -> Finding:
    """Return a warning about the sensor of a reversed joint."""
    message = f"measures joint {after.joint!r}, whose parent and child have changed places; mind its sign"
    if after.force_torque:
        message = f"{message}: the same wrench is called {after.force_torque.measures} now"
    elif before.force_torque:
        message = f"{message}: about a point that slides with the old child, it no longer says what it measures"
    return Finding("reversed-joint", "warning", message, after.source, f"sensor {after.name!r}")


def _irreversible(joint: Joint) -> Finding:
    message = f"cannot be passed the other way: the inverse of a {joint.type} motion has other coordinates"
    return Finding("irreversible", "error", message, joint.source, f"joint {joint.name!r}", "lock it first")


def reversed_joint(joint: Joint) -> Joint:
    """Return the reversed joint: (O XJ C)⁻¹ = C⁻¹ XJ⁻¹ O⁻¹, and XJ⁻¹ is the motion about the opposite axis."""
    return replace(
        joint,
        parent=joint.child,
        child=joint.parent,
        origin=frozen(se3.inverse(joint.child_origin)),
        axes=frozen(0.0 - joint.axes),
        child_origin=frozen(se3.inverse(joint.origin)),
    )
