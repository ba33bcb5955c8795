"""Spheres that stand for the shapes of links in planners, and the pairs of links that these must not test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kinetree.contact.covers import cover
from kinetree.contact.pairs import Pair
from kinetree.contact.solids import Solid
from kinetree.contact.surfaces import Surface, turns
from kinetree.contact.ways import samples
from kinetree.errors import Finding
from kinetree.model.robot import Robot
from kinetree.model.semantic import CollisionPair, Sphere, SphereApproximation
from kinetree.queries.motion import fk
from kinetree.spatial.se3 import Array

if TYPE_CHECKING:
    from kinetree.contact.collisions import Collisions

TRIED = 4000
"""Configurations in which the spheres are compared with the shapes."""
HINDERS, OFTEN = 0.05, 0.95
"""Share of the configurations above which alarms hinder a planner, and that above which contact says nothing."""
DIGITS = 6
"""Digits of the numbers of spheres behind the point, m."""
MOST_PIECES = 250_000
"""Pieces of a surface, about, from which the distances of the middles of spheres are known."""
PORTION = 3_000_000
"""Distances of spheres that are computed at once, about."""


def with_spheres(contact: Collisions, slack: float) -> Robot:
    """Return the robot with spheres. See `Collisions.spheres`."""
    robot, links, made = contact.robot, contact.links(), contact.semantic()
    assert made.semantic is not None
    own: dict[str, list[tuple[Array, float]]] = {name: [] for name in links}
    for solid in contact.solids():
        own[solid.link].append(_spheres(solid, slack))
    balls = {name: np.concatenate([one for one, _ in both]) for name, both in own.items()}
    reach = {name: max(far for _, far in both) for name, both in own.items()}
    tested, q = contact.of(contact.pairs), np.vstack([samples(robot)[:TRIED], robot.q()])  # the last is neutral
    where, pairs = tested.where(q), tested.pairs
    alarm = _overlaps(robot, balls, pairs, q, tested.lower(q), reach)
    count = len(robot.semantic.disabled_collisions) if robot.semantic else 0
    old, new = made.semantic.disabled_collisions[:count], made.semantic.disabled_collisions[count:]
    decided = {one.links for one in (*old, *made.semantic.enabled_collisions)}
    means = zip(pairs, where[:TRIED].mean(axis=0).tolist(), alarm[:TRIED].mean(axis=0).tolist(), strict=True)
    shares = {pair: (touch, overlap) for pair, touch, overlap in means if frozenset(pair) not in decided}
    found, notes = _ignored(shares, new)
    approximations = tuple(_approximation(name, balls[name], reach[name]) for name in links)
    semantic = replace(made.semantic, disabled_collisions=(*old, *found), sphere_approximations=approximations)
    ignored = {one.links for one in semantic.pairs_disabled(links)}
    kept = [i for i, pair in enumerate(pairs) if frozenset(pair) not in ignored]
    first = [f"{a}-{b}" for a, b in (pairs[i] for i in kept if alarm[-1, i])]
    called = alarm[:TRIED][:, kept]
    evidence = _evidence(max(reach.values()), where[:TRIED], called, first)
    planes = dict.fromkeys(solid.link for solid in contact.solids() if solid.kind == "plane")
    notes += [_note(name, "a plane has no spheres: planners do not see its contacts") for name in planes]
    return replace(made, semantic=replace(semantic, evidence=evidence), notes=(*made.notes, *notes))


def _spheres(solid: Solid, slack: float) -> tuple[Array, float]:
    """Return spheres (n, 4) in the link's frame that contain a solid, and how far they reach beyond it at most, m."""
    made = cover(solid, slack)
    outer = made.outer
    far = made.slack
    if solid.kind == "mesh" and len(outer):  # known better than for the cover, from smaller pieces of the surface
        far = min(far, float((outer[:, 3] - _depths(solid, outer[:, :3], slack)).max()))
    middles = outer[:, :3] @ solid.T[:3, :3].T + solid.T[:3, 3]
    rounded, digit = np.round(middles, DIGITS), 10.0**-DIGITS
    radii = np.ceil((outer[:, 3] + np.linalg.norm(rounded - middles, axis=1)) / digit) * digit
    return np.column_stack([rounded, radii]), far + 3 * digit


def _depths(solid: Solid, points: Array, slack: float) -> Array:
    """Return how deep points (n, 3) lie in a mesh at least, m, below zero outside of it, or not in it."""
    triangles = solid.surface.vertices[solid.surface.triangles]
    surface = Surface(triangles, slack / 10, MOST_PIECES)
    far = surface.distance(points)
    inside = np.abs(turns(triangles, points)) > 0.5 if solid.closed else np.zeros(len(points), dtype=bool)
    return np.asarray(np.where(inside, far - surface.error, -far))


def _overlaps(
    robot: Robot, balls: Mapping[str, Array], pairs: Sequence[Pair], q: Array, lower: Array, reach: Mapping[str, float]
) -> NDArray[np.bool_]:
    """Return whether spheres of both links of pairs overlap (n, k). lower: bounds of the distances of the links (n, k);
    farther apart than both reach beyond their links, no spheres overlap."""
    names = list(balls)
    poses = fk(robot, names)(q)
    found = np.zeros((len(q), len(pairs)), dtype=bool)
    for i, (a, b) in enumerate(pairs):
        rows = np.flatnonzero(lower[:, i] < reach[a] + reach[b])
        T = np.linalg.inv(poses[rows, names.index(a)]) @ poses[rows, names.index(b)]
        step = max(PORTION // max(len(balls[a]) * len(balls[b]), 1), 1)
        for at in range(0, len(rows), step):
            found[rows[at : at + step], i] = _overlap(balls[a], balls[b], T[at : at + step])
    return found


def _overlap(first: Array, second: Array, T: Array) -> NDArray[np.bool_]:
    """Return whether some of two sets of spheres overlap (n,), those of the second in poses (n, 4, 4)."""
    middles = second[:, :3] @ np.swapaxes(T[:, :3, :3], 1, 2) + T[:, None, :3, 3]
    squares = (first[:, :3] ** 2).sum(axis=1)[:, None] + (middles**2).sum(axis=2)[:, None]
    squares = squares - 2 * first[:, :3] @ np.swapaxes(middles, 1, 2)
    return np.asarray((squares < (first[:, 3, None] + second[:, 3]) ** 2).any(axis=(1, 2)))


def _ignored(
    shares: Mapping[Pair, tuple[float, float]], known: Sequence[CollisionPair]
) -> tuple[list[CollisionPair], list[Finding]]:
    """Return the pairs that planners must ignore, and warnings about those whose contacts they will not see.

    shares: by pair, the share of configurations in which the links are in contact, and that in which their spheres
    overlap. known: pairs that need not be tested by their shapes; others of these do not move, or always touch.
    """
    needless = {(one.link1, one.link2): one for one in known}
    found, notes = [one for pair, one in needless.items() if pair not in shares], []
    for pair, (touch, overlap) in shares.items():
        own = needless.get(pair)
        said = f"of {TRIED} samples, the spheres overlap in {100 * overlap:.3g} %, the links in {100 * touch:.3g} %"
        hinders = overlap > (0.0 if own and own.evidence.startswith("proved") else HINDERS)
        if own and hinders and (touch == 0.0 or touch > OFTEN):
            found.append(replace(own, evidence=f"{said}; {own.evidence}"))
        elif overlap == 1.0:
            found.append(CollisionPair(*pair, "Spheres", said))
            notes.append(_note("-".join(pair), f"{said}: planners ignore the pair, and do not see its contacts"))
    return found, notes


def _approximation(name: str, balls: Array, reach: float) -> SphereApproximation:
    spheres = tuple(Sphere((x, y, z), radius) for x, y, z, radius in np.round(balls, DIGITS).tolist())
    return SphereApproximation(name, spheres, evidence=f"reach at most {1000 * reach:.1f} mm beyond its shapes")


def _evidence(reach: float, touching: NDArray[np.bool_], alarm: NDArray[np.bool_], first: Sequence[str]) -> str:
    touches, alarms = np.asarray(touching.any(axis=1)), np.asarray(alarm.any(axis=1))
    count, false = int(touches.sum()), int((alarms & ~touches).sum())
    clear = TRIED - count
    lines = [
        f"The spheres contain the collision shapes, and reach at most {1000 * reach:.1f} mm beyond them (proved).",
        f"Of {TRIED} random configurations {count} are in contact, of which the spheres of the pairs that are not "
        f"ignored miss {int((touches & ~alarms).sum())}.",
        f"Of the other {clear}, {false} ({100 * false / max(clear, 1):.3g} %) are false alarms.",
    ]
    return "\n".join([*lines, *([f"In the neutral configuration these overlap: {', '.join(first)}."] if first else [])])


def _note(links: str, message: str) -> Finding:
    return Finding("spheres", "warning", message, element=f"link {links}")
