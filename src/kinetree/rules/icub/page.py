"""The page of naming conventions that the rules check, and the facts that they share."""

from collections.abc import Sequence
from typing import Any, ClassVar

from kinetree import display
from kinetree.model.edit.subtree import links_below
from kinetree.robots.icub.naming import Entry, naming
from kinetree.rules.rule import Robot, Rule, fact

URL = "http://wiki.icub.org/wiki/ICub_Model_naming_conventions"

MOVING = tuple(entry.correct.joint for entry in naming().joints)
"""The 32 joints of the page."""


class IcubRule(Rule):
    """A rule of the page, with examples from parts of the built-in iCub."""

    url: ClassVar[str] = URL
    base: ClassVar[str | None] = "icub"
    requires: ClassVar[tuple[str, ...]] = ("ICUB-001",)
    of_robot: ClassVar[bool] = True


def remark(entry: Entry[Any]) -> str:
    """Return a note in brackets on a row of the page that is wrong or missing, or "" for a correct one."""
    if entry.printed == entry.correct or not entry.deviations:
        return ""
    first = naming().deviations[entry.deviations[0]]
    if entry.printed is None:
        return f" (see deviation {first.number}; the naming conventions leave it out)"
    return f" (the naming conventions are wrong here, deviation {first.number}: {first.printed} {first.correction})"


@fact
def beyond(robot: Robot) -> set[str]:
    """Return the links behind head and hands; the page excludes eyes and hands on purpose."""
    ends = [link for link in ("head", "l_hand", "r_hand") if link in robot.links]
    return {link for end in ends for link in links_below(robot, end) - {end}}


@fact
def body_of(robot: Robot) -> dict[str, str]:
    """Return, for each link, the page's link that carries it through fixed joints, or the last one on that way."""
    named = {entry.correct.link for entry in naming().links}
    bodies = {robot.root: robot.root}
    for name in robot.placed:
        joint = robot.joints[name]
        rigid = joint.type == "fixed" and joint.child not in named
        bodies[joint.child] = bodies[joint.parent] if rigid else joint.child
    return bodies


def listed(names: Sequence[str], one: str, many: str) -> str:
    """Return their number and the first twelve names."""
    return f"{len(names)} {one if len(names) == 1 else many}: {display.listed(names, 12)}"
