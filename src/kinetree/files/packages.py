"""Folders of ROS packages and Gazebo models, for `package://`, `$(find …)` and `model://`, without ROS.

A package is a folder with a package.xml, whose <name> decides. It is looked for, in this order,

1. in what the caller gave (`packages={name: folder}`),
2. among the folders that contain the referring file, then among the packages beside them, some levels up,
3. in `ROS_PACKAGE_PATH`, then in `AMENT_PREFIX_PATH` (prefix/share/name),
4. as a folder of that name without package.xml that contains the referring file or lies beside a folder that does,
5. as a folder of that name that contains the referring file, although its package.xml has another name.

Step 4 is for collections of models that left package.xml behind, step 5 for files that name the folder. If two folders
are found in the same step at the same distance, neither is taken.

Under a `Confinement` a folder outside of it is a package only if it has a package.xml, and a model only if it has a
model.config or lies in one of the folders of models; links out of the workspace lead to neither.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from stat import S_ISREG

from kinetree.confine import Confinement, RealPaths, is_in, is_shared, real, refusal, workspace_of
from kinetree.errors import KinetreeError, fail
from kinetree.files.nearby import offer
from kinetree.syntax.xml.reader import Report, parse

LEVELS_UP = 3  # above the package: its repository, the workspace's src, the workspace
LEVELS_DOWN = 4
MAX_FOLDERS = 3000  # visited below one folder
MAX_PACKAGE_XML = 1_000_000
MODEL_PATHS = ("SDF_PATH", "GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH", "GAZEBO_MODEL_PATH")
IGNORE_MARKS = frozenset(("COLCON_IGNORE", "CATKIN_IGNORE", "AMENT_IGNORE"))
NOT_ENTERED = frozenset(("build", "log", "node_modules", "meshes", "__pycache__"))

MARKS = ("package.xml", "model.config")
"""Files that make a folder a package or a model, wherever it lies."""

PROJECT = (".git", "kinetree.toml", "pyproject.toml")
"""Files that make a folder a project of its own, even beside another."""

Place = tuple[str, list[Path]]


def package_named(reference: str) -> str:
    """Return the package that a reference such as package://NAME/file names, "" if it names none."""
    return reference.partition("package://")[2].partition("/")[0]


class Packages:
    """Search for packages and models by name. It caches what it has seen on the disk: use it for one load only.

    elsewhere: folders of packages that were not named and are in another project than the file that refers to them.
    """

    def __init__(self, given: Mapping[str, Path], confinement: Confinement | None = None) -> None:
        self.given = given
        self.confinement = confinement
        self._outside = [Path(place) for folder in given.values() for place in (os.path.abspath(folder), real(folder))]
        self._real_of = RealPaths()
        self._names: dict[Path, str | None] = {}
        self._below: dict[Path, dict[str, list[Path]]] = {}
        self._found: dict[tuple[str, Path | None], Path] = {}
        self.elsewhere: dict[str, Path] = {}

    def within(self, confinement: Confinement) -> "Packages":
        """Return packages of a confinement that share what has been seen on the disk."""
        packages = Packages(self.given, confinement)
        packages._names, packages._below, packages._found = self._names, self._below, self._found
        return packages

    def package(self, name: str, near: Path | None) -> Path:
        """Return the folder of a package; `near` is the folder of the referring file, None for a text.

        Raises KinetreeError "package", which lists where it looked, or "package-ambiguous".
        """
        if (name, near) not in self._found:
            folder = _first("package", name, self._package_places(name, near), self.given)
            self._found[name, near] = folder
            if near and name not in self.given and self.is_elsewhere(folder, near):
                self.elsewhere[name] = folder
        return self._allowed("package", name, self._found[name, near])

    def model(self, name: str, near: Path | None) -> Path:
        """Return the folder of a Gazebo model, which may be a package too. Raises like `package`."""
        try:
            return self._allowed("model", name, _first("model", name, self._model_places(name, near), self.given))
        except KinetreeError as error:
            first = error.findings[0]
            folders = _ancestors(near)[:LEVELS_UP] if near and first.code == "package" else []
            paths = [place / name for folder in folders for place in (folder, folder / "models")]
            raise KinetreeError(replace(first, message=first.message + offer(paths, self.may_read))) from None

    def may_read(self, path: str | Path) -> bool:
        """Return whether a file lies in the workspace, or in a package or model that was given, or found until now."""
        if self.confinement is None:
            return True
        place = self._real_of(path)
        return is_in(place, self.confinement.folders) or is_in(place, self._outside)

    def is_elsewhere(self, folder: Path, near: Path) -> bool:
        """Return whether a package is neither in the project or ROS workspace of the folder of a file, nor directly
        beside it or around it, nor in a folder that the environment or the confinement names."""
        if near.is_relative_to(folder):
            return False  # its own package
        place, around = real(folder), real(near)
        if is_in(around, [Path(real(folder.parent)), Path(place)]) and not any((folder / m).exists() for m in PROJECT):
            return False
        known = [above for above in Path(around).parents if above.name == "src"]
        known += self.confinement.folders if self.confinement else map(Path, workspace_of(near / "file"))
        known += [*_paths("ROS_PACKAGE_PATH"), *_paths("AMENT_PREFIX_PATH")]
        return not is_in(place, known) and not is_in(os.path.abspath(folder), known)

    def find_around(self, path: Path, near: Path | None) -> None:
        """Find the package that contains a file, by its name, so that the file may be read."""
        name = next((name for folder in path.parents if (name := self.name_of(folder))), None)
        if name and not self.may_read(path):
            with suppress(KinetreeError):
                self.package(name, near)

    def _allowed(self, kind: str, name: str, folder: Path) -> Path:
        """Return a found folder, which may be read from now on. Raises KinetreeError "confined" if it is refused."""
        if self.may_read(folder) or self.confinement is None:
            return folder
        listed = any(is_in(os.path.abspath(folder), [entry]) for variable in MODEL_PATHS for entry in _paths(variable))
        marks = [folder / mark for mark in MARKS if (folder / mark).is_file()]
        if self.confinement.names(folder) or not (marks or listed):
            said = refusal(f"{kind} {name!r}", real(folder), self.confinement).findings[0]
            raise KinetreeError(replace(said, fix=f"{said.fix}, or say where it is: {_said(name)}"))
        self._outside.append(Path(real(folder)))
        if any(is_in(os.path.abspath(folder), [entry]) for entry in _paths("AMENT_PREFIX_PATH")):
            # colcon installs a package as links to its source; elsewhere such a link would lead out of the workspace
            self._outside += [Path(os.path.dirname(real(mark))) for mark in marks]
        return folder

    def _package_places(self, name: str, near: Path | None) -> Iterator[Place]:
        if near is not None:
            ancestors = _ancestors(near)
            own = next((i for i, folder in enumerate(ancestors) if self.name_of(folder)), 0)
            for folder in ancestors[: own + 1]:
                yield f"{near} and above", [folder] if self.name_of(folder) == name else []
            for folder in ancestors[own + 1 : own + 1 + LEVELS_UP]:
                yield "the packages beside them", self._packages_below(folder).get(name, [])
        for entry in _paths("ROS_PACKAGE_PATH"):
            yield f"{entry} (ROS_PACKAGE_PATH)", self._packages_below(entry).get(name, [])
        for entry in _paths("AMENT_PREFIX_PATH"):
            yield f"{entry}/share (AMENT_PREFIX_PATH)", _folders([entry / "share" / name])
        if near is not None:
            named = [folder for folder in ancestors if folder.name == name]
            beside = [folder / name for folder in ancestors]
            unnamed = [folder for folder in _folders([*named, *beside]) if self.name_of(folder) is None]
            yield "", unnamed
            yield "", named[:1]

    def _model_places(self, name: str, near: Path | None) -> Iterator[Place]:
        for folder in _ancestors(near) if near is not None else []:
            yield str(folder), _folders([folder / name, folder / "models" / name])
        for variable in MODEL_PATHS:
            for entry in _paths(variable):
                yield f"{entry} ({variable})", _folders([entry / name])
        try:
            yield "", [self.package(name, near)]
        except KinetreeError:
            yield "the packages around it", []

    def name_of(self, folder: Path) -> str | None:
        """Return the name in the package.xml of a folder, None without one."""
        if folder not in self._names:
            self._names[folder] = _package_name(os.path.join(folder, "package.xml"))
        return self._names[folder]

    def _packages_below(self, top: Path) -> dict[str, list[Path]]:
        """Return the packages in a folder and some levels below, by name. Packages contain no packages."""
        if top in self._below:
            return self._below[top]
        found: dict[str, list[Path]] = {}
        queue = [(top, 0)]  # grows during the loop: breadth first, so near packages come before the limit
        for seen, (folder, depth) in enumerate(queue):
            if seen >= MAX_FOLDERS:
                break
            if name := self.name_of(folder):
                found.setdefault(name, []).append(folder)
            elif depth < LEVELS_DOWN:
                queue += [(child, depth + 1) for child in _children(folder)]
        self._below[top] = found
        return found


def searched(folder: str) -> Iterator[str]:
    """Yield the folders in which the files of a folder look for packages and models, and targets of linked packages."""
    yield from map(str, _ancestors(Path(folder))[-1:])
    yield from (str(entry) for name in ("ROS_PACKAGE_PATH", *MODEL_PATHS) for entry in _paths(name))
    for entry in _paths("AMENT_PREFIX_PATH"):
        yield str(entry)
        for mark in (entry / "share").glob("*/package.xml"):
            if mark.is_symlink():
                yield os.path.dirname(real(mark))


def _first(kind: str, name: str, among: Iterable[Place], given: Mapping[str, Path]) -> Path:
    """Return the folder in the first place that has one. Raises KinetreeError if none or several have it."""
    if name in given:
        return given[name]
    if name in ("", ".", "..") or "/" in name or os.sep in name:
        raise fail(kind, f"{kind} {name!r} cannot be found: that is a path, and no name")
    looked: list[str] = []
    for where, folders in among:
        found = list({folder.resolve(): folder for folder in folders}.values())
        if len(found) > 1:
            both = ", ".join(str(folder) for folder in found[:4])
            message = f"{kind} {name!r} is found {len(found)} times at the same distance: {both}"
            raise fail("package-ambiguous", message, fix=f"say which: {_said(name)}")
        if found:
            return found[0]
        looked.append(where)
    places = ", ".join(filter(None, dict.fromkeys(looked))) or "nothing"
    message = f"{kind} {name!r} cannot be found; looked in {places}"
    raise fail("package", message, fix=f"name its folder: {_said(name)}")


def _said(name: str) -> str:
    return f"--package {name}=FOLDER, or in Python packages={{{name!r}: FOLDER}}"


def _ancestors(folder: Path) -> list[Path]:
    """Return the folder and those above it, up to but without shared ones: root, home, temporary files."""
    above = []
    absolute = Path(os.path.abspath(folder))
    for candidate in (absolute, *absolute.parents):
        if is_shared(str(candidate)):
            break
        above.append(candidate)
    return above[: LEVELS_UP + LEVELS_DOWN + 1]


def _children(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as scan:
            entries = list(scan)
        if any(entry.name in IGNORE_MARKS for entry in entries):
            return []
        inside = (one for one in entries if not one.name.startswith(".") and one.name not in NOT_ENTERED)
        names = [entry.name for entry in inside if entry.is_dir()]
        return [folder / name for name in sorted(names, key=os.path.normcase)]
    except OSError:
        return []


def _folders(candidates: Iterable[Path]) -> list[Path]:
    return [folder for folder in candidates if os.path.isdir(folder)]  # isdir: False if it may not be entered


def _paths(variable: str) -> list[Path]:
    return [Path(entry) for entry in os.environ.get(variable, "").split(os.pathsep) if entry]


def _package_name(file: str) -> str | None:
    try:
        status = os.stat(file)
        if not S_ISREG(status.st_mode) or status.st_size > MAX_PACKAGE_XML:
            return None
        return _name_in(file, status.st_mtime_ns, status.st_size)
    except OSError:
        return None


@lru_cache(4096)
def _name_in(file: str, _mtime_ns: int, _size: int) -> str | None:
    """Return the name in a package.xml, cached as long as the file does not change. Raises OSError."""
    root = parse(Path(file).read_bytes(), file, Report())
    name = root.find("name") if root is not None and root.tag == "package" else None
    return name.text.strip() or None if name is not None else None
