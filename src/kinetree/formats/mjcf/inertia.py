"""Mass and inertia of bodies: as written, or from the geoms of a body, as MuJoCo's compiler infers them."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import pi

import numpy as np

from kinetree.formats.defaults import DEFAULTS
from kinetree.formats.fields import float_of, vector_of
from kinetree.formats.mjcf.compiler import Compiler
from kinetree.formats.mjcf.poses import ZERO, pose
from kinetree.formats.solids import Solid, box, capsule, cylinder, ellipsoid
from kinetree.model.edit.merge import combined
from kinetree.model.robot import Inertial
from kinetree.spatial.se3 import Array, frozen
from kinetree.syntax.xml.reader import Element, Report

DENSITY = DEFAULTS["mjcf"].density  # of water, kg/m³: for geoms without mass and density
HUGE = 1e100  # above it there is no body, and eigenvalues may not be found
TINY = 1e-14  # MuJoCo skips geoms of a smaller mass


@dataclass(frozen=True, slots=True)
class Lump:
    """The mass of a geom: kg, principal moments (3,) in kg m², T_link_geom (4, 4)."""

    mass: float
    moments: Array
    T: Array


def written_inertial(report: Report, element: Element, compiler: Compiler) -> Inertial:
    """Return the inertial of an <inertial> element."""
    if "pos" not in element.attributes:
        report.error("missing-attribute", "<inertial> needs pos=…, the centre of mass", element)
    mass = float_of(report, element, "mass")
    T = pose(report, element, compiler)
    if "fullinertia" not in element.attributes:
        return Inertial(mass, frozen(np.diag(vector_of(report, element, "diaginertia", 3, ZERO))), T)
    for other in ("diaginertia", "quat", "axisangle", "xyaxes", "zaxis", "euler"):
        if other in element.attributes:
            message = f"there are fullinertia and {other}; expected fullinertia alone, in the axes of the body"
            report.error("two-inertias", message, element, attribute=other)
    xx, yy, zz, xy, xz, yz = vector_of(report, element, "fullinertia", 6, (0.0,) * 6)
    return Inertial(mass, frozen(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))), T)


def inferred_inertial(lumps: list[Lump]) -> Inertial | None:
    """Return the inertial of several masses together; None without any mass."""
    bodies = [Inertial(one.mass, frozen(np.diag(one.moments)), one.T) for one in lumps if one.mass > TINY]
    return combined(bodies, "") if bodies else None


def lump_of(kind: str, size: list[float], mass: float | None, density: float, shell: bool, T: Array) -> Lump:
    """Return a primitive geom as a mass. size: MuJoCo's half sizes; density in kg/m³, of a shell in kg/m²."""
    content, moments = (_SHELLS if shell else _SOLIDS)[kind](size)
    if mass is None:
        mass = density * content
    return Lump(mass if content > TINY else 0.0, mass * np.asarray(moments), T)


def bounded(inertial: Inertial | None, compiler: Compiler, T_parent_body: Array) -> Inertial | None:
    """Return an inertial with the least mass and moments of the compiler, and moments that a body can have if the
    compiler evens them out; the same object if nothing changes."""
    mass, least = compiler.boundmass, compiler.boundinertia
    if mass <= 0 and least <= 0 and (inertial is None or not compiler.balanceinertia):
        return inertial
    if inertial is None:  # MuJoCo puts such masses at the place of the body in its parent, once more
        return Inertial(mass, frozen(np.eye(3) * least), T_parent_body)
    if not np.abs(inertial.inertia).max() < HUGE:
        return inertial  # which is refused later
    values, axes = np.linalg.eigh(inertial.inertia)
    moments = np.maximum(values, least)
    if compiler.balanceinertia and moments.max() > moments.sum() / 2:
        moments = np.full(3, moments.mean())
    if inertial.mass >= mass and np.array_equal(moments, values):
        return inertial
    return replace(inertial, mass=max(inertial.mass, mass), inertia=frozen(axes @ np.diag(moments) @ axes.T))


Numbers = list[float]
Content = tuple[float, tuple[float, float, float]]  # volume or area; principal moments of a unit mass


def _solid(solid: Solid) -> Content:
    volume, _, squares = solid
    a, b, c = squares.sum() - squares
    return volume, (float(a), float(b), float(c))


def _ellipsoid_shell(size: Numbers) -> Content:
    """Return the content as MuJoCo computes it: Thomsen's area, moments of what a micrometre of growth adds."""
    x, y, z = size[:3]
    area = 4 * pi * (((x * y) ** 1.6075 + (y * z) ** 1.6075 + (z * x) ** 1.6075) / 3) ** (1 / 1.6075)
    (inner, small), (outer, large) = (_solid(ellipsoid(*r)) for r in (size[:3], [s + 1e-6 for s in size[:3]]))
    a, b, c = (np.multiply(large, outer) - np.multiply(small, inner)) / (outer - inner)
    return area, (float(a), float(b), float(c))


def _sphere_shell(size: Numbers) -> Content:
    r = size[0]
    return 4 * pi * r * r, (2 / 3 * r * r,) * 3


def _box_shell(size: Numbers) -> Content:
    """Return the content of three pairs of plates."""
    half = np.asarray(size[:3])
    areas = np.prod(half) / half  # of the plate across each axis, up to a factor
    share = areas / areas.sum()
    moments = np.zeros(3)
    for axis in range(3):
        square = half**2 / 3
        square[axis] = half[axis] ** 2  # distance of the plate, which has no thickness
        moments += share[axis] * (square.sum() - square)
    return float(8 * areas.sum()), (float(moments[0]), float(moments[1]), float(moments[2]))


def _cylinder_shell(size: Numbers) -> Content:
    r, half = size[0], size[1]
    h = 2 * half
    area = 2 * pi * r * (r + h)
    disc = pi * r * r / area
    tube = 1 - 2 * disc
    across = tube * (6 * r * r + h * h) / 12 + 2 * disc * (r * r / 4 + half * half)
    return area, (across, across, tube * r * r + disc * r * r)


def _capsule_shell(size: Numbers) -> Content:
    """Return the content of a tube and two half spheres, whose centres of mass are half a radius off their rims."""
    r, half = size[0], size[1]
    h = 2 * half
    area = 4 * pi * r * r + 2 * pi * r * h
    ball = 4 * pi * r * r / area
    tube = 1 - ball
    shift = (half + r / 2) ** 2 - (r / 2) ** 2
    across = tube * (6 * r * r + h * h) / 12 + ball * (2 / 3 * r * r + shift)
    return area, (across, across, tube * r * r + ball * 2 / 3 * r * r)


_SOLIDS: dict[str, Callable[[Numbers], Content]] = {
    "sphere": lambda size: _solid(ellipsoid(*(size[0],) * 3)),
    "box": lambda size: _solid(box(*(2 * half for half in size[:3]))),
    "ellipsoid": lambda size: _solid(ellipsoid(*size[:3])),
    "cylinder": lambda size: _solid(cylinder(size[0], 2 * size[1])),
    "capsule": lambda size: _solid(capsule(size[0], 2 * size[1])),
}
_SHELLS = {"sphere": _sphere_shell, "box": _box_shell, "cylinder": _cylinder_shell, "capsule": _capsule_shell}
_SHELLS["ellipsoid"] = _ellipsoid_shell
