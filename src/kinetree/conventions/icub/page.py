"""The page that the rules rest on, and what they share of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from kinetree.conventions.rule import Rule
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
    """What is to be said of a row of the page that is wrong, in brackets; nothing of one that is right."""
    if entry.printed == entry.correct or not entry.deviations:
        return ""
    first = naming().deviations[entry.deviations[0]]
    return f" (the page is wrong here, deviation {first.number}: {first.printed} {first.correction})"


def listed(names: Iterable[str], count: int = 12) -> str:
    """The first of some names and how many more there are."""
    names = list(names)
    more = f" and {len(names) - count} more" if len(names) > count else ""
    return ", ".join(names[:count]) + more
