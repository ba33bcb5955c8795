"""Which pairs of links are tested for contact, and why others are left out."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import combinations
from typing import NamedTuple

from kinetree.contact.ways import between, carries
from kinetree.errors import fail, unknown_name
from kinetree.model.robot import Robot
from kinetree.queries.query import tree

Pair = tuple[str, str]


class LeftOut(NamedTuple):
    """A pair of links that is not tested, and the reason."""

    link1: str
    link2: str
    reason: str


def moving_pairs(
    robot: Robot, links: Sequence[str], moving: Collection[str] = ()
) -> tuple[list[Pair], list[Pair], list[Pair]]:
    """Return the pairs of links that move against each other and are no neighbours, the neighbours, and those pairs
    that are neighbours if they stand near each other: those of which neither carries the other, and those that slide.

    links: those to be tested. moving: those that move by themselves, and have no neighbours. Neighbours have no link
    with shapes between them, and one joint that moves, which is not floating or planar, or several that turn.
    """
    model = tree(robot)
    body = {name: model.frame(name)[0] for name in links}
    shaped = {name for name, link in robot.links.items() if link.collisions} - {*moving}
    kept: list[Pair] = []
    neighbours: list[Pair] = []
    perhaps: list[Pair] = []
    for a, b in combinations(links, 2):
        if a in moving or b in moving:
            kept.append((a, b))
        elif body[a] != body[b]:
            on_the_way, joints = between(robot, a, b)
            kinds = [joint.kind.angular for joint in joints]
            turn = all(all(angular) for angular in kinds)
            if shaped.isdisjoint(on_the_way) and (turn or (len(kinds) == 1 and len(kinds[0]) == 1)):
                (neighbours if turn and carries(robot, a, b) else perhaps).append((a, b))
            else:
                kept.append((a, b))
    return kept, neighbours, perhaps


def chosen_pairs(robot: Robot, given: Collection[Pair], links: Collection[str]) -> list[Pair]:
    """Return the pairs that a user names, in their order. Raises KinetreeError for links that have no shapes."""
    found: list[Pair] = []
    for pair in given:
        if isinstance(pair, str) or len(pair) != 2 or not all(isinstance(name, str) for name in pair):
            raise fail("pairs", f"pairs has {pair!r}; expected pairs of names of links")
        for name in pair:
            if name not in robot.links:
                raise unknown_name("link", name, list(robot.links))
            if name not in links:
                raise fail("pairs", f"link {name!r} has no collision shape")
        if pair[0] == pair[1]:
            raise fail("pairs", f"pairs has {pair!r}; expected two links")
        found.append((str(pair[0]), str(pair[1])))
    return found


def without_srdf(
    robot: Robot, pairs: Sequence[Pair], always: Collection[Pair], touching: Collection[Pair]
) -> tuple[list[Pair], list[LeftOut]]:
    """Return the pairs without those that always touch and those that an SRDF leaves out for a reason that holds.

    Never, and no reason, leave no pair out: both are said of pairs that were sampled. always: pairs that touch wherever
    the joints stand. touching: those that touch in the neutral configuration.
    """
    reasons: dict[frozenset[str], str] = {}
    enabled: set[frozenset[str]] = set()
    if robot.semantic:
        reasons = {p.links: p.reason for p in robot.semantic.disabled_collisions}
        enabled = {p.links for p in robot.semantic.enabled_collisions}
    kept: list[Pair] = []
    left_out: list[LeftOut] = []
    for pair in pairs:
        said = reasons.get(frozenset(pair))
        if frozenset(pair) in enabled:
            kept.append(pair)
        elif said is not None and said.lower() == "exclude":
            left_out.append(LeftOut(*pair, "MJCF: exclude"))
        elif pair in always:
            left_out.append(LeftOut(*pair, "always in contact"))
        elif said is not None and said.lower() == "user":
            left_out.append(LeftOut(*pair, "SRDF: User"))
        elif said is not None and said.lower() == "default" and pair in touching:
            left_out.append(LeftOut(*pair, "SRDF: Default, in contact in the neutral configuration"))
        else:
            kept.append(pair)
    return kept, left_out
