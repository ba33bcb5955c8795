"""New names of links and joints, followed to every place of the model.

A place is followed where it is plain what it names; where it may be something else, nothing is renamed at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kinetree.conventions.edit import Edit
from kinetree.conventions.same import Names
from kinetree.errors import KinetreeError, Source, fail
from kinetree.formats.xml import Element, Report, attribute_spans, parse
from kinetree.formats.xml_writer import attributes_text
from kinetree.model.robot import Robot

KINDS = ("link", "joint")
FREE = ("filename", "uri", "type", "class", "version", "plugin")
"""Attributes whose values name nothing of the robot."""


def in_document(root: Element, renamed: Names, robot: Robot) -> list[Edit]:
    """The edits that rename links and joints in a URDF text. Raises KinetreeError where a place is ambiguous."""
    return [edit for element in root.walk() for edit in _of_element(element, renamed, robot)]


def check_left(renamed: Names, robot: Robot) -> None:
    """Raises KinetreeError where a file of a renamed robot still has an old name: xacro has made nothing of that place
    with these arguments, but will with others."""
    gone = {old for _, old in renamed if old not in robot.links and old not in robot.joints}
    files = robot.text.files if gone and robot.text else {}
    for name, text in files.items():
        root = parse(text, name, Report())
        for element in root.walk() if root else ():
            values = [value for key, value in element.attributes.items() if _kind(element.tag, key)]
            if left := gone.intersection([*values, element.text.strip()]):
                said = f"{min(left)!r} stands in a part of which nothing is made with these arguments"
                raise ambiguous(element.source, said)


def _of_element(element: Element, renamed: Names, robot: Robot) -> Iterator[Edit]:
    spans = attribute_spans(element)
    for name, value in element.attributes.items():
        kind = _kind(element.tag, name)
        if kind and (new := new_name(value, kind, renamed, robot, element.source)):
            _, start, stop, _ = spans[name]
            yield Edit(element.document.file, start, stop, quoted(new))
    if element.text and not element.children:
        data = element.document.data[element.tag_stop : element.end].decode()
        kind = next((kind for kind in KINDS if kind in element.tag.lower()), "any")
        if new := new_name(data.strip(), kind, renamed, robot, element.source):
            start = element.tag_stop + len(data[: len(data) - len(data.lstrip())].encode())
            yield Edit(element.document.file, start, start + len(data.strip().encode()), quoted(new))


def _kind(tag: str, attribute: str) -> str:
    """What an attribute names: "link", "joint", "any" of them, or "" for nothing of the robot."""
    if attribute == "name":
        return tag if tag in KINDS else ""
    if attribute in KINDS:
        return attribute
    return "" if attribute in FREE or attribute.startswith("xmlns") else "any"


def new_name(value: str, kind: str, renamed: Names, robot: Robot, source: Source) -> str | None:
    """The new name, if a value is an old one."""
    if kind in KINDS:
        return renamed.get((kind, value))
    news = {renamed.get(("link", value))} if value in robot.links else set()
    news |= {renamed.get(("joint", value))} if value in robot.joints else set()
    if len(news) > 1:
        raise ambiguous(source, f"{value!r} is a link and a joint")
    if news:
        return news.pop()
    check_words(value, renamed, source)
    return None


def check_words(value: str, renamed: Names, source: Source) -> None:
    """Raises KinetreeError for a value with an old name in it."""
    old = {name for _, name in renamed}
    if part := next((word for word in re.findall(r"\w+", value) if word in old), None):
        raise ambiguous(source, f"{value!r} has the name {part!r} in it")


def quoted(name: str) -> str:
    """A name as the value of an attribute in either quotes."""
    return attributes_text({"n": name})[3:-1].replace("'", "&apos;")


def ambiguous(source: Source, why: str) -> KinetreeError:
    """The error for a place where old names may be meant."""
    return fail("fix", f"{source}: {why}, and it is not plain what is meant there")
