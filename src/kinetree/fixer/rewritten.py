"""Poses and axes of joints changed in the text of a model, and nothing else."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from kinetree.errors import fail
from kinetree.fixer.apply import edited
from kinetree.fixer.fix import FixResult
from kinetree.fixer.invariants import difference
from kinetree.fixer.state import read_robot
from kinetree.fixer.xacro_edits import in_source_files
from kinetree.formats.registry import ReadOptions
from kinetree.model.robot import Robot
from kinetree.repairs.edit import Edit, New, Repair, insert_inside, set_attribute
from kinetree.repairs.fixes import Elements, set_origin, vector_text
from kinetree.rules.facts import Subject
from kinetree.rules.options import CheckOptions


def rewritten(file: str, read: ReadOptions, change: Callable[[Robot], Robot]) -> FixResult:
    """Return the edits of a URDF or xacro file that make its robot the changed one.

    change: returns the robot with other poses and axes of joints. The edited text is read again and compared: frames,
    shapes, sensors, masses, limits and joints must be those of the changed robot. Raises KinetreeError if they are not,
    and for what cannot be edited, such as a pose that a macro computes.
    """
    options = CheckOptions(read=read)
    contents, robot, _ = read_robot(file, options, {})
    wanted = change(robot)
    facts = Subject(robot, options).facts(lambda elements, document: None)
    if facts["elements"] is None:
        raise fail("fix", f"{file} is neither URDF nor xacro; poses are changed in texts of these formats alone")
    repairs = list(_repairs(robot, wanted, facts["elements"]))
    if facts["document"].document.origins:
        names = robot.text.files if robot.text else {}
        repairs, refused = in_source_files(repairs, facts["document"], contents, Path(file), names)
        for element, why in refused.items():
            raise fail("fix", why, element=element)
    after = edited([edit for repair in repairs for edit in repair.edits], contents)
    if (wrong := difference(wanted, read_robot(file, options, {**contents, **after})[1], {})) is not None:
        raise fail("fix", f"the edited text would be another robot: {wrong}")
    changed = {path: content for path, content in after.items() if content != contents[path]}
    return FixResult(file, {path: contents[path] for path in changed}, changed, (), ())


def _repairs(robot: Robot, wanted: Robot, elements: Elements) -> Iterator[Repair]:
    for name, joint in robot.joints.items():
        other, element = wanted.joints[name], elements.joints.get(name)
        edits: list[Edit] = []
        if element and not np.array_equal(joint.origin, other.origin):
            edits += set_origin(element, other.origin)
        if element and not np.array_equal(joint.axes, other.axes):
            axis, xyz = element.find("axis"), vector_text(other.axes[0])
            edits += [set_attribute(axis, "xyz", xyz) if axis else insert_inside(element, New("axis", {"xyz": xyz}))]
        if element and edits:
            yield Repair(element.label, tuple(edits))
