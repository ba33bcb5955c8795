"""Elements to write, as a tree, so that what was kept from a file can go back to its place."""

import re
from collections.abc import Iterator

from kinetree.spatial import se3
from kinetree.spatial.se3 import IDENTITY, Array
from kinetree.syntax.numbers import format_number, format_numbers
from kinetree.syntax.xml.writer import XmlWriter

_PREFIX = re.compile(r"[<\s]([\w-]+):[\w-]+[\s=/>]")


class Node:
    """An element: its attributes, its text, and its children, which are nodes or text as it stood in a file."""

    def __init__(self, tag: str, text: str | None = None, **attributes: str | None) -> None:
        self.tag = tag
        self.text = text
        self.attributes = attributes
        self.children: list[Node | str] = []

    def add(self, tag: str, text: str | None = None, **attributes: str | None) -> "Node":
        """Add a child and return it."""
        node = Node(tag, text, **attributes)
        self.children.append(node)
        return node

    def number(self, tag: str, value: float) -> None:
        self.add(tag, format_number(value))

    def numbers(self, tag: str, values: object) -> None:
        self.add(tag, format_numbers(values))

    def pose(self, T: Array, relative_to: str | None = None) -> None:
        """Add a <pose>, unless it is the default."""
        if relative_to is not None or not (T == IDENTITY).all():
            xyz_rpy = (*T[:3, 3], *se3.rpy_from_rotation(T[:3, :3]))
            self.add("pose", format_numbers(xyz_rpy), relative_to=relative_to)

    def at(self, path: list[str]) -> "Node":
        """Return the descendant at a path of tags; missing elements are made."""
        node = self
        for tag in path:
            found = next((c for c in node.children if isinstance(c, Node) and c.tag == tag), None)
            node = found if found is not None else node.add(tag)
        return node

    def prefixes(self) -> Iterator[str]:
        """Yield the prefixes of all names in it."""
        for name in (self.tag, *self.attributes):
            prefix, colon, _ = name.partition(":")
            if colon:
                yield prefix
        for child in self.children:
            if isinstance(child, Node):
                yield from child.prefixes()
            else:
                yield from _PREFIX.findall(child)

    def write(self, xml: XmlWriter) -> None:
        if not self.children:
            xml.leaf(self.tag, self.text, **self.attributes)
            return
        with xml.open(self.tag, **self.attributes):
            for child in self.children:
                if isinstance(child, Node):
                    child.write(xml)
                else:
                    xml.raw(child)
