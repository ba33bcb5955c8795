"""Renaming of links and joints in every place of a model or of an XML file that belongs to it.

If a place is ambiguous, nothing is renamed.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache

from kinetree.errors import KinetreeError, Source, fail
from kinetree.model.references import NAMED, PART, PROSE, TEXT, UNLISTED, fields_of, kind_of
from kinetree.model.robot import Robot
from kinetree.repairs.edit import Edit, NewNames, Repair, set_attribute, set_text
from kinetree.repairs.fixes import Elements
from kinetree.syntax.xml.reader import Element, Report, parse

KINDS = ("link", "joint")
"""Kinds of parts that can be renamed."""


def rename_references(root: Element, dialect: str, renamed: NewNames, robot: Robot) -> list[Edit]:
    """Return the edits that rename links and joints in an XML text of a dialect. Raises KinetreeError if a place is
    ambiguous."""
    edits: list[Edit] = []
    for element in root.walk():
        edits += _of_attributes(element, dialect, renamed, robot)
        edits += _of_text(element, dialect, renamed, robot)
    return edits


def check_left(renamed: NewNames, robot: Robot) -> None:
    """Raise KinetreeError if a file of a renamed robot still has an old name, in a part that xacro expands only with
    other arguments."""
    gone = frozenset(key for key in renamed if key[1] not in robot.links and key[1] not in robot.joints)
    files = robot.text.files if gone and robot.text else {}
    for name, text in files.items():
        root = parse(text, name, Report())
        for element in root.walk() if root else ():
            own = element.attributes.get("name", "") if element.tag in KINDS else ""
            values = [v for key, v in element.attributes.items() if kind_of("urdf", element.tag, key) and v != own]
            left = next(filter(None, (_old_in(value, gone) for value in (*values, element.text))), None)
            if left or (element.tag, re.split(r"[${}()]", own)[-1]) in gone:
                message = f"{left or own!r} is in a part of which nothing is made with these arguments"
                raise ambiguous(element.source, message)


def _of_attributes(element: Element, dialect: str, renamed: NewNames, robot: Robot) -> Iterator[Edit]:
    for name, value in element.attributes.items():
        kind = kind_of(dialect, element.tag, name, element.attributes)
        if kind in KINDS and re.search(r"\$[({]", value):
            raise ambiguous(element.source, f"{name}={value!r} is worked out by others")
        if kind and (new := new_name(value, kind, renamed, robot, element.source)):
            yield set_attribute(element, name, new)


def _of_text(element: Element, dialect: str, renamed: NewNames, robot: Robot) -> Iterator[Edit]:
    value = element.text.strip()
    kind = PROSE if element.children else kind_of(dialect, element.tag, TEXT, element.attributes)
    if value and (new := new_name(value, kind, renamed, robot, element.source)):
        written = element.document.data[element.tag_stop : element.end]
        if b"<" in written:
            raise ambiguous(element.source, f"{value!r} stands there with comments or the like in it")
        yield set_text(element, new)


def new_name(value: str, kind: str, renamed: NewNames, robot: Robot, source: Source) -> str | None:
    """Return the new name if a value is an old one, else None. Raises KinetreeError if that is ambiguous.

    kind: kind of the reference; see `kinetree.model.references`. A place that is not listed may name any part.
    """
    named = fields_of(PART if kind == UNLISTED else kind)
    names: dict[str, Collection[str]] = {"link": robot.links, "joint": robot.joints}
    exact = [one for one in KINDS if NAMED[one] in named and value in names[one]]
    is_taken = value in renamed.values() and not {(kind, value) for kind in KINDS} & renamed.keys()
    if is_taken and (len(named) > 1 or not exact):
        raise ambiguous(source, f"{value!r} stands there already, and something else gets that name")
    if not exact:
        if part := _old_in(value, frozenset(renamed)):
            raise ambiguous(source, f"{value!r} has the name {part!r} in it")
        return None
    news = {renamed.get((one, value), value) for one in exact}
    if len(news) > 1:
        raise ambiguous(source, f"{value!r} is a link and a joint")
    new = news.pop()
    return None if new == value else new


def names_in(text: str, renamed: NewNames) -> Iterator[re.Match[str]]:
    """Return the places of old names in a text."""
    return _pattern(frozenset(renamed)).finditer(text)


def _old_in(value: str, old: frozenset[tuple[str, str]]) -> str | None:
    """Return the first old name in a value that is not part of a longer word, or None. old: (kind, name)."""
    match = _pattern(old).search(value)
    return match[0] if match else None


@lru_cache(maxsize=8)
def _pattern(old: frozenset[tuple[str, str]]) -> re.Pattern[str]:
    """Return a pattern of old names, and of Gazebo's names of a link's shapes: `elbow_collision`, `elbow_visual_1` …"""
    names = []
    for kind, name in sorted(old, key=lambda key: (-len(key[1]), key)):  # of two, the longer one
        before = r"(?<!\w)" if re.match(r"\w", name) else ""
        behind = r"(?!\w)" if re.search(r"\w\Z", name) else ""
        if kind == "link":
            before = before and rf"(?:{before}|(?<=_fixed_joint_lump__))"
            behind = behind and rf"(?:{behind}|(?=_fixed_joint_lump__|_(?:collision|visual)(?:_\d+)?(?!\w)))"
        names.append(f"{before}{re.escape(name)}{behind}")
    return re.compile("|".join(names))


def ambiguous(source: Source, why: str) -> KinetreeError:
    """Return the error for a place that may refer to old names."""
    return fail("fix", f"{source}: {why}, and it is not plain what is meant there")


def rename_repairs(robot: Robot, elements: Elements, wanted: NewNames, about: Iterable[str]) -> Iterator[Repair]:
    """Yield one repair with all new names, for each element with a finding."""
    names = {key: new for key, new in wanted.items() if key[1] != new}
    taken = {"link": set(robot.frames), "joint": set(robot.joints)}
    for (kind, _), new in names.items():
        if new in taken[kind] and (kind, new) not in names:
            yield from (Repair(element, because=f"there is a {kind} {new!r} already") for element in about)
            return
    try:
        edits = tuple(rename_references(elements.root, "urdf", names, robot))
    except KinetreeError as error:
        yield from (Repair(element, because=error.findings[0].message) for element in about)
        return
    yield from (Repair(element, edits, renamed=names) for element in about)
