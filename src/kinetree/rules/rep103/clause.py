"""Base of the rules of REP-103, with their examples and the texts of angles."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import ClassVar, NamedTuple

from kinetree.errors import Source
from kinetree.repairs.fixes import origins_of
from kinetree.rules.examples import ARM
from kinetree.rules.mjcf import Parts, in_degrees
from kinetree.rules.rule import Element, Rule, fact

OWNERS = ("model", "link", "joint", "frame", "sensor")
"""Elements of SDF with poses that messages name."""
XYZ = "xyz"
"""Numbers before the rpy of a pose."""


class Rep103(Rule):
    """A clause of REP-103; its examples are pieces of an arm that follows them all."""

    url: ClassVar[str] = "https://www.ros.org/reps/rep-0103.html"
    base: ClassVar[str | None] = ARM


class Rpy(NamedTuple):
    """Texts of three angles in radians, in the <origin> (URDF), <pose> (SDF) or `euler` (MJCF) of an owner such as a
    link or joint."""

    owner: Element
    element: Element
    numbers: tuple[str, ...]

    @property
    def name(self) -> str:
        """Name of the numbers."""
        return "the angle" if self.element.tag == "pose" else "euler" if "euler" in self.element.attributes else "rpy"

    @property
    def carries(self) -> bool:
        """Whether parts are attached behind."""
        return self.element.tag in ("body", "frame") or any(self.element is child for child in self.owner.children)

    def place(self, text: str) -> Source:
        """Return the place of the first of the numbers with this text."""
        written = self.element.attributes.get(self.name)
        if written is not None:
            place = self.element.place(self.name)
            before = re.search(rf"(?<!\S){re.escape(text)}(?!\S)", written)
            return replace(place, column=(place.column or 1) + (before.start() if before else 0))
        document, start = self.element.document, self.element.tag_stop
        words = list(re.finditer(rb"\S+", document.data[start : self.element.end]))
        if len(words) != len(XYZ) + len(self.numbers):
            return self.element.source  # there are comments between
        return document.source(start + words[len(XYZ) + self.numbers.index(text)].start())


Rpys = tuple[Rpy, ...]


@fact
def rpys(document: Element | None, sdf_document: Element | None, mjcf_parts: Parts) -> Rpys:
    """Return every rpy of a URDF or SDF text, without the pose of a model in its world, and every euler of an MJCF file
    in radians; nothing for other formats."""
    if mjcf_parts:
        turned = [part for part in mjcf_parts if "euler" in part.attributes] if not in_degrees(mjcf_parts) else []
        return tuple(Rpy(part, part, tuple(part.attributes["euler"].split())) for part in turned)
    if sdf_document is not None:
        tops = (sdf_document, *sdf_document.find_all("world"))
        inside = [part for top in tops for model in top.find_all("model") for part in model.children]
        return tuple(rpy for part in inside if part.tag != "plugin" for rpy in _of_poses(part, part))
    return tuple(
        Rpy(owner, origin, tuple(rpy.split()))
        for owner in (document.children if document else ())
        if owner.tag in ("link", "joint", "sensor")
        for origin in origins_of(owner)
        if (rpy := origin.attributes.get("rpy"))
    )


def _of_poses(element: Element, owner: Element) -> Iterator[Rpy]:
    """Yield the rpys in radians of all poses in an element, without those of plug-ins, whose meaning is unknown."""
    for child in element.children:
        if child.tag == "pose":
            words = child.text.split()
            form, degrees = child.get("rotation_format", "euler_rpy"), child.get("degrees", "false")
            if form == "euler_rpy" and degrees in ("false", "0") and len(words) == 2 * len(XYZ):
                yield Rpy(owner, child, tuple(words[len(XYZ) :]))
        elif child.tag != "plugin":
            yield from _of_poses(child, child if child.tag in OWNERS else owner)


@fact
def angles(rpys: tuple[Rpy, ...]) -> frozenset[str]:
    """Return the distinct texts of all numbers in rpys."""
    return frozenset(chain.from_iterable(rpy.numbers for rpy in rpys))
