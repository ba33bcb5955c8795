"""Contact as the page computes it: the solids of the links, the pairs that are tested, and what is left out."""

from dataclasses import replace
from itertools import accumulate
from typing import Any

import numpy as np

from kinetree.compiler.kernel import Kernel
from kinetree.contact.collisions import Collisions
from kinetree.contact.convex import one_step, terms_of
from kinetree.contact.covers import ball, cover
from kinetree.contact.exact import convex_of
from kinetree.contact.make import check_some, coarse
from kinetree.contact.nearest import Witness
from kinetree.contact.solids import Solid
from kinetree.contact.triangles import a_point_of_each_part
from kinetree.errors import Finding, KinetreeError
from kinetree.model.robot import Robot
from kinetree.spatial.se3 import Array
from kinetree.viewing.packing import Meshes
from kinetree.viewing.scene.findings import Places
from kinetree.viewing.scene.robot import flat

MOST_TRIANGLES = 100_000
"""Triangles of the meshes whose contact the page decides; those of others would make it large and slow."""


def usable(robot: Robot) -> tuple[Collisions | None, list[Finding]]:
    """Return what answers which links of a robot are in contact, and warnings of links whose shapes cannot be used; or
    None where no pair is left to be tested, and last a finding that says why."""
    links = {f"link {name!r}": name for name in robot.links}
    without: dict[str, Finding] = {}
    while True:
        try:
            contact = coarse(robot, without=[*without])
            check_some(robot, contact.pairs, contact.left_out)
            return contact, [*without.values()]
        except KinetreeError as error:
            lost = {links[f.element]: replace(f, severity="warning") for f in error.findings if f.element in links}
            if without or not lost:
                return None, [*without.values(), error.findings[0]]
            without = lost


def touching_at(robot: Robot, q: Array) -> tuple[frozenset[str], Witness | None, list[Finding]]:
    """Return the links in contact at q (nq,), the nearest pair if there are none, and warnings of links whose shapes
    cannot be used. Raises KinetreeError where no pair is left to be tested."""
    contact, lost = usable(robot)
    if contact is None:
        raise KinetreeError(lost[-1:])
    touching = frozenset(name for i in np.flatnonzero(contact.where(q)) for name in contact.pairs[i])
    return touching, None if touching else contact.witness(q), lost


def described_contact(robot: Robot, packed: Meshes, with_cover: bool) -> tuple[dict[str, Any], Kernel | None]:
    """Return the solids of a robot and the pairs of its links that are tested, and the function of a step of a
    distance; without pairs, and None, where there is nothing to test. packed: where meshes are added."""
    contact, lost = usable(robot)
    numbers = {name: i for i, name in enumerate(robot.links)}
    every = contact.solids() if contact else []
    sizes = {one.key: len(one.surface.triangles) for one in every if one.kind == "mesh"}
    order = sorted(sizes, key=lambda key: sizes[key])
    totals = accumulate(sizes[key] for key in order)
    fine = {key for key, total in zip(order, totals, strict=True) if total <= MOST_TRIANGLES}
    solids = [{"link": numbers[one.link], **_described(one, packed, fine, with_cover)} for one in every]
    notes = [*(f"{one.element}: {one.message}" for one in lost), *(contact.notes if contact else ())]
    places = Places(robot)
    left_out = contact.left_out if contact else ()
    return {
        "solids": solids,
        "pairs": [[numbers[a], numbers[b]] for a, b in (contact.pairs if contact else ())],
        "left_out": [{"links": [numbers[a], numbers[b]], "reason": reason} for a, b, reason in left_out],
        "notes": [places.plain(note) for note in notes],
        "cover": with_cover,
    }, one_step() if contact else None


def _described(solid: Solid, packed: Meshes, fine: set[str], with_cover: bool) -> dict[str, Any]:
    """Return a solid: the sum of the hull of points, a disc, a ball and an ellipsoid. A mesh has its triangles, too,
    and a point of each part of it, if its key is in `fine`; others are `rough`."""
    hull = convex_of(solid)
    corners, disc, radius, radii = terms_of(hull)
    own, has_hull = solid.key in fine, hull.kind == "hull"
    return {
        "T": flat(solid.T),
        "plane": solid.kind == "plane",
        "ball": ball(solid).outer.ravel().tolist(),
        "points": [] if has_hull else corners.ravel().tolist(),
        "hull": packed.add_points(corners) if has_hull else None,
        "disc": disc,
        "radius": radius,
        "radii": list(radii),
        "mesh": packed.add(solid.surface) if own else None,
        "parts": (a_point_of_each_part(solid) if own else corners[:1]).ravel().tolist(),
        "closed": solid.closed,
        "rough": solid.kind == "mesh" and not own,
        "cover": cover(solid).outer.ravel().tolist() if with_cover else [],
    }
