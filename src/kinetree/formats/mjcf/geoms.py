"""Geoms: shapes for looks and contact, and masses of a body."""

from dataclasses import dataclass
from functools import partial
from math import nan

import numpy as np

from kinetree.errors import nearest_names
from kinetree.formats.fields import extension, float_of, name_of, optional, vector_of
from kinetree.formats.mjcf.compiler import TRUTH, keyword
from kinetree.formats.mjcf.context import MESH, Context, attributes_extension
from kinetree.formats.mjcf.inertia import DENSITY, TINY, Lump, lump_of
from kinetree.formats.mjcf.mesh_mass import fitted
from kinetree.formats.mjcf.poses import fromto, pose
from kinetree.model.magnitudes import LEGAL
from kinetree.model.robot import Extension, Geometry, Material, Shape, Surface
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array, frozen
from kinetree.syntax.numbers import numbers
from kinetree.syntax.xml.reader import Element, Report

SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3, "plane": 3}  # count of numbers in size
TYPES = (*SIZES, "hfield", "mesh", "sdf")
STRETCHED = ("capsule", "cylinder", "ellipsoid", "box")  # shapes that fromto can place
RGBA = (0.5, 0.5, 0.5, 1.0)  # MuJoCo's default, which counts as missing
KEPT = (
    *("condim", "priority", "friction", "solmix", "solref", "solimp", "margin", "gap", "surfacevel", "adhesion"),
    *("fluidshape", "fluidcoef", "castshadow", "user"),
)
HUGE = 1e50  # m: beyond this, masses overflow
SHOWN_GROUPS = (0, 1, 2)  # groups that MuJoCo shows by default


@dataclass(frozen=True, slots=True)
class Geom:
    """A geom. geometry: None if it is left out. lump: None without mass, or why its mass is unknown."""

    geometry: Geometry | None
    seen: bool
    felt: bool
    lump: Lump | str | None


def read_geom(context: Context, element: Element, T_link_frame: Array, body: Element, weighed: bool) -> Geom | None:
    """Return a geom whose class is resolved already; T_link_frame (4, 4) is the pose of its <frame>.

    weighed: whether the mass of the body follows from its geoms. Then an error in it is one of the mass; otherwise a
    geom that cannot be read is None.
    """
    read = partial(_geom, context, element, T_link_frame, body, weighed)
    return read() if weighed and _enters_mass(context, element) else optional(context.report, element, body, read)


def _enters_mass(context: Context, element: Element) -> bool:
    """Return whether a geom may have a mass that counts."""
    low, high = context.compiler.of(element).inertiagrouprange
    group = numbers(element.get("group") or "0")
    content = numbers(element.get("mass") or element.get("density") or "1")
    return content != [0.0] and (group is None or len(group) != 1 or low <= group[0] <= high)


def _geom(context: Context, element: Element, T_link_frame: Array, body: Element, weighed: bool) -> Geom:
    report = context.report
    kind = keyword(report, element, "type", TYPES) or "sphere"
    size = _size(context, element)
    if "fromto" in element.attributes and kind not in STRETCHED:
        legal = ", ".join(STRETCHED)
        report.error("fromto", f"fromto cannot place a {kind}; legal for {legal}", element, attribute="fromto")
    if "fromto" in element.attributes:
        T, half = fromto(report, element)
        size = [size[0], half, 0.0] if kind in ("capsule", "cylinder") else [size[0], size[0], half]
    else:
        T = pose(report, element, context.compiler.of(element))
    why = ""
    if "mesh" in element.attributes and kind in SIZES:
        size, T_geom_primitive, why = _fitted(context, element, kind)
        T = T @ T_geom_primitive
    T = frozen(T_link_frame @ T)
    shape = _shape(context, element, kind, size, body, why)
    group = int(float_of(report, element, "group", 0.0))
    masks = optional(report, element, body, partial(_masks, report, element), "is for contact") or [1, 1]
    lump = _lump(context, element, kind, size, group, T, why if weighed else None)
    name = name_of(report, element) if element.get("name") else None
    if name and name in context.names.geoms:
        message = f"there is already a geom {name!r}; this one has no name here"
        report.warning("left-out", message, element, attribute="name", owner=body)
        name = None
    context.names.geoms.add(name or "")
    look = optional(report, element, body, partial(_material, context, element, body), "has no material here")
    geometry = None
    if shape is not None:
        mesh = context.assets.meshes.get(element.get("mesh") or "")
        T_link_geometry = frozen(T @ mesh.T_geom_file) if mesh and mesh.file and kind not in SIZES else T
        children = (extension("mjcf", child) for child in element.children)
        extensions = (*_extension(element, kind, masks, group), *children)
        if mesh and mesh.file and kind not in SIZES:
            extensions += attributes_extension(element, mesh.kept, MESH)
        surface = _surface(element) if any(masks) else None
        geometry = Geometry(shape, T_link_geometry, name or None, look, extensions, element.source, surface)
    felt = any(masks)
    return Geom(geometry, group in SHOWN_GROUPS or not felt, felt, lump)


def _surface(element: Element) -> Surface | None:
    """Return the sliding friction; the others, and solref, which goes by the masses, mean something to MuJoCo alone."""
    friction = numbers(element.get("friction") or "")
    return Surface(friction[0]) if friction else None


def _masks(report: Report, element: Element) -> list[int]:
    return [int(float_of(report, element, mask, 1.0)) for mask in ("contype", "conaffinity")]


def _size(context: Context, element: Element) -> list[float]:
    """Return the three numbers of a size, missing ones 0; all are NaN, with an error, if they cannot be read."""
    text = element.get("size", "") or ""
    size = numbers(text)
    if size is None or len(size) > 3:
        context.report.error("number", f"size={text!r}; expected up to 3 finite numbers", element, attribute="size")
        return [nan] * 3
    return [*size, 0.0, 0.0, 0.0][:3]


def _fitted(context: Context, element: Element, kind: str) -> tuple[list[float], Array, str]:
    """Return the half sizes of a primitive that MuJoCo fits to a mesh, T_geom_primitive (4, 4), and "" or why they are
    unknown."""
    name, meshes = element.attributes["mesh"], context.assets.meshes
    near = nearest_names(name, list(meshes))
    content = context.assets.content(name) if name in meshes else f"mesh {name!r} does not exist; {near}"
    if isinstance(content, str) or kind == "plane":
        return [nan] * 3, se3.IDENTITY, content if isinstance(content, str) else "no plane can be fitted to a mesh"
    size, T = fitted(kind, content, context.compiler.of(element).fitaabb)
    scale = float_of(context.report, element, "fitscale", 1.0)
    return [scale * half for half in size], T, ""


def _shape(
    context: Context, element: Element, kind: str, size: list[float], body: Element, why: str = ""
) -> Shape | None:
    """Return the shape of a geom, or None with a warning if its mesh or height field is missing, or if it is a
    primitive that cannot be fitted to a mesh. why: the reason."""
    if why:
        message = f"it is a {kind} fitted to a mesh. {why}; {element.label} is left out"
        fix = "write type='mesh' for the mesh itself, or the size that MuJoCo computes without mesh=…"
        context.report.warning("left-out", message, element, attribute="mesh", owner=body, fix=fix)
        return None
    if element.get("mesh") is not None and kind not in SIZES:
        return _mesh_shape(context, element, body)
    if kind in ("mesh", "sdf"):
        message = f"a {kind} needs mesh=…, which is missing; {element.label} is left out"
        context.report.warning("left-out", message, element, owner=body)
        return None
    if kind == "hfield":
        name = element.get("hfield") or ""
        if name not in context.assets.hfields:
            near = nearest_names(name, sorted(context.assets.hfields))
            message = f"hfield {name!r} does not exist; {near}; {element.label} is left out"
            context.report.warning("left-out", message, element, owner=body)
            return None
        return Shape("hfield", {"hfield": name})
    needed = 2 if kind == "plane" else SIZES[kind]
    if min(size[:needed]) < 0 or (kind != "plane" and min(size[:needed]) == 0):
        given = f"size={element.get('size')!r}" if "size" in element.attributes else "size is missing"
        count = "one positive number" if SIZES[kind] == 1 else f"{SIZES[kind]} positive numbers"
        message = f"{given}; the size of geom type {kind} is {count}"
        context.report.error("size", message, element, attribute="size")
    x, y, z = size
    if kind == "sphere":
        return Shape("sphere", {"radius": x})
    if kind in ("capsule", "cylinder"):
        return Shape(kind, {"radius": x, "length": 2 * y})
    if kind == "ellipsoid":
        return Shape("ellipsoid", {"radii": (x, y, z)})
    if kind == "box":
        return Shape("box", {"size": (2 * x, 2 * y, 2 * z)})
    return Shape("plane", {"normal": (0.0, 0.0, 1.0), "size": (2 * x, 2 * y)})


def _mesh_shape(context: Context, element: Element, body: Element) -> Shape | None:
    name = element.attributes["mesh"]
    mesh = context.assets.meshes.get(name)
    if mesh is None:
        near = nearest_names(name, list(context.assets.meshes))
        message = f"mesh {name!r} does not exist; {near}; {element.label} is left out"
        context.report.warning("left-out", message, element, attribute="mesh", owner=body)
        return None
    if mesh.file is None:
        return Shape("inline_mesh", {"mesh": name})
    return Shape("mesh", {"filename": mesh.file, "scale": mesh.scale})


def _material(context: Context, element: Element, body: Element) -> Material | None:
    mesh = context.assets.meshes.get(element.get("mesh") or "")
    name = element.get("material") or (mesh.material if mesh else None)
    if name and name not in context.assets.materials:
        near = nearest_names(name, list(context.assets.materials))
        message = f"material {name!r} does not exist; {near}; it is left out"
        context.report.warning("unknown-material", message, element, attribute="material", owner=body)
        name = None
    r, g, b, a = vector_of(context.report, element, "rgba", 4, RGBA)
    if (r, g, b, a) != RGBA:
        return Material("", (r, g, b, a))  # its own colour has priority over that of the material
    return Material(name) if name else None


def _extension(element: Element, kind: str, masks: list[int], group: int) -> tuple[Extension, ...]:
    """Return the attributes that are kept; groups that the writer does not choose itself are among them."""
    kept = {name: element.attributes[name] for name in KEPT if name in element.attributes}
    if masks not in ([1, 1], [0, 0]):
        kept |= {"contype": str(masks[0]), "conaffinity": str(masks[1])}
    if group != (0 if group in SHOWN_GROUPS and any(masks) else 3 if any(masks) else 2):
        kept["group"] = str(group)
    if kind == "sdf":
        kept["type"] = kind  # a mesh whose distance field collides
    return attributes_extension(element, kept)


def _lump(
    context: Context, element: Element, kind: str, size: list[float], group: int, T: Array, why: str | None
) -> Lump | str | None:
    """Return the mass of a geom, or why it is unknown. why: the reason, or None if no mass follows from the geom."""
    report, compiler = context.report, context.compiler.of(element)
    mass = float_of(report, element, "mass") if "mass" in element.attributes else None
    density = float_of(report, element, "density", DENSITY)
    shell = TRUTH[keyword(report, element, "shellinertia", TRUTH) or "false"]
    low, high = compiler.inertiagrouprange
    if not low <= group <= high or mass == 0 or (mass is None and density == 0) or kind == "plane":
        return None
    if (mass is not None and mass < 0) or density < 0:
        report.error("negative-mass", "a geom cannot have a negative mass or density", element)
        return None
    if why or (why is None and (kind not in SIZES or "mesh" in element.attributes)):
        return why
    if kind in ("mesh", "sdf"):
        return _mesh_lump(context, element, mass, density, shell, T)
    if kind == "hfield":
        field = context.assets.hfields.get(element.get("hfield") or "", [])
        if len(field) != 4:
            return f"hfield {element.get('hfield')!r} has no size of 4 numbers"
        kind, size = "box", [field[0], field[1], 0.25 * field[2] + 0.5 * field[3]]
    if not min(size[: SIZES[kind]]) > 0:
        return None  # reported already
    if max(size) > HUGE:
        report.error("too-large", f"its size is too large; {LEGAL}", element, attribute="size")
        return None
    return lump_of(kind, size, mass, density, shell, T)


def _mesh_lump(
    context: Context, element: Element, mass: float | None, density: float, shell: bool, T: Array
) -> Lump | str:
    name = element.get("mesh") or ""
    if name not in context.assets.meshes:
        return f"{element.label} has no mesh that exists"
    if shell:
        return f"{element.label} has shellinertia='true'; of a mesh, expected inertia='shell' in <mesh name={name!r}>"
    content = context.assets.content(name)
    if isinstance(content, str):
        return content
    mass = density * content.amount if mass is None else mass
    return Lump(mass if content.amount > TINY else 0.0, mass * content.moments, T @ content.T)


def weigh(geoms: list[Geom]) -> list[Lump] | str:
    """Return the masses of a body's geoms, or why one of them is unknown."""
    lumps = [geom.lump for geom in geoms if geom.lump is not None]
    if unknown := next((lump for lump in lumps if isinstance(lump, str)), ""):
        return unknown
    known = [lump for lump in lumps if isinstance(lump, Lump)]
    return known if np.isfinite([lump.mass for lump in known]).all() else "the mass of its shapes is not finite"
