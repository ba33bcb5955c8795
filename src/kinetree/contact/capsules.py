"""Capsules that a file describes by their parts, as URDF 1.0 has to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kinetree.contact.solids import Solid

CLOSE = 1e-9
"""How far a sphere may be from the end of a cylinder, and their radii apart, m. The capsule contains both."""


def with_capsules(solids: Sequence[Solid]) -> list[Solid]:
    """Return the solids of a link, with each cylinder that has spheres of its radius at both ends as a capsule."""
    spheres = [solid for solid in solids if solid.kind == "sphere"]
    found, used = list(solids), set[int]()
    for number, solid in enumerate(solids):
        if solid.kind != "cylinder" or not spheres:
            continue
        half = solid.T[:3, 2] * solid.sizes[1] / 2
        caps = [_nearest(spheres, solid.T[:3, 3] + end, solid.sizes[0]) for end in (-half, half)]
        if (apart := max(off for off, _ in caps)) <= CLOSE:
            used |= {id(cap) for _, cap in caps}
            found[number] = replace(solid, kind="capsule", sizes=(solid.sizes[0] + apart, solid.sizes[1]))
    return [solid for solid in found if id(solid) not in used]


def _nearest(spheres: Sequence[Solid], point: np.ndarray, radius: float) -> tuple[float, Solid]:
    """Return by how much a sphere at most reaches beyond or within one at a point, and that sphere."""
    off = [float(np.linalg.norm(s.T[:3, 3] - point)) + abs(s.sizes[0] - radius) for s in spheres]
    best = int(np.argmin(off))
    return off[best], spheres[best]
