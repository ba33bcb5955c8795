"""Load a robot from a path, a text or a bare name."""

import os
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import cache
from operator import attrgetter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kinetree.arguments import explain_type_errors, renamed
from kinetree.confine import Confinement, Places, confinement_of
from kinetree.errors import Doubt, Finding, KinetreeError, fail, nearest_names
from kinetree.files.nearby import did_you_mean
from kinetree.files.opener import Files, read_file
from kinetree.formats.losses.parts import PARTS, check_parts, note
from kinetree.formats.registry import FORMATS, SEMANTIC, Format, ReadOptions, format_of_text, holds_xacro, srdf_text
from kinetree.model.assemble import Reading, build, parts_of
from kinetree.model.edit import add_limits, floating as floating_base
from kinetree.model.edit.coupled_limits import nothing_inside
from kinetree.model.limits import LinearLimits
from kinetree.model.names import Lookup
from kinetree.model.robot import Robot
from kinetree.model.text import in_text
from kinetree.robots.installed import located
from kinetree.robots.packaged import is_packaged
from kinetree.spatial.se3 import Array

PRINTED = "dh"
"""The set of limits that the DH tables of a packaged robot print."""


@explain_type_errors
def load(
    source: str | os.PathLike[str],
    *,
    format: str | None = None,
    args: Mapping[str, object] | None = None,
    packages: Mapping[str, str | os.PathLike[str]] | None = None,
    model: str | None = None,
    srdf: str | os.PathLike[str] | None = None,
    limits: str | os.PathLike[str] | None = None,
    inertias: str | None = None,
    confined: bool | Confinement = False,
    expand: str | None = None,
    without: Collection[str] = (),
    floating: bool = False,
    xacro_args: Mapping[str, object] | None = None,
) -> Robot:
    """Return the robot that a file, a text or a name describes.

    Args:
        source: a path; or, as a str together with format=…, the text itself; or the name of a robot of Kinetree, such
            as "icub" or "icub:2.5" (a file of that name is "./icub"); or "PACKAGE:MODEL" for a model of an installed
            package of models, such as "example-robot-data:panda". `kinetree models` lists the names.
        format: "urdf", "xacro", "sdf", "mjcf", "dh", "ets", "usd"; by default the file's ending and its root element
            decide. A pathlib.Path together with format=… is a file of that format whatever its ending.
        args: the arguments of a xacro file; of OpenUSD, the variants to choose, by the names of their sets.
        packages: folders of ROS packages by name, searched first.
        model: the model to take from an SDF file that has several.
        srdf: a semantic description of the robot, with groups of joints: an SRDF file, expanded if its name ends in
            .xacro, or an XRDF file; or the text of either.
        limits: a TOML file of limits over several joints, added to the robot's own. For an iCub also "firmware",
            "tendons" or "ikin", limits of its shoulders ("icub" before version 3 has "tendons" without this); or the
            name of a real iCub, such as "iCubGenova02", for the position limits of its control boards. For a robot of
            Kinetree also "dh", only the limits in its DH tables.
        inertias: for an iCub, a model of the installed package icub-models, such as "iCubGazeboV2_5", from which it
            takes masses, inertias and places of sensors; `kt.icub.with_inertias` describes how.
        confined: True if the file may include and load only files of its workspace and of packages, and read no
            environment variable; or a `kinetree.confine.Confinement`, which lists folders and variables. By default a
            file may include whatever you may read. Files that you name here are always read.
        expand: "mujoco" lets an installed MuJoCo expand elements of an MJCF file that make bodies (`<attach>`,
            `<composite>`, `<flexcomp>`), in a child process that can neither write nor use the network.
        without: parts that are left out, such as ("mimic",), after which followers move by themselves. Errors in them
            do not count. The effects are on `robot.notes`. All parts: `kinetree.formats.losses.parts.PARTS`.
        floating: whether the root floats in a world, see `kt.edit.floating`.
        xacro_args: the old name of args, deprecated.

    Warnings are on `robot.notes`. Raises KinetreeError with every fault of the input, each with its place.

    Examples:
        >>> import kinetree as kt
        >>> icub = kt.load("icub")  # or a file, such as kt.load("arm.urdf")
        >>> icub
        Robot('icub', 42 links, 41 joints, 103 frames, nq=35)
        >>> icub.groups["head"]
        ('neck_pitch', 'neck_roll', 'neck_yaw', 'eyes_tilt', 'l_eye_pan_joint', 'r_eye_pan_joint')
    """
    args = renamed("args", args, "xacro_args", xacro_args)
    options = ReadOptions(format, args, packages, model, srdf, limits, inertias, confined, expand, without)
    robot, findings = examine(source, options)
    errors = [f for f in findings if f.severity == "error"]
    if errors or robot is None:
        raise KinetreeError(sorted(errors, key=attrgetter("place")))
    if robot.text and not robot.text.parts:
        robot.text.parts.extend(in_text(robot))
    return floating_base(robot) if floating else robot


@explain_type_errors
@np.errstate(all="ignore")  # what overflows is refused by `kinetree.model.assemble`, with its place
def examine(source: str | os.PathLike[str], options: ReadOptions = ReadOptions(), uncertain: bool = False) -> Reading:
    """Return the robot that `load` would return, or None, and all findings. Raises KinetreeError only where there is
    nothing to read.

    uncertain: whether after errors the robot is what is certain of it, with doubts.
    """
    check_parts(options.without)
    source, args = located(source, options.format, options.args)
    options = replace(options, args=args)
    reading = _left_out(*_with_semantic(*_read(source, options), options, uncertain), options.without)
    robot, findings = _with_empty_limits(*reading)
    if robot is None or (robot.doubts and not uncertain):
        return None, findings
    limits = None if options.limits == PRINTED and is_packaged(source, options.format) else options.limits
    try:
        made = robot if limits is None else _limited(robot, limits)
        made = made if options.inertias is None else _with_inertias(made, options.inertias)
    except KinetreeError as error:
        return None, [*findings, *error.findings]
    old, new = set(robot.notes), set(made.notes)
    findings = [finding for finding in findings if finding not in old or finding in new]
    return replace(made, doubts=robot.doubts), [*findings, *(note for note in made.notes if note not in old)]


def _with_inertias(robot: Robot, name: str) -> Robot:
    """Return an iCub with the masses of a model of icub-models."""
    from kinetree.robots.icub.inertias import model_file, with_inertias

    return with_inertias(robot, replace(load(model_file(name)), name=name))


def _folders(options: ReadOptions) -> dict[str, Path]:
    """Return the folders of packages that are given, by name. Raises KinetreeError for one that is not there."""
    folders = {name: Path(folder).expanduser().absolute() for name, folder in (options.packages or {}).items()}
    for name, folder in folders.items():
        if not folder.is_dir():
            raise fail("package", f"packages={{{name!r}: …}}: there is no folder {folder}")
    return folders


def _limited(robot: Robot, limits: str | os.PathLike[str]) -> Robot:
    """Return the robot with the limits of a file, or of a set that comes with the package."""
    from kinetree.robots.icub.board_limits import robots, with_board_limits
    from kinetree.robots.icub.tendons import SETS, with_tendons

    if not isinstance(limits, str) or limits.lower().endswith(".toml") or "/" in limits or os.sep in limits:
        return add_limits(robot, read_limits(limits))
    if limits in SETS:
        return with_tendons(robot, limits, _tendons())
    if limits not in robots():
        known = [*SETS, *robots()]
        raise fail("unknown-name", f"no set of limits {limits!r}; {nearest_names(limits, known)}")
    return with_board_limits(robot, limits)


@explain_type_errors
def read_limits(file: str | os.PathLike[str]) -> tuple[LinearLimits, ...]:
    """Return the sets of limits in a TOML file. Raises KinetreeError with every fault.

    Examples:
        >>> from pathlib import Path
        >>> import kinetree as kt
        >>> table = 'limits = [{name = "sum", unit = "deg", joints = ["q1", "q2"], G = [[1, 1]], h = [90]}]'
        >>> _ = Path("limits.toml").write_text(table)
        >>> (limits,) = kt.limits.read("limits.toml")
        >>> limits.joints, limits.G, limits.h.round(3)  # q1 + q2 <= pi/2 rad
        (('q1', 'q2'), array([[1., 1.]]), array([1.571]))
    """
    return _limits_in(read_file(Path(file).expanduser()), str(file))


@cache
def _tendons() -> tuple[LinearLimits, ...]:
    from kinetree.robots.icub.tendons import text

    return _limits_in(text(), "tendons.toml")


def _limits_in(text: str | bytes, file: str) -> tuple[LinearLimits, ...]:
    from kinetree.formats.limit_tables import read

    sets, findings = read(text, file)
    if errors := [finding for finding in findings if finding.severity == "error"]:
        raise KinetreeError(errors)
    return sets


def _with_semantic(robot: Robot | None, findings: list[Finding], options: ReadOptions, checked: bool) -> Reading:
    """Return a reading with the SRDF, if there is one. checked: whether rules find the names that do not exist."""
    if robot is None or options.srdf is None:
        return robot, findings
    from kinetree.formats.srdf import read_onto  # takes a while, and few robots have one

    text, file, more = srdf_text(options, _folders(options))
    if checked and more and all(f.code == "xacro-argument" for f in more):  # then it is not checked
        return robot, [*findings, *(replace(finding, code="xacro", severity="info") for finding in more)]
    if file.lower().endswith(SEMANTIC["xrdf"].suffixes):
        from kinetree.formats.xrdf import read_onto as read_xrdf

        made, found = read_xrdf(robot, text if isinstance(text, bytes) else b"", file, names=not checked)
    else:
        semantic, groups, found = read_onto(robot, text or b"", file, names=not checked)
        joined = semantic and (semantic.joined(robot.semantic) if robot.semantic else semantic)
        made = replace(robot, groups=Lookup("group", {**robot.groups, **groups}), semantic=joined) if joined else None
    more += found if text is not None else []
    if made is None or any(f.severity == "error" for f in more):
        unknown = Doubt("robot", robot.name, "groups")
        return replace(robot, doubts=(*robot.doubts, unknown)), [*findings, *more]
    made = replace(
        made,
        notes=(*robot.notes, *more),
        text=robot.text if checked else None,  # which a writer would take as it is, without the groups
    )
    return made, [*findings, *more]


def _left_out(robot: Robot | None, findings: list[Finding], without: Collection[str]) -> Reading:
    """Return a reading without the parts that are left out, with a note on those that its reader still read."""
    if robot is None or not without:
        return robot, findings
    from kinetree.formats.losses.losses import elements_with, leave_out

    silent = {code for part in without for code in PARTS[part].silent}
    had = {part: elements_with(robot, part) for part in without}
    new = [note(part, names, robot.source) for part, names in had.items() if names]
    notes = (*(note for note in robot.notes if note.code not in silent), *new)
    made = replace(build(leave_out(parts_of(robot), without)), notes=notes, doubts=robot.doubts)
    return made, [*(finding for finding in findings if finding.code not in silent), *new]


def _with_empty_limits(robot: Robot | None, findings: list[Finding]) -> Reading:
    """Return a reading with a note, if limits over several joints leave nothing."""
    if robot is None or not robot.coupled_limits or not (fault := nothing_inside(robot)):
        return robot, findings
    note = replace(fault, severity="warning", source=fault.source or robot.source)
    return replace(robot, notes=(*robot.notes, note)), [*findings, note]


def _read(source: str | os.PathLike[str], options: ReadOptions) -> Reading:
    format, folders = options.format, _folders(options)
    if format is not None and format not in FORMATS:
        raise fail("format", f"format={format!r} is not known; {nearest_names(format, list(FORMATS))}")
    if isinstance(source, str) and format is not None:
        FORMATS[format].check_options(options)
        files = _files(folders, confinement_of(None, options.confined))
        robot, findings = FORMATS[format].read(source.encode("utf-8", "surrogatepass"), "<text>", files, options)
        robot, findings = _with_reasons(robot, findings, files)
        return robot, findings if robot or "\n" in source else [_with_hint(f, source) for f in findings]
    if isinstance(source, str) and ("\n" in source or source.lstrip().startswith("<")):
        raise fail("format", "this looks like the text of a robot, not like a path", fix="say format=… with a text")
    if is_packaged(source, format):
        return _read_packaged(str(source), options)
    path = Path(source)
    files = _files(folders, confinement_of(path, options.confined))
    files.check(path)
    text = read_file(path)
    row = FORMATS[format] if format else format_of_text(path, text)
    if format is None and row.name == "urdf" and holds_xacro(text):
        return _read_with_xacro(path, text, folders, options)
    row.check_options(options)
    robot, findings = row.read(text, str(source), files, options)
    return _with_reasons(robot, findings, files)


def _files(folders: Mapping[str, Path], confinement: Confinement | None) -> Files:
    """Return the opener of the files of one load, with readers of meshes, from which masses of MJCF and SDF follow."""
    files = Files(folders, confinement)

    def content(wanted: str, asked_from: str) -> tuple[bytes, str]:
        try:
            return files.open(wanted, asked_from)
        except OSError as error:
            raise fail("mesh", f"{wanted!r} cannot be read: {error.strerror or error}") from None

    def mesh(wanted: str, asked_from: str) -> tuple[Array, NDArray[np.int64]]:
        from kinetree.shapes.as_mujoco import read_as_mujoco  # few robots need it

        return read_as_mujoco(*content(wanted, asked_from))

    def closed_mesh(wanted: str, asked_from: str) -> tuple[Array, NDArray[np.int64]]:
        from kinetree.shapes import read_mesh
        from kinetree.shapes.resolve import companions

        data, path = content(wanted, asked_from)
        read = read_mesh(data, path, companions(Path(path), files))
        if not read.closed:
            raise fail("mesh", f"{wanted!r}: its surface is not closed, so that it has no volume")
        return read.merged.vertices, read.merged.triangles

    files.mesh, files.closed_mesh = mesh, closed_mesh
    return files


def _read_with_xacro(path: Path, text: bytes, folders: Mapping[str, Path], options: ReadOptions) -> Reading:
    """Return a reading of a URDF file that may hold instructions of xacro.

    Unlike a file that is named as xacro, it is confined to its workspace and to packages, and sees no variable of the
    environment. Calls of macros that it does not define are left out, as urdfdom does.
    """
    files = _files(folders, confinement_of(path, options.confined or True))
    reading = FORMATS["urdf"].read(text, str(path), files, options)
    left = [finding for finding in reading[1] if finding.code == "left-over-xacro"]
    if not left:
        FORMATS["urdf"].check_options(options)
        return reading
    first = min(left, key=attrgetter("place"))
    robot, findings = FORMATS["xacro"].read(text, str(path), files, options)
    robot, findings = _with_reasons(robot, findings, files)
    how, errors = "it is read as xacro, within its workspace", [f for f in findings if f.severity == "error"]
    if errors and all(finding.code == "xacro-macro" for finding in errors):
        from kinetree.formats.urdf import read_certain

        plain, more = read_certain(text, str(path), foreign=True, without=options.without)
        if not any(finding.severity == "error" for finding in more):
            how = f"it cannot be expanded: {errors[0].message}"
            robot, findings = plain, more
    why = "; the file is read as xacro, because it contains instructions of xacro"
    findings = [replace(f, message=f.message + why) if f.severity == "error" else f for f in findings]
    message = f"this URDF file contains instructions of xacro, first here; {how}"
    fix = "name the file .xacro, or expand it: programs that read URDF do not expand it"
    note = Finding("xacro-in-urdf", "warning", message, first.source, first.element, fix, first.excerpt)
    new = [f for f in (note, *reading[1]) if f is note or (f.code == "xml-lenient" and f not in findings)]
    return replace(robot, notes=(*new, *robot.notes)) if robot else None, [*new, *findings]


def format_of(source: str | os.PathLike[str], format: str | None = None) -> Format:
    """Return the format in which `load` would read a path or a bare name. Raises KinetreeError where there is nothing
    to read."""
    source, _ = located(source, format, None)
    if is_packaged(source, format):
        from kinetree.robots.packaged import packaged

        packaged(str(source))
        return FORMATS["dh"]
    return FORMATS[format] if format else format_of_text(Path(source), read_file(Path(source)))


def as_source(file: str, options: ReadOptions) -> str | Path:
    """Return the name of a file, or the bare name of a robot, as `load` takes it: a text is never meant."""
    return file if is_packaged(file, options.format) else Path(file)


def _read_packaged(name: str, options: ReadOptions) -> Reading:
    """Return the robot of a name in robots/."""
    from kinetree.formats.dh.read import read_packaged
    from kinetree.robots.packaged import packaged

    found = packaged(name)
    FORMATS["dh"].check_options(options)
    limits = found.limits if options.limits != PRINTED else ""
    robot, findings = read_packaged(
        found.file, found.text, found.data, lambda made: _limited(made, limits) if limits else made
    )
    findings += found.notes
    return replace(robot, notes=(*robot.notes, *found.notes)) if robot else None, findings


def _with_hint(finding: Finding, source: str) -> Finding:
    """Return a finding with a hint, where a short text that cannot be read may be the name of a file."""
    if finding.severity != "error" or finding.fix or not Path(source).suffix:
        return finding
    return replace(finding, fix="a str together with format=… is the text itself; a file is a pathlib.Path")


def _with_reasons(robot: Robot | None, findings: list[Finding], files: Files) -> Reading:
    """Return a reading whose findings about files that could not be opened say why; and what else was refused."""
    found = [_with_reason(finding, files) for finding in findings]
    shown = {finding.message for finding in found}
    more = [refused for refused in files.refused.values() if refused.message not in shown]
    if robot is None:
        return None, found + more
    for name, folder in files.packages.elsewhere.items():
        message = f"package {name!r} is taken from another project: {folder}"
        more.append(Finding("package-elsewhere", "info", message, robot.source))
    notes = (*(_with_reason(note, files) for note in robot.notes), *(one for one in more if one.severity != "error"))
    places = Places(files.packages.given, files.confinement, robot.text.format if robot.text else "")
    return replace(robot, notes=notes, places=places), found + more


def _with_reason(finding: Finding, files: Files) -> Finding:
    """Return a finding about a file that could not be opened with the reason for it."""
    if finding.severity != "error" and finding.code != "include-not-found":
        return finding
    for wanted, refused in files.refused.items():
        if repr(wanted)[:-1] in finding.message:
            code = refused.code if finding.severity == "error" else finding.code
            return replace(finding, code=code, message=refused.message, fix=refused.fix)
    for wanted, reason in files.missed.items():
        about = wanted.removesuffix("/model.sdf").removesuffix("/model.config")
        if repr(about) in finding.message and (fix := did_you_mean(reason)):
            return replace(finding, fix=fix)
    reasons = [reason for wanted, reason in files.missed.items() if repr(wanted) in finding.message]
    return replace(finding, fix="; ".join(reasons)) if reasons and not finding.fix else finding
