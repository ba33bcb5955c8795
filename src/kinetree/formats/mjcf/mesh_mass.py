"""Mass and inertia of meshes by the rules of MuJoCo's compiler, and the primitives that it fits to meshes."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinetree.spatial import se3
from kinetree.spatial.se3 import Array, frozen

RULES = ("convex", "exact", "legacy", "shell")
"""Values of inertia=… of a mesh: of its convex hull, of the closed surface, of pyramids all counted as positive, of a
thin shell."""
MINIMUM = 1e-15  # MuJoCo's least volume in m³, or area in m²
Triangles = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Content:
    """What a mesh contains.

    amount: its volume in m³, of a shell its area in m². moments (3,): of 1 kg in kg m², the largest first. T (4, 4):
    its centre of mass and principal axes in the axes of the geom. bounds (2, 3): lowest and highest corner in those.
    """

    amount: float
    moments: Array
    T: Array
    bounds: Array


def content_of(vertices: Array, triangles: Triangles, rule: str, most: int | None = None) -> Content:
    """Return the content of a mesh by one of RULES. vertices (n, 3) in m; triangles (m, 3), counterclockwise from
    outside; without them its convex hull is the mesh. most: the most vertices of a convex hull.

    Raises ValueError for a mesh that MuJoCo refuses.
    """
    if len(vertices) < 4:
        raise ValueError(f"it has {len(vertices)} vertices; expected at least 4")
    if rule == "convex" or not len(triangles):
        hull = _hull(vertices, most)
        triangles = triangles if len(triangles) else hull
    if rule == "exact" and not _is_oriented(vertices, triangles):
        raise ValueError("its faces do not all turn the same way, which inertia='exact' needs")
    corners = vertices[triangles]
    across = np.linalg.norm(_normals(corners), axis=1)
    middle = corners.mean(axis=1)
    if across.sum() / 2 < MINIMUM:
        raise ValueError("it has no area")
    centroid = across @ middle / across.sum()
    counted = vertices[hull] if rule == "convex" else corners
    weights, middle = _weights(counted - centroid, rule), counted.mean(axis=1)
    if weights.sum() < MINIMUM:
        raise ValueError(f"its volume is {weights.sum():.3g} m³, which is not positive")
    com = weights @ (0.75 * middle + 0.25 * centroid) / weights.sum()
    counted = counted - com
    weights = _weights(counted, rule)
    points = np.concatenate([*np.moveaxis(counted, 1, 0), counted.sum(axis=1)])
    products = (points.T * np.tile(weights / (12 if rule == "shell" else 20), 4)) @ points
    values, axes = np.linalg.eigh(np.trace(products) * np.eye(3) - products)
    moments, axes = values[::-1], axes[:, ::-1]
    if not 0 < moments[0] <= (moments[1] + moments[2]) * (1 + 1e-6) + 1e-9:
        raise ValueError("its moments of inertia are those of no body")
    axes = axes * np.sign(np.linalg.det(axes))
    own = (vertices - com) @ axes
    bounds = np.array((own.min(axis=0), own.max(axis=0)))
    return Content(float(weights.sum()), moments / weights.sum(), frozen(se3.homogeneous(axes, com)), bounds)


def _normals(corners: Array) -> Array:
    """Return the normals (m, 3) of triangles (m, 3, 3), as long as twice their areas."""
    return np.asarray(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]))


def _weights(corners: Array, rule: str) -> Array:
    """Return the volume of the pyramid from the origin to each triangle, or its area."""
    normals = _normals(corners)
    if rule == "shell":
        return np.asarray(np.linalg.norm(normals, axis=1) / 2)
    volumes = np.einsum("ij,ij->i", corners.mean(axis=1), normals) / 6
    return np.asarray(np.abs(volumes) if rule == "legacy" else volumes)


def _hull(vertices: Array, most: int | None) -> Triangles:
    """Return the triangles of the convex hull, counterclockwise from outside."""
    from scipy.spatial import ConvexHull, QhullError  # takes a while, and few files need it

    try:
        hull = ConvexHull(vertices, qhull_options="Qt" if most is None else f"Qt Q9 TA{most - 4}")
    except QhullError:
        raise ValueError("its vertices lie in a plane, so that it has no convex hull") from None
    triangles: Triangles = hull.simplices.astype(np.int64)
    inwards = np.einsum("ij,ij->i", _normals(vertices[triangles]), hull.equations[:, :3]) < 0
    triangles[inwards] = triangles[inwards][:, ::-1]
    return triangles


def _is_oriented(vertices: Array, triangles: Triangles) -> bool:
    """Return whether no edge occurs twice in one direction. Triangles without area do not count."""
    _, numbers = np.unique(vertices, axis=0, return_inverse=True)
    triangles = numbers.reshape(-1)[triangles[np.linalg.norm(_normals(vertices[triangles]), axis=1) / 2 > MINIMUM**0.5]]
    edges = np.concatenate([triangles[:, k] * len(vertices) + triangles[:, (k + 1) % 3] for k in range(3)])
    return len(np.unique(edges)) == len(edges)


def fitted(kind: str, content: Content, to_bounds: bool) -> tuple[list[float], Array]:
    """Return the half sizes of a primitive that MuJoCo fits to a mesh, before fitscale, and T_mesh_primitive (4, 4).

    to_bounds: whether it is fitted to the bounds (fitaabb) in place of the box with the same moments of inertia.
    """
    if to_bounds:
        x, y, z = half = (content.bounds[1] - content.bounds[0]) / 2
        T = content.T @ se3.translation(content.bounds.mean(axis=0))
        radius, length = max(x, y), z - max(x, y) if kind == "capsule" else z
        size = {"sphere": [half.max(), 0.0, 0.0]}
    else:
        a, b, c = content.moments
        x, y, z = np.sqrt(np.maximum(1.5 * np.array((b + c - a, a + c - b, a + b - c)), 0.0))
        T, radius = content.T, (x + y) / 2
        length = max(0.0, z - radius / 2) if kind == "capsule" else z
        size = {"sphere": [(x + y + z) / 3, 0.0, 0.0]}
    size |= {"capsule": [radius, length, 0.0], "cylinder": [radius, length, 0.0]}
    return [float(value) for value in size.get(kind, [x, y, z])], frozen(T)
