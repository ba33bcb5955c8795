"""The names that kept elements of other tools mention, found and replaced in their text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from html import escape, unescape

from kinetree.errors import Finding
from kinetree.model.assemble import Parts
from kinetree.model.references import TEXT, fields_of, kind_of
from kinetree.model.robot import Extension, Geometry, Link

_TAG = re.compile(r"""<([\w:.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))+)""")
"""A start tag: its name and its attributes."""
_ATTRIBUTE = re.compile(r"""([\w:.-]+)(\s*=\s*["'])([^"']*)""")
_TEXT = re.compile(r"(<([\w:.-]+)([^<>]*)>\s*)([^<>]*[^<>\s])(?=\s*</)")
"""The whole text of an element."""

NewName = Callable[[str, str], str]
"""(kind of the place, the name there) to the name that it gets, which may be the same."""
Change = Callable[[tuple[Extension, ...]], tuple[Extension, ...]]


def names_in(extension: Extension) -> set[str]:
    """Return every name of a part of the robot that an extension mentions."""
    found: set[str] = set()

    def look(kind: str, name: str) -> str:
        found.add(name)
        return name

    replace_names(extension, look)
    return found


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


def change_extensions(parts: Parts, change: Change) -> None:
    """Put every tuple of extensions of the parts through `change`."""

    def geometries(shapes: Iterable[Geometry]) -> tuple[Geometry, ...]:
        return tuple(replace(g, extensions=change(g.extensions)) if g.extensions else g for g in shapes)

    parts.extensions = list(change(tuple(parts.extensions)))
    parts.links = [
        replace(
            link,
            extensions=change(link.extensions),
            visuals=geometries(link.visuals),
            collisions=geometries(link.collisions),
        )
        for link in parts.links
    ]
    parts.joints = [replace(joint, extensions=change(joint.extensions)) for joint in parts.joints]
    parts.sensors = [replace(sensor, extensions=change(sensor.extensions)) for sensor in parts.sensors]


def stale(extensions: Iterable[Extension], gone: set[str], what: str) -> list[Finding]:
    """Return a warning for each extension that mentions a name in `gone`; `what` says what became of it."""
    notes = []
    for extension in extensions:
        if hit := sorted(names_in(extension) & gone):
            message = f"mentions {', '.join(map(repr, hit[:8]))}, {what}; it is kept as it stands"
            notes.append(Finding("stale-extension", "warning", message, extension.source, f"<{extension.tag}>"))
    return notes


def unmoved(link: Link) -> list[Finding]:
    """Return a warning for each extension inside a link whose frame has moved: poses in it are not changed."""
    message = f"stands in link {link.name!r}, whose frame has moved; it is kept as it stands"
    return [Finding("stale-extension", "warning", message, e.source, f"<{e.tag}>") for e in link.extensions]
