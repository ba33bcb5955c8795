"""Pairs of bodies that an <exclude> of MJCF names: the disabled collisions of a robot's semantic description."""

from collections.abc import Collection, Iterable
from dataclasses import replace

from kinetree.formats.mjcf.writing import Job
from kinetree.model.assemble import Parts
from kinetree.model.semantic import CollisionPair, Semantic
from kinetree.syntax.xml.reader import Element
from kinetree.syntax.xml.writer import XmlWriter, element_text

REASON = "Exclude"
"""Reason of the pairs that an MJCF excludes."""


def pairs_in(section: Element, links: Collection[str]) -> tuple[CollisionPair, ...]:
    """Return the pairs of links that a <contact> excludes."""
    elements = [own for own in section.find_all("exclude") if _pair(own) <= {*links}]
    return tuple(
        CollisionPair(own.attributes["body1"], own.attributes["body2"], REASON, source=own.source) for own in elements
    )


def add_pairs(parts: Parts, section: Element) -> None:
    """Add the pairs that a <contact> excludes to the semantic description of the parts."""
    semantic = parts.semantic or Semantic(parts.name)
    if pairs := pairs_in(section, {link.name for link in parts.links}):
        parts.semantic = replace(semantic, disabled_collisions=(*semantic.disabled_collisions, *pairs))


def write_pairs(xml: XmlWriter, job: Job, sections: Iterable[Element]) -> None:
    """Write the kept elements of <contact>, without pairs that the description of the robot does not disable any more,
    and an <exclude> for each other pair that it disables."""
    elements, links = [element for section in sections for element in section.children], job.robot.links
    pairs: dict[frozenset[str], CollisionPair] = {}
    if (semantic := job.robot.semantic) is not None:
        shaped = [name for name, link in links.items() if link.collisions]
        pairs = {one.links: one for one in semantic.pairs_disabled(shaped)}
        elements = [
            own for own in elements if own.tag != "exclude" or _pair(own) in pairs or not _pair(own) <= {*links}
        ]
    known = {_pair(own) for own in elements if own.tag == "exclude"}
    new = [one for pair, one in pairs.items() if pair <= {*links} and pair not in known]
    if not elements and not new:
        return
    with xml.open("contact"):
        for element in elements:
            xml.raw(*element_text(element).splitlines())
        for one in new:
            xml.leaf("exclude", body1=one.link1, body2=one.link2)
            xml.remark(": ".join(filter(None, (one.reason, one.evidence))) if one.reason != REASON else "")


def _pair(element: Element) -> frozenset[str]:
    return frozenset(element.get(at) or "" for at in ("body1", "body2"))
