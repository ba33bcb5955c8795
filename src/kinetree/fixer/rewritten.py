"""Numbers of joints and links changed in the text of a model, and nothing else."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path

from kinetree.errors import fail
from kinetree.fixer.apply import edited
from kinetree.fixer.dh_edits import dh_edits
from kinetree.fixer.fix import FixResult
from kinetree.fixer.invariants import difference
from kinetree.fixer.number_edits import SLOTS, Writer
from kinetree.fixer.pose_text import near
from kinetree.fixer.state import read_robot
from kinetree.fixer.xacro_edits import UNSAFE, in_source_files
from kinetree.formats.registry import ReadOptions
from kinetree.model.assemble import build, parts_of
from kinetree.model.robot import Robot
from kinetree.repairs.edit import Edit
from kinetree.rules.facts import Subject
from kinetree.rules.options import CheckOptions
from kinetree.spatial.se3 import frozen, translation

FORMATS = (*SLOTS, "dh")
ROUNDING = 1e-10
"""Largest relative error of a mass or moment."""


def rewritten(file: str, read: ReadOptions, change: Callable[[Robot], Robot], *, included: bool = False) -> FixResult:
    """Return the edits of a file of URDF, xacro, SDF, MJCF or DH parameters that make its robot the changed one.

    change: returns the robot with other poses, axes, inertias and dynamics of joints and links. included: whether files
    that a xacro file includes may change, which other models may include, too. The edited text is read
    again and compared: frames, shapes, sensors, masses, limits and joints must be those of the changed robot; in a DH
    file, a link's own frame follows from the convention, and may turn. Raises KinetreeError if they are not, and for
    what cannot be edited, such as a pose that a macro computes.
    """
    options = CheckOptions(read=read)
    before, robot, _ = read_robot(file, options, {})
    wanted, contents, only = change(robot), before, None if included else Path(file)
    form = robot.text.format if robot.text else {".sdf": "sdf", ".world": "sdf"}.get(Path(file).suffix, "")
    if form not in FORMATS:
        legal = "URDF, xacro, SDF, MJCF, or DH parameters in TOML"
        raise fail("fix", f"{file} cannot be edited; expected a file of {legal}")
    but, bare = set[str](), set[str]()
    if form == "dh" and robot.text:  # frames of links and rows, and shapes on them, are where the convention has them
        moved = [one for name, one in robot.joints.items() if not near(one.origin, wanted.joints[name].origin)]
        parents, bare = {one.parent for one in moved}, {link for one in moved for link in (one.parent, one.child)}
        but = {*robot.links, *(name for name, frame in robot.frames.items() if frame.link in parents)}
        contents = {**contents, **edited(dh_edits(robot, wanted, robot.text.text, file), contents)}
        robot = read_robot(file, options, contents)[1]
    for _ in range(len(robot.joints) + 4 if form in SLOTS else 0):  # poses that are relative to others need rounds
        after = {**contents, **edited(_edits(only, form, robot, wanted, contents), contents)}
        if after == contents:
            break
        contents, robot = after, read_robot(file, options, after)[1]
    if (wrong := difference(_plain(wanted, bare), _plain(robot, bare), {}, rounding=ROUNDING, but=but)) is not None:
        raise fail("fix", f"the edited text would be another robot: {wrong}")
    changed = {path: content for path, content in contents.items() if content != before[path]}
    return FixResult(file, {path: before[path] for path in changed}, changed, (), ())


def _plain(robot: Robot, bare: Collection[str]) -> Robot:
    """Return the robot with inertias in the axes of links, which a file may have in others, and some links bare."""
    parts = parts_of(robot)
    for i, link in enumerate(parts.links):
        if old := link.inertial:
            R = old.origin[:3, :3]
            turned = replace(old, inertia=frozen(R @ old.inertia @ R.T), origin=frozen(translation(old.origin[:3, 3])))
            link = replace(link, inertial=turned)
        parts.links[i] = replace(link, visuals=(), collisions=()) if link.name in bare else link
    return build(parts)


def _edits(only: Path | None, form: str, robot: Robot, wanted: Robot, contents: Mapping[Path, bytes]) -> list[Edit]:
    """Return edits that bring the text of a robot nearer to another."""
    facts = Subject(robot, CheckOptions()).facts(lambda elements, document: None)
    repairs = list(Writer(robot, form, contents, facts["elements"]).repairs(wanted))
    if (document := facts["document"]) and document.document.origins:
        names = robot.text.files if robot.text else {}
        repairs, refused = in_source_files(repairs, document, contents, only, names)
        for element, why in refused.items():
            raise fail("fix", why.replace(UNSAFE, "; edit it there, as --diff shows"), element=element)
    return [edit for repair in repairs for edit in repair.edits]
