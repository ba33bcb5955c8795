"""The shapes of links that can be in contact, as solids: primitives, convex hulls, meshes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kinetree.compiler.cache import digest
from kinetree.errors import Finding, KinetreeError, fail, unknown_name
from kinetree.files.opener import Files, read_file
from kinetree.model.robot import Geometry, Link, Robot
from kinetree.shapes.mesh import Mesh
from kinetree.shapes.read import read_mesh
from kinetree.shapes.resolve import companions, files_of, path_of
from kinetree.shapes.written import KINDS, written_mesh
from kinetree.spatial.se3 import Array

GeometryOf = Literal["mesh", "hull"]
ROUND = ("sphere", "cylinder", "capsule", "ellipsoid")
PRIMITIVES = (*ROUND, "box", "plane")
SIZES = {"sphere": ("radius",), "box": ("size",), "ellipsoid": ("radii",), "plane": ()}


@dataclass(frozen=True, eq=False)
class Solid:
    """A shape of a link as contact takes it.

    kind: that of a primitive, "hull" or "mesh". sizes: of a primitive, m, as `kinetree.model.link.Shape` has them.
    T: T_link_solid (4, 4). mesh: of a hull its surface, around its middle, m. name: for messages.
    """

    link: str
    kind: str
    sizes: tuple[float, ...]
    T: Array
    name: str
    mesh: Mesh | None = None

    @cached_property
    def key(self) -> str:
        """A digest of everything but the pose and the name."""
        parts = [self.kind, repr(self.sizes)]
        arrays = (self.mesh.vertices, self.mesh.triangles) if self.mesh else ()
        return digest(*parts, *(np.ascontiguousarray(a).tobytes() for a in arrays))

    @cached_property
    def surface(self) -> Mesh:
        """Triangles in the frame of the solid that enclose it: those of a mesh, or of a polyhedron."""
        if self.mesh is not None:
            return self.mesh
        return hull_of(_around(self.kind, np.array(self.sizes)), self.name)

    @property
    def excess(self) -> float:
        """How far `surface` lies outside of the solid at most, m."""
        if self.kind in ROUND:
            return float(
                max(self.sizes if self.kind == "ellipsoid" else self.sizes[:1]) * (_most_around(self.kind) - 1.0)
            )
        return 0.0

    @property
    def closed(self) -> bool:
        """Whether it has an inside."""
        return self.kind != "mesh" or self.surface.closed


def solids_of(robot: Robot, geometry: GeometryOf, without: frozenset[str] = frozenset()) -> dict[str, list[Solid]]:
    """Return the solids of every link with collision shapes, in the order of the links.

    without: links whose shapes are left out where they cannot be read. Raises KinetreeError for all others of these.
    """
    found: dict[str, list[Solid]] = {}
    faults: list[Finding] = []
    meshes: dict[object, tuple[Mesh, Array]] = {}
    files = files_of(robot)
    for link in robot.links.values():
        for shape in link.collisions:
            try:
                solid = _solid(robot, link, shape, geometry, meshes, files)
                found.setdefault(link.name, []).append(solid)
            except KinetreeError as error:
                if link.name not in without:
                    faults += [_of_link(link, shape, finding) for finding in error.findings]
    if faults:
        raise KinetreeError(faults)
    return found


def links_named(robot: Robot, argument: str, names: Collection[str]) -> list[str]:
    """Return names of links that an argument has. Raises KinetreeError for others."""
    if isinstance(names, str):
        raise fail("link-names", f"{argument} is {names!r}; expected several names of links, as in ({names!r},)")
    for name in names:
        if name not in robot.links:
            raise unknown_name("link", name, list(robot.links))
    return list(names)


def _of_link(link: Link, shape: Geometry, finding: Finding) -> Finding:
    message = f"its collision shape cannot be used: {finding.message}"
    fix = finding.fix or "mend the shape, or leave the link out: without=(name,), or --skip name"
    return Finding("contact-shape", "error", message, shape.source or link.source, f"link {link.name!r}", fix)


def _solid(
    robot: Robot,
    link: Link,
    shape: Geometry,
    geometry: GeometryOf,
    known: dict[object, tuple[Mesh, Array]],
    files: Files,
) -> Solid:
    kind, parameters = shape.shape.kind, shape.shape.parameters
    name = shape.name or f"a {kind} of {link.name}"
    if kind in PRIMITIVES:
        sizes = _sizes(kind, parameters)
        if not all(np.isfinite(sizes)) or not all(size > 0 for size in sizes):
            raise KinetreeError(Finding("contact-shape", "error", f"sizes are {sizes}; expected numbers above 0"))
        return Solid(link.name, kind, sizes, _placed(shape, parameters), name)
    scale, geometry = np.array(parameters.get("scale", (1.0, 1.0, 1.0)), dtype=float), _taken(kind, geometry)
    reference, part = (str(parameters.get(key, "")) for key in ("filename", "submesh"))
    key = (str(shape.source and shape.source.file), kind, repr(sorted(parameters.items())), geometry)
    if key not in known:
        if kind in KINDS:
            mesh = written_mesh(robot, kind, str(parameters[KINDS[kind]]), files)
        elif kind == "mesh":
            path = path_of(robot, reference, shape.source, files)
            mesh = read_mesh(read_file(path), str(path), companions(path, files), part)
        else:
            raise KinetreeError(Finding("contact-shape", "error", f"a shape of kind {kind!r} has no known extent"))
        vertices = mesh.vertices - (mesh.bounds.mean(axis=0) if "center" in parameters else 0.0)
        triangles = mesh.triangles if np.prod(scale) > 0 else mesh.triangles[:, ::-1]
        mesh = Mesh(vertices * scale, triangles).merged
        mesh = hull_of(mesh.vertices, name) if geometry == "hull" else mesh
        middle = mesh.bounds.mean(axis=0)
        known[key] = Mesh(mesh.vertices - middle, mesh.triangles), middle
    mesh, middle = known[key]
    T = shape.origin.copy()
    T[:3, 3] += T[:3, :3] @ middle
    return Solid(link.name, geometry, (), T, name, mesh)


def _taken(kind: str, geometry: GeometryOf) -> GeometryOf:
    """Return how a shape is taken: height fields as they are, in MuJoCo too."""
    return "mesh" if kind == "hfield" else geometry


def _sizes(kind: str, parameters: Mapping[str, float | str | tuple[float, ...]]) -> tuple[float, ...]:
    values = [parameters[key] for key in SIZES.get(kind, ("radius", "length"))]
    return tuple(float(x) for value in values for x in np.ravel(np.asarray(value, dtype=float)))


def _placed(shape: Geometry, parameters: Mapping[str, float | str | tuple[float, ...]]) -> Array:
    """Return T_link_solid; a plane's solid lies below the plane of x and y."""
    if shape.shape.kind != "plane":
        return shape.origin
    z = np.array(parameters.get("normal", (0.0, 0.0, 1.0)), dtype=float)
    z = z / np.linalg.norm(z)
    x = np.cross(np.eye(3)[np.abs(z).argmin()], z)
    x = x / np.linalg.norm(x)
    T = np.eye(4)
    T[:3, :3] = np.column_stack([x, np.cross(z, x), z])
    return np.asarray(shape.origin @ T)


def hull_of(points: Array, name: str) -> Mesh:
    """Return the convex hull of points (n, 3), with faces that point outwards. Raises KinetreeError if it is flat."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        hull = ConvexHull(points)
    except QhullError:
        message = f"the convex hull of {name} has no volume"
        raise KinetreeError(Finding("contact-shape", "error", message, fix='choose geometry="mesh"')) from None
    used = hull.vertices
    numbers = np.zeros(len(points), dtype=np.int64)
    numbers[used] = np.arange(len(used))
    triangles: NDArray[np.int64] = numbers[hull.simplices]
    corners = points[used][triangles]
    outwards = np.einsum(
        "ij,ij->i", np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), hull.equations[:, :3]
    )
    triangles[outwards < 0] = triangles[outwards < 0, ::-1]
    return Mesh(points[used], triangles)


AROUND = 24
"""Sides of the polyhedron around a round solid."""


def _around(kind: str, sizes: Array) -> Array:
    """Return points whose hull contains a primitive, in its own frame."""
    turn = 2 * np.pi * (np.arange(AROUND) + 0.5) / AROUND
    wide = 1.0 / np.cos(np.pi / AROUND)  # corners of a polygon around the unit circle
    circle = wide * np.column_stack([np.cos(turn), np.sin(turn)])
    if kind == "box":
        return np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]) * sizes
    if kind == "cylinder":
        return np.array([(*(sizes[0] * p), s * sizes[1] / 2) for p in circle for s in (-1, 1)])
    ball = _ball()
    if kind == "capsule":
        half = np.array([0.0, 0.0, sizes[1] / 2])
        return np.concatenate([sizes[0] * ball + half, sizes[0] * ball - half])
    return ball * sizes


def _ball() -> Array:
    """Return the corners of a polyhedron around the unit sphere."""
    rows = AROUND // 2
    heights = np.pi * (np.arange(rows + 1)) / rows
    turn = 2 * np.pi * np.arange(AROUND) / AROUND
    points = [(np.sin(a) * np.cos(b), np.sin(a) * np.sin(b), np.cos(a)) for a in heights for b in turn]
    from scipy.spatial import ConvexHull

    unit = np.unique(np.round(np.array(points), 15), axis=0)
    least = -ConvexHull(unit).equations[:, 3].max()  # distance of the nearest face
    return np.asarray(unit / least)


def _most_around(kind: str) -> float:
    """Return how far from the middle a polyhedron around a circle or sphere of radius 1 reaches."""
    return float(1.0 / np.cos(np.pi / AROUND) if kind == "cylinder" else np.linalg.norm(_ball(), axis=1).max())
