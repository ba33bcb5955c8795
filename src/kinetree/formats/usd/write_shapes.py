"""Shapes and looks as USD text."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from kinetree.formats.usd.usda import Usda, numbers
from kinetree.formats.usd.write_names import Names
from kinetree.model.edit.extensions import kept_elements
from kinetree.model.robot import Geometry, Material, Robot
from kinetree.spatial.se3 import Array
from kinetree.syntax.numbers import format_number, numbers as numbers_in

SHAPES = ("box", "sphere", "ellipsoid", "cylinder", "capsule", "cone")
"""Kinds of shapes that USD has, besides meshes whose points are known."""


def meshes_of(robot: Robot) -> dict[str, tuple[Array, Array]]:
    """Return points (n, 3) and triangles (m, 3) by name of the meshes that the robot carries with it."""
    found = {}
    for _, asset in kept_elements(robot.extensions, "mjcf", "asset"):
        for mesh in asset.find_all("mesh"):
            vertices, faces = (np.array(numbers_in(mesh.get(name) or "") or []) for name in ("vertex", "face"))
            plain = {*mesh.attributes} <= {"name", "vertex", "face"}
            if plain and vertices.size and faces.size and vertices.size % 3 == faces.size % 3 == 0:
                found[mesh.get("name") or ""] = vertices.reshape(-1, 3), faces.reshape(-1, 3).astype(int)
    return found


class Looks:
    """Materials, each a prim in the scope of the robot or of a link."""

    def __init__(self, usda: Usda, path: str, materials: Mapping[str, Material]) -> None:
        self.usda = usda
        self.shared = self._scope(path, materials.values())
        self.known = dict(materials)
        self.here: dict[Material, str] = {}

    def inside(self, path: str, name: str, materials: Iterable[Material | None]) -> None:
        """Write the materials of a link that are not those of the robot."""
        own = [one for one in materials if one and not self._is_shared(one)]
        self.here = self._scope(f"{path}/{name}", dict.fromkeys(own))

    def path(self, material: Material) -> str:
        """Return the path of a material."""
        return self.here[material] if material in self.here else self.shared[self.known[material.name]]

    def _is_shared(self, material: Material) -> bool:
        known = self.known.get(material.name)
        look = (material.rgba, material.texture)
        return known is not None and look in ((None, None), (known.rgba, known.texture))

    def _scope(self, path: str, materials: Iterable[Material]) -> dict[Material, str]:
        usda, names, found = self.usda, Names(), dict[Material, str]()
        materials = [*materials]
        if not materials:
            return found
        with usda.prim("Scope", path.rpartition("/")[2]):
            for one in materials:
                name = names(one.name)
                found[one] = f"{path}/{name}"
                with usda.prim("Material", name, one.name):
                    if one.rgba:
                        usda.line(f"token outputs:surface.connect = <{path}/{name}/Shader.outputs:surface>")
                        with usda.prim("Shader", "Shader"):
                            usda.line('uniform token info:id = "UsdPreviewSurface"')
                            usda.line(f"color3f inputs:diffuseColor = {numbers(one.rgba[:3])}")
                            usda.line(f"float inputs:opacity = {format_number(one.rgba[3])}")
                            usda.line("token outputs:surface")
        return found


def write_shape(
    usda: Usda, geometry: Geometry, name: str, is_felt: bool, looks: Looks, meshes: Mapping[str, Any]
) -> None:
    """Write a shape that is seen, or one that collides, which is drawn as a guide alone."""
    shape, sizes = geometry.shape, geometry.shape.parameters
    kind: Any = {"box": "Cube", "ellipsoid": "Sphere", "inline_mesh": "Mesh"}.get(shape.kind, shape.kind.capitalize())
    scale: Any = sizes.get("size") or sizes.get("radii")
    apis = ["PhysicsCollisionAPI"] if is_felt else []
    apis += ["PhysicsMeshCollisionAPI"] if is_felt and kind == "Mesh" else []
    apis += ["MaterialBindingAPI"] if geometry.material else []
    with usda.prim(kind, name, geometry.name or "", apis):
        if kind == "Mesh":
            vertices, triangles = meshes[str(sizes["mesh"])]
            points = ", ".join(numbers(point) for point in vertices)
            usda.line(f"point3f[] points = [{points}]")
            usda.line(f"int[] faceVertexCounts = [{', '.join(['3'] * len(triangles))}]")
            usda.line(f"int[] faceVertexIndices = [{', '.join(map(str, triangles.ravel().tolist()))}]")
            usda.line('uniform token subdivisionScheme = "none"')
            if is_felt:
                usda.line('uniform token physics:approximation = "convexHull"')
        elif scale:
            usda.line("double size = 1" if kind == "Cube" else "double radius = 1")
        else:
            radius: Any = sizes["radius"]
            usda.line(f"double radius = {format_number(radius)}")
            if kind != "Sphere":
                length: Any = sizes["length"]
                usda.line(f"double height = {format_number(length)}")
                usda.line('uniform token axis = "Z"')
        usda.pose(geometry.origin, scale)
        if is_felt:
            usda.line('uniform token purpose = "guide"')
        if geometry.material:
            usda.line(f"rel material:binding = <{looks.path(geometry.material)}>")
