"""Shapes of UsdGeom, and the looks that they are bound to."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.formats.usd.prim import BINDINGS, MAX_CORNERS, Prim, Stage
from kinetree.formats.usd.transforms import Transforms, split
from kinetree.model.robot import Geometry, Material, Shape
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array, frozen

_TO_Z = {"X": se3.rotation((0.0, 1.0, 0.0), np.pi / 2), "Y": se3.rotation((1.0, 0.0, 0.0), -np.pi / 2), "Z": np.eye(3)}
"""Rotations that bring z to an axis."""
_SIZES = {"Cylinder": (2.0, 1.0), "Capsule": (1.0, 0.5), "Cone": (2.0, 1.0)}
"""Heights and radii that the schemas assume."""


Surface = tuple[Array, NDArray[np.int64]]
"""Points (n, 3) of a mesh in its own frame, m, and triangles (m, 3)."""


def geometry_of(
    stage: Stage, transforms: Transforms, prim: Prim, T_link: Array
) -> tuple[Geometry, Surface | None] | None:
    """Return the shape of a prim, and the points of a mesh; None with a finding. T_link: pose of its link, m."""
    T = transforms.world(prim)
    _, scales, whole = split(T)
    if not whole:
        message = "its transform shears it, or is not finite; the shape is left out"
        stage.note("warning", "usd-shape", message, prim, "put the scale onto the shape itself, below all rotations")
        return None
    T_link_shape = se3.inverse(T_link) @ transforms.pose(T)
    size = scales * stage.metres
    surface = None
    if prim.type == "Mesh":
        surface = _surface(stage, prim, size)
        shape = Shape("inline_mesh", {"mesh": prim.path})
    else:
        shape, R = _solid(prim, np.abs(size))
        T_link_shape = T_link_shape @ se3.homogeneous(R, np.zeros(3))
        if not all(np.isfinite(value).all() for value in shape.parameters.values() if not isinstance(value, str)):
            stage.note("warning", "usd-shape", "its size is not finite; the shape is left out", prim)
            return None
    if shape.kind == "?" or (prim.type == "Mesh" and surface is None):
        what = "it is scaled to a shape that is no longer round"
        if prim.type == "Mesh":
            many = f"all meshes have more than {MAX_CORNERS} corners"
            what = many if stage.corners > MAX_CORNERS else "its points and faces are no mesh"
        stage.note("warning", "usd-shape", f"{what}; the shape is left out", prim)
        return None
    name = prim.title or prim.path.rpartition("/")[2]
    name = name if not name.startswith(("visual_", "collision_")) else ""
    look = _look(stage, prim)
    return Geometry(shape, frozen(T_link_shape), name or None, look, source=stage.source(prim)), surface


def _solid(prim: Prim, size: Array) -> tuple[Shape, Array]:
    """Return the shape of a prim that is not a mesh, and its rotation; the kind "?" for one that is no longer round.

    size (3,): metres in a unit along its axes.
    """
    if prim.type == "Cube":
        return Shape("box", {"size": _floats(prim.number("size", 2.0) * size)}), np.eye(3)
    if prim.type == "Sphere":
        radii = prim.number("radius", 1.0) * size
        if np.ptp(size) < 1e-6 * size.max():
            return Shape("sphere", {"radius": float(radii[0])}), np.eye(3)
        return Shape("ellipsoid", {"radii": _floats(radii)}), np.eye(3)
    axis = prim.word("axis", "Z")
    along = "XYZ".find(axis) if len(axis) == 1 else -1
    across = np.delete(size, along)
    if along < 0 or np.ptp(across) > 1e-6 * across.max():
        return Shape("?", {}), np.eye(3)
    if prim.type == "Plane":
        normal = _floats(np.eye(3)[along])
        sides = (prim.number("width", 2.0), prim.number("length", 2.0))
        return Shape("plane", {"normal": normal, "size": _floats(np.array(sides) * across)}), np.eye(3)
    height, radius = map(prim.number, ("height", "radius"), _SIZES[prim.type])
    if prim.type == "Capsule" and abs(size[along] - across[0]) > 1e-6 * across[0]:
        return Shape("?", {}), np.eye(3)
    sizes = {"radius": float(radius * across[0]), "length": float(height * size[along])}
    return Shape(prim.type.lower(), sizes), _TO_Z[axis]


def _floats(values: Any) -> tuple[float, ...]:
    return tuple(map(float, values))


def _surface(stage: Stage, prim: Prim, size: Array) -> Surface | None:
    """Return the points and triangles of a mesh: faces with more corners become fans; None if they make no mesh."""
    get: Any = prim.values.get
    points, counts, corners = get("points"), get("faceVertexCounts"), get("faceVertexIndices")
    if not all(isinstance(one, np.ndarray) and np.isfinite(one).all() for one in (points, counts, corners)):
        return None
    stage.corners += corners.size
    if stage.corners > MAX_CORNERS:
        return None
    sizes, at = counts.astype(np.int64), corners.astype(np.int64)
    if points.size % 3 or sizes.min() < 0 or sizes.sum() != at.size or at.min() < 0 or at.max() >= points.size // 3:
        return None
    many = np.maximum(sizes - 2, 0)  # triangles of each face
    first = np.repeat(np.cumsum(sizes) - sizes, many)
    fans = np.arange(1, many.sum() + 1) - np.repeat(np.cumsum(many) - many, many)
    triangles = np.stack([at[first], at[first + fans], at[first + fans + 1]], axis=1)
    if (prim.word("orientation", "rightHanded") == "leftHanded") != bool(size[0] < 0):
        triangles = triangles[:, ::-1]
    return points.reshape(-1, 3) * size, triangles


def mesh_text(name: str, surface: Surface) -> str:
    """Return a mesh as the element of MJCF, which other writers and readers of shapes know."""
    quoted = name.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    points, faces = (" ".join(" ".join(map(repr, row)) for row in array.tolist()) for array in surface)
    return f'<asset><mesh name="{quoted}" vertex="{points}" face="{faces}"/></asset>'


def is_felt(prim: Prim) -> bool:
    """Return whether a shape collides."""
    return prim.has("PhysicsCollisionAPI", "NewtonCollisionAPI") and prim.flag("physics:collisionEnabled", True)


def is_seen(prim: Prim) -> bool:
    """Return whether a shape is drawn: its purpose, or that of the nearest prim above that has one, is no helper's."""
    purpose = next((one.word("purpose", "") for one in prim.above() if "purpose" in one.values), "default")
    hidden = any(one.word("visibility", "inherited") == "invisible" for one in prim.above())
    return purpose in ("default", "render") and not hidden


def bound(stage: Stage, prim: Prim, binding: str) -> Prim | None:
    """Return the material to which a prim, or the nearest one above it, is bound."""
    paths = next((one.targets[binding] for one in prim.above() if one.targets.get(binding)), ())
    return stage.prims.get(paths[0]) if paths else None


def _look(stage: Stage, prim: Prim) -> Material | None:
    """Return the look of a shape: the colour of the surface of its material, or of its points."""
    look = bound(stage, prim, BINDINGS[0])
    shader = next((one for one in look.walk() if "inputs:diffuseColor" in one.values), None) if look else None
    colour, seen = prim.numbers("primvars:displayColor", 3), prim.numbers("primvars:displayOpacity", 1)
    opacity = 1.0 if seen is None else float(seen[0])
    name = prim.word("kinetree:material", "")
    if look and shader:
        name, colour = look.title or look.path.rpartition("/")[2], shader.numbers("inputs:diffuseColor", 3)
        opacity = shader.number("inputs:opacity", 1.0)
    if colour is None or not np.isfinite([*colour, opacity]).all():
        return Material(name, source=stage.source(prim)) if name else None
    r, g, b, a = (float(min(max(x, 0.0), 1.0)) for x in (*colour, opacity))
    return Material(name, (r, g, b, a), source=stage.source(prim))
