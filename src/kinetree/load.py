"""A path, a text or a bare name to a robot, and back: the one place that knows all formats."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kinetree.errors import Finding, KinetreeError, Source, fail, nearest_names
from kinetree.formats import mjcf, urdf
from kinetree.formats.opener import Opener, nothing
from kinetree.model.robot import Robot

MAX_FILE_BYTES = 64_000_000

Reading = tuple[Robot | None, list[Finding]]


@dataclass(frozen=True, slots=True)
class Options:
    """What a caller may say about a load; each format takes what concerns it.

    xacro_args: values of the xacro arguments. packages: name to folder, for `package://` and `$(find …)`.
    model: which model of an SDF world.
    """

    xacro_args: Mapping[str, str]
    packages: Mapping[str, str | Path]
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Format:
    """One format: the endings of its files, its reader and its writer (None where there is none)."""

    name: str
    suffixes: tuple[str, ...]
    read: Callable[[bytes, str, Opener, Options], Reading]
    write: Callable[..., str] | None


def _read_urdf(text: bytes, file: str, opener: Opener, options: Options) -> Reading:
    return urdf.read(text, file)


def _read_mjcf(text: bytes, file: str, opener: Opener, options: Options) -> Reading:
    return mjcf.read(text, file, opener)


_ROWS = (
    Format("urdf", (".urdf",), _read_urdf, urdf.write),
    Format("mjcf", (".mjcf",), _read_mjcf, mjcf.write),
)
FORMATS: dict[str, Format] = {row.name: row for row in _ROWS}


def load(
    source: str | os.PathLike[str],
    *,
    format: str | None = None,
    xacro_args: Mapping[str, object] | None = None,
    packages: Mapping[str, str | os.PathLike[str]] | None = None,
    model: str | None = None,
) -> Robot:
    """The robot that a file, a text or a name describes.

    source: a path; or, as a str together with format=…, the text itself; or the bare name of a robot that comes with
        the package, such as "icub" (a file of that name is "./icub").
    format: "urdf", "xacro", "sdf", "mjcf", "dh", "ets"; by default the file's ending and its root element decide.
        A pathlib.Path together with format=… is a file of that format whatever its ending.
    xacro_args: the arguments of a xacro file. packages: folders of ROS packages by name, searched first.
    model: the model to take from an SDF file that has several.

    Warnings are on `robot.notes`. Raises KinetreeError with every fault of the input, each with its place.
    """
    options = Options(
        {k: _argument(v) for k, v in (xacro_args or {}).items()},
        {k: Path(v) for k, v in (packages or {}).items()},
        model,
    )
    robot, findings = read(source, format, options)
    errors = [f for f in findings if f.severity == "error"]
    if errors or robot is None:
        raise KinetreeError(errors)
    return robot


def read(source: str | os.PathLike[str], format: str | None, options: Options) -> Reading:
    """Like `load`, but returns the robot, or None, and all findings. Raises only where there is nothing to read."""
    if format is not None and format not in FORMATS:
        raise fail("format", f"format={format!r} is not known; {nearest_names(format, list(FORMATS))}")
    if isinstance(source, str) and format is not None:
        return FORMATS[format].read(source.encode(), "<text>", nothing, options)
    path = Path(source)
    text = _read_file(path)
    row = FORMATS[format] if format else _format_of(path, text)
    return row.read(text, str(source), _beside, options)


def save(
    robot: Robot, path: str | os.PathLike[str], *, format: str | None = None, without: Collection[str] = ()
) -> None:
    """Write the robot to a file in the format of its ending, or in `format`. All or nothing is written.

    without: parts that may be left out where the format cannot say them, such as ("extension", "inertial");
        see `kinetree.formats.losses.PARTS`. Otherwise whatever the format cannot say is a KinetreeError.
    """
    target = Path(path)
    row = FORMATS.get(format) if format else _by_suffix(target)
    if row is None or row.write is None:
        legal = ", ".join(s for f in FORMATS.values() if f.write for s in f.suffixes)
        raise fail("format", f"cannot write {format or target.name!r}; legal endings are {legal}")
    _write_file(target, row.write(robot, without=without))


def _beside(wanted: str, asked_from: str) -> tuple[bytes, str] | None:
    """An `Opener` for paths, relative to the folder of the file that asks."""
    path = Path(asked_from).parent / wanted
    return (_read_file(path), str(path)) if path.is_file() else None


def _argument(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _read_file(path: Path) -> bytes:
    try:
        if path.is_file() and path.stat().st_size > MAX_FILE_BYTES:
            raise fail("file-size", f"{path} has {path.stat().st_size} bytes; at most {MAX_FILE_BYTES} are read")
        return path.read_bytes()
    except OSError as error:
        message = f"cannot be read: {error.strerror or error}"
        raise KinetreeError(Finding("file", "error", message, Source(str(path)))) from None


def _write_file(path: Path, text: str) -> None:
    """Write beside the target, then put in its place, so that a failure leaves the old file."""
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
                file.write(text)
            mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
            os.chmod(temporary, mode)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        message = f"cannot be written: {error.strerror or error}"
        raise KinetreeError(Finding("file", "error", message, Source(str(path)))) from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _by_suffix(path: Path) -> Format | None:
    for row in FORMATS.values():
        if path.name.lower().endswith(row.suffixes):
            return row
    return None


def _format_of(path: Path, text: bytes) -> Format:
    """The format of a file: its ending, or for .xml its root element."""
    row = _by_suffix(path)
    if path.suffix.lower() == ".xml" or row is None:
        root = re.search(rb"<(?![?!])([A-Za-z_:][^\s/>]*)", text)
        by_root = {b"mujoco": "mjcf", b"mujocoinclude": "mjcf", b"robot": "urdf", b"sdf": "sdf"}
        name = by_root.get(root[1]) if root else None
        row = FORMATS.get(name) if name else row
    if row is None:
        endings = ", ".join(s for f in FORMATS.values() for s in f.suffixes)
        message = f"its format is not known; legal endings are {endings}, or say format=…"
        raise KinetreeError(Finding("format", "error", message, Source(str(path))))
    return row
