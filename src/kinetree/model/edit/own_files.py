"""Files of a robot that becomes a part of another."""

import os
from dataclasses import replace

from kinetree.errors import Source
from kinetree.model.assemble import build, parts_of
from kinetree.model.robot import Geometry, Material, Robot


def with_own_files(other: Robot, robot: Robot) -> Robot:
    """Return `other` with whole paths for the meshes and textures that it names relative to its own file, unless
    `robot` is in the same folder."""
    if other.source is None or _folder(other.source) in (None, robot.source and _folder(robot.source)):
        return other
    parts = parts_of(other)
    parts.links = [
        replace(
            link,
            visuals=tuple(_with_own_file(shape, other) for shape in link.visuals),
            collisions=tuple(_with_own_file(shape, other) for shape in link.collisions),
        )
        for link in parts.links
    ]
    parts.materials = [_textured(material, other) for material in parts.materials]
    return build(parts)


def _with_own_file(geometry: Geometry, robot: Robot) -> Geometry:
    parameters = {**geometry.shape.parameters}
    if "filename" in parameters:
        parameters["filename"] = _whole(str(parameters["filename"]), geometry.source, robot)
    material = geometry.material and _textured(geometry.material, robot)
    return replace(geometry, material=material, shape=replace(geometry.shape, parameters=parameters))


def _textured(material: Material, robot: Robot) -> Material:
    return replace(material, texture=material.texture and _whole(material.texture, material.source, robot))


def _whole(name: str, own: Source | None, robot: Robot) -> str:
    """Return the path of a relative name from the file of the robot, or from the file that has it, if it is there."""
    if "://" in name or os.path.isabs(name) or "$(" in name:
        return name
    near = [_folder(source) for source in (robot.source, own) if source]
    paths = [os.path.normpath(os.path.join(folder, name)) for folder in near if folder]
    return next((path for path in paths if os.path.isfile(path)), paths[0])


def _folder(source: Source) -> str | None:
    """Return the folder of a file, None for a text."""
    return os.path.dirname(os.path.abspath(source.file)) if os.path.exists(source.file) else None
