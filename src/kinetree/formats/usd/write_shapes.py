"""Shapes as USD text."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from kinetree.formats.usd.usda import Usda, numbers, quoted
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


def write_shape(
    usda: Usda,
    geometry: Geometry,
    name: str,
    is_felt: bool,
    materials: Mapping[str, Material],
    meshes: Mapping[str, Any],
) -> None:
    """Write a shape that is seen, or one that collides, which is drawn as a guide alone."""
    shape, sizes = geometry.shape, geometry.shape.parameters
    kind: Any = {"box": "Cube", "ellipsoid": "Sphere", "inline_mesh": "Mesh"}.get(shape.kind, shape.kind.capitalize())
    scale: Any = sizes.get("size") or sizes.get("radii")
    apis = ["PhysicsCollisionAPI"] if is_felt else []
    apis += ["PhysicsMeshCollisionAPI"] if is_felt and kind == "Mesh" else []
    with usda.prim(kind, name, geometry.name or "", apis):
        if kind == "Mesh":
            vertices, triangles = meshes[str(sizes["mesh"])]
            points = ", ".join(f"({x!r}, {y!r}, {z!r})" for x, y, z in vertices.tolist())
            usda.line(f"point3f[] points = [{points}]")
            usda.line(f"float3[] extent = [{numbers(vertices.min(axis=0))}, {numbers(vertices.max(axis=0))}]")
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
        if look := geometry.material:
            usda.line(f"custom string kinetree:material = {quoted(look.name)}")
            shared = materials.get(look.name) if look.rgba is None else None
            if rgba := shared.rgba if shared else look.rgba:
                usda.line(f"color3f[] primvars:displayColor = [{numbers(rgba[:3])}]")
                usda.line(f"float[] primvars:displayOpacity = [{format_number(rgba[3])}]")
