"""Shapes of links as the page reads them, and warnings about those that are not shown."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from kinetree.errors import Finding, KinetreeError
from kinetree.files.opener import Files
from kinetree.model.robot import Geometry, Link, Robot
from kinetree.progress import tracked
from kinetree.shapes.colour import Rgba
from kinetree.shapes.resolve import files_of, path_of
from kinetree.shapes.written import KINDS, written_mesh
from kinetree.spatial.se3 import Array
from kinetree.viewing.scene.meshes import MeshFiles

Shown = dict[str, Any]
GREY: Rgba = (0.75, 0.77, 0.8, 1.0)
"""Colour of a shape without one."""
SIZES: Mapping[str, tuple[str, ...]] = {
    "box": ("size",),
    "sphere": ("radius",),
    "cylinder": ("radius", "length"),
    "capsule": ("radius", "length"),
    "ellipsoid": ("radii",),
    "plane": ("normal", "size"),
}
"""Parameters of shapes that are no meshes, in the order of their numbers in the page."""
LEFT_OUT = " is not shown: "
"""Words between a mesh and why it is left out."""
MISSING = "restore the file, or name the folder of its package with --package NAME=FOLDER or packages="


class Shapes:
    """Shapes of the links of a robot. files: of its meshes, which it may share with other robots.

    missing: for each link the places T of shapes that are not shown, and why.
    """

    def __init__(self, robot: Robot, files: MeshFiles) -> None:
        self.robot, self.files, self.findings = robot, files, dict[str, Finding]()
        self.missing: dict[str, list[Shown]] = {name: [] for name in robot.links}
        self._opener: Files = files_of(robot)
        self._known: dict[tuple[str, str], int] = {}

    @cached_property
    def visuals(self) -> dict[str, list[Shown]]:
        """Return the visual shapes of each link."""
        links = tracked(self.robot.links.items(), "reading shapes")
        return {name: self._all(link, link.visuals) for name, link in links}

    @cached_property
    def collisions(self) -> dict[str, list[Shown]]:
        """Return the collision shapes of each link."""
        return {name: self._all(link, link.collisions) for name, link in self.robot.links.items()}

    @property
    def solids(self) -> dict[str, list[Shown]]:
        """Return the visual shapes of each link, or its collision shapes in grey if no link has visual ones."""
        if any(self.visuals.values()):
            return self.visuals
        return {name: [{**shape, "rgba": list(GREY)} for shape in own] for name, own in self.collisions.items()}

    def _all(self, link: Link, shapes: tuple[Geometry, ...]) -> list[Shown]:
        return [shown for geometry in shapes for shown in self._of(link, geometry)]

    def _of(self, link: Link, geometry: Geometry) -> list[Shown]:
        """Return a shape, or one for each colour of its mesh, or [] with a warning."""
        kind, parameters = geometry.shape.kind, geometry.shape.parameters
        rgba, T = _rgba(self.robot, geometry), np.ravel(geometry.origin).tolist()
        if kind == "mesh" or kind in KINDS:
            scale = np.broadcast_to(parameters.get("scale", 1.0), 3).astype(float).tolist()
            return [
                {"kind": "mesh", "mesh": i, "scale": scale, "T": T, "rgba": list(rgba or own or GREY)}
                for i, own in self._mesh(link, geometry)
            ]
        names = SIZES.get(kind, ())
        values = [float(x) for name in names for x in np.ravel(parameters.get(name, np.nan))]
        if not names or not np.isfinite(values).all():
            self._warn(link, geometry, kind, f"a shape of kind {kind!r} is not shown")
            return []
        return [{"kind": kind, "values": values, "scale": [1.0] * 3, "T": T, "rgba": list(rgba or GREY)}]

    def _mesh(self, link: Link, geometry: Geometry) -> list[tuple[int, Rgba | None]]:
        kind, parameters = geometry.shape.kind, geometry.shape.parameters
        name = str(parameters.get(KINDS.get(kind, "filename"), ""))
        found = False
        try:
            if kind in KINDS:
                return [(self._written(kind, name), None)]
            path = path_of(self.robot, name, geometry.source, self._opener)
            found = True
            return self.files.parts((path, str(parameters.get("submesh", "")), "center" in parameters), self._opener)
        except KinetreeError as error:
            first = error.findings[0]
            why = f"the file {first.message}" if found else first.message
            what = "height field" if kind == "hfield" else "mesh"
            fix = first.fix or (None if kind in KINDS else MISSING)
            self._warn(link, geometry, name, f"the {what} {name!r}{LEFT_OUT}{why}", fix)
            return []

    def _written(self, kind: str, name: str) -> int:
        """Return the number of a mesh that the description has itself."""
        if (kind, name) not in self._known:
            self._known[kind, name] = self.files.packed.add(written_mesh(self.robot, kind, name, self._opener))
        return self._known[kind, name]

    def _warn(self, link: Link, geometry: Geometry, key: str, message: str, fix: str | None = None) -> None:
        source, element = geometry.source or link.source, f"link {link.name!r}"
        self.findings.setdefault(key, Finding("shape-not-shown", "warning", message, source, element, fix))
        one = {"T": np.ravel(geometry.origin).tolist(), "why": message}
        if one not in self.missing[link.name]:  # a visual and a collision shape may have the same file
            self.missing[link.name].append(one)

    def size(self, T_root: Mapping[str, Array]) -> float:
        """Return the longest side of the box around the robot, m; 1 if it has no extent. T_root: poses of its links."""
        points = [T[None, :3, 3] for T in T_root.values()]
        for name, shapes in self.visuals.items():
            for shape in shapes:
                corners = np.array(np.meshgrid(*self._bounds(shape).T)).reshape(3, -1)
                T = T_root[name] @ np.reshape(shape["T"], (4, 4))
                points.append((T[:3, :3] @ corners).T + T[:3, 3])
        return float(np.ptp(np.concatenate(points), axis=0).max()) or 1.0

    def _bounds(self, shape: Shown) -> Array:
        """Return the lowest and the highest corner (2, 3) of a shape in its own axes, m; a plane has none."""
        if shape["kind"] == "mesh":
            return np.asarray(self.files.packed.bounds[shape["mesh"]] * shape["scale"])
        kind, values = shape["kind"], np.array(shape["values"])
        if kind in ("box", "ellipsoid"):
            half = values / (2 if kind == "box" else 1)
        elif kind == "plane":
            half = np.zeros(3)
        else:
            radius = values[0]
            along = {"sphere": radius, "cylinder": values[-1] / 2, "capsule": values[-1] / 2 + radius}[kind]
            half = np.array([radius, radius, along])
        return np.array([-half, half])


def _rgba(robot: Robot, geometry: Geometry) -> Rgba | None:
    """Return the colour that the description gives a shape."""
    material = geometry.material
    if material is not None and material.rgba is None:
        material = robot.materials.get(material.name)
    return material.rgba if material else None
