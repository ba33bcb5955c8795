"""Completions: names of parts at references, properties in expressions, attributes of tags, tags and macros."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from kinetree.formats.urdf.links import SHAPES, TENSOR
from kinetree.lsp.answers import Item
from kinetree.lsp.model import Model
from kinetree.lsp.names import DEFINING, Name, kinds_of
from kinetree.lsp.scan import Scan, Tag
from kinetree.lsp.text import Position, Span
from kinetree.model.references import GROUPS, PROSE, TEXT, UNLISTED, kind_of

MOST = 1000
"""Most completions of a place."""
ATTRIBUTES = {
    "joint": "name type",
    "origin": "xyz rpy",
    "parent": "link",
    "child": "link",
    "axis": "xyz",
    "limit": "lower upper effort velocity",
    "mimic": "joint multiplier offset",
    "dynamics": "damping friction",
    "safety_controller": "soft_lower_limit soft_upper_limit k_position k_velocity",
    "calibration": "rising falling",
    "mass": "value",
    "inertia": " ".join(TENSOR),
    **{shape: " ".join(parameters) for shape, parameters in SHAPES.items()},
    "color": "rgba",
    "texture": "filename",
    "gazebo": "reference",
    "xacro:macro": "name params",
    "xacro:property": "name value scope",
    "xacro:arg": "name default",
    "xacro:include": "filename",
    "xacro:if": "value",
    "xacro:unless": "value",
    "xacro:insert_block": "name",
    **dict.fromkeys(("link", "visual", "collision", "material", "transmission", "ros2_control", "robot"), "name"),
}
"""Attributes of a URDF's tags, in their usual order."""
INSIDE = {
    "robot": "link joint material gazebo transmission ros2_control xacro:include xacro:macro xacro:property xacro:arg",
    "link": "inertial visual collision",
    "joint": "origin parent child axis limit mimic dynamics safety_controller calibration",
    "inertial": "origin mass inertia",
    "visual": "origin geometry material",
    "collision": "origin geometry",
    "geometry": "mesh box cylinder sphere capsule",
    "material": "color texture",
    "xacro:macro": "link joint material gazebo xacro:property xacro:if xacro:unless xacro:insert_block",
}
"""Tags in a URDF's tags."""
VALUES = {("urdf", "joint", "type"): "revolute continuous prismatic fixed floating planar"}
_VALUE = re.compile(r"""([^\s=<>"']+)\s*=\s*(?:"([^"]*)|'([^']*))\Z""")
_OPEN = re.compile(r"\$([{(])([^{}()]*)\Z")
_WORD = re.compile(r"[^\s\"'=<>/]*\Z")
_IDENTIFIER = re.compile(r"[^\W\d]?\w*\Z")


def completions(models: Sequence[Model], file: str, position: Position) -> tuple[Item, ...]:
    """Return what may stand at a position of a file, which may be broken there."""
    scan = models[0].scan(file)
    if scan is None:
        return ()
    offset = scan.text.offset(position)
    number = bisect_left(scan.starts, offset) - 1
    if number < 0:
        return ()
    tag = scan.tags[number]
    inside = scan.text.content[tag.start : offset]
    if offset > tag.stop or (offset == tag.stop and inside.endswith(">")):
        return _of_text(models, scan, offset)
    if value := _VALUE.search(inside):
        written = value[2] if value[2] is not None else value[3]
        return _of_value(models, scan, number, value[1], written, offset)
    start = offset - len(_WORD.search(inside)[0])  # type: ignore[index]
    span = scan.text.span(start, offset)
    if start == tag.start + 1:
        return _of_tag(models, scan, number, span)
    present = {one.name for one in tag.attributes if not one.at <= offset <= one.at + len(one.name)}
    own = [] if scan.dialect == "mjcf" else ATTRIBUTES.get(tag.name, "").split()
    seen = [one.name for other in scan.tags if other.name == tag.name and other is not tag for one in other.attributes]
    names = [*own, *_parameters(models, tag), *seen]
    return _items((name for name in names if name not in present), "attribute", tag.name, span)


def _of_tag(models: Sequence[Model], scan: Scan, number: int, span: Span) -> tuple[Item, ...]:
    above = scan.tags[number].parent
    owner = scan.tags[above].name if above >= 0 else ""
    own = INSIDE.get(owner, "").split() if scan.dialect == "urdf" else []
    seen = [tag.name for tag in scan.tags if tag.parent == above and tag.name and tag is not scan.tags[number]]
    calls = dict.fromkeys(f"xacro:{name.text}" for name in _defined(models, frozenset(("macro",))))
    tags = [name for name in (*own, *seen) if name not in calls]
    return (*_items(tags, "tag", owner, span), *_items(calls, "macro", "", span))[:MOST]


def _of_value(
    models: Sequence[Model], scan: Scan, number: int, attribute: str, written: str, offset: int
) -> tuple[Item, ...]:
    tag = scan.tags[number]
    if opened := _OPEN.search(written):
        return _of_expression(models, scan, opened[1], opened[2], offset)
    span = scan.text.span(offset - len(written), offset)
    if values := VALUES.get((scan.dialect, tag.name, attribute)):
        return _items(values.split(), "value", attribute, span)
    if attribute == "name" and tag.name in DEFINING.get(scan.dialect, {}) and tag.name != "group":
        return ()
    kind = kind_of(scan.dialect, tag.name, attribute, {one.name: one.value for one in tag.attributes})
    if scan.dialect == "srdf" and (attribute in GROUPS or tag.name == "group"):
        kind = "group"
    return _of_kind(models, scan, kind, span)


def _of_text(models: Sequence[Model], scan: Scan, offset: int) -> tuple[Item, ...]:
    number = scan.at(offset)
    if number < 0:
        return ()
    tag = scan.tags[number]
    written = scan.text.content[tag.stop : offset]
    if "<" in written:
        return ()
    kind = kind_of(scan.dialect, tag.name, TEXT, {one.name: one.value for one in tag.attributes})
    return _of_kind(models, scan, kind, scan.text.span(offset - len(written.lstrip()), offset))


def _of_expression(models: Sequence[Model], scan: Scan, bracket: str, written: str, offset: int) -> tuple[Item, ...]:
    """Return properties for `${`, arguments and packages' command for `$(`."""
    if bracket == "(":
        word = written.rpartition(" ")[2]
        span = scan.text.span(offset - len(word), offset)
        if not written.startswith("arg "):
            return _items(("arg", "find", "dirname", "env", "optenv"), "value", "", span) if " " not in written else ()
        return _items((name.text for name in _defined(models, frozenset(("arg",)))), "property", "argument", span)
    word = _IDENTIFIER.search(written)[0]  # type: ignore[index]
    macros = {tag.get("name") for tag in scan.above(scan.at(offset)) if tag.name == "xacro:macro"} | {""}
    known = (name.text for name in _defined(models, frozenset(("property",))) if name.scope in macros)
    return _items(known, "property", "", scan.text.span(offset - len(word), offset))


def _of_kind(models: Sequence[Model], scan: Scan, kind: str, span: Span) -> tuple[Item, ...]:
    """Return the names of the parts of a kind: those of the texts as they are written, then those of the robots."""
    if kind in ("", PROSE, UNLISTED):
        return ()
    kinds = kinds_of(scan.dialect, kind)
    found = [name.text for name in _defined(models, kinds)]
    for model in models:
        if model.robot and "frames" in kinds:
            found += [*model.robot.links, *([] if scan.dialect == "urdf" else model.robot.frames)]
        if model.robot and "joints" in kinds:
            found += model.robot.joints
    return _items(found, kind.split()[0], "", span)


def _defined(models: Sequence[Model], kinds: frozenset[str]) -> Iterator[Name]:
    """Yield the names of some kinds that the files of models define."""
    paths = {path: model for model in models for path in sorted(model.read)}
    for path, model in paths.items():
        yield from (name for name in model.names(path) if name.defines and not name.kinds.isdisjoint(kinds))


def _parameters(models: Sequence[Model], tag: Tag) -> list[str]:
    macro = tag.name.removeprefix("xacro:")
    known = _defined(models, frozenset(("property",))) if macro != tag.name else ()
    return [name.text for name in known if name.scope == macro]


def _items(labels: Iterable[str], kind: str, detail: str, span: Span) -> tuple[Item, ...]:
    return tuple(Item(label, kind, detail, span) for label in dict.fromkeys(labels) if label)[:MOST]
