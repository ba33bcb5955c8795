"""Contact as the page computes it: the solids of the links, the pairs that are tested, and what is left out."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from kinetree.compiler.kernel import Kernel
from kinetree.contact.collisions import Collisions
from kinetree.contact.convex import one_step, terms_of
from kinetree.contact.covers import ball, cover
from kinetree.contact.make import check_some, coarse
from kinetree.contact.solids import Solid
from kinetree.contact.triangles import a_point_of_each_part
from kinetree.display import counted
from kinetree.errors import Finding, KinetreeError
from kinetree.model.robot import Robot
from kinetree.spatial.se3 import Array
from kinetree.viewing.packing import Meshes
from kinetree.viewing.scene.findings import Places
from kinetree.viewing.scene.robot import flat

STEP = "gjk"
"""The page's name of the function of a step."""
MOST_TRIANGLES = 100_000
"""Triangles of the meshes whose contact the page decides; those of others would make it large and slow."""
MOST_PAIRS = 50_000
"""Pairs of solids that the page tests."""
FLAT = 1e-6
"""How far a triangle of a convex mesh may be from its hull, m."""

OUTWARD = np.array([0.0, 0.0, 0.0, 2e-6])
"""What is added to spheres that are rounded to 1e-6 m, so that they contain what they did."""


def usable(robot: Robot) -> tuple[Collisions | None, list[Finding]]:
    """Return what answers which links of a robot are in contact, and warnings of links whose shapes cannot be used; or
    None where no pair is left to be tested, and last a finding that says why."""
    links = {f"link {name!r}": name for name in robot.links}
    without: dict[str, Finding] = {}
    while True:
        try:
            contact = coarse(robot, without=[*without])
            check_some(robot, contact.pairs, contact.left_out)
            return contact, list(without.values())
        except KinetreeError as error:
            lost = {links[f.element]: replace(f, severity="warning") for f in error.findings if f.element in links}
            if not lost or lost.keys() <= without.keys():
                return None, [*without.values(), error.findings[0]]
            without |= lost


class Nearness(NamedTuple):
    """The links that touch others, and where none does the nearest points (2, 3) of two in the root, and how far these
    are apart, m; and warnings of links whose shapes cannot be used."""

    touching: frozenset[str]
    points: Array | None
    distance: float
    lost: tuple[Finding, ...]


def nearness_of(robot: Robot, q: Array) -> Nearness:
    """Return the contact of a robot at q (nq,), without links whose shapes cannot be used. Raises KinetreeError where
    nothing is left."""
    contact, lost = usable(robot)
    if contact is None:
        raise KinetreeError(lost[-1:])
    where, nearest = contact.where(q), contact.witness(q)
    touching = frozenset(name for i in np.flatnonzero(where) for name in contact.pairs[i])
    return Nearness(touching, None if touching else nearest.points, float(nearest.distance), tuple(lost))


def described_contact(robot: Robot, packed: Meshes, with_cover: bool) -> tuple[dict[str, Any], Kernel | None]:
    """Return the solids of a robot and the pairs of its links that are tested, and the function of a step of a
    distance; without pairs, and None, where there is nothing to test. packed: where meshes are added."""
    contact, lost = usable(robot)
    notes = [f"{one.element}: {one.message}" for one in lost]
    places = Places(robot)
    numbers = {name: i for i, name in enumerate(robot.links)}
    pairs: list[list[int]] = []
    solids: list[dict[str, Any]] = []
    left_out: list[dict[str, Any]] = []
    if contact and contact.solid_count > MOST_PAIRS:
        many = counted(contact.solid_count, "pair") + " of shapes"
        verb = "is" if contact.solid_count == 1 else "are"
        notes.append(f"{many} {verb} more than a page tests, {MOST_PAIRS}; ask `kinetree contact`")
    elif contact:
        pairs = [[numbers[a], numbers[b]] for a, b in contact.pairs]
        left_out = [{"links": [numbers[a], numbers[b]], "reason": reason} for a, b, reason in contact.left_out]
        notes += contact.notes
        rough = _rough(contact)
        solids = [_described(*both, numbers, packed, rough, with_cover) for both in contact.solids()]
    described = {
        "solids": solids,
        "pairs": pairs,
        "left_out": left_out,
        "notes": [places.plain(note) for note in notes],
        "cover": with_cover,
    }
    return described, one_step() if pairs else None


def _rough(contact: Collisions) -> set[str]:
    """Return the keys of the meshes that are left out, the largest, so that few triangles remain."""
    sizes = {s.key: len(s.surface.triangles) for s, _ in contact.solids() if s.kind == "mesh"}
    total, kept = 0, set()
    for key, size in sorted(sizes.items(), key=lambda item: item[1]):
        total += size
        kept |= {key} if total <= MOST_TRIANGLES else set()
    return sizes.keys() - kept


def _described(
    solid: Solid, hull: Solid, numbers: Mapping[str, int], packed: Meshes, rough: set[str], with_cover: bool
) -> dict[str, Any]:
    """Return a solid: the sum of the hull of points, a disc, a ball and an ellipsoid; a mesh that is not convex has its
    own triangles too, and a point of each part of it. rough: whether only its hull is known."""
    corners, disc, radius, radii = terms_of(hull) if solid.kind != "plane" else (np.zeros((0, 3)), 0.0, 0.0, (0.0,) * 3)
    is_mesh = solid.kind == "mesh" and not _is_convex(solid, hull)
    own = is_mesh and solid.key not in rough
    return {
        "link": numbers[solid.link],
        "T": flat(solid.T),
        "plane": solid.kind == "plane",
        "ball": ball(solid).outer.ravel().tolist(),
        "points": [] if hull.kind == "hull" else corners.ravel().tolist(),
        "hull": packed.add(hull.surface) if hull.kind == "hull" else None,
        "disc": disc,
        "radius": radius,
        "radii": list(radii),
        "mesh": packed.add(solid.surface) if own else None,
        "parts": a_point_of_each_part(solid).ravel().tolist() if own else corners[:1].ravel().tolist(),
        "closed": solid.closed,
        "rough": is_mesh and not own,
        "cover": (np.round(cover(solid).outer, 6) + OUTWARD).ravel().tolist() if with_cover else [],
    }


def _is_convex(solid: Solid, hull: Solid) -> bool:
    """Return whether each triangle of a mesh lies in a face of its hull."""
    mesh, faces = solid.surface, hull.surface
    if not solid.closed or len(mesh.vertices) * len(faces.triangles) > 10_000_000:
        return False
    a, b, c = np.moveaxis(faces.vertices[faces.triangles], 1, 0)
    n = np.cross(b - a, c - a)
    n /= np.linalg.norm(n, axis=1)[:, None]
    deep = np.abs(mesh.vertices @ n.T - np.einsum("ij,ij->i", n, a)) <= FLAT
    return bool(deep[mesh.triangles].all(axis=1).any(axis=1).all())
