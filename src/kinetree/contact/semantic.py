"""Which pairs of links need not be tested, with evidence: the disabled collisions of an SRDF."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from kinetree.contact.never import proved
from kinetree.contact.pairs import Pair
from kinetree.contact.ways import SAMPLES, columns_between, corners, samples
from kinetree.errors import Finding
from kinetree.model.robot import Robot
from kinetree.model.semantic import CollisionPair, Semantic
from kinetree.spatial.se3 import Array

if TYPE_CHECKING:
    from kinetree.contact.collisions import Collisions

STARTS, TRIES, ROUNDS = 10, 8, 60
"""Nearest samples from which a search for contact starts, and its tries in each of so many rounds."""


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
        more, touched = _judged(contact.of(kept), kept)
        found += more
    return _with(robot, found, touched)


def _judged(contact: Collisions, pairs: Sequence[Pair]) -> tuple[list[CollisionPair], dict[Pair, Array]]:
    """Return the pairs that need not be tested, and configurations in which others are in contact."""
    robot, q = contact.robot, samples(contact.robot)
    where, neutral, radii = contact.where(q), contact.where(robot.q()), contact.radii()
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
            at, evidence = _never(contact, i, q, radii)
            if at is None:
                found.append(CollisionPair(*pair, "Never", evidence))
            else:
                touched[pair] = at
    return found, touched


def _never(contact: Collisions, i: int, q: Array, radii: dict[str, float]) -> tuple[Array | None, str]:
    """Return a configuration in which a pair is in contact, or None, and what shows that there is none."""
    a, b = contact.pairs[i]
    at, parts = proved(contact.robot, a, b, radii, lambda q, above: contact.least(q, i, above))
    if at is not None or parts:
        return at, f"proved, with the ranges in {parts} parts"
    at, least = _descended(contact, i, q, sorted(columns_between(contact.robot, a, b)))
    return at, f"{SAMPLES} samples, and from the nearest down to {least:.3g} m"


def _descended(contact: Collisions, i: int, q: Array, columns: Sequence[int]) -> tuple[Array | None, float]:
    """Return a configuration in contact, or None, and the least distance found: by random steps from the nearest."""
    rng, limits = np.random.default_rng(0), contact.robot.limits
    bounds = contact.least(q, i, np.zeros(len(q)))
    best = q[np.argsort(bounds)[:STARTS]]
    far = contact.least(best, i, np.full(len(best), np.inf))
    width = np.full(len(best), 0.3)
    for _ in range(ROUNDS):
        tries = np.repeat(best[:, None], TRIES, axis=1)
        tries[..., columns] += rng.normal(size=(len(best), TRIES, len(columns))) * width[:, None, None]
        flat = limits.project(tries.reshape(-1, tries.shape[-1]))
        there = contact.least(flat, i, np.full(len(flat), np.inf)).reshape(len(best), TRIES)
        nearest, rows = there.argmin(axis=1), np.arange(len(best))
        better = there[rows, nearest] < far
        best[better] = flat.reshape(tries.shape)[rows, nearest][better]
        far[better] = there[rows, nearest][better]
        width *= np.where(better, 1.0, 0.7)
        if not far.all():
            return best[far.argmin()], 0.0
    return None, float(far.min())


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
