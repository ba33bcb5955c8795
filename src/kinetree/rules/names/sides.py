"""Left and right in names of parts that others list."""

import re
from collections.abc import Collection, Iterable
from functools import lru_cache

SIDES = re.compile(r"left|right|(?<![a-z0-9])[lr](?![a-z0-9])", re.IGNORECASE)
"""Words and letters for a side."""
_OTHER = {"left": "right", "right": "left", "l": "r", "r": "l"}


@lru_cache(4096)
def side_of(name: str) -> str:
    """Return "l" or "r" for a name with words for one side alone, else "".

    >>> side_of("left_arm_torso"), side_of("l_gripper_right_finger")
    ('l', '')
    """
    found = {match[0][0].lower() for match in SIDES.finditer(name)}
    return found.pop() if len(found) == 1 else ""


@lru_cache(4096)
def other_side(name: str) -> str:
    """Return the name of the part on the other side.

    >>> other_side("Left_arm"), other_side("r_arm_l_link")
    ('Right_arm', 'l_arm_r_link')
    """
    return SIDES.sub(lambda match: _like(_OTHER[match[0].lower()], match[0]), name)


def on_wrong_side(owner: str, parts: Iterable[str], known: Collection[str]) -> list[str]:
    """Return the parts of what is called left that are called right, or the other way about, if none is of its own side
    and their counterparts exist."""
    side, sided = side_of(owner), [part for part in parts if side_of(part)]
    if not side or any(side_of(part) == side for part in sided):
        return []
    return sided if all(other_side(part) in known for part in sided) else []


def _like(word: str, written: str) -> str:
    """Return a word with the capitals of another."""
    return word.upper() if written.isupper() else word.capitalize() if written[0].isupper() else word
