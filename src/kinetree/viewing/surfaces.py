"""Visual shapes of a robot as triangles, those of meshes and of solids."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kinetree.shapes.mesh import Mesh
from kinetree.spatial.se3 import Array
from kinetree.viewing.packing import Meshes
from kinetree.viewing.scene.robot import inertia
from kinetree.viewing.scene.shapes import Shapes
from kinetree.viewing.solids import solid

BOX = np.array([(x, y, z) for z in (-0.5, 0.5) for y in (-0.5, 0.5) for x in (-0.5, 0.5)])
"""Corners of a cube with edges of 1 m."""
CROSSED = np.array([(i, j) for i in range(8) for j in range(i + 1, 8) if bin(i ^ j).count("1") in (1, 3)])
"""Edges and diagonals of such a cube (16, 2), numbers of its corners."""
BOX_COLOUR = "#d9480f"
ALARM = (0.835, 0.0, 0.0)
"""Colour of links in contact, as on the page."""


@dataclass
class Soups(Meshes):
    """Meshes as triangles (n, 3, 3), which are not packed."""

    triangles: list[Array] = field(default_factory=list)

    def add(self, mesh: Mesh) -> int:
        """Keep the triangles of a mesh, return its number."""
        self.bounds.append(mesh.bounds)
        self.triangles.append(mesh.vertices[mesh.triangles])
        return len(self.triangles) - 1


def surfaces(
    shapes: Shapes, soups: Soups, T: Mapping[str, Array], alarmed: Collection[str] = ()
) -> tuple[Array, Array]:
    """Return the triangles (n, 3, 3), m, of the shapes of a robot and their colours (n, 4), without planes.

    soups: where the shapes have their meshes. T: pose (4, 4) of every link. alarmed: links that are red; those without
    visual shapes have their collision shapes.
    """
    triangles, colours = [np.zeros((0, 3, 3))], [np.zeros((0, 4))]
    for name, visuals in shapes.solids.items():
        for shape in visuals or (shapes.collisions[name] if name in alarmed else ()):
            own = triangles_of(shape, soups)
            pose = T[name] @ np.reshape(shape["T"], (4, 4))
            triangles.append(own @ pose[:3, :3].T + pose[:3, 3])
            rgba = (*ALARM, shape["rgba"][3]) if name in alarmed else shape["rgba"]
            colours.append(np.broadcast_to(rgba, (len(own), 4)))
    return np.concatenate(triangles), np.concatenate(colours)


def triangles_of(shape: Mapping[str, Any], soups: Soups) -> Array:
    """Return the triangles (n, 3, 3) of a shape in its own frame, m; none for a plane."""
    if shape["kind"] == "mesh":
        return np.asarray(soups.triangles[shape["mesh"]] * shape["scale"])
    return solid(shape["kind"], shape["values"])


def crossed_boxes(shapes: Shapes, T: Mapping[str, Array], side: float) -> Array:
    """Return lines (n, 2, 3), m, that stand for shapes that are not shown, as on the page: crossed boxes with edges of
    `side`, one for each link, at its centre of mass if that is known. T: pose (4, 4) of every link."""
    found = [np.zeros((0, 2, 3))]
    for name, missing in shapes.missing.items():
        if missing and name in T:
            place = inertia(shapes.robot.links[name].inertial) or missing[0]
            pose = T[name] @ np.reshape(place["T"], (4, 4))
            found.append((side * BOX @ pose[:3, :3].T + pose[:3, 3])[CROSSED])
    return np.concatenate(found)
