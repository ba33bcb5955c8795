"""The distance of two convex solids (Gilbert, Johnson & Keerthi, A Fast Procedure for Computing the Distance Between
Complex Objects in Three-Dimensional Space, 1988), one step at a time on any scalar.

The difference of the solids is the set of all a - b; its point nearest the origin is the vector between them. A step
looks for the vertex of the difference that is farthest against the nearest point so far, and takes the point of the
simplex of this vertex and at most three earlier ones that is nearest the origin.
"""

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np

STATE, DECISION = 30, 18
"""Numbers of a state: above zero while it goes on, below zero where a decision was that the solids are in contact; the
steps; the nearest point of the difference (3); a lower bound of the distance; the nearest point of the first solid (3);
then for each of three earlier vertices whether it counts, where it is (3), and the vertex of the first solid that it
comes from (3). Where only a decision is wanted, it has no points of the first solid."""
NEAREST, LOWER, WITNESS = slice(2, 5), 5, slice(6, 9)

MOST_STEPS = 60.0
CLOSE = 1e-10
"""Difference of the bounds at which a distance is known, m."""
TOUCHING = 1e-8
"""Distance from which on solids are in contact, m."""

Vertices = Callable[[Any], tuple[Any, Any]]


def step(state: Any, vertices: Vertices, guess: Any, above: Any) -> Any:
    """Return the state after a step.

    vertices: from a direction (3,) to the vertex of the difference that is farthest in it (3,), and the vertex of the
    first solid from which it comes (3,). guess: of the nearest point (3,), for the first step. above: a distance beyond
    which it need not be known exactly. state: the first is 1, and zeros; with DECISION numbers it ends once it is known
    whether the distance is at most `above`.
    """
    decides = len(state) == DECISION
    count = state[1] + 1.0
    v = np.array([np.where(count < 1.5, a, b) for a, b in zip(guess, state[NEAREST], strict=True)])
    earlier = state[6 if decides else 9 :].reshape(3, -1)
    w, own = vertices(-v)
    own = own[: 0 if decides else 3]
    size = np.sqrt(v @ v)
    lower = np.maximum(state[LOWER], (v @ w) / np.maximum(size, 1e-300))
    upper = np.where(count < 1.5, 1e300, size)
    parts = nearest_in(w, earlier[:, 1:4], earlier[:, 0])
    point = parts[0] * w + parts[1:] @ earlier[:, 1:4]
    inner = np.sqrt(point @ point)
    witness = parts[0] * own + parts[1:] @ earlier[:, 4:]
    is_better = inner < upper
    best = _chosen(is_better, np.concatenate([point, witness]), np.concatenate([v, state[6 : 6 + len(own)]]))
    going: Any = 1.0
    for is_over in (
        upper * (1.0 - 1e-14) <= inner,  # no step forward
        np.minimum(upper, inner) - lower <= CLOSE,
        above < lower,
        inner <= TOUCHING,
        count >= MOST_STEPS,
    ):
        going = np.where(is_over, 0.0, going)
    if decides:
        going = np.where(inner <= np.maximum(above, TOUCHING), -1.0, going)
    rows = _replaced(earlier, parts, np.concatenate([w, own]))
    return np.array([going, count, *best[:3], lower, *best[3:], *rows])


def _replaced(earlier: Any, parts: Any, new: Any) -> list[Any]:
    """Return the earlier vertices, the new one in the place of the first that does not count any more."""
    rows: list[Any] = []
    is_placed: Any = 0.0
    for row, part in zip(earlier, parts[1:], strict=True):
        is_free = np.where(part > 0.0, 0.0, 1.0)
        takes = is_free * (1.0 - is_placed)
        is_placed = np.maximum(is_placed, is_free)
        rows += [np.maximum(takes, 1.0 - is_free), *_chosen(takes > 0.5, new, row[1:])]
    return rows


def _chosen(condition: Any, yes: Any, no: Any) -> list[Any]:
    return [np.where(condition, a, b) for a, b in zip(yes, no, strict=True)]


def nearest_in(w: Any, earlier: Any, counts: Any) -> Any:
    """Return the parts (4,), which sum to 1, of the vertices of a simplex at its point nearest the origin.

    They are those of w and of the earlier vertices (3, 3) that count (3,). Points to which w contributes nothing are
    not looked for: none of them is nearer than the nearest of the step before.
    """
    parts: Any = [1.0 + 0.0 * w[0], 0.0, 0.0, 0.0]
    square = w @ w
    for size, part_of in ((1, _on_edge), (2, _on_face), (3, _in_solid)):
        for chosen in combinations(range(3), size):
            own, inside = part_of(w, [earlier[i] for i in chosen])
            for i in chosen:
                inside = np.where(counts[i] > 0.5, inside, -1.0)
            mine = np.array([1.0 - sum(own), *(own[chosen.index(i)] if i in chosen else 0.0 for i in range(3))])
            point = mine[0] * w + mine[1:] @ earlier
            far = point @ point if size < 3 else 0.0 * square
            is_nearer = np.where(inside > 0.0, np.where(far < square, 1.0, 0.0), 0.0)
            parts = _chosen(is_nearer > 0.5, mine, parts)
            square = np.where(is_nearer > 0.5, far, square)
    return np.array(parts)


Parts = tuple[list[Any], Any]


def _on_edge(w: Any, others: Sequence[Any]) -> Parts:
    """Return the part of the other end at the point of a line nearest the origin; above zero if it is between both."""
    d = others[0] - w
    t = -(w @ d) / np.maximum(d @ d, 1e-300)
    return [t], np.minimum(t, 1.0 - t)


def _on_face(w: Any, others: Sequence[Any]) -> Parts:
    """Return the parts of the others at the point of a plane nearest the origin; above zero if it is in the
    triangle."""
    d, e = others[0] - w, others[1] - w
    normal = _cross(d, e)
    area = normal @ normal
    is_plane = 1e-28 * (d @ d) * (e @ e) < area
    safe = np.where(is_plane, area, 1.0)
    s, t = (normal @ _cross(e, w)) / safe, (normal @ _cross(w, d)) / safe
    return [s, t], np.where(is_plane, np.minimum(np.minimum(s, t), 1.0 - s - t), -1.0)


def _in_solid(w: Any, others: Sequence[Any]) -> Parts:
    """Return the parts of the others at the origin; above zero if that is in the tetrahedron."""
    d, e, f = (other - w for other in others)
    volume = d @ _cross(e, f)
    is_solid = 1e-14 * np.sqrt((d @ d) * (e @ e) * (f @ f)) < abs(volume)
    safe = np.where(is_solid, volume, 1.0)
    r, s, t = -(w @ _cross(e, f)) / safe, -(w @ _cross(f, d)) / safe, -(w @ _cross(d, e)) / safe
    return [r, s, t], np.where(is_solid, np.minimum(np.minimum(r, s), np.minimum(t, 1.0 - r - s - t)), -1.0)


def _cross(a: Any, b: Any) -> Any:
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])
