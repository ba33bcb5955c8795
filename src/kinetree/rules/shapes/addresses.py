"""Addresses of mesh files: what is wrong with their texts, and packages that are not found."""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from posixpath import basename, dirname, normpath
from types import MappingProxyType
from typing import Literal

from kinetree.confine import Confinement
from kinetree.errors import KinetreeError
from kinetree.files.nearby import namesakes
from kinetree.files.opener import folder_of, joined, read_file
from kinetree.files.packages import MARKS
from kinetree.rules.rule import Threshold
from kinetree.xacro_text.known_packages import MANIFESTS

Confined = Confinement | Literal[False]
LIKE = Threshold(0.8, "of 1", "smallest similarity of a scheme to package that is a slip")
DEEPEST = Threshold(4, "folders", "largest number of folders above the model in which a mesh is looked for")
SOUGHT = (LIKE, DEEPEST)  # on which findings about addresses depend

MOST_FOLDERS = 50  # beside a model, in which the meshes of a package are looked for

ASTRAY = MappingProxyType(
    {
        "nameless": "names no {scheme}; expected {scheme}://name/path",
        "folder": "names no file in the {scheme}; expected {scheme}://name/path",
        "outside": "leads out of its {scheme}, but every {scheme} may be installed in its own folder",
        "backslash": "has backslashes; expected {scheme}://name/path",
        "host": "has no path after file://; expected file:///path, or a path from this file without file://",
    }
)
"""Faults of names that cannot lead to a file."""


def undeclared(package: str, file: str) -> str:
    """Return the name of the package.xml, or manifest.xml, of a file if it does not name another package, else ""."""
    for folder in Path(file).absolute().parents:
        for mark in MANIFESTS:
            with suppress(OSError, KinetreeError):
                words = read_file(folder / mark).decode(errors="replace")
                return "" if re.search(rf"""[>"']\s*{re.escape(package)}\s*[<"']""", words) else mark
    return ""


def is_whole(name: str) -> bool:
    """Return whether a file name means the same in every file."""
    return name.startswith(("package://", "model://", "file://")) or os.path.isabs(name)


def misspelt_scheme(name: str) -> str:
    """Return the scheme of a file name if it is nearly, but not, package, or ""."""
    scheme, sign, _ = name.partition("://")
    return scheme if sign and scheme.lower() != "package" and _like(scheme.lower()) else ""


@lru_cache(maxsize=100)
def _like(scheme: str) -> bool:
    return SequenceMatcher(None, scheme, "package").ratio() >= LIKE


def right_place(name: str, file: str, confined: Confined) -> tuple[str, bool]:
    """Return the folder that has a mesh whose package or model is not found, or "", and whether it is surely meant: one
    above a file, which is surely meant if it is a package or a model; or one beside these, of nearly the same name."""
    package, _, rest = name.partition("://")[2].partition("/")
    for folder in Path(file).absolute().parents[: int(DEEPEST)]:
        for place in (folder, *namesakes(package, folder.parent)) if rest else ():
            with suppress(OSError, ValueError, KinetreeError):
                path = joined(place, rest, name)
                if not (confined and not confined.holds(path)) and path.is_file():
                    return place.name, place != folder or any((place / mark).is_file() for mark in MARKS)
        if _is_top(folder):
            break
    return "", False


def elsewhere(path: str) -> str:
    """Return a clause with the file in the package of a missing one that has its name, or ""."""
    above = map(str, Path(path).parents)
    package = next((one for one in above if any(os.path.isfile(os.path.join(one, mark)) for mark in MARKS)), None)
    found = next(Path(package).rglob(Path(path).name), None) if package else None
    return f"; there is {str(found.relative_to(package))!r}" if package and found else ""


def in_media(rest: str, file: str) -> bool:
    """Return whether the rest of file://REST or model://REST is a file in a folder of media or models near it, where
    Gazebo classic looks."""
    near = Path(file).absolute().parents[: int(DEEPEST)]
    with suppress(OSError, ValueError):
        return any((folder / place / rest).is_file() for folder in near for place in ("media/models", "models"))
    return False


def lost_siblings(names: Iterable[str], file: str, confined: Confined) -> Iterator[tuple[str, str]]:
    """Yield the meshes of a package that is not found which a folder near the model lacks, and the folder, if it has at
    least half of the meshes of one folder of the package."""
    model = (folder_of(file) or Path()).absolute()
    tops = [top for top in (model, model if _is_top(model) else model.parent) if not confined or confined.holds(top)]
    groups = {at: [basename(name) for name in some] for at, some in groupby(sorted(names), dirname)}
    for inside, wanted in groups.items() if folder_of(file) else ():
        near = [folder for top in tops for folder in (top, top.joinpath(*inside.split("/")[3:]), *top.glob("*"))]
        others = {basename(other) for other in groups if other != inside}
        for folder in near[:MOST_FOLDERS] if len(wanted) > 1 else ():
            there = {path.name for path in folder.glob("*") if not confined or confined.holds(folder)}
            lost = [name for name in wanted if name not in there]
            if folder.name not in others and 0 < 2 * len(lost) <= len(wanted):
                yield from ((f"{inside}/{name}", folder.name) for name in lost)
                break


def _is_top(folder: Path) -> bool:
    return (folder / ".git").exists() or any((folder / mark).is_file() for mark in MANIFESTS)


@lru_cache(maxsize=1000)
def address_fault(name: str) -> str | None:
    """Return the key in ASTRAY of the fault of a file name, if it has one."""
    scheme, _, rest = name.partition("://")
    first, _, path = rest.partition("/")
    if scheme in ("package", "model"):
        outside = normpath(path).split("/")[0] == ".."
        faults = {"backslash": "\\" in first, "nameless": not first, "folder": not path.strip("/"), "outside": outside}
        return next((fault for fault, is_so in faults.items() if is_so), None)
    is_host = first not in ("", "localhost", "media") and not first.endswith(":")  # Gazebo has folders called media
    return "host" if scheme == "file" and is_host else None
