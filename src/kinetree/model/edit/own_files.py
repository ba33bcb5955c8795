"""Files of a robot that becomes a part of another."""

import os
from dataclasses import replace
from pathlib import Path

from kinetree.errors import Source
from kinetree.model.assemble import build, parts_of
from kinetree.model.link import with_shapes
from kinetree.model.robot import Geometry, Material, Robot


def with_own_files(other: Robot, robot: Robot) -> Robot:
    """Return `other` with the meshes and textures that it names relative to its own file named relative to that of
    `robot`, or by whole paths if `robot` has none."""
    folder = _folder(robot.source) if robot.source else None
    if other.source is None or _folder(other.source) in (None, folder):
        return other
    parts = parts_of(other)
    parts.links = [with_shapes(link, lambda shape: _with_own_file(shape, other, folder)) for link in parts.links]
    parts.materials = [_textured(material, other, folder) for material in parts.materials]
    return build(parts)


def _with_own_file(geometry: Geometry, robot: Robot, folder: str | None) -> Geometry:
    parameters = {**geometry.shape.parameters}
    if "filename" in parameters:
        parameters["filename"] = _renamed(str(parameters["filename"]), geometry.source, robot, folder)
    material = geometry.material and _textured(geometry.material, robot, folder)
    return replace(geometry, material=material, shape=replace(geometry.shape, parameters=parameters))


def _textured(material: Material, robot: Robot, folder: str | None) -> Material:
    return replace(material, texture=material.texture and _renamed(material.texture, material.source, robot, folder))


def _renamed(name: str, own: Source | None, robot: Robot, folder: str | None) -> str:
    """Return a relative name, from the file of the robot or from the file that has it, as seen from a folder."""
    if "://" in name or os.path.isabs(name) or "$(" in name:
        return name
    near = [_folder(source) for source in (robot.source, own) if source]
    paths = [os.path.normpath(os.path.join(start, name)) for start in near if start]
    path = next((path for path in paths if os.path.isfile(path)), paths[0])
    return seen_from(folder, path) if folder else path


def seen_from(folder: str | Path, path: str | Path) -> str:
    """Return a path relative to a folder, with slashes, or as it is if it is on another drive of Windows."""
    try:
        path = os.path.relpath(path, folder)
    except ValueError:
        return str(path)
    return path.replace(os.sep, "/")


def _folder(source: Source) -> str | None:
    """Return the folder of a file, None for a text."""
    return os.path.dirname(os.path.abspath(source.file)) if os.path.exists(source.file) else None
