"""The least distances of links along a motion."""

from typing import NamedTuple

import numpy as np

from kinetree.contact.collisions import PORTION, Collisions
from kinetree.contact.pairs import Pair
from kinetree.spatial.se3 import Array

FIRST = 16
"""Samples of a pair with the least bounds, whose distances are computed first: often no others are needed."""


class Nearest(NamedTuple):
    """Where two links are nearest in a motion: how far apart, m, 0 in contact, and at which sample, from 0. touching:
    the number of samples in contact. first, last: the first and the last of these, None if there are none."""

    links: Pair
    distance: float
    sample: int
    touching: int
    first: int | None
    last: int | None


def nearest_along(contact: Collisions, q: Array) -> list[Nearest]:
    """Return the least distance of each of the pairs at samples q (n, nq): first those in contact at some, then
    the nearest. Only the samples are looked at, not what is between them."""
    least = [(np.inf, 0)] * len(contact.pairs)
    touching: list[list[int]] = [[] for _ in contact.pairs]
    for start in range(0, len(q), PORTION):
        some = q[start : start + PORTION]
        lower, near = contact.lower(some), contact.near(some)
        for sample, number in np.argwhere(contact.where(some)).tolist():
            touching[number].append(start + sample)
        for number, (best, sample) in enumerate(least):
            far, place = _least(contact, some, near, number, lower[:, number], best)
            least[number] = (far, start + place) if far < best else (best, sample)
    found = [
        Nearest(links, *own, len(rows), *((rows[0], rows[-1]) if rows else (None, None)))
        for links, own, rows in zip(contact.pairs, least, touching, strict=True)
    ]
    return sorted(found, key=lambda one: (not one.touching, one.distance, one.sample))


def _least(contact: Collisions, q: Array, near: Array, number: int, lower: Array, best: float) -> tuple[float, int]:
    """Return the least distance of a pair and its first sample where that is below `best`. lower (n,): bounds."""
    order = np.argsort(lower, kind="stable")
    sample = 0
    for part in (order[:FIRST], order[FIRST:]):
        rows = np.sort(part[lower[part] < best])
        if not len(rows):
            break
        far = contact.apart(q[rows], number, best, near[rows])
        place = int(far.argmin())
        if far[place] < best:
            best, sample = float(far[place]), int(rows[place])
    return best, sample
