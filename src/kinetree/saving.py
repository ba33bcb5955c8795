"""Save a robot to a file, or return it as text."""

import os
from collections.abc import Collection
from pathlib import Path
from typing import Literal

from kinetree.arguments import as_names, explain_type_errors
from kinetree.errors import Finding, KinetreeError, Source, fail, nearest_names
from kinetree.formats.registry import WRITTEN, format_by_ending
from kinetree.model.actuator import Kind
from kinetree.model.robot import Robot


@explain_type_errors
def save(
    robot: Robot,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    without: Collection[str] = (),
    assets: Literal["bring", "keep"] = "bring",
    actuators: Kind | None = None,
) -> tuple[Finding, ...]:
    """Write the robot to a file in the format of its ending, or in `format`. All or nothing is written.

    Parts that the format lacks and other programs do not need, such as velocity limits in MJCF, are written into
    elements of Kinetree, and `load` restores them. Returns remarks on these parts, and on names that other programs
    see differently.

    Args:
        robot: the robot.
        path: the file; a file that exists is replaced.
        format: "urdf", "sdf", "mjcf", "dh", "dh-csv", "ets", "usd", "srdf", "xrdf" or "curobo"; by default the ending
            decides. USD has the points of meshes in its file.
        assets: "bring" copies meshes and textures into the folder "assets" beside the file, converted if the format
            needs it. Files that are already beside it stay there. If the robot is written in its own format beside its
            own file, nothing is copied. "keep" leaves the references as they are, with a warning for those that find
            no file.
        actuators: "position", "velocity" or "motor", for MJCF: gives every joint an actuator of this kind, with gains
            for the inertia of the joint in the neutral posture, and the limits of the joint.
        without: parts that are left out, such as ("extension", "inertial"). All parts:
            `kinetree.formats.losses.parts.PARTS`.

    Raises KinetreeError for a part without which other programs would see another robot, unless it is left out.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.chain("tz(0.3) Rz(q1) tx(0.2)", name="arm")
        >>> kt.save(arm, "arm.urdf")  # no remarks
        ()
        >>> kt.load("arm.urdf")
        Robot('arm', 2 links, 1 joint, 3 frames, nq=1)
    """
    from kinetree.files.output import (
        check_no_links,
        made_folders,
        write_all,
    )  # not at the start, for most programs only read
    from kinetree.formats.mjcf.keyframes import is_written
    from kinetree.shapes.copy_assets import copy_assets, missing_assets
    from kinetree.shapes.lowest import with_heights

    target = Path(path)
    if "\0" in str(target):
        raise fail("file", f"{str(target)!r} contains a null character, which no name of a file does")
    row = WRITTEN.get(format) if format else format_by_ending(target, WRITTEN)
    if row is None:
        legal = ", ".join(s for f in WRITTEN.values() for s in f.suffixes)
        legal += ", or say format='curobo' for a YAML file of cuRobo"
        raise fail("format", f"cannot write {format or target.name!r}; legal endings are {legal}")
    if assets not in ("bring", "keep"):
        raise fail("assets", f"assets={assets!r}; expected 'bring' or 'keep'")
    robot, drives = (robot, []) if actuators is None else _driven(robot, row.name, actuators)
    if not target.parent.is_dir():
        raise KinetreeError(Finding("file", "error", f"the folder {target.parent} does not exist", Source(str(target))))
    robot = with_heights(robot) if row.name == "mjcf" else robot
    contents: dict[Path, bytes] = {}
    if row.points and not (robot.text and robot.text.format == row.name):
        from kinetree.shapes.points import with_points

        robot = with_points(robot, as_names(without))
    elif (
        assets == "bring" and not row.beside and (os.path.isfile(target) or not os.path.exists(target))
    ):  # a pipe has no folder of its own
        robot, contents = copy_assets(robot, target, row.name, as_names(without))
    missing = missing_assets(robot, target, row.name, as_names(without)) if assets == "keep" and not row.beside else []
    notes = [*drives, *missing]
    if robot.semantic and not row.beside and not (row.name == "mjcf" and is_written(robot)):
        message = f"what an SRDF says of it is not written to {row.name}; save it beside the file, as SRDF"
        if row.name == "mjcf":
            message = message.replace(
                "of it is", "of it, besides postures of all joints and pairs of links without contact, is"
            )
        notes.append(Finding("semantic", "info", message, Source(str(target)), f"robot {robot.name!r}"))
    text = row.write(robot, without, notes)
    check_no_links(contents, target)
    with made_folders(file.parent for file in contents):
        write_all({**contents, target: text})
    return tuple(notes)


def _driven(robot: Robot, format: str, actuators: Kind) -> tuple[Robot, list[Finding]]:
    """Return the robot with an actuator of a kind at every joint, and remarks on those that were of another kind."""
    if format != "mjcf":
        raise fail("actuators", f"actuators={actuators!r} means nothing to {format}; only MJCF has actuators")
    from kinetree.formats.mjcf.gains import changed_drives, with_actuators

    return with_actuators(robot, actuators), changed_drives(robot, actuators)


@explain_type_errors
def text(robot: Robot, format: str, *, without: Collection[str] = ()) -> str:
    """Return the robot as the text of a file in a format, such as "sdf", as `save` with assets="keep" writes it.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.chain("tz(0.3) Rz(q1) tx(0.2)", name="arm")
        >>> print(kt.text(arm, "ets"), end="")
        name = arm
        tz(0.3) Rz(q1) tx(0.2)
    """
    row = WRITTEN.get(format)
    if row is None:
        raise fail("format", f"cannot write format {format!r}; {nearest_names(format, list(WRITTEN))}")
    from kinetree.shapes.lowest import with_heights

    return row.write(with_heights(robot) if row.name == "mjcf" else robot, without)
