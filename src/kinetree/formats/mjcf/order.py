"""Texts of Kinetree in <custom>, and the order of the numbers in keyframes, which depends on the order of the joints.

    <custom> <text name="kinetree:robot" data='{"joint_order": ["b", "a"]}'/> </custom>

MuJoCo keeps such texts and ignores them. The data are JSON, so that any name is legal.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from kinetree.model.robot import Joint
from kinetree.spatial.se3 import IDENTITY
from kinetree.syntax.xml.reader import Element, Report
from kinetree.syntax.xml.writer import XmlWriter

if TYPE_CHECKING:
    from kinetree.formats.losses.sidecar import Record
    from kinetree.formats.losses.sidecar.restore import Carried

OURS = "kinetree:"
COUNTED = f"{OURS}counted"
"""Name of the text that lists free joints whose coordinates count from where their body is drawn, and not from the
origin of the world as in MuJoCo. What else MJCF lacks is carried in texts of other names."""
KEY_ORDER = "kinetree_order"
"""Tag of an element in a kept <keyframe> for each joint, in the order of the numbers; renaming finds the name there."""


def take_texts(report: Report, root: Element) -> tuple[tuple[str, ...], list[Carried]]:
    """Return the joints of COUNTED and the other texts of Kinetree, and remove all of them from <custom>."""
    counted: tuple[str, ...] = ()
    carried: list[Carried] = []
    for section in root.find_all("custom"):
        texts = (e for e in section.children if e.tag == "text")
        ours = dict.fromkeys(e for e in texts if (e.get("name") or "").startswith(OURS))
        section.children = [e for e in section.children if e not in ours]
        for element in ours:
            text = element.get("data") or ""
            if element.get("name") != COUNTED:
                _, kind, name, *_ = [*(element.get("name") or "").split(":", 2), "", ""]
                carried.append((element, kind, name, text, ""))
            elif names := _names_in(text):
                counted = names
            else:
                message = f"the data of {COUNTED} are not understood and have no effect; expected names of joints"
                report.warning("carried", message, element, attribute="data")
    return counted, carried


def _names_in(text: str) -> tuple[str, ...]:
    """Return the names in a JSON list, or () if it is something else."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return ()
    return tuple(data) if isinstance(data, list) and all(isinstance(name, str) for name in data) else ()


def write_texts(xml: XmlWriter, joints: Iterable[Joint], records: Sequence[Record] = ()) -> None:
    """Write COUNTED, if there are such joints, and the records of what MJCF lacks."""
    counted = [j.name for j in joints if j.type == "floating" and (j.origin != IDENTITY).any()]
    if counted or records:
        with xml.open("custom"):
            if counted:
                xml.leaf("text", name=COUNTED, data=json.dumps(counted, ensure_ascii=False))
            for record in records:
                name = f"{OURS}{record.kind}:{record.name}" if record.name else f"{OURS}{record.kind}"
                xml.leaf("text", name=name, data=record.text)


# keyframes, whose numbers have a meaning by their order alone


def order_elements(
    keyframe: Element, joints: Iterable[Joint], controls: Iterable[dict[str, str]] = ()
) -> list[Element]:
    """Return elements for the order of the numbers of a <keyframe>. controls: what tells actuators from each other."""
    counts = [{"joint": j.name, "nq": str(j.kind.nq), "nv": str(j.kind.nv)} for j in joints if j.kind.nq]
    return [Element(KEY_ORDER, each, keyframe.document, keyframe.start) for each in (*counts, *controls)]


def take_controls(keyframe: Element) -> list[dict[str, str]]:
    """Return what tells the actuators of a <keyframe> from each other, in the order of its controls, and remove it."""
    ours = [e for e in keyframe.children if e.tag == KEY_ORDER and "actuator" in e.attributes]
    keyframe.children = [e for e in keyframe.children if e not in ours]
    return [dict(e.attributes) for e in ours]


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
