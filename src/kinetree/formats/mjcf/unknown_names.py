"""Unknown names outside of the bodies, in <actuator>, <contact> and the like."""

from collections.abc import Iterator

from kinetree.errors import nearest_names
from kinetree.model.references import EVERY, REFERENCES, kind_of
from kinetree.syntax.xml.reader import Element, Report

SECTIONS = ("equality", "tendon", "contact", "actuator", "sensor")
TARGETS = {tag: attribute for tag, attribute in REFERENCES["mjcf"] if tag != EVERY and attribute != "name"}
"""Elements inside of bodies to their attribute that refers to a name."""


def report_unknown_names(report: Report, root: Element) -> None:
    """Report unknown names in SECTIONS and TARGETS, except of flexes, plugins, tuples and skins.

    Those of joints in equalities and tendons are errors: how the joints move together is not known. The others are of
    the simulation, and are kept as they stand.
    """
    for element, attribute, kind, message in unknown_names(root):
        if kind == "joint" and element.tag == "joint":
            report.error(f"unknown-{kind}", message, element, attribute=attribute)
        else:
            report.warning("unknown-name", f"{message}; it is kept unchanged", element, attribute=attribute)


def unknown_names(root: Element) -> Iterator[tuple[Element, str, str, str]]:
    """Yield (element, attribute, kind, message) of unknown names."""
    names = _names(root)
    for element, attribute, kind in _references(root):
        name = element.get(attribute)
        if name and kind in names and name not in names[kind]:
            near = nearest_names(name, sorted(names[kind] - {""}))
            yield element, attribute, kind, f"{kind} {name!r} does not exist; {near}"


def _names(root: Element) -> dict[str, set[str]]:
    names: dict[str, set[str]] = {kind: set() for kind in REFERENCES["mjcf"].values()}
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
            yield element, attribute, kind_of("mjcf", element.tag, attribute, element.attributes)
    for element in (e for world in root.find_all("worldbody") for e in world.walk()):
        if element.tag in TARGETS and (attribute := TARGETS[element.tag]) in element.attributes:
            yield element, attribute, kind_of("mjcf", element.tag, attribute)
