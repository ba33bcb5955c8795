"""Places of base, flange and tool0 as they are given: a pose X Y Z R P Y, or the name of a frame."""

import re
from collections.abc import Mapping
from functools import lru_cache
from math import pi
from typing import TYPE_CHECKING

from kinetree import display
from kinetree.errors import fail
from kinetree.syntax.numbers import number

if TYPE_CHECKING:
    from kinetree.spatial.se3 import Array

CARRIERS = {"base": "base_link", "flange": "the last link of the arm", "tool0": "flange"}
"""Frames whose places can be given, and in which frame."""
LEGAL = (
    'expected a pose X Y Z R P Y in m and rad, such as "0 0 0.45 0 pi/2 0", or the name of a frame; '
    "for several arms PREFIX=PLACE, separated by ;"
)
FAR = 10.0
"""Distance of a flange or tool0 that only millimetres can mean, m. A base may be farther; R103-002 checks it."""
PI = r"([+-]?)([0-9]{0,9})\*?pi(?:/([0-9]{1,9}))?"


@lru_cache(64)
def places(which: str, text: str) -> Mapping[str, "Array | str"]:
    """Return the places in a text by the prefix of an arm, "" for all other arms: T_carrier_frame (4, 4), or the name
    of a frame. which: "base", "flange" or "tool0". Raises KinetreeError if the text is neither.

    >>> places("tool0", "left_=tool_frame")
    {'left_': 'tool_frame'}
    """
    found: dict[str, Array | str] = {}
    for item in text.split(";"):
        prefix, _, place = item.rpartition("=")
        if prefix.strip() in found:
            raise fail("place", f"{which} is given twice for the prefix {prefix.strip()!r}; {LEGAL}")
        found[prefix.strip()] = _place(which, place.split())
    return found


def _place(which: str, words: list[str]) -> "Array | str":
    values = [_angle(word) for word in words]
    if len(words) == 1 and values[0] is None:
        return words[0]
    numbers = [value for value in values if value is not None]
    if len(words) != 6 or len(numbers) != 6:
        count = f"{len(words)} word" + "s" * (len(words) != 1)
        said = f"{count}, expected 6" if len(words) != 6 else f"{words[values.index(None)]!r} is not a number"
        raise fail("place", f"{which} is given as {' '.join(words)!r}: {said}; {LEGAL}")
    if max(map(abs, numbers[3:])) > 2 * pi:
        raise fail("place", f"{which} is given as {' '.join(words)!r}: an angle is more than a turn; {LEGAL}")
    if which != "base" and (far := max(map(abs, numbers[:3]))) > FAR:
        said = f"{display.number(far)} m from {CARRIERS[which]}; is it in millimetres?"
        raise fail("place", f"{which} is given as {' '.join(words)!r}: {said} {LEGAL}")
    from kinetree.spatial import se3

    return se3.pose_from_xyz_rpy(numbers[:3], numbers[3:])


def _angle(word: str) -> float | None:
    """Return a number, or a multiple or fraction of π such as -pi/2."""
    if match := re.fullmatch(PI, word):
        part = int(match[3] or 1)
        return float(f"{match[1]}1") * int(match[2] or 1) * pi / part if part else None
    return number(word)
