"""What the rules of REP-103 share: where it is written, what their examples are pieces of, and angles as written."""

from __future__ import annotations

from itertools import chain
from typing import ClassVar, NamedTuple

from kinetree.conventions.examples import ARM
from kinetree.conventions.mending import origins_of
from kinetree.conventions.rule import Rule
from kinetree.conventions.subject import fact
from kinetree.formats.xml import Element


class Rep103(Rule):
    """A clause of REP-103; its examples are pieces of an arm that follows them all."""

    url: ClassVar[str] = "https://www.ros.org/reps/rep-0103.html"
    base: ClassVar[str | None] = ARM


class Rpy(NamedTuple):
    """An rpy as written: the link, joint or sensor it belongs to, its <origin>, and the texts of its numbers."""

    owner: Element
    origin: Element
    numbers: tuple[str, ...]


@fact
def rpys(document: Element | None) -> tuple[Rpy, ...]:
    """Every rpy of a URDF text; of other formats none."""
    return tuple(
        Rpy(owner, origin, tuple(rpy.split()))
        for owner in (document.children if document else ())
        if owner.tag in ("link", "joint", "sensor")
        for origin in origins_of(owner)
        if (rpy := origin.attributes.get("rpy"))
    )


@fact
def angles(rpys: tuple[Rpy, ...]) -> frozenset[str]:
    """The texts of all numbers in rpys: most stand there many times."""
    return frozenset(chain.from_iterable(rpy.numbers for rpy in rpys))
