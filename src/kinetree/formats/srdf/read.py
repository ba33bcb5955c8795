"""SRDF text to the semantic description of a robot."""

from collections import Counter
from dataclasses import fields
from functools import partial
from typing import Any

from kinetree.errors import Doubt, Finding
from kinetree.formats.fields import (
    check_leaf,
    check_outer,
    choice_of,
    extension,
    float_of,
    ignore,
    name_of,
    optional_each,
    vector_of,
)
from kinetree.model.robot import Extension, Robot
from kinetree.model.semantic import (
    NO_ATTRIBUTES,
    TAGS,
    Group,
    GroupState,
    JointValue,
    Member,
    Semantic,
    Sphere,
    VirtualJoint,
)
from kinetree.model.semantic_groups import Groups, groups_of, known_names, unknown, unknown_name
from kinetree.syntax.numbers import numbers
from kinetree.syntax.xml.element import spaces_in
from kinetree.syntax.xml.reader import DerivedText, Element, Report, parse

OPTIONAL = ("reason", "parent_group")
JOINT_TYPES = ("fixed", "planar", "floating")
MEMBERS = {"joint": ("name",), "link": ("name",), "chain": ("base_link", "tip_link"), "group": ("name",)}
"""Members of a group, and the attributes that name what they are."""
ALWAYS = ("cycle", "depth", "srdf-size")
"""Faults of groups that no rule finds."""
MAX_UNKNOWN = 1000
"""Most warnings of names that do not exist; looking for the nearest names takes a while."""


def read(text: bytes | str | DerivedText, file: str) -> tuple[Semantic | None, list[Finding]]:
    """Return the semantic description in an SRDF text, or None, and all findings. Never raises on content.

    Faults of groups are errors. Other elements that cannot be read are kept as they stand, with a warning, and so are
    those of other tools.
    """
    report = Report()
    root = _root(text, file, report)
    return None if root is None else _semantic(report, root), report.findings


def read_onto(
    robot: Robot, text: bytes | str | DerivedText, file: str, *, names: bool = True
) -> tuple[Semantic | None, Groups, list[Finding]]:
    """Return what `read` does, and the groups as joints of a robot.

    names: whether names that do not exist, and chains that are none, are findings: errors in groups, else warnings.
    """
    report = Report()
    root = _root(text, file, report)
    if root is None:
        return None, {}, report.findings
    semantic = _semantic(report, root)
    nameless = any(Doubt("robot", robot.name, part) in robot.doubts for part in ("", "name"))
    if root.get("name") != robot.name and root.children and not nameless:  # a file of macros makes nothing
        message = f"it is written for robot {root.get('name')!r}; this one is {robot.name!r}"
        if "name" not in root.attributes:
            message = f"the SRDF has no name; expected that of the robot, {robot.name!r}"
        report.warning("srdf-robot", message, root, attribute="name")
    groups, faults = groups_of(semantic, robot)
    faults = [fault for fault in faults if names or fault.code in ALWAYS]
    outside = [one for one in unknown(semantic, robot) if names and one.field != "groups"][:MAX_UNKNOWN]
    known = known_names(semantic, robot)
    for one in outside:
        message, element = unknown_name(one.kind, one.name, known), semantic.label(one.item, one.field)
        faults.append(Finding("unknown-name", "warning", message, one.source, element))
    report.place(faults, root.document)
    return semantic, groups, report.findings


def _root(text: bytes | str | DerivedText, file: str, report: Report) -> Element | None:
    root = parse(text, file, report)
    if root is not None and root.tag != "robot":
        report.error("not-srdf", f"the root element is <{root.tag}>; expected <robot>", root)
        return None
    if root is not None:
        root.document.spaces = spaces_in(root, True)
    return root


def _semantic(report: Report, root: Element) -> Semantic:
    check_outer(report, root, {"name", "version"})
    left: list[Extension] = []
    found: dict[str, Any] = {"groups": _groups(report, root.find_all("group"))}
    for field, (tag, kind) in TAGS.items():
        if kind is not Group:
            item = partial(_item, report, kind)
            found[field] = tuple(optional_each(report, "srdf", root.find_all(tag), None, item, left))
    known = {tag for tag, _ in TAGS.values()}
    others = [child for child in root.children if child.tag not in known]
    counts = Counter(child.tag for child in others)
    for tag, count in counts.items():
        first = next(child for child in others if child.tag == tag)
        times = f", {count} times" if count > 1 else ""
        message = f"<{tag}> is not an element of SRDF{times}; it is kept unchanged"
        report.add("info", "not-understood", message, first, owner=root)
    left += [extension("srdf", child) for child in others]
    return Semantic(root.get("name") or "", **found, extensions=tuple(left), source=root.source)


def _groups(report: Report, elements: list[Element]) -> tuple[Group, ...]:
    groups: dict[str, Group] = {}
    for element in elements:
        name = name_of(report, element)
        check_outer(report, element, {"name"})
        members = tuple(member for child in element.children if (member := _member(report, child, element)))
        if name in groups:
            place = groups[name].source
            line = place.line if place else None
            report.error("duplicate-name", f"there is already a group of this name on line {line}", element)
        elif name:
            groups[name] = Group(name, members, element.source)
    return tuple(groups.values())


def _member(report: Report, element: Element, group: Element) -> Member | None:
    kind: Any = element.tag
    if kind not in MEMBERS:
        legal = ", ".join(f"<{tag}>" for tag in MEMBERS)
        report.warning("not-understood", f"<{kind}> has no effect; expected {legal}", element, owner=group)
        return None
    names = [name_of(report, element, attribute, owner=group) for attribute in MEMBERS[kind]]
    check_leaf(report, element, MEMBERS[kind])
    return Member(kind, names[0], names[1] if names[1:] else "", element.source) if all(names) else None


def _item(report: Report, kind: type[Any], element: Element) -> Any:
    """Return an item of some kind, whose fields are attributes or elements inside."""
    names = [one.name for one in fields(kind) if one.name not in NO_ATTRIBUTES]
    values: dict[str, Any] = {
        name: name_of(report, element, name)
        for name in names
        if name not in OPTIONAL and not (name == "group" and kind is GroupState)
    }
    values |= {name: element.get(name) or "" for name in names if name not in values}
    if kind is VirtualJoint and values["type"]:
        choice_of(report, element, "type", values["type"], JOINT_TYPES, "joint-type")
    inside = {"joints": ("joint", _joint_value), "spheres": ("sphere", _sphere)}
    own = next((field for field in inside if hasattr(kind, field)), None)
    if own is None:
        check_leaf(report, element, names)
        return kind(**values, source=element.source)
    tag, read_one = inside[own]
    check_outer(report, element, names)
    ignore(report, [child for child in element.children if child.tag != tag], element)
    values[own] = tuple(read_one(report, child, element) for child in element.find_all(tag))
    return kind(**values, source=element.source)


def _joint_value(report: Report, element: Element, owner: Element) -> JointValue:
    check_leaf(report, element, ("name", "value"))
    name, text = name_of(report, element, owner=owner), name_of(report, element, "value", owner=owner)
    values = numbers(text)
    if text and values is None:
        message = f"<joint> has value={text!r}; expected finite numbers separated by blanks"
        report.error("number", message, element, attribute="value", owner=owner)
    return JointValue(name, tuple(values or ()), element.source)


def _sphere(report: Report, element: Element, owner: Element) -> Sphere:
    check_leaf(report, element, ("center", "radius"))
    center = vector_of(report, element, "center", 3, (0.0, 0.0, 0.0), owner)
    return Sphere(tuple(center), float_of(report, element, "radius", None, owner), element.source)
