"""Edits of a text at exact bytes; everything else stays, comments and white space included."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from kinetree.errors import fail
from kinetree.spatial.se3 import Array
from kinetree.syntax.xml.encoding import text_of
from kinetree.syntax.xml.reader import Document, Element, attribute_spans
from kinetree.syntax.xml.writer import attributes_text

REST_OF_LINE = re.compile(rb"(?:[ \t]*<!--(?:(?!-->)[^\r\n])*-->)*[ \t]*(?=\r?\n)")

COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)

NewNames = Mapping[tuple[str, str], str]
"""("link" or "joint", old name) to new name."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Replacement of the bytes from start to stop of a file by `text`. The bytes count in the text that the readers of
    XML see: UTF-8 without a byte order mark. `on_disk` applies the edit to the file itself."""

    file: str
    start: int
    stop: int
    text: str


class New(NamedTuple):
    """A new element."""

    tag: str
    attributes: Mapping[str, str]
    children: "tuple[New, ...]" = ()


@dataclass(frozen=True, slots=True)
class Insertion(Edit):
    """An edit that adds elements after another, or inside it before its children."""

    near: Element = field(compare=False)
    new: tuple[New | str, ...] = field(compare=False)
    inside: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Setting(Edit):
    """An edit that sets an attribute of an element; without a name, the element's text."""

    element: Element = field(compare=False)
    name: str = field(compare=False)
    value: str = field(compare=False)


@dataclass(frozen=True)
class Repair:
    """Repair of one finding: its element, and the edits, or the reason why there are none.

    renamed: links and joints that the edits rename, ("link", old name) to new name. turned: links that the edits turn,
    and T_old_new (4, 4) of each. keeps: edits that keep what is attached to these in its place.
    """

    element: str
    edits: tuple[Edit, ...] = ()
    because: str = ""
    renamed: NewNames = field(default_factory=dict)
    turned: Mapping[str, Array] = field(default_factory=dict, compare=False)
    keeps: tuple[Edit, ...] = ()


def on_disk(content: bytes, edits: Iterable[Edit]) -> bytes:
    """Return the content of a file after edits, whatever its encoding. Edits may have any order; insertions at one
    place keep theirs; bytes that are not UTF-8 become the letters as which they are read. Raises KinetreeError if two
    edits overlap, if the encoding of the file lacks a character, and if Python encodes the text of the file
    differently, so that its bytes cannot be located."""
    mark, encoding, text = text_of(content)
    if encoding != "utf-8" and text.encode(encoding) != content[len(mark) :]:
        raise fail("edit", f"its bytes are not those that {encoding} gives its text, so nothing can be edited in place")
    parts = [mark]
    data = text.encode()
    shift = _renamed_encoding(data)
    done = 0
    try:
        for edit in _in_order(edits):
            start, stop = edit.start + shift, edit.stop + shift
            parts += [data[done:start].decode().encode(encoding), edit.text.encode(encoding)]
            done = stop
    except UnicodeEncodeError as error:
        message = f"{error.object[error.start : error.end]!r} cannot be said in {encoding.upper()},"
        message += " the encoding of the file"
        raise fail("edit", message) from None
    return b"".join([*parts, data[done:].decode().encode(encoding)])


def _renamed_encoding(data: bytes) -> int:
    """Return how many bytes longer the text is than the readers' text, which declares UTF-8."""
    declared = re.match(rb"<\?xml[^>]*?\sencoding\s*=\s*[\"']([A-Za-z0-9._-]+)", data)
    return len(declared[1]) - len("UTF-8") if declared and declared[1].lower() != b"utf-8" else 0


def applied(data: bytes, edits: Iterable[Edit]) -> bytes:
    """Return UTF-8 text after edits; see `on_disk`."""
    parts, done = [], 0
    for edit in _in_order(edits):
        parts += [data[done : edit.start], edit.text.encode()]
        done = edit.stop
    return b"".join([*parts, data[done:]])


def _in_order(edits: Iterable[Edit]) -> list[Edit]:
    """Return edits by their places, each once. Raises KinetreeError if two overlap."""
    ordered = sorted(dict.fromkeys(edits), key=lambda edit: (edit.start, edit.stop))
    for a, b in pairwise(ordered):
        if b.start < a.stop:
            message = f"two edits want to change bytes {b.start} to {max(a.stop, b.stop)} of {a.file}"
            raise fail("edit", message)
    return ordered


def set_attribute(element: Element, name: str, value: str) -> Setting:
    """Return the edit that sets an attribute, or adds it after the others."""
    spans, file = attribute_spans(element), element.document.file
    written = attributes_text({name: value})
    if name not in spans:
        at = max((stop for *_, stop in spans.values()), default=element.start + 1 + len(element.tag.encode()))
        return Setting(file, at, at, f" {written}", element, name, value)
    _, start, stop, _ = spans[name]
    single = element.document.data[stop : stop + 1] == b"'"
    text = quoted(value) if single else written[len(name) + 2 : -1]
    return Setting(file, start, stop, text, element, name, value)


def set_text(element: Element, value: str) -> Setting:
    """Return the edit that replaces the text of an element without children; white space and comments stay."""
    if element.empty:
        place = element.document.file, element.tag_stop - 2, element.tag_stop
        return Setting(*place, f">{quoted(value)}</{element.tag}>", element, "", value)
    written = element.document.data[element.tag_stop : element.end]
    bare = COMMENT.sub(lambda comment: b" " * len(comment[0]), written)
    first, last = len(bare) - len(bare.lstrip()), len(bare.rstrip())
    inside = b"".join(b" " + comment for comment in COMMENT.findall(written, first, last)).decode()
    start, stop = element.tag_stop + first, element.tag_stop + max(first, last)
    return Setting(element.document.file, start, stop, quoted(value) + inside, element, "", value)


def quoted(value: str) -> str:
    """Return a text as an attribute's value in either quotes."""
    return attributes_text({"n": value})[3:-1].replace("'", "&apos;")


def replace_attribute(element: Element, old: str, name: str, value: str) -> Edit:
    """Return the edit that replaces an attribute by another."""
    start, _, _, stop = attribute_spans(element)[old]
    return Edit(element.document.file, start, stop, attributes_text({name: value}))


def insert_after(element: Element, *new: New | str) -> Insertion:
    """Return the edit that adds elements after another and the comments on its line, each on its own line if the other
    is."""
    indent, at = indentation(element), element.stop
    text = "".join(_line_start(element, indent) + _text(item, element, indent) for item in new)
    if indent is not None and (behind := REST_OF_LINE.match(element.document.data, at)):
        at = behind.end()
    return Insertion(element.document.file, at, at, text, element, new)


def insert_inside(element: Element, *new: New | str, first: bool = False) -> Edit:
    """Return the edit that adds elements after the children of another, or before them."""
    file, indent = element.document.file, indentation(element)
    if element.children and not first:
        return insert_after(element.children[-1], *new)
    if element.children:
        child = element.children[0]
        inner = indentation(child)
        text = "".join(_text(item, child, inner) + _line_start(child, inner) for item in new)
        return Insertion(file, child.start, child.start, text, element, new, True)
    inner = None if indent is None else indent + indent_unit(element.document)
    text = "".join(_line_start(element, inner) + _text(item, element, inner) for item in new)
    text += _line_start(element, indent)
    if element.empty:
        head = element.document.data[element.start : element.tag_stop - 2]
        start = element.start + len(head.rstrip())
        return Insertion(file, start, element.tag_stop, f">{text}</{element.tag}>", element, new, True)
    return Insertion(file, element.tag_stop, element.end, text, element, new, True)


def remove(element: Element) -> Edit:
    """Return the edit that removes an element, with its lines if nothing else is on them."""
    data, start, stop = element.document.data, element.start, element.stop
    behind = re.compile(rb"[ \t]*(?=\r?\n)").match(data, stop)
    if indentation(element) is not None and behind:
        start, stop = data.rindex(b"\n", 0, start), behind.end()
        start -= data[start - 1 : start] == b"\r"
    return Edit(element.document.file, start, stop, "")


def edited(element: Element, edits: Sequence[Edit]) -> str:
    """Return the text of an element after edits inside it, without its indentation."""
    inner = [Edit(e.file, e.start - element.start, e.stop - element.start, e.text) for e in edits]
    text = applied(element.document.data[element.start : element.stop], inner).decode()
    indent = indentation(element)
    return text.replace(f"\n{indent}", "\n") if indent else text


def indentation(element: Element) -> str | None:
    """Return the white space before an element, or None if something else is before it on its line."""
    data = element.document.data
    start = data.rfind(b"\n", 0, element.start)
    before = data[start + 1 : element.start]
    return before.decode() if start >= 0 and not before.strip() else None


def indent_unit(document: Document) -> str:
    """Return the indentation of a child in its parent: that of the first indented tag."""
    first = re.compile(rb"^([ \t]+)<\w", re.MULTILINE).search(document.data)
    return first[1].decode() if first else "  "


def _line_start(element: Element, indent: str | None) -> str:
    data = element.document.data
    newline = "\r\n" if data[(at := data.find(b"\n")) - 1 : at] == b"\r" else "\n"
    return "" if indent is None else newline + indent


def _text(new: New | str, near: Element, indent: str | None) -> str:
    """Return new elements as lines of the file; a text has its own lines."""
    if isinstance(new, str):
        return new.replace("\n", f"\n{indent}") if indent else new
    unit = "" if indent is None else indent_unit(near.document)
    return _line_start(near, indent).join(_lines(new, unit))


def _lines(new: New, unit: str) -> list[str]:
    head = f"<{new.tag} {attributes_text(new.attributes)}".rstrip()
    if not new.children:
        return [f"{head}/>"]
    inner = [f"{unit}{line}" for child in new.children for line in _lines(child, unit)]
    return [f"{head}>", *inner, f"</{new.tag}>"]
