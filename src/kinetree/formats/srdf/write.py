"""Semantic description of a robot to SRDF text."""

from collections.abc import Collection
from dataclasses import fields
from typing import Any

from kinetree.display import some
from kinetree.errors import Finding
from kinetree.model.robot import Robot
from kinetree.model.semantic import CHILDREN, NO_ATTRIBUTES, TAGS, Member
from kinetree.model.semantic_groups import semantic_of
from kinetree.syntax.numbers import format_numbers
from kinetree.syntax.xml.writer import XmlWriter

INNER = {"joints": "joint", "spheres": "sphere"}


def write(robot: Robot, without: Collection[str] = (), notes: list[Finding] | None = None) -> str:
    """Return the semantic description of a robot as the text of an SRDF file; groups are those of the robot.

    without: "group" and "extension" leave these out. notes: a list that gets remarks on what SRDF lacks.
    """
    semantic = semantic_of(robot)
    extensions = [one for one in semantic.extensions if "extension" not in without]
    lost = [one.tag for one in extensions if one.format != "srdf"]
    lost += ["buffer_distance" for one in semantic.sphere_approximations if one.buffer or one.self_buffer]
    if lost and notes is not None:
        message = f"SRDF is written without what only XRDF has: {some(dict.fromkeys(lost))}"
        notes.append(Finding("planned", "info", message, robot.source, f"robot {robot.name!r}"))
    xml = XmlWriter()
    for line in semantic.evidence.splitlines():
        xml.comment(line)
    with xml.open("robot", name=semantic.name):
        for field, (tag, _) in TAGS.items():
            for item in getattr(semantic, field) if field != "groups" or "group" not in without else ():
                _write(xml, tag, item)
        xml.raw(*(extension.text for extension in extensions if extension.format == "srdf"))
    return xml.text()


def _write(xml: XmlWriter, tag: str, item: Any) -> None:
    attributes = {one.name: _text(getattr(item, one.name)) for one in fields(item) if one.name not in NO_ATTRIBUTES}
    inner = next((name for name in CHILDREN if hasattr(item, name)), None)
    if isinstance(item, Member):
        tag = item.kind
        attributes = {"base_link": item.name, "tip_link": item.tip_link} if tag == "chain" else {"name": item.name}
    if inner is None or not getattr(item, inner):
        xml.leaf(tag, **attributes)
        xml.remark(getattr(item, "evidence", ""))
        return
    with xml.open(tag, **attributes):
        xml.remark(getattr(item, "evidence", ""))
        for one in getattr(item, inner):
            _write(xml, INNER.get(inner, ""), one)


def _text(value: Any) -> str | None:
    """Return the value of an attribute, None for one that is not given."""
    if isinstance(value, str):
        return value or None
    return format_numbers(value)
