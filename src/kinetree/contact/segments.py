"""Proofs that links stay apart along segments, lines between two configurations.

A segment is cut into parts until each is decided. In a part, the distance of two links is at least that in its middle
less what it can change at most (`distance_rates`), as in Schwarzer, Saha and Latombe, Exact collision checking of robot
paths, 2002.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinetree.contact.poses import PORTION
from kinetree.contact.rows import Rows
from kinetree.contact.travel import distance_rates, travels
from kinetree.errors import fail
from kinetree.model.limits import checked_q
from kinetree.spatial.se3 import Array

if TYPE_CHECKING:
    from kinetree.contact.collisions import Collisions

WITHIN = 0.05
"""Exact distances are computed if bounds lack at most so much, m; before, a part is cut."""
CLOSE = 1e-6
"""Distance up to which links may count as in contact, m."""
MOST_PARTS = 3000
"""Parts of a segment at once in which a pair may be undecided; beyond, it stays so."""


class Passage(NamedTuple):
    """Say what is known of pairs of links along segments (…, k).

    free: proved farther apart than the margin everywhere. share: where contact was found, from 0 at the start of the
    segment to 1 at its end; not a number without. A pair is undecided if it is neither.
    """

    free: NDArray[np.bool_]
    share: Array


def between(q0: Array, q1: Array, share: Array) -> Array:
    """Return the configurations (n, nq) at shares (n,) of segments from q0 to q1 (n, nq)."""
    return np.asarray(q0 + share[:, None] * (q1 - q0))


def turned_alike(quaternions: tuple[int, ...], q0: Array, q1: Array) -> Array:
    """Return q1 (n, nq) with each quaternion of length 1, and the sign with which it is nearer to that in q0."""
    q1 = q1.copy()
    for start in quaternions:
        a, b = q0[:, start : start + 4], q1[:, start : start + 4]
        b /= np.linalg.norm(b, axis=1, keepdims=True) * np.where((a * b).sum(axis=1, keepdims=True) < 0, -1.0, 1.0)
    return q1


def along(contact: Collisions, q0: Any, q1: Any) -> Passage:
    """Return what is known of all pairs along segments from q0 to q1 (…, nq). See `Collisions.along`."""
    ends = [checked_q(contact.robot.limits, q, name) for q, name in ((q0, "q0"), (q1, "q1"))]
    try:
        q0, q1 = np.broadcast_arrays(*ends)
    except ValueError:
        shapes = " and ".join(str(end.shape[:-1]) for end in ends)
        raise fail("q-shape", f"the batches of q0 and q1 are {shapes}, which do not go together") from None
    found = passage(contact, *(end.reshape(-1, contact.robot.nq) for end in (q0, q1)))
    return Passage(*(x.reshape(*q0.shape[:-1], len(contact.pairs)) for x in found))


def passage(contact: Collisions, q0: Array, q1: Array, beside: Array | None = None) -> Passage:
    """Return what is known of all pairs along segments from q0 to q1 (n, nq).

    beside (n, nq): by how much each coordinate may differ from the line at most.
    """
    if not (np.isfinite(q0).all() and np.isfinite(q1).all()):
        raise fail("not-finite", "there is no segment from or to a configuration that is not finite")
    robot, tests = contact.robot, Rows(contact)
    q0 = turned_alike(robot.limits.quaternions, q0, q0)
    q1 = turned_alike(robot.limits.quaternions, q0, q1)
    slack = np.zeros((len(q0), 1)) if beside is None else beside
    ends = np.minimum(q0, q1) - slack, np.maximum(q0, q1) + slack
    most = ends[0].min(axis=0, initial=np.inf), ends[1].max(axis=0, initial=-np.inf)
    radii = contact.radii()
    r = np.array([distance_rates(robot, pair, radii, most) for pair in contact.pairs]) if len(q0) else np.zeros((0, 0))
    share = np.where(tests.in_contact(q1), 1.0, np.nan)
    share[tests.in_contact(q0)] = 0.0
    found = Passage(np.isnan(share), share)
    first = np.zeros(len(q0)), np.ones(len(q0))
    parts = [(np.arange(len(q0)), *first, np.isnan(share))] if len(q0) else []
    while parts:
        own, parts = parts, []
        for segment, low, high, left in own:
            for i in range(0, len(segment), PORTION):
                some = slice(i, i + PORTION)
                parts += _decided(tests, (q0, q1), slack, r, found, (segment[some], low[some], high[some], left[some]))
        parts = _within_bounds(parts, found)
    return found._replace(free=found.free & np.isnan(found.share))


_Parts = tuple[Array, Array, Array, NDArray[np.bool_]]
"""Parts of segments: the numbers of the segments, the two ends as shares, and the pairs that are undecided (n, k)."""


def _decided(
    tests: Rows, ends: tuple[Array, Array], beside: Array, r: Array, found: Passage, parts: _Parts
) -> list[_Parts]:
    """Return the halves of the parts that are undecided; note the contacts that are found in the middles of parts."""
    contact, (segment, low, high, left) = tests.contact, parts
    left = left & np.isnan(found.share[segment])
    kept = left.any(axis=1)
    segment, low, high, left = segment[kept], low[kept], high[kept], left[kept]
    if not len(segment):
        return []
    q0, q1, middle = ends[0][segment], ends[1][segment], (low + high) / 2
    q = between(q0, q1, middle)
    far = np.maximum(*(travels(contact.robot, q, between(q0, q1, end)) for end in (low, high)))
    travel = far @ r.T  # (n, k)
    off = (beside[segment] + np.zeros_like(far)) @ r.T
    above = travel + off + tests.margins
    rows = tests.measured(q)
    lower = tests.lower(rows)
    left &= ~(lower > above + CLOSE)
    row, pair = np.nonzero(left & (lower < tests.margins + CLOSE))
    meet = tests.meeting(rows, row, pair)
    found.share[segment[row[meet]], pair[meet]] = middle[row[meet]]
    left[row[meet], pair[meet]] = False
    row, pair = np.nonzero(left & (above - lower < WITHIN))
    near = tests.near(rows, row, pair, above[row, pair] + CLOSE)
    left[row[~near], pair[~near]] = False
    row, pair = np.nonzero(left & (travel <= np.maximum(CLOSE, off / 16)))  # smaller parts would tell no more
    left[row, pair] = False
    touching = off[row, pair] <= CLOSE
    found.share[segment[row], pair] = np.where(touching, middle[row], np.nan)
    found.free[segment[row], pair] = False
    return [(segment, low, middle, left), (segment, middle, high, left)]


def _within_bounds(parts: list[_Parts], found: Passage) -> list[_Parts]:
    """Return parts as one set, without the pairs that are undecided in too many; those are not free."""
    if not parts:
        return []
    segment, low, high = (np.concatenate([part[i] for part in parts]) for i in range(3))
    left = np.concatenate([part[3] for part in parts])
    count = np.zeros(found.share.shape, dtype=int)
    np.add.at(count, segment, left)
    found.free[count > MOST_PARTS] = False
    left &= (count <= MOST_PARTS)[segment]
    kept = left.any(axis=1)
    return [(segment[kept], low[kept], high[kept], left[kept])] if kept.any() else []
