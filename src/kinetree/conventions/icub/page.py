"""The page that the rules rest on, and what they share of it."""

from __future__ import annotations

from typing import Any, ClassVar

from kinetree.conventions.rule import Rule
from kinetree.model.robot import Robot
from kinetree.robots.icub.naming import Entry, naming

LINK = "http://wiki.icub.org/wiki/ICub_Model_naming_conventions"

MOVING = tuple(entry.correct.joint for entry in naming().joints)
"""The 32 joints of the page."""


class IcubRule(Rule):
    """A rule of the page; its examples are pieces of the built-in iCub."""

    link: ClassVar[str] = LINK
    base: ClassVar[str | None] = "icub"
    requires: ClassVar[tuple[str, ...]] = ("ICUB-001",)


def remark(entry: Entry[Any]) -> str:
    """What is to be said of a row of the page that is wrong or left out, in brackets; nothing of one that is right."""
    if entry.printed == entry.correct or not entry.deviations:
        return ""
    first = naming().deviations[entry.deviations[0]]
    if entry.printed is None:
        return f" (after deviation {first.number}; the page leaves it out)"
    return f" (the page is wrong here, deviation {first.number}: {first.printed} {first.correction})"


def beyond(robot: Robot) -> set[str]:
    """The links behind head and hands: the page leaves eyes and hands out on purpose."""
    above = {joint.child: joint.parent for joint in robot.joints.values()}
    found = set()
    for link in robot.links:
        up = above.get(link)
        while up is not None and up not in ("head", "l_hand", "r_hand"):
            up = above.get(up)
        if up is not None:
            found.add(link)
    return found
