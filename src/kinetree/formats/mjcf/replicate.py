"""<replicate>: several copies of its content, each in a frame of its own and with numbers after the names."""

import numpy as np

from kinetree.formats.fields import check_attributes, vector_of
from kinetree.formats.mjcf.by_mujoco import FIX
from kinetree.formats.mjcf.compiler import Compiler
from kinetree.formats.mjcf.poses import ZERO, euler
from kinetree.model.references import EVERY, REFERENCES
from kinetree.spatial import se3
from kinetree.syntax.numbers import format_numbers, number
from kinetree.syntax.xml.reader import MAX_BYTES, MAX_PARTS, Element, Report

INSIDE = tuple(
    attribute
    for (tag, attribute), kind in REFERENCES["mjcf"].items()
    if tag == EVERY and kind not in ("tendon", "actuator")
)
"""Attributes outside of the bodies that refer to something inside."""
PARTS = ("joint", "freejoint", "inertial")
"""Parts of a body that cannot be replicated without it."""


def beyond(root: Element) -> list[Element]:
    """Return the <replicate> elements that `expand_replicates` refuses: they hold joints, or elements outside of the
    bodies name what is in them."""
    outside = (e for section in root.children if section.tag != "worldbody" for e in section.walk())
    named = {element.get(attribute) for element in outside for attribute in INSIDE} - {None, ""}
    found = [e for world in root.find_all("worldbody") for e in world.walk() if e.tag == "replicate"]
    return [
        replicate
        for replicate in found
        if any(child.tag in PARTS for child in replicate.children)
        or not named.isdisjoint(element.get("name") for element in replicate.walk())
    ]


def expand_replicates(report: Report, root: Element, compiler: Compiler) -> None:
    """Replace every <replicate> by its frames, in place."""
    copier = _Copier(report, compiler)
    for world in root.find_all("worldbody"):
        copier.inside(world)
    for element in (e for section in root.children if section.tag != "worldbody" for e in section.walk()):
        for attribute in INSIDE if copier.originals else ():
            if element.get(attribute) in copier.originals:
                message = (
                    f"{element.get(attribute)!r} is replicated, and so would this element be, which is not supported"
                )
                report.error("not-supported", message, element, attribute=attribute, fix=FIX)


class _Copier:
    def __init__(self, report: Report, compiler: Compiler) -> None:
        self.report, self.compiler = report, compiler
        self.originals: set[str] = set()  # names inside of a <replicate>, before they get numbers
        self.count = 0  # elements and attributes of the copies
        self.characters = 0  # of their names

    def inside(self, parent: Element) -> None:
        children: list[Element] = []
        for child in parent.children:
            self.inside(child)
            children += self.copies(child) if child.tag == "replicate" else [child]
        parent.children = children

    def copies(self, element: Element) -> list[Element]:
        report = self.report
        check_attributes(report, element, ("count", "sep", "offset", "euler", "childclass"))
        count = number(element.get("count") or "")
        if count is None or count < 1 or not count.is_integer():
            report.error("number", "<replicate> needs count=…, a whole number from 1 on", element, attribute="count")
            return []
        for child in element.children:
            if child.tag in PARTS:
                message = f"<{child.tag}> is replicated, which is not supported; whole bodies can be"
                report.error("not-supported", message, child, fix=FIX)
        size = sum(1 + len(e.attributes) for e in element.walk())
        if self.count + size * count > MAX_PARTS:
            message = f"more than {MAX_PARTS} elements and attributes are replicated"
            report.error("xml-size", message, element, attribute="count")
            return []
        self.characters += int(count) * sum(
            len(e.get("name") or "") + len(e.get("target") or "") for e in element.walk()
        )
        if self.characters > MAX_BYTES:
            report.error("xml-size", f"names of more than {MAX_BYTES} characters are replicated", element)
            return []
        self.originals |= {e.attributes["name"] for e in element.walk() if e.get("name")}
        return self.frames(element, int(count))

    def frames(self, element: Element, count: int) -> list[Element]:
        offset = vector_of(self.report, element, "offset", 3, ZERO)
        angles = np.array(vector_of(self.report, element, "euler", 3, ZERO))
        names = {e.attributes["name"] for e in element.walk() if e.get("name")}
        p, frames = np.zeros(3), []
        for i in range(count):
            x, y, z, w = se3.quaternion_from_rotation(R := euler(self.compiler, i * angles))
            attributes = {"pos": format_numbers(p), "quat": format_numbers((w, x, y, z))}
            if "childclass" in element.attributes:
                attributes["childclass"] = element.attributes["childclass"]
            frame = Element("frame", attributes, element.document, element.start)
            suffix = f"{element.get('sep', '')}{i:0{len(str(count))}}"
            frame.children = [self.copy(child, suffix, names) for child in element.children]
            frames.append(frame)
            p = p + R @ offset
        return frames

    def copy(self, element: Element, suffix: str, names: set[str]) -> Element:
        self.count += 1 + len(element.attributes)
        attributes = dict(element.attributes)
        for attribute in ("name", "target"):
            if attributes.get(attribute) in names:
                attributes[attribute] += suffix
        twin = Element(element.tag, attributes, element.document, element.start)
        twin.end, twin.text = element.end, element.text
        twin.children = [self.copy(child, suffix, names) for child in element.children]
        return twin
