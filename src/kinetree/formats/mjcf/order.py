"""What MJCF lacks, in <custom> texts, which MuJoCo keeps and ignores; and the order of the numbers in keyframes.

<custom> <text name="kinetree:joint:elbow" data='{"limits.0.velocity": 2.0}'/> </custom>
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kinetree.formats.carried import Carried, Record
from kinetree.formats.xml import Element
from kinetree.formats.xml_writer import XmlWriter
from kinetree.model.robot import Joint

OURS = "kinetree:"
KEY_ORDER = "kinetree_order"
"""Tag of an element in a kept <keyframe> for each joint, in the order of the numbers; renaming finds the name there."""


def take_texts(root: Element) -> list[Carried]:
    """Return what the file carries for Kinetree, and remove these texts from <custom>."""
    carried: list[Carried] = []
    for section in root.find_all("custom"):
        ours = [e for e in section.children if e.tag == "text" and (e.get("name") or "").startswith(OURS)]
        section.children = [e for e in section.children if e not in ours]
        for element in ours:
            _, kind, name, *_ = [*(element.get("name") or "").split(":", 2), "", ""]
            carried.append((element, kind, name, element.get("data") or "", ""))
    return carried


def write_texts(xml: XmlWriter, records: Sequence[Record]) -> None:
    """Write the records of what MJCF lacks."""
    if records:
        xml.open("custom")
        for record in records:
            name = f"{OURS}{record.kind}:{record.name}" if record.name else f"{OURS}{record.kind}"
            xml.leaf("text", name=name, data=record.text)
        xml.close()


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
