"""A path, a text or a bare name to a robot, and back: the one place that knows all formats."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from kinetree.arguments import explained
from kinetree.confine import Confinement, confinement_of
from kinetree.errors import Finding, KinetreeError, Source, fail, nearest_names
from kinetree.formats.opener import Files, read_file
from kinetree.formats.srdf import read_groups
from kinetree.formats.xml import Derived
from kinetree.model.edit import add_limits, set_groups
from kinetree.model.edit.limits import nothing_inside
from kinetree.model.limits import LinearLimits
from kinetree.model.robot import Robot

Reading = tuple[Robot | None, list[Finding]]


@dataclass(frozen=True, slots=True)
class Options:
    """What a caller may say about a load; each format takes what concerns it.

    xacro_args: values of the xacro arguments. packages: name to folder, for `package://` and `$(find …)`.
    model: which model of an SDF world. srdf: a file with groups of joints.
    limits: a file of limits, or the name of a set. confined: outside of what nothing is read.
    """

    xacro_args: Mapping[str, str]
    packages: Mapping[str, Path]
    model: str | None = None
    srdf: Path | None = None
    limits: str | Path | None = None
    confined: bool | Confinement = False


PRINTED = "dh"
"""The set of limits that the DH tables of a packaged robot print."""


def _nothing_more(files: Files, options: Options) -> tuple[object, ...]:
    return ()


def _of_xacro(files: Files, options: Options) -> tuple[object, ...]:
    return files.open_or_refuse, files.package, options.xacro_args, files.variable, files.check


@dataclass(frozen=True, slots=True)
class Format:
    """One format: the endings of its files and its module in `kinetree.formats`, imported when it is needed.

    arguments: what its reader takes besides the text and the name of the file.
    writer: the name of its writer, or None where there is none.
    roots: the root elements that tell it, where the ending .xml does not.
    robot: whether its reader returns a robot, or the text of another format that is then read.
    """

    name: str
    suffixes: tuple[str, ...]
    module: str
    arguments: Callable[[Files, Options], tuple[object, ...]] = _nothing_more
    writer: str | None = "write"
    roots: tuple[bytes, ...] = ()
    robot: bool = True

    def read(self, text: bytes | Derived, file: str, files: Files, options: Options) -> Reading:
        """The robot in a text, or None, and all findings."""
        made, findings = self._module().read(text, file, *self.arguments(files, options))
        return (made, findings) if self.robot else _read_expanded(made, findings, files, options)

    def write(self, robot: Robot, without: Collection[str]) -> str:
        """The robot as text."""
        assert self.writer is not None
        text: str = getattr(self._module(), self.writer)(robot, without)
        return text

    def _module(self) -> Any:
        return import_module(f"kinetree.formats.{self.module}")


def _read_expanded(made: Any, findings: list[Finding], files: Files, options: Options) -> Reading:
    """What xacro makes: URDF as a rule, but any format whose root element tells it."""
    if made is None:
        return None, findings
    row = _format_of(Path(made.file), made.text.text.encode())
    robot, more = row.read(made.text, made.file, files, options)
    findings += more
    notes = tuple(finding for finding in findings if finding.severity != "error")
    if robot and robot.text:
        robot = replace(robot, text=replace(robot.text, files=made.files))
    return replace(robot, notes=notes) if robot else None, findings


FORMATS: dict[str, Format] = {
    row.name: row
    for row in (
        Format("urdf", (".urdf",), "urdf", roots=(b"robot",)),
        Format("xacro", (".xacro",), "xacro", _of_xacro, writer=None, robot=False),
        Format("sdf", (".sdf", ".world"), "sdf", lambda files, options: (files, options.model), roots=(b"sdf",)),
        Format("mjcf", (".mjcf", ".xml"), "mjcf", lambda files, options: (files,), roots=(b"mujoco", b"mujocoinclude")),
        Format("dh", (".toml",), "dh"),
        Format("dh-csv", (".csv",), "dh", writer="write_csv"),
        Format("ets", (".ets",), "ets"),
    )
}


@explained
def load(
    source: str | os.PathLike[str],
    *,
    format: str | None = None,
    xacro_args: Mapping[str, object] | None = None,
    packages: Mapping[str, str | os.PathLike[str]] | None = None,
    model: str | None = None,
    srdf: str | os.PathLike[str] | None = None,
    limits: str | os.PathLike[str] | None = None,
    confined: bool | Confinement = False,
) -> Robot:
    """The robot that a file, a text or a name describes.

    source: a path; or, as a str together with format=…, the text itself; or the bare name of a robot that comes with
        the package, such as "icub" or "icub:2.5" (a file of that name is "./icub").
    format: "urdf", "xacro", "sdf", "mjcf", "dh", "ets"; by default the file's ending and its root element decide.
        A pathlib.Path together with format=… is a file of that format whatever its ending.
    xacro_args: the arguments of a xacro file. packages: folders of ROS packages by name, searched first.
    model: the model to take from an SDF file that has several.
    srdf: a semantic description whose groups of joints the robot shall have.
    limits: a TOML file of linear limits that the robot shall have besides its own; or for an iCub "firmware", "tendons"
        or "ikin", limits of its shoulders ("icub" before version 3 has "tendons" by itself), or a robot whose control
        boards' position limits it shall have, such as "iCubGenova02"; or for a robot of the package "dh", the limits
        that its DH tables print.
    confined: whether the file may include and load only what lies in its workspace and in packages, and see no variable
        of the environment; or a `kinetree.confine.Confinement` that says which folders and variables. Otherwise a file
        may include whatever you may read. It is not about the files that you name here.

    Warnings are on `robot.notes`. Raises KinetreeError with every fault of the input, each with its place.
    """
    robot, findings = examine(
        source,
        format=format,
        xacro_args=xacro_args,
        packages=packages,
        model=model,
        srdf=srdf,
        limits=limits,
        confined=confined,
    )
    errors = [f for f in findings if f.severity == "error"]
    if errors or robot is None:
        raise KinetreeError(sorted(errors, key=_position))
    return robot


@np.errstate(all="ignore")  # what overflows is refused by `kinetree.model.assemble`, with its place
def examine(
    source: str | os.PathLike[str],
    *,
    format: str | None = None,
    **arguments: Any,
) -> Reading:
    """Like `load`, whose arguments it takes, but returns the robot, or None, and all findings. Raises only where there
    is nothing to read."""
    options = _options(**arguments)
    robot, findings = _with_empty_limits(*_with_groups(*_read(source, format, options), options))
    if robot is None or options.limits is None or (options.limits == PRINTED and is_packaged(source, format)):
        return robot, findings
    try:
        limited = _limited(robot, options.limits)
    except KinetreeError as error:
        return None, [*findings, *error.findings]
    known = set(robot.notes)
    return limited, [*findings, *(note for note in limited.notes if note not in known)]


def _is_limits_file(limits: str) -> bool:
    return limits.lower().endswith(".toml") or "/" in limits or os.sep in limits


def _limited(robot: Robot, limits: str | Path) -> Robot:
    """The robot with the limits of a file, or of a set that comes with the package."""
    from kinetree.formats.limits import read as read_limits
    from kinetree.robots.icub import tendons
    from kinetree.robots.icub.limits import robots, with_board_limits

    if isinstance(limits, Path):
        return add_limits(robot, _read_limits(read_limits(read_file(limits.expanduser()), str(limits))))
    if limits in tendons.SETS:
        return tendons.with_tendons(robot, limits, _tendons())
    if limits not in robots():
        known = [*tendons.SETS, *robots()]
        raise fail("unknown-name", f"no set of limits {limits!r}; {nearest_names(limits, known)}")
    return with_board_limits(robot, limits)


@cache
def _tendons() -> tuple[LinearLimits, ...]:
    from kinetree.formats.limits import read
    from kinetree.robots.icub.tendons import text

    return _read_limits(read(text(), "tendons.toml"))


def _read_limits(reading: tuple[tuple[LinearLimits, ...], list[Finding]]) -> tuple[LinearLimits, ...]:
    sets, findings = reading
    errors = [finding for finding in findings if finding.severity == "error"]
    if errors:
        raise KinetreeError(errors)
    return sets


@explained
def _options(
    xacro_args: Mapping[str, object] | None = None,
    packages: Mapping[str, str | os.PathLike[str]] | None = None,
    model: str | None = None,
    srdf: str | os.PathLike[str] | None = None,
    limits: str | os.PathLike[str] | None = None,
    confined: bool | Confinement = False,
) -> Options:
    folders = {name: Path(folder).expanduser().absolute() for name, folder in (packages or {}).items()}
    for name, folder in folders.items():
        if not folder.is_dir():
            raise fail("package", f"packages={{{name!r}: …}}: there is no folder {folder}")
    return Options(
        {k: _argument(v) for k, v in (xacro_args or {}).items()},
        folders,
        model,
        None if srdf is None else Path(srdf),
        limits if limits is None or (isinstance(limits, str) and not _is_limits_file(limits)) else Path(limits),
        confined,
    )


def _with_groups(robot: Robot | None, findings: list[Finding], options: Options) -> Reading:
    """With the groups of the SRDF, if there is one."""
    if robot is None or options.srdf is None:
        return robot, findings
    groups, more = read_groups(read_file(options.srdf), str(options.srdf), robot)
    if any(f.severity == "error" for f in more):
        return None, [*findings, *more]
    robot = set_groups(robot, {**robot.groups, **groups})
    return replace(robot, notes=(*robot.notes, *more)), [*findings, *more]


def _with_empty_limits(robot: Robot | None, findings: list[Finding]) -> Reading:
    """With a note, if limits over several joints leave nothing."""
    if robot is None or not robot.coupled_limits or not (fault := nothing_inside(robot)):
        return robot, findings
    note = replace(fault, severity="warning", source=fault.source or robot.source)
    return replace(robot, notes=(*robot.notes, note)), [*findings, note]


def _read(source: str | os.PathLike[str], format: str | None, options: Options) -> Reading:
    if format is not None and format not in FORMATS:
        raise fail("format", f"format={format!r} is not known; {nearest_names(format, list(FORMATS))}")
    if isinstance(source, str) and format is not None:
        _check_options(FORMATS[format], options)
        files = Files(options.packages, confinement_of(None, options.confined))
        robot, findings = FORMATS[format].read(source.encode("utf-8", "surrogatepass"), "<text>", files, options)
        robot, findings = _with_reasons(robot, findings, files)
        return robot, findings if robot or "\n" in source else [_with_hint(f, source) for f in findings]
    if isinstance(source, str) and ("\n" in source or source.lstrip().startswith("<")):
        raise fail("format", "this looks like the text of a robot, not like a path", fix="say format=… with a text")
    if is_packaged(source, format):
        return _read_packaged(str(source), options)
    path = Path(source)
    files = Files(options.packages, confinement_of(path, options.confined))
    files.check(path)
    text = read_file(path)
    row = FORMATS[format] if format else _format_of(path, text)
    _check_options(row, options)
    robot, findings = row.read(text, str(source), files, options)
    return _with_reasons(robot, findings, files)


def format_of(source: str | os.PathLike[str], *, format: str | None = None, **arguments: Any) -> Format:
    """The format in which `load` would read a path or a bare name. Raises KinetreeError where there is nothing to read,
    and for arguments that mean nothing to that format."""
    if is_packaged(source, format):
        from kinetree.robots.packaged import packaged

        packaged(str(source))
        row = FORMATS["dh"]
    else:
        text = read_file(Path(source))
        row = FORMATS[format] if format else _format_of(Path(source), text)
    _check_options(row, _options(**arguments))
    return row


def _check_options(row: Format, options: Options) -> None:
    """Refuse what would have no effect."""
    if options.xacro_args and row.name != "xacro":
        raise fail("option", f"xacro arguments mean nothing to {row.name}; the file is not expanded")
    if options.model is not None and row.name not in ("sdf", "xacro"):
        raise fail("option", f"model={options.model!r} means nothing to {row.name}; only SDF files hold several")


def is_packaged(source: str | os.PathLike[str], format: str | None) -> bool:
    """Whether it is the name of a robot that comes with the package, "icub" or "icub:2.5"."""
    return isinstance(source, str) and format is None and bool(re.fullmatch(r"[\w-]+(:[^/\\]*)?", source))


def _read_packaged(name: str, options: Options) -> Reading:
    """The robot of that name in robots/."""
    from kinetree.formats.dh.packaged import read_packaged
    from kinetree.robots.packaged import packaged

    found = packaged(name)
    _check_options(FORMATS["dh"], options)
    limits = found.limits if options.limits != PRINTED else ""
    robot, findings = read_packaged(
        found.file, found.text, found.data, lambda made: _limited(made, limits) if limits else made
    )
    findings += found.notes
    return replace(robot, notes=(*robot.notes, *found.notes)) if robot else None, findings


@explained
def save(
    robot: Robot, path: str | os.PathLike[str], *, format: str | None = None, without: Collection[str] = ()
) -> None:
    """Write the robot to a file in the format of its ending, or in `format`. All or nothing is written.

    without: parts that are left out, such as ("extension", "inertial"), for formats that cannot say all of them; see
        `kinetree.formats.losses.PARTS`. Otherwise whatever the format cannot say is a KinetreeError.
    """
    from kinetree.formats.output import write_whole  # not at the start, for most programs only read

    target = Path(path)
    if "\0" in str(target):
        raise fail("file", f"{str(target)!r} holds a null character, which no name of a file does")
    row = FORMATS.get(format) if format else _by_suffix(target)
    if row is None or row.writer is None:
        legal = ", ".join(s for f in FORMATS.values() if f.writer for s in f.suffixes)
        raise fail("format", f"cannot write {format or target.name!r}; legal endings are {legal}")
    write_whole(target, row.write(robot, without))


@explained
def text(robot: Robot, format: str, *, without: Collection[str] = ()) -> str:
    """Return the robot as the text of a file in a format, such as "sdf", as `save` writes it."""
    row = FORMATS.get(format)
    if row is None or row.writer is None:
        legal = [name for name, other in FORMATS.items() if other.writer]
        raise fail("format", f"cannot write format {format!r}; {nearest_names(format, legal)}")
    return row.write(robot, without)


def _argument(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _with_hint(finding: Finding, source: str) -> Finding:
    """What may be meant where a short text cannot be read."""
    if finding.severity != "error" or finding.fix or not Path(source).suffix:
        return finding
    return replace(finding, fix="a str together with format=… is the text itself; a file is a pathlib.Path")


def _position(finding: Finding) -> tuple[str, int, int]:
    source = finding.source or Source("")
    return source.file, source.line or 0, source.column or 0


def _with_reasons(robot: Robot | None, findings: list[Finding], files: Files) -> Reading:
    """Return a reading whose findings about files that could not be opened say why; and what else was refused."""
    found = [_with_reason(finding, files) for finding in findings]
    shown = {finding.message for finding in found}
    more = [refused for refused in files.refused.values() if refused.message not in shown]
    if robot is not None and more:
        notes = (refused for refused in more if refused.severity != "error")
        robot = replace(robot, notes=(*robot.notes, *notes))
    return robot, found + more


def _with_reason(finding: Finding, files: Files) -> Finding:
    """A finding about a file that could not be opened, with the reason for it."""
    if finding.severity != "error":
        return finding
    for wanted, refused in files.refused.items():
        if repr(wanted)[:-1] in finding.message:
            return replace(finding, code=refused.code, message=refused.message, fix=refused.fix)
    reasons = [reason for wanted, reason in files.missed.items() if repr(wanted) in finding.message]
    return replace(finding, fix="; ".join(reasons)) if reasons and not finding.fix else finding


def _by_suffix(path: Path) -> Format | None:
    for row in FORMATS.values():
        if path.name.lower().endswith(row.suffixes):
            return row
    return None


def _format_of(path: Path, text: bytes) -> Format:
    """The format of a file: its ending, or for .xml its root element."""
    row = _by_suffix(path)
    if path.suffix.lower() == ".xml" or row is None:
        root = re.match(rb"(?:\xef\xbb\xbf)?(?:\s|<\?.*?\?>|<!--.*?-->)*+<([A-Za-z_:][^\s/>]*)", text, re.DOTALL)
        row = next((other for other in FORMATS.values() if root and root[1] in other.roots), None)
    if row is None:
        endings = ", ".join(s for f in FORMATS.values() for s in f.suffixes)
        message = f"its format is not known; legal endings are {endings}, or say format=…"
        raise KinetreeError(Finding("format", "error", message, Source(str(path))))
    return row
