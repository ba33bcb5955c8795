"""Repairs that belong to no family, and what repairs share: elements by name, poses as text, and exact angles."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import floor, hypot, pi

from kinetree.repairs.edit import Edit, New, Repair, insert_inside, replace_attribute, set_attribute
from kinetree.spatial import Array, se3
from kinetree.syntax.numbers import numbers
from kinetree.syntax.xml.reader import Element

ROUNDING = 1e-14
"""Largest rounding error of a sum or product of a few numbers, m or rad."""


@dataclass(frozen=True, eq=False)
class Elements:
    """The elements of a URDF text by name."""

    root: Element
    links: Mapping[str, Element]
    joints: Mapping[str, Element]


def elements(document: Element | None) -> Elements | None:
    """Return the links and joints of a URDF text."""
    if document is None:
        return None
    links, joints = ({one.attributes["name"]: one for one in document.find_all(tag)} for tag in ("link", "joint"))
    return Elements(document, links, joints)


def number_text(value: float) -> str:
    """Return the shortest text of a number; rounding errors are removed."""
    short = round(value, 12)
    value = short if abs(value - short) < ROUNDING else value
    return repr(float(value) + 0.0).removesuffix(".0")  # no -0


def angle_text(value: float) -> str:
    """Return the shortest text of an angle; those near a twelfth of π are that."""
    near = round(value * 12 / pi) * pi / 12
    return number_text(near if abs(value - near) < ROUNDING else value)


def vector_text(values: Array) -> str:
    """Return the text of a vector."""
    return " ".join(number_text(float(value)) for value in values)


def rpy_text(R: Array) -> str:
    """Return the text of roll, pitch, yaw of a rotation (3, 3)."""
    return " ".join(angle_text(angle) for angle in se3.rpy_from_rotation(R))


def new_origin(T: Array) -> New:
    """Return an <origin> for a pose T (4, 4)."""
    return New("origin", {"xyz": vector_text(T[:3, 3]), "rpy": rpy_text(T[:3, :3])})


def set_origin(owner: Element, T: Array) -> list[Edit]:
    """Return the edits that give a joint or a shape another pose T (4, 4)."""
    origin = owner.find("origin")
    if origin is None:
        return [insert_inside(owner, new_origin(T), first=True)]
    xyz, rpy = vector_text(T[:3, 3]), rpy_text(T[:3, :3])
    edits: list[Edit] = [] if _equal(origin.get("xyz"), xyz) else [set_attribute(origin, "xyz", xyz)]
    if "quat_xyzw" in origin.attributes:
        return [*edits, replace_attribute(origin, "quat_xyzw", "rpy", rpy)]
    return edits if _equal(origin.get("rpy"), rpy) else [*edits, set_attribute(origin, "rpy", rpy)]


def _equal(written: str | None, new: str) -> bool:
    """Return whether three numbers are the same: 0.200 is 0.2."""
    return (written is None and new == "0 0 0") or numbers(written or "") == numbers(new)


def new_frame(name: str, joint: str, parent: str, T: Array) -> tuple[New, New]:
    """Return a link without a body and the fixed joint that carries it at T_parent_frame (4, 4)."""
    ends = New("parent", {"link": parent}), New("child", {"link": name})
    return New("link", {"name": name}), New("joint", {"name": joint, "type": "fixed"}, (new_origin(T), *ends))


def unit_axes(elements: Elements) -> Iterator[Repair]:
    """Scale the axes of joints to length one."""
    for joint in elements.joints.values():
        axis = joint.find("axis")
        xyz = numbers((axis.get("xyz") if axis else None) or "") or []
        length = hypot(*xyz)
        if axis and len(xyz) == 3 and length > se3.NO_DIRECTION and not se3.is_unit(xyz):
            unit = " ".join(number_text(value / length) for value in xyz)
            yield Repair(joint.label, (set_attribute(axis, "xyz", unit),))


def exact_angles(exact: Callable[[str], str | None]) -> object:
    """Return a `repair` that replaces numbers of rpy by the texts that `exact` returns. Links behind such an origin
    move; `turns` of the rule limits by how much the angles may change."""

    def repair(elements: Elements) -> Iterator[Repair]:
        for owner, origins in _origins(elements):
            edits = []
            for origin in origins:
                rpy = origin.get("rpy") or ""
                wanted = re.sub(r"\S+", lambda match: exact(match[0]) or match[0], rpy)
                if wanted != rpy:
                    edits.append(set_attribute(origin, "rpy", wanted))
            if edits:
                yield Repair(owner.label, tuple(edits))

    return staticmethod(repair)


def rpy_of_quaternions(elements: Elements) -> Iterator[Repair]:
    """Replace quat_xyzw by rpy in files of version 1.0, which lacks it."""
    if (elements.root.get("version") or "1.0") != "1.0":
        return
    for owner, origins in _origins(elements):
        edits = []
        for origin in origins:
            quat = numbers(origin.get("quat_xyzw") or "") or []
            if len(quat) == 4 and "rpy" not in origin.attributes:
                rpy = rpy_text(se3.rotation_from_quaternion(quat))
                edits.append(replace_attribute(origin, "quat_xyzw", "rpy", rpy))
        if edits:
            yield Repair(owner.label, tuple(edits))


def _origins(elements: Elements) -> Iterator[tuple[Element, list[Element]]]:
    for owner in (*elements.links.values(), *elements.joints.values(), *elements.root.find_all("sensor")):
        yield owner, origins_of(owner)


def origins_of(owner: Element) -> list[Element]:
    """Return every <origin> of a link with its inertial and shapes, of a joint or of a sensor."""
    return [child for parent in (owner, *owner.children) for child in parent.children if child.tag == "origin"]


EXACT = 1e-5
"""Largest error of an exact angle, rad: 1.5708 is exact enough."""
FRACTIONS = {1: 2, 2: 2, 4: 3, 3: 3, 6: 3}
"""Parts of π, and the number of decimals above which an angle is not such a part by chance."""
OFF = 5e-3
"""Largest error of an angle that is meant to be a fraction, rad."""
PIS = (3.14, 3.1415, 3.142)
"""Texts for π that xacro files multiply and divide."""


@lru_cache(4096)
def exact(text: str) -> str | None:
    """Return the exact text, with its sign, of an angle that is a fraction of π with too few digits, such as
    "1.5707963267948966" for "1.57"; None for any other text."""
    match = re.fullmatch(r"([+-]?)(\d*\.\d+)", text)
    if not match:
        return None
    value, decimals = float(match[2]), len(match[2].rstrip("0").partition(".")[2])
    if value > 3 * pi or abs(value - round(value * 12 / pi) * pi / 12) > OFF:
        return None  # near no fraction of up to a turn
    for parts, at_least in FRACTIONS.items():
        times = round(value * parts / pi)
        true = times * pi / parts
        if not 0 < times <= 2 * parts or abs(value - true) <= EXACT:
            continue
        ends = round(true, decimals), floor(true * 10.0**decimals) / 10.0**decimals
        cut_off = decimals >= at_least and value in ends
        if cut_off or any(abs(value - inexact * times / parts) < 1e-9 for inexact in PIS):
            return f"{match[1]}{true!r}"
    return None
