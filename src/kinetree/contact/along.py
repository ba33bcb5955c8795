"""The least distances of links along a motion."""

from typing import NamedTuple

import numpy as np

from kinetree.contact.collisions import Collisions
from kinetree.contact.pairs import Pair
from kinetree.contact.poses import PORTION
from kinetree.spatial.se3 import Array

FIRST = 16
"""Samples of a pair with the least bounds, whose distances are computed first: often no others are needed."""


class Nearest(NamedTuple):
    """Where two links are nearest in a motion: how far apart, m, 0 in contact, and at which sample, from 0. touching:
    the samples in contact."""

    links: Pair
    distance: float
    sample: int
    touching: list[int]


def nearest_along(contact: Collisions, q: Array) -> list[Nearest]:
    """Return the least distance of each of the pairs at samples q (n, nq): first those in contact at some, then
    the nearest. Only the samples are looked at, not what is between them."""
    found = [Nearest(pair, np.inf, 0, []) for pair in contact.pairs]
    for start in range(0, len(q), PORTION):
        some = q[start : start + PORTION]
        lower, where = contact.lower(some), contact.where(some)
        for number, one in enumerate(found):
            far, sample = _least(contact, some, number, lower[:, number], one.distance)
            if far < one.distance:
                one = one._replace(distance=far, sample=start + sample)
            touching = (start + np.flatnonzero(where[:, number])).tolist()
            found[number] = one._replace(touching=one.touching + touching)
    return sorted(found, key=lambda one: (not one.touching, one.distance, one.sample))


def _least(contact: Collisions, q: Array, number: int, lower: Array, best: float) -> tuple[float, int]:
    """Return the least distance of a pair and its first sample where that is below `best`. lower (n,): bounds."""
    order, sample = np.argsort(lower, kind="stable"), 0
    for part in (order[:FIRST], order[FIRST:]):
        rows = np.sort(part[lower[part] < best])
        far = contact.apart(q[rows], number, best) if len(rows) else np.array([np.inf])
        if far.min() < best:
            best, sample = float(far.min()), int(rows[far.argmin()])
    return best, sample
