"""Contact of a robot's links as rules need it: which pairs are tested, and configurations as `--q` takes them."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import replace
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np

from kinetree.errors import KinetreeError
from kinetree.model.names import NamedValues
from kinetree.model.semantic import CollisionPair, Semantic
from kinetree.rules.rule import Array, Robot, fact
from kinetree.rules.shapes.meshes import MeshFiles, file_of

if TYPE_CHECKING:
    from kinetree.contact.collisions import Collisions
    from kinetree.contact.search import Hit

ALLOWS = ("adjacent", "always", "user")
"""Reasons that allow contact; others say that there is none."""

MOST_BYTES = 5_000_000
"""Most bytes of a mesh file of a collision shape, 100,000 triangles of an STL; larger ones are left out."""
MOST_PAIRS = 3000
"""Most pairs of links that are looked at; of robots with more none is."""
DRAWN, FEW, CORNERS = 1000, 30, 32
"""Configurations among which contact is searched for; those in which a pair touches that always does; and of those with
the joints between the two at their limits."""


class Contacts:
    """The pairs of links that move against each other, by their numbers in `pairs`.

    disabled: those of the SRDF. neighbours, always: those that touch by their build, or wherever the joints stand.
    neutral: those in contact in the neutral posture. tested: those that should not touch, as far as is known.
    columns: of q that move a pair. q: random configurations (DRAWN, nq). search: tests of the pairs.
    """

    def __init__(self, robot: Robot, contact: Collisions) -> None:
        from kinetree.contact.make import NEAR
        from kinetree.contact.pairs import moving_pairs
        from kinetree.contact.search import Search
        from kinetree.contact.ways import columns_between, corners, samples

        self.robot, self.pairs, self.q, self.search = robot, contact.pairs, samples(robot)[:DRAWN], Search(contact)
        every = {frozenset(pair): i for i, pair in enumerate(self.pairs)}
        self.columns = [columns_between(robot, *pair) for pair in self.pairs]
        _, near, perhaps = ([every[frozenset(p)] for p in some] for some in moving_pairs(robot, contact.links()))
        rows, row = self.search.rows.placed(robot.q()[None]), np.zeros(len(perhaps), dtype=int)
        self.neighbours = {
            *near,
            *np.array(perhaps)[self.search.rows.gaps(rows, row, np.array(perhaps, dtype=int)) < NEAR].tolist(),
        }
        semantic = robot.semantic or Semantic(robot.name)
        enabled = {one.links for one in semantic.enabled_collisions}
        unchecked = {one.link for one in semantic.unchecked_links}
        written: dict[frozenset[str], CollisionPair] = {}
        for one in sorted(semantic.disabled_collisions, key=lambda one: one.reason.lower() not in ALLOWS):
            written[one.links] = one  # of several lines one that is judged
        self.disabled = {every[key]: one for key, one in written.items() if key in every}
        asked = {*every.values()} - (set() if robot.semantic else self.neighbours)
        self.neutral = self.search.in_all(robot.q()[None], sorted(asked))
        ends = {i: corners(robot, *self.pairs[i]) for i in self.search.in_all(self.q[:FEW], self.neutral)}
        self.always = {i for i, q in ends.items() if self.search.in_all(q[:: max(len(q) // CORNERS, 1)], [i])}
        out = {i for key, i in every.items() if key in written or key & unchecked}
        out -= {i for key, i in every.items() if key in enabled}
        self.missing = [pair for i, pair in enumerate(self.pairs) if i in self.always - out and {*pair} not in enabled]
        self.tested = [i for i in range(len(self.pairs)) if i not in out | self.neighbours | self.always]

    @cached_property
    def hits(self) -> dict[int, Hit]:
        """Contact of the disabled pairs whose reason says that there is none."""
        reasons = {pair: one.reason.lower() for pair, one in self.disabled.items()}
        apart = {
            pair
            for pair, why in reasons.items()
            if why not in ALLOWS and (why not in ("", "default") or pair not in self.neutral)
        }
        return self.search.hits(sorted(apart - self.neighbours - self.always), self.q)

    def named(self, pairs: Collection[int], most: int = 5) -> str:
        """Return the links of pairs, as messages name them."""
        names = ["{!r} and {!r}".format(*self.pairs[pair]) for pair in pairs]
        return ", ".join(names[:most]) + (f" and {len(names) - most} more pairs" if len(names) > most else "")

    def words(self, q: Array, pair: int, columns: Collection[int]) -> str:
        """Return some columns of q as `kinetree show` takes them, so that a pair is in contact."""
        from kinetree.contact.ways import words

        return words(self.robot, q, columns, lambda rounded: bool(self.search.in_all(rounded[None], [pair])))


@fact
def contacts(robot: Robot, contact: bool, mesh_files: MeshFiles | None) -> Contacts | None:
    """Return the contact of the links of a robot, None if it is not to be tested, or nothing is known of it."""
    if not contact or not find_spec("fcl"):
        return None
    from kinetree.contact.make import coarse

    files = (mesh_files or {}).items()
    large = {name for name, (path, state) in files if state == "there" and os.path.getsize(path) > MOST_BYTES}
    if large:
        links = [
            replace(link, collisions=tuple(one for one in link.collisions if file_of(one) not in large))
            for link in robot.links.values()
        ]
        robot = replace(robot, links=NamedValues("link", links))
    try:
        found = coarse(robot, without=[*robot.links], every=True)
    except KinetreeError:  # no shapes
        return None
    return Contacts(robot, found) if 0 < len(found.pairs) <= MOST_PAIRS else None


@fact
def missing_pairs(contacts: Contacts | None) -> tuple[tuple[str, str], ...]:
    """Return the pairs of links that always touch, and that the SRDF does not name; none if that is not known."""
    return tuple(contacts.missing) if contacts else ()
