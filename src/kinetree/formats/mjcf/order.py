"""The order of q, the names of fixed joints and the zero of free joints, which MJCF lacks, in <custom> texts.

    <custom> <text name="kinetree:order" data='["b", "a"]'/> </custom>

MuJoCo keeps such texts and ignores them. The data are JSON, so that any name is legal.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from kinetree.formats.xml import Element, Report
from kinetree.formats.xml_writer import XmlWriter
from kinetree.model.robot import Joint
from kinetree.spatial.se3 import IDENTITY

if TYPE_CHECKING:
    from kinetree.formats.carried import Record
    from kinetree.formats.carried.restore import Carried

OURS = "kinetree:"
ORDER, FIXED, COUNTED = f"{OURS}order", f"{OURS}fixed", f"{OURS}counted"
"""Names of the texts. The last lists free joints whose coordinates count from where their body is drawn, and not from
the origin of the world as in MuJoCo."""
KEY_ORDER = "kinetree_order"
"""Tag of an element in a kept <keyframe> for each joint, in the order of the numbers; renaming finds the name there."""


class Texts(NamedTuple):
    """Texts of Kinetree. order: of q, or None; fixed: names of fixed joints by body; counted: free joints that
    count from where their body is drawn; carried: all others."""

    order: tuple[str, ...] | None
    fixed: dict[str, str]
    counted: tuple[str, ...]
    carried: list[Carried]


def take_texts(report: Report, root: Element) -> Texts:
    """Return the texts of Kinetree, and remove them from <custom>."""
    counted: tuple[str, ...] = ()
    order: tuple[str, ...] | None = None
    fixed: dict[str, str] = {}
    carried: list[Carried] = []
    for section in root.find_all("custom"):
        ours = [e for e in section.children if e.tag == "text" and (e.get("name") or "").startswith(OURS)]
        section.children = [e for e in section.children if e not in ours]
        for element in ours:
            data = _data(element)
            if element.get("name") == ORDER and isinstance(data, list) and _are_names(data):
                order = tuple(data)
            elif element.get("name") == COUNTED and isinstance(data, list) and _are_names(data):
                counted = tuple(data)
            elif element.get("name") == FIXED and isinstance(data, dict) and _are_names([*data.values()]):
                fixed |= data
            elif element.get("name") not in (ORDER, FIXED, COUNTED):
                _, kind, name, *_ = [*(element.get("name") or "").split(":", 2), "", ""]
                carried.append((element, kind, name, element.get("data") or "", ""))
            else:
                message = f"the data of {element.get('name')} are not understood and have no effect"
                report.warning("not-understood", message, element, attribute="data")
    return Texts(order, fixed, counted, carried)


def _data(element: Element) -> Any:
    try:
        return json.loads(element.get("data") or "")
    except (ValueError, RecursionError):
        return None


def _are_names(data: list[Any]) -> bool:
    return all(isinstance(name, str) and name for name in data) and len({*data}) == len(data)


def made_name(body: str) -> str:
    """Return the reader's name of a fixed joint without one in the file."""
    return f"{body}_fixed_joint"


def write_texts(
    xml: XmlWriter, names: tuple[str, ...], joints: Iterable[Joint], records: Sequence[Record] = ()
) -> None:
    """Write `names` as order of q, and names of fixed joints, where the reader would infer others from `joints`; and
    the records of what MJCF lacks."""
    joints = list(joints)
    natural = tuple(j.name for j in joints if j.kind.nq and not j.mimic)
    fixed = {j.child: j.name for j in joints if not j.kind.nq and j.name != made_name(j.child)}
    counted = [j.name for j in joints if j.type == "floating" and (j.origin != IDENTITY).any()]
    texts = {ORDER: list(names) if names != natural else [], FIXED: fixed, COUNTED: counted}
    if any(texts.values()) or records:
        xml.open("custom")
        for name, data in texts.items():
            if data:
                xml.leaf("text", name=name, data=json.dumps(data, ensure_ascii=False))
        for record in records:
            name = f"{OURS}{record.kind}:{record.name}" if record.name else f"{OURS}{record.kind}"
            xml.leaf("text", name=name, data=record.text)
        xml.close()


# keyframes, whose numbers have a meaning by their order alone


def order_elements(keyframe: Element, joints: Iterable[Joint]) -> list[Element]:
    """Return elements for the order of the numbers of a <keyframe>."""
    return [
        Element(
            KEY_ORDER,
            {"joint": j.name, "nq": str(j.kind.nq), "nv": str(j.kind.nv)},
            keyframe.document,
            keyframe.start,
        )
        for j in joints
        if j.kind.nq
    ]


def take_order(keyframe: Element) -> dict[str, list[int]]:
    """Return {joint: [nq, nv]} in the order of the numbers, and remove its elements from the <keyframe>."""
    ours = [e for e in keyframe.children if e.tag == KEY_ORDER]
    keyframe.children = [e for e in keyframe.children if e.tag != KEY_ORDER]
    return {e.attributes["joint"]: [int(e.attributes["nq"]), int(e.attributes["nv"])] for e in ours}


def reordered(key: Element, old: dict[str, list[int]], joints: Iterable[Joint]) -> dict[str, str] | str:
    """Return the attributes of a <key> for `joints` of a file, or in words why not; old: order by `take_order`."""
    new = {j.name: [j.kind.nq, j.kind.nv] for j in joints if j.kind.nq}
    by_place = [name for name in ("qpos", "qvel", "mpos", "mquat") if key.get(name)]
    moved = list(old) != list(new)
    if by_place and (old != new or (moved and {"mpos", "mquat"} & {*by_place})):
        return "numbers for other joints than the robot has"
    attributes = dict(key.attributes)
    for which, attribute in enumerate(("qpos", "qvel")):
        numbers = (key.get(attribute) or "").split()
        excess = len(numbers) - sum(counts[which] for counts in old.values())
        if excess > 0 or (numbers and moved and excess):  # MuJoCo takes fewer as those of the first joints
            return f"{attribute} of another count than its joints have"
        own: dict[str, list[str]] = {}
        for name, counts in old.items():
            own[name], numbers = numbers[: counts[which]], numbers[counts[which] :]
        if moved and attribute in by_place:
            attributes[attribute] = " ".join(x for name in new for x in own[name])
    return attributes
