"""Names in a text: where parts of the robot, macros, properties, arguments, packages and files are named."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from kinetree.formats.xacro.words import KNOWN, SPACES
from kinetree.lsp.scan import Attribute, Scan, Tag
from kinetree.model.references import GROUPS, PART, PROSE, TEXT, UNLISTED, fields_of, kind_of
from kinetree.syntax.numbers import numbers
from kinetree.xacro_text.reading import BUILT_IN

BLOCKS = frozenset(("transmission", "ros2_control", "gazebo", "plugin", "actuator", "equality", "contact"))
"""Elements inside of which a tag with a name refers to a part, and defines none."""
DEFINING = {
    "urdf": {"link": "link", "joint": "joint"},
    "sdf": {"link": "link", "joint": "joint", "frame": "frame", "sensor": "sensor"},
    "mjcf": {
        **{tag: tag for tag in ("body", "joint", "site", "geom", "camera", "material", "mesh")},
        "freejoint": "joint",
        "spatial": "tendon",
        "fixed": "tendon",
    },
    "srdf": {"group": "group"},
}
"""Tags that define a part by their attribute `name`, to its kind."""
FILES = ("filename", "file")
"""Attributes whose values are files."""
COMPUTED = re.compile(r"\$\{[^{}]*\}|\$\([^()]*\)")
"""Expression in a name."""
_EXPRESSION = re.compile(r"\$\{([^{}]*)\}")
_WORD = re.compile(r"'[^']*'|\"[^\"]*\"|(?:\.\s*)?[^\W\d]\w*")
_PARAMETER = re.compile(r"\*{0,2}([^\W\d]\w*)(?:\s*:?=\s*(?:'[^']*'|\"[^\"]*\"|(?:\$\{[^{}]*\}|[^\s'\"])*))?")
_ARGUMENT = re.compile(r"\$\(arg\s+([^\s()]+)\)")
_PACKAGE = re.compile(r"(?:\$\(find\s+|package://|model://)([^\s()/\"']+)")
_SYNTAX = frozenset(("if", "else", "and", "or", "not", "in", "for", "is", "lambda", "None", *SPACES))


class Name(NamedTuple):
    """A name at offsets of a text. kinds: what it may name. defines: whether the thing is made here. scope: macro of a
    parameter or of a property inside of it, or models of an SDF around a part; "" for what all files see."""

    kinds: frozenset[str]
    text: str
    start: int
    stop: int
    defines: bool = False
    scope: str = ""

    def matches(self, other: "Name") -> bool:
        """Return whether both name the same thing."""
        return self.text == other.text and self.scope == other.scope and not self.kinds.isdisjoint(other.kinds)


def names_in(scan: Scan) -> tuple[Name, ...]:
    """Return all names in a text, in no order."""
    local = _locals(scan)
    return tuple(name for number, tag in enumerate(scan.tags) for name in _of_tag(scan, number, tag, local))


def fits(text: str, name: str) -> bool:
    """Return whether a text may be a name with expressions, of which each may be anything."""
    first, *parts = COMPUTED.split(name)
    if not parts:
        return text == first
    *parts, last = parts
    stop = len(text) - len(last)
    at = len(first)
    if at > stop or not text.startswith(first) or not text.endswith(last):
        return False
    for part in parts:
        if (found := text.find(part, at, stop)) < 0:
            return False
        at = found + len(part)
    return True


def name_at(names: tuple[Name, ...], offset: int) -> Name | None:
    """Return the shortest name around an offset, such as a property in a name that is worked out."""
    return min((n for n in names if n.start <= offset <= n.stop), key=lambda n: n.stop - n.start, default=None)


def kinds_of(dialect: str, kind: str) -> frozenset[str]:
    """Return what the name at a place may name. Links and frames of a URDF or an SDF share one name space."""
    kind = PART if kind == UNLISTED else kind
    if dialect == "mjcf" or not kind:
        return frozenset(kind.split())
    return fields_of(kind) | {one for one in kind.split() if not fields_of(one)}


def _of_tag(scan: Scan, number: int, tag: Tag, local: dict[str, frozenset[str]]) -> Iterator[Name]:
    above = scan.above(number)
    macros = [one.get("name") for one in (tag, *above) if one.name == "xacro:macro"]
    instruction = tag.name.removeprefix("xacro:") if tag.name.startswith("xacro:") else ""
    start, stop = scan.leaf_text(number)
    texts = [Attribute(TEXT, scan.text.content[start:stop], start, start, stop)] if start < stop else []
    if instruction:
        yield from _of_instruction(scan, tag, instruction, macros, local)
    models = "::".join(other.get("name") for other in above[::-1] if scan.dialect == "sdf" and other.name == "model")
    for one in (*tag.attributes, *texts):
        if not instruction and one.value:
            yield from (part._replace(scope=models) for part in _of_part(scan.dialect, tag, one, above))
        if "$" in one.value or "://" in one.value:
            around = macros[1:] if tag.name == "xacro:macro" else macros  # defaults are worked out outside
            yield from _of_words(one, around, local)
        if one.name in FILES or (tag.name in ("uri", "xacro:include") and one.name in (TEXT, "filename")):
            yield Name(frozenset(("file",)), one.value, one.start, one.stop)


def _of_part(dialect: str, tag: Tag, one: Attribute, above: list[Tag]) -> Iterator[Name]:
    """Yield the name of a part of the robot at an attribute or the text of an element."""
    outside = BLOCKS.isdisjoint(other.name for other in above)
    if one.name == "name" and (kind := DEFINING.get(dialect, {}).get(tag.name)) and outside:
        member = tag.name == "group" and above and above[0].name == "group"
        yield Name(kinds_of(dialect, kind), one.value, one.start, one.stop, not member)
        return
    if dialect == "srdf" and one.name in GROUPS:
        kind = "group"
    else:
        kind = kind_of(dialect, tag.name, one.name, {other.name: other.value for other in tag.attributes})
    if kind == UNLISTED and _is_number(one.value):
        return
    if kind and kind != PROSE and (kinds := kinds_of(dialect, kind)):
        yield Name(kinds, one.value, one.start, one.stop)


def _is_number(value: str) -> bool:
    """Return whether a value is one or several numbers, of which some may be computed, as in "0 0 ${length}"."""
    return COMPUTED.fullmatch(value) is None and numbers(COMPUTED.sub("0", value)) is not None


def _of_instruction(
    scan: Scan, tag: Tag, instruction: str, macros: list[str], local: dict[str, frozenset[str]]
) -> Iterator[Name]:
    """Yield the names that an instruction of xacro defines, or the macro that it calls."""
    by_name = {one.name: one for one in tag.attributes}
    name = by_name.get("name")
    if instruction in ("macro", "arg", "property") and name:
        scope = _scope(name.value, macros, local) if instruction == "property" else ""
        yield Name(frozenset((instruction,)), name.value, name.start, name.stop, True, scope)
    if instruction == "insert_block" and name:
        yield Name(
            frozenset(("property",)), name.value, name.start, name.stop, False, _scope(name.value, macros, local)
        )
    if instruction == "macro" and (params := by_name.get("params")):
        for match in _PARAMETER.finditer(params.value):
            start, stop = (params.start + at for at in match.span(1))
            yield Name(frozenset(("property",)), match[1], start, stop, True, macros[0])
    elif instruction not in BUILT_IN:
        start = tag.start + len("<xacro:")
        yield Name(frozenset(("macro",)), instruction, start, start + len(instruction))
        first = max(tag.stop, tag.end - len(tag.name) - 99)  # spaces may follow
        if (end := scan.text.content.rfind(f"</{tag.name}", first, tag.end)) >= 0:
            end += len("</xacro:")
            yield Name(frozenset(("macro",)), instruction, end, end + len(instruction))
        for one in tag.attributes:
            yield Name(frozenset(("property",)), one.name, one.at, one.at + len(one.name), False, instruction)


def _of_words(one: Attribute, macros: list[str], local: dict[str, frozenset[str]]) -> Iterator[Name]:
    """Yield the properties, arguments and packages in a value."""
    for expression in _EXPRESSION.finditer(one.value):
        for word in _WORD.finditer(expression[1]):
            if word[0][0] not in ".'\"" and word[0] not in KNOWN and word[0] not in _SYNTAX:
                start = one.start + expression.start(1) + word.start()
                scope = _scope(word[0], macros, local)
                yield Name(frozenset(("property",)), word[0], start, start + len(word[0]), False, scope)
    for kind, pattern in (("arg", _ARGUMENT), ("package", _PACKAGE)):
        for match in pattern.finditer(one.value):
            start, stop = (one.start + at for at in match.span(1))
            yield Name(frozenset((kind,)), match[1], start, stop)


def _scope(name: str, macros: list[str], local: dict[str, frozenset[str]]) -> str:
    """Return the innermost macro that has a property as its own, "" without one."""
    return next((macro for macro in macros if name in local.get(macro, ())), "")


def _locals(scan: Scan) -> dict[str, frozenset[str]]:
    """Return the parameters of each macro, and the properties that are defined inside of it."""
    found: dict[str, set[str]] = {}
    for number, tag in enumerate(scan.tags):
        if tag.name == "xacro:macro":
            names = found.setdefault(tag.get("name"), set())
            names.update(match[1] for match in _PARAMETER.finditer(tag.get("params")))
        elif tag.name == "xacro:property" and not tag.get("scope"):
            owner = next((one.get("name") for one in scan.above(number) if one.name == "xacro:macro"), None)
            if owner is not None:
                found.setdefault(owner, set()).add(tag.get("name"))
    return {macro: frozenset(names) for macro, names in found.items()}
