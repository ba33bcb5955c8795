"""Which pairs of links need not be tested, with evidence: the disabled collisions of an SRDF."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kinetree.contact.never import MOST_PARTS, parts_of_proof
from kinetree.contact.pairs import Pair
from kinetree.contact.rows import Rows
from kinetree.contact.ways import SAMPLES, columns_between, corners, samples, words
from kinetree.display import counted
from kinetree.errors import Finding
from kinetree.model.robot import Robot
from kinetree.model.semantic import CollisionPair, Semantic
from kinetree.progress import tracked
from kinetree.spatial.se3 import Array

if TYPE_CHECKING:
    from kinetree.contact.collisions import Collisions

ALWAYS = f"in contact in {SAMPLES} samples and at the ends of the ranges"
OFTEN = 0.95
"""Share of samples in contact from which the neutral configuration is as most others."""
SMALL = 0.01
"""Motion that ends a contact that only grazes, rad or m."""
KEPT = ("user", "adjacent")
"""Reasons that contact does not contradict."""
FEW_PARTS = 3000
"""Parts of a proof that is tried first."""
STARTS, TRIES = 5, 5
"""Nearest samples from which a search for contact starts, and the tries of each at once."""
WIDEST, NARROWEST, NARROWER = 0.3, 2e-3, 0.6
"""Standard deviations of the steps of a search, rad or m: the first, the last, and the part after tries in vain."""


def described(contact: Collisions) -> Robot:
    """Return the robot with the pairs that need not be tested. See `Collisions.semantic`."""
    robot = contact.robot
    found = [CollisionPair(a, b, "Adjacent", why) for a, b, why in contact.left_out if why == "neighbours"]
    always = [(a, b) for a, b, why in contact.left_out if why == "always in contact"]  # perhaps of few samples
    known = {*contact.pairs, *(one[:2] for one in contact.left_out)}
    pairs = combinations(contact.links(), 2)
    still = [pair for pair in pairs if pair not in known and not columns_between(robot, *pair)]
    if still:
        touching = contact.of(still).where(robot.q())
        evidence = "the links do not move against each other"
        both = zip(still, touching, strict=True)
        found += [CollisionPair(*pair, "Always" if touches else "Never", evidence) for pair, touches in both]
    some = [*contact.pairs, *always]
    if not some:
        return _with(robot, found, [])
    more, touched = _judged(contact.of(some) if contact.margin or always else contact)
    return _with(robot, [*found, *more], touched)


class Touch(NamedTuple):
    """A pair that can be in contact: where, as options of commands, and whether in the neutral configuration."""

    pair: Pair
    q: str
    neutral: bool


def _judged(contact: Collisions) -> tuple[list[CollisionPair], list[Touch]]:
    """Return the pairs that need not be tested, and those that can be in contact."""
    robot, q = contact.robot, samples(contact.robot)
    where, neutral, bounds = contact.where(q), contact.where(robot.q()), contact.lower(q)
    shares, radii = where.mean(axis=0), contact.radii()
    found: list[CollisionPair] = []
    touched: list[Touch] = []
    for i, pair in enumerate(tracked(contact.pairs, "judging pairs")):
        at, columns = None, sorted(columns_between(robot, *pair))
        if shares[i] == 1 and contact.where(corners(robot, *pair))[:, i].all():
            found.append(CollisionPair(*pair, "Always", ALWAYS))
        elif neutral[i] and (shares[i] > OFTEN or _grazes(contact, i, columns)):
            found.append(CollisionPair(*pair, "Default", "in contact in the neutral configuration"))
        elif neutral[i] or where[:, i].any():
            at = robot.q() if neutral[i] else q[where[:, i].argmax()]
        else:
            at, evidence = _never(contact, i, q[np.argsort(bounds[:, i])[:STARTS]], columns, radii)
            found += [] if at is not None else [CollisionPair(*pair, "Never", evidence)]
        if at is not None:
            text = words(robot, at, columns, partial(_touches, contact, i))
            touched.append(Touch(pair, text, bool(neutral[i])))
    return found, touched


def _touches(contact: Collisions, i: int, q: Array) -> bool:
    """Return whether a pair is in contact at q (nq,)."""
    return bool(contact.where(q)[i])


def _grazes(contact: Collisions, i: int, columns: Sequence[int]) -> bool:
    """Return whether small motions from the neutral configuration end the contact of a pair, as of closed fingers."""
    q = np.tile(contact.robot.q(), (64, 1))
    q[:, columns] += np.random.default_rng(0).uniform(-SMALL, SMALL, (len(q), len(columns)))
    return not bool(contact.where(contact.robot.limits.project(q))[:, i].all())


def _never(
    contact: Collisions, i: int, q: Array, columns: Sequence[int], radii: dict[str, float]
) -> tuple[Array | None, str]:
    """Return a configuration in which a pair is in contact, or None, and what shows that there is none."""
    robot, pair = contact.robot, contact.pairs[i]
    least = np.inf
    for most in (FEW_PARTS, MOST_PARTS):  # a short proof saves the search, which saves a long one in vain
        parts = parts_of_proof(robot, *pair, radii, partial(Rows(contact).may_be_near, i), most)
        if parts:
            return None, f"proved: apart in {counted(parts, 'part')} of the ranges, which are all"
        if most == FEW_PARTS:
            at, least = _descended(contact, i, q, columns)
            if at is not None:
                return at, ""
    return None, f"not in {SAMPLES} samples; the least distance found is {1e3 * least:.4g} mm"


def _descended(contact: Collisions, i: int, q: Array, columns: Sequence[int]) -> tuple[Array | None, float]:
    """Return a configuration in contact, or None, and the least distance found: by random steps from some
    configurations (n, nq)."""
    rng, limits = np.random.default_rng(0), contact.robot.limits
    best, far, width = q.copy(), contact.apart(q, i), np.full(len(q), WIDEST)
    while far.all() and width.max() > NARROWEST:
        tries = np.repeat(best[:, None], TRIES, axis=1)
        tries[..., columns] += rng.normal(size=(len(best), TRIES, len(columns))) * width[:, None, None]
        flat = limits.project(tries.reshape(-1, tries.shape[-1]))
        there = contact.apart(flat, i, np.repeat(far, TRIES)).reshape(len(best), TRIES)
        nearest, rows = there.argmin(axis=1), np.arange(len(best))
        better = there[rows, nearest] < far
        best[better] = flat.reshape(tries.shape)[rows, nearest][better]
        far[better] = there[rows, nearest][better]
        width *= np.where(better, 1.0, NARROWER)
    return (None if far.all() else best[far.argmin()]), float(far.min())


def _with(robot: Robot, found: Sequence[CollisionPair], touched: Sequence[Touch]) -> Robot:
    """Return the robot with these pairs after those that its description has, and notes of those that are wrong."""
    semantic = robot.semantic or Semantic(robot.name)
    shown = {one.links: one for one in found}
    old: dict[frozenset[str], list[CollisionPair]] = {}
    for one in semantic.disabled_collisions:
        old.setdefault(one.links, []).append(one)
    enabled = {one.links for one in semantic.enabled_collisions}
    lines = semantic.disabled_collisions
    kept = [replace(one, evidence=_evidence(one, shown.get(one.links))) for one in lines]
    new = [one for pair, one in shown.items() if pair not in old.keys() | enabled]
    notes = []
    for pair, where, neutral in touched:
        written, about = old.get(frozenset(pair), []), f"links {pair[0]!r} and {pair[1]!r}"
        for own in (one for one in written if one.reason.lower() not in KEPT):
            said = f"disabled as {own.reason}" if own.reason else "disabled without a reason"
            message = f"the pair is {said}, but in contact at {where}"
            notes.append(Finding("srdf-contact", "warning", message, own.source, about))
        if neutral and not written:
            message = "they are in contact in the neutral configuration, but not always; the pair is not disabled"
            notes.append(Finding("srdf-contact", "warning", message, None, about))
    semantic = replace(semantic, disabled_collisions=(*kept, *new))
    return replace(robot, semantic=semantic, notes=(*robot.notes, *notes))


def _evidence(own: CollisionPair, found: CollisionPair | None) -> str:
    """Return what was found about a pair that is disabled already."""
    if found is None:
        return ""
    return found.evidence if own.reason.lower() == found.reason.lower() else f"{found.reason}: {found.evidence}"
