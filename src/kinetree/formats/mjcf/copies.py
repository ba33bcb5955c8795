"""Copies of elements under other names, and of the elements outside of the bodies that refer to them."""

from collections.abc import Collection, Iterator

from kinetree.model.references import kind_of
from kinetree.syntax.xml.reader import Element

Names = Collection[tuple[str, str]]
"""(kind, name) of elements; kinds as in `kinetree.model.references`."""
SECTIONS = ("equality", "tendon", "contact", "actuator", "sensor")
"""Sections whose elements refer to parts of bodies, each section after those to which it refers."""
ASSETS = ("mesh", "material", "texture", "hfield")


def named(elements: Collection[Element], kind: str = "") -> set[tuple[str, str]]:
    """Return the names of elements. kind: of all, by default that of the tag."""
    return {(kind or e.tag.removeprefix("free"), e.attributes["name"]) for e in elements if e.get("name")}


def references(element: Element) -> Iterator[tuple[str, str, str]]:
    """Yield the attribute, kind and name of each reference of an element."""
    for attribute, name in element.attributes.items():
        kind = kind_of("mjcf", element.tag, attribute, element.attributes)
        if attribute in ASSETS:
            kind = attribute
        if kind and (attribute, element.tag) != ("name", "site"):
            yield attribute, kind, name


class Users:
    """Elements of a model outside of the bodies, by the names to which they refer."""

    def __init__(self, root: Element) -> None:
        self.by_name: dict[tuple[str, str], list[tuple[int, Element, Element]]] = {}
        self.count = 0
        for section in (section for tag in SECTIONS for section in root.find_all(tag)):
            for element in section.children:
                self.add(section, element)

    def add(self, section: Element, element: Element) -> None:
        for kind, name in {(kind, name) for e in element.walk() for _, kind, name in references(e)}:
            self.by_name.setdefault((kind, name), []).append((self.count, section, element))
        self.count += 1

    def of(self, names: set[tuple[str, str]]) -> list[tuple[Element, Element]]:
        """Return the section and each element that refers to some names, directly or through others; their own names
        are added to `names`."""
        found: dict[int, tuple[Element, Element]] = {}  # by their order
        left = sorted(names)
        while left:
            for number, section, element in self.by_name.get(left.pop(), ()):
                if number not in found and element in section.children:  # not replaced by copies
                    found[number] = section, element
                    new = named([element], section.tag) - names
                    names |= new
                    left += new
        return [found[number] for number in sorted(found)]


def renamed(element: Element, names: Names | None, before: str, behind: str = "", kind: str = "") -> Element:
    """Return a copy of an element with a text before and one behind those of `names`, or all names but the world's.

    kind: of the element's own name, by default that of its tag.
    """
    twin = Element(element.tag, dict(element.attributes), element.document, element.start)
    twin.end, twin.text = element.end, element.text
    own = [("name", kind or element.tag.removeprefix("free"), element.get("name") or "")]
    for attribute, of, name in (*own, *references(element)):
        if name and ((of, name) in names if names is not None else (of, name) != ("body", "world")):
            twin.attributes[attribute] = before + name + behind
    twin.children = [renamed(child, names, before, behind) for child in element.children]
    return twin
