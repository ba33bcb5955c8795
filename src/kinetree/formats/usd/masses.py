"""Masses of bodies by UsdPhysicsMassAPI: given, or of the volume and density of the shapes that collide.

Precedence as in the schema: a body's mass before all; for each shape its own mass, then its density, that of its
material, that of the body, and 1000 kg/m³. A centre with -inf, an inertia of zeros and axes of zeros are not given.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kinetree.display import number
from kinetree.formats.defaults import DEFAULTS
from kinetree.formats.solids import SOLIDS, Lump, inertial_of_lumps, lump_of, lump_of_mesh
from kinetree.formats.usd.prim import BINDINGS, Prim, Stage
from kinetree.formats.usd.shapes import Surface, bound
from kinetree.formats.usd.transforms import rotation_of
from kinetree.model.robot import Geometry, Inertial
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array, frozen

Collider = tuple[Prim, Geometry, Surface | None]
HULLS = ("convexHull", "convexDecomposition")
"""Approximations of a mesh whose volume is taken as that of its hull."""
AGREE = 1e-3
"""Largest difference of the inertias of two schemas, relative, that is not noted."""


def _given(prim: Prim, name: str) -> float:
    return prim.number(f"physics:{name}", 0.0) if prim.has("PhysicsMassAPI", "NewtonMassAPI") else 0.0


def inertial_of(stage: Stage, body: Prim, colliders: Sequence[Collider], scales: Array) -> tuple[Inertial | None, str]:
    """Return the inertial of a body, or None, and why its mass is unknown, if it is. scales (3,): of the body."""
    mass = _given(body, "mass") * stage.kilograms
    is_massless = body.flag("kinetree:massless", False)
    if not np.isfinite(mass):
        stage.note("error", "usd-mass", f"physics:mass is {number(mass)}; expected a finite number", body)
        return None, ""
    centre, inertia, axes = _written(stage, body, scales)
    lumps: list[Lump] = []
    if not is_massless and (centre is None or inertia is None or mass <= 0):
        lumps, missing = _lumps(stage, body, colliders)
        if missing and mass <= 0:
            return None, f"The volume of {missing} cannot be computed"
    if mass < 0:
        stage.note("warning", "usd-mass", f"physics:mass is {number(mass)}; USD takes it as not given", body)
    if mass <= 0 and not lumps:
        if not is_massless:
            message = "it has neither a mass nor a shape that collides; it is read without one, and simulators take one"
            stage.note("info", "usd-mass", message, body, "give it physics:mass, or join it to its neighbour")
        origin = se3.homogeneous(axes, np.zeros(3) if centre is None else centre)
        return (None if inertia is None else Inertial(mass, frozen(inertia), frozen(origin))), ""
    made = inertial_of_lumps(lumps, mass if mass > 0 else None) if lumps else Inertial(mass, frozen(np.zeros((3, 3))))
    if mass <= 0:
        message = f"it has no mass; {number(made.mass)} kg follow from the volume and density of what collides"
        stage.note("info", "usd-mass", message, body)
    elif inertia is None:
        message = f"it has a mass and no inertia, which {'follows from what collides' if lumps else 'is zero'}"
        stage.note("info" if lumps else "warning", "usd-mass", message, body)
    if centre is None:
        centre = made.origin[:3, 3]
    elif inertia is None:  # of the shapes, about another point
        away = made.origin[:3, 3] - centre
        inertia = made.inertia + made.mass * (away @ away * np.eye(3) - np.outer(away, away)) if lumps else made.inertia
    inertia = made.inertia if inertia is None else inertia
    return Inertial(mass if mass > 0 else made.mass, frozen(inertia), frozen(se3.homogeneous(axes, centre))), ""


def _written(stage: Stage, body: Prim, scales: Array) -> tuple[Array | None, Array | None, Array]:
    """Return centre (3,), inertia (3, 3) and its axes (3, 3), in metres and kg m², as far as they are given."""
    if not body.has("PhysicsMassAPI", "NewtonMassAPI"):
        return None, None, np.eye(3)
    unit = stage.kilograms * stage.metres**2
    centre, moments = body.numbers("physics:centerOfMass", 3), body.numbers("physics:diagonalInertia", 3)
    if centre is not None:
        centre = centre * scales * stage.metres if np.isfinite(centre).all() else None
    quat = body.numbers("physics:principalAxes", 4)
    R = np.eye(3) if quat is None else rotation_of(quat)
    given = moments is not None and np.isfinite(moments).all() and bool(moments.any())
    full = body.numbers("newton:inertia", 6)
    if full is None or not np.isfinite(full).all():
        return (centre, np.diag(moments * unit), R) if given else (centre, None, np.eye(3))
    xx, yy, zz, xy, xz, yz = full * unit
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if given and np.abs(R @ np.diag(moments * unit) @ R.T - inertia).max() > AGREE * np.abs(inertia).max():
        message = "physics:diagonalInertia with principalAxes is another inertia than newton:inertia, which counts"
        stage.note("warning", "usd-mass", message, body, "correct the one that is wrong")
    written = body.numbers("kinetree:inertiaAxes", 4)  # those of the file that Kinetree has converted
    R = np.eye(3) if written is None else rotation_of(written)
    return centre, R.T @ inertia @ R, R


def _lumps(stage: Stage, body: Prim, colliders: Sequence[Collider]) -> tuple[list[Lump], str]:
    """Return the masses of the shapes of a body, in its axes, and the name of one whose volume is unknown, or ""."""
    lumps = []
    for prim, geometry, surface in colliders:
        material = bound(stage, prim, BINDINGS[1]) or bound(stage, prim, BINDINGS[0])
        of_material = material.number("physics:density", 0.0) if material else 0.0
        known = (_given(prim, "density"), of_material, _given(body, "density"))
        units = stage.kilograms / stage.metres**3
        density = next((value * units for value in known if 0 < value < np.inf), DEFAULTS["usd"].density)
        try:
            lump = _lump(geometry, surface, density, prim)
        except ValueError as error:
            stage.note("warning", "usd-mass", f"its volume cannot be computed: {error}", prim)
            return [], prim.path
        if surface is not None and prim.word("physics:approximation", "none") not in HULLS and _is_open(*surface):
            stage.note("warning", "usd-mass", "its faces do not close, so that its volume is a guess", prim)
        own = _given(prim, "mass") * stage.kilograms
        if 0 < own < np.inf and lump.mass > 0:
            lump = Lump(own, lump.centre, lump.squares * (own / lump.mass))
        lumps.append(lump)
    return [lump for lump in lumps if lump.mass > 0], ""


def _is_open(vertices: Array, triangles: NDArray[np.int64]) -> bool:
    """Return whether a mesh has gaps, so that the areas of its faces do not add up to zero."""
    corners = vertices[triangles]
    areas = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return bool(np.abs(areas.sum(axis=0)).max() > AGREE * np.abs(areas).sum())


def _lump(geometry: Geometry, surface: Surface | None, density: float, prim: Prim) -> Lump:
    """Return the mass of a shape in the axes of its link. Raises ValueError if it has no volume."""
    if surface is None:
        if geometry.shape.kind not in SOLIDS:
            return Lump(0.0, np.zeros(3), np.zeros((3, 3)))  # a plane
        return lump_of(geometry.shape, geometry.origin, density)
    vertices, triangles = surface
    if prim.word("physics:approximation", "none") in HULLS:
        from scipy.spatial import ConvexHull, QhullError

        try:
            hull = ConvexHull(vertices)
        except QhullError:
            raise ValueError("it is flat") from None
        corners = vertices[hull.simplices]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        inwards = (normals * hull.equations[:, :3]).sum(axis=1) < 0
        triangles = np.where(inwards[:, None], hull.simplices[:, ::-1], hull.simplices).astype(np.int64)
    return lump_of_mesh(vertices, triangles, geometry.origin, density)
