"""Outline of a document: its named elements in the order of the text, nested as they are there."""

from kinetree.lsp.answers import Symbol
from kinetree.lsp.scan import Scan, Tag

SHOWN = (
    *("robot", "link", "joint", "model", "world", "frame", "sensor", "light", "plugin", "group", "group_state"),
    *("end_effector", "virtual_joint", "body", "site", "geom", "freejoint", "actuator", "tendon", "worldbody"),
    *("mujoco", "ros2_control", "transmission", "xacro:macro", "xacro:property", "xacro:arg", "xacro:include"),
)
"""Tags of the outline."""
ENDS = ("parent", "child")
MOST = 20_000
"""Most symbols of an outline."""


def outline(scan: Scan) -> tuple[Symbol, ...]:
    """Return the symbols of a text, also of a broken one."""
    inner: dict[int, list[Symbol]] = {}
    shown = [number for number, tag in enumerate(scan.tags) if _is_shown(scan, number, tag)][:MOST]
    known = set(shown)
    for number in reversed(shown):  # children before parents
        symbol = _symbol(scan, number, tuple(reversed(inner.get(number, ()))))
        owner = scan.tags[number].parent
        while owner >= 0 and owner not in known:
            owner = scan.tags[owner].parent
        inner.setdefault(owner, []).append(symbol)
    return tuple(reversed(inner.get(-1, ())))


def _is_shown(scan: Scan, number: int, tag: Tag) -> bool:
    call = tag.name.startswith("xacro:") and tag.name not in SHOWN and bool(tag.attributes)
    instruction = tag.name in ("xacro:if", "xacro:unless", "xacro:insert_block", "xacro:element", "xacro:attribute")
    return tag.name in SHOWN or (call and not instruction)


def _symbol(scan: Scan, number: int, children: tuple[Symbol, ...]) -> Symbol:
    tag = scan.tags[number]
    named = next((one for one in tag.attributes if one.name in ("name", "filename", "reference", "model")), None)
    kind = tag.name.removeprefix("xacro:") if tag.name in SHOWN else "call"
    name = named.value if named and named.value.strip() else f"<{tag.name}>"
    length = len(scan.text.content)
    span = scan.text.span(tag.start, min(tag.end, length))
    at = (named.start, named.stop) if named and named.stop <= tag.end else (tag.start, min(tag.stop, length))
    return Symbol(name, kind, _detail(scan, number, tag), span, scan.text.span(*at), children)


def _detail(scan: Scan, number: int, tag: Tag) -> str:
    """Return the type of a joint with its links, the parameters of a macro, or the value of a property."""
    if tag.name == "joint":
        ends = {}
        for k in range(number + 1, min(number + 30, len(scan.tags))):
            child = scan.tags[k]
            if child.start >= tag.end:
                break
            if child.parent == number and child.name in ENDS:
                ends[child.name] = child.get("link") or scan.text.content[slice(*scan.leaf_text(k))]
        links = f"{ends.get('parent', '?')} → {ends.get('child', '?')}" if ends else ""
        return ": ".join(filter(None, (tag.get("type"), links)))
    return tag.get("params") or tag.get("value") or tag.get("default") or tag.get("type")
