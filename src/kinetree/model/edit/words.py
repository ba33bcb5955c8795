"""The names that kept elements of other tools mention, read and replaced without understanding the elements."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from html import escape, unescape

from kinetree.errors import Finding
from kinetree.model.assemble import Parts
from kinetree.model.robot import Extension, Geometry, Link

_WORD = re.compile(r"""(=\s*")([^"<]*)(?=")|(=\s*')([^'<]*)(?=')|(>\s*)([^<>]*[^<>\s])(?=\s*<)""")
"""An attribute's value, or the whole text of an element: the opening, then the word."""

Change = Callable[[tuple[Extension, ...]], tuple[Extension, ...]]


def words(extension: Extension) -> set[str]:
    """Every attribute value and every element text of an extension."""
    return {unescape(match[match.lastindex or 0]) for match in _WORD.finditer(extension.text)}


def replace_words(extension: Extension, names: Mapping[str, str]) -> Extension:
    """The extension with every attribute value and element text that equals a key of `names` replaced."""

    def change(match: re.Match[str]) -> str:
        opening, word = (part for part in match.groups() if part is not None)
        new = names.get(unescape(word))
        return opening + (word if new is None else escape(new))

    return replace(extension, text=_WORD.sub(change, extension.text))


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


def all_words(parts: Parts) -> set[str]:
    """Every word of every extension of the parts."""
    found: set[str] = set()

    def look(extensions: tuple[Extension, ...]) -> tuple[Extension, ...]:
        found.update(*(words(extension) for extension in extensions))
        return extensions

    change_extensions(parts, look)
    return found


def stale(extensions: Iterable[Extension], gone: set[str], what: str) -> list[Finding]:
    """A warning for each extension that mentions a name in `gone`; `what` says what became of it."""
    notes = []
    for extension in extensions:
        if hit := sorted(words(extension) & gone):
            message = f"mentions {', '.join(map(repr, hit[:8]))}, {what}; it is kept as it stands"
            notes.append(Finding("stale-extension", "warning", message, extension.source, f"<{extension.tag}>"))
    return notes


def unmoved(link: Link) -> list[Finding]:
    """A warning for each extension inside a link whose frame has moved: poses in it, if any, are not changed."""
    message = f"stands in link {link.name!r}, whose frame has moved; it is kept as it stands"
    return [Finding("stale-extension", "warning", message, e.source, f"<{e.tag}>") for e in link.extensions]
