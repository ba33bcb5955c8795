"""Capsules that a file describes by their parts, as URDF 1.0 has to."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kinetree.contact.solids import Solid

CLOSE = 1e-9
"""How far a sphere may be from the end of a cylinder, and their radii apart, m. The capsule contains both."""


def with_capsules(solids: Sequence[Solid]) -> list[Solid]:
    """Return the solids of a link, with each cylinder that has spheres of its radius at both ends as a capsule."""
    balls = [(i, solid) for i, solid in enumerate(solids) if solid.kind == "sphere"]
    found, used = list(solids), set[int]()
    for number, rod in enumerate(solids):
        if rod.kind == "cylinder" and balls:
            ends = [rod.T[:3, 3] + sign * rod.sizes[1] / 2 * rod.T[:3, 2] for sign in (-1, 1)]
            caps = [
                min((float(np.linalg.norm(b.T[:3, 3] - end)) + abs(b.sizes[0] - rod.sizes[0]), i) for i, b in balls)
                for end in ends
            ]
            if max(caps)[0] <= CLOSE:
                used |= {i for _, i in caps}
                found[number] = replace(rod, kind="capsule", sizes=(rod.sizes[0] + max(caps)[0], rod.sizes[1]))
    return [solid for i, solid in enumerate(found) if i not in used]
