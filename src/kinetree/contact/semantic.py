"""Which pairs of links need not be tested, with evidence: the disabled collisions of an SRDF."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from kinetree.contact.never import parts_of_proof
from kinetree.contact.pairs import Pair
from kinetree.contact.ways import SAMPLES, columns_between, corners, samples
from kinetree.display import counted
from kinetree.errors import Finding
from kinetree.model.robot import Robot
from kinetree.model.semantic import CollisionPair, Semantic
from kinetree.spatial.se3 import Array

if TYPE_CHECKING:
    from kinetree.contact.collisions import Collisions

STARTS, TRIES = 6, 6
"""Nearest samples from which a search for contact starts, and the tries of each at once."""
WIDEST, NARROWEST, NARROWER = 0.3, 2e-3, 0.6
"""Standard deviations of the steps of a search, rad or m: the first, the last, and the part after tries in vain."""


def described(contact: Collisions) -> Robot:
    """Return the robot with the pairs that need not be tested. See `Collisions.semantic`."""
    robot, links = contact.robot, contact.links()
    reasons = {"neighbours": "Adjacent", "always in contact": "Always"}
    found = [CollisionPair(a, b, reasons[why]) for a, b, why in contact.left_out if why in reasons]
    known = {*contact.pairs, *(one[:2] for one in contact.left_out)}
    still = [pair for pair in combinations(links, 2) if pair not in known and not columns_between(robot, *pair)]
    if still:
        touching = contact.of(still).where(robot.q())
        for pair, touches in zip(still, touching, strict=True):
            evidence = "the links do not move against each other"
            found.append(CollisionPair(*pair, "Always" if touches else "Never", evidence))
    kept = list(contact.pairs)
    touched: dict[Pair, Array] = {}
    if kept:
        more, touched = _judged(contact.of(kept) if contact.margin else contact, kept)
        found += more
    return _with(robot, found, touched)


def _judged(contact: Collisions, pairs: Sequence[Pair]) -> tuple[list[CollisionPair], dict[Pair, Array]]:
    """Return the pairs that need not be tested, and configurations in which others are in contact."""
    robot, q = contact.robot, samples(contact.robot)
    where, neutral, radii, bounds = contact.where(q), contact.where(robot.q()), contact.radii(), contact.lower(q)
    found: list[CollisionPair] = []
    touched: dict[Pair, Array] = {}
    for i, pair in enumerate(pairs):
        if where[:, i].any():
            touched[pair] = q[where[:, i].argmax()]
        if where[:, i].all() and contact.where(corners(robot, *pair))[:, i].all():
            found.append(CollisionPair(*pair, "Always", f"in contact in {SAMPLES} samples and at the ends of ranges"))
        elif neutral[i]:
            found.append(CollisionPair(*pair, "Default", "in contact in the neutral configuration"))
        elif not where[:, i].any():
            at, evidence = _never(contact, i, q[np.argsort(bounds[:, i])[:STARTS]], radii)
            if at is None:
                found.append(CollisionPair(*pair, "Never", evidence))
            else:
                touched[pair] = at
    return found, touched


def _never(contact: Collisions, i: int, q: Array, radii: dict[str, float]) -> tuple[Array | None, str]:
    """Return a configuration in which a pair is in contact, or None, and what shows that there is none."""
    robot, (a, b) = contact.robot, contact.pairs[i]
    at, least = _descended(contact, i, q, sorted(columns_between(robot, a, b)))
    parts = 0 if at is not None else parts_of_proof(robot, a, b, radii, lambda q, far: contact.may_be_near(q, i, far))
    if parts:
        return None, f"proved, with the ranges in {counted(parts, 'part')}"
    return at, f"{SAMPLES} samples, and from the nearest down to {least:.3g} m"


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


def _with(robot: Robot, found: Sequence[CollisionPair], touched: dict[Pair, Array]) -> Robot:
    """Return the robot with these pairs after those that its description has, and notes of those that are wrong."""
    semantic = robot.semantic or Semantic(robot.name)
    old = {frozenset((one.link1, one.link2)): one for one in semantic.disabled_collisions}
    enabled = {frozenset((one.link1, one.link2)) for one in semantic.enabled_collisions}
    new = [one for one in found if frozenset((one.link1, one.link2)) not in old.keys() | enabled]
    notes = []
    for pair, q in touched.items():
        own = old.get(frozenset(pair))
        if own and own.reason.lower() in ("never", ""):
            angles = ", ".join(f"{name} {value:.4g}" for name, value in zip(robot.coordinate_names, q, strict=True))
            message = (
                f"the pair is disabled{' as ' + own.reason if own.reason else ''}, but in contact at {angles} (rad, m)"
            )
            notes.append(Finding("srdf-contact", "warning", message, own.source, f"links {pair[0]!r} and {pair[1]!r}"))
    disabled = (*semantic.disabled_collisions, *new)
    return replace(robot, semantic=replace(semantic, disabled_collisions=disabled), notes=(*robot.notes, *notes))
