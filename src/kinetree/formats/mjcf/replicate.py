"""<replicate>: several copies of its content, each in a frame of its own and with numbers after the names."""

import numpy as np

from kinetree.formats.fields import vector_of
from kinetree.formats.mjcf.compiler import Compiler
from kinetree.formats.mjcf.copies import Users, named, renamed
from kinetree.formats.mjcf.poses import ZERO, euler
from kinetree.spatial import se3
from kinetree.syntax.numbers import format_numbers, number
from kinetree.syntax.xml.reader import MAX_BYTES, MAX_PARTS, Element, Report

PARTS = ("joint", "freejoint", "inertial")
"""Parts of a body that cannot be replicated without it."""


def expand_replicates(report: Report, root: Element, compiler: Compiler) -> None:
    """Replace every <replicate> by its frames, in place, and elements outside of the bodies that refer to what is in it
    by as many copies."""
    worlds = root.find_all("worldbody")
    if any(element.tag == "replicate" for world in worlds for element in world.walk()):
        copier = _Copier(report, root, compiler)
        for world in worlds:
            copier.inside(world)


class _Copier:
    def __init__(self, report: Report, root: Element, compiler: Compiler) -> None:
        self.report, self.users, self.compiler = report, Users(root), compiler
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
        count = number(element.get("count") or "")
        if count is None or not count.is_integer():
            report.error("number", "<replicate> needs count=…, a whole number", element, attribute="count")
            return []
        count = max(count, 0)  # MuJoCo makes no copy then
        for child in element.children:
            if child.tag in PARTS:
                message = f"<{child.tag}> cannot be replicated; expected a <body> around it"
                report.error("not-supported", message, child)
        names = named([*element.walk()])
        around = self.users.of(names)
        size = sum(1 + len(e.attributes) for whole in (element, *(e for _, e in around)) for e in whole.walk())
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
        self.count += size * int(count)
        suffixes = [f"{element.get('sep', '')}{i:0{len(str(int(count)))}}" for i in range(int(count))]
        for section, one in around:
            twins = [renamed(one, names, "", end, section.tag) for end in suffixes]
            section.children = [e for e in section.children if e is not one] + twins
            for twin in twins:
                self.users.add(section, twin)
        return self.frames(element, suffixes, names)

    def frames(self, element: Element, suffixes: list[str], names: set[tuple[str, str]]) -> list[Element]:
        offset = vector_of(self.report, element, "offset", 3, ZERO)
        angles = np.array(vector_of(self.report, element, "euler", 3, ZERO))
        p, frames = np.zeros(3), []
        for i, suffix in enumerate(suffixes):
            x, y, z, w = se3.quaternion_from_rotation(R := euler(self.compiler.of(element), i * angles))
            attributes = {"pos": format_numbers(p), "quat": format_numbers((w, x, y, z))}
            if "childclass" in element.attributes:
                attributes["childclass"] = element.attributes["childclass"]
            frame = Element("frame", attributes, element.document, element.start)
            frame.children = [renamed(child, names, "", suffix) for child in element.children]
            frames.append(frame)
            p = p + R @ offset
        return frames
