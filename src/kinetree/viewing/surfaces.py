"""Visual shapes of a robot as triangles in its root link."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kinetree.algorithms.kinematics import forward_kinematics
from kinetree.errors import Finding, KinetreeError, Source
from kinetree.formats.opener import read_file
from kinetree.model.robot import Geometry, Robot, Shape
from kinetree.queries.query import tree
from kinetree.shapes.read import read_mesh
from kinetree.shapes.resolve import companions, files_of, path_of
from kinetree.spatial.se3 import Array
from kinetree.viewing.projection import check_finite
from kinetree.viewing.solids import solid

GREY = (0.76, 0.78, 0.82, 1.0)
"""Colour of shapes that have none."""

Reader = Callable[[Shape, Source | None], Array]
"""Function from a mesh, and the place of its reference, to its triangles (n, 3, 3) in the axes of the shape, m."""


@dataclass(frozen=True, slots=True, eq=False)
class Surfaces:
    """Triangles (n, 3, 3), m, in the root link, their colours (n, 4), and findings about shapes that are missing."""

    triangles: Array
    colours: Array
    findings: tuple[Finding, ...]


def poses(robot: Robot, q: Array, frames: list[str]) -> dict[str, Array]:
    """Return T_root_frame (4, 4) of frames. Raises KinetreeError for poses that are not finite."""
    with np.errstate(all="ignore"):
        T = forward_kinematics(tree(robot), q, frames) if frames else []
    check_finite(T)
    return dict(zip(frames, T, strict=True))


def surfaces(robot: Robot, q: Array) -> Surfaces:
    """Return the visual shapes of a robot at q (nq,), all but planes and kinds that are unknown. A mesh that cannot be
    read is a finding."""
    T = poses(robot, q, [link.name for link in robot.links.values() if link.visuals])
    colour, read = _colours(robot), reader(robot)
    triangles, colours, findings = [np.zeros((0, 3, 3))], [np.zeros((0, 4))], dict[str, Finding]()
    for name, pose in T.items():
        for visual in robot.links[name].visuals:
            try:
                own = read(visual.shape, visual.source) if visual.shape.kind == "mesh" else solid(visual.shape)
            except KinetreeError as error:
                finding = missing(visual, name, error)
                findings.setdefault(finding.message, finding)
                continue
            if own is not None:
                world = pose @ visual.origin
                triangles.append(own @ world[:3, :3].T + world[:3, 3])
                colours.append(np.broadcast_to(colour(visual), (len(own), 4)))
    return Surfaces(np.concatenate(triangles), np.concatenate(colours), tuple(findings.values()))


def missing(geometry: Geometry, link: str, error: KinetreeError) -> Finding:
    """Return the finding about a mesh that cannot be shown."""
    first = error.findings[0]
    name = _name(geometry.shape)
    why = f"it {first.message}" if first.source else first.message  # of a reader of the file
    message = f"the mesh {name!r} cannot be shown: {why}"
    return Finding("missing-mesh", "warning", message, geometry.source, f"link {link!r}", first.fix)


def reader(robot: Robot) -> Reader:
    """Return a function that reads the meshes of a robot, each once."""
    files = files_of(robot)
    known: dict[tuple[Path, str], Array | KinetreeError] = {}

    def read(shape: Shape, source: Source | None) -> Array:
        path, part = path_of(robot, _name(shape), source, files), str(shape.parameters.get("submesh", ""))
        if (path, part) not in known:
            try:
                mesh = read_mesh(read_file(path), str(path), companions(path, files), part)
                known[path, part] = mesh.vertices[mesh.triangles]
            except KinetreeError as error:
                known[path, part] = error
        triangles = known[path, part]
        if isinstance(triangles, KinetreeError):
            raise triangles
        if "center" in shape.parameters:
            ends = triangles.reshape(-1, 3)
            triangles = triangles - (ends.min(axis=0) + ends.max(axis=0)) / 2.0
        return np.asarray(triangles * np.asarray(shape.parameters.get("scale", 1.0)))

    return read


def _name(shape: Shape) -> str:
    return str(shape.parameters["filename"])


def _colours(robot: Robot) -> Callable[[Geometry], tuple[float, ...]]:
    """Return the function from a shape to its rgba, with colours that are defined elsewhere in the robot."""
    used = [visual.material for link in robot.links.values() for visual in link.visuals if visual.material]
    known = {material.name: material.rgba for material in (*used, *robot.materials.values()) if material.rgba}

    def colour(visual: Geometry) -> tuple[float, ...]:
        own = visual.material
        return (own.rgba or known.get(own.name) or GREY) if own else GREY

    return colour
