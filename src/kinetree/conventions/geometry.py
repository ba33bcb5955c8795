"""Rules about shapes and the files of meshes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from posixpath import normpath
from stat import S_ISREG
from time import monotonic
from types import MappingProxyType
from typing import Literal
from urllib.parse import unquote

from kinetree.confine import Confinement
from kinetree.conventions.facts import fact
from kinetree.conventions.options import CheckOptions
from kinetree.conventions.quality import URDF_LINK, Quality, Shapes, others
from kinetree.conventions.rule import Rule
from kinetree.errors import Finding, KinetreeError, Severity
from kinetree.formats.opener import folder_of
from kinetree.formats.packages import Packages
from kinetree.formats.plain_file import open_plain
from kinetree.formats.registry import ReadOptions
from kinetree.model.robot import Geometry, Link, Robot

HUGE, TINY = 100.0, 1e-5
POINTER = b"version https://git-lfs"
SHORT = 1024
"""Bytes below which a file may be a pointer."""
REMEMBERED = 10.0
"""Seconds for which the places of packages are cached."""
MOST_MESHES = 1000
"""Largest number of meshes that are looked for."""

Size = tuple[Link, Geometry, str, tuple[float, ...]]
"""A link, its shape, the name of one of the shape's sizes, and its numbers, m."""

Asset = Literal["there", "missing", "empty", "pointer", "outside"]

ASTRAY = MappingProxyType(
    {
        "outside": "leads out of its package, which may be installed in a folder of its own",
        "backslash": "has backslashes, which divide no URI; legal is package://name/path",
        "host": "names a host behind file://; legal is file:///path, from the top of the disk",
    }
)
"""Faults of names that cannot lead to a file."""


class NoCollision(Quality):
    """What a joint moves and one can see can also be hit.

    Planners and simulators see collision shapes only: through this body everything passes.
    """

    code = "GEO-001"
    level = "SHOULD"
    clause = "the collision properties of a link"
    url = URDF_LINK
    good = '<collision><origin xyz="0.25 0 0"/><geometry><box size="0.4 0.12 0.12"/></geometry></collision>'
    bad = ""

    def check(self, moving: Mapping[str, tuple[Link, ...]]) -> Iterator[Finding]:
        """A moved body with visuals and without collision shapes."""
        for links in moving.values():
            seen = [link for link in links if link.visuals]
            if seen and not any(link.collisions for link in links):
                yield self.finding("a joint moves it, and it has visuals but no collision shape", seen[0])


class NoSize(Quality):
    """Sizes are larger than zero.

    Simulators refuse a shape without volume; negative sizes turn it inside out.
    """

    code = "GEO-002"
    level = "MUST"
    clause = "the size of the shape"
    url = URDF_LINK
    good = '<box size="0.4 0.12 0.12"/>'
    bad = '<box size="0.4 0 0.12"/>'

    def check(self, sizes: tuple[Size, ...]) -> Iterator[Finding]:
        """A size, a radius or a length of zero or less, or a scale of zero; no error where it is zero and only seen."""
        for link, geometry, name, size in sizes:
            if min(size) > 0 or (name == "scale" and all(size)):
                continue
            message = f"<{geometry.shape.kind}> has the {name} {' '.join(f'{s:g}' for s in size)}"
            seen = min(size) == 0 and geometry in link.visuals
            severity: Severity | None = "warning" if seen else None
            yield self.finding(message, link, source=geometry.source, severity=severity)


class AbsurdSize(Quality):
    """Sizes are between a hundredth of a millimetre and a hundred metres.

    Others are likely to be in other units.
    """

    code = "GEO-003"
    level = "SHOULD"
    evidence = "heuristic"
    clause = "metres"
    url = "https://www.ros.org/reps/rep-0103.html"
    good = '<box size="0.4 0.12 0.12"/>'
    bad = '<box size="400 120 120"/>'

    def check(self, sizes: tuple[Size, ...]) -> Iterator[Finding]:
        """A size above 100 m or below 1e-5 m; scales of meshes are no sizes."""
        for link, geometry, name, size in sizes:
            if name != "scale" and any(s > HUGE or 0 < s < TINY for s in size):
                message = f"<{geometry.shape.kind}> has the {name} {' '.join(f'{s:g}' for s in size)} m"
                yield self.finding(message, link, source=geometry.source)


class MeshRule(Quality):
    """A rule about the files of meshes."""

    url = URDF_LINK
    base = Quality.base.replace(  # type: ignore[union-attr]
        '<box size="0.4 0.12 0.12"/>', '<mesh filename="package://arm/meshes/link_4.stl"/>'
    )
    good = "link_4.stl"
    context = CheckOptions(read=ReadOptions(packages={"arm": Path(__file__).parent / "arm"}))


class MissingMesh(MeshRule):
    """The files of meshes are there.

    Links without them are neither seen nor hit. Where no mesh at all is there, the files are kept elsewhere, and that
    is only said. A path from the top of the disk leads to them on one computer, and one out of a package only where
    others are installed beside it.
    """

    code = "MSH-002"
    level = "SHOULD"
    clause = "the file must be available locally"
    bad = "link_7.stl"

    def check(self, robot: Robot, shapes: Shapes, assets: Mapping[str, Asset]) -> Iterator[Finding]:
        """A file that is not in its package, which is there, not beside the model, or not where a whole path says; and
        names in URDF that lead to none."""
        if robot.text and robot.text.format == "urdf":  # Gazebo looks for file://media/… in folders of its own
            for name, (link, geometry) in _first(shapes).items():
                if astray := _astray(name):
                    yield self.finding(f"{name!r} {ASTRAY[astray]}", link, source=geometry.source)
        if outside := _meshes(shapes, assets, "outside"):
            link, geometry = outside[0]
            others_too = f", as are {len(outside) - 1} more" if len(outside) > 1 else ""
            message = f"the mesh file {_file(geometry)!r} is outside of the workspace and is not looked for{others_too}"
            yield self.finding(message, link, source=geometry.source, severity="info")
        missing = _meshes(shapes, assets, "missing")
        if missing and all(asset == "missing" for asset in assets.values()) and len(assets) > 1:
            link, geometry = missing[0]
            message = f"none of its {len(assets)} meshes is there; the first is {_file(geometry)!r}"
            yield self.finding(message, link, source=geometry.source, severity="info")
            return
        for link, geometry in missing:
            yield self.finding(f"there is no mesh file {_file(geometry)!r}", link, source=geometry.source)


class EmptyMesh(MeshRule):
    """The files of meshes are not empty."""

    code = "MSH-003"
    level = "SHOULD"
    clause = "the file must be available locally"
    bad = "empty.stl"

    def check(self, shapes: Shapes, assets: Mapping[str, Asset]) -> Iterator[Finding]:
        """A file of no bytes."""
        for link, geometry in _meshes(shapes, assets, "empty"):
            yield self.finding(f"the mesh file {_file(geometry)!r} is empty", link, source=geometry.source)


class PointerMesh(MeshRule):
    """The files of meshes have been fetched.

    git-lfs leaves three lines of text in the place of a large file until it is asked for it.
    """

    code = "MSH-004"
    level = "MAY"
    clause = "the file must be available locally"
    bad = "pointer.stl"

    def check(self, shapes: Shapes, assets: Mapping[str, Asset]) -> Iterator[Finding]:
        """Pointers of git-lfs; one finding for all."""
        pointers = _meshes(shapes, assets, "pointer")
        if pointers:
            (link, geometry), rest = pointers[0], others([_file(geometry) for _, geometry in pointers[1:]])
            message = (
                f"the mesh file {_file(geometry)!r} holds a pointer of git-lfs; fetch it with `git lfs pull`{rest}"
            )
            yield self.finding(message, link, source=geometry.source)


RULES: tuple[type[Rule], ...] = (NoCollision, NoSize, AbsurdSize, MissingMesh, EmptyMesh, PointerMesh)


@fact
def assets(
    robot: Robot, shapes: Shapes, packages: Mapping[str, str | os.PathLike[str]], confined: Confinement | Literal[False]
) -> Mapping[str, Asset] | None:
    """Return the state of each mesh file by name, or None for a model without a file. Files of packages that were not
    found are left out; so are names that lead out of their package or to another computer, and relative paths in an
    included file, which may start at either file."""
    if robot.source is None:
        return None
    file, near = robot.source.file, folder_of(robot.source.file)
    given = tuple((name, Path(folder)) for name, folder in packages.items())
    known = _packages(given, confined, int(monotonic() // REMEMBERED))
    names = dict.fromkeys(
        _file(geometry)
        for _, geometry in shapes
        if "filename" in geometry.shape.parameters
        and (_is_whole(_file(geometry)) or (geometry.source and geometry.source.file == file))
    )
    folders: dict[str, str | None] = {}
    found: dict[str, Asset] = {}
    for name in list(names)[:MOST_MESHES]:
        package, rest = _split(name)
        if package not in folders:
            folders[package] = _folder(known, package, near)
        folder = folders[package]
        if folder is not None and rest is not None:
            found[name] = _asset(os.path.join(folder, rest), known, near)
    return found


@lru_cache(maxsize=1)
def _on_disk(packages: tuple[tuple[str, Path], ...], time: int) -> Packages:
    """Return the packages on the disk, cached for several robots because the search takes longer than all rules."""
    return Packages(dict(packages))


@lru_cache(maxsize=100)
def _packages(packages: tuple[tuple[str, Path], ...], confined: Confinement | Literal[False], time: int) -> Packages:
    """Return the packages that a robot may read."""
    found = _on_disk(packages, time)
    return found.within(confined) if confined else found


def _is_whole(name: str) -> bool:
    """Return whether a file name means the same in every file."""
    return name.startswith(("package://", "file://")) or os.path.isabs(name)


def _astray(name: str) -> str | None:
    """Return the key in ASTRAY of the fault of a file name, if it has one."""
    scheme, _, rest = name.partition("://")
    first, _, path = rest.partition("/")
    if scheme == "package":
        outside = normpath(path).split("/")[0] == ".."
        return "backslash" if "\\" in first else "outside" if outside else None
    is_drive = first.endswith(":")
    return "host" if scheme == "file" and first not in ("", "localhost") and not is_drive else None


def _split(name: str) -> tuple[str, str | None]:
    """Return the package in a file name, "" for none, and the path in it, beside the model or from the top; the path is
    None if it is unknown or leads out of the package."""
    scheme, _, rest = name.partition("://")
    first, _, path = rest.partition("/")
    if scheme == "package":
        return first, None if _astray(name) else normpath(path.lstrip("/"))
    if scheme == "file":
        return "", unquote(f"/{path.lstrip('/')}") if first in ("", "localhost") else None
    return "", None if "://" in name or name.startswith(("//", "\\", "file:")) else name


@lru_cache(maxsize=1000)
def _folder(packages: Packages, package: str, near: Path | None) -> str | None:
    """Return the folder of a package, or that of the model for ""; None if it does not exist or may not be read."""
    try:
        return str(packages.package(package, near) if package else near or "") or None
    except KinetreeError:
        return None


def _asset(path: str, packages: Packages, near: Path | None) -> Asset:
    """Return the state of a mesh file; only regular files as short as a pointer are opened. near: folder of the model,
    to find the package of an absolute path."""
    try:
        if not packages.may_read(path):
            packages.find_around(Path(path), near)
            if not packages.may_read(path):
                return "outside"
        status = os.stat(path)
        if not S_ISREG(status.st_mode):
            return "missing"
        if 0 < status.st_size < SHORT:
            with open_plain(path) as file:
                return "pointer" if file.read(len(POINTER)) == POINTER else "there"
    except (OSError, ValueError):  # a null character in a path is a ValueError
        return "missing"
    return "there" if status.st_size else "empty"


def _meshes(shapes: Shapes, assets: Mapping[str, Asset], asset: Asset) -> list[tuple[Link, Geometry]]:
    """Return one shape for each mesh file in a state."""
    if asset not in assets.values():
        return []
    first = _first(shapes)
    return [first[name] for name, how in assets.items() if how == asset]


def _first(shapes: Shapes) -> dict[str, tuple[Link, Geometry]]:
    first: dict[str, tuple[Link, Geometry]] = {}
    for link, geometry in shapes:
        if "filename" in geometry.shape.parameters:
            first.setdefault(_file(geometry), (link, geometry))
    return first


def _file(geometry: Geometry) -> str:
    return str(geometry.shape.parameters.get("filename", ""))


@fact
def sizes(shapes: Shapes) -> tuple[Size, ...]:
    """Return each size of each shape; planes are infinite and have none."""
    return tuple(
        (link, geometry, name, value if isinstance(value, tuple) else (value,))
        for link, geometry in shapes
        if geometry.shape.kind != "plane"
        for name, value in geometry.shape.parameters.items()
        if not isinstance(value, str)
    )
