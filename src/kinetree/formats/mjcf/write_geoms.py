"""Geoms, meshes and materials as MJCF."""

from pathlib import PurePosixPath
from typing import Any

import numpy as np

from kinetree.formats.mjcf.context import MESH, free
from kinetree.formats.mjcf.geoms import SHOWN_GROUPS
from kinetree.formats.mjcf.poses import pose_attributes, z_to
from kinetree.formats.mjcf.writing import Job, attributes_of, elements_of
from kinetree.model.robot import Geometry, Link, Material, Shape
from kinetree.spatial import se3
from kinetree.syntax.numbers import format_number, format_numbers
from kinetree.syntax.xml.reader import Element
from kinetree.syntax.xml.writer import XmlWriter, element_text

SEEN = {"contype": "0", "conaffinity": "0", "group": "2"}
FELT = {"group": "3"}
TEXTURE_FILES = (".png", ".ktx")


class Assets:
    """Meshes and materials that geoms refer to, collected while the geoms are written."""

    def __init__(self, job: Job, kept: list[Element]) -> None:
        self.job = job
        self.kept = [element for section in kept for element in section.children]
        self.names = {element.get("name") or "" for element in self.kept if element.tag == "mesh"}
        self.geom_names: set[str] = set()
        self.meshes: dict[tuple[str, tuple[float, ...], tuple[tuple[str, str], ...]], str] = {}
        self.materials = {m.name: m for m in job.robot.materials.values() if m.name}

    def geoms(self, xml: XmlWriter, link: Link) -> None:
        """Write the visuals and collisions of a link; a pair of equal ones is one geom."""
        if "geometry" in self.job.losses.without:
            return
        felt = list(link.collisions)
        for geometry in link.visuals:
            twin = next((i for i, other in enumerate(felt) if _same(geometry, other)), None)
            if twin is None:
                self._geom(xml, geometry, SEEN)
                continue
            for other in felt[:twin]:  # the reader finds them in this order
                self._geom(xml, other, FELT)
            self._geom(xml, felt[twin], {})
            del felt[: twin + 1]
        for geometry in felt:
            self._geom(xml, geometry, FELT)

    def _geom(self, xml: XmlWriter, geometry: Geometry, role: dict[str, str]) -> None:
        shape, T = geometry.shape, geometry.origin
        attributes: dict[str, str | None] = {"name": free(geometry.name, self.geom_names) if geometry.name else None}
        if shape.kind == "mesh":
            more = attributes_of(geometry.extensions, self.job, MESH)
            attributes |= {"type": "mesh", "mesh": self._mesh(shape, more)}
        elif shape.kind in ("inline_mesh", "hfield"):
            name = "mesh" if shape.kind == "inline_mesh" else "hfield"
            attributes |= {"type": name, name: str(shape.parameters[name])}
        else:
            attributes |= {"type": shape.kind, "size": format_numbers(half_sizes(shape))}
        if shape.kind == "plane":
            T = T @ se3.homogeneous(z_to(np.asarray(shape.parameters["normal"])), (0.0, 0.0, 0.0))
        attributes |= pose_attributes(T) | role | self._look(geometry.material)
        attributes |= _in_role(attributes_of(geometry.extensions, self.job), role)
        if geometry.surface and geometry.surface.mu is not None and role is not SEEN:
            others = (attributes.get("friction") or "").split()[1:]
            attributes["friction"] = " ".join([format_number(geometry.surface.mu), *others])
        xml.around("geom", elements_of(geometry.extensions, self.job), **attributes)

    def _mesh(self, shape: Shape, more: dict[str, str]) -> str:
        file, scale = str(shape.parameters["filename"]), shape.parameters.get("scale", (1.0, 1.0, 1.0))
        assert isinstance(scale, tuple)
        key = file, scale, tuple(more.items())
        if key not in self.meshes:
            self.meshes[key] = free(more.get("name") or PurePosixPath(file).stem or "mesh", self.names)
        return self.meshes[key]

    def _look(self, material: Material | None) -> dict[str, str]:
        if material is None or "material" in self.job.losses.without:
            return {}
        if not material.name:
            return {"rgba": format_numbers(material.rgba)} if material.rgba else {}
        known = self.materials.setdefault(material.name, material)
        if material.rgba and not known.rgba:
            known = self.materials[material.name] = material
        if material.rgba and material.rgba != known.rgba:
            return {"rgba": format_numbers(material.rgba)}
        return {"material": material.name}

    def write(self, xml: XmlWriter) -> None:
        """Write the <asset> section."""
        materials = {} if "material" in self.job.losses.without else self.materials
        more = {e.get("name"): e for e in self.kept if e.tag == "material"}
        others = [e for e in self.kept if e.tag != "material"]
        if not (materials or self.meshes or others):
            return
        with xml.open("asset"):
            for element in others:
                xml.raw(*element_text(element).splitlines())
            for (file, scale, more_of_mesh), name in self.meshes.items():
                scaled = None if scale == (1.0, 1.0, 1.0) else format_numbers(scale)
                # inertia="shell" needs no volume, and gives no mass
                own = {"inertia": "shell", **dict(more_of_mesh), "name": name}
                xml.leaf("mesh", file=file, scale=scaled, **own)
            for material in materials.values():
                _material(xml, material, more.get(material.name))


def _material(xml: XmlWriter, material: Material, more: Element | None) -> None:
    attributes: dict[str, str | None] = {} if more is None else dict(more.attributes)
    rgba = format_numbers(material.rgba) if material.rgba else None
    if material.texture and more is None and material.texture.lower().endswith(TEXTURE_FILES):
        attributes["texture"] = f"{material.name}_texture"
        xml.leaf("texture", name=f"{material.name}_texture", type="2d", file=material.texture)
    attributes = {**attributes, "name": material.name, "rgba": rgba}
    xml.around("material", map(element_text, [] if more is None else more.children), **attributes)


def _in_role(kept: dict[str, str], role: dict[str, str]) -> dict[str, str]:
    """Return attributes that were kept, without a group in which the geom would be read as something else."""
    shown = kept.get("group", "") in map(str, SHOWN_GROUPS)
    fits = role is SEEN or shown == (role is not FELT)
    return kept if fits else {name: value for name, value in kept.items() if name != "group"}


def _same(a: Geometry, b: Geometry) -> bool:
    same = a.shape == b.shape and a.material == b.material
    return same and np.array_equal(a.origin, b.origin)


def half_sizes(shape: Shape) -> list[float]:
    """Return MuJoCo's size of a shape."""
    p: Any = shape.parameters
    if shape.kind == "box":
        return [x / 2 for x in p["size"]]
    if shape.kind == "sphere":
        return [p["radius"]]
    if shape.kind == "ellipsoid":
        return list(p["radii"])
    if shape.kind == "plane":
        return [*(x / 2 for x in p.get("size", (0.0, 0.0))), 0.01]
    return [p["radius"], p["length"] / 2]
