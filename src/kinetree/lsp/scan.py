"""Tags of an XML text that may be broken, as it is during typing.

Readers parse; this only finds tags, attributes and their places, in time proportional to the text.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from kinetree.lsp.text import Text

_MARKUP = re.compile(
    r"<!--.*?(?:-->|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)|<\?.*?(?:\?>|\Z)"
    r"|</(?P<end>[^\s<>/]*+)[^<>]*+>?"
    r"|<(?P<tag>[^\s/<>\"'=!?]*+)(?P<inside>(?:[^<>\"']++|\"[^\"<]*+\"|'[^'<]*+')*+(?:[\"'][^<>\n]*+)?+)>?",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r"""([^\s=/<>"']++)\s*+=\s*+(?:"([^"<]*+)"?|'([^'<]*+)'?)""")
MOST_OPEN = 100
"""Most open tags; deeper ones count as children of the last."""
DIALECTS = {"robot": "urdf", "sdf": "sdf", "mujoco": "mjcf", "mujocoinclude": "mjcf"}
"""Root elements to the dialects of `kinetree.model.references`."""


class Attribute(NamedTuple):
    """An attribute: its name, value, and the offsets at which its name begins, and its value begins and ends."""

    name: str
    value: str
    at: int
    start: int
    stop: int


@dataclass(eq=False, slots=True)
class Tag:
    """An element: offset of "<", after its start tag, and after its end tag; the number of its parent, or -1."""

    name: str
    start: int
    stop: int
    end: int
    parent: int
    attributes: tuple[Attribute, ...]

    def get(self, name: str) -> str:
        """Return the value of an attribute, "" without one."""
        return next((one.value for one in self.attributes if one.name == name), "")


@dataclass(frozen=True, eq=False)
class Scan:
    """Tags of a text in their order. dialect: key of `kinetree.model.references.REFERENCES`, "" for other texts."""

    text: Text
    tags: tuple[Tag, ...]
    dialect: str

    @cached_property
    def starts(self) -> list[int]:
        """Offsets of the tags."""
        return [tag.start for tag in self.tags]

    def at(self, offset: int) -> int:
        """Return the number of the innermost element around an offset, or -1."""
        number = bisect_right(self.starts, offset) - 1
        while number >= 0 and self.tags[number].end <= offset:
            number = self.tags[number].parent
        return number

    def above(self, number: int) -> list[Tag]:
        """Return the elements around an element, the innermost first."""
        found = []
        while (number := self.tags[number].parent) >= 0:
            found.append(self.tags[number])
        return found

    def leaf_text(self, number: int) -> tuple[int, int]:
        """Return the offsets of the text of an element without children, without white space; equal ones without."""
        tag = self.tags[number]
        if number + 1 < len(self.tags) and self.tags[number + 1].start < tag.end:
            return tag.stop, tag.stop
        written = self.text.content[tag.stop : tag.end].partition("<")[0]
        start = tag.stop + len(written) - len(written.lstrip())
        return (start, start + len(written.strip())) if written.strip() else (tag.stop, tag.stop)


def scan(text: Text, file: str) -> Scan:
    """Return the tags of a text. file: its name, which tells an SRDF from a URDF."""
    tags: list[Tag] = []
    stack: list[int] = []
    for match in _MARKUP.finditer(text.content):
        if match["tag"] is not None:
            inside = match["inside"]
            attributes = tuple(_attributes(text.content, *match.span("inside")))
            parent = stack[-1] if stack else -1
            tags.append(Tag(match["tag"], match.start(), match.end(), match.end(), parent, attributes))
            if not inside.endswith("/") and match["tag"] and len(stack) < MOST_OPEN:
                stack.append(len(tags) - 1)
        elif match["end"] is not None:
            level = next((k for k in range(1, len(stack) + 1) if tags[stack[-k]].name == match["end"]), 0)
            for number in stack[len(stack) - level :] if level else ():
                tags[number].end = match.end()
            del stack[len(stack) - level :]
    for number in stack:
        tags[number].end = len(text.content) + 1
    root = tags[0].name if tags else ""
    srdf = root == "robot" and file.lower().endswith((".srdf", ".srdf.xacro"))
    return Scan(text, tuple(tags), "srdf" if srdf else DIALECTS.get(root, "urdf" if ".xacro" in file.lower() else ""))


def _attributes(content: str, start: int, stop: int) -> "list[Attribute]":
    found = []
    for match in _ATTRIBUTE.finditer(content, start, stop):
        group = 2 if match[2] is not None else 3
        found.append(Attribute(match[1], match[group], match.start(), *match.span(group)))
    return found
