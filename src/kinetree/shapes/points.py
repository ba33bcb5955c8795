"""Meshes of files as points that a robot carries with it, for formats whose files have them."""

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

from kinetree.errors import KinetreeError
from kinetree.files.opener import read_file
from kinetree.formats.usd.shapes import mesh_text
from kinetree.model.assemble import build, parts_of
from kinetree.model.link import with_shapes
from kinetree.model.robot import Extension, Geometry, Robot, Shape
from kinetree.shapes.read import read_mesh
from kinetree.shapes.resolve import companions, files_of, path_of


def with_points(robot: Robot, without: Collection[str] = ()) -> Robot:
    """Return the robot with the points of its meshes in place of their files, each once for equal scales.

    without: parts that are left out. Raises KinetreeError with every mesh that cannot be read.
    """
    parts, files = parts_of(robot), files_of(robot)
    names: dict[tuple[object, ...], str] = {}
    faults: dict[tuple[object, ...], KinetreeError] = {}

    def points(geometry: Geometry) -> Geometry:
        parameters: Any = geometry.shape.parameters
        if geometry.shape.kind != "mesh" or "submesh" in parameters:
            return geometry
        file, scale = parameters["filename"], tuple(parameters.get("scale", (1.0, 1.0, 1.0)))
        if (file, scale) not in names | faults:
            try:
                path = path_of(robot, file, geometry.source, files)
                mesh = read_mesh(read_file(path), str(path), companions(path, files)).merged
            except KinetreeError as error:
                faults[file, scale] = error
                return geometry
            mirrored = scale[0] * scale[1] * scale[2] < 0
            triangles = mesh.triangles[:, ::-1] if mirrored else mesh.triangles
            name = f"{Path(file).stem}_{len(names)}"
            names[file, scale] = name
            text = mesh_text(name, (mesh.vertices * scale, triangles))
            parts.extensions.append(Extension("mjcf", "asset", text, geometry.source))
        known = names.get((file, scale))
        return replace(geometry, shape=Shape("inline_mesh", {"mesh": known})) if known else geometry

    if "geometry" not in without:
        parts.links = [with_shapes(link, points) for link in parts.links]
    if faults:
        raise KinetreeError([finding for error in faults.values() for finding in error.findings])
    return build(parts) if names else robot
