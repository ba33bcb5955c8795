"""Geoms: shapes for looks and contact, and masses of a body."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinetree.errors import nearest_names
from kinetree.formats.fields import check_attributes, extension, float_of, name_of, vector_of
from kinetree.formats.mjcf.compiler import TRUTH, keyword
from kinetree.formats.mjcf.context import Context, attributes_extension
from kinetree.formats.mjcf.inertia import DENSITY, Lump, lump_of
from kinetree.formats.mjcf.poses import fromto, pose
from kinetree.formats.numbers import numbers
from kinetree.formats.xml import Element
from kinetree.model.robot import Extension, Geometry, Material, Shape
from kinetree.spatial.se3 import Array, frozen

SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3, "plane": 3}  # count of numbers in size
TYPES = (*SIZES, "hfield", "mesh", "sdf")
STRETCHED = ("capsule", "cylinder", "ellipsoid", "box")  # shapes that fromto can place
RGBA = (0.5, 0.5, 0.5, 1.0)  # MuJoCo's default, which counts as missing
READ = (
    *("name", "type", "size", "fromto", "pos", "quat", "axisangle", "xyaxes", "zaxis", "euler"),
    *("material", "rgba", "mesh", "hfield", "mass", "density", "shellinertia", "group", "contype", "conaffinity"),
)
KEPT = (
    *("condim", "priority", "friction", "solmix", "solref", "solimp", "margin", "gap", "surfacevel", "adhesion"),
    *("fitscale", "fluidshape", "fluidcoef", "user"),
)
HUGE = 1e50  # m: beyond this, masses overflow
SHOWN_GROUPS = (0, 1, 2)  # groups that MuJoCo shows by default


@dataclass(frozen=True, slots=True)
class Geom:
    """A geom. lump: None without mass, "unknown" if its mass or shape is in a file that is not read."""

    geometry: Geometry
    seen: bool
    felt: bool
    lump: Lump | str | None


def read_geom(context: Context, element: Element, T_link_frame: Array) -> Geom:
    """Return a geom whose class is resolved already; T_link_frame (4, 4) is the pose of its <frame>."""
    report = context.report
    check_attributes(report, element, (*READ, *KEPT))
    kind = keyword(report, element, "type", TYPES) or "sphere"
    size = _size(context, element)
    if "fromto" in element.attributes and kind not in STRETCHED:
        legal = ", ".join(STRETCHED)
        report.error("fromto", f"fromto cannot place a {kind}; legal for {legal}", element, attribute="fromto")
    if "fromto" in element.attributes:
        T, half = fromto(report, element)
        size = [size[0], half, 0.0] if kind in ("capsule", "cylinder") else [size[0], size[0], half]
    else:
        T = pose(report, element, context.compiler)
    T = frozen(T_link_frame @ T)
    shape = _shape(context, element, kind, size)
    group = int(float_of(report, element, "group", 0.0))
    masks = [int(float_of(report, element, mask, 1.0)) for mask in ("contype", "conaffinity")]
    lump = _lump(context, element, kind, size, group, T)
    T_geom_file = _file_pose(context, element)
    name = name_of(report, element) if element.get("name") else None
    if name and name in context.names.geoms:
        report.error("duplicate-name", f"there is already a geom {name!r}", element, attribute="name")
    context.names.geoms.add(name or "")
    geometry = Geometry(
        shape,
        T if T_geom_file is None else frozen(T @ T_geom_file),
        name or None,
        _material(context, element),
        (*_extension(context, element, kind, masks), *_children(element)),
        element.source,
    )
    felt = any(masks)
    return Geom(geometry, group in SHOWN_GROUPS or not felt, felt, lump)


def _size(context: Context, element: Element) -> list[float]:
    text = element.get("size", "") or ""
    size = numbers(text)
    if size is None or len(size) > 3:
        context.report.error("number", f"size={text!r}; legal are up to 3 finite numbers", element, attribute="size")
        size = []
    return [*size, 0.0, 0.0, 0.0][:3]


def _shape(context: Context, element: Element, kind: str, size: list[float]) -> Shape:
    if element.get("mesh") is not None:
        return _mesh_shape(context, element)
    if kind in ("mesh", "sdf"):
        context.report.error("missing-attribute", f"a {kind} needs mesh=…, which is missing", element)
        return Shape("none", {})
    if kind == "hfield":
        name = name_of(context.report, element, "hfield")
        if name and name not in context.assets.hfields:
            near = nearest_names(name, sorted(context.assets.hfields))
            context.report.error("unknown-hfield", f"hfield {name!r} does not exist; {near}", element)
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


def _mesh_shape(context: Context, element: Element) -> Shape:
    name = element.attributes["mesh"]
    mesh = context.assets.meshes.get(name)
    if mesh is None:
        near = nearest_names(name, list(context.assets.meshes))
        context.report.error("unknown-mesh", f"mesh {name!r} does not exist; {near}", element, attribute="mesh")
        return Shape("none", {})
    if mesh.file is None:
        return Shape("inline_mesh", {"mesh": name})
    scale = mesh.scale
    return Shape("mesh", {"filename": mesh.file, "scale": scale})


def _file_pose(context: Context, element: Element) -> Array | None:
    mesh = context.assets.meshes.get(element.get("mesh") or "")
    return mesh.T_geom_file if mesh and mesh.file else None


def _material(context: Context, element: Element) -> Material | None:
    mesh = context.assets.meshes.get(element.get("mesh") or "")
    name = element.get("material") or (mesh.material if mesh else None)
    if name and name not in context.assets.materials:
        near = nearest_names(name, list(context.assets.materials))
        message = f"material {name!r} does not exist; {near}"
        context.report.error("unknown-material", message, element, attribute="material")
    r, g, b, a = vector_of(context.report, element, "rgba", 4, RGBA)
    if (r, g, b, a) != RGBA:
        return Material("", (r, g, b, a))  # its own colour has priority over that of the material
    return Material(name) if name else None


def _extension(context: Context, element: Element, kind: str, masks: list[int]) -> tuple[Extension, ...]:
    kept = {name: element.attributes[name] for name in KEPT if name in element.attributes}
    if masks not in ([1, 1], [0, 0]):
        kept |= {"contype": str(masks[0]), "conaffinity": str(masks[1])}
    if element.get("mesh") is not None and kind != "mesh":
        kept["type"] = kind  # a primitive fitted to the mesh
    return attributes_extension(element, kept)


def _children(element: Element) -> tuple[Extension, ...]:
    return tuple(extension("mjcf", child) for child in element.children)


def _lump(context: Context, element: Element, kind: str, size: list[float], group: int, T: Array) -> Lump | str | None:
    report, compiler = context.report, context.compiler
    mass = float_of(report, element, "mass") if "mass" in element.attributes else None
    density = float_of(report, element, "density", DENSITY)
    shell = TRUTH[keyword(report, element, "shellinertia", TRUTH) or "false"]
    low, high = compiler.inertiagrouprange
    if not low <= group <= high or mass == 0 or (mass is None and density == 0) or kind == "plane":
        return None
    if (mass is not None and mass < 0) or density < 0:
        report.error("negative-mass", "a geom cannot have a negative mass or density", element)
        return None
    if kind in SIZES and element.get("mesh") is None and not min(size[: SIZES[kind]]) > 0:
        return None  # reported already
    unknown = kind not in SIZES or element.get("mesh") is not None or (shell and kind == "ellipsoid")
    return "unknown" if unknown or max(size) > HUGE else lump_of(kind, size, mass, density, shell, T)


def weigh(geoms: list[Geom]) -> list[Lump] | None:
    """Return the masses of a body's geoms, or None if one of them is unknown."""
    lumps = [geom.lump for geom in geoms if geom.lump is not None]
    known = [lump for lump in lumps if isinstance(lump, Lump)]
    return known if len(known) == len(lumps) and np.isfinite([lump.mass for lump in known]).all() else None
