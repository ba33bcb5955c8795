"""Names in kept elements of other tools, found and replaced in their text."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from html import escape, unescape
from typing import TypeVar

from kinetree.errors import Finding
from kinetree.model.assemble import Parts
from kinetree.model.link import with_shapes
from kinetree.model.references import TEXT, fields_of, kind_of
from kinetree.model.robot import Extension, Geometry, Joint, Link, Sensor
from kinetree.syntax.xml.reader import Element, Report, parse

_TAG = re.compile(r"""<([\w:.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))+)""")
"""Pattern of a start tag: its name and its attributes."""
_ATTRIBUTE = re.compile(r"""([\w:.-]+)(\s*=\s*["'])([^"']*)""")
_TEXT = re.compile(r"(<([\w:.-]+)([^<>]*)>\s*)([^<>]*[^<>\s])(?=\s*</)")
"""Pattern of the whole text of an element."""

NewName = Callable[[str, str], str]
"""(kind of the place, the name there) to the name that it gets, which may be the same."""
Thing = TypeVar("Thing", Link, Geometry, Joint, Sensor)


def names_in(extension: Extension) -> set[str]:
    """Return every name of a part of the robot that an extension mentions."""
    found: dict[str, str] = {}
    replace_names(extension, lambda kind, name: found.setdefault(name, name))
    return set(found)


def replace_names(extension: Extension, new_name: NewName) -> Extension:
    """Return the extension with other names in the places that name parts of the robot."""

    def changed(kind: str, written: str) -> str:
        name = unescape(written)
        new = new_name(kind, name) if fields_of(kind) else name
        return written if new == name else escape(new)

    def in_tag(tag: re.Match[str]) -> str:
        attributes = _attributes(tag[2])

        def in_attribute(attribute: re.Match[str]) -> str:
            name, opening, value = attribute.groups()
            return name + opening + changed(kind_of(extension.format, tag[1], name, attributes), value)

        return f"<{tag[1]}" + _ATTRIBUTE.sub(in_attribute, tag[2])

    def in_text(element: re.Match[str]) -> str:
        return element[1] + changed(kind_of(extension.format, element[2], TEXT, _attributes(element[3])), element[4])

    return replace(extension, text=_TEXT.sub(in_text, _TAG.sub(in_tag, extension.text)))


def _attributes(tag: str) -> dict[str, str]:
    return {attribute[1]: unescape(attribute[3]) for attribute in _ATTRIBUTE.finditer(tag)}


def kept_elements(extensions: Iterable[Extension], format: str, tag: str) -> Iterator[tuple[Extension, Element]]:
    """Yield the extensions of a format with a tag that can be parsed, each with its element."""
    for one in extensions:
        file = one.source.file if one.source else "<text>"
        if (one.format, one.tag) == (format, tag) and (element := parse(one.text, file, Report())) is not None:
            yield one, element


def change_extensions(parts: Parts, change: Callable[[Extension], Extension | None]) -> None:
    """Change every extension of the parts: of the robot, its links, their shapes, its joints and sensors. change: None
    for one that goes."""

    def changed(thing: Thing) -> Thing:
        kept = tuple(filter(None, map(change, thing.extensions)))
        return replace(thing, extensions=kept) if thing.extensions else thing

    parts.extensions = list(filter(None, map(change, parts.extensions)))
    parts.links = [with_shapes(changed(link), changed) for link in parts.links]
    parts.joints = list(map(changed, parts.joints))
    parts.loops = list(map(changed, parts.loops))
    parts.sensors = list(map(changed, parts.sensors))


def stale(extensions: Iterable[Extension], gone: set[str], what: str) -> list[Finding]:
    """Return a warning for each extension that mentions a name in `gone`; `what` is the reason in the message."""
    notes = []
    for extension in extensions:
        if hit := sorted(names_in(extension) & gone):
            message = f"mentions {', '.join(map(repr, hit[:8]))}, {what}; it is kept as it stands"
            notes.append(Finding("stale-extension", "warning", message, extension.source, f"<{extension.tag}>"))
    return notes


def undriven(parts: Parts, joints: Collection[str], what: str) -> list[Finding]:
    """Return a note for each actuator of a joint other than `joints`; `what` is the reason in the message."""
    return [
        Finding("dropped", "info", f"drives {one.joint!r}, {what}; it is dropped", one.source, f"actuator {one.name!r}")
        for one in parts.actuators
        if one.joint not in joints
    ]


def unmoved(link: Link) -> list[Finding]:
    """Return a warning for each extension inside a link whose frame has moved: poses in it are not changed."""
    message = f"stands in link {link.name!r}, whose frame has moved; it is kept as it stands"
    return [Finding("stale-extension", "warning", message, e.source, f"<{e.tag}>") for e in link.extensions]
