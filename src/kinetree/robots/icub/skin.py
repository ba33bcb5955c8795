"""The iCub's skin: the frames of its parts, files with the positions of taxels, and lists of contacts."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import takewhile
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kinetree.arguments import explain_type_errors
from kinetree.display import Brief
from kinetree.errors import Finding, KinetreeError, Source, fail, unknown_name
from kinetree.model.robot import Frame, Robot
from kinetree.spatial.se3 import Array, frozen
from kinetree.syntax.plain_words import plain_words

MAX_BYTES = 4_000_000
_NO_LINK = (-1, 2**32 - 1)
"""Numbers of the link that skinDynLib writes for parts of the skin that its table leaves out, those of the legs."""


class SkinPart(NamedTuple):
    """A part of the skin as skinDynLib has it: its code and name, its name in files of taxels, the part of the body and
    the number of the link there."""

    code: int
    name: str
    file: str
    body: str
    number: int


class Skin(NamedTuple):
    """Data of skin.toml. bodies: the frames of each part of the body by the number of the link, and codes: its codes.
    known_as: other names of frames in models."""

    parts: tuple[SkinPart, ...]
    bodies: Mapping[str, tuple[str, ...]]
    codes: Mapping[int, str]
    known_as: Mapping[str, str]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Taxels(Brief):
    """Taxels of a part of the skin in the part's frame (`skin_frame`).

    position: (n, 3) in m, and normal: (n, 3), outwards, as the file has them: not all normals are of length 1, and 0 is
    unknown. known: (n,), whether the file gives the taxel a place; those without are 0. representative: (n,), the taxel
    that stands for each one's triangle, negative for none; None if the file's list has another length than its table,
    as those of feet and legs have. sampling: "taxel" or "triangle", what the values of the sensors are of.
    """

    part: str
    position: Array
    normal: Array
    known: Array
    representative: Array | None
    sampling: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class SkinContact(Brief):
    """A contact on the skin, as skinDynLib describes it.

    skin_part names the part of the skin; without it, body_part and link_number name the link. All vectors are in the
    frame that `skin_frame` returns for these. center_of_pressure, force and moment (…, 3) are in m, N and N m, and may
    be batches: the force acts on the robot from outside, the moment is about the centre of pressure. geometric_center
    is the centre of the taxels that are touched, in m, normal the direction outwards, and pressure the mean of their
    values, in the unit of the skin.

    Examples:
        >>> import kinetree as kt
        >>> kt.icub.SkinContact(skin_part="SKIN_LEFT_FOREARM", center_of_pressure=[0.03, -0.06, 0], force=[0, 0, -10])
        SkinContact(skin_part='SKIN_LEFT_FOREARM', center_of_pressure=[0.03, -0.06, 0], force=[0, 0, -10])
    """

    skin_part: str = ""
    center_of_pressure: Any
    force: Any
    moment: Any = (0.0, 0.0, 0.0)
    body_part: str = ""
    link_number: int = -1
    geometric_center: Any = None
    normal: Any = None
    taxels: tuple[int, ...] = ()
    pressure: float | None = None
    id: int = 0


@cache
def skin() -> Skin:
    """Return skinDynLib's parts of the skin and of the body. Source: skin.toml."""
    data = tomllib.loads(files(__package__).joinpath("skin.toml").read_text("utf-8"))
    bodies = {row["name"]: tuple(row["frames"]) for row in data["bodies"]}
    codes = {row["code"]: row["name"] for row in data["bodies"]}
    return Skin(tuple(SkinPart(*row) for row in data["parts"]), bodies, codes, data["known_as"])


@explain_type_errors
def skin_part(name: str | int) -> SkinPart:
    """Return a part of the skin by its name ("SKIN_LEFT_FOREARM"), the page's ("LEFT_FOOT"), that of the files of
    taxels ("l_forearm"), or its code. Raises KinetreeError for another, with the nearest names."""
    for part in skin().parts:
        if name in (part.name, part.name.removeprefix("SKIN_"), part.file) or (type(name) is int and name == part.code):
            return part
    raise unknown_name("skin part", name, [part.name for part in skin().parts])


@explain_type_errors
def skin_frame(robot: Robot, part: str | int, link_number: int | None = None) -> Frame:
    """Return the frame of a part of the skin on a robot, and with it its link: the frame of its taxels and contacts.

    part: as in `skin_part`; with a link_number, counted from 0, a part of the body ("left_arm") or its code instead. It
    is iKin's frame of the link, behind the row of the link's joint. Raises KinetreeError for an unknown part or number
    and if the robot does not have the frame, such as those of upper arms in the models made from CAD.

    Examples:
        >>> import kinetree as kt
        >>> icub = kt.load("icub")
        >>> frame = kt.icub.skin_frame(icub, "SKIN_LEFT_FOREARM")
        >>> frame.name, frame.link
        ('l_forearm_dh_frame', 'l_forearm')
        >>> kt.icub.skin_frame(icub, "left_arm", 4).name  # by the part of the body and the number of the link
        'l_forearm_dh_frame'
    """
    if link_number is None:
        found = skin_part(part)
        body, number, label = found.body, found.number, f"skin part {found.name!r}"
    else:
        body, number = skin().codes.get(part, "") if isinstance(part, int) else part, link_number
        label = f"link {number} of {body or part!r}"
        if body not in skin().bodies:
            raise unknown_name("body part", part, list(skin().bodies))
    frames = skin().bodies[body]
    if not 0 <= number < len(frames):
        raise fail("link-number", f"is no link; expected 0 to {len(frames) - 1}", element=label)
    for name in (frames[number], skin().known_as.get(frames[number], "")):
        if name in robot.frames:
            return robot.frames[name]
    message = f"robot {robot.name!r} does not have its frame {frames[number]!r}"
    raise fail("no-frame", message, element=label, fix="add the frame to the robot with kt.edit.add_frame")


@explain_type_errors
def taxels(source: str | Path, part: str | int | None = None) -> Taxels:
    """Return the taxels in a file of positions, as skinGui and skinManager read it, or in its text.

    A group [calibration] has a row x y z nx ny nz for each taxel, in metres; before it stand `name`, `spatial_sampling`
    and the list `taxel2Repr`. Older files have the rows alone. part: as in `skin_part`, instead of the file's name.
    Raises KinetreeError with the line of what cannot be read, and for files whose z is a copy of x, as a release of
    icub-main had them. Source: skinPart.cpp of skinDynLib.

    Examples:
        >>> import kinetree as kt
        >>> text = '''name l_forearm
        ... [calibration]
        ... 0.030 -0.060 0.012  0.8 0.0 0.6
        ... 0.000  0.000 0.000  0.0 0.0 0.0'''
        >>> taxels = kt.icub.taxels(text)
        >>> taxels.part, taxels.position[taxels.known].tolist()  # the second taxel has no place
        ('SKIN_LEFT_FOREARM', [[0.03, -0.06, 0.012]])
    """
    file, text = _text_of(source)
    lines = [line.split("//")[0].split("#")[0].strip() for line in text.splitlines()]
    start = lines.index("[calibration]") if "[calibration]" in lines else -1
    head = dict(one.replace("(", " ( ").split(maxsplit=1) for one in lines[: max(start, 0)] if " " in one.expandtabs())
    numbered = enumerate(lines[start + 1 :], start + 2)
    rows = [(i, line) for i, line in takewhile(lambda row: not row[1].startswith("["), numbered) if line]
    table = np.array([_taxel(line, file, i) for i, line in rows]).reshape(len(rows), 6)
    known = np.asarray(table.any(axis=1))
    if known.sum() > 2 and (np.abs(table[known, 0]) == np.abs(table[known, 2])).all():
        raise _error(file, None, "z is a copy of x in all rows; use a later release of the file")
    name = head.get("name", "") if part is None else part
    if name == "":
        raise _error(file, None, "does not name its part of the skin; pass part=, such as 'SKIN_LEFT_FOREARM'")
    stated = head.get("taxel2Repr", "").strip("() ").split()
    if any(not re.fullmatch(r"-?\d{1,9}", word) for word in stated):
        raise _error(file, None, "taxel2Repr is not a list of whole numbers")
    representative = np.array(stated, dtype=int) if rows and len(stated) == len(rows) else None
    sampling = head.get("spatial_sampling", "taxel")
    return Taxels(skin_part(name).name, frozen(table[:, :3]), frozen(table[:, 3:]), known, representative, sampling)


@explain_type_errors
def contacts(text: str) -> tuple[SkinContact, ...]:
    """Return the contacts in a skinContactList or dynContactList of skinDynLib, as YARP prints it.

    Each contact is a list of lists: (id, body part, link, skin part), centre of pressure, force, moment, geometric
    centre, normal, taxels, and the pressure; a dynContact has no skin part and ends with the moment. What some releases
    add behind these is ignored. Raises KinetreeError for other text. Source: skinContact.cpp.

    Examples:
        >>> import kinetree as kt
        >>> text = "((1 3 4 2) (0.03 -0.06 0.012) (-4 0 -3) (0 0 0) (0.03 -0.06 0.012) (0.8 0 0.6) (0 1) 21.5)"
        >>> (contact,) = kt.icub.contacts(text)
        >>> contact.skin_part, contact.force, contact.taxels
        ('SKIN_LEFT_FOREARM', (-4.0, 0.0, -3.0), (0, 1))
    """
    found = _nested(text)
    if len(found) == 1 and isinstance(found[0], list) and _depth(found[0]) != 2:
        found = found[0]  # some programs print a list around all contacts
    return tuple(_contact(i, item) for i, item in enumerate(found, 1))


def contact_frame(robot: Robot, contact: SkinContact) -> Frame:
    """Return the frame of a contact. Raises KinetreeError if its part of the skin and its link disagree."""
    if not contact.skin_part:
        return skin_frame(robot, contact.body_part, contact.link_number)
    part = skin_part(contact.skin_part)
    if contact.link_number not in (*_NO_LINK, part.number) or contact.body_part not in ("", part.body):
        where = f"{contact.body_part or part.body}, link {contact.link_number}"
        message = f"is on {part.name}, which is {part.body}, link {part.number}, but says {where}"
        raise fail("contacts", message, element=f"contact {contact.id}")
    return skin_frame(robot, part.name)


def _contact(i: int, item: Any) -> SkinContact:
    """Return contact number i of a list."""
    item = item if isinstance(item, list) else []
    words, counts = (item, (3, 3, 3, 3)) if len(item) < 8 else ([*item[:7], item[7:8]], (4, 3, 3, 3, 3, 3, None, 1))
    found = [_floats(part, count) for part, count in zip(words, counts, strict=False)]
    values = [part for part in found if part is not None]
    if len(values) < len(counts) or not all(x.is_integer() for part in (values[0], *values[6:7]) for x in part):
        legal = "((id body link skin) (x y z) (fx fy fz) (mx my mz) (x y z) (nx ny nz) (taxels) pressure)"
        message = f"is not a contact; expected {legal}, or the first four without skin"
        raise fail("contacts", message, element=f"item {i}")
    identity, body, link, *part = map(int, values[0])
    if body not in (0, *skin().codes):
        raise unknown_name("body part", body, [f"{code} {name}" for code, name in skin().codes.items()])
    more: dict[str, Any] = dict(zip(("center_of_pressure", "force", "moment"), values[1:4], strict=True))
    if part:
        more |= {"geometric_center": values[4], "normal": values[5], "pressure": values[7][0]}
        more |= {"taxels": tuple(map(int, values[6])), "skin_part": skin_part(part[0]).name if part[0] else ""}
    return SkinContact(id=identity, body_part=skin().codes.get(body, ""), link_number=link, **more)


def _nested(text: str) -> list[Any]:
    """Return the words of a text in lists as its parentheses nest them."""
    stack: list[list[Any]] = [[]]
    for word in re.findall(r'[()]|"[^"]*"|[^\s()"]+', text):
        if word == "(":
            stack[-1].append([])
            stack.append(stack[-1][-1])
        elif word != ")":
            stack[-1].append(word)
        elif len(stack) > 1:
            stack.pop()
        else:
            raise fail("contacts", "a parenthesis closes that was not opened")
    if len(stack) > 1:
        raise fail("contacts", f"{len(stack) - 1} parentheses are not closed")
    return stack[0]


def _depth(item: Any) -> int:
    """Return how many lists the first word stands in."""
    depth = 0
    while isinstance(item, list):
        depth, item = depth + 1, item[0] if item else None
    return depth


def _floats(words: Any, count: int | None = None) -> tuple[float, ...] | None:
    """Return a list of words as finite numbers, None if it is not one, or not of that length."""
    if (
        not isinstance(words, list)
        or count not in (None, len(words))
        or not all(isinstance(word, str) for word in words)
    ):
        return None
    try:
        values = tuple(map(float, words))
    except ValueError:
        return None
    return values if all(map(isfinite, values)) and "_" not in "".join(words) else None


def _taxel(line: str, file: str, number: int) -> tuple[float, ...]:
    if (values := _floats(line.split(), 6)) is None:
        raise _error(file, number, f"{line[:60]!r} is not a taxel; expected 6 numbers, x y z nx ny nz")
    return values


def _text_of(source: str | Path) -> tuple[str, str]:
    """Return the name and text of a file; a text with a line break is the text itself."""
    if isinstance(source, str) and "\n" in source:
        return "text", source
    try:
        data = Path(source).read_bytes()
        if len(data) > MAX_BYTES:
            raise _error(str(source), None, f"has {len(data)} bytes; at most {MAX_BYTES} are read")
        return str(source), data.decode()
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise _error(str(source), None, f"cannot be read: {plain_words(error)}") from None


def _error(file: str, line: int | None, message: str) -> KinetreeError:
    return KinetreeError(Finding("taxels", "error", message, Source(file, line)))
