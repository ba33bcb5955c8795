"""The names that kept elements of other tools mention, read and replaced without understanding the elements."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from html import escape, unescape

from kinetree.arguments import explained
from kinetree.errors import Finding
from kinetree.model.assemble import Parts
from kinetree.model.robot import Extension, Geometry, Link

_TAG = re.compile(r"""<([\w:.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))+)""")
"""A start tag: its name and its attributes."""
_ATTRIBUTE = re.compile(r"""([\w:.-]+)(\s*=\s*["'])([^"']*)""")
_TEXT = re.compile(r"(<([\w:.-]+)[^<>]*>\s*)([^<>]*[^<>\s])(?=\s*</)")
"""The whole text of an element."""
_REFERS = re.compile(
    r"\w*(link|joint|body|site|frame|parent|child|base|tip|target|reference|objname|refname|tendon|jointinparent)"
    r"(_?name|_?id)?\d*",
    re.IGNORECASE,
)
"""Attributes and elements whose value is the name of a part of the robot. A `type`, a `filename` or a `topic` may be
spelt like a link and yet be none."""

Change = Callable[[tuple[Extension, ...]], tuple[Extension, ...]]


@explained
def words(extension: Extension) -> set[str]:
    """Every name that an extension refers to."""
    found: set[str] = set()

    def look(word: str) -> str:
        found.add(word)
        return word

    _each_reference(extension.text, look)
    return found


def replace_words(extension: Extension, names: Mapping[str, str]) -> Extension:
    """The extension with every reference to a key of `names` replaced."""
    return replace(extension, text=_each_reference(extension.text, lambda word: names.get(word, word)))


def _each_reference(text: str, change: Callable[[str], str]) -> str:
    """The text with every attribute value and element text that is a reference put through `change`."""

    def changed(word: str) -> str:
        new = change(unescape(word))
        return word if new == unescape(word) else escape(new)

    def in_tag(tag: re.Match[str]) -> str:
        def in_attribute(attribute: re.Match[str]) -> str:
            name, opening, word = attribute.groups()
            refers = _REFERS.fullmatch(tag[1] if name == "name" else name)
            return name + opening + (changed(word) if refers else word)

        return f"<{tag[1]}" + _ATTRIBUTE.sub(in_attribute, tag[2])

    def in_text(element: re.Match[str]) -> str:
        return element[1] + (changed(element[3]) if _REFERS.fullmatch(element[2]) else element[3])

    return _TEXT.sub(in_text, _TAG.sub(in_tag, text))


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
