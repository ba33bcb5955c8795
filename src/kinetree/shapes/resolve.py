"""From the reference of a shape or texture to its file."""

import os
from pathlib import Path

from kinetree.confine import real
from kinetree.errors import KinetreeError, Source, fail
from kinetree.files.opener import Files, read_file
from kinetree.model.robot import Robot
from kinetree.shapes.read import Beside

MESHES = (
    *(".stl", ".dae", ".obj", ".glb", ".gltf", ".msh", ".ply", ".fbx", ".3ds", ".x3d", ".wrl", ".iv", ".off"),
    *(".mesh", ".vtk", ".stlb", ".stla", ".usd", ".usda", ".usdc", ".usdz"),
)
"""Endings of mesh files. A reference to any other file is never copied: it may lead to a secret."""
IMAGES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".tga", ".bmp", ".gif", ".dds", ".ktx", ".ktx2", ".webp", ".hdr")
"""Endings of textures, likewise."""
OTHERS = (".hf", ".bin", ".skn")
"""Endings of height fields and skins in <asset> of MJCF."""


def files_of(robot: Robot) -> Files:
    """Return the opener of the files that a robot refers to, with the packages and the confinement of its load."""
    return Files(robot.places.packages, robot.places.confinement)


def path_of(robot: Robot, reference: str, source: Source | None, files: Files) -> Path:
    """Return the path of the file that a reference leads to. source: the place of the reference.

    A relative path starts at the file of the robot, in SDF at the file that contains it; if nothing is there, at the
    other of the two. Raises KinetreeError if the file does not exist or may not be read.
    """
    top = (robot.source or Source("<text>")).file
    own = source.file if source else top
    near = (own, top) if own.lower().endswith((".sdf", ".world")) else (top, own)
    found: list[Path] = []
    for place in dict.fromkeys(near):
        try:
            found.append(files.path(reference, place))
        except KinetreeError:  # a package that is not near this file may be near the other
            if place == near[-1] and not found:
                raise
    path = next((path for path in found if os.path.isfile(path)), found[0])
    files.check(path, reference)
    if not os.path.isfile(path):
        raise fail("file", f"there is no file {path}")
    plain = Path(os.path.abspath(path))
    return plain if os.path.isfile(plain) else Path(real(path))


def root_of(path: Path) -> Path:
    """Return the folder of the package or model that contains a file, or else the folder of the file."""
    folders = [folder for folder in path.parents[:8] if any((folder / m).is_file() for m in MARKS)]
    return folders[0] if folders else path.parent


MARKS = ("package.xml", "model.config")


def beside(path: Path, reference: str, files: Files) -> Path | None:
    """Return the file that a mesh file refers to, None unless it exists and may be read."""
    if "://" in reference or os.path.isabs(reference) or "\\" in reference:
        return None
    found = Path(os.path.normpath(path.parent / reference))
    try:
        files.check(found)
    except KinetreeError:
        return None
    return found if os.path.isfile(found) else None


def companions(path: Path, files: Files) -> Beside:
    """Return the function from a reference in a mesh file to its content, None unless it exists and may be read."""

    def opened(reference: str) -> bytes | None:
        found = beside(path, reference, files)
        return read_file(found) if found else None

    return opened
