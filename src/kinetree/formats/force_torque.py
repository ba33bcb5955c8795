"""What a model says of its force/torque sensors: the element <force_torque>, which SDF and iDynTree's URDF share, and
which the readers keep as it stands."""

from __future__ import annotations

from dataclasses import dataclass

from kinetree.errors import Finding, KinetreeError
from kinetree.formats.xml import Report, parse
from kinetree.model.robot import Extension, Robot, Sensor
from kinetree.spatial.se3 import IDENTITY, Array

DIRECTIONS = {"parent_to_child": "parent_on_child", "child_to_parent": "child_on_parent"}
"""SDF's words for <measure_direction>, and ours: who exerts the wrench that is read, on whom."""

DEFAULTS = {"frame": "child", "measure_direction": "child_to_parent"}
"""Of what <force_torque> leaves out: SDF's, from 1.5 to 1.12."""


LEGAL = {"frame": ("child", "parent", "sensor"), "measure_direction": tuple(DIRECTIONS)}


@dataclass(frozen=True, slots=True, eq=False)
class ForceTorque:
    """joint: the one that it cuts. frame, T_frame_reading (4, 4): in which the reading is given, its moment about that
    origin. measures: one of the values of DIRECTIONS; None where the model does not say."""

    joint: str
    frame: str
    T_frame_reading: Array
    measures: str | None


def has_element(format: str, extension: Extension) -> bool:
    """Whether a format has the element of an extension: its own, and <force_torque>, which URDF and SDF share."""
    shared = extension.tag == "force_torque" and {format, extension.format} <= {"urdf", "sdf"}
    return extension.format == format or shared


def declaration(frame: str, measure_direction: str) -> Extension:
    """The element <force_torque> of a model that is not in XML; words as in SDF."""
    text = (
        f"<force_torque><frame>{frame}</frame><measure_direction>{measure_direction}</measure_direction></force_torque>"
    )
    return Extension("sdf", "force_torque", text)


def force_torque(robot: Robot, name: str) -> ForceTorque:
    """The force/torque sensor `name`, as the model declares it.

    <frame> says whether the reading is in the frame of the joint's child or parent link or in the sensor's own, which
    alone heeds the sensor's origin; without <force_torque> it is the last. Raises KinetreeError for a name that is no
    such sensor, and for a <force_torque> that cannot be understood.
    """
    sensor = robot.sensors[name]
    if sensor.type != "force_torque" or sensor.joint is None:
        legal = [s.name for s in robot.sensors.values() if s.type == "force_torque" and s.joint is not None]
        what = f"is of type {sensor.type!r}" if sensor.type != "force_torque" else "is of no joint"
        there = ", ".join(map(repr, legal)) or "there are none"
        raise _fault(sensor, "sensor", f"{what}; legal are force_torque sensors of joints: {there}")
    joint = robot.joints[sensor.joint]
    kept = next((e for e in sensor.extensions if e.tag == "force_torque"), None)
    if kept is None:
        return ForceTorque(joint.name, sensor.frame, sensor.origin, None)
    if (link := robot.frames[sensor.frame].link) != joint.child:
        message = f"stands on {link!r} instead of {joint.child!r}, the child of {joint.name!r}, so that the parent and "
        raise _fault(sensor, "sensor", f"{message}child of its <force_torque> may be those before a re-rooting")
    said = {tag: _said(sensor, kept, tag) for tag in DEFAULTS}
    frame = {"child": joint.child, "parent": joint.parent, "sensor": sensor.frame}[said["frame"]]
    T = sensor.origin if said["frame"] == "sensor" else IDENTITY
    return ForceTorque(joint.name, frame, T, DIRECTIONS[said["measure_direction"]])


def _said(sensor: Sensor, kept: Extension, tag: str) -> str:
    report = Report()
    root = parse(kept.text, kept.source.file if kept.source else "<memory>", report)
    if root is None:
        raise KinetreeError(report.findings)
    element = root.find(tag)
    word = DEFAULTS[tag] if element is None else element.text.strip()
    if word not in LEGAL[tag]:
        message = f"<{tag}> is {word!r}; legal are {', '.join(map(repr, LEGAL[tag]))}"
        raise _fault(sensor, tag.replace("_", "-"), message)
    return word


def _fault(sensor: Sensor, code: str, message: str) -> KinetreeError:
    return KinetreeError(Finding(code, "error", message, sensor.source, f"sensor {sensor.name!r}"))
