"""Tags of an XML text that may be broken, as it is during typing, and the outline of its named elements.

Readers parse; this only finds tags, attributes and their places, in time proportional to the text.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from kinetree.lsp.answers import Symbol
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


SHOWN = (
    *("robot", "link", "joint", "model", "world", "frame", "sensor", "light", "plugin", "group", "group_state"),
    *("end_effector", "virtual_joint", "body", "site", "geom", "freejoint", "actuator", "tendon", "worldbody"),
    *("mujoco", "ros2_control", "transmission", "xacro:macro", "xacro:property", "xacro:arg", "xacro:include"),
)
"""Tags of the outline."""
ENDS = ("parent", "child")
MOST = 20_000
"""Most symbols of an outline."""


def outline(scan: Scan) -> tuple[Symbol, ...]:
    """Return the symbols of a text, also of a broken one."""
    inner: dict[int, list[Symbol]] = {}
    shown = [number for number, tag in enumerate(scan.tags) if _is_shown(scan, number, tag)][:MOST]
    known = set(shown)
    for number in reversed(shown):  # children before parents
        symbol = _symbol(scan, number, tuple(reversed(inner.get(number, ()))))
        owner = scan.tags[number].parent
        while owner >= 0 and owner not in known:
            owner = scan.tags[owner].parent
        inner.setdefault(owner, []).append(symbol)
    return tuple(reversed(inner.get(-1, ())))


def _is_shown(scan: Scan, number: int, tag: Tag) -> bool:
    call = tag.name.startswith("xacro:") and tag.name not in SHOWN and bool(tag.attributes)
    instruction = tag.name in ("xacro:if", "xacro:unless", "xacro:insert_block", "xacro:element", "xacro:attribute")
    return tag.name in SHOWN or (call and not instruction)


def _symbol(scan: Scan, number: int, children: tuple[Symbol, ...]) -> Symbol:
    tag = scan.tags[number]
    named = next((one for one in tag.attributes if one.name in ("name", "filename", "reference", "model")), None)
    kind = tag.name.removeprefix("xacro:") if tag.name in SHOWN else "call"
    name = named.value if named and named.value.strip() else f"<{tag.name}>"
    length = len(scan.text.content)
    span = scan.text.span(tag.start, min(tag.end, length))
    at = (named.start, named.stop) if named and named.stop <= tag.end else (tag.start, min(tag.stop, length))
    return Symbol(name, kind, _detail(scan, number, tag), span, scan.text.span(*at), children)


def _detail(scan: Scan, number: int, tag: Tag) -> str:
    """Return the type of a joint with its links, the parameters of a macro, or the value of a property."""
    if tag.name == "joint":
        ends = {}
        for k in range(number + 1, min(number + 30, len(scan.tags))):
            child = scan.tags[k]
            if child.start >= tag.end:
                break
            if child.parent == number and child.name in ENDS:
                ends[child.name] = child.get("link") or scan.text.content[slice(*scan.leaf_text(k))]
        links = f"{ends.get('parent', '?')} → {ends.get('child', '?')}" if ends else ""
        return ": ".join(filter(None, (tag.get("type"), links)))
    return tag.get("params") or tag.get("value") or tag.get("default") or tag.get("type")
