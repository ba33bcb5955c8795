"""Kinds of robots and of their chains: arms, legs, hands, mobile bases."""

from kinetree.errors import fail

KINDS = {
    "arm": "a manipulator, or several on one foot",
    "mobile-base": "a vehicle on wheels",
    "mobile-manipulator": "a vehicle on wheels with arms",
    "humanoid": "two arms, with two legs or a neck",
    "legged": "a walking robot, with arms or without",
    "drone": "rotors in the air",
    "hand": "a hand or a gripper",
    "head": "a head, or a camera that turns",
    "object": "no joint moves",
    "other": "none of these",
}
"""Kinds of robots."""


def check_kind(kind: str | None) -> None:
    """Raise KinetreeError for an unknown kind of robot."""
    if kind is not None and kind not in KINDS:
        raise fail("kind", f"no kind of robot {kind!r}; expected one of {', '.join(KINDS)}")
