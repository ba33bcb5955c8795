"""Elements of an XML file, and the bytes of their attributes."""

import re
from collections import ChainMap
from collections.abc import Iterator, Mapping
from html import escape

from kinetree.errors import Source
from kinetree.syntax.xml.document import Document, tag_end
from kinetree.syntax.xml.lenient import changes_of, well_formed


class Element:
    """One element: tag, attributes, child elements, text, and its place in a document."""

    __slots__ = ("attributes", "children", "document", "end", "start", "tag", "text")

    def __init__(self, tag: str, attributes: dict[str, str], document: Document, start: int) -> None:
        self.tag, self.attributes, self.document = tag, attributes, document
        self.children: list[Element] = []
        self.text = ""
        self.start = self.end = start  # the bytes of "<", and of its end tag, or just after "/>"

    def get(self, name: str, default: str | None = None) -> str | None:
        return self.attributes.get(name, default)

    def find(self, tag: str) -> "Element | None":
        for child in self.children:
            if child.tag == tag:
                return child
        return None

    def find_all(self, tag: str) -> "list[Element]":
        return [child for child in self.children if child.tag == tag]

    def walk(self) -> "Iterator[Element]":
        left = [self]
        while left:
            yield (element := left.pop())
            left += element.children[::-1]

    @property
    def label(self) -> str:
        """Name in messages: `joint 'elbow'`, or `<axis>` without a name."""
        name = self.attributes.get("name")
        return f"{self.tag} {name!r}" if name else f"<{self.tag}>"

    @property
    def source(self) -> Source:
        return self.document.source(self.start)

    def holder(self, attribute: str) -> "Element":
        """Return the element in which an attribute is written, which is another if this one has it from a class."""
        return self

    def place(self, attribute: str) -> Source:
        """Return the place of the value of an attribute."""
        found = attribute_spans(self).get(attribute)
        return self.document.source(found[1] if found else self.start)

    @property
    def raw(self) -> str:
        """The element as written in the file, comments and white space included, but always well-formed."""
        written = self.document.data[self.start : self.stop]
        return (well_formed(written, changes_of(written)) if self.document.lenient else written).decode()

    @property
    def kept(self) -> str:
        """The element as written, with the name spaces that it uses, as declared around it by `document.spaces`."""
        return declared(self.raw, self.document.spaces.get(self.start, {}))

    @property
    def tag_stop(self) -> int:
        """Byte after its start tag."""
        return tag_end(self.document.data, self.start)

    @property
    def empty(self) -> bool:
        """Whether its start tag also ends it: `<link/>`."""
        stop = self.tag_stop
        return self.document.data[stop - 2 : stop] == b"/>"

    @property
    def stop(self) -> int:
        """Byte after its end tag."""
        # an empty element may have the end of another right after it
        return self.tag_stop if self.empty else self.document.data.index(b">", self.end) + 1


def spaces_in(root: Element, whole: bool) -> dict[int, ChainMap[str, str]]:
    """Return the name spaces that are declared around elements, by their start; whole: also those of the root."""
    found, left = {}, [(root, ChainMap[str, str]())]
    while left:
        element, around = left.pop()
        found[element.start] = around
        own = {name: uri for name, uri in element.attributes.items() if name.startswith("xmlns:")}
        inside = around.new_child(own) if own and (whole or element is not root) else around
        left += [(child, inside) for child in element.children]
    return found


def declared(text: str, spaces: Mapping[str, str]) -> str:
    """Return the text of an element with those declarations, {"xmlns:in": uri}, that it uses and does not have."""
    if not spaces:
        return text
    tag = re.match(r"""<([^\s/>]+)(?:[^"'>]|"[^"]*"|'[^']*')*>""", text)
    assert tag
    used = {f"xmlns:{prefix}" for prefix in re.findall(r"[<\s]([\w.-]+):", text)}
    missing = [name for name in sorted(used) if name in spaces and not re.search(rf"\s{re.escape(name)}\s*=", tag[0])]
    more = "".join(f' {name}="{escape(spaces[name])}"' for name in missing)
    return text[: tag.end(1)] + more + text[tag.end(1) :]


Span = tuple[int, int, int, int]
_ATTRIBUTE = re.compile(rb"""([^\s=/<>"']++)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)')""")


def attribute_spans(element: Element) -> dict[str, Span]:
    """Return {attribute: (start of its name, start of its value, end of its value, byte after its quote)}."""
    return {
        m[1].decode(): (m.start(), *(m.span(2) if m[2] is not None else m.span(3)), m.end())
        for m in _ATTRIBUTE.finditer(element.document.data, element.start, element.tag_stop)
    }
