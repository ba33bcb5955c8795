"""How a reader opens another file: `load` gives it an `Opener`; readers never touch the disk themselves."""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from kinetree.confine import Confinement, real, refusal, unseen
from kinetree.errors import Finding, KinetreeError, Source, fail
from kinetree.files.nearby import broken_link, offer
from kinetree.files.packages import Packages
from kinetree.files.plain_file import open_plain
from kinetree.spatial.se3 import Array
from kinetree.syntax.xml.reader import Report, parse

MAX_FILE_BYTES = 64_000_000

Opener = Callable[[str, str], tuple[bytes, str] | None]
"""Function from (a path or URI, the file that refers to it) to (content, path), or None if it cannot be found."""


MeshReader = Callable[[str, str], tuple[Array, NDArray[np.int64]]]
"""Function from (a path or URI of a mesh, the file that refers to it) to vertices (n, 3) and triangles (m, 3). Raises
KinetreeError if the mesh cannot be read."""


def nothing(wanted: str, asked_from: str) -> tuple[bytes, str] | None:
    """Return None: the opener of texts that come from no file."""
    return None


def no_mesh(wanted: str, asked_from: str) -> tuple[Array, NDArray[np.int64]]:
    """Raise KinetreeError: the reader of meshes of texts that come from no file."""
    raise fail("mesh", f"{wanted!r} is not read here")


class Files:
    """An `Opener` for the files of one load, by `package://`, `$(find …)`, `model://`, `file://` and plain paths.

    packages: folders by package name, searched first; see `kinetree.files.packages` for the others.
    confinement: outside of it nothing is read; `refused` has the findings about that, by reference.
    `missed` has the reason for everything that could not be opened, by reference. A folder stands for the SDF file in
    its model.config. Nothing is ever downloaded. mesh, closed_mesh: read meshes from which masses of
    MJCF, and of SDF, follow; the latter as a whole, merged, and if its surface is closed.
    """

    def __init__(self, packages: Mapping[str, Path], confinement: Confinement | None = None) -> None:
        self.confinement = confinement
        self.packages = Packages(packages, confinement)
        self.missed: dict[str, str] = {}
        self.refused: dict[str, Finding] = {}
        self.mesh: MeshReader = no_mesh
        self.closed_mesh: MeshReader = no_mesh

    def variable(self, name: str, default: str | None = None) -> str:
        """Return an environment variable, or the default if unset or hidden. Raises KinetreeError without both."""
        seen = os.environ if self.confinement is None else self.confinement.environment
        value = seen.get(name, default)
        if self.confinement is not None and name not in seen and default is not None:
            finding = unseen(name, self.confinement).findings[0]
            message = f"{finding.message}; $(optenv {name} …) takes its default {default!r}"
            self.refused[f"$(optenv {name})"] = replace(finding, severity="info", message=message)
        if value is not None:
            return value
        if self.confinement is not None:
            raise unseen(name, self.confinement)
        raise fail("xacro-substitution", f"the environment variable {name!r} is not set")

    def __call__(self, wanted: str, asked_from: str) -> tuple[bytes, str] | None:
        """Return the content and the path of a reference, or None; see `Opener`."""
        about = re.sub(r"/model\.(config|sdf)\Z", "", wanted)  # the files of a model stand for it
        try:
            found = self.open(wanted, asked_from)
            self.refused.pop(about, None)  # another place was tried before
            return found
        except KinetreeError as error:
            if error.findings[0].code == "file-size":
                raise
            if error.findings[0].code == "confined":
                self.refused[about] = replace(error.findings[0], source=Source(asked_from))
            self.missed[wanted] = error.findings[0].message
        except OSError as error:  # of a folder that may not be entered
            self.missed[wanted] = f"cannot be read: {error.strerror or error}"
        return None

    def open(self, wanted: str, asked_from: str) -> tuple[bytes, str]:
        """Return the content and the path of a reference. Raises KinetreeError or OSError if it cannot be read."""
        path = self.path(wanted, asked_from)
        path = _model_file(path, lambda config: self.check(config, wanted)) if path.is_dir() else path
        self.check(path, wanted)
        if not path.is_file() and not is_held(path):
            raise fail("file", f"there is no file {path}{offer([path], self.packages.may_read)}")
        return read_file(path if self.confinement is None else Path(real(path))), str(path)

    def open_or_refuse(self, wanted: str, asked_from: str) -> tuple[bytes, str] | None:
        """Return what the `Opener` returns, but raise KinetreeError if the confinement refuses it."""
        found = self(wanted, asked_from)
        if found is None and (refused := self.refused.pop(wanted, None)):
            raise KinetreeError(replace(refused, source=None))
        return found

    def check(self, path: Path, wanted: str | None = None) -> None:
        """Raise KinetreeError if a file or folder may not be read. wanted: its name in the message."""
        if self.confinement and not self.packages.may_read(path):
            if broken_link(path, {}):
                raise fail("file", f"there is no file {path}{offer([path], self.packages.may_read)}")
            raise refusal(repr(wanted or str(path)), real(path), self.confinement)

    def path(self, wanted: str, asked_from: str) -> Path:
        """Return the path of a reference, whether or not the file exists. Raises KinetreeError if it means no path, or
        on Windows a place on the network or a device, which it would reach as soon as it is looked at."""
        near = folder_of(asked_from)
        if match := re.match(
            r"(?:(?P<scheme>package|model)://|\$\(find\s+)(?P<name>[^/)\s]+)\)?/*(?P<rest>.*)", wanted
        ):
            find = self.packages.model if match["scheme"] == "model" else self.packages.package
            return joined(find(match["name"], near), match["rest"], wanted)
        if match := re.match(r"file://(?:localhost)?(?P<path>/.*)", wanted):
            return joined(near, path_of_uri(match["path"]), wanted)
        if match := re.match(r"(package|model)://", wanted):
            raise fail("file", f"{wanted} names no {match[1]}; expected {match[1]}://name/path")
        if re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", wanted):
            raise fail("file", f"{wanted} is neither package://, model:// nor file://, and nothing is downloaded")
        if near is None and not Path(wanted).is_absolute():
            raise fail("file", f"{wanted} is relative to the folder of a file, and a text has none")
        return joined(near, wanted, wanted)

    def package(self, name: str, asked_from: str) -> Path:
        """Return the folder of a ROS package, as `Packages.package`."""
        return self.packages.package(name, folder_of(asked_from))


def path_of_uri(path: str) -> str:
    """Return the path of a file URI from its part after the host; on Windows /C:/… is C:/…"""
    path = unquote(path)
    return path[1:] if os.name == "nt" and re.match(r"/[A-Za-z]:", path) else path


def joined(folder: Path | None, path: str, wanted: str) -> Path:
    """Return a path as seen from a folder. Raises KinetreeError if it leads to another computer, or to a device of
    Windows, in which the folder does not lie. wanted: the reference, for the message."""
    found = Path(path) if folder is None else folder / path
    is_elsewhere = folder is None or found.drive.lower() != folder.drive.lower()
    if is_elsewhere and found.drive.startswith("\\\\"):
        raise fail("file", f"{wanted} is on the network or a device, and nothing is read there")
    return found


def folder_of(file: str) -> Path | None:
    """Return the folder of a file, from its name in messages; None for a text."""
    return None if file.startswith("<") else Path(file).parent


_snapshot: ContextVar[tuple[dict[Path, bytes], set[Path]] | None] = ContextVar("_snapshot", default=None)
"""What `read_file` has read or is given, by resolved path, and which of it was read; None if it reads the disk."""


@contextmanager
def snapshot(
    contents: Mapping[Path, bytes] = MappingProxyType({}), read: set[Path] | None = None
) -> Iterator[dict[Path, bytes]]:
    """Keep the first content read of each file within the context, even if the disk changes.

    contents: initial contents of files, by resolved path. read: gets the paths that are read. Yields the initial
    contents and all that are read.
    """
    held = dict(contents)
    token = _snapshot.set((held, set() if read is None else read))
    try:
        yield held
    finally:
        _snapshot.reset(token)


@contextmanager
def unrecorded() -> Iterator[None]:
    """Keep no record in the `snapshot`, if there is one, of what is read within the context."""
    now = _snapshot.get()
    token = _snapshot.set(None if now is None else (dict(now[0]), set()))
    try:
        yield
    finally:
        _snapshot.reset(token)


def read_file(path: Path) -> bytes:
    """Return the content of a file, on the disk or in a `snapshot`. Raises KinetreeError if unreadable or too large."""
    now = _snapshot.get()
    if now is None:
        return _on_disk(path)
    try:
        resolved = path.resolve()
    except (OSError, ValueError):  # reading it says why
        return _on_disk(path)
    held, read = now
    read.add(resolved)
    if resolved not in held:
        held[resolved] = _on_disk(path)
    return held[resolved]


def is_held(path: Path) -> bool:
    """Return whether a file that need not exist has a content in the `snapshot`."""
    now = _snapshot.get()
    try:
        return now is not None and path.resolve() in now[0]
    except (OSError, ValueError):
        return False


def files_below(folder: Path, wanted: Callable[[str], bool]) -> Iterator[Path]:
    """Yield the files in a folder and below, without hidden ones, in order; and broken links and folders that cannot be
    read, because reading them says why. wanted: whether a name is that of such a file."""
    try:
        with os.scandir(folder) as scan:
            entries = sorted(scan, key=lambda entry: entry.name)
    except OSError:
        yield folder
        return
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if entry.is_dir(follow_symlinks=False):  # a link may lead to above
            yield from files_below(folder / entry.name, wanted)
        elif wanted(entry.name) and (os.path.isfile(entry.path) or not os.path.exists(entry.path)):
            yield folder / entry.name


def _on_disk(path: Path) -> bytes:
    try:
        with open_plain(path) as file:
            content = file.read(MAX_FILE_BYTES + 1)
    except (OSError, ValueError) as error:  # a null character in a path is a ValueError
        message = f"cannot be read: {getattr(error, 'strerror', None) or error}"
        raise KinetreeError(Finding("file", "error", message, Source(str(path)))) from None
    if len(content) > MAX_FILE_BYTES:
        message = f"is larger than {MAX_FILE_BYTES} bytes, which is the most that is read"
        raise KinetreeError(Finding("file-size", "error", message, Source(str(path))))
    return content


def _model_file(folder: Path, check: Callable[[Path], None]) -> Path:
    """Return the SDF file of a model's folder: the latest in model.config, else model.sdf. check: raises if refused."""
    config = folder / "model.config"
    check(config)
    root = parse(read_file(config), str(config), Report()) if config.is_file() else None
    named: list[tuple[list[int], str]] = []
    for element in root.find_all("sdf") if root else ():  # 1.10 is later than 1.6; no version is the earliest
        version = [int(digits) for digits in re.findall(r"\d{1,9}", element.get("version") or "")]
        named.append((version, element.text.strip()))
    return folder / max(named, default=([], "model.sdf"))[1]
