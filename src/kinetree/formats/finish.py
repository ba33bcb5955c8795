"""End of every reader of XML: the robot of what was read, with its notes and doubts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec

from kinetree.errors import Finding, nearest_names
from kinetree.formats.actuators import with_block_actuators
from kinetree.formats.fields import extension
from kinetree.formats.uncomputed import uncomputed
from kinetree.model.assemble import Parts, Reading, assemble_certain, order_of_file, whole
from kinetree.model.magnitudes import leave_out_large
from kinetree.model.names import kind_of
from kinetree.model.robot import Material, Robot, Sensor
from kinetree.syntax.xml.reader import Element, Report

if TYPE_CHECKING:
    from kinetree.formats.losses.sidecar.restore import Carried

P = ParamSpec("P")
MAX_LOOSE = 1000
"""Most warnings of sensors and materials that are left out; looking for the nearest names takes a while."""


def leave_out_loose(report: Report, parts: Parts, root: Element) -> None:
    """Leave out sensors that refer to nothing, and sensors and materials whose name stands twice, with a warning each.

    Those that are children of the root, as in URDF, are kept as they stand.
    """
    if not parts.sensors and len(parts.materials) < 2:
        return
    frames = {*(link.name for link in parts.links), *(frame.name for frame in parts.frames)}
    joints = {joint.name for joint in parts.joints}
    faults: list[Finding] = []

    def keeps(thing: Sensor | Material, first: dict[str, Sensor | Material]) -> bool:
        kind = kind_of(thing)
        fault = ""
        if first.setdefault(thing.name, thing) is not thing:
            fault = f"there is already a {kind} of this name"
        elif isinstance(thing, Sensor) and thing.joint is not None and thing.joint not in joints:
            fault = f"its joint {thing.joint!r} does not exist; {nearest_names(thing.joint, sorted(joints))}"
        elif isinstance(thing, Sensor) and thing.frame not in frames:
            fault = f"its frame {thing.frame!r} does not exist; {nearest_names(thing.frame, sorted(frames))}"
        if fault:
            message, label = f"{fault}; the {kind} is left out", f"{kind} {thing.name!r}"
            faults.append(Finding("left-out", "warning", message, thing.source, label))
            if len(faults) <= MAX_LOOSE and parts.text is not None:
                written = (element for element in root.children if element.source == thing.source)
                parts.extensions += [extension(parts.text.format, element) for element in written]
        return not fault

    sensors: dict[str, Sensor | Material] = {}
    materials: dict[str, Sensor | Material] = {}
    parts.sensors = [sensor for sensor in parts.sensors if keeps(sensor, sensors)]
    parts.materials = [material for material in parts.materials if keeps(material, materials)]
    report.place(faults[:MAX_LOOSE], root.document)


def finish(
    report: Report, parts: Parts, root: Element, format: str = "", carried: Sequence[Carried] = ()
) -> Robot | None:
    """Return the robot of the parts, with doubts after errors, or None if nothing is certain; structural faults are
    underlined in the file. carried: elements of Kinetree with what the format lacks."""
    leave_out_loose(report, parts, root)
    read = [*parts.extensions]
    parts.actuators = with_block_actuators(parts.actuators, read, parts.joints)
    if carried:
        from kinetree.formats.losses.sidecar import restore  # few files need it

        parts = restore(report, parts, carried, format)
        blocks = [one for one in parts.extensions if one not in read]
        parts.actuators = with_block_actuators(parts.actuators, blocks, parts.joints)
    report.place((note for _, note in uncomputed(parts.links, parts.joints, parts.extensions)), root.document)
    parts.notes = tuple(f for f in report.findings if f.severity != "error")
    parts.complete = not report.failed
    if report.failed:
        from kinetree.formats.doubts import doubts_of  # most files have no errors

        parts.doubts = [*doubts_of(report, parts, root), *parts.doubts]
    if any(f.severity == "error" and f.code != "no-links" for f in report.findings):
        report.findings = [f for f in report.findings if f.code != "no-links"]  # a consequence of the other errors
    robot, findings = assemble_certain(parts)
    if any(f.code == "too-large" for f in findings) and (left := leave_out_large(parts)):
        first = len(report.findings)
        report.place(left, root.document)
        parts.notes = (*parts.notes, *report.findings[first:])
        robot, findings = assemble_certain(parts)
    report.place(findings, root.document)
    if carried and robot and robot.joint_names != order_of_file(robot):
        from kinetree.formats.losses.sidecar import other_order

        notes = other_order(robot, order_of_file(robot), format)
        report.findings += notes
        robot = replace(robot, notes=(*robot.notes, *notes))
    return robot


def without_doubts(read: Callable[P, Reading]) -> Callable[P, Reading]:
    """Return a reader that returns None in place of a robot of which errors leave anything unknown."""

    @wraps(read)
    def read_whole(*arguments: P.args, **options: P.kwargs) -> Reading:
        return whole(*read(*arguments, **options))

    return read_whole
