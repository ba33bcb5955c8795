"""Materials of a URDF file: one look a name, as urdfdom has it."""

from collections.abc import Iterable
from dataclasses import replace

from kinetree.errors import Finding
from kinetree.model.assemble import Parts
from kinetree.model.reshape import free_name
from kinetree.model.robot import Geometry, Link, Material
from kinetree.syntax.xml.reader import Document, Report

Look = tuple[tuple[float, ...] | None, str | None]


def settle_materials(report: Report, parts: Parts, document: Document) -> None:
    """Give every visual the look of its material's name: that of the robot's material, else of the first visual that
    defines it, and warn of others. A name that a visual only refers to gets the look that another visual defines."""
    named = [g.material for link in parts.links for g in link.visuals if g.material and g.material.name]
    shared = {material.name for material in parts.materials}
    first = {m.name: m for m in reversed([*parts.materials, *named]) if m.rgba or m.texture}
    if all(first.get(m.name, m).rgba == m.rgba and first.get(m.name, m).texture == m.texture for m in named):
        return
    again: dict[str, Material] = {}

    def settled(shape: Geometry) -> Geometry:
        material = shape.material
        if material is None or (meant := first.get(material.name)) is None or _look(meant) == _look(material):
            return shape
        if _look(material) != NONE:
            again.setdefault(material.name, material)
        elif material.name in shared:
            return shape
        return replace(shape, material=replace(material, rgba=meant.rgba, texture=meant.texture))

    parts.links = [_with_visuals(link, map(settled, link.visuals)) for link in parts.links]
    report.place((_note(material, first[name]) for name, material in again.items()), document)


NONE: Look = (None, None)


def _look(material: Material) -> Look:
    return material.rgba, material.texture


def _with_visuals(link: Link, visuals: Iterable[Geometry]) -> Link:
    made = tuple(visuals)
    return link if all(a is b for a, b in zip(made, link.visuals, strict=True)) else replace(link, visuals=made)


def _note(material: Material, first: Material) -> Finding:
    at = f", on line {first.source.line}," if first.source and first.source.line else ""
    message = f"is defined again with another look; the first{at} is used for this name everywhere, as in urdfdom"
    fix = "give the second another name"
    return Finding("material-redefined", "warning", message, material.source, f"material {material.name!r}", fix)


def with_own_names(links: Iterable[Link], materials: Iterable[Material]) -> list[Link]:
    """Return links in which visuals with different looks have materials of different names, so that urdfdom does not
    give them the look of the first. materials: those of the robot, which keep their names."""
    links, looks = [*links], {material.name: _look(material) for material in materials}
    taken = {*looks, *(g.material.name for link in links for g in link.visuals if g.material)}
    names: dict[tuple[str, Look], str] = {}

    def named(shape: Geometry) -> Geometry:
        material = shape.material
        if material is None or not material.name or _look(material) == NONE:
            return shape
        key = material.name, _look(material)
        if looks.setdefault(*key) == key[1]:
            return shape
        if key not in names:
            names[key] = free_name(f"{material.name}_", taken)
        return replace(shape, material=replace(material, name=names[key]))

    return [_with_visuals(link, map(named, link.visuals)) for link in links]
