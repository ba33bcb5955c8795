"""Packages on the disk, cached for several robots, and files that packages lack."""

import os
from collections.abc import Mapping
from functools import lru_cache
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import Literal

from kinetree.confine import Confinement
from kinetree.files.packages import Packages

Folders = Mapping[str, str | os.PathLike[str]]
REMEMBERED = 10.0
"""Seconds for which the places of packages are cached."""
MANIFESTS = ("package.xml", "manifest.xml")
"""Files of which a package has one, which name the packages that it depends on."""
KEPT_ELSEWHERE = (
    (".stl", ".dae", ".obj", ".glb", ".gltf", ".ply"),
    (".png", ".jpg", ".jpeg", ".tga", ".bmp", ".dds", ".tif", ".tiff"),
)
"""Endings of large files, of meshes and of images."""
OF_MODELS = (".yaml", ".yml", ".xacro", ".urdf", ".srdf", ".sdf")
"""Endings of files that are kept with models."""
MOST = 5000
"""Most files of a package that are searched."""


def packages_on_disk(packages: Folders, confined: Confinement | Literal[False]) -> Packages:
    """Return the packages that a robot may read, cached for several robots."""
    given = tuple((name, Path(folder)) for name, folder in packages.items())
    return _packages(given, confined, int(monotonic() // REMEMBERED))


@lru_cache(maxsize=1)
def _on_disk(packages: tuple[tuple[str, Path], ...], time: int) -> Packages:
    """Return the packages on the disk, cached for several robots because the search takes longer than all rules."""
    return Packages(dict(packages))


@lru_cache(maxsize=100)
def _packages(packages: tuple[tuple[str, Path], ...], confined: Confinement | Literal[False], time: int) -> Packages:
    """Return the packages that a robot may read."""
    found = _on_disk(packages, time)
    return found.within(confined) if confined else found


def is_missing(path: str, kind: str = "") -> bool:
    """Return whether a file does not exist, and its package does not have it in a deeper folder, from which it may be
    installed. False for a mesh, an image or the like in a folder without any, which may be kept elsewhere. kind: an
    ending by which it is judged, if that is not its own."""
    if os.path.lexists(path):
        return False
    folder, ending = os.path.split(path)[0], kind or os.path.splitext(path)[1].lower()
    kinds = () if ending in OF_MODELS else next((kinds for kinds in KEPT_ELSEWHERE if ending in kinds), (ending,))
    try:
        if kinds and not any(os.path.splitext(name)[1].lower() in kinds for name in os.listdir(folder)):
            return False
    except OSError:
        return not kinds
    package = next((one for one in Path(path).parents if any((one / mark).is_file() for mark in MANIFESTS)), None)
    rest = os.sep + os.path.relpath(path, package) if package else ""
    found = islice(package.rglob(f"{Path(path).name}*"), MOST) if package else ()
    return not any(rest in str(one) for one in found)
