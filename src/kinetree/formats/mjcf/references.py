"""Names that stand outside of the bodies, in <actuator>, <contact> and the like, and must be those of something."""

from __future__ import annotations

from collections.abc import Iterator

from kinetree.errors import nearest_names
from kinetree.formats.xml import Element

SECTIONS = ("equality", "tendon", "contact", "actuator", "sensor")
KINDS = {
    **dict.fromkeys(("joint", "joint1", "joint2", "jointinparent"), "joint"),
    **dict.fromkeys(("body", "body1", "body2", "subtree1", "subtree2"), "body"),
    **dict.fromkeys(("site", "site1", "site2", "cranksite", "slidersite", "refsite", "sidesite"), "site"),
    **dict.fromkeys(("geom", "geom1", "geom2", "sidegeom"), "geom"),
    **dict.fromkeys(("tendon", "tendon1", "tendon2"), "tendon"),
    "actuator": "actuator",
    "camera": "camera",
}
"""Attributes that name something, and of what kind that is."""
OBJECTS = {"objname": "objtype", "refname": "reftype"}


def unknown_references(root: Element) -> Iterator[tuple[Element, str, str, str]]:
    """(element, attribute, kind, message) for each name in these sections, and each target of a camera or light and
    material of a site, that nothing in the file has. Flexes, plugins, tuples and skins are not looked at."""
    names = _names(root)
    for element, attribute, kind in _references(root):
        name = element.get(attribute)
        if name and kind in names and name not in names[kind]:
            near = nearest_names(name, sorted(names[kind] - {""}))
            yield element, attribute, kind, f"{kind} {name!r} does not exist; {near}"


def _names(root: Element) -> dict[str, set[str]]:
    names: dict[str, set[str]] = {kind: set() for kind in KINDS.values()}
    names["body"].add("world")
    for element in (e for world in root.find_all("worldbody") for e in world.walk()):
        kind = "joint" if element.tag == "freejoint" else element.tag
        if kind in ("body", "joint", "site", "geom", "camera"):
            names[kind].add(element.get("name") or "")
    for kind in ("tendon", "actuator"):
        names[kind] |= {e.get("name") or "" for section in root.find_all(kind) for e in section.children}
    names["material"] = {e.get("name") or "" for s in root.find_all("asset") for e in s.find_all("material")}
    return names


def _references(root: Element) -> Iterator[tuple[Element, str, str]]:
    for element in (e for tag in SECTIONS for section in root.find_all(tag) for e in section.walk()):
        for attribute in element.attributes:
            if attribute in KINDS:
                yield element, attribute, KINDS[attribute]
            elif attribute in OBJECTS:
                kind = element.get(OBJECTS[attribute]) or ""
                yield element, attribute, "body" if kind == "xbody" else kind
    for element in (e for world in root.find_all("worldbody") for e in world.walk()):
        if element.tag in ("camera", "light") and "target" in element.attributes:
            yield element, "target", "body"
        if element.tag == "site" and "material" in element.attributes:
            yield element, "material", "material"
