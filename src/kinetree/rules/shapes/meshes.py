"""Rules about the files of meshes."""

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from stat import S_ISREG
from typing import Literal

import numpy as np

from kinetree.errors import KinetreeError, Severity
from kinetree.files.nearby import Known, broken_link, offer
from kinetree.files.opener import Files, folder_of, joined
from kinetree.files.packages import Packages, package_named
from kinetree.files.plain_file import open_plain
from kinetree.formats.registry import ReadOptions
from kinetree.model.robot import Geometry, Link, Robot
from kinetree.rules.options import CheckOptions
from kinetree.rules.quality import LinkQuality, Quality, Shapes
from kinetree.rules.rule import Found, fact, number, others
from kinetree.rules.shapes.addresses import (
    ASTRAY,
    SOUGHT,
    Confined,
    address_fault,
    elsewhere,
    in_media,
    is_whole,
    lost_siblings,
    misspelt_scheme,
    right_place,
    undeclared,
)
from kinetree.rules.shapes.geometry import HUGE, TINY
from kinetree.rules.shapes.mesh_facts import MOST_BYTES, Facts, facts_of
from kinetree.shapes.read import POINTER, ending_of
from kinetree.xacro_text.known_packages import Folders, packages_on_disk

SHORT = 1024
"""Bytes below which a file may be a pointer."""
MOST_MESHES = 1000
"""Largest number of meshes that are looked for."""

MOST_READ = 2_000_000
"""Most bytes of files in other formats than STL that are read for a robot."""
ELSEWHERE = re.compile(r"//|\\\\|file:(?!//)")
"""Names of files that only Gazebo or another computer finds."""

Asset = Literal["there", "missing", "empty", "pointer", "outside"]
Assets = Mapping[str, Asset]
MeshFiles = Mapping[str, tuple[str, Asset]]
Uses = Mapping[str, tuple[Link, Geometry]]
Readings = Mapping[str, Facts]
"""Facts of mesh files by name."""


class MeshRule(LinkQuality):
    """A rule about the files of meshes."""

    base = Quality.base.replace(  # type: ignore[union-attr]
        '<box size="0.4 0.12 0.12"/>', '<mesh filename="package://arm/meshes/link_4.stl"/>'
    )
    good = "link_4.stl"
    context = CheckOptions(read=ReadOptions(packages={"arm": Path(__file__).parents[1] / "arm"}))


class MissingMesh(MeshRule):
    """The mesh files exist.

    A link without its mesh is invisible and collides with nothing. If no mesh of the robot exists, the files are
    probably kept elsewhere, which is only a remark, unless its package has one of the same name. An absolute path works
    on one computer only, and a path out of a package only if the other package is installed beside it.
    """

    code = "MSH-002"
    thresholds = SOUGHT
    clause = "the file must be available locally"
    bad = "link_7.stl"

    def check(
        self, robot: Robot, shapes: Shapes, mesh_files: MeshFiles, assets: Assets, packages: Folders, confined: Confined
    ) -> Found:
        """A file that is not in its package, which is there, not beside the model, or not where a whole path says;
        names that lead to none, and the first of a package that is not found and not declared, or whose files are in
        the package of the model, or in one of nearly its name; a package that is only named so by its folder; those
        that a folder near the model lacks, which has most of such a package. Remarks on any other package that is not
        found, whose meshes nobody looks at, on a package of another project, and on two slashes in a row, which some
        programs refuse."""
        uses = first_uses(shapes)
        yield from self._addresses(robot, uses, assets, confined)
        near, found = folder_of(robot.source.file) if robot.source else None, packages_on_disk(packages, confined)
        for package in sorted({package_named(name) for name in assets} - {"", *packages}):
            if near and found.is_elsewhere(folder := found.package(package, near), near):
                message = f"the package {package!r} is taken from another project, {folder}"
                fix = f"if it is the right one, say so: --package {package}={folder}"
                yield self.finding(message, robot, severity="info", fix=fix)
            elif near and (own := found.name_of(folder)) not in (package, None):
                message = f"ROS finds no package {package!r}: the package.xml of this folder has the name {own!r}"
                yield self.finding(message, robot)
        if double := [name for name in assets if "//" in name.partition("://")[2].lstrip("/")]:
            link, geometry = uses[double[0]]
            message = f"the name {double[0]!r} has two slashes in a row{others(double[1:])}; write one"
            yield self.finding(message, link, source=geometry.source, severity="info")
        if outside := _meshes(shapes, assets, "outside"):
            link, geometry = outside[0]
            rest = others([file_of(geometry) for _, geometry in outside[1:]])
            message = f"the mesh file {file_of(geometry)!r} is outside of the workspace, so it was not checked{rest}"
            yield self.finding(message, link, source=geometry.source, severity="info")
        missing = _meshes(shapes, assets, "missing")
        there = (near, *near.parents) if near and near.is_dir() else ()  # need not be looked at
        known: Known = {(kind, one): one if kind == "name" else None for one in there for kind in ("name", "link")}
        clues = (offer([mesh_files[file_of(geometry)][0]], found.may_read, known) for _, geometry in missing)
        if missing and all(asset == "missing" for asset in assets.values()) and len(assets) > 1:
            i, clue = next(((i, clue) for i, clue in enumerate(clues) if clue), (0, ""))
            link, geometry = missing[i]
            place = elsewhere(mesh_files[file_of(geometry)][0])
            message = f"none of the {len(assets)} mesh files exists; the first is {file_of(geometry)!r}{place or clue}"
            is_sure = place or "capitals" in clue
            yield self.finding(message, link, source=geometry.source, severity=None if is_sure else "info")
            return
        for (link, geometry), clue in zip(missing, clues, strict=True):
            message = f"the mesh file {file_of(geometry)!r} does not exist{clue}"
            yield self.finding(message, link, source=geometry.source)

    def _addresses(self, robot: Robot, uses: Uses, assets: Assets, confined: Confined) -> Found:
        """Yield findings about names that lead to no file, and about packages that are not found."""
        unknown = set()
        is_urdf = robot.text is not None and robot.text.format == "urdf"
        for name, (link, geometry) in uses.items():
            scheme, _, rest = name.partition("://")
            package = rest.partition("/")[0]
            if is_urdf and (wrong := misspelt_scheme(name)):
                message = f"the mesh {name!r} begins with {wrong!r}, which no program knows; expected package://"
                yield self.finding(message, link, source=geometry.source)
            elif fault := address_fault(name):
                message = f"the mesh {name!r} {ASTRAY[fault].format(scheme=scheme)}"
                own = geometry.source.file if geometry.source and not is_urdf else ""
                classic = own and fault in ("host", "folder") and in_media(rest, own)
                severity: Severity | None = "info" if classic else None
                yield self.finding(message, link, source=geometry.source, severity=severity)
            elif name not in assets and scheme in ("package", "model") and package not in unknown:
                unknown.add(package)
                asked = geometry.source.file if geometry.source else ""
                file = asked if is_urdf and scheme == "package" else ""
                here, sure = right_place(name, asked, confined) if asked else ("", False)
                siblings = (other for other in uses if asked and other.startswith(f"{scheme}://{package}/"))
                for other, folder in lost_siblings(siblings, asked, confined):
                    message = f"the mesh {other!r} is not in {folder!r}, which has others of its folder"
                    yield self.finding(message, uses[other][0], source=uses[other][1].source)
                if here:
                    message = f"the {scheme} of the mesh {name!r} is not found, but the file is in {here!r}"
                    yield self.finding(message, link, source=geometry.source, severity=None if sure else "info")
                elif file and (manifest := undeclared(package, file)):
                    message = f"the mesh {name!r} is in a package that is not found, and not named in {manifest}"
                    yield self.finding(message, link, source=geometry.source)
                else:
                    where = "is not in the workspace" if confined else "is not found"
                    message = f"the {scheme} {package!r} {where}, so its meshes were not checked"
                    fix = f"name its folder: --package {package}=FOLDER, or packages={{{package!r}: FOLDER}}"
                    yield self.finding(message, robot, severity="info", fix=fix)


class EmptyMesh(MeshRule):
    """The mesh files are not empty."""

    code = "MSH-003"
    clause = "the file must be available locally"
    bad = "empty.stl"

    def check(self, shapes: Shapes, assets: Assets) -> Found:
        """A file of no bytes."""
        for link, geometry in _meshes(shapes, assets, "empty"):
            yield self.finding(f"the mesh file {file_of(geometry)!r} is empty", link, source=geometry.source)


class PointerMesh(MeshRule):
    """The mesh files are fetched from git-lfs.

    git-lfs puts three lines of text in the place of a large file until the file is fetched.
    """

    code = "MSH-004"
    level = "MAY"
    clause = "the file must be available locally"
    bad = "pointer.stl"

    def check(self, shapes: Shapes, assets: Assets) -> Found:
        """Pointers of git-lfs; one finding for all."""
        pointers = _meshes(shapes, assets, "pointer")
        if pointers:
            (link, geometry), rest = pointers[0], others([file_of(geometry) for _, geometry in pointers[1:]])
            message = f"the mesh file {file_of(geometry)!r} is only a pointer of git-lfs{rest}"
            yield self.finding(message, link, source=geometry.source, fix="run `git lfs pull`")


class CutMesh(MeshRule):
    """The mesh files are complete.

    A binary STL file begins with its number of triangles. If the file is shorter, it was cut when it was copied or
    written.
    """

    code = "MSH-005"
    clause = "the file must be available locally"
    bad = "cut.stl"

    def check(self, shapes: Shapes, readings: Readings) -> Found:
        """A binary STL file that is shorter than its header says."""
        for name, facts in readings.items():
            if facts.cut:
                link, geometry = first_uses(shapes)[name]
                message = f"the mesh file {name!r} is cut off: it has {facts.length} bytes of {facts.announced}"
                yield self.finding(message, link, source=geometry.source)


class AbsurdMesh(MeshRule):
    """The size of a mesh is between 0.01 mm and 100 m.

    Other sizes are likely to be in other units: many programs write millimetres, which need scale="0.001 0.001 0.001".
    """

    code = "MSH-006"
    thresholds = (HUGE, TINY)
    evidence = "heuristic"
    clause = "metres"
    url = "https://www.ros.org/reps/rep-0103.html"
    bad = "millimetres.stl"

    def check(self, shapes: Shapes, readings: Readings) -> Found:
        """A mesh that has, with its scale, some triangles too far apart, or is too small. Binary STL files are read in
        part; OBJ, DAE and glTF files up to 0.5 MB, 2 MB in all, because that takes longer than all rules."""
        seen = set()
        for link, geometry in shapes:
            facts = readings.get(file_of(geometry))
            scale = geometry.shape.parameters.get("scale", (1.0, 1.0, 1.0))
            if facts is None or facts.box is None or (file_of(geometry), scale) in seen:
                continue
            seen.add((file_of(geometry), scale))
            sides = np.abs((facts.box[1] - facts.box[0]) * np.asarray(scale))
            if sides.max() > HUGE or (facts.complete and sides.max() < TINY):
                size = " by ".join(map(number, sides.tolist())) + (" m" if facts.complete else " m or more")
                unit = "is it in millimetres?" if sides.max() > HUGE else "expected metres"
                message = f"the size of the mesh {file_of(geometry)!r} is {size}; {unit}"
                yield self.finding(message, link, source=geometry.source)


@fact
def mesh_files(robot: Robot, shapes: Shapes, packages: Folders, confined: Confined) -> MeshFiles | None:
    """Return the path of each mesh file and its state, by name, or None for a model without a file. Files of packages
    that were not found are left out; so are names that lead out of their package or to another computer, and relative
    paths in an included file, which may start at either file."""
    if robot.source is None:
        return None
    file = robot.source.file
    near, files = folder_of(file), Files({})
    files.packages = packages_on_disk(packages, confined)
    names = dict.fromkeys(
        file_of(geometry)
        for _, geometry in shapes
        if "filename" in geometry.shape.parameters
        and (is_whole(file_of(geometry)) or (geometry.source and geometry.source.file == file))
    )
    found: dict[str, tuple[str, Asset]] = {}
    folders: dict[str, str | None] = {}
    for name in list(names)[:MOST_MESHES]:
        path = None if address_fault(name) or ELSEWHERE.match(name) else path_of(name, file, files, folders)
        if path is not None:
            found[name] = (path, _asset(path, files.packages, near))
    return found


def path_of(name: str, file: str, files: Files, folders: dict[str, str | None]) -> str | None:
    """Return the path that a name leads to from a file, None for a package that does not exist and for a text without a
    folder. folders: of packages that were looked for."""
    scheme, sign, rest = name.partition("://")
    package, _, rest = rest.partition("/") if sign and scheme in ("package", "model") else ("", "", "")
    whole = f"{scheme}://{package}" if package else name
    if whole not in folders:
        folders[whole] = None
        with suppress(KinetreeError):
            folders[whole] = str(files.path(whole, file))
    path = folders[whole]
    if path is not None and package:
        try:  # a path without a drive leads to no other computer, and need not be looked at
            rest = rest.lstrip("/")
            path = str(joined(Path(path), rest, name)) if ":" in rest or "\\" in rest else f"{path}/{rest}"
        except KinetreeError:
            return None
    return os.path.normpath(path) if path is not None and sign else path


@fact
def assets(mesh_files: MeshFiles | None) -> Assets | None:
    """Return the state of each mesh file by name, None for a model without a file."""
    return None if mesh_files is None else {name: state for name, (_, state) in mesh_files.items()}


@fact
def readings(mesh_files: MeshFiles | None) -> Readings | None:
    """Return the facts of mesh files that are there and can be read, as far as `facts_of` reads them, None for a model
    without a file."""
    if mesh_files is None:
        return None
    found: dict[str, Facts] = {}
    read = 0
    for name, (path, state) in mesh_files.items():
        if state != "there":
            continue
        with suppress(OSError):
            status, partly = os.stat(path), ending_of(path) == ".stl"
            read += 0 if partly else min(status.st_size, MOST_BYTES)
            is_short = partly or read <= MOST_READ
            if is_short and (facts := _facts(path, status.st_mtime_ns, status.st_size)):
                found[name] = facts
    return found


@lru_cache(maxsize=1000)
def _facts(path: str, _changed: int, _size: int) -> Facts | None:
    return facts_of(path)


def _asset(path: str, packages: Packages, near: Path | None) -> Asset:
    """Return the state of a mesh file; only regular files as short as a pointer are opened. near: folder of the model,
    to find the package of an absolute path."""
    try:
        if not packages.may_read(path):
            packages.find_around(Path(path), near)
            if not packages.may_read(path):
                return "missing" if broken_link(Path(path), {}) else "outside"
        status = os.stat(path)
        if not S_ISREG(status.st_mode):
            return "missing"
        if 0 < status.st_size < SHORT:
            with open_plain(path) as file:
                return "pointer" if file.read(len(POINTER)) == POINTER else "there"
    except (OSError, ValueError):  # a null character in a path is a ValueError
        return "missing"
    return "there" if status.st_size else "empty"


def _meshes(shapes: Shapes, assets: Assets, asset: Asset) -> list[tuple[Link, Geometry]]:
    """Return one shape for each mesh file in a state."""
    if asset not in assets.values():
        return []
    first = first_uses(shapes)
    return [first[name] for name, how in assets.items() if how == asset]


def first_uses(shapes: Shapes) -> dict[str, tuple[Link, Geometry]]:
    """Return the first shape of each mesh file, with its link, by the file's name."""
    first: dict[str, tuple[Link, Geometry]] = {}
    for link, geometry in shapes:
        if "filename" in geometry.shape.parameters:
            first.setdefault(file_of(geometry), (link, geometry))
    return first


def file_of(geometry: Geometry) -> str:
    """Return the name of the mesh file of a shape, "" if it is no mesh."""
    return str(geometry.shape.parameters.get("filename", ""))
