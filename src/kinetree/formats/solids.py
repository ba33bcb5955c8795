"""Masses of solid bodies from their shapes, and the inertial of several together."""

from collections.abc import Callable, Iterable, Mapping
from math import pi
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinetree.model.robot import Inertial, Shape
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array, frozen

Solid = tuple[float, float, Array]
"""A solid of uniform density: volume, m³; z of its centre, m; mean of x², y² and z² about the centre (3,), m²."""


def box(x: float, y: float, z: float) -> Solid:
    """Return the solid of a box. x, y, z: its sides."""
    return x * y * z, 0.0, np.array((x * x, y * y, z * z)) / 12


def ellipsoid(x: float, y: float, z: float) -> Solid:
    """Return the solid of an ellipsoid. x, y, z: its radii."""
    return 4 / 3 * pi * x * y * z, 0.0, np.array((x * x, y * y, z * z)) / 5


def cylinder(r: float, h: float) -> Solid:
    """Return the solid of a cylinder along z. r, h: its radius and length."""
    return pi * r * r * h, 0.0, np.array((r * r / 4, r * r / 4, h * h / 12))


def cone(r: float, h: float) -> Solid:
    """Return the solid of a cone with its base at -h/2: its centre is a quarter of its length above that."""
    return pi * r * r * h / 3, -h / 4, np.array((3 / 20 * r * r, 3 / 20 * r * r, 3 / 80 * h * h))


def capsule(r: float, h: float) -> Solid:
    """Return the solid of a cylinder and two half balls; the mean of z² in these is (h/2)² + 3/8 r h + r²/5."""
    rod, ball = pi * r * r * h, 4 / 3 * pi * r**3
    squares = rod * np.array((r * r / 4, r * r / 4, h * h / 12))
    squares += ball * np.array((r * r / 5, r * r / 5, h * h / 4 + 3 / 8 * r * h + r * r / 5))
    return rod + ball, 0.0, squares / (rod + ball or 1.0)


SOLIDS: Mapping[str, Callable[[Any], Solid]] = {
    "box": lambda p: box(*p["size"]),
    "sphere": lambda p: ellipsoid(*(p["radius"],) * 3),
    "ellipsoid": lambda p: ellipsoid(*p["radii"]),
    "cylinder": lambda p: cylinder(p["radius"], p["length"]),
    "cone": lambda p: cone(p["radius"], p["length"]),
    "capsule": lambda p: capsule(p["radius"], p["length"]),
}
"""Solid of each kind of shape that has one, from the parameters of a `Shape`."""


class Lump(NamedTuple):
    """A mass, kg; its centre (3,), m; its second moments (3, 3) about the centre, kg m²: the integral of p pᵀ."""

    mass: float
    centre: Array
    squares: Array


def lump_of(shape: Shape, T: Array, density: float) -> Lump:
    """Return a shape at T (4, 4) as a mass. density: in kg/m³. Raises KeyError for a shape that SOLIDS lacks."""
    volume, z, squares = SOLIDS[shape.kind](shape.parameters)
    R = T[:3, :3]
    return Lump(density * volume, T[:3, 3] + R[:, 2] * z, density * volume * (R * squares) @ R.T)


def lump_of_mesh(vertices: Array, triangles: NDArray[np.int64], T: Array, density: float) -> Lump:
    """Return a closed mesh at T (4, 4) as a mass: the sum of the pyramids from a point to its triangles.

    vertices (n, 3), triangles (m, 3), counterclockwise from outside. Raises ValueError if its volume is not positive.
    """
    middle = vertices[triangles].mean(axis=(0, 1))
    corners = (vertices - middle)[triangles]
    volumes = np.linalg.det(corners) / 6
    if not volumes.sum() > 0:
        raise ValueError(f"its volume is {volumes.sum():.3g} m³; expected faces that turn outwards")
    centre = volumes @ corners.sum(axis=1) / 4 / volumes.sum()
    points = np.concatenate([corners, corners.sum(axis=1, keepdims=True)], axis=1)
    products = np.einsum("i,ija,ijb->ab", volumes / 20, points, points)  # over pyramids with their apex at the origin
    products -= volumes.sum() * np.outer(centre, centre)
    R = T[:3, :3]
    return Lump(density * volumes.sum(), T[:3, 3] + R @ (middle + centre), density * R @ products @ R.T)


def inertial_of_lumps(lumps: Iterable[Lump], mass: float | None = None) -> Inertial:
    """Return the inertial of several masses, in axes parallel to theirs. mass: of all together, if not their sum."""
    masses, centres, squares = map(np.array, zip(*lumps, strict=True))
    whole = masses.sum() or 1.0
    centre = masses @ centres / whole
    around = squares.sum(axis=0) + (masses * (centres - centre).T) @ (centres - centre)
    scale = 1.0 if mass is None else mass / whole
    inertia = scale * (np.trace(around) * np.eye(3) - around)
    return Inertial(float(scale * masses.sum()), frozen(inertia), frozen(se3.translation(centre)))
