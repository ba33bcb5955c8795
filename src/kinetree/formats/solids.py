"""Masses of solid bodies from their shapes, and the inertial of several together."""

from collections.abc import Callable, Iterable, Mapping
from math import pi
from typing import Any, NamedTuple

import numpy as np

from kinetree.model.robot import Inertial, Shape
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array, frozen


class Solid(NamedTuple):
    """A solid body of uniform density: volume, m³; centre of mass (3,), m; second moments (3,) of its volume about the
    centre, along the axes of the shape, as parts of the volume, m²: the mean of x², y² and z²."""

    volume: float
    centre: tuple[float, float, float]
    squares: tuple[float, float, float]


def _box(p: Any) -> Solid:
    x, y, z = p["size"]
    return Solid(x * y * z, (0.0, 0.0, 0.0), (x * x / 12, y * y / 12, z * z / 12))


def _ellipsoid(p: Any) -> Solid:
    x, y, z = p["radii"] if "radii" in p else (p["radius"],) * 3
    return Solid(4 / 3 * pi * x * y * z, (0.0, 0.0, 0.0), (x * x / 5, y * y / 5, z * z / 5))


def _cylinder(p: Any) -> Solid:
    r, h = p["radius"], p["length"]
    return Solid(pi * r * r * h, (0.0, 0.0, 0.0), (r * r / 4, r * r / 4, h * h / 12))


def _cone(p: Any) -> Solid:
    """Return the solid of a cone from its base at -length/2 to its tip: the centre is a quarter of its length up."""
    r, h = p["radius"], p["length"]
    return Solid(pi * r * r * h / 3, (0.0, 0.0, -h / 4), (3 / 20 * r * r, 3 / 20 * r * r, 3 / 80 * h * h))


def _capsule(p: Any) -> Solid:
    """Return the solid of a cylinder and two half balls; the mean of z² in these is (h/2)² + 3/8 r h + r²/5."""
    r, h = p["radius"], p["length"]
    rod, ball = pi * r * r * h, 4 / 3 * pi * r**3
    across = (rod * r * r / 4 + ball * r * r / 5) / (rod + ball or 1.0)
    along = (rod * h * h / 12 + ball * (h * h / 4 + 3 / 8 * r * h + r * r / 5)) / (rod + ball or 1.0)
    return Solid(rod + ball, (0.0, 0.0, 0.0), (across, across, along))


SOLIDS: Mapping[str, Callable[[Any], Solid]] = {
    "box": _box,
    "sphere": _ellipsoid,
    "ellipsoid": _ellipsoid,
    "cylinder": _cylinder,
    "cone": _cone,
    "capsule": _capsule,
}
"""Solid of each kind of shape that has one, from the parameters of a `Shape`."""


class Lump(NamedTuple):
    """A mass, kg; its centre (3,), m; its second moments (3, 3) about the centre, kg m²: the integral of p pᵀ."""

    mass: float
    centre: Array
    squares: Array


def lump_of(shape: Shape, T: Array, density: float) -> Lump:
    """Return a shape at T (4, 4) as a mass. density: in kg/m³. Raises KeyError for a shape that SOLIDS lacks."""
    solid = SOLIDS[shape.kind](shape.parameters)
    mass, R = density * solid.volume, T[:3, :3]
    return Lump(mass, R @ solid.centre + T[:3, 3], mass * (R * solid.squares) @ R.T)


def inertial_of_lumps(lumps: Iterable[Lump], mass: float | None = None) -> Inertial:
    """Return the inertial of several masses, in axes parallel to theirs. mass: of all together, if not their sum."""
    lumps = [*lumps]
    total = sum(lump.mass for lump in lumps)
    whole = total or 1.0
    centre = sum((lump.mass * lump.centre for lump in lumps), np.zeros(3)) / whole
    squares = np.zeros((3, 3))
    for lump in lumps:
        squares += lump.squares + lump.mass * np.outer(lump.centre - centre, lump.centre - centre)
    scale = 1.0 if mass is None else mass / whole
    inertia = scale * (np.trace(squares) * np.eye(3) - squares)
    return Inertial(scale * total, frozen(inertia), frozen(se3.translation(centre)))
