"""Confinement of reading: which folders and environment variables a model may use.

Without a `Confinement` a model may include any file that its reader can open. With one, only files in the folders, and
in ROS packages and Gazebo models that are named for it or found outside them (see `kinetree.files.packages`).
Symbolic links are followed first; their target decides.
"""

import os
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from kinetree.display import listed
from kinetree.errors import KinetreeError, fail

MARKS = (".git", "kinetree.toml", "pyproject.toml", "package.xml")
"""Files that mark a project's folder: for each mark, the nearest such folder above a file belongs to its workspace."""
ALLOW = (
    'name its folder in kinetree.toml, as in folders = ["../macros"], or check a folder that holds both; '
    "in Python, confined=Confinement([…]) of kinetree.confine names the folders"
)
MAX_SHOWN = 4


@dataclass(frozen=True)
class Confinement:
    """Folders that may be read, with everything in them, and environment variables that may be read."""

    folders: tuple[Path, ...]
    environment: Mapping[str, str] = field(default_factory=dict)

    def __init__(self, folders: Iterable[str | os.PathLike[str]], environment: Mapping[str, str] | None = None) -> None:
        given = [os.path.expanduser(folder) for folder in folders]
        both = [place for folder in given for place in (os.path.abspath(folder), real(folder))]
        object.__setattr__(self, "folders", tuple(map(Path, dict.fromkeys(both))))
        object.__setattr__(self, "environment", dict(environment or {}))

    def __hash__(self) -> int:
        return hash((self.folders, tuple(sorted(self.environment.items()))))

    def holds(self, path: str | os.PathLike[str]) -> bool:
        """Return whether a file or folder lies in the folders, after following links."""
        return is_in(real(path), self.folders)

    def names(self, path: str | os.PathLike[str]) -> bool:
        """Return whether a path, as written, leads into the folders; links in them may still lead out."""
        return is_in(os.path.abspath(path), self.folders)


@dataclass(frozen=True, slots=True)
class Places:
    """Places in which a robot's files are looked for: folders of packages by name, and the confinement of its load.

    format: the format in which its references to meshes and textures are written, "" if unknown."""

    packages: Mapping[str, Path] = field(default_factory=dict)
    confinement: Confinement | None = None
    format: str = ""

    def joined(self, other: "Places") -> "Places":
        """Return the places of a robot that another one is attached to; of equal packages its own stay."""
        if self.confinement is None or other.confinement is None:
            confinement = None
        else:
            folders = (*self.confinement.folders, *other.confinement.folders)
            confinement = Confinement(folders, {**other.confinement.environment, **self.confinement.environment})
        return Places({**other.packages, **self.packages}, confinement, self.format)


def confinement_of(source: object, confined: bool | Confinement) -> Confinement | None:
    """Return the confinement of a load: `confined` itself, the file's workspace for True, None for False."""
    if isinstance(confined, Confinement):
        return confined
    if not confined:
        return None
    if isinstance(source, str) and ("\n" in source or source.lstrip().startswith("<")):
        return Confinement(())  # text has no folder
    return Confinement(workspace_of(source) if isinstance(source, str | os.PathLike) else ())


def workspace_of(file: str | os.PathLike[str], *, follow: bool = True) -> list[str]:
    """Return the folders of a file's workspace: its own, and the nearest above with each of the MARKS.

    The root, the home folder and the folder of temporary files are never a workspace because of marks in them. follow:
    also include the workspace of the target if `file` is a link; for files that a user named.
    """
    places = dict.fromkeys(map(os.path.dirname, (os.path.abspath(file), *([real(file)] if follow else []))))
    return list(dict.fromkeys(folder for place in places for folder in (place, *_marked(place))))


def _marked(folder: str) -> list[str]:
    """Return the nearest folder with each mark."""
    left, found = list(MARKS), []
    for above in (folder, *map(str, Path(folder).parents)):
        if is_shared(above):
            break
        here = [mark for mark in left if os.path.lexists(os.path.join(above, mark))]
        found += [above] if here else []
        left = [mark for mark in left if mark not in here]
    return found


def is_shared(folder: str) -> bool:
    """Return whether an absolute path is the root of a disk, the home folder or the folder of temporary files, as named
    or with links followed. They contain everything, so lying in one of them does not make a file part of a
    workspace."""
    shared = _shared(os.path.expanduser("~"), tempfile.gettempdir())
    return folder == os.path.dirname(folder) or _spelled(folder) in shared


@lru_cache(8)
def _shared(*named: str) -> set[str]:
    return {_spelled(place) for folder in named for place in (os.path.abspath(folder), real(folder))}


def _spelled(folder: str) -> str:
    """Return a path in the one spelling of all that lead to the same folder where the disk ignores case."""
    return folder.lower() if sys.platform == "darwin" else os.path.normcase(folder)


@lru_cache(4096)
def _parts(folder: Path) -> str:
    return os.path.normcase(os.path.join(folder, ""))


def is_in(path: str, folders: Iterable[Path]) -> bool:
    """Return whether an absolute path is one of the folders or lies in one."""
    place = os.path.normcase(os.path.join(path, ""))
    return any(place.startswith(_parts(folder)) for folder in folders)


def real(path: str | os.PathLike[str]) -> str:
    """Return the absolute path of a file or folder with all links followed, as far as it exists."""
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):  # a null character is a ValueError; opening the file explains it
        return os.path.abspath(path)


class RealPaths:
    """The function `real` for many files in few folders: each folder is looked up once. Use it for one run only."""

    def __init__(self) -> None:
        self._folders: dict[str, str] = {}

    def __call__(self, path: str | os.PathLike[str]) -> str:
        """Return the absolute path of a file with all links followed."""
        folder, name = os.path.split(os.fspath(path))
        if name in ("", os.curdir, os.pardir):
            return real(path)
        if folder not in self._folders:
            self._folders[folder] = real(folder or os.curdir)
        place = os.path.join(self._folders[folder], name)
        return real(path) if os.path.islink(place) else place


def refusal(wanted: str, path: str, confinement: Confinement) -> KinetreeError:
    """Return the error for a path outside the folders. wanted: as it is requested. path: where it is."""
    where = "" if path in wanted else f", which is {path},"
    read = listed(map(real, confinement.folders), MAX_SHOWN)
    message = f"{wanted}{where} lies outside of the workspace; read are files in {read or 'no folder'} and in packages"
    return fail("confined", message, fix=f"if it belongs to the model, {ALLOW}")


def unseen(name: str, confinement: Confinement) -> KinetreeError:
    """Return the error for an environment variable that a model may not read."""
    seen = f"; allowed are {', '.join(confinement.environment)}" if confinement.environment else ""
    message = f"the environment variable {name!r} is not set, or the settings do not allow it{seen}"
    return fail(
        "confined",
        message,
        fix=f'if the model needs it, allow it in kinetree.toml: environment = ["{name}"]; in Python, in a Confinement',
    )
